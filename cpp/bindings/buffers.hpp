// buffers.hpp - NumPy's arrays by NumPy's own header, for calls that take a microsecond or two.
//
// To make an array in Python and to look at it by DLPack, as nanobind does, takes half a
// microsecond more, of the one or two that a tiny graph takes; by the buffer protocol a tenth.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "common.hpp"

namespace warpath::bindings {

/// Whether an object is a NumPy array of numbers of type T.
template <class T>
bool has_type(nb::handle object) {
  PyArrayObject* const array = Numpy::array(object);
  if (array == nullptr) return false;
  // By its object almost always; int64 has two names, and each order of bytes types of its own.
  const nb::handle type = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
  return type.is(Numpy::dtype<T>()) || type.equal(Numpy::dtype<T>());
}

/// What an array holds that is only read, as long as the array lives. Raises TypeError unless it
/// has one dimension without gaps, of type T.
template <class T>
std::span<const T> values_of(nb::handle object) {
  PyArrayObject* const array = Numpy::array(object);
  if (!has_type<T>(object) || PyArray_NDIM(array) != 1 ||
      !PyArray_CHKFLAGS(array, NPY_ARRAY_CARRAY_RO))
    throw nb::type_error("an array of one dimension without gaps, of the graph's type, is needed");
  return {static_cast<const T*>(PyArray_DATA(array)),
          static_cast<std::size_t>(PyArray_DIM(array, 0))};
}

/// A new array to fill, handed on read-only. The GIL must be held where it is made and handed on.
template <class T>
class Fresh {
 public:
  explicit Fresh(std::size_t n) : array_(Numpy::empty()(n, Numpy::dtype<T>())), n_(n) {}

  std::span<T> values() const { return {static_cast<T*>(PyArray_DATA(array())), n_}; }

  nb::object frozen() const {
    PyArray_CLEARFLAGS(array(), NPY_ARRAY_WRITEABLE);
    return array_;
  }

 private:
  PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(array_.ptr()); }

  nb::object array_;
  std::size_t n_;
};

/// Lets other threads run Python meanwhile, but for a graph that is solved in a few microseconds:
/// to give the GIL back and to take it again would be a tenth of them.
class Unlocked {
 public:
  Unlocked(std::size_t vertices, std::size_t edges) {
    if (vertices + edges > kTiny) free_.emplace();
  }

 private:
  static constexpr std::size_t kTiny = 1024;
  std::optional<nb::gil_scoped_release> free_;
};

}  // namespace warpath::bindings
