// search.hpp - a search of one graph, bound once and called for one source after another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "common.hpp"

namespace warpath::bindings {

/// What a search did; -1 what it does not count.
struct SearchDone {
  std::int64_t settled, relaxed, improved;
  std::int64_t rounds = -1;
  std::int64_t reached = -1;
  std::int64_t together = -1;
  std::int64_t moves = -1;
};

/// A search with everything but its source. To look at the arrays of a graph takes longer than to
/// solve a tiny one: here it is done once, and they are kept.
template <class D>
class Search {
 public:
  using Run = std::function<std::optional<SearchDone>(std::int64_t source, std::span<D> dist,
                                                      Control& control)>;

  Search(std::size_t n, Run run) : n_(n), run_(std::move(run)) {}

  /// The numbers of SearchDone; None where distances may not fit their type.
  nb::object operator()(std::int64_t source, Out<D> dist, nb::object progress) const {
    if (dist.size() != n_) throw std::invalid_argument("dist must have n entries");
    Control control(python_tick(std::move(progress)));
    std::optional<SearchDone> done;
    {
      const nb::gil_scoped_release free;
      done = run_(source, view(dist), control);
    }
    if (!done) return nb::none();
    return nb::make_tuple(done->settled, done->relaxed, done->improved, done->rounds, done->reached,
                          done->together, done->moves);
  }

 private:
  std::size_t n_;
  Run run_;
};

template <class D>
void register_search_class(nb::module_& module, const char* name) {
  nb::class_<Search<D>>(module, name)
      .def("__call__", &Search<D>::operator(), nb::arg("source"), nb::arg("dist").noconvert(),
           nb::arg("progress") = nb::none());
}

}  // namespace warpath::bindings
