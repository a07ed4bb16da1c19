// path_counts.hpp - how many shortest paths each arc of a customized hierarchy stands for.
//
// An arc stands for the shortest paths between its ends whose inner vertices are less important
// than both: its edge, if that is as short as the arc, and the pairs of such paths to and from the
// middle of each lower triangle of the same length. An arc that is longer than the distance between
// its ends lies on no shortest path, and a hierarchy of `Customization` lacks it.
//
// Work    a merge of two rows for each arc; twice, as shares are handed down the same triangles.
// Memory  16 or 24 bytes for each arc.
// Needs   a hierarchy of all arcs of an elimination that are needed: one with witness searches
//         lacks arcs that are as long as other paths. Weights > 0, no self-loops or parallel edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpath/centrality/request.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// An arc of a hierarchy and the number of shortest paths that it stands for.
template <Weight W>
struct CountedArc {
  Position head;
  HierarchyLabel<W> weight;
  double count;
};

template <Weight W>
class PathCounts {
 public:
  using Arc = CountedArc<W>;

  /// The arcs of one direction by position.
  class Rows {
   public:
    explicit Rows(const HierarchyRows<W>& rows) : first_(rows.n() + 1), arcs_(rows.arcs()) {
      std::size_t count = 0;
      for (std::size_t x = 0; x < rows.n(); ++x) {
        first_[x] = count;
        for (const HierarchyArc<W>& arc : rows.row(static_cast<Position>(x)))
          arcs_[count++] = {arc.head, static_cast<HierarchyLabel<W>>(arc.weight), 0.0};
      }
      first_[rows.n()] = count;
    }

    std::size_t size() const { return arcs_.size(); }
    std::size_t first(Position x) const { return first_[static_cast<std::size_t>(x)]; }
    std::size_t end(Position x) const { return first_[static_cast<std::size_t>(x) + 1]; }
    Arc& operator[](std::size_t k) { return arcs_[k]; }
    const Arc& operator[](std::size_t k) const { return arcs_[k]; }
    std::span<const Arc> row(Position x) const {
      return {arcs_.data() + first(x), arcs_.data() + end(x)};
    }

   private:
    PageArray<std::size_t> first_;
    PageArray<Arc> arcs_;
  };

  template <Index V, Weight G>
  PathCounts(const Hierarchy<W>& hierarchy, const CsrView<V, G>& graph, Poller poller)
      : hierarchy_(hierarchy),
        up_(std::make_shared<Rows>(hierarchy.up())),
        down_(hierarchy.symmetric() ? up_ : std::make_shared<Rows>(hierarchy.down())) {
    each_edge(graph, poller, [&](std::size_t, bool is_up, std::size_t k) {
      if (is_up || up_ != down_) (is_up ? *up_ : *down_)[k].count = 1;
    });
    for (Position x = n(); x-- > 0;) {
      each_triangle(
          x, up_ != down_, [&](std::size_t into, std::size_t from, bool is_up, std::size_t across) {
            (is_up ? *up_ : *down_)[across].count += (*down_)[into].count * (*up_)[from].count;
          });
      poller.step(static_cast<std::int64_t>(up_->row(x).size()) + 1);
    }
  }

  /// Raises std::overflow_error if an arc stands for more paths than can be multiplied.
  void check() const {
    for (const std::shared_ptr<Rows>& rows : {up_, down_})
      for (std::size_t k = 0; k < rows->size(); ++k)
        if (!((*rows)[k].count <= kMostPaths)) refuse_counts();
  }

  Position n() const { return hierarchy_.n(); }
  const Hierarchy<W>& hierarchy() const { return hierarchy_; }
  const Rows& up() const { return *up_; }
  const Rows& down() const { return *down_; }
  /// Whether both directions have the same arcs.
  bool symmetric() const { return up_ == down_; }
  /// The arcs of both directions, each of which has a sum: those up, and then those down.
  std::size_t arcs() const { return up_->size() + down_->size(); }

  /// Hands the shares of arcs down to the vertices and edges of their paths, and adds them to
  /// `vertices` and `edges`. Those of `positions` and of `arcs` are used up.
  template <Index V, Weight G>
  void hand_down(std::span<double> positions, std::span<double> arcs, const CsrView<V, G>& graph,
                 std::span<double> vertices, std::span<double> edges, Poller poller) const {
    double* const up = arcs.data();
    double* const down = up + up_->size();
    for (Position x = 0; x < n(); ++x) {
      double& through = positions[static_cast<std::size_t>(x)];
      each_triangle(
          x, true, [&](std::size_t into, std::size_t from, bool is_up, std::size_t across) {
            const Arc& arc = (is_up ? *up_ : *down_)[across];
            const double share =
                (is_up ? up : down)[across] / arc.count * (*down_)[into].count * (*up_)[from].count;
            through += share;
            down[into] += share;
            up[from] += share;
          });
      poller.step(static_cast<std::int64_t>(up_->row(x).size()) + 1);
      vertices[static_cast<std::size_t>(hierarchy_.vertex(x))] += through;
    }
    each_edge(graph, poller, [&](std::size_t e, bool is_up, std::size_t k) {
      const Arc& arc = (is_up ? *up_ : *down_)[k];
      edges[e] += (is_up ? up : down)[k] / arc.count;
    });
  }

  /// Calls visit(into, from, is_up, across) for each pair of arcs down to a position and up from it
  /// that are together as long as the arc between their other ends. With equal weights in both
  /// directions, the pairs of arcs down mirror those of arcs up.
  template <class Visit>
  void each_triangle(Position x, bool both, const Visit& visit) const {
    for (std::size_t into = down_->first(x); into < down_->end(x); ++into)
      each_common(*up_, x, (*down_)[into].head, [&](std::size_t from, std::size_t across) {
        if ((*down_)[into].weight + (*up_)[from].weight == (*up_)[across].weight)
          visit(into, from, true, across);
      });
    if (!both) return;
    for (std::size_t from = up_->first(x); from < up_->end(x); ++from)
      each_common(*down_, x, (*up_)[from].head, [&](std::size_t into, std::size_t across) {
        if ((*down_)[into].weight + (*up_)[from].weight == (*down_)[across].weight)
          visit(into, from, false, across);
      });
  }

  /// Calls visit(edge, is_up, arc) for each edge that is as short as its arc.
  template <Index V, Weight G, class Visit>
  void each_edge(const CsrView<V, G>& graph, Poller& poller, const Visit& visit) const {
    for (std::size_t u = 0; u < static_cast<std::size_t>(graph.n()); ++u) {
      const auto begin = static_cast<std::size_t>(graph.indptr[u]);
      const auto end = static_cast<std::size_t>(graph.indptr[u + 1]);
      poller.step(static_cast<std::int64_t>(end - begin) + 1);
      const Position x = hierarchy_.position(static_cast<std::int64_t>(u));
      for (std::size_t e = begin; e < end; ++e) {
        const Position y = hierarchy_.position(static_cast<std::int64_t>(graph.indices[e]));
        const Rows& rows = x > y ? *up_ : *down_;
        const std::span<const Arc> row = rows.row(std::max(x, y));
        const auto arc =
            std::lower_bound(row.begin(), row.end(), std::min(x, y),
                             [](const Arc& each, Position head) { return each.head < head; });
        if (arc == row.end() || arc->head != std::min(x, y) ||
            static_cast<G>(arc->weight) != graph.weights[e])
          continue;
        visit(e, x > y, rows.first(std::max(x, y)) + static_cast<std::size_t>(arc - row.begin()));
      }
    }
  }

 private:
  /// Calls visit(of_x, of_y) for the arcs of two positions to the same head.
  template <class Visit>
  static void each_common(const Rows& rows, Position x, Position y, const Visit& visit) {
    std::size_t i = rows.first(x), j = rows.first(y);
    const std::size_t end_of_x = rows.end(x), end_of_y = rows.end(y);
    while (i < end_of_x && j < end_of_y) {
      const Position a = rows[i].head, b = rows[j].head;
      if (a == b) visit(i, j);
      i += a <= b;
      j += b <= a;
    }
  }

  const Hierarchy<W>& hierarchy_;
  std::shared_ptr<Rows> up_, down_;  // the same where both directions have equal weights
};

}  // namespace warpath
