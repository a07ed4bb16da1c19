// os.hpp - what differs between operating systems and standard libraries: sleeping on a word,
// processors, huge pages, forks, and the parts of C++20 that older versions of libc++ lack.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__linux__)
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#elif !defined(_WIN32)
#include <condition_variable>
#include <mutex>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#if defined(_WIN32)
// Declared here, because windows.h defines macros with names such as `small` and `IN`.
extern "C" {
__declspec(dllimport) int __stdcall WaitOnAddress(volatile void*, void*, std::size_t,
                                                  unsigned long);
__declspec(dllimport) void __stdcall WakeByAddressAll(void*);
}
#endif

namespace warpath {

// ---- C++20 where libc++ is older than 19 (atomic_ref) or 20 (jthread). WARPATH_OLD_LIBRARY takes
// the replacements on any system, for tests.

#if defined(__cpp_lib_atomic_ref) && !defined(WARPATH_OLD_LIBRARY)
using std::atomic_ref;
#else
/// The members of `std::atomic_ref` that the core calls, by the built-in functions of GCC and
/// Clang.
template <class T>
class atomic_ref {
 public:
  explicit atomic_ref(T& value) : value_(&value) {}

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    std::remove_const_t<T> loaded;
    __atomic_load(value_, &loaded, builtin(order));
    return loaded;
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) const {
    __atomic_store(value_, &value, builtin(order));
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) const {
    T before;
    __atomic_exchange(value_, &value, &before, builtin(order));
    return before;
  }
  bool compare_exchange_weak(T& expected, T value,
                             std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_compare_exchange(value_, &expected, &value, true, builtin(order),
                                     on_failure(order));
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_fetch_add(value_, value, builtin(order));
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_fetch_or(value_, value, builtin(order));
  }

 private:
  static constexpr int builtin(std::memory_order order) {
    switch (order) {
      case std::memory_order_relaxed:
        return __ATOMIC_RELAXED;
      case std::memory_order_acquire:
        return __ATOMIC_ACQUIRE;
      case std::memory_order_release:
        return __ATOMIC_RELEASE;
      case std::memory_order_acq_rel:
        return __ATOMIC_ACQ_REL;
      default:
        return __ATOMIC_SEQ_CST;
    }
  }
  /// A failed exchange stores nothing, so its order must not contain a release.
  static constexpr int on_failure(std::memory_order order) {
    if (order == std::memory_order_acq_rel) return __ATOMIC_ACQUIRE;
    if (order == std::memory_order_release) return __ATOMIC_RELAXED;
    return builtin(order);
  }

  T* value_;
};
#endif

#if defined(__cpp_lib_jthread) && !defined(WARPATH_OLD_LIBRARY)
using std::jthread;
#else
/// A thread that is joined by its destructor.
class jthread : public std::thread {
 public:
  using std::thread::thread;
  jthread(jthread&&) = default;
  jthread& operator=(jthread&& other) noexcept {
    if (this == &other) return *this;
    if (joinable()) join();
    std::thread::operator=(std::move(other));
    return *this;
  }
  ~jthread() {
    if (joinable()) join();
  }
};
#endif

// ---- Services of the operating system.

/// A counter on which threads sleep until it changes: a futex on Linux, `WaitOnAddress` on Windows,
/// a condition variable elsewhere (macOS has an equal of futexes since version 14.4 only).
class SleepCounter {
 public:
  std::uint32_t load() const { return count_.load(std::memory_order_acquire); }

  /// Sleeps while the counter is `expected`, for 5 ms at most; may return sooner.
  void sleep(std::uint32_t expected) {
#if defined(__linux__)
    const timespec timeout{0, kMaxSleepMs * 1'000'000};
    syscall(SYS_futex, word(), FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr, 0);
#elif defined(_WIN32)
    WaitOnAddress(word(), &expected, sizeof expected, kMaxSleepMs);
#else
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(kMaxSleepMs),
                      [&] { return count_.load(std::memory_order_relaxed) != expected; });
#endif
  }

  /// Changes the counter and wakes the sleeping threads.
  void wake_all() {
#if defined(__linux__)
    count_.fetch_add(1, std::memory_order_release);
    constexpr int kAll = 1 << 30;
    syscall(SYS_futex, word(), FUTEX_WAKE_PRIVATE, kAll, nullptr, nullptr, 0);
#elif defined(_WIN32)
    count_.fetch_add(1, std::memory_order_release);
    WakeByAddressAll(word());
#else
    {
      // Under the lock, so that no thread misses it between its check and its sleep.
      const std::scoped_lock lock(mutex_);
      count_.fetch_add(1, std::memory_order_release);
    }
    changed_.notify_all();
#endif
  }

 private:
  static constexpr int kMaxSleepMs = 5;  // until a stopped call is noticed

  std::uint32_t* word() { return reinterpret_cast<std::uint32_t*>(&count_); }

  std::atomic<std::uint32_t> count_{0};
#if !defined(__linux__) && !defined(_WIN32)
  std::mutex mutex_;
  std::condition_variable changed_;
#endif
};

/// The set of processors that the calling thread may run on. Only Linux pins threads: macOS has no
/// such call, and Windows places a new thread on an idle processor.
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
    static_cast<void>(other);
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

/// Asks for huge pages. A hint: without them memory works as well, more slowly. Windows grants them
/// to privileged users only, macOS not at all on ARM.
inline void prefer_huge_pages(void* data, std::size_t bytes) {
#if defined(__linux__)
  ::madvise(data, bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

/// Registers functions to call around every fork; Windows has no forks.
inline void call_at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
#if defined(__unix__) || defined(__APPLE__)
  pthread_atfork(before, in_parent, in_child);
#else
  static_cast<void>(before);
  static_cast<void>(in_parent);
  static_cast<void>(in_child);
#endif
}

}  // namespace warpath
