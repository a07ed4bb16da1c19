#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph_rows.hpp"
#include "warpath/hierarchy/changes.hpp"
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

/// Checks weights that no other thread can change any more: finite and >= 0, or -1.
template <Weight G>
void require_lengths(std::span<const G> weights) {
  for (const G weight : weights)
    require(
        weight == kClosed<G> || (weight >= 0 && (std::is_integral_v<G> || weight < unreachable<G>)),
        "weights must be finite and not negative, or -1 for closed edges");
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

/// The weights of all edges, which no other thread can change: as passed, or a checked copy.
template <Weight W>
class Lengths {
 public:
  Lengths(const Elimination& elimination, const In<W>& weights) : lengths_(view(weights)) {
    require_size(weights.size(), elimination.edges(), "weights");
    const ValidatedArray* const known = weights.validated(Content::kWeights);
    if (known == nullptr) {
      copy_.assign(lengths_.begin(), lengths_.end());
      lengths_ = copy_;
      require_lengths(lengths_);
    } else {
      require(!known->negative, "weights must be finite and not negative");
    }
  }
  Lengths(const Lengths&) = delete;
  Lengths& operator=(const Lengths&) = delete;

  std::span<const W> values() const { return lengths_; }

 private:
  std::vector<W> copy_;
  std::span<const W> lengths_;
};

template <Weight W>
void define_customize(nb::class_<Elimination>& type) {
  type.def(
      "customize",
      [](const Elimination& elimination, In<W> weights, int threads,
         nb::object progress) -> nb::object {
        const Lengths<W> checked(elimination, weights);
        const std::span<const W> lengths = checked.values();
        const int team = at_least_one(threads);
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

template <Weight W, Weight G>
nb::object changeable(const Elimination& elimination, std::span<const G> weights, int threads) {
  Control control(python_tick(nb::none()));
  std::unique_ptr<ChangeableWeights<W>> made;
  {
    const nb::gil_scoped_release free;
    made = std::make_unique<ChangeableWeights<W>>(elimination, weights, threads, control);
  }
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

template <Weight W>
void define_changeable(nb::class_<Elimination>& type) {
  type.def(
      "changeable",
      [](const Elimination& elimination, In<W> weights, int threads) -> nb::object {
        const Lengths<W> checked(elimination, weights);
        const int team = at_least_one(threads);
        if constexpr (std::is_same_v<W, std::int32_t>) {
          try {
            return changeable<std::int32_t>(elimination, checked.values(), team);
          } catch (const std::overflow_error&) {
            return changeable<std::int64_t>(elimination, checked.values(), team);
          }
        } else {
          return changeable<W>(elimination, checked.values(), team);
        }
      },
      nb::arg("weights").noconvert(), nb::arg("threads") = 1, nb::keep_alive<0, 1>());
}

template <Weight W, Weight G>
void define_changed(nb::class_<ChangeableWeights<W>>& type) {
  type.def(
      "changed",
      [](ChangeableWeights<W>& kept, In<std::int64_t> indptr, In<G> weights,
         In<std::int64_t> edges) {
        const Elimination& elimination = kept.elimination();
        const Lengths<G> checked(elimination, weights);
        require_size(indptr.size(), elimination.n() + 1, "indptr");
        const auto m = static_cast<std::int64_t>(elimination.edges());
        const SharedSpan<std::int64_t> offsets = share(indptr);
        require(indptr.validated(Content::kOffsets) != nullptr && offsets.values.back() == m,
                "indptr must be that of a graph with these edges");
        const std::vector<std::int64_t> numbers(edges.data(), edges.data() + edges.size());
        for (const std::int64_t edge : numbers)
          require(edge >= 0 && edge < m, "edges must lie in 0 .. m - 1");
        Control control(python_tick(nb::none()));
        std::unique_ptr<HierarchyQueries<W>> made;
        {
          const nb::gil_scoped_release free;
          made = std::make_unique<HierarchyQueries<W>>(
              kept.changed(offsets.values, checked.values(), numbers, Poller(control, true)));
        }
        return nb::cast(made.release(), nb::rv_policy::take_ownership);
      },
      nb::arg("indptr").noconvert(), nb::arg("weights").noconvert(), nb::arg("edges").noconvert());
}

template <Weight W>
void register_changeable(nb::module_& module, const char* name) {
  nb::class_<ChangeableWeights<W>> type(module, name);
  type.def_prop_ro("nbytes", &ChangeableWeights<W>::nbytes);
  define_changed<W, W>(type);
  if constexpr (std::is_same_v<W, std::int64_t>) define_changed<W, std::int32_t>(type);
}

}  // namespace

void register_customizable(nb::module_& module) {
  register_changeable<std::int32_t>(module, "ChangeableInt32");
  register_changeable<std::int64_t>(module, "ChangeableInt64");
  register_changeable<float>(module, "ChangeableFloat32");
  register_changeable<double>(module, "ChangeableFloat64");
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
  define_changeable<std::int32_t>(type);
  define_changeable<std::int64_t>(type);
  define_changeable<float>(type);
  define_changeable<double>(type);
  register_eliminate<std::int32_t>(module);
}

}  // namespace warpath::bindings
