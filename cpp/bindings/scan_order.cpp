#include "warpath/scan_order.hpp"

#include <stdexcept>

#include "common.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "scan_order",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> dist,
         In<std::int64_t> sources, bool queue, Out<std::int64_t> order, Out<std::int64_t> via,
         nb::object progress) {
        const auto graph = csr(indptr, indices, weights);
        const auto n = static_cast<std::size_t>(graph.n());
        if (dist.size() != n || via.size() != n || order.size() > n)
          throw std::invalid_argument("dist and via need an entry for each vertex");
        Control control(python_tick(std::move(progress)));
        const nb::gil_scoped_release free;
        scan_order<V, W>(graph, view(dist), view(sources), queue, view(order), view(via),
                         Pulse(control, true));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("sources").noconvert(), nb::arg("place").noconvert(),
      nb::arg("order").noconvert(), nb::arg("via").noconvert(), nb::arg("progress") = nb::none());
}

}  // namespace

void register_scan_order(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
}

}  // namespace warpath::bindings
