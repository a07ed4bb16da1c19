// queues.hpp - maps the name of a priority queue to its type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "common.hpp"
#include "warpath/queues/binary_heap.hpp"
#include "warpath/queues/dial.hpp"
#include "warpath/queues/fibonacci_heap.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/queues/radix_heap.hpp"
#include "warpath/queues/relaxed_heap.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath::bindings {

/// Calls use(make), where make() returns an empty queue of the named kind. kBounded: the largest
/// weight bounds the edges as searched, which Dial's buckets require, as well as integer weights.
template <bool kBounded, Index V, Weight W, class Use>
auto with_queue(std::string_view name, const CsrView<V, W>& graph, Use&& use) {
  using D = DistanceOf<W>;
  if (name == "heap") return use([] { return QuaternaryHeap<D, V>(); });
  if (name == "radix") return use([] { return RadixHeap<D, V>(); });
  if constexpr (kBounded && std::is_integral_v<W> && sizeof(V) == 4) {
    if (name == "dial") {
      // Passing over so many empty buckets takes about 16 us per vertex: Ctrl-C is handled in time.
      constexpr std::int64_t kMaxBuckets = std::int64_t{1} << 22;
      const auto largest = std::max_element(graph.weights.begin(), graph.weights.end());
      const std::int64_t max_weight = largest == graph.weights.end() ? 0 : *largest;
      if (max_weight >= kMaxBuckets)
        throw std::invalid_argument(
            "queue=\"dial\" needs a bucket per distance up to the largest weight, " +
            std::to_string(max_weight) + ": use \"radix\"");
      return use([max_weight] { return DialBuckets<D, V>(max_weight); });
    }
  }
  throw std::invalid_argument(
      "queue=\"" + std::string(name) + "\": \"heap\", \"radix\", or, for integer weights as " +
      "they are, \"dial\"; for one source also \"binary\", " + "\"fibonacci\", \"relaxed\"");
}

/// The same for one source, with the heaps with decrease-key in addition: they have a node for each
/// vertex of the graph, which would be much memory per thread, or for 2^31 vertices.
template <Index V, Weight W, class Use>
auto with_any_queue(std::string_view name, const CsrView<V, W>& graph, Use&& use) {
  using D = DistanceOf<W>;
  if constexpr (sizeof(V) == 4) {
    const std::int64_t n = graph.n();
    if (name == "binary") return use([n] { return BinaryHeap<D, V>(n); });
    if (name == "fibonacci") return use([n] { return FibonacciHeap<D, V>(n); });
    if (name == "relaxed") return use([n] { return RelaxedHeap<D, V>(n); });
  }
  return with_queue<true>(name, graph, use);
}

inline nb::dict as_dict(const SearchCounters& counters) {
  nb::dict out;
  out["settled"] = counters.settled;
  out["relaxed"] = counters.relaxed;
  out["improved"] = counters.improved;
  return out;
}

}  // namespace warpath::bindings
