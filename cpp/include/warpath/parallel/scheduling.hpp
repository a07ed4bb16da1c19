// scheduling.hpp - what a team asks of the operating system: where to run, and how to wait.
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

/// The processors that the calling thread may run on.
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

  /// Leaves out the one that the calling thread runs on, unless it is the only one.
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

  /// Lets a thread run on these alone.
  void take(Thread thread) const {
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

/// Leaves the processor to its other thread for a moment, in a loop that looks again and again.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Fetches a line that other threads may have, so that it can be written at once: from another's
/// cache, or without telling the others when that happens.
inline void fetch_to_write(const void* at) {
#if defined(__x86_64__)
  // The builtin would fetch it for reading unless the compiler may use all of a newer processor.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// Where threads wait for what others do: for a short while without giving their processor away,
/// then asleep.
class Bell {
 public:
  /// Returns once done() holds, which is asked again and again; look() is called before each sleep
  /// and may throw.
  template <class Done, class Look>
  void wait(unsigned spins, Done&& done, Look&& look) {
    for (unsigned spin = 0; spin < spins; ++spin) {
      if (done()) return;
      pause();
    }
    while (true) {
      look();
      const std::uint32_t heard = rung_.load(std::memory_order_acquire);
      sleepers_.fetch_add(1, std::memory_order_acq_rel);
      const bool ready = done();
      if (!ready) sleep(heard);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (ready || done()) return;
    }
  }

  /// Wakes those that sleep. To be called when what they wait for has come true.
  void ring() {
    // Changing it orders this behind or before the same of a sleeper: one of both sees the other.
    if (sleepers_.fetch_add(0, std::memory_order_acq_rel) == 0) return;
    rung_.fetch_add(1, std::memory_order_release);
#if defined(__linux__)
    syscall(SYS_futex, word(), FUTEX_WAKE_PRIVATE, kAll, nullptr, nullptr, 0);
#endif
  }

 private:
  static constexpr int kAll = 1 << 30;
  static constexpr long kNap = 5'000'000;  // ns: how long a stopped call is not noticed

  void sleep(std::uint32_t heard) {
#if defined(__linux__)
    const timespec nap{0, kNap};
    syscall(SYS_futex, word(), FUTEX_WAIT_PRIVATE, heard, &nap, nullptr, 0);
#else
    static_cast<void>(heard);
    std::this_thread::sleep_for(std::chrono::microseconds(20));
#endif
  }

  std::uint32_t* word() { return reinterpret_cast<std::uint32_t*>(&rung_); }

  std::atomic<std::uint32_t> rung_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// How often a thread of a team looks before it sleeps: some 50 us long, about as long as it takes
/// to be woken; hardly at all where others wait for its processor.
inline unsigned spins_of(int threads) {
  return threads <= Processors().count() ? 1U << 12 : 1U << 5;
}

}  // namespace warpath
