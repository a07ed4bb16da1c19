// open_team.hpp - cooperation of those threads of a team that have started so far.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/parallel/control.hpp"
#include "warpath/parallel/scheduling.hpp"

namespace warpath {

/// The number of parts of a given size that cover a whole.
inline std::int64_t parts_of(std::int64_t whole, std::int64_t size) {
  return (whole + size - 1) / size;
}

/// A dynamically scheduled parallel loop: threads claim its parts one by one.
class Shares {
 public:
  /// Claims parts and calls part(i) for each, until all `parts` are claimed.
  template <class Part>
  void take(std::int64_t parts, Part&& part) {
    for (std::int64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < parts;) {
      part(i);
      done_.fetch_add(1, std::memory_order_release);
    }
  }

  bool done(std::int64_t parts) const { return done_.load(std::memory_order_acquire) >= parts; }

 private:
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::int64_t> done_{0};
};

/// The joined threads ("members") of a team whose threads start at different times. Rank 0 is a
/// member from the start and admits the others at points of its choice. Members wait for members
/// only, so a thread that has not started delays no other.
class Crew {
 public:
  /// `assemble`: begin when all threads have started, so that tests cover all of them.
  Crew(int threads, bool assemble, Control& control)
      : threads_(threads),
        assemble_(assemble),
        spins_(threads > 1 ? spins_of(threads) : 0),
        control_(control),
        tickets_(static_cast<std::size_t>(threads > 1 ? threads : 0)) {}

  int members() const { return members_.load(std::memory_order_relaxed); }

  /// A start barrier, in effect with `assemble` only; for work that is shared without joining.
  void come(int rank) {
    if (!assemble_) return;
    come_.fetch_add(1, std::memory_order_release);
    tell();
    await(rank, [&] { return come_.load(std::memory_order_acquire) == threads_; });
  }

  /// Waits until done() holds: spins for a short time, then sleeps.
  template <class Done>
  void await(int rank, Done&& done) {
    bell_.wait(spins_, done, [&] {
      if (control_.stopped()) throw Cancelled{};
      if (rank == 0) control_.poll();
    });
  }

  /// Wakes the waiting threads. Call it when a condition that others await may have become true.
  void tell() {
    if (threads_ > 1) bell_.ring();
  }

  /// Runs a parallel loop with all threads present, members or not; returns when it is done.
  template <class Part>
  void share(Shares& work, std::int64_t parts, int rank, Part&& part) {
    work.take(parts, part);
    if (threads_ == 1) return;
    if (work.done(parts))
      tell();
    else
      await(rank, [&] { return work.done(parts); });
  }

  /// Rank >= 1: requests membership and waits for it. False if the crew is closed.
  bool join(int rank, unsigned& ticket) {
    std::atomic<std::uint64_t>& own = tickets_[static_cast<std::size_t>(rank)];
    own.store(kHere, std::memory_order_release);
    asked_.fetch_add(1, std::memory_order_release);
    tell();
    await(rank, [&] {
      return own.load(std::memory_order_acquire) >= kAdmitted ||
             closed_.load(std::memory_order_acquire);
    });
    const std::uint64_t given = own.load(std::memory_order_acquire);
    if (given < kAdmitted) return false;
    ticket = static_cast<unsigned>(given - kAdmitted);
    return true;
  }

  /// Rank 0: a start barrier if `assemble` is set. Call it before the work that others join.
  void muster() {
    if (assemble_) await(0, [&] { return asked_.load(std::memory_order_acquire) + 1 == threads_; });
  }

  /// Whether a thread has requested membership.
  bool asked() const { return asked_.load(std::memory_order_acquire) + 1 > members(); }

  /// Rank 0, while no other member is between two waits: makes members of the threads that
  /// requested it, and passes `ticket` to each.
  void admit(unsigned ticket = 0) {
    if (!asked()) return;
    int members = this->members();
    for (std::atomic<std::uint64_t>& each : tickets_) {
      if (each.load(std::memory_order_acquire) != kHere) continue;
      each.store(kCounted, std::memory_order_relaxed);
      ++members;
    }
    members_.store(members, std::memory_order_relaxed);
    for (std::atomic<std::uint64_t>& each : tickets_)
      if (each.load(std::memory_order_relaxed) == kCounted)
        each.store(kAdmitted + ticket, std::memory_order_release);
    tell();
  }

  /// Rank 0: admits no more members.
  void close() {
    closed_.store(true, std::memory_order_release);
    tell();
  }

  /// A barrier between the members.
  void wait(int rank) {
    const unsigned generation = generation_.load(std::memory_order_acquire);
    // Read after the increment: threads that were admitted meanwhile may have arrived before.
    const int arrived = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (arrived == members()) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      tell();
      return;
    }
    await(rank, [&] { return generation_.load(std::memory_order_acquire) != generation; });
  }

 private:
  static constexpr std::uint64_t kHere = 1;
  static constexpr std::uint64_t kCounted = 2;
  static constexpr std::uint64_t kAdmitted = 3;  // plus the ticket

  const int threads_;
  const bool assemble_;
  const unsigned spins_;
  Control& control_;
  std::vector<std::atomic<std::uint64_t>> tickets_;  // by rank; 0: not started
  std::atomic<int> members_{1};
  std::atomic<int> come_{0};
  std::atomic<int> asked_{0};  // requests so far, of the ranks from 1 on
  std::atomic<bool> closed_{false};
  alignas(64) std::atomic<int> arrived_{0};
  std::atomic<unsigned> generation_{0};
  Bell bell_;
};

}  // namespace warpath
