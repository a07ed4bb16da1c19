#include "warpath/graph/raster.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "search.hpp"
#include "warpath/sssp/bucket_team.hpp"

namespace warpath::bindings {

namespace {

using Costs = std::shared_ptr<Raster>;

/// Runs make(control) with the GIL released.
template <class Make>
auto without_gil(Make&& make) {
  Control control(python_tick(nb::none()));
  const nb::gil_scoped_release free;
  return make(control);
}

Costs raster_of(std::int64_t rows, std::int64_t columns, int neighbours, double height,
                double width) {
  require(neighbours == 4 || neighbours == 8 || neighbours == 16, "neighbours must be 4, 8 or 16");
  require(height > 0 && width > 0 && std::isfinite(height) && std::isfinite(width),
          "the sides of a cell must be finite and > 0");
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  require(rows >= 0 && columns >= 0 && rows < kMost && columns < kMost &&
              Raster::positions(rows, columns, neighbours) < kMost,
          "a raster has fewer than 2^31 cells");
  return std::make_shared<Raster>(rows, columns, neighbours, height, width);
}

nb::dict stats_of(const Costs& raster, int threads) {
  require(!raster->complete(), "the costs are complete");
  const RasterStats stats =
      without_gil([&](Control& control) { return raster->stats(at_least_one(threads), control); });
  nb::dict out;
  out["edges"] = stats.edges;
  out["zero"] = stats.zero;
  out["min_degree"] = stats.min_degree;
  out["max_degree"] = stats.max_degree;
  out["min_weight"] = stats.min_weight;
  out["max_weight"] = stats.max_weight;
  out["sum"] = stats.sum;
  return out;
}

void require_complete(const Costs& raster) {
  require(raster->complete(), "the costs are not complete: call stats");
}

nb::callable search_of(const Costs& raster, double delta, double max_weight,
                       std::optional<double> cutoff, int threads) {
  require_complete(raster);
  require(delta > 0, "delta must be > 0");
  const BucketOptions<double> options{delta, max_weight, false, cutoff_of<double>(cutoff),
                                      at_least_one(threads)};
  const auto run = [=](std::int64_t source, std::span<double> dist,
                       Control& control) -> std::optional<SearchStats> {
    BucketTeam<RasterRows, double, double> team(raster->rows(), dist.data(), options, control);
    const auto position = static_cast<std::int32_t>(source);
    team.solve(std::span<const std::int32_t>(&position, 1), dist);
    const BucketCounters counters = team.counters();
    raster->compact(dist);
    return SearchStats{counters.settled, counters.relaxed, counters.improved, counters.rounds,
                       counters.reached};
  };
  return BoundSearch<double>::function(static_cast<std::size_t>(raster->positions()),
                                       static_cast<std::size_t>(raster->edges()), run);
}

/// Fills `dist`, of a raster's positions, with the distances of its cells from the nearest source,
/// then what is left; and `nearest` with the first of the nearest sources of each cell.
nb::dict nearest_of(const Costs& raster, In<std::int64_t> sources, double delta, double max_weight,
                    std::optional<double> cutoff, int threads, Out<double> dist,
                    Out<std::int32_t> nearest, nb::object progress) {
  require_complete(raster);
  require(delta > 0, "delta must be > 0");
  require_size(dist.size(), static_cast<std::size_t>(raster->positions()), "dist");
  require_size(nearest.size(), static_cast<std::size_t>(raster->cells()), "nearest");
  const std::vector<std::int64_t> starts = vertices_of(sources, raster->cells());
  std::vector<std::int32_t> positions;
  for (const std::int64_t start : starts)
    positions.push_back(static_cast<std::int32_t>(raster->position(start)));
  const BucketOptions<double> options{delta, max_weight, false, cutoff_of<double>(cutoff),
                                      at_least_one(threads)};
  Control control(python_tick(std::move(progress)));
  BucketCounters counters;
  {
    const nb::gil_scoped_release free;
    BucketTeam<RasterRows, double, double> team(raster->rows(), dist.data(), options, control);
    team.solve(std::span<const std::int32_t>(positions), view(dist));
    counters = team.counters();
    raster->compact(view(dist));
    const auto cells = static_cast<std::size_t>(raster->cells());
    raster->owners(starts, view(dist).first(cells), view(nearest), Poller(control, true));
  }
  nb::dict named;
  named["settled"] = counters.settled;
  named["relaxed"] = counters.relaxed;
  named["improved"] = counters.improved;
  named["rounds"] = counters.rounds;
  return named;
}

}  // namespace

/// A raster is written by `set`, then read by `stats`, then by the others, each of which may run in
/// several threads.
void register_raster(nb::module_& module) {
  struct Holder {
    Costs raster;
  };
  nb::class_<Holder> type(module, "Raster");
  type.def(
      "__init__",
      [](Holder* self, std::int64_t rows, std::int64_t columns, int neighbours, double height,
         double width) { new (self) Holder{raster_of(rows, columns, neighbours, height, width)}; },
      nb::arg("rows"), nb::arg("columns"), nb::arg("neighbours"), nb::arg("height"),
      nb::arg("width"));
  type.def("position",
           [](const Holder& self, std::int64_t vertex) {
             require_vertex(vertex, self.raster->cells());
             return self.raster->position(vertex);
           })
      .def(
          "set",
          [](Holder& self, std::int64_t first, InMatrix<double> costs) {
            require(!self.raster->complete(), "the costs are complete");
            self.raster->check(first, costs.shape(0), costs.shape(1));
            return self.raster->set(first, {costs.data(), costs.size()});
          },
          nb::arg("first"), nb::arg("costs").noconvert())
      .def(
          "get",
          [](const Holder& self, OutMatrix<double> costs) {
            self.raster->check(0, costs.shape(0), costs.shape(1));
            self.raster->get({costs.data(), costs.size()});
          },
          nb::arg("costs").noconvert())
      .def(
          "stats", [](const Holder& self, int threads) { return stats_of(self.raster, threads); },
          nb::arg("threads"))
      .def(
          "write",
          [](const Holder& self, Out<std::int64_t> indptr, Out<std::int32_t> indices,
             Out<double> weights, int threads) {
            require_complete(self.raster);
            const auto m = static_cast<std::size_t>(self.raster->edges());
            require_size(indptr.size(), static_cast<std::size_t>(self.raster->cells()) + 1,
                         "indptr");
            require_size(indices.size(), m, "indices");
            require_size(weights.size(), m, "weights");
            without_gil([&](Control& control) {
              self.raster->write<std::int32_t>(view(indptr), view(indices), view(weights),
                                               at_least_one(threads), control);
            });
          },
          nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("weights").noconvert(), nb::arg("threads"))
      .def(
          "search",
          [](const Holder& self, double delta, double max_weight, std::optional<double> cutoff,
             int threads) { return search_of(self.raster, delta, max_weight, cutoff, threads); },
          nb::arg("delta"), nb::arg("max_weight"), nb::arg("cutoff").none(), nb::arg("threads"))
      .def(
          "nearest",
          [](const Holder& self, In<std::int64_t> sources, double delta, double max_weight,
             std::optional<double> cutoff, int threads, Out<double> dist, Out<std::int32_t> nearest,
             nb::object progress) {
            return nearest_of(self.raster, sources, delta, max_weight, cutoff, threads, dist,
                              nearest, std::move(progress));
          },
          nb::arg("sources").noconvert(), nb::arg("delta"), nb::arg("max_weight"),
          nb::arg("cutoff").none(), nb::arg("threads"), nb::arg("dist").noconvert(),
          nb::arg("nearest").noconvert(), nb::arg("progress") = nb::none())
      .def_prop_ro("positions", [](const Holder& self) { return self.raster->positions(); })
      .def(
          "tree",
          [](const Holder& self, std::int64_t source, In<double> dist, Out<std::int32_t> pred,
             int threads) {
            require_vertex(source, self.raster->cells());
            require_size(dist.size(), static_cast<std::size_t>(self.raster->cells()), "dist");
            require_size(pred.size(), dist.size(), "pred");
            without_gil([&](Control& control) {
              self.raster->tree(source, view(dist), view(pred), at_least_one(threads), control);
            });
          },
          nb::arg("source"), nb::arg("dist").noconvert(), nb::arg("pred").noconvert(),
          nb::arg("threads"));
}

}  // namespace warpath::bindings
