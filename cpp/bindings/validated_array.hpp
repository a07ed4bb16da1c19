// validated_array.hpp - immutable arrays whose content was checked once.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "numpy.hpp"

namespace warpath::bindings {

/// The meaning of an array's numbers, which determines the check.
enum class Content { kOffsets, kIndices, kWeights };

/// Its address identifies the type.
template <class T>
inline constexpr char kTypeTag = 0;

/// Read-only memory whose content was checked: the base object of NumPy arrays on it.
///
/// A Graph stores its rows in such arrays. Functions recognise the base object and skip the check
/// of the content, at the cost of a few comparisons. The object has no buffer interface, so NumPy
/// refuses to make an array on it writable.
class ValidatedArray {
 public:
  /// `memory` keeps `values` alive.
  template <class T>
  ValidatedArray(Content content, std::span<const T> values, std::shared_ptr<const void> memory)
      : content_(content),
        type_(&kTypeTag<T>),
        dtype_(Numpy::dtype<T>()),
        data_(values.data()),
        size_(values.size()),
        memory_(std::move(memory)) {}

  /// Offsets ascend from 0 to `bound`; indices lie in [0, bound).
  std::int64_t bound = 0;

  /// Weights are finite and not above max_weight().
  template <class W>
  void set_range(W lowest, W highest) {
    negative = lowest < 0;
    if constexpr (std::is_integral_v<W>)
      max_integer_ = highest;
    else
      max_real_ = highest;
  }
  template <class W>
  W max_weight() const {
    if constexpr (std::is_integral_v<W>)
      return static_cast<W>(max_integer_);
    else
      return static_cast<W>(max_real_);
  }
  bool negative = false;

  /// Whether these are all the numbers of an array of type T.
  template <class T>
  bool is(Content content, const T* data, std::size_t size) const {
    return content == content_ && type_ == &kTypeTag<T> && size == size_ &&
           (size == 0 || data == data_);
  }

  /// Whether a NumPy array consists of exactly these numbers.
  bool is(Content content, PyArrayObject* array) const {
    const nb::handle dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
    return content == content_ && PyArray_NDIM(array) == 1 &&
           static_cast<std::size_t>(PyArray_DIM(array, 0)) == size_ &&
           PyArray_CHKFLAGS(array, NPY_ARRAY_CARRAY_RO) &&
           (size_ == 0 || PyArray_DATA(array) == data_) &&
           (dtype.is(dtype_) || dtype.equal(dtype_));
  }

  std::size_t size() const { return size_; }

  /// The owner of an array's memory if it is a ValidatedArray, else null.
  static const ValidatedArray* owner_of(nb::handle object) {
    PyArrayObject* array = Numpy::array(object);
    while (array != nullptr) {
      const nb::handle base = PyArray_BASE(array);
      if (!base.is_valid()) return nullptr;
      if (base.type().ptr() == type_object()) return nb::inst_ptr<ValidatedArray>(base);
      array = Numpy::array(base);
    }
    return nullptr;
  }

  /// Makes the NumPy array on a new ValidatedArray. Requires the GIL.
  static nb::object array(std::unique_ptr<ValidatedArray> validated);

  static PyObject*& type_object() {
    static PyObject* type = nullptr;  // set when the module is initialised
    return type;
  }

 private:
  Content content_;
  const void* type_;
  nb::handle dtype_;
  const void* data_;
  std::size_t size_;
  std::shared_ptr<const void> memory_;
  std::int64_t max_integer_ = 0;
  double max_real_ = 0;
};

/// Requires an array whose address is a multiple of the element size, as vectorised loops expect.
template <class Array>
class Aligned : public Array {
 public:
  using Unchecked = Array;
  using Scalar = typename Array::Scalar;

  Aligned() = default;
  explicit Aligned(Array&& array) : Array(std::move(array)) {}

  static bool is_aligned(const Array& array) {
    return reinterpret_cast<std::uintptr_t>(array.data()) % alignof(Scalar) == 0;
  }
};

/// A 1-d contiguous CPU array that the core only reads, and its ValidatedArray if it has one.
template <class T>
class In : public Aligned<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>> {
 public:
  using Base = Aligned<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

  In() = default;
  In(typename Base::Unchecked&& array, nb::handle object) : Base(std::move(array)) {
    if (const ValidatedArray* validated = ValidatedArray::owner_of(object)) {
      validated_ = validated;
      object_ = nb::borrow(object);
    }
  }

  /// The owner, if the array is all of its numbers and they have this content; else null.
  const ValidatedArray* validated(Content content) const {
    return validated_ != nullptr && validated_->is(content, this->data(), this->size()) ? validated_
                                                                                        : nullptr;
  }
  /// The array itself, if it has such an owner.
  const nb::object& object() const { return object_; }

 private:
  const ValidatedArray* validated_ = nullptr;
  nb::object object_;
};

}  // namespace warpath::bindings

namespace nanobind::detail {

template <class Array>
struct type_caster<warpath::bindings::Aligned<Array>> {
  using Aligned = warpath::bindings::Aligned<Array>;
  NB_TYPE_CASTER(Aligned, make_caster<Array>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Array> array;
    if (!array.from_python(source, flags, cleanup) || !Aligned::is_aligned(array.value))
      return false;
    value = Aligned(std::move(array.value));
    return true;
  }
};

template <class T>
struct type_caster<warpath::bindings::In<T>> {
  using In = warpath::bindings::In<T>;
  using Array = typename In::Unchecked;
  NB_TYPE_CASTER(In, make_caster<Array>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Array> array;
    if (!array.from_python(source, flags, cleanup) || !In::is_aligned(array.value)) return false;
    value = In(std::move(array.value), source);
    return true;
  }
};

}  // namespace nanobind::detail
