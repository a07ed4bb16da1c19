#include "warpath/sssp/bmssp.hpp"

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "queues.hpp"
#include "search.hpp"
#include "warpath/graph/constant_degree.hpp"

namespace warpath::bindings {

namespace {

/// A graph, or the one of constant degree that is searched in its place.
template <Index V, Weight W>
class BmsspGraph {
 public:
  using D = DistanceOf<W>;

  BmsspGraph(const In<std::int64_t>& indptr, const In<V>& indices, const In<W>& weights,
             std::int64_t k, std::int64_t t, bool constant_degree)
      : rows_(indptr, indices, weights, Weights::kNotNegative), k_(k), t_(t) {
    require(k >= 0 && k <= BmsspSizes::kMostK, "k must lie in 0 .. 4096");
    require(t >= 0 && t <= BmsspSizes::kMostT, "t must lie in 0 .. 32");
    if (!constant_degree) return;
    Control control(python_tick(nb::none()));
    const nb::gil_scoped_release free;
    Poller poller(control, true);
    cycles_.emplace(rows_.view(), poller);
  }

  template <bool kCounted>
  BmsspCounters search(std::int64_t source, std::span<D> dist, D cutoff, Poller poller) const {
    if (!cycles_)
      return bmssp<kCounted>(rows_.view(), static_cast<V>(source), dist, k_, t_, cutoff, poller);
    const CsrView<V, W> graph = cycles_->view();
    std::vector<D> labels(static_cast<std::size_t>(graph.n()));
    const V start = cycles_->vertex_of(static_cast<std::size_t>(source));
    const BmsspCounters counters =
        bmssp<kCounted>(graph, start, std::span(labels), k_, t_, cutoff, poller);
    for (std::size_t u = 0; u < dist.size(); ++u)
      dist[u] = labels[static_cast<std::size_t>(cycles_->vertex_of(u))];
    return counters;
  }

  const GraphRows<V, W>& rows() const { return rows_; }

 private:
  GraphRows<V, W> rows_;
  std::int64_t k_, t_;
  std::optional<ConstantDegree<V, W>> cycles_;
};

template <Index V, Weight W>
void register_search(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "bmssp_search",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t k, std::int64_t t,
         bool constant_degree, std::optional<D> cutoff) {
        const auto graph = std::make_shared<const BmsspGraph<V, W>>(indptr, indices, weights, k, t,
                                                                    constant_degree);
        const D limit = cutoff_of<D>(cutoff);
        const auto run = [=](std::int64_t source, std::span<D> dist,
                             Control& control) -> std::optional<SearchStats> {
          try {
            const BmsspCounters counters =
                graph->template search<false>(source, dist, limit, Poller(control, true));
            return SearchStats{counters.settled, counters.relaxed, counters.improved};
          } catch (const std::overflow_error&) {
            return std::nullopt;
          }
        };
        return BoundSearch<D>::function(graph->rows().vertices(), graph->rows().edges(), run);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("k"), nb::arg("t"), nb::arg("constant_degree"), nb::arg("cutoff") = nb::none());
}

/// The search that counts comparisons and additions, for a trace.
template <Index V, Weight W>
void register_counted_search(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "bmssp",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::int64_t source, Out<D> dist,
         std::int64_t k, std::int64_t t, bool constant_degree, std::optional<D> cutoff,
         nb::object progress) {
        const BmsspGraph<V, W> graph(indptr, indices, weights, k, t, constant_degree);
        require_vertex(source, graph.rows().n());
        require_size(dist.size(), graph.rows().vertices(), "dist");
        const D limit = cutoff_of<D>(cutoff);
        Control control(python_tick(std::move(progress)));
        BmsspCounters counters;
        counted_comparisons = 0;
        {
          const nb::gil_scoped_release free;
          counters = graph.template search<true>(source, view(dist), limit, Poller(control, true));
        }
        nb::dict out = as_dict(counters);
        out["comparisons"] = counted_comparisons;
        out["additions"] = counters.relaxed;
        out["pulls"] = counters.pulls;
        out["pivots"] = counters.pivots;
        return out;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("k"), nb::arg("t"),
      nb::arg("constant_degree"), nb::arg("cutoff") = nb::none(), nb::arg("progress") = nb::none());
}

}  // namespace

template <bool kCounted>
void register_bmssp(nb::module_& module) {
  for_each_type([&]<class V, class W>() {
    if constexpr (kCounted)
      register_counted_search<V, W>(module);
    else
      register_search<V, W>(module);
  });
}

template void register_bmssp<kCompiledForSize>(nb::module_& module);

}  // namespace warpath::bindings
