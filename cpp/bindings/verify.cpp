#include "warpath/paths/verify.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <string_view>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
nb::dict as_dict(const Violation& violation, const CsrView<V, W>& graph,
                 std::span<const DistanceOf<W>> dist, std::span<const V> pred) {
  nb::dict out;
  if (violation.rule == nullptr) return out;
  out["rule"] = violation.rule;
  out["vertex"] = violation.vertex;
  out["dist_v"] = dist[static_cast<std::size_t>(violation.vertex)];
  if (violation.e >= 0) {
    out["edge"] = nb::make_tuple(violation.u, violation.v, violation.e);
    out["dist_u"] = dist[static_cast<std::size_t>(violation.u)];
    out["weight"] = graph.weights[static_cast<std::size_t>(violation.e)];
  }
  if (std::string_view(violation.rule) == "pred") {
    out["pred"] = pred[static_cast<std::size_t>(violation.vertex)];
    out["expected"] = violation.expected;
  }
  return out;
}

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "verify",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source, In<D> dist,
         In<V> pred, std::optional<D> cutoff, D slack, int threads, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        require_vertex(source, rows.n());
        require_size(dist.size(), rows.vertices(), "dist");
        require(pred.size() == 0 || pred.size() == dist.size(), "pred must have n entries or none");
        require(pred.size() == 0 || slack == 0, "a tree is checked with slack 0 only");
        require(slack >= 0, "slack must be >= 0");
        at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        Violation violation;
        {
          const nb::gil_scoped_release free;
          violation = Certificate<V, W>(rows.view(), static_cast<V>(source), view(dist), cutoff,
                                        slack, control)
                          .check(view(pred), threads);
        }
        return as_dict<V, W>(violation, rows.view(), view(dist), view(pred));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("pred").noconvert(),
      nb::arg("cutoff") = nb::none(), nb::arg("slack") = D{0}, nb::arg("threads") = 1,
      nb::arg("progress") = nb::none());
}

}  // namespace

template <Index Width>
void register_verify(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() { register_pair<V, W>(module); });
}

template void register_verify<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
