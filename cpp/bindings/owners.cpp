#include "warpath/paths/owners.hpp"

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "nearest_sources",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         In<D> dist, Out<V> nearest, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
        require_size(dist.size(), rows.vertices(), "dist");
        require_size(nearest.size(), rows.vertices(), "nearest");
        Control control(python_tick(std::move(progress)));
        const nb::gil_scoped_release free;
        nearest_sources<V, W>(rows.view(), starts, view(dist), view(nearest),
                              Poller(control, true));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("dist").noconvert(), nb::arg("nearest").noconvert(),
      nb::arg("progress") = nb::none());
}

}  // namespace

template <Index Width>
void register_owners(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() { register_pair<V, W>(module); });
}

template void register_owners<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
