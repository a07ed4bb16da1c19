// common.hpp - shared parts of the bindings: array types, owned results, signals and progress.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "validated_array.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath::bindings {

namespace nb = nanobind;

/// An array made by the core and owned by NumPy.
template <class T>
using OwnedArray = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A row-major table. Raises ValueError unless it has a row per source and a column per target, or
/// per vertex if there are no targets.
template <class Label, Index V, Weight W>
std::span<Label> table_of(const OutMatrix<Label>& out, const CsrView<V, W>& graph,
                          std::span<const std::int64_t> sources,
                          std::span<const std::int64_t> targets) {
  const auto n = static_cast<std::size_t>(graph.n());
  if (out.shape(0) != sources.size() || out.shape(1) != (targets.empty() ? n : targets.size()))
    throw std::invalid_argument("out must have a row for each source and a column for each target");
  return {out.data(), out.size()};
}

template <class T>
std::span<const T> view(const In<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
std::span<T> view(const Out<T>& array) {
  return {array.data(), array.size()};
}

/// Converts a vector or a PageArray to a NumPy array without a copy. Requires the GIL.
template <class Numbers>
auto to_numpy(Numbers&& numbers) {
  static_assert(std::is_rvalue_reference_v<Numbers&&>);
  auto owned = std::make_unique<Numbers>(std::move(numbers));
  auto* const data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<Numbers*>(p); });
  return OwnedArray<std::remove_pointer_t<decltype(data)>>(data, {size}, owner);
}

/// A Control whose tick takes the GIL, handles Ctrl-C and calls progress(done, total) unless it is
/// None. Create it with the GIL, poll it without.
Control::Tick python_tick(nb::object progress);

/// The rows of a graph, unchecked; `GraphRows` checks them.
template <Index V, Weight W>
CsrView<V, W> csr(const In<std::int64_t>& indptr, const In<V>& indices, const In<W>& weights) {
  return {view(indptr), view(indices), view(weights)};
}

/// Converts a closure to a Python function. Calling an object with `__call__` instead takes 60 ns
/// more, as its arguments are packed into a tuple.
template <class F, class... Extra>
nb::callable function_of(F&& f, const Extra&... extra) {
  return nb::borrow<nb::callable>(nb::cpp_function(std::forward<F>(f), extra...));
}

inline int at_least_one(int threads) {
  if (threads < 1) throw std::invalid_argument("threads must be >= 1");
  return threads;
}

/// Calls f.operator()<V, W>() for each weight type of a Graph.
template <Index V, class F>
void for_each_weight(F&& f) {
  f.template operator()<V, std::int32_t>();
  f.template operator()<V, std::int64_t>();
  f.template operator()<V, float>();
  f.template operator()<V, double>();
}

/// Calls f.operator()<V, W>() for each type of a graph of fewer than 2^31 vertices.
template <class F>
void for_each_type(F&& f) {
  for_each_weight<std::int32_t>(f);
}

/// Whether a file is compiled for size; CMakeLists.txt has the files that are compiled twice.
#ifdef WARPATH_FOR_SIZE
constexpr bool kCompiledForSize = true;
#else
constexpr bool kCompiledForSize = false;
#endif

/// The indices' type that a file is compiled for. Graphs of 2^31 vertices or more have 64-bit
/// indices. Only what every graph needs has this second copy: construction, checks, Dijkstra's
/// algorithm, Bellman-Ford and breadth-first search.
using CompiledWidth = std::conditional_t<kCompiledForSize, std::int64_t, std::int32_t>;

/// Calls it for both types of indices.
template <class F>
void for_each_type_and_width(F&& f) {
  for_each_weight<std::int32_t>(f);
  for_each_weight<std::int64_t>(f);
}

}  // namespace warpath::bindings
