#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/hierarchy/customization.hpp"
#include "warpath/hierarchy/elimination.hpp"
#include "warpath/hierarchy/elimination_order.hpp"
#include "warpath/hierarchy/queries.hpp"

namespace warpath::bindings {

namespace {

template <Index V>
void register_eliminate(nb::module_& module) {
  module.def(
      "eliminate",
      [](In<std::int64_t> indptr, In<V> indices, nb::object progress, std::int64_t core_vertices,
         std::int64_t core_degree) -> nb::object {
        const GraphRows<V, std::int32_t> rows = unweighted(indptr, indices);
        require(rows.n() < std::numeric_limits<Position>::max(),
                "a hierarchy numbers up to 2^31 - 2 vertices");
        const EliminationLimits limits{core_vertices, core_degree};
        Control control(python_tick(std::move(progress)));
        std::unique_ptr<Elimination> made;
        try {
          const nb::gil_scoped_release free;
          const auto& view = rows.view();
          auto neighbours = neighbours_of<V>(view.indptr, view.indices);
          const auto order = EliminationOrder(neighbours, limits, control).run();
          made = std::make_unique<Elimination>(view.indptr, view.indices, std::move(neighbours),
                                               order, Poller(control, true));
        } catch (const DenseCore& core) {
          return nb::make_tuple(core.vertices, core.arcs);
        }
        return nb::cast(made.release(), nb::rv_policy::take_ownership);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("progress") = nb::none(),
      nb::arg("core_vertices") = EliminationLimits{}.core_vertices,
      nb::arg("core_degree") = EliminationLimits{}.core_degree);
}

/// Checks weights that no other thread can change any more: finite and >= 0.
template <Weight G>
void require_lengths(std::span<const G> weights) {
  for (const G weight : weights)
    require(weight >= 0 && (std::is_integral_v<G> || weight < unreachable<G>),
            "weights must be finite and not negative");
}

template <Weight W, Weight G>
nb::object customized(const Elimination& elimination, std::span<const G> weights, int threads,
                      nb::object progress) {
  Control control(python_tick(std::move(progress)));
  std::unique_ptr<HierarchyQueries<W>> made;
  {
    const nb::gil_scoped_release free;
    made = std::make_unique<HierarchyQueries<W>>(
        Customization<W>(elimination, threads, control).run(weights));
  }
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

template <Weight W>
void define_customize(nb::class_<Elimination>& type) {
  type.def(
      "customize",
      [](const Elimination& elimination, In<W> weights, int threads,
         nb::object progress) -> nb::object {
        require_size(weights.size(), elimination.edges(), "weights");
        const int team = at_least_one(threads);
        const ValidatedArray* const known = weights.validated(Content::kWeights);
        std::vector<W> copy;
        std::span<const W> lengths = view(weights);
        if (known == nullptr) {
          copy.assign(lengths.begin(), lengths.end());
          lengths = copy;
          require_lengths(lengths);
        } else {
          require(!known->negative, "weights must be finite and not negative");
        }
        if constexpr (std::is_same_v<W, std::int32_t>) {
          try {
            return customized<std::int32_t>(elimination, lengths, team, std::move(progress));
          } catch (const std::overflow_error&) {
            return customized<std::int64_t>(elimination, lengths, team, nb::none());
          }
        } else {
          return customized<W>(elimination, lengths, team, std::move(progress));
        }
      },
      nb::arg("weights").noconvert(), nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

}  // namespace

void register_customizable(nb::module_& module) {
  nb::class_<Elimination> type(module, "Elimination");
  type.def_prop_ro("n", &Elimination::n)
      .def_prop_ro("edges", &Elimination::edges)
      .def_prop_ro("arcs", &Elimination::arcs)
      .def_prop_ro("triangles", &Elimination::triangles)
      .def_prop_ro("nbytes", &Elimination::nbytes);
  define_customize<std::int32_t>(type);
  define_customize<std::int64_t>(type);
  define_customize<float>(type);
  define_customize<double>(type);
  register_eliminate<std::int32_t>(module);
  register_eliminate<std::int64_t>(module);
}

}  // namespace warpath::bindings
