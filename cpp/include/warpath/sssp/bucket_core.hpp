// bucket_core.hpp - delta-stepping in a window of buckets: one thread's part of a search.
//
// bucket_search.hpp (one thread, private buckets) and bucket_team.hpp (threads that share each
// bucket) both run this core. A label is the length of the best path known to a vertex; bucket i
// holds the vertices whose label lies in the i-th interval of width delta. Weights must be >= 0.
// Phases. 1. The source's label is 0, all others are infinite; the source is in bucket 0.
// 2. Buckets are drained in ascending order. To scan a vertex is to relax all its edges; a vertex
//    that falls back into the current bucket is scanned again before the bucket is left.
// 3. When all kBuckets buckets are empty, the window moves to the smallest label of the far pile,
//    which holds the vertices beyond the window (BucketMap::move).
// Invariants. The thread that lowers a label puts the vertex into its bucket for that label, unless
// the vertex is there already or has no out-edge. An entry is a vertex number only: the label is
// read when the entry's turn comes, and the entry is stale if the label lies before the current
// bucket. Any order of scans ends in the same labels, because rounding is monotone and weights are
// >= 0: delta and the number of threads change the work and never a bit of the result.
// The parameter. A small delta needs O(m) relaxations but more buckets. The default is mean weight
// / mean degree times 32 / degree (1 to 16), halved on one thread, a quarter with scattered
// targets, half with hubs (decision 0018).
// The hook. Private and shared buckets differ in the type of a hook. It returns the next entry to
// scan (`next`), is called after each scan (`scanned`) and for each lowered label (`lowered`), and
// knows the vertices without out-edges (`leaf`). Its constant kShared is true if other threads
// lower labels at the same time. Which bucket comes next is decided by the caller of `drain`.
// Slower alternatives. On a road network: growing arrays and no ImprovementBuffer, 43 ms (32 with
// blocks and the buffer); delta = mean weight / mean degree, 30 % more on two threads. On R-MAT:
// storing smaller labels without a branch, which dirties all cache lines, 38 ms (30); light and
// heavy edges apart (delta_stepping.hpp), 1.8 times as long, because rows are read twice. One
// function for both ways to drain spilled the registers of one loop.
// Sources: Meyer, Sanders, "Delta-stepping", 2003; Beamer et al., GAP suite, 2015.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/scheduling.hpp"
#include "warpath/sssp/bucket_bins.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// Facts about the graph and settings of a search by buckets.
template <Weight W>
struct BucketOptions {
  double delta;    // the width of a bucket, > 0
  W max_weight;    // an upper bound on the weights
  bool scattered;  // most edges lead to distant vertex numbers, and there are no hubs
  DistanceOf<W> cutoff = unreachable<DistanceOf<W>>;
  int threads = 1;
  bool assemble = false;  // for tests: wait until all threads have started
  /// One bit per vertex, lowest bit of a byte first: set if the vertex has no out-edge. Such a
  /// vertex gets a label and is never scanned. Null if unknown, or if there are few of them.
  const std::uint8_t* leaves = nullptr;
};

/// Which way of scanning edges suits a graph; the thresholds are measured (decision 0018).
struct ScanPolicy {
  /// For n vertices and m edges. `scattered`: as in BucketOptions.
  ScanPolicy(std::int64_t n, std::int64_t m, bool scattered, int threads) {
    const bool few_edges = m < kFewEdges * n;
    prefetch_targets = few_edges && scattered && (threads > 1 || n >= kManyLabels);
    range_affinity = few_edges && !scattered;
    no_prefetch = n + m < (range_affinity ? kSmallLocal : kSmall);
  }

  bool prefetch_targets;  // prefetch the labels of targets
  bool range_affinity;    // each thread prefers its own range of vertices
  bool no_prefetch;

 private:
  static constexpr std::int64_t kFewEdges = 7;  // per vertex; below, many sums lower a label
  static constexpr std::int64_t kManyLabels = 100'000;  // from here one thread gains, too
  static constexpr std::int64_t kSmall = 1 << 15;       // vertices and edges
  static constexpr std::int64_t kSmallLocal = 1 << 19;  // the same if targets have close numbers
};

struct BucketCounters : SearchCounters {
  std::int64_t rounds = 0;   // buckets drained by the team
  std::int64_t reached = 0;  // vertices that have a path from the source
};

/// Relaxations whose sum was below the label of the target when they were collected.
///
/// Whether a sum lowers a label is unpredictable for a processor, and so is the number of such
/// edges of a vertex. They are therefore collected without a branch, from as many vertices as it
/// takes to fill the buffer, and applied together.
template <class V, class L>
class ImprovementBuffer {
 public:
  /// Checks edges from e on, up to `end` or for kFull edges. Returns the first edge not checked.
  template <class Target, class Sum, class Label>
  std::size_t collect(std::size_t e, std::size_t end, Target&& target, Sum&& sum, Label&& label) {
    std::size_t count = count_;
    const std::size_t stop = std::min(end, e + kFull);
    for (; e < stop; ++e) {
      targets_[count] = target(e);
      sums_[count] = sum(e);
      count += sums_[count] < label(target(e));
    }
    count_ = count;
    return e;
  }

  bool full() const { return count_ >= kFull; }

  /// Empties the buffer: calls lower(target, sum) for each entry. False if there were none.
  template <class Lower>
  bool apply(Lower&& lower) {
    const std::size_t count = std::exchange(count_, 0);
    for (std::size_t i = 0; i < count; ++i) lower(targets_[i], sums_[i]);
    return count > 0;
  }

 private:
  static constexpr std::size_t kFull = 32;

  std::array<V, 2 * kFull> targets_;
  std::array<L, 2 * kFull> sums_;
  std::size_t count_ = 0;
};

/// `Rows` is PlainRows, PackedRows or RasterRows; labels have type L, as wide as the distances or
/// narrower.
template <class Rows, class L>
class BucketCore {
 public:
  using V = typename Rows::Vertex;

  /// The remaining entries of one or more far piles, and how many left since the last move.
  struct FarPile {
    L smallest;
    std::size_t entries = 0;
    std::size_t freed = 0;
  };

  BucketCore(const Rows& rows, L* labels, L initial, double delta, const ScanPolicy& how,
             Poller poller)
      : buckets(),
        rows_(rows),
        labels_(labels),
        initial_(initial),
        how_(how),
        poller_(poller),
        map_(delta) {}

  /// Resets the buckets to those of a new core.
  void restart(double delta) {
    buckets.clear();
    map_ = BucketMap<L>(delta);
    freed_ = 0;
  }

  /// Joins a search in progress, in which `member` takes part.
  void follow(const BucketCore& member) { map_ = member.map_; }

  /// Whether a label is final when `bucket` is the current one.
  bool settled(L label, int bucket) const { return map_.passed(label, bucket); }

  /// Drains buckets on this thread alone, until stop(bucket) is true or no entry is left. Returns
  /// whether it was stopped.
  template <class Hook, class Stop>
  bool drain_all(Hook&& hook, Stop&& stop) {
    for (int current = 0;;) {
      current = buckets.next(current);
      if (current == kBuckets) {
        if (!move_window(inspect_far_pile())) return false;
        current = buckets.next(0);
      }
      if (stop(current)) return true;
      drain(current, hook);
    }
  }

  /// Scans the entries that the hook returns for the current bucket, and those that fall back.
  template <class Hook>
  void drain(int current, Hook&& hook) {
    if (how_.no_prefetch)
      drain_plain(current, hook);
    else
      drain_ahead(current, hook);
    buckets.close(current);
  }

  /// Drops the stale entries of the far pile.
  FarPile inspect_far_pile() {
    FarPile pile{initial_, 0, freed_};
    visit_far_pile([&](V v) {
      if (map_.passed(labels_[v], kBuckets)) return;
      pile.smallest = std::min(pile.smallest, labels_[v]);
      ++pile.entries;
      buckets.put(kBuckets, v);
    });
    return pile;
  }

  /// Moves the empty window; `all` sums up the far piles of all threads. False if they are empty.
  bool move_window(const FarPile& all) {
    if (all.entries == 0) return false;
    map_.move(all.smallest, all.entries, all.freed);
    freed_ = 0;
    visit_far_pile([&](V v) {
      const int bucket = map_.bucket_of(labels_[v]);
      freed_ += bucket < kBuckets;
      buckets.put(bucket, v);
    });
    ++moves;
    return true;
  }

  BlockBuckets<V> buckets;
  SearchCounters counters;
  std::int64_t moves = 0;  // of the window

 private:
  static constexpr unsigned kAhead = 16;        // vertices between the first prefetch and the scan
  static constexpr std::size_t kAheadRow = 16;  // targets of a row that are prefetched
  using Buffer = ImprovementBuffer<V, L>;

  template <bool kShared>
  static L label(L* labels, V v) {
    if constexpr (kShared)
      return atomic_ref<L>(labels[v]).load(std::memory_order_relaxed);
    else
      return labels[v];
  }

  template <class Hook>
  [[gnu::noinline]] void drain_plain(int current, Hook& hook) {
    const BucketMap<L> map = map_;
    Buffer buffer;
    do {
      for (V v; hook.next(current, v);) {
        scan(v, current, map, buffer, hook);
        hook.scanned(current);
      }
    } while (apply(buffer, current, map, hook));
  }

  /// An entry's label and row bounds are prefetched kAhead entries before its scan, then its row.
  template <class Hook>
  [[gnu::noinline]] void drain_ahead(int current, Hook& hook) {
    const BucketMap<L> map = map_;
    std::array<V, 2 * kAhead> staged;
    Buffer buffer;
    unsigned head = 0;
    unsigned tail = 0;
    const auto at = [&](unsigned place) -> V& { return staged[place % (2 * kAhead)]; };
    while (true) {
      for (V v; tail - head < kAhead && hook.next(current, v);) {
        at(tail++) = v;
        __builtin_prefetch(labels_ + v);
        rows_.fetch_begin(static_cast<std::size_t>(v));
      }
      if (head == tail) {
        if (!apply(buffer, current, map, hook)) return;
        continue;
      }
      if (tail - head > kAhead / 2) rows_.fetch(row(at(head + kAhead / 2)));
      if (how_.prefetch_targets && tail - head > kAhead / 4)
        fetch_targets<Hook::kShared>(at(head + kAhead / 4));
      scan(at(head++), current, map, buffer, hook);
      hook.scanned(current);
    }
  }

  /// Not for neighbours with close numbers: their labels mostly are in a cache already. Forced
  /// inline: a compiler may drop a function that only prefetches, as free of effects.
  template <bool kShared>
  [[gnu::always_inline]] void fetch_targets(V v) const {
    const std::size_t begin = row(v);
    const std::size_t end =
        std::min(rows_.begin(static_cast<std::size_t>(v) + 1), begin + kAheadRow);
    for (std::size_t e = begin; e < end; ++e) {
      if constexpr (kShared)
        prefetch_for_write(labels_ + rows_.edges(static_cast<std::size_t>(v)).target(e));
      else
        __builtin_prefetch(labels_ + rows_.edges(static_cast<std::size_t>(v)).target(e));
    }
  }

  template <class Hook>
  void scan(V u, int current, const BucketMap<L>& map, Buffer& buffer, Hook& hook) {
    constexpr bool kShared = Hook::kShared;
    const L from = label<kShared>(labels_, u);
    if (map.passed(from, current)) return;  // stale: scanned already with its smaller label
    std::size_t e = row(u);
    const std::size_t end = rows_.begin(static_cast<std::size_t>(u) + 1);
    const auto degree = static_cast<std::int64_t>(end - e);
    poller_.step(degree + 1);
    ++counters.settled;
    counters.relaxed += degree;
    const auto edges = rows_.edges(static_cast<std::size_t>(u));
    const auto target = [&](std::size_t at) { return edges.target(at); };
    const auto sum = [&](std::size_t at) {
      return static_cast<L>(from + edges.template weight<L>(at));
    };
    L* const labels = labels_;
    const auto label_at = [labels](V v) { return label<kShared>(labels, v); };
    do {
      e = buffer.collect(e, end, target, sum, label_at);
      if (buffer.full()) apply(buffer, current, map, hook);
    } while (e < end);
  }

  template <class Hook>
  bool apply(Buffer& buffer, int current, const BucketMap<L>& map, Hook& hook) {
    return buffer.apply([&](V v, L sum) { lower(v, sum, current, map, hook); });
  }

  template <class Hook>
  void lower(V v, L sum, int current, const BucketMap<L>& map, Hook& hook) {
    constexpr bool kShared = Hook::kShared;
    L old = label<kShared>(labels_, v);
    if constexpr (kShared) {
      atomic_ref<L> place(labels_[v]);
      do {
        if (!(sum < old)) return;
      } while (!place.compare_exchange_weak(old, sum, std::memory_order_relaxed));
    } else {
      if (!(sum < old)) return;
      labels_[v] = sum;
    }
    ++counters.improved;
    const bool first = old == initial_;
    hook.lowered(v, first);
    const bool leaf = hook.leaf(v);
    counters.settled += leaf & first;
    const int bucket = map.bucket_of(sum);
    // The thread that stored the old label has put v there, or will before that bucket's turn.
    const bool there = !first & (bucket > current) & (map.bucket_of(old) == bucket);
    buckets.put_if(!leaf & !there, bucket, v);
  }

  /// Empties the far pile; visit(v) may put v back, into blocks that are reused at once.
  template <class Visit>
  void visit_far_pile(Visit&& visit) {
    buckets.detach(kBuckets, [&](Block<V>* block, std::size_t entries) {
      poller_.step(static_cast<std::int64_t>(entries));
      for (std::size_t i = 0; i < entries; ++i) visit(block->entries[i]);
      buckets.pool().give(block);
    });
  }

  std::size_t row(V v) const { return rows_.begin(static_cast<std::size_t>(v)); }

  // PlainRows, which refer to a graph, are copied: one indirection more took 3 to 5 % of a search
  // from one source of a random graph of in-degree 7.
  using KeptRows = std::conditional_t<std::is_copy_constructible_v<Rows>, const Rows, const Rows&>;

  KeptRows rows_;
  L* const labels_;
  const L initial_;
  const ScanPolicy how_;
  Poller poller_;
  BucketMap<L> map_;
  std::size_t freed_ = 0;  // entries that the last move took from the far pile
};

}  // namespace warpath
