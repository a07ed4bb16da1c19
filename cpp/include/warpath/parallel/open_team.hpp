// open_team.hpp - those threads of an open team who have come, and how they work together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/parallel/control.hpp"
#include "warpath/parallel/scheduling.hpp"

namespace warpath {

/// How many parts of one size cover a whole.
inline std::int64_t parts_of(std::int64_t whole, std::int64_t size) {
  return (whole + size - 1) / size;
}

/// Work in parts that whoever is there takes one by one; done when all parts are.
class Shares {
 public:
  /// Calls part(i) for those of `parts` that nobody has taken, until none is left.
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

/// The ranks of an open team. Rank 0 is a member from the start and admits the others where that
/// suits it; members wait for members alone, so that a thread which has not come holds nobody up.
class Crew {
 public:
  /// To `assemble` is to begin when all threads have come: it makes tests meet all of them.
  Crew(int threads, bool assemble, Control& control)
      : threads_(threads),
        assemble_(assemble),
        spins_(threads > 1 ? spins_of(threads) : 0),
        control_(control),
        tickets_(static_cast<std::size_t>(threads > 1 ? threads : 0)) {}

  int members() const { return members_.load(std::memory_order_relaxed); }

  /// What each thread calls first where work is shared, but nobody joins.
  void come(int rank) {
    if (!assemble_) return;
    come_.fetch_add(1, std::memory_order_release);
    tell();
    await(rank, [&] { return come_.load(std::memory_order_acquire) == threads_; });
  }

  /// Waits until done() holds: shortly without giving the processor away, then asleep.
  template <class Done>
  void await(int rank, Done&& done) {
    bell_.wait(spins_, done, [&] {
      if (control_.stopped()) throw Cancelled{};
      if (rank == 0) control_.poll();
    });
  }

  /// To be called when what others await may have come true.
  void tell() {
    if (threads_ > 1) bell_.ring();
  }

  /// Does work in parts with whoever is there, member or not, and returns when all of it is done.
  template <class Part>
  void share(Shares& work, std::int64_t parts, int rank, Part&& part) {
    work.take(parts, part);
    if (threads_ == 1) return;
    if (work.done(parts))
      tell();
    else
      await(rank, [&] { return work.done(parts); });
  }

  /// Another rank than 0 asks to be a member and waits for it. False when no more are admitted.
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

  /// Rank 0, before the work that others join.
  void muster() {
    if (assemble_) await(0, [&] { return asked_.load(std::memory_order_acquire) + 1 == threads_; });
  }

  /// Whether somebody waits to be a member.
  bool asked() const { return asked_.load(std::memory_order_acquire) + 1 > members(); }

  /// Rank 0, while no other member is between two waits: makes members of those who ask, and hands
  /// each the ticket.
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

  /// Rank 0: no more are admitted.
  void close() {
    closed_.store(true, std::memory_order_release);
    tell();
  }

  /// A barrier between the members.
  void wait(int rank) {
    const unsigned generation = generation_.load(std::memory_order_acquire);
    // Those admitted meanwhile may have arrived before: their number is asked for afterwards.
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
  static constexpr std::uint64_t kAdmitted = 3;  // and the ticket

  const int threads_;
  const bool assemble_;
  const unsigned spins_;
  Control& control_;
  std::vector<std::atomic<std::uint64_t>> tickets_;  // 0: has not come
  std::atomic<int> members_{1};
  std::atomic<int> come_{0};
  std::atomic<int> asked_{0};  // others than rank 0
  std::atomic<bool> closed_{false};
  alignas(64) std::atomic<int> arrived_{0};
  std::atomic<unsigned> generation_{0};
  Bell bell_;
};

}  // namespace warpath
