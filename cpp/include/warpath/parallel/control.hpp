// control.hpp - progress, signals and cancellation of a long call.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace warpath {

/// Thrown in a worker thread when the call is stopped; never reaches the library's caller.
struct Cancelled {};

/// The state of one call. The calling thread polls: every 50 ms `on_tick` runs (signals, progress)
/// and may throw. Other threads only check `stopped()`.
class Control {
 public:
  using Tick = std::function<void(std::int64_t done, std::int64_t total)>;

  explicit Control(Tick on_tick = {}) : on_tick_(std::move(on_tick)) {}
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// Sets the total work, in the unit of `advance`.
  void expect(std::int64_t total) { total_.store(total, std::memory_order_relaxed); }
  void advance(std::int64_t steps) { done_.fetch_add(steps, std::memory_order_relaxed); }

  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

  /// Calling thread only. The first call starts the clock: a tiny solve never reads the time.
  [[gnu::noinline]] void poll() {
    const auto now = Clock::now();
    if (last_ == Clock::time_point{}) last_ = now;
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    if (on_tick_)
      on_tick_(done_.load(std::memory_order_relaxed), total_.load(std::memory_order_relaxed));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Tick on_tick_;
  Clock::time_point last_{};
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> total_{0};
  std::atomic<bool> stopped_{false};
};

/// A thread's local step counter for a Control: `step()` in an inner loop costs one decrement.
class Poller {
 public:
  /// `owner`: true in the calling thread, the only one that may poll.
  Poller(Control& control, bool owner) : control_(control), owner_(owner) {}

  Control& control() const { return control_; }

  void step(std::int64_t steps = 1) {
    left_ -= steps;
    if (left_ <= 0) [[unlikely]] {
      check();
    }
  }

  void check() {
    left_ = kInterval;
    if (control_.stopped()) throw Cancelled{};
    if (owner_) control_.poll();
  }

 private:
  static constexpr std::int64_t kInterval = 1 << 14;  // edges: well under 1 ms between two checks
  Control& control_;
  bool owner_;
  std::int64_t left_ = kInterval;
};

}  // namespace warpath
