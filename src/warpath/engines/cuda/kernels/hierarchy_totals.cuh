// hierarchy_totals.cuh - totals of the distances from each source, from the lines of a sweep.
//
// Work     hierarchy_totals: each label once; hierarchy_totals_join: four numbers of each block and
//          source.
// Traffic  a line of each place read once, 16 B a lane; per block four numbers of each source
//          written, and read once by hierarchy_totals_join.
// Launch   any grid of whole warps; hierarchy_totals_join: a block for each 8 sources.
// Shared   hierarchy_totals: up to four numbers a thread, one kind of total at a time;
//          hierarchy_totals_join: four numbers a thread.
// Races    none: each entry has one writer.
// Source   Delling, Goldberg, Nowatzyk, Werneck 2011, on the use of PHAST for centralities.
#pragma once

#include "table.cuh"

namespace warpath {

constexpr int kSourcesAtOnce = 8;  // whose totals a block joins; a line's width is a multiple

/// The type in which labels of L are summed.
template <class L>
struct Summed {
  using Type = i64;
};
template <>
struct Summed<float> {
  using Type = double;
};
template <>
struct Summed<double> {
  using Type = double;
};

/// 1 / label in double precision, up to its last bit: an estimate in single precision, whose range
/// covers integers, refined by two steps. A division of doubles takes three times as long.
template <class L>
__device__ __forceinline__ double inverse_of(L label) {
  const double exact = static_cast<double>(label);
  if constexpr (L(0.5) != L(0)) return 1 / exact;
  double inverse = 1 / static_cast<float>(label);
  inverse *= 2 - exact * inverse;
  return inverse * (2 - exact * inverse);
}

template <class L>
struct HierarchyTotalsArgs {
  i64 places;
  int width;         // labels of a line
  const int* times;  // how often each place counts; null where each counts once
  const L* labels;
  L cutoff;  // labels above it do not count
  // Totals of each block: width entries, over the labels that are reached.
  typename Summed<L>::Type* sums;
  double* inverses;  // sums of 1 / label, labels of 0 left out
  L* largest;        // 0 where nothing is reached
  i64* counts;
};

struct Added {
  template <class T>
  __device__ __forceinline__ T operator()(T x, T y) const {
    return x + y;
  }
};
struct Larger {
  template <class T>
  __device__ __forceinline__ T operator()(T x, T y) const {
    return y > x ? y : x;
  }
};

/// Joins values of the warps of a block, in a fixed order for sums of floats, and writes them.
template <int kLabels, int kBlock, class T, class Join>
__device__ __forceinline__ void join_warps(T (&mine)[kLabels], T* shared, T* out, Join join) {
#pragma unroll
  for (int i = 0; i < kLabels; ++i) shared[threadIdx.x * kLabels + i] = mine[i];
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int w = 1; w < kBlock / 32; ++w) {
#pragma unroll
      for (int i = 0; i < kLabels; ++i)
        mine[i] = join(mine[i], shared[(w * 32 + threadIdx.x) * kLabels + i]);
    }
#pragma unroll
    for (int i = 0; i < kLabels; ++i) out[threadIdx.x * kLabels + i] = mine[i];
  }
  __syncthreads();
}

/// Adds up the labels of 32 * kLabels sources of each line, from the source `first` on. A lane has
/// kLabels of them, and loads those of kAtOnce places at a time. kOnce: each place counts once.
template <bool kInverses, bool kOnce, int kLabels, int kAtOnce, int kBlock, class L>
__device__ __forceinline__ void add_labels(const HierarchyTotalsArgs<L>& a, int first,
                                           void* shared) {
  using Sum = typename Summed<L>::Type;
  using Labels = LineLabels<L, kLabels>;
  constexpr int kWarps = kBlock / 32;
  Sum sum[kLabels] = {};
  double inverse[kLabels] = {};
  L most[kLabels] = {};
  i64 count[kLabels] = {};
  const L* const labels = a.labels + first + threadIdx.x % 32 * kLabels;
  const i64 step = static_cast<i64>(gridDim.x) * kWarps;
  for (i64 base = static_cast<i64>(blockIdx.x) * kWarps + threadIdx.x / 32; base < a.places;
       base += step * kAtOnce) {
    Labels label[kAtOnce];
    int times[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const i64 place = base + k * step;
      times[k] = place >= a.places ? 0 : kOnce ? 1 : a.times[place];
      if (times[k] != 0) label[k] = *as<Labels>(labels + place * a.width);
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (times[k] == 0) continue;
#pragma unroll
      for (int i = 0; i < kLabels; ++i) {
        const L one = label[k].of[i];
        if (one == never<L>() || one > a.cutoff) continue;
        if (one > most[i]) most[i] = one;
        sum[i] += kOnce ? static_cast<Sum>(one) : static_cast<Sum>(one) * times[k];
        count[i] += kOnce ? 1 : times[k];
        if (kInverses && one != L{}) inverse[i] += (kOnce ? 1 : times[k]) * inverse_of(one);
      }
    }
  }
  const i64 at = static_cast<i64>(blockIdx.x) * a.width + first;
  join_warps<kLabels, kBlock>(sum, static_cast<Sum*>(shared), a.sums + at, Added());
  if (kInverses)
    join_warps<kLabels, kBlock>(inverse, static_cast<double*>(shared), a.inverses + at, Added());
  join_warps<kLabels, kBlock>(most, static_cast<L*>(shared), a.largest + at, Larger());
  join_warps<kLabels, kBlock>(count, static_cast<i64*>(shared), a.counts + at, Added());
}

template <bool kInverses, bool kOnce, int kBlock, class L>
__device__ __forceinline__ void add_lines(const HierarchyTotalsArgs<L>& a, void* shared) {
  constexpr int kLabels = 16 / sizeof(L);
  if (a.width < 32 * kLabels) {
    for (int first = 0; first < a.width; first += 32)
      add_labels<kInverses, kOnce, 1, 8, kBlock>(a, first, shared);
  } else {
    for (int first = 0; first < a.width; first += 32 * kLabels)
      add_labels<kInverses, kOnce, kLabels, 4, kBlock>(a, first, shared);
  }
}

/// Adds up the labels of each source. Each warp takes its own places.
template <bool kInverses, int kBlock, class L>
__device__ __forceinline__ void hierarchy_totals(const HierarchyTotalsArgs<L>& a) {
  WARPATH_SHARED(i64, shared, kBlock * 16 / sizeof(L));
  if (a.times == nullptr)
    add_lines<kInverses, true, kBlock>(a, shared);
  else
    add_lines<kInverses, false, kBlock>(a, shared);
}

template <class L>
struct HierarchyJoinArgs {
  int blocks;  // of hierarchy_totals
  int width;   // labels of a line
  int count;   // sources, the first lanes of a line
  const typename Summed<L>::Type* sums;
  const double* inverses;
  const L* largest;
  const i64* counts;
  // Totals of each source; null for those that are not requested.
  typename Summed<L>::Type* sum;
  double* inverse;
  L* most;
  i64* reached;
};

/// Joins one kind of totals of all blocks, in an order that only the shape of the launch decides.
template <int kBlock, class T, class Join>
__device__ __forceinline__ void join_blocks(const T* parts, T* total, int blocks, int width,
                                            int count, T* shared, Join join) {
  constexpr int kAtOnce = 8, kRows = kBlock / kSourcesAtOnce;
  if (total == nullptr) return;
  const int lane = threadIdx.x % kSourcesAtOnce, row = threadIdx.x / kSourcesAtOnce;
  const int source = blockIdx.x * kSourcesAtOnce + lane;
  T mine{};
  for (int base = row; base < blocks; base += kRows * kAtOnce) {
    T part[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int block = base + k * kRows;
      part[k] = block < blocks ? parts[static_cast<i64>(block) * width + source] : T{};
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) mine = join(mine, part[k]);
  }
  shared[threadIdx.x] = mine;
  __syncthreads();
  if (row == 0 && source < count) {
    for (int r = 1; r < kRows; ++r) mine = join(mine, shared[r * kSourcesAtOnce + lane]);
    total[source] = mine;
  }
  __syncthreads();
}

/// Joins the totals of the blocks of hierarchy_totals. A block joins those of kSourcesAtOnce
/// sources.
template <int kBlock, class L>
__device__ __forceinline__ void hierarchy_totals_join(const HierarchyJoinArgs<L>& a) {
  using Sum = typename Summed<L>::Type;
  WARPATH_SHARED(Sum, sums, kBlock);
  WARPATH_SHARED(double, inverses, kBlock);
  WARPATH_SHARED(L, largest, kBlock);
  WARPATH_SHARED(i64, counts, kBlock);
  join_blocks<kBlock>(a.sums, a.sum, a.blocks, a.width, a.count, sums, Added());
  join_blocks<kBlock>(a.inverses, a.inverse, a.blocks, a.width, a.count, inverses, Added());
  join_blocks<kBlock>(a.largest, a.most, a.blocks, a.width, a.count, largest, Larger());
  join_blocks<kBlock>(a.counts, a.reached, a.blocks, a.width, a.count, counts, Added());
}

}  // namespace warpath
