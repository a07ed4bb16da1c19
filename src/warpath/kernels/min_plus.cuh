// min_plus.cuh - a tile of labels in registers and the product of two others that lowers it.
//
// A thread has 8 x 8 labels of the block's tile: rows in two groups of 4, columns in groups of 16
// bytes, so that the lanes of a warp, 4 down and 8 across, read neighbouring words. Labels of 16
// bits lie two in a word; what they are added to is then held twice in a word.
#pragma once

#include "base.cuh"

namespace warpath {

/// What no path reaches, inside a solve: the sum of two of them still fits.
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

/// What a register of labels is, and how many it holds.
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

/// min(c, a + b). Labels are >= 0, where the bits of floats order as integers do: Hopper has the
/// least of three for integers only, which makes two sums of floats cost three instructions.
__device__ __forceinline__ int lowered(int c, int a, int b) { return __viaddmin_s32(a, b, c); }
__device__ __forceinline__ unsigned lowered(unsigned c, unsigned a, unsigned b) {
  return __viaddmin_s16x2(a, b, c);
}
__device__ __forceinline__ float lowered(float c, float a, float b) { return min(c, a + b); }
__device__ __forceinline__ i64 lowered(i64 c, i64 a, i64 b) { return min(c, a + b); }
__device__ __forceinline__ double lowered(double c, double a, double b) {
  const double sum = a + b;
  return sum < c ? sum : c;
}

/// a + b on the pipe of products, beside that of minima; the factor is 1, which the compiler would
/// not leave there if it knew.
__device__ __forceinline__ unsigned sum_beside(unsigned a, unsigned b) { return a * gridDim.z + b; }

/// min(c, a0 + b0, a1 + b1); kOther takes the way that leaves the pipe of minima free for others.
template <bool kOther, class W>
__device__ __forceinline__ W lowered_twice(W c, W a0, W b0, W a1, W b1) {
  return lowered(lowered(c, a0, b0), a1, b1);
}
template <bool kOther>
__device__ __forceinline__ float lowered_twice(float c, float a0, float b0, float a1, float b1) {
  return __int_as_float(
      __vimin3_s32(__float_as_int(c), __float_as_int(a0 + b0), __float_as_int(a1 + b1)));
}
template <bool kOther>
__device__ __forceinline__ int lowered_twice(int c, int a0, int b0, int a1, int b1) {
  if constexpr (kOther)
    return __vimin3_s32(c, static_cast<int>(sum_beside(a0, b0)),
                        static_cast<int>(sum_beside(a1, b1)));
  return lowered(lowered(c, a0, b0), a1, b1);
}
template <bool kOther>
__device__ __forceinline__ unsigned lowered_twice(unsigned c, unsigned a0, unsigned b0, unsigned a1,
                                                  unsigned b1) {
  // No half carries into the other: labels of 16 bits are below 2^14.
  if constexpr (kOther) return __vimin3_s16x2(c, sum_beside(a0, b0), sum_beside(a1, b1));
  return lowered(lowered(c, a0, b0), a1, b1);
}

/// Copies bytes to shared memory while the thread goes on; `arrived` waits for its own copies.
template <int kBytes>
__device__ __forceinline__ void copy_ahead(void* to, const void* from) {
#ifdef WARPATH_EMULATED
  __builtin_memcpy(to, from, kBytes);
#else
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(kBytes)
               : "memory");
#endif
}
__device__ __forceinline__ void arrived() {
#ifndef WARPATH_EMULATED
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Returns a pointer that the compiler computes anew: registers hold labels, not addresses.
template <class T>
__device__ __forceinline__ T* anew(T* pointer) {
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

/// The shape of a tile, and which part of it a thread has.
template <class L, int kBlock>
struct Tile {
  static_assert(kBlock == 64 || kBlock == 256, "8 x 8 labels a thread make a square");
  static constexpr int kSide = kBlock == 256 ? 128 : 64;
  static constexpr int kSlice = sizeof(L) == 8 ? 8 : 16;        // of the product's depth, staged
  static constexpr int kGroup = sizeof(L) == 2 ? 8 : 4;         // neighbouring columns
  static constexpr int kWords = 8 / Packed<L>::kLabels;         // in a row of a thread
  static constexpr int kInGroup = kGroup / Packed<L>::kLabels;  // words
  static constexpr int kPitch = kSide + 16 / sizeof(Word<L>);   // of the staged columns of a
  static constexpr int kSharedA = 2 * kSlice * kPitch * sizeof(Word<L>) / 16;
  static constexpr int kSharedB = 2 * kSlice * kSide * sizeof(L) / 16;
  using Labels = Word<L>[8][kWords];

  static __device__ int down() { return threadIdx.x % 32 / 8; }
  static __device__ int across() { return threadIdx.x % 8; }
  static __device__ int band() { return threadIdx.x / 32 % (kSide / 32); }
  static __device__ int strip() { return threadIdx.x / 32 / (kSide / 32); }
  static __device__ int row(int i) { return band() * 32 + i / 4 * 16 + down() * 4 + i % 4; }
  static __device__ int column(int group) { return strip() * 64 + group * 32 + across() * kGroup; }

  static __device__ __forceinline__ void load(Labels& c, const L* tile, i64 pitch) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int g = 0; g < 8 / kGroup; ++g)
        copy<kGroup * sizeof(L)>(&c[i][g * kInGroup], tile + row(i) * pitch + column(g));
  }
  static __device__ __forceinline__ void store(const Labels& c, L* tile, i64 pitch) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int g = 0; g < 8 / kGroup; ++g)
        copy<kGroup * sizeof(L)>(tile + row(i) * pitch + column(g), &c[i][g * kInGroup]);
  }
};

/// Shared memory for slices of two tiles, two of each.
template <class L, int kBlock>
struct Staged {
  using T = Tile<L, kBlock>;
  Word<L>* a;  // 2 x kSlice x kPitch: by columns
  L* b;        // 2 x kSlice x kSide: by rows

  __device__ Staged(Sixteen* shared_a, Sixteen* shared_b)
      : a(reinterpret_cast<Word<L>*>(shared_a)), b(reinterpret_cast<L*>(shared_b)) {}
  __device__ Word<L>* a_slice(int slice) const { return a + slice % 2 * T::kSlice * T::kPitch; }
  __device__ L* b_slice(int slice) const { return b + slice % 2 * T::kSlice * T::kSide; }

  /// Begins to bring in a slice of b, and of a where its labels need no change.
  __device__ __forceinline__ void fetch(int slice, const L* from_a, i64 pitch_a, const L* from_b,
                                        i64 pitch_b) const {
    constexpr int kPiece = 16 / sizeof(L), kPieces = T::kSide / kPiece;
#pragma unroll
    for (int i = 0; i < T::kSlice * kPieces / kBlock; ++i) {
      const int k = threadIdx.x / kPieces + i * (kBlock / kPieces);
      const int at = threadIdx.x % kPieces * kPiece;
      copy_ahead<16>(b_slice(slice) + k * T::kSide + at,
                     from_b + (slice * T::kSlice + k) * pitch_b + at);
    }
    if constexpr (sizeof(L) > 2) {
#pragma unroll
      for (int j = 0; j < T::kSlice / 8; ++j)
#pragma unroll
        for (int i = 0; i < T::kSide * 8 / kBlock; ++i) {
          const int k = j * 8 + threadIdx.x % 8, row = threadIdx.x / 8 + i * (kBlock / 8);
          copy_ahead<sizeof(L)>(a_slice(slice) + k * T::kPitch + row,
                                from_a + row * pitch_a + slice * T::kSlice + k);
        }
    }
  }
};

/// Lowers c by the product of a, kSide rows, and b, kSide columns; all threads of the block.
template <class L, int kBlock>
__device__ __forceinline__ void lower_by_product(typename Tile<L, kBlock>::Labels& c, const L* a,
                                                 i64 pitch_a, const L* b, i64 pitch_b, int depth,
                                                 const Staged<L, kBlock>& staged) {
  using T = Tile<L, kBlock>;
  // Labels of 16 bits go through registers, where they are doubled: a thread takes 8 of a row.
  constexpr bool kDoubled = sizeof(L) == 2;
  constexpr int kHeld = kDoubled ? T::kSide * 2 / kBlock : 1;
  const int half = threadIdx.x % 2 * 8, owned = threadIdx.x / 2;
  Sixteen held[kHeld];
  const auto hold = [&](int slice) {
    if constexpr (kDoubled)
#pragma unroll
      for (int r = 0; r < kHeld; ++r)
        copy<16>(held + r, a + (owned + r * (kBlock / 2)) * pitch_a + slice * T::kSlice + half);
  };
  const auto unpack = [&](int slice) {
    if constexpr (kDoubled)
#pragma unroll
      for (int i = 0; i < 8 * kHeld; ++i)
        staged.a_slice(slice)[(half + i % 8) * T::kPitch + owned + i / 8 * (kBlock / 2)] =
            twice(static_cast<short>(held[i / 8].part[i % 8 / 2] >> i % 2 * 16));
  };
  hold(0);
  staged.fetch(0, a, pitch_a, b, pitch_b);
  unpack(0);
  const int slices = depth / T::kSlice;
  for (int slice = 0; slice < slices; ++slice) {
    arrived();
    __syncthreads();
    const bool more = slice + 1 < slices;
    if (more) {
      hold(slice + 1);
      staged.fetch(slice + 1, a, pitch_a, b, pitch_b);
    }
    const Word<L>* as = staged.a_slice(slice);
    const L* bs = staged.b_slice(slice);
#pragma unroll 1
    for (int k = 0; k < T::kSlice; k += 2) {
      alignas(16) Word<L> x[2][8], y[2][T::kWords];
#pragma unroll
      for (int s = 0; s < 2; ++s) {
#pragma unroll
        for (int i = 0; i < 8; i += 4)
          copy<4 * sizeof(Word<L>)>(&x[s][i], as + (k + s) * T::kPitch + T::row(i));
#pragma unroll
        for (int g = 0; g < 8 / T::kGroup; ++g)
          copy<T::kGroup * sizeof(L)>(&y[s][g * T::kInGroup],
                                      bs + (k + s) * T::kSide + T::column(g));
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < T::kWords; ++j)
          c[i][j] = (i * T::kWords + j) % 3 != 0
                        ? lowered_twice<true>(c[i][j], x[0][i], y[0][j], x[1][i], y[1][j])
                        : lowered_twice<false>(c[i][j], x[0][i], y[0][j], x[1][i], y[1][j]);
    }
    if (more) unpack(slice + 1);
  }
}

}  // namespace warpath
