#include "warpath/hierarchy/hierarchy.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/hierarchy/buckets.hpp"
#include "warpath/hierarchy/contraction.hpp"
#include "warpath/hierarchy/nearest_sweep.hpp"
#include "warpath/hierarchy/queries.hpp"
#include "warpath/hierarchy/sweep.hpp"

namespace warpath::bindings {

namespace {

template <Weight W>
using Queries = HierarchyQueries<W>;

/// Contracts a graph whose weights are converted to W.
template <Weight W, Index V, Weight G>
nb::object contracted(const CsrView<V, G>& graph, const ContractionLimits& limits, int threads,
                      Control& control) {
  std::vector<W> converted;
  CsrView<V, W> view{graph.indptr, graph.indices, {}};
  if constexpr (std::is_same_v<W, G>) {
    view.weights = graph.weights;
  } else {
    converted.assign(graph.weights.begin(), graph.weights.end());
    view.weights = converted;
  }
  std::unique_ptr<Queries<W>> made;
  try {
    const nb::gil_scoped_release free;
    made = std::make_unique<Queries<W>>(Contraction<V, W>(view, limits, threads, control).run());
  } catch (const DenseCore& core) {
    return nb::make_tuple(core.vertices, core.arcs, core.growing);
  }
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

template <Index V, Weight W>
void register_contract(nb::module_& module) {
  module.def(
      "contract",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, int threads, nb::object progress,
         std::int64_t core_vertices, std::int64_t core_degree,
         std::int64_t growing_vertices) -> nb::object {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kNotNegative);
        require(rows.n() < std::numeric_limits<Position>::max(),
                "a hierarchy numbers up to 2^31 - 2 vertices");
        ContractionLimits limits;
        limits.core_vertices = core_vertices;
        limits.core_degree = core_degree;
        limits.growing_vertices = growing_vertices;
        Control control(python_tick(std::move(progress)));
        const int team = at_least_one(threads);
        if constexpr (std::is_same_v<W, std::int32_t>) {
          try {
            return contracted<std::int32_t>(rows.view(), limits, team, control);
          } catch (const std::overflow_error&) {
            Control again(python_tick(nb::none()));
            return contracted<std::int64_t>(rows.view(), limits, team, again);
          }
        } else {
          return contracted<W>(rows.view(), limits, team, control);
        }
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("threads") = 1, nb::arg("progress") = nb::none(),
      nb::arg("core_vertices") = ContractionLimits{}.core_vertices,
      nb::arg("core_degree") = ContractionLimits{}.core_degree,
      nb::arg("growing_vertices") = ContractionLimits{}.growing_vertices);
}

/// Copies and checks the rows of one direction.
template <Weight W>
std::shared_ptr<const HierarchyRows<W>> rows_of(const In<std::int64_t>& first,
                                                const In<Position>& heads, const In<W>& weights,
                                                std::size_t n) {
  require_size(first.size(), n + 1, "the offsets of arcs");
  require_size(weights.size(), heads.size(), "the weights of arcs");
  const std::vector<std::int64_t> offsets(first.data(), first.data() + n + 1);
  require(offsets[0] == 0 && offsets[n] == static_cast<std::int64_t>(heads.size()),
          "the offsets of arcs must ascend from 0 to their number");
  for (std::size_t x = 0; x < n; ++x)
    require(offsets[x] <= offsets[x + 1], "the offsets of arcs must ascend");
  const auto made = std::make_shared<HierarchyRows<W>>(
      n, [&](std::size_t x) { return static_cast<std::size_t>(offsets[x + 1] - offsets[x]); });
  for (std::size_t x = 0; x < n; ++x) {
    HierarchyArc<W>* next = made->begin(x);
    for (auto e = static_cast<std::size_t>(offsets[x]);
         e < static_cast<std::size_t>(offsets[x + 1]); ++e) {
      const HierarchyArc<W> arc{heads(e), weights(e)};
      require(arc.head >= 0 && static_cast<std::size_t>(arc.head) < x,
              "an arc must lead to a smaller position");
      require(arc.weight >= 0 && arc.weight < unreachable<W>, "weights must be >= 0 and finite");
      *next++ = arc;
    }
  }
  return made;
}

template <Weight W>
nb::tuple arrays_of(const HierarchyRows<W>& rows) {
  std::vector<std::int64_t> first{0};
  std::vector<Position> heads;
  std::vector<W> weights;
  first.reserve(rows.n() + 1);
  heads.reserve(rows.arcs());
  weights.reserve(rows.arcs());
  for (std::size_t x = 0; x < rows.n(); ++x) {
    for (const HierarchyArc<W>& arc : rows.row(static_cast<Position>(x))) {
      heads.push_back(arc.head);
      weights.push_back(arc.weight);
    }
    first.push_back(static_cast<std::int64_t>(heads.size()));
  }
  return nb::make_tuple(to_numpy(std::move(first)), to_numpy(std::move(heads)),
                        to_numpy(std::move(weights)));
}

/// The counts under the names that results give them.
nb::dict counts_by_name(const HierarchyCounts& counts) {
  nb::dict named;
  named["settled"] = counts.settled;
  named["stalled"] = counts.stalled;
  named["relaxed_up"] = counts.relaxed_up;
  named["labelled"] = counts.labelled;
  named["relaxed_down"] = counts.relaxed_down;
  return named;
}

template <Weight W, class Label>
void define_table(nb::class_<Queries<W>>& type) {
  type.def(
      "table",
      [](Queries<W>& queries, In<std::int64_t> sources, In<std::int64_t> targets,
         OutMatrix<Label> out, bool restricted, int threads, int bits, nb::object progress) {
        const std::int64_t n = queries.hierarchy().n();
        const std::vector<std::int64_t> starts = vertices_of(sources, n);
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        const std::size_t width = ends.empty() ? static_cast<std::size_t>(n) : ends.size();
        require(out.shape(0) == starts.size() && out.shape(1) == width,
                "out must have a row per source and a column per target");
        const SweepTable<W, Label> table{queries.hierarchy(),      starts,     ends,
                                         {out.data(), out.size()}, restricted, bits};
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        HierarchyCounts counts;
        {
          const nb::gil_scoped_release free;
          counts = sweep_table(table, queries.space(), team, control);
        }
        return counts_by_name(counts);
      },
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("restricted"), nb::arg("threads") = 1, nb::arg("bits") = 512,
      nb::arg("progress") = nb::none());
  type.def(
      "bucket_table",
      [](Queries<W>& queries, In<std::int64_t> sources, In<std::int64_t> targets,
         OutMatrix<Label> out, int threads, nb::object progress) {
        const std::int64_t n = queries.hierarchy().n();
        const std::vector<std::int64_t> starts = vertices_of(sources, n);
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        require(out.shape(0) == starts.size() && out.shape(1) == ends.size(),
                "out must have a row per source and a column per target");
        require(ends.size() < std::numeric_limits<std::int32_t>::max(),
                "buckets number up to 2^31 - 2 targets");
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        HierarchyCounts counts;
        {
          const nb::gil_scoped_release free;
          counts = BucketTable<W, Label>(queries.hierarchy(), queries.space(), starts, ends,
                                         {out.data(), out.size()})
                       .fill(team, control);
        }
        return counts_by_name(counts);
      },
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

template <Weight W, Index V>
void define_nearest(nb::class_<Queries<W>>& type) {
  using D = DistanceOf<W>;
  type.def(
      "nearest",
      [](const Queries<W>& queries, In<std::int64_t> sources, Out<D> dist, Out<V> nearest,
         nb::object progress) {
        const std::int64_t n = queries.hierarchy().n();
        const std::vector<std::int64_t> starts = vertices_of(sources, n);
        require_size(dist.size(), static_cast<std::size_t>(n), "dist");
        require_size(nearest.size(), static_cast<std::size_t>(n), "nearest");
        Control control(python_tick(std::move(progress)));
        HierarchyCounts counts;
        {
          const nb::gil_scoped_release free;
          counts = nearest_sweep<W, V>(queries.hierarchy(), starts, view(dist), view(nearest),
                                       Poller(control, true));
        }
        return counts_by_name(counts);
      },
      nb::arg("sources").noconvert(), nb::arg("dist").noconvert(), nb::arg("nearest").noconvert(),
      nb::arg("progress") = nb::none());
}

template <Weight W, Index V, Weight G>
void define_route(nb::class_<Queries<W>>& type) {
  type.def(
      "route",
      [](Queries<W>& queries, In<std::int64_t> into_indptr, In<V> into_indices, In<G> into_weights,
         std::int64_t source, std::int64_t target, nb::object progress) {
        const GraphRows<V, G> into(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        require(into.n() == queries.hierarchy().n(), "the rows are of another graph");
        for (const std::int64_t v : {source, target}) require_vertex(v, into.n());
        Control control(python_tick(std::move(progress)));
        PathResult<DistanceOf<W>> found;
        {
          const nb::gil_scoped_release free;
          found = queries.route(into.view(), source, target, Poller(control, true));
        }
        return nb::make_tuple(to_numpy(std::move(found.vertices)), found.length,
                              found.counters.settled);
      },
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert(), nb::arg("source"), nb::arg("target"),
      nb::arg("progress") = nb::none());
  type.def(
      "routes",
      [](Queries<W>& queries, In<std::int64_t> into_indptr, In<V> into_indices, In<G> into_weights,
         In<std::int64_t> sources, In<std::int64_t> targets, int threads, nb::object progress) {
        const GraphRows<V, G> into(into_indptr, into_indices, into_weights, Weights::kNotNegative);
        require(into.n() == queries.hierarchy().n(), "the rows are of another graph");
        const std::vector<std::int64_t> starts = vertices_of(sources, into.n());
        const std::vector<std::int64_t> ends = vertices_of(targets, into.n());
        require_size(ends.size(), starts.size(), "targets");
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        Routes routes;
        {
          const nb::gil_scoped_release free;
          routes = queries.routes(into.view(), starts, ends, team, control);
        }
        return nb::make_tuple(to_numpy(std::move(routes.vertices)),
                              to_numpy(std::move(routes.counts)));
      },
      nb::arg("into_indptr").noconvert(), nb::arg("into_indices").noconvert(),
      nb::arg("into_weights").noconvert(), nb::arg("sources").noconvert(),
      nb::arg("targets").noconvert(), nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

template <Weight W>
void register_hierarchy(nb::module_& module, const char* name) {
  using D = DistanceOf<W>;
  nb::class_<Queries<W>> type(module, name);
  type.def_prop_ro("n", [](const Queries<W>& queries) { return queries.hierarchy().n(); })
      .def_prop_ro("arcs",
                   [](const Queries<W>& queries) {
                     const Hierarchy<W>& hierarchy = queries.hierarchy();
                     return nb::make_tuple(hierarchy.up().arcs(), hierarchy.down().arcs());
                   })
      .def_prop_ro("symmetric",
                   [](const Queries<W>& queries) { return queries.hierarchy().symmetric(); })
      .def("reversed",
           [](const Queries<W>& queries) {
             auto turned = std::make_unique<Queries<W>>(queries.hierarchy().reversed());
             return nb::cast(turned.release(), nb::rv_policy::take_ownership);
           })
      .def_prop_ro("itemsize", [](const Queries<W>&) { return sizeof(W); })
      .def_prop_ro("bound", [](const Queries<W>& queries) { return queries.hierarchy().bound(); })
      .def_prop_ro("nbytes",
                   [](const Queries<W>& queries) {
                     const Hierarchy<W>& hierarchy = queries.hierarchy();
                     const std::size_t rows = hierarchy.symmetric() ? 1 : 2;
                     const auto n = static_cast<std::size_t>(hierarchy.n());
                     return n * 8 + rows * n * 8 +
                            (hierarchy.up().arcs() + (rows - 1) * hierarchy.down().arcs()) *
                                sizeof(HierarchyArc<W>);
                   })
      .def("arrays",
           [](const Queries<W>& queries) {
             const Hierarchy<W>& hierarchy = queries.hierarchy();
             const auto positions = hierarchy.positions();
             return nb::make_tuple(
                 to_numpy(std::vector<Position>(positions.begin(), positions.end())),
                 arrays_of(hierarchy.up()),
                 hierarchy.symmetric() ? nb::none() : nb::object(arrays_of(hierarchy.down())));
           })
      .def(
          "pairs",
          [](Queries<W>& queries, In<std::int64_t> sources, In<std::int64_t> targets, Out<D> out,
             int threads, int bits, nb::object progress) {
            const std::int64_t n = queries.hierarchy().n();
            const std::vector<std::int64_t> starts = vertices_of(sources, n);
            const std::vector<std::int64_t> ends = vertices_of(targets, n);
            require_size(ends.size(), starts.size(), "targets");
            require_size(out.size(), starts.size(), "out");
            const int team = at_least_one(threads);
            Control control(python_tick(std::move(progress)));
            HierarchyCounts counts;
            {
              const nb::gil_scoped_release free;
              counts = queries.pair_distances(starts, ends, {out.data(), out.size()}, team, bits,
                                              control);
            }
            return counts_by_name(counts);
          },
          nb::arg("sources").noconvert(), nb::arg("targets").noconvert(),
          nb::arg("out").noconvert(), nb::arg("threads") = 1, nb::arg("bits") = 512,
          nb::arg("progress") = nb::none());
  define_table<W, D>(type);
  if constexpr (std::is_integral_v<W>) define_table<W, std::int32_t>(type);
  define_nearest<W, std::int32_t>(type);
  define_route<W, std::int32_t, W>(type);
  if constexpr (std::is_same_v<W, std::int64_t>) define_route<W, std::int32_t, std::int32_t>(type);
  module.def(
      "hierarchy",
      [](In<Position> position, In<std::int64_t> up_first, In<Position> up_heads, In<W> up_weights,
         In<std::int64_t> down_first, In<Position> down_heads, In<W> down_weights, bool symmetric) {
        const std::size_t n = position.size();
        std::vector<Position> places = permutation_of(position);
        const auto up = rows_of(up_first, up_heads, up_weights, n);
        const auto down = symmetric ? up : rows_of(down_first, down_heads, down_weights, n);
        auto made = std::make_unique<Queries<W>>(Hierarchy<W>(std::move(places), up, down));
        return nb::cast(made.release(), nb::rv_policy::take_ownership);
      },
      nb::arg("position").noconvert(), nb::arg("up_first").noconvert(),
      nb::arg("up_heads").noconvert(), nb::arg("up_weights").noconvert(),
      nb::arg("down_first").noconvert(), nb::arg("down_heads").noconvert(),
      nb::arg("down_weights").noconvert(), nb::arg("symmetric"));
}

}  // namespace

void register_hierarchy(nb::module_& module) {
  register_hierarchy<std::int32_t>(module, "HierarchyInt32");
  register_hierarchy<std::int64_t>(module, "HierarchyInt64");
  register_hierarchy<float>(module, "HierarchyFloat32");
  register_hierarchy<double>(module, "HierarchyFloat64");
  for_each_type([&]<class V, class W>() { register_contract<V, W>(module); });
}

}  // namespace warpath::bindings
