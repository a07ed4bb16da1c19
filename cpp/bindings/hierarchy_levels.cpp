#include <nanobind/stl/optional.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/hierarchy/levels.hpp"

namespace warpath::bindings {

namespace {

// Limits under which costs fit 64 bits.
constexpr Position kMostTop = 1 << 20;
constexpr std::int64_t kMostPerLevel = std::int64_t{1} << 31;

template <Weight W>
void register_levels(nb::module_& module) {
  module.def(
      "level_top",
      [](const HierarchyQueries<W>& queries, Position step, Position most, std::int64_t per_level) {
        require(step >= 1 && most >= 0 && most <= kMostTop, "step or most is not valid");
        require(per_level >= 0 && per_level <= kMostPerLevel, "per_level is not valid");
        std::vector<std::int64_t> vertices;
        {
          const nb::gil_scoped_release free;
          vertices = top_vertices(queries.hierarchy(), step, most, per_level);
        }
        return to_numpy(std::move(vertices));
      },
      nb::arg("hierarchy"), nb::arg("step"), nb::arg("most"), nb::arg("per_level"));
  module.def(
      "level_rows",
      [](const HierarchyQueries<W>& queries, Position top,
         std::optional<In<std::int64_t>> targets) {
        const std::int64_t n = queries.hierarchy().n();
        require(top >= 0 && top <= n, "top must be from 0 to n");
        std::vector<std::int64_t> ends;
        if (targets) ends = vertices_of(*targets, n);
        LevelRows<W> rows;
        {
          const nb::gil_scoped_release free;
          rows = level_rows(
              queries.hierarchy(), top,
              targets ? std::optional(std::span<const std::int64_t>(ends)) : std::nullopt);
        }
        const auto arcs = [](PlaceArcs<W>& of) {
          return nb::make_tuple(to_numpy(std::move(of.first)), to_numpy(std::move(of.heads)),
                                to_numpy(std::move(of.weights)));
        };
        return nb::make_tuple(to_numpy(std::move(rows.level_first)),
                              to_numpy(std::move(rows.position)), to_numpy(std::move(rows.columns)),
                              arcs(rows.down), arcs(rows.up));
      },
      nb::arg("hierarchy"), nb::arg("top"), nb::arg("targets").noconvert() = nb::none());
  module.def(
      "upward_lists",
      [](HierarchyQueries<W>& queries, In<Position> places, Position top, In<std::int64_t> sources,
         std::int64_t width, int threads) {
        const std::int64_t n = queries.hierarchy().n();
        require_size(places.size(), static_cast<std::size_t>(n), "places");
        require(width >= 1 && width <= 65536, "width must be from 1 to 65536");
        const std::vector<std::int64_t> starts = vertices_of(sources, n);
        const int team = at_least_one(threads);
        Control control(python_tick(nb::none()));
        UpwardLists<W> lists;
        {
          const nb::gil_scoped_release free;
          lists = upward_lists(queries, std::span<const Position>(places.data(), places.size()),
                               top, starts, static_cast<std::size_t>(width), team, control);
        }
        return nb::make_tuple(to_numpy(std::move(lists.first)), to_numpy(std::move(lists.places)),
                              to_numpy(std::move(lists.lanes)), to_numpy(std::move(lists.labels)));
      },
      nb::arg("hierarchy"), nb::arg("places").noconvert(), nb::arg("top"),
      nb::arg("sources").noconvert(), nb::arg("width"), nb::arg("threads") = 1);
}

}  // namespace

void register_hierarchy_levels(nb::module_& module) {
  register_levels<std::int32_t>(module);
  register_levels<std::int64_t>(module);
  register_levels<float>(module);
  register_levels<double>(module);
}

}  // namespace warpath::bindings
