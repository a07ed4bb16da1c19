// wide_part.cuh - a part of a wide search whose vertices are divided over several devices.
//
// A device holds the rows of its own vertices and a label for every vertex. Labels of foreign
// vertices are upper bounds. A launch takes lowered labels from lists of the other devices, relaxes
// rows of own vertices below a bound, and lists the foreign labels that it lowered for their
// owners. The host decides what comes next, and copies the lists where a device cannot read another
// one's memory (engines/cuda/wide/parts.py).
//
// Work     as in wide.cuh; a launch compares each foreign label with the last one that was sent.
// Traffic  as in wide.cuh; 8 B a foreign vertex in order for each launch, 16 B of lists for each
//          label that is sent [labels of 32 bits].
// Launch   one grid, all of whose blocks run at once, for each exchange.
// Shared   as in wide.cuh, and the command.
// Races    as in wide.cuh. No device writes to the memory of another one. The lists of a launch are
//          read by the next launches of the others, while its own next launch writes to a second
//          array. `sent` and the outgoing lists have one writer each.
// Source   Meyer, Sanders 2003; Chakaravarthy et al. 2014 (delta-stepping on many machines).
#pragma once

#include "wide.cuh"

namespace warpath {

/// What a launch does first; `Step` of engines/cuda/wide/parts.py.
enum PartStep { kGoOn = 0, kBegin = 1, kRaise = 2, kPull = 3, kMend = 4 };

/// The host's command; two words for each sender follow: how many labels arrive, and their address.
enum PartCommand {
  kStep = 0,
  kSource = 1,
  kRound = 2,
  kMostRounds = 3,
  kSurveys = 4,
  kTurn = 5,  // which outgoing lists are written
  kArriving
};

/// The most devices, `MOST_DEVICES` of engines/cuda/wide/parts.py.
constexpr int kMostDevices = 16;

/// What a launch reports, besides its status; the numbers of outgoing labels follow, by owner.
enum PartReport { kInto = 0, kRest = 1, kFound = 2, kOutgoing };

/// The vertices of another device that have edges, in the order of that device.
struct ForeignBlock {
  i64 first;  // the first one's place among the labels
  i64 size;
  i64 list;  // the place in `sent` and in `outgoing` of the first one
};

template <class L>
struct PartArgs {
  int others;  // the number of other devices
  const ForeignBlock* blocks;
  const i64* command;
  const L* bounds;     // labels are final below the first one, to be relaxed below the second
  L* sent;             // the least labels that were sent
  Entry<L>* outgoing;  // label and place at the owner: two arrays, written in turn
  i64 room;            // entries of each of them
  u64* counts;         // outgoing entries by owner
  i64* report;
  L* least;  // of the sums over unrelaxed edges, for the host
};

/// Sets all labels to unreachable but the source's, and lists that if it is an own vertex.
template <int kBlock, class W, class L>
__device__ __forceinline__ void begin_part(const WideArgs<W, L>& a, const PartArgs<L>& p,
                                           WorkLists<L> pending, int source, L bound) {
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  const i64 at = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  for (i64 v = at; v < a.n; v += stride) a.dist[v] = v == source ? L{0} : never<L>();
  for (int k = 0; k < p.others; ++k) {
    const ForeignBlock block = p.blocks[k];
    for (i64 v = at; v < block.size; v += stride)
      a.dist[block.first + v] = p.sent[block.list + v] = never<L>();
  }
  if (at != 0) return;
  for (int slot = 0; slot < 3; ++slot) a.control->lists[slot] = {0, 0, 0};
  a.control->lost = 0;
  if (source < 0 || source >= a.n) return;  // a leaf lowers a label if it is the source
  if (source < a.hubs.count) {
    list_hub(pending, a.hubs, L{0}, source, 0, bound);
  } else {
    pending.entries[0] = Entry<L>{L{0}, source};
    pending.sizes->entries = 1;
  }
}

/// Takes the foreign labels, which the host has copied from their owners, as sent.
template <int kBlock, class W, class L>
__device__ __forceinline__ void take_copies(const WideArgs<W, L>& a, const PartArgs<L>& p) {
  const i64 stride = static_cast<i64>(gridDim.x) * kBlock;
  const i64 at = static_cast<i64>(blockIdx.x) * kBlock + threadIdx.x;
  for (int k = 0; k < p.others; ++k) {
    const ForeignBlock block = p.blocks[k];
    for (i64 v = at; v < block.size; v += stride)
      p.sent[block.list + v] = load_relaxed(a.dist + block.first + v);
  }
}

/// Lowers own labels to those received from a device, and lists the vertices lowered.
template <class W, class L>
__device__ __forceinline__ void receive(const WideArgs<W, L>& a, const Entry<L>* entries, i64 count,
                                        const WorkLists<L>& pending, Worker<L>& me, L bound) {
  for (i64 begin = static_cast<i64>(me.warp) * 32; begin < count;
       begin += static_cast<i64>(me.warps) * 32) {
    Entry<L> entry{never<L>(), 0};
    if (begin + me.lane < count) entry = entries[begin + me.lane];
    L* const place = a.dist + entry.vertex;
    const bool fell = entry.label != never<L>() && lower(place, load_relaxed(place), entry.label);
    me.send_buffer.make_room(32, pending, a.hubs, bound, me.lane);
    me.send_buffer.push(me.lane, fell && entry.vertex < a.leaves, entry.label, entry.vertex);
  }
}

/// Lists the foreign labels that are less than the last ones sent, for their owners.
template <class W, class L>
__device__ __forceinline__ void collect(const WideArgs<W, L>& a, const PartArgs<L>& p,
                                        const Worker<L>& me, i64 turn) {
  constexpr int kEach = 8;
  Entry<L>* const outgoing = p.outgoing + turn * p.room;
  for (int k = 0; k < p.others; ++k) {
    const ForeignBlock block = p.blocks[k];
    const i64 stride = static_cast<i64>(me.warps) * 32 * kEach;
    for (i64 begin = static_cast<i64>(me.warp) * 32 * kEach; begin < block.size; begin += stride) {
      L label[kEach];
      u32 less[kEach];
      u32 count = 0;
#pragma unroll
      for (int s = 0; s < kEach; ++s) {
        const i64 v = begin + s * 32 + me.lane;
        bool is = v < block.size;
        if (is) {
          label[s] = a.dist[block.first + v];
          is = label[s] < p.sent[block.list + v];
        }
        less[s] = __ballot_sync(~0u, is);
        count += __popc(less[s]);
      }
      if (count == 0) continue;
      u64 at = 0;
      if (me.lane == 0) at = atomicAdd(p.counts + k, static_cast<u64>(count));
      at = __shfl_sync(~0u, at, 0);
#pragma unroll
      for (int s = 0; s < kEach; ++s) {
        const i64 v = begin + s * 32 + me.lane;
        if ((less[s] >> me.lane & 1) != 0) {
          const u64 place = at + __popc(less[s] & ((1u << me.lane) - 1));
          outgoing[block.list + place] = Entry<L>{label[s], static_cast<int>(v)};
          p.sent[block.list + v] = label[s];
        }
        at += __popc(less[s]);
      }
    }
  }
}

template <int kGroup, int kBlock, class W, class L>
__device__ __forceinline__ void wide_part(const WideArgs<W, L>& a, const PartArgs<L>& p, int* halt,
                                          i64* status) {
  constexpr int kWarps = kBlock / 32;
  WARPATH_SHARED(Entry<L>, send_buffers, kWarps * SendBuffer<L>::kRoom);
  WARPATH_SHARED(int, waiting, kWarps * 64);
  WARPATH_SHARED(WideControl::Lists, shared_sizes, 1);
  WARPATH_SHARED(u64, sums, 3);
  WARPATH_SHARED(L, minimum, 1);
  WARPATH_SHARED(u32, taken, 2);
  WARPATH_SHARED(i64, command, kArriving + 2 * (kMostDevices - 1));
  WARPATH_SHARED(L, bounds, 2);
  const int t = threadIdx.x, own = t / 32;
  const bool first = blockIdx.x == 0 && t == 0;
  const int warps = static_cast<int>(gridDim.x) * kWarps;
  Worker<L> me{t % 32,
               own * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x),
               warps,
               {send_buffers + own * SendBuffer<L>::kRoom, 0},
               waiting + own * 64};
  if (t == 0) taken[0] = 0;
  if (t < kArriving + 2 * p.others) command[t] = p.command[t];  // from the host: once a block
  if (t < 2) bounds[t] = p.bounds[t];
  if (first) {  // a barrier separates this from the first use
    a.control->into[0] = a.control->rest[0] = a.control->found[0] = 0;
    a.minimum[0] = never<L>();
    for (int k = 0; k < p.others; ++k) p.counts[k] = 0;
  }
  __syncthreads();
  const L settled = bounds[0], bound = bounds[1];
  const int step = static_cast<int>(command[kStep]);
  u32 round = static_cast<u32>(command[kRound]);
  const u32 end = round + static_cast<u32>(command[kMostRounds]);
  WorkLists<L> pending = round % 2 == 0 ? a.even : a.odd;
  pending.sizes = a.control->lists + round % 3;
  if (step == kBegin) begin_part<kBlock>(a, p, pending, static_cast<int>(command[kSource]), bound);
  if (step == kRaise) relax_rest<kGroup>(a, pending, me, false, settled, bound);
  if (step == kPull || step == kMend) {
    take_copies<kBlock>(a, p);
    pull<kGroup>(a, pending, me, step == kMend, settled);
  }
  if (step == kGoOn)
    for (int k = 0; k < p.others; ++k)
      receive(a, reinterpret_cast<const Entry<L>*>(command[kArriving + 2 * k + 1]),
              command[kArriving + 2 * k], pending, me, bound);
  me.send_buffer.send(pending, a.hubs, bound, me.lane, taken);
  WideControl::Lists sizes = meet_and_read(a.control, round % 3, shared_sizes);
  for (; round != end && sizes.halted == 0 && sizes.entries + sizes.runs != 0; ++round) {
    const WorkLists<L> now = round % 2 == 0 ? a.even : a.odd;
    WorkLists<L> output = round % 2 == 0 ? a.odd : a.even;
    output.sizes = a.control->lists + (round + 1) % 3;
    if (first && halted(halt)) store_relaxed(&output.sizes->halted, 1u);
    if (first) a.control->lists[(round + 2) % 3] = {0, 0, 0};
    if (overflowed(now, sizes))
      relax_rest<kGroup>(a, output, me, true, bound, bound);
    else
      relax_lists<kGroup>(a, now, sizes, output, me, bound);
    me.send_buffer.send(output, a.hubs, bound, me.lane, taken);
    sizes = meet_and_read(a.control, (round + 1) % 3, shared_sizes);
  }
  if (step != kPull) collect(a, p, me, command[kTurn]);
  const bool quiet = sizes.entries + sizes.runs == 0;
  bool surveys = quiet && command[kSurveys] != 0;
  if (surveys) {  // labels that are sent may come back as lower ones, so it would be too early
    meet(&a.control->arrived);
    for (int k = 0; k < p.others; ++k) surveys = surveys && load_relaxed(p.counts + k) == 0;
  }
  Survey<L> left{never<L>(), 0, 0, 0};
  if (surveys) left = survey<kBlock>(a, 0, sums, minimum);
  conclude(halt, status, [&] {
    status[1] = round;
    status[2] = quiet;
    status[3] = surveys;
    p.report[kInto] = static_cast<i64>(left.into);
    p.report[kRest] = static_cast<i64>(left.rest);
    p.report[kFound] = static_cast<i64>(left.found);
    for (int k = 0; k < p.others; ++k)
      p.report[kOutgoing + k] = static_cast<i64>(load_relaxed(p.counts + k));
    *p.least = left.minimum;
    return sizes.halted != 0 ? kHalted : load_relaxed(&a.control->lost) != 0 ? kLost : kDone;
  });
}

}  // namespace warpath
