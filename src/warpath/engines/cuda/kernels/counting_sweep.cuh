// counting_sweep.cuh - betweenness from up to 32 sources by one block.
//
// A search upward, a sweep down and a sweep back, with
// the same additions in the same order as CountingSweep of the core, so the same bits. Vertices of
// the hierarchy are places, level by level, so that arcs lead to a place from earlier levels. Each
// lane of a warp has a source, and lanes of 8 form the items whose shares the core adds up
// together.
//
// Work     two passes over the arcs for all sources.
// Traffic  for each arc a line of labels, and for tight arcs one of paths and one of shares; for
//          each place these lines are written and read again: 20 B a place and source.
// Launch   a block for each 32 sources; blocks do not meet.
// Shared   some words.
// Races    lines that a search reaches are numbered by an atomic addition, and the number says only
//          where they are. Everything else has one writer between barriers of the block.
// Source   Delling, Goldberg, Nowatzyk, Werneck 2011, PHAST; Brandes 2001 for the shares.
#pragma once

#include "counting_rows.cuh"
#include "counting_upward.cuh"

namespace warpath {

/// Calls visit(first, places) for all places of a level, up to 32 at a time by each warp, and
/// waits.
template <int kBlock, class L, class Visit>
__device__ __forceinline__ void each_level(const CountingSweepArgs<L>& a, int level,
                                           const Visit& visit) {
  constexpr int kWarps = kBlock / 32;
  const i64 begin = a.level_first[level], end = a.level_first[level + 1];
  const i64 share = (end - begin + kWarps - 1) / kWarps;
  const int some = share < 32 ? static_cast<int>(share) : 32;
  for (i64 place = begin + threadIdx.x / 32 * some; place < end; place += kWarps * some)
    visit(place, end - place < some ? static_cast<int>(end - place) : some);
  __syncthreads();
}

template <int kBlock, class L>
__device__ __forceinline__ void counting_sweep(const CountingSweepArgs<L>& a) {
  WARPATH_SHARED(int, starts, kLine);
  WARPATH_SHARED(int, ends, kLine);
  WARPATH_SHARED(int, count, 1);
  WARPATH_SHARED(int, taken, 1);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const CountingBlock<L> b(a, blockIdx.x);
  if (warp == 0) {
    starts[lane] = a.starts[blockIdx.x * kLine + lane];
    ends[lane] = 0;
  }
  __syncthreads();
  const int start = starts[lane];
  const int reached = search_up<kBlock>(a, b, starts, count, taken);
  for (int level = 0; level < a.levels; ++level)
    each_level<kBlock>(a, level, [&](i64 first, int places) { sweep_down(a, b, first, places); });
  int own_ends = 0;
  for (int level = a.levels; level-- > 0;)
    each_level<kBlock>(a, level, [&](i64 first, int places) {
      own_ends += sweep_back(a, b, first, places, start);
    });
  if (own_ends != 0) atomicAdd(ends + lane, own_ends);
  __syncthreads();
  if (warp == 0) return_up(a, b, reached, start, ends);
  __syncthreads();
  for (int i = threadIdx.x; i < reached; i += kBlock) b.numbers[b.reached[i]] = 0;
}

struct CountingSumsArgs {
  i64 size;      // of the sums of a block
  i64 up_begin;  // the sums of arcs up, which are 0 again afterwards, because a search does not
  i64 up_end;    // write those that it does not reach
  int blocks;
  double* sums;  // of the blocks
  double* total;
};

/// Adds the sums of blocks to a total, in their order.
template <int kBlock>
__device__ __forceinline__ void counting_sums(const CountingSumsArgs& a) {
  const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
  for (i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; i < a.size; i += threads) {
    double total = a.total[i];
    for (int block = 0; block < a.blocks; ++block) total += a.sums[block * a.size + i];
    a.total[i] = total;
    if (i >= a.up_begin && i < a.up_end)
      for (int block = 0; block < a.blocks; ++block) a.sums[block * a.size + i] = 0;
  }
}

}  // namespace warpath
