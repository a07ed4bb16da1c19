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

#include "warpath/parallel/os.hpp"
#include "warpath/parallel/scheduling.hpp"

namespace warpath {

/// The worker threads of a thread team. A worker that has finished a job waits kKeepAlive for the
/// next one and then ends. This saves the start of a thread, which takes 40 us, as long as a small
/// solve.
///
/// A forked child has none of its parent's threads and starts with no workers.
class ThreadPool {
 public:
  using Job = std::function<void()>;

  static ThreadPool& get() {
    static ThreadPool* const all =
        new ThreadPool;  // never destroyed: workers may outlive static objects
    return *all;
  }

  /// Runs a job on a waiting worker or on a new thread, on other processors than the caller's.
  void run(Job job, const Processors& others) {
    if (assign_to_idle(job, others)) return;
    auto made = std::make_unique<Worker>(std::move(job), others);
    Worker* const worker = made.get();
    std::thread started([this, own = std::move(made)] { serve(*own); });
    others.pin(started.native_handle());
    started.detach();
    worker->pinned.store(true, std::memory_order_release);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kKeepAlive{200};
  static constexpr unsigned kPollsPerClockRead = 64;  // polls between two readings of the clock

  struct Worker {
    Worker(Job job, const Processors& processors) : job(std::move(job)), processors(processors) {}

    Job job;
    Processors processors;  // the processors that it may run on
    Processors::Thread thread{};
    std::atomic<bool> pinned{false};
    std::atomic<bool> has_job{false};  // a new job is ready
  };

  ThreadPool() {
    call_at_fork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                 [] {
                   get().idle_.clear();
                   get().mutex_.unlock();
                 });
  }

  bool assign_to_idle(Job& job, const Processors& others) {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return false;
    Worker& worker = *idle_.back();
    idle_.pop_back();
    worker.job = std::move(job);
    if (!(worker.processors == others)) {
      worker.processors = others;
      others.pin(worker.thread);
    }
    worker.has_job.store(true, std::memory_order_release);
    return true;
  }

  void serve(Worker& self) {
    self.thread = Processors::this_thread();
    do {
      self.job();
      self.job = nullptr;
      // Required before the thread ends: an ended thread cannot be pinned, and the system would pin
      // the caller instead.
      while (!self.pinned.load(std::memory_order_acquire)) std::this_thread::yield();
    } while (wait_for_job(self));
  }

  /// Waits for the next job. False when the worker has to end.
  bool wait_for_job(Worker& self) {
    {
      const std::scoped_lock lock(mutex_);
      idle_.push_back(&self);
    }
    const Clock::time_point end = Clock::now() + kKeepAlive;
    for (unsigned polls = 1;; ++polls) {
      if (self.has_job.exchange(false, std::memory_order_acquire)) return true;
      pause();
      if (polls % kPollsPerClockRead != 0 || Clock::now() < end) continue;
      const std::scoped_lock lock(mutex_);
      if (std::erase(idle_, &self) != 0) return false;
    }
  }

  std::mutex mutex_;
  std::vector<Worker*> idle_;
};

}  // namespace warpath
