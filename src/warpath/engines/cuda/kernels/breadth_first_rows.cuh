// breadth_first_rows.cuh - the state of a breadth-first search, and how lanes share rows.
#pragma once

#include "grid.cuh"
#include "table.cuh"

namespace warpath {

/// Counters shared by all blocks. Of three slots one is read, one counts, and the third is cleared;
/// they rotate from round to round.
struct BreadthControl {
  struct Found {
    u64 edges;   // out-edges of vertices that were given a label
    u32 pieces;  // pieces of out-rows, listed
    u32 parts;   // parts of long in-rows, listed
    u32 halted;  // 1 if the host has asked the kernel to end
  };
  Found found[3];
  u32 arrived;
};

template <class L>
struct BreadthArgs {
  i64 n;
  i64 m;
  int source;
  const i64* indptr;  // out-edges
  const int* indices;
  const i64* into;  // in-edges; null if the search is only top-down
  const int* sources;
  const u32* without_in_edges;  // a bit for each vertex
  L weight;                     // of every edge
  L cutoff;                     // larger labels are not written
  u32 alpha;                    // bottom-up if the frontier has over 1 / alpha of the edges left
  L* dist;
  u64* pieces;        // of the out-rows of all frontiers, one after the other
  u64* parts;         // of in-rows with more than kPart edges
  u32 *seen, *other;  // a bit for each vertex
  BreadthControl* control;
};

constexpr u32 kPiece = 256;   // maximum edges of a piece of an out-row
constexpr int kEdgeBits = 9;  // low bits of a listed piece: its edges; the others: its first edge
constexpr u32 kPart = 512;    // maximum edges of a part of an in-row
constexpr int kAtOnce = 4;    // loads in flight per lane
constexpr int kHeld = 32 * kAtOnce;

/// How many pieces of a length a row is cut into.
__device__ __forceinline__ u32 pieces_in(i64 degree, u32 length) {
  return static_cast<u32>((degree + length - 1) / length);
}

/// Whether a vertex's bit is set.
__device__ __forceinline__ bool has(const u32* bits, int v) {
  return (bits[v / 32] >> (v % 32) & 1) != 0;
}

/// Items of 32 lanes, numbered one after another.
struct Spread {
  u32 before, total;  // items of the lanes before; of all lanes

  __device__ __forceinline__ Spread(u32 own, int lane) {
    u32 sum = own;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const u32 below = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += below;
    }
    before = sum - own;
    total = __shfl_sync(~0u, sum, 31);
  }

  /// The lane whose item is at a place below the total; all lanes of a warp call it.
  __device__ __forceinline__ int owner(u32 place) const {
    int lane = 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
      if (__shfl_sync(~0u, before, lane + step) <= place) lane += step;
    return lane;
  }
};

/// Sums over the warps of a block, which one thread adds to the grid's counters.
struct BreadthSums {
  u64 edges;
  u32 pieces;
  u32 begin;  // the place of the block's pieces
};

/// A warp's indices, its shared memory and its sums.
struct BreadthWorker {
  int lane;
  u32 warp, warps;  // of the grid
  int* held;        // 2 * kHeld vertices found, not yet listed
  u32* found_bits;  // 32 words: bits of vertices found
  int count;        // of vertices held, the same in all lanes
  u64 edges;        // out-edges of vertices that the lane found
};

/// Rows of up to kHeld vertices, kAtOnce a lane.
struct HeldRows {
  i64 base[kAtOnce], degree[kAtOnce];
  u32 pieces;  // of the lane's rows

  __device__ __forceinline__ HeldRows(const i64* indptr, const int* held, int count, int lane)
      : pieces(0) {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const int v = k * 32 + lane < count ? held[k * 32 + lane] : -1;
      base[k] = v < 0 ? 0 : indptr[v];
      degree[k] = v < 0 ? 0 : indptr[v + 1];
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      degree[k] -= base[k];
      pieces += pieces_in(degree[k], kPiece);
    }
  }

  __device__ __forceinline__ u64 edges() const {
    i64 sum = 0;
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) sum += degree[k];
    return static_cast<u64>(sum);
  }

  /// Writes the pieces of the lane's rows to a list from `place` on. All lanes together write the
  /// pieces of a row after its first kAlone.
  __device__ __forceinline__ void write(u64* list, u32 place, int lane) const {
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const u32 own = pieces_in(degree[k], kPiece);
      for (u32 i = 0; i < min(own, kAlone); ++i) list[place + i] = piece(base[k], degree[k], i);
      for (u32 left = __ballot_sync(~0u, own > kAlone); left != 0; left &= left - 1) {
        const int of = __ffs(static_cast<int>(left)) - 1;
        const i64 first = __shfl_sync(~0u, base[k], of), edges = __shfl_sync(~0u, degree[k], of);
        const u32 at = __shfl_sync(~0u, place, of), all = __shfl_sync(~0u, own, of);
        for (u32 i = kAlone + lane; i < all; i += 32) list[at + i] = piece(first, edges, i);
      }
      place += own;
    }
  }

 private:
  static constexpr u32 kAlone = 32;

  /// A piece of a row by its number: where it begins, and how many edges it has.
  static __device__ __forceinline__ u64 piece(i64 base, i64 degree, u32 number) {
    const i64 begin = static_cast<i64>(number) * kPiece;
    const i64 edges = min(degree - begin, static_cast<i64>(kPiece));
    return static_cast<u64>(base + begin) << kEdgeBits | static_cast<u64>(edges);
  }
};

/// Lists the rows of kHeld of the vertices that a warp holds.
__device__ __forceinline__ void list_held(const i64* indptr, u64* list,
                                          BreadthControl::Found* output, BreadthWorker& me) {
  __syncwarp();
  me.count -= kHeld;
  const HeldRows rows(indptr, me.held + me.count, kHeld, me.lane);
  me.edges += rows.edges();
  const Spread all(rows.pieces, me.lane);
  u32 at = 0;
  if (me.lane == 0) at = atomicAdd(&output->pieces, all.total);
  rows.write(list, __shfl_sync(~0u, at, 0) + all.before, me.lane);
  __syncwarp();
}

/// Adds one vertex per lane with `wanted` to those that the warp holds.
__device__ __forceinline__ void hold(BreadthWorker& me, bool wanted, int v) {
  const u32 mask = __ballot_sync(~0u, wanted);
  if (wanted) me.held[me.count + __popc(mask & ((1u << me.lane) - 1))] = v;
  me.count += __popc(mask);
}

/// Lists the vertices still held and adds the block's sums to the grid's counters; all threads of a
/// block call it at the end of a round. The block's sums are 0 before and after.
__device__ __forceinline__ void report(const i64* indptr, u64* list, BreadthControl::Found* output,
                                       BreadthWorker& me, BreadthSums* sums) {
  __syncwarp();
  const HeldRows rows(indptr, me.held, me.count, me.lane);
  me.edges += rows.edges();
  me.count = 0;
  const Spread all(rows.pieces, me.lane);
  for (int step = 16; step > 0; step /= 2) me.edges += __shfl_xor_sync(~0u, me.edges, step);
  u32 at = 0;
  if (me.lane == 0 && me.edges != 0) {
    at = atomicAdd(&sums->pieces, all.total);
    atomicAdd(&sums->edges, me.edges);
  }
  me.edges = 0;
  __syncthreads();
  // Volatile: the compiler must not let all threads read it while the first one clears it.
  if (threadIdx.x == 0 && *static_cast<volatile u64*>(&sums->edges) != 0) {
    if (sums->pieces != 0) sums->begin = atomicAdd(&output->pieces, sums->pieces);
    atomicAdd(&output->edges, sums->edges);
    sums->edges = 0;
    sums->pieces = 0;
  }
  __syncthreads();
  rows.write(list, sums->begin + __shfl_sync(~0u, at, 0) + all.before, me.lane);
}

}  // namespace warpath
