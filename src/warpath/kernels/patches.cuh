// patches.cuh - one source of a deep graph: patches of vertices, relaxed in shared memory.
//
// Work     label-correcting below a threshold that one block raises; 1 to 4 relaxations an edge.
// Traffic  a visit reads its patch's labels and edges where another patch was visited before, and
//          lowers labels of its neighbours at 2 atomics for each that hears news.
// Launch   all blocks at once; the last one watches and visits nothing. Block b has the patches
//          b * each .. b * each + each - 1, and nobody else visits them.
// Shared   a label a vertex of one patch.
// Races    A patch's labels belong to its block. What comes from other patches is left in a slot by
//          atomic_min, then the patch's `pending` is lowered; a visit first takes `pending`, then
//          reads the slots, so that news left after that wakes the patch again.
//          `open` counts patches that wait, and kVisit for each visit under way, which it adds
//          before it can wake anyone: so it is 0 only when nothing waits and nobody visits.
// Source   Delta-stepping over patches instead of vertices.
#pragma once

#include "grid.cuh"
#include "patch.cuh"

namespace warpath {

/// What a block's first warp chose; the patch is -1 when all is done.
template <class L>
struct Choice {
  int patch;
  L threshold;
};

/// Waits until a patch of the block has something below the threshold; the first warp calls it.
template <class W, class L>
__device__ __forceinline__ Choice<L> choose(const PatchArgs<W, L>& a, int first, int mine,
                                            L* said) {
  const int lane = threadIdx.x;
  __syncwarp();  // the first lane has written what the last visit left
  for (;;) {
    L best = never<L>();
    int at = first;
    for (int p = first + lane; p < first + mine; p += 32) {
      const L waits = min(load_relaxed(a.pending + p), a.left[p]);
      if (waits < best) {
        best = waits;
        at = p;
      }
    }
    const L threshold = load_relaxed(a.threshold);
    const int state = load_relaxed(a.state);
    for (int step = 16; step > 0; step /= 2) {
      const L label = __shfl_xor_sync(~0u, best, step);
      const int patch = __shfl_xor_sync(~0u, at, step);
      if (label < best || (label == best && patch < at)) {
        best = label;
        at = patch;
      }
    }
    // Volatile, or the compiler lets all lanes read what the first is about to write.
    if (lane == 0 && best != *static_cast<volatile L*>(said)) {
      *said = best;
      store_relaxed(a.least + blockIdx.x, best);
    }
    const int over = __shfl_sync(~0u, state, 0);
    if (over != kVisiting) return {-1, threshold};
    const L below = __shfl_sync(~0u, threshold, 0);
    if (best < below) return {at, below};
#ifdef WARPATH_EMULATED
    __nanosleep(0);
#endif
  }
}

/// Leaves a label at the end of an edge that leaves the patch; returns whether that woke another.
template <class W, class L>
__device__ __forceinline__ bool pass_on(const PatchArgs<W, L>& a, L label, W toll, u32 slot,
                                        u32 owner, L cutoff, Found<L>& found) {
  const L sum = grown(label, toll);
  found.sum(sum);
  if (lowers(cutoff, sum) || !(sum < atomic_least(a.news + slot, sum))) return false;
  __threadfence();
  return atomic_least(a.pending + owner, sum) == never<L>();
}

/// Follows the edges that leave the patch from a thread's vertex; returns how many patches woke.
template <int kBlock, int kEach, class W, class L>
__device__ __forceinline__ int leave(const PatchArgs<W, L>& a, const Memory<W, L>& memory,
                                     const HeldPatch<kBlock, kEach, W, L>& held, int k, L cutoff,
                                     Found<L>& found) {
  const u32 v = threadIdx.x + k * kBlock;
  int woken = 0;
  if (held.inside) {
    const u32 from = memory.exits[v], to = memory.exits[v + 1];
    found.relaxed += to - from;
#pragma unroll 1
    for (u32 e = from; e < to; ++e)
      woken += pass_on(a, held.done[k], memory.tolls[e], memory.slots[e], memory.owners[e], cutoff,
                       found);
  } else {
    const u32 place = a.table[kRow * static_cast<i64>(held.patch)] + v;
    const u32 from = a.exits[place], to = a.exits[place + 1];
    found.relaxed += to - from;
#pragma unroll 1
    for (u32 e = from; e < to; ++e)
      woken +=
          pass_on(a, held.done[k], a.tolls[e], a.slots[e], a.owners[a.slots[e]], cutoff, found);
  }
  return woken;
}

template <int kBlock, int kEach, class W, class L>
__device__ __forceinline__ void visit_all(const PatchArgs<W, L>& a) {
  using Patch = HeldPatch<kBlock, kEach, W, L>;
  WARPATH_LENT_SHARED(lent, (Memory<W, L>::bytes(Patch::kSize, a.room, a.gates)));
  // The threshold of a visit; the least label that it leaves; what the block last said waits.
  WARPATH_SHARED(L, labels, 3);
  // The patch to visit; whether it has news; how many it woke; visits.
  WARPATH_SHARED(int, words, 4);
  const Memory<W, L> memory(lent, Patch::kSize, a.room, a.gates);
  L* const label = memory.label;
  const int t = threadIdx.x;
  const int first = min(static_cast<int>(blockIdx.x) * a.each, a.patches);
  const int mine = min(a.each, a.patches - first);
  Patch held;
  Found<L> found;
  // Among integers what fits is less than what means none.
  const L cutoff = L(0.5) == L(0) && a.cutoff == never<L>() ? never<L>() - L{1} : a.cutoff;
  if (t == 0) {
    labels[2] = load_relaxed(a.least + blockIdx.x);
    words[3] = 0;
  }
  for (;;) {
    // 1. A patch; its news are taken before they are read.
    if (t < 32) {
      const Choice<L> choice = choose(a, first, mine, labels + 2);
      if (t == 0) {
        words[0] = choice.patch;
        labels[0] = choice.threshold;
        labels[1] = never<L>();
        words[2] = 0;
        if (choice.patch >= 0) {
          atomicAdd(a.open, kVisit);
          words[1] = atomic_exchange(a.pending + choice.patch, never<L>()) != never<L>();
          __threadfence();
        }
      }
    }
    __syncthreads();
    const int patch = words[0];
    if (patch < 0) break;
    const bool moved = patch != held.patch;
    if (moved) {
      held.store(a, label);
      held.load(a, memory, patch);
    }
    if (words[1]) {
#pragma unroll
      for (int k = 0; k < kEach; ++k) {
        const u32 v = t + k * kBlock;
        if (v >= held.slots) break;
        const L news = load_relaxed(a.news + held.slot + v);
        if (news < label[v]) label[v] = news;
      }
    }
    found.fresh = 0;
    __syncthreads();

    // 2. Relaxations inside.
    if (held.inside)
      relax(held, label, memory.weights, memory.targets, labels[0], cutoff, moved, found);
    else
      relax(held, label, a.weights, a.targets, labels[0], cutoff, moved, found);

    // 3. What leaves the patch, and what is left in it.
    int woken = 0;
    L rest = never<L>();
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const L own = label[t + k * kBlock];
      if (own < held.done[k]) rest = min(rest, own);
      if (found.fresh >> k & 1) woken += leave(a, memory, held, k, cutoff, found);
    }
    if (woken != 0) atomicAdd(words + 2, woken);
    if (rest != never<L>()) atomic_min(labels + 1, rest);
    __syncthreads();
    if (t == 0) {
      const bool waited = a.left[patch] != never<L>(), waits = labels[1] != never<L>();
      a.left[patch] = labels[1];
      ++words[3];
      const int change = words[2] + waits - waited - words[1];
      atomicAdd(a.open, static_cast<u64>(static_cast<i64>(change)) - kVisit);
    }
  }
  held.store(a, label);
  if (leaves(found.longest)) store_relaxed(a.lost, 1);
  if (t == 0) atomicAdd(a.counts, static_cast<u64>(words[3]));
  atomicAdd(a.counts + 1, static_cast<u64>(found.relaxed));
}

template <int kBlock, int kEach, class W, class L>
__device__ __forceinline__ void solve_patches(const PatchArgs<W, L>& a) {
  constexpr int kWords = kBlock * kEach / 32;
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  const i64 self = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  const u32 source = a.places[a.source];

  // 1. Nothing waits but the source.
  for (i64 i = self; i < a.n; i += stride) a.labels[i] = i == source ? L{0} : never<L>();
  for (i64 i = self; i < a.size; i += stride) store_relaxed(a.news + i, never<L>());
  const int first = min(static_cast<int>(blockIdx.x) * a.each, a.patches);
  const int words = min(a.each, a.patches - first) * kWords;
  bool here = false;
  for (int i = threadIdx.x; i < words; i += kBlock) {
    const i64 p = first + i / kWords;
    const u32 at = source - a.table[kRow * p];  // beyond its vertices unless it lies there
    const bool there = at < a.table[kRow * p + 1];
    a.unsettled[p * kWords + i % kWords] =
        there && at / 32 == static_cast<u32>(i % kWords) ? 1u << (at % 32) : 0;
    if (i % kWords != 0) continue;
    a.left[p] = there ? L{0} : never<L>();
    store_relaxed(a.pending + p, never<L>());
    here = here || there;
  }
  here = __syncthreads_or(here);
  if (threadIdx.x == 0) store_relaxed(a.least + blockIdx.x, here ? L{0} : never<L>());
  if (self == 0) {
    store_relaxed(a.open, u64{1});
    store_relaxed(a.threshold, above(L{0}, a.delta));
    store_relaxed(a.state, static_cast<int>(kVisiting));
    store_relaxed(a.lost, 0);
    a.counts[0] = a.counts[1] = 0;
  }
  meet(a.arrived);

  // 2. The solve.
  if (blockIdx.x == gridDim.x - 1)
    watch<kBlock>(a);
  else
    visit_all<kBlock, kEach>(a);
  meet(a.arrived);

  // 3. The answer, by vertices.
  for (i64 v = self; v < a.n; v += stride) a.dist[v] = load_relaxed(a.labels + a.places[v]);
  if (self != 0) return;
  a.said[1] = static_cast<i64>(a.counts[0]);
  a.said[2] = static_cast<i64>(a.counts[1]);
  a.said[0] = load_relaxed(a.state) == kStopped ? kHalted : load_relaxed(a.lost) ? kLost : kDone;
}

}  // namespace warpath
