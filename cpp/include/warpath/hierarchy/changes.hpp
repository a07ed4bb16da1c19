// changes.hpp - the hierarchy of an elimination after a few weights have changed.
//
// The weights of all arcs for one set of edge weights are kept. A change lowers or raises the arcs
// of its edges, then those arcs whose minimum came from them, from the bottom up by lower
// triangles, and then the distances between the ends of arcs, from the top down. An arc is computed
// anew only if a sum that has changed was its minimum or is less. The results are those of a
// complete customization. Afterwards all numbers get their old values back, so that the next
// changes are those from the same weights.
//
// Work    for each arc that changes, its triangles; then copies of the rows' places: O(n).
// Memory  six numbers for each arc, and a copy of the arcs with room for a fourth more, which the
//         hierarchies after changes share; another copy when it is full.
// Needs   weights >= 0, or kClosed.
// Source  Dibbelt, Strasser, Wagner, "Customizable contraction hierarchies", 2014, the section on
//         partial updates.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/customization.hpp"
#include "warpath/hierarchy/elimination.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// The weights of all arcs for one set of edge weights, to which changes are applied.
template <Weight W>
class ChangeableWeights {
 public:
  using L = HierarchyLabel<W>;

  /// `weights` has an entry for each edge. Raises std::overflow_error if a sum may not fit W.
  template <class G>
  ChangeableWeights(const Elimination& elimination, std::span<const G> weights, int threads,
                    Control& control)
      : e_(elimination) {
    Customization<W> customization(elimination, threads, control);
    hierarchy_.emplace(customization.run(weights));
    customization.take(numbers_[kByTriangles], numbers_[kDistance]);
    for (PageArray<L>& direction : numbers_[kOfEdges])
      direction = PageArray<L>(e_.arcs(), kNoLabel<W>);
    for (std::size_t e = 0; e < weights.size(); ++e) {
      if (e_.arc_of_edge(e) < 0 || weights[e] == kClosed<G>) continue;
      L& weight = at(kOfEdges, static_cast<Code>(e_.arc_of_edge(e)));
      weight = std::min(weight, static_cast<L>(weights[e]));
    }
    for (std::size_t arc = 0; arc < e_.arcs(); ++arc) unequal_ += !is_equal(arc);
  }
  ChangeableWeights(const ChangeableWeights&) = delete;
  ChangeableWeights& operator=(const ChangeableWeights&) = delete;

  const Elimination& elimination() const { return e_; }

  std::size_t nbytes() const { return e_.arcs() * 6 * sizeof(L) + memory_bytes_; }

  /// The hierarchy after changes. `weights` has the weights of all edges, which differ from the
  /// kept ones at most at `edges`; `indptr` has the offsets of the edges of each vertex. Raises
  /// std::overflow_error if a sum may not fit W.
  template <class G>
  Hierarchy<W> changed(std::span<const std::int64_t> indptr, std::span<const G> weights,
                       std::span<const std::int64_t> edges, Poller poller) {
    const std::scoped_lock lock(mutex_);
    const Restore restore{*this};
    for (const std::int64_t edge : edges) set_edge(indptr, weights, edge);
    lower_triangles(poller);
    const std::vector<Change> lowered = changes_;
    upper_triangles(lowered, poller);
    return changed_hierarchy();
  }

 private:
  using Rows = HierarchyRows<W>;

  /// A weight in one direction: twice an arc's number, and 1 more for the direction down.
  using Code = std::size_t;

  /// The three kinds of numbers of an arc.
  enum Kind : std::uint8_t { kOfEdges, kByTriangles, kDistance };

  struct Change {
    Kind kind;
    Code code;
    L old;
  };

  /// A weight to be computed anew, and the less important end of its arc.
  struct Waiting {
    Position tail;
    Code code;

    auto operator<=>(const Waiting&) const = default;
  };

  /// Undoes all changes.
  struct Restore {
    ChangeableWeights& weights;
    ~Restore() { weights.undo(); }
  };

  L& at(Kind kind, Code code) { return numbers_[kind][code % 2][code / 2]; }

  bool is_equal(std::size_t arc) const {
    return numbers_[kOfEdges][0][arc] == numbers_[kOfEdges][1][arc];
  }

  void set(Kind kind, Code code, L value) {
    const std::size_t arc = code / 2;
    if (kind == kOfEdges) unequal_ -= !is_equal(arc);
    L& place = at(kind, code);
    changes_.push_back({kind, code, std::exchange(place, value)});
    if (kind == kOfEdges) unequal_ += !is_equal(arc);
  }

  void undo() {
    for (std::size_t i = changes_.size(); i-- > 0;) {
      const std::size_t arc = changes_[i].code / 2;
      if (changes_[i].kind == kOfEdges) unequal_ -= !is_equal(arc);
      at(changes_[i].kind, changes_[i].code) = changes_[i].old;
      if (changes_[i].kind == kOfEdges) unequal_ += !is_equal(arc);
    }
    changes_.clear();
    bottom_up_ = {};
    top_down_ = {};
  }

  /// Sets the weight of the arc of an edge to the minimum over all edges with these ends.
  template <class G>
  void set_edge(std::span<const std::int64_t> indptr, std::span<const G> weights,
                std::int64_t edge) {
    const std::int64_t code = e_.arc_of_edge(static_cast<std::size_t>(edge));
    if (code < 0) return;
    const auto row = std::upper_bound(indptr.begin(), indptr.end(), edge);
    L smallest = kNoLabel<W>;
    for (std::int64_t other = *(row - 1); other < *row; ++other) {
      const auto o = static_cast<std::size_t>(other);
      if (e_.arc_of_edge(o) != code || weights[o] == kClosed<G>) continue;
      const auto given = static_cast<L>(weights[o]);
      if (given == kNoLabel<W>) throw std::overflow_error("a weight does not fit its type");
      smallest = std::min(smallest, given);
    }
    const auto changed = static_cast<Code>(code);
    if (smallest == at(kOfEdges, changed)) return;
    set(kOfEdges, changed, smallest);
    bottom_up_.push({e_.tail(changed / 2), changed});
  }

  /// Calls visit(below, low, high) for each position below the two ends of an arc and its arcs to
  /// them: `low` to the less important end, `high` to the more important one.
  template <class Visit>
  void each_below(Position tail, Position head, Poller& poller, const Visit& visit) const {
    const auto below = e_.below(static_cast<std::size_t>(tail));
    poller.step(static_cast<std::int64_t>(below.size()));
    for (const ArcFromBelow& arc : below) {
      const std::size_t row = e_.first(static_cast<std::size_t>(arc.tail));
      const std::size_t low = row + static_cast<std::size_t>(arc.offset);
      const Position* const found = std::lower_bound(e_.heads() + row, e_.heads() + low, head);
      if (found != e_.heads() + low && *found == head)
        visit(arc.tail, low, static_cast<std::size_t>(found - e_.heads()));
    }
  }

  /// The number of the arc between two positions that have one.
  std::size_t arc_between(Position a, Position b) const {
    const auto low = static_cast<std::size_t>(std::max(a, b));
    const Position* const row = e_.heads() + e_.first(low);
    return static_cast<std::size_t>(
        std::lower_bound(row, e_.heads() + e_.first(low + 1), std::min(a, b)) - e_.heads());
  }

  /// Enters a weight to be computed anew, if a sum that was its minimum has changed or is less.
  template <class Queue>
  void enter(Queue& queue, Kind kind, Code code, Position tail, L before, L now) {
    const L known = at(kind, code);
    if (now < known || before == known) queue.push({tail, code});
  }

  /// Takes a weight that waits; those of one weight follow each other.
  template <class Queue>
  static Waiting take(Queue& queue) {
    const Waiting next = queue.top();
    while (!queue.empty() && queue.top() == next) queue.pop();
    return next;
  }

  static L sum(L a, L b) { return static_cast<L>(a + b); }

  /// Computes the minima of edges and lower triangles that changes of edges affect.
  void lower_triangles(Poller& poller) {
    while (!bottom_up_.empty()) {
      const auto [x, code] = take(bottom_up_);
      const bool down = code % 2 != 0;
      const Position y = e_.heads()[code / 2];
      L smallest = at(kOfEdges, code);
      each_below(x, y, poller, [&](Position, std::size_t low, std::size_t high) {
        const std::size_t first = down ? high : low, second = down ? low : high;
        smallest =
            std::min(smallest, sum(at(kByTriangles, 2 * first + 1), at(kByTriangles, 2 * second)));
      });
      const L before = at(kByTriangles, code);
      if (smallest == before) continue;
      if (std::is_integral_v<W> && smallest != kNoLabel<W> && smallest >= kNoLabel<W> / 2)
        throw std::overflow_error("the sums of weights may not fit their type");
      set(kByTriangles, code, smallest);
      each_other(x, code, [&](std::size_t other, Position z) {
        // The arc between y and z: from z via x to y, or from y via x to z.
        const L leg = at(kByTriangles, 2 * other + static_cast<Code>(!down));
        enter(bottom_up_, kByTriangles, down ? between(y, z) : between(z, y), std::max(y, z),
              sum(before, leg), sum(smallest, leg));
      });
    }
  }

  /// Calls visit(arc, head) for the arcs of a position but that of a code.
  template <class Visit>
  void each_other(Position x, Code code, const Visit& visit) const {
    const auto row = static_cast<std::size_t>(x);
    for (std::size_t a = e_.first(row); a < e_.first(row + 1); ++a)
      if (a != code / 2) visit(a, e_.heads()[a]);
  }

  /// The weight from a position to another one with which it has an arc.
  Code between(Position from, Position to) const {
    return 2 * arc_between(from, to) + static_cast<Code>(from < to);
  }

  /// Computes the distances that changes of weights affect.
  void upper_triangles(const std::vector<Change>& lowered, Poller& poller) {
    for (const Change& change : lowered) {
      if (change.kind != kByTriangles) continue;
      const bool down = change.code % 2 != 0;
      const Position x = e_.tail(change.code / 2), z = e_.heads()[change.code / 2];
      const L now = at(kByTriangles, change.code);
      enter(top_down_, kDistance, change.code, x, change.old, now);
      each_other(x, change.code, [&](std::size_t other, Position y) {
        const L rest = at(kDistance, down ? between(y, z) : between(z, y));
        enter(top_down_, kDistance, 2 * other + static_cast<Code>(down), x, sum(change.old, rest),
              sum(now, rest));
      });
    }
    while (!top_down_.empty()) {
      const auto [x, code] = take(top_down_);
      const bool down = code % 2 != 0;
      const Position y = e_.heads()[code / 2];
      L smallest = at(kByTriangles, code);
      poller.step(static_cast<std::int64_t>(e_.first(static_cast<std::size_t>(x) + 1) -
                                            e_.first(static_cast<std::size_t>(x))));
      each_other(x, code, [&](std::size_t other, Position z) {
        const L rest = at(kDistance, down ? between(y, z) : between(z, y));
        smallest =
            std::min(smallest, sum(at(kByTriangles, 2 * other + static_cast<Code>(down)), rest));
      });
      const L before = at(kDistance, code);
      if (smallest == before) continue;
      set(kDistance, code, smallest);
      each_below(x, y, poller, [&](Position below, std::size_t low, std::size_t high) {
        // From the position below via one end to the other, and in the same way to it.
        const std::size_t near = down ? high : low, far = down ? low : high;
        const L from = at(kByTriangles, 2 * near), to = at(kByTriangles, 2 * far + 1);
        enter(top_down_, kDistance, 2 * far, below, sum(from, before), sum(from, smallest));
        enter(top_down_, kDistance, 2 * near + 1, below, sum(before, to), sum(smallest, to));
      });
    }
  }

  Hierarchy<W> changed_hierarchy() {
    longer_ = W{};
    const auto up = changed_rows(hierarchy_->up(), 0);
    const auto down = unequal_ == 0 ? up : changed_rows(hierarchy_->down(), 1);
    W bound;
    // A bound in floats must be exact, which decides whether sums are.
    if (std::is_integral_v<W> && longer_ &&
        add_checked<W, W, Position>(hierarchy_->bound(), *longer_, bound) &&
        add_checked<W, W, Position>(bound, up == down ? *longer_ : W{}, bound))
      return {*hierarchy_, up, down, bound};
    return {{hierarchy_->positions().begin(), hierarchy_->positions().end()}, up, down};
  }

  bool is_needed(std::size_t arc, std::size_t direction) const {
    const L weight = numbers_[kByTriangles][direction][arc];
    return weight != kNoLabel<W> && weight == numbers_[kDistance][direction][arc];
  }

  /// The memory of arcs that the hierarchies after changes share.
  struct Memory {
    std::shared_ptr<typename Rows::Arcs> arcs;
    std::size_t used = 0;
  };

  /// The rows of one direction, those whose arcs have changed at the end of the memory. Adds to
  /// `longer_` how much longer a way along the rows can be than before.
  std::shared_ptr<const Rows> changed_rows(const Rows& old, std::size_t direction) {
    std::vector<std::size_t> tails;
    for (const Change& change : changes_)
      if (change.kind != kOfEdges && change.code % 2 == direction)
        tails.push_back(static_cast<std::size_t>(e_.tail(change.code / 2)));
    std::sort(tails.begin(), tails.end());
    tails.erase(std::unique(tails.begin(), tails.end()), tails.end());
    std::size_t most = 0;
    for (const std::size_t x : tails) most += e_.first(x + 1) - e_.first(x);
    Memory& memory = memory_[hierarchy_->symmetric() ? 0 : direction];
    if (memory.arcs == nullptr || memory.used + most > memory.arcs->size()) {
      const Rows copy(old, std::max(most, old.arcs() / 4));
      if (memory.arcs == nullptr) memory_bytes_ += copy.memory()->size() * sizeof(HierarchyArc<W>);
      memory = {copy.memory(), static_cast<std::size_t>(copy.end() - copy.memory()->data())};
    }
    auto made = std::make_shared<Rows>(old, memory.arcs);
    for (const std::size_t x : tails) {
      const std::size_t begin = memory.used;
      for (std::size_t a = e_.first(x); a < e_.first(x + 1); ++a)
        if (is_needed(a, direction))
          (*memory.arcs)[memory.used++] = {e_.heads()[a],
                                           static_cast<W>(numbers_[kByTriangles][direction][a])};
      made->move(x, begin, memory.used - begin);
      add_longer(old.row(static_cast<Position>(x)), made->row(static_cast<Position>(x)));
    }
    return made;
  }

  /// Adds how much the arcs of a position, of which a way takes one at most, have grown at most.
  void add_longer(std::span<const HierarchyArc<W>> before, std::span<const HierarchyArc<W>> now) {
    W most{};
    auto known = before.begin();
    for (const HierarchyArc<W>& arc : now) {
      while (known != before.end() && known->head < arc.head) ++known;
      const bool had = known != before.end() && known->head == arc.head;
      most = std::max(most, had ? static_cast<W>(arc.weight - known->weight) : arc.weight);
    }
    W total;
    if (longer_ && add_checked<W, W, Position>(*longer_, most, total)) {
      longer_ = total;
    } else {
      longer_.reset();
    }
  }

  const Elimination& e_;
  std::optional<Hierarchy<W>> hierarchy_;               // of the kept weights
  std::array<std::array<PageArray<L>, 2>, 3> numbers_;  // by kind and direction, of each arc
  std::size_t unequal_ = 0;                             // arcs whose edges differ by direction
  std::array<Memory, 2> memory_;  // of each direction; of both where they have the same arcs
  std::atomic<std::size_t> memory_bytes_{0};
  std::optional<W> longer_;  // none if it does not fit
  std::mutex mutex_;
  std::vector<Change> changes_;
  std::priority_queue<Waiting> bottom_up_;  // the least important first
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> top_down_;
};

}  // namespace warpath
