#include "warpath/da2cf.hpp"

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <span>
#include <utility>

#include "common.hpp"

namespace warpath::bindings {

namespace {

using Flag = std::uint8_t;

std::pair<std::int64_t, std::int64_t> as_pair(const RelaxCounters& counters) {
  return {counters.relaxed, counters.improved};
}

template <Index V, Weight W>
void register_rows(nb::module_& module) {
  using D = DistanceOf<W>;
  const auto def = [&](const char* name, auto relax) {
    module.def(
        name,
        [relax](In<std::int64_t> indptr, In<V> indices, In<W> weights, Out<D> dist,
                In<Flag> frontier, In<Flag> unsettled) {
          const nb::gil_scoped_release free;
          return as_pair(
              relax(csr(indptr, indices, weights), view(dist), view(frontier), view(unsettled)));
        },
        nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("dist").noconvert(),
        nb::arg("frontier").noconvert(), nb::arg("unsettled").noconvert());
  };
  def("da2cf_relax_f", relax_f<V, W>);
  def("da2cf_relax_u", relax_u<V, W>);
}

template <Weight D>
void register_labels(nb::module_& module) {
  const auto def = [&](const char* name, auto relax) {
    module.def(
        name,
        [relax](InMatrix<D> matrix, Out<D> dist, In<Flag> frontier, In<Flag> unsettled) {
          const nb::gil_scoped_release free;
          return as_pair(relax(std::span<const D>(matrix.data(), matrix.size()), view(dist),
                               view(frontier), view(unsettled)));
        },
        nb::arg("matrix").noconvert(), nb::arg("dist").noconvert(), nb::arg("frontier").noconvert(),
        nb::arg("unsettled").noconvert());
  };
  def("da2cf_relax_f_dense", relax_f_dense<D>);
  def("da2cf_relax_u_dense", relax_u_dense<D>);
  module.def(
      "da2cf_minimum",
      [](In<D> dist, In<Flag> unsettled) {
        const nb::gil_scoped_release free;
        return minimum<D>(view(dist), view(unsettled));
      },
      nb::arg("dist").noconvert(), nb::arg("unsettled").noconvert());
  module.def(
      "da2cf_update",
      [](In<D> dist, Out<Flag> unsettled, Out<Flag> frontier, D threshold) {
        const nb::gil_scoped_release free;
        return update<D>(view(dist), view(unsettled), view(frontier), threshold);
      },
      nb::arg("dist").noconvert(), nb::arg("unsettled").noconvert(),
      nb::arg("frontier").noconvert(), nb::arg("threshold"));
}

}  // namespace

void register_da2cf(nb::module_& module) {
  for_each_type([&]<class V, class W>() { register_rows<V, W>(module); });
  register_labels<std::int64_t>(module);
  register_labels<float>(module);
  register_labels<double>(module);
}

}  // namespace warpath::bindings
