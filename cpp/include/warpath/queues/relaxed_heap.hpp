// relaxed_heap.hpp - a rank-relaxed heap: binomial trees with a few heap-order violations.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// A queue with decrease-key: amortised O(1) per lowered key, O(log n) per push or pop. Memory: a
/// node for each vertex of the graph, indexed by its number.
///
/// The heap is a forest of binomial trees with at most one tree per rank; the children of a vertex
/// of rank r have the ranks 0 to r - 1. A vertex with a smaller key than its parent must be active.
/// There is at most one active vertex per rank, and each is the last child of its parent, the one
/// of largest rank. So the smallest key is that of a root or of an active vertex. A vertex whose
/// key falls below its parent's becomes active; if that violates the rule, a transformation reduces
/// the number of active vertices or makes one a last child.
///
/// Source: Driscoll, Gabow, Shrairman, Tarjan 1988, rank-relaxed heaps. (Their run-relaxed heaps
/// bound the worst case of a lowered key, not the amortised cost, by O(1).)
template <class D, Index V>
class RelaxedHeap {
 public:
  using Entry = QueueEntry<D, V>;

  explicit RelaxedHeap(std::int64_t n) : nodes_(static_cast<std::size_t>(n)) {
    trees_.fill(kNone);
    active_.fill(kNone);
  }

  V next() const { return V{-1}; }

  /// Inserts the vertex, or lowers its key.
  void push(D key, V vertex) {
    Node& node = at(vertex);
    node.key = key;
    if (node.parent == kAbsent) {
      node = {key, kNone, kNone, kNone, kNone, 0};
      insert(vertex);
    } else if (!is_active(vertex)) {
      restore(vertex);
    }
  }

  template <class IsCurrent>
  bool pop(Entry& top, const IsCurrent&) {
    if (size_ == 0) return false;
    const V gone = minimum();
    top = {at(gone).key, gone};
    const V spare = take_smallest_tree();
    if (gone != spare) replace_by(gone, spare);
    at(gone).parent = kAbsent;
    return true;
  }

  template <class Visit>
  void drain(Visit&& visit) {
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      if (nodes_[v].parent == kAbsent) continue;
      nodes_[v].parent = kAbsent;
      visit(Entry{nodes_[v].key, static_cast<V>(v)});
    }
    trees_.fill(kNone);
    active_.fill(kNone);
    active_ranks_ = 0;
    size_ = 0;
  }

 private:
  static constexpr V kNone = -1;
  static constexpr V kAbsent = -2;           // as a parent: not in the heap
  static constexpr std::size_t kRanks = 64;  // a tree of rank r has 2^r vertices

  struct Node {
    D key{};
    V parent = kAbsent;
    V last = kNone;   // the child of largest rank
    V left = kNone;   // the sibling of the next smaller rank
    V right = kNone;  // the sibling of the next larger rank
    std::uint8_t rank = 0;
  };

  Node& at(V vertex) { return nodes_[static_cast<std::size_t>(vertex)]; }

  bool is_active(V vertex) { return active_[at(vertex).rank] == vertex; }

  void activate(V vertex) {
    active_[at(vertex).rank] = vertex;
    active_ranks_ |= std::uint64_t{1} << at(vertex).rank;
  }

  void deactivate(V vertex) {
    if (!is_active(vertex)) return;
    active_[at(vertex).rank] = kNone;
    active_ranks_ &= ~(std::uint64_t{1} << at(vertex).rank);
  }

  V minimum() {
    V found = trees_[static_cast<std::size_t>(std::countr_zero(size_))];
    const auto compare = [&](std::uint64_t ranks, const std::array<V, kRanks>& vertices) {
      for (; ranks != 0; ranks &= ranks - 1) {
        const V vertex = vertices[static_cast<std::size_t>(std::countr_zero(ranks))];
        if (at(vertex).key < at(found).key) found = vertex;
      }
    };
    compare(size_ & (size_ - 1), trees_);
    compare(active_ranks_, active_);
    return found;
  }

  /// Adds a tree of one vertex: the ranks of trees are the set bits of size_, which is incremented.
  void insert(V root) {
    std::size_t rank = 0;
    for (; trees_[rank] != kNone; ++rank) {
      root = link(root, trees_[rank]);
      trees_[rank] = kNone;
    }
    trees_[rank] = root;
    ++size_;
  }

  /// Removes the root of the smallest tree; its children become trees, of all the smaller ranks.
  V take_smallest_tree() {
    const auto rank = static_cast<std::size_t>(std::countr_zero(size_));
    const V root = trees_[rank];
    trees_[rank] = kNone;
    while (at(root).last != kNone) {
      const V child = pop_last(root);
      deactivate(child);
      at(child).parent = kNone;
      trees_[at(child).rank] = child;
    }
    --size_;
    return root;
  }

  /// Replaces `gone` by a vertex without children, above the children of `gone`.
  void replace_by(V gone, V spare) {
    deactivate(gone);
    const Node place = at(gone);
    const std::size_t rank = place.rank;
    std::array<V, kRanks> children;
    for (std::size_t r = rank; r-- > 0;) {
      children[r] = pop_last(gone);
      deactivate(children[r]);
    }
    V root = spare;
    for (std::size_t r = 0; r < rank; ++r) root = link(root, children[r]);
    put(root, place.parent, place.left, place.right);
    restore(root);
  }

  /// Restores the rules for `vertex`, the only one that violates them: it becomes active, or its
  /// key is not smaller than its parent's.
  void restore(V vertex) {
    while (at(vertex).parent != kNone && at(vertex).key < at(at(vertex).parent).key) {
      const std::size_t rank = at(vertex).rank;
      const V sibling = at(vertex).right;
      if (sibling == kNone) {
        if (active_[rank] == kNone) {
          activate(vertex);
          return;
        }
        vertex = pair(vertex, active_[rank]);
      } else if (is_active(sibling)) {
        vertex = join_active_sibling(vertex, sibling);
      } else if (active_[rank] != kNone && active_[rank] == at(sibling).last) {
        vertex = join_nephew(vertex, sibling);
      } else {
        exchange(vertex, at(sibling).last);
      }
    }
  }

  /// [pair transformation] For two last children a and b of one rank: links their parents, in the
  /// place of the parent with the smaller key, and a with b, in the place of the other parent.
  /// Returns the root of the latter tree.
  V pair(V a, V b) {
    deactivate(b);
    const V p = at(a).parent;
    const V q = at(b).parent;
    const V above = at(q).key < at(p).key ? q : p;
    const V under = above == p ? q : p;
    deactivate(under);
    const Node place = at(under);
    pop_last(p);
    pop_last(q);
    const V root = link(a, b);
    put(root, place.parent, place.left, place.right);
    hang(above, under);
    return root;
  }

  /// [active sibling transformation] A vertex and its active right sibling, which is the last
  /// child, replace their parent, which becomes a child. Returns the root.
  V join_active_sibling(V vertex, V sibling) {
    deactivate(sibling);
    const V parent = at(vertex).parent;
    deactivate(parent);
    const Node place = at(parent);
    pop_last(parent);
    pop_last(parent);
    hang(vertex, parent);
    const V root = link(vertex, sibling);
    put(root, place.parent, place.left, place.right);
    return root;
  }

  /// [good sibling transformation] Links a vertex with the active last child of its right sibling,
  /// in the sibling's place; the sibling moves to the vertex's place. Returns the root.
  V join_nephew(V vertex, V sibling) {
    const V nephew = at(sibling).last;
    deactivate(nephew);
    pop_last(sibling);
    const Node lower = at(vertex);
    const Node upper = at(sibling);
    const V root = link(vertex, nephew);
    put(root, upper.parent, sibling, upper.right);
    put(sibling, lower.parent, lower.left, root);
    return root;
  }

  /// Exchanges two subtrees of equal rank, whose roots are not siblings.
  void exchange(V a, V b) {
    const Node here = at(a);
    const Node there = at(b);
    put(b, here.parent, here.left, here.right);
    put(a, there.parent, there.left, there.right);
  }

  /// Links two trees of one rank and returns their root.
  V link(V a, V b) {
    const bool swapped = at(b).key < at(a).key;
    hang(swapped ? b : a, swapped ? a : b);
    return swapped ? b : a;
  }

  /// Makes `under` the last child of `above`, of the same rank. If the previous last child is
  /// active, it is exchanged with the last child of `under`, since only last children may be
  /// active.
  void hang(V above, V under) {
    const V before = at(above).last;
    at(under).parent = above;
    at(under).left = before;
    at(under).right = kNone;
    if (before != kNone) at(before).right = under;
    at(above).last = under;
    ++at(above).rank;
    if (before != kNone && is_active(before)) exchange(before, at(under).last);
  }

  V pop_last(V parent) {
    const V child = at(parent).last;
    const V left = at(child).left;
    at(parent).last = left;
    if (left != kNone) at(left).right = kNone;
    at(child).left = kNone;
    --at(parent).rank;
    return child;
  }

  /// Inserts a vertex between two siblings, or among the trees if it has no parent.
  void put(V vertex, V parent, V left, V right) {
    Node& node = at(vertex);
    node.parent = parent;
    node.left = left;
    node.right = right;
    if (left != kNone) at(left).right = vertex;
    if (right != kNone) {
      at(right).left = vertex;
    } else if (parent != kNone) {
      at(parent).last = vertex;
    } else {
      trees_[node.rank] = vertex;
    }
  }

  std::vector<Node> nodes_;
  std::array<V, kRanks> trees_;   // the root of each rank
  std::array<V, kRanks> active_;  // the active vertex of each rank
  std::uint64_t active_ranks_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace warpath
