// cuda_on_cpu.hpp - the part of CUDA C++ that the kernels use, for compiling them with g++.
//
// Every CUDA thread is a fiber. scheduler.cpp runs all fibers of a launch on one thread of the
// operating system, in an order drawn from a seed. Fibers switch only at barriers and warp
// intrinsics and, now and then, around atomics and relaxed accesses. Undefined behaviour of CUDA is
// an error where it can be detected: a mask that contains a returned lane, a barrier that not all
// threads of a block reach. This file includes no other, so that compiling a kernel stays quick.
#pragma once

#define WARPATH_EMULATED 1

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)

// Extra parameters of intrinsics: the place of the call in the kernel's source, for messages.
#define WARPATH_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace emulated {
struct Dim3 {
  unsigned x, y, z;
};
struct Thread {  // one thread's indices
  Dim3 thread, block;
};

struct Grid {  // of the launch; `patience` is the number of steps until the next switch of fibers
  Dim3 threads, blocks;
  int patience;
};

struct Site {  // a shared array's offset in its block's memory, valid for this launch
  unsigned long long launch;
  unsigned offset;
};

enum class Barrier { kPlain, kOr, kAnd, kCount };
enum class Warp { kSync, kShuffle, kBallot, kMatch };
using Word = unsigned long long;
using Run = void (*)(const void* kernel, void** args);

// In scheduler.cpp, which is compiled without sanitizers: they must not see its own accesses.
#pragma GCC visibility push(default)
extern Thread* self;
extern Grid grid;
void yield();
void count_step();
void fence();
int block_barrier(Barrier kind, int predicate, const char* file, int line);
Word warp(Warp kind, unsigned mask, Word value, int source, const char* what, const char* file,
          int line);
void grid_barrier(const char* file, int line);
[[noreturn]] void trap(const char* file, int line);
void* shared(Site& site, unsigned long long size, unsigned long long alignment);
int launch(Run run, const void* kernel, const char* name, unsigned blocks, unsigned threads,
           Word seed, void** args, char* error, unsigned long capacity);
#pragma GCC visibility pop

/// May switch fibers. ThreadSanitizer must not see the counter, which all fibers write.
inline void step() {
#ifdef __SANITIZE_THREAD__
  count_step();
#else
  if (--grid.patience <= 0) yield();
#endif
}

template <class T, class... Types>
inline constexpr bool kOneOf = (__is_same(T, Types) || ...);
template <class T>
struct Same {
  using Type = T;
};

/// Converts a value to a word, with its bits in the low bytes, and back.
template <class T>
Word to_word(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA exchanges words of 4 and 8 bytes");
  Word word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  return word;
}
template <class T>
T from_word(Word word) {
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}

/// Replaces *p by change(*p) atomically, with relaxed order as in CUDA. Returns the old value.
template <class T, class Change>
T update(T* p, Change change) {
  step();
  T old, next;
  __atomic_load(p, &old, __ATOMIC_RELAXED);
  do {
    next = change(old);
  } while (!__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  step();
  return old;
}

template <class T, Word kCount, class Tag>
inline T (&shared_array(Tag)) [kCount] {
  static Site site;  // one per declaration: each lambda used as a tag has its own type
  return *static_cast<T(*)[kCount]>(shared(site, sizeof(T[kCount]), alignof(T)));
}

inline int lane() {
  return static_cast<int>(self->thread.x % 32);
}

template <class T>
T shuffle(unsigned mask, T value, int source, const char* what, const char* file, int line) {
  return from_word<T>(warp(Warp::kShuffle, mask, to_word(value), source, what, file, line));
}
}  // namespace emulated

#define WARPATH_SHARED(type, name, count) \
  type(&name)[count] = ::emulated::shared_array<type, count>([] {})

// Dynamic shared memory. CUDA takes the size from the launch, the emulator from the kernel.
#define WARPATH_LENT_SHARED(name, bytes)                             \
  static ::emulated::Site site_of_##name; /* once for each kernel */ \
  char* const name = static_cast<char*>(::emulated::shared(site_of_##name, bytes, 16))

#define threadIdx (::emulated::self->thread)
#define blockIdx (::emulated::self->block)
#define blockDim (::emulated::grid.threads)
#define gridDim (::emulated::grid.blocks)
inline constexpr int warpSize = 32;

inline void __syncthreads(WARPATH_PLACE) {
  emulated::block_barrier(emulated::Barrier::kPlain, 0, file, line);
}
inline int __syncthreads_or(int predicate, WARPATH_PLACE) {
  return emulated::block_barrier(emulated::Barrier::kOr, predicate, file, line);
}
inline int __syncthreads_and(int predicate, WARPATH_PLACE) {
  return emulated::block_barrier(emulated::Barrier::kAnd, predicate, file, line);
}
inline int __syncthreads_count(int predicate, WARPATH_PLACE) {
  return emulated::block_barrier(emulated::Barrier::kCount, predicate, file, line);
}
inline void __syncwarp(unsigned mask = ~0u, WARPATH_PLACE) {
  emulated::warp(emulated::Warp::kSync, mask, 0, 0, "__syncwarp", file, line);
}
inline void grid_barrier(WARPATH_PLACE) { emulated::grid_barrier(file, line); }
inline void __threadfence() { emulated::fence(); }
inline void __threadfence_block() { emulated::fence(); }
inline void __threadfence_system() { emulated::fence(); }
inline void __nanosleep(unsigned) { emulated::yield(); }
[[noreturn]] inline void __trap(WARPATH_PLACE) { emulated::trap(file, line); }

// Warp intrinsics. Only __syncwarp orders memory.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, WARPATH_PLACE) {
  const int from = (emulated::lane() & ~(width - 1)) + (source & (width - 1));
  return emulated::shuffle(mask, value, from, "__shfl_sync", file, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, WARPATH_PLACE) {
  const int lane = emulated::lane(), from = lane - static_cast<int>(delta);
  const bool inside = from >= (lane & ~(width - 1));
  return emulated::shuffle(mask, value, inside ? from : lane, "__shfl_up_sync", file, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, WARPATH_PLACE) {
  const int lane = emulated::lane(), from = lane + static_cast<int>(delta);
  const bool inside = from < (lane & ~(width - 1)) + width;
  return emulated::shuffle(mask, value, inside ? from : lane, "__shfl_down_sync", file, line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, WARPATH_PLACE) {
  const int lane = emulated::lane(), from = lane ^ bits;
  const bool inside = from < (lane & ~(width - 1)) + width;
  return emulated::shuffle(mask, value, inside ? from : lane, "__shfl_xor_sync", file, line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, WARPATH_PLACE) {
  const auto bits =
      emulated::warp(emulated::Warp::kBallot, mask, predicate != 0, 0, "__ballot_sync", file, line);
  return static_cast<unsigned>(bits);
}
inline int __any_sync(unsigned mask, int predicate, WARPATH_PLACE) {
  return emulated::warp(emulated::Warp::kBallot, mask, predicate != 0, 0, "__any_sync", file,
                        line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, WARPATH_PLACE) {
  return emulated::warp(emulated::Warp::kBallot, mask, predicate != 0, 0, "__all_sync", file,
                        line) == mask;
}
template <class T>
unsigned __match_any_sync(unsigned mask, T value, WARPATH_PLACE) {
  const auto bits = emulated::warp(emulated::Warp::kMatch, mask, emulated::to_word(value), 0,
                                   "__match_any_sync", file, line);
  return static_cast<unsigned>(bits);
}
inline unsigned __activemask() { return 1u << emulated::lane(); }  // all that CUDA guarantees

// Atomics, for the types that CUDA supports.
#define WARPATH_ATOMIC(name, expression, ...)                                 \
  template <class T>                                                          \
    requires emulated::kOneOf<T, __VA_ARGS__>                                 \
  T name(T* address, typename emulated::Same<T>::Type value) {                \
    return emulated::update(address, [&](T old) -> T { return expression; }); \
  }
WARPATH_ATOMIC(atomicMin, value < old ? value : old, int, unsigned, long long, unsigned long long)
WARPATH_ATOMIC(atomicMax, old < value ? value : old, int, unsigned, long long, unsigned long long)
WARPATH_ATOMIC(atomicAdd, old + value, int, unsigned, unsigned long long, float, double)
WARPATH_ATOMIC(atomicSub, old - value, int, unsigned)
WARPATH_ATOMIC(atomicExch, (static_cast<void>(old), value), int, unsigned, unsigned long long,
               float)
WARPATH_ATOMIC(atomicOr, old | value, int, unsigned, unsigned long long)
WARPATH_ATOMIC(atomicAnd, old& value, int, unsigned, unsigned long long)
WARPATH_ATOMIC(atomicXor, old ^ value, int, unsigned, unsigned long long)
#undef WARPATH_ATOMIC
template <class T>
  requires emulated::kOneOf<T, int, unsigned, unsigned long long, unsigned short>
T atomicCAS(T* address, typename emulated::Same<T>::Type compare,
            typename emulated::Same<T>::Type value) {
  emulated::step();
  T old = compare;
  __atomic_compare_exchange_n(address, &old, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  emulated::step();
  return old;
}

// NVRTC's builtins. The order is compared, not passed on: g++ replaces an order that is not a
// constant by the strongest one, which would hide races from ThreadSanitizer.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
template <class T>
void __nv_atomic_load(const T* address, typename emulated::Same<T>::Type* out, int order, int = 4) {
  emulated::step();
  if (order == __NV_ATOMIC_RELAXED)
    __atomic_load(address, out, __ATOMIC_RELAXED);
  else
    __atomic_load(address, out, __ATOMIC_ACQUIRE);
  emulated::step();
}
template <class T>
void __nv_atomic_store(T* address, typename emulated::Same<T>::Type* value, int order, int = 4) {
  emulated::step();
  if (order == __NV_ATOMIC_RELAXED)
    __atomic_store(address, value, __ATOMIC_RELAXED);
  else
    __atomic_store(address, value, __ATOMIC_RELEASE);
  emulated::step();
}
template <class T>
T __nv_atomic_load_n(const T* address, int order, int scope = 4) {
  T value;
  __nv_atomic_load(address, &value, order, scope);
  return value;
}
template <class T>
void __nv_atomic_store_n(T* address, typename emulated::Same<T>::Type value, int order,
                         int scope = 4) {
  __nv_atomic_store(address, &value, order, scope);
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
template <class T>
T __ldg(const T* address) {
  return *address;
}
#define WARPATH_BITS(name, To, From) \
  inline To name(From x) { return __builtin_bit_cast(To, x); }
WARPATH_BITS(__float_as_int, int, float)
WARPATH_BITS(__int_as_float, float, int)
WARPATH_BITS(__float_as_uint, unsigned, float)
WARPATH_BITS(__uint_as_float, float, unsigned)
WARPATH_BITS(__double_as_longlong, long long, double)
WARPATH_BITS(__longlong_as_double, double, long long)
#undef WARPATH_BITS

// Overloads of min and max, as in CUDA: arguments of two different types are an error.
#define WARPATH_MIN_MAX(T)                         \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
WARPATH_MIN_MAX(int)
WARPATH_MIN_MAX(unsigned)
WARPATH_MIN_MAX(long)
WARPATH_MIN_MAX(unsigned long)
WARPATH_MIN_MAX(long long)
WARPATH_MIN_MAX(unsigned long long)
#undef WARPATH_MIN_MAX
inline float min(float a, float b) { return __builtin_fminf(a, b); }
inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
inline double min(double a, double b) { return __builtin_fmin(a, b); }
inline double max(double a, double b) { return __builtin_fmax(a, b); }

// Fused sums and minima, which wrap as in CUDA.
inline int __viaddmin_s32(int a, int b, int c) {
  return min(static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)), c);
}
inline int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
namespace emulated {
/// Applies `change` to the two 16-bit halves separately.
template <class Change>
unsigned by_halves(unsigned a, unsigned b, unsigned c, Change change) {
  unsigned all = 0;
  for (int shift = 0; shift < 32; shift += 16) {
    const auto half = [&](unsigned x) { return static_cast<short>(x >> shift); };
    all |= static_cast<unsigned>(static_cast<unsigned short>(change(half(a), half(b), half(c))))
           << shift;
  }
  return all;
}
}  // namespace emulated
inline unsigned __viaddmin_s16x2(unsigned a, unsigned b, unsigned c) {
  return emulated::by_halves(a, b, c, [](short x, short y, short z) {
    return min(static_cast<int>(static_cast<short>(x + y)), static_cast<int>(z));
  });
}
inline unsigned __vimin3_s16x2(unsigned a, unsigned b, unsigned c) {
  return emulated::by_halves(a, b, c, [](int x, int y, int z) { return min(min(x, y), z); });
}
extern "C" double floor(double) noexcept;
extern "C" double ceil(double) noexcept;
extern "C" float floorf(float) noexcept;
extern "C" float ceilf(float) noexcept;
inline bool isinf(float x) { return __builtin_isinf(x); }
inline bool isinf(double x) { return __builtin_isinf(x); }
inline bool isnan(float x) { return __builtin_isnan(x); }
inline bool isnan(double x) { return __builtin_isnan(x); }

namespace emulated {
template <class T>
inline constexpr int kKind = __is_same(T, bool) ? 'b'
                             : T(0.5) != T(0)   ? 'f'
                                                : 'i';
template <class T>
inline constexpr int kCode = kKind<T> * 256 + static_cast<int>(sizeof(T));
template <class T>  // a pointer to a type that is not a number
inline constexpr int kCode<T*> = 65536;
template <class T>
  requires requires { T(0.5) != T(0); }
inline constexpr int kCode<T*> = 65536 + kCode<T>;
template <int... kIndices>
struct Indices {};

template <class... Args>
struct Signature {  // of a kernel: calls it, and describes its arguments
  template <int... kIndices>
  static void call(void (*kernel)(Args...), void** args, Indices<kIndices...>) {
    kernel(*static_cast<Args*>(args[kIndices])...);
  }
  static void run(const void* kernel, void** args) {
    call(reinterpret_cast<void (*)(Args...)>(const_cast<void*>(kernel)), args,
         Indices<__integer_pack(sizeof...(Args))...>{});
  }
  static int code(int index) {
    const int codes[] = {kCode<Args>..., -1};
    return codes[index];
  }
};
template <class... Args>
Signature<Args...> signature(void (*)(Args...)) {
  return {};
}
}  // namespace emulated

/// To be written after a kernel. call_NAME launches it and returns 0, or 1 with a message.
/// argument_NAME(i) codes its i-th argument (65536 for a pointer + 256 * kind + size; -1: no more).
#define WARPATH_ENTRY(name)                                                                       \
  extern "C" __attribute__((visibility("default"))) int call_##name(                              \
      unsigned blocks, unsigned threads, unsigned long long seed, void** args, char* error,       \
      unsigned long capacity) {                                                                   \
    return ::emulated::launch(&decltype(::emulated::signature(&name))::run,                       \
                              reinterpret_cast<const void*>(&name), #name, blocks, threads, seed, \
                              args, error, capacity);                                             \
  }                                                                                               \
  extern "C" __attribute__((visibility("default"))) int argument_##name(int index) {              \
    return decltype(::emulated::signature(&name))::code(index);                                   \
  }
