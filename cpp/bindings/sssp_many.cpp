#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "common.hpp"
#include "queues.hpp"
#include "warpath/dijkstra_many.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W, class Label, class Edges>
nb::dict solve_many(const CsrView<V, W>& graph, Edges edges, std::span<const std::int64_t> sources,
                    std::span<const std::int64_t> targets, const OutMatrix<Label>& out,
                    const std::string& queue, std::optional<DistanceOf<W>> cutoff, int threads,
                    nb::object progress) {
  using D = DistanceOf<W>;
  constexpr bool kPlain = std::is_same_v<Edges, PlainEdges<V, W>>;
  Control control(python_tick(std::move(progress)));
  const std::span<Label> table = table_of(out, graph, sources, targets);
  SearchCounters counters;
  {
    const nb::gil_scoped_release free;
    counters = with_queue<kPlain>(queue, graph, [&](const auto& make_queue) {
      return dijkstra_many<Label, V, W>(graph, sources, targets, table, make_queue, edges,
                                        cutoff.value_or(unreachable<D>), threads, control);
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
        return solve_many<V, W, Label>(csr(indptr, indices, weights), PlainEdges<V, W>{},
                                       view(sources), view(targets), out, queue, cutoff, threads,
                                       std::move(progress));
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
        return solve_many<V, W, Label>(csr(indptr, indices, weights), ReducedEdges<V, W>{view(h)},
                                       view(sources), view(targets), out, queue, cutoff, threads,
                                       std::move(progress));
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
