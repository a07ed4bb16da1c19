#include "warpath/many/many_sources.hpp"

#include <nanobind/stl/optional.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "graph_rows.hpp"
#include "queues.hpp"
#include "search.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W, class Label>
void register_table(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "many_sources",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         In<std::int64_t> targets, OutMatrix<Label> out, double delta, double delta_together,
         bool together, std::optional<D> cutoff, int threads, int bits, std::int64_t large,
         nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
        const std::vector<std::int64_t> ends = vertices_of(targets, rows.n());
        const std::span<Label> table = table_of<Label>(out, rows.view(), starts, ends);
        const D most = cutoff_of<D>(cutoff);
        Control control(python_tick(std::move(progress)));
        ManyCounters counters;
        {
          const nb::gil_scoped_release free;
          counters = many_sources<V, W, Label>(
              {rows.view(), starts, ends, table, most, delta, delta_together, bits, large},
              together, at_least_one(threads), control);
        }
        nb::dict found = as_dict(counters);
        found["together"] = counters.together;
        found["moves"] = counters.moves;
        return found;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("delta"), nb::arg("delta_together"), nb::arg("together") = true,
      nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1, nb::arg("bits") = 512,
      nb::arg("large") = std::int64_t{1} << 19, nb::arg("progress") = nb::none());
}

/// A single-source search by one thread's own buckets, bound to a graph.
template <Index V, Weight W>
void register_own_buckets(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "own_buckets",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, double delta,
         std::optional<D> cutoff) {
        const auto rows = std::make_shared<const GraphRows<V, W>>(indptr, indices, weights,
                                                                  Weights::kNotNegative);
        require(delta > 0, "delta must be > 0");
        const D most = cutoff_of<D>(cutoff);
        const auto run = [=](std::int64_t source, std::span<D> dist,
                             Control& control) -> std::optional<SearchStats> {
          try {
            const ManyCounters counters = many_sources<V, W, D>(
                {rows->view(), {&source, 1}, {}, dist, most, delta, delta}, false, 1, control);
            return SearchStats{.settled = counters.settled,
                               .relaxed = counters.relaxed,
                               .improved = counters.improved,
                               .together = counters.together,
                               .moves = counters.moves};
          } catch (const std::overflow_error&) {
            return std::nullopt;
          }
        };
        return BoundSearch<D>::function(rows->vertices(), rows->edges(), run);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("delta"), nb::arg("cutoff") = nb::none());
}

}  // namespace

void register_many_sources(nb::module_& module) {
  for_each_type([&]<class V, class W>() {
    register_own_buckets<V, W>(module);
    register_table<V, W, DistanceOf<W>>(module);
    if constexpr (std::is_integral_v<W>) register_table<V, W, std::int32_t>(module);
  });
}

}  // namespace warpath::bindings
