// tree_labels.hpp - distances between each vertex and its ancestors in the elimination tree.
//
// Every path between two vertices passes a common ancestor of theirs in the elimination tree. The
// label of a vertex has the distances to all its ancestors, from the root down to the vertex
// itself, and a second label those from them. The distance of a pair is the least sum of two
// entries of the same ancestor: the labels' common prefix, of which the tree gives the length.
//
// Labels are computed from the root down. A path to an ancestor begins with an arc of the
// customized hierarchy to some ancestor, of which the distance to the other one is an entry of a
// label that is known. Subtrees are labelled side by side by threads; the entries do not depend on
// their number.
//
// Work     an addition for each arc and ancestor of its tail: 0.2 s for New York's roads on one
//          thread. A pair of them reads two prefixes of 100 entries.
// Memory   an entry for each vertex and ancestor, twice where the two directions differ.
// Source   Ouyang, Qin, Chang, Lin, Zhang, Zhu, "When hierarchy meets 2-hop-labeling", 2018.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/hierarchy/elimination.hpp"
#include "warpath/hierarchy/hierarchy.hpp"
#include "warpath/hierarchy/tree_walk.hpp"
#include "warpath/many/lanes.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/in_blocks.hpp"
#include "warpath/parallel/page_array.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// A forest whose positions are numbered so that each subtree follows its root.
///
/// The common ancestors of two positions x < y are as many as the least depth in x + 1 .. y. It is
/// found in O(1): from the least depths of blocks of positions, and those before and after each
/// position in its block.
class AncestorTree {
 public:
  /// `position` of each vertex; `parent` of each position, -1 for a root. Raises
  /// std::invalid_argument if subtrees are not contiguous, std::length_error if the tree is too
  /// deep.
  AncestorTree(std::vector<Position> position, std::span<const Position> parent)
      : position_(std::move(position)), depth_(parent.size()), first_(parent.size() + 1, 0) {
    find_depths(parent);
    find_minima();
  }

  std::size_t n() const { return position_.size(); }
  std::span<const Position> positions() const { return position_; }
  std::size_t position(std::int64_t vertex) const {
    return static_cast<std::size_t>(position_[static_cast<std::size_t>(vertex)]);
  }

  /// What the length of a label is rounded up to, in entries.
  static constexpr std::size_t kLine = 16;
  /// The number of ancestors of a position without itself.
  std::size_t depth(std::size_t x) const { return depth_[x]; }
  /// The largest number of entries of a label.
  std::size_t height() const { return height_; }
  /// Where the label of a position begins, in entries of all labels. Labels begin at cache lines.
  std::size_t first(std::size_t x) const { return first_[x]; }
  /// The entries of all labels, with those that fill up cache lines.
  std::size_t entries() const { return first_.back(); }

  /// The parent of each position; -1 for a root.
  std::vector<Position> parents() const {
    std::vector<Position> parent(n()), path(height_);
    for (std::size_t x = 0; x < n(); ++x) {
      parent[x] = depth_[x] == 0 ? -1 : path[depth_[x] - 1];
      path[depth_[x]] = static_cast<Position>(x);
    }
    return parent;
  }

  /// The number of common ancestors of two positions, with themselves.
  std::size_t common(std::size_t x, std::size_t y) const {
    if (x == y) return std::size_t{depth_[x]} + 1;
    const std::size_t from = std::min(x, y) + 1, to = std::max(x, y);
    const std::size_t begin = from / kBlock, end = to / kBlock;
    if (begin == end) return *std::min_element(depth_.data() + from, depth_.data() + to + 1);
    Depth least = std::min(to_end_[from], from_begin_[to]);
    if (const std::size_t blocks = end - begin - 1; blocks > 0) {
      const auto row = static_cast<std::size_t>(std::bit_width(blocks)) - 1;
      const std::vector<Depth>& minima = of_blocks_[row];
      least = std::min({least, minima[begin + 1], minima[end - (std::size_t{1} << row)]});
    }
    return least;
  }

  std::size_t nbytes() const {
    return n() * (sizeof(Position) + 3 * sizeof(Depth) + sizeof(std::size_t));
  }

 private:
  using Depth = std::uint16_t;
  static constexpr std::size_t kBlock = 32;  // positions
  static constexpr std::size_t kMostDepth = 65535;

  void find_depths(std::span<const Position> parent) {
    std::vector<Position> path;  // from a root to the position before
    for (std::size_t x = 0; x < parent.size(); ++x) {
      while (!path.empty() && path.back() != parent[x]) path.pop_back();
      if (path.empty() && parent[x] != -1)
        throw std::invalid_argument(
            "each parent must be an ancestor of the position before, or it");
      if (path.size() > kMostDepth)
        throw std::length_error("a vertex has more than 65,535 ancestors in the elimination tree");
      depth_[x] = static_cast<Depth>(path.size());
      path.push_back(static_cast<Position>(x));
      height_ = std::max(height_, path.size());
      first_[x + 1] = first_[x] + (path.size() + kLine - 1) / kLine * kLine;
    }
  }

  void find_minima() {
    const std::size_t blocks = (n() + kBlock - 1) / kBlock;
    from_begin_ = to_end_ = depth_;
    std::vector<Depth> least(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t begin = b * kBlock, end = std::min(begin + kBlock, n());
      for (std::size_t x = begin + 1; x < end; ++x)
        from_begin_[x] = std::min(from_begin_[x], from_begin_[x - 1]);
      for (std::size_t x = end - 1; x-- > begin;) to_end_[x] = std::min(to_end_[x], to_end_[x + 1]);
      least[b] = from_begin_[end - 1];
    }
    for (std::size_t width = 1; width <= blocks; width *= 2) {
      of_blocks_.push_back(least);
      for (std::size_t b = 0; b + 2 * width <= blocks; ++b)
        least[b] = std::min(least[b], least[b + width]);
    }
  }

  std::vector<Position> position_;
  std::vector<Depth> depth_;
  std::vector<std::size_t> first_;
  std::vector<Depth> from_begin_, to_end_;     // the least depths in a position's block
  std::vector<std::vector<Depth>> of_blocks_;  // row r: of 2^r blocks from each block on
  std::size_t height_ = 0;
};

/// The tree of an elimination.
inline AncestorTree ancestor_tree(const Elimination& elimination) {
  std::vector<Position> parent(elimination.n(), -1);
  for (std::size_t x = 0; x < parent.size(); ++x)
    if (const std::size_t end = elimination.first(x + 1); elimination.first(x) < end)
      parent[x] = elimination.heads()[end - 1];
  const std::span<const Position> positions = elimination.positions();
  return {{positions.begin(), positions.end()}, parent};
}

/// The labels of all vertices, which any number of threads may read.
template <Weight W>
class TreeLabels {
 public:
  using D = DistanceOf<W>;
  using L = HierarchyLabel<W>;

  /// The labels of a customized hierarchy, which must be that of the elimination.
  TreeLabels(std::shared_ptr<const AncestorTree> tree, const Elimination& elimination,
             const Hierarchy<W>& hierarchy, int threads, Control& control)
      : tree_(std::move(tree)) {
    auto up = std::make_shared<PageArray<L>>(tree_->entries());
    auto down = hierarchy.symmetric() ? up : std::make_shared<PageArray<L>>(tree_->entries());
    up_ = up->data();
    down_ = down->data();
    Builder{*tree_, elimination, hierarchy, up->data(), down->data(), threads, control}.run();
    memory_ = std::make_shared<std::pair<decltype(up), decltype(down)>>(up, down);
  }

  /// Labels that were computed before, of `tree->entries()` entries each; the same twice where
  /// both directions have equal distances. `memory` owns them.
  TreeLabels(std::shared_ptr<const AncestorTree> tree, const L* up, const L* down,
             std::shared_ptr<const void> memory)
      : tree_(std::move(tree)), up_(up), down_(down), memory_(std::move(memory)) {}

  const std::shared_ptr<const AncestorTree>& tree() const { return tree_; }
  std::size_t n() const { return tree_->n(); }
  bool symmetric() const { return up_ == down_; }
  std::span<const L> up() const { return {up_, tree_->entries()}; }
  std::span<const L> down() const { return {down_, tree_->entries()}; }
  const std::shared_ptr<const void>& memory() const { return memory_; }

  /// The labels of the graph with every edge reversed.
  TreeLabels reversed() const { return {tree_, down_, up_, memory_}; }

  /// out[i] becomes the distance from sources[i] to targets[i]. Returns the number of entries read.
  std::int64_t pairs(std::span<const std::int64_t> sources, std::span<const std::int64_t> targets,
                     std::span<D> out, int threads, Control& control) const {
    return in_blocks(
        sources.size(), kChunk, threads, control, [&](std::size_t begin, std::size_t end) {
          return distances({&sources[begin], 1, &targets[begin], end - begin}, &out[begin]);
        });
  }

  /// Fills a table with a row for each source and a column for each target. Returns as `pairs`.
  template <class Out>
  std::int64_t table(std::span<const std::int64_t> sources, std::span<const std::int64_t> targets,
                     Out* out, int threads, Control& control) const {
    const std::size_t width = targets.size(), count = sources.size() * width;
    return in_blocks(count, kChunk, threads, control, [&](std::size_t begin, std::size_t end) {
      std::int64_t read = 0;
      for (std::size_t stop; begin < end; begin = stop) {
        const std::size_t row = begin / width, column = begin % width;
        stop = std::min(end, begin + width - column);
        read += distances({&sources[row], 0, &targets[column], stop - begin}, out + begin);
      }
      return read;
    });
  }

 private:
  static constexpr std::size_t kAhead = 16;            // pairs whose labels are fetched together
  static constexpr std::size_t kChunk = 256 * kAhead;  // pairs that a thread takes at once
  static constexpr std::size_t kLines = 8;             // cache lines of a label that are fetched

  /// Pairs of sources[i * step] and targets[i]: a row of a table has one source, and step 0.
  struct Ends {
    const std::int64_t* sources;
    std::size_t step;
    const std::int64_t* targets;
    std::size_t count;
  };

  /// Two labels and the length of their common prefix.
  struct Meeting {
    const L* from;
    const L* to;
    std::size_t count;
  };

  template <class Out>
  std::int64_t distances(const Ends& ends, Out* out) const {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) return in_avx2(ends, out);
#endif
    return in_vectors<typename Lanes<L>::Quarter>(ends, out);
  }

#if defined(__x86_64__) && defined(__GNUC__)
  template <class Out>
  [[gnu::target("avx2"), gnu::noinline, gnu::flatten]] std::int64_t in_avx2(const Ends& ends,
                                                                            Out* out) const {
    return in_vectors<typename Lanes<L>::Half>(ends, out);
  }
#endif

  /// Finds the labels of some pairs ahead, so that memory delivers them side by side.
  template <class V, class Out>
  [[gnu::always_inline]] std::int64_t in_vectors(const Ends& ends, Out* out) const {
    std::array<Meeting, 2 * kAhead> meetings;
    std::size_t found = 0;
    std::int64_t read = 0;
    for (std::size_t i = 0; i < ends.count; ++i) {
      if (i % kAhead == 0)
        for (; found < std::min(i + 2 * kAhead, ends.count); ++found)
          meetings[found % meetings.size()] =
              meeting(ends.sources[found * ends.step], ends.targets[found]);
      const Meeting& here = meetings[i % meetings.size()];
      read += static_cast<std::int64_t>(here.count);
      out[i] = distance_of<Out, W>(least_sum<V>(here));
    }
    return 2 * read;
  }

  /// Returns the labels of a pair, and prefetches them.
  [[gnu::always_inline]] Meeting meeting(std::int64_t source, std::int64_t target) const {
    const std::size_t x = tree_->position(source), y = tree_->position(target);
    const Meeting found{up_ + tree_->first(x), down_ + tree_->first(y), tree_->common(x, y)};
    constexpr std::size_t line = Lanes<L>::kBytes / sizeof(L);
    for (std::size_t i = 0; i < std::min(found.count, kLines * line); i += line) {
      __builtin_prefetch(found.from + i);
      __builtin_prefetch(found.to + i);
    }
    return found;
  }

  template <class V>
  [[gnu::always_inline]] static L least_sum(const Meeting& meeting) {
    constexpr std::size_t lanes = sizeof(V) / sizeof(L);
    V least = V{} + kNoLabel<W>;
    std::size_t i = 0;
    for (; i + lanes <= meeting.count; i += lanes) {
      const V sum = *reinterpret_cast<const V*>(meeting.from + i) +
                    *reinterpret_cast<const V*>(meeting.to + i);
      least = sum < least ? sum : least;
    }
    L result = least[0];
    for (std::size_t lane = 1; lane < lanes; ++lane)
      result = least[lane] < result ? least[lane] : result;
    for (; i < meeting.count; ++i) {
      const L sum = meeting.from[i] + meeting.to[i];
      result = sum < result ? sum : result;
    }
    return result;
  }

  /// Computes the labels of a hierarchy on threads.
  struct Builder {
    const AncestorTree& tree;
    const Elimination& elimination;
    const Hierarchy<W>& hierarchy;
    L* const up;
    L* const down;
    const int threads;
    Control& control;

    void run() {
      TreeWalk walk(elimination.top_tree(), control);
      TeamBarrier barrier(threads, control);
      std::atomic<std::size_t> next{0};
      const std::vector<Position> parent = tree.parents();
      control.expect(static_cast<std::int64_t>(tree.n()));
      run_team(threads, control, [&](int rank) {
        Poller poller(control, rank == 0);
        std::vector<std::size_t> path(tree.height());  // where the labels of ancestors begin
        const auto start = [&](std::size_t x) {
          for (std::size_t depth = tree.depth(x); depth-- > 0;) {
            x = static_cast<std::size_t>(parent[x]);
            path[depth] = tree.first(x);
          }
        };
        const std::span<const Position> top = elimination.top();
        walk.down(rank, [&](std::size_t i) {
          const auto x = static_cast<std::size_t>(top[i]);
          start(x);
          label(x, path, poller);
        });
        barrier.wait(rank);
        const std::span<const Elimination::Range> ranges = elimination.ranges();
        for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < ranges.size();) {
          start(static_cast<std::size_t>(ranges[i].begin));
          for (Position x = ranges[i].begin; x < ranges[i].end; ++x)
            label(static_cast<std::size_t>(x), path, poller);
          control.advance(ranges[i].end - ranges[i].begin);
        }
      });
    }

    void label(std::size_t x, std::vector<std::size_t>& path, Poller& poller) const {
      const std::size_t depth = tree.depth(x);
      path[depth] = tree.first(x);
      const auto row = static_cast<Position>(x);
      enter(hierarchy.up().row(row), up, down, depth, path, poller);
      if (down != up) enter(hierarchy.down().row(row), down, up, depth, path, poller);
    }

    /// Fills the label of a position in `own` from its arcs and the labels of its ancestors.
    /// `other` has those of the opposite direction.
    void enter(std::span<const HierarchyArc<W>> arcs, L* own, const L* other, std::size_t depth,
               const std::vector<std::size_t>& path, Poller& poller) const {
      L* const label = own + path[depth];
      std::fill_n(label, (depth / AncestorTree::kLine + 1) * AncestorTree::kLine, kNoLabel<W>);
      label[depth] = L{};
      poller.step(static_cast<std::int64_t>(arcs.size() * depth / 16 + 1));
      for (const HierarchyArc<W>& arc : arcs) {
        const auto weight = static_cast<L>(arc.weight);
        const std::size_t at = tree.depth(static_cast<std::size_t>(arc.head));
        lower(label, own + path[at], weight, at + 1);
        for (std::size_t i = at + 1; i < depth; ++i)
          label[i] = std::min(label[i], static_cast<L>(other[path[i] + at] + weight));
      }
    }

    static void lower(L* label, const L* from, L weight, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        label[i] = std::min(label[i], static_cast<L>(from[i] + weight));
    }
  };

  std::shared_ptr<const AncestorTree> tree_;
  const L* up_;
  const L* down_;
  std::shared_ptr<const void> memory_;
};

}  // namespace warpath
