// nearest_sweep.hpp - the nearest of several sources for every vertex, by one sweep down a
// hierarchy.
//
// PHAST with the sources side by side in one label: the distance from the nearest source, and that
// source. A search upward from all sources at once labels the positions above them, and the sweep
// takes the smallest label over the arcs into each position. Of equally near sources the label has
// the smallest, as each label is a minimum over (distance, source).
//
// Work    one pass over the arcs, and the arcs above the sources: O(n + k) for k arcs.
// Memory  a label and a number for each vertex.
// Needs   sums that are exact: integers, or floats of which no sum is rounded.
// Source  Delling, Goldberg, Nowatzyk, Werneck, "PHAST: hardware-accelerated shortest path trees",
//         2011.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/upward_search.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// Fills dist[v] with the distance from the nearest source, and nearest[v] with the smallest of the
/// nearest ones: -1 where no source reaches v.
template <Weight W, Index V>
HierarchyCounts nearest_sweep(const Hierarchy<W>& hierarchy, std::span<const std::int64_t> sources,
                              std::span<DistanceOf<W>> dist, std::span<V> nearest, Poller poller) {
  using L = HierarchyLabel<W>;
  struct Entry {
    L label = kNoLabel<W>;
    Position source = std::numeric_limits<Position>::max();

    /// Without a branch: which of two labels is smaller is hard to predict.
    void lower(const Entry& from, L weight) {
      const L sum = static_cast<L>(from.label + weight);
      const bool smaller = (sum < label) | ((sum == label) & (from.source < source));
      label = smaller ? sum : label;
      source = smaller ? from.source : source;
    }
  };

  const auto n = static_cast<std::size_t>(hierarchy.n());
  PageArray<Entry> entries(n, Entry{});
  PositionQueue queue(n);
  HierarchyCounts counts;
  queue.start(hierarchy.n());
  for (const std::int64_t source : sources) {
    const Position x = hierarchy.position(source);
    entries[static_cast<std::size_t>(x)].lower({L{}, static_cast<Position>(source)}, L{});
    queue.push(x);
  }
  for (Position x; queue.pop(x);) {
    const Entry from = entries[static_cast<std::size_t>(x)];
    const auto row = hierarchy.up().row(x);
    poller.step(static_cast<std::int64_t>(row.size()) + 1);
    ++counts.settled;
    counts.relaxed_up += static_cast<std::int64_t>(row.size());
    for (const HierarchyArc<W>& arc : row) {
      entries[static_cast<std::size_t>(arc.head)].lower(from, static_cast<L>(arc.weight));
      queue.push(arc.head);
    }
  }
  for (std::size_t x = 0; x < n; ++x) {
    Entry smallest = entries[x];
    const auto row = hierarchy.down().row(static_cast<Position>(x));
    poller.step(static_cast<std::int64_t>(row.size()) + 1);
    for (const HierarchyArc<W>& arc : row)
      smallest.lower(entries[static_cast<std::size_t>(arc.head)], static_cast<L>(arc.weight));
    entries[x] = smallest;
  }
  counts.labelled = static_cast<std::int64_t>(n);
  counts.relaxed_down = static_cast<std::int64_t>(hierarchy.down().arcs());
  for (std::size_t v = 0; v < n; ++v) {
    const Entry& found = entries[static_cast<std::size_t>(hierarchy.positions()[v])];
    dist[v] = distance_of<DistanceOf<W>, W>(found.label);
    nearest[v] = found.label == kNoLabel<W> ? V{-1} : static_cast<V>(found.source);
  }
  return counts;
}

}  // namespace warpath
