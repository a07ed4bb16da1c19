// bisection.hpp - cuts a part of a weighted graph in two, with few edges between the halves.
//
// The part's vertices are put in breadth-first order from a peripheral vertex. The order is cut
// where the first half has the weight required, and vertices at the cut are moved between the
// halves while that lowers the weight of the cut.
// Work     O(edges of the part), and a bucket queue's operations for each move.
// Source   Fiduccia & Mattheyses, "A linear-time heuristic for improving network partitions", 1982;
//          moves begin at the border as in Karypis & Kumar, "A fast and high quality multilevel
//          scheme for partitioning irregular graphs", 1998.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph/vertex_groups.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// The weights allowed for the two halves of a part.
struct Balance {
  std::int64_t wanted;              // target weight of the first half
  std::array<std::int64_t, 2> max;  // limit of each half
  std::int64_t slack;  // excess allowed between moves: the weight of the heaviest vertex
};

/// Cuts parts of one graph in two, several at a time. A part is a range of a list of vertices, all
/// of which carry the part's unique name.
class Bisection {
 public:
  using Vertex = std::uint32_t;

  struct Halves {
    std::size_t size;     // vertices of the first
    std::int64_t weight;  // of the first
    std::array<Vertex, 2> name;
  };

  /// One thread's working memory.
  class Space {
    friend Bisection;
    std::vector<Vertex> order, levels, border, touched, moved;
    std::array<std::vector<Vertex>, 2> bucket;
    std::array<int, 2> top{};
    std::array<std::int64_t, 2> weight{};
    std::array<Vertex, 2> name{};
    Vertex pass = 0;
  };

  /// Puts all vertices into part 0. The graph must live until the next call.
  void assign(const WeightedGraph& graph) {
    graph_ = &graph;
    part_.assign(graph.size(), 0);
    entries_.assign(graph.size(), GainEntry{});
    last_name_ = 0;
  }

  /// Reorders a part so that it starts at its present last vertex and ends at a vertex far from it.
  Vertex order_from_periphery(std::span<Vertex> part, Vertex name, Space& space, Poller& poller) {
    const Vertex other = new_name();
    order(part, name, other, space, poller);
    std::copy(space.order.begin(), space.order.end(), part.begin());
    return other;
  }

  /// Reorders a part so that the first half comes first; each half is in breadth-first order.
  Halves cut(std::span<Vertex> part, Vertex name, const Balance& balance, Space& space,
             Poller& poller) {
    space.name = {new_name(), new_name()};
    order(part, name, space.name[0], space, poller);
    const std::size_t middle = divide(balance, space);
    find_border(middle, space);
    for (int pass = 0; pass < kPasses && improve(balance, space, poller); ++pass) continue;
    std::size_t size = 0;
    for (const Vertex v : space.order)
      if (part_of(v) == space.name[0]) part[size++] = v;
    std::size_t next = size;
    for (const Vertex v : space.order)
      if (part_of(v) != space.name[0]) part[next++] = v;
    return {size, space.weight[0], space.name};
  }

 private:
  static constexpr int kPasses = 8;
  static constexpr std::size_t kPatience = 96;  // moves after the best cut so far
  static constexpr int kGain = 64;              // larger gains are treated as this gain
  static constexpr Vertex kNone = ~Vertex{0};

  /// A vertex in a bucket queue, one queue per gain. It is valid in one pass.
  struct GainEntry {
    std::int32_t gain = 0;
    Vertex before = kNone, after = kNone;
    Vertex pass = 0;
    bool moved = false;
  };

  // Other threads write their own parts' names meanwhile, which differ from this part's name.
  Vertex part_of(std::size_t v) const {
    return atomic_ref(const_cast<Vertex&>(part_[v])).load(std::memory_order_relaxed);
  }
  void put(std::size_t v, Vertex name) {
    atomic_ref(part_[v]).store(name, std::memory_order_relaxed);
  }
  Vertex new_name() { return atomic_ref(last_name_).fetch_add(1, std::memory_order_relaxed) + 1; }
  std::int64_t weight_of(Vertex v) const { return graph_->weight[v]; }

  /// Puts the part into space.order, breadth-first from its last vertex, and renames it.
  void order(std::span<const Vertex> part, Vertex from, Vertex to, Space& space, Poller& poller) {
    std::vector<Vertex>& order = space.order;
    order.clear();
    order.reserve(part.size());
    space.levels.clear();
    const auto take = [&](Vertex v) {
      put(v, to);
      order.push_back(v);
    };
    std::size_t root = 0, level_end = 0;
    take(part.back());
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (i == order.size()) {
        while (part_of(part[root]) != from) ++root;
        take(part[root]);
      }
      if (i == level_end) {
        space.levels.push_back(static_cast<Vertex>(i));
        level_end = order.size();
      }
      const std::span<const Link> row = graph_->row(order[i]);
      poller.step(static_cast<std::int64_t>(row.size()) + 1);
      for (const Link link : row)
        if (part_of(link.to) == from) take(link.to);
    }
    space.levels.push_back(static_cast<Vertex>(order.size()));
  }

  /// Cuts the order where the first half has the required weight, or just less.
  std::size_t divide(const Balance& balance, Space& space) {
    std::size_t middle = 0;
    space.weight = {0, 0};
    for (const Vertex v : space.order) {
      const bool first = space.weight[1] == 0 && space.weight[0] + weight_of(v) <= balance.wanted;
      space.weight[first ? 0 : 1] += weight_of(v);
      if (first)
        ++middle;
      else
        put(v, space.name[1]);
    }
    return middle;
  }

  /// Finds the border: vertices with a neighbour in the other half lie within a level of the cut.
  static void find_border(std::size_t middle, Space& space) {
    const auto level = static_cast<std::size_t>(
        std::upper_bound(space.levels.begin(), space.levels.end(), middle) - space.levels.begin());
    const std::size_t low = level < 2 ? 0 : space.levels[level - 2];
    const std::size_t high = space.levels[std::min(level + 1, space.levels.size() - 1)];
    space.border.assign(space.order.begin() + static_cast<std::ptrdiff_t>(low),
                        space.order.begin() + static_cast<std::ptrdiff_t>(high));
  }

  /// Moves vertices between the halves, largest gain first, and returns to the best cut seen.
  /// Returns whether it is lighter than the initial one.
  bool improve(const Balance& balance, Space& space, Poller& poller) {
    space.pass = new_name();
    for (int half = 0; half < 2; ++half) {
      space.bucket[half].assign(2 * kGain + 1, kNone);
      space.top[half] = -1;
    }
    space.touched.clear();
    space.moved.clear();
    for (const Vertex v : space.border) insert_if_border(v, space);
    std::size_t best = 0;
    std::int64_t gain = 0, best_gain = 0;
    const auto imbalance = [&] { return std::abs(space.weight[0] - balance.wanted); };
    std::int64_t best_imbalance = imbalance();
    while (space.moved.size() < best + kPatience) {
      const Vertex v = pick(balance, space);
      if (v == kNone) break;
      gain += entries_[v].gain;
      move(v, space);
      poller.step(static_cast<std::int64_t>(graph_->row(v).size()) + 1);
      const bool fits = space.weight[0] <= balance.max[0] && space.weight[1] <= balance.max[1];
      if (!fits || gain < best_gain || (gain == best_gain && imbalance() >= best_imbalance))
        continue;
      best = space.moved.size();
      best_gain = gain;
      best_imbalance = imbalance();
    }
    for (std::size_t i = best; i < space.moved.size(); ++i) change_sides(space.moved[i], space);
    std::swap(space.border, space.touched);
    return best_gain > 0;
  }

  int half_of(Vertex v, const Space& space) const { return part_of(v) == space.name[0] ? 0 : 1; }

  void change_sides(Vertex v, Space& space) {
    const int half = half_of(v, space);
    space.weight[half] -= weight_of(v);
    space.weight[1 - half] += weight_of(v);
    put(v, space.name[1 - half]);
  }

  /// Puts a vertex into its half's queue if it has a neighbour in the other half.
  void insert_if_border(Vertex v, Space& space) {
    const Vertex own = part_of(v);
    const Vertex other = own == space.name[0] ? space.name[1] : space.name[0];
    std::int64_t inside = 0, outside = 0;
    for (const Link link : graph_->row(v)) {
      const Vertex there = part_of(link.to);
      if (there == own && link.to != v) inside += link.strength;
      if (there == other) outside += link.strength;
    }
    if (outside == 0) return;
    GainEntry& entry = entries_[v];
    entry.pass = space.pass;
    entry.moved = false;
    entry.gain = static_cast<std::int32_t>(outside - inside);
    space.touched.push_back(v);
    enqueue(v, space);
  }

  static int bucket_of(std::int32_t gain) { return std::clamp(gain, -kGain, kGain) + kGain; }

  void enqueue(Vertex v, Space& space) {
    const int half = half_of(v, space), bucket = bucket_of(entries_[v].gain);
    Vertex& head = space.bucket[half][bucket];
    entries_[v].before = kNone;
    entries_[v].after = head;
    if (head != kNone) entries_[head].before = v;
    head = v;
    space.top[half] = std::max(space.top[half], bucket);
  }

  void dequeue(Vertex v, Space& space) {
    const GainEntry& entry = entries_[v];
    if (entry.before == kNone)
      space.bucket[half_of(v, space)][bucket_of(entry.gain)] = entry.after;
    else
      entries_[entry.before].after = entry.after;
    if (entry.after != kNone) entries_[entry.after].before = entry.before;
  }

  /// Removes the vertex of largest gain whose move the balance allows from its queue; none if there
  /// is none.
  Vertex pick(const Balance& balance, Space& space) {
    for (;;) {
      std::array<Vertex, 2> first{kNone, kNone};
      for (int half = 0; half < 2; ++half) {
        int& top = space.top[half];
        while (top >= 0 && space.bucket[half][top] == kNone) --top;
        if (top >= 0) first[half] = space.bucket[half][top];
      }
      int half = space.top[1] > space.top[0] ? 1 : 0;
      if (space.top[0] == space.top[1] && space.weight[0] < balance.wanted) half = 1;
      for (const int from : {half, 1 - half}) {
        const Vertex v = first[from];
        if (v == kNone) continue;
        const int to = 1 - from;
        if (space.weight[to] + weight_of(v) > balance.max[to] + balance.slack) continue;
        dequeue(v, space);
        entries_[v].moved = true;
        return v;
      }
      if (first[half] == kNone) return kNone;
      dequeue(first[half], space);  // too heavy
      entries_[first[half]].moved = true;
    }
  }

  void move(Vertex v, Space& space) {
    space.moved.push_back(v);
    change_sides(v, space);
    const Vertex now = part_of(v);
    for (const Link link : graph_->row(v)) {
      const Vertex u = link.to, there = part_of(u);
      if (there != space.name[0] && there != space.name[1]) continue;
      GainEntry& entry = entries_[u];
      if (entry.pass != space.pass) {
        insert_if_border(u, space);
        continue;
      }
      if (entry.moved) continue;
      dequeue(u, space);
      const auto twice = static_cast<std::int32_t>(2 * link.strength);
      entry.gain += there == now ? -twice : twice;
      enqueue(u, space);
    }
  }

  const WeightedGraph* graph_ = nullptr;
  std::vector<Vertex> part_;
  std::vector<GainEntry> entries_;
  Vertex last_name_ = 0;
};

}  // namespace warpath
