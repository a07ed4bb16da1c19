// lazy_heap.hpp - a 4-ary heap with lazy deletion, and the interface of all queues.
#pragma once

#include <cstddef>
#include <vector>

#include "warpath/graph/types.hpp"

namespace warpath {

/// A queue entry: a vertex and its label when it was queued; stale if the label has fallen since.
template <class D, Index V>
struct QueueEntry {
  D key;
  V vertex;
};

/// The default queue, for all weights: O(log n) per operation; children fill 1 or 2 cache lines.
///
/// The queues of Dijkstra's algorithm provide push, pop, next and drain. With decrease-key, a
/// second `push` of a vertex replaces its key by the smaller one; other queues hold both entries.
/// `pop(top, is_current)` removes the smallest entry; `is_current(entry)` is false for stale
/// entries, which a queue may drop when it reorganises. `next()` is the vertex that is likely to be
/// popped next, for prefetching, or -1. `drain(visit)` empties the queue in any order. Source:
/// Johnson 1975 (d-ary heaps); lazy deletion: Chen et al., UTCS TR-07-54.
template <class D, Index V>
class QuaternaryHeap {
 public:
  using Entry = QueueEntry<D, V>;

  /// Without it, the growing array would cost a tenth of a solve on a tiny graph.
  QuaternaryHeap() { entries_.reserve(kFirst); }

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& top() const { return entries_.front(); }
  V next() const { return entries_.empty() ? V{-1} : entries_.front().vertex; }

  [[gnu::always_inline]] void push(D key, V vertex) {
    entries_.push_back({key, vertex});
    rise(entries_.size() - 1, {key, vertex});
  }

  template <class IsCurrent>
  bool pop(Entry& top, const IsCurrent&) {
    if (entries_.empty()) return false;
    top = entries_.front();
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sift_down(last);
    return true;
  }

  /// Pops the smallest entry and pushes another one.
  void replace_top(D key, V vertex) { sift_down({key, vertex}); }

  template <class Visit>
  void drain(Visit&& visit) {
    for (const Entry& entry : entries_) visit(entry);
    entries_.clear();
  }

 private:
  static constexpr std::size_t kFirst = 64;

  /// Places `moved` after the root was removed: the smallest children move up until a leaf is
  /// vacant, then `moved` rises from there. It came from the bottom and rarely rises, so no
  /// comparison on the way down is unpredictable.
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
      const std::size_t smallest = heap[right].key < heap[left].key ? right : left;
      heap[at] = heap[smallest];
      at = smallest;
    }
    if (child < size) {
      std::size_t smallest = child;
      for (std::size_t other = child + 1; other < size; ++other)
        smallest = heap[other].key < heap[smallest].key ? other : smallest;
      heap[at] = heap[smallest];
      at = smallest;
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
