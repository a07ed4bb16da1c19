// hierarchy_upward.cuh - upward searches in a hierarchy from many sources, a block each.
//
// The places below the top that a search reaches, some hundreds, are kept with their labels in a
// hash table. Those whose labels became less form the list of the next round; places of the top are
// reached but not searched. In the end a label is left out if a path down from a more important
// place is shorter, because the sweep finds that path.
//
// Work     each arc above a source once for each round that lowers the label of its tail.
// Traffic  bounds and arcs of rows, from L2; written: 6 B and the label for each label kept.
// Launch   any grid of whole groups.
// Shared   the hash table, two lists and the labels of the top: 29 KiB, or 45 KiB with labels of 64
//          bits.
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

constexpr int kUpwardSlots =
    2048;                          // the searches of a road of 1,000,000 reach at most 1,132 places
constexpr int kUpwardProbes = 64;  // after which a table counts as full
constexpr int kUpwardListed = 1024;  // places of a round
constexpr int kUpwardGroup = 8;      // threads that take a row
constexpr int kMostTop = 2048;       // places of the top

/// The places that a search has reached, with their labels; in shared memory.
template <class L>
struct ReachedPlaces {
  u32* keys;  // a place + 1; 0 in a free slot
  L* labels;
  int top;
  L* of_top;  // labels of the first `top` places, which have no keys

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
    if (place < top) return of_top[place];
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
  for (i64 arc = a.down_first[place]; arc < a.down_first[place + 1]; ++arc) {
    const L from = reached.label(a.down_heads[arc]);
    if (from != never<L>() && lowers(wrapping_sum(from, a.down_weights[arc]), label)) return true;
  }
  return false;
}

/// The search from one source. `full` is set if the places do not fit.
template <int kBlock, class W, class L>
__device__ __forceinline__ void search_upward(const HierarchyUpwardArgs<W, L>& a,
                                              const ReachedPlaces<L>& reached, int start,
                                              u16* lists, u32* listed, u32* sizes, int* full) {
  constexpr int kBits = kUpwardSlots / 32;
  const int t = threadIdx.x;
  if (t == 0) {
    L* const label =
        start < a.top ? reached.of_top + start : reached.labels + ReachedPlaces<L>::slot_of(start);
    *label = L{0};
    if (start >= a.top) {
      const u32 slot = ReachedPlaces<L>::slot_of(start);
      reached.keys[slot] = static_cast<u32>(start) + 1;
      lists[0] = static_cast<u16>(slot);
      sizes[0] = 1;
    }
  }
  __syncthreads();
  for (u32 round = 0; sizes[round % 3] != 0; ++round) {
    const u16* const now = lists + round % 2 * kUpwardListed;
    u16* const next = lists + (round + 1) % 2 * kUpwardListed;
    u32* const bits = listed + (round + 1) % 2 * kBits;
    const u32 count = min(sizes[round % 3], static_cast<u32>(kUpwardListed));
    // Those that listed the places of this round are used again in the next one.
    for (int i = t; i < kBits; i += kBlock) listed[round % 2 * kBits + i] = 0;
    if (t == 0) sizes[(round + 2) % 3] = 0;
    for (u32 item = t / kUpwardGroup; item < count; item += kBlock / kUpwardGroup) {
      const u32 from = now[item];
      const i64 place = static_cast<i64>(load_relaxed(reached.keys + from)) - 1;
      const L label = load_relaxed(reached.labels + from);
      const i64 end = a.up_first[place + 1];
      for (i64 arc = a.up_first[place] + t % kUpwardGroup; arc < end; arc += kUpwardGroup) {
        const int head = a.up_heads[arc];
        const L sum = wrapping_sum(label, a.up_weights[arc]);
        const int slot = head < a.top ? 0 : reached.claim(head);
        if (slot < 0) {
          store_relaxed(full, 1);
          continue;
        }
        L* const other = head < a.top ? reached.of_top + head : reached.labels + slot;
        if (!lowers(sum, load_relaxed(other))) continue;
        if (!lowers(sum, atomic_min(other, sum)) || head < a.top) continue;
        const u32 bit = 1U << (slot % 32);
        if ((atomicOr(bits + slot / 32, bit) & bit) != 0) continue;
        const u32 at = atomicAdd(sizes + (round + 1) % 3, 1U);
        if (at < kUpwardListed)
          next[at] = static_cast<u16>(slot);
        else
          store_relaxed(full, 1);
      }
    }
    __syncthreads();
  }
}

template <int kBlock, class W, class L>
__device__ __forceinline__ void hierarchy_upward(const HierarchyUpwardArgs<W, L>& a) {
  constexpr int kBits = kUpwardSlots / 32, kEach = (kUpwardSlots + kMostTop) / kBlock;
  WARPATH_SHARED(u32, keys, kUpwardSlots);
  WARPATH_SHARED(L, labels, kUpwardSlots);
  WARPATH_SHARED(L, of_top, kMostTop);
  WARPATH_SHARED(u16, lists, 2 * kUpwardListed);
  WARPATH_SHARED(u32, listed, 2 * kBits);
  WARPATH_SHARED(u32, sizes, 3);  // of the lists of a round and the next two
  WARPATH_SHARED(u32, written, 2);
  WARPATH_SHARED(int, full, 1);
  const int t = threadIdx.x;
  const ReachedPlaces<L> reached{keys, labels, a.top, of_top};
  for (int source = blockIdx.x; source < a.sources; source += gridDim.x) {
    for (int i = t; i < kUpwardSlots; i += kBlock) {
      keys[i] = 0;
      labels[i] = never<L>();
    }
    for (int i = t; i < a.top; i += kBlock) of_top[i] = never<L>();
    for (int i = t; i < 2 * kBits; i += kBlock) listed[i] = 0;
    if (t < 3) sizes[t] = 0;
    if (t == 0) full[0] = written[0] = 0;
    __syncthreads();
    search_upward<kBlock>(a, reached, a.starts[source], lists, listed, sizes, full);
    // Of slot i or, behind the slots, of place i - kUpwardSlots of the top; -1 for none.
    const auto place_of = [&](int i) {
      if (i < kUpwardSlots) return static_cast<int>(keys[i]) - 1;
      const int place = i - kUpwardSlots;
      return place < a.top && of_top[place] != never<L>() ? place : -1;
    };
    u64 kept[(kEach + 63) / 64] = {};  // a bit for each of the thread
    u32 count = 0;
    for (int i = 0; i < kEach; ++i) {
      const int at = i * kBlock + t, place = place_of(at);
      if (place < 0 || (a.swept != nullptr && a.swept[place] < 0)) continue;
      if (at >= kUpwardSlots || !stalled(a, reached, place, labels[at])) {
        kept[i / 64] |= u64{1} << (i % 64);
        ++count;
      }
    }
    const u32 mine = count == 0 ? 0 : atomicAdd(written, count);
    __syncthreads();
    const int sweep = source / a.width;
    if (t == 0) {
      written[1] = atomicAdd(a.reached + sweep, written[0]);
      if (written[1] + written[0] > a.room) full[0] = 1;
      if (full[0] != 0) store_relaxed(a.lost, 1);
    }
    __syncthreads();
    if (full[0] == 0) {
      i64 to = static_cast<i64>(sweep) * a.room + written[1] + mine;
      for (int i = 0; i < kEach; ++i) {
        if ((kept[i / 64] >> (i % 64) & 1) == 0) continue;
        const int at = i * kBlock + t, place = place_of(at);
        a.reached_from[to] = a.swept == nullptr ? place : a.swept[place];
        a.lanes[to] = static_cast<u16>(source % a.width);
        a.reached_labels[to] = reached.label(place);
        ++to;
      }
    }
    __syncthreads();
  }
}

}  // namespace warpath
