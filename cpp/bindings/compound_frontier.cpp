#include "warpath/sssp/compound_frontier.hpp"

#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

using Flag = std::uint8_t;
using Relaxed = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::size_t, std::size_t>;

Relaxed as_tuple(const RelaxCounters& counters) {
  return {counters.relaxed, counters.improved, counters.read, counters.lowered.begin,
          counters.lowered.end};
}

/// The blocks' smallest labels are optional for `update` and required for `minimum`.
template <class D>
std::span<D> block_minima_view(const Out<D>& block_minima, std::size_t n, bool optional) {
  require(block_minima.size() == minimum_blocks(n) || (optional && block_minima.size() == 0),
          "block_minima: one label for each block of COMPOUND_FRONTIER_BLOCK vertices");
  return view(block_minima);
}

/// Checks that labels and flags have an entry for each vertex.
void require_labels(std::size_t n, std::size_t dist, const In<Flag>& frontier,
                    const In<Flag>& unsettled) {
  require_size(dist, n, "dist");
  require_size(frontier.size(), n, "frontier");
  require_size(unsettled.size(), n, "unsettled");
}

template <Index V, Weight W>
void register_sparse(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "compound_frontier_relax_f",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, Out<D> dist, In<Flag> frontier,
         In<Flag> unsettled) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        require_labels(rows.vertices(), dist.size(), frontier, unsettled);
        const nb::gil_scoped_release free;
        return as_tuple(relax_f<V, W>(rows.view(), view(dist), view(frontier), view(unsettled)));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("dist").noconvert(), nb::arg("frontier").noconvert(),
      nb::arg("unsettled").noconvert());
  module.def(
      "compound_frontier_relax_u",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int32_t> into,
         In<std::int32_t> from, Out<D> dist, In<Flag> frontier, In<Flag> unsettled) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        require_labels(rows.vertices(), dist.size(), frontier, unsettled);
        const auto blocks = static_cast<std::int64_t>(flag_blocks(rows.vertices()));
        const SharedSpan<std::int32_t> ends = numbers_below(into, blocks, "into");
        const SharedSpan<std::int32_t> starts = numbers_below(from, blocks, "from_");
        require_size(starts.values.size(), ends.values.size(), "from_");
        const nb::gil_scoped_release free;
        return as_tuple(relax_u<V, W>(rows.view(), ends.values, starts.values, view(dist),
                                      view(frontier), view(unsettled)));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("into").noconvert(), nb::arg("from_").noconvert(), nb::arg("dist").noconvert(),
      nb::arg("frontier").noconvert(), nb::arg("unsettled").noconvert());
}

template <Index V>
void register_blocks(nb::module_& module) {
  module.def(
      "compound_frontier_block_edges",
      [](In<std::int64_t> indptr, In<V> indices) {
        const auto rows = unweighted(indptr, indices);
        BlockEdges edges;
        {
          const nb::gil_scoped_release free;
          edges = block_edges<V>(rows.view().indptr, rows.view().indices);
        }
        const auto blocks = static_cast<std::int64_t>(flag_blocks(rows.vertices()));
        return nb::make_tuple(validated_numbers(std::move(edges.into), blocks),
                              validated_numbers(std::move(edges.from), blocks));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert());
}

template <Weight D>
void register_labels(nb::module_& module) {
  const auto def = [&](const char* name, auto relax) {
    module.def(
        name,
        [relax](InMatrix<D> matrix, Out<D> dist, In<Flag> frontier, In<Flag> unsettled) {
          require(matrix.shape(0) == dist.size() && matrix.shape(1) == dist.size(),
                  "matrix must have a row and a column for each vertex");
          require_labels(dist.size(), dist.size(), frontier, unsettled);
          const nb::gil_scoped_release free;
          return as_tuple(relax(std::span<const D>(matrix.data(), matrix.size()), view(dist),
                                view(frontier), view(unsettled)));
        },
        nb::arg("matrix").noconvert(), nb::arg("dist").noconvert(), nb::arg("frontier").noconvert(),
        nb::arg("unsettled").noconvert());
  };
  def("compound_frontier_relax_f_dense", relax_f_dense<D>);
  def("compound_frontier_relax_u_dense", relax_u_dense<D>);
  module.def(
      "compound_frontier_minimum",
      [](In<D> dist, In<Flag> unsettled, Out<D> block_minima, int bytes) {
        require_size(unsettled.size(), dist.size(), "unsettled");
        const std::span<D> blocks = block_minima_view<D>(block_minima, dist.size(), false);
        const nb::gil_scoped_release free;
        return minimum<D>(view(dist), view(unsettled), blocks, bytes);
      },
      nb::arg("dist").noconvert(), nb::arg("unsettled").noconvert(),
      nb::arg("block_minima").noconvert(), nb::arg("bytes") = 64);
  module.def(
      "compound_frontier_update",
      [](In<D> dist, Out<Flag> unsettled, Out<Flag> frontier, D threshold, Out<D> block_minima) {
        require_size(unsettled.size(), dist.size(), "unsettled");
        require_size(frontier.size(), dist.size(), "frontier");
        const std::span<const D> blocks = block_minima_view<D>(block_minima, dist.size(), true);
        const nb::gil_scoped_release free;
        const Updated updated =
            update<D>(view(dist), view(unsettled), view(frontier), threshold, blocks);
        return std::tuple(updated.selected, updated.changed.begin, updated.changed.end);
      },
      nb::arg("dist").noconvert(), nb::arg("unsettled").noconvert(),
      nb::arg("frontier").noconvert(), nb::arg("threshold"), nb::arg("block_minima").noconvert());
}

}  // namespace

void register_compound_frontier(nb::module_& module) {
  module.attr("COMPOUND_FRONTIER_BLOCK") = kMinimumBlock;
  for_each_type([&]<class V, class W>() { register_sparse<V, W>(module); });
  register_blocks<std::int32_t>(module);
  register_labels<std::int64_t>(module);
  register_labels<float>(module);
  register_labels<double>(module);
}

}  // namespace warpath::bindings
