#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "graph_rows.hpp"
#include "queues.hpp"
#include "search.hpp"
#include "warpath/graph/symmetry.hpp"
#include "warpath/paths/point_to_point.hpp"
#include "warpath/paths/tree.hpp"
#include "warpath/queues/path_key.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_dijkstra(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "dijkstra",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source, Out<D> dist,
         const std::string& queue, In<std::int64_t> targets, std::optional<D> cutoff,
         nb::object progress, bool counted) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        require(!counted || queue == "heap", "counted: comparisons are counted in queue=\"heap\"");
        require_vertex(source, rows.n());
        require_size(dist.size(), rows.vertices(), "dist");
        const std::vector<std::int64_t> ends = vertices_of(targets, rows.n());
        const D limit = cutoff_of<D>(cutoff);
        Control control(python_tick(std::move(progress)));
        SearchCounters counters;
        {
          const nb::gil_scoped_release free;
          const CsrView<V, W>& graph = rows.view();
          const auto search = [&](auto&& empty) {
            return dijkstra(graph, static_cast<V>(source), view(dist), empty, ends, limit,
                            Poller(control, true));
          };
          counted_comparisons = 0;
          counters = counted ? search(CountedHeap<D, V>())
                             : with_any_queue(queue, graph, [&](const auto& make_queue) {
                                 return search(make_queue());
                               });
        }
        nb::dict out = as_dict(counters);
        if (counted) {
          out["comparisons"] = counted_comparisons + counters.relaxed;
          out["additions"] = counters.relaxed;
        }
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("queue"),
      nb::arg("targets").noconvert(), nb::arg("cutoff") = nb::none(),
      nb::arg("progress") = nb::none(), nb::arg("counted") = false);
}

/// Dijkstra's algorithm with its queue and graph bound.
template <Index V, Weight W>
void register_dijkstra_search(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "dijkstra_search",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, const std::string& queue,
         std::optional<D> cutoff) {
        const auto rows = std::make_shared<const GraphRows<V, W>>(indptr, indices, weights,
                                                                  Weights::kNotNegative);
        const D limit = cutoff_of<D>(cutoff);
        return with_any_queue(queue, rows->view(), [&](const auto& make_queue) {
          const auto run = [=](std::int64_t source, std::span<D> dist,
                               Control& control) -> std::optional<SearchStats> {
            auto empty = make_queue();
            try {
              const SearchCounters counters = dijkstra(rows->view(), static_cast<V>(source), dist,
                                                       empty, {}, limit, Poller(control, true));
              return SearchStats{counters.settled, counters.relaxed, counters.improved};
            } catch (const std::overflow_error&) {
              return std::nullopt;
            }
          };
          return BoundSearch<D>::function(rows->vertices(), rows->edges(), run);
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("queue"), nb::arg("cutoff") = nb::none());
}

/// Called after loops that skip sums that do not fit: throws if one of `wanted` (None: any vertex)
/// got no distance for that reason. Float sums become inf, which is unreachable, and n - 1 light
/// edges cannot overflow 64 bits: then there is nothing to check.
template <Index V, Weight W>
void register_refuse_overflow(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "refuse_overflow",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<D> dist,
         std::optional<In<std::int64_t>> wanted) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        require_size(dist.size(), rows.vertices(), "dist");
        const std::vector<std::int64_t> ends =
            vertices_of(wanted.value_or(In<std::int64_t>()), rows.n());
        if constexpr (std::is_integral_v<W>) {
          if (rows.max_weight() <= unreachable<D> / (rows.n() + 1)) return;
          Control control(python_tick(nb::none()));
          const nb::gil_scoped_release free;
          Poller poller(control, true);
          const TargetSet some(ends, rows.n());
          refuse_overflow<V, W>(rows.view(), view(dist), poller, [&](std::size_t v) {
            return some.empty() || some.has(static_cast<std::int64_t>(v));
          });
        }
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("wanted").noconvert() = nb::none());
}

/// The predecessors for one graph, with everything bound except the source and its distances:
/// inspecting the arrays of a graph takes longer than the tree of a tiny one.
template <Index V, class D>
class Trees {
 public:
  using Run = std::function<void(std::int64_t source, std::span<const D> dist, std::span<V> pred,
                                 int threads, bool assemble, Control& control)>;

  Trees(std::size_t n, std::size_t m, Run run) : n_(n), m_(m), run_(std::move(run)) {
    Numpy::keep<V>();
  }

  /// Returns the predecessors, read-only.
  nb::object operator()(std::int64_t source, nb::handle dist, int threads, bool assemble,
                        nb::object progress) const {
    const std::span<const D> labels = values_of<D>(dist);
    require_size(labels.size(), n_, "dist");
    require_vertex(source, static_cast<std::int64_t>(n_));
    at_least_one(threads);
    const NewArray<V> pred(n_);
    Control control(python_tick(std::move(progress)));
    {
      const GilReleaseIfLarge free(n_, m_);
      run_(source, labels, pred.values(), threads, assemble, control);
    }
    return pred.frozen();
  }

 private:
  std::size_t n_, m_;
  Run run_;
};

template <Index V, Weight W>
void register_trees(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "trees",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> into_indptr,
         In<V> into_indices, In<W> into_weights, bool ascending, bool negative) {
        const auto rows = std::make_shared<const GraphRows<V, W>>(
            indptr, indices, weights, negative ? Weights::kFinite : Weights::kNotNegative);
        // Without in-edges, each vertex searches its out-edges (push).
        const auto back = into_indptr.size() == 0
                              ? nullptr
                              : std::make_shared<const GraphRows<V, W>>(
                                    into_indptr, into_indices, into_weights, Weights::kFinite);
        if (back) require_size(back->vertices(), rows->vertices(), "into_indptr");
        const auto run = [=](std::int64_t source, std::span<const D> dist, std::span<V> pred,
                             int threads, bool assemble, Control& control) {
          const InEdges<V, W> into{back ? back->view() : CsrView<V, W>{}, ascending};
          TreeBuilder<V, W>(rows->view(), into, static_cast<V>(source), dist, pred, threads,
                            assemble, control)
              .build(negative);
        };
        return function_of(Trees<V, D>(rows->vertices(), rows->edges(), run), nb::arg("source"),
                           nb::arg("dist"), nb::arg("threads") = 1, nb::arg("assemble") = false,
                           nb::arg("progress") = nb::none());
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert(), nb::arg("ascending"), nb::arg("negative"));
}

/// Whether each edge exists in both directions, and whether each row's vertices ascend.
template <Index V, Weight W>
void register_row_order(nb::module_& module) {
  module.def(
      "row_order",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, int threads) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kOptional);
        at_least_one(threads);
        Control control(python_tick(nb::none()));
        RowOrder order;
        {
          const nb::gil_scoped_release free;
          std::random_device entropy;
          const std::uint64_t seed = std::uint64_t{entropy()} << 32 | entropy();
          order = RowOrderOf<V, W>(rows.view(), seed).find(threads, control);
        }
        return std::make_tuple(order.mirrored, order.ascending);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("threads") = 1);
}

template <Index V, Weight W>
void register_path(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "path",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> r_indptr,
         In<V> r_indices, In<W> r_weights, std::int64_t source, std::int64_t target,
         bool bidirectional, nb::object progress) {
        // Any weights are allowed: the searches compute no addresses from them, and Yen's algorithm
        // changes some at every call.
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kAny);
        const GraphRows<V, W> back(r_indptr, r_indices, r_weights, Weights::kAny);
        require_size(back.vertices(), rows.vertices(), "r_indptr");
        require_vertex(source, rows.n());
        require_vertex(target, rows.n());
        require(sizeof(V) == 4 || !bidirectional, "bidirectional: indices must have 32 bits");
        Control control(python_tick(std::move(progress)));
        PathResult<D> found;
        {
          const nb::gil_scoped_release free;
          const CsrView<V, W>& graph = rows.view();
          const CsrView<V, W>& reversed = back.view();
          const Poller poller(control, true);
          const auto s = static_cast<V>(source);
          const auto t = static_cast<V>(target);
          if constexpr (sizeof(V) == 4)
            found = bidirectional ? BidirectionalSearch<V, W>(graph, reversed, s, t, poller).find()
                                  : early_stop_path<V, W>(graph, reversed, s, t, poller);
          else
            found = early_stop_path<V, W>(graph, reversed, s, t, poller);
        }
        return std::make_tuple(to_numpy(std::move(found.vertices)), found.length,
                               as_dict(found.counters));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("r_indptr").noconvert(), nb::arg("r_indices").noconvert(),
      nb::arg("r_weights").noconvert(), nb::arg("source"), nb::arg("target"),
      nb::arg("bidirectional"), nb::arg("progress") = nb::none());
}

}  // namespace

template <Index Width>
void register_sssp(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() {
    register_dijkstra<V, W>(module);
    register_dijkstra_search<V, W>(module);
    register_refuse_overflow<V, W>(module);
    register_trees<V, W>(module);
    register_row_order<V, W>(module);
    register_path<V, W>(module);
  });
}

template void register_sssp<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
