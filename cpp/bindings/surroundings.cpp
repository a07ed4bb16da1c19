#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/parallel/scheduling.hpp"

namespace warpath::bindings {

namespace {

/// The environment on which a plan depends, besides the graph and the call. One function returns
/// all of it, since every call checks it.
class Surroundings {
 public:
  Surroundings(std::vector<std::string> names, double looks)
      : names_(std::move(names)), looks_(looks), texts_(names_.size()) {}

  /// Returns (number of processors of this thread, time step, values of the environment variables
  /// or None), and the same tuple as before if nothing changed. With looks = 0, only the variables
  /// are checked.
  nb::tuple now() {
    int processors = 0;
    std::int64_t moment = 0;
    if (looks_ > 0) {
      using Seconds = std::chrono::duration<double>;
      const Seconds now = std::chrono::steady_clock::now().time_since_epoch();
      processors = Processors().count();
      moment = static_cast<std::int64_t>(now.count() * looks_);
    }
    bool changed = !told_.is_valid() || processors != processors_ || moment != moment_;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const char* const text = std::getenv(names_[i].c_str());
      const bool same = text == nullptr ? !texts_[i] : texts_[i] && *texts_[i] == text;
      if (same) continue;
      texts_[i] = text == nullptr ? std::nullopt : std::optional<std::string>(text);
      changed = true;
    }
    if (changed) {
      told_.reset();  // until it is rebuilt, which may fail or run Python code
      processors_ = processors;
      moment_ = moment;
      tell();
    }
    return told_;
  }

 private:
  void tell() {
    nb::list found;
    found.append(processors_);
    found.append(moment_);
    for (const std::optional<std::string>& text : texts_) {
      if (text)
        found.append(nb::bytes(text->c_str()));
      else
        found.append(nb::none());
    }
    told_ = nb::tuple(found);
  }

  std::vector<std::string> names_;
  double looks_;
  int processors_ = 0;
  std::int64_t moment_ = 0;
  std::vector<std::optional<std::string>> texts_;
  nb::tuple told_ = nb::steal<nb::tuple>(nb::handle());
};

}  // namespace

void register_surroundings(nb::module_& module) {
  module.def(
      "surroundings",
      [](std::vector<std::string> names, double looks) {
        require(looks >= 0 && looks <= 1e9, "looks must lie in 0 .. 1e9 a second");
        const auto asked = std::make_shared<Surroundings>(std::move(names), looks);
        return function_of([asked] { return asked->now(); });
      },
      nb::arg("names"), nb::arg("looks"));
}

}  // namespace warpath::bindings
