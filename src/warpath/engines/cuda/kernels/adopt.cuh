// adopt.cuh - the labels of this round become those that the next one reads.
//
// Work     one look per vertex.
// Traffic  two labels read and up to two written per vertex, in order; 1 B of flag.
// Launch   blocks * kBlock >= n.
// Shared   none.
// Races    `changed` is only ever set to 1.
// Source   Bodra & Khairnar 2025, Bellman-Ford (previousDistance, distance, flag); Harish &
//          Narayanan 2007 as told by Martin et al. 2009 section 4.3 (c, uc and the mask).
#pragma once

#include "base.cuh"

namespace warpath {

template <class L>
struct AdoptArgs {
  i64 n;
  L* from;        // what the last round read
  const L* dist;  // what it lowered
  u8* flags;      // n: 1 where they differ
  int* changed;
  u64* counters;
};

template <bool kTraced, int kBlock, class L>
__device__ __forceinline__ void adopt(const AdoptArgs<L>& a) {
  const i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= a.n) return;
  Counts<kTraced> counts;
  const bool lowered = a.dist[i] < a.from[i];
  a.flags[i] = lowered;
  if (lowered) {
    a.from[i] = a.dist[i];
    store_relaxed(a.changed, 1);
    counts.selected();
  }
  counts.report(a.counters);
}

}  // namespace warpath
