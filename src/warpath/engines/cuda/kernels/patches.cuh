// patches.cuh - one source of a deep graph: patches of vertices, relaxed in shared memory.
//
// Work     label-correcting below a threshold that one block raises; 1 to 4 relaxations an edge.
// Traffic  a visit reads its patch's labels and edges if the block visited another patch before,
//          and takes 2 atomics for each label of another patch that it lowers.
// Launch   all blocks at once. The last block raises the threshold and visits no patch. Each of the
//          others owns an equal range of patches, which no other block visits.
// Shared   a label for each vertex of one patch.
// Races    A patch's labels belong to its block. Another patch sends a label by atomic_min to a
//          slot, then lowers `pending` of the patch. A visit first takes `pending`, then reads the
//          slots, so a label sent later wakes the patch again.
//          `open` counts waiting patches, and kVisit for each visit in progress. A visit adds
//          kVisit before it can wake a patch, so `open` is 0 only when no patch waits and no visit
//          is in progress.
// Source   Delta-stepping over patches instead of vertices.
#pragma once

#include "grid.cuh"
#include "patch.cuh"

namespace warpath {

/// Relaxes the edges that leave the patch, from vertices that the visit relaxed; returns how many
/// patches woke. Several edges per thread overlap their latency: an atomic, a fence and another
/// atomic take as long for all of them as for one.
template <int kBlock, class W, class L>
__device__ __forceinline__ int relax_exits(const PatchArgs<W, L>& a, const L* label,
                                           const u32* fresh, const u16* tails, const u32* slots,
                                           const u32* owners, const W* exit_weights, u32 exits,
                                           L cutoff, Found<L>& found) {
  constexpr u32 kAtOnce = 2;
  int woken = 0;
  for (u32 i = threadIdx.x; i < exits; i += kAtOnce * kBlock) {
    L sum[kAtOnce];
    bool updated = false;
#pragma unroll
    for (u32 j = 0; j < kAtOnce; ++j) {
      const u32 exit = i + j * kBlock;
      sum[j] = never<L>();
      const u32 tail = exit < exits ? tails[exit] : 0;
      if (exit >= exits || !(fresh[tail / 32] >> (tail % 32) & 1)) continue;
      ++found.relaxed;
      const L there = wrapping_sum(label[tail], exit_weights[exit]);
      found.sum(there);
      if (lowers(cutoff, there) ||
          !(there < atomic_min_nonnegative(a.received + slots[exit], there)))
        continue;
      sum[j] = there;
      updated = true;
    }
    if (!updated) continue;
    __threadfence();
#pragma unroll
    for (u32 j = 0; j < kAtOnce; ++j)
      if (sum[j] != never<L>())
        woken += atomic_min_nonnegative(a.pending + owners[i + j * kBlock], sum[j]) == never<L>();
  }
  return woken;
}

template <int kBlock, int kEach, class W, class L>
__device__ __forceinline__ void visit_all(const PatchArgs<W, L>& a) {
  using Patch = HeldPatch<kBlock, kEach, W, L>;
  WARPATH_LENT_SHARED(lent, (Memory<W, L>::bytes(Patch::kSize, a.edge_room, a.exit_room)));
  // Threshold of the visit; minimum label that it leaves; minimum that the block last reported.
  WARPATH_SHARED(L, labels, 3);
  // Patch to visit; whether it received labels; patches it woke; visits; whether it had waited.
  WARPATH_SHARED(int, words, 5);
  // Rows of the table for the patches of this visit and of the previous one.
  WARPATH_SHARED(u32, rows, 2 * kRow);
  WARPATH_SHARED(u32, fresh, Patch::kWords);  // a bit per vertex: relaxed by this visit
  const Memory<W, L> memory(lent, Patch::kSize, a.edge_room, a.exit_room);
  L* const label = memory.label;
  const int t = threadIdx.x;
  const int first = first_patch(blockIdx.x, a.patches);
  const int mine = first_patch(blockIdx.x + 1, a.patches) - first;
  Patch held;
  Found<L> found;
  // An integer label must be below the one that means unreachable.
  const L cutoff = L(0.5) == L(0) && a.cutoff == never<L>() ? never<L>() - L{1} : a.cutoff;
  if (t == 0) {
    labels[2] = load_relaxed(a.minimum + blockIdx.x);
    words[3] = 0;
  }
  for (;;) {
    // 1. Choose a patch. The last thread takes `pending` while the others load the patch, before
    // any slot is read.
    if (t < 32) {
      const Choice<L> choice = choose(a, first, mine, labels + 2);
      if (t == 0) {
        words[0] = choice.patch;
        labels[0] = choice.threshold;
        labels[1] = never<L>();
        words[2] = 0;
      }
    }
    __syncthreads();
    const int patch = words[0];
    if (patch < 0) break;
    const bool moved = patch != held.patch;
    u32* const row = rows + words[3] % 2 * kRow;
    if (t == kBlock - 1) {
      atomicAdd(a.open, kVisit);
      u32 own[kRow];
#pragma unroll
      for (int i = 0; i < kRow; ++i) own[i] = a.table[kRow * static_cast<i64>(patch) + i];
      const bool left = a.left[patch] != never<L>();
      words[1] = atomic_exchange(a.pending + patch, never<L>()) != never<L>();
      words[4] = left;
#pragma unroll
      for (int i = 0; i < kRow; ++i) row[i] = own[i];
      __threadfence();
    }
    if (moved) {
      held.store(a, rows + (words[3] + 1) % 2 * kRow, label);
      held.load(a, memory, patch);
    }
    __syncthreads();
    if (words[1]) {
#pragma unroll
      for (int k = 0; k < kEach; ++k) {
        const u32 v = t + k * kBlock;
        if (v >= row[3]) break;
        const L received = load_relaxed(a.received + row[2] + v);
        if (received < label[v]) label[v] = received;
      }
    }
    found.fresh = 0;
    __syncthreads();

    // 2. Relax inner edges.
    if (held.inside)
      relax(held, label, memory.weights, memory.targets, labels[0], cutoff, moved, found);
    else
      relax(held, label, a.weights, a.targets, labels[0], cutoff, moved, found);

    // 3. Relax the edges that leave the patch, and find the minimum label left unrelaxed.
    L rest = never<L>();
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const L own = label[t + k * kBlock];
      if (own < held.done[k]) rest = min(rest, own);
      const u32 bits = __ballot_sync(~0u, found.fresh >> k & 1);
      if (t % 32 == 0) fresh[(t + k * kBlock) / 32] = bits;
    }
    __syncthreads();
    const int woken =
        held.inside ? relax_exits<kBlock>(a, label, fresh, memory.tails, memory.slots,
                                          memory.owners, memory.exit_weights, row[7], cutoff, found)
                    : relax_exits<kBlock>(a, label, fresh, a.tails + row[6], a.slots + row[6],
                                          a.owners + row[6], a.exit_weights + row[6], row[7],
                                          cutoff, found);
    if (woken != 0) atomicAdd(words + 2, woken);
    if (rest != never<L>()) atomic_min(labels + 1, rest);
    __syncthreads();
    if (t == 0) {
      const bool waits = labels[1] != never<L>();
      a.left[patch] = labels[1];
      ++words[3];
      const int change = words[2] + waits - words[4] - words[1];
      atomicAdd(a.open, static_cast<u64>(static_cast<i64>(change)) - kVisit);
    }
  }
  held.store(a, rows + (words[3] + 1) % 2 * kRow, label);
  if (overflows(found.longest)) store_relaxed(a.lost, 1);
  if (t == 0) atomicAdd(a.counts, static_cast<u64>(words[3]));
  atomicAdd(a.counts + 1, static_cast<u64>(found.relaxed));
}

template <int kBlock, int kEach, class W, class L>
__device__ __forceinline__ void solve_patches(const PatchArgs<W, L>& a) {
  constexpr int kWords = kBlock * kEach / 32;
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  const i64 self = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  const u32 source = a.places[a.source];

  // 1. Only the source waits.
  for (i64 i = self; i < a.n; i += stride) a.labels[i] = i == source ? L{0} : never<L>();
  for (i64 i = self; i < a.size; i += stride) store_relaxed(a.received + i, never<L>());
  const int first = first_patch(blockIdx.x, a.patches);
  const int words = (first_patch(blockIdx.x + 1, a.patches) - first) * kWords;
  bool here = false;
  for (int i = threadIdx.x; i < words; i += kBlock) {
    const i64 p = first + i / kWords;
    const u32 at = source - a.table[kRow * p];  // past its vertices unless the source is in it
    const bool there = at < a.table[kRow * p + 1];
    a.unsettled[p * kWords + i % kWords] =
        there && at / 32 == static_cast<u32>(i % kWords) ? 1u << (at % 32) : 0;
    if (i % kWords != 0) continue;
    a.left[p] = there ? L{0} : never<L>();
    store_relaxed(a.pending + p, never<L>());
    here = here || there;
  }
  here = __syncthreads_or(here);
  if (threadIdx.x == 0) store_relaxed(a.minimum + blockIdx.x, here ? L{0} : never<L>());
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
    coordinate<kBlock>(a);
  else
    visit_all<kBlock, kEach>(a);
  meet(a.arrived);

  // 3. The answer, by vertices.
  for (i64 v = self; v < a.n; v += stride) a.dist[v] = load_relaxed(a.labels + a.places[v]);
  conclude(a.halt, a.status, [&] {
    a.status[1] = static_cast<i64>(load_relaxed(a.counts));
    a.status[2] = static_cast<i64>(load_relaxed(a.counts + 1));
    return load_relaxed(a.state) == kStopped ? kHalted : load_relaxed(a.lost) ? kLost : kDone;
  });
}

}  // namespace warpath
