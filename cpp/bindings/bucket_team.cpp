#include "warpath/bucket_team.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "common.hpp"

namespace warpath::bindings {

namespace {

/// Graphs of 2^31 vertices and more have no team: their labels alone fill the memory.
template <Weight W>
void register_weight(nb::module_& module) {
  using V = std::int32_t;
  using D = DistanceOf<W>;
  module.def(
      "bucket_team",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, V source, Out<D> dist, double delta,
         W heaviest, std::optional<D> cutoff, int threads, bool assemble,
         nb::object progress) -> std::optional<nb::dict> {
        Control control(python_tick(std::move(progress)));
        BucketTeamCounters counters;
        bool exact = false;
        {
          const nb::gil_scoped_release free;
          exact = bucket_team<V, W>(csr(indptr, indices, weights), source, view(dist), delta,
                                    cutoff.value_or(unreachable<D>), heaviest, threads, assemble,
                                    control, counters);
        }
        if (!exact) return std::nullopt;
        nb::dict out;
        out["settled"] = counters.settled;
        out["relaxed"] = counters.relaxed;
        out["improved"] = counters.improved;
        out["rounds"] = counters.rounds;
        out["reached"] = counters.reached;
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("delta"), nb::arg("heaviest"),
      nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1, nb::arg("assemble") = false,
      nb::arg("progress") = nb::none());
}

}  // namespace

void register_bucket_team(nb::module_& module) {
  register_weight<std::int32_t>(module);
  register_weight<std::int64_t>(module);
  register_weight<float>(module);
  register_weight<double>(module);
}

}  // namespace warpath::bindings
