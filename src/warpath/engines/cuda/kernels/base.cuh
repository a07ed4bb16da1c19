// base.cuh - words that every kernel shares: labels, racing accesses, minima, counters.
#pragma once

// The emulator keeps shared arrays per emulated block and defines its own.
#ifndef WARPATH_SHARED
#define WARPATH_SHARED(type, name, count) __shared__ type name[count]
#endif

// Shared memory of a size that is said at the launch.
#ifndef WARPATH_LENT_SHARED
#define WARPATH_LENT_SHARED(name, bytes) extern __shared__ __align__(16) char name[]
#endif

namespace warpath {

using i64 = long long;
using u64 = unsigned long long;
using u32 = unsigned;
using u16 = unsigned short;
using u8 = unsigned char;

/// The label of a vertex that no path reaches: inf, or the largest integer.
template <class L>
struct Never;
template <>
struct Never<int> {
  static __device__ int value() { return 0x7fffffff; }
};
template <>
struct Never<i64> {
  static __device__ i64 value() { return 0x7fffffffffffffffLL; }
};
template <>
struct Never<float> {
  static __device__ float value() { return __int_as_float(0x7f800000); }
};
template <>
struct Never<double> {
  static __device__ double value() { return __longlong_as_double(0x7ff0000000000000LL); }
};

template <class L>
__device__ __forceinline__ L never() {
  return Never<L>::value();
}

/// Memory that a host knows as an array of numbers.
template <class T, class Number>
__device__ __forceinline__ T* as(Number* array) {
  return reinterpret_cast<T*>(array);
}
template <class T, class Number>
__device__ __forceinline__ const T* as(const Number* array) {
  return reinterpret_cast<const T*>(array);
}

/// Reads memory that another thread may write at the same time.
template <class T>
__device__ __forceinline__ T load_relaxed(const T* place) {
  T value;
  __nv_atomic_load(const_cast<T*>(place), &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  return value;
}

/// Writes memory that another thread may read or write at the same time.
template <class T>
__device__ __forceinline__ void store_relaxed(T* place, T value) {
  __nv_atomic_store(place, &value, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

/// Lowers a label to the minimum of itself and `value`; returns what it was.
__device__ __forceinline__ i64 atomic_min(i64* place, i64 value) { return atomicMin(place, value); }
__device__ __forceinline__ int atomic_min(int* place, int value) { return atomicMin(place, value); }

// The bits of floats >= 0 order as signed integers, those of floats < 0 backwards as unsigned ones.
// A label is never -0: sums start at +0 and x + -x is +0.
__device__ __forceinline__ float atomic_min(float* place, float value) {
  return value >= 0
             ? __int_as_float(atomicMin(reinterpret_cast<int*>(place), __float_as_int(value)))
             : __uint_as_float(
                   atomicMax(reinterpret_cast<unsigned*>(place), __float_as_uint(value)));
}

__device__ __forceinline__ double atomic_min(double* place, double value) {
  return value >= 0
             ? __longlong_as_double(
                   atomicMin(reinterpret_cast<i64*>(place), __double_as_longlong(value)))
             : __longlong_as_double(static_cast<i64>(atomicMax(
                   reinterpret_cast<u64*>(place), static_cast<u64>(__double_as_longlong(value)))));
}

/// dist + weight in the label's own arithmetic. False when an integer sum does not fit: such an
/// edge lowers nothing, and the engine looks afterwards for vertices that were lost by it.
template <class W>
__device__ __forceinline__ bool extend(float dist, W weight, float& sum) {
  sum = dist + weight;
  return true;
}

template <class W>
__device__ __forceinline__ bool extend(double dist, W weight, double& sum) {
  sum = dist + weight;
  return true;
}

template <class W>
__device__ __forceinline__ bool extend(i64 dist, W weight, i64& sum) {
  const i64 w = weight;
  sum = static_cast<i64>(static_cast<u64>(dist) + static_cast<u64>(w));
  return ((dist ^ sum) & (w ^ sum)) >= 0 && sum != never<i64>();
}

/// Labels of 32 bits are chosen only where every sum fits them.
template <class W>
__device__ __forceinline__ bool extend(int dist, W weight, int& sum) {
  sum = dist + static_cast<int>(weight);
  return true;
}

/// What a traced kernel counts, edges that it reads among them; the places in the array of
/// counters.
enum Counter { kRelaxed = 0, kImproved = 1, kRead = 2, kSelected = 3, kCounters = 4 };

template <bool kTraced>
struct Counts {
  __device__ void relaxed() {}
  __device__ void improved() {}
  __device__ void read(unsigned = 1) {}
  __device__ void selected() {}
  __device__ void report(u64*) const {}
  __device__ void report_together(u64*) const {}
};

template <>
struct Counts<true> {
  unsigned count[kCounters] = {};
  __device__ void relaxed() { ++count[kRelaxed]; }
  __device__ void improved() { ++count[kImproved]; }
  __device__ void read(unsigned edges = 1) { count[kRead] += edges; }
  __device__ void selected() { ++count[kSelected]; }
  __device__ void report(u64* counters) const {
    for (int i = 0; i < kCounters; ++i)
      if (count[i] != 0) atomicAdd(counters + i, static_cast<u64>(count[i]));
  }
  /// The same with one atomic for a warp, all of whose threads call it.
  __device__ void report_together(u64* counters) const {
    for (int i = 0; i < kCounters; ++i) {
      unsigned sum = count[i];
      for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
      if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(counters + i, static_cast<u64>(sum));
    }
  }
};

}  // namespace warpath
