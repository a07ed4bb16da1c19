// graph_rows.hpp - validation of the arrays that are passed to the bindings.
//
// Sizes are compared at every call. The content of a graph's rows is checked once, when
// `validate_rows` makes its arrays. Other arrays are copied and checked by each call, so that no
// other thread changes them after the check.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "common.hpp"

namespace warpath::bindings {

[[noreturn]] void refuse(const char* message);

/// Raises ValueError with the message unless the condition holds.
inline void require(bool holds, const char* message) {
  if (!holds) [[unlikely]]
    refuse(message);
}

void require_size(std::size_t size, std::size_t expected, const char* name);

void require_vertex(std::int64_t v, std::int64_t n);

/// Copies vertices and checks that they lie in [0, n); later writes to the array have no effect.
std::vector<std::int64_t> vertices_of(const In<std::int64_t>& array, std::int64_t n);

/// Copies positions and checks that each is that of one vertex.
std::vector<std::int32_t> permutation_of(const In<std::int32_t>& array);

/// The cutoff, or `unreachable` if there is none.
template <class D>
D cutoff_of(std::optional<D> cutoff) {
  require(!cutoff || *cutoff >= 0, "cutoff must be >= 0");
  return cutoff.value_or(unreachable<D>);
}

/// Immutable numbers, and the owner that keeps them alive.
template <class T>
struct SharedSpan {
  std::span<const T> values;
  std::shared_ptr<const void> memory;
};

/// A view of the array itself. The last SharedSpan of an array must be destroyed with the GIL held.
template <class T>
SharedSpan<T> share(const In<T>& array) {
  return {view(array), std::make_shared<nb::object>(nb::borrow(array.object()))};
}

/// Raises ValueError if indptr is empty or the number of vertices exceeds the index type.
template <Index V>
void require_rows(std::size_t offsets) {
  require(offsets > 0, "indptr is empty: it has n + 1 entries");
  require(offsets - 1 <= static_cast<std::size_t>(std::numeric_limits<V>::max()),
          "there are more vertices than the indices' type can number");
}

/// The weights that a function accepts.
enum class Weights {
  kOptional,     // any numbers, or none
  kAny,          // any numbers, one per edge
  kFinite,       // finite, one per edge
  kNotNegative,  // finite and >= 0
};

/// The checked rows of a graph, as passed to a function.
template <Index V, Weight W>
class GraphRows {
 public:
  GraphRows(const In<std::int64_t>& indptr, const In<V>& indices, const In<W>& weights,
            Weights needed);
  // Defined once, like the constructor: hundreds of bindings would each contain them.
  GraphRows(GraphRows&& other) noexcept;
  ~GraphRows();

  const CsrView<V, W>& view() const { return view_; }
  std::int64_t n() const { return view_.n(); }
  std::size_t vertices() const { return indptr_.values.size() - 1; }
  std::size_t edges() const { return indices_.values.size(); }
  /// An upper bound on the weights, if they are finite.
  W max_weight() const { return max_weight_; }

 private:
  /// Copies and checks rows and weights that are not checked yet.
  void check(bool rows, bool weights);

  SharedSpan<std::int64_t> indptr_;
  SharedSpan<V> indices_;
  SharedSpan<W> weights_;
  CsrView<V, W> view_;
  W max_weight_{};
  bool negative_ = false;
};

/// Rows without weights.
template <Index V>
GraphRows<V, std::int32_t> unweighted(const In<std::int64_t>& indptr, const In<V>& indices) {
  return {indptr, indices, In<std::int32_t>(), Weights::kOptional};
}

/// Numbers in [0, bound): immutable already, or copied and checked.
template <class T>
SharedSpan<T> numbers_below(const In<T>& array, std::int64_t bound, const char* name) {
  const ValidatedArray* const validated = array.validated(Content::kIndices);
  if (validated != nullptr && validated->bound <= bound) return share(array);
  const auto made = std::make_shared<std::vector<T>>(array.data(), array.data() + array.size());
  for (const T number : *made)
    if (number < 0 || number >= bound)
      throw std::invalid_argument(std::string(name) + " must lie in 0 .. " + std::to_string(bound) +
                                  " - 1");
  return {*made, made};
}

/// Converts numbers in [0, bound) to an immutable NumPy array without a copy. Requires the GIL.
template <class T>
nb::object validated_numbers(std::vector<T>&& numbers, std::int64_t bound) {
  const auto made = std::make_shared<const std::vector<T>>(std::move(numbers));
  auto validated =
      std::make_unique<ValidatedArray>(Content::kIndices, std::span<const T>(*made), made);
  validated->bound = bound;
  return ValidatedArray::array(std::move(validated));
}

}  // namespace warpath::bindings
