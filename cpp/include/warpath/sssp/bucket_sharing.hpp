// bucket_sharing.hpp - how a team works through one bucket together, and agrees on the next.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "warpath/parallel/open_team.hpp"
#include "warpath/sssp/bucket_bins.hpp"

namespace warpath {

/// A block and how many entries it has, in its low bits; none where all bits are 0.
template <class V>
class Parcel {
 public:
  Parcel() = default;
  Parcel(Block<V>* block, std::size_t entries)
      : bits_(reinterpret_cast<std::uintptr_t>(block) | entries) {}
  explicit Parcel(std::uintptr_t bits) : bits_(bits) {}

  explicit operator bool() const { return bits_ != 0; }
  std::uintptr_t bits() const { return bits_; }
  V* begin() const { return reinterpret_cast<Block<V>*>(bits_ & ~kLow)->entries; }
  V* end() const { return begin() + (bits_ & kEntries); }

  /// Marked with the round that it belongs to.
  Parcel of(unsigned round) const { return Parcel((bits_ & ~(kLow & ~kEntries)) | mark(round)); }
  bool is_of(unsigned round) const {
    return bits_ != 0 && (bits_ & (kLow & ~kEntries)) == mark(round);
  }

 private:
  static constexpr std::uintptr_t kLow = Block<V>::kBytes - 1;
  static constexpr std::uintptr_t kEntries = 255;
  static_assert(Block<V>::kEntries <= kEntries);
  static std::uintptr_t mark(unsigned round) { return round % 3 * 256; }

  std::uintptr_t bits_ = 0;
};

/// The bucket in work as the members of a crew share it. A round ends when all are idle.
///
/// A rank takes what lies in its lane first. A lane is a range of vertex numbers, so that a thread
/// mostly meets labels that it wrote itself: what another one wrote comes out of that one's cache,
/// which between distant cores takes as long as from memory. The borders follow the entries: now
/// and then these are counted by stretches of neighbouring vertices, and each lane gets as many of
/// them.
///
/// What belongs to a round is kept three times, by the round: a thread may still look at the last
/// one while another is in the next, and rank 0 clears the one after. Before rank 0 is idle it says
/// who takes part in the next round: those who have come meanwhile, too.
template <class V>
class BucketSharing {
 public:
  /// For n vertices; `in_lanes` where neighbours mostly have numbers close to each other.
  BucketSharing(int threads, std::int64_t n, bool in_lanes, Crew& crew)
      : threads_(threads),
        lanes_(in_lanes ? std::min(threads, kMostLanes) : 1),
        stretch_(std::bit_width(static_cast<std::uint64_t>(n / kStretches))),
        crew_(crew),
        desks_(static_cast<std::size_t>(threads)) {
    for (Borders& borders : borders_) {
      borders.fill(std::numeric_limits<std::int64_t>::max());
      for (int lane = 1; lane < lanes_; ++lane)
        borders[static_cast<std::size_t>(lane - 1)] = n * lane / lanes_;
    }
    for (Desk& each : desks_)
      for (std::atomic<int>& next : each.next) next.store(BucketBins<V>::kFar);
    members_[0].store(1);
  }

  /// Lays the entries of a rank's bucket out for all, each in the lane of its vertex; those beyond
  /// the first blocks in the rank's own.
  void publish(int rank, BucketBins<V>& bins, int bucket, unsigned round) {
    Desk& own = desk(rank);
    for (Lane& lane : own.lanes) lane.parcels.clear();
    std::array<V*, kMostLanes> tails{};
    std::size_t blocks = 0;
    const bool counts = lanes_ > 1 && round % kCounted == 0;
    if (counts) own.entries.fill(0);
    if (rank == 0 && lanes_ > 1) move_borders(round);
    const Borders borders = borders_[round % 2];
    bins.detach(bucket, [&](Block<V>* block, std::size_t entries) {
      if (lanes_ == 1 || ++blocks > kSorted) {
        own.lanes[static_cast<std::size_t>(lane_of(rank))].parcels.emplace_back(block, entries);
        return;
      }
      for (std::size_t i = 0; i < entries; ++i) {
        const V v = block->entries[i];
        std::size_t at = 0;
        for (const std::int64_t border : borders) at += v >= border;
        if (counts) ++own.entries[static_cast<std::size_t>(v >> stretch_)];
        if (Block<V>::at_end(tails[at])) [[unlikely]] {
          lay(own, at, tails[at]);
          tails[at] = bins.pool().take()->entries;
        }
        *tails[at]++ = v;
      }
      bins.pool().give(block);
    });
    for (std::size_t at = 0; at < tails.size(); ++at) lay(own, at, tails[at]);
    for (Lane& lane : own.lanes) lane.cursor.store(0, std::memory_order_relaxed);
    own.ready.store(round, std::memory_order_release);
  }

  /// A parcel of the rank's lane, which it or another has laid out already; then of other lanes.
  Parcel<V> take(int rank, unsigned round) {
    for (int lane = 0; lane < lanes_; ++lane) {
      const auto at = static_cast<std::size_t>((lane_of(rank) + lane) % lanes_);
      for (int k = 0; k < threads_; ++k) {
        Desk& owner = desk((rank + k) % threads_);
        if (owner.ready.load(std::memory_order_acquire) != round) continue;
        if (const Parcel<V> parcel = taken_from(owner.lanes[at])) return parcel;
      }
    }
    return {};
  }

  /// Whether somebody is idle, who would have part of what others have.
  bool wanted(unsigned round) const { return idle_[round % 3].load(std::memory_order_relaxed) > 0; }

  /// Offers entries to whoever is idle, unless an offer is still there: a parcel, or half of those
  /// left of the one that the rank took, or half of what fell back into the bucket.
  void offer(int rank, BucketBins<V>& bins, int bucket, unsigned round, const V* taken,
             V*& taken_end) {
    Desk& own = desk(rank);
    if (own.gift.load(std::memory_order_relaxed) != 0) return;
    Parcel<V> parcel;
    for (int lane = lanes_; lane-- > 0 && !parcel;)
      parcel = taken_from(own.lanes[static_cast<std::size_t>((lane_of(rank) + lane) % lanes_)]);
    if (!parcel) {
      const auto left = static_cast<std::size_t>(taken_end - taken);
      const std::size_t count = std::max(left, bins.at_hand(bucket)) / 2;
      if (count < kLeastGift) return;
      Block<V>* const block = bins.pool().take();
      if (left / 2 == count) {
        taken_end -= count;
        std::copy_n(taken_end, count, block->entries);
      } else {
        for (std::size_t i = 0; i < count; ++i) bins.pop(bucket, block->entries[i]);
      }
      parcel = Parcel<V>(block, count);
    }
    own.gift.store(parcel.of(round).bits(), std::memory_order_release);
    crew_.tell();
  }

  /// Takes an offer back that nobody took. To be done before the rank is idle.
  Parcel<V> withdraw(int rank) {
    std::atomic<std::uintptr_t>& gift = desk(rank).gift;
    // A look is enough: the rank alone makes offers. An exchange takes as long as a scan.
    if (gift.load(std::memory_order_relaxed) == 0) return {};
    return Parcel<V>(gift.exchange(0, std::memory_order_acq_rel));
  }

  /// The rank has nothing left; `next` is its first bucket with entries. Waits until all are idle,
  /// then returns none, or returns what somebody gave: then the rank is not idle any more.
  Parcel<V> rest(int rank, unsigned round, int next) {
    if (rank == 0) {
      crew_.admit(round);
      members_[(round + 1) % 3].store(crew_.members(), std::memory_order_relaxed);
    }
    std::atomic<int>& idle = idle_[round % 3];
    desk(rank).next[round % 3].store(next, std::memory_order_relaxed);
    const int before = idle.fetch_add(1, std::memory_order_acq_rel);
    if (before + 1 == members_[round % 3].load(std::memory_order_relaxed)) {
      crew_.tell();
    } else if (const Parcel<V> gift = gift_or_end(rank, round)) {
      return gift;
    }
    // All have left the round before, whose turn comes again after the next two.
    if (rank == 0) idle_[(round + 2) % 3].store(0, std::memory_order_relaxed);
    return {};
  }

  /// Waits for the end of a round that the rank has no part in, as the member of the next one.
  void await_end(int rank, unsigned round) {
    crew_.await(rank, [&] { return ended(round); });
  }

  /// After a round: the first bucket with entries of any rank.
  int first_bucket(unsigned round) const {
    int first = BucketBins<V>::kFar;
    for (const Desk& each : desks_)
      first = std::min(first, each.next[round % 3].load(std::memory_order_relaxed));
    return first;
  }

 private:
  static constexpr std::size_t kLeastGift = 32;  // entries
  static constexpr int kMostLanes = 4;
  static constexpr std::int64_t kStretches = 128;     // or half as many
  static constexpr unsigned kCounted = 8;             // of as many rounds the entries of one
  static constexpr std::int64_t kFewestCounted = 64;  // say little of where the next ones will lie
  static constexpr std::size_t kSorted = 64;  // blocks; fuller buckets are laid out as they are

  using Borders =
      std::array<std::int64_t, kMostLanes - 1>;  // first vertices of lanes but the first

  struct alignas(64) Lane {
    std::vector<Parcel<V>> parcels;
    std::atomic<std::size_t> cursor{0};
  };
  struct alignas(64) Desk {
    std::array<Lane, kMostLanes> lanes;  // the rank's entries of the bucket in work
    std::atomic<unsigned> ready{~0U};    // the round that they belong to
    std::array<std::atomic<int>, 3> next{};
    alignas(64) std::array<std::uint32_t, kStretches> entries{};  // of a counted round, by stretch
    alignas(64) std::atomic<std::uintptr_t> gift{0};
  };

  /// Rank 0, after a counted round: where lanes begin in the next one and, by the copy, in those
  /// that follow; a round that only moves the buckets on may come between. In the round itself the
  /// others read the borders of its parity.
  void move_borders(unsigned round) {
    Borders& borders = borders_[(round + 1) % 2];
    if (round % kCounted == 2) borders = borders_[round % 2];
    if (round % kCounted != 1) return;
    std::array<std::int64_t, kStretches> entries{};
    for (const Desk& each : desks_)
      for (std::size_t at = 0; at < entries.size(); ++at) entries[at] += each.entries[at];
    const std::int64_t all = std::reduce(entries.begin(), entries.end());
    if (all < kFewestCounted) return;
    std::int64_t before = 0;
    std::size_t at = 0;
    for (int lane = 1; lane < lanes_; ++lane) {
      const std::int64_t wanted = all * lane / lanes_;
      while (before + entries[at] < wanted) before += entries[at++];
      // As if those of a stretch lay evenly in it.
      const std::int64_t within =
          ((wanted - before) << stretch_) / std::max<std::int64_t>(entries[at], 1);
      borders[static_cast<std::size_t>(lane - 1)] =
          (static_cast<std::int64_t>(at) << stretch_) + within;
    }
  }

  Desk& desk(int rank) { return desks_[static_cast<std::size_t>(rank)]; }

  int lane_of(int rank) const { return rank % lanes_; }

  static void lay(Desk& own, std::size_t lane, V* tail) {
    if (tail == nullptr) return;
    Block<V>* const block = Block<V>::before(tail);
    own.lanes[lane].parcels.emplace_back(block, static_cast<std::size_t>(tail - block->entries));
  }

  static Parcel<V> taken_from(Lane& lane) {
    if (lane.cursor.load(std::memory_order_relaxed) >= lane.parcels.size()) return {};
    const std::size_t at = lane.cursor.fetch_add(1, std::memory_order_relaxed);
    return at < lane.parcels.size() ? lane.parcels[at] : Parcel<V>();
  }

  bool ended(unsigned round) const {
    return idle_[round % 3].load(std::memory_order_acquire) ==
           members_[round % 3].load(std::memory_order_relaxed);
  }

  /// An idle rank waits for either.
  Parcel<V> gift_or_end(int rank, unsigned round) {
    std::atomic<int>& idle = idle_[round % 3];
    Parcel<V> taken;
    crew_.await(rank, [&] {
      if (ended(round)) return true;
      for (Desk& owner : desks_) {
        std::uintptr_t gift = owner.gift.load(std::memory_order_relaxed);
        if (!Parcel<V>(gift).is_of(round)) continue;
        // Not idle before the gift is taken: else all might seem to be while it is under way.
        idle.fetch_sub(1, std::memory_order_acq_rel);
        if (owner.gift.compare_exchange_strong(gift, 0, std::memory_order_acq_rel)) {
          taken = Parcel<V>(gift);
          return true;
        }
        if (idle.fetch_add(1, std::memory_order_acq_rel) + 1 ==
            members_[round % 3].load(std::memory_order_relaxed))
          crew_.tell();
      }
      return false;
    });
    return taken;
  }

  const int threads_;
  const int lanes_;
  const int stretch_;  // 2^stretch_ neighbouring vertices are counted together
  Crew& crew_;
  std::vector<Desk> desks_;
  alignas(64) std::array<Borders, 2> borders_{};        // of even rounds and of odd ones
  alignas(64) std::array<std::atomic<int>, 3> idle_{};  // members of the round without work
  std::array<std::atomic<int>, 3> members_{};           // all of them; read with the former
};

}  // namespace warpath
