// counting_upward.cuh - counting sweeps: the search upward, and shares on the way back.
#pragma once

#include "counting_block.cuh"

namespace warpath {

/// The number of the line of a place in the search upward, made if there is none; -1 without room.
/// All lanes of a warp call it, and no other warp for the same place before the next barrier.
template <class L>
__device__ __forceinline__ int line_of(const CountingSweepArgs<L>& a, const CountingBlock<L>& b,
                                       int place, int* count) {
  const int lane = threadIdx.x % 32;
  int number = b.numbers[place] - 1;
  if (number >= 0) return number;
  if (lane == 0) number = atomicAdd(count, 1);
  number = __shfl_sync(~0u, number, 0);
  if (number >= a.room) {
    if (lane == 0) atomicOr(a.failed, 1);
    return -1;
  }
  b.up_labels[number * kLine + lane] = never<L>();
  b.up_paths[number * kLine + lane] = 0;
  if (lane == 0) {
    b.numbers[place] = number + 1;
    const int position = a.positions[place];
    atomicOr(b.queue + position / 32, 1u << (position % 32));
  }
  __syncwarp();
  return number;
}

/// Takes the largest position of the queue, of whose words none after `word` has one; -1 if there
/// is none. All lanes of a warp call it.
__device__ __forceinline__ int take_largest(u32* queue, int& word) {
  const int lane = threadIdx.x % 32;
  for (; word >= 0; word -= 32) {
    const u32 mine = word >= lane ? queue[word - lane] : 0;
    const u32 some = __ballot_sync(~0u, mine != 0);
    if (some == 0) continue;
    const int from = __ffs(static_cast<int>(some)) - 1;
    const u32 bits = __shfl_sync(~0u, mine, from);
    const int bit = 31 - __clz(static_cast<int>(bits));
    word -= from;
    if (lane == 0) queue[word] = bits & ~(1u << bit);
    __syncwarp();
    return word * 32 + bit;
  }
  return -1;
}

/// Labels what can be reached upward from the sources, and counts paths. Returns how many places.
template <int kBlock, class L>
__device__ __forceinline__ int search_up(const CountingSweepArgs<L>& a, const CountingBlock<L>& b,
                                         const int* starts, int* count, int* taken) {
  constexpr int kWarps = kBlock / 32;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int word = a.places / 32, reached = 0;
  if (threadIdx.x == 0) *count = 0;
  __syncthreads();
  if (warp == 0) {
    for (int source = 0; source < kLine; ++source) {
      if (starts[source] < 0) continue;
      const int number = line_of(a, b, starts[source], count);
      if (number >= 0 && lane == source) {
        b.up_labels[number * kLine + lane] = L{};
        b.up_paths[number * kLine + lane] = 1;
      }
      __syncwarp();
    }
  }
  for (;;) {
    __syncthreads();
    if (warp == 0) {
      const int position = take_largest(b.queue, word);
      if (lane == 0) *taken = position < 0 ? -1 : a.place_of[position];
    }
    __syncthreads();
    const int place = *taken;
    if (place < 0) return reached;
    if (threadIdx.x == 0) b.reached[reached] = place;
    ++reached;
    const int from = (b.numbers[place] - 1) * kLine + lane;
    const L label = b.up_labels[from];
    const double paths = b.up_paths[from];
    for (i64 arc = a.up.first[place] + warp; arc < a.up.first[place + 1]; arc += kWarps) {
      const int number = line_of(a, b, a.up.heads[arc], count);
      if (number < 0 || label == never<L>()) continue;
      const int to = number * kLine + lane;
      const L sum = wrapping_sum(label, a.up.weights[arc]), before = b.up_labels[to];
      if (lowers(sum, before)) {
        b.up_labels[to] = sum;
        b.up_paths[to] = paths * a.up.counts[arc];
      } else if (sum == before) {
        b.up_paths[to] += paths * a.up.counts[arc];
      }
    }
  }
}

/// Gives the places of the search upward, the most important first, the shares of those where paths
/// turn down. One warp does; `ends` are the targets that each source reaches.
template <class L>
__device__ __forceinline__ void return_up(const CountingSweepArgs<L>& a, const CountingBlock<L>& b,
                                          int reached, int start, const int* ends) {
  constexpr int kAtOnce = 4;
  const int lane = threadIdx.x % 32;
  for (int i = reached; i-- > 0;) {
    const i64 place = b.reached[i];
    const int number = b.numbers[place] - 1, at = number * kLine + lane;
    const L label = b.up_labels[at];
    const double paths = b.up_paths[at];
    double shares = (b.turns[number] >> lane & 1) != 0 ? b.shares[place * kLine + lane] : 0;
    double through = 0;
    const i64 end = a.up.first[place + 1];
    for (i64 first = a.up.first[place]; first < end; first += 32) {
      const int count = end - first < 32 ? static_cast<int>(end - first) : 32;
      const int mine = lane < count ? b.numbers[a.up.heads[first + lane]] - 1 : 0;
      const L weight = lane < count ? a.up.weights[first + lane] : L{};
      double sum = 0;
      for (int some = 0; some < count; some += kAtOnce) {
        double from[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const int arc = min(some + k, count - 1), of = __shfl_sync(~0u, mine, arc) * kLine + lane;
          const L to = wrapping_sum(label, __shfl_sync(~0u, weight, arc));
          const bool tight = label != never<L>() && some + k < count && to == b.up_labels[of];
          from[k] = tight ? b.up_shares[of] * a.up.counts[first + arc] : 0;
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const double share = paths * from[k];
          shares += from[k];
          through += share;
          const double of_all = sum_of_items(share);
          if (lane == some + k) sum = of_all;
        }
      }
      if (lane < count) b.of_up[first + lane] = sum;
    }
    b.up_shares[at] = shares;
    const double of_item = sum_of_item(place == start ? 0 : through);
    const u32 own = __ballot_sync(~0u, a.endpoints != 0 && place == start);
    double sum = 0;
    for (int item = 0; item < 4; ++item) {
      sum += b.parts[number * 4 + item];
      sum += __shfl_sync(~0u, of_item, 8 * item);
      for (u32 sources = own & 255u << (8 * item); sources != 0; sources &= sources - 1)
        sum += ends[__ffs(static_cast<int>(sources)) - 1];
    }
    if (lane == 0) b.of_places[place] = sum;
    __syncwarp();
  }
}

}  // namespace warpath
