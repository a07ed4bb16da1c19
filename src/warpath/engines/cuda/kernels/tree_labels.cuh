// tree_labels.cuh - distances of pairs, and tables, from labels over an elimination tree.
//
// Work     a sum for each common ancestor of a pair; up to 32 depths for positions of one block.
// Traffic  two prefixes of labels a pair, 16 B a lane and step; 16 B for each end, and two least
//          depths. A table reads the labels of its columns once for kRowsOfLabels rows.
// Launch   any grid of whole warps.
// Shared   none.
// Races    none: each entry has one writer.
// Source   Ouyang, Qin, Chang, Lin, Zhang, Zhu 2018.
#pragma once

#include "table.cuh"

namespace warpath {

constexpr int kLanesOfPair = 8;
constexpr int kRowsOfLabels = 32;      // that a group of lanes computes for one column
constexpr int kPositionsOfBlock = 32;  // `_BLOCK` of tables/tree_labels.py
constexpr int kEntriesOfLine = 16;     // labels begin at multiples of it
constexpr int kNoDepth = 0xffff;       // larger than the depths that count

/// The place of a vertex in the tree, and what its block says about common ancestors.
struct alignas(16) TreePlace {
  int position;
  u32 line;  // where its label begins, in lines
  u16 depth;
  u16 before;  // the least depth of its block's positions up to its own
  u16 after;   // the least depth of those behind it; kNoDepth for the last one
  u16 unused;
};

template <class L>
struct TreeLabelsArgs {
  const u32* places;  // a TreePlace for each vertex
  const u16* depths;  // of each position
  const u16* least;   // in row r the least depths of 2^r blocks of positions, from each block on
  i64 blocks;         // entries of such a row
  const L* up;        // distances to ancestors
  const L* down;      // distances from ancestors
  const i64* sources;
  const i64* targets;  // of pairs, or of a table's columns; null for a column for each vertex
  i64 rows;            // pairs, or rows of a table
  i64 columns;
  L cutoff;  // labels above it count as not reached
  Out<L> out;
};

/// The number of common ancestors of two places, with themselves: the least depth of the positions
/// behind the first one up to the second one.
template <class L>
__device__ __forceinline__ int common_ancestors(const TreeLabelsArgs<L>& a, const TreePlace& x,
                                                const TreePlace& y) {
  if (x.position == y.position) return x.depth + 1;
  const bool ascending = x.position < y.position;
  const int from = ascending ? x.position : y.position, to = ascending ? y.position : x.position;
  const int begin = from / kPositionsOfBlock, end = to / kPositionsOfBlock;
  int least = kNoDepth;
  if (begin == end) {
    for (int at = from + 1; at <= to; ++at) least = min(least, static_cast<int>(a.depths[at]));
    return least;
  }
  least = min(static_cast<int>(ascending ? x.after : y.after),
              static_cast<int>(ascending ? y.before : x.before));
  if (const int between = end - begin - 1; between > 0) {
    const int row = 31 - __clz(between);
    const u16* const of_blocks = a.least + row * a.blocks;
    least = min(least, static_cast<int>(of_blocks[begin + 1]));
    least = min(least, static_cast<int>(of_blocks[end - (1 << row)]));
  }
  return least;
}

/// Lowers a label to the least sum of entries of two labels; only the first `count` count.
template <bool kAll, class L, int kLabels>
__device__ __forceinline__ void lower_to_sums(typename Bits<L>::Type& least,
                                              const LineLabels<L, kLabels>& some,
                                              const LineLabels<L, kLabels>& others, int count) {
  using U = typename Bits<L>::Type;
#pragma unroll
  for (int k = 0; k < kLabels; ++k) {
    const U sum = static_cast<U>(some.of[k]) + static_cast<U>(others.of[k]);
    if ((kAll || k < count) && sum < least) least = sum;
  }
}

/// A target's label as the lanes of a group read it: a lane keeps the first entries that it reads.
template <class L>
struct TargetLabel {
  static constexpr int kLabels = 16 / sizeof(L), kStep = kLanesOfPair * kLabels;
  static constexpr int kKept = 4;  // steps
  using Labels = LineLabels<L, kLabels>;
  using U = typename Bits<L>::Type;

  const L* mine;  // the lane's first entries
  Labels kept[kKept];

  /// `count` is the number of entries of the label.
  __device__ TargetLabel(const L* label, int count, int lane) : mine(label + lane * kLabels) {
#pragma unroll
    for (int step = 0; step < kKept; ++step)
      if (step * kStep + lane * kLabels < count) kept[step] = *as<Labels>(mine + step * kStep);
  }

  /// The least of the lane's sums with a source's label, of which the first `count` entries count.
  __device__ __forceinline__ U least_sum(const L* label, int count, int lane) const {
    U least = static_cast<U>(never<L>());
    const L* const others = label + lane * kLabels;
    int left = count - lane * kLabels;  // entries that count, from the lane's next one on
#pragma unroll
    for (int step = 0; step < kKept; ++step, left -= kStep)
      lower(least, others + step * kStep, kept[step], left);
    for (int at = kKept * kStep; left > 0; at += kStep, left -= kStep)
      lower(least, others + at, *as<Labels>(mine + at), left);
    return least;
  }

 private:
  __device__ __forceinline__ static void lower(U& least, const L* others, const Labels& some,
                                               int left) {
    if (left >= kLabels)
      lower_to_sums<true, L>(least, some, *as<Labels>(others), left);
    else if (left > 0)
      lower_to_sums<false, L>(least, some, *as<Labels>(others), left);
  }
};

/// The label of a distance: not reached where it is beyond the cutoff.
template <class L>
__device__ __forceinline__ L within(typename Bits<L>::Type least, L cutoff) {
  const L label = static_cast<L>(least);
  return label > cutoff ? never<L>() : label;
}

/// out[i] becomes the distance from sources[i] to targets[i].
template <int kBlock, class L>
__device__ __forceinline__ void tree_label_pairs(const TreeLabelsArgs<L>& a) {
  using U = typename Bits<L>::Type;
  constexpr int kGroups = kBlock / kLanesOfPair, kLabels = 16 / sizeof(L);
  using Labels = LineLabels<L, kLabels>;
  const int lane = threadIdx.x % kLanesOfPair, group = threadIdx.x / kLanesOfPair;
  for (i64 first = static_cast<i64>(blockIdx.x) * kGroups; first < a.rows;
       first += static_cast<i64>(gridDim.x) * kGroups) {
    const i64 pair = first + group;
    const bool has = pair < a.rows;
    U least = static_cast<U>(never<L>());
    if (has) {
      const TreePlace x = as<TreePlace>(a.places)[a.sources[pair]];
      const TreePlace y = as<TreePlace>(a.places)[a.targets[pair]];
      const int count = common_ancestors(a, x, y);
      const L* const from = a.up + static_cast<i64>(x.line) * kEntriesOfLine;
      const L* const to = a.down + static_cast<i64>(y.line) * kEntriesOfLine;
      for (int i = lane * kLabels; i < count; i += kLanesOfPair * kLabels)
        lower_to_sums<false, L>(least, *as<Labels>(from + i), *as<Labels>(to + i), count - i);
    }
#pragma unroll
    for (int step = kLanesOfPair / 2; step > 0; step /= 2) {
      const U other = __shfl_xor_sync(~0u, least, step);
      if (other < least) least = other;
    }
    if (has && lane == 0) a.out.put(pair, within(least, a.cutoff));
  }
}

/// The least label of each of eight rows over the lanes of a group: lane r returns that of row r.
/// In each step a lane gives away half of its rows.
template <class U>
__device__ __forceinline__ U least_of_rows(U (&least)[kLanesOfPair], int lane) {
#pragma unroll
  for (int step = kLanesOfPair / 2; step > 0; step /= 2) {
    const bool upper = (lane & step) != 0;
#pragma unroll
    for (int i = 0; i < step; ++i) {
      const U other = __shfl_xor_sync(~0u, upper ? least[i] : least[i + step], step);
      if (upper) least[i] = least[i + step];
      if (other < least[i]) least[i] = other;
    }
  }
  return least[0];
}

/// Fills a table with a row for each source. A group of lanes takes one column of some rows, and
/// reads the label of its target once. Each lane finds the common ancestors for a row of its own.
template <int kBlock, class L>
__device__ __forceinline__ void tree_label_table(const TreeLabelsArgs<L>& a) {
  using U = typename Bits<L>::Type;
  constexpr int kGroups = kBlock / kLanesOfPair;
  const int lane = threadIdx.x % kLanesOfPair, group = threadIdx.x / kLanesOfPair;
  const i64 bands = (a.rows + kRowsOfLabels - 1) / kRowsOfLabels;
  const i64 tiles = (a.columns + kGroups - 1) / kGroups * bands;
  for (i64 at = blockIdx.x; at < tiles; at += gridDim.x) {
    const i64 column = at / bands * kGroups + group, row = at % bands * kRowsOfLabels;
    const bool has = column < a.columns;
    TreePlace y{};
    if (has) y = as<TreePlace>(a.places)[a.targets == nullptr ? column : a.targets[column]];
    const TargetLabel<L> target(a.down + static_cast<i64>(y.line) * kEntriesOfLine,
                                has ? y.depth + 1 : 0, lane);
    const int rows = static_cast<int>(min(a.rows - row, i64{kRowsOfLabels}));
    for (int i = 0; i < rows; i += kLanesOfPair) {
      int count = 0;
      u32 line = 0;
      if (has && i + lane < rows) {
        const TreePlace x = as<TreePlace>(a.places)[a.sources[row + i + lane]];
        count = common_ancestors(a, x, y);
        line = x.line;
      }
      U least[kLanesOfPair];
#pragma unroll
      for (int r = 0; r < kLanesOfPair; ++r) {
        const int of_row = __shfl_sync(~0u, count, r, kLanesOfPair);
        const i64 label = __shfl_sync(~0u, line, r, kLanesOfPair);
        least[r] = target.least_sum(a.up + label * kEntriesOfLine, of_row, lane);
      }
      const L mine = within(least_of_rows(least, lane), a.cutoff);
      if (has && i + lane < rows) a.out.put((row + i + lane) * a.columns + column, mine);
    }
  }
}

}  // namespace warpath
