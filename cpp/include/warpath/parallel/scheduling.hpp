// scheduling.hpp - how the threads of teams wait for each other.
#pragma once

#include <atomic>
#include <cstdint>

#include "warpath/parallel/os.hpp"

namespace warpath {

/// Yields the core to its sibling hyperthread for a moment, inside a spin loop.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` does nothing on most processors
#endif
}

/// Prefetches a cache line in exclusive state, so that a later write need not first invalidate
/// copies in other cores' caches.
inline void prefetch_for_write(const void* at) {
#if defined(__x86_64__)
  // `__builtin_prefetch` would fetch it for reading, unless newer processors are targeted.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// An eventcount: threads spin for a short time, then sleep.
class EventCount {
 public:
  /// Returns once done() holds; done() is polled. before_sleep() may throw.
  template <class Done, class BeforeSleep>
  void wait(unsigned spins, Done&& done, BeforeSleep&& before_sleep) {
    for (unsigned spin = 0; spin < spins; ++spin) {
      if (done()) return;
      pause();
    }
    while (true) {
      before_sleep();
      const std::uint32_t expected = epoch_.load();
      sleepers_.fetch_add(1, std::memory_order_acq_rel);
      const bool ready = done();
      if (!ready) epoch_.sleep(expected);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (ready || done()) return;
    }
  }

  /// Wakes the sleeping threads. Call it when the condition that they wait for has become true.
  void notify_all() {
    // This read-modify-write is ordered before or after that of a sleeper, so one of the two
    // threads sees the other's change.
    if (sleepers_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
    epoch_.wake_all();
  }

 private:
  SleepCounter epoch_;
  std::atomic<std::uint32_t> sleepers_{0};
};

/// How often a thread of a team polls before it sleeps: for some 50 us, about the time of a
/// wake-up; for much less if there are more threads than processors.
inline unsigned spin_count(int threads) {
  return threads <= Processors().count() ? 1U << 12 : 1U << 5;
}

}  // namespace warpath
