// pairs.cuh - (source, vertex) pairs of a batch advance together, each source's labels in a row.
//
// Work     near-far relaxations of every source, all under one threshold.
// Traffic  per relaxation 8 B of the edge and the label, two atomics if the label falls; per pair
//          relaxed in a round 8 B of lists. Labels near a source's frontier are neighbours.
// Launch   one grid, all of whose blocks run at once: its barrier separates rounds.
// Shared   two lists of kRoom pairs, which a block adds to the grid's lists once a round.
// Races    Labels as in push.cuh. A pair's bit, set by atomicOr, marks a pair that is on the list
//          of the next round or on the far pile: the thread that sets it lists the pair. Bits of
//          this round are cleared while those of the next are set. Of three sets of counters one is
//          read, one counts, and the third is cleared.
// Source   Davidson et al. 2014 (near-far), for many sources at once.
#pragma once

#include "grid.cuh"
#include "table.cuh"

namespace warpath {

/// The words of `control`, which all blocks share.
enum PairControl { kNear = 0, kFar = 3, kUnsettled = 6, kArrived = 9, kRounds = 10 };

template <class V, class W, class L>
struct PairArgs {
  i64 n;
  i64 rows, columns;   // of the answer
  const i64* targets;  // columns, or null for all vertices
  const i64* indptr;
  const V* indices;
  const W* weights;  // null if all are `weight`
  W weight;
  L delta;
  L cutoff;      // larger labels are not written
  L* dist;       // rows * n
  u32* near;     // two lists of rows * n pairs
  u32* far;      // likewise
  u32* bits;     // three sets of a bit per pair: on each near list, on the far pile
  u32* control;  // PairControl
  L* minimum;    // 3: of the labels that stay on the far pile
  Out<L> out;
  int* lost;  // set to 1 if a sum does not fit the labels
};

/// Pairs that a block has found and not yet added to the grid's list.
template <int kRoom>
struct Stage {
  u32* items;
  int* count;
  u32* list;
  u32* size;

  /// All lanes of a warp call it.
  __device__ void push(int lane, bool wanted, u32 pair) const {
    const u32 mask = __ballot_sync(~0u, wanted);
    if (mask == 0) return;
    int at = 0;
    if (lane == 0) at = atomicAdd(count, __popc(mask));
    at = __shfl_sync(~0u, at, 0) + __popc(mask & ((1u << lane) - 1));
    if (!wanted) return;
    if (at < kRoom)
      items[at] = pair;
    else
      store_relaxed(list + atomicAdd(size, 1u), pair);
  }

  /// All threads of a block call it, after their last push of a round.
  template <int kBlock>
  __device__ void send(u32* place) const {
    __syncthreads();
    const int held = min(*count, kRoom);
    if (threadIdx.x == 0 && held > 0) *place = atomicAdd(size, static_cast<u32>(held));
    __syncthreads();
    for (int i = threadIdx.x; i < held; i += kBlock) store_relaxed(list + *place + i, items[i]);
    __syncthreads();
    if (threadIdx.x == 0) *count = 0;
  }
};

/// Sets a pair's bit; returns whether it was clear.
__device__ __forceinline__ bool set_bit(u32* bits, u32 pair) {
  const u32 bit = 1u << (pair % 32);
  return (atomicOr(bits + pair / 32, bit) & bit) == 0;
}

__device__ __forceinline__ void clear_bit(u32* bits, u32 pair) {
  atomicAnd(bits + pair / 32, ~(1u << (pair % 32)));
}

/// Relaxes the pairs of a list.
template <int kBlock, class Near, class Far, class V, class W, class L>
__device__ __forceinline__ void relax_pairs(const PairArgs<V, W, L>& a, const u32* list, u32 count,
                                            u32* bits, u32* next_bits, u32* far_bits, L threshold,
                                            const Near& near, const Far& far) {
  const int lane = threadIdx.x % 32;
  const i64 warps = static_cast<i64>(gridDim.x) * (kBlock / 32);
  const i64 warp = static_cast<i64>(blockIdx.x) * (kBlock / 32) + threadIdx.x / 32;
  const u32 n = static_cast<u32>(a.n);
  // A short list is spread over all warps, because each step of a warp waits for memory.
  const int share = static_cast<int>(min((count + warps - 1) / warps, i64{32}));
  const int take = max(share, 8);
  for (i64 begin = warp * take; begin < count; begin += warps * take) {
    i64 first = 0;
    int degree = 0;
    u32 origin = 0;
    L from = never<L>();
    if (lane < take && begin + lane < count) {
      const u32 pair = load_relaxed(list + begin + lane);
      const u32 source = pair / n, u = pair - source * n;
      origin = source * n;
      first = a.indptr[u];
      degree = static_cast<int>(a.indptr[u + 1] - first);
      from = load_relaxed(a.dist + pair);
      clear_bit(bits, pair);
    }
    const Pool<L> pool(lane, first, degree, from);
    const int edges = pool.size();
    for (int slot = lane; slot - lane < edges; slot += 32) {
      const int owner = pool.owner(slot);
      const i64 e = __shfl_sync(~0u, pool.first, owner) + slot;
      const L label = __shfl_sync(~0u, pool.label, owner);
      const u32 row = __shfl_sync(~0u, origin, owner);
      bool lowered = false;
      u32 pair = 0;
      L sum = never<L>();
      if (slot < edges) {
        pair = row + static_cast<u32>(a.indices[e]);
        sum = wrapping_sum(label, a.weights == nullptr ? a.weight : a.weights[e]);
        if (overflows(sum))
          store_relaxed(a.lost, 1);
        else
          lowered = sum <= a.cutoff && sum < load_relaxed(a.dist + pair);
      }
      if (lowered) atomic_min(a.dist + pair, sum);
      const bool nearer = sum < threshold;
      if (lowered) lowered = set_bit(nearer ? next_bits : far_bits, pair);
      near.push(lane, lowered && nearer, pair);
      far.push(lane, lowered && !nearer, pair);
    }
  }
}

/// Removes from the far pile the pairs now below the threshold and those relaxed meanwhile; returns
/// the minimum label of the others.
template <int kBlock, class Near, class Far, class V, class W, class L>
__device__ __forceinline__ L split_far(const PairArgs<V, W, L>& a, const u32* list, u32 count,
                                       u32* next_bits, u32* far_bits, L before, L threshold,
                                       const Near& near, const Far& far) {
  const int lane = threadIdx.x % 32;
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  L minimum = never<L>();
  for (i64 at = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; at - lane < count;
       at += stride) {
    u32 pair = 0;
    bool comes = false, stays = false;
    if (at < count) {
      pair = load_relaxed(list + at);
      const L label = load_relaxed(a.dist + pair);
      comes = !(label < before) && label < threshold;
      stays = !(label < threshold);
      if (stays) minimum = min(minimum, label);
      if (!stays) clear_bit(far_bits, pair);
      if (comes) set_bit(next_bits, pair);
    }
    near.push(lane, comes, pair);
    far.push(lane, stays, pair);
  }
  return minimum;
}

/// Sets `flag` if a target's label is not below a threshold below which no pair is waiting.
template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void note_unsettled(const PairArgs<V, W, L>& a, L threshold, u32* flag) {
  if (a.targets == nullptr) return;
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock, cells = a.rows * a.columns;
  bool settled = true;
  for (i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; i < cells; i += stride)
    settled = settled &&
              load_relaxed(a.dist + i / a.columns * a.n + a.targets[i % a.columns]) < threshold;
  if (!settled) store_relaxed(flag, 1u);
}

template <int kBlock, class V, class W, class L>
__device__ __forceinline__ void pairs(const PairArgs<V, W, L>& a) {
  constexpr int kRoom = 1024;
  WARPATH_SHARED(u32, near_items, kRoom);
  WARPATH_SHARED(u32, far_items, kRoom);
  WARPATH_SHARED(int, counts, 2);
  WARPATH_SHARED(u32, place, 1);
  WARPATH_SHARED(L, minimum, 1);
  const i64 size = a.rows * a.n, words = (size + 31) / 32;
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  u32* const far_bits = a.bits + 2 * words;
  if (threadIdx.x == 0) counts[0] = counts[1] = 0;
  __syncthreads();
  u32 round = 0, raises = 0;
  bool relaxed = true;  // whether pairs were relaxed since the threshold rose
  L threshold = above(L{0}, a.delta);
  for (;; ++round) {
    const u32 count = load_relaxed(a.control + kNear + round % 3);
    const u32 next = (round + 1) % 2;
    const u32 piled = load_relaxed(a.control + kFar + raises % 3);
    if (count == 0 && piled == 0) break;
    const u32 growing = count == 0 ? raises + 1 : raises;  // the far pile that receives pairs
    const Stage<kRoom> near{near_items, counts, a.near + next * size,
                            a.control + kNear + (round + 1) % 3};
    const Stage<kRoom> far{far_items, counts + 1, a.far + growing % 2 * size,
                           a.control + kFar + growing % 3};
    if (first) store_relaxed(a.control + kNear + (round + 2) % 3, 0u);
    if (count != 0) {
      relax_pairs<kBlock>(a, a.near + (1 - next) * size, count, a.bits + (1 - next) * words,
                          a.bits + next * words, far_bits, threshold, near, far);
      relaxed = true;
    } else {
      const L before = threshold;
      const L low = relaxed ? before : max(before, load_relaxed(a.minimum + (raises + 2) % 3));
      relaxed = false;
      threshold = above(low, a.delta);
      if (threadIdx.x == 0) minimum[0] = never<L>();
      if (first) {
        store_relaxed(a.control + kFar + (raises + 2) % 3, 0u);
        store_relaxed(a.control + kUnsettled + (raises + 1) % 3, 0u);
        store_relaxed(a.minimum + (raises + 1) % 3, never<L>());
      }
      __syncthreads();
      const L mine = split_far<kBlock>(a, a.far + raises % 2 * size, piled, a.bits + next * words,
                                       far_bits, before, threshold, near, far);
      if (mine != never<L>()) atomic_min(minimum, mine);
      note_unsettled<kBlock>(a, before, a.control + kUnsettled + raises % 3);
      __syncthreads();
      if (threadIdx.x == 0 && minimum[0] != never<L>())
        atomic_min(a.minimum + raises % 3, minimum[0]);
    }
    near.template send<kBlock>(place);
    far.template send<kBlock>(place);
    meet(a.control + kArrived);
    if (count != 0) continue;
    if (a.targets != nullptr && load_relaxed(a.control + kUnsettled + raises % 3) == 0) break;
    ++raises;
  }
  if (first) a.control[kRounds] = round;
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  for (i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; i < a.rows * a.columns;
       i += stride) {
    const i64 row = i / a.columns, column = i - row * a.columns;
    a.out.put(
        i, load_relaxed(a.dist + row * a.n + (a.targets == nullptr ? column : a.targets[column])));
  }
}

}  // namespace warpath
