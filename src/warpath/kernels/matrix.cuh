// matrix.cuh - a graph as a matrix of labels, and labels as the answer.
//
// Work     an entry of the matrix once for each of the two, and each edge once.
// Traffic  the matrix written once; read once more and the answer written.
// Launch   a block for each row.
// Shared   none.
// Races    a row has one block; edges of it between the same vertices meet in an atomic minimum.
// Source   Floyd 1962.
#pragma once

#include "min_plus.cuh"

namespace warpath {

__device__ __forceinline__ int atomic_min(int* place, int value) {
  return atomicMin(place, value);
}

/// Two labels share the word that is exchanged.
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

/// Row by row: 0 to itself, the lightest edge to a neighbour, far to all else.
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

/// What an answer can be other than right.
enum Missed { kFar = 1, kNoRoom = 2 };

template <class L, class W>
struct AnswerArgs {
  i64 columns, first, pitch;  // of the answer; the vertex of row 0; labels in a row
  const L* labels;
  const W* potentials;  // or null
  W* answer;
  int* missed;
};

/// Row by row: labels in the answer's type, with the potentials taken out again. `missed` says
/// whether a label was far, or does not fit the answer's type.
template <int kBlock, class L, class W>
__device__ __forceinline__ void answer(const AnswerArgs<L, W>& a) {
  const i64 u = a.first + blockIdx.x;
  const L* const row = a.labels + static_cast<i64>(blockIdx.x) * a.pitch;
  W* const out = a.answer + static_cast<i64>(blockIdx.x) * a.columns;
  int missed = 0;
  for (i64 v = threadIdx.x; v < a.columns; v += kBlock) {
    const L label = row[v];
    const bool far = label >= Far<L>::value();
    W value = never<W>();
    if (!far) {
      value = static_cast<W>(label);
      if (static_cast<L>(value) != label || value >= never<W>()) missed |= kNoRoom;
      if (a.potentials != nullptr && u != v) value = value - a.potentials[u] + a.potentials[v];
    }
    if (far) missed |= kFar;
    out[v] = value;
  }
  const int far = __syncthreads_or(missed & kFar), room = __syncthreads_or(missed & kNoRoom);
  if (threadIdx.x != 0) return;
  if (far) atomicOr(a.missed, kFar);
  if (room) atomicOr(a.missed, kNoRoom);
}

}  // namespace warpath
