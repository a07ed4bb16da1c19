// binary_heap.hpp - an indexed binary heap, with decrease-key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// A queue with decrease-key: at most one entry per vertex, O(log n) per operation. Memory: an
/// entry per queued vertex and an index per vertex.
///
/// Davidson et al. 2014 compare with "a simpler binary heap" of their own without describing it:
/// its arity's layout, the place of keys and the way a label falls are open. This one has one array
/// with keys next to their vertices, and decrease-key, since "the distance value is updated if a
/// shorter path has been discovered" (section II). Source: Williams 1964 (algorithm 232).
template <class D, Index V>
class BinaryHeap {
 public:
  using Entry = QueueEntry<D, V>;

  explicit BinaryHeap(std::int64_t n) : places_(static_cast<std::size_t>(n), kAbsent) {}

  V next() const { return entries_.empty() ? V{-1} : entries_.front().vertex; }

  /// Inserts the vertex, or lowers its key.
  void push(D key, V vertex) {
    const V place = places_[static_cast<std::size_t>(vertex)];
    if (place != kAbsent) {
      rise(static_cast<std::size_t>(place), {key, vertex});
    } else {
      entries_.push_back({key, vertex});
      rise(entries_.size() - 1, {key, vertex});
    }
  }

  template <class IsCurrent>
  bool pop(Entry& top, const IsCurrent&) {
    if (entries_.empty()) return false;
    top = entries_.front();
    places_[static_cast<std::size_t>(top.vertex)] = kAbsent;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(last);
    return true;
  }

  template <class Visit>
  void drain(Visit&& visit) {
    for (const Entry& entry : entries_) {
      places_[static_cast<std::size_t>(entry.vertex)] = kAbsent;
      visit(entry);
    }
    entries_.clear();
  }

 private:
  static constexpr V kAbsent = -1;

  void put(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    places_[static_cast<std::size_t>(entry.vertex)] = static_cast<V>(at);
  }

  void rise(std::size_t at, const Entry moved) {
    while (at > 0) {
      const std::size_t above = (at - 1) / 2;
      if (!(moved.key < entries_[above].key)) break;
      put(at, entries_[above]);
      at = above;
    }
    put(at, moved);
  }

  /// Places `moved` by sifting down from the root, whose entry is vacant.
  void sink(const Entry moved) {
    const std::size_t size = entries_.size();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && entries_[child + 1].key < entries_[child].key) ++child;
      if (!(entries_[child].key < moved.key)) break;
      put(at, entries_[child]);
      at = child;
    }
    put(at, moved);
  }

  std::vector<Entry> entries_;
  std::vector<V> places_;  // index of each vertex in entries_
};

}  // namespace warpath
