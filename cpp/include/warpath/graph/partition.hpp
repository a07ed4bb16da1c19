// partition.hpp - divides a graph into patches of neighbouring vertices, with few edges between.
//
// Three steps: small groups of vertices are formed within ranges of vertex numbers; the graph
// between groups is bisected recursively into regions of some patches; each region is bisected by
// vertices into patches, on one thread and within its cache. Nearly all patches are full.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "warpath/graph/bisection.hpp"
#include "warpath/graph/locality.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/graph/vertex_groups.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

struct Partition {
  PageArray<std::uint32_t> list;     // n: the vertices, grouped by patch
  std::vector<std::uint32_t> begin;  // first entry of each patch in `list`, and n

  std::size_t size() const { return begin.size() - 1; }
};

/// Divides a graph into patches of up to `capacity` vertices. O((n + m) log(capacity)). Memory in
/// addition to the result: some 20 B per vertex, 28 B if neighbours have distant numbers; and 28 B
/// for each edge between groups, which may be nearly all (`between_groups`). The result does not
/// depend on the number of threads.
template <Index V>
class Partitioning {
 public:
  using Vertex = std::uint32_t;

  Partitioning(const Adjacency<V>& graph, std::size_t capacity, int threads, Control& control)
      : graph_(graph),
        n_(static_cast<std::size_t>(graph.n())),
        capacity_(capacity),
        filled_(capacity - capacity / 32),
        of_region_(std::clamp<std::size_t>(kRegion / capacity, 2, 16)),
        threads_(threads),
        control_(control) {}

  Partition run() {
    Permutation permutation;
    Groups groups = Grouping<V>(graph_, permutation).run(threads_, control_);
    // A vertex without edges forms a group of its own in any numbering.
    const std::size_t alone = groups.size() > n_ / 8 ? without_edges() : 0;
    const auto small = [&](std::size_t share) {
      return groups.size() - alone > (n_ - alone) / share;
    };
    if (small(8)) {
      permutation = bfs_permutation();
      if (!permutation.of.empty())
        groups = Grouping<V>(graph_, permutation).run(threads_, control_);
    }
    std::vector<Vertex> order(groups.size());
    std::iota(order.begin(), order.end(), Vertex{0});
    if (small(4))
      split_in_order(groups);  // a few hops lead everywhere: no cut is small
    else
      bisect(groups, order);
    return divide(std::move(groups), order);
  }

 private:
  static constexpr std::size_t kRegion = 8192;  // vertices whose edges fit a core's cache

  /// A range of the groups' order, later of the vertices' list.
  struct Region {
    std::size_t first, last;
    Vertex name;
    std::int64_t weight;
    std::size_t patches;
  };

  /// Counts the vertices without edges to other vertices.
  std::size_t without_edges() const {
    constexpr std::int64_t kVertices = 4096;  // per part of the loop
    PageArray<bool> alone(n_, true);
    const auto link = [&](std::size_t v) {
      const atomic_ref mark(alone[v]);
      if (mark.load(std::memory_order_relaxed)) mark.store(false, std::memory_order_relaxed);
    };
    struct NoState {};
    parallel_for<NoState>(
        ceil_div(graph_.n(), kVertices), threads_, control_,
        [&](std::int64_t part, NoState&, Poller& poller) {
          const auto first = static_cast<std::size_t>(part * kVertices);
          for (std::size_t u = first; u < std::min<std::size_t>(n_, first + kVertices); ++u) {
            poller.step(graph_.indptr[u + 1] - graph_.indptr[u] + 1);
            for (std::int64_t e = graph_.indptr[u]; e < graph_.indptr[u + 1]; ++e) {
              const auto v = static_cast<std::size_t>(graph_.indices[static_cast<std::size_t>(e)]);
              if (v == u) continue;
              link(u);
              link(v);
            }
          }
        });
    return static_cast<std::size_t>(std::count(alone.data(), alone.data() + n_, true));
  }

  Permutation bfs_permutation() const {
    const std::vector<V> found = breadth_first_numbers(graph_, Poller(control_, true));
    Permutation permutation;
    if (found.empty()) return permutation;
    permutation.of.resize(n_);
    permutation.vertex.resize(n_);
    for (std::size_t v = 0; v < n_; ++v) {
      permutation.of[v] = static_cast<Vertex>(found[v]);
      permutation.vertex[permutation.of[v]] = static_cast<Vertex>(v);
    }
    return permutation;
  }

  std::size_t patches_of(std::size_t vertices) const { return (vertices + filled_ - 1) / filled_; }

  /// Forms regions of consecutive groups, without cutting.
  void split_in_order(const Groups& groups) {
    const std::size_t room = of_region_ * filled_;
    for (std::size_t g = 0, first = 0; g < groups.size(); ++g) {
      const std::size_t weight = groups.begin[g + 1] - groups.begin[first];
      if (weight < room && g + 1 < groups.size()) continue;
      regions_.push_back({first, g + 1, 0, static_cast<std::int64_t>(weight), 0});
      first = g + 1;
    }
  }

  /// Bisects the graph between groups; `order` then has the groups of each region together.
  void bisect(const Groups& groups, std::vector<Vertex>& order) {
    if (order.empty()) return;
    const WeightedGraph between = between_groups(graph_, groups, threads_, control_);
    Bisection bisection;
    bisection.assign(between);
    Vertex name = 0;
    {
      Poller poller(control_, true);
      Bisection::Space space;
      name = bisection.order_from_periphery(order, 0, space, poller);
    }
    waiting_.push_back({0, order.size(), name, graph_.n(), patches_of(n_)});
    open_ = 1;
    run_team(threads_, control_, [&](int rank) {
      Poller poller(control_, rank == 0);
      Bisection::Space space;
      for (Region region; next(region, poller);) descend(region, order, bisection, space, poller);
    });
    std::sort(regions_.begin(), regions_.end(),
              [](const Region& a, const Region& b) { return a.first < b.first; });
  }

  /// Takes a region that waits for its bisection; false when all are done.
  bool next(Region& region, Poller& poller) {
    for (;;) {
      {
        const std::scoped_lock lock(guard_);
        if (open_ == 0) return false;
        if (!waiting_.empty()) {
          region = waiting_.back();
          waiting_.pop_back();
          return true;
        }
      }
      poller.check();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  /// Bisects a region, continues with one half and leaves the other to any free thread.
  void descend(Region region, std::vector<Vertex>& order, Bisection& bisection,
               Bisection::Space& space, Poller& poller) {
    constexpr std::int64_t kGroup = 2 * Grouping<V>::kMaxGroup;
    while (region.patches > of_region_ && region.last - region.first > 1) {
      const std::size_t first = region.patches / 2;
      const auto wanted = region.weight * static_cast<std::int64_t>(first) /
                          static_cast<std::int64_t>(region.patches);
      const std::int64_t slack = region.weight / 200;
      const Balance balance{wanted, {wanted + slack, region.weight - wanted + slack}, kGroup};
      const std::span part(order.data() + region.first, region.last - region.first);
      const Bisection::Halves halves = bisection.cut(part, region.name, balance, space, poller);
      const std::size_t middle = region.first + halves.size;
      if (halves.size == 0 || middle == region.last) break;
      const Region other{middle, region.last, halves.name[1], region.weight - halves.weight,
                         region.patches - first};
      region = {region.first, middle, halves.name[0], halves.weight, first};
      const std::scoped_lock lock(guard_);
      waiting_.push_back(other);
      ++open_;
    }
    const std::scoped_lock lock(guard_);
    regions_.push_back(region);
    --open_;
  }

  /// Divides the regions into patches.
  Partition divide(Groups groups, const std::vector<Vertex>& order) {
    Partition made{PageArray<Vertex>(n_), {}};
    std::size_t vertices = 0;
    std::vector<std::pair<std::size_t, std::size_t>> groups_of;
    for (Region& region : regions_) {
      groups_of.emplace_back(region.first, region.last);
      region.first = vertices;
      vertices += static_cast<std::size_t>(region.weight);
      region.last = vertices;
    }
    const auto count = static_cast<std::int64_t>(regions_.size());
    PageArray<Vertex>& place = groups.of;
    parallel_for<Local>(count, threads_, control_, [&](std::int64_t i, Local&, Poller& poller) {
      const Region& region = regions_[static_cast<std::size_t>(i)];
      const auto [low, high] = groups_of[static_cast<std::size_t>(i)];
      poller.step(region.weight);
      std::size_t next = region.first;
      for (std::size_t k = low; k < high; ++k)
        for (std::size_t j = groups.begin[order[k]]; j < groups.begin[order[k] + 1]; ++j) {
          place[groups.members[j]] = static_cast<Vertex>(next);
          made.list[next++] = groups.members[j];
        }
    });
    std::vector<std::vector<Vertex>> begins(regions_.size());
    parallel_for<Local>(count, threads_, control_, [&](std::int64_t i, Local& own, Poller& poller) {
      const Region& region = regions_[static_cast<std::size_t>(i)];
      begins[static_cast<std::size_t>(i)] = divide(region, place, made.list, own, poller);
      control_.advance(region.weight);
    });
    for (const std::vector<Vertex>& each : begins)
      made.begin.insert(made.begin.end(), each.begin(), each.end());
    made.begin.push_back(static_cast<Vertex>(n_));
    return made;
  }

  /// One thread's working memory for one region.
  struct Local {
    WeightedGraph graph;
    Bisection bisection;
    Bisection::Space space;
    std::vector<std::pair<Vertex, Vertex>> edges;
    std::vector<Vertex> list, vertices;
    std::vector<Region> waiting;
  };

  /// Divides a region and returns where its patches begin in the list.
  std::vector<Vertex> divide(const Region& region, const PageArray<Vertex>& place,
                             PageArray<Vertex>& list, Local& own, Poller& poller) const {
    const std::size_t size = region.last - region.first;
    const std::span<Vertex> vertices(list.data() + region.first, size);
    copy_region(vertices, region.first, place, own, poller);
    own.list.resize(size);
    std::iota(own.list.begin(), own.list.end(), Vertex{0});
    own.bisection.assign(own.graph);
    const Vertex name = own.bisection.order_from_periphery(own.list, 0, own.space, poller);
    std::vector<Vertex> begins;
    own.waiting = {{0, size, name, static_cast<std::int64_t>(size), region.patches}};
    if (size > std::max<std::size_t>(region.patches, 1) * (capacity_ - capacity_ / 128))
      own.waiting[0].patches = patches_of(size);  // too full for moves between halves
    while (!own.waiting.empty()) {
      Region part = own.waiting.back();
      own.waiting.pop_back();
      const auto weight = static_cast<std::size_t>(part.weight);
      if (weight <= capacity_) {
        begins.push_back(static_cast<Vertex>(region.first + part.first));
        continue;
      }
      if (weight <= (part.patches - 1) * filled_) part.patches = patches_of(weight);
      const std::size_t first = part.patches / 2;
      const std::span range(own.list.data() + part.first, weight);
      const Bisection::Halves halves =
          own.bisection.cut(range, part.name, balance_of(part, first), own.space, poller);
      const std::size_t middle = part.first + halves.size;
      own.waiting.push_back(
          {middle, part.last, halves.name[1], part.weight - halves.weight, part.patches - first});
      own.waiting.push_back({part.first, middle, halves.name[0], halves.weight, first});
    }
    own.vertices.assign(vertices.begin(), vertices.end());
    for (std::size_t i = 0; i < size; ++i) vertices[i] = own.vertices[own.list[i]];
    return begins;
  }

  /// A half that becomes one patch may be full; other halves reserve half of their room for later
  /// cuts.
  Balance balance_of(const Region& part, std::size_t first) const {
    const std::array<std::size_t, 2> patches{first, part.patches - first};
    Balance balance{
        part.weight * static_cast<std::int64_t>(first) / static_cast<std::int64_t>(part.patches),
        {},
        1};
    for (std::size_t half = 0; half < 2; ++half) {
      const std::int64_t wanted = half == 0 ? balance.wanted : part.weight - balance.wanted;
      const auto room = static_cast<std::int64_t>(patches[half] * capacity_);
      balance.max[half] = patches[half] == 1 ? room : wanted + (room - wanted) / 2;
    }
    return balance;
  }

  /// Copies the graph of a region, each edge in both directions, with numbers within the region.
  void copy_region(std::span<const Vertex> vertices, std::size_t first,
                   const PageArray<Vertex>& place, Local& own, Poller& poller) const {
    WeightedGraph& made = own.graph;
    own.edges.clear();
    made.weight.assign(vertices.size(), 1);
    made.begin.assign(vertices.size() + 1, 0);
    made.end.assign(vertices.size(), 0);
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const auto u = static_cast<std::size_t>(vertices[i]);
      poller.step(graph_.indptr[u + 1] - graph_.indptr[u] + 1);
      for (std::int64_t e = graph_.indptr[u]; e < graph_.indptr[u + 1]; ++e) {
        const auto v = static_cast<std::size_t>(graph_.indices[static_cast<std::size_t>(e)]);
        const std::size_t there = place[v] - first;
        if (there >= vertices.size() || there == i) continue;
        own.edges.emplace_back(static_cast<Vertex>(i), static_cast<Vertex>(there));
        ++made.end[i];
        ++made.end[there];
      }
    }
    std::size_t links = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      made.begin[i] = links;
      links += std::exchange(made.end[i], links);
    }
    made.links.resize(links);
    for (const auto& [from, to] : own.edges) {
      made.links[made.end[from]++] = {to, 1};
      made.links[made.end[to]++] = {from, 1};
    }
    for (std::size_t i = 0; i < vertices.size(); ++i)
      made.end[i] = made.begin[i] + merge_links({made.links.data() + made.begin[i],
                                                 made.links.data() + made.end[i]});
  }

  const Adjacency<V> graph_;
  const std::size_t n_;
  const std::size_t capacity_;
  const std::size_t filled_;     // average number of vertices per patch
  const std::size_t of_region_;  // at most so many patches per region
  const int threads_;
  Control& control_;
  std::mutex guard_;
  std::vector<Region> waiting_, regions_;
  std::int64_t open_ = 0;  // regions that wait or are being bisected
};

}  // namespace warpath
