#include <nanobind/stl/optional.h>

#include <memory>
#include <utility>

#include "graph_rows.hpp"

namespace warpath::bindings {

namespace {

template <class T>
nb::object kept_array(Content content, const Held<T>& held, auto&& describe) {
  auto kept = std::make_unique<KeptArray>(content, held.values, held.memory);
  describe(*kept);
  return KeptArray::array(std::move(kept));
}

template <class W>
nb::dict as_dict(const RowReport<W>& report) {
  nb::dict out;
  out["bad_ends"] = report.bad_ends;
  out["descending"] = report.descending;
  out["bad_index"] = report.bad_index;
  out["bad_weight"] = report.bad_weight;
  out["absent"] = report.absent;
  return out;
}

/// (report, arrays): the rows as arrays that nothing can write, or None where the report names what
/// is wrong with them. Arrays that are kept already are returned as they are. `copied` says whether
/// the others are copied first; if not, the caller promises that nobody writes them any more.
template <Index V, Weight W>
nb::tuple keep_rows(In<std::int64_t> indptr, In<V> indices, In<W> weights, bool copied,
                    int threads) {
  require_rows<V>(indptr.size());
  require(weights.size() == indices.size() || weights.size() == 0,
          "weights must have an entry for each edge, or none at all");
  at_least_one(threads);
  Control control(python_tick(nb::none()));
  const auto held = [&]<class T>(const In<T>& array, Content content) {
    if (!copied || array.kept(content) != nullptr) return hold(array);
    const nb::gil_scoped_release free;
    return copy(array, threads, control);
  };
  const Held<std::int64_t> offsets = held(indptr, Content::kOffsets);
  const Held<V> numbers = held(indices, Content::kIndices);
  const Held<W> lengths = held(weights, Content::kWeights);
  RowReport<W> report;
  const CsrView<V, W> rows{offsets.values, numbers.values, lengths.values};
  {
    const nb::gil_scoped_release free;
    report = inspect_rows<V, W>(rows, threads, control);
  }
  if (report.bad_ends || report.descending >= 0 || report.bad_index >= 0 ||
      report.bad_weight >= 0 || report.absent > 0)
    return nb::make_tuple(as_dict(report), nb::none());
  const auto array = [&]<class T>(const In<T>& given, const Held<T>& values, Content content,
                                  std::int64_t bound, auto&& describe) -> nb::object {
    const KeptArray* const kept = given.kept(content);
    if (kept != nullptr && kept->bound <= bound) return given.object();
    return kept_array(content, values, describe);
  };
  return nb::make_tuple(
      as_dict(report),
      nb::make_tuple(array(indptr, offsets, Content::kOffsets, rows.m(),
                           [&](KeptArray& kept) { kept.bound = rows.m(); }),
                     array(indices, numbers, Content::kIndices, rows.n(),
                           [&](KeptArray& kept) { kept.bound = rows.n(); }),
                     array(weights, lengths, Content::kWeights, 0, [&](KeptArray& kept) {
                       kept.set_range<W>(report.least, report.most);
                     })));
}

/// Whether keep_rows made these arrays, and they are the rows of one graph.
bool rows_are_kept(nb::handle indptr, nb::handle indices, nb::handle weights) {
  const auto kept = [](nb::handle array, Content content) -> const KeptArray* {
    const KeptArray* const behind = KeptArray::behind(array);
    return behind != nullptr && behind->is(content, Numpy::array(array)) ? behind : nullptr;
  };
  const KeptArray* const offsets = kept(indptr, Content::kOffsets);
  const KeptArray* const numbers = kept(indices, Content::kIndices);
  if (offsets == nullptr || numbers == nullptr) return false;
  if (offsets->bound != static_cast<std::int64_t>(numbers->size()) ||
      numbers->bound > static_cast<std::int64_t>(offsets->size()) - 1)
    return false;
  if (weights.is_none()) return true;
  const KeptArray* const lengths = kept(weights, Content::kWeights);
  return lengths != nullptr && lengths->size() == numbers->size();
}

}  // namespace

void register_rows(nb::module_& module) {
  Numpy::keep();
  nb::class_<KeptArray> type(module, "KeptArray", nb::is_final());
  type.def_prop_ro("__array_interface__", [](const KeptArray& kept) {
    nb::dict out;
    out["version"] = 3;
    out["shape"] = nb::make_tuple(kept.size());
    out["typestr"] = kept.dtype().attr("str");
    out["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(kept.data()), true);
    return out;
  });
  KeptArray::type_object() = type.ptr();
  for_each_type([&]<class V, class W>() {
    module.def("keep_rows", &keep_rows<V, W>, nb::arg("indptr").noconvert(),
               nb::arg("indices").noconvert(), nb::arg("weights").noconvert(), nb::arg("copied"),
               nb::arg("threads") = 1);
  });
  module.def("rows_are_kept", &rows_are_kept, nb::arg("indptr"), nb::arg("indices"),
             nb::arg("weights").none());
}

}  // namespace warpath::bindings
