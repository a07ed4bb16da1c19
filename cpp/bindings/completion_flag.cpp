#include <atomic>
#include <chrono>
#include <cstdint>

#include "common.hpp"
#include "warpath/parallel/scheduling.hpp"

namespace warpath::bindings {

namespace {

/// A completion flag: the first word of an array, to which a device writes when it has finished.
/// Waiting for it releases the GIL.
class CompletionFlag {
 public:
  CompletionFlag(Out<std::int64_t> words, std::int64_t pending) : words_(words), pending_(pending) {
    if (words_.size() == 0) throw std::invalid_argument("words must not be empty");
  }

  void reset() { word().store(pending_, std::memory_order_relaxed); }

  /// Waits up to `seconds` for a value other than `pending`; returns whether it arrived. Everything
  /// that the device wrote before is then visible.
  bool wait(double seconds) const {
    if (completed()) return true;
    const nb::gil_scoped_release free;
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    do {
      for (int poll = 0; poll < kPollsPerClockRead; ++poll) {
        if (completed()) return true;
        pause();
      }
    } while (Clock::now() < until);
    return false;
  }

 private:
  static constexpr int kPollsPerClockRead = 64;  // polls between two readings of the clock

  atomic_ref<std::int64_t> word() const { return atomic_ref<std::int64_t>(*words_.data()); }
  bool completed() const { return word().load(std::memory_order_acquire) != pending_; }

  Out<std::int64_t> words_;
  std::int64_t pending_;
};

}  // namespace

void register_completion_flag(nb::module_& module) {
  nb::class_<CompletionFlag>(module, "CompletionFlag")
      .def(nb::init<Out<std::int64_t>, std::int64_t>(), nb::keep_alive<1, 2>(),
           nb::arg("words").noconvert(), nb::arg("pending"))
      .def("reset", &CompletionFlag::reset)
      .def("wait", &CompletionFlag::wait, nb::arg("seconds"));
}

}  // namespace warpath::bindings
