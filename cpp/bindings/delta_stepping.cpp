#include "warpath/sssp/delta_stepping.hpp"

#include "graph_rows.hpp"
#include "warpath/sssp/stepping.hpp"

namespace warpath::bindings {

namespace {

/// Checks the arrays, calls search(graph, source, dist, control) and returns its counters.
template <Index V, Weight W, class Search>
nb::dict counters_of(In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source,
                     Out<DistanceOf<W>> dist, nb::object progress, Search&& search) {
  const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
  require_vertex(source, rows.n());
  require_size(dist.size(), rows.vertices(), "dist");
  Control control(python_tick(std::move(progress)));
  const auto result = [&] {
    const nb::gil_scoped_release free;
    return search(rows.view(), static_cast<V>(source), view(dist), control);
  }();
  nb::dict out;
  out["settled"] = result.settled;
  out["relaxed"] = result.relaxed;
  out["improved"] = result.improved;
  out["rounds"] = result.rounds;
  if constexpr (requires { result.read; }) out["read"] = result.read;
  return out;
}

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "delta_stepping",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source, Out<D> dist,
         D delta, int threads, bool complete, nb::object progress) {
        return counters_of<V, W>(
            indptr, indices, weights, source, dist, std::move(progress),
            [&](const CsrView<V, W>& graph, V from, std::span<D> labels, Control& control) {
              return delta_stepping<V, W>(graph, from, labels, delta, threads, control, complete);
            });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("delta"), nb::arg("threads") = 1,
      nb::arg("complete") = true, nb::arg("progress") = nb::none());
  module.def(
      "stepping",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source, Out<D> dist,
         D delta, std::int64_t rho, int threads, bool complete, nb::object progress) {
        return counters_of<V, W>(
            indptr, indices, weights, source, dist, std::move(progress),
            [&](const CsrView<V, W>& graph, V from, std::span<D> labels, Control& control) {
              return stepping<V, W>(graph, from, labels, delta, rho, threads, control, complete);
            });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("delta"), nb::arg("rho"),
      nb::arg("threads") = 1, nb::arg("complete") = true, nb::arg("progress") = nb::none());
}

}  // namespace

void register_delta_stepping(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
}

}  // namespace warpath::bindings
