#include "warpath/breadth_first.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "search.hpp"

namespace warpath::bindings {

namespace {

template <Index V, class D>
void register_pair(nb::module_& module) {
  module.def(
      "breadth_first",
      [](In<std::int64_t> indptr, In<V> indices, In<std::int64_t> into_indptr, In<V> into_indices,
         D weight, In<D>, std::optional<D> cutoff, int threads, bool assemble) {
        const auto run = [=](std::int64_t source, std::span<D> dist, Control& control) {
          const BreadthFirstResult result =
              BreadthFirst<V, D>({view(indptr), view(indices)},
                                 {view(into_indptr), view(into_indices)}, dist, weight,
                                 cutoff.value_or(unreachable<D>), threads, assemble, control)
                  .run(static_cast<V>(source));
          return std::optional(SearchDone{result.settled, result.relaxed, result.improved,
                                          result.rounds, result.settled});
        };
        return Search<D>::function(indptr.size() - 1, indices.size(), run);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(), nb::arg("weight"),
      nb::arg("like").noconvert(), nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1,
      nb::arg("assemble") = false);
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
