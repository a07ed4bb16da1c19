#include "warpath/paths/visit_order.hpp"

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

/// Runs search(poller) with the GIL released, after a check of a breadth-first search's arguments.
template <Index V, class Search>
auto checked_search(const GraphRows<V, std::int32_t>& rows, std::int64_t source, std::size_t n,
                    nb::object progress, Search&& search) {
  require_size(n, rows.vertices(), "dist");
  require_vertex(source, rows.n());
  Control control(python_tick(std::move(progress)));
  const nb::gil_scoped_release free;
  return search(Poller(control, true));
}

template <Index V>
void register_levels(nb::module_& module) {
  module.def(
      "breadth_first_scan",
      [](In<std::int64_t> indptr, In<V> indices, std::int64_t source, std::int64_t limit,
         Out<std::int64_t> dist, nb::object progress) {
        const auto rows = unweighted(indptr, indices);
        VisitOrder scan =
            checked_search(rows, source, dist.size(), std::move(progress), [&](Poller poller) {
              VisitOrder found;
              breadth_first_scan<V>(rows.view().indptr, rows.view().indices, source, limit,
                                    view(dist), poller, found, [](std::size_t) {});
              return found;
            });
        return nb::make_tuple(to_numpy(std::move(scan.order)), to_numpy(std::move(scan.above)));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("source"),
      nb::arg("limit"), nb::arg("dist").noconvert(), nb::arg("progress") = nb::none());
  module.def(
      "breadth_first_levels",
      [](In<std::int64_t> indptr, In<V> indices, In<std::int64_t> into_indptr, In<V> into_indices,
         std::int64_t source, std::int64_t limit, Out<std::int64_t> dist, nb::object progress) {
        const auto rows = unweighted(indptr, indices);
        const auto into = unweighted(into_indptr, into_indices);
        require(into.vertices() == rows.vertices() && into.edges() == rows.edges(),
                "the rows into the vertices are of another graph");
        return to_numpy(
            checked_search(rows, source, dist.size(), std::move(progress), [&](Poller poller) {
              return breadth_first_levels<V>(rows.view().indptr, rows.view().indices,
                                             into.view().indptr, into.view().indices, source, limit,
                                             view(dist), poller);
            }));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(), nb::arg("source"),
      nb::arg("limit"), nb::arg("dist").noconvert(), nb::arg("progress") = nb::none());
}

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "visit_order",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> dist,
         In<std::int64_t> sources, bool queue, nb::object progress) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        require_size(dist.size(), rows.vertices(), "dist");
        const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
        require(queue || std::all_of(dist.data(), dist.data() + dist.size(),
                                     [](D label) { return label >= 0; }),
                "dist must not be negative");
        Control control(python_tick(std::move(progress)));
        VisitOrder scan;
        {
          const nb::gil_scoped_release free;
          scan = visit_order<V, W>(rows.view(), view(dist), starts, queue, Poller(control, true));
        }
        return nb::make_tuple(to_numpy(std::move(scan.order)), to_numpy(std::move(scan.above)),
                              to_numpy(std::move(scan.via)));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("sources").noconvert(), nb::arg("queue"),
      nb::arg("progress") = nb::none());
  module.def(
      "tight_rows",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> dist, In<std::int64_t> order,
         std::size_t sources, bool first_met, D limit, nb::object progress) {
        const GraphRows<V, W> graph(indptr, indices, weights, Weights::kFinite);
        require_size(dist.size(), graph.vertices(), "dist");
        const std::vector<std::int64_t> shown = vertices_of(order, graph.n());
        Control control(python_tick(std::move(progress)));
        TightRows rows;
        {
          const nb::gil_scoped_release free;
          rows = tight_rows<V, W>(graph.view(), view(dist), shown, sources, first_met, limit,
                                  Poller(control, true));
        }
        return nb::make_tuple(to_numpy(std::move(rows.keys)), to_numpy(std::move(rows.ends)),
                              to_numpy(std::move(rows.tails)));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("order").noconvert(), nb::arg("sources"),
      nb::arg("first_met"), nb::arg("limit"), nb::arg("progress") = nb::none());
}

}  // namespace

void register_visit_order(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
  register_levels<std::int32_t>(module);
}

}  // namespace warpath::bindings
