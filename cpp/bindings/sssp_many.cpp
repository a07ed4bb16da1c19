#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "queues.hpp"
#include "warpath/many/dijkstra_many.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W, class Label, class Weighting>
nb::dict solve_many(const GraphRows<V, W>& rows, Weighting weighting,
                    const In<std::int64_t>& sources, const In<std::int64_t>& targets,
                    const OutMatrix<Label>& out, const std::string& queue,
                    std::optional<DistanceOf<W>> cutoff, int threads, nb::object progress) {
  using D = DistanceOf<W>;
  constexpr bool kPlain = std::is_same_v<Weighting, OriginalWeights<V, W>>;
  Control control(python_tick(std::move(progress)));
  const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
  const std::vector<std::int64_t> ends = vertices_of(targets, rows.n());
  const std::span<Label> table = table_of<Label>(out, rows.view(), starts, ends);
  const D limit = cutoff_of<D>(cutoff);
  at_least_one(threads);
  SearchCounters counters;
  {
    const nb::gil_scoped_release free;
    counters = with_queue<kPlain>(queue, rows.view(), [&](const auto& make_queue) {
      return dijkstra_many<Label, V, W>(rows.view(), starts, ends, table, make_queue, weighting,
                                        limit, threads, control);
    });
  }
  return as_dict(counters);
}

/// Copies potentials and checks that no edge reached from the sources gets a negative weight.
///
/// With a negative one, the keys of a search would descend, which not every queue supports.
/// Negative floats count as 0 anyway. One pass over the edges suffices: the sources have
/// potentials, so each vertex that they reach has one.
template <Index V, Weight W>
std::vector<DistanceOf<W>> potentials_of(const GraphRows<V, W>& rows, const In<DistanceOf<W>>& h,
                                         const In<std::int64_t>& sources) {
  using D = DistanceOf<W>;
  require_size(h.size(), rows.vertices(), "h");
  std::vector<D> potentials(h.data(), h.data() + h.size());
  if constexpr (std::is_integral_v<D>) {
    const CsrView<V, W>& graph = rows.view();
    const auto refuse = [](std::int64_t v) {
      throw std::invalid_argument("h makes a length from vertex " + std::to_string(v) +
                                  " negative, or is missing there");
    };
    for (const std::int64_t v : vertices_of(sources, rows.n()))
      if (potentials[static_cast<std::size_t>(v)] == unreachable<D>) refuse(v);
    Control control(python_tick(nb::none()));
    const nb::gil_scoped_release free;
    Poller poller(control, true);
    for (std::size_t u = 0; u < potentials.size(); ++u) {
      if (potentials[u] == unreachable<D>) continue;
      poller.step(graph.indptr[u + 1] - graph.indptr[u] + 1);
      __int128 smallest = 0;
      for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
        const auto edge = static_cast<std::size_t>(e);
        const auto v = static_cast<std::size_t>(graph.indices[edge]);
        const __int128 rest = static_cast<__int128>(graph.weights[edge]) - potentials[v];
        smallest = std::min(smallest, rest + potentials[u]);
      }
      if (smallest < 0) refuse(static_cast<std::int64_t>(u));
    }
  }
  return potentials;
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
        return solve_many<V, W, Label>(rows, OriginalWeights<V, W>{}, sources, targets, out, queue,
                                       cutoff, threads, std::move(progress));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("queue"), nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1,
      nb::arg("progress") = nb::none());
}

template <Index V, Weight W, class Label>
void register_johnson(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "johnson_many",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> h, In<std::int64_t> sources,
         In<std::int64_t> targets, OutMatrix<Label> out, const std::string& queue,
         std::optional<D> cutoff, int threads, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        const std::vector<D> potentials = potentials_of(rows, h, sources);
        return solve_many<V, W, Label>(rows, ReducedWeights<V, W>{potentials}, sources, targets,
                                       out, queue, cutoff, threads, std::move(progress));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("h").noconvert(), nb::arg("sources").noconvert(), nb::arg("targets").noconvert(),
      nb::arg("out").noconvert(), nb::arg("queue"), nb::arg("cutoff") = nb::none(),
      nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

}  // namespace

template <Index Width>
void register_sssp_many(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() {
    register_many<V, W, DistanceOf<W>>(module);
    if constexpr (std::is_integral_v<W>) register_many<V, W, std::int32_t>(module);
  });
  if constexpr (sizeof(Width) == 4)
    for_each_type([&]<class V, class W>() {
      register_johnson<V, W, DistanceOf<W>>(module);
      if constexpr (std::is_integral_v<W>) register_johnson<V, W, std::int32_t>(module);
    });
}

template void register_sssp_many<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
