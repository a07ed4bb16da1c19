#include "warpath/sssp/bucket_team.hpp"

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "graph_rows.hpp"
#include "search.hpp"

namespace warpath::bindings {

namespace {

/// Not available for graphs of 2^31 vertices and more, whose labels alone fill the memory.
template <Weight W>
void register_weight(nb::module_& module) {
  using V = std::int32_t;
  using D = DistanceOf<W>;
  module.def(
      "bucket_team",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, double delta, W max_weight,
         bool scattered, std::optional<D> cutoff, int threads, bool assemble,
         std::optional<In<std::uint8_t>> leaves) {
        const auto rows = std::make_shared<const GraphRows<V, W>>(indptr, indices, weights,
                                                                  Weights::kNotNegative);
        require(!leaves || leaves->size() >= (rows->vertices() + 7) / 8, "leaves must have n bits");
        require(max_weight >= 0 && !(rows->max_weight() > max_weight),
                "max_weight must be no less than any weight");
        require(delta > 0, "delta must be > 0");
        const BucketOptions<W> options{delta,
                                       max_weight,
                                       scattered,
                                       cutoff_of<D>(cutoff),
                                       at_least_one(threads),
                                       assemble,
                                       leaves ? leaves->data() : nullptr};
        const auto run = [=](std::int64_t source, std::span<D> dist,
                             Control& control) -> std::optional<SearchStats> {
          BucketCounters counters;
          if (!bucket_team<V, W>(rows->view(), static_cast<V>(source), dist, options, control,
                                 counters))
            return std::nullopt;
          return SearchStats{counters.settled, counters.relaxed, counters.improved, counters.rounds,
                             counters.reached};
        };
        return BoundSearch<D>::function(rows->vertices(), rows->edges(), run);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("delta"), nb::arg("max_weight"), nb::arg("scattered") = false,
      nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1, nb::arg("assemble") = false,
      nb::arg("leaves").noconvert() = nb::none());
}

}  // namespace

void register_bucket_team(nb::module_& module) {
  register_weight<std::int32_t>(module);
  register_weight<std::int64_t>(module);
  register_weight<float>(module);
  register_weight<double>(module);
}

}  // namespace warpath::bindings
