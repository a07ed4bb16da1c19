#include "warpath/hierarchy/tree_labels.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "common.hpp"
#include "graph_rows.hpp"
#include "label_pairs.hpp"
#include "warpath/hierarchy/queries.hpp"

namespace warpath::bindings {

namespace {

using Tree = std::shared_ptr<const AncestorTree>;

/// A tree as an object of Python, which labels share.
struct SharedTree {
  Tree tree;
};

template <Weight W, class Out>
void define_table(nb::class_<TreeLabels<W>>& type) {
  type.def(
      "table",
      [](const TreeLabels<W>& labels, In<std::int64_t> sources, In<std::int64_t> targets,
         OutMatrix<Out> out, int threads, nb::object progress) {
        const auto n = static_cast<std::int64_t>(labels.n());
        const std::vector<std::int64_t> starts = vertices_of(sources, n);
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        require(out.shape(0) == starts.size() && out.shape(1) == ends.size(),
                "out must have a row per source and a column per target");
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        std::int64_t read;
        {
          const nb::gil_scoped_release free;
          read = labels.template table<Out>(starts, ends, out.data(), team, control);
        }
        return entries_read(read);
      },
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

template <Weight W>
void register_labels(nb::module_& module, const char* name) {
  using Labels = TreeLabels<W>;
  using D = DistanceOf<W>;
  nb::class_<Labels> type(module, name);
  type.def_prop_ro("tree", [](const Labels& labels) { return SharedTree{labels.tree()}; })
      .def_prop_ro("symmetric", &Labels::symmetric)
      .def_prop_ro("nbytes",
                   [](const Labels& labels) {
                     const std::size_t each = labels.up().size_bytes();
                     return labels.tree()->nbytes() + (labels.symmetric() ? each : 2 * each);
                   })
      .def("reversed",
           [](const Labels& labels) { return std::make_unique<Labels>(labels.reversed()); })
      .def("arrays", [](const Labels& labels) {
        return nb::make_tuple(
            shared_array<W>(labels.up(), labels.memory()),
            labels.symmetric() ? nb::none() : shared_array<W>(labels.down(), labels.memory()));
      });
  define_pairs(type);
  define_table<W, D>(type);
  if constexpr (std::is_integral_v<W>) define_table<W, std::int32_t>(type);
  module.def(
      "tree_labels",
      [](const SharedTree& tree, const Elimination& elimination, const HierarchyQueries<W>& queries,
         int threads, nb::object progress) {
        const auto of_elimination = elimination.positions();
        const auto of_hierarchy = queries.hierarchy().positions();
        const std::span<const Position> of_tree = tree.tree->positions();
        require(std::ranges::equal(of_elimination, of_hierarchy) &&
                    std::ranges::equal(of_elimination, of_tree),
                "the tree and the hierarchy must be those of the elimination");
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        const nb::gil_scoped_release free;
        return std::make_unique<Labels>(tree.tree, elimination, queries.hierarchy(), team, control);
      },
      nb::arg("tree"), nb::arg("elimination"), nb::arg("hierarchy"), nb::arg("threads") = 1,
      nb::arg("progress") = nb::none());
  module.def(
      "stored_tree_labels",
      [](const SharedTree& tree, In<W> up, std::optional<In<W>> down) -> nb::object {
        const auto entries = [&](const SharedSpan<W>& of) {
          require_size(of.values.size(), tree.tree->entries(), "the entries of labels");
          require(reinterpret_cast<std::uintptr_t>(of.values.data()) % Lanes<W>::kBytes == 0,
                  "labels must begin at a cache line");
          return reinterpret_cast<const typename Labels::L*>(of.values.data());
        };
        using Spans = std::pair<SharedSpan<W>, SharedSpan<W>>;
        const auto memory = std::make_shared<const Spans>(share(up), share(down ? *down : up));
        auto made = std::make_unique<Labels>(tree.tree, entries(memory->first),
                                             entries(memory->second), memory);
        return nb::cast(made.release(), nb::rv_policy::take_ownership);
      },
      nb::arg("tree"), nb::arg("up").noconvert(), nb::arg("down").noconvert() = nb::none());
}

}  // namespace

void register_tree_labels(nb::module_& module) {
  nb::class_<SharedTree>(module, "AncestorTree")
      .def_prop_ro("n", [](const SharedTree& tree) { return tree.tree->n(); })
      .def_prop_ro("entries", [](const SharedTree& tree) { return tree.tree->entries(); })
      .def_prop_ro("height", [](const SharedTree& tree) { return tree.tree->height(); })
      .def_prop_ro("nbytes", [](const SharedTree& tree) { return tree.tree->nbytes(); })
      .def("arrays", [](const SharedTree& tree) {
        const std::span<const Position> positions = tree.tree->positions();
        return nb::make_tuple(to_numpy(std::vector<Position>(positions.begin(), positions.end())),
                              to_numpy(tree.tree->parents()));
      });
  module.def(
      "ancestor_tree",
      [](const Elimination& elimination) {
        return SharedTree{std::make_shared<const AncestorTree>(ancestor_tree(elimination))};
      },
      nb::arg("elimination"));
  module.def(
      "stored_ancestor_tree",
      [](In<Position> position, In<Position> parent) {
        require_size(parent.size(), position.size(), "parent");
        return SharedTree{
            std::make_shared<const AncestorTree>(permutation_of(position), view(parent))};
      },
      nb::arg("position").noconvert(), nb::arg("parent").noconvert());
  register_labels<std::int32_t>(module, "TreeLabelsInt32");
  register_labels<std::int64_t>(module, "TreeLabelsInt64");
  register_labels<float>(module, "TreeLabelsFloat32");
  register_labels<double>(module, "TreeLabelsFloat64");
}

}  // namespace warpath::bindings
