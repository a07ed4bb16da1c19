// radix_heap.hpp - a radix heap: monotone keys, bucketed by the highest bit that differs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// A queue for keys that never fall below the last one popped, as in Dijkstra's algorithm: O(1) per
/// push, amortised O(bits of the largest weight) per vertex.
///
/// Bucket b holds the keys whose highest bit that differs from `last_` is bit b - 1, so every key
/// of a lower bucket is smaller. A large lowest bucket is split around its smallest current key.
/// From a small one the minimum is picked by a scan, which leaves `last_` unchanged and the buckets
/// valid. Floats >= 0 are ordered like their bits, so they are treated as unsigned integers: exact,
/// not rounded. Source: Ahuja, Mehlhorn, Orlin, Tarjan 1990.
template <class D, Index V>
class RadixHeap {
 public:
  using Entry = QueueEntry<D, V>;

  V next() const { return next_; }

  void push(D key, V vertex) {
    const auto b = static_cast<std::size_t>(std::bit_width(bits(key) ^ last_));
    buckets_[b].push_back({key, vertex});
    used_ |= std::uint64_t{1} << b;
  }

  template <class IsCurrent>
  bool pop(Entry& top, const IsCurrent& is_current) {
    while (used_ != 0) {
      const auto b = static_cast<std::size_t>(std::countr_zero(used_));
      std::vector<Entry>& bucket = buckets_[b];
      if (b > 0 && bucket.size() > kSmall) {
        split(b, is_current);
        continue;
      }
      if (b > 0) move_min_to_back(bucket);
      top = bucket.back();
      bucket.pop_back();
      if (bucket.empty()) used_ &= used_ - 1;
      next_ = bucket.empty() ? V{-1} : bucket.back().vertex;
      return true;
    }
    last_ = 0;
    return false;
  }

  template <class Visit>
  void drain(Visit&& visit) {
    for (std::vector<Entry>& bucket : buckets_) {
      for (const Entry& entry : bucket) visit(entry);
      bucket.clear();
    }
    used_ = 0;
    last_ = 0;
    next_ = V{-1};
  }

 private:
  using Bits = std::conditional_t<sizeof(D) == 8, std::uint64_t, std::uint32_t>;
  static constexpr std::size_t kSmall = 16;  // 4 to 32 are equally fast on road, Delaunay, R-MAT

  static Bits bits(D key) { return std::bit_cast<Bits>(key); }

  static void move_min_to_back(std::vector<Entry>& bucket) {
    std::size_t smallest = 0;
    for (std::size_t i = 1; i < bucket.size(); ++i)
      if (bucket[i].key < bucket[smallest].key) smallest = i;
    std::swap(bucket[smallest], bucket.back());
  }

  /// Moves the current entries of bucket b to lower buckets, around their smallest key.
  template <class IsCurrent>
  void split(std::size_t b, const IsCurrent& is_current) {
    std::vector<Entry>& bucket = buckets_[b];
    std::size_t kept = 0;
    D smallest = unreachable<D>;
    for (const Entry& entry : bucket) {
      if (!is_current(entry)) continue;
      bucket[kept++] = entry;
      smallest = entry.key < smallest ? entry.key : smallest;
    }
    bucket.resize(kept);
    used_ &= ~(std::uint64_t{1} << b);
    if (kept == 0) return;
    last_ = bits(smallest);
    for (const Entry& entry : bucket) push(entry.key, entry.vertex);
    bucket.clear();
  }

  // One bucket for equal keys and one per bit; the sign bit is never set.
  std::array<std::vector<Entry>, 8 * sizeof(D)> buckets_;
  std::uint64_t used_ = 0;  // bit b: bucket b is not empty
  Bits last_ = 0;
  V next_ = -1;
};

}  // namespace warpath
