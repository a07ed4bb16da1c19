// dial.hpp - Dial's circular bucket queue, one bucket per distance.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/queues/lazy_heap.hpp"

namespace warpath {

/// A queue for small integer weights: O(1) per push; per pop, O(1) and one bit per distance passed.
///
/// All queued keys lie within the largest weight above the key popped last, so max weight + 1
/// buckets, rounded up to a power of two, never mix two keys. A bucket is a linked list of entries
/// from one pool, which are reused. Source: Dial 1969, CACM algorithm 360.
template <class D, Index V>
class DialBuckets {
 public:
  using Entry = QueueEntry<D, V>;

  explicit DialBuckets(std::int64_t max_weight)
      : mask_(std::bit_ceil(static_cast<std::uint64_t>(max_weight) + 64) - 1),
        heads_(mask_ + 1, kNone),
        used_((mask_ + 1) / 64, 0) {}

  V next() const {
    const auto head = heads_[static_cast<std::uint64_t>(current_) & mask_];
    return head == kNone ? V{-1} : pool_[static_cast<std::size_t>(head)].vertex;
  }

  [[gnu::always_inline]] void push(D key, V vertex) {
    const std::uint64_t bucket = static_cast<std::uint64_t>(key) & mask_;
    Link at = free_;
    if (at == kNone) {
      if (pool_.size() == static_cast<std::size_t>(std::numeric_limits<Link>::max()))
        throw std::length_error("more queued vertices than the index type can number");
      at = static_cast<Link>(pool_.size());
      pool_.push_back({vertex, heads_[bucket]});
    } else {
      free_ = pool_[static_cast<std::size_t>(at)].link;
      pool_[static_cast<std::size_t>(at)] = {vertex, heads_[bucket]};
    }
    heads_[bucket] = at;
    used_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
    ++size_;
  }

  template <class IsCurrent>
  bool pop(Entry& top, const IsCurrent&) {
    if (size_ == 0) {
      current_ = 0;
      return false;
    }
    std::uint64_t bucket = static_cast<std::uint64_t>(current_) & mask_;
    if (heads_[bucket] == kNone) {
      current_ += static_cast<D>(distance_to_next(bucket));
      bucket = static_cast<std::uint64_t>(current_) & mask_;
    }
    top = {current_, take(bucket)};
    return true;
  }

  template <class Visit>
  void drain(Visit&& visit) {
    Entry entry;
    while (pop(entry, 0)) visit(entry);
  }

 private:
  using Link = V;
  static constexpr Link kNone = -1;
  struct Queued {
    V vertex;
    Link link;
  };

  V take(std::uint64_t bucket) {
    const Link at = heads_[bucket];
    Queued& entry = pool_[static_cast<std::size_t>(at)];
    heads_[bucket] = entry.link;
    if (entry.link == kNone) used_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    entry.link = free_;
    free_ = at;
    --size_;
    return entry.vertex;
  }

  /// The circular distance from `bucket` to the next nonempty bucket, of which there must be one.
  std::uint64_t distance_to_next(std::uint64_t bucket) const {
    std::size_t word = bucket / 64;
    std::uint64_t found = used_[word] & (~std::uint64_t{0} << (bucket % 64));
    while (found == 0) {
      word = word + 1 == used_.size() ? 0 : word + 1;
      found = used_[word];
    }
    const std::uint64_t next = word * 64 + static_cast<std::uint64_t>(std::countr_zero(found));
    return (next - bucket) & mask_;
  }

  std::uint64_t mask_;
  std::vector<Link> heads_;
  std::vector<std::uint64_t> used_;  // one bit per bucket
  std::vector<Queued> pool_;
  Link free_ = kNone;
  std::int64_t size_ = 0;
  D current_ = 0;
};

}  // namespace warpath
