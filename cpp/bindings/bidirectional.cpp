#include "warpath/paths/bidirectional.hpp"

#include <functional>
#include <memory>
#include <utility>

#include "graph_rows.hpp"
#include "warpath/parallel/pool.hpp"

namespace warpath::bindings {

namespace {

/// A bidirectional search bound to one graph: it holds the rows and reusable labels.
class BoundBidirectionalSearch {
 public:
  using Run = std::function<BidirectionalPath(std::int64_t source, std::int64_t target,
                                              const Poller& poller)>;

  BoundBidirectionalSearch(std::size_t n, Run run) : n_(n), run_(std::move(run)) {}

  /// Returns (vertices, length), without vertices if there is no path; None if its length may not
  /// fit 64 bits.
  nb::object operator()(std::int64_t source, std::int64_t target, nb::object progress) const {
    for (const std::int64_t v : {source, target}) require_vertex(v, static_cast<std::int64_t>(n_));
    Control control(python_tick(std::move(progress)));
    BidirectionalPath found;
    {
      const nb::gil_scoped_release free;
      found = run_(source, target, Poller(control, true));
    }
    if (found.too_long) return nb::none();
    return nb::make_tuple(to_numpy(std::move(found.vertices)), found.length);
  }

 private:
  std::size_t n_;
  Run run_;
};

template <Index V, std::integral W>
void register_weighted(nb::module_& module) {
  module.def(
      "bidirectional",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> into_indptr,
         In<V> into_indices, In<W> into_weights) {
        const GraphRows<V, W> out(indptr, indices, weights, Weights::kNotNegative);
        const GraphRows<V, W> back(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        require_size(back.vertices(), out.vertices(), "into_indptr");
        const std::size_t n = out.vertices();
        auto pool = std::make_shared<Pool<SettledVertices<V>>>(
            [n = out.n()] { return std::make_unique<SettledVertices<V>>(n); });
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
        return BoundBidirectionalSearch(n, [=](std::int64_t source, std::int64_t target,
                                               const Poller& poller) {
          return pool->with([&](SettledVertices<V>& settled) {
            BidirectionalPath found = BidirectionalDijkstra<V, W>(*graph, *into, settled, poller)
                                          .find(static_cast<V>(source), static_cast<V>(target));
            settled.clean();
            return found;
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
      "bidirectional_breadth_first",
      [](In<std::int64_t> indptr, In<V> indices, In<std::int64_t> into_indptr, In<V> into_indices) {
        using Rows = GraphRows<V, std::int32_t>;
        const auto out = std::make_shared<const Rows>(unweighted(indptr, indices));
        const auto back = std::make_shared<const Rows>(unweighted(into_indptr, into_indices));
        require_size(back->vertices(), out->vertices(), "into_indptr");
        const std::size_t n = out->vertices();
        auto pool = std::make_shared<Pool<BidirectionalLabels<V>>>(
            [rows = out->n()] { return std::make_unique<BidirectionalLabels<V>>(rows); });
        return BoundBidirectionalSearch(
            n, [=](std::int64_t source, std::int64_t target, const Poller& poller) {
              return pool->with([&](BidirectionalLabels<V>& labels) {
                BidirectionalPath found = bidirectional_breadth_first<V>(
                    {out->view().indptr, out->view().indices},
                    {back->view().indptr, back->view().indices}, static_cast<V>(source),
                    static_cast<V>(target), labels, poller);
                labels.clean();
                return found;
              });
            });
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert());
}

}  // namespace

void register_bidirectional(nb::module_& module) {
  nb::class_<BoundBidirectionalSearch>(module, "BidirectionalSearch")
      .def("__call__", &BoundBidirectionalSearch::operator(), nb::arg("source"), nb::arg("target"),
           nb::arg("progress") = nb::none());
  register_weighted<std::int32_t, std::int32_t>(module);
  register_weighted<std::int32_t, std::int64_t>(module);
  register_levels<std::int32_t>(module);
}

}  // namespace warpath::bindings
