// workers.hpp - reusable worker threads, which wait a moment for the next call before they end.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "warpath/parallel/scheduling.hpp"

namespace warpath {

/// The worker threads of a thread team. A worker that has finished a job waits kStay for the next
/// one and then ends. This saves the start of a thread, which takes 40 us,
/// as long as a small solve.
///
/// A forked child has none of its parent's threads and starts with no workers.
class Helpers {
 public:
  using Job = std::function<void()>;

  static Helpers& get() {
    static Helpers* const all = new Helpers;  // never destroyed: workers may outlive static objects
    return *all;
  }

  /// Runs a job on a waiting worker or on a new thread, on other processors than the caller's.
  void run(Job job, const Processors& others) {
    if (hand_over(job, others)) return;
    auto made = std::make_unique<Helper>(std::move(job), others);
    Helper* const helper = made.get();
    std::thread started([this, own = std::move(made)] { serve(*own); });
    others.take(started.native_handle());
    started.detach();
    helper->placed.store(true, std::memory_order_release);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kStay{200};
  static constexpr unsigned kLooks = 64;  // polls between two readings of the clock

  struct Helper {
    Helper(Job job, const Processors& processors) : job(std::move(job)), processors(processors) {}

    Job job;
    Processors processors;  // the processors that it may run on
    Processors::Thread thread{};
    std::atomic<bool> placed{false};
    std::atomic<bool> given{false};  // a new job is ready
  };

  Helpers() {
#if defined(__unix__) || defined(__APPLE__)
    pthread_atfork([] { get().guard_.lock(); }, [] { get().guard_.unlock(); },
                   [] {
                     get().free_.clear();
                     get().guard_.unlock();
                   });
#endif
  }

  bool hand_over(Job& job, const Processors& others) {
    const std::scoped_lock lock(guard_);
    if (free_.empty()) return false;
    Helper& helper = *free_.back();
    free_.pop_back();
    helper.job = std::move(job);
    if (!(helper.processors == others)) {
      helper.processors = others;
      others.take(helper.thread);
    }
    helper.given.store(true, std::memory_order_release);
    return true;
  }

  void serve(Helper& self) {
    self.thread = Processors::this_thread();
    do {
      self.job();
      self.job = nullptr;
      // Required before the thread ends: an ended thread cannot be pinned, and the system would pin
      // the caller instead.
      while (!self.placed.load(std::memory_order_acquire)) std::this_thread::yield();
    } while (stay(self));
  }

  /// Waits for the next job. False when the worker has to end.
  bool stay(Helper& self) {
    {
      const std::scoped_lock lock(guard_);
      free_.push_back(&self);
    }
    const Clock::time_point end = Clock::now() + kStay;
    for (unsigned look = 1;; ++look) {
      if (self.given.exchange(false, std::memory_order_acquire)) return true;
      pause();
      if (look % kLooks != 0 || Clock::now() < end) continue;
      const std::scoped_lock lock(guard_);
      if (std::erase(free_, &self) != 0) return false;
    }
  }

  std::mutex guard_;
  std::vector<Helper*> free_;
};

}  // namespace warpath
