// label_pairs.hpp - what the bindings of labels share: distances of pairs, arrays of their memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common.hpp"
#include "graph_rows.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath::bindings {

inline nb::dict entries_read(std::int64_t read) {
  nb::dict named;
  named["entries"] = read;
  return named;
}

/// An array that shares the memory of labels. The type of distances is that of the weights, whose
/// numbers have the same bits.
template <class As, class T>
nb::object shared_array(std::span<const T> values, const std::shared_ptr<const void>& memory) {
  auto* const keeper = new std::shared_ptr<const void>(memory);
  const nb::capsule owner(
      keeper, [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, const As, nb::ndim<1>, nb::c_contig, nb::device::cpu>(
      reinterpret_cast<const As*>(values.data()), {values.size()}, owner));
}

/// Defines the distance of one pair and those of many.
template <class Labels>
void define_pairs(nb::class_<Labels>& type) {
  using D = typename Labels::D;
  type.def(
      "pair",
      [](const Labels& labels, std::int64_t source, std::int64_t target) {
        const auto n = static_cast<std::int64_t>(labels.n());
        require(0 <= source && source < n && 0 <= target && target < n,
                "source and target must be vertices");
        D distance;
        Control control;
        labels.pairs({&source, 1}, {&target, 1}, {&distance, 1}, 1, control);
        return distance;
      },
      nb::arg("source"), nb::arg("target"));
  type.def(
      "pairs",
      [](const Labels& labels, In<std::int64_t> sources, In<std::int64_t> targets, Out<D> out,
         int threads, nb::object progress) {
        const auto n = static_cast<std::int64_t>(labels.n());
        const std::vector<std::int64_t> starts = vertices_of(sources, n);
        const std::vector<std::int64_t> ends = vertices_of(targets, n);
        require_size(ends.size(), starts.size(), "targets");
        require_size(out.size(), starts.size(), "out");
        const int team = at_least_one(threads);
        Control control(python_tick(std::move(progress)));
        std::int64_t read;
        {
          const nb::gil_scoped_release free;
          read = labels.pairs(starts, ends, view(out), team, control);
        }
        return entries_read(read);
      },
      nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("out").noconvert(),
      nb::arg("threads") = 1, nb::arg("progress") = nb::none());
}

}  // namespace warpath::bindings
