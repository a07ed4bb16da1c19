// wide_lists.cuh - the state of a wide search between rounds: row remainders, lists, counters.
#pragma once

#include "grid.cuh"
#include "table.cuh"

namespace warpath {

/// An edge of a row sorted by weight; both words have the width of the wider one.
template <class W>
struct Edge {
  W weight;
  typename Bits<W>::Type target;
};
template <>
struct Edge<float> {
  float weight;
  u32 target;
};
template <>
struct Edge<double> {
  double weight;
  u64 target;
};

/// The unrelaxed remainder of a settled vertex's row: its minimum sum, and its first edge.
template <class L>
struct RowRemainder {
  L key;
  u32 at;
};

/// A vertex whose label was lowered. The entry is stale if the label has been lowered again since.
template <class L>
struct Entry {
  L label;
  int vertex;
};

/// A run of `kRun` edges of a hub's row, starting at `at`. One bit marks the first run of a row,
/// one the last run listed, which lists further runs if the row has more sums below the bound.
template <class L>
struct Run {
  L label;
  int vertex;
  u32 at;
};
constexpr u32 kRun = 256;
constexpr u32 kOpens = 0x80000000u, kEnds = 0x40000000u;

/// Counters shared by all blocks. Of each three slots one is read, one counts, and the third is
/// cleared; they rotate from round to round.
struct WideControl {
  struct Lists {
    u32 entries, runs;
    u32 halted;  // 1 if the host has asked the kernel to end
  };
  Lists lists[3];
  u32 lost;     // 1 if a sum did not fit the labels
  u64 into[3];  // edges into vertices without a label
  u64 rest[3];  // unrelaxed edges of settled vertices
  u64 found[3];
  u32 arrived;
};

/// The lists to which lowered vertices are added.
template <class L>
struct WorkLists {
  Entry<L>* entries;
  Run<L>* runs;
  WideControl::Lists* sizes;
  u32 room, room_of_runs;
};

/// Lists the runs of a hub's row that begin in [from, to), and at least one run.
template <class L>
__device__ __forceinline__ void push_runs(const WorkLists<L>& output, L label, int vertex, u32 from,
                                          u32 to, u32 marks) {
  const u32 runs = from < to ? (to - from + kRun - 1) / kRun : 1;
  const u32 place = atomicAdd(&output.sizes->runs, runs);
  for (u32 k = 0; k < runs && place + k < output.room_of_runs; ++k) {
    const u32 mark = (k == 0 ? marks : 0) | (k + 1 == runs ? kEnds : 0);
    output.runs[place + k] = Run<L>{label, vertex, (from + k * kRun) | mark};
  }
}

/// The hubs: the rows before `count`.
template <class W>
struct Hubs {
  int count;
  const i64* indptr;
  const W* splitters;  // 15 weights, ascending, that split all weights into 16 equal parts
};

/// Lists the runs of a hub's row from edge `from` on that are likely to have sums below a bound.
template <class W, class L>
__device__ __forceinline__ void list_hub(const WorkLists<L>& output, const Hubs<W>& hubs, L label,
                                         int v, u32 from, L bound) {
  int parts = 0;  // sixteenths of the row whose weights are below the gap
  for (int step = 8; step > 0; step /= 2)
    if (static_cast<L>(hubs.splitters[parts + step - 1]) < bound - label) parts += step;
  const i64 degree = hubs.indptr[v + 1] - hubs.indptr[v];
  const i64 likely = min(degree, degree * (parts + 2) / 16 + kRun / 4);
  push_runs(output, label, v, from, static_cast<u32>(likely), kOpens);
}

/// Writes a warp's entries to a list from `at` on. An entry of a hub is ignored there: its runs are
/// listed instead, to be relaxed below a bound.
template <class W, class L>
__device__ __forceinline__ void write(const WorkLists<L>& output, const Hubs<W>& hubs, L bound,
                                      const Entry<L>* held, int count, int lane, u32 at) {
  __syncwarp();
  for (int i = lane; i < count; i += 32) {
    const Entry<L> entry = held[i];
    if (at + i < output.room) output.entries[at + i] = entry;
    if (entry.vertex < hubs.count) list_hub(output, hubs, entry.label, entry.vertex, 0, bound);
  }
  __syncwarp();
}

/// Writes a warp's entries to newly reserved places of a list.
template <class W, class L>
__device__ __forceinline__ void flush(WorkLists<L> output, Hubs<W> hubs, L bound,
                                      const Entry<L>* held, int count, int lane) {
  u32 at = 0;
  if (lane == 0) at = atomicAdd(&output.sizes->entries, static_cast<u32>(count));
  write(output, hubs, bound, held, count, lane, __shfl_sync(~0u, at, 0));
}

/// A warp's buffer in shared memory for entries that are not yet on the list.
template <class L>
struct SendBuffer {
  static constexpr int kRoom = sizeof(L) == 4 ? 192 : 128;
  Entry<L>* held;  // kRoom
  int count;       // the same in all lanes

  /// Adds the entries of lanes with `wanted`; all lanes of a warp call it, with room for 32
  /// entries.
  __device__ __forceinline__ void push(int lane, bool wanted, L label, int vertex) {
    const u32 mask = __ballot_sync(~0u, wanted);
    if (wanted) held[count + __popc(mask & ((1u << lane) - 1))] = Entry<L>{label, vertex};
    count += __popc(mask);
  }

  /// Makes room for `more` entries; all lanes of a warp call it.
  template <class W>
  __device__ __forceinline__ void make_room(int more, const WorkLists<L>& output,
                                            const Hubs<W>& hubs, L bound, int lane) {
    if (count + more <= kRoom) return;
    flush(output, hubs, bound, held, count, lane);
    count = 0;
  }

  /// Writes all entries to the list; all threads of a block call it at the end of a round. `taken`
  /// points to two words of shared memory, of which the first is 0.
  template <class W>
  __device__ __forceinline__ void send(const WorkLists<L>& output, const Hubs<W>& hubs, L bound,
                                       int lane, u32* taken) {
    u32 at = 0;
    if (lane == 0 && count > 0) at = atomicAdd(taken, static_cast<u32>(count));
    __syncthreads();
    if (threadIdx.x == 0) {
      if (taken[0] > 0) taken[1] = atomicAdd(&output.sizes->entries, taken[0]);
      taken[0] = 0;
    }
    __syncthreads();
    write(output, hubs, bound, held, count, lane, taken[1] + __shfl_sync(~0u, at, 0));
    count = 0;
  }
};

/// Whether a list was too small for all entries; then the next round inspects all vertices.
template <class L>
__device__ __forceinline__ bool overflowed(const WorkLists<L>& output, WideControl::Lists sizes) {
  return sizes.entries > output.room || sizes.runs > output.room_of_runs;
}

/// A barrier of the grid, after which one thread of each block reads the lists' sizes for all.
__device__ __forceinline__ WideControl::Lists meet_and_read(WideControl* control, int slot,
                                                            WideControl::Lists* shared) {
  meet(&control->arrived);
  if (threadIdx.x == 0)
    *shared = {load_relaxed(&control->lists[slot].entries),
               load_relaxed(&control->lists[slot].runs),
               load_relaxed(&control->lists[slot].halted)};
  __syncthreads();
  return *shared;
}

}  // namespace warpath
