// levels.hpp - a hierarchy arranged for sweeps on GPUs: the top, levels, and upward labels.
//
// Arcs lead to a place from the top or from earlier levels, so all places of a level can be
// labelled in parallel. Near the top there are many levels of few places each. The most important
// positions are therefore handled by a matrix of the distances between them instead of levels.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/queries.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// The arcs between each place below the top and more important places.
template <Weight W>
struct PlaceArcs {
  std::vector<std::int64_t> first;  // places + 1: the first arc of each place; none for no arcs
  std::vector<Position> heads;      // the more important places
  std::vector<W> weights;
};

/// Positions of a hierarchy numbered by place, the top first and then level by level, with the arcs
/// of the places of the levels.
template <Weight W>
struct LevelRows {
  std::vector<std::int64_t> level_first;  // levels + 1: the first place of each level
  std::vector<Position> position;         // at each place
  std::vector<Position> columns;          // the places of the targets, or of all vertices
  PlaceArcs<W> down;
  PlaceArcs<W> up;  // none where they are those down, or some positions have no place
};

/// The number of arcs on the longest downward path from each position.
template <Weight W>
std::vector<std::int32_t> heights(const Hierarchy<W>& hierarchy) {
  std::vector<std::int32_t> height(static_cast<std::size_t>(hierarchy.n()), 0);
  for (Position x = hierarchy.n() - 1; x >= 0; --x)
    for (const HierarchyArc<W>& arc : hierarchy.down().row(x)) {
      std::int32_t& above = height[static_cast<std::size_t>(arc.head)];
      above = std::max(above, height[static_cast<std::size_t>(x)] + 1);
    }
  return height;
}

/// The number of positions of the top: the multiple of `step` that minimizes the cost of the matrix
/// plus that of the remaining levels, each of which costs as much as `per_level` matrix entries.
template <Weight W>
Position best_top(const Hierarchy<W>& hierarchy, Position step, Position most,
                  std::int64_t per_level) {
  const std::vector<std::int32_t> height = heights(hierarchy);
  std::vector<std::int64_t> levels(height.size() + 1, 0);  // of the positions from each one on
  for (std::size_t x = height.size(); x-- > 0;)
    levels[x] = std::max<std::int64_t>(levels[x + 1], height[x] + 1);
  Position best = 0;
  const auto cost = [&](std::int64_t top) {
    return levels[static_cast<std::size_t>(top)] * per_level + top * top;
  };
  for (std::int64_t top = step; top <= std::min<std::int64_t>(most, std::ssize(height));
       top += step)
    if (cost(top) < cost(best)) best = static_cast<Position>(top);
  return best;
}

/// The vertices of the top, by position. Work: O(n + arcs).
template <Weight W>
std::vector<std::int64_t> top_vertices(const Hierarchy<W>& hierarchy, Position step, Position most,
                                       std::int64_t per_level) {
  const Position top = best_top(hierarchy, step, most, per_level);
  std::vector<std::int64_t> vertices(static_cast<std::size_t>(top));
  for (std::int64_t v = 0; v < hierarchy.n(); ++v)
    if (const Position x = hierarchy.position(v); x < top)
      vertices[static_cast<std::size_t>(x)] = v;
  return vertices;
}

/// The top and the positions from which a target can be reached downward, ascending. `found` is
/// true for these at the end, and false for all positions before.
template <Weight W>
std::vector<Position> above(const Hierarchy<W>& hierarchy, Position top,
                            std::span<const std::int64_t> targets, std::vector<bool>& found) {
  std::vector<Position> positions;
  const auto add = [&](Position x) {
    if (found[static_cast<std::size_t>(x)]) return;
    found[static_cast<std::size_t>(x)] = true;
    positions.push_back(x);
  };
  for (Position x = 0; x < top; ++x) add(x);
  for (const std::int64_t target : targets) add(hierarchy.position(target));
  for (std::size_t i = static_cast<std::size_t>(top); i < positions.size(); ++i)
    for (const HierarchyArc<W>& arc : hierarchy.down().row(positions[i])) add(arc.head);
  std::sort(positions.begin(), positions.end());
  return positions;
}

/// The arcs of positions that are given by place, of which the first `top` ones have none.
template <Weight W>
PlaceArcs<W> arcs_of(const HierarchyRows<W>& rows, std::span<const Position> place,
                     std::span<const Position> position, Position top) {
  PlaceArcs<W> arcs;
  arcs.first.reserve(position.size() + 1);
  arcs.first.push_back(0);
  for (std::size_t at = 0; at < position.size(); ++at) {
    if (position[at] >= top) {
      for (const HierarchyArc<W>& arc : rows.row(position[at])) {
        arcs.heads.push_back(place[static_cast<std::size_t>(arc.head)]);
        arcs.weights.push_back(arc.weight);
      }
    }
    arcs.first.push_back(static_cast<std::int64_t>(arcs.heads.size()));
  }
  return arcs;
}

/// Arranges the `top` most important positions and, below them, the levels: of all positions, or of
/// those from which one of some targets can be reached downward (RPHAST).
/// Work: O(n + arcs); with targets O(n / 64 + a log a) for `a` positions and arcs above them.
template <Weight W>
LevelRows<W> level_rows(const Hierarchy<W>& hierarchy, Position top,
                        std::optional<std::span<const std::int64_t>> targets) {
  const auto n = static_cast<std::size_t>(hierarchy.n());
  const HierarchyRows<W>& down = hierarchy.down();
  std::vector<Position> chosen;
  if (targets) {
    std::vector<bool> found(n, false);
    chosen = above(hierarchy, top, *targets, found);
  } else {
    chosen.resize(n);
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  LevelRows<W> rows;
  std::vector<Position> place(n);  // of chosen positions
  for (std::size_t i = 0; i < chosen.size(); ++i)
    place[static_cast<std::size_t>(chosen[i])] =
        static_cast<Position>(i);  // until levels are known
  std::vector<std::int32_t> height(chosen.size(), 0);
  std::int32_t levels = 0;
  for (std::size_t i = chosen.size(); i-- > static_cast<std::size_t>(top);) {
    levels = std::max(levels, height[i] + 1);
    for (const HierarchyArc<W>& arc : down.row(chosen[i])) {
      std::int32_t& other =
          height[static_cast<std::size_t>(place[static_cast<std::size_t>(arc.head)])];
      other = std::max(other, height[i] + 1);
    }
  }
  // The level of a position counts from the highest one down.
  const auto level = [&](std::size_t i) {
    return static_cast<std::size_t>(levels - 1 - height[i]);
  };
  rows.level_first.assign(static_cast<std::size_t>(levels) + 1, 0);
  for (std::size_t i = static_cast<std::size_t>(top); i < chosen.size(); ++i)
    ++rows.level_first[level(i) + 1];
  rows.level_first[0] = top;
  for (std::size_t i = 0; i < static_cast<std::size_t>(levels); ++i)
    rows.level_first[i + 1] += rows.level_first[i];
  std::vector<std::int64_t> next(rows.level_first.begin(), rows.level_first.end() - 1);
  rows.position.resize(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Position x = chosen[i];
    const std::int64_t at = x < top ? x : next[level(i)]++;
    place[static_cast<std::size_t>(x)] = static_cast<Position>(at);
    rows.position[static_cast<std::size_t>(at)] = x;
  }
  const auto column = [&](std::int64_t v) {
    return place[static_cast<std::size_t>(hierarchy.position(v))];
  };
  rows.columns.resize(targets ? targets->size() : n);
  for (std::size_t i = 0; i < rows.columns.size(); ++i)
    rows.columns[i] = column(targets ? (*targets)[i] : static_cast<std::int64_t>(i));
  rows.down = arcs_of<W>(down, place, rows.position, top);
  if (!targets && !hierarchy.symmetric())
    rows.up = arcs_of<W>(hierarchy.up(), place, rows.position, top);
  return rows;
}

/// The labels of upward searches from some sources, source by source.
template <Weight W>
struct UpwardLists {
  std::vector<std::int64_t> first;  // sources + 1
  std::vector<Position> places;
  std::vector<std::uint16_t> lanes;  // the number of the source among `width`
  std::vector<W> labels;
};

/// Searches upward from each source, on several threads. The `top` most important positions are
/// labelled but not searched. A label is left out if a path down from a more important position is
/// shorter, because the sweep finds that path; and so are those of positions without a place.
template <Weight W>
UpwardLists<W> upward_lists(HierarchyQueries<W>& queries, std::span<const Position> place_of,
                            Position top, std::span<const std::int64_t> sources, std::size_t width,
                            int threads, Control& control) {
  constexpr std::size_t kChunk = 16;  // sources per part: some hundreds of microseconds
  const Hierarchy<W>& hierarchy = queries.hierarchy();
  const std::size_t chunks = (sources.size() + kChunk - 1) / kChunk;
  const int team =
      static_cast<int>(std::clamp<std::size_t>(chunks, 1, static_cast<std::size_t>(threads)));
  std::vector<UpwardLists<W>> found(chunks);
  std::atomic<std::size_t> taken{0};
  std::atomic<int> finished{0};
  run_team(team, control, [&](int rank) {
    Poller poller(control, rank == 0);
    queries.space().upward.with([&](UpwardLabels<W>& upward) {
      for (std::size_t chunk; (chunk = taken.fetch_add(1, std::memory_order_relaxed)) < chunks;) {
        UpwardLists<W>& into = found[chunk];
        const std::size_t end = std::min((chunk + 1) * kChunk, sources.size());
        for (std::size_t i = chunk * kChunk; i < end; ++i) {
          upward.search(hierarchy.up(), hierarchy.down(), hierarchy.position(sources[i]),
                        [&](Position x, HierarchyLabel<W>) { return x >= top; });
          for (const Position x : upward.reached()) {
            const Position place = place_of[static_cast<std::size_t>(x)];
            if (place < 0 || upward.stalled(hierarchy.down().row(x), upward[x])) continue;
            into.places.push_back(place);
            into.lanes.push_back(static_cast<std::uint16_t>(i % width));
            into.labels.push_back(static_cast<W>(upward[x]));
          }
          into.first.push_back(static_cast<std::int64_t>(into.places.size()));
          poller.step(static_cast<std::int64_t>(upward.reached().size()));
        }
      }
    });
    await_team(rank, team, finished, control);
  });
  UpwardLists<W> all;
  all.first.push_back(0);
  for (const UpwardLists<W>& one : found) {
    const std::int64_t before = all.first.back();
    for (const std::int64_t end : one.first) all.first.push_back(before + end);
    all.places.insert(all.places.end(), one.places.begin(), one.places.end());
    all.lanes.insert(all.lanes.end(), one.lanes.begin(), one.lanes.end());
    all.labels.insert(all.labels.end(), one.labels.begin(), one.labels.end());
  }
  return all;
}

}  // namespace warpath
