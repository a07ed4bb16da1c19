// block_a_source.cuh - one block of threads per source, with the labels in shared memory.
//
// Work     near-far relaxations of each source; a vertex is relaxed again if its label is lowered.
// Traffic  per relaxation 8 B of the edge from L1 or L2; per source a row of the answer. Labels,
//          waiting bits and the list of a round stay in shared memory.
// Launch   as many blocks as run at once, of kBlock threads; they take sources from a counter.
// Shared   a label, 2 B and a bit per vertex, and the counters of a block.
// Races    Labels are lowered by atomic_min and read relaxed: a stale label is an upper bound, and
//          the thread that lowers a label sets the vertex's bit for the next round. Lists are
//          filled through a counter; the bits of a word are cleared by one thread.
// Source   Davidson et al. 2014 (near-far); one block per source, after Merrill et al. 2012.
#pragma once

#include "table.cuh"

namespace warpath {

template <class V, class W, class L>
struct BlockArgs {
  i64 n;
  i64 rows, columns;   // of the answer
  const i64* sources;  // rows
  const i64* targets;  // columns, or null for all vertices
  const i64* indptr;
  const V* indices;
  const W* weights;  // null if all are `weight`
  W weight;
  L delta;
  L cutoff;  // larger labels are not written
  Out<L> out;
  int* lost;  // set to 1 if a sum does not fit the labels
  u64* next;  // the next source that no block has taken
};

/// The shared memory of a block.
template <class L>
struct Held {
  L* dist;       // n
  u32* waiting;  // a bit per vertex: lowered since it was last relaxed
  u16* list;     // n, the vertices of the round
};

/// Puts the waiting vertices below the threshold on the list; returns the minimum label of the
/// others.
template <int kBlock, class L>
__device__ __forceinline__ L take_near(const Held<L>& held, int words, L threshold, int* count) {
  L minimum = never<L>();
  for (int w = threadIdx.x; w < words; w += kBlock) {
    const u32 bits = held.waiting[w];
    u32 taken = 0;
    for (u32 rest = bits; rest != 0; rest &= rest - 1) {
      const u32 bit = rest & (0u - rest);
      const L label = held.dist[w * 32 + __ffs(static_cast<int>(bit)) - 1];
      if (label < threshold)
        taken |= bit;
      else
        minimum = min(minimum, label);
    }
    if (taken == 0) continue;
    held.waiting[w] = bits ^ taken;
    int at = atomicAdd(count, __popc(taken));
    for (; taken != 0; taken &= taken - 1)
      held.list[at++] = static_cast<u16>(w * 32 + __ffs(static_cast<int>(taken)) - 1);
  }
  return minimum;
}

/// Relaxes the edges out of the list, those of 32 vertices by a warp.
template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void relax_list(const BlockArgs<V, W, L>& a, const Held<L>& held,
                                           int count) {
  const int lane = threadIdx.x % 32;
  for (int base = threadIdx.x - lane; base < count; base += kBlock) {
    i64 begin = 0;
    int degree = 0;
    L from = never<L>();
    if (base + lane < count) {
      const int u = held.list[base + lane];
      begin = a.indptr[u];
      degree = static_cast<int>(a.indptr[u + 1] - begin);
      from = load_relaxed(held.dist + u);
    }
    const Pool<L> pool(lane, begin, degree, from);
    const int edges = pool.size();
    for (int slot = lane; slot - lane < edges; slot += 32) {
      const int owner = pool.owner(slot);
      const i64 e = __shfl_sync(~0u, pool.first, owner) + slot;
      const L label = __shfl_sync(~0u, pool.label, owner);
      if (slot >= edges) continue;
      const V v = a.indices[e];
      const L sum = wrapping_sum(label, a.weights == nullptr ? a.weight : a.weights[e]);
      if (overflows(sum)) {
        store_relaxed(a.lost, 1);
      } else if (sum < load_relaxed(held.dist + v) && sum <= a.cutoff) {
        atomic_min(held.dist + v, sum);
        const u32 bit = 1u << (v % 32);
        if ((load_relaxed(held.waiting + v / 32) & bit) == 0) atomicOr(held.waiting + v / 32, bit);
      }
    }
  }
}

/// Whether the labels of all targets are below a threshold below which no vertex is waiting.
template <int kBlock, class V, class W, class L>
__device__ __forceinline__ bool targets_settled(const BlockArgs<V, W, L>& a, const L* dist,
                                                L threshold) {
  if (a.targets == nullptr) return false;
  bool settled = true;
  for (i64 c = threadIdx.x; c < a.columns; c += kBlock)
    settled = settled && dist[a.targets[c]] < threshold;
  return __syncthreads_and(settled);
}

template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void block_a_source(const BlockArgs<V, W, L>& a) {
  const int n = static_cast<int>(a.n), words = (n + 31) / 32, t = threadIdx.x;
  WARPATH_LENT_SHARED(memory, n * (sizeof(L) + sizeof(u16)) + words * sizeof(u32) + 2);
  Held<L> held;
  held.dist = reinterpret_cast<L*>(memory);
  held.waiting = reinterpret_cast<u32*>(held.dist + n);
  held.list = reinterpret_cast<u16*>(held.waiting + words);
  WARPATH_SHARED(i64, taken, 1);
  WARPATH_SHARED(int, counts, 2);  // sizes of this round's list and of the next one's
  WARPATH_SHARED(L, minima, 2);    // of the waiting labels not below the threshold, likewise
  for (;;) {
    // 1. Take a source; set all labels to unreachable but its own.
    if (t == 0) taken[0] = static_cast<i64>(atomicAdd(a.next, u64{1}));
    __syncthreads();
    const i64 row = taken[0];
    if (row >= a.rows) return;
    for (int v = t; v < n; v += kBlock) held.dist[v] = never<L>();
    for (int w = t; w < words; w += kBlock) held.waiting[w] = 0;
    __syncthreads();
    if (t == 0) {
      const i64 source = a.sources[row];
      held.dist[source] = L{0};
      held.waiting[source / 32] = 1u << (source % 32);
      counts[0] = 0;
      minima[0] = never<L>();
    }
    L threshold = above(L{0}, a.delta);
    __syncthreads();

    // 2. Rounds; the threshold rises if a round finds no vertex below it.
    for (int round = 0;; ++round) {
      const int now = round % 2;
      const L minimum = take_near<kBlock>(held, words, threshold, counts + now);
      if (minimum != never<L>()) atomic_min(minima + now, minimum);
      __syncthreads();
      const int count = counts[now];
      const L low = minima[now];
      if (t == 0) {
        counts[1 - now] = 0;
        minima[1 - now] = never<L>();
      }
      if (count != 0) {
        relax_list<kBlock>(a, held, count);
      } else {
        if (low == never<L>() || targets_settled<kBlock>(a, held.dist, threshold)) break;
        threshold = above(low, a.delta);
      }
      __syncthreads();
    }

    // 3. Write the row. The first barrier of the next source protects the labels read here.
    for (i64 c = t; c < a.columns; c += kBlock)
      a.out.put(row * a.columns + c, held.dist[a.targets == nullptr ? c : a.targets[c]]);
  }
}

}  // namespace warpath
