#include "warpath/sssp/breadth_first.hpp"

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>

#include "graph_rows.hpp"
#include "search.hpp"

namespace warpath::bindings {

namespace {

template <Index V, class D>
void register_pair(nb::module_& module) {
  module.def(
      "breadth_first",
      [](In<std::int64_t> indptr, In<V> indices, In<std::int64_t> into_indptr, In<V> into_indices,
         D weight, In<D>, std::optional<D> cutoff, int threads, bool assemble) {
        using Rows = GraphRows<V, std::int32_t>;
        const auto rows = std::make_shared<const Rows>(unweighted(indptr, indices));
        // Without in-edges the search is top-down only.
        const bool both_ways = into_indptr.size() > 0;
        const auto into = both_ways
                              ? std::make_shared<const Rows>(unweighted(into_indptr, into_indices))
                              : nullptr;
        if (both_ways) require_size(into->vertices(), rows->vertices(), "into_indptr");
        require(weight >= 0 && weight < unreachable<D>, "weight must be finite and >= 0");
        if constexpr (std::is_integral_v<D>)
          require(weight <= (unreachable<D> - 1) / (rows->n() + 1),
                  "n times the weight must fit 63 bits");
        at_least_one(threads);
        const D limit = cutoff_of<D>(cutoff);
        const auto run = [=](std::int64_t source, std::span<D> dist, Control& control) {
          const BreadthFirstResult result =
              BreadthFirst<V, D>(rows->view().adjacency(),
                                 into ? into->view().adjacency() : Adjacency<V>{}, dist, weight,
                                 limit, threads, assemble, control)
                  .run(static_cast<V>(source));
          return std::optional(SearchStats{result.settled, result.relaxed, result.improved,
                                           result.rounds, result.settled});
        };
        return BoundSearch<D>::function(rows->vertices(), rows->edges(), run);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(), nb::arg("weight"),
      nb::arg("like").noconvert(), nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1,
      nb::arg("assemble") = false);
}

}  // namespace

template <Index Width>
void register_breadth_first(nb::module_& module) {
  register_pair<Width, std::int64_t>(module);
  register_pair<Width, float>(module);
  register_pair<Width, double>(module);
}

template void register_breadth_first<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
