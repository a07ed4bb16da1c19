// hierarchy_upward.cuh - upward searches in a hierarchy from many sources, a block each.
//
// The places that a search reaches, some hundreds, are kept with their labels in a hash table.
// Places whose labels became less form the list of the next round; those of the top are reached but
// not searched. In the end a label is left out if a path down from a more important place is
// shorter, because the sweep finds that path.
//
// Work     each arc above a source once for each round that lowers the label of its tail.
// Traffic  bounds and arcs of rows, from L2; 4 B, 2 B and a label for each label that is left.
// Launch   any grid of whole groups.
// Shared   the hash table and two lists: 24 KiB, or 32 KiB with labels of 64 bits.
// Races    keys are claimed by atomicCAS, labels lowered by atomic minima, and the first to lower a
//          label in a round, by a bit, lists its place. The order of the labels written varies;
//          each place and source has one.
// Source   Geisberger, Sanders, Schultes, Delling 2008; here label-correcting, since all arcs lead
//          upward and few rounds lower a label again.
#pragma once

#include "table.cuh"

namespace warpath {

template <class W, class L>
struct HierarchyUpwardArgs {
  int sources;
  int width;            // sources of a sweep
  const int* starts;    // their places
  int top;              // places that are not searched
  const i64* up_first;  // the arcs up from each place
  const int* up_heads;
  const W* up_weights;
  const i64* down_first;  // the arcs down into each place
  const int* down_heads;
  const W* down_weights;
  u32 room;      // labels of a sweep
  u32* reached;  // of each sweep: the number of labels; 0 before
  int* reached_from;
  u16* lanes;
  L* reached_labels;
  const int* swept;  // where each place is swept over, -1 if it is not; null: where it is
  int* lost;         // set to 1 if the labels of a search or of a sweep do not fit
};

constexpr int kUpwardSlots = 2048;  // New York's searches reach at most 333 places
constexpr int kUpwardProbes = 64;   // after which a table counts as full
constexpr int kUpwardGroup = 8;     // threads that take a row

/// The places that a search has reached, with their labels; in shared memory.
template <class L>
struct ReachedPlaces {
  u32* keys;  // a place + 1; 0 in a free slot
  L* labels;

  static __device__ __forceinline__ u32 slot_of(int place) {
    return (static_cast<u32>(place) * 2654435761U) >> 21;
  }

  /// The slot of a place, which is claimed for it if it has none; -1 if there is no free slot.
  __device__ __forceinline__ int claim(int place) const {
    const u32 key = static_cast<u32>(place) + 1;
    u32 slot = slot_of(place);
    for (int probe = 0; probe < kUpwardProbes; ++probe) {
      u32 found = load_relaxed(keys + slot);
      if (found == 0) found = atomicCAS(keys + slot, 0U, key);
      if (found == 0 || found == key) return static_cast<int>(slot);
      slot = (slot + 1) % kUpwardSlots;
    }
    return -1;
  }

  /// The label of a place; unreachable if the search has not reached it.
  __device__ __forceinline__ L label(int place) const {
    const u32 key = static_cast<u32>(place) + 1;
    u32 slot = slot_of(place);
    for (int probe = 0; probe < kUpwardProbes; ++probe) {
      if (keys[slot] == key) return labels[slot];
      if (keys[slot] == 0) break;
      slot = (slot + 1) % kUpwardSlots;
    }
    return never<L>();
  }
};

/// Whether a path down from a more important place is shorter than a label.
template <class W, class L>
__device__ __forceinline__ bool stalled(const HierarchyUpwardArgs<W, L>& a,
                                        const ReachedPlaces<L>& reached, int place, L label) {
  if (place < a.top) return false;
  for (i64 arc = a.down_first[place]; arc < a.down_first[place + 1]; ++arc) {
    const L from = reached.label(a.down_heads[arc]);
    if (from != never<L>() && lowers(wrapping_sum(from, a.down_weights[arc]), label)) return true;
  }
  return false;
}

template <int kBlock, class W, class L>
__device__ __forceinline__ void hierarchy_upward(const HierarchyUpwardArgs<W, L>& a) {
  constexpr int kBits = kUpwardSlots / 32, kEach = kUpwardSlots / kBlock;
  WARPATH_SHARED(u32, keys, kUpwardSlots);
  WARPATH_SHARED(L, labels, kUpwardSlots);
  WARPATH_SHARED(u16, lists, 2 * kUpwardSlots);
  WARPATH_SHARED(u32, listed, 2 * kBits);
  WARPATH_SHARED(u32, sizes, 3);  // of the lists of a round and the next two
  WARPATH_SHARED(u32, written, 2);
  WARPATH_SHARED(int, full, 1);
  const int t = threadIdx.x;
  const ReachedPlaces<L> reached{keys, labels};
  for (int source = blockIdx.x; source < a.sources; source += gridDim.x) {
    for (int i = t; i < kUpwardSlots; i += kBlock) {
      keys[i] = 0;
      labels[i] = never<L>();
    }
    for (int i = t; i < 2 * kBits; i += kBlock) listed[i] = 0;
    if (t < 3) sizes[t] = 0;
    if (t == 0) full[0] = written[0] = 0;
    __syncthreads();
    if (t == 0) {
      const int place = a.starts[source];
      const u32 slot = ReachedPlaces<L>::slot_of(place);
      keys[slot] = static_cast<u32>(place) + 1;
      labels[slot] = L{0};
      lists[0] = static_cast<u16>(slot);
      sizes[0] = place < a.top ? 0 : 1;
    }
    __syncthreads();
    for (u32 round = 0; sizes[round % 3] != 0; ++round) {
      const u16* const now = lists + round % 2 * kUpwardSlots;
      u16* const next = lists + (round + 1) % 2 * kUpwardSlots;
      u32* const bits = listed + (round + 1) % 2 * kBits;
      const u32 count = sizes[round % 3];
      // Those that listed the places of this round are used again in the next one.
      for (int i = t; i < kBits; i += kBlock) listed[round % 2 * kBits + i] = 0;
      if (t == 0) sizes[(round + 2) % 3] = 0;
      for (u32 item = t / kUpwardGroup; item < count; item += kBlock / kUpwardGroup) {
        const u32 from = now[item];
        const i64 place = static_cast<i64>(load_relaxed(keys + from)) - 1;
        const L label = load_relaxed(labels + from);
        const i64 end = a.up_first[place + 1];
        for (i64 arc = a.up_first[place] + t % kUpwardGroup; arc < end; arc += kUpwardGroup) {
          const int head = a.up_heads[arc];
          const L sum = wrapping_sum(label, a.up_weights[arc]);
          const int slot = reached.claim(head);
          if (slot < 0) {
            store_relaxed(full, 1);
            continue;
          }
          if (!lowers(sum, load_relaxed(labels + slot))) continue;
          if (!lowers(sum, atomic_min(labels + slot, sum)) || head < a.top) continue;
          const u32 bit = 1U << (slot % 32);
          if ((atomicOr(bits + slot / 32, bit) & bit) != 0) continue;
          next[atomicAdd(sizes + (round + 1) % 3, 1U)] = static_cast<u16>(slot);
        }
      }
      __syncthreads();
    }
    u32 kept = 0;  // a bit for each slot of the thread
    for (int i = 0; i < kEach; ++i) {
      const int slot = i * kBlock + t;
      if (keys[slot] == 0) continue;
      const int place = static_cast<int>(keys[slot]) - 1;
      if (a.swept != nullptr && a.swept[place] < 0) continue;
      if (!stalled(a, reached, place, labels[slot])) kept |= 1U << i;
    }
    const u32 mine = kept == 0 ? 0 : atomicAdd(written, static_cast<u32>(__popc(kept)));
    __syncthreads();
    const int sweep = source / a.width;
    if (t == 0) {
      written[1] = atomicAdd(a.reached + sweep, written[0]);
      if (written[1] + written[0] > a.room) full[0] = 1;
      if (full[0] != 0) store_relaxed(a.lost, 1);
    }
    __syncthreads();
    if (full[0] == 0) {
      i64 at = static_cast<i64>(sweep) * a.room + written[1] + mine;
      for (int i = 0; i < kEach; ++i) {
        if ((kept >> i & 1) == 0) continue;
        const int slot = i * kBlock + t;
        const int place = static_cast<int>(keys[slot]) - 1;
        a.reached_from[at] = a.swept == nullptr ? place : a.swept[place];
        a.lanes[at] = static_cast<u16>(source % a.width);
        a.reached_labels[at] = labels[slot];
        ++at;
      }
    }
    __syncthreads();
  }
}

}  // namespace warpath
