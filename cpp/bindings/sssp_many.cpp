#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "graph_rows.hpp"
#include "queues.hpp"
#include "warpath/dijkstra_many.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W, class Label, class Edges>
nb::dict solve_many(const GraphRows<V, W>& rows, Edges edges, const In<std::int64_t>& sources,
                    const In<std::int64_t>& targets, const OutMatrix<Label>& out,
                    const std::string& queue, std::optional<DistanceOf<W>> cutoff, int threads,
                    nb::object progress) {
  using D = DistanceOf<W>;
  constexpr bool kPlain = std::is_same_v<Edges, PlainEdges<V, W>>;
  Control control(python_tick(std::move(progress)));
  const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
  const std::vector<std::int64_t> ends = vertices_of(targets, rows.n());
  const std::span<Label> table = table_of<Label>(out, rows.view(), starts, ends);
  const D most = cutoff_of<D>(cutoff);
  at_least_one(threads);
  SearchCounters counters;
  {
    const nb::gil_scoped_release free;
    counters = with_queue<kPlain>(queue, rows.view(), [&](const auto& make_queue) {
      return dijkstra_many<Label, V, W>(rows.view(), starts, ends, table, make_queue, edges, most,
                                        threads, control);
    });
  }
  return as_dict(counters);
}

template <Index V, Weight W, class Label>
void register_many(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "dijkstra_many",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         In<std::int64_t> targets, OutMatrix<Label> out, const std::string& queue,
         std::optional<D> cutoff, int threads, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        return solve_many<V, W, Label>(rows, PlainEdges<V, W>{}, sources, targets, out, queue,
                                       cutoff, threads, std::move(progress));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("queue"), nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1,
      nb::arg("progress") = nb::none());
  module.def(
      "johnson_many",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> h, In<std::int64_t> sources,
         In<std::int64_t> targets, OutMatrix<Label> out, const std::string& queue,
         std::optional<D> cutoff, int threads, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        require_size(h.size(), rows.vertices(), "h");
        return solve_many<V, W, Label>(rows, ReducedEdges<V, W>{view(h)}, sources, targets, out,
                                       queue, cutoff, threads, std::move(progress));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("h").noconvert(), nb::arg("sources").noconvert(), nb::arg("targets").noconvert(),
      nb::arg("out").noconvert(), nb::arg("queue"), nb::arg("cutoff") = nb::none(),
      nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

}  // namespace

void register_sssp_many(nb::module_& module) {
  for_each_type([&]<class V, class W>() {
    register_many<V, W, DistanceOf<W>>(module);
    if constexpr (std::is_integral_v<W>) register_many<V, W, std::int32_t>(module);
  });
}

}  // namespace warpath::bindings
