// buffers.hpp - NumPy's arrays by the buffer protocol, for calls that take a microsecond or two.
//
// To make an array in Python and to look at it by DLPack, as nanobind does, takes three times as
// long: half a microsecond more, of the three or four that a tiny graph takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common.hpp"

namespace warpath::bindings {

/// The memory of an object, held until this is gone. The GIL must be held.
class Buffer {
 public:
  Buffer(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &told_, flags) != 0) throw nb::python_error();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&told_); }

  const Py_buffer& told() const { return told_; }

  template <class T>
  std::span<T> as() const {
    return {static_cast<T*>(told_.buf), static_cast<std::size_t>(told_.len) / sizeof(T)};
  }

 private:
  Py_buffer told_{};
};

/// What an array holds that is only read. Raises TypeError unless it has one dimension, of type T;
/// NumPy itself raises ValueError for gaps.
template <class T>
class Values {
 public:
  explicit Values(nb::handle array) : buffer_(array, PyBUF_ND | PyBUF_FORMAT) {
    const std::string_view fits = std::is_floating_point_v<T> ? "fd" : "ilq";
    const std::string_view format = buffer_.told().format;
    if (buffer_.told().ndim != 1 || buffer_.told().itemsize != sizeof(T) || format.size() != 1 ||
        fits.find(format[0]) == fits.npos)
      throw nb::type_error("an array of one dimension, of the graph's type, is needed");
  }

  std::span<const T> span() const { return buffer_.as<const T>(); }

 private:
  Buffer buffer_;
};

/// A new array to fill, handed on read-only. The GIL must be held where it is made and handed on.
template <class T>
class Fresh {
 public:
  explicit Fresh(std::size_t n) : array_(empty()(n, dtype())), buffer_(array_, PyBUF_WRITABLE) {}

  std::span<T> values() const { return buffer_.as<T>(); }

  nb::object frozen() const {
    array_.attr(setflags())(false);
    return array_;
  }

  /// Makes what is kept of Python's objects: when a search is bound, for in one under way another
  /// thread might wait for it with the GIL.
  static void keep() { empty(), dtype(), setflags(); }

 private:
  static nb::object numpy(const char* name) { return nb::module_::import_("numpy").attr(name); }

  static nb::handle setflags() {
    static const nb::handle made = nb::str("setflags").release();
    return made;
  }

  static nb::handle empty() {
    static const nb::handle made = numpy("empty").release();
    return made;
  }

  static nb::handle dtype() {
    static const nb::handle made = [] {
      const std::string kind = std::is_floating_point_v<T> ? "float" : "int";
      return numpy("dtype")(nb::str((kind + std::to_string(8 * sizeof(T))).c_str())).release();
    }();
    return made;
  }

  nb::object array_;
  Buffer buffer_;
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
