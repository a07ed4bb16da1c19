// reweight.cuh - non-negative edge lengths under potentials.
//
// Work     one addition and one subtraction per edge.
// Traffic  per edge 8 B in order, a potential at random and a label written.
// Launch   blocks * kBlock >= n.
// Shared   none.
// Races    none: each thread writes to the edges of its own vertex.
// Source   the Johnson paper, section 5.2, algorithm 3.
#pragma once

#include "base.cuh"

namespace warpath {

template <class V, class W, class L>
struct ReweightArgs {
  i64 n;
  const i64* indptr;
  const V* indices;
  const W* weights;
  const L* potentials;  // n
  L* reduced;           // one for each edge
};

/// Writes the reduced length of each edge. It is 0 for out-edges of vertices that no source
/// reaches, where no search arrives, and for lengths that rounding makes negative.
template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void reweight(const ReweightArgs<V, W, L>& a) {
  const i64 u = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  if (u >= a.n) return;
  const L base = a.potentials[u];
  for (i64 e = a.indptr[u]; e < a.indptr[u + 1]; ++e) {
    const L length = base == never<L>()
                         ? L{0}
                         : static_cast<L>(a.weights[e]) + base - a.potentials[a.indices[e]];
    a.reduced[e] = length < L{0} ? L{0} : length;
  }
}

}  // namespace warpath
