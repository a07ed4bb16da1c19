// path_key.hpp - keys in the order of paths by length, hops and last vertex, and counted
// comparisons.
#pragma once

#include <cstdint>

#include "warpath/graph/types.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// Counted comparisons of this thread.
inline thread_local std::int64_t counted_comparisons = 0;

/// A length whose comparisons are counted, as the key of a queue.
template <class D>
struct CountedLength {
  D length;

  friend bool operator<(const CountedLength& a, const CountedLength& b) {
    ++counted_comparisons;
    return a.length < b.length;
  }
  friend bool operator<=(const CountedLength& a, const CountedLength& b) {
    ++counted_comparisons;
    return a.length <= b.length;
  }
};

/// The default queue with its comparisons counted.
template <class D, Index V>
class CountedHeap {
 public:
  using Entry = QueueEntry<D, V>;

  V next() const { return heap_.next(); }
  void push(D key, V vertex) { heap_.push({key}, vertex); }

  template <class IsCurrent>
  bool pop(Entry& top, const IsCurrent& is_current) {
    QueueEntry<CountedLength<D>, V> entry;
    if (!heap_.pop(entry, is_current)) return false;
    top = {entry.key.length, entry.vertex};
    return true;
  }

  template <class Visit>
  void drain(Visit&& visit) {
    heap_.drain([&](const auto& entry) { visit(Entry{entry.key.length, entry.vertex}); });
  }

 private:
  QuaternaryHeap<CountedLength<D>, V> heap_;
};

/// The end of a path: paths of equal length are ordered by their hops, then by their last vertex.
/// Two paths to different vertices are never equal.
template <class D, Index V, bool kCounted = false>
struct PathKey {
  D length;
  V vertex;
  V hops;

  bool operator==(const PathKey&) const = default;

  friend bool operator<(const PathKey& a, const PathKey& b) {
    if constexpr (kCounted) ++counted_comparisons;
    if (a.length != b.length) return a.length < b.length;
    return a.hops != b.hops ? a.hops < b.hops : a.vertex < b.vertex;
  }
  friend bool operator<=(const PathKey& a, const PathKey& b) { return !(b < a); }
};

}  // namespace warpath
