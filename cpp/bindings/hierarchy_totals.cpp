#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/hierarchy/queries.hpp"
#include "warpath/hierarchy/totals.hpp"

namespace warpath::bindings {

namespace {

template <Weight W>
void register_totals(nb::module_& module) {
  using D = DistanceOf<W>;
  module.def(
      "hierarchy_totals",
      [](HierarchyQueries<W>& queries, In<std::int64_t> sources, In<std::int64_t> targets, D cutoff,
         bool inverses, int threads, int bits, nb::object progress) {
        const std::int64_t n = queries.hierarchy().n();
        const std::vector<std::int64_t> starts = vertices_of(sources, n);
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        const std::size_t count = starts.size();
        std::vector<SumOf<W>> sums(count);
        std::vector<D> largest(count);
        std::vector<std::int64_t> counts(count);
        std::vector<double> harmonic(inverses ? count : 0);
        const TotalsRequest<W> request{queries.hierarchy(),
                                       starts,
                                       ends,
                                       cutoff,
                                       inverses,
                                       sums,
                                       largest,
                                       counts,
                                       harmonic,
                                       bits};
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        {
          const nb::gil_scoped_release free;
          sweep_totals(request, queries.space(), team, control);
        }
        return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(largest)),
                              to_numpy(std::move(counts)), to_numpy(std::move(harmonic)));
      },
      nb::arg("hierarchy"), nb::arg("sources").noconvert(), nb::arg("targets").noconvert(),
      nb::arg("cutoff"), nb::arg("inverses"), nb::arg("threads") = 1, nb::arg("bits") = 512,
      nb::arg("progress") = nb::none());
}

}  // namespace

void register_hierarchy_totals(nb::module_& module) {
  register_totals<std::int32_t>(module);
  register_totals<std::int64_t>(module);
  register_totals<float>(module);
  register_totals<double>(module);
}

}  // namespace warpath::bindings
