// bmssp.hpp - bounded multi-source shortest paths by recursion: one source in O(m log^(2/3) n).
//
// solve(level, bound, sources) settles vertices whose label is below the bound and whose shortest
// path passes one of the sources. It returns a new bound, below which all of these are settled: the
// given one, or a lower one after k 2^(level t) vertices.
// 1. `find_pivots` relaxes k times from the sources. Vertices that get their final label that way
//    need no queue. Of the sources only the pivots do, from which a tree of k vertices grew.
// 2. The level's queue hands out the nearest pivots in batches, unsorted. One level lower, each
//    batch is settled up to the bound that separates it from the rest of the queue.
// 3. Edges out of the vertices settled there bring further vertices into the queue.
// The base case is Dijkstra's algorithm from one vertex, for k vertices.
//
// Labels are ordered by length, then hops, then vertex, and of equal labels of a vertex the one of
// the smaller predecessor remains, so that no two paths compare as equal (assumption 2.1). Rounding
// would break what the proofs need of this order, that the shorter of two paths to u also leads to
// the shorter one over an edge u -> v: a path that is shorter by a rounding error may have more
// hops. With float weights, hops are therefore counted from the last edge that lengthened the path.
//
// What differs from the paper and changes no bound:
// - A sum is compared with the bounds before it is compared with a label, which is then not read if
//   the edge stays among settled vertices or leads beyond the bound.
// - Edges out of the vertices that a batch settled are not relaxed if these go up to the level's
//   own bound: no label lies in between.
// - In the forest of `find_pivots`, an edge from a vertex whose label fell in the last round is
//   recognised by that round and not by another addition.
//
// Source: Duan, Mao, Mao, Shu, Yin, "Breaking the sorting barrier for directed single-source
// shortest paths", 2025.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/queues/partially_sorted.hpp"
#include "warpath/queues/path_key.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// The parameters of the recursion.
struct BmsspSizes {
  std::int64_t k;       // rounds of `find_pivots`, and vertices of a base case
  std::int64_t t;       // log2 of the number of batches of a level
  std::int64_t levels;  // above the base case

  static constexpr std::int64_t kMostK = 4096;
  static constexpr std::int64_t kMostT = 32;

  /// Those of the paper for k = 0 and t = 0: floor(log2(n)^(1/3)) and floor(log2(n)^(2/3)), or 1.
  static BmsspSizes of(std::int64_t n, std::int64_t k, std::int64_t t) {
    const double log = std::log2(static_cast<double>(std::max<std::int64_t>(n, 1)));
    const auto cube = [](std::int64_t x) { return static_cast<double>(x * x * x); };
    if (k == 0)
      for (k = 1; cube(k + 1) <= log;) ++k;
    if (t == 0)
      for (t = 1; cube(t + 1) <= log * log;) ++t;
    return {k, t, static_cast<std::int64_t>(std::ceil(log / static_cast<double>(t)))};
  }
};

struct BmsspCounters : SearchCounters {
  std::int64_t pulls = 0;   // batches taken from queues
  std::int64_t pivots = 0;  // sources put into queues
};

/// One search. Weights must be >= 0. Vertices farther than `cutoff` are unreachable. `relaxed`
/// counts additions. kCounted: comparisons of labels count in `counted_comparisons`.
template <Index V, Weight W, bool kCounted = false>
class Bmssp {
 public:
  using D = DistanceOf<W>;
  using Key = PathKey<D, V, kCounted>;

  Bmssp(const CsrView<V, W>& graph, const BmsspSizes& sizes, D cutoff, Poller& poller)
      : graph_(graph),
        sizes_(sizes),
        bound_(cutoff == unreachable<D> ? Key{cutoff, 0, 0} : Key{cutoff, kLast, kLast}),
        poller_(poller),
        labels_(vertices(), Label{unreachable<D>, kLast, kLast}),
        marks_(vertices(), Marks{kNone, kNone}),
        slots_(vertices(), V{0}),
        levels_(static_cast<std::size_t>(sizes.levels) + 1) {
    settled_.reserve(vertices());
    poller.control().expect(graph.n());
  }

  void run(V source) {
    at(source) = {0, source, 0};
    solve(levels_.size() - 1, bound_, std::span(&source, 1));
    counters.settled = static_cast<std::int64_t>(settled_.size());
  }

  D distance(V v) const { return labels_[static_cast<std::size_t>(v)].length; }

  BmsspCounters counters;
  bool overflow = false;  // whether a sum did not fit the labels

 private:
  static constexpr V kLast = std::numeric_limits<V>::max();
  static constexpr std::uint8_t kNone = 0xff;  // there are fewer levels

  struct Label {
    D length;
    V pred;
    V hops;
  };

  struct Marks {
    std::uint8_t queued;   // the level whose queue has the label, 0 for the heap of the base case
    std::uint8_t settled;  // the highest level at which the vertex is settled
  };

  struct Level {
    PartiallySorted<Key> queue;
    std::int64_t waiting = 0;  // labels in the queue, without those that have fallen since
    std::vector<Key> batch;
    std::vector<V> sources;     // the vertices of the batch
    std::vector<V> reached;     // by `find_pivots`, its sources first
    std::vector<Key> returned;  // labels below those in the queue
  };

  enum class Relaxed { kNo, kEqual, kLower };

  struct Rounds {
    std::int32_t active;   // the last one that reached the vertex
    std::int32_t lowered;  // the last one that lowered its label
  };

  std::size_t vertices() const { return static_cast<std::size_t>(graph_.n()); }
  Label& at(V v) { return labels_[static_cast<std::size_t>(v)]; }
  Marks& marks(V v) { return marks_[static_cast<std::size_t>(v)]; }

  Key key_of(V v) {
    const Label& label = at(v);
    return {label.length, v, label.hops};
  }

  bool is_current(const Key& key) {
    const Label& label = at(key.vertex);
    return label.length == key.length && label.hops == key.hops;
  }

  Key solve(std::size_t level, const Key& bound, std::span<const V> sources) {
    if (level == 0) return base_case(bound, sources[0]);
    Level& here = levels_[level];
    const std::int64_t log = static_cast<std::int64_t>(level) * sizes_.t;
    const std::size_t most = static_cast<std::size_t>(sizes_.k) << std::min<std::int64_t>(
                                 log, 50);  // more than any number of vertices
    const std::size_t begin = settled_.size();
    here.queue.reset(std::size_t{1} << (log - sizes_.t), bound);
    find_pivots(level, bound, sources);
    Key end = bound;
    while (here.waiting > 0 && settled_.size() - begin < most) {
      const std::size_t first = settled_.size();
      const Key next = pull(level);
      end = solve(level - 1, next, here.sources);
      for (std::size_t i = first; i < settled_.size(); ++i)
        marks(settled_[i]).settled = static_cast<std::uint8_t>(level);
      if (end < bound) relax_settled(level, first, end, next, bound);
    }
    if (here.waiting == 0) {
      end = bound;
    } else {
      here.queue.visit([&](const Key& key) {
        if (is_current(key)) leave_queue(key.vertex);
      });
    }
    for (const V v : here.reached)
      if (marks(v).settled != level && key_of(v) < end) settled_.push_back(v);
    if (level == 1) poller_.control().advance(static_cast<std::int64_t>(settled_.size() - begin));
    return end;
  }

  Key base_case(const Key& bound, V source) {
    V u = source;
    for (std::int64_t left = sizes_.k; left > 0; --left) {
      settled_.push_back(u);
      for_each_edge(u, [&](const Key& path) {
        if (!(path < bound) || relax(u, path) == Relaxed::kNo || is_queued(path.vertex)) return;
        enter_queue(path.vertex, 0);
        heap_.push(path, path.vertex);
      });
      QueueEntry<Key, V> top;
      do {
        if (!heap_.pop(top, 0)) return bound;
      } while (!is_current(top.key));
      u = top.vertex;
      leave_queue(u);
    }
    heap_.drain([&](const QueueEntry<Key, V>& entry) {
      if (is_current(entry.key)) leave_queue(entry.vertex);
    });
    return key_of(u);
  }

  /// Relaxes k times from the sources and puts pivots into the level's queue: the roots of trees of
  /// k vertices or more, or all sources if they reach over k times as many vertices.
  void find_pivots(std::size_t level, const Key& bound, std::span<const V> sources) {
    std::vector<V>& reached = levels_[level].reached;
    reached.clear();
    rounds_.clear();
    active_.clear();
    for (const V v : sources) active_.push_back(slot_of(v, reached));
    const std::size_t most = static_cast<std::size_t>(sizes_.k) * sources.size();
    for (std::int32_t round = 1; round <= sizes_.k; ++round) {
      next_active_.clear();
      for (std::size_t i = 0; i < active_.size(); ++i) {
        const auto active = [&](std::size_t j) { return reached[active_[j]]; };
        prefetch(active, i, active_.size());
        const V u = active(i);
        for_each_edge(u, [&](const Key& path) {
          if (!(path < bound)) return;
          const Relaxed relaxed = relax(u, path);
          if (relaxed == Relaxed::kNo) return;
          const std::size_t slot = slot_of(path.vertex, reached);
          if (relaxed == Relaxed::kLower) rounds_[slot].lowered = round;
          if (rounds_[slot].active == round) return;
          rounds_[slot].active = round;
          next_active_.push_back(slot);
        });
      }
      active_.swap(next_active_);
      if (reached.size() > most) {
        for (const V v : sources) add_pivot(level, v);
        return;
      }
    }
    count_trees(reached);
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (roots_[i] == i && tree_sizes_[i] >= sizes_.k) add_pivot(level, sources[i]);
  }

  /// The position of a vertex among those reached; it is added if it is new.
  std::size_t slot_of(V v, std::vector<V>& reached) {
    const std::size_t slot = find_slot(v, reached);
    if (slot < reached.size()) return slot;
    slots_[static_cast<std::size_t>(v)] = static_cast<V>(reached.size());
    reached.push_back(v);
    rounds_.push_back({0, 0});
    return reached.size() - 1;
  }

  /// The position of a vertex among those reached, or their number if it is not one of them. Slots
  /// of earlier calls lead to other vertices, so they need not be cleared.
  std::size_t find_slot(V v, const std::vector<V>& reached) const {
    const auto slot = static_cast<std::size_t>(slots_[static_cast<std::size_t>(v)]);
    return slot < reached.size() && reached[slot] == v ? slot : reached.size();
  }

  void add_pivot(std::size_t level, V v) {
    ++counters.pivots;
    enter_queue(v, level);
    levels_[level].queue.insert(key_of(v));
  }

  /// Sets the root and the size of each tree of the forest of tight edges among reached vertices.
  void count_trees(const std::vector<V>& reached) {
    const std::size_t none = reached.size();
    roots_.assign(reached.size(), none);
    tree_sizes_.assign(reached.size(), 0);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      active_.clear();
      std::size_t slot = i;
      while (roots_[slot] == none) {
        active_.push_back(slot);
        const std::size_t parent = parent_of(slot, reached);
        if (parent == none)
          roots_[slot] = slot;
        else
          slot = parent;
      }
      for (const std::size_t below : active_) roots_[below] = roots_[slot];
      ++tree_sizes_[roots_[slot]];
    }
  }

  /// The reached vertex at the other end of the tight edge into a vertex, or their number.
  std::size_t parent_of(std::size_t slot, const std::vector<V>& reached) {
    const V pred = at(reached[slot]).pred;
    const std::size_t parent = find_slot(pred, reached);
    const bool tight = parent < reached.size() && parent != slot &&  // the first source: its own
                       rounds_[parent].lowered != sizes_.k;
    return tight ? parent : reached.size();
  }

  /// Takes a batch from the queue. Returns the bound between it and the rest.
  Key pull(std::size_t level) {
    Level& here = levels_[level];
    ++counters.pulls;
    const Key next = here.queue.pull(here.batch, [&](const Key& key) { return is_current(key); });
    here.sources.clear();
    for (const Key& key : here.batch) {
      here.sources.push_back(key.vertex);
      leave_queue(key.vertex);
    }
    return next;
  }

  /// Relaxes the edges out of the vertices settled from `first` on, and puts vertices with a label
  /// from `end` on into the queue: those of the batch that are not settled, below `next`, and those
  /// that the edges lead to.
  void relax_settled(std::size_t level, std::size_t first, const Key& end, const Key& next,
                     const Key& bound) {
    Level& here = levels_[level];
    here.returned.clear();
    const auto wait = [&](const Key& path) {
      if (is_queued(path.vertex)) return;
      enter_queue(path.vertex, level);
      if (path < next) {
        here.returned.push_back(path);
      } else {
        here.queue.insert(path);
      }
    };
    for (std::size_t i = first; i < settled_.size(); ++i) {
      prefetch([&](std::size_t j) { return settled_[j]; }, i, settled_.size());
      const V u = settled_[i];
      for_each_edge(u, [&](const Key& path) {
        if (path < end || !(path < bound)) return;
        if (relax(u, path) != Relaxed::kNo) wait(path);
      });
    }
    for (const V v : here.sources)
      if (const Key path = key_of(v); !(path < end)) wait(path);
    std::erase_if(here.returned, [&](const Key& key) { return !is_current(key); });
    here.queue.prepend(here.returned);
  }

  /// Calls `visit(path)` for the edges out of u; `path` is the key of the other end by way of u.
  template <class Visit>
  void for_each_edge(V u, Visit&& visit) {
    const auto row = static_cast<std::size_t>(u);
    const auto begin = static_cast<std::size_t>(graph_.indptr[row]);
    const auto end = static_cast<std::size_t>(graph_.indptr[row + 1]);
    poller_.step(static_cast<std::int64_t>(end - begin) + 1);
    counters.relaxed += static_cast<std::int64_t>(end - begin);
    const Label from = at(u);
    for (std::size_t e = begin; e < end; ++e) {
      Key path{0, graph_.indices[e], static_cast<V>(from.hops + 1)};
      if (!add_checked<D, W, V>(from.length, graph_.weights[e], path.length)) [[unlikely]] {
        overflow = true;
        continue;
      }
      if constexpr (std::is_floating_point_v<W>)
        if (path.length > from.length) path.hops = 0;
      visit(path);
    }
  }

  /// Lowers a label to that of a path by way of u unless it is less.
  Relaxed relax(V u, const Key& path) {
    Label& label = at(path.vertex);
    if constexpr (kCounted) ++counted_comparisons;
    if (label.length < path.length) return Relaxed::kNo;
    if (label.length == path.length) {
      if (label.hops < path.hops) return Relaxed::kNo;
      if (label.hops == path.hops) {
        if (label.pred < u) return Relaxed::kNo;
        label.pred = u;  // the key in the queue remains
        return Relaxed::kEqual;
      }
    }
    label = {path.length, u, path.hops};
    ++counters.improved;
    leave_queue(path.vertex);
    return Relaxed::kLower;
  }

  bool is_queued(V v) { return marks(v).queued != kNone; }

  void enter_queue(V v, std::size_t level) {
    marks(v).queued = static_cast<std::uint8_t>(level);
    ++levels_[level].waiting;
  }

  void leave_queue(V v) {
    std::uint8_t& queued = marks(v).queued;
    if (queued == kNone) return;
    --levels_[queued].waiting;
    queued = kNone;
  }

  /// Fetches what `for_each_edge` will read of two vertices that follow in a list.
  template <class VertexAt>
  void prefetch(const VertexAt& vertex_at, std::size_t i, std::size_t size) {
    constexpr std::size_t kAhead = 4;
    if (i + 2 * kAhead < size) {
      const auto row = static_cast<std::size_t>(vertex_at(i + 2 * kAhead));
      __builtin_prefetch(&graph_.indptr[row]);
      __builtin_prefetch(&labels_[row]);
    }
    if (i + kAhead < size) {
      const std::int64_t edge = graph_.indptr[static_cast<std::size_t>(vertex_at(i + kAhead))];
      __builtin_prefetch(graph_.indices.data() + edge);
      __builtin_prefetch(graph_.weights.data() + edge);
    }
  }

  const CsrView<V, W>& graph_;
  const BmsspSizes sizes_;
  const Key bound_;
  Poller& poller_;
  PageArray<Label> labels_;
  PageArray<Marks> marks_;
  PageArray<V> slots_;
  std::vector<Level> levels_;
  std::vector<V> settled_;       // of all levels, in the order in which they were settled
  QuaternaryHeap<Key, V> heap_;  // of the base case
  std::vector<Rounds> rounds_;   // of `find_pivots`, by slot, as are those that follow
  std::vector<std::size_t> active_, next_active_, roots_;
  std::vector<std::int64_t> tree_sizes_;
};

/// Writes the distances from `source` to `dist` (n). Throws std::overflow_error if one does not fit
/// its type. O(m log^(2/3) n) comparisons and additions if the degrees are constant. Memory: 26
/// bytes a vertex with 32-bit indices, and the queues.
template <bool kCounted = false, Index V, Weight W>
BmsspCounters bmssp(const CsrView<V, W>& graph, V source, std::span<DistanceOf<W>> dist,
                    std::int64_t k, std::int64_t t, DistanceOf<W> cutoff, Poller poller) {
  Bmssp<V, W, kCounted> search(graph, BmsspSizes::of(graph.n(), k, t), cutoff, poller);
  search.run(source);
  for (std::size_t v = 0; v < dist.size(); ++v) dist[v] = search.distance(static_cast<V>(v));
  if (search.overflow && cutoff == unreachable<DistanceOf<W>>)
    refuse_overflow<V, W>(graph, dist, poller, [](std::size_t) { return true; });
  return search.counters;
}

}  // namespace warpath
