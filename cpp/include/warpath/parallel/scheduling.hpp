// scheduling.hpp - services of the operating system for teams: pinning threads, and waiting.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#if defined(__linux__)
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#endif

namespace warpath {

/// The set of processors that the calling thread may run on.
class Processors {
 public:
  using Thread = std::thread::native_handle_type;

  Processors() {
#if defined(__linux__)
    known_ = sched_getaffinity(0, sizeof set_, &set_) == 0;
    if (known_) count_ = CPU_COUNT(&set_);
#endif
    if (!known_) count_ = static_cast<int>(std::thread::hardware_concurrency());
  }

  int count() const { return count_; }

  /// The set without the calling thread's current processor, unless it is the only one.
  Processors others() const {
    Processors left = *this;
#if defined(__linux__)
    const int here = sched_getcpu();
    if (known_ && count_ > 1 && here >= 0 && here < CPU_SETSIZE && CPU_ISSET(here, &set_)) {
      CPU_CLR(here, &left.set_);
      --left.count_;
    }
#endif
    return left;
  }

  static Thread this_thread() {
#if defined(__linux__)
    return pthread_self();
#else
    return {};
#endif
  }

  bool operator==(const Processors& other) const {
#if defined(__linux__)
    return known_ && other.known_ && CPU_EQUAL(&set_, &other.set_);
#else
    return true;
#endif
  }

  /// Pins a thread to these processors.
  void pin(Thread thread) const {
#if defined(__linux__)
    if (known_) pthread_setaffinity_np(thread, sizeof set_, &set_);
#else
    static_cast<void>(thread);
#endif
  }

 private:
#if defined(__linux__)
  cpu_set_t set_;
#endif
  bool known_ = false;
  int count_ = 1;
};

/// Yields the core to its sibling hyperthread for a moment, inside a spin loop.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
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

/// An eventcount, on a futex: threads spin for a short time, then sleep.
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
      const std::uint32_t expected = epoch_.load(std::memory_order_acquire);
      sleepers_.fetch_add(1, std::memory_order_acq_rel);
      const bool ready = done();
      if (!ready) sleep(expected);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (ready || done()) return;
    }
  }

  /// Wakes the sleeping threads. Call it when the condition that they wait for has become true.
  void notify_all() {
    // This read-modify-write is ordered before or after that of a sleeper, so one of the two
    // threads sees the other's change.
    if (sleepers_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
    epoch_.fetch_add(1, std::memory_order_release);
#if defined(__linux__)
    syscall(SYS_futex, futex_word(), FUTEX_WAKE_PRIVATE, kAll, nullptr, nullptr, 0);
#endif
  }

 private:
  static constexpr int kAll = 1 << 30;
  static constexpr long kMaxSleepNs = 5'000'000;  // until a stopped call is noticed

  void sleep(std::uint32_t expected) {
#if defined(__linux__)
    const timespec timeout{0, kMaxSleepNs};
    syscall(SYS_futex, futex_word(), FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr, 0);
#else
    static_cast<void>(expected);
    std::this_thread::sleep_for(std::chrono::microseconds(20));
#endif
  }

  std::uint32_t* futex_word() { return reinterpret_cast<std::uint32_t*>(&epoch_); }

  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// How often a thread of a team polls before it sleeps: for some 50 us, about the time of a
/// wake-up; for much less if there are more threads than processors.
inline unsigned spin_count(int threads) {
  return threads <= Processors().count() ? 1U << 12 : 1U << 5;
}

}  // namespace warpath
