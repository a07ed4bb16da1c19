// alternative_routes.hpp - routes between two vertices that differ from the shortest one.
//
// A route through a vertex v is the shortest path to v and the shortest path from there on. Two
// searches, from the source and from the target, find all such routes of a bounded length. A
// plateau is a path that is part of both trees; it is passed by one of these routes, all of whose
// parts below the plateau's length are shortest paths.
//
// By penalties, in place of plateaus: the edges of a route that was found cost more, and the next
// route is the cheapest one. Their number is not bounded by the vertices, as that of the others is.
//
// Work: the two searches, which settle vertices on walks of the bounded length and vertices nearer
// than half of it to an end; then short searches along those routes whose plateau does not prove
// that they are locally optimal; by penalties one search more for each round. Memory: up to 60
// bytes a vertex.
//
// Sources: Abraham, Delling, Goldberg, Werneck 2013 (bounds, order, T-test); Cambridge Vehicle
// Information Technology 2005 (plateaus); Bader, Dees, Geisberger, Sanders, Alternative route
// graphs in road networks, 2011 (penalties).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/paths/point_to_point.hpp"
#include "warpath/paths/share.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// Bounds of alternative routes, as shares of the length of the shortest one.
struct AlternativeBounds {
  double sharing;  // the largest length shared with the routes found before
  double stretch;  // the largest length
  double local;    // every part of at most this length is a shortest path
};

/// Finds the shortest path and alternatives to it.
///
/// Weights must be >= 0, and lengths of simple paths below 2^61. Of the plateaus, the `kMost`
/// longest are candidates. The best candidate has the least 2 * length + shared length - plateau.
template <Index V, Weight W>
class AlternativeRoutes {
 public:
  using D = DistanceOf<W>;

  struct Route {
    std::vector<std::int64_t> vertices;
    D length;  // summed from the source on
    D shared;  // with the routes before
    D local;   // every part below this length is a shortest path
  };

  AlternativeRoutes(const CsrView<V, W>& graph, const CsrView<V, W>& into, V source, V target,
                    const AlternativeBounds& bounds, Poller poller)
      : graphs_{&graph, &into},
        source_(source),
        target_(target),
        bounds_(bounds),
        poller_(poller),
        labels_(index(graph.n()), Label{}) {}

  /// At most k routes, the shortest first; none if there is no path. Source and target differ.
  std::vector<Route> find(std::int64_t k) {
    search();
    if (best_ == unreachable<D>) return {};
    take_shortest();
    std::vector<Candidate> candidates = plateaus();
    while (static_cast<std::int64_t>(routes_.size()) < k && take_best(candidates)) {
    }
    return std::move(routes_);
  }

  /// As `find`, by penalties: after each round the edges of its route cost a share more, whether or
  /// not the route keeps the bounds.
  std::vector<Route> find_by_penalties(std::int64_t k) {
    search();
    if (best_ == unreachable<D>) return {};
    take_shortest();
    std::unordered_map<std::uint64_t, int> rounds;  // in which routes passed an edge
    std::vector<std::int64_t> last = routes_.front().vertices;
    std::int64_t most = k < kMostRounds ? k * kRounds : kMostRounds;
    for (; most > 0 && static_cast<std::int64_t>(routes_.size()) < k; --most) {
      for (std::size_t i = 0; i + 1 < last.size(); ++i)
        ++rounds[edge(static_cast<V>(last[i]), static_cast<V>(last[i + 1]))];
      last = cheapest(rounds);
      if (last.empty()) break;  // rounded sums put the shortest route beyond the bound
      Route route = summed(last);
      for (std::size_t i = 0; i + 1 < last.size(); ++i)
        if (edges_.contains(edge(static_cast<V>(last[i]), static_cast<V>(last[i + 1]))))
          route.shared = static_cast<D>(route.shared + sums_[i + 1] - sums_[i]);
      if (route.shared > part(bounds_.sharing) || route.length > part(bounds_.stretch) ||
          !differs(route) || !is_local(route, bounds_.local))
        continue;
      double share = bounds_.local;
      for (double step = 0.5; step >= kStep; step /= 2)
        if (is_local(route, share + step)) share += step;
      route.local = part(share);
      take(std::move(route));
    }
    return std::move(routes_);
  }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::int64_t kRounds = 10;  // by penalties, for each route
  static constexpr std::int64_t kMostRounds = 10000;
  static constexpr double kStep = 1.0 / 64;  // of the measure of local optimality
  static constexpr double kPenalty = 0.4;    // of a weight, for each round; as Bader et al. have it
  static constexpr std::int64_t kMostHops = 1 << 17;  // for the rounding of floats

  /// Of a vertex, in the search from the source (0) and from the target (1).
  struct Label {
    std::array<D, 2> dist{unreachable<D>, unreachable<D>};
    std::array<V, 2> link{-1, -1};  // the vertex before, and the one after
  };

  /// The route that passes a plateau.
  struct Candidate {
    V first;
    V last;
    D plateau;
    D length;
    D shared = 0;
    double cost = 0;
  };

  using Entry = QueueEntry<D, V>;

  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  Label& at(V v) { return labels_[index(v)]; }
  D from_source(V v) { return at(v).dist[0]; }
  D to_target(V v) { return at(v).dist[1]; }

  /// A share of the shortest length, rounded down.
  D part(double share) const {
    if constexpr (std::is_integral_v<D>)
      return share_of(share, best_);
    else
      return static_cast<D>(share * static_cast<double>(best_));
  }

  /// What rounding may add to a sum of some weights.
  D rounding(D sum, std::int64_t count) const {
    if constexpr (std::is_integral_v<D>) return 0;
    return sum * static_cast<D>(count) * std::numeric_limits<D>::epsilon();
  }

  // ---- The two searches.

  /// Labels all vertices on walks within the bound, exactly. Other labels are not too small.
  void search() {
    for (const std::size_t side : {0, 1}) {
      const V end = side == 0 ? source_ : target_;
      at(end).dist[side] = 0;
      queues_[side].push(0, end);
    }
    while (!queues_[0].empty() && !queues_[1].empty() &&
           queues_[0].top().key + queues_[1].top().key <= limit_)
      settle(queues_[0].size() <= queues_[1].size() ? 0 : 1);
    for (const std::size_t side : {0, 1})
      if (queues_[side].empty()) radius_[side] = unreachable<D>;
    for (const std::size_t side : {0, 1}) {
      while (!queues_[side].empty()) settle(side);
      radius_[side] = unreachable<D>;
    }
  }

  /// Whether a vertex with a label of one side may be on a walk within the bound.
  bool within(std::size_t side, D label, const Label& of) const {
    return std::min(of.dist[1 - side], radius_[1 - side]) <= limit_ - label;
  }

  bool on_walk(const Label& of) const {
    return of.dist[0] <= limit_ && of.dist[1] <= limit_ - of.dist[0];
  }

  void settle(std::size_t side) {
    Entry top;
    queues_[side].pop(top, [](const Entry&) { return true; });
    poller_.step();
    const Label& here = at(top.vertex);
    if (top.key != here.dist[side] || !within(side, top.key, here)) return;
    radius_[side] = top.key;
    if (side == 1) reached_.push_back(top.vertex);
    const CsrView<V, W>& rows = *graphs_[side];
    const std::int64_t end = rows.indptr[index(top.vertex) + 1];
    std::int64_t e = rows.indptr[index(top.vertex)];
    poller_.step(end - e);
    for (; e < end; ++e) {
      const V v = rows.indices[index(e)];
      const D sum = static_cast<D>(top.key + static_cast<D>(rows.weights[index(e)]));
      Label& there = at(v);
      if (sum >= there.dist[side] || sum > limit_ || !within(side, sum, there)) continue;
      there.dist[side] = sum;
      there.link[side] = top.vertex;
      queues_[side].push(sum, v);
      const D other = there.dist[1 - side];
      if (other == unreachable<D> || sum + other >= best_) continue;
      best_ = static_cast<D>(sum + other);
      limit_ = part(bounds_.stretch);
      limit_ = static_cast<D>(limit_ + rounding(limit_, std::min(rows.n(), kMostHops)));
    }
  }

  // ---- Candidates.

  /// The route of the canonical tree, as `path` returns it.
  void take_shortest() {
    const auto label = [this](V v) { return from_source(v); };
    Backtracker<V, W, decltype(label)> tree(*graphs_[1], source_, label, poller_);
    std::vector<std::int64_t> walk = tree.walk(target_);
    best_ = from_source(target_);
    take({{walk.rbegin(), walk.rend()}, best_, 0, best_});
  }

  std::vector<Candidate> plateaus() {
    std::vector<Candidate> found;
    for (const V v : reached_) {
      if (!on_walk(at(v)) || joins(at(v).link[0], v)) continue;
      V last = v;
      while (joins(last, at(last).link[1])) {
        last = at(last).link[1];
        poller_.step();
      }
      const auto plateau = static_cast<D>(from_source(last) - from_source(v));
      found.push_back({v, last, plateau, static_cast<D>(from_source(last) + to_target(last))});
    }
    const auto longer = [](const Candidate& a, const Candidate& b) {
      if (a.plateau != b.plateau) return a.plateau > b.plateau;
      return a.length != b.length ? a.length < b.length : a.first < b.first;
    };
    const std::size_t most = std::min(kMost, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                      longer);
    found.resize(most);
    return found;
  }

  /// Whether an edge u -> v is part of both trees.
  bool joins(V u, V v) { return u >= 0 && v >= 0 && at(v).link[0] == u && at(u).link[1] == v; }

  /// Adds the best candidate that keeps all bounds to the routes. False if there is none. All
  /// candidates that were considered are removed.
  bool take_best(std::vector<Candidate>& candidates) {
    for (Candidate& one : candidates) {
      one.shared = shared(one);
      one.cost = 2.0 * static_cast<double>(one.length) + static_cast<double>(one.shared) -
                 static_cast<double>(one.plateau);
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& one = candidates[i];
      if (one.shared > part(bounds_.sharing)) continue;
      Route route = route_of(one);
      if (!differs(route) || route.length > part(bounds_.stretch) || !is_local(route, one))
        continue;
      take(std::move(route));
      candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return true;
    }
    return false;
  }

  void take(Route&& route) {
    for (std::size_t i = 0; i + 1 < route.vertices.size(); ++i)
      edges_.insert(edge(static_cast<V>(route.vertices[i]), static_cast<V>(route.vertices[i + 1])));
    routes_.push_back(std::move(route));
  }

  static std::uint64_t edge(V u, V v) {
    return static_cast<std::uint64_t>(u) << 32 | static_cast<std::uint32_t>(v);
  }

  /// The length of the edges that a route shares with those taken.
  D shared(const Candidate& of) {
    D sum = 0;
    for (V v = of.first; v != source_; v = at(v).link[0]) {
      const V u = at(v).link[0];
      poller_.step();
      if (edges_.contains(edge(u, v))) sum = static_cast<D>(sum + from_source(v) - from_source(u));
    }
    for (V u = of.first; u != target_; u = at(u).link[1]) {
      const V v = at(u).link[1];
      poller_.step();
      if (edges_.contains(edge(u, v))) sum = static_cast<D>(sum + to_target(u) - to_target(v));
    }
    return sum;
  }

  Route route_of(const Candidate& of) {
    std::vector<std::int64_t> vertices;
    for (V v = of.first; v >= 0; v = at(v).link[0]) vertices.push_back(v);
    std::reverse(vertices.begin(), vertices.end());
    for (V v = at(of.first).link[1]; v >= 0; v = at(v).link[1]) vertices.push_back(v);
    Route route = summed(std::move(vertices));
    route.shared = of.shared;
    route.local = of.plateau;
    return route;
  }

  /// A route with its length; `sums_` are its.
  Route summed(std::vector<std::int64_t> vertices) {
    Route route{std::move(vertices), 0, 0, 0};
    sums_.assign(1, 0);
    for (std::size_t i = 0; i + 1 < route.vertices.size(); ++i)
      sums_.push_back(
          static_cast<D>(sums_.back() + lightest(static_cast<V>(route.vertices[i]),
                                                 static_cast<V>(route.vertices[i + 1]))));
    route.length = sums_.back();
    return route;
  }

  D lightest(V u, V v) {
    const CsrView<V, W>& rows = *graphs_[0];
    D least = unreachable<D>;
    poller_.step(rows.indptr[index(u) + 1] - rows.indptr[index(u)]);
    for (std::int64_t e = rows.indptr[index(u)]; e < rows.indptr[index(u) + 1]; ++e)
      if (rows.indices[index(e)] == v)
        least = std::min(least, static_cast<D>(rows.weights[index(e)]));
    return least;
  }

  /// Whether a route passes no vertex twice and is none of those taken.
  bool differs(const Route& route) const {
    std::vector<std::int64_t> sorted = route.vertices;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
    return std::none_of(routes_.begin(), routes_.end(),
                        [&](const Route& taken) { return taken.vertices == route.vertices; });
  }

  // ---- Penalties.

  /// The cheapest path, where each round in which a route passed an edge adds a share of its
  /// weight: an A* search over the vertices on walks within the bound.
  std::vector<std::int64_t> cheapest(const std::unordered_map<std::uint64_t, int>& rounds) {
    if (costs_.empty()) {
      costs_.assign(index(graphs_[0]->n()), unreachable<double>);
      before_.assign(index(graphs_[0]->n()), V{-1});
    }
    QuaternaryHeap<double, V> queue;
    std::vector<V> labelled{source_};
    costs_[index(source_)] = 0;
    const auto key = [&](V v) { return costs_[index(v)] + static_cast<double>(to_target(v)); };
    queue.push(key(source_), source_);
    QueueEntry<double, V> top;
    while (queue.pop(top, [](const QueueEntry<double, V>&) { return true; })) {
      const V u = top.vertex;
      if (top.key != key(u)) continue;
      if (u == target_) break;
      const CsrView<V, W>& rows = *graphs_[0];
      const std::int64_t end = rows.indptr[index(u) + 1];
      std::int64_t e = rows.indptr[index(u)];
      poller_.step(end - e + 1);
      for (; e < end; ++e) {
        const V v = rows.indices[index(e)];
        if (!on_walk(at(v))) continue;
        const auto known = rounds.find(edge(u, v));
        const double share = known == rounds.end() ? 1.0 : 1.0 + kPenalty * known->second;
        const double sum = costs_[index(u)] + static_cast<double>(rows.weights[index(e)]) * share;
        if (sum >= costs_[index(v)]) continue;
        if (costs_[index(v)] == unreachable<double>) labelled.push_back(v);
        costs_[index(v)] = sum;
        before_[index(v)] = u;
        queue.push(key(v), v);
      }
    }
    std::vector<std::int64_t> path;
    if (costs_[index(target_)] != unreachable<double>) path.push_back(target_);
    while (!path.empty() && path.back() != source_) path.push_back(before_[index(path.back())]);
    std::reverse(path.begin(), path.end());
    for (const V v : labelled) costs_[index(v)] = unreachable<double>;
    return path;
  }

  // ---- Local optimality.

  /// Whether every part of at most the bounded length is a shortest path; `sums_` are the route's.
  ///
  /// Only parts that begin before the plateau and end after it may be none. A part that contains
  /// others proves them all at once; if it is no shortest path, it is halved.
  bool is_local(Route& route, const Candidate& of) {
    const D length = part(bounds_.local);
    if (of.plateau > length) return true;
    const auto position = [&](V v) {
      return index(std::find(route.vertices.begin(), route.vertices.end(), v) -
                   route.vertices.begin());
    };
    const std::size_t first = position(of.first), last = position(of.last);
    std::size_t begin = first;
    while (begin > 0 && end_of_part(begin - 1, length) > last) --begin;
    if (begin < first && !are_shortest(route, begin, first - 1, length)) return false;
    route.local = length;
    return true;
  }

  /// The same of a share, where no part is known to be a shortest path.
  bool is_local(const Route& route, double share) {
    return are_shortest(route, 0, route.vertices.size() - 1, part(share));
  }

  /// The last vertex of the longest part of at most a length that begins at a vertex.
  std::size_t end_of_part(std::size_t begin, D length) const {
    const auto beyond =
        std::partition_point(sums_.begin() + static_cast<std::ptrdiff_t>(begin), sums_.end(),
                             [&](D sum) { return static_cast<D>(sum - sums_[begin]) <= length; });
    return index(beyond - sums_.begin()) - 1;
  }

  /// Whether the parts of at most a length that begin at one of some vertices are shortest paths.
  bool are_shortest(const Route& route, std::size_t low, std::size_t high, D length) {
    const std::size_t end = end_of_part(high, length);
    if (is_shortest(route, low, end)) return true;
    if (low == high) return false;
    const std::size_t middle = low + (high - low) / 2;
    return are_shortest(route, low, middle, length) &&
           are_shortest(route, middle + 1, high, length);
  }

  /// Whether a part of a route is a shortest path: an A* search for a shorter one.
  ///
  /// A shorter path would be on a walk within the bound, where the labels of both searches are
  /// exact; these are the potentials.
  bool is_shortest(const Route& route, std::size_t begin, std::size_t end) {
    const V start = static_cast<V>(route.vertices[begin]);
    const V goal = static_cast<V>(route.vertices[end]);
    const D length = static_cast<D>(sums_[end] - sums_[begin]);
    const D most = static_cast<D>(length - rounding(sums_[end], 2 * std::ssize(route.vertices)));
    const Label& last = at(goal);
    const auto key = [&](D label, const Label& of) {
      const D rest = std::max(static_cast<D>(of.dist[1] - last.dist[1]),
                              static_cast<D>(last.dist[0] - of.dist[0]));
      return static_cast<D>(label + std::max(D{0}, rest));
    };
    if (part_.empty()) part_.assign(index(graphs_[0]->n()), unreachable<D>);
    QuaternaryHeap<D, V> queue;
    std::vector<V> labelled{start};
    part_[index(start)] = 0;
    queue.push(key(0, at(start)), start);
    Entry top;
    bool shorter = false;
    while (!shorter && queue.pop(top, [](const Entry&) { return true; })) {
      const D label = part_[index(top.vertex)];
      if (top.key != key(label, at(top.vertex))) continue;
      const CsrView<V, W>& rows = *graphs_[0];
      const std::int64_t row_end = rows.indptr[index(top.vertex) + 1];
      std::int64_t e = rows.indptr[index(top.vertex)];
      poller_.step(row_end - e + 1);
      for (; e < row_end && !shorter; ++e) {
        const V v = rows.indices[index(e)];
        const D sum = static_cast<D>(label + static_cast<D>(rows.weights[index(e)]));
        if (sum >= part_[index(v)] || !on_walk(at(v)) || key(sum, at(v)) >= most) continue;
        if (part_[index(v)] == unreachable<D>) labelled.push_back(v);
        part_[index(v)] = sum;
        queue.push(key(sum, at(v)), v);
        shorter = v == goal;
      }
    }
    for (const V v : labelled) part_[index(v)] = unreachable<D>;
    return !shorter;
  }

  const std::array<const CsrView<V, W>*, 2> graphs_;
  const V source_;
  const V target_;
  const AlternativeBounds bounds_;
  Poller poller_;
  PageArray<Label> labels_;
  std::array<QuaternaryHeap<D, V>, 2> queues_;
  std::array<D, 2> radius_{0, 0};  // vertices that a side has not settled are at least so far
  D best_ = unreachable<D>;        // the shortest length
  D limit_ = unreachable<D>;       // the largest length of walks that are searched
  std::vector<V> reached_;         // the vertices settled from the target
  std::vector<Route> routes_;
  std::unordered_set<std::uint64_t> edges_;  // of the routes
  std::vector<D> sums_;                      // distances along a candidate's route
  std::vector<D> part_;                      // labels of a search along a part of a route
  std::vector<double> costs_;                // with penalties
  std::vector<V> before_;                    // on the cheapest path
};

}  // namespace warpath
