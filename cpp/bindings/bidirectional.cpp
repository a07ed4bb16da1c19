#include "warpath/paths/bidirectional.hpp"

#include <functional>
#include <memory>
#include <utility>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

/// A bidirectional search bound to one graph: it holds the rows and reusable labels.
class BothEndsSearch {
 public:
  using Run = std::function<RouteMet(std::int64_t source, std::int64_t target, const Pulse& pulse)>;

  BothEndsSearch(std::size_t n, Run run) : n_(n), run_(std::move(run)) {}

  /// Returns (vertices, length), without vertices if there is no path; None if its length may not
  /// fit 64 bits.
  nb::object operator()(std::int64_t source, std::int64_t target, nb::object progress) const {
    for (const std::int64_t v : {source, target}) require_vertex(v, static_cast<std::int64_t>(n_));
    Control control(python_tick(std::move(progress)));
    RouteMet found;
    {
      const nb::gil_scoped_release free;
      found = run_(source, target, Pulse(control, true));
    }
    if (found.too_long) return nb::none();
    return nb::make_tuple(give(std::move(found.vertices)), found.length);
  }

 private:
  std::size_t n_;
  Run run_;
};

template <Index V, std::integral W>
void register_weighted(nb::module_& module) {
  module.def(
      "both_ends",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> into_indptr,
         In<V> into_indices, In<W> into_weights) {
        const GraphRows<V, W> out(indptr, indices, weights, Weights::kNotNegative);
        const GraphRows<V, W> back(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        require_size(back.vertices(), out.vertices(), "into_indptr");
        const std::size_t n = out.vertices();
        auto pool = std::make_shared<LabelsPool<Settled<V>>>(out.n());
        using Rows = PackedRows<V, W>;
        const auto made = [](const CsrView<V, W>& rows) {
          require(Rows::fit(rows), "there are too many edges");
          const nb::gil_scoped_release free;
          const auto packed = std::make_shared<Rows>(rows, std::span<const V>());
          packed->sort_rows();
          return std::shared_ptr<const Rows>(packed);
        };
        const auto graph = made(out.view());
        const auto into = made(back.view());
        return BothEndsSearch(n, [=](std::int64_t source, std::int64_t target, const Pulse& pulse) {
          return pool->with([&](Settled<V>& settled) {
            return BothEnds<V, W>(*graph, *into, settled, pulse)
                .find(static_cast<V>(source), static_cast<V>(target));
          });
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert());
}

template <Index V>
void register_levels(nb::module_& module) {
  module.def(
      "both_ends_by_levels",
      [](In<std::int64_t> indptr, In<V> indices, In<std::int64_t> into_indptr, In<V> into_indices) {
        using Rows = GraphRows<V, std::int32_t>;
        const auto out = std::make_shared<const Rows>(unweighted(indptr, indices));
        const auto back = std::make_shared<const Rows>(unweighted(into_indptr, into_indices));
        require_size(back->vertices(), out->vertices(), "into_indptr");
        const std::size_t n = out->vertices();
        auto pool = std::make_shared<LabelsPool<BothLabels<V>>>(out->n());
        return BothEndsSearch(n, [=](std::int64_t source, std::int64_t target, const Pulse& pulse) {
          return pool->with([&](BothLabels<V>& labels) {
            return both_ends_by_levels<V>({out->view().indptr, out->view().indices},
                                          {back->view().indptr, back->view().indices},
                                          static_cast<V>(source), static_cast<V>(target), labels,
                                          pulse);
          });
        });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert());
}

}  // namespace

void register_both_ends(nb::module_& module) {
  nb::class_<BothEndsSearch>(module, "BothEndsSearch")
      .def("__call__", &BothEndsSearch::operator(), nb::arg("source"), nb::arg("target"),
           nb::arg("progress") = nb::none());
  register_weighted<std::int32_t, std::int32_t>(module);
  register_weighted<std::int32_t, std::int64_t>(module);
  register_weighted<std::int64_t, std::int32_t>(module);
  register_weighted<std::int64_t, std::int64_t>(module);
  register_levels<std::int32_t>(module);
  register_levels<std::int64_t>(module);
}

}  // namespace warpath::bindings
