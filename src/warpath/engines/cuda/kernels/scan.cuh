// scan.cuh - prefix sums over a block, and over the grid by shares of its blocks.
//
// Over the grid a block has a contiguous share of the items. It sums its share, all blocks wait for
// each other, and each adds up the sums of the shares before its own (Harris et al. 2007, with the
// second level done by every block instead of one, which saves a barrier).
#pragma once

#include "base.cuh"

namespace warpath {

/// The inclusive prefix sum of the threads' values over the block, whose sum goes to `total`.
template <int kBlock, class T>
__device__ __forceinline__ T block_scan(T value, T& total) {
  WARPATH_SHARED(T, sums, kBlock / 32);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(~0u, value, step);
    if (lane >= step) value += before;
  }
  __syncthreads();  // the sums of the last call have been read
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  T before = 0;
  total = 0;
  for (int w = 0; w < kBlock / 32; ++w) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  return value + before;
}

/// The sums of several values of each thread over the block, in place.
template <int kBlock, int kValues>
__device__ __forceinline__ void block_sums(i64 (&values)[kValues]) {
  WARPATH_SHARED(i64, sums, kValues * kBlock / 32);
  __syncthreads();  // the sums of the last call have been read
  for (int i = 0; i < kValues; ++i) {
    for (int step = 16; step > 0; step /= 2) values[i] += __shfl_xor_sync(~0u, values[i], step);
    if (threadIdx.x % 32 == 0) sums[i * (kBlock / 32) + threadIdx.x / 32] = values[i];
  }
  __syncthreads();
  for (int i = 0; i < kValues; ++i) {
    values[i] = 0;
    for (int w = 0; w < kBlock / 32; ++w) values[i] += sums[i * (kBlock / 32) + w];
  }
}

/// The items of this block.
template <int kBlock>
struct Share {
  i64 begin, end;
  __device__ explicit Share(i64 count) {
    const i64 tiles = (count + kBlock - 1) / kBlock;
    const i64 each = (tiles + gridDim.x - 1) / gridDim.x * kBlock;
    begin = min(count, static_cast<i64>(blockIdx.x) * each);
    end = min(count, begin + each);
  }
  /// Whether a thread has one item at most.
  __device__ bool one_tile() const { return end - begin <= kBlock; }
  /// All items for the first block, none for the others.
  static __device__ Share whole(i64 count) {
    Share all(0);
    if (blockIdx.x == 0) all.end = count;
    return all;
  }
};

/// The sums over a grid's shares of several values: those before this block's share, and all.
template <int kValues>
struct Sums {
  i64 before[kValues], all[kValues];
};

/// Leaves the sums of the block's share in `sums`, kValues for each block, waits for all blocks and
/// adds up what they left. `own` are the thread's.
template <int kBlock, int kValues, class Grid>
__device__ __forceinline__ Sums<kValues> sum_shares(Grid& grid, i64* sums, i64 (&own)[kValues]) {
  block_sums<kBlock>(own);
  if (threadIdx.x < kValues) sums[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
  grid.wait();
  i64 both[2 * kValues] = {};
  for (u32 b = threadIdx.x; b < gridDim.x; b += kBlock)
    for (int i = 0; i < kValues; ++i) {
      const i64 sum = sums[i * gridDim.x + b];
      both[kValues + i] += sum;
      if (b < blockIdx.x) both[i] += sum;
    }
  block_sums<kBlock>(both);
  Sums<kValues> found;
  for (int i = 0; i < kValues; ++i) {
    found.before[i] = both[i];
    found.all[i] = both[kValues + i];
  }
  return found;
}

/// The minimum of the threads' values over the block.
template <int kBlock, class L>
__device__ __forceinline__ L block_minimum(L value) {
  WARPATH_SHARED(L, minima, kBlock / 32);
  for (int step = 16; step > 0; step /= 2) value = min(value, __shfl_xor_sync(~0u, value, step));
  __syncthreads();  // the minima of the last call have been read
  if (threadIdx.x % 32 == 0) minima[threadIdx.x / 32] = value;
  __syncthreads();
  for (int w = 0; w < kBlock / 32; ++w) value = min(value, minima[w]);
  return value;
}

}  // namespace warpath
