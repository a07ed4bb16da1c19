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
  i64* offsets;  // n + 1: where the edges of a list's vertices begin, where that is needed
  i64* table;    // n: the item that owns a vertex
  u8* marks;     // of each item: a Mark
  i64* sums;     // 3 for each block, and 6
};

/// Two arrays that are used in turn; an array of pointers would lie in local memory.
template <class V>
struct InTurn {
  V* first;
  V* second;
  __device__ V* operator[](i64 which) const { return which == 0 ? first : second; }
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
  i64 done = 0, held = 0;
  const bool known = !alone && mine.one_tile();
  if (!alone) {
    i64 own[1] = {0};
    for (i64 k = mine.begin + threadIdx.x; k < mine.end; k += kBlock) {
      held = degree_of(indptr, list[k]);
      own[0] += held;
    }
    done = sum_shares<kBlock>(grid, space.sums, own).before[0];
  }
  for (i64 tile = mine.begin; tile < mine.end; tile += kBlock) {
    const i64 k = tile + threadIdx.x;
    const i64 edges = known ? held : k < mine.end ? degree_of(indptr, list[k]) : 0;
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

  struct Item {
    V v;
    u8 mark;
    i64 degree;  // of a near one, with kNumbered
  };
  static __device__ Item no_item() { return {V{0}, kDropped, 0}; }

  __device__ Item item(i64 k) const {
    const V v = items[k];
    if (v < 0) return no_item();
    // What is known of a vertex is requested together: each read takes as long as all.
    const i64 owner = space.table[v];
    const L label = load_relaxed(dist + v);
    const i64 degree = kNumbered ? degree_of(indptr, v) : 0;
    if (owner != k || label < low) return no_item();
    return label < high ? Item{v, kNear, degree} : Item{v, kFar, 0};
  }

  /// An item that was marked before.
  __device__ Item marked(i64 k) const {
    const u8 mark = space.marks[k];
    if (mark == kDropped) return no_item();
    return {items[k], mark, kNumbered && mark == kNear ? degree_of(indptr, items[k]) : 0};
  }

  /// Moves the items of a tile, one a thread, behind those that are `done`.
  __device__ void move(const Item& item, Split& done) const {
    const auto [v, mark, degree] = item;
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
        s.move(k < count ? s.item(k) : s.no_item(), done);
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
  auto held = s.no_item();
  for (i64 k = mine.begin + threadIdx.x; k < mine.end; k += kBlock) {
    held = s.item(k);
    if (!mine.one_tile()) s.space.marks[k] = held.mark;
    own[0] += held.mark == kNear;
    own[1] += held.mark == kFar;
    if (kNumbered) own[kValues - 1] += held.degree;
  }
  const Sums<kValues> found = sum_shares<kBlock>(grid, sums, own);
  Split done{found.before[0], found.before[1], found.before[kValues - 1]};
  for (i64 tile = mine.begin; tile < mine.end; tile += kBlock) {
    const i64 k = tile + threadIdx.x;
    if (!mine.one_tile()) held = k < mine.end ? s.marked(k) : s.no_item();
    s.move(held, done);
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

/// The minimum of the threads' values over the grid, the same in every block. `minima` has a place
/// for each block.
template <int kBlock, class L, class Grid>
__device__ L grid_minimum(Grid& grid, L* minima, L own) {
  own = block_minimum<kBlock>(own);
  if (threadIdx.x == 0) minima[blockIdx.x] = own;
  grid.wait();
  return minimum_of<kBlock>(minima, gridDim.x);
}

/// The least label of the items that is not below `low`, or never.
template <int kBlock, class V, class L, class Grid>
__device__ L lowest_label(Grid& grid, L* minima, const V* items, i64 count, const L* dist, L low) {
  L own = never<L>();
  grid.each(count, [&](i64 k) {
    const L label = dist[items[k]];
    if (!(label < low)) own = min(own, label);
  });
  return grid_minimum<kBlock>(grid, minima, own);
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
