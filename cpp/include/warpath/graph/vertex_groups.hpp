// vertex_groups.hpp - small groups of neighbouring vertices, and the weighted graph between them.
//
// Groups grow breadth-first within ranges of vertex numbers, the ranges in parallel, so the result
// does not depend on the number of threads. Groups become large if neighbours have close numbers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/open_team.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Calls each(part, own, poller) for every part, on threads that claim parts one by one. `own` is
/// the thread's State.
template <class State, class Each>
void parallel_for(std::int64_t parts, int threads, Control& control, Each&& each) {
  DynamicLoop work;
  std::atomic<int> finished{0};
  const auto team = static_cast<int>(std::clamp<std::int64_t>(parts, 1, threads));
  run_team(team, control, [&](int rank) {
    Poller poller(control, rank == 0);
    State own;
    work.run(parts, [&](std::int64_t part) { each(part, own, poller); });
    await_team(rank, team, finished, control);
  });
}

/// A renumbering of the vertices; empty for none.
struct Permutation {
  std::vector<std::uint32_t> of;      // n, or empty: number of a vertex
  std::vector<std::uint32_t> vertex;  // n, or empty: vertex with a number

  std::uint32_t number(std::size_t v) const {
    return of.empty() ? static_cast<std::uint32_t>(v) : of[v];
  }
  std::uint32_t at(std::size_t i) const {
    return vertex.empty() ? static_cast<std::uint32_t>(i) : vertex[i];
  }
};

/// A division of the vertices into groups.
struct Groups {
  PageArray<std::uint32_t> of;       // n: the group of each vertex
  PageArray<std::uint32_t> members;  // n: the vertices, grouped
  std::vector<std::uint32_t> begin;  // first entry of each group in `members`, and n

  std::size_t size() const { return begin.size() - 1; }
};

/// Divides the vertices into groups of up to 2 kMaxGroup. O(n + m), in ranges of vertices.
template <Index V>
class Grouping {
 public:
  using Vertex = std::uint32_t;
  static constexpr std::size_t kMaxGroup =
      32;  // limit of a growing group; smaller groups may join it

  Grouping(const Adjacency<V>& graph, const Permutation& permutation)
      : graph_(graph),
        permutation_(permutation),
        n_(static_cast<std::size_t>(graph.n())),
        range_(std::max(kRange, 16 * static_cast<std::size_t>(std::sqrt(n_)))) {}

  Groups run(int threads, Control& control) {
    const auto ranges = ceil_div(graph_.n(), static_cast<std::int64_t>(range_));
    std::vector<std::vector<Vertex>> begins(static_cast<std::size_t>(ranges));
    Groups made{PageArray<Vertex>(n_), PageArray<Vertex>(n_), {}};
    parallel_for<Growth>(ranges, threads, control,
                         [&](std::int64_t i, Growth& own, Poller& poller) {
                           begins[static_cast<std::size_t>(i)] =
                               grow(static_cast<std::size_t>(i), made, own, poller);
                         });
    std::vector<std::size_t> first(begins.size() + 1, 0);
    for (std::size_t i = 0; i < begins.size(); ++i) first[i + 1] = first[i] + begins[i].size();
    made.begin.resize(first.back() + 1);
    made.begin.back() = static_cast<Vertex>(n_);
    parallel_for<Growth>(ranges, threads, control, [&](std::int64_t part, Growth&, Poller& poller) {
      const auto i = static_cast<std::size_t>(part);
      std::copy(begins[i].begin(), begins[i].end(), made.begin.data() + first[i]);
      const std::size_t low = i * range_, high = std::min(n_, low + range_);
      poller.step(static_cast<std::int64_t>(high - low));
      for (std::size_t k = low; k < high; ++k)
        made.of[made.members[k]] += static_cast<Vertex>(first[i]);
    });
    return made;
  }

 private:
  static constexpr std::size_t kRange = std::size_t{1} << 15;
  static constexpr std::size_t kMinGroup =
      kMaxGroup / 4;  // a group with fewer vertices joins another one
  static constexpr std::int64_t kMaxInspected = 64;  // edges per vertex inspected to find that one
  static constexpr Vertex kNone = ~Vertex{0};

  /// One thread's working memory.
  struct Growth {
    std::vector<Vertex> group, sizes, candidates;
  };

  /// Groups the vertices of a range; returns where the members of each group begin.
  std::vector<Vertex> grow(std::size_t range, Groups& made, Growth& own, Poller& poller) const {
    const std::size_t low = range * range_, high = std::min(n_, low + range_);
    for (std::size_t i = low; i < high; ++i) made.of[permutation_.at(i)] = kNone;
    const auto inside = [&](Vertex v) { return permutation_.number(v) - low < high - low; };
    own.sizes.clear();
    for (std::size_t i = low; i < high; ++i) {
      const Vertex seed = permutation_.at(i);
      if (made.of[seed] != kNone) continue;
      const auto name = static_cast<Vertex>(own.sizes.size());
      const auto take = [&](Vertex v) {
        made.of[v] = name;
        own.group.push_back(v);
      };
      own.group.clear();
      take(seed);
      for (std::size_t k = 0; k < own.group.size() && own.group.size() < kMaxGroup; ++k) {
        const auto u = static_cast<std::size_t>(own.group[k]);
        poller.step(graph_.indptr[u + 1] - graph_.indptr[u] + 1);
        for (std::int64_t e = graph_.indptr[u];
             e < graph_.indptr[u + 1] && own.group.size() < kMaxGroup; ++e) {
          const auto v = static_cast<Vertex>(graph_.indices[static_cast<std::size_t>(e)]);
          if (inside(v) && made.of[v] == kNone) take(v);
        }
      }
      const Vertex joined =
          own.group.size() < kMinGroup ? neighbour(made, own, name, inside) : kNone;
      if (joined == kNone) {
        own.sizes.push_back(static_cast<Vertex>(own.group.size()));
        continue;
      }
      for (const Vertex v : own.group) made.of[v] = joined;
      own.sizes[joined] += static_cast<Vertex>(own.group.size());
    }
    std::vector<Vertex> begin(own.sizes.size());
    auto next = static_cast<Vertex>(low);
    for (std::size_t g = 0; g < begin.size(); ++g) {
      begin[g] = next;
      next += std::exchange(own.sizes[g], next);
    }
    for (std::size_t i = low; i < high; ++i)
      made.members[own.sizes[made.of[permutation_.at(i)]]++] = permutation_.at(i);
    return begin;
  }

  /// Returns the group with room to which most edges of a small group lead.
  template <class Inside>
  Vertex neighbour(const Groups& made, Growth& own, Vertex name, const Inside& inside) const {
    own.candidates.clear();
    for (const Vertex u : own.group) {
      const std::int64_t first = graph_.indptr[u];
      const std::int64_t last = std::min(graph_.indptr[u + 1], first + kMaxInspected);
      for (std::int64_t e = first; e < last; ++e) {
        const auto v = static_cast<Vertex>(graph_.indices[static_cast<std::size_t>(e)]);
        if (!inside(v) || made.of[v] >= name) continue;
        if (own.sizes[made.of[v]] + own.group.size() <= 2 * kMaxGroup)
          own.candidates.push_back(made.of[v]);
      }
    }
    std::sort(own.candidates.begin(), own.candidates.end());
    Vertex best = kNone;
    std::size_t best_count = 0;
    for (std::size_t i = 0, k = 0; i < own.candidates.size(); i = k) {
      while (k < own.candidates.size() && own.candidates[k] == own.candidates[i]) ++k;
      if (k - i > best_count) {
        best_count = k - i;
        best = own.candidates[i];
      }
    }
    return best;
  }

  const Adjacency<V> graph_;
  const Permutation& permutation_;
  const std::size_t n_;
  const std::size_t range_;  // vertices; wide enough for several levels of a wide search
};

/// An edge of a graph with weighted vertices: the target, and the number of edges it represents.
struct Link {
  std::uint32_t to;
  std::uint32_t strength;
};

/// A symmetric graph with weights: row v is links[begin[v]] .. links[end[v]].
struct WeightedGraph {
  std::vector<std::uint32_t> weight;
  std::vector<std::size_t> begin, end;
  std::vector<Link> links;

  std::size_t size() const { return weight.size(); }
  std::span<const Link> row(std::size_t v) const {
    return {links.data() + begin[v], links.data() + end[v]};
  }
};

/// Sorts a row and merges links with the same target; returns the number left.
inline std::size_t merge_links(std::span<Link> row) {
  std::sort(row.begin(), row.end(), [](Link a, Link b) { return a.to < b.to; });
  std::size_t left = 0;
  for (const Link link : row) {
    if (left > 0 && row[left - 1].to == link.to)
      row[left - 1].strength += link.strength;
    else
      row[left++] = link;
  }
  return left;
}

/// The graph between groups. The weight of a link is the number of edges between the two groups, in
/// both directions. O(m log(edges of a group)); every link is stored in both rows.
template <Index V>
WeightedGraph between_groups(const Adjacency<V>& graph, const Groups& groups, int threads,
                             Control& control) {
  constexpr std::int64_t kGroups = 1024;  // per part of the loop
  const std::size_t count = groups.size();
  const auto parts = ceil_div(static_cast<std::int64_t>(count), kGroups);
  struct Row {
    std::uint32_t from;
    Link link;
  };
  std::vector<std::vector<Row>> found(static_cast<std::size_t>(parts));
  WeightedGraph made;
  made.weight.resize(count);
  made.begin.resize(count + 1);
  made.end.resize(count);
  const auto each_group = [&](std::int64_t part, auto&& call) {
    const auto first = static_cast<std::size_t>(part * kGroups);
    for (std::size_t g = first; g < std::min<std::size_t>(count, first + kGroups); ++g) call(g);
  };

  // 1. The groups to which each group's edges lead, and the number of links of every row.
  using Ends = std::vector<std::uint32_t>;
  parallel_for<Ends>(parts, threads, control, [&](std::int64_t part, Ends& ends, Poller& poller) {
    std::vector<Row>& rows = found[static_cast<std::size_t>(part)];
    each_group(part, [&](std::size_t g) {
      ends.clear();
      made.weight[g] = groups.begin[g + 1] - groups.begin[g];
      for (std::size_t k = groups.begin[g]; k < groups.begin[g + 1]; ++k) {
        const auto u = static_cast<std::size_t>(groups.members[k]);
        poller.step(graph.indptr[u + 1] - graph.indptr[u] + 1);
        for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
          const auto v = static_cast<std::size_t>(graph.indices[static_cast<std::size_t>(e)]);
          if (groups.of[v] != g) ends.push_back(groups.of[v]);
        }
      }
      std::sort(ends.begin(), ends.end());
      const std::size_t before = rows.size();
      for (const std::uint32_t to : ends) {
        if (rows.size() > before && rows.back().link.to == to) {
          ++rows.back().link.strength;
          continue;
        }
        rows.push_back({static_cast<std::uint32_t>(g), {to, 1}});
        atomic_ref(made.end[g]).fetch_add(1, std::memory_order_relaxed);
        atomic_ref(made.end[to]).fetch_add(1, std::memory_order_relaxed);
      }
    });
  });

  // 2. Each link in both rows; sorting makes the result independent of the order of insertion.
  std::size_t links = 0;
  for (std::size_t g = 0; g < count; ++g) {
    made.begin[g] = links;
    links += std::exchange(made.end[g], links);
  }
  made.links.resize(links);
  const auto put = [&](std::size_t row, Link link) {
    made.links[atomic_ref(made.end[row]).fetch_add(1, std::memory_order_relaxed)] = link;
  };
  parallel_for<Ends>(parts, threads, control, [&](std::int64_t part, Ends&, Poller& poller) {
    std::vector<Row>& rows = found[static_cast<std::size_t>(part)];
    poller.step(static_cast<std::int64_t>(rows.size()));
    for (const Row& row : rows) {
      put(row.from, row.link);
      put(row.link.to, {row.from, row.link.strength});
    }
    rows = {};
  });
  parallel_for<Ends>(parts, threads, control, [&](std::int64_t part, Ends&, Poller& poller) {
    each_group(part, [&](std::size_t g) {
      poller.step(static_cast<std::int64_t>(made.end[g] - made.begin[g]));
      const std::span row(made.links.data() + made.begin[g], made.links.data() + made.end[g]);
      made.end[g] = made.begin[g] + merge_links(row);
    });
  });
  return made;
}

}  // namespace warpath
