// Dijkstra's search with each of its queues.
#include "warpath/sssp/dijkstra.hpp"

#include "counts.hpp"
#include "warpath/queues/binary_heap.hpp"
#include "warpath/queues/dial.hpp"
#include "warpath/queues/fibonacci_heap.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/queues/radix_heap.hpp"
#include "warpath/queues/relaxed_heap.hpp"

using namespace counts;

template <class W, class Queue>
void search(const Graph<W>& graph, Queue queue) {
  Control control;
  auto dist = graph.labels();
  count([&] {
    warpath::dijkstra<V, W>(graph.view(), 0, dist, queue, {}, unreachable<DistanceOf<W>>,
                            Poller(control, true));
  });
}

using Int = std::int32_t;
using Label = std::int64_t;

int main(int argc, char** argv) {
  return counts::main(
      argc, argv,
      {{"heap.road.int32", [] { search(road<Int>(), warpath::QuaternaryHeap<Label, V>()); }},
       {"heap.rmat.float64",
        [] { search(rmat<double>(255, 0.1), warpath::QuaternaryHeap<double, V>()); }},
       {"radix.road.int32", [] { search(road<Int>(), warpath::RadixHeap<Label, V>()); }},
       {"radix.rmat.int32", [] { search(rmat<Int>(), warpath::RadixHeap<Label, V>()); }},
       {"radix.rmat.float32",
        [] { search(rmat<float>(255, 0.1f), warpath::RadixHeap<float, V>()); }},
       {"dial.road.int32", [] { search(road<Int>(255), warpath::DialBuckets<Label, V>(255)); }},
       {"binary.road.int32",
        [] {
          const auto graph = road<Int>();
          search(graph, warpath::BinaryHeap<Label, V>(graph.n()));
        }},
       {"fibonacci.road.int32",
        [] {
          const auto graph = road<Int>();
          search(graph, warpath::FibonacciHeap<Label, V>(graph.n()));
        }},
       {"relaxed.road.int32", [] {
          const auto graph = road<Int>();
          search(graph, warpath::RelaxedHeap<Label, V>(graph.n()));
        }}});
}
