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
inline std::int64_t ceil_div(std::int64_t whole, std::int64_t size) {
  return (whole + size - 1) / size;
}

/// A dynamically scheduled parallel loop: threads claim its parts one by one.
class DynamicLoop {
 public:
  /// Claims parts and calls part(i) for each, until all `parts` are claimed.
  template <class Part>
  void run(std::int64_t parts, Part&& part) {
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
/// member from the start and accepts the others at points of its choice. Members wait for members
/// only, so a thread that has not started delays no other.
class OpenTeam {
 public:
  /// `assemble`: begin when all threads have started, so that tests cover all of them.
  OpenTeam(int threads, bool assemble, Control& control)
      : threads_(threads),
        assemble_(assemble),
        spins_(threads > 1 ? spin_count(threads) : 0),
        control_(control),
        tickets_(static_cast<std::size_t>(threads > 1 ? threads : 0)) {}

  int members() const { return members_.load(std::memory_order_relaxed); }

  /// With `assemble`, a barrier for all threads at their start; for work that is shared without
  /// membership. Otherwise nothing.
  void start_barrier(int rank) {
    if (!assemble_) return;
    started_.fetch_add(1, std::memory_order_release);
    notify_all();
    wait_until(rank, [&] { return started_.load(std::memory_order_acquire) == threads_; });
  }

  /// Waits until done() holds: spins for a short time, then sleeps.
  template <class Done>
  void wait_until(int rank, Done&& done) {
    event_.wait(spins_, done, [&] {
      if (control_.stopped()) throw Cancelled{};
      if (rank == 0) control_.poll();
    });
  }

  /// Wakes the waiting threads. Call it when a condition that others wait for may have become true.
  void notify_all() {
    if (threads_ > 1) event_.notify_all();
  }

  /// Runs a parallel loop with all threads present, members or not; returns when it is done.
  template <class Part>
  void parallel_for(DynamicLoop& loop, std::int64_t parts, int rank, Part&& part) {
    loop.run(parts, part);
    if (threads_ == 1) return;
    if (loop.done(parts))
      notify_all();
    else
      wait_until(rank, [&] { return loop.done(parts); });
  }

  /// Rank >= 1: requests membership and waits for it. False if the team is closed.
  bool request_membership(int rank, unsigned& ticket) {
    std::atomic<std::uint64_t>& own = tickets_[static_cast<std::size_t>(rank)];
    own.store(kRequested, std::memory_order_release);
    requests_.fetch_add(1, std::memory_order_release);
    notify_all();
    wait_until(rank, [&] {
      return own.load(std::memory_order_acquire) >= kAccepted ||
             closed_.load(std::memory_order_acquire);
    });
    const std::uint64_t given = own.load(std::memory_order_acquire);
    if (given < kAccepted) return false;
    ticket = static_cast<unsigned>(given - kAccepted);
    return true;
  }

  /// Rank 0: with `assemble`, waits until all other threads have requested membership. Call it
  /// before the work that members share.
  void await_requests() {
    if (assemble_)
      wait_until(0, [&] { return requests_.load(std::memory_order_acquire) + 1 == threads_; });
  }

  /// Whether a thread has requested membership.
  bool has_requests() const { return requests_.load(std::memory_order_acquire) + 1 > members(); }

  /// Rank 0, while no other member is between two waits: makes members of the threads that
  /// requested it, and passes `ticket` to each.
  void accept_members(unsigned ticket = 0) {
    if (!has_requests()) return;
    int members = this->members();
    for (std::atomic<std::uint64_t>& each : tickets_) {
      if (each.load(std::memory_order_acquire) != kRequested) continue;
      each.store(kCounted, std::memory_order_relaxed);
      ++members;
    }
    members_.store(members, std::memory_order_relaxed);
    for (std::atomic<std::uint64_t>& each : tickets_)
      if (each.load(std::memory_order_relaxed) == kCounted)
        each.store(kAccepted + ticket, std::memory_order_release);
    notify_all();
  }

  /// Rank 0: accepts no more members.
  void close() {
    closed_.store(true, std::memory_order_release);
    notify_all();
  }

  /// A barrier between the members.
  void barrier(int rank) {
    const unsigned generation = generation_.load(std::memory_order_acquire);
    // Read after the increment: threads that were accepted meanwhile may have arrived before.
    const int arrived = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (arrived == members()) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      notify_all();
      return;
    }
    wait_until(rank, [&] { return generation_.load(std::memory_order_acquire) != generation; });
  }

 private:
  static constexpr std::uint64_t kRequested = 1;
  static constexpr std::uint64_t kCounted = 2;
  static constexpr std::uint64_t kAccepted = 3;  // plus the ticket

  const int threads_;
  const bool assemble_;
  const unsigned spins_;
  Control& control_;
  std::vector<std::atomic<std::uint64_t>> tickets_;  // by rank; 0: not started
  std::atomic<int> members_{1};
  std::atomic<int> started_{0};
  std::atomic<int> requests_{0};  // requests so far, of the ranks from 1 on
  std::atomic<bool> closed_{false};
  alignas(64) std::atomic<int> arrived_{0};
  std::atomic<unsigned> generation_{0};
  EventCount event_;
};

}  // namespace warpath
