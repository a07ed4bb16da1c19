#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/centrality/brandes.hpp"
#include "warpath/hierarchy/counting_sweep.hpp"
#include "warpath/hierarchy/queries.hpp"

namespace warpath::bindings {

namespace {

/// Which vertices are among some targets.
std::vector<char> marked(const In<std::int64_t>& targets, std::int64_t n) {
  std::vector<char> is_target(static_cast<std::size_t>(n));
  for (const std::int64_t v : vertices_of(targets, n)) is_target[static_cast<std::size_t>(v)] = 1;
  return is_target;
}

/// What trips and radii of a call are, all or none.
struct Extras {
  std::optional<In<std::int64_t>> first;
  std::optional<In<double>> trips, lengths, radii;
};

/// The checked arguments of a call that do not depend on the type of its weights, and its sums.
class BrandesCall {
 public:
  BrandesCall(const In<std::int64_t>& from, const In<std::int64_t>& to, const Extras& extras,
              std::int64_t n, std::size_t m, std::size_t cutoffs, bool equal)
      : sources_(vertices_of(from, n)),
        is_target_(static_cast<std::size_t>(n)),
        vertices_(static_cast<std::size_t>(n) * std::max<std::size_t>(cutoffs, 1)),
        edges_(m * std::max<std::size_t>(cutoffs, 1)) {
    const auto& [first, trips, lengths, radii] = extras;
    require(first.has_value() == trips.has_value(), "first and trips go together");
    if (first) {
      first_.assign(first->data(), first->data() + first->size());
      ends_ = vertices_of(to, n);
      trips_.assign(trips->data(), trips->data() + trips->size());
      require_size(trips_.size(), ends_.size(), "trips");
      require_size(first_.size(), sources_.size() + 1, "first");
      require(first_.front() == 0 && first_.back() == static_cast<std::int64_t>(ends_.size()) &&
                  std::is_sorted(first_.begin(), first_.end()),
              "first must ascend from 0 to the number of trips");
    } else {
      is_target_ = marked(to, n);
    }
    require(lengths.has_value() == radii.has_value(), "lengths and radii go together");
    if (lengths) {
      require(!equal, "lengths need weights");
      lengths_ = view(*lengths);
      radii_ = view(*radii);
      require_size(lengths_.size(), m, "lengths");
      require_size(radii_.size(), cutoffs, "radii");
      for (const double length : lengths_) require(length >= 0, "lengths must be >= 0");
    }
  }

  BetweennessRequest request(bool endpoints) {
    return {sources_, is_target_, endpoints, vertices_, edges_,
            first_,   ends_,      trips_,    lengths_,  radii_};
  }

  nb::object result() {
    return nb::make_tuple(to_numpy(std::move(vertices_)), to_numpy(std::move(edges_)));
  }

 private:
  std::vector<std::int64_t> sources_, first_, ends_;
  std::vector<char> is_target_;
  std::vector<double> vertices_, edges_, trips_;
  std::span<const double> lengths_, radii_;
};

/// Without weights all edges have the same length, and cutoffs are numbers of edges. Returns sums
/// for each cutoff, or once without; an edge instead of the sums if its length is lost in the sum
/// with a distance. With `first` and `trips`, those from each source go to `targets`. With
/// `lengths` and `radii`, of which cutoffs are as many largest distances, paths are measured.
template <Weight W>
void register_brandes(nb::module_& module) {
  using V = std::int32_t;
  using D = DistanceOf<W>;
  module.def(
      "betweenness",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         In<std::int64_t> targets, bool endpoints, In<D> cutoffs,
         std::optional<In<std::int64_t>> first, std::optional<In<double>> trips,
         std::optional<In<double>> lengths, std::optional<In<double>> radii, int threads,
         nb::object progress) -> nb::object {
        const bool equal = weights.size() == 0;
        const GraphRows<V, W> rows(indptr, indices, weights,
                                   equal ? Weights::kOptional : Weights::kNotNegative);
        const std::vector<D> limits(cutoffs.data(), cutoffs.data() + cutoffs.size());
        for (std::size_t at = 0; at < limits.size(); ++at)
          require(limits[at] >= 0 && (at == 0 || limits[at - 1] <= limits[at]),
                  "cutoffs must be >= 0 and ascend");
        BrandesCall call(sources, targets, {first, trips, lengths, radii}, rows.n(), rows.edges(),
                         limits.size(), equal);
        const BetweennessRequest request = call.request(endpoints);
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        try {
          const nb::gil_scoped_release free;
          if (equal) {
            const std::vector<std::int64_t> levels(limits.begin(), limits.end());
            brandes<true>(CsrView<V, std::int32_t>{rows.view().indptr, rows.view().indices, {}},
                          request, levels, team, control);
          } else {
            brandes<false>(rows.view(), request, std::span<const D>(limits), team, control);
          }
        } catch (const LengthLost& lost) {
          return nb::int_(lost.edge);
        }
        return call.result();
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("endpoints"),
      nb::arg("cutoffs").noconvert(), nb::arg("first").noconvert() = nb::none(),
      nb::arg("trips").noconvert() = nb::none(), nb::arg("lengths").noconvert() = nb::none(),
      nb::arg("radii").noconvert() = nb::none(), nb::arg("threads") = 1,
      nb::arg("progress") = nb::none());
}

/// The counts of a hierarchy's arcs, which the object keeps alive. Sums have a place for each
/// position, each arc up and each arc down.
template <Weight W>
void register_sweeps(nb::module_& module, const char* name) {
  using V = std::int32_t;
  using G = std::int64_t;
  using Counts = PathCounts<W>;
  nb::class_<Counts>(module, name)
      .def_prop_ro("arcs", [](const Counts& counts) { return counts.arcs(); })
      .def_prop_ro("nbytes",
                   [](const Counts& counts) {
                     const std::size_t rows = counts.symmetric() ? 1 : 2;
                     return counts.arcs() / 2 * rows * sizeof(CountedArc<W>);
                   })
      .def("counts",
           [](const Counts& counts) {
             std::vector<double> of_arcs;
             of_arcs.reserve(counts.arcs());
             for (const auto* rows : {&counts.up(), &counts.down()})
               for (std::size_t k = 0; k < rows->size(); ++k) of_arcs.push_back((*rows)[k].count);
             return to_numpy(std::move(of_arcs));
           })
      .def(
          "sums",
          [](const Counts& counts, In<std::int64_t> sources, In<std::int64_t> targets,
             bool endpoints, int threads, int bits, nb::object progress) {
            const std::int64_t n = counts.hierarchy().n();
            const std::vector<std::int64_t> starts = vertices_of(sources, n);
            const std::vector<char> is_target = marked(targets, n);
            const int team = at_least_one(threads);
            Control control(python_tick(std::move(progress)));
            std::vector<double> sums;
            {
              const nb::gil_scoped_release free;
              sums = count_by_sweeps(counts, starts, is_target, endpoints, team, bits, control);
            }
            return to_numpy(std::move(sums));
          },
          nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("endpoints"),
          nb::arg("threads") = 1, nb::arg("bits") = 512, nb::arg("progress") = nb::none())
      .def(
          "hand_down",
          [](const Counts& counts, In<std::int64_t> indptr, In<V> indices, In<G> weights,
             In<double> sums) {
            const GraphRows<V, G> rows(indptr, indices, weights, Weights::kNotNegative);
            require(rows.n() == counts.hierarchy().n(), "the hierarchy has other vertices");
            require_size(sums.size(), static_cast<std::size_t>(rows.n()) + counts.arcs(), "sums");
            std::vector<double> handed(sums.data(), sums.data() + sums.size());
            std::vector<double> vertices(static_cast<std::size_t>(rows.n())), edges(rows.edges());
            Control control(python_tick(nb::none()));
            {
              const nb::gil_scoped_release free;
              const std::span<double> all(handed);
              counts.hand_down(all.first(vertices.size()), all.subspan(vertices.size()),
                               rows.view(), vertices, edges, Poller(control, true));
            }
            return nb::make_tuple(to_numpy(std::move(vertices)), to_numpy(std::move(edges)));
          },
          nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
          nb::arg("weights").noconvert(), nb::arg("sums").noconvert());
  module.def(
      "path_counts",
      [](HierarchyQueries<W>& queries, In<std::int64_t> indptr, In<V> indices, In<G> weights) {
        const GraphRows<V, G> rows(indptr, indices, weights, Weights::kNotNegative);
        require(rows.n() == queries.hierarchy().n(), "the hierarchy has other vertices");
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        auto counts =
            std::make_unique<Counts>(queries.hierarchy(), rows.view(), Poller(control, true));
        counts->check();
        return counts;
      },
      nb::arg("hierarchy"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("weights").noconvert(), nb::keep_alive<0, 1>());
}

}  // namespace

void register_betweenness(nb::module_& module) {
  register_brandes<std::int64_t>(module);
  register_brandes<float>(module);
  register_brandes<double>(module);
  register_sweeps<std::int32_t>(module, "PathCountsInt32");
  register_sweeps<std::int64_t>(module, "PathCountsInt64");
}

}  // namespace warpath::bindings
