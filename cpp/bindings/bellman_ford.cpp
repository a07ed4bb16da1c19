#include "warpath/bellman_ford.hpp"

#include "common.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  module.def(
      "bellman_ford",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         Out<DistanceOf<W>> dist, nb::object progress) {
        Control control(python_tick(std::move(progress)));
        BellmanFordResult result;
        {
          const nb::gil_scoped_release free;
          result =
              bellman_ford<V, W>(csr(indptr, indices, weights), view(sources), view(dist), control);
        }
        nb::dict out;
        out["settled"] = result.settled;
        out["relaxed"] = result.relaxed;
        out["improved"] = result.improved;
        out["rounds"] = result.rounds;
        out["cycle"] = give(std::move(result.cycle));
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("dist").noconvert(),
      nb::arg("progress") = nb::none());
}

}  // namespace

void register_bellman_ford(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
}

}  // namespace warpath::bindings
