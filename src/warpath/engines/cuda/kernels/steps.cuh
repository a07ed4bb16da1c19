// steps.cuh - a step of a round as a kernel of its own, where the CPU has a part in every round.
//
// Work     as the headers of the steps say.
// Traffic  likewise, and what changes crosses the bus to the host's copies.
// Launch   a block for each tile, or a thread for each vertex.
// Shared   as the headers of the steps say.
// Races    likewise: the host touches nothing while a step runs.
// Source   Martin et al. 2009 section 4.1 (hybrids, U^GPU and F^GPU), figures 3 and 4.
#pragma once

#include "dense.cuh"
#include "pull.cuh"
#include "push.cuh"
#include "reduce.cuh"
#include "settle.cuh"

namespace warpath {

/// Runs the block's tile of a step and reports what its threads counted.
template <bool kTraced, class Tile>
__device__ __forceinline__ void one_tile(u64* counters, Tile&& tile) {
  Counts<kTraced> counts;
  tile(static_cast<i64>(blockIdx.x), counts);
  counts.report_together(counters);
}

template <class Map, class Write, bool kTraced, class V, class W, class L>
__device__ __forceinline__ void push_step(const PushArgs<V, W, L>& a, u64* counters) {
  one_tile<kTraced>(counters, [&](i64 tile, Counts<kTraced>& counts) {
    push<Map, Write, EmitNothing, true, false>(a, tile, counts);
  });
}

template <class Bounds, bool kTraced, int kBlock, class V, class W, class L>
__device__ __forceinline__ void pull_step(const PullArgs<V, W, L>& a, u64* counters) {
  one_tile<kTraced>(
      counters, [&](i64 tile, Counts<kTraced>& counts) { pull<Bounds, kBlock>(a, tile, counts); });
}

template <bool kPush, class Write, bool kTraced, int kBlock, class L>
__device__ __forceinline__ void dense_step(const DenseArgs<L>& a, u64* counters) {
  one_tile<kTraced>(counters, [&](i64 tile, Counts<kTraced>& counts) {
    if (kPush)
      push_dense<Write, kBlock>(a, tile, counts);
    else
      pull_dense<kBlock>(a, tile, counts);
  });
}

template <class Value, int kBlock, class L>
__device__ __forceinline__ void reduce_step(const ReduceArgs<L>& a) {
  reduce<Value, kBlock>(a, blockIdx.x);
}

template <class Criterion, bool kTraced, int kBlock, class V, class L>
__device__ __forceinline__ void settle_step(const SettleArgs<V, L>& a, u64* counters) {
  one_tile<kTraced>(counters, [&](i64 tile, Counts<kTraced>& counts) {
    const i64 v = tile * kBlock + threadIdx.x;
    if (v < a.n) settle<Criterion, ToFlags>(a, v, waiting(a, v), counts);
  });
}

}  // namespace warpath
