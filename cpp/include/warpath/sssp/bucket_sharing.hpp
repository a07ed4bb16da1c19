// bucket_sharing.hpp - how a team shares the current bucket, and agrees on the next one.
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

/// A block of entries and their number in one word (the number in the low bits); empty if the word
/// is 0. Small enough to be handed over by one atomic exchange.
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

  /// The same parcel, marked with its round.
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

/// The current bucket, shared by the members of a team (the joined threads of a team). A round ends
/// when all members are idle.
///
/// A rank takes the entries of its lane first. A lane is a range of vertex numbers, so that a
/// thread mostly meets labels that it wrote itself: labels that another thread wrote come from that
/// core's cache, which between distant cores takes as long as from memory. The borders of lanes
/// follow the entries: every kCounted rounds the entries are counted by stretches (ranges of
/// neighbouring vertex numbers), and the borders are set so that each lane gets the same number.
///
/// The state of a round is stored three times, indexed by the round modulo 3: a thread may still
/// read the last round's while another is in the next, and rank 0 clears the one after. Before rank
/// 0 becomes idle, it sets the number of members of the next round, including the threads that have
/// joined meanwhile.
template <class V>
class BucketSharing {
 public:
  /// For n vertices; `in_lanes` if most edges lead to close vertex numbers.
  BucketSharing(int threads, std::int64_t n, bool in_lanes, OpenTeam& team)
      : threads_(threads),
        lanes_(in_lanes ? std::min(threads, kMostLanes) : 1),
        stretch_(std::bit_width(static_cast<std::uint64_t>(n / kStretches))),
        team_(team),
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

  /// Publishes a rank's entries of the bucket, each in the lane of its vertex; the blocks after the
  /// first kSorted go to the rank's own lane unsorted.
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

  /// Claims a parcel: from the rank's lane first, of its own entries and then of other ranks'; then
  /// from the other lanes. Empty if there is none.
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

  /// Whether a thread is idle, so that an offer would be taken.
  bool wanted(unsigned round) const { return idle_[round % 3].load(std::memory_order_relaxed) > 0; }

  /// Offers entries to idle threads, unless the rank's last offer is still open. The gift (the
  /// parcel handed over) is an unclaimed parcel, or half of the rest of the parcel that the rank is
  /// reading, or half of the entries that fell back into the bucket.
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
    team_.notify_all();
  }

  /// Withdraws the rank's offer if no thread took it. Required before the rank becomes idle.
  Parcel<V> withdraw(int rank) {
    std::atomic<std::uintptr_t>& gift = desk(rank).gift;
    // A load suffices: only this rank makes its offers, and an exchange takes as long as a scan.
    if (gift.load(std::memory_order_relaxed) == 0) return {};
    return Parcel<V>(gift.exchange(0, std::memory_order_acq_rel));
  }

  /// Makes the rank idle; `next` is its first nonempty bucket. Waits until all members are idle and
  /// returns an empty parcel, or returns a parcel that another rank offered: this rank is then
  /// busy.
  Parcel<V> rest(int rank, unsigned round, int next) {
    if (rank == 0) {
      team_.accept_members(round);
      members_[(round + 1) % 3].store(team_.members(), std::memory_order_relaxed);
    }
    std::atomic<int>& idle = idle_[round % 3];
    desk(rank).next[round % 3].store(next, std::memory_order_relaxed);
    const int before = idle.fetch_add(1, std::memory_order_acq_rel);
    if (before + 1 == members_[round % 3].load(std::memory_order_relaxed)) {
      team_.notify_all();
    } else if (const Parcel<V> gift = gift_or_end(rank, round)) {
      return gift;
    }
    // All members have left the previous round, whose counter is used again after two more rounds.
    if (rank == 0) idle_[(round + 2) % 3].store(0, std::memory_order_relaxed);
    return {};
  }

  /// Waits for the end of a round in which the rank is not a member; it is one in the next round.
  void await_end(int rank, unsigned round) {
    team_.wait_until(rank, [&] { return ended(round); });
  }

  /// After a round: the first nonempty bucket of any rank.
  int first_bucket(unsigned round) const {
    int first = BucketBins<V>::kFar;
    for (const Desk& each : desks_)
      first = std::min(first, each.next[round % 3].load(std::memory_order_relaxed));
    return first;
  }

 private:
  static constexpr std::size_t kLeastGift = 32;  // entries; less is not worth handing over
  static constexpr int kMostLanes = 4;
  static constexpr std::int64_t kStretches = 128;  // between half as many and as many stretches
  static constexpr unsigned kCounted = 8;          // entries are counted in one of so many rounds
  static constexpr std::int64_t kFewestCounted = 64;  // fewer do not predict the next rounds
  static constexpr std::size_t kSorted = 64;  // blocks sorted into lanes; the rest is not sorted

  using Borders =
      std::array<std::int64_t, kMostLanes - 1>;  // the first vertex of each lane except the first

  struct alignas(64) Lane {
    std::vector<Parcel<V>> parcels;
    std::atomic<std::size_t> cursor{0};
  };
  struct alignas(64) Desk {
    std::array<Lane, kMostLanes> lanes;  // the rank's entries of the current bucket
    std::atomic<unsigned> ready{~0U};    // the round that `lanes` belong to
    std::array<std::atomic<int>, 3> next{};
    alignas(64) std::array<std::uint32_t, kStretches> entries{};  // of a counted round, by stretch
    alignas(64) std::atomic<std::uintptr_t> gift{0};
  };

  /// Rank 0, after a counted round: sets the borders for the next round and copies them for the
  /// rounds after it; a round that only moves the window may come between. During a round the other
  /// ranks read the borders of its parity.
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
      // Assumes that the entries of a stretch are spread evenly in it.
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

  /// Waits for an offer or for the end of the round; an empty parcel means the end.
  Parcel<V> gift_or_end(int rank, unsigned round) {
    std::atomic<int>& idle = idle_[round % 3];
    Parcel<V> taken;
    team_.wait_until(rank, [&] {
      if (ended(round)) return true;
      for (Desk& owner : desks_) {
        std::uintptr_t gift = owner.gift.load(std::memory_order_relaxed);
        if (!Parcel<V>(gift).is_of(round)) continue;
        // The rank is counted as busy before it takes the gift: otherwise all ranks could seem idle
        // while the gift changes hands.
        idle.fetch_sub(1, std::memory_order_acq_rel);
        if (owner.gift.compare_exchange_strong(gift, 0, std::memory_order_acq_rel)) {
          taken = Parcel<V>(gift);
          return true;
        }
        if (idle.fetch_add(1, std::memory_order_acq_rel) + 1 ==
            members_[round % 3].load(std::memory_order_relaxed))
          team_.notify_all();
      }
      return false;
    });
    return taken;
  }

  const int threads_;
  const int lanes_;
  const int stretch_;  // a stretch is 2^stretch_ neighbouring vertices
  OpenTeam& team_;
  std::vector<Desk> desks_;
  alignas(64) std::array<Borders, 2> borders_{};        // of even rounds and of odd ones
  alignas(64) std::array<std::atomic<int>, 3> idle_{};  // by round: idle members
  std::array<std::atomic<int>, 3> members_{};  // by round: all members; read together with idle_
};

}  // namespace warpath
