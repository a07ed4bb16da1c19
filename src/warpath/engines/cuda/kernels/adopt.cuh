// adopt.cuh - the labels of this round become those that the next one reads.
//
// Work     one look per vertex.
// Traffic  two labels read and up to two written per vertex, in order; 1 B of flag.
// Launch   a thread calls it for each vertex.
// Shared   none.
// Races    none.
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
};

/// The labels of a vertex, after and before the round.
template <class L>
struct Labels {
  L now, before;
};

/// Returns whether the label fell.
template <class Counting, class L>
__device__ __forceinline__ bool adopt(const AdoptArgs<L>& a, i64 i, Labels<L> of,
                                      Counting& counts) {
  const bool lowered = of.now < of.before;
  a.flags[i] = lowered;
  if (lowered) {
    a.from[i] = of.now;
    counts.selected();
  }
  return lowered;
}

}  // namespace warpath
