// matrix.cuh - a graph as a matrix of labels, and labels in the type of the result.
//
// Work     matrix: each entry and each edge once. answer: each entry once.
// Traffic  matrix: each entry written. answer: each entry read and written.
// Launch   one block per row.
// Shared   none.
// Races    a row belongs to one block; parallel edges are combined by an atomic minimum.
// Source   Floyd 1962.
#pragma once

#include "min_plus.cuh"

namespace warpath {

/// A compare-and-swap of the word that holds two labels.
__device__ __forceinline__ void atomic_min(short* place, short value) {
  const u64 address = reinterpret_cast<u64>(place);
  unsigned* const word = reinterpret_cast<unsigned*>(address & ~3ull);
  const unsigned shift = address % 4 * 8;
  unsigned seen = load_relaxed(word);
  while (value < static_cast<short>(seen >> shift)) {
    const unsigned wanted = (seen & ~(0xffffu << shift)) |
                            static_cast<unsigned>(static_cast<unsigned short>(value)) << shift;
    const unsigned before = atomicCAS(word, seen, wanted);
    if (before == seen) return;
    seen = before;
  }
}

template <class V, class W, class L>
struct MatrixArgs {
  i64 n, first, pitch;  // vertices; the vertex of row 0; labels from one row to the next
  const i64* indptr;
  const V* indices;
  const W* weights;  // >= 0
  L* matrix;
};

/// Fills a row per block: 0 for the vertex itself, the lightest edge to a neighbour, far for
/// others.
template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void matrix(const MatrixArgs<V, W, L>& a) {
  const i64 u = a.first + blockIdx.x;
  L* const row = a.matrix + static_cast<i64>(blockIdx.x) * a.pitch;
  for (i64 v = threadIdx.x; v < a.pitch; v += kBlock) row[v] = v == u ? L(0) : Far<L>::value();
  __syncthreads();
  if (u >= a.n) return;
  for (i64 e = a.indptr[u] + threadIdx.x; e < a.indptr[u + 1]; e += kBlock) {
    const W weight = a.weights[e];
    if (weight < Far<L>::value() && a.indices[e] != u)
      atomic_min(row + a.indices[e], static_cast<L>(weight + W(0)));  // no -0
  }
}

template <class L, class W>
struct AnswerArgs {
  i64 columns, pitch;  // of the answer; labels in a row
  const L* labels;
  W* answer;     // may be the memory of the labels
  int* no_room;  // set to 1 if a label does not fit the answer's type
};

/// Converts a row per block to the answer's type.
template <int kBlock, class L, class W>
__device__ __forceinline__ void answer(const AnswerArgs<L, W>& a) {
  const L* const row = a.labels + static_cast<i64>(blockIdx.x) * a.pitch;
  W* const out = a.answer + static_cast<i64>(blockIdx.x) * a.columns;
  bool lost = false;
  for (i64 v = threadIdx.x; v < a.columns; v += kBlock) {
    const L label = row[v];
    const bool far = label >= Far<L>::value();
    const W value = far ? never<W>() : static_cast<W>(label);
    lost |= !far && (static_cast<L>(value) != label || value == never<W>());
    out[v] = value;
  }
  if (__syncthreads_or(lost) && threadIdx.x == 0) store_relaxed(a.no_room, 1);
}

}  // namespace warpath
