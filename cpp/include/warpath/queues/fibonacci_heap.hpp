// fibonacci_heap.hpp - the Fibonacci heap of Fredman and Tarjan.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// A queue with decrease-key: amortised O(1) per push or lowered key, O(log n) per pop. Memory: a
/// node for each vertex of the graph, indexed by its number.
///
/// A vertex that has lost a child is marked, and is cut itself when it loses another one. So a
/// vertex with k children has at least phi^k descendants, and the roots left by a pop have
/// different degrees. Source: Fredman, Tarjan 1987.
template <class D, Index V>
class FibonacciHeap {
 public:
  using Entry = QueueEntry<D, V>;

  explicit FibonacciHeap(std::int64_t n) : nodes_(static_cast<std::size_t>(n)) {
    by_degree_.fill(kNone);
  }

  V next() const { return minimum_; }

  /// Inserts the vertex, or lowers its key.
  void push(D key, V vertex) {
    Node& node = at(vertex);
    node.key = key;
    if (node.parent == kAbsent) {
      node.child = kNone;
      node.degree = 0;
      add_root(vertex);
    } else if (node.parent != kNone && key < at(node.parent).key) {
      const V parent = node.parent;
      cut(vertex);
      cascade(parent);
    }
    if (minimum_ == kNone || key < at(minimum_).key) minimum_ = vertex;
  }

  template <class IsCurrent>
  bool pop(Entry& top, const IsCurrent&) {
    if (minimum_ == kNone) return false;
    const V gone = minimum_;
    top = {at(gone).key, gone};
    consolidate(gone);
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
    roots_ = kNone;
    minimum_ = kNone;
  }

 private:
  static constexpr V kNone = -1;
  static constexpr V kAbsent = -2;             // as a parent: not in the heap
  static constexpr std::size_t kDegrees = 92;  // phi^91 > 2^63

  struct Node {
    D key{};
    V parent = kAbsent;
    V child = kNone;  // the first one
    V left = kNone;   // among siblings; of a root, unused
    V right = kNone;  // among siblings or roots
    std::uint8_t degree = 0;
    bool marked = false;  // has lost a child since it became a child
  };

  Node& at(V vertex) { return nodes_[static_cast<std::size_t>(vertex)]; }

  void add_root(V vertex) {
    Node& node = at(vertex);
    node.parent = kNone;
    node.marked = false;
    node.right = roots_;
    roots_ = vertex;
  }

  /// Moves a child to the roots.
  void cut(V vertex) {
    const Node& node = at(vertex);
    Node& parent = at(node.parent);
    if (node.left == kNone) {
      parent.child = node.right;
    } else {
      at(node.left).right = node.right;
    }
    if (node.right != kNone) at(node.right).left = node.left;
    --parent.degree;
    add_root(vertex);
  }

  /// Marks a vertex that lost a child; if it was marked, cuts it and continues with its parent.
  void cascade(V vertex) {
    while (at(vertex).parent != kNone) {
      if (!at(vertex).marked) {
        at(vertex).marked = true;
        return;
      }
      const V parent = at(vertex).parent;
      cut(vertex);
      vertex = parent;
    }
  }

  /// Removes a root, adds its children to the roots, and links roots until all degrees differ.
  void consolidate(V gone) {
    std::size_t degrees = 0;  // the largest degree plus one
    for (const V first : {roots_, at(gone).child}) {
      for (V vertex = first; vertex != kNone;) {
        const V following = at(vertex).right;
        if (vertex != gone) {
          const std::size_t degree = place(vertex);
          degrees = degree < degrees ? degrees : degree + 1;
        }
        vertex = following;
      }
    }
    roots_ = kNone;
    minimum_ = kNone;
    for (std::size_t degree = 0; degree < degrees; ++degree) {
      const V root = by_degree_[degree];
      if (root == kNone) continue;
      by_degree_[degree] = kNone;
      add_root(root);
      if (minimum_ == kNone || at(root).key < at(minimum_).key) minimum_ = root;
    }
  }

  /// Links a root with roots of equal degree and stores the tree. Returns its final degree.
  std::size_t place(V root) {
    std::size_t degree = at(root).degree;
    for (; by_degree_[degree] != kNone; ++degree) {
      root = link(root, by_degree_[degree]);
      by_degree_[degree] = kNone;
    }
    by_degree_[degree] = root;
    return degree;
  }

  /// Makes the root with the larger key a child of the other one. Returns the latter.
  V link(V a, V b) {
    const V root = at(b).key < at(a).key ? b : a;
    const V under = root == a ? b : a;
    Node& parent = at(root);
    Node& child = at(under);
    child.parent = root;
    child.marked = false;
    child.left = kNone;
    child.right = parent.child;
    if (parent.child != kNone) at(parent.child).left = under;
    parent.child = under;
    ++parent.degree;
    return root;
  }

  std::vector<Node> nodes_;
  std::array<V, kDegrees> by_degree_;  // empty between pops
  V roots_ = kNone;
  V minimum_ = kNone;
};

}  // namespace warpath
