#include "warpath/owners.hpp"

#include <stdexcept>

#include "common.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "owners",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         In<D> dist, Out<V> owner, nb::object progress) {
        const auto graph = csr(indptr, indices, weights);
        if (dist.size() != owner.size() || static_cast<std::int64_t>(dist.size()) != graph.n())
          throw std::invalid_argument("dist and owner need an entry for each vertex");
        Control control(python_tick(std::move(progress)));
        const nb::gil_scoped_release free;
        owners<V, W>(graph, view(sources), view(dist), view(owner), Pulse(control, true));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("dist").noconvert(), nb::arg("owner").noconvert(),
      nb::arg("progress") = nb::none());
}

}  // namespace

void register_owners(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
}

}  // namespace warpath::bindings
