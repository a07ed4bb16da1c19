#include "warpath/breadth_first.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "common.hpp"

namespace warpath::bindings {

namespace {

template <Index V, class D>
void register_pair(nb::module_& module) {
  module.def(
      "breadth_first",
      [](In<std::int64_t> indptr, In<V> indices, In<std::int64_t> into_indptr, In<V> into_indices,
         V source, Out<D> dist, D weight, std::optional<D> cutoff, int threads, bool assemble,
         nb::object progress) {
        Control control(python_tick(std::move(progress)));
        BreadthFirstResult result;
        {
          const nb::gil_scoped_release free;
          result = BreadthFirst<V, D>({view(indptr), view(indices)},
                                      {view(into_indptr), view(into_indices)}, view(dist), weight,
                                      cutoff.value_or(unreachable<D>), threads, assemble, control)
                       .run(source);
        }
        nb::dict out;
        out["settled"] = result.settled;
        out["relaxed"] = result.relaxed;
        out["improved"] = result.improved;
        out["rounds"] = result.rounds;
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(), nb::arg("source"),
      nb::arg("dist").noconvert(), nb::arg("weight"), nb::arg("cutoff") = nb::none(),
      nb::arg("threads") = 1, nb::arg("assemble") = false, nb::arg("progress") = nb::none());
}

template <Index V>
void register_labels(nb::module_& module) {
  register_pair<V, std::int64_t>(module);
  register_pair<V, float>(module);
  register_pair<V, double>(module);
}

}  // namespace

void register_breadth_first(nb::module_& module) {
  register_labels<std::int32_t>(module);
  register_labels<std::int64_t>(module);
}

}  // namespace warpath::bindings
