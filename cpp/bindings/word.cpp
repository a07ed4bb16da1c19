#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "common.hpp"
#include "warpath/parallel/scheduling.hpp"

namespace warpath::bindings {

namespace {

/// A completion flag: the first word of an array, to which a device writes when it has finished.
/// Waiting for it releases the GIL.
class Word {
 public:
  Word(Out<std::int64_t> words, std::int64_t silent) : words_(std::move(words)), silent_(silent) {
    if (words_.size() == 0) throw std::invalid_argument("words must not be empty");
  }

  void hush() { word().store(silent_, std::memory_order_relaxed); }

  /// Waits up to `seconds` for a value other than `silent`; returns whether it arrived. Everything
  /// that the device wrote before is then visible.
  bool said(double seconds) const {
    if (spoken()) return true;
    const nb::gil_scoped_release free;
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::duration<double>(seconds);
    do {
      for (int look = 0; look < kLooks; ++look) {
        if (spoken()) return true;
        pause();
      }
    } while (Clock::now() < until);
    return false;
  }

 private:
  static constexpr int kLooks = 64;  // polls between two readings of the clock

  std::atomic_ref<std::int64_t> word() const {
    return std::atomic_ref<std::int64_t>(*words_.data());
  }
  bool spoken() const { return word().load(std::memory_order_acquire) != silent_; }

  Out<std::int64_t> words_;
  std::int64_t silent_;
};

}  // namespace

void register_word(nb::module_& module) {
  nb::class_<Word>(module, "Word")
      .def(nb::init<Out<std::int64_t>, std::int64_t>(), nb::arg("words").noconvert(),
           nb::arg("silent"))
      .def("hush", &Word::hush)
      .def("said", &Word::said, nb::arg("seconds"));
}

}  // namespace warpath::bindings
