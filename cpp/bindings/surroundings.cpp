#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "common.hpp"
#include "warpath/scheduling.hpp"

namespace warpath::bindings {

namespace {

/// What a plan depends on beside the graph and the call: asked for at every call, so in one go.
class Surroundings {
 public:
  Surroundings(std::vector<std::string> names, double looks)
      : names_(std::move(names)), looks_(looks) {}

  /// (the processors of this thread, the moment, the texts of the variables or None).
  nb::tuple operator()() const {
    using Seconds = std::chrono::duration<double>;
    const Seconds now = std::chrono::steady_clock::now().time_since_epoch();
    nb::list found;
    found.append(Processors().count());
    found.append(static_cast<std::int64_t>(now.count() * looks_));
    for (const std::string& name : names_) {
      const char* const text = std::getenv(name.c_str());
      if (text == nullptr)
        found.append(nb::none());
      else
        found.append(nb::bytes(text));
    }
    return nb::tuple(found);
  }

 private:
  std::vector<std::string> names_;
  double looks_;
};

}  // namespace

void register_surroundings(nb::module_& module) {
  nb::class_<Surroundings>(module, "Surroundings")
      .def(nb::init<std::vector<std::string>, double>(), nb::arg("names"), nb::arg("looks"))
      .def("__call__", &Surroundings::operator());
}

}  // namespace warpath::bindings
