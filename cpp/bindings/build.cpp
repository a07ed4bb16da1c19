#include "warpath/graph/build.hpp"

#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <tuple>

#include "graph_rows.hpp"
#include "warpath/graph/inspect.hpp"

namespace warpath::bindings {

namespace {

nb::dict as_dict(const EdgeReport& report) {
  nb::dict out;
  out["kept"] = report.kept;
  out["loops"] = report.loops;
  out["largest"] = report.largest;
  out["bad_source"] = report.bad_source;
  out["bad_target"] = report.bad_target;
  out["bad_weight"] = report.bad_weight;
  return out;
}

template <Weight W>
nb::dict as_dict(const RowFacts<W>& facts) {
  nb::dict out;
  out["min_degree"] = facts.min_degree;
  out["max_degree"] = facts.max_degree;
  out["loops"] = facts.loops;
  out["far"] = facts.far;
  out["negative"] = facts.negative;
  out["zero"] = facts.zero;
  out["first_negative"] = facts.first_negative;
  out["min_weight"] = facts.min_weight;
  out["max_weight"] = facts.max_weight;
  out["mean_weight"] = facts.mean_weight;
  return out;
}

/// Raises ValueError if arrays to be filled share memory: one holds write positions while the other
/// is filled.
template <class A, class B>
void require_apart(const Out<A>& one, const Out<B>& other) {
  const auto begin = reinterpret_cast<std::uintptr_t>(one.data());
  const auto first = reinterpret_cast<std::uintptr_t>(other.data());
  require(begin + one.size() * sizeof(A) <= first || first + other.size() * sizeof(B) <= begin,
          "arrays to be filled must not share memory");
}

template <class I, Weight W>
void register_inspect(nb::module_& module) {
  module.def(
      "inspect_edges",
      [](In<I> src, In<I> dst, In<W> weights, std::int64_t n) {
        require_size(dst.size(), src.size(), "dst");
        require(weights.size() == src.size() || weights.size() == 0,
                "weights must have an entry for each edge, or none at all");
        Control control(python_tick(nb::none()));
        EdgeReport report;
        {
          const nb::gil_scoped_release free;
          report =
              inspect_edges<I, W>(view(src), view(dst), view(weights), n, Poller(control, true));
        }
        return as_dict(report);
      },
      nb::arg("src").noconvert(), nb::arg("dst").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("n"));
}

template <class I, Index V, Weight W>
void register_builder(nb::module_& module) {
  module.def(
      "build_csr",
      [](In<I> src, In<I> dst, In<W> weights, bool both, Out<std::int64_t> indptr, Out<V> indices,
         Out<W> out_weights) {
        require_rows<V>(indptr.size());
        require_size(dst.size(), src.size(), "dst");
        require(weights.size() == src.size() || weights.size() == 0,
                "weights must have an entry for each edge, or none at all");
        require_size(out_weights.size(), weights.size() == 0 ? 0 : indices.size(), "out_weights");
        require_apart(indptr, indices);
        require_apart(indptr, out_weights);
        Control control(python_tick(nb::none()));
        const nb::gil_scoped_release free;
        build_csr<I, V, W>(view(src), view(dst), view(weights), both, view(indptr), view(indices),
                           view(out_weights), Poller(control, true));
      },
      nb::arg("src").noconvert(), nb::arg("dst").noconvert(), nb::arg("weights").noconvert(),
      nb::arg("both"), nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
      nb::arg("out_weights").noconvert());
}

}  // namespace

template <Index Width>
void register_build(nb::module_& module) {
  for_each_weight<Width>([&]<class V, class W>() {
    register_inspect<V, W>(module);
    register_builder<V, std::int32_t, W>(module);
    register_builder<V, std::int64_t, W>(module);
    module.def(
        "transpose",
        [](In<std::int64_t> indptr, In<V> indices, In<W> weights, Out<std::int64_t> out_indptr,
           Out<V> out_indices, Out<W> out_weights) {
          const GraphRows<V, W> rows(indptr, indices, weights, Weights::kOptional);
          require_size(out_indptr.size(), indptr.size(), "out_indptr");
          require_size(out_indices.size(), indices.size(), "out_indices");
          require_size(out_weights.size(), weights.size(), "out_weights");
          require_apart(out_indptr, out_indices);
          require_apart(out_indptr, out_weights);
          Control control(python_tick(nb::none()));
          const nb::gil_scoped_release free;
          transpose<V, W>(rows.view(), view(out_indptr), view(out_indices), view(out_weights),
                          Poller(control, true));
        },
        nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("out_indptr").noconvert(),
        nb::arg("out_indices").noconvert(), nb::arg("out_weights").noconvert());
    module.def(
        "row_facts",
        [](In<std::int64_t> indptr, In<V> indices, In<W> weights, int threads) {
          const GraphRows<V, W> rows(indptr, indices, weights, Weights::kOptional);
          Control control(python_tick(nb::none()));
          RowFacts<W> facts;
          {
            const nb::gil_scoped_release free;
            facts = row_facts<V, W>(rows.view(), at_least_one(threads), control);
          }
          return as_dict(facts);
        },
        nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("threads") = 1);
  });
}

template void register_build<CompiledWidth>(nb::module_& module);

}  // namespace warpath::bindings
