// hierarchy_top.cuh - the start of a sweep: labels of upward searches, and labels of the top.
//
// Work     an addition and a minimum for each pair of places of the top and source.
// Traffic  the top's matrix from L2 once per 32 sources; a line of each place reached.
// Shared   two tiles of the product of the top's matrix and its labels.
// Races    see hierarchy_sweep.cuh, whose kernel this is a part of.
#pragma once

#include "grid.cuh"
#include "table.cuh"

namespace warpath {

template <class W, class L>
struct HierarchySweepArgs {
  int levels;
  const i64* level_first;  // levels + 1: the first place of each level
  const i64* first;        // places + 1: the first arc into each place of the levels
  const int* heads;        // of each arc, the place that it comes from
  const W* weights;
  int width;                // labels of a line: 32, 64, or a multiple of 128
  int top;                  // places of the top: a multiple of kTopRows
  const L* top_matrix;      // top * top: at t * top + r, the distance from r to t
  const u32* reached;       // the number of labels of the upward searches from all sources
  const int* reached_from;  // the places of these labels
  const u16* lanes;         // the numbers of the sources of these labels
  const L* reached_labels;
  const int* lost;  // whether labels are missing: nothing is swept then
  u32 sweep;        // the number of this sweep
  u32* touched;     // of each place: the last sweep whose upward search reached it
  L* top_labels;    // top * width: labels of upward searches
  L* labels;        // a line of each place
  u32* arrived;
};

constexpr int kTopRows = 32;   // rows of the top's matrix that a block takes
constexpr int kTopDepth = 32;  // columns at a time

/// Writes the labels of upward searches into the lines of the places that they reached.
template <int kBlock, class W, class L>
__device__ __forceinline__ void start_lines(const HierarchySweepArgs<W, L>& a) {
  const int lane = threadIdx.x % 32;
  const i64 thread = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
  const i64 reached = *a.reached;
  for (i64 i = thread; i < static_cast<i64>(a.top) * a.width; i += threads)
    a.top_labels[i] = never<L>();
  for (i64 base = thread - lane; base < reached; base += threads) {
    const bool some = base + lane < reached;
    const int place = some ? a.reached_from[base + lane] : 0;
    const bool first = some && place >= a.top && atomicExch(a.touched + place, a.sweep) != a.sweep;
    for (u32 todo = __ballot_sync(~0u, first); todo != 0; todo &= todo - 1) {
      const i64 claimed = __shfl_sync(~0u, place, __ffs(static_cast<int>(todo)) - 1);
      for (int i = lane; i < a.width; i += 32) a.labels[claimed * a.width + i] = never<L>();
    }
  }
  meet(a.arrived);
  for (i64 i = thread; i < reached; i += threads) {
    const i64 place = a.reached_from[i];
    L* const lines = place < a.top ? a.top_labels : a.labels;
    lines[place * a.width + a.lanes[i]] = a.reached_labels[i];
  }
  meet(a.arrived);
}

/// A thread's part of the next columns of the top's matrix and of the labels that they multiply.
template <int kBlock, class L>
struct TopTile {
  static constexpr int kWarps = kBlock / 32;
  L matrix[kTopRows / kWarps];
  L labels[kTopDepth / kWarps];

  template <class W>
  __device__ __forceinline__ void load(const HierarchySweepArgs<W, L>& a, int row, int column,
                                       int depth) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < kTopRows / kWarps; ++i)
      matrix[i] = a.top_matrix[static_cast<i64>(row + i * kWarps + warp) * a.top + depth + lane];
#pragma unroll
    for (int i = 0; i < kTopDepth / kWarps; ++i)
      labels[i] = a.top_labels[static_cast<i64>(depth + i * kWarps + warp) * a.width + column];
  }

  __device__ __forceinline__ void store(L* shared_matrix, L* shared_labels) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < kTopRows / kWarps; ++i)
      shared_matrix[(i * kWarps + warp) * kTopDepth + lane] = matrix[i];
#pragma unroll
    for (int i = 0; i < kTopDepth / kWarps; ++i)
      shared_labels[(i * kWarps + warp) * 32 + lane] = labels[i];
  }
};

/// Writes the labels of the top: the min-plus product of its matrix and the labels of upward
/// searches. A block takes kTopRows places and 32 sources.
template <int kBlock, class W, class L>
__device__ __forceinline__ void lower_top(const HierarchySweepArgs<W, L>& a) {
  constexpr int kWarps = kBlock / 32, kRows = kTopRows / kWarps;
  WARPATH_SHARED(L, matrix, kTopRows * kTopDepth);
  WARPATH_SHARED(L, labels, kTopDepth * 32);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int parts = a.width / 32;
  for (int tile = blockIdx.x; tile < a.top / kTopRows * parts; tile += gridDim.x) {
    const int row = tile / parts * kTopRows;
    const int column = tile % parts * 32 + lane;
    L minimum[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i) minimum[i] = never<L>();
    TopTile<kBlock, L> tile_of_depth;
    tile_of_depth.load(a, row, column, 0);
    for (int depth = 0; depth < a.top; depth += kTopDepth) {
      tile_of_depth.store(matrix, labels);
      __syncthreads();
      if (depth + kTopDepth < a.top) tile_of_depth.load(a, row, column, depth + kTopDepth);
#pragma unroll 8
      for (int d = 0; d < kTopDepth; ++d) {
        const L from = labels[d * 32 + lane];
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
          const L sum = wrapping_sum(from, matrix[(warp * kRows + i) * kTopDepth + d]);
          if (lowers(sum, minimum[i])) minimum[i] = sum;
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      a.labels[static_cast<i64>(row + warp * kRows + i) * a.width + column] = minimum[i];
  }
}

}  // namespace warpath
