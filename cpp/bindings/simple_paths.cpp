#include "warpath/paths/simple_paths.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/paths/alternative_routes.hpp"
#include "warpath/paths/disjoint_paths.hpp"

namespace warpath::bindings {

namespace {

/// The simple paths between two vertices of a graph whose rows it holds.
class BoundSimplePaths {
 public:
  using Next = std::function<nb::object()>;

  explicit BoundSimplePaths(Next next) : next_(std::move(next)) {}

  nb::object operator()() const { return next_(); }

 private:
  Next next_;
};

/// The state of an iterator.
template <Index V, Weight W>
struct Search {
  Search(GraphRows<V, W>&& forth, GraphRows<V, W>&& back, std::vector<V>&& numbers, V source,
         V target, DistanceOf<W> longest)
      : out(std::move(forth)),
        into(std::move(back)),
        homes(std::move(numbers)),
        paths(out.view(), into.view(), homes, source, target, longest) {}

  const GraphRows<V, W> out, into;
  const std::vector<V> homes;
  SimplePaths<V, W> paths;
  std::mutex mutex;  // threads may share an iterator
};

/// Defines simple_paths, whose result returns (vertices, length) of the next path with each call,
/// or None.
template <Index V, Weight W>
void register_pair(nb::module_& module) {
  using D = DistanceOf<W>;
  using Rows = GraphRows<V, W>;
  module.def(
      "simple_paths",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> into_indptr,
         In<V> into_indices, In<W> into_weights, std::int64_t source, std::int64_t target,
         std::optional<D> longest, In<V> homes) {
        Rows out(indptr, indices, weights, Weights::kNotNegative);
        Rows into(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        require_size(into.vertices(), out.vertices(), "into_indptr");
        for (const std::int64_t v : {source, target}) require_vertex(v, out.n());
        std::vector<V> numbers(homes.data(), homes.data() + homes.size());
        if (!numbers.empty())
          require_size(numbers.size(), static_cast<std::size_t>(out.n()), "homes");
        for (const V v : numbers) require_vertex(v, out.n());
        const auto search = std::make_shared<Search<V, W>>(
            std::move(out), std::move(into), std::move(numbers), static_cast<V>(source),
            static_cast<V>(target), cutoff_of<D>(longest));
        return BoundSimplePaths([search]() -> nb::object {
          Control control(python_tick(nb::none()));
          std::optional<typename SimplePaths<V, W>::Path> path;
          {
            const nb::gil_scoped_release free;
            const std::lock_guard lock(search->mutex);
            path = search->paths.next(Poller(control, true));
          }
          if (!path) return nb::none();
          return nb::make_tuple(to_numpy(std::move(path->vertices)), path->length);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert(), nb::arg("source"), nb::arg("target"), nb::arg("longest"),
      nb::arg("homes").noconvert());
}

/// Defines disjoint_paths, which returns (vertices, edges, length) of each path.
template <Index V, Weight W>
void register_disjoint(nb::module_& module) {
  using Found = std::vector<typename DisjointPaths<V, W>::Path>;
  module.def(
      "disjoint_paths",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> into_indptr,
         In<V> into_indices, In<W> into_weights, std::int64_t source, std::int64_t target,
         std::int64_t k, bool by_vertices, bool undirected) {
        const GraphRows<V, W> out(indptr, indices, weights, Weights::kNotNegative);
        const GraphRows<V, W> into(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        require_size(into.vertices(), out.vertices(), "into_indptr");
        for (const std::int64_t v : {source, target}) require_vertex(v, out.n());
        require(source != target, "source and target must differ");
        Control control(python_tick(nb::none()));
        Found paths;
        {
          const nb::gil_scoped_release free;
          paths = DisjointPaths<V, W>(out.view(), into.view(), static_cast<V>(source),
                                      static_cast<V>(target), by_vertices, undirected,
                                      Poller(control, true))
                      .find(k);
        }
        nb::list found;
        for (auto& path : paths)
          found.append(nb::make_tuple(to_numpy(std::move(path.vertices)),
                                      to_numpy(std::move(path.edges)), path.length));
        return found;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert(), nb::arg("source"), nb::arg("target"), nb::arg("k"),
      nb::arg("by_vertices"), nb::arg("undirected"));
}

/// Defines alternative_routes, which returns (vertices, length, shared, local) of each route.
template <Index V, Weight W>
void register_alternatives(nb::module_& module) {
  module.def(
      "alternative_routes",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> into_indptr,
         In<V> into_indices, In<W> into_weights, std::int64_t source, std::int64_t target,
         std::int64_t k, double sharing, double stretch, double local, bool penalties) {
        const GraphRows<V, W> out(indptr, indices, weights, Weights::kNotNegative);
        const GraphRows<V, W> into(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        require_size(into.vertices(), out.vertices(), "into_indptr");
        for (const std::int64_t v : {source, target}) require_vertex(v, out.n());
        require(source != target, "source and target must differ");
        require(sharing >= 0 && stretch >= 1 && local >= 0, "bounds are too small");
        require(std::isfinite(sharing + stretch + local), "bounds must be finite");
        Control control(python_tick(nb::none()));
        std::vector<typename AlternativeRoutes<V, W>::Route> routes;
        {
          const nb::gil_scoped_release free;
          AlternativeRoutes<V, W> search(out.view(), into.view(), static_cast<V>(source),
                                         static_cast<V>(target), {sharing, stretch, local},
                                         Poller(control, true));
          routes = penalties ? search.find_by_penalties(k) : search.find(k);
        }
        nb::list found;
        for (auto& route : routes)
          found.append(nb::make_tuple(to_numpy(std::move(route.vertices)), route.length,
                                      route.shared, route.local));
        return found;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert(), nb::arg("source"), nb::arg("target"), nb::arg("k"),
      nb::arg("sharing"), nb::arg("stretch"), nb::arg("local"), nb::arg("penalties"));
}

}  // namespace

void register_simple_paths(nb::module_& module) {
  nb::class_<BoundSimplePaths>(module, "SimplePaths")
      .def("__call__", &BoundSimplePaths::operator());
  for_each_type([&]<class V, class W>() {
    register_pair<V, W>(module);
    register_disjoint<V, W>(module);
    register_alternatives<V, W>(module);
  });
}

}  // namespace warpath::bindings
