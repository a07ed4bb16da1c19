// lists.cuh - lists of vertices: their edges numbered, gaps and doubles removed, near and far.
//
// Work     a few reads per item, and two passes over a list for each prefix sum.
// Traffic  claim 4 B in order and 8 B at random; mark the same and a label at random, 1 B written;
//          scatter 5 B in order.
// Shared   a number for each warp.
// Races    claim: all copies of a vertex write its entry of the look-up table, any one may stay,
//          and mark keeps that one. Nothing else writes what another thread touches in its phase.
// Source   Davidson et al. 2014 section IV-C (look-up table, near set and far pile); the Johnson
//          paper, algorithm 10 (a queue by prefix sum).
#pragma once

#include "rounds.cuh"
#include "scan.cuh"

namespace warpath {

/// What lists are made with.
struct ListSpace {
  i64*
      offsets;  // n + 1: the numbers of the first edges of a list's vertices, where they are needed
  i64* table;   // n: the item that owns a vertex
  u8* marks;    // of each item: a Mark
  i64* sums;    // 3 for each block, and 6
};

enum Mark : u8 { kDropped = 0, kNear = 1, kFar = 2 };

/// Lists of at most so many tiles are the work of one block: a barrier of the grid takes longer
/// than a second tile.
constexpr int kTilesAlone = 2;

template <class V>
__device__ __forceinline__ i64 degree_of(const i64* indptr, V v) {
  return indptr[v + 1] - indptr[v];
}

/// Numbers the edges of a list and returns how many there are.
template <int kBlock, class V, class Grid>
__device__ i64 number_edges(Grid& grid, const ListSpace& space, const V* list, i64 count,
                            const i64* indptr) {
  const bool alone = count <= kTilesAlone * kBlock;
  const Share<kBlock> mine = alone ? Share<kBlock>::whole(count) : Share<kBlock>(count);
  i64 done = 0;
  if (!alone) {
    i64 own[1] = {0};
    for (i64 k = mine.begin + threadIdx.x; k < mine.end; k += kBlock)
      own[0] += degree_of(indptr, list[k]);
    done = sum_shares<kBlock>(grid, space.sums, own).before[0];
  }
  for (i64 tile = mine.begin; tile < mine.end; tile += kBlock) {
    const i64 k = tile + threadIdx.x;
    const i64 edges = k < mine.end ? degree_of(indptr, list[k]) : 0;
    i64 total;
    const i64 behind = done + block_scan<kBlock>(edges, total);
    if (k < mine.end) space.offsets[k] = behind - edges;
    done += total;
  }
  if (mine.end == count && mine.begin < count && threadIdx.x == 0) space.offsets[count] = done;
  grid.wait();
  return space.offsets[count];
}

/// Lets one copy of each item own its vertex.
template <class V, class Grid>
__device__ void claim(Grid& grid, const V* items, i64 count, i64* table) {
  grid.for_each(count, [&](i64 k) {
    if (items[k] >= 0) store_relaxed(table + items[k], k);
  });
}

/// How many vertices came near and far, and how many edges the near ones have.
struct Split {
  i64 near, far, edges;
};

/// Items that are to be split by label: doubles, empty slots and labels below `low`, which were
/// relaxed already, are dropped; labels in [low, high) go to `near`, the others to `far`, in the
/// items' order. With kNumbered the edges of the near ones are numbered.
template <bool kNumbered, int kBlock, class V, class L>
struct Splitter {
  const ListSpace& space;
  const V* items;
  const L* dist;
  L low, high;
  const i64* indptr;
  V* near;
  V* far;

  __device__ u8 mark_of(i64 k) const {
    const V v = items[k];
    if (v < 0 || space.table[v] != k) return kDropped;
    const L label = load_relaxed(dist + v);
    return label < low ? kDropped : label < high ? kNear : kFar;
  }

  /// Moves the items of a tile, one a thread, behind those that are `done`.
  __device__ void move(i64 k, u8 mark, Split& done) const {
    const V v = mark == kDropped ? V{0} : items[k];
    const i64 degree = kNumbered && mark == kNear ? degree_of(indptr, v) : 0;
    // Both counts of a tile in one word: a tile has fewer items than 2^16.
    u32 total;
    const u32 upto =
        block_scan<kBlock>((mark == kNear ? 1u : 0u) + (mark == kFar ? 1u << 16 : 0u), total);
    i64 edges = 0, upto_edges = 0;
    if (kNumbered) upto_edges = block_scan<kBlock>(degree, edges);
    if (mark == kNear) {
      const i64 place = done.near + (upto & 0xffff) - 1;
      near[place] = v;
      if (kNumbered) space.offsets[place] = done.edges + upto_edges - degree;
    }
    if (mark == kFar) far[done.far + (upto >> 16) - 1] = v;
    done.near += total & 0xffff;
    done.far += total >> 16;
    done.edges += edges;
  }
};

/// Splits items; `claimed` says that the look-up table has an item of each vertex already.
template <bool kNumbered, int kBlock, class V, class L, class Grid>
__device__ Split split(Grid& grid, const Splitter<kNumbered, kBlock, V, L>& s, i64 count,
                       bool claimed) {
  i64* const sums = s.space.sums;
  if (count <= kTilesAlone * kBlock) {
    // Two places in turn: others may still read what the last split has left.
    i64* const result = sums + 3 * gridDim.x + 3 * grid.other();
    if (blockIdx.x == 0) {
      if (!claimed)
        for (i64 k = threadIdx.x; k < count; k += kBlock)
          if (s.items[k] >= 0) store_relaxed(s.space.table + s.items[k], k);
      __syncthreads();
      Split done{0, 0, 0};
      for (i64 tile = 0; tile < count; tile += kBlock) {
        const i64 k = tile + threadIdx.x;
        s.move(k, k < count ? s.mark_of(k) : u8{kDropped}, done);
      }
      if (threadIdx.x == 0) {
        result[0] = done.near;
        result[1] = done.far;
        result[2] = done.edges;
        if (kNumbered) s.space.offsets[done.near] = done.edges;
      }
    }
    grid.wait();
    return {result[0], result[1], result[2]};
  }

  if (!claimed) claim(grid, s.items, count, s.space.table);
  const Share<kBlock> mine(count);
  constexpr int kValues = kNumbered ? 3 : 2;
  i64 own[kValues] = {};
  for (i64 k = mine.begin + threadIdx.x; k < mine.end; k += kBlock) {
    const u8 mark = s.mark_of(k);
    s.space.marks[k] = mark;
    own[0] += mark == kNear;
    own[1] += mark == kFar;
    if (kNumbered && mark == kNear) own[kValues - 1] += degree_of(s.indptr, s.items[k]);
  }
  const Sums<kValues> found = sum_shares<kBlock>(grid, sums, own);
  Split done{found.before[0], found.before[1], found.before[kValues - 1]};
  for (i64 tile = mine.begin; tile < mine.end; tile += kBlock) {
    const i64 k = tile + threadIdx.x;
    s.move(k, k < mine.end ? s.space.marks[k] : u8{kDropped}, done);
  }
  const i64 edges = found.all[kValues - 1];
  if (kNumbered && grid.leader()) s.space.offsets[found.all[0]] = edges;
  grid.wait();
  return {found.all[0], found.all[1], edges};
}

/// The minimum of what blocks have left in `minima`, one value each.
template <int kBlock, class L>
__device__ L minimum_of(const L* minima, i64 count) {
  L own = never<L>();
  for (i64 i = threadIdx.x; i < count; i += kBlock) own = min(own, minima[i]);
  return block_minimum<kBlock>(own);
}

/// The least label of the items that is not below `low`, or never.
template <int kBlock, class V, class L, class Grid>
__device__ L lowest_label(Grid& grid, L* minima, const V* items, i64 count, const L* dist, L low) {
  L own = never<L>();
  grid.each(count, [&](i64 k) {
    const L label = dist[items[k]];
    if (!(label < low)) own = min(own, label);
  });
  own = block_minimum<kBlock>(own);
  if (threadIdx.x == 0) minima[blockIdx.x] = own;
  grid.wait();
  return minimum_of<kBlock>(minima, gridDim.x);
}

/// The flagged vertices in ascending order; returns how many there are.
template <int kBlock, class V, class Grid>
__device__ i64 gather(Grid& grid, i64* sums, const u8* flags, i64 n, V* queue) {
  const Share<kBlock> mine(n);
  i64 own[1] = {0};
  for (i64 i = mine.begin + threadIdx.x; i < mine.end; i += kBlock) own[0] += flags[i];
  const Sums<1> found = sum_shares<kBlock>(grid, sums, own);
  i64 done = found.before[0];
  for (i64 tile = mine.begin; tile < mine.end; tile += kBlock) {
    const i64 i = tile + threadIdx.x;
    const int flag = i < mine.end ? flags[i] : 0;
    int total;
    const int upto = block_scan<kBlock>(flag, total);
    if (flag) queue[done + upto - 1] = static_cast<V>(i);
    done += total;
  }
  grid.wait();
  return found.all[0];
}

}  // namespace warpath
