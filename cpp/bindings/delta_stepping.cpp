#include "warpath/sssp/delta_stepping.hpp"

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "delta_stepping",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source, Out<D> dist,
         D delta, int threads, bool complete, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        require_vertex(source, rows.n());
        require_size(dist.size(), rows.vertices(), "dist");
        Control control(python_tick(std::move(progress)));
        DeltaSteppingResult result;
        {
          const nb::gil_scoped_release free;
          result = delta_stepping<V, W>(rows.view(), static_cast<V>(source), view(dist), delta,
                                        threads, control, complete);
        }
        nb::dict out;
        out["settled"] = result.settled;
        out["relaxed"] = result.relaxed;
        out["improved"] = result.improved;
        out["read"] = result.read;
        out["rounds"] = result.rounds;
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("delta"), nb::arg("threads") = 1,
      nb::arg("complete") = true, nb::arg("progress") = nb::none());
}

}  // namespace

void register_delta_stepping(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
}

}  // namespace warpath::bindings
