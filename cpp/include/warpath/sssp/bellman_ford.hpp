// bellman_ford.hpp - distances with negative weights, or a negative cycle if there is one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/paths/tree.hpp"
#include "warpath/paths/verify.hpp"

namespace warpath {

struct BellmanFordResult {
  std::int64_t settled = 0;         // vertices scanned
  std::int64_t relaxed = 0;         // edges examined
  std::int64_t improved = 0;        // labels lowered
  std::int64_t rounds = 0;          // passes over the queue
  std::vector<std::int64_t> cycle;  // v0 -> v1 -> ... -> v0, or empty
};

/// The exact sign of a sum of floats, by Shewchuk's nonoverlapping partial sums (1997).
template <class D>
class ExactSum {
 public:
  void add(D value) {
    std::size_t kept = 0;
    for (D part : parts_) {
      const D sum = value + part;
      const D shift = sum - value;
      const D error = (value - (sum - shift)) + (part - shift);
      if (error != 0) parts_[kept++] = error;
      value = sum;
    }
    parts_.resize(kept);
    if (value != 0) parts_.push_back(value);
  }
  /// The largest part, which is the last, has the sign of the sum.
  bool negative() const { return !parts_.empty() && parts_.back() < 0; }

 private:
  std::vector<D> parts_;
};

/// Bellman-Ford with a first-in first-out queue and Tarjan's subtree disassembly.
///
/// The tree of last improvements is a preorder list. When the label of v falls, the subtree below v
/// is removed from the tree: its labels will fall too, so scanning those vertices first would be
/// wasted. If v is an ancestor of the vertex u whose edge improves it, the tree path v ... u and
/// the edge u -> v form a negative cycle, detected by the very relaxation that closes it. Every
/// label is at any time the length of a simple path, so the loop ends for all weights.
///
/// Work O(n m); on road networks a few scans per vertex. L is the label type: 64-bit or 128-bit
/// integers or floats. With floats, rounding may absorb a decrease further down the tree; a removed
/// vertex therefore also accepts an equal label and returns to the tree. A cycle that only rounding
/// makes negative (its exact sum is >= 0) is ignored: the label of its closing edge's target then
/// stays above the rounded sum. Source: Tarjan 1981 (memorandum); Cherkassky, Goldberg,
/// "Negative-cycle detection algorithms", 1999.
template <Index V, Weight W, class L>
class BellmanFord {
 public:
  static constexpr L kInfinity = std::is_floating_point_v<L> ? std::numeric_limits<L>::infinity()
                                                             : std::numeric_limits<L>::max();

  BellmanFord(const CsrView<V, W>& graph, std::span<L> dist)
      : graph_(graph), dist_(dist), tree_(dist.size() + 1), queue_(dist.size()) {}

  /// Starts from each source at 0, as if from a virtual vertex with an edge of weight 0 to each
  /// source; without sources, to every vertex. Returns false if a 64-bit sum overflowed: the labels
  /// are then meaningless, and a wider L is needed.
  bool run(std::span<const std::int64_t> sources, Control& control, BellmanFordResult& result) {
    Poller poller(control, true);
    initialize(sources);
    std::size_t pass_left = filled_;
    result.rounds = 1;
    while (filled_ > 0) {
      if (pass_left == 0) {
        pass_left = filled_;
        ++result.rounds;
      }
      --pass_left;
      const V u = pop();
      poller.step();
      if (!at(u).in_tree()) continue;
      ++result.settled;
      control.advance(1);
      if (!scan(u, poller, result)) return false;
      if (!result.cycle.empty()) return true;
    }
    return true;
  }

 private:
  static constexpr V kOut = -1;

  struct TreeNode {  // a vertex in the preorder list; entry n: list head, virtual root
    V next = 0;
    V previous = 0;
    V depth = kOut;
    V above = -1;  // the vertex whose edge gave the label; valid also after removal from the tree
    bool queued = false;
    bool in_tree() const { return depth != kOut; }
  };

  TreeNode& at(V v) { return tree_[static_cast<std::size_t>(v)]; }
  L& label(V v) { return dist_[static_cast<std::size_t>(v)]; }
  V root() const { return static_cast<V>(dist_.size()); }

  void initialize(std::span<const std::int64_t> sources) {
    std::fill(dist_.begin(), dist_.end(), sources.empty() ? L{0} : kInfinity);
    at(root()) = {root(), root(), 0, -1, false};
    for (const std::int64_t source : sources) {
      const auto v = static_cast<V>(source);
      if (at(v).in_tree()) continue;  // a duplicate
      label(v) = 0;
      attach(v, root());
    }
    if (sources.empty()) {
      for (V v = root(); v-- > 0;) attach(v, root());  // backwards, so that the list ascends
      for (std::size_t i = 0; i < queue_.size(); ++i) queue_[i] = static_cast<V>(i);
    }
  }

  /// Inserts v as a child of u, and appends it to the queue unless it is there already.
  void attach(V v, V u) {
    TreeNode& place = at(v);
    const V after = at(u).next;
    place.next = after;
    place.previous = u;
    place.depth = static_cast<V>(at(u).depth + 1);
    place.above = u;
    at(after).previous = v;
    at(u).next = v;
    if (!place.queued) {
      place.queued = true;
      std::size_t slot = first_ + filled_++;
      if (slot >= queue_.size()) slot -= queue_.size();
      queue_[slot] = v;
    }
  }

  V pop() {
    const V u = queue_[first_];
    if (++first_ == queue_.size()) first_ = 0;
    --filled_;
    at(u).queued = false;
    return u;
  }

  /// Whether u is v or a descendant of v.
  bool in_subtree(V u, V v, Poller& poller) {
    const V depth = at(v).depth;
    V x = v;
    do {
      if (x == u) return true;
      poller.step();
      x = at(x).next;
    } while (at(x).depth > depth);
    return false;
  }

  /// Removes v and its descendants from the tree; those in the queue will be skipped there.
  void detach_subtree(V v) {
    const V before = at(v).previous;
    const V depth = at(v).depth;
    V x = v;
    do {
      at(x).depth = kOut;
      x = at(x).next;
    } while (at(x).depth > depth);
    at(before).next = x;
    at(x).previous = before;
  }

  bool scan(V u, Poller& poller, BellmanFordResult& result) {
    const auto row = static_cast<std::size_t>(u);
    const std::int64_t begin = graph_.indptr[row];
    const std::int64_t end = graph_.indptr[row + 1];
    poller.step(end - begin);
    result.relaxed += end - begin;
    for (std::int64_t e = begin; e < end; ++e) {
      const V v = graph_.indices[static_cast<std::size_t>(e)];
      L sum;
      if (!add_checked<L, W, V>(label(u), graph_.weights[static_cast<std::size_t>(e)], sum))
        return false;
      const bool lower = sum < label(v);
      if (!lower && !rejoins_tree(v, sum)) continue;
      if constexpr (std::is_floating_point_v<L>) {
        if (sum == -kInfinity)
          throw std::overflow_error("a distance is below the smallest number of its float type");
      }
      if (at(v).in_tree()) {
        if (in_subtree(u, v, poller)) {
          if (!closes_negative_cycle(u, v, result.cycle)) continue;
          return true;
        }
        detach_subtree(v);
      }
      result.improved += lower;
      label(v) = sum;
      attach(v, u);
    }
    return true;
  }

  /// Whether a float label did not fall after all: the vertex returns to the tree and is scanned.
  bool rejoins_tree(V v, L sum) {
    if constexpr (std::is_floating_point_v<L>)
      return sum == label(v) && sum != kInfinity && !at(v).in_tree();
    return false;
  }

  /// Walks up from u to v. For integers the sum is negative by construction; for floats it is
  /// computed exactly.
  bool closes_negative_cycle(V u, V v, std::vector<std::int64_t>& cycle) {
    cycle.clear();
    for (V x = u; x != v; x = at(x).above) cycle.push_back(static_cast<std::int64_t>(x));
    cycle.push_back(static_cast<std::int64_t>(v));
    std::reverse(cycle.begin(), cycle.end());
    if constexpr (std::is_floating_point_v<L>) {
      ExactSum<double> sum;
      for (std::size_t i = 0; i < cycle.size(); ++i)
        sum.add(min_weight(cycle[i], cycle[i + 1 < cycle.size() ? i + 1 : 0]));
      if (!sum.negative()) {
        cycle.clear();
        return false;
      }
    }
    return true;
  }

  /// The smallest weight of the parallel edges u -> v, of which there is at least one.
  double min_weight(std::int64_t u, std::int64_t v) const {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::int64_t e = graph_.indptr[static_cast<std::size_t>(u)];
         e < graph_.indptr[static_cast<std::size_t>(u) + 1]; ++e)
      if (graph_.indices[static_cast<std::size_t>(e)] == static_cast<V>(v))
        smallest =
            std::min(smallest, static_cast<double>(graph_.weights[static_cast<std::size_t>(e)]));
    return smallest;
  }

  const CsrView<V, W>& graph_;
  std::span<L> dist_;
  std::vector<TreeNode> tree_;
  std::vector<V> queue_;
  std::size_t first_ = 0;
  std::size_t filled_ = 0;
};

/// Runs BellmanFord with labels of type D. If an intermediate sum overflows 64 bits, runs it again
/// with 128, which always suffice (fewer than 2^63 edges of 64 bits each). Throws
/// std::overflow_error if a final distance does not fit D. If the result has a cycle, `dist` is
/// meaningless. Memory: about 24 bytes per vertex (int32 indices).
template <Index V, Weight W>
BellmanFordResult bellman_ford(const CsrView<V, W>& graph, std::span<const std::int64_t> sources,
                               std::span<DistanceOf<W>> dist, Control& control) {
  using D = DistanceOf<W>;
  BellmanFordResult result;
  if (BellmanFord<V, W, D>(graph, dist).run(sources, control, result)) return result;
  if constexpr (std::is_same_v<W, std::int64_t> || sizeof(V) == 8) {
    if constexpr (std::is_integral_v<D>) {
      __extension__ using Wide = __int128;
      std::vector<Wide> wide(dist.size());
      result = {};
      using Solver = BellmanFord<V, W, Wide>;
      Solver(graph, std::span<Wide>(wide)).run(sources, control, result);
      if (!result.cycle.empty()) return result;
      for (std::size_t v = 0; v < dist.size(); ++v) {
        const bool reached = wide[v] != Solver::kInfinity;
        if (reached && (wide[v] >= unreachable<D> || wide[v] < std::numeric_limits<D>::min()))
          throw std::overflow_error("a distance does not fit 64 bits");
        dist[v] = reached ? static_cast<D>(wide[v]) : unreachable<D>;
      }
    }
  }
  return result;
}

/// The cycle or the certificate's result, for distances whose sums may overflow 64 bits.
struct WideResult {
  std::vector<std::int64_t> cycle;  // v0 -> v1 -> ... -> v0, or empty
  const char* violation = nullptr;  // the violated rule of `Certificate`, if any
};

/// Runs BellmanFord from `source` with labels of 128 bits, which hold every sum.
///
/// `dist` and `pred` (n) receive the distances and the tree. If a distance does not fit 64 bits,
/// `misfit` is 1 (too large) or -1 (too small) and `dist` is unreachable, but the tree still
/// contains that vertex. `certify` checks the labels and the tree.
template <Index V, Weight W>
WideResult bellman_ford_wide(const CsrView<V, W>& graph, V source, std::span<std::int64_t> dist,
                             std::span<std::int8_t> misfit, std::span<V> pred, bool certify,
                             Control& control) {
  __extension__ using Wide = __int128;
  static_assert(std::numeric_limits<Wide>::is_specialized);
  std::vector<Wide> wide(dist.size());
  BellmanFordResult found;
  const std::int64_t sources[] = {static_cast<std::int64_t>(source)};
  BellmanFord<V, W, Wide>(graph, std::span<Wide>(wide)).run(sources, control, found);
  WideResult result;
  result.cycle = std::move(found.cycle);
  if (!result.cycle.empty()) return result;
  constexpr Wide kLargest = unreachable<std::int64_t>;
  for (std::size_t v = 0; v < wide.size(); ++v) {
    const bool above = wide[v] != unreachable<Wide> && wide[v] >= kLargest;
    const bool below = wide[v] < std::numeric_limits<std::int64_t>::min();
    misfit[v] = static_cast<std::int8_t>(above - below);
    const bool fits = !above && !below && wide[v] != unreachable<Wide>;
    dist[v] = fits ? static_cast<std::int64_t>(wide[v]) : unreachable<std::int64_t>;
  }
  const std::span<const Wide> labels(wide);
  TreeBuilder<V, W, Wide>(graph, {}, source, labels, pred, 1, false, control).build(true);
  if (certify)
    result.violation =
        Certificate<V, W, Wide>(graph, source, labels, std::nullopt, Wide{0}, control)
            .check(pred)
            .rule;
  return result;
}

}  // namespace warpath
