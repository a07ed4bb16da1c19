// counting_block.cuh - what a block of counting sweeps has, and sums of its lanes.
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

}  // namespace warpath
