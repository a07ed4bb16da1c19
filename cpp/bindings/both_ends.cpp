#include "warpath/both_ends.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "common.hpp"

namespace warpath::bindings {

namespace {

/// A search from both ends with everything but the ends: it keeps the rows and labels.
class BothEndsSearch {
 public:
  using Run = std::function<RouteMet(std::int64_t source, std::int64_t target, const Pulse& pulse)>;

  BothEndsSearch(std::size_t n, Run run) : n_(n), run_(std::move(run)) {}

  /// (vertices, length), no vertices without a path; None where its length may not fit 64 bits.
  nb::object operator()(std::int64_t source, std::int64_t target, nb::object progress) const {
    for (const std::int64_t v : {source, target})
      if (v < 0 || static_cast<std::size_t>(v) >= n_)
        throw std::invalid_argument("there is no vertex " + std::to_string(v));
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
        const std::size_t n = indptr.size() - 1;
        auto pool = std::make_shared<LabelsPool<Settled<V>>>(static_cast<std::int64_t>(n));
        using Rows = PackedRows<V, W>;
        const auto made = [](const CsrView<V, W>& rows) {
          if (!Rows::fit(rows)) throw std::invalid_argument("there are too many edges");
          const nb::gil_scoped_release free;
          const auto packed = std::make_shared<Rows>(rows, std::span<const V>());
          packed->sort_rows();
          return std::shared_ptr<const Rows>(packed);
        };
        const auto graph = made(csr(indptr, indices, weights));
        const auto into = made(csr(into_indptr, into_indices, into_weights));
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
        const std::size_t n = indptr.size() - 1;
        auto pool = std::make_shared<LabelsPool<BothLabels<V>>>(static_cast<std::int64_t>(n));
        return BothEndsSearch(n, [=](std::int64_t source, std::int64_t target, const Pulse& pulse) {
          return pool->with([&](BothLabels<V>& labels) {
            return both_ends_by_levels<V>(
                {view(indptr), view(indices)}, {view(into_indptr), view(into_indices)},
                static_cast<V>(source), static_cast<V>(target), labels, pulse);
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
