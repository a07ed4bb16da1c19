#include "warpath/centrality/weighted_sums.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/many/near_rows.hpp"

namespace warpath::bindings {

namespace {

/// Returns (starts, columns, dist, lengths, settled). With `lengths` of edges, the vertices are
/// those within `radius`, and weights must be > 0; an edge is returned if its weight is lost in a
/// sum.
template <Weight W>
void register_near_rows(nb::module_& module) {
  using D = DistanceOf<W>;
  using V = std::int32_t;
  module.def(
      "near_rows",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         In<std::int32_t> column_of, D cutoff, std::optional<In<double>> lengths, double radius,
         int threads, nb::object progress) -> nb::object {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        const std::vector<std::int64_t> starts = vertices_of(sources, rows.n());
        const std::vector<std::int32_t> columns(column_of.data(),
                                                column_of.data() + column_of.size());
        if (!columns.empty()) require_size(columns.size(), rows.vertices(), "column_of");
        require(cutoff >= 0 && cutoff < unreachable<D>, "cutoff must be finite and >= 0");
        std::span<const double> of_edges;
        if (lengths) {
          of_edges = view(*lengths);
          require_size(of_edges.size(), rows.edges(), "lengths");
          for (const double length : of_edges) require(length >= 0, "lengths must be >= 0");
        }
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        NearRows<D> near;
        try {
          const nb::gil_scoped_release free;
          near =
              near_rows<W>(rows.view(), starts, columns, cutoff, of_edges, radius, team, control);
        } catch (const LengthLost& lost) {
          return nb::int_(lost.edge);
        }
        return nb::make_tuple(to_numpy(std::move(near.starts)), to_numpy(std::move(near.columns)),
                              to_numpy(std::move(near.dist)), to_numpy(std::move(near.lengths)),
                              near.settled);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("column_of").noconvert(), nb::arg("cutoff"),
      nb::arg("lengths").noconvert() = nb::none(), nb::arg("radius") = 0.0, nb::arg("threads") = 1,
      nb::arg("progress") = nb::none());
}

/// Fills the sums of rows, or adds to those of columns. `starts` is empty for whole rows.
template <class D>
void register_sums(nb::module_& module) {
  module.def(
      "weighted_sums",
      [](In<D> dist, In<std::int64_t> starts, In<std::int32_t> columns, In<double> values,
         In<D> limits, std::int64_t width, In<double> weights, Out<double> sums, bool of_columns,
         std::int64_t nearest, int threads) {
        require(width > 0 && nearest >= 0 && limits.size() > 0, "sums need columns and limits");
        const auto columns_in_all = static_cast<std::size_t>(width);
        std::vector<std::int64_t> begins(starts.data(), starts.data() + starts.size());
        if (begins.empty()) {
          require(columns.size() == 0 && dist.size() % columns_in_all == 0, "rows are not whole");
          for (std::size_t at = 0; at <= dist.size(); at += columns_in_all)
            begins.push_back(static_cast<std::int64_t>(at));
        } else {
          require_size(columns.size(), dist.size(), "columns");
          require(begins.front() == 0 && begins.back() == static_cast<std::int64_t>(dist.size()),
                  "starts must lead from 0 to the number of entries");
          for (std::size_t row = 1; row < begins.size(); ++row)
            require(begins[row - 1] <= begins[row], "starts must ascend");
        }
        const SharedSpan<std::int32_t> places = numbers_below(columns, width, "columns");
        if (values.size() > 0) require_size(values.size(), dist.size(), "values");
        const std::size_t rows = begins.size() - 1;
        const std::size_t count = limits.size();
        require_size(weights.size(), count * (of_columns ? rows : columns_in_all), "weights");
        require_size(sums.size(), count * (of_columns ? columns_in_all : rows), "sums");
        const WeightedSums<D> request{
            view(dist),    begins,       places.values,
            view(values),  view(limits), columns_in_all,
            view(weights), view(sums),   static_cast<std::size_t>(nearest)};
        const int team = at_least_one(threads);
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        (of_columns ? sum_columns<D> : sum_rows<D>)(request, team, control);
      },
      nb::arg("dist").noconvert(), nb::arg("starts").noconvert(), nb::arg("columns").noconvert(),
      nb::arg("values").noconvert(), nb::arg("limits").noconvert(), nb::arg("width"),
      nb::arg("weights").noconvert(), nb::arg("sums").noconvert(), nb::arg("of_columns"),
      nb::arg("nearest") = 0, nb::arg("threads") = 1);
}

}  // namespace

void register_weighted_sums(nb::module_& module) {
  register_near_rows<std::int64_t>(module);
  register_near_rows<float>(module);
  register_near_rows<double>(module);
  register_sums<std::int64_t>(module);
  register_sums<double>(module);
}

}  // namespace warpath::bindings
