#include "warpath/paths/route_edges.hpp"

#include <array>
#include <utility>
#include <vector>

#include "graph_rows.hpp"

namespace warpath::bindings {

template <>
inline constexpr std::array kTypeNumbers<std::uint64_t>{
    NPY_SIZEOF_LONG == 8 ? int{NPY_ULONG} : int{NPY_ULONGLONG}, int{NPY_ULONGLONG}};

namespace {

template <Index V, Weight W>
void register_lightest(nb::module_& module) {
  module.def(
      "lightest_edges",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> tails,
         In<std::int64_t> heads, int threads) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kAny);
        require_size(heads.size(), tails.size(), "heads");
        const std::vector<std::int64_t> from = vertices_of(tails, rows.n());
        const std::vector<std::int64_t> to = vertices_of(heads, rows.n());
        std::vector<std::int64_t> edges(from.size());
        Control control(python_tick(nb::none()));
        {
          const nb::gil_scoped_release free;
          lightest_edges<V, W>(rows.view(), from, to, edges, at_least_one(threads), control);
        }
        return to_numpy(std::move(edges));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("tails").noconvert(), nb::arg("heads").noconvert(), nb::arg("threads") = 1);
}

template <class T>
void register_sums(nb::module_& module) {
  module.def(
      "route_sums",
      [](In<std::int64_t> counts, In<T> values, Out<T> sums) {
        require_size(sums.size(), counts.size(), "sums");
        const std::vector<std::int64_t> lengths(counts.data(), counts.data() + counts.size());
        std::size_t left = values.size();
        for (const std::int64_t length : lengths) {
          require(length >= 0 && static_cast<std::size_t>(length) <= left,
                  "counts must be >= 0 and add up to the number of values");
          left -= static_cast<std::size_t>(length);
        }
        require(left == 0, "counts must be >= 0 and add up to the number of values");
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        route_sums<T>(lengths, view(values), view(sums), Poller(control, true));
      },
      nb::arg("counts").noconvert(), nb::arg("values").noconvert(), nb::arg("sums").noconvert());
}

template <Index V, class T>
void register_tree_sums(nb::module_& module) {
  module.def(
      "tree_sums",
      [](In<V> pred, In<T> values, In<std::int64_t> targets, Out<T> sums) {
        const auto n = static_cast<std::int64_t>(pred.size());
        require_size(values.size(), pred.size(), "values");
        require_size(sums.size(), targets.size(), "sums");
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        const std::vector<V> before(pred.data(), pred.data() + pred.size());
        for (const V u : before) require(u < n, "pred must lie below its own size");
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        tree_sums<V, T>(before, view(values), ends, view(sums), Poller(control, true));
      },
      nb::arg("pred").noconvert(), nb::arg("values").noconvert(), nb::arg("targets").noconvert(),
      nb::arg("sums").noconvert());
}

template <Index V>
void register_trees(nb::module_& module) {
  module.def(
      "tree_routes",
      [](In<V> pred, In<std::int64_t> targets) {
        const auto n = static_cast<std::int64_t>(pred.size());
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        const std::vector<V> before(pred.data(), pred.data() + pred.size());
        for (const V u : before) require(u < n, "pred must lie below its own size");
        Control control(python_tick(nb::none()));
        Routes routes;
        {
          const nb::gil_scoped_release free;
          routes = tree_routes<V>(before, ends, Poller(control, true));
        }
        return nb::make_tuple(to_numpy(std::move(routes.vertices)),
                              to_numpy(std::move(routes.counts)));
      },
      nb::arg("pred").noconvert(), nb::arg("targets").noconvert());
  module.def(
      "tree_loads",
      [](In<V> pred, In<std::int64_t> targets, In<double> trips, Out<double> through) {
        const auto n = static_cast<std::int64_t>(pred.size());
        require_size(trips.size(), targets.size(), "trips");
        require_size(through.size(), pred.size(), "through");
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        const std::vector<V> before(pred.data(), pred.data() + pred.size());
        for (const V u : before) require(u < n, "pred must lie below its own size");
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        tree_loads<V>(before, ends, view(trips), view(through), Poller(control, true));
      },
      nb::arg("pred").noconvert(), nb::arg("targets").noconvert(), nb::arg("trips").noconvert(),
      nb::arg("through").noconvert());
  register_tree_sums<V, std::int64_t>(module);
  register_tree_sums<V, std::uint64_t>(module);
  register_tree_sums<V, float>(module);
  register_tree_sums<V, double>(module);
}

}  // namespace

void register_route_edges(nb::module_& module) {
  for_each_type_and_width([&]<class V, class W>() { register_lightest<V, W>(module); });
  register_sums<std::int64_t>(module);
  register_sums<std::uint64_t>(module);
  register_sums<float>(module);
  register_sums<double>(module);
  register_trees<std::int32_t>(module);
  register_trees<std::int64_t>(module);
}

}  // namespace warpath::bindings
