// patch.cuh - a patch of vertices in a block's shared memory: its arrays and its relaxations.
#pragma once

#include "patch_schedule.cuh"

namespace warpath {

/// A block's dynamic shared memory.
template <class W, class L>
struct Memory {
  L* label;
  W* weights;
  W* exit_weights;
  u32* slots;
  u32* owners;
  u16* targets;
  u16* tails;

  __device__ Memory(char* memory, int vertices, int edge_room, int exit_room) {
    label = reinterpret_cast<L*>(memory);
    weights = reinterpret_cast<W*>(label + vertices);
    exit_weights = weights + edge_room;
    slots = reinterpret_cast<u32*>(exit_weights + exit_room);
    owners = slots + exit_room;
    targets = reinterpret_cast<u16*>(owners + exit_room);
    tails = targets + edge_room;
  }

  static __device__ int bytes(int vertices, int edge_room, int exit_room) {
    return vertices * static_cast<int>(sizeof(L)) +
           edge_room * static_cast<int>(sizeof(W) + sizeof(u16)) +
           exit_room * static_cast<int>(sizeof(W) + 2 * sizeof(u32) + sizeof(u16));
  }
};

/// The patch in a block's shared memory, and the registers of each thread for its vertices: vertex
/// k of a thread is number threadIdx.x + k * kBlock of the patch.
template <int kBlock, int kEach, class W, class L>
struct HeldPatch {
  static constexpr int kSize = kBlock * kEach;
  static constexpr int kWords = kSize / 32;
  static constexpr u32 kKept = 4;
  int patch = -1;
  bool inside = false;  // whether its edges are in shared memory
  u32 begin[kEach], end[kEach];
  L done[kEach];                 // the label that a vertex was last relaxed with
  bool kept = false;             // whether the first edges of each vertex are in registers
  u32 target[kEach][kKept / 2];  // two in a word
  W weight[kEach][kKept];

  struct Exit {
    W weight;
    u32 slot, owner;
    u16 tail;
  };
  struct Edge {
    W weight;
    u16 target;
  };

  /// Reads and stores the items numbered 0 to size - 1, kAtOnce reads of a thread in flight.
  template <u32 kAtOnce, class Read, class Put>
  static __device__ __forceinline__ void copy(u32 size, const Read& read, const Put& put) {
    for (u32 i = threadIdx.x; i < size; i += kAtOnce * kBlock) {
      decltype(read(i)) found[kAtOnce];
#pragma unroll
      for (u32 j = 0; j < kAtOnce; ++j) found[j] = read(min(i + j * kBlock, size - 1));
#pragma unroll
      for (u32 j = 0; j < kAtOnce; ++j)
        if (i + j * kBlock < size) put(i + j * kBlock, found[j]);
    }
  }

  /// Writes the labels back; `row` is the patch's row of the table.
  __device__ __forceinline__ void store(const PatchArgs<W, L>& a, const u32* row,
                                        const L* label) const {
    if (patch < 0) return;
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

  /// Loads a patch. All reads are issued before the first store, because memory latency is high.
  __device__ __forceinline__ void load(const PatchArgs<W, L>& a, const Memory<W, L>& memory,
                                       int wanted) {
    patch = wanted;
    const u32* const row = a.table + kRow * static_cast<i64>(patch);
    const u32 first = row[0], vertices = row[1];
    const u32 edge = row[4], edges = row[5], exit = row[6], exits = row[7];
    inside = edges <= static_cast<u32>(a.edge_room) && exits <= static_cast<u32>(a.exit_room);
    const u32 before = inside ? edge : 0;
    L own[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      const u32 v = threadIdx.x + k * kBlock;
      const bool there = v < vertices;
      const u32 at = first + (there ? v : 0);
      own[k] = there ? a.labels[at] : never<L>();
      const u32 bits = a.unsettled[static_cast<i64>(patch) * kWords + v / 32];
      begin[k] = a.begin[at] - before;
      end[k] = a.begin[at + 1] - before;
      done[k] = bits >> (v % 32) & 1 ? never<L>() : own[k];
    }
    if (inside) {
      copy<1>(
          exits,
          [&](u32 i) {
            return Exit{a.exit_weights[exit + i], a.slots[exit + i], a.owners[exit + i],
                        a.tails[exit + i]};
          },
          [&](u32 i, const Exit& each) {
            memory.exit_weights[i] = each.weight;
            memory.slots[i] = each.slot;
            memory.owners[i] = each.owner;
            memory.tails[i] = each.tail;
          });
      copy<4>(
          edges, [&](u32 i) { return Edge{a.weights[edge + i], a.targets[edge + i]}; },
          [&](u32 i, const Edge& each) {
            memory.weights[i] = each.weight;
            memory.targets[i] = each.target;
          });
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) memory.label[threadIdx.x + k * kBlock] = own[k];
  }

  /// Loads the first edges of each vertex into registers. Missing edges are loops, which lower no
  /// label.
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

/// The results of one thread.
template <class L>
struct Found {
  u32 fresh = 0;  // a bit for each of its vertices that a visit relaxed
  u32 relaxed = 0;
  L longest = L{0};  // the largest sum, which shows whether one overflowed

  __device__ __forceinline__ void sum(L value) {
    using U = typename Bits<L>::Type;
    if constexpr (L(0.5) == L(0))
      longest = static_cast<L>(max(static_cast<U>(longest), static_cast<U>(value)));
  }
};

/// Lowers a label that is not negative.
__device__ __forceinline__ int atomic_min_nonnegative(int* place, int value) {
  return atomicMin(place, value);
}
__device__ __forceinline__ i64 atomic_min_nonnegative(i64* place, i64 value) {
  return atomicMin(place, value);
}
__device__ __forceinline__ float atomic_min_nonnegative(float* place, float value) {
  return __int_as_float(atomicMin(reinterpret_cast<int*>(place), __float_as_int(value)));
}
__device__ __forceinline__ double atomic_min_nonnegative(double* place, double value) {
  return __longlong_as_double(
      atomicMin(reinterpret_cast<i64*>(place), __double_as_longlong(value)));
}

/// Lowers a label of the patch to the length over an edge. Only one branch: the latency of
/// dependent instructions determines the time of a pass.
template <class W, class L>
__device__ __forceinline__ void lower(L* label, u32 target, L from, W weight, L cutoff,
                                      Found<L>& found) {
  const L sum = wrapping_sum(from, weight);
  found.sum(sum);
  if (!lowers(cutoff, sum)) atomic_min_nonnegative(label + target, sum);
}

/// Relaxes the inner edges of vertices below the threshold until no label changes, in at most as
/// many passes as a path has edges.
template <int kBlock, int kEach, class W, class L>
__device__ __forceinline__ void relax(HeldPatch<kBlock, kEach, W, L>& held, L* label,
                                      const W* weights, const u16* targets, L threshold, L cutoff,
                                      bool moved, Found<L>& found) {
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
          const u32 i = min(e + j, end - 1);  // relaxing the last edge twice is harmless
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

}  // namespace warpath
