#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "buffers.hpp"
#include "graph_rows.hpp"
#include "warpath/dynamic/dynamic_paths.hpp"
#include "warpath/graph/edited_rows.hpp"

namespace warpath::bindings {

namespace {

/// Converts numbers to an immutable NumPy array without a copy or a check. Requires the GIL.
template <class Numbers, class Describe>
nb::object validated(Numbers&& values, Content content, Describe&& describe) {
  const auto made = std::make_shared<const std::remove_cvref_t<Numbers>>(std::move(values));
  auto array =
      std::make_unique<ValidatedArray>(content, std::span(made->data(), made->size()), made);
  describe(*array);
  return ValidatedArray::array(std::move(array));
}

/// The arrays of a graph whose rows a loop made from checked ones.
template <class Offsets, class Indices, class Lengths>
nb::tuple rows_of(Offsets&& indptr, Indices&& indices, Lengths&& weights) {
  using W = std::remove_cvref_t<decltype(weights[0])>;
  const auto n = static_cast<std::int64_t>(indptr.size()) - 1;
  const auto m = static_cast<std::int64_t>(indices.size());
  W lowest{}, highest{};
  if (weights.size() > 0) lowest = highest = weights[0];
  for (std::size_t e = 1; e < weights.size(); ++e) {
    lowest = std::min(lowest, weights[e]);
    highest = std::max(highest, weights[e]);
  }
  const auto set_bound = [](std::int64_t bound) {
    return [bound](ValidatedArray& array) { array.bound = bound; };
  };
  return nb::make_tuple(
      validated(std::move(indptr), Content::kOffsets, set_bound(m)),
      validated(std::move(indices), Content::kIndices, set_bound(n)),
      validated(std::move(weights), Content::kWeights,
                [&](ValidatedArray& array) { array.template set_range<W>(lowest, highest); }));
}

template <Weight W>
void require_finite(std::span<const W> weights) {
  if constexpr (std::is_floating_point_v<W>)
    require(std::all_of(weights.begin(), weights.end(), [](W w) { return std::isfinite(w); }),
            "weights must be finite");
}

/// A `DynamicPaths` that refuses calls while another thread uses it. Python's class has a lock.
template <Index V, Weight W>
class Guarded {
 public:
  using Paths = DynamicPaths<V, W>;
  using D = DistanceOf<W>;

  explicit Guarded(std::unique_ptr<Paths> paths) : paths_(std::move(paths)) {}

  /// Calls use(paths) while no other thread does.
  template <class Use>
  auto with(Use&& use) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) throw std::runtime_error("another thread uses these paths");
    return use(*paths_);
  }

  /// Calls use(state) for a row that exists.
  template <class Use>
  auto with_row(std::size_t row, Use&& use) {
    return with([&](Paths& paths) {
      require(row < paths.rows(), "there is no such row");
      return use(paths.state(row));
    });
  }

 private:
  std::unique_ptr<Paths> paths_;
  std::mutex mutex_;
};

/// Copies and checks changes. One kind or position holds for all of them.
template <Index V, Weight W>
std::vector<EdgeChange<V, W>> changes_of(std::int64_t n, nb::handle given_kinds,
                                         nb::handle given_sources, nb::handle given_targets,
                                         nb::handle given_positions, nb::handle given_weights) {
  const auto kinds = values_of<std::int8_t>(given_kinds);
  const auto sources = values_of<std::int64_t>(given_sources);
  const auto targets = values_of<std::int64_t>(given_targets);
  const auto positions = values_of<std::int64_t>(given_positions);
  const auto weights = values_of<W>(given_weights);
  const std::size_t count = sources.size();
  if (kinds.size() != 1) require_size(kinds.size(), count, "kinds");
  require_size(targets.size(), count, "targets");
  if (positions.size() != 1) require_size(positions.size(), count, "positions");
  require_size(weights.size(), count, "weights");
  std::vector<EdgeChange<V, W>> changes;
  changes.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    require_vertex(sources[k], n);
    require_vertex(targets[k], n);
    const std::int8_t kind = kinds[kinds.size() == 1 ? 0 : k];
    require(kind >= 0 && kind <= 2, "kinds must be 0, 1 or 2");
    changes.push_back({static_cast<ChangeKind>(kind), static_cast<V>(sources[k]),
                       static_cast<V>(targets[k]), positions[positions.size() == 1 ? 0 : k],
                       weights[k]});
    require_finite<W>(std::span(&changes.back().weight, 1));
  }
  return changes;
}

template <Index V, Weight W>
void define_changes(nb::class_<Guarded<V, W>>& type) {
  using Paths = DynamicPaths<V, W>;
  using D = DistanceOf<W>;
  type.def(
      "apply",
      [](Guarded<V, W>& guarded, nb::object kinds, nb::object sources, nb::object targets,
         nb::object positions, nb::object weights, bool exact, std::int64_t most_affected,
         std::int64_t most_relaxed,
         int threads) -> std::optional<std::tuple<int, std::int64_t, std::int64_t>> {
        at_least_one(threads);
        Control control(python_tick(nb::none()));
        return guarded.with(
            [&](Paths& paths) -> std::optional<std::tuple<int, std::int64_t, std::int64_t>> {
              const auto changes =
                  changes_of<V, W>(paths.graph().n(), kinds, sources, targets, positions, weights);
              const nb::gil_scoped_release free;
              const auto refusal = paths.apply(changes, exact ? Region::kExact : Region::kSubtrees,
                                               {most_affected, most_relaxed}, threads, control);
              if (!refusal) return std::nullopt;
              return std::make_tuple(static_cast<int>(refusal->reason), refusal->at,
                                     refusal->other);
            });
      },
      nb::arg("kinds"), nb::arg("sources"), nb::arg("targets"), nb::arg("positions"),
      nb::arg("weights"), nb::arg("exact"), nb::arg("most_affected"), nb::arg("most_relaxed"),
      nb::arg("threads"));
  type.def("stale", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) { return paths.stale(); });
  });
  type.def(
      "replace",
      [](Guarded<V, W>& guarded, std::size_t row, In<D> dist, In<V> pred) {
        guarded.with([&](Paths& paths) {
          const auto n = static_cast<std::size_t>(paths.graph().n());
          require(row < paths.rows(), "there is no such row");
          require_size(dist.size(), n, "dist");
          require_size(pred.size(), n, "pred");
          paths.replace(row, view(dist), view(pred));
        });
      },
      nb::arg("row"), nb::arg("dist").noconvert(), nb::arg("pred").noconvert());
  type.def(
      "replace_distances",
      [](Guarded<V, W>& guarded, std::size_t row, In<D> dist, int threads) {
        at_least_one(threads);
        Control control(python_tick(nb::none()));
        guarded.with([&](Paths& paths) {
          require(row < paths.rows(), "there is no such row");
          require_size(dist.size(), static_cast<std::size_t>(paths.graph().n()), "dist");
          require(paths.graph().negative() == 0, "weights must not be negative");
          const nb::gil_scoped_release free;
          paths.replace(row, view(dist), threads, control);
        });
      },
      nb::arg("row"), nb::arg("dist").noconvert(), nb::arg("threads"));
  type.def("accept",
           [](Guarded<V, W>& guarded) { guarded.with([](Paths& paths) { paths.accept(); }); });
  type.def("abandon",
           [](Guarded<V, W>& guarded) { guarded.with([](Paths& paths) { paths.abandon(); }); });
  type.def("undo", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) { return paths.undo(); });
  });
  type.def(
      "solve",
      [](Guarded<V, W>& guarded, int threads, nb::object progress) {
        at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        guarded.with([&](Paths& paths) {
          require(paths.graph().negative() == 0, "weights must not be negative");
          const nb::gil_scoped_release free;
          paths.solve(threads, control);
        });
      },
      nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

template <Index V, Weight W>
void define_reads(nb::class_<Guarded<V, W>>& type) {
  using Paths = DynamicPaths<V, W>;
  using D = DistanceOf<W>;
  using State = SourceState<V, W>;
  type.def(
      "dist",
      [](Guarded<V, W>& guarded, std::size_t row) {
        return guarded.with_row(row, [](const State& state) {
          const NewArray<D> made(state.all_dist().size());
          std::ranges::copy(state.all_dist(), made.values().begin());
          return made.frozen();
        });
      },
      nb::arg("row"));
  type.def(
      "pred",
      [](Guarded<V, W>& guarded, std::size_t row) {
        return guarded.with_row(row, [](const State& state) {
          const NewArray<V> made(state.all_pred().size());
          std::ranges::copy(state.all_pred(), made.values().begin());
          return made.frozen();
        });
      },
      nb::arg("row"));
  type.def(
      "distances",
      [](Guarded<V, W>& guarded, std::size_t row, In<std::int64_t> vertices) {
        return guarded.with_row(row, [&](const State& state) {
          std::vector<D> found;
          for (const std::int64_t v :
               vertices_of(vertices, static_cast<std::int64_t>(state.all_dist().size())))
            found.push_back(state.dist(static_cast<V>(v)));
          return to_numpy(std::move(found));
        });
      },
      nb::arg("row"), nb::arg("vertices").noconvert());
  type.def(
      "route",
      [](Guarded<V, W>& guarded, std::size_t row, std::int64_t target) {
        return guarded.with_row(row, [&](const State& state) {
          require_vertex(target, static_cast<std::int64_t>(state.all_dist().size()));
          std::vector<std::int64_t> route;
          for (auto v = static_cast<V>(target); v >= 0; v = state.pred(v)) {
            require(route.size() < state.all_pred().size(), "the predecessors have a cycle");
            route.push_back(v);
          }
          std::ranges::reverse(route);
          return to_numpy(std::move(route));
        });
      },
      nb::arg("row"), nb::arg("target"));
  // The number of changes in each row, and (vertices, old, new) of all of them.
  type.def("changes", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) {
      std::vector<std::size_t> counts(paths.rows());
      std::size_t total = 0;
      for (std::size_t row = 0; row < paths.rows(); ++row) {
        paths.state(row).each_change([&](V, D, D) { ++counts[row]; });
        total += counts[row];
      }
      const NewArray<std::int64_t> vertices(total);
      const NewArray<D> old(total), now(total);
      const auto place = vertices.values();
      const auto from = old.values(), to = now.values();
      std::size_t next = 0;
      for (std::size_t row = 0; row < paths.rows(); ++row)
        paths.state(row).each_change([&](V v, D before, D after) {
          place[next] = v;
          from[next] = before;
          to[next++] = after;
        });
      return nb::make_tuple(counts, vertices.array(), old.array(), now.array());
    });
  });
  type.def("counters", [](Guarded<V, W>& guarded) {
    const RepairCounters found = guarded.with([](Paths& paths) { return paths.counters(); });
    nb::dict out;
    out["affected"] = found.affected;
    out["settled"] = found.settled;
    out["relaxed"] = found.relaxed;
    out["improved"] = found.improved;
    return out;
  });
  type.def("graph", [](Guarded<V, W>& guarded) {
    PageArray<std::int64_t> indptr;
    PageArray<V> indices;
    PageArray<W> weights;
    guarded.with([&](Paths& paths) {
      const nb::gil_scoped_release free;
      const auto m = static_cast<std::size_t>(paths.graph().edges());
      indptr = PageArray<std::int64_t>(static_cast<std::size_t>(paths.graph().n()) + 1);
      indices = PageArray<V>(m);
      weights = PageArray<W>(m);
      paths.graph().out().write({indptr.data(), indptr.size()}, {indices.data(), m},
                                {weights.data(), m});
    });
    return rows_of(std::move(indptr), std::move(indices), std::move(weights));
  });
  // (kinds, sources, targets, places in the rows of the sources, weights before and after) of the
  // edges that the last batch changed. A deletion has no weight after it, an insertion none before.
  type.def("changed_edges", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) {
      const auto changed = paths.graph().changed();
      const NewArray<std::int8_t> kinds(changed.size());
      const NewArray<std::int64_t> sources(changed.size()), targets(changed.size()),
          places(changed.size());
      const NewArray<W> before(changed.size()), after(changed.size());
      for (std::size_t k = 0; k < changed.size(); ++k) {
        kinds.values()[k] = static_cast<std::int8_t>(changed[k].kind);
        sources.values()[k] = changed[k].u;
        targets.values()[k] = changed[k].v;
        places.values()[k] = changed[k].out_at;
        before.values()[k] = changed[k].before;
        after.values()[k] = changed[k].after;
      }
      return nb::make_tuple(kinds.array(), sources.array(), targets.array(), places.array(),
                            before.array(), after.array());
    });
  });
  type.def_prop_ro("negative", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) { return paths.graph().negative(); });
  });
  type.def_prop_ro("edges", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) { return paths.graph().edges(); });
  });
  type.def_prop_ro("graph_nbytes", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) { return paths.graph().nbytes(); });
  });
  type.def_prop_ro("nbytes", [](Guarded<V, W>& guarded) {
    return guarded.with([](Paths& paths) { return paths.nbytes(); });
  });
}

template <Index V, Weight W>
void register_dynamic_of(nb::module_& module, const std::string& name) {
  nb::class_<Guarded<V, W>> type(module, name.c_str());
  define_changes<V, W>(type);
  define_reads<V, W>(type);
  module.def(
      "dynamic_paths",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> sources,
         bool directed, std::int64_t closed) {
        Numpy::keep<DistanceOf<W>>();
        Numpy::keep<V>();
        Numpy::keep<W>();
        Numpy::keep<std::int8_t>();
        Numpy::keep<std::int64_t>();
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kFinite);
        const std::vector<std::int64_t> from = vertices_of(sources, rows.n());
        require(closed >= 0 && closed <= rows.n(), "closed must lie in 0 .. n");
        std::unique_ptr<DynamicPaths<V, W>> made;
        {
          const nb::gil_scoped_release free;
          made = std::make_unique<DynamicPaths<V, W>>(rows.view(), directed, closed, from);
        }
        return nb::cast(new Guarded<V, W>(std::move(made)), nb::rv_policy::take_ownership);
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("sources").noconvert(), nb::arg("directed"), nb::arg("closed") = 0);
}

template <Index V, Weight W>
void register_edited_rows(nb::module_& module) {
  module.def(
      "edited_rows",
      [](In<std::int64_t> indptr, In<V> indices, In<W> weights, In<std::int64_t> removed,
         In<std::int64_t> sources, In<std::int64_t> targets, In<W> new_weights) {
        const GraphRows<V, W> rows(indptr, indices, weights, Weights::kOptional);
        const std::vector<std::int64_t> from = vertices_of(sources, rows.n());
        const std::vector<std::int64_t> to = vertices_of(targets, rows.n());
        const std::vector<W> lengths(new_weights.data(), new_weights.data() + new_weights.size());
        require_size(to.size(), from.size(), "targets");
        const bool weighted = weights.size() > 0 || rows.edges() == 0;
        require(lengths.size() == from.size() || (!weighted && lengths.empty()) ||
                    (rows.edges() == 0 && lengths.empty()),
                "new_weights must have an entry for each new edge, or none without weights");
        require(weighted || lengths.empty(), "a graph without weights takes no new weights");
        require_finite<W>(lengths);
        const auto m = static_cast<std::int64_t>(rows.edges());
        std::vector<std::int64_t> out(removed.data(), removed.data() + removed.size());
        for (std::size_t k = 0; k < out.size(); ++k)
          require(out[k] >= 0 && out[k] < m && (k == 0 || out[k - 1] < out[k]),
                  "removed must be edges in ascending order, each once");
        Control control(python_tick(nb::none()));
        EditedRows<V, W> made;
        {
          const nb::gil_scoped_release free;
          made = edited_rows<V, W>(rows.view(), out, {from, to, lengths}, Poller(control, true));
        }
        return rows_of(std::move(made.indptr), std::move(made.indices), std::move(made.weights));
      },
      nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("removed").noconvert(), nb::arg("sources").noconvert(),
      nb::arg("targets").noconvert(), nb::arg("new_weights").noconvert());
}

template <class T>
std::string name_of() {
  return (std::is_floating_point_v<T> ? "Float" : "Int") + std::to_string(8 * sizeof(T));
}

}  // namespace

void register_dynamic(nb::module_& module) {
  for_each_type([&]<class V, class W>() {
    register_dynamic_of<V, W>(module, "DynamicPaths" + name_of<W>());
  });
  for_each_type_and_width([&]<class V, class W>() { register_edited_rows<V, W>(module); });
}

}  // namespace warpath::bindings
