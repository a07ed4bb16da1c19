// target_distances.hpp - distances to a target near the shortest path from a source, and bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/queues/lazy_heap.hpp"
#include "warpath/sssp/dijkstra.hpp"

namespace warpath {

/// Distances to a target as far as they are needed, and lower bounds of the others.
///
/// A bidirectional search stops when it knows the shortest path. From then on the search from the
/// target is an A* search: its potential `from` is the distance from the source, or the radius of
/// the source's search where that is smaller. `extend(length)` settles all vertices on walks from
/// the source to the target of at most this length.
template <Index V, Weight W>
class TargetDistances {
 public:
  using D = DistanceOf<W>;

  TargetDistances(const CsrView<V, W>& graph, const CsrView<V, W>& into, V source, V target,
                  Poller& poller)
      : into_(into),
        from_(static_cast<std::size_t>(graph.n()), unreachable<D>),
        to_(static_cast<std::size_t>(graph.n()), unreachable<D>) {
    using Queue = QuaternaryHeap<D, V>;
    Queue forward_queue, backward_queue;
    DijkstraSearch<V, W, Queue> forward(graph, from_, forward_queue, unreachable<D>);
    DijkstraSearch<V, W, Queue> backward(into, to_, backward_queue, unreachable<D>);
    forward.start(source);
    backward.start(target);
    if (source == target) shortest_ = 0;
    const auto meet = [&](V v, D) {
      const D here = from_[at(v)], there = to_[at(v)];
      if (here != unreachable<D> && there != unreachable<D>)
        shortest_ = std::min(shortest_, static_cast<D>(here + there));
    };
    while (!forward_queue.empty() && !backward_queue.empty() &&
           forward_queue.top().key + backward_queue.top().key < shortest_) {
      QueueEntry<D, V> top;
      if (forward_queue.size() <= backward_queue.size()) {
        if (forward.next(top, poller)) forward.relax(top, poller, meet);
      } else {
        if (backward.next(top, poller)) backward.relax(top, poller, meet);
      }
    }
    radius_ = forward_queue.empty() ? unreachable<D> : forward_queue.top().key;
    backward_queue.drain([&](const QueueEntry<D, V>& entry) {
      if (entry.key == to_[at(entry.vertex)]) push(entry.vertex);
    });
    raise_bound();
  }

  /// The length of the shortest path, up to rounding; `unreachable` if there is none.
  D shortest() const { return shortest_; }

  /// Every walk to the target through a vertex that is not settled is at least so long.
  /// `unreachable` if all vertices on walks from the source to the target are settled.
  D bound() const { return bound_; }

  /// The distance to the target if v is settled, else a lower bound. It is a consistent potential.
  D operator()(V v) const {
    if (bound_ == unreachable<D>) return to_[at(v)];
    return std::min(to_[at(v)], std::max(D{0}, static_cast<D>(bound_ - from(v))));
  }

  /// Settles vertices until `bound()` exceeds a length.
  void extend(D length, Poller& poller) {
    while (!open_.empty() && open_.top().key <= length) {
      QueueEntry<D, V> top;
      open_.pop(top, [](const auto&) { return true; });
      const D rest = to_[at(top.vertex)];
      if (top.key != static_cast<D>(rest + from(top.vertex))) continue;
      const std::int64_t end = into_.indptr[at(top.vertex) + 1];
      std::int64_t e = into_.indptr[at(top.vertex)];
      poller.step(end - e + 1);
      for (; e < end; ++e) {
        const V u = into_.indices[at(e)];
        const D sum = static_cast<D>(rest + static_cast<D>(into_.weights[at(e)]));
        if (sum >= to_[at(u)]) continue;
        to_[at(u)] = sum;
        push(u);
      }
    }
    raise_bound();
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  D from(V v) const { return std::min(from_[at(v)], radius_); }

  void push(V v) {
    if (from(v) != unreachable<D>) open_.push(static_cast<D>(to_[at(v)] + from(v)), v);
  }

  void raise_bound() { bound_ = open_.empty() ? unreachable<D> : open_.top().key; }

  const CsrView<V, W>& into_;
  std::vector<D> from_;  // distances from the source, where they are below radius_
  std::vector<D> to_;    // labels of the search from the target
  QuaternaryHeap<D, V> open_;
  D radius_ = unreachable<D>;
  D shortest_ = unreachable<D>;
  D bound_ = unreachable<D>;
};

}  // namespace warpath
