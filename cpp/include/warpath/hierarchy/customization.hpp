// customization.hpp - the hierarchy of an elimination for given weights, on threads.
//
// First each arc gets the minimum weight of its edges and of its lower triangles, the paths between
// its ends via a less important position. Then each arc gets the distance between its ends, from
// the triangles via more important positions. An arc whose weight this lowers is not needed,
// because a shorter path begins with another arc of the same position. Both passes traverse the
// elimination tree: subtrees in parallel, then the few positions above them. Weights do not depend
// on the order in which threads take subtrees, because each is a minimum over the same sums.
//
// Work      six additions for each triangle, three where both directions have equal weights: 50 ms
//           for New York's roads on one thread.
// Memory    four weights for each arc, three where both directions have equal weights, and two for
//           each vertex and thread.
// Needs     weights >= 0 for the edges that the elimination was made for, or kClosed.
// Source    Dibbelt, Strasser, Wagner, "Customizable contraction hierarchies", 2014.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/elimination.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The weight of an edge that the graph no longer has.
template <Weight G>
constexpr G kClosed = G{-1};

/// One customization: `run` is called once, and then `take` once or never.
template <Weight W>
class Customization {
 public:
  Customization(const Elimination& elimination, int threads, Control& control)
      : e_(elimination),
        threads_(threads),
        control_(control),
        barrier_(threads, control),
        walk_(elimination.top_tree(), control),
        up_(elimination.arcs()),
        down_(elimination.arcs()),
        longest_(static_cast<std::size_t>(threads)),
        asymmetric_(static_cast<std::size_t>(threads)),
        kept_(elimination.n()) {}

  /// `weights` has an entry for each edge. Raises std::overflow_error if a sum may not fit W.
  template <class G>
  Hierarchy<W> run(std::span<const G> weights) {
    control_.expect(static_cast<std::int64_t>(2 * (e_.n() - e_.top().size())));
    run_team(threads_, control_, [&](int rank) {
      fill(rank, weights);
      if (symmetric_)
        customize<true>(rank);
      else
        customize<false>(rank);
    });
    const std::span<const Position> positions = e_.positions();
    return {{positions.begin(), positions.end()}, up_rows_, symmetric_ ? up_rows_ : down_rows_};
  }

  using L = HierarchyLabel<W>;
  using BothDirections = std::array<PageArray<L>, 2>;  // up and down, of each arc

  /// Moves out the minima by edges and triangles, and the distances between the ends of arcs.
  void take(BothDirections& weights, BothDirections& distances) {
    if (symmetric_) {
      down_ = copy_of(up_);
      down_distance_ = copy_of(up_distance_);
    }
    weights = {std::move(up_), std::move(down_)};
    distances = {std::move(up_distance_), std::move(down_distance_)};
  }

 private:
  using Rows = HierarchyRows<W>;

  static PageArray<L> copy_of(const PageArray<L>& array) {
    PageArray<L> copy(array.size());
    std::copy_n(array.data(), array.size(), copy.data());
    return copy;
  }

  /// The part of `count` entries that belongs to a rank.
  std::pair<std::size_t, std::size_t> part(int rank, std::size_t count) const {
    const auto team = static_cast<std::size_t>(threads_);
    const auto r = static_cast<std::size_t>(rank);
    return {count * r / team, count * (r + 1) / team};
  }

  /// Sets each arc to the minimum weight of its edges.
  template <class G>
  void fill(int rank, std::span<const G> weights) {
    const auto [begin, end] = part(rank, e_.arcs());
    std::fill(up_.data() + begin, up_.data() + end, kNoLabel<W>);
    std::fill(down_.data() + begin, down_.data() + end, kNoLabel<W>);
    barrier_.wait(rank);
    if (rank == 0) {
      for (std::size_t e = 0; e < weights.size(); ++e) {
        const std::int64_t code = e_.arc_of_edge(e);
        if (code < 0 || weights[e] == kClosed<G>) continue;
        const auto given = static_cast<L>(weights[e]);
        if (given == kNoLabel<W>) throw std::overflow_error("a weight does not fit its type");
        L& weight = (code % 2 == 0 ? up_ : down_)[static_cast<std::size_t>(code / 2)];
        weight = std::min(weight, given);
      }
    }
    barrier_.wait(rank);
    asymmetric_[static_cast<std::size_t>(rank)] =
        !std::equal(up_.data() + begin, up_.data() + end, down_.data() + begin);
    barrier_.wait(rank);
    if (rank == 0)
      symmetric_ = std::find(asymmetric_.begin(), asymmetric_.end(), 1) == asymmetric_.end();
    barrier_.wait(rank);
  }

  template <bool kSymmetric>
  void customize(int rank) {
    Poller poller(control_, rank == 0);
    PageArray<L> up_to(e_.n()), down_from(kSymmetric ? 0 : e_.n());
    longest_[static_cast<std::size_t>(rank)] = 0;
    const std::span<const Elimination::Range> ranges = e_.ranges();
    for (std::size_t i; (i = next_[0].fetch_add(1, std::memory_order_relaxed)) < ranges.size();) {
      for (Position x = ranges[i].end; x-- > ranges[i].begin;)
        lower<kSymmetric>(static_cast<std::size_t>(x), up_to, down_from, rank, poller);
      control_.advance(ranges[i].end - ranges[i].begin);
    }
    barrier_.wait(rank);
    const std::span<const Position> top = e_.top();
    walk_.up([&](std::size_t i) {
      lower<kSymmetric>(static_cast<std::size_t>(top[i]), up_to, down_from, rank, poller);
    });
    barrier_.wait(rank);
    if (rank == 0) check_longest();
    begin_distances(rank);
    barrier_.wait(rank);
    walk_.down(rank, [&](std::size_t i) {
      upper<kSymmetric>(static_cast<std::size_t>(top[i]), up_to, down_from, poller);
    });
    for (std::size_t i; (i = next_[1].fetch_add(1, std::memory_order_relaxed)) < ranges.size();) {
      for (Position x = ranges[i].begin; x < ranges[i].end; ++x)
        upper<kSymmetric>(static_cast<std::size_t>(x), up_to, down_from, poller);
      control_.advance(ranges[i].end - ranges[i].begin);
    }
    barrier_.wait(rank);
    collect(rank, up_, up_distance_, up_rows_);
    if (!kSymmetric) collect(rank, down_, down_distance_, down_rows_);
  }

  /// Lowers the arcs of x by the triangles x -> z -> y with z below x and y above x.
  template <bool kSymmetric>
  void lower(std::size_t x, PageArray<L>& up_to, PageArray<L>& down_from, int rank,
             Poller& poller) {
    const Position* const heads = e_.heads();
    const std::size_t begin = e_.first(x), end = e_.first(x + 1);
    const PageArray<L>& down = kSymmetric ? up_ : down_;
    for (std::size_t a = begin; a < end; ++a) {
      up_to[static_cast<std::size_t>(heads[a])] = up_[a];
      if constexpr (!kSymmetric) down_from[static_cast<std::size_t>(heads[a])] = down_[a];
    }
    for (const ArcFromBelow& arc : e_.below(x)) {
      const std::size_t row = e_.first(static_cast<std::size_t>(arc.tail));
      const std::size_t own = row + static_cast<std::size_t>(arc.offset);
      const L there = down[own];  // x -> z
      const L back = up_[own];    // z -> x
      poller.step(arc.offset + 1);
      if (there != kNoLabel<W>)
        for (std::size_t a = row; a < own; ++a)
          lower_to_sum(up_to[static_cast<std::size_t>(heads[a])], there, up_[a]);
      if constexpr (!kSymmetric)
        if (back != kNoLabel<W>)
          for (std::size_t a = row; a < own; ++a)
            lower_to_sum(down_from[static_cast<std::size_t>(heads[a])], down_[a], back);
    }
    L longest = longest_[static_cast<std::size_t>(rank)];
    const auto store = [&](PageArray<L>& weights, const PageArray<L>& found) {
      for (std::size_t a = begin; a < end; ++a) {
        weights[a] = found[static_cast<std::size_t>(heads[a])];
        if (weights[a] != kNoLabel<W>) longest = std::max(longest, weights[a]);
      }
    };
    store(up_, up_to);
    if constexpr (!kSymmetric) store(down_, down_from);
    longest_[static_cast<std::size_t>(rank)] = longest;
  }

  /// Lowers a weight to a sum. A sum with a missing term is never smaller.
  static void lower_to_sum(L& weight, L a, L b) {
    weight = std::min(weight, static_cast<L>(a + b));
  }

  /// No sum of two weights wrapped or was taken for a missing one if twice the longest fits.
  void check_longest() const {
    const L most = *std::max_element(longest_.begin(), longest_.end());
    if constexpr (std::is_integral_v<W>)
      if (most >= kNoLabel<W> / 2)
        throw std::overflow_error("the sums of weights may not fit their type");
  }

  void begin_distances(int rank) {
    if (rank == 0) {
      up_distance_ = PageArray<L>(e_.arcs());
      if (!symmetric_) down_distance_ = PageArray<L>(e_.arcs());
    }
    barrier_.wait(rank);
    const auto [begin, end] = part(rank, e_.arcs());
    std::copy(up_.data() + begin, up_.data() + end, up_distance_.data() + begin);
    if (!symmetric_)
      std::copy(down_.data() + begin, down_.data() + end, down_distance_.data() + begin);
  }

  /// Lowers the arcs of the positions x below z by triangles with z and a position y above both.
  /// The arcs between z and y must be final.
  template <bool kSymmetric>
  void upper(std::size_t z, PageArray<L>& up_to, PageArray<L>& down_from, Poller& poller) {
    const Position* const heads = e_.heads();
    for (std::size_t a = e_.first(z); a < e_.first(z + 1); ++a) {
      up_to[static_cast<std::size_t>(heads[a])] = up_distance_[a];
      if constexpr (!kSymmetric) down_from[static_cast<std::size_t>(heads[a])] = down_distance_[a];
    }
    const PageArray<L>& from = kSymmetric ? up_to : down_from;
    for (const ArcFromBelow& arc : e_.below(z)) {
      const std::size_t row = e_.first(static_cast<std::size_t>(arc.tail));
      const std::size_t own = row + static_cast<std::size_t>(arc.offset);
      poller.step(arc.offset + 1);
      L to = up_distance_[own];
      for (std::size_t a = row; a < own; ++a) {
        const auto y = static_cast<std::size_t>(heads[a]);
        lower_to_sum(up_distance_[a], up_[own], up_to[y]);  // x -> z -> y
        lower_to_sum(to, up_[a], from[y]);                  // x -> y -> z
      }
      up_distance_[own] = to;
      if constexpr (!kSymmetric) {
        L back = down_distance_[own];
        for (std::size_t a = row; a < own; ++a) {
          const auto y = static_cast<std::size_t>(heads[a]);
          lower_to_sum(down_distance_[a], down_from[y], down_[own]);  // y -> z -> x
          lower_to_sum(back, up_to[y], down_[a]);                     // z -> y -> x
        }
        down_distance_[own] = back;
      }
    }
  }

  /// Builds rows of the needed arcs, those whose weight is the distance between their ends.
  void collect(int rank, const PageArray<L>& weights, const PageArray<L>& distance,
               std::shared_ptr<const Rows>& collected) {
    const auto needed = [&](std::size_t a) {
      return weights[a] != kNoLabel<W> && weights[a] == distance[a];
    };
    const auto [begin, end] = part(rank, e_.n());
    for (std::size_t x = begin; x < end; ++x) {
      std::int32_t& count = kept_[x] = 0;
      for (std::size_t a = e_.first(x); a < e_.first(x + 1); ++a) count += needed(a);
    }
    barrier_.wait(rank);
    if (rank == 0)
      made_ = std::make_shared<Rows>(
          e_.n(), [&](std::size_t x) { return static_cast<std::size_t>(kept_[x]); });
    barrier_.wait(rank);
    for (std::size_t x = begin; x < end; ++x) {
      HierarchyArc<W>* next = made_->begin(x);
      for (std::size_t a = e_.first(x); a < e_.first(x + 1); ++a)
        if (needed(a)) *next++ = {e_.heads()[a], static_cast<W>(weights[a])};
    }
    barrier_.wait(rank);
    if (rank == 0) collected = std::move(made_);
    barrier_.wait(rank);
  }

  const Elimination& e_;
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  TreeWalk walk_;                             // through the positions above the ranges
  PageArray<L> up_, down_;                    // by arcs up and lower triangles
  PageArray<L> up_distance_, down_distance_;  // between the ends of arcs
  bool symmetric_ = false;                    // up_ and down_ are equal
  std::vector<L> longest_;                    // by rank
  std::vector<char> asymmetric_;              // by rank
  PageArray<std::int32_t> kept_;              // arcs of each position
  std::array<std::atomic<std::size_t>, 2> next_{};
  std::shared_ptr<Rows> made_;
  std::shared_ptr<const Rows> up_rows_, down_rows_;
};

}  // namespace warpath
