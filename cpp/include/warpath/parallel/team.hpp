// team.hpp - a thread team for one call, and the barrier between its rounds.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "warpath/parallel/control.hpp"
#include "warpath/parallel/scheduling.hpp"
#include "warpath/parallel/workers.hpp"

namespace warpath {

/// What each rank of a team runs. Teams take it in this form: for every type of lambda the start of
/// threads would be compiled again.
using RankWork = std::function<void(int rank)>;

/// Runs the function of each rank and stores the first exception, which stops the other ranks.
class ExceptionRelay {
 public:
  explicit ExceptionRelay(Control& control) : control_(control) {}

  void run(const RankWork& body, int rank) {
    try {
      body(rank);
    } catch (const Cancelled&) {
      // another rank stored the reason
    } catch (...) {
      control_.stop();
      const std::scoped_lock lock(mutex_);
      if (!first_) first_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  Control& control_;
  std::exception_ptr first_;
  std::mutex mutex_;
};

/// Starts work(rank) on new threads, for the ranks from 1 on, and passes each thread to `use`.
///
/// The threads are pinned to the processors other than the calling thread's. The system would place
/// about every other one on that processor, where it waits until the caller sleeps or some ms have
/// passed.
inline void start_threads(int threads, Control& control, const RankWork& work,
                          const std::function<void(jthread)>& use) {
  if (threads <= 1) return;
  const Processors allowed;
  const Processors others = allowed.others();
  // A thread must not end before it is pinned: the system would pin the calling one instead.
  const auto pinned = std::make_shared<std::atomic<int>>(0);
  try {
    for (int rank = 1; rank < threads; ++rank) {
      jthread started([work, pinned, rank] {
        work(rank);
        while (pinned->load(std::memory_order_acquire) < rank) std::this_thread::yield();
      });
      if (threads <= allowed.count()) others.pin(started.native_handle());
      pinned->store(rank, std::memory_order_release);
      use(std::move(started));
    }
  } catch (...) {
    // the system has no more threads: those that started must not wait for the rest
    control.stop();
    throw;
  }
}

/// Implements `run_team`.
inline void run_ranks(int threads, Control& control, const RankWork& body) {
  ExceptionRelay relay(control);
  {
    std::vector<jthread> others;
    others.reserve(static_cast<std::size_t>(threads > 1 ? threads - 1 : 0));
    start_threads(
        threads, control, [&](int rank) { relay.run(body, rank); },
        [&](jthread started) { others.push_back(std::move(started)); });
    relay.run(body, 0);
  }
  relay.rethrow();
}

/// Runs body(rank) on `threads` threads, rank 0 in the calling one, and waits for all.
///
/// The threads live for this call only, so a forked child or another runtime never meets them. A
/// call costs tens of microseconds. The first exception of any rank stops the others and is
/// rethrown here.
template <class Body>
void run_team(int threads, Control& control, Body&& body) {
  run_ranks(threads, control, std::ref(body));
}

/// Lets the threads of an open team use the call's data until the call closes the gate.
class CallGate {
 public:
  bool enter() {
    int inside = inside_.load(std::memory_order_relaxed);
    do {
      if ((inside & kClosed) != 0) return false;
    } while (!inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire));
    return true;
  }

  void leave() {
    inside_.fetch_sub(1, std::memory_order_release);
    event_.notify_all();
  }

  /// Lets no more threads in and waits until those inside have left.
  void close(int threads) {
    inside_.fetch_or(kClosed, std::memory_order_relaxed);
    const auto empty = [&] { return inside_.load(std::memory_order_acquire) == kClosed; };
    if (!empty()) event_.wait(spin_count(threads), empty, [] {});
  }

 private:
  static constexpr int kClosed = 1 << 30;
  std::atomic<int> inside_{0};
  EventCount event_;
};

/// Calls entry(rank) on other threads, for the ranks from 1 on, and waits for none of them. A
/// thread that starts after the call's end must not touch the call's data.
inline void start_detached(int threads, Control& control, const RankWork& entry) {
  const Processors allowed;
  if (threads > allowed.count()) {  // a waiting worker would occupy a busy processor
    start_threads(threads, control, entry, [](jthread started) { started.detach(); });
    return;
  }
  const Processors others = allowed.others();
  try {
    for (int rank = 1; rank < threads; ++rank)
      ThreadPool::get().run([entry, rank] { entry(rank); }, others);
  } catch (...) {
    control.stop();
    throw;
  }
}

/// Implements `run_open_team` for several threads.
inline void run_open_ranks(int threads, Control& control, const RankWork& body) {
  ExceptionRelay relay(control);
  const auto gate = std::make_shared<CallGate>();
  const auto entry = [gate, &relay, &body](int rank) {
    if (!gate->enter()) return;
    relay.run(body, rank);
    gate->leave();
  };
  try {
    start_detached(threads, control, entry);
  } catch (...) {
    gate->close(threads);
    throw;
  }
  relay.run(body, 0);
  gate->close(threads);
  relay.rethrow();
}

/// Runs body(rank) as rank 0 in the calling thread, at once, and on up to threads - 1 others as
/// they start. A thread that has not started when rank 0 is done never runs it.
///
/// A waiting worker starts after a microsecond, a new thread after some 40, or after some ms where
/// other processes use the processors. So the work must wait only for threads that have taken part
/// of it (see `OpenTeam`). Exceptions as in `run_team`.
template <class Body>
void run_open_team(int threads, Control& control, Body&& body) {
  if (threads <= 1)
    body(0);
  else
    run_open_ranks(threads, control, std::ref(body));
}

/// Called by each rank of a team when its work is done. Only the calling thread receives signals,
/// so it polls until all others have finished.
inline void await_team(int rank, int team, std::atomic<int>& finished, Control& control) {
  finished.fetch_add(1, std::memory_order_release);
  while (rank == 0 && finished.load(std::memory_order_acquire) < team && !control.stopped()) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    control.poll();
  }
}

/// A barrier for all ranks of a team. When the call is stopped, waiting ranks throw Cancelled; rank
/// 0 polls while it waits.
class TeamBarrier {
 public:
  TeamBarrier(int threads, Control& control)
      : threads_(threads), spins_(threads > 1 ? spin_count(threads) : 0), control_(control) {}

  void wait(int rank) {
    const unsigned generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      event_.notify_all();
      return;
    }
    event_.wait(
        spins_, [&] { return generation_.load(std::memory_order_acquire) != generation; },
        [&] {
          if (control_.stopped()) throw Cancelled{};
          if (rank == 0) control_.poll();
        });
  }

 private:
  const int threads_;
  const unsigned spins_;
  Control& control_;
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> generation_{0};
  EventCount event_;
};

}  // namespace warpath
