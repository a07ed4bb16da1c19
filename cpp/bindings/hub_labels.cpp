#include "warpath/hierarchy/hub_labels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "common.hpp"
#include "graph_rows.hpp"
#include "label_pairs.hpp"
#include "warpath/hierarchy/queries.hpp"

namespace warpath::bindings {

namespace {

template <Weight W>
void register_labels(nb::module_& module, const char* name) {
  using Labels = HubLabels<W>;
  using Entries = typename Labels::Entries;
  nb::class_<Labels> type(module, name);
  type.def_prop_ro("n", &Labels::n)
      .def_prop_ro("symmetric", &Labels::symmetric)
      .def_prop_ro("nbytes", &Labels::nbytes)
      .def("reversed",
           [](const Labels& labels) { return std::make_unique<Labels>(labels.reversed()); })
      .def("arrays", [](const Labels& labels) {
        nb::list arrays;
        const auto append = [&](const Entries& of) {
          arrays.append(shared_array<std::int64_t>(of.first, labels.memory()));
          arrays.append(shared_array<Position>(of.hubs, labels.memory()));
          arrays.append(shared_array<W>(of.distances, labels.memory()));
        };
        append(labels.up());
        if (!labels.symmetric()) append(labels.down());
        return nb::tuple(arrays);
      });
  define_pairs(type);
  module.def(
      "hub_labels",
      [](const HierarchyQueries<W>& queries, std::int64_t most_bytes, int threads,
         nb::object progress) {
        const int team = at_least_one(threads);
        const auto most = static_cast<std::size_t>(std::max<std::int64_t>(most_bytes, 0));
        Control control(python_tick(std::move(progress)));
        const nb::gil_scoped_release free;
        return std::make_unique<Labels>(queries.hierarchy(), most, team, control);
      },
      nb::arg("hierarchy"), nb::arg("most_bytes"), nb::arg("threads") = 1,
      nb::arg("progress") = nb::none());
  module.def(
      "stored_hub_labels",
      [](In<std::int64_t> first, In<Position> hubs, In<W> distances,
         std::optional<In<std::int64_t>> first_down, std::optional<In<Position>> hubs_down,
         std::optional<In<W>> distances_down) -> nb::object {
        const bool two = first_down.has_value();
        require(two == hubs_down.has_value() && two == distances_down.has_value(),
                "both directions need all three arrays");
        const auto memory = std::make_shared<
            const std::tuple<SharedSpan<std::int64_t>, SharedSpan<Position>, SharedSpan<W>,
                             SharedSpan<std::int64_t>, SharedSpan<Position>, SharedSpan<W>>>(
            share(first), share(hubs), share(distances), share(two ? *first_down : first),
            share(two ? *hubs_down : hubs), share(two ? *distances_down : distances));
        const auto entries = [](const auto& starts, const auto& of, const auto& lengths) {
          using L = typename Labels::L;
          return Entries{
              starts.values,
              of.values,
              {reinterpret_cast<const L*>(lengths.values.data()), lengths.values.size()}};
        };
        auto made = std::make_unique<Labels>(
            entries(std::get<0>(*memory), std::get<1>(*memory), std::get<2>(*memory)),
            entries(std::get<3>(*memory), std::get<4>(*memory), std::get<5>(*memory)), memory);
        return nb::cast(made.release(), nb::rv_policy::take_ownership);
      },
      nb::arg("first").noconvert(), nb::arg("hubs").noconvert(), nb::arg("distances").noconvert(),
      nb::arg("first_down").noconvert() = nb::none(), nb::arg("hubs_down").noconvert() = nb::none(),
      nb::arg("distances_down").noconvert() = nb::none());
}

}  // namespace

void register_hub_labels(nb::module_& module) {
  register_labels<std::int32_t>(module, "HubLabelsInt32");
  register_labels<std::int64_t>(module, "HubLabelsInt64");
  register_labels<float>(module, "HubLabelsFloat32");
  register_labels<double>(module, "HubLabelsFloat64");
}

}  // namespace warpath::bindings
