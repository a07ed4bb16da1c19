#include "warpath/graph/patches.hpp"

#include <utility>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

template <Index V, Weight W>
void register_pair(nb::module_& module) {
  module.def(
      "cut_into_patches",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, std::size_t capacity, int threads,
         nb::object progress) {
        require(capacity >= 1 && capacity <= 65536, "a patch has 1 to 65,536 vertices");
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        Control control(python_tick(std::move(progress)));
        Patches<W> made;
        {
          const nb::gil_scoped_release free;
          made = cut_into_patches<V, W>(rows.view(), capacity, at_least_one(threads), control);
        }
        nb::dict found;
        found["most_edges"] = made.most_edges;
        found["most_exits"] = made.most_exits;
        found["places"] = to_numpy(std::move(made.places));
        found["table"] = to_numpy(std::move(made.table));
        found["begin"] = to_numpy(std::move(made.begin));
        found["targets"] = to_numpy(std::move(made.targets));
        found["weights"] = to_numpy(std::move(made.weights));
        found["slot_count"] = made.slot_count;
        found["tails"] = to_numpy(std::move(made.tails));
        found["slots"] = to_numpy(std::move(made.slots));
        found["exit_weights"] = to_numpy(std::move(made.exit_weights));
        found["owners"] = to_numpy(std::move(made.owners));
        return found;
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("capacity"), nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

}  // namespace

void register_patches(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_pair<V, W>(module); });
}

}  // namespace warpath::bindings
