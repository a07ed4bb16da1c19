// longer_arcs.hpp - removes arcs that are longer than the shortest path between their ends.
//
// Contraction adds a shortcut unless a limited search finds a path that is as short. Where the rest
// of the graph gets dense, searches miss more and more of them, and such shortcuts pile up: among
// the last 1,600 vertices of a road network of 2,000,000 each vertex had 429 arcs. Rounds that
// begin by removing them leave 32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "warpath/hierarchy/core_graph.hpp"
#include "warpath/hierarchy/witness_search.hpp"

namespace warpath {

/// The arcs that a team removes from the rest: all ranks `find` them, and then all `cut`.
///
/// All are found in the same graph, and may be removed at once. The arcs of a path that is strictly
/// shorter than an arc are lighter than it; those of them that are removed, too, are replaced by
/// still lighter ones, until no arc of the path is removed. Rounding does not change that: a sum of
/// floats is no less than any of its terms, and does not grow if a term falls. So a path remains
/// that is, summed up in some order, no longer than the arc.
template <Weight W>
class LongerArcs {
 public:
  using Id = std::int32_t;

  explicit LongerArcs(int threads) : found_(static_cast<std::size_t>(threads)) {}

  void clear(int rank) { found_[static_cast<std::size_t>(rank)].clear(); }

  void find(int rank, Id u, WitnessSearch<W>& search, std::int64_t limit) {
    auto& found = found_[static_cast<std::size_t>(rank)];
    search.longer_arcs(u, limit, [&](Id w) { found.emplace_back(u, w); });
  }

  /// Changes the lists of the vertices that belong to a rank, and counts their changes.
  void cut(int rank, CoreGraph<W>& core, std::vector<std::int32_t>& changes) const {
    const auto mine = [&](Id v) { return v % static_cast<Id>(found_.size()) == rank; };
    for (const auto& found : found_) {
      for (const auto& [u, w] : found) {
        if (mine(u)) CoreGraph<W>::erase(core.out(u), w), ++changes[static_cast<std::size_t>(u)];
        if (mine(w)) CoreGraph<W>::erase(core.in(w), u), ++changes[static_cast<std::size_t>(w)];
      }
    }
  }

 private:
  std::vector<std::vector<std::pair<Id, Id>>> found_;  // by rank
};

}  // namespace warpath
