// counting_sweep.cuh - betweenness from up to 32 sources by one block: a search up, a sweep down,
// a sweep back.
//
// The same additions in the same order as CountingSweep of the core, so the same bits. Vertices of
// the hierarchy are places, level by level, so that arcs lead to a place from earlier levels. Each
// lane of a warp has a source, and lanes of 8 form the items whose shares the core adds up
// together.
//
// Work     two passes over the arcs for all sources.
// Traffic  for each arc a line of labels, and for tight arcs one of paths and one of shares; for
//          each place these lines are written and read again: 20 B a place and source.
// Launch   a block for each 32 sources; blocks do not meet.
// Shared   some words.
// Races    lines that a search reaches are numbered by an atomic addition, and the number says only
//          where they are. Everything else has one writer between barriers of the block.
// Source   Delling, Goldberg, Nowatzyk, Werneck 2011, PHAST; Brandes 2001 for the shares.
#pragma once

#include "table.cuh"

namespace warpath {

/// The arcs between each place and more important places.
template <class L>
struct CountedArcs {
  const i64* first;  // of each place and one more
  const int* heads;
  const L* weights;
  const double* counts;  // of shortest paths that an arc stands for
};

template <class L>
struct CountingSweepArgs {
  int places;
  int levels;
  const i64* level_first;  // levels + 1: the first place of each level
  const int* positions;    // of each place: its place in the order of importance
  const int* place_of;     // the inverse
  CountedArcs<L> down;
  CountedArcs<L> up;
  const i64* back_first;  // places + 1: the arcs down that lead from each place
  const int* back_tails;  // the place that each leads to, the least important one first
  const int* back_arcs;   // its number among the arcs down
  const u8* is_target;    // of each place
  int endpoints;          // whether the ends of a path count as vertices on it
  const int* starts;      // 32 places for each block; -1 for none
  int room;               // lines of a search upward
  // Of each block. In `numbers` and `queue` all are 0 before and after.
  double* paths;      // places lines
  double* shares;     // places lines, of labels until the sweep back
  u32* tight;         // arcs down: the lanes in which an arc is on a shortest path
  int* numbers;       // places: 1 + the number of the line of a search upward
  u32* queue;         // a bit for each position
  int* reached;       // room: places in descending order of positions
  L* up_labels;       // room lines
  double* up_paths;   // room lines
  double* up_shares;  // room lines
  u32* turns;         // room: the lanes in which shortest paths turn down at a place reached
  double* parts;      // room * 4: shares of items of the places reached
  double* sums;       // places, arcs up and arcs down
  int* failed;        // 1: no room, 2: more than 1e300 paths
};

constexpr int kLine = 32;

/// The sum of the 8 lanes of each item, in each of them.
__device__ __forceinline__ double sum_of_item(double value) {
#pragma unroll
  for (int half = 4; half > 0; half /= 2) value += __shfl_xor_sync(~0u, value, half);
  return value;
}

/// The sum over all items, one after the other.
__device__ __forceinline__ double sum_of_items(double value) {
  const double of_item = sum_of_item(value);
  double sum = __shfl_sync(~0u, of_item, 0);
#pragma unroll
  for (int item = 1; item < 4; ++item) sum += __shfl_sync(~0u, of_item, 8 * item);
  return sum;
}

/// What a block has of the arrays of all blocks.
template <class L>
struct CountingBlock {
  L* labels;
  double* paths;
  double* shares;
  u32* tight;
  int* numbers;
  u32* queue;
  int* reached;
  L* up_labels;
  double* up_paths;
  double* up_shares;
  u32* turns;
  double* parts;
  double* of_places;
  double* of_up;
  double* of_down;

  __device__ __forceinline__ CountingBlock(const CountingSweepArgs<L>& a, i64 block) {
    const i64 ups = a.up.first[a.places], downs = a.down.first[a.places];
    const i64 lines = block * a.places * kLine, up_lines = block * a.room * kLine;
    paths = a.paths + lines;
    shares = a.shares + lines;
    labels = as<L>(shares);
    tight = a.tight + block * downs;
    numbers = a.numbers + block * a.places;
    queue = a.queue + block * (a.places / 32 + 1);
    reached = a.reached + block * a.room;
    up_labels = a.up_labels + up_lines;
    up_paths = a.up_paths + up_lines;
    up_shares = a.up_shares + up_lines;
    turns = a.turns + block * a.room;
    parts = a.parts + block * a.room * 4;
    of_places = a.sums + block * (a.places + ups + downs);
    of_up = of_places + a.places;
    of_down = of_up + ups;
  }
};

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

/// Rows of arcs of up to 32 places, one after the other. Each lane of a warp has the row of a
/// place, and one of 32 arcs that `Arcs` loads together: so few loads wait for each other.
template <class Arcs>
struct RowsOfWarp {
  const i64 base;  // the first arc
  int begin;       // the lane's row, from `base` on
  int end;
  int loaded = -32;  // the first of the arcs that lanes have
  Arcs arcs;

  __device__ __forceinline__ RowsOfWarp(const i64* first, i64 place, int places, const Arcs& arcs)
      : base(first[place]), arcs(arcs) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    begin = static_cast<int>(first[place + min(lane, places)] - base);
    end = lane < places ? static_cast<int>(first[place + lane + 1] - base) : begin;
  }

  /// Calls visit(at, count) for the arcs of row `i`, up to 32 at a time; `at` is the lane of the
  /// first one.
  template <class Visit>
  __device__ __forceinline__ void each(int i, const Visit& visit) {
    const int last = __shfl_sync(~0u, end, 31);
    const int stop = __shfl_sync(~0u, end, i);
    for (int arc = __shfl_sync(~0u, begin, i); arc < stop; arc += 32) {
      const int count = min(stop - arc, 32);
      if (arc < loaded || arc + count > loaded + 32) {
        arcs.done();
        loaded = arc;
        const int lane = static_cast<int>(threadIdx.x % 32);
        arcs.load(base + arc + lane, arc + lane < last);
      }
      visit(arc - loaded, count);
    }
  }
};

/// The arcs down into places: each lane has the head and the weight of one.
template <class L>
struct ArcsDown {
  const CountedArcs<L>& rows;
  int head = 0;
  L weight{};

  __device__ __forceinline__ void done() {}
  __device__ __forceinline__ void load(i64 arc, bool some) {
    head = some ? rows.heads[arc] : 0;
    weight = some ? rows.weights[arc] : L{};
  }
};

/// Labels up to 32 places and counts the paths to them; all lanes of a warp call it.
template <class L>
__device__ __forceinline__ void sweep_down(const CountingSweepArgs<L>& a, const CountingBlock<L>& b,
                                           i64 first, int places) {
  constexpr int kAtOnce = 4;
  const int lane = threadIdx.x % 32;
  const int numbers = lane < places ? b.numbers[first + lane] : 0;
  RowsOfWarp rows(a.down.first, first, places, ArcsDown<L>{a.down});
  for (int i = 0; i < places; ++i) {
    const i64 place = first + i;
    const int number = __shfl_sync(~0u, numbers, i) - 1;
    L label = never<L>();
    double paths = 0;
    if (number >= 0) {
      label = b.up_labels[number * kLine + lane];
      paths = b.up_paths[number * kLine + lane];
    }
    const L before = label;
    const auto labels_and_sums = [&](int at, int count, int some, L(&sums)[kAtOnce],
                                     i64(&lines)[kAtOnce]) {
      L from[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const int arc = at + min(some + k, count - 1);  // the last one may repeat
        lines[k] = static_cast<i64>(__shfl_sync(~0u, rows.arcs.head, arc)) * kLine + lane;
        from[k] = b.labels[lines[k]];
        sums[k] = __shfl_sync(~0u, rows.arcs.weight, arc);
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        sums[k] = from[k] == never<L>() ? never<L>() : wrapping_sum(from[k], sums[k]);
    };
    rows.each(i, [&](int at, int count) {
      for (int some = 0; some < count; some += kAtOnce) {
        L sums[kAtOnce];
        i64 lines[kAtOnce];
        labels_and_sums(at, count, some, sums, lines);
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
          if (lowers(sums[k], label)) label = sums[k];
      }
    });
    if (before != label) paths = 0;
    rows.each(i, [&](int at, int count) {
      u32 mine = 0;
      const i64 arcs = rows.base + rows.loaded + at;
      for (int some = 0; some < count; some += kAtOnce) {
        L sums[kAtOnce];
        i64 lines[kAtOnce];
        labels_and_sums(at, count, some, sums, lines);
        double more[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const bool tight = some + k < count && sums[k] == label && label != never<L>();
          const u32 lanes = __ballot_sync(~0u, tight);
          if (lane == some + k) mine = lanes;
          more[k] = tight ? b.paths[lines[k]] * a.down.counts[arcs + some + k] : 0;
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) paths += more[k];
      }
      if (lane < count) b.tight[arcs + lane] = mine;
    });
    if (paths > 1e300) atomicOr(a.failed, 2);
    const u32 turns = __ballot_sync(~0u, before == label && label != never<L>());
    if (number >= 0 && lane == 0) b.turns[number] = turns;
    b.labels[place * kLine + lane] = label;
    b.paths[place * kLine + lane] = paths;
  }
}

/// The arcs down that lead from places: each lane has the place that one leads to, the lanes in
/// which it is on a shortest path, for how many paths it stands, and its sum.
template <class L>
struct ArcsBack {
  const CountingSweepArgs<L>& a;
  const CountingBlock<L>& b;
  int arc = -1;
  int tail = 0;
  u32 tight = 0;
  double count = 0;
  double sum = 0;

  __device__ __forceinline__ void done() {
    if (arc >= 0) b.of_down[arc] = sum;
  }
  __device__ __forceinline__ void load(i64 back, bool some) {
    arc = some ? a.back_arcs[back] : -1;
    tail = some ? a.back_tails[back] : 0;
    tight = some ? b.tight[arc] : 0;
    count = tight != 0 ? a.down.counts[arc] : 0;
    sum = 0;
  }
};

/// Gives up to 32 places their shares, and the arcs down from them their sums; all lanes of a warp
/// call it. Returns how many of the places are targets that the lane's source reaches.
template <class L>
__device__ __forceinline__ int sweep_back(const CountingSweepArgs<L>& a, const CountingBlock<L>& b,
                                          i64 first, int places, int start) {
  constexpr int kAtOnce = 4;
  const int lane = threadIdx.x % 32;
  const int numbers = lane < places ? b.numbers[first + lane] : 0;
  const u32 targets = __ballot_sync(~0u, lane < places && a.is_target[first + lane] != 0);
  RowsOfWarp rows(a.back_first, first, places, ArcsBack<L>{a, b});
  double sums = 0;  // of the lane's place
  int ends = 0;
  for (int i = 0; i < places; ++i) {
    const i64 place = first + i;
    const double paths = b.paths[place * kLine + lane];
    double shares = 0;
    rows.each(i, [&](int at, int count) {
      for (int some = 0; some < count; some += kAtOnce) {
        double from[kAtOnce];
        u32 lanes[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          const int arc = at + min(some + k, count - 1);
          lanes[k] = some + k < count ? __shfl_sync(~0u, rows.arcs.tight, arc) : 0;
          const i64 line = static_cast<i64>(__shfl_sync(~0u, rows.arcs.tail, arc)) * kLine;
          from[k] = (lanes[k] >> lane & 1) != 0 ? b.shares[line + lane] : 0;
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          if (lanes[k] == 0) continue;
          const double part = from[k] * __shfl_sync(~0u, rows.arcs.count, at + some + k);
          shares += part;
          const double sum = sum_of_items(paths * part);
          if (lane == at + some + k) rows.arcs.sum = sum;
        }
      }
    });
    const bool moved = place != start;
    const bool reached = (targets >> i & 1) != 0 && moved && paths > 0;
    double through = moved ? paths * shares : 0;
    if (a.endpoints != 0 && reached) through += 1;
    const int number = __shfl_sync(~0u, numbers, i) - 1;
    if (number < 0) {
      const double sum = sum_of_items(through);
      if (lane == i) sums = sum;
    } else {
      const double sum = sum_of_item(through);
      if (lane % 8 == 0) b.parts[number * 4 + lane / 8] = sum;
    }
    if (reached) {
      shares += 1 / paths;
      ++ends;
    }
    b.shares[place * kLine + lane] = shares;
  }
  rows.arcs.done();
  if (lane < places) b.of_places[first + lane] = sums;  // of a place of the search upward later
  return ends;
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

/// Calls visit(first, places) for all places of a level, up to 32 at a time by each warp, and
/// waits.
template <int kBlock, class L, class Visit>
__device__ __forceinline__ void each_level(const CountingSweepArgs<L>& a, int level,
                                           const Visit& visit) {
  constexpr int kWarps = kBlock / 32;
  const i64 begin = a.level_first[level], end = a.level_first[level + 1];
  const i64 share = (end - begin + kWarps - 1) / kWarps;
  const int some = share < 32 ? static_cast<int>(share) : 32;
  for (i64 place = begin + threadIdx.x / 32 * some; place < end; place += kWarps * some)
    visit(place, end - place < some ? static_cast<int>(end - place) : some);
  __syncthreads();
}

template <int kBlock, class L>
__device__ __forceinline__ void counting_sweep(const CountingSweepArgs<L>& a) {
  WARPATH_SHARED(int, starts, kLine);
  WARPATH_SHARED(int, ends, kLine);
  WARPATH_SHARED(int, count, 1);
  WARPATH_SHARED(int, taken, 1);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const CountingBlock<L> b(a, blockIdx.x);
  if (warp == 0) {
    starts[lane] = a.starts[blockIdx.x * kLine + lane];
    ends[lane] = 0;
  }
  __syncthreads();
  const int start = starts[lane];
  const int reached = search_up<kBlock>(a, b, starts, count, taken);
  for (int level = 0; level < a.levels; ++level)
    each_level<kBlock>(a, level, [&](i64 first, int places) { sweep_down(a, b, first, places); });
  int own_ends = 0;
  for (int level = a.levels; level-- > 0;)
    each_level<kBlock>(a, level, [&](i64 first, int places) {
      own_ends += sweep_back(a, b, first, places, start);
    });
  if (own_ends != 0) atomicAdd(ends + lane, own_ends);
  __syncthreads();
  if (warp == 0) return_up(a, b, reached, start, ends);
  __syncthreads();
  for (int i = threadIdx.x; i < reached; i += kBlock) b.numbers[b.reached[i]] = 0;
}

struct CountingSumsArgs {
  i64 size;      // of the sums of a block
  i64 up_begin;  // the sums of arcs up, which are 0 again afterwards, because a search does not
  i64 up_end;    // write those that it does not reach
  int blocks;
  double* sums;  // of the blocks
  double* total;
};

/// Adds the sums of blocks to a total, in their order.
template <int kBlock>
__device__ __forceinline__ void counting_sums(const CountingSumsArgs& a) {
  const i64 threads = static_cast<i64>(gridDim.x) * kBlock;
  for (i64 i = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x; i < a.size; i += threads) {
    double total = a.total[i];
    for (int block = 0; block < a.blocks; ++block) total += a.sums[block * a.size + i];
    a.total[i] = total;
    if (i >= a.up_begin && i < a.up_end)
      for (int block = 0; block < a.blocks; ++block) a.sums[block * a.size + i] = 0;
  }
}

}  // namespace warpath
