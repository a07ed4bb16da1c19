// networkx_searches.cpp - searches that take vertices in NetworkX's order.

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/parallel/pool.hpp"
#include "warpath/paths/astar.hpp"
#include "warpath/paths/spur_search.hpp"

namespace warpath::bindings {

namespace {

/// Defines astar, which returns (edges, exact): None without a path; if not exact, neither counts.
template <Index V, Weight W>
void register_astar(nb::module_& module) {
  module.def(
      "astar",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source,
         std::int64_t target, nb::callable estimate, double limit, bool whole) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        for (const std::int64_t v : {source, target}) require_vertex(v, rows.n());
        Control control(python_tick(nb::none()));
        // The GIL stays, as the estimate is a Python function.
        AStarPath path = astar<V, W>(
            rows.view(), static_cast<V>(source), static_cast<V>(target), limit, whole,
            [&](V v) { return nb::cast<double>(estimate(v)); }, Poller(control, true));
        const nb::object edges =
            path.found ? nb::cast(to_numpy(std::move(path.edges))) : nb::object(nb::none());
        return nb::make_tuple(edges, !path.inexact);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("target"), nb::arg("estimate"), nb::arg("limit"),
      nb::arg("whole"));
}

/// The searches of Yen's paths on one graph: they hold its rows and reusable labels.
class BoundSpurSearch {
 public:
  using Vertices = std::vector<std::int64_t>;
  using Run = std::function<nb::object(std::int64_t source, std::int64_t target,
                                       const Vertices& avoided, const Vertices& heads)>;

  BoundSpurSearch(std::int64_t n, Run run) : n_(n), run_(std::move(run)) {}

  /// Returns (vertices, length), without vertices if there is no path.
  nb::object operator()(std::int64_t source, std::int64_t target, In<std::int64_t> avoided,
                        In<std::int64_t> heads) const {
    for (const std::int64_t v : {source, target}) require_vertex(v, n_);
    return run_(source, target, vertices_of(avoided, n_), vertices_of(heads, n_));
  }

 private:
  std::int64_t n_;
  Run run_;
};

/// Binds search(labels, source, target, poller).
template <Index V, class D, class Search>
BoundSpurSearch bound(std::int64_t n, Search search) {
  using Labels = SpurLabels<V, D>;
  auto pool = std::make_shared<Pool<Labels>>([n] { return std::make_unique<Labels>(n); });
  return BoundSpurSearch(
      n,
      [=](std::int64_t source, std::int64_t target, const BoundSpurSearch::Vertices& avoided,
          const BoundSpurSearch::Vertices& heads) -> nb::object {
        Control control(python_tick(nb::none()));
        SpurPath<D> path;
        {
          const nb::gil_scoped_release free;
          path = pool->with([&](Labels& labels) {
            labels.avoid(avoided, static_cast<V>(source), heads);
            SpurPath<D> found = search(labels, static_cast<V>(source), static_cast<V>(target),
                                       Poller(control, true));
            labels.clean();
            return found;
          });
        }
        return nb::make_tuple(to_numpy(std::move(path.vertices)), path.length);
      });
}

template <Index V, Weight W>
void register_spurs(nb::module_& module) {
  module.def(
      "spur_search",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> into_indptr,
         In<V> into_indices, In<W> into_weights) {
        using Rows = GraphRows<V, W>;
        const auto out =
            std::make_shared<const Rows>(indptr, indices, weights, Weights::kNotNegative);
        const auto into = std::make_shared<const Rows>(into_indptr, into_indices, into_weights,
                                                       Weights::kNotNegative);
        require_size(into->vertices(), out->vertices(), "into_indptr");
        return bound<V, DistanceOf<W>>(out->n(), [=](auto& labels, V source, V target, Poller p) {
          return spur_search<V, W>(out->view(), into->view(), source, target, labels, p);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert());
}

template <Index V>
void register_levels(nb::module_& module) {
  module.def(
      "spur_search_by_levels",
      [](In<std::int64_t> indptr, In<V> indices, In<std::int64_t> into_indptr, In<V> into_indices) {
        using Rows = GraphRows<V, std::int32_t>;
        const auto out = std::make_shared<const Rows>(unweighted(indptr, indices));
        const auto into = std::make_shared<const Rows>(unweighted(into_indptr, into_indices));
        require_size(into->vertices(), out->vertices(), "into_indptr");
        return bound<V, std::int64_t>(out->n(), [=](auto& labels, V source, V target, Poller p) {
          return spur_search_by_levels<V>(out->view().adjacency(), into->view().adjacency(), source,
                                          target, labels, p);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert());
}

}  // namespace

void register_networkx_searches(nb::module_& module) {
  nb::class_<BoundSpurSearch>(module, "SpurSearch")
      .def("__call__", &BoundSpurSearch::operator(), nb::arg("source"), nb::arg("target"),
           nb::arg("avoided").noconvert(), nb::arg("heads").noconvert());
  for_each_type([&]<class V, class W>() {
    register_astar<V, W>(module);
    if constexpr (!std::is_same_v<W, float>) register_spurs<V, W>(module);
  });
  register_levels<std::int32_t>(module);
}

}  // namespace warpath::bindings
