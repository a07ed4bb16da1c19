// min_plus.cuh - unreachable labels, packed sums and minima, asynchronous and 16-byte copies.
//
// Two labels of 16 bits share a word; an operand added to both is stored twice in a word.
#pragma once

#include "base.cuh"

namespace warpath {

/// The label of an unreachable pair within a solve: the sum of two such labels fits the type.
template <class L>
struct Far {
  static __device__ L value() { return Never<L>::value(); }
};
template <>
struct Far<short> {
  static __device__ short value() { return 0x3fff; }
};
template <>
struct Far<int> {
  static __device__ int value() { return 0x3fffffff; }
};
template <>
struct Far<i64> {
  static __device__ i64 value() { return 0x3fffffffffffffffLL; }
};

/// The type of a register of labels, and how many labels it holds.
template <class L>
struct Packed {
  using Word = L;
  static constexpr int kLabels = 1;
};
template <>
struct Packed<short> {
  using Word = unsigned;
  static constexpr int kLabels = 2;
};
template <class L>
using Word = typename Packed<L>::Word;

__device__ __forceinline__ unsigned twice(short label) {
  return static_cast<unsigned short>(label) * 0x10001u;
}
template <class L>
__device__ __forceinline__ L twice(L label) {
  return label;
}

/// min(c, a + b). Labels are >= 0, so the bits of floats order like integers. Hopper has a minimum
/// of three operands for integers only; with it two sums of floats take three instructions.
__device__ __forceinline__ int lowered(int c, int a, int b) { return __viaddmin_s32(a, b, c); }
__device__ __forceinline__ unsigned lowered(unsigned c, unsigned a, unsigned b) {
  return __viaddmin_s16x2(a, b, c);
}
__device__ __forceinline__ float lowered(float c, float a, float b) { return min(c, a + b); }
template <class L>
__device__ __forceinline__ L lowered(L c, L a, L b) {  // of 64 bits
  const L sum = a + b;
  return sum < c ? sum : c;
}

/// a + b by a multiply-add, whose pipe is separate from that of minima. The factor is always 1; the
/// compiler does not know this, or it would replace the multiply-add by an addition.
__device__ __forceinline__ unsigned sum_by_product(unsigned a, unsigned b) {
  return a * gridDim.z + b;
}

/// min(c, a0 + b0, a1 + b1). kOther selects sums by multiply-add, which leave the pipe of minima
/// free.
template <bool kOther>
__device__ __forceinline__ float lowered_twice(float c, float a0, float b0, float a1, float b1) {
  return __int_as_float(
      __vimin3_s32(__float_as_int(c), __float_as_int(a0 + b0), __float_as_int(a1 + b1)));
}
template <bool kOther>
__device__ __forceinline__ int lowered_twice(int c, int a0, int b0, int a1, int b1) {
  if constexpr (kOther)
    return __vimin3_s32(c, static_cast<int>(sum_by_product(a0, b0)),
                        static_cast<int>(sum_by_product(a1, b1)));
  return lowered(lowered(c, a0, b0), a1, b1);
}
template <bool kOther>
__device__ __forceinline__ unsigned lowered_twice(unsigned c, unsigned a0, unsigned b0, unsigned a1,
                                                  unsigned b1) {
  // No half carries into the other: labels of 16 bits are below 2^14.
  if constexpr (kOther) return __vimin3_s16x2(c, sum_by_product(a0, b0), sum_by_product(a1, b1));
  return lowered(lowered(c, a0, b0), a1, b1);
}

/// Copies bytes to shared memory asynchronously; `wait_for_copies` waits for the thread's own
/// copies.
template <int kBytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
#ifdef WARPATH_EMULATED
  __builtin_memcpy(to, from, kBytes);
#else
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(kBytes)
               : "memory");
#endif
}
__device__ __forceinline__ void wait_for_copies() {
#ifndef WARPATH_EMULATED
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Returns the same number, opaque to the compiler: values computed from it are recomputed instead
/// of being kept in registers.
__device__ __forceinline__ unsigned opaque(unsigned number) {
#ifndef WARPATH_EMULATED
  asm volatile("" : "+r"(number));
#endif
  return number;
}
__device__ __forceinline__ unsigned opaque_thread_index() { return opaque(threadIdx.x); }

/// Returns the same pointer, opaque to the compiler.
template <class T>
__device__ __forceinline__ T* opaque(T* pointer) {
#ifndef WARPATH_EMULATED
  asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

/// Reads and writes of 16 bytes at once.
struct alignas(16) Sixteen {
  unsigned part[4];
};
template <int kBytes>
__device__ __forceinline__ void copy(void* to, const void* from) {
  for (int i = 0; i < kBytes / 16; ++i)
    static_cast<Sixteen*>(to)[i] = static_cast<const Sixteen*>(from)[i];
}

}  // namespace warpath
