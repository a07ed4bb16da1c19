#include "warpath/sssp/bellman_ford.hpp"

#include <nanobind/stl/pair.h>

#include <type_traits>
#include <utility>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  module.def(
      "bellman_ford",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         Out<DistanceOf<W>> dist, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
        require_size(dist.size(), rows.vertices(), "dist");
        Control control(python_tick(std::move(progress)));
        BellmanFordResult result;
        {
          const nb::gil_scoped_release free;
          result = bellman_ford<V, W>(rows.view(), starts, view(dist), control);
        }
        nb::dict out;
        out["settled"] = result.settled;
        out["relaxed"] = result.relaxed;
        out["improved"] = result.improved;
        out["rounds"] = result.rounds;
        out["cycle"] = to_numpy(std::move(result.cycle));
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("dist").noconvert(),
      nb::arg("progress") = nb::none());
}

template <Index V, Weight W>
void register_wide(nb::module_& module) {
  module.def(
      "bellman_ford_wide",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source,
         Out<std::int64_t> dist, Out<std::int8_t> misfit, Out<V> pred, bool certify) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        require_vertex(source, rows.n());
        require_size(dist.size(), rows.vertices(), "dist");
        require_size(misfit.size(), rows.vertices(), "misfit");
        require_size(pred.size(), rows.vertices(), "pred");
        Control control(python_tick(nb::none()));
        WideResult result;
        {
          const nb::gil_scoped_release free;
          result = bellman_ford_wide<V, W>(rows.view(), static_cast<V>(source), view(dist),
                                           view(misfit), view(pred), certify, control);
        }
        return std::make_pair(to_numpy(std::move(result.cycle)), result.violation);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("misfit").noconvert(),
      nb::arg("pred").noconvert(), nb::arg("certify") = false);
}

}  // namespace

template <Index Width>
void register_bellman_ford(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() {
    register_pair<V, W>(module);
    if constexpr (std::is_integral_v<W>) register_wide<V, W>(module);
  });
}

template void register_bellman_ford<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
