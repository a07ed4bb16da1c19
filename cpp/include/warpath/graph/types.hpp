// types.hpp - the types that all loops of the core share: weights, distances, graph views.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace warpath {

template <class T>
concept Index = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

template <class T>
concept Weight = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
                 std::same_as<T, float> || std::same_as<T, double>;

/// The distance type: 64-bit integers for integer weights, the weights' own type for floats.
template <Weight W>
using DistanceOf = std::conditional_t<std::is_integral_v<W>, std::int64_t, W>;

/// The label of an unreachable vertex: inf, or the largest integer.
template <class D>
constexpr D unreachable = std::numeric_limits<D>::has_infinity ? std::numeric_limits<D>::infinity()
                                                               : std::numeric_limits<D>::max();

/// The rows of a graph without weights: those of `CsrView`, or empty if they are not available.
template <Index V>
struct Adjacency {
  std::span<const std::int64_t> indptr;  // n + 1
  std::span<const V> indices;            // m

  std::int64_t n() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
  std::int64_t m() const { return static_cast<std::int64_t>(indices.size()); }
  std::int64_t degree(V u) const {
    const auto row = static_cast<std::size_t>(u);
    return indptr[row + 1] - indptr[row];
  }
};

/// A graph in CSR form: row u holds the edges indptr[u] .. indptr[u + 1]. The bindings have checked
/// it: indptr ascends from 0 to m, indices lie in [0, n), no weight is NaN or infinite.
template <Index V, Weight W>
struct CsrView {
  std::span<const std::int64_t> indptr;  // n + 1
  std::span<const V> indices;            // m
  std::span<const W> weights;            // m

  std::int64_t n() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
  std::int64_t m() const { return static_cast<std::int64_t>(indices.size()); }
  Adjacency<V> adjacency() const { return {indptr, indices}; }
};

/// Adds a weight to a label. Returns false if an integer sum overflows (`sum` is then unspecified).
/// With 32-bit weights and indices the length of a simple path always fits 64 bits, so nothing is
/// tested; labels that are not the result of a search may wrap.
template <class D, Weight W, Index V>
inline bool add_checked(D dist, W weight, D& sum) {
  if constexpr (std::is_floating_point_v<D> || sizeof(D) > 8) {
    sum = static_cast<D>(dist + static_cast<D>(weight));
    return true;
  } else if constexpr (sizeof(W) == 4 && sizeof(V) == 4 && sizeof(D) == 8) {
    sum = static_cast<D>(static_cast<std::uint64_t>(dist) + static_cast<std::uint64_t>(weight));
    return true;
  } else {
    return !__builtin_add_overflow(dist, static_cast<D>(weight), &sum) && sum != unreachable<D>;
  }
}

}  // namespace warpath
