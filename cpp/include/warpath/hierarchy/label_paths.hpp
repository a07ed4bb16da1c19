// label_paths.hpp - shortest paths of pairs, and the trips over each edge, by labels.
//
// The most important vertex of a shortest path is a common ancestor whose entries in both labels
// add up to the distance. The path climbs to it over arcs, and descends from it. An arc lies on
// such a path if its weight and the entry of its head are together the entry of its tail. So the
// arcs of all shortest paths of a pair are found without a search, and their numbers of paths say
// how many there are.
//
// A pair with one shortest path has nothing to choose. Otherwise arcs that stand for several paths
// are replaced by edges and pairs of arcs that are as short, and the canonical path takes from its
// target back the smallest vertex before each at which several arcs meet. A route replaces the arcs
// that are left by their edges. Loads are added to them, and handed down to edges once for all
// trips.
//
// Work    for each pair the arcs of some ten ancestors of each end: 4 us on New York's roads, 5 for
//         canonical paths. A route of 404 vertices takes 30 us.
// Memory  12 bytes for each arc in addition to `PathCounts`; for each thread 4 bytes for each
//         vertex, 1 for each arc, and the sums of arcs.
// Needs   labels, and `PathCounts` of their hierarchy: weights > 0, exact sums.
// Source  the labels: Ouyang et al., "When hierarchy meets 2-hop-labeling", 2018.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "warpath/centrality/request.hpp"
#include "warpath/graph/ascending_order.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/path_counts.hpp"
#include "warpath/hierarchy/tree_labels.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/ordered_sums.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/pool.hpp"
#include "warpath/paths/route_edges.hpp"

namespace warpath {

[[noreturn, gnu::cold]] inline void refuse_other_weights() {
  throw std::invalid_argument("the labels are of other weights than the graph");
}

/// How to replace each arc of a hierarchy by shorter ones: the edge, or two arcs over a less
/// important position, down to it and up from it. Arcs that stand for several paths may have
/// several ways.
template <Weight W>
class ArcWays {
 public:
  static constexpr Position kEdge = -1;

  /// The arcs of a way by their numbers in the rows down and up; none if `middle` is kEdge.
  struct Way {
    Position middle;
    std::uint32_t into, from;
  };

  template <Index V, Weight G>
  ArcWays(const PathCounts<W>& counts, const CsrView<V, G>& graph, Poller poller)
      : ups_(counts.up().size()),
        symmetric_(counts.symmetric()),
        ways_(symmetric_ ? ups_ : counts.arcs(), Way{kNone, 0, 0}) {
    if (counts.arcs() > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error("routes by labels number up to 2^32 - 1 arcs");
    std::vector<std::pair<std::size_t, Way>> more;
    counts.each_edge(graph, poller, [&](std::size_t, bool is_up, std::size_t k) {
      ways_[at(is_up, k)] = {kEdge, 0, 0};
    });
    for (Position x = counts.n(); x-- > 0;) {
      counts.each_triangle(
          x, !symmetric_, [&](std::size_t into, std::size_t from, bool is_up, std::size_t across) {
            const Way way{x, static_cast<std::uint32_t>(into), static_cast<std::uint32_t>(from)};
            Way& first = ways_[at(is_up, across)];
            if (first.middle == kNone)
              first = way;
            else
              more.emplace_back(at(is_up, across), way);
          });
      poller.step(static_cast<std::int64_t>(counts.up().row(x).size()) + 1);
    }
    std::stable_sort(more.begin(), more.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < more.size();) {
      Way& first = ways_[more[i].first];
      const auto begin = static_cast<std::uint32_t>(several_.size());
      several_.push_back(first);
      for (const std::size_t arc = more[i].first; i < more.size() && more[i].first == arc; ++i)
        several_.push_back(more[i].second);
      first = {kSeveral, begin, static_cast<std::uint32_t>(several_.size())};
    }
  }

  std::size_t nbytes() const { return (ways_.size() + several_.size()) * sizeof(Way); }

  /// Calls visit(way) for each way of an arc. With equal weights in both directions, a way down is
  /// one up in the other direction.
  template <class Visit>
  void each(bool is_up, std::size_t k, const Visit& visit) const {
    const Way& way = ways_[at(is_up, k)];
    if (way.middle == kNone) refuse_other_weights();
    if (way.middle != kSeveral) return visit(turned(way, is_up));
    for (std::size_t i = way.into; i < way.from; ++i) visit(turned(several_[i], is_up));
  }

 private:
  static constexpr Position kSeveral = -2, kNone = -3;

  std::size_t at(bool is_up, std::size_t k) const { return is_up || symmetric_ ? k : ups_ + k; }
  Way turned(const Way& way, bool is_up) const {
    return is_up || !symmetric_ ? way : Way{way.middle, way.from, way.into};
  }

  std::size_t ups_;
  bool symmetric_;
  PageArray<Way> ways_;  // those up, and then those down; `several_[into .. from)` of kSeveral
  std::vector<Way> several_;
};

template <Weight W>
class LabelPathSearch;

/// What searches for paths by labels read, and their working memory.
template <Weight W>
struct LabelledArcs {
  /// `hierarchy` must be that of the labels, and outlive this. Raises std::invalid_argument if an
  /// arc of it does not lead to an ancestor in their tree, or a weight is not above 0.
  template <Index V, Weight G>
  LabelledArcs(const TreeLabels<W>& given, const Hierarchy<W>& hierarchy,
               const CsrView<V, G>& graph, Poller poller)
      : tree(given.tree()),
        labels(given),
        counts(hierarchy, graph, poller),
        ways(counts, graph, poller),
        searches([this] { return std::make_unique<LabelPathSearch<W>>(*this); }) {
    for (const G weight : graph.weights)
      if (!(weight > 0)) throw std::invalid_argument("routes by labels need weights above 0");
    std::vector<Position> path(tree->height());
    for (Position x = 0; x < counts.n(); ++x) {
      const std::size_t depth = tree->depth(static_cast<std::size_t>(x));
      path[depth] = x;
      for (const auto* rows : {&counts.up(), &counts.down()})
        for (const CountedArc<W>& arc : rows->row(x)) {
          const std::size_t above = tree->depth(static_cast<std::size_t>(arc.head));
          if (above >= depth || path[above] != arc.head)
            throw std::invalid_argument(
                "an arc must lead to an ancestor in the tree of the labels");
        }
    }
  }
  LabelledArcs(const LabelledArcs&) = delete;
  LabelledArcs& operator=(const LabelledArcs&) = delete;

  const std::shared_ptr<const AncestorTree> tree;
  const TreeLabels<W> labels;
  const PathCounts<W> counts;
  const ArcWays<W> ways;
  Pool<LabelPathSearch<W>> searches;
};

/// One thread's search for the shortest paths of pairs.
template <Weight W>
class LabelPathSearch {
 public:
  using L = HierarchyLabel<W>;

  explicit LabelPathSearch(const LabelledArcs<W>& arcs)
      : arcs_(arcs),
        tree_(*arcs.tree),
        counts_(arcs.counts),
        at_(tree_.height()),
        before_(tree_.height(), 0.0),
        after_(tree_.height(), 0.0) {}

  /// Appends the vertices of the canonical path from source to target; none if there is no path.
  void route(std::int64_t source, std::int64_t target, std::vector<std::int64_t>& vertices) {
    const double paths = find(source, target);
    if (paths == 0) return;
    if (paths != 1) {
      chosen_.clear();
      walk_back(source, target, [&](const Part& part) { chosen_.push_back(part); });
      vertices.push_back(source);
      for (std::size_t i = chosen_.size(); i-- > 0;) {
        const Part& part = chosen_[i];
        if (part.is_edge)
          vertices.push_back(counts_.hierarchy().vertex(part.arc.to));
        else
          unpack(part.arc, vertices);
      }
      return;
    }
    vertices.push_back(source);
    const auto middle =
        std::find_if(steps_.begin(), steps_.end(), [](auto& s) { return !s.is_up; });
    for (auto step = steps_.begin(); step != middle; ++step)
      unpack({step->arc, step->tail, step->head, true}, vertices);
    for (auto step = steps_.end(); step-- != middle;)
      unpack({step->arc, step->head, step->tail, false}, vertices);
  }

  /// Adds trips to the sums of the arcs of all shortest paths, evenly by path; see `PathCounts`.
  void split(std::int64_t source, std::int64_t target, double trips, std::span<double> arcs) {
    const double paths = find(source, target);
    if (!(paths <= kMostPaths)) refuse_counts();
    for (const Step& step : steps_)
      arcs[number(step.is_up, step.arc)] += trips * step.share / paths;
  }

  /// Adds trips to the sums of arcs that stand for one path and are together the canonical path, or
  /// to those of arcs that are its edges.
  void add(std::int64_t source, std::int64_t target, double trips, std::span<double> arcs,
           std::span<double> edges) {
    const double paths = find(source, target);
    if (paths == 1)
      for (const Step& step : steps_) arcs[number(step.is_up, step.arc)] += trips;
    else if (paths > 0)
      walk_back(source, target, [&](const Part& part) {
        (part.is_edge ? edges : arcs)[number(part.arc.is_up, part.arc.arc)] += trips;
      });
  }

 private:
  using Rows = typename PathCounts<W>::Rows;
  using Way = typename ArcWays<W>::Way;

  /// An arc on shortest paths of a pair.
  struct Step {
    std::size_t arc;  // in the rows of its direction
    Position tail, head;
    bool is_up;
    double share;  // the number of the pair's paths over it
  };

  /// An arc to be replaced, and the positions that it leads from and to.
  struct Open {
    std::size_t arc;
    Position from, to;
    bool is_up;
  };

  /// A part of shortest paths: an arc that stands for one path, or the edge of one that stands for
  /// several.
  struct Part {
    Open arc;
    bool is_edge;
    std::int32_t next;  // another one that leads to the same position; -1 for none
  };

  static constexpr Position kNone = std::numeric_limits<Position>::max();

  const Rows& rows(bool is_up) const { return is_up ? counts_.up() : counts_.down(); }
  std::size_t number(bool is_up, std::size_t arc) const {
    return is_up ? arc : counts_.up().size() + arc;
  }

  /// Finds the arcs of all shortest paths of a pair, and returns the number of paths: those up from
  /// the source and those down to the target for each most important position, all the ones of a
  /// single path in the order of their distance from its ends.
  double find(std::int64_t source, std::int64_t target) {
    steps_.clear();
    const std::size_t x = tree_.position(source), y = tree_.position(target);
    const L* const from = arcs_.labels.up().data() + tree_.first(x);
    const L* const to = arcs_.labels.down().data() + tree_.first(y);
    const std::size_t common = x == y ? tree_.depth(x) + 1 : tree_.common(x, y);
    L least = kNoLabel<W>;
    for (std::size_t i = 0; i < common; ++i)
      least = std::min(least, static_cast<L>(from[i] + to[i]));
    if (least == kNoLabel<W>) return 0;
    double paths = 0;
    for (std::size_t i = 0; i < common; ++i) {
      if (static_cast<L>(from[i] + to[i]) != least) continue;
      const std::size_t begin = steps_.size();
      const double up = climb(x, i, true);
      const std::size_t middle = steps_.size();
      const double down = up > 0 ? climb(y, i, false) : 0;
      if (down == 0) {
        steps_.resize(begin);
        continue;
      }
      for (std::size_t s = begin; s < steps_.size(); ++s) steps_[s].share *= s < middle ? down : up;
      paths += up * down;
    }
    return paths;
  }

  /// Finds the arcs of the shortest paths between a position and its ancestor of a depth on which
  /// that is the most important one, and returns their number.
  double climb(std::size_t x, std::size_t top, bool is_up) {
    if (tree_.depth(x) == top) return 1;
    const Rows& rows = this->rows(is_up);
    const L* const labels = (is_up ? arcs_.labels.up() : arcs_.labels.down()).data() + top;
    const std::size_t begin = steps_.size();
    reach(static_cast<Position>(x), 1);
    while (depths_.front() != top) {
      const std::size_t depth = depths_.front();
      std::pop_heap(depths_.begin(), depths_.end());
      depths_.pop_back();
      const Position tail = at_[depth];
      const double paths = std::exchange(before_[depth], 0.0);
      const L left = labels[tree_.first(static_cast<std::size_t>(tail))];
      const std::span<const CountedArc<W>> row = rows.row(tail);
      // Most entries come from memory: all of a row at once.
      std::size_t first = row.size();
      for (; first > 0; --first) {
        const auto head = static_cast<std::size_t>(row[first - 1].head);
        if (tree_.depth(head) < top) break;
        __builtin_prefetch(labels + tree_.first(head));
      }
      for (std::size_t k = row.size(); k-- > first;) {
        const CountedArc<W>& arc = row[k];
        const L rest = labels[tree_.first(static_cast<std::size_t>(arc.head))];
        if (arc.weight + rest != left || !(arc.count > 0)) continue;
        steps_.push_back({rows.first(tail) + k, tail, arc.head, is_up, paths * arc.count});
        reach(arc.head, paths * arc.count);
      }
      if (depths_.empty()) break;
    }
    depths_.clear();
    const double paths = std::exchange(before_[top], 0.0);
    after_[top] = 1;
    for (std::size_t s = steps_.size(); s-- > begin;) {
      Step& step = steps_[s];
      const double after = after_[depth_of(step.head)];
      step.share *= after;
      after_[depth_of(step.tail)] += after * rows[step.arc].count;
    }
    after_[top] = 0;
    for (std::size_t s = begin; s < steps_.size(); ++s) after_[depth_of(steps_[s].tail)] = 0;
    // Paths that need a more important position end before the top.
    std::erase_if(steps_, [](const Step& step) { return step.share == 0; });
    return paths;
  }

  std::size_t depth_of(Position x) const { return tree_.depth(static_cast<std::size_t>(x)); }

  void reach(Position x, double paths) {
    const std::size_t depth = depth_of(x);
    if (before_[depth] == 0) {
      depths_.push_back(depth);
      std::push_heap(depths_.begin(), depths_.end());
      at_[depth] = x;
    }
    before_[depth] += paths;
  }

  /// Appends the vertices of an arc that stands for one path, but for the first.
  void unpack(const Open& arc, std::vector<std::int64_t>& vertices) {
    open_.assign(1, arc);
    while (!open_.empty()) {
      const Open next = open_.back();
      open_.pop_back();
      arcs_.ways.each(next.is_up, next.arc, [&](const Way& way) {
        if (way.middle == ArcWays<W>::kEdge) {
          vertices.push_back(counts_.hierarchy().vertex(next.to));
        } else {
          open_.push_back({way.from, way.middle, next.to, true});
          open_.push_back({way.into, next.from, way.middle, false});
        }
      });
    }
  }

  /// Calls visit(part) for the parts of the canonical path, from the target back to the source.
  ///
  /// Where several parts lead to a position, they are cut before their last edge, of which the one
  /// from the smallest vertex is chosen. All shortest paths over it then have a part that leads to
  /// that vertex.
  template <class Visit>
  void walk_back(std::int64_t source, std::int64_t target, const Visit& visit) {
    if (last_into_.size() == 0) {
      last_into_ = PageArray<std::int32_t>(tree_.n(), -1);
      seen_ = PageArray<char>(counts_.arcs(), char{0});
    }
    for (const Step& step : steps_)
      open(step.is_up ? Open{step.arc, step.tail, step.head, true}
                      : Open{step.arc, step.head, step.tail, false});
    while (!open_.empty()) {
      const Open next = open_.back();
      open_.pop_back();
      arcs_.ways.each(next.is_up, next.arc, [&](const Way& way) {
        if (way.middle == ArcWays<W>::kEdge) return add(next, true);
        open({way.into, next.from, way.middle, false});
        open({way.from, way.middle, next.to, true});
      });
    }
    std::size_t left = tree_.n();
    const auto start = static_cast<Position>(tree_.position(source));
    for (auto x = static_cast<Position>(tree_.position(target)); x != start;) {
      std::int32_t at = last_into_[static_cast<std::size_t>(x)];
      if (at < 0 || left-- == 0) refuse_other_weights();
      Part chosen = parts_[static_cast<std::size_t>(at)];
      if (chosen.next >= 0) {
        for (Position smallest = kNone; at >= 0;) {
          const Part edge = last_edge(parts_[static_cast<std::size_t>(at)]);
          const Position vertex = counts_.hierarchy().vertex(edge.arc.from);
          if (vertex < smallest) chosen = edge;
          smallest = std::min(smallest, vertex);
          at = edge.next;
        }
      }
      visit(chosen);
      x = chosen.arc.from;
    }
    for (const Part& part : parts_) last_into_[static_cast<std::size_t>(part.arc.to)] = -1;
    parts_.clear();
    for (const std::size_t arc : seen_arcs_) seen_[arc] = 0;
    seen_arcs_.clear();
  }

  /// Lets an arc be replaced, or makes it a part, once for each pair.
  void open(const Open& arc) {
    char& seen = seen_[number(arc.is_up, arc.arc)];
    if (seen != 0) return;
    seen = 1;
    seen_arcs_.push_back(number(arc.is_up, arc.arc));
    if (rows(arc.is_up)[arc.arc].count == 1)
      add(arc, false);
    else
      open_.push_back(arc);
  }

  void add(const Open& arc, bool is_edge) {
    std::int32_t& last = last_into_[static_cast<std::size_t>(arc.to)];
    parts_.push_back({arc, is_edge, last});
    last = static_cast<std::int32_t>(parts_.size() - 1);
  }

  /// Cuts a part, and returns its last edge.
  Part last_edge(Part part) {
    while (!part.is_edge) {
      const Open arc = part.arc;
      bool is_cut = false;
      arcs_.ways.each(arc.is_up, arc.arc, [&](const Way& way) {
        if (way.middle == ArcWays<W>::kEdge) return;
        open({way.into, arc.from, way.middle, false});
        part.arc = {way.from, way.middle, arc.to, true};
        is_cut = true;
      });
      if (!is_cut) break;
    }
    return part;
  }

  const LabelledArcs<W>& arcs_;
  const AncestorTree& tree_;
  const PathCounts<W>& counts_;
  std::vector<Step> steps_;
  std::vector<std::size_t> depths_;     // a heap of those that were reached
  std::vector<Position> at_;            // the position that was reached at each depth
  std::vector<double> before_, after_;  // by depth: paths to it, and from it to the top
  std::vector<Open> open_;
  std::vector<Part> parts_, chosen_;
  PageArray<std::int32_t> last_into_;  // the last of `parts_` that leads to each position
  PageArray<char> seen_;               // by the number of an arc
  std::vector<std::size_t> seen_arcs_;
};

/// The canonical paths of pairs.
template <Weight W>
Routes label_routes(LabelledArcs<W>& arcs, std::span<const std::int64_t> sources,
                    std::span<const std::int64_t> targets, int threads, Control& control) {
  const std::vector<std::size_t> order = ascending_order(sources);
  return routes_of_pairs(order, threads, control, [&](Poller&, const auto& run) {
    arcs.searches.with([&](LabelPathSearch<W>& search) {
      run([&](std::size_t pair, std::vector<std::int64_t>& vertices) {
        search.route(sources[pair], targets[pair], vertices);
      });
    });
  });
}

/// Trips between pairs of vertices, and what becomes of those whose shortest paths are several.
struct TripLoads {
  std::span<const std::int64_t> sources, targets;
  std::span<const double> trips;
  bool split;  // evenly by path; otherwise all on the canonical one
};

/// Adds the trips over each edge to `edges`. Of parallel edges `graph` must have one. The same bits
/// for any number of threads.
template <Weight W, Index V, Weight G>
void label_loads(const LabelledArcs<W>& arcs, const CsrView<V, G>& graph, const TripLoads& loads,
                 std::span<double> edges, int threads, Control& control) {
  constexpr std::size_t kBlocks = 32;    // the sums of each are added one after another
  constexpr std::size_t kFewest = 4096;  // trips of a block
  const PathCounts<W>& counts = arcs.counts;
  if (loads.split) counts.check();
  const std::size_t pairs = loads.sources.size(), each = counts.arcs();
  const std::vector<std::size_t> order = ascending_order(loads.sources);  // shares cached labels
  const std::size_t blocks = std::clamp<std::size_t>(pairs / kFewest, 1, kBlocks);
  PageArray<double> total(each * (loads.split ? 1 : 2), 0.0);
  const std::span<double> sums(total.data(), total.size());
  control.expect(static_cast<std::int64_t>(pairs));
  sum_in_order(blocks, sums, threads, control, [&](Poller& poller) {
    return
        [&, search = LabelPathSearch<W>(arcs)](std::size_t block, std::span<double> own) mutable {
          const std::size_t begin = pairs * block / blocks, end = pairs * (block + 1) / blocks;
          for (std::size_t i = begin; i < end; ++i) {
            const std::size_t pair = order[i];
            const std::int64_t source = loads.sources[pair], target = loads.targets[pair];
            if (loads.split)
              search.split(source, target, loads.trips[pair], own);
            else
              search.add(source, target, loads.trips[pair], own.first(each), own.subspan(each));
            poller.step(1024);
          }
          control.advance(static_cast<std::int64_t>(end - begin));
        };
  });
  const auto n = static_cast<std::size_t>(counts.n());
  PageArray<double> positions(n, 0.0);
  std::vector<double> unused(n);
  Poller poller(control, true);
  counts.hand_down({positions.data(), n}, sums.first(each), graph, unused, edges, poller);
  if (!loads.split)
    counts.each_edge(graph, poller, [&](std::size_t e, bool is_up, std::size_t k) {
      edges[e] += sums[each + (is_up ? k : counts.up().size() + k)];
    });
}

}  // namespace warpath
