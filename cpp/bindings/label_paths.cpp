#include "warpath/hierarchy/label_paths.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/hierarchy/queries.hpp"

namespace warpath::bindings {

namespace {

using V = std::int32_t;

/// The weights of a graph whose hierarchy has weights W, which may have half their bits.
template <Weight W>
using G = std::conditional_t<std::is_integral_v<W>, std::int64_t, W>;

/// The sums of the trips over edges, from checked arguments.
template <Weight W>
auto loads_of(const LabelledArcs<W>& arcs, const CsrView<V, G<W>>& graph, const TripLoads& loads,
              int threads, nb::object progress) {
  std::vector<double> edges(static_cast<std::size_t>(graph.m()));
  Control control(python_tick(std::move(progress)));
  {
    const nb::gil_scoped_release free;
    label_loads(arcs, graph, loads, edges, threads, control);
  }
  return to_numpy(std::move(edges));
}

template <Weight W>
void register_paths(nb::module_& module, const char* name) {
  using Arcs = LabelledArcs<W>;
  nb::class_<Arcs>(module, name)
      .def_prop_ro("nbytes",
                   [](const Arcs& arcs) {
                     const PathCounts<W>& counts = arcs.counts;
                     const std::size_t own =
                         counts.symmetric() ? counts.up().size() : counts.arcs();
                     const std::size_t rows = counts.symmetric() ? 1 : 2;
                     return own * sizeof(CountedArc<W>) + arcs.ways.nbytes() +
                            rows * arcs.tree->n() * sizeof(std::size_t);
                   })
      .def_prop_ro("arcs", [](const Arcs& arcs) { return arcs.counts.arcs(); })
      .def(
          "route",
          [](Arcs& arcs, std::int64_t source, std::int64_t target) {
            for (const std::int64_t v : {source, target})
              require_vertex(v, static_cast<std::int64_t>(arcs.tree->n()));
            std::vector<std::int64_t> vertices;
            typename TreeLabels<W>::D length;
            {
              const nb::gil_scoped_release free;
              Control control;
              arcs.labels.pairs({&source, 1}, {&target, 1}, {&length, 1}, 1, control);
              arcs.searches.with(
                  [&](LabelPathSearch<W>& search) { search.route(source, target, vertices); });
            }
            return nb::make_tuple(to_numpy(std::move(vertices)), length);
          },
          nb::arg("source"), nb::arg("target"))
      .def(
          "routes",
          [](Arcs& arcs, In<std::int64_t> sources, In<std::int64_t> targets, int threads,
             nb::object progress) {
            const auto n = static_cast<std::int64_t>(arcs.tree->n());
            const std::vector<std::int64_t> starts = vertices_of(sources, n);
            const std::vector<std::int64_t> ends = vertices_of(targets, n);
            require_size(ends.size(), starts.size(), "targets");
            const int team = at_least_one(threads);
            Control control(python_tick(std::move(progress)));
            Routes routes;
            {
              const nb::gil_scoped_release free;
              routes = label_routes(arcs, starts, ends, team, control);
            }
            return nb::make_tuple(to_numpy(std::move(routes.vertices)),
                                  to_numpy(std::move(routes.counts)));
          },
          nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("threads") = 1,
          nb::arg("progress") = nb::none())
      .def(
          "loads",
          [](const Arcs& arcs, In<std::int64_t> indptr, In<V> indices, In<G<W>> weights,
             In<std::int64_t> sources, In<std::int64_t> targets, In<double> trips, bool split,
             int threads, nb::object progress) {
            const GraphRows<V, G<W>> rows(indptr, indices, weights, Weights::kNotNegative);
            const auto n = static_cast<std::int64_t>(arcs.tree->n());
            require(rows.n() == n, "the rows are of another graph");
            const std::vector<std::int64_t> starts = vertices_of(sources, n);
            const std::vector<std::int64_t> ends = vertices_of(targets, n);
            require_size(ends.size(), starts.size(), "targets");
            require_size(trips.size(), starts.size(), "trips");
            const TripLoads loads{starts, ends, view(trips), split};
            return loads_of(arcs, rows.view(), loads, at_least_one(threads), std::move(progress));
          },
          nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("weights").noconvert(), nb::arg("sources").noconvert(),
          nb::arg("targets").noconvert(), nb::arg("trips").noconvert(), nb::arg("split"),
          nb::arg("threads") = 1, nb::arg("progress") = nb::none());
  module.def(
      "labelled_arcs",
      [](const TreeLabels<W>& labels, const HierarchyQueries<W>& queries, In<std::int64_t> indptr,
         In<V> indices, In<G<W>> weights) {
        const GraphRows<V, G<W>> rows(indptr, indices, weights, Weights::kNotNegative);
        const Hierarchy<W>& hierarchy = queries.hierarchy();
        require(std::ranges::equal(labels.tree()->positions(), hierarchy.positions()),
                "the labels must be those of the hierarchy");
        require(rows.n() == hierarchy.n(), "the rows are of another graph");
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        return std::make_unique<Arcs>(labels, hierarchy, rows.view(), Poller(control, true));
      },
      nb::arg("labels"), nb::arg("hierarchy"), nb::arg("indptr").noconvert(),
      nb::arg("indices").noconvert(), nb::arg("weights").noconvert(), nb::keep_alive<0, 2>());
}

}  // namespace

void register_label_paths(nb::module_& module) {
  register_paths<std::int32_t>(module, "LabelledArcsInt32");
  register_paths<std::int64_t>(module, "LabelledArcsInt64");
  register_paths<float>(module, "LabelledArcsFloat32");
  register_paths<double>(module, "LabelledArcsFloat64");
}

}  // namespace warpath::bindings
