// reduce.cuh - the minimum of each tile, for the round's minimum.
//
// Work     one look per vertex, log2(kBlock) steps a block.
// Traffic  9 B a vertex in order; 17 B with the Crauser threshold.
// Tiles    of 2 kBlock values; each leaves its minimum.
// Shared   kBlock values.
// Races    none: the values lie in shared memory between barriers.
// Source   Martin et al. 2009 figure 4 (minimum1); the Johnson paper, section 5.3 (threshold).
#pragma once

#include "base.cuh"

namespace warpath {

template <class L>
struct ReduceArgs {
  i64 n;
  const L* values;
  const u8* unsettled;  // n
  const L* slack;       // n: the least weight out of a vertex, never without out-edges
  L* minima;            // one for each tile
};

/// What a reduction reads of a vertex; never is the identity of the minimum.
template <class L>
struct Candidate {
  u8 unsettled;
  L label, slack;
};

/// All values: a second pass over the first one's minima.
struct Plain {
  template <class L>
  static __device__ Candidate<L> read(const ReduceArgs<L>& a, i64 i) {
    return {1, a.values[i], L{0}};
  }
  template <class L>
  static __device__ L value(const Candidate<L>& of) {
    return of.label;
  }
};

/// The labels of unsettled vertices: the minimum of Dijkstra's algorithm.
struct Unsettled {
  template <class L>
  static __device__ Candidate<L> read(const ReduceArgs<L>& a, i64 i) {
    return {a.unsettled[i], a.values[i], L{0}};
  }
  template <class L>
  static __device__ L value(const Candidate<L>& of) {
    return of.unsettled ? of.label : never<L>();
  }
};

/// [Crauser's out-criterion] Label plus least weight out: all unsettled vertices up to the least
/// such sum can be settled at once.
struct OutThreshold {
  template <class L>
  static __device__ Candidate<L> read(const ReduceArgs<L>& a, i64 i) {
    return {a.unsettled[i], a.values[i], a.slack[i]};
  }
  template <class L>
  static __device__ L value(const Candidate<L>& of) {
    L sum;
    const bool counts = of.unsettled && of.label != never<L>() && of.slack != never<L>();
    return counts && extend(of.label, of.slack, sum) ? sum : never<L>();
  }
};

template <class Value, int kBlock, class L>
__device__ __forceinline__ void reduce(const ReduceArgs<L>& a, i64 tile) {
  WARPATH_SHARED(L, least, kBlock);
  const int t = threadIdx.x;
  const i64 i = tile * (2 * kBlock) + t;
  const i64 j = i + kBlock;
  const L one = i < a.n ? Value::value(Value::read(a, i)) : never<L>();
  const L other = j < a.n ? Value::value(Value::read(a, j)) : never<L>();
  least[t] = min(one, other);
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (t < half) least[t] = min(least[t], least[t + half]);
    __syncthreads();
  }
  if (t == 0) a.minima[tile] = least[0];
}

}  // namespace warpath
