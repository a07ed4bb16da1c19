// disjoint_paths.hpp - paths that share no edge, or no vertex between their ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/paths/target_distances.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// Finds k disjoint paths of the least total length, one more with each search.
///
/// A search finds the shortest path in the residual graph, in which the edges of paths found so far
/// lead back at their negative length. Potentials keep all lengths >= 0: at first the distances to
/// the target, which also guide the searches. Paths that may not share vertices are searched in the
/// graph with two nodes, in and out, for each vertex.
///
/// Weights must be >= 0, and integer lengths of simple paths below 2^61. Work: a bidirectional
/// search and k searches near the paths. Memory: two labels for each vertex and three for each
/// node, and a bit for each edge. Sources: Suurballe 1974; Bhandari 1999.
template <Index V, Weight W>
class DisjointPaths {
 public:
  using D = DistanceOf<W>;

  struct Path {
    D length = 0;
    std::vector<std::int64_t> vertices;
    std::vector<std::int64_t> edges;
  };

  /// `undirected`: each edge has its reverse, and only one of both may be used.
  DisjointPaths(const CsrView<V, W>& graph, const CsrView<V, W>& into, V source, V target,
                bool by_vertices, bool undirected, Poller poller)
      : graph_(graph),
        source_(source),
        target_(target),
        sides_(by_vertices ? 2 : 1),
        undirected_(undirected),
        poller_(poller),
        rest_(graph, into, source, target, poller_) {}

  /// Returns k paths by length, then by vertices, or fewer if there are no more.
  std::vector<Path> find(std::int64_t k) {
    const D shortest = rest_.shortest();
    if (shortest == unreachable<D>) return {};
    rest_.extend(static_cast<D>(shortest + shortest / 64), poller_);
    const std::size_t nodes = index(graph_.n()) * sides_;
    dist_.assign(nodes, unreachable<D>);
    raised_.assign(nodes, 0);
    via_.resize(nodes);
    used_.assign(index(graph_.m()), false);
    std::int64_t found = 0;
    while (found < k && search()) {
      augment();
      ++found;
    }
    if (undirected_) cancel_opposite();
    return taken_apart(found);
  }

 private:
  /// How a search came to a node: over an edge, back over an edge of a path, or within a vertex.
  struct Via {
    enum Kind : std::uint8_t { kForward, kBack, kWithin } kind;
    std::int64_t edge;
  };

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::size_t in(V v) const { return index(v) * sides_; }
  std::size_t out(V v) const { return index(v) * sides_ + sides_ - 1; }
  V vertex(std::size_t node) const { return static_cast<V>(node / sides_); }
  D weight(std::int64_t e) const { return static_cast<D>(graph_.weights[index(e)]); }
  V head(std::int64_t e) const { return graph_.indices[index(e)]; }

  V tail(std::int64_t e) const {
    const auto above = std::upper_bound(graph_.indptr.begin(), graph_.indptr.end(), e);
    return static_cast<V>(above - graph_.indptr.begin() - 1);
  }

  D potential(std::size_t node) const {
    return static_cast<D>(rest_(vertex(node)) + raised_[node]);
  }

  /// Searches from the source to the target in the residual graph. False if there is no path.
  bool search() {
    for (const std::size_t node : labelled_) dist_[node] = unreachable<D>;
    QuaternaryHeap<D, std::int64_t> queue;
    const std::size_t start = out(source_), end = in(target_);
    dist_[start] = 0;
    labelled_.assign(1, start);
    queue.push(0, static_cast<std::int64_t>(start));
    QueueEntry<D, std::int64_t> top;
    while (queue.pop(top, [](const auto&) { return true; })) {
      const std::size_t node = index(top.vertex);
      if (top.key != dist_[node]) continue;
      if (node == end) {
        for (const std::size_t each : labelled_)
          if (dist_[each] < top.key)
            raised_[each] = static_cast<D>(raised_[each] + (top.key - dist_[each]));
        return true;
      }
      const D here = potential(node);
      const auto relax = [&](std::size_t next, D length, Via via) {
        if (rest_(vertex(next)) == unreachable<D>) return;
        // Rounded sums may be just below 0.
        const D reduced = std::max(D{0}, static_cast<D>(length - (here - potential(next))));
        const D sum = static_cast<D>(top.key + reduced);
        if (sum >= dist_[next]) return;
        if (dist_[next] == unreachable<D>) labelled_.push_back(next);
        dist_[next] = sum;
        via_[next] = via;
        queue.push(sum, static_cast<std::int64_t>(next));
      };
      const V v = vertex(node);
      const auto [first, last] = arriving_.equal_range(v);
      if (node == in(v))
        for (auto used = first; used != last; ++used)
          relax(out(tail(used->second)), static_cast<D>(-weight(used->second)),
                {Via::kBack, used->second});
      if (sides_ == 2 && (node == out(v)) == (first != last))
        relax(node == out(v) ? in(v) : out(v), 0, {Via::kWithin, 0});
      if (node != out(v)) continue;
      const std::int64_t stop = graph_.indptr[index(v) + 1];
      std::int64_t e = graph_.indptr[index(v)];
      poller_.step(stop - e + 1);
      for (; e < stop; ++e)
        if (!used_[index(e)]) relax(in(head(e)), weight(e), {Via::kForward, e});
    }
    return false;
  }

  /// Adds the path that was found to the flow.
  void augment() {
    const std::size_t start = out(source_);
    for (std::size_t node = in(target_); node != start;) {
      const Via via = via_[node];
      if (via.kind == Via::kWithin) {
        node = node == in(vertex(node)) ? out(vertex(node)) : in(vertex(node));
      } else if (via.kind == Via::kForward) {
        used_[index(via.edge)] = true;
        arriving_.emplace(head(via.edge), via.edge);
        node = out(tail(via.edge));
      } else {
        remove(via.edge);
        node = in(head(via.edge));
      }
    }
  }

  void remove(std::int64_t e) {
    used_[index(e)] = false;
    auto [each, last] = arriving_.equal_range(head(e));
    while (each != last && each->second != e) ++each;
    arriving_.erase(each);
  }

  /// Removes pairs of opposite edges, which only edges of length 0 form.
  void cancel_opposite() {
    std::vector<std::int64_t> edges;
    for (const auto& [v, e] : arriving_) edges.push_back(e);
    std::sort(edges.begin(), edges.end());
    for (const std::int64_t e : edges) {
      if (!used_[index(e)]) continue;
      const V from = tail(e), to = head(e);
      const auto [first, last] = arriving_.equal_range(from);
      std::int64_t opposite = -1;
      for (auto each = first; each != last; ++each)
        if (tail(each->second) == to) opposite = each->second;
      if (opposite < 0) continue;
      remove(e);
      remove(opposite);
    }
  }

  /// Takes the flow apart into paths without cycles.
  std::vector<Path> taken_apart(std::int64_t count) {
    std::multimap<std::pair<V, V>, std::int64_t> leaving;  // edges by tail and head
    for (const auto& [v, e] : arriving_) leaving.emplace(std::pair(tail(e), v), e);
    std::vector<Path> paths(index(count));
    for (Path& path : paths) {
      std::unordered_map<V, std::size_t> place{{source_, 0}};
      path.vertices = {source_};
      for (V v = source_; v != target_;) {
        const auto next = leaving.lower_bound({v, 0});
        const std::int64_t e = next->second;
        leaving.erase(next);
        v = head(e);
        if (const auto [at, fresh] = place.emplace(v, path.vertices.size()); !fresh) {
          for (; path.vertices.size() > at->second + 1; path.vertices.pop_back())
            place.erase(static_cast<V>(path.vertices.back()));
          path.edges.resize(at->second);
          continue;
        }
        path.vertices.push_back(v);
        path.edges.push_back(e);
      }
      for (const std::int64_t e : path.edges) path.length = static_cast<D>(path.length + weight(e));
    }
    std::sort(paths.begin(), paths.end(), [](const Path& a, const Path& b) {
      if (a.length != b.length) return a.length < b.length;
      return std::pair(a.vertices, a.edges) < std::pair(b.vertices, b.edges);
    });
    return paths;
  }

  const CsrView<V, W> graph_;
  const V source_;
  const V target_;
  const std::size_t sides_;  // nodes for each vertex
  const bool undirected_;
  Poller poller_;
  TargetDistances<V, W> rest_;
  std::vector<D> dist_;                // labels of a search, reduced by potentials
  std::vector<D> raised_;              // the potential of a node above the distance to the target
  std::vector<Via> via_;               // of labelled nodes
  std::vector<std::size_t> labelled_;  // nodes with labels
  std::vector<bool> used_;             // edges of paths
  std::unordered_multimap<V, std::int64_t> arriving_;  // the same edges by their head
};

}  // namespace warpath
