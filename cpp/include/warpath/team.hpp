// team.hpp - a few threads for one call, and the barrier between their rounds.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "warpath/control.hpp"

namespace warpath {

/// Runs body(rank) on `threads` threads, rank 0 in the calling one, and waits for all.
///
/// The threads live for this call only, so a forked child or another runtime never meets them; a
/// call costs tens of microseconds. The first exception of any rank stops the others and is
/// rethrown here.
template <class Body>
void run_team(int threads, Control& control, Body&& body) {
  std::exception_ptr first;
  std::mutex guard;
  const auto guarded = [&](int rank) {
    try {
      body(rank);
    } catch (const Cancelled&) {
      // another rank holds the reason
    } catch (...) {
      control.stop();
      const std::scoped_lock lock(guard);
      if (!first) first = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(threads > 1 ? threads - 1 : 0));
    try {
      for (int rank = 1; rank < threads; ++rank) others.emplace_back(guarded, rank);
    } catch (...) {
      // the system has no more threads: those that started must not wait for the rest
      control.stop();
      throw;
    }
    guarded(0);
  }
  if (first) std::rethrow_exception(first);
}

/// Called by each rank of a team when its work is done: the calling thread alone hears of signals,
/// so it stays awake until the last of the others has finished.
inline void await_team(int rank, int team, std::atomic<int>& finished, Control& control) {
  finished.fetch_add(1, std::memory_order_release);
  while (rank == 0 && finished.load(std::memory_order_acquire) < team && !control.stopped()) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    control.poll();
  }
}

/// A barrier that a stopped call never hangs in: waiting ranks throw Cancelled, and rank 0 keeps
/// polling.
class TeamBarrier {
 public:
  TeamBarrier(int threads, Control& control) : threads_(threads), control_(control) {}

  void wait(int rank) {
    const unsigned generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      return;
    }
    for (unsigned spins = 0; generation_.load(std::memory_order_acquire) == generation; ++spins) {
      if (control_.stopped()) throw Cancelled{};
      if (spins < kSpins) continue;
      // With more threads than free cores, yielding alone keeps those busy that wait.
      if (spins < kSpins + kYields) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
      if (rank == 0) control_.poll();
    }
  }

 private:
  // about the time of a short round; then the core is given away
  static constexpr unsigned kSpins = 1 << 10;
  static constexpr unsigned kYields = 1 << 6;
  const int threads_;
  Control& control_;
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> generation_{0};
};

}  // namespace warpath
