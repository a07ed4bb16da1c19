// lazy_heap.hpp - a 4-ary heap of labelled vertices, with lazy deletion.
#pragma once

#include <cstddef>
#include <vector>

#include "warpath/graph/types.hpp"

namespace warpath {

/// A vertex and the label that it was queued with; stale once the vertex got a smaller one.
template <class D, Index V>
struct Labelled {
  D key;
  V vertex;
};

/// The queue that suits every weight: O(log n) a step, four children in one or two cache lines.
///
/// A queue of Dijkstra's search offers push, pop, next and drain. A queue with decrease-key takes a
/// second `push` of a vertex as its new, smaller key; the others hold both. `pop(top, fresh)` takes
/// the least entry; `fresh(entry)` tells stale entries, which a queue may drop while it
/// reorganises. `next()` is the vertex that is likely to be popped next, to be prefetched, or -1.
/// `drain(visit)` empties the queue in any order. Source: Johnson 1975 (d-ary heaps); lazy
/// deletion: Chen et al., UTCS TR-07-54.
template <class D, Index V>
class FourHeap {
 public:
  using Entry = Labelled<D, V>;

  /// A tiny graph would otherwise spend a tenth of its solve on an array that grows.
  FourHeap() { entries_.reserve(kFirst); }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& top() const { return entries_.front(); }
  V next() const { return entries_.empty() ? V{-1} : entries_.front().vertex; }

  void push(D key, V vertex) {
    entries_.push_back({key, vertex});
    rise(entries_.size() - 1, {key, vertex});
  }

  template <class Fresh>
  bool pop(Entry& top, const Fresh&) {
    if (entries_.empty()) return false;
    top = entries_.front();
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sift_down(last);
    return true;
  }

  /// Pops the least entry and pushes another one.
  void replace_top(D key, V vertex) { sift_down({key, vertex}); }

  template <class Visit>
  void drain(Visit&& visit) {
    for (const Entry& entry : entries_) visit(entry);
    entries_.clear();
  }

 private:
  static constexpr std::size_t kFirst = 64;

  /// Fills the hole at the root: the least children move up to a leaf's place, then `moved` rises
  /// from there. It came from the bottom and rarely rises, so no comparison on the way down is hard
  /// to predict.
  void sift_down(const Entry moved) {
    Entry* const heap = entries_.data();
    const std::size_t size = entries_.size();
    std::size_t at = 0;
    std::size_t child = 1;
    for (; child + 3 < size; child = 4 * at + 1) {
      __builtin_prefetch(&heap[4 * child + 1]);
      __builtin_prefetch(&heap[4 * child + 9]);
      const std::size_t left = child + (heap[child + 1].key < heap[child].key);
      const std::size_t right = child + 2 + (heap[child + 3].key < heap[child + 2].key);
      const std::size_t least = heap[right].key < heap[left].key ? right : left;
      heap[at] = heap[least];
      at = least;
    }
    if (child < size) {
      std::size_t least = child;
      for (std::size_t other = child + 1; other < size; ++other)
        least = heap[other].key < heap[least].key ? other : least;
      heap[at] = heap[least];
      at = least;
    }
    rise(at, moved);
  }

  void rise(std::size_t at, const Entry moved) {
    Entry* const heap = entries_.data();
    while (at > 0) {
      const std::size_t above = (at - 1) / 4;
      if (heap[above].key <= moved.key) break;
      heap[at] = heap[above];
      at = above;
    }
    heap[at] = moved;
  }

  std::vector<Entry> entries_;
};

}  // namespace warpath
