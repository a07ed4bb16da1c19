#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <nanobind/nanobind.h>
#include <numpy/arrayobject.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "buffers.hpp"
#include "graph_rows.hpp"
#include "warpath/graph/inspect.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath::bindings {

nb::object ValidatedArray::array(std::unique_ptr<ValidatedArray> validated) {
  static std::int64_t nothing = 0;  // given a null pointer, NumPy would allocate memory itself
  npy_intp size = static_cast<npy_intp>(validated->size_);
  void* const data = validated->size_ == 0 ? &nothing : const_cast<void*>(validated->data_);
  auto* const dtype = reinterpret_cast<PyArray_Descr*>(validated->dtype_.inc_ref().ptr());
  nb::object owner = nb::cast(validated.release(), nb::rv_policy::take_ownership);
  PyObject* const made = PyArray_NewFromDescr(&PyArray_Type, dtype, 1, &size, nullptr, data,
                                              NPY_ARRAY_CARRAY_RO, nullptr);
  if (made == nullptr) throw nb::python_error();
  const nb::object array = nb::steal(made);
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(made), owner.release().ptr()) != 0)
    throw nb::python_error();
  return array;
}

// Here and not in a header: from NumPy 2.5 on, the order of bytes is read by a function of
// arrayobject.h, which only this file includes.
PyArrayObject* array_of_type(nb::handle object, std::span<const int> types) {
  PyArrayObject* const array = Numpy::array(object);
  if (array == nullptr || PyArray_ISBYTESWAPPED(array) ||
      std::find(types.begin(), types.end(), PyArray_TYPE(array)) == types.end())
    return nullptr;
  return array;
}

bool ArrayArgument::read(nb::handle object, std::span<const int> types, int dimensions,
                         bool written) noexcept {
  PyArrayObject* const array = array_of_type(object, types);
  if (array == nullptr || PyArray_NDIM(array) != dimensions ||
      !PyArray_CHKFLAGS(array, written ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO))
    return false;
  object_ = object;
  data_ = PyArray_DATA(array);
  for (int axis = 0; axis < dimensions; ++axis)
    shape_[axis] = static_cast<std::size_t>(PyArray_DIM(array, axis));
  return true;
}

const ValidatedArray* ValidatedArray::of(nb::handle object, Content content) {
  PyArrayObject* array = Numpy::array(object);
  while (array != nullptr) {
    const nb::handle base = PyArray_BASE(array);
    if (!base.is_valid()) return nullptr;
    if (base.type().ptr() == type_object()) {
      const auto* const owner = nb::inst_ptr<ValidatedArray>(base);
      return owner->is(content, Numpy::array(object)) ? owner : nullptr;
    }
    array = Numpy::array(base);
  }
  return nullptr;
}

Control::Tick python_tick(nb::object progress) {
  if (progress.is_none()) {
    return [](std::int64_t, std::int64_t) {
      const nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
  }
  return [progress = std::move(progress)](std::int64_t done, std::int64_t total) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    progress(done, total);
  };
}

void refuse(const char* message) { throw std::invalid_argument(message); }

void require_size(std::size_t size, std::size_t expected, const char* name) {
  if (size != expected) [[unlikely]]
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(size) +
                                " entries, but " + std::to_string(expected) + " are needed");
}

void require_vertex(std::int64_t v, std::int64_t n) {
  if (v < 0 || v >= n) [[unlikely]]
    throw std::invalid_argument("there is no vertex " + std::to_string(v));
}

std::vector<std::int64_t> vertices_of(const In<std::int64_t>& array, std::int64_t n) {
  std::vector<std::int64_t> vertices(array.data(), array.data() + array.size());
  for (const std::int64_t v : vertices) require_vertex(v, n);
  return vertices;
}

std::vector<std::int32_t> permutation_of(const In<std::int32_t>& array) {
  std::vector<std::int32_t> positions(array.data(), array.data() + array.size());
  std::vector<char> taken(positions.size(), 0);
  for (const std::int32_t position : positions) {
    const auto at = static_cast<std::size_t>(position);
    require(position >= 0 && at < taken.size() && taken[at] == 0,
            "each position must be that of one vertex");
    taken[at] = 1;
  }
  return positions;
}

namespace {

template <class T>
SharedSpan<T> copied(const SharedSpan<T>& span) {
  const auto made = std::make_shared<std::vector<T>>(span.values.begin(), span.values.end());
  return {*made, made};
}

}  // namespace

template <Index V, Weight W>
GraphRows<V, W>::GraphRows(const In<std::int64_t>& indptr, const In<V>& indices,
                           const In<W>& weights, Weights needed)
    : indptr_(share(indptr)), indices_(share(indices)), weights_(share(weights)) {
  require_rows<V>(indptr.size());
  require(weights.size() == indices.size() || (needed == Weights::kOptional && weights.size() == 0),
          "weights must have an entry for each edge");
  const ValidatedArray* const offsets = indptr.validated(Content::kOffsets);
  const ValidatedArray* const numbers = indices.validated(Content::kIndices);
  const ValidatedArray* const lengths = weights.validated(Content::kWeights);
  const bool ordered = offsets != nullptr && numbers != nullptr &&
                       offsets->bound == static_cast<std::int64_t>(indices.size()) &&
                       numbers->bound <= static_cast<std::int64_t>(vertices());
  if (lengths != nullptr) {
    max_weight_ = lengths->max_weight<W>();
    negative_ = lengths->negative;
  }
  check(!ordered, lengths == nullptr && needed >= Weights::kFinite);
  require(needed != Weights::kNotNegative || !negative_, "weights must not be negative");
  view_ = {indptr_.values, indices_.values, weights_.values};
}

template <Index V, Weight W>
GraphRows<V, W>::GraphRows(GraphRows&& other) noexcept = default;

template <Index V, Weight W>
GraphRows<V, W>::~GraphRows() = default;

template <Index V, Weight W>
void GraphRows<V, W>::check(bool rows, bool weights) {
  if (!rows && !weights) return;
  if (rows) indptr_ = copied(indptr_), indices_ = copied(indices_);
  if (weights) weights_ = copied(weights_);
  Control control(python_tick(nb::none()));
  const RowReport<W> report = inspect_rows<V, W>(
      {indptr_.values, indices_.values, weights ? weights_.values : std::span<const W>()}, 1,
      control);
  require(!report.bad_ends && report.descending < 0,
          "indptr must ascend from 0 to the number of indices");
  if (report.bad_index >= 0)
    throw std::invalid_argument("indices[" + std::to_string(report.bad_index) +
                                "] is not a vertex");
  require(report.bad_weight < 0 && report.absent == 0, "weights must be finite");
  if (!weights) return;
  max_weight_ = report.max_weight;
  negative_ = report.min_weight < 0;
}

template class GraphRows<std::int32_t, std::int32_t>;
template class GraphRows<std::int32_t, std::int64_t>;
template class GraphRows<std::int32_t, float>;
template class GraphRows<std::int32_t, double>;
template class GraphRows<std::int64_t, std::int32_t>;
template class GraphRows<std::int64_t, std::int64_t>;
template class GraphRows<std::int64_t, float>;
template class GraphRows<std::int64_t, double>;

namespace {

/// One array of a graph's rows: as passed, and its immutable form.
template <class T>
class RowArray {
 public:
  RowArray(nb::handle given, Content content)
      : given_(given), content_(content), span_{values_of<T>(given), nullptr} {
    validated_ = ValidatedArray::of(given, content);
    span_.memory = std::make_shared<nb::object>(nb::borrow(given));
  }

  std::span<const T> values() const { return span_.values; }

  /// Replaces the array by a copy unless it is immutable already.
  void copy(int threads, Control& control) {
    if (validated_ != nullptr) return;
    const auto made = std::make_shared<PageArray<T>>(span_.values.size());
    const T* const from = span_.values.data();
    T* const to = made->data();
    {
      const nb::gil_scoped_release free;
      run_team(threads, control, [&](int rank) {
        Poller poller(control, rank == 0);
        each_block(static_cast<std::int64_t>(made->size()), threads, rank, poller,
                   [&](std::int64_t, std::int64_t begin, std::int64_t end) {
                     std::copy(from + begin, from + end, to + begin);
                   });
      });
    }
    span_ = {{to, made->size()}, made};
  }

  /// The array of a ValidatedArray that `describe` completes; the array passed if its owner
  /// qualifies.
  template <class Describe>
  nb::object array(std::int64_t bound, Describe&& describe) const {
    if (validated_ != nullptr && validated_->bound <= bound) return nb::borrow(given_);
    auto validated = std::make_unique<ValidatedArray>(content_, span_.values, span_.memory);
    validated->bound = bound;
    describe(*validated);
    return ValidatedArray::array(std::move(validated));
  }

 private:
  nb::handle given_;
  Content content_;
  SharedSpan<T> span_;
  const ValidatedArray* validated_ = nullptr;
};

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

template <Index V, Weight W>
nb::tuple validate_rows_of(nb::handle indptr, nb::handle indices, nb::handle weights, bool copied,
                           int threads) {
  RowArray<std::int64_t> offsets(indptr, Content::kOffsets);
  RowArray<V> numbers(indices, Content::kIndices);
  RowArray<W> lengths(weights, Content::kWeights);
  require_rows<V>(offsets.values().size());
  require(lengths.values().size() == numbers.values().size() || lengths.values().empty(),
          "weights must have an entry for each edge, or none at all");
  at_least_one(threads);
  Control control(python_tick(nb::none()));
  if (copied) {
    offsets.copy(threads, control);
    numbers.copy(threads, control);
    lengths.copy(threads, control);
  }
  RowReport<W> report;
  const CsrView<V, W> rows{offsets.values(), numbers.values(), lengths.values()};
  {
    const nb::gil_scoped_release free;
    report = inspect_rows<V, W>(rows, threads, control);
  }
  if (report.bad_ends || report.descending >= 0 || report.bad_index >= 0 ||
      report.bad_weight >= 0 || report.absent > 0)
    return nb::make_tuple(as_dict(report), nb::none());
  const auto nothing_more = [](ValidatedArray&) {};
  return nb::make_tuple(
      nb::none(),
      nb::make_tuple(offsets.array(rows.m(), nothing_more), numbers.array(rows.n(), nothing_more),
                     lengths.array(0, [&](ValidatedArray& validated) {
                       validated.set_range<W>(report.min_weight, report.max_weight);
                     })));
}

/// Returns (report, arrays): the immutable arrays of the rows, or the errors in them; the other is
/// None. Immutable arrays are returned as they are. `copied`: whether others are copied first; if
/// not, the caller promises not to write them any more.
nb::tuple validate_rows(nb::object indptr, nb::object indices, nb::object weights, bool copied,
                        int threads) {
  nb::tuple found;
  bool known = false;
  for_each_type_and_width([&]<class V, class W>() {
    if (known || !has_type<V>(indices) || !has_type<W>(weights)) return;
    known = true;
    found = validate_rows_of<V, W>(indptr, indices, weights, copied, threads);
  });
  if (!known) throw nb::type_error("indices and weights must be arrays of a graph's types");
  return found;
}

/// Whether validate_rows made these arrays, and they are the rows of one graph.
bool rows_are_validated(nb::handle indptr, nb::handle indices, nb::handle weights) {
  const ValidatedArray* const offsets = ValidatedArray::of(indptr, Content::kOffsets);
  const ValidatedArray* const numbers = ValidatedArray::of(indices, Content::kIndices);
  if (offsets == nullptr || numbers == nullptr) return false;
  if (offsets->bound != static_cast<std::int64_t>(numbers->size()) ||
      numbers->bound > static_cast<std::int64_t>(offsets->size()) - 1)
    return false;
  if (weights.is_none()) return true;
  const ValidatedArray* const lengths = ValidatedArray::of(weights, Content::kWeights);
  return lengths != nullptr && lengths->size() == numbers->size();
}

}  // namespace

void register_rows(nb::module_& module) {
  Numpy::keep();
  if (_import_array() < 0) throw nb::python_error();
  const nb::class_<ValidatedArray> type(module, "ValidatedArray", nb::is_final());
  ValidatedArray::type_object() = type.ptr();
  module.def("validate_rows", &validate_rows, nb::arg("indptr"), nb::arg("indices"),
             nb::arg("weights"), nb::arg("copied"), nb::arg("threads") = 1);
  module.def("rows_are_validated", &rows_are_validated, nb::arg("indptr"), nb::arg("indices"),
             nb::arg("weights").none());
}

}  // namespace warpath::bindings
