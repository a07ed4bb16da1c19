// numpy.hpp - access to NumPy by its C API, and cached objects of its module.
#pragma once

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <nanobind/nanobind.h>
#include <numpy/ndarraytypes.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace warpath::bindings {

namespace nb = nanobind;

/// NumPy's numbers of a type: "int64" has two.
template <class T>
inline constexpr int kTypeNumbers = 0;
template <>
inline constexpr std::array kTypeNumbers<bool>{int{NPY_BOOL}};
template <>
inline constexpr std::array kTypeNumbers<std::int8_t>{int{NPY_BYTE}};
template <>
inline constexpr std::array kTypeNumbers<std::uint8_t>{int{NPY_UBYTE}};
#if NPY_SIZEOF_LONG == 8
template <>
inline constexpr std::array kTypeNumbers<std::int32_t>{int{NPY_INT}};
template <>
inline constexpr std::array kTypeNumbers<std::int64_t>{int{NPY_LONG}, int{NPY_LONGLONG}};
#else  // Windows
template <>
inline constexpr std::array kTypeNumbers<std::int32_t>{int{NPY_LONG}, int{NPY_INT}};
template <>
inline constexpr std::array kTypeNumbers<std::int64_t>{int{NPY_LONGLONG}};
#endif
template <>
inline constexpr std::array kTypeNumbers<float>{int{NPY_FLOAT}};
template <>
inline constexpr std::array kTypeNumbers<double>{int{NPY_DOUBLE}};

/// Objects of NumPy's module. They are looked up when the core is imported or a search is bound: a
/// running search must not wait for another thread that looks them up and waits for the GIL.
class Numpy {
 public:
  /// The NumPy array behind an object, or null for other objects.
  static PyArrayObject* array(nb::handle object) {
    if (!PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(ndarray().ptr())))
      return nullptr;
    return reinterpret_cast<PyArrayObject*>(object.ptr());
  }

  static nb::handle empty() {
    static const nb::handle made = of("empty").release();
    return made;
  }

  template <class T>
  static nb::handle dtype() {
    static const nb::handle made = [] {
      const std::string kind = std::is_floating_point_v<T> ? "float" : "int";
      return of("dtype")(nb::str((kind + std::to_string(8 * sizeof(T))).c_str())).release();
    }();
    return made;
  }

  static void keep() { ndarray(), empty(); }

  template <class T>
  static void keep() {
    keep(), dtype<T>();
  }

 private:
  static nb::object of(const char* name) { return nb::module_::import_("numpy").attr(name); }

  static nb::handle ndarray() {
    static const nb::handle made = of("ndarray").release();
    return made;
  }
};

/// The NumPy array behind an object if its type has one of these numbers and the machine's order of
/// bytes, else null.
PyArrayObject* array_of_type(nb::handle object, std::span<const int> types);

}  // namespace warpath::bindings
