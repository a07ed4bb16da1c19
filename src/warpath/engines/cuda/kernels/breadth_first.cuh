// breadth_first.cuh - one source of a graph whose edges have equal lengths, in one launch.
//
// Work     A level is processed top-down or bottom-up. Top-down, the out-edges of the frontier are
//          checked for unseen vertices. Bottom-up, taken if the frontier has many of the remaining
//          edges, each unseen vertex scans its in-edges until one comes from a seen vertex.
// Traffic  top-down: per edge 4 B in order and a bit at random; per vertex found an atomic, a
//          label, its row's bounds and 16 B of lists. bottom-up: per vertex two bits; per unseen
//          vertex its row's bounds and usually 32 B of edges, with bits from L1.
// Launch   one grid, all of whose blocks run at once: its barrier separates levels.
// Shared   for each warp 256 vertices found and 32 words of bits.
// Races    Top-down, the thread that sets a vertex's bit writes its label and lists its row; a bit
//          that is read while it is set costs only the atomic. Bottom-up, bits are read from one
//          array and written to another, each word by one warp; long in-rows have a round of their
//          own, in which bits are set by atomics. Bits of both arrays are never cleared. Of three
//          sets of counters one is read, one counts, and the third is cleared.
// Source   Beamer, Asanovic, Patterson 2012 (both directions); Merrill, Garland, Grimshaw 2012
//          (load balancing of a frontier's edges).
#pragma once

#include "breadth_first_levels.cuh"
#include "halt.cuh"

namespace warpath {

/// Counts rounds, which the grid's barrier separates, and reads the results of the last one.
struct BreadthRounds {
  BreadthControl& control;
  const int* halt;
  BreadthControl::Found* shared;
  u32 round;

  /// Begins a round; returns its counters.
  __device__ __forceinline__ BreadthControl::Found* begin() {
    BreadthControl::Found* const output = control.found + (round + 1) % 3;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      control.found[(round + 2) % 3] = {};
      // After the barrier every block reads the word of this round and not a later one.
      if (halted(halt)) store_relaxed(&output->halted, 1u);
    }
    return output;
  }

  /// Ends the round; returns the sums of its counters over all blocks.
  __device__ __forceinline__ BreadthControl::Found end() {
    ++round;
    return read();
  }

  __device__ __forceinline__ BreadthControl::Found read() {
    meet(&control.arrived);
    const BreadthControl::Found& found = control.found[round % 3];
    if (threadIdx.x == 0)
      *shared = {load_relaxed(&found.edges), load_relaxed(&found.pieces),
                 load_relaxed(&found.parts), load_relaxed(&found.halted)};
    __syncthreads();
    return *shared;
  }
};

/// Sets all labels to unreachable but the source's, and lists its row.
template <int kBlock, class L>
__device__ __forceinline__ void begin_search(const BreadthArgs<L>& a, int* held) {
  const i64 start = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  for (i64 v = start; v < a.n; v += stride) a.dist[v] = v == a.source ? L{0} : never<L>();
  for (i64 word = start; word < (a.n + 31) / 32; word += stride) {
    a.seen[word] = word == a.source / 32 ? 1u << (a.source % 32) : 0;
    a.other[word] = 0;
  }
  if (blockIdx.x != 0 || threadIdx.x >= 32) return;
  if (threadIdx.x == 0) *held = a.source;
  __syncwarp();
  const HeldRows row(a.indptr, held, 1, static_cast<int>(threadIdx.x));
  row.write(a.pieces, 0, static_cast<int>(threadIdx.x));
  if (threadIdx.x != 0) return;
  a.control->found[0] = {row.edges(), row.pieces, 0, 0};
  a.control->found[1] = {};
}

template <int kBlock, class L>
__device__ __forceinline__ void breadth_first(const BreadthArgs<L>& a, int* halt, i64* status) {
  constexpr int kWarps = kBlock / 32;
  WARPATH_SHARED(int, held, kWarps * 2 * kHeld);
  WARPATH_SHARED(u32, found_bits, kBlock);
  WARPATH_SHARED(BreadthSums, sums, 1);
  WARPATH_SHARED(BreadthControl::Found, shared, 1);
  const int t = threadIdx.x, own = t / 32;
  // Consecutive items go to different multiprocessors.
  BreadthWorker me{t % 32,
                   own * gridDim.x + blockIdx.x,
                   gridDim.x * kWarps,
                   held + own * 2 * kHeld,
                   found_bits + own * 32,
                   0,
                   0};
  if (t == 0) *sums = {};
  BreadthRounds rounds{*a.control, halt, shared, 0};
  begin_search<kBlock>(a, held);
  u32 *seen = a.seen, *other = a.other;
  u64* listed = a.pieces;  // of the frontier
  bool in_bits = false;    // whether the frontier is the bits in `seen` and not in `other`
  u64 left = static_cast<u64>(a.m);  // out-edges of unreached vertices
  u32 levels = 0, back = 0;
  Ended ended = kDone;
  L label{0};
  for (BreadthControl::Found found = rounds.read(); found.edges != 0; ++levels) {
    const L next = wrapping_sum(label, a.weight);
    if (overflows(next)) ended = kLost;
    if (found.halted != 0) ended = kHalted;
    if (ended != kDone || next > a.cutoff || next == never<L>()) break;
    label = next;
    left -= found.edges;
    if (a.into != nullptr && found.edges * a.alpha > left) {
      BreadthControl::Found* output = rounds.begin();
      bottom_up(a, seen, other, label, output, me);
      report(a.indptr, listed, output, me, sums);
      const BreadthControl::Found first = rounds.end();
      found = first;
      if (first.parts != 0 && first.halted == 0) {
        output = rounds.begin();
        bottom_up_parts(a, seen, other, first.parts, label, me);
        report(a.indptr, listed, output, me, sums);
        found = rounds.end();
        found.edges += first.edges;
      }
      u32* const before = seen;
      seen = other;
      other = before;
      in_bits = true;
      ++back;
    } else {
      if (in_bits) {
        BreadthControl::Found* const output = rounds.begin();
        list_seen(a, seen, other, listed, output, me);
        report(a.indptr, listed, output, me, sums);
        found = rounds.end();
        in_bits = false;
      }
      BreadthControl::Found* const output = rounds.begin();
      u64* const list = listed + found.pieces;
      top_down(a, seen, listed, found.pieces, list, label, output, me);
      report(a.indptr, list, output, me, sums);
      found = rounds.end();
      listed = list;
    }
  }
  conclude(halt, status, [&] {
    status[1] = levels;
    status[2] = back;
    return ended;
  });
}

}  // namespace warpath
