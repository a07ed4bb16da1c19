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
// End      `open` counts patches that wait, and kVisit for each visit under way, which it adds
//          before it can wake anyone: so it is 0 only when nothing waits and nobody visits.
// Source   Delta-stepping over patches instead of vertices.
#pragma once

#include "grid.cuh"
#include "halt.cuh"
#include "table.cuh"

namespace warpath {

enum PatchState : int { kVisiting = 0, kAtRest = 1, kStopped = 2 };

constexpr u64 kVisit = u64{1} << 32;
constexpr int kRow = 8;

template <class W, class L>
struct PatchArgs {
  i64 n, size;        // size: of the slots
  int patches, each;  // each: patches of a block
  u32 source;
  const u32* places;  // n: of each vertex
  const u32* table;   // kRow a patch: first place, vertices; first slot, slots; edges; exits
  const u32* begin;   // n + 1: where the edges of a place begin that stay in the patch
  const u16* targets;
  const W* weights;
  const u32* exits;   // n + 1: where those begin that leave it
  const u32* slots;   // where they lead
  const W* tolls;     // their weights
  const u32* owners;  // of each slot: its patch
  int room, gates;    // edges that stay, and that leave, which shared memory has room for
  L delta;
  L cutoff;        // labels above it are not kept
  L* labels;       // n, by places: of the patches that lie in no block's memory
  u32* unsettled;  // a bit a vertex, likewise: its label fell since it was relaxed
  L* news;         // of each slot: the least label that was left there
  L* pending;      // of each patch: the least of the news since it was last visited
  L* left;         // of each patch: the least label that its last visit did not relax
  L* least;        // of each block: what waits, as it last said
  u64* open;       // see End
  L* threshold;    // visits relax labels below it
  int* state;      // PatchState
  u32* arrived;    // of the grid's barrier
  int* lost;       // set to 1 where a sum does not fit the labels
  u64* counts;     // visits, relaxations
  const int* halt;
  i64* said;  // to the host: how it ended, visits, relaxations
  L* dist;    // n, by vertices
};

/// Reads shared memory that another thread of the block may write at the same time.
/// NVRTC makes of an atomic load one that does not know that the memory is shared.
template <class T>
__device__ __forceinline__ T load_block(const T* place) {
#ifdef WARPATH_EMULATED
  return load_relaxed(place);
#else
  return *static_cast<const volatile T*>(place);
#endif
}

/// Replaces a label and returns what it was.
__device__ __forceinline__ int atomic_exchange(int* place, int value) {
  return atomicExch(place, value);
}
__device__ __forceinline__ float atomic_exchange(float* place, float value) {
  return atomicExch(place, value);
}
__device__ __forceinline__ i64 atomic_exchange(i64* place, i64 value) {
  return static_cast<i64>(atomicExch(reinterpret_cast<u64*>(place), static_cast<u64>(value)));
}
__device__ __forceinline__ double atomic_exchange(double* place, double value) {
  return __longlong_as_double(
      atomic_exchange(reinterpret_cast<i64*>(place), __double_as_longlong(value)));
}

template <class L>
__device__ __forceinline__ L warp_least(L value) {
  for (int step = 16; step > 0; step /= 2) value = min(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

/// Raises the threshold while others visit, and says when all is done.
template <int kBlock, class W, class L>
__device__ void watch(const PatchArgs<W, L>& a) {
  WARPATH_SHARED(L, found, kBlock / 32);
  WARPATH_SHARED(int, over, 1);
  const int others = static_cast<int>(gridDim.x) - 1;
  L threshold = above(L{0}, a.delta), before = L{0};
  for (;;) {
    L low = never<L>();
    for (int i = threadIdx.x; i < others; i += kBlock) low = min(low, load_relaxed(a.least + i));
    low = warp_least(low);
    if (threadIdx.x % 32 == 0) found[threadIdx.x / 32] = low;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int w = 1; w < kBlock / 32; ++w) low = min(low, found[w]);
      over[0] = 0;
      // What one block has just passed on, the next may not have seen yet: the lesser of two looks.
      const L safe = min(low, before);
      before = low;
      const L next = above(safe, a.delta);
      if (safe != never<L>() && threshold < next) {
        threshold = next;
        store_relaxed(a.threshold, threshold);
      }
      const bool stopped = halted(a.halt);
      if (stopped || load_relaxed(a.open) == 0) {
        store_relaxed(a.state, static_cast<int>(stopped ? kStopped : kAtRest));
        over[0] = 1;
      }
    }
    __syncthreads();
    if (over[0]) return;
  }
}

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
    if (lane == 0 && best != *said) {
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

/// A block's shared memory, beside what its kernel declares.
template <class W, class L>
struct Memory {
  L* label;
  W* weights;
  W* tolls;
  u32* slots;
  u32* owners;
  u16* targets;
  u16* exits;

  __device__ Memory(char* memory, int vertices, int room, int gates) {
    label = reinterpret_cast<L*>(memory);
    weights = reinterpret_cast<W*>(label + vertices);
    tolls = weights + room;
    slots = reinterpret_cast<u32*>(tolls + gates);
    owners = slots + gates;
    targets = reinterpret_cast<u16*>(owners + gates);
    exits = targets + room;
  }

  static __device__ int bytes(int vertices, int room, int gates) {
    return vertices * static_cast<int>(sizeof(L)) +
           room * static_cast<int>(sizeof(W) + sizeof(u16)) +
           gates * static_cast<int>(sizeof(W) + 2 * sizeof(u32)) +
           (vertices + 1) * static_cast<int>(sizeof(u16));
  }
};

/// The patch that lies in a block's shared memory, and what each thread knows of its vertices:
/// number k of a thread is threadIdx.x + k * kBlock.
template <int kBlock, int kEach, class W, class L>
struct Held {
  static constexpr int kSize = kBlock * kEach;
  static constexpr int kWords = kSize / 32;
  static constexpr u32 kKept = 4;
  int patch = -1;
  bool inside = false;  // whether its edges lie in shared memory
  u32 slot = 0, slots = 0;
  u32 begin[kEach], end[kEach];
  L done[kEach];                 // the label that a vertex was last relaxed with
  bool kept = false;             // whether the first edges of each vertex lie in registers
  u32 target[kEach][kKept / 2];  // two in a word
  W weight[kEach][kKept];

  __device__ __forceinline__ void store(const PatchArgs<W, L>& a, const L* label) const {
    if (patch < 0) return;
    const u32* const row = a.table + kRow * static_cast<i64>(patch);
    const u32 first = row[0], vertices = row[1];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const u32 v = threadIdx.x + k * kBlock;
      const L own = label[v];
      const u32 bits = __ballot_sync(~0u, own < done[k]);
      if (threadIdx.x % 32 == 0) a.unsettled[static_cast<i64>(patch) * kWords + v / 32] = bits;
      if (v < vertices) a.labels[first + v] = own;
    }
  }

  __device__ __forceinline__ void load(const PatchArgs<W, L>& a, const Memory<W, L>& memory,
                                       int wanted) {
    patch = wanted;
    const u32* const row = a.table + kRow * static_cast<i64>(patch);
    const u32 first = row[0], vertices = row[1];
    slot = row[2];
    slots = row[3];
    const u32 exit = row[6], edges = row[5], gates = row[7];
    u32 edge = row[4];
    inside = edges <= static_cast<u32>(a.room) && gates <= static_cast<u32>(a.gates);
    if (inside) {
      for (u32 i = threadIdx.x; i < edges; i += kBlock) {
        memory.weights[i] = a.weights[edge + i];
        memory.targets[i] = a.targets[edge + i];
      }
      for (u32 i = threadIdx.x; i < gates; i += kBlock) {
        const u32 there = a.slots[exit + i];
        memory.tolls[i] = a.tolls[exit + i];
        memory.slots[i] = there;
        memory.owners[i] = a.owners[there];
      }
      for (u32 v = threadIdx.x; v <= vertices; v += kBlock)
        memory.exits[v] = static_cast<u16>(a.exits[first + v] - exit);
    } else {
      edge = 0;
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const u32 v = threadIdx.x + k * kBlock;
      const bool there = v < vertices;
      const u32 at = first + (there ? v : 0);
      const L own = there ? a.labels[at] : never<L>();
      const u32 bits = a.unsettled[static_cast<i64>(patch) * kWords + v / 32];
      begin[k] = a.begin[at] - edge;
      end[k] = a.begin[at + 1] - edge;
      done[k] = bits >> (v % 32) & 1 ? never<L>() : own;
      memory.label[v] = own;
    }
  }

  /// What a vertex lacks of first edges leads to itself, which lowers nothing.
  __device__ __forceinline__ void keep(const W* weights, const u16* targets) {
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
#pragma unroll
      for (u32 j = 0; j < kKept; ++j) {
        const bool there = begin[k] + j < end[k];
        const u32 number = there ? targets[begin[k] + j] : threadIdx.x + k * kBlock;
        target[k][j / 2] = j % 2 == 0 ? number : target[k][j / 2] | number << 16;
        weight[k][j] = there ? weights[begin[k] + j] : W{0};
      }
    }
  }
};

/// What a thread finds out.
template <class L>
struct Found {
  u32 fresh = 0;  // a bit for each of its vertices that a visit relaxed
  u32 relaxed = 0;
  L longest = L{0};  // of all sums, to tell whether one did not fit

  __device__ __forceinline__ void sum(L value) {
    using U = typename Bits<L>::Type;
    if constexpr (L(0.5) == L(0))
      longest = static_cast<L>(max(static_cast<U>(longest), static_cast<U>(value)));
  }
};

/// Lowers a label that is not negative.
__device__ __forceinline__ int atomic_least(int* place, int value) {
  return atomicMin(place, value);
}
__device__ __forceinline__ i64 atomic_least(i64* place, i64 value) {
  return atomicMin(place, value);
}
__device__ __forceinline__ float atomic_least(float* place, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(place), __float_as_int(value)));
}
__device__ __forceinline__ double atomic_least(double* place, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<i64*>(place), __double_as_longlong(value)));
}

/// Lowers a label of the patch to the length over an edge. There is one branch, for a pass takes as
/// long as its instructions follow each other.
template <class W, class L>
__device__ __forceinline__ void lower(L* label, u32 target, L from, W weight, L cutoff,
                                      Found<L>& found) {
  const L sum = grown(from, weight);
  found.sum(sum);
  if (!lowers(cutoff, sum)) atomic_least(label + target, sum);
}

/// Relaxes the edges that stay of what lies below the threshold, until nothing does. That takes no
/// more passes than a path has edges.
template <int kBlock, int kEach, class W, class L>
__device__ __forceinline__ void relax(Held<kBlock, kEach, W, L>& held, L* label, const W* weights,
                                      const u16* targets, L threshold, L cutoff, bool moved,
                                      Found<L>& found) {
  constexpr u32 kAtOnce = 4;
  if (moved) held.keep(weights, targets);
  for (int pass = 0; pass <= kBlock * kEach; ++pass) {
    bool any = false;
    L own[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) own[k] = load_block(label + threadIdx.x + k * kBlock);
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      if (!(own[k] < held.done[k] && own[k] < threshold)) continue;
      held.done[k] = own[k];
      found.fresh |= 1u << k;
      any = true;
#pragma unroll
      for (u32 j = 0; j < held.kKept; ++j) {
        const u32 target = held.target[k][j / 2] >> (j % 2 * 16) & 0xffff;
        lower(label, target, own[k], held.weight[k][j], cutoff, found);
      }
      const u32 end = held.end[k];
      found.relaxed += end - held.begin[k];
#pragma unroll 1
      for (u32 e = held.begin[k] + held.kKept; e < end; e += kAtOnce) {
        W weight[kAtOnce];
        u32 target[kAtOnce];
#pragma unroll
        for (u32 j = 0; j < kAtOnce; ++j) {
          const u32 i = min(e + j, end - 1);  // the last edge again does no harm
          weight[j] = weights[i];
          target[j] = targets[i];
        }
#pragma unroll
        for (u32 j = 0; j < kAtOnce; ++j) lower(label, target[j], own[k], weight[j], cutoff, found);
      }
    }
    if (!__syncthreads_or(any)) return;
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
                                     const Held<kBlock, kEach, W, L>& held, int k, L cutoff,
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
  using Patch = Held<kBlock, kEach, W, L>;
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
