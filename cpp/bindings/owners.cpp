#include "warpath/paths/owners.hpp"

#include "graph_rows.hpp"
#include "warpath/sssp/near_search.hpp"

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

/// Returns (vertices, dist, settled, relaxed, improved); None if there are more than `most`.
template <Weight W>
void register_near(nb::module_& module) {
  using D = DistanceOf<W>;
  using V = std::int32_t;
  module.def(
      "vertices_within",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources, D cutoff,
         std::int64_t most, nb::object progress) -> nb::object {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
        require(cutoff >= 0 && cutoff < unreachable<D>, "cutoff must be finite and >= 0");
        require(most >= 0, "most must be >= 0");
        Control control(python_tick(std::move(progress)));
        std::optional<NearVertices<D>> near;
        {
          const nb::gil_scoped_release free;
          near = vertices_within<V, W>(rows.view(), starts, cutoff, static_cast<std::size_t>(most),
                                       Poller(control, true));
        }
        if (!near) return nb::none();
        const SearchCounters counters = near->counters;
        return nb::make_tuple(to_numpy(std::move(near->vertices)), to_numpy(std::move(near->dist)),
                              counters.settled, counters.relaxed, counters.improved);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("cutoff"), nb::arg("most"),
      nb::arg("progress") = nb::none());
}

}  // namespace

template <Index Width>
void register_owners(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() {
    register_pair<V, W>(module);
    if constexpr (sizeof(V) == 4) register_near<W>(module);
  });
}

template void register_owners<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
