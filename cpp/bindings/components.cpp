#include "warpath/graph/components.hpp"

#include <utility>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

/// A number of its component for each vertex; the graph's weights only check its rows.
template <Index V, Weight W>
void register_components_of(nb::module_& module) {
  module.def(
      "components",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, bool strong) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kOptional);
        Control control(python_tick(nb::none()));
        std::vector<V> component(rows.vertices());
        {
          const nb::gil_scoped_release free;
          const CsrView<V, W>& graph = rows.view();
          if (strong)
            strong_components<V>(graph.indptr, graph.indices, component, control);
          else
            weak_components<V>(graph.indptr, graph.indices, component, control);
        }
        return to_numpy(std::move(component));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("strong"));
}

}  // namespace

template <Index Width>
void register_components(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() { register_components_of<V, W>(module); });
}

template void register_components<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
