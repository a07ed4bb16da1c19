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

  std::size_t size() const { return size_; }

  /// The owner of an array's memory, if it is a ValidatedArray of this content and the array
  /// consists of all its numbers; else null.
  static const ValidatedArray* of(nb::handle object, Content content);

  /// Makes the NumPy array on a new ValidatedArray. Requires the GIL.
  static nb::object array(std::unique_ptr<ValidatedArray> validated);

  static PyObject*& type_object() {
    static PyObject* type = nullptr;  // set when the module is initialised
    return type;
  }

 private:
  /// Whether a NumPy array consists of exactly these numbers.
  bool is(Content content, PyArrayObject* array) const {
    const nb::handle dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
    return content == content_ && PyArray_NDIM(array) == 1 &&
           static_cast<std::size_t>(PyArray_DIM(array, 0)) == size_ &&
           PyArray_CHKFLAGS(array, NPY_ARRAY_CARRAY_RO) &&
           (size_ == 0 || PyArray_DATA(array) == data_) &&
           (dtype.is(dtype_) || dtype.equal(dtype_));
  }

  Content content_;
  nb::handle dtype_;
  const void* data_;
  std::size_t size_;
  std::shared_ptr<const void> memory_;
  std::int64_t max_integer_ = 0;
  double max_real_ = 0;
};

/// A NumPy array that a caller passed, without a reference of its own: valid during the call.
class ArrayArgument {
 public:
  std::size_t size() const { return shape_[0] * shape_[1]; }
  std::size_t shape(std::size_t axis) const { return shape_[axis]; }

  nb::handle object() const { return object_; }

  /// Its owner, if the array is all of its numbers and they have this content; else null.
  const ValidatedArray* validated(Content content) const {
    return object_.is_valid() ? ValidatedArray::of(object_, content) : nullptr;
  }

 protected:
  /// Returns false unless the object is an aligned array in C order, of these dimensions and one of
  /// these type numbers, and writable if it is `written`.
  bool read(nb::handle object, std::span<const int> types, int dimensions, bool written) noexcept;

  nb::handle object_;
  void* data_ = nullptr;
  std::size_t shape_[2] = {0, 1};
};

template <class T, int kDimensions, bool kWritten>
class ArrayOf : public ArrayArgument {
 public:
  using Scalar = std::conditional_t<kWritten, T, const T>;

  Scalar* data() const { return static_cast<Scalar*>(data_); }
  Scalar& operator()(std::size_t at) const { return data()[at]; }

  bool read(nb::handle object) noexcept {
    return ArrayArgument::read(object, kTypeNumbers<T>, kDimensions, kWritten);
  }
};

/// An array that the core only reads, and one allocated by Python for the core to fill.
template <class T>
using In = ArrayOf<T, 1, false>;
template <class T>
using Out = ArrayOf<T, 1, true>;
/// Row-major matrices.
template <class T>
using InMatrix = ArrayOf<T, 2, false>;
template <class T>
using OutMatrix = ArrayOf<T, 2, true>;

}  // namespace warpath::bindings

namespace nanobind::detail {

template <class T, int kDimensions, bool kWritten>
struct type_caster<warpath::bindings::ArrayOf<T, kDimensions, kWritten>> {
  using Argument = warpath::bindings::ArrayOf<T, kDimensions, kWritten>;
  using Array = ndarray<typename Argument::Scalar, ndim<kDimensions>, c_contig, device::cpu>;
  NB_TYPE_CASTER(Argument, make_caster<Array>::Name)

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    return value.read(source);
  }
};

}  // namespace nanobind::detail
