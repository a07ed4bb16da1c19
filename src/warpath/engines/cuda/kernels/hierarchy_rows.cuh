// hierarchy_rows.cuh - rows of a table from the lines of labels of a sweep.
//
// Work     a label for each row and column.
// Traffic  labels read in runs of 32 and written in runs of 128, through shared memory.
// Launch   any grid of whole warps.
// Shared   a tile of 128 by 32 labels.
// Races    none: each entry has one writer.
// Source   Delling, Goldberg, Nowatzyk, Werneck 2011.
#pragma once

#include "table.cuh"

namespace warpath {

constexpr int kRowsAtOnce = 32;      // of a tile
constexpr int kColumnsAtOnce = 128;  // of a tile

template <class L>
struct HierarchyRowsArgs {
  i64 columns;
  int rows;           // of the table that are valid lanes of a line
  int width;          // labels of a line
  const int* places;  // of each column
  const L* labels;
  L cutoff;  // labels above it count as not reached
  Out<L> out;
};

/// Transposes lines, in which sources are adjacent, into rows, in which columns are adjacent.
template <int kBlock, class L>
__device__ __forceinline__ void hierarchy_rows(const HierarchyRowsArgs<L>& a) {
  constexpr int kWarps = kBlock / 32, kPitch = kRowsAtOnce + 1;
  WARPATH_SHARED(L, tile, kColumnsAtOnce * kPitch);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int bands = (a.rows + kRowsAtOnce - 1) / kRowsAtOnce;
  const i64 tiles = (a.columns + kColumnsAtOnce - 1) / kColumnsAtOnce * bands;
  for (i64 at = blockIdx.x; at < tiles; at += gridDim.x) {
    const i64 column = at / bands * kColumnsAtOnce;
    const int row = static_cast<int>(at % bands) * kRowsAtOnce;
    const int columns = static_cast<int>(min(a.columns - column, i64{kColumnsAtOnce}));
#pragma unroll 8
    for (int i = warp; i < columns; i += kWarps)
      tile[i * kPitch + lane] =
          a.labels[static_cast<i64>(a.places[column + i]) * a.width + row + lane];
    __syncthreads();
    for (int i = warp; i < kRowsAtOnce && row + i < a.rows; i += kWarps) {
      for (int j = lane; j < columns; j += 32) {
        const L label = tile[j * kPitch + i];
        a.out.put((row + i) * a.columns + column + j, label > a.cutoff ? never<L>() : label);
      }
    }
    __syncthreads();
  }
}

}  // namespace warpath
