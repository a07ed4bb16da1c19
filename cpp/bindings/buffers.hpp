// buffers.hpp - fast access to NumPy arrays by NumPy's C API, for calls of a microsecond or two.
//
// Making an array in Python and reading it by DLPack, as nanobind does, takes half a microsecond
// more, of the one or two that a solve of a tiny graph takes; the buffer protocol takes 0.1 more.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "common.hpp"

namespace warpath::bindings {

/// Whether an object is a NumPy array of numbers of type T.
template <class T>
bool has_type(nb::handle object) {
  return array_of_type(object, kTypeNumbers<T>) != nullptr;
}

/// A read-only view of an array, valid while the array lives. Raises TypeError unless the array is
/// one-dimensional, contiguous and of type T.
template <class T>
std::span<const T> values_of(nb::handle object) {
  PyArrayObject* const array = array_of_type(object, kTypeNumbers<T>);
  if (array == nullptr || PyArray_NDIM(array) != 1 || !PyArray_CHKFLAGS(array, NPY_ARRAY_CARRAY_RO))
    throw nb::type_error("an array of one dimension without gaps, of the graph's type, is needed");
  return {static_cast<const T*>(PyArray_DATA(array)),
          static_cast<std::size_t>(PyArray_DIM(array, 0))};
}

/// A new array for the core to fill. Requires the GIL on creation and return.
template <class T>
class NewArray {
 public:
  explicit NewArray(std::size_t n) : array_(Numpy::empty()(n, Numpy::dtype<T>())), n_(n) {}

  std::span<T> values() const { return {static_cast<T*>(PyArray_DATA(numpy())), n_}; }

  const nb::object& array() const { return array_; }

  /// The array, made read-only.
  const nb::object& frozen() const {
    PyArray_CLEARFLAGS(numpy(), NPY_ARRAY_WRITEABLE);
    return array_;
  }

 private:
  PyArrayObject* numpy() const { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }

  nb::object array_;
  std::size_t n_;
};

/// Releases the GIL, except for a graph that is solved in a few microseconds: releasing and
/// reacquiring it would take a tenth of them.
class GilReleaseIfLarge {
 public:
  GilReleaseIfLarge(std::size_t vertices, std::size_t edges) {
    if (vertices + edges > kTiny) free_.emplace();
  }

 private:
  static constexpr std::size_t kTiny = 1024;
  std::optional<nb::gil_scoped_release> free_;
};

}  // namespace warpath::bindings
