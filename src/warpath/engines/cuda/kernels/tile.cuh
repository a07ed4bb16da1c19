// tile.cuh - a tile of labels in registers, lowered by the min-plus product of two tiles.
//
// A thread has 8 x 8 labels of the block's tile: rows in two groups of 4, columns in groups of 16
// bytes, so that the lanes of a warp, 4 down and 8 across, read neighbouring words.
#pragma once

#include "min_plus.cuh"

namespace warpath {

/// Unrolled iterations of the product's loop: as many as spill no register.
template <class L>
constexpr int kUnrolled = sizeof(L) == 8 ? 1 : 8;
template <>
constexpr int kUnrolled<int> = 2;

/// The shape of a tile and the part of it that each thread has.
template <class L, int kBlock>
struct Tile {
  static_assert(kBlock == 64 || kBlock == 256, "8 x 8 labels a thread make a square");
  static constexpr int kSide = kBlock == 256 ? 128 : 64;
  static constexpr int kSlice = sizeof(L) == 8 ? 8 : 16;        // staged steps of the product
  static constexpr int kGroup = sizeof(L) == 2 ? 8 : 4;         // neighbouring columns
  static constexpr int kWords = 8 / Packed<L>::kLabels;         // in a row of a thread
  static constexpr int kInGroup = kGroup / Packed<L>::kLabels;  // words
  static constexpr int kPitch = kSide + 16 / sizeof(Word<L>);   // of the staged columns of a
  static constexpr int kSharedA = 2 * kSlice * kPitch * sizeof(Word<L>) / 16;
  static constexpr int kSharedB = 2 * kSlice * kSide * sizeof(L) / 16;
  static constexpr int kAtOnce = sizeof(L) == 8 ? 2 : 4;    // rows
  static constexpr int kTogether = sizeof(L) == 8 ? 1 : 2;  // steps of the product
  // Two steps are interleaved in the slices, the even one first in a, the odd one first in b: two
  // labels to be summed are then in an even and an odd register, which are read in one cycle.
  static constexpr bool kPaired = sizeof(L) == 4;
  using Labels = Word<L>[8][kWords];

  // Where a thread's rows and columns begin. Recomputed at each use, because labels fill the
  // registers.
  static __device__ int band(unsigned thread) { return thread / 32 % (kSide / 32); }
  static __device__ int strip(unsigned thread) { return thread / 32 / (kSide / 32); }
  static __device__ int down(unsigned thread) { return thread % 32 / 8; }
  static __device__ int across(unsigned thread) { return thread % 8; }
  static __device__ int rows(unsigned thread) { return band(thread) * 32 + down(thread) * 4; }
  static __device__ int columns(unsigned thread) {
    return strip(thread) * 64 + across(thread) * kGroup;
  }
  static constexpr __device__ int below(int i) { return i / 4 * 16 + i % 4; }

  /// The place of a column in a row of b's slices, or in two interleaved rows: then the lanes of a
  /// warp read two columns each, then the next two.
  static __device__ int place(int column) {
    if constexpr (!kPaired) return column;
    return column / 32 * 64 + column % 4 / 2 * 32 + column % 32 / 4 * 4 + column % 2 * 2;
  }

  static __device__ __forceinline__ void load(Labels& c, const L* tile, i64 pitch) {
    const unsigned thread = opaque_thread_index();
    const L* const corner = tile + rows(thread) * pitch + columns(thread);
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int g = 0; g < 8 / kGroup; ++g)
        copy<kGroup * sizeof(L)>(&c[i][g * kInGroup], corner + below(i) * pitch + g * 32);
  }
  static __device__ __forceinline__ void store(const Labels& c, L* tile, i64 pitch) {
    const unsigned thread = opaque_thread_index();
    L* const corner = tile + rows(thread) * pitch + columns(thread);
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int g = 0; g < 8 / kGroup; ++g)
        copy<kGroup * sizeof(L)>(corner + below(i) * pitch + g * 32, &c[i][g * kInGroup]);
  }

  /// Reads the labels of `kTogether` steps from slices; `in_x` and `in_y` give the places of a
  /// step.
  static __device__ __forceinline__ void read_a(Word<L>* x, const Word<L>* step, int row) {
    if constexpr (kPaired) return copy<2 * kAtOnce * sizeof(L)>(x, step + 2 * row);
#pragma unroll
    for (int s = 0; s < kTogether; ++s)
      copy<kAtOnce * sizeof(Word<L>)>(x + s * kAtOnce, step + s * kPitch + row);
  }
  static __device__ __forceinline__ void read_b(Word<L>* y, const L* step) {
    if constexpr (kPaired) {
#pragma unroll
      for (int two = 0; two < kWords / 2; ++two) copy<4 * sizeof(L)>(y + 4 * two, step + two * 32);
    } else {
#pragma unroll
      for (int s = 0; s < kTogether; ++s)
#pragma unroll
        for (int g = 0; g < 8 / kGroup; ++g)
          copy<kGroup * sizeof(L)>(y + s * kWords + g * kInGroup, step + s * kSide + g * 32);
    }
  }
  static constexpr __device__ int in_x(int s, int i) {
    return kPaired ? 2 * i + s : s * kAtOnce + i;
  }
  static constexpr __device__ int in_y(int s, int j) {
    return kPaired ? 2 * j + 1 - s : s * kWords + j;
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
};

/// A thread's copies into successive slices: 16 bytes of some rows of b; of some rows of a single
/// labels, or 8 labels of 16 bits, which are doubled. If steps are paired, single labels of b and
/// two of a.
template <class L, int kBlock>
struct Fetch {
  using T = Tile<L, kBlock>;
  static constexpr bool kDoubled = sizeof(L) == 2;
  static constexpr int kWide = kDoubled ? 8 : T::kPaired ? 2 : 1;  // labels of a row of a at a time
  static constexpr int kAcross = kWide == 1 ? 8 : T::kSlice / kWide;
  static constexpr int kRows = kBlock / kAcross, kTimes = T::kSide / kRows;
  static constexpr int kPiece = T::kPaired ? 1 : 16 / sizeof(L), kPieces = T::kSide / kPiece;
  static constexpr int kRowsB = kBlock / kPieces;
  const L* a;
  const L* b;
  Sixteen held[kDoubled ? kTimes : 1];

  __device__ Fetch(const L* from_a, i64 pitch_a, const L* from_b, i64 pitch_b) {
    const unsigned thread = opaque_thread_index();
    a = from_a + row(thread) * pitch_a + k(thread);
    b = from_b + thread / kPieces * pitch_b + thread % kPieces * kPiece;
  }
  static __device__ unsigned row(unsigned thread) { return thread / kAcross; }
  static __device__ unsigned k(unsigned thread) { return thread % kAcross * kWide; }

  /// Starts the copies of the next slice; `finish` writes the labels that were kept in registers.
  __device__ __forceinline__ void begin(Word<L>* to_a, i64 pitch_a, L* to_b, i64 pitch_b) {
    const unsigned thread = opaque_thread_index();
    if constexpr (T::kPaired)
      to_b += T::place(thread % T::kSide) + 1 - thread / T::kSide;
    else
      to_b += thread / kPieces * T::kSide + thread % kPieces * kPiece;
#pragma unroll
    for (int j = 0; j < T::kSlice; j += kRowsB, b += kRowsB * pitch_b)
      copy_async<kPiece * sizeof(L)>(
          to_b + (T::kPaired ? j / 2 * 2 * T::kSide - j % 2 : j * T::kSide), b);
    to_a += k(thread) * T::kPitch + row(thread) * (T::kPaired ? 2 : 1);
    const L* from = a;
#pragma unroll
    for (int i = 0; i < kTimes; ++i, from += kRows * pitch_a)
      if constexpr (kDoubled) {
        copy<16>(held + i, from);
      } else if constexpr (T::kPaired) {
        copy_async<2 * sizeof(L)>(to_a + i * 2 * kRows, from);
      } else {
#pragma unroll
        for (int j = 0; j < T::kSlice; j += kAcross)
          copy_async<sizeof(L)>(to_a + j * T::kPitch + i * kRows, from + j);
      }
    a += T::kSlice;
  }
  __device__ __forceinline__ void finish(Word<L>* to_a) const {
    if constexpr (kDoubled)
#pragma unroll
      for (int i = 0; i < kTimes; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          to_a[(k(threadIdx.x) + j) * T::kPitch + row(threadIdx.x) + i * kRows] =
              twice(static_cast<short>(held[i].part[j / 2] >> j % 2 * 16));
  }
};

/// Lowers c by the product of a, kSide rows, and b, kSide columns; all threads of the block call
/// it.
template <class L, int kBlock>
__device__ __forceinline__ void lower_by_product(typename Tile<L, kBlock>::Labels& c, const L* a,
                                                 i64 pitch_a, const L* b, i64 pitch_b, int depth,
                                                 const Staged<L, kBlock>& staged) {
  using T = Tile<L, kBlock>;
  Fetch<L, kBlock> fetch(a, pitch_a, b, pitch_b);
  fetch.begin(staged.a, pitch_a, staged.b, pitch_b);
  fetch.finish(staged.a);
  const int slices = depth / T::kSlice;
  for (int slice = 0; slice < slices; ++slice) {
    wait_for_copies();
    __syncthreads();
    const bool more = slice + 1 < slices;
    if (more) fetch.begin(staged.a_slice(slice + 1), pitch_a, staged.b_slice(slice + 1), pitch_b);
    const unsigned thread = opaque_thread_index();
    const Word<L>* const as = staged.a_slice(slice) + T::rows(thread) * (T::kPaired ? 2 : 1);
    const L* const bs = staged.b_slice(slice) + T::place(T::columns(thread));
#pragma unroll kUnrolled < L>
    for (int k = 0; k < T::kSlice; k += T::kTogether) {
      alignas(16) Word<L> x[T::kTogether * T::kAtOnce], y[T::kTogether * T::kWords];
      T::read_b(y, bs + k * T::kSide);
#pragma unroll
      for (int part = 0; part < 8; part += T::kAtOnce) {
        T::read_a(x, as + k * T::kPitch, T::below(part));
#pragma unroll
        for (int i = 0; i < T::kAtOnce; ++i)
#pragma unroll
          for (int j = 0; j < T::kWords; ++j) {
            Word<L>& label = c[part + i][j];
            const Word<L> x0 = x[T::in_x(0, i)], y0 = y[T::in_y(0, j)];
            if constexpr (T::kTogether == 1)
              label = lowered(label, x0, y0);
            else if (j % 2 != 0)
              label = lowered_twice<true>(label, x0, y0, x[T::in_x(1, i)], y[T::in_y(1, j)]);
            else
              label = lowered_twice<false>(label, x0, y0, x[T::in_x(1, i)], y[T::in_y(1, j)]);
          }
      }
    }
    if (more) fetch.finish(staged.a_slice(slice + 1));
  }
}

}  // namespace warpath
