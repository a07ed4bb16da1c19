// breadth_first_levels.cuh - top-down and bottom-up levels of a breadth-first search.
#pragma once

#include "breadth_first_rows.cuh"

namespace warpath {

/// Finds unseen vertices over the out-edges of the frontier, whose rows are listed in pieces.
template <class L>
__device__ __forceinline__ void top_down(const BreadthArgs<L>& a, u32* seen, const u64* listed,
                                         u32 pieces, u64* list, L label,
                                         BreadthControl::Found* output, BreadthWorker& me) {
  const int lane = me.lane;
  // Consecutive pieces go to different warps: those of one long row go to many warps.
  for (u32 first = me.warp; first < pieces; first += 32 * me.warps) {
    const u64 at = first + static_cast<u64>(lane) * me.warps;
    const u64 piece = at < pieces ? listed[at] : 0;
    const Spread all(static_cast<u32>(piece) & ((1u << kEdgeBits) - 1), lane);
    const i64 base = static_cast<i64>(piece >> kEdgeBits) - all.before;
    for (u32 begin = 0; begin < all.total; begin += kHeld) {
      int v[kAtOnce];
      u32 word[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const u32 place = begin + k * 32 + lane;
        const i64 e = __shfl_sync(~0u, base, all.owner(place)) + place;
        v[k] = place < all.total ? a.indices[e] : -1;
      }
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) word[k] = v[k] < 0 ? ~0u : load_older(seen + v[k] / 32);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) {
        const u32 bit = 1u << (v[k] & 31);
        const bool is_new = (word[k] & bit) == 0 && (atomicOr(seen + v[k] / 32, bit) & bit) == 0;
        if (is_new) a.dist[v[k]] = label;
        hold(me, is_new, v[k]);
      }
      if (me.count >= kHeld) list_held(a.indptr, list, output, me);
    }
  }
}

/// The position of the set bit with exactly `below` set bits below it.
__device__ __forceinline__ int select(u32 bits, int below) {
  int at = 0;
#pragma unroll
  for (int width = 16; width > 0; width /= 2) {
    const int low = __popc(bits >> at & ((1u << width) - 1));
    if (below >= low) {
      below -= low;
      at += width;
    }
  }
  return at;
}

/// Passes the vertices of set bits to `take`, one per lane (-1: none). `begins` is called first
/// with the number of a lane's word (-1: none) and returns its bits; `ends` is called last.
template <class Begins, class Take, class Ends>
__device__ __forceinline__ void for_each_bit(i64 n, const BreadthWorker& me, Begins begins,
                                             Take take, Ends ends) {
  const u32 words = static_cast<u32>((n + 31) / 32);
  for (u32 first = me.warp; first < words; first += 32 * me.warps) {
    const u64 own = first + static_cast<u64>(me.lane) * me.warps;
    const int word = own < words ? static_cast<int>(own) : -1;
    const u32 bits = begins(word);
    const Spread all(static_cast<u32>(__popc(bits)), me.lane);
    for (u32 begin = 0; begin < all.total; begin += 32) {
      const u32 place = begin + me.lane;
      const int owner = all.owner(place);
      const u32 there = __shfl_sync(~0u, bits, owner);
      const u32 before = __shfl_sync(~0u, all.before, owner);
      const int at = __shfl_sync(~0u, word, owner);
      const int bit = select(there, static_cast<int>(place - before));
      take(place < all.total ? at * 32 + bit : -1, owner);
    }
    ends(word);
  }
}

/// Lists the rows of the vertices found in the last level.
template <class L>
__device__ __forceinline__ void list_seen(const BreadthArgs<L>& a, const u32* seen,
                                          const u32* before, u64* list,
                                          BreadthControl::Found* output, BreadthWorker& me) {
  for_each_bit(
      a.n, me, [&](int word) { return word < 0 ? 0 : seen[word] & ~before[word]; },
      [&](int v, int) {
        hold(me, v >= 0, v);
        if (me.count >= kHeld) list_held(a.indptr, list, output, me);
      },
      [](int) {});
}

/// Lists the parts of a long in-row after its first part.
template <class L>
__device__ __forceinline__ void list_parts(const BreadthArgs<L>& a, BreadthControl::Found* output,
                                           int v, i64 degree, int lane) {
  const u32 parts = pieces_in(degree, kPart) - 1;
  u32 at = 0;
  if (lane == 0) at = atomicAdd(&output->parts, parts);
  at = __shfl_sync(~0u, at, 0);
  for (u32 i = lane; i < parts; i += 32) a.parts[at + i] = static_cast<u64>(v) << 32 | (i + 1);
}

/// Whether a vertex, one per lane (-1: none), has an edge from a seen vertex. Of a long row only
/// the first part is scanned, and the others are listed.
template <class L>
__device__ __forceinline__ bool has_parent(const BreadthArgs<L>& a, const u32* seen, int v,
                                           i64 base, i64 degree, BreadthControl::Found* output,
                                           int lane) {
  const u32 edges = static_cast<u32>(min(degree, static_cast<i64>(kPart)));
  bool found = false;
  u32 at = 0;
  for (;;) {
    const u32 alive = __ballot_sync(~0u, !found && at < edges);
    if (alive == 0) break;
    // The fewer rows are left, the more edges of each are scanned.
    const u32 each = kHeld / __popc(alive);
    const u32 own = (alive >> lane & 1) != 0 ? min(each, edges - at) : 0;
    const Spread all(own, lane);
    const i64 begin = base + at - all.before;
    int u[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const u32 place = k * 32 + lane;
      const i64 e = __shfl_sync(~0u, begin, all.owner(place)) + place;
      u[k] = place < all.total ? a.sources[e] : -1;
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const u32 hits = __ballot_sync(~0u, u[k] >= 0 && has(seen, u[k]));
      // The lane's own edges are at places [before, before + own).
      const int low = static_cast<int>(all.before) - k * 32, high = low + static_cast<int>(own);
      const u32 upto = high >= 32 ? ~0u : high <= 0 ? 0 : (1u << high) - 1;
      const u32 below = low >= 32 ? ~0u : low <= 0 ? 0 : (1u << low) - 1;
      found = found || (hits & upto & ~below) != 0;
    }
    at += own;
  }
  for (u32 left = __ballot_sync(~0u, !found && degree > kPart); left != 0; left &= left - 1) {
    const int of = __ffs(static_cast<int>(left)) - 1;
    list_parts(a, output, __shfl_sync(~0u, v, of), __shfl_sync(~0u, degree, of), lane);
  }
  return found;
}

/// The out-degree of a vertex with `in` in-edges.
template <class L>
__device__ __forceinline__ u64 edges_out(const BreadthArgs<L>& a, int v, i64 in) {
  return static_cast<u64>(a.into == a.indptr ? in : a.indptr[v + 1] - a.indptr[v]);
}

/// Finds unseen vertices with an edge from a seen vertex. That vertex is in the frontier, because a
/// vertex of an earlier level would have had all its targets seen.
template <class L>
__device__ __forceinline__ void bottom_up(const BreadthArgs<L>& a, const u32* seen, u32* next,
                                          L label, BreadthControl::Found* output,
                                          BreadthWorker& me) {
  for_each_bit(
      a.n, me,
      [&](int word) {
        me.found_bits[me.lane] = 0;
        __syncwarp();
        if (word < 0) return 0u;
        const i64 inside = a.n - static_cast<i64>(word) * 32;
        return ~(seen[word] | a.without_in_edges[word]) & (inside >= 32 ? ~0u : (1u << inside) - 1);
      },
      [&](int v, int owner) {
        const i64 base = v < 0 ? 0 : a.into[v], degree = v < 0 ? 0 : a.into[v + 1] - base;
        if (!has_parent(a, seen, v, base, degree, output, me.lane)) return;
        a.dist[v] = label;
        atomicOr(me.found_bits + owner, 1u << (v % 32));
        me.edges += edges_out(a, v, degree);
      },
      [&](int word) {
        __syncwarp();
        if (word >= 0) next[word] = seen[word] | me.found_bits[me.lane];
      });
}

/// Does the same for the listed parts of long rows.
template <class L>
__device__ __forceinline__ void bottom_up_parts(const BreadthArgs<L>& a, const u32* seen, u32* next,
                                                u32 parts, L label, BreadthWorker& me) {
  for (u32 i = me.warp; i < parts; i += me.warps) {
    const u64 part = a.parts[i];
    const int v = static_cast<int>(part >> 32);
    const u32 bit = 1u << (v % 32);
    if (__any_sync(~0u, (load_relaxed(next + v / 32) & bit) != 0)) continue;
    const i64 base = a.into[v], degree = a.into[v + 1] - base;
    const i64 end = min(degree, static_cast<i64>(static_cast<u32>(part) + 1) * kPart);
    bool found = false;
    for (i64 e = static_cast<i64>(static_cast<u32>(part)) * kPart; e < end && !found; e += kHeld) {
      int u[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        u[k] = e + k * 32 + me.lane < end ? a.sources[base + e + k * 32 + me.lane] : -1;
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) found = found || (u[k] >= 0 && has(seen, u[k]));
      found = __any_sync(~0u, found) != 0;
    }
    if (me.lane != 0 || !found || (atomicOr(next + v / 32, bit) & bit) != 0) continue;
    a.dist[v] = label;
    me.edges += edges_out(a, v, degree);
  }
}

}  // namespace warpath
