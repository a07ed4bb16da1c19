#include "warpath/paths/pareto_paths.hpp"

#include <memory>
#include <mutex>
#include <utility>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

/// The state of an iterator.
template <Index V, Weight W>
struct ParetoSearch {
  using Rows = GraphRows<V, W>;
  using D = DistanceOf<W>;

  ParetoSearch(Rows&& out, Rows&& into, Rows&& out_second, Rows&& into_second, V source, V target,
               D limit, double epsilon, std::size_t bytes, int threads,
               std::optional<std::int64_t> relax_after)
      : rows{std::move(out), std::move(into), std::move(out_second), std::move(into_second)},
        paths({rows[0].view(), rows[1].view()}, {rows[2].view(), rows[3].view()}, source, target,
              limit, epsilon, bytes, threads, relax_after) {}

  const Rows rows[4];
  ParetoPaths<V, W> paths;
  std::mutex mutex;  // threads may share an iterator
};

/// Defines pareto_paths, whose result returns (edges, length, second) of the next path with each
/// call, or None; or the number of labels that did not fit `bytes`.
template <Index V, Weight W>
void register_pareto(nb::module_& module) {
  using D = DistanceOf<W>;
  using Rows = GraphRows<V, W>;
  using Search = ParetoSearch<V, W>;
  module.def(
      "pareto_paths",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<W> second,
         In<std::int64_t> into_indptr, In<V> into_indices, In<W> into_weights,
         In<std::int64_t> second_indptr, In<V> second_indices, In<W> into_second,
         std::int64_t source, std::int64_t target, std::optional<D> limit, double epsilon,
         std::int64_t bytes, int threads, std::optional<std::int64_t> relax_after) {
        Rows out(indptr, indices, weights, Weights::kNotNegative);
        Rows into(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        Rows out_second(indptr, indices, second, Weights::kNotNegative);
        Rows into_rows(second_indptr, second_indices, into_second, Weights::kNotNegative);
        require_size(into.vertices(), out.vertices(), "into_indptr");
        require_size(into_rows.vertices(), out.vertices(), "second_indptr");
        for (const std::int64_t v : {source, target}) require_vertex(v, out.n());
        require(epsilon >= 0, "epsilon must be >= 0");
        require(bytes >= 0, "bytes must be >= 0");
        const auto search = std::make_shared<Search>(
            std::move(out), std::move(into), std::move(out_second), std::move(into_rows),
            static_cast<V>(source), static_cast<V>(target), cutoff_of<D>(limit), epsilon,
            static_cast<std::size_t>(bytes), at_least_one(threads), relax_after);
        return function_of([search]() -> nb::object {
          Control control(python_tick(nb::none()));
          std::optional<typename ParetoPaths<V, W>::Path> path;
          {
            const nb::gil_scoped_release free;
            const std::lock_guard lock(search->mutex);
            path = search->paths.next(Poller(control, true));
          }
          if (!path)
            return search->paths.full() ? nb::object(nb::int_(search->paths.count())) : nb::none();
          return nb::make_tuple(to_numpy(std::move(path->edges)), path->length, path->second);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("second").noconvert(), nb::arg("into_indptr").noconvert(),
      nb::arg("into_indices").noconvert(), nb::arg("into_weights").noconvert(),
      nb::arg("second_indptr").noconvert(), nb::arg("second_indices").noconvert(),
      nb::arg("into_second").noconvert(), nb::arg("source"), nb::arg("target"),
      nb::arg("limit") = nb::none(), nb::arg("epsilon") = 0.0,
      nb::arg("bytes") = std::numeric_limits<std::int64_t>::max(), nb::arg("threads") = 1,
      nb::arg("relax_after") = nb::none());
}

}  // namespace

void register_pareto_paths(nb::module_& module) {
  register_pareto<std::int32_t, std::int64_t>(module);
  register_pareto<std::int32_t, double>(module);
}

}  // namespace warpath::bindings
