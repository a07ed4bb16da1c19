#include "warpath/many_sources.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <type_traits>

#include "common.hpp"
#include "queues.hpp"
#include "search.hpp"

namespace warpath::bindings {

namespace {

/// Graphs of 2^31 vertices and more are searched by Dijkstra: their labels fill the memory alone.
template <Index V, Weight W, class Label>
ManyCounters solve(Table<V, W, Label> table, bool together, int threads, Control& control) {
  if constexpr (sizeof(V) == 4) {
    return many_sources(table, together, threads, control);
  } else {
    using Queue = FourHeap<DistanceOf<W>, V>;
    return {dijkstra_many<Label, V, W>(
        table.graph, table.sources, table.targets, table.out, [] { return Queue(); },
        PlainEdges<V, W>{}, table.cutoff, threads, control)};
  }
}

template <Index V, Weight W, class Label>
void register_table(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "many_sources",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         In<std::int64_t> targets, OutMatrix<Label> out, double delta, double delta_together,
         bool together, std::optional<D> cutoff, int threads, int bits, std::int64_t large,
         nb::object progress) {
        Control control(python_tick(std::move(progress)));
        const CsrView<V, W> graph = csr(indptr, indices, weights);
        const std::span<Label> table = table_of(out, graph, view(sources), view(targets));
        ManyCounters counters;
        {
          const nb::gil_scoped_release free;
          counters = solve<V, W, Label>(
              {graph, view(sources), view(targets), table, cutoff.value_or(unreachable<D>), delta,
               delta_together, bits, large},
              together, threads, control);
        }
        nb::dict found = as_dict(counters);
        found["together"] = counters.together;
        found["moves"] = counters.moves;
        return found;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("delta"), nb::arg("delta_together"), nb::arg("together") = true,
      nb::arg("cutoff") = nb::none(), nb::arg("threads") = 1, nb::arg("bits") = 512,
      nb::arg("large") = std::int64_t{1} << 19, nb::arg("progress") = nb::none());
}

/// The search of one source alone, with its graph bound.
template <Index V, Weight W>
void register_own_buckets(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "own_buckets",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, double delta,
         std::optional<D> cutoff) {
        const auto run = [=](std::int64_t source, std::span<D> dist,
                             Control& control) -> std::optional<SearchDone> {
          const CsrView<V, W> graph = csr(indptr, indices, weights);
          try {
            const ManyCounters counters = solve<V, W, D>(
                {graph, {&source, 1}, {}, dist, cutoff.value_or(unreachable<D>), delta, delta},
                false, 1, control);
            return SearchDone{.settled = counters.settled,
                              .relaxed = counters.relaxed,
                              .improved = counters.improved,
                              .together = counters.together,
                              .moves = counters.moves};
          } catch (const std::overflow_error&) {
            return std::nullopt;
          }
        };
        return Search<D>::function(indptr.size() - 1, indices.size(), run);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("delta"), nb::arg("cutoff") = nb::none());
}

}  // namespace

void register_many_sources(nb::module_& module) {
  for_each_type([&]<class V, class W>() {
    register_own_buckets<V, W>(module);
    register_table<V, W, DistanceOf<W>>(module);
    if constexpr (std::is_integral_v<W>) register_table<V, W, std::int32_t>(module);
  });
}

}  // namespace warpath::bindings
