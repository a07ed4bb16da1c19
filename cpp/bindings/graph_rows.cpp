#include "graph_rows.hpp"

#include <algorithm>
#include <string>

#include "warpath/graph/inspect.hpp"

namespace warpath::bindings {

bool ArrayArgument::read(nb::handle object, std::span<const int> types, int dimensions,
                         bool written) noexcept {
  PyArrayObject* const array = Numpy::array(object);
  if (array == nullptr || PyArray_NDIM(array) != dimensions ||
      std::find(types.begin(), types.end(), PyArray_TYPE(array)) == types.end() ||
      PyArray_ISBYTESWAPPED(array) ||
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

}  // namespace warpath::bindings
