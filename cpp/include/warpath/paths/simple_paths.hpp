// simple_paths.hpp - the shortest simple paths between two vertices, one after another.
//
// The order is that of lengths; equally long paths are in lexicographic order of their vertices.
// Work: a bidirectional search, then for each path a scan of the edges out of its vertices, and a
// search for each class of paths whose bound is reached, in the neighbourhood of the path.
// Memory: three labels, an index and two bytes a vertex; for each path its vertices, and 32 bytes
// for each vertex at which other paths may leave it.
//
// Sources: Yen 1971; Lawler 1972 (a path is left only where it left its parent, or later); searches
// that are postponed until their lower bound is the smallest, and shortest paths to the target that
// are reused: Kurz and Mutzel 2016; distances from both ends that confine the searches: PeeK, Feng
// et al. 2023.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/paths/target_distances.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// Returns the simple paths from source to target, one with each call of `next`.
///
/// Weights must be >= 0, and integer lengths of simple paths below 2^61. Of parallel edges the
/// lightest counts. A path longer than `longest` is not returned. The views must outlive the
/// object. After an exception there are no more paths.
///
/// `homes`, unless empty, has a number below n for each vertex, and a path passes no two vertices
/// of one number. In general such a path is NP-hard to find: a search avoids the numbers of its
/// root alone, and a path that passes another number twice is replaced by the classes of the paths
/// that leave it before.
template <Index V, Weight W>
class SimplePaths {
 public:
  using D = DistanceOf<W>;

  /// A path and its length, summed from the source on.
  struct Path {
    std::vector<std::int64_t> vertices;
    D length;
  };

  SimplePaths(const CsrView<V, W>& graph, const CsrView<V, W>& into, std::span<const V> homes,
              V source, V target, D longest)
      : graph_(graph),
        into_(into),
        homes_(homes),
        source_(source),
        target_(target),
        longest_(longest) {}

  SimplePaths(const SimplePaths&) = delete;
  SimplePaths& operator=(const SimplePaths&) = delete;

  /// The next path, if there is one.
  std::optional<Path> next(Poller poller) {
    if (ended_) return std::nullopt;
    ended_ = true;  // also after an exception
    if (!rest_) {
      start(poller);
    } else {
      branch(last_, poller);
    }
    while (!waiting_.empty()) {
      const Class best = waiting_.top();
      waiting_.pop();
      if (best.is_path()) {
        const Route& route = routes_[best.route];
        if (simple_part(route) < route.vertices.size()) {
          branch(best.route, poller);
          continue;
        }
        ended_ = false;
        last_ = best.route;
        return Path{{route.vertices.begin(), route.vertices.end()}, route.length};
      }
      search(best, poller);
    }
    return std::nullopt;
  }

 private:
  /// A path, or the source alone in the place of the first path's parent.
  struct Route {
    std::vector<V> vertices;
    D length;
    D root;                 // the length up to the vertex where it leaves its parent
    std::size_t leaves_at;  // the index of this vertex in both
    std::size_t parent;
  };

  /// The paths that share the vertices up to `at` with a route and go on to others than this route
  /// and its ancestors do; or that route itself.
  struct Class {
    static constexpr std::uint32_t kPath = std::numeric_limits<std::uint32_t>::max();
    D bound;            // the length of the route, or a lower bound
    std::size_t route;  // in routes_
    std::uint32_t at;
    V next;  // a lower bound of the next vertex; -1 after the attempt without a search failed

    bool is_path() const { return at == kPath; }
  };

  /// The order of lengths, then of vertices. A class comes before its paths.
  struct Later {
    const std::vector<Route>& routes;

    bool operator()(const Class& a, const Class& b) const {
      if (a.bound != b.bound) return a.bound > b.bound;
      const std::size_t i = std::min({common(a.route, b.route), known(a), known(b)});
      const std::int64_t here = after(a, i), there = after(b, i);
      if (here != there) return here > there;
      if (known(a) == known(b)) return false;
      return known(a) > known(b);
    }

    /// The number of vertices that two routes share at their beginning. A route leaves its parent
    /// where that left its own, or later; no two routes leave another by the same edge.
    std::size_t common(std::size_t a, std::size_t b) const {
      std::size_t shared = std::numeric_limits<std::size_t>::max();
      while (a != b) {
        std::size_t& younger = a > b ? a : b;
        shared = std::min(shared, routes[younger].leaves_at + 1);
        younger = routes[younger].parent;
      }
      return shared;
    }

    std::size_t known(const Class& c) const {
      return c.is_path() ? routes[c.route].vertices.size() : std::size_t{c.at} + 1;
    }

    /// The vertex after the first i, which are known; -2 at the end of a path.
    std::int64_t after(const Class& c, std::size_t i) const {
      if (i < known(c)) return routes[c.route].vertices[i];
      return c.is_path() ? -2 : std::int64_t{c.next};
    }
  };

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  static constexpr V kFree = std::numeric_limits<V>::max();

  void start(Poller& poller) {
    rest_.emplace(graph_, into_, source_, target_, poller);
    const D shortest = rest_->shortest();
    if (shortest == unreachable<D> || shortest > longest_) return;
    place_.assign(index(graph_.n()), kFree);
    marks_.assign(index(graph_.n()), 0);
    routes_.push_back({{source_}, 0, 0, 0, 0});
    waiting_.push({shortest, 0, source_ == target_ ? Class::kPath : 0, 0});
  }

  /// Settles the distances that classes of a bound need, and some more, so that few classes have to
  /// be searched again.
  void extend(D bound, Poller& poller) {
    if (rest_->bound() > bound) return;
    const D shortest = rest_->shortest();
    const D more = std::max(static_cast<D>(bound - shortest), static_cast<D>(shortest / 128));
    rest_->extend(static_cast<D>(bound + more), poller);
  }

  std::size_t home(V v) const { return index(homes_.empty() ? v : homes_[index(v)]); }

  /// The number of vertices before the first one whose home the path has passed before.
  std::size_t simple_part(const Route& route) {
    if (homes_.empty()) return route.vertices.size();
    std::size_t part = 0;
    for (; part < route.vertices.size(); ++part) {
      V& place = place_[home(route.vertices[part])];
      if (place != kFree) break;
      place = static_cast<V>(part);
    }
    for (std::size_t i = 0; i < part; ++i) place_[home(route.vertices[i])] = kFree;
    return part;
  }

  /// Calls visit(e, v) for the edges from u that lead to no vertex of the root.
  template <class Visit>
  void each_edge(V u, V root, Poller& poller, Visit&& visit) const {
    const std::int64_t end = graph_.indptr[index(u) + 1];
    std::int64_t e = graph_.indptr[index(u)];
    poller.step(end - e + 1);
    for (; e < end; ++e)
      if (const V v = graph_.indices[index(e)]; place_[home(v)] > root) visit(e, v);
  }

  /// A bound of the keys of vertices on a path of a length: sums from both ends round differently.
  D rounded_up(D length) const {
    if constexpr (std::is_integral_v<D>) return length;
    return length + length * static_cast<D>(graph_.n()) * std::numeric_limits<D>::epsilon();
  }

  D weight(std::int64_t e) const { return static_cast<D>(graph_.weights[index(e)]); }

  /// The weight of the lightest edge from u to v.
  D lightest(V u, V v) const {
    D least = unreachable<D>;
    for (std::int64_t e = graph_.indptr[index(u)]; e < graph_.indptr[index(u) + 1]; ++e)
      if (graph_.indices[index(e)] == v) least = std::min(least, weight(e));
    return least;
  }

  /// Marks the vertices by which a class must not leave its root, or takes the marks away.
  void forbid(std::size_t route, std::size_t at, bool forbidden) {
    for (;; route = routes_[route].parent) {
      const Route& one = routes_[route];
      if (at + 1 < one.vertices.size()) {
        mark(one.vertices[at + 1], kForbidden, forbidden);
      }
      if (one.leaves_at != at || route == 0) return;
    }
  }

  void mark(V v, std::uint8_t bit, bool on) {
    std::uint8_t& bits = marks_[index(v)];
    bits = static_cast<std::uint8_t>(on ? bits | bit : bits & ~bit);
  }

  bool forbidden(V v) const { return (marks_[index(v)] & kForbidden) != 0; }

  /// Puts the classes of the paths that leave a route into the queue.
  void branch(std::size_t id, Poller& poller) {
    const std::size_t part = simple_part(routes_[id]);
    const std::size_t last = std::min(part, routes_[id].vertices.size() - 1);
    for (std::size_t i = 0; i < part; ++i)
      place_[home(routes_[id].vertices[i])] = static_cast<V>(i);
    D root = routes_[id].root;
    for (std::size_t i = routes_[id].leaves_at; i < last; ++i) {
      const std::vector<V>& vertices = routes_[id].vertices;
      const bool first = i == routes_[id].leaves_at;
      if (first) forbid(id, i, true);
      const V following = vertices[i + 1];
      Class best{unreachable<D>, id, static_cast<std::uint32_t>(i), kFree};
      D step = unreachable<D>;
      each_edge(vertices[i], static_cast<V>(i), poller, [&](std::int64_t e, V v) {
        if (v == following) step = std::min(step, weight(e));
        if (v == following || (first && forbidden(v))) return;
        note(best, root, e, v);
      });
      if (first) forbid(id, i, false);
      push(best);
      root = static_cast<D>(root + step);
    }
    for (std::size_t i = 0; i < part; ++i) place_[home(routes_[id].vertices[i])] = kFree;
  }

  /// Lowers the bound of a class by an edge e to v after its root.
  void note(Class& best, D root, std::int64_t e, V v) const {
    const D rest = (*rest_)(v);
    if (rest == unreachable<D>) return;
    const D length = static_cast<D>(static_cast<D>(root + weight(e)) + rest);
    if (length < best.bound || (length == best.bound && v < best.next)) {
      best.bound = length;
      best.next = v;
    }
  }

  void push(const Class& one) {
    if (one.bound != unreachable<D> && one.bound <= longest_) waiting_.push(one);
  }

  /// Finds the first path of a class, or raises its bound. In both cases it is queued again.
  void search(const Class& of, Poller& poller) {
    extend(of.bound, poller);
    const std::size_t at = of.at;
    for (std::size_t i = 0; i <= at; ++i)
      place_[home(routes_[of.route].vertices[i])] = static_cast<V>(i);
    forbid(of.route, at, true);
    search_marked(of, poller);
    forbid(of.route, at, false);
    for (std::size_t i = 0; i <= at; ++i) place_[home(routes_[of.route].vertices[i])] = kFree;
  }

  void search_marked(Class of, Poller& poller) {
    const std::size_t at = of.at;
    const auto root_end = static_cast<V>(at);
    const V spur = routes_[of.route].vertices[at];
    D root = routes_[of.route].root;
    for (std::size_t i = routes_[of.route].leaves_at; i < at; ++i)
      root = static_cast<D>(
          root + lightest(routes_[of.route].vertices[i], routes_[of.route].vertices[i + 1]));
    if (of.next >= 0) {
      Class best{unreachable<D>, of.route, of.at, kFree};
      each_edge(spur, root_end, poller, [&](std::int64_t e, V v) {
        if (!forbidden(v)) note(best, root, e, v);
      });
      if (best.bound != of.bound) return push(best);
      // Where no vertex of the root is in the way, the distances to the target lead along a path.
      const auto tight = [&](V u, std::int64_t e, V v) {
        const D rest = (*rest_)(v);
        if (rest == unreachable<D>) return false;
        if (u != spur) return static_cast<D>(weight(e) + rest) == (*rest_)(u);
        return static_cast<D>(static_cast<D>(root + weight(e)) + rest) == of.bound;
      };
      if (follow(of, root, tight, poller)) return;
      of.next = -1;
      return push(of);
    }
    // A* search with labels from the source on. It ends beyond the known distances, too.
    if (spur_.empty()) spur_.assign(index(graph_.n()), unreachable<D>);
    QuaternaryHeap<D, V> queue;
    spur_[index(spur)] = root;
    labelled_.assign(1, spur);
    const auto relax = [&](D label, std::int64_t e, V v) {
      const D sum = static_cast<D>(label + weight(e));
      if (sum >= spur_[index(v)]) return;
      const D rest = (*rest_)(v);
      if (rest == unreachable<D>) return;
      if (spur_[index(v)] == unreachable<D>) labelled_.push_back(v);
      spur_[index(v)] = sum;
      queue.push(static_cast<D>(sum + rest), v);
    };
    each_edge(spur, root_end, poller, [&](std::int64_t e, V v) {
      if (!forbidden(v)) relax(root, e, v);
    });
    const D most = std::min(rest_->bound(), longest_);
    const D& found = spur_[index(target_)];
    bool beyond = false;
    QueueEntry<D, V> top;
    while (queue.pop(top, [](const auto&) { return true; }) && top.key <= rounded_up(found)) {
      const D label = spur_[index(top.vertex)];
      if (top.key != static_cast<D>(label + (*rest_)(top.vertex)) || top.vertex == target_)
        continue;
      if (top.key > most) {
        beyond = true;
        break;
      }
      each_edge(top.vertex, root_end, poller, [&](std::int64_t e, V v) { relax(label, e, v); });
    }
    if (beyond) {
      of.bound = std::max(of.bound, top.key);
      push(of);
    } else if (found != unreachable<D>) {
      const D length = rounded_up(found);
      follow(
          of, root,
          [&](V u, std::int64_t e, V v) {
            const D label = spur_[index(v)];
            return label <= length && static_cast<D>(spur_[index(u)] + weight(e)) == label &&
                   static_cast<D>(label + (*rest_)(v)) <= length;
          },
          poller);
    }
    for (const V v : labelled_) spur_[index(v)] = unreachable<D>;
  }

  /// Queues the first path in lexicographic order that continues a class's root over tight edges.
  /// False if there is none.
  ///
  /// Depth-first search: a vertex that was left without success leads to the target only through
  /// vertices of the path, so it is not entered again.
  template <class Tight>
  bool follow(const Class& of, D root, Tight&& tight, Poller& poller) {
    const std::vector<V>& parent = routes_[of.route].vertices;
    const auto root_end = static_cast<V>(of.at);
    std::vector<V> path(parent.begin(), parent.begin() + static_cast<std::ptrdiff_t>(of.at) + 1);
    entered_.clear();
    while (path.size() > of.at && path.back() != target_) {
      const V u = path.back();
      const bool leaves = path.size() == std::size_t{of.at} + 1;
      V smallest = kFree;
      each_edge(u, root_end, poller, [&](std::int64_t e, V v) {
        if (v >= smallest || (marks_[index(v)] & kEntered) || (leaves && forbidden(v))) return;
        if (tight(u, e, v)) smallest = v;
      });
      if (smallest == kFree) {
        path.pop_back();
        continue;
      }
      mark(smallest, kEntered, true);
      entered_.push_back(smallest);
      path.push_back(smallest);
    }
    for (const V v : entered_) mark(v, kEntered, false);
    if (path.size() <= of.at) return false;
    D length = root;
    for (std::size_t i = of.at; i + 1 < path.size(); ++i)
      length = static_cast<D>(length + lightest(path[i], path[i + 1]));
    routes_.push_back({std::move(path), length, root, of.at, of.route});
    push({length, routes_.size() - 1, Class::kPath, 0});
    return true;
  }

  static constexpr std::uint8_t kForbidden = 1;
  static constexpr std::uint8_t kEntered = 2;

  const CsrView<V, W> graph_;
  const CsrView<V, W> into_;
  const std::span<const V> homes_;
  const V source_;
  const V target_;
  const D longest_;
  bool ended_ = false;
  std::optional<TargetDistances<V, W>> rest_;
  std::vector<Route> routes_;  // those returned and those that wait
  std::priority_queue<Class, std::vector<Class>, Later> waiting_{Later{routes_}};
  std::size_t last_ = 0;             // the route returned last
  std::vector<V> place_;             // the index of each vertex, or home, in a path, or kFree
  std::vector<std::uint8_t> marks_;  // kForbidden, kEntered
  std::vector<D> spur_;              // labels of a search that avoids a root
  std::vector<V> labelled_;          // vertices with such labels
  std::vector<V> entered_;           // vertices marked kEntered
};

}  // namespace warpath
