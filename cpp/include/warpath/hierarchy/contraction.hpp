// contraction.hpp - builds a contraction hierarchy in rounds, on threads.
//
// A round evaluates the vertices whose neighbourhood has changed, chooses those that are less
// important than every vertex within two arcs, and contracts them: their arcs become part of the
// hierarchy, and shortcuts take the place of the shortest paths through them. Chosen vertices are
// no neighbours, so threads contract them side by side. Every step has a result that does not
// depend on the order in which threads take vertices, so any number of threads builds the same
// hierarchy.
//
// The importance of a vertex is its level, the number of vertices that were contracted below it one
// after another, plus four times the arcs that its contraction would add per arc that it removes,
// plus four times the same quotient of hops. Measured on New York's roads (264,346 vertices) with
// the factors 1 and 1: 798,000 arcs in place of 749,000, and 27 % more work. Choosing among direct
// neighbours alone takes a fifth less time and gives 7 % more arcs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/core_graph.hpp"
#include "warpath/hierarchy/dense_core.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/longer_arcs.hpp"
#include "warpath/hierarchy/witness_search.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The limits of one contraction.
struct ContractionLimits {
  // A rest of at most `growing_vertices`, or this share of all vertices, is the tail, where
  // vertices are evaluated by longer searches. On a road network of 2,000,000 vertices that halves
  // the arcs that a pair's search takes, in no more time, as fewer arcs are left.
  std::int64_t tail_share = 64;
  std::int64_t arcs_to_rank = 250;         // of a search that evaluates a vertex before the tail
  std::int64_t arcs_to_contract = 2000;    // of one that decides a shortcut, or evaluates later
  std::int64_t arcs_to_compare = 100'000;  // of one that finds arcs that are too long
  // Pairs of neighbours: a vertex of more is not evaluated by searches. With twice as many,
  // Gnutella04 takes 7.8 s in place of 4.9, for 7 % fewer arcs.
  std::int64_t pairs_to_search = 1 << 12;
  // A vertex is evaluated again when one of so many neighbours has changed. With 16, a road network
  // of 2,000,000 vertices takes a third longer and has 0.1 % fewer arcs.
  std::int64_t changed_share = 8;
  // A list of more arcs belongs to a hub. Its neighbours may be contracted in one round, although
  // they are two arcs apart, and its list is put in order once a round.
  std::int64_t wide_degree = 128;
  // A rest of no more vertices, or of no larger share of all, may be as dense as it is. The rest of
  // a road network of 2,000,000 vertices has at most 50 arcs per vertex.
  std::int64_t core_vertices = 1024;
  std::int64_t core_share = 400;
  std::int64_t core_degree = 128;  // arcs per vertex of a larger rest
  // A rest of no more vertices may grow, until `core_degree` ends it: most of the last 3,000
  // vertices of Gnutella04 would add twice the arcs that they remove, and yet it is built in 4 s.
  std::int64_t growing_vertices = 4096;
  // Arcs that are too long are removed in the tail once there are this many arcs per vertex, and
  // whenever there are 10 % more. That takes 0.3 s of the 26 of a road network of 2,000,000
  // vertices.
  std::int64_t sparse_degree = 32;
  std::int64_t denser = 110;  // in percent
};

/// Weights must be >= 0. Work: on road networks about 300 arcs scanned for each vertex and edge.
/// Memory: 24 bytes for each vertex and thread, and about 40 for each vertex and edge.
template <Index V, Weight W>
class Contraction {
 public:
  Contraction(const CsrView<V, W>& graph, const ContractionLimits& limits, int threads,
              Control& control)
      : limits_(limits),
        threads_(threads),
        control_(control),
        barrier_(threads, control),
        core_(CoreGraph<W>::of(graph)),
        rest_(core_.n()),
        quotient_(core_.n(), 0),
        level_(core_.n(), 0),
        changes_(core_.n(), kNew),
        grows_(core_.n(), 0),
        last_detached_(core_.n(), -1),
        found_(static_cast<std::size_t>(threads)),
        longer_(threads) {
    std::iota(rest_.begin(), rest_.end(), 0);
    measure_density();
  }

  /// Raises DenseCore, or std::overflow_error if a shortcut or a label may not fit W.
  Hierarchy<W> run() {
    control_.expect(static_cast<std::int64_t>(core_.n()));
    run_team(threads_, control_, [&](int rank) { contract_rounds(rank); });
    return assembled();
  }

 private:
  using Id = std::int32_t;
  using List = typename CoreGraph<W>::List;

  static constexpr std::size_t kChunk = 64;
  static constexpr std::int32_t kNew = 1 << 30;  // changes of a vertex without a quotient

  void contract_rounds(int rank) {
    WitnessSearch<W> search(core_, Poller(control_, rank == 0));
    while (!rest_.empty()) {
      if (too_dense_) remove_longer_arcs(rank, search);
      share(next_[0], rest_.size(), [&](std::size_t i) { evaluate(rest_[i], search); });
      barrier_.wait(rank);
      share(next_[1], rest_.size(),
            [&](std::size_t i) { chosen_flag_[i] = is_least_important(rest_[i]); });
      barrier_.wait(rank);
      if (rank == 0) choose();
      barrier_.wait(rank);
      auto& found = found_[static_cast<std::size_t>(rank)];
      share(next_[2], chosen_.size(), [&](std::size_t i) {
        search.shortcuts(chosen_[i], limits_.arcs_to_contract, true,
                         [&](const Shortcut<W>& shortcut) { found.push_back(shortcut); });
      });
      barrier_.wait(rank);
      apply(rank);
      barrier_.wait(rank);
      if (rank == 0) end_round();
      barrier_.wait(rank);
    }
  }

  /// Calls body(i) for i in [0, count), on the threads of the team as they are free.
  template <class Body>
  void share(std::atomic<std::size_t>& next, std::size_t count, const Body& body) {
    for (std::size_t begin; (begin = next.fetch_add(kChunk, std::memory_order_relaxed)) < count;)
      for (std::size_t i = begin; i < std::min(begin + kChunk, count); ++i) body(i);
  }

  void remove_longer_arcs(int rank, WitnessSearch<W>& search) {
    longer_.clear(rank);
    share(next_[3], rest_.size(),
          [&](std::size_t i) { longer_.find(rank, rest_[i], search, limits_.arcs_to_compare); });
    barrier_.wait(rank);
    longer_.cut(rank, core_, changes_);
    barrier_.wait(rank);
    if (rank == 0) degree_ = arcs_left() / std::ssize(rest_);
  }

  std::int64_t arcs_left() const {
    std::int64_t arcs = 0;
    for (const Id v : rest_) arcs += static_cast<std::int64_t>(core_.out(v).size());
    return arcs;
  }

  /// Decides whether the next round begins by removing arcs.
  void measure_density() {
    const std::int64_t share = static_cast<std::int64_t>(core_.n()) / limits_.tail_share;
    tail_ = std::ssize(rest_) <= std::max(limits_.growing_vertices, share);
    const std::int64_t least = std::max(limits_.sparse_degree, limits_.denser * degree_ / 100);
    too_dense_ = tail_ && arcs_left() >= least * std::ssize(rest_);
  }

  void evaluate(Id v, WitnessSearch<W>& search) {
    const auto i = static_cast<std::size_t>(v);
    const auto into = static_cast<std::int64_t>(core_.in(v).size());
    const auto out = static_cast<std::int64_t>(core_.out(v).size());
    const std::int64_t arcs = into + out;
    const std::int64_t changeable = core_.symmetric() ? out : arcs;
    if (changes_[i] == 0 || limits_.changed_share * changes_[i] < changeable) return;
    changes_[i] = 0;
    // A vertex of many pairs counts as if it needed every shortcut; it is important anyway.
    const ShortcutCount added =
        into * out > limits_.pairs_to_search
            ? ShortcutCount{into * out, into * out}
            : search.count(v, tail_ ? limits_.arcs_to_contract : limits_.arcs_to_rank);
    std::int64_t hops = 0;
    for (const List* list : {&core_.out(v), &core_.in(v)})
      for (const CoreArc<W>& arc : *list) hops += arc.hops;
    const auto quotient = [](std::int64_t gained, std::int64_t lost) {
      return lost == 0 ? 0 : kFactor * (gained * kUnit / lost);
    };
    grows_[i] = arcs > 0 && added.arcs >= 2 * arcs;
    quotient_[i] = quotient(added.arcs, arcs) + quotient(added.hops, hops);
  }
  static constexpr std::int64_t kUnit = 1000;  // of importance: a level
  static constexpr std::int64_t kFactor = 4;   // of both quotients; see the head of the file

  bool less(Id a, Id b) const {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    const std::int64_t left = level_[i] * kUnit + quotient_[i];
    const std::int64_t right = level_[j] * kUnit + quotient_[j];
    if (left != right) return left < right;
    // Neighbours of equal importance, as in a grid, must not be taken in the order of their
    // numbers.
    return scattered(a) < scattered(b);
  }

  /// A one-to-one mixture of a number's bits.
  static std::uint32_t scattered(Id number) {
    auto x = static_cast<std::uint32_t>(number);
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
  }

  /// Whether a vertex is less important than all within two arcs of it.
  bool is_least_important(Id v) const {
    const auto above = [&](Id other) { return other == v || less(v, other); };
    for (const List* list : {&core_.out(v), &core_.in(v)})
      for (const CoreArc<W>& arc : *list)
        if (!above(arc.head)) return false;
    for (const CoreArc<W>& arc : core_.out(v))
      if (std::ssize(core_.out(arc.head)) <= limits_.wide_degree)
        for (const CoreArc<W>& further : core_.out(arc.head))
          if (!above(further.head)) return false;
    return true;
  }

  void choose() {
    chosen_.clear();
    for (std::size_t i = 0; i < rest_.size(); ++i)
      if (chosen_flag_[i] != 0) chosen_.push_back(rest_[i]);
    for (const Id v : chosen_) core_.remove(v);
    order_.insert(order_.end(), chosen_.begin(), chosen_.end());
    for (auto& found : found_) found.clear();
  }

  /// Changes the lists of the vertices that belong to a rank.
  void apply(int rank) {
    const auto mine = [&](Id v) { return v % threads_ == rank; };
    const auto detach = [&](Id v, const List& neighbours) {
      const std::int32_t above = level_[static_cast<std::size_t>(v)] + 1;
      for (const CoreArc<W>& arc : neighbours) {
        if (!mine(arc.head)) continue;
        const auto q = static_cast<std::size_t>(arc.head);
        if (std::exchange(last_detached_[q], round_) != round_) core_.erase_gone(arc.head);
        ++changes_[q];
        level_[q] = std::max(level_[q], above);
      }
    };
    for (const Id v : chosen_) {
      detach(v, core_.out(v));
      if (!core_.symmetric()) detach(v, core_.in(v));
    }
    std::vector<List*> wide;  // lists with arcs that are not in order
    const auto put = [&](List& list, const CoreArc<W>& arc) {
      if (std::ssize(list) <= limits_.wide_degree) return CoreGraph<W>::put(list, arc);
      list.push_back(arc);
      wide.push_back(&list);
    };
    for (const auto& found : found_) {
      for (const Shortcut<W>& each : found) {
        if (mine(each.u)) put(core_.out(each.u), {each.w, each.hops, each.weight});
        if (mine(each.w)) put(core_.in(each.w), {each.u, each.hops, each.weight});
      }
    }
    std::sort(wide.begin(), wide.end());
    wide.erase(std::unique(wide.begin(), wide.end()), wide.end());
    for (List* const list : wide) CoreGraph<W>::keep_lightest(*list);
  }

  void end_round() {
    ++round_;
    for (auto& next : next_) next.store(0, std::memory_order_relaxed);
    std::erase_if(rest_, [&](Id v) { return core_.gone(v); });
    control_.advance(static_cast<std::int64_t>(chosen_.size()));
    measure_density();
    const std::int64_t share = static_cast<std::int64_t>(core_.n()) / limits_.core_share;
    if (std::ssize(rest_) <= std::max(limits_.core_vertices, share)) return;
    const std::int64_t arcs = arcs_left();
    const auto vertices = static_cast<std::int64_t>(rest_.size());
    if (arcs > limits_.core_degree * vertices) throw DenseCore{vertices, arcs};
    refuse_growth(vertices, arcs);
  }

  /// Raises DenseCore if the rest is going to be dense, long before it is.
  ///
  /// Whenever a twentieth of the vertices has gone, at least one of these is true of every graph
  /// that is known to have a hierarchy: a fortieth of the arcs has gone, too; fewer arcs are left
  /// than half of those after the first round; most vertices would not add twice the arcs that they
  /// remove; no more than `growing_vertices` are left. Only counts decide, so that every machine
  /// refuses the same graphs.
  void refuse_growth(std::int64_t vertices, std::int64_t arcs) {
    const bool first = seen_vertices_ == 0;
    if (first) first_arcs_ = arcs;
    if (!first && 20 * vertices > 19 * seen_vertices_) return;
    const bool kept = 40 * arcs >= 39 * seen_arcs_ && 2 * arcs >= first_arcs_;
    seen_vertices_ = vertices;
    seen_arcs_ = arcs;
    if (first || !kept || vertices <= limits_.growing_vertices) return;
    const std::int64_t growing = std::count_if(
        rest_.begin(), rest_.end(), [&](Id v) { return grows_[static_cast<std::size_t>(v)] != 0; });
    if (2 * growing > vertices) throw DenseCore{vertices, arcs, growing};
  }

  /// The vertices by position: the most important ones, then the others so that those that a search
  /// visits one after another lie close together, each after all to which it has an arc.
  std::vector<Id> numbered() const {
    const std::size_t n = core_.n();
    std::vector<Id> vertices(order_.rbegin(),
                             order_.rbegin() + static_cast<std::ptrdiff_t>(std::min(n, kTop)));
    vertices.reserve(n);
    std::vector<char> done(n, 0);
    for (const Id v : vertices) done[static_cast<std::size_t>(v)] = 1;
    struct Step {
      Id vertex;
      std::size_t next;  // of the vertex's arcs, those out and then those in
    };
    std::vector<Step> path;
    for (std::size_t start = 0; start < n; ++start) {
      if (done[start] == 0) path.push_back({static_cast<Id>(start), 0});
      while (!path.empty()) {
        Step& top = path.back();
        const List& out = core_.out(top.vertex);
        const List& in = core_.in(top.vertex);
        if (top.next < out.size() + (core_.symmetric() ? 0 : in.size())) {
          const std::size_t i = top.next++;
          const Id head = i < out.size() ? out[i].head : in[i - out.size()].head;
          if (done[static_cast<std::size_t>(head)] == 0) path.push_back({head, 0});
          continue;
        }
        char& finished = done[static_cast<std::size_t>(top.vertex)];
        if (finished == 0) vertices.push_back(top.vertex);
        finished = 1;
        path.pop_back();
      }
    }
    return vertices;
  }
  static constexpr std::size_t kTop = 4096;  // whose rows the near caches hold

  /// The hierarchy of the lists that are left at the contracted vertices.
  Hierarchy<W> assembled() {
    const std::size_t n = core_.n();
    const std::vector<Id> vertices = numbered();
    std::vector<Position> position(n);
    for (std::size_t x = 0; x < n; ++x)
      position[static_cast<std::size_t>(vertices[x])] = static_cast<Position>(x);
    const auto rows = [&](auto list_of) {
      auto made = std::make_shared<HierarchyRows<W>>(
          n, [&](std::size_t x) { return list_of(vertices[x]).size(); });
      for (std::size_t x = 0; x < n; ++x) {
        HierarchyArc<W>* const row = made->begin(x);
        List& list = list_of(vertices[x]);
        for (std::size_t i = 0; i < list.size(); ++i)
          row[i] = {position[static_cast<std::size_t>(list[i].head)], list[i].weight};
        std::sort(row, row + list.size(),
                  [](const auto& a, const auto& b) { return a.head < b.head; });
        list = List();
      }
      return std::shared_ptr<const HierarchyRows<W>>(made);
    };
    const auto up = rows([&](Id v) -> List& { return core_.out(v); });
    const auto down = core_.symmetric() ? up : rows([&](Id v) -> List& { return core_.in(v); });
    return {std::move(position), up, down};
  }

  const ContractionLimits limits_;
  const int threads_;
  Control& control_;
  TeamBarrier barrier_;
  CoreGraph<W> core_;
  std::vector<Id> rest_;                // the vertices that are left, ascending
  std::vector<std::int64_t> quotient_;  // of importance, all but the level
  std::vector<std::int32_t> level_;
  std::vector<std::int32_t> changes_;  // of a vertex's neighbours since its quotient was computed
  std::vector<char> grows_;            // whether a vertex would add twice the arcs that it removes
  std::int32_t round_ = 0;
  std::vector<std::int32_t> last_detached_;  // the last round that removed neighbours of a vertex
  std::int64_t first_arcs_ = 0;              // after the first round
  std::int64_t seen_vertices_ = 0;  // of the rest that `refuse_growth` judged last, and its arcs
  std::int64_t seen_arcs_ = 0;
  std::vector<char> chosen_flag_ = std::vector<char>(rest_.size());  // for each of rest_
  std::vector<Id> chosen_;
  std::vector<Id> order_;                        // the vertices contracted so far
  std::vector<std::vector<Shortcut<W>>> found_;  // by rank
  LongerArcs<W> longer_;
  bool tail_ = false;        // whether the rest is the tail
  bool too_dense_ = false;   // whether the next round removes arcs
  std::int64_t degree_ = 0;  // arcs per vertex when they were removed last
  std::array<std::atomic<std::size_t>, 4> next_{};
};

}  // namespace warpath
