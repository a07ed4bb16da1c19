// patches.hpp - a graph cut into patches of neighbouring vertices, laid out for a GPU.
//
// Recursive bisection: the vertices of a part are put in breadth-first order from the one that the
// part's parent reached last, and the order is cut in two. A level costs O(n + m), most of them
// inside a cache; there are log2(n / capacity).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "warpath/control.hpp"
#include "warpath/team.hpp"
#include "warpath/types.hpp"

namespace warpath {

/// A graph in patches. A place is the new number of a vertex; those of a patch are consecutive, and
/// the first of them hear from other patches: each of these has a slot, where they leave labels.
template <Weight W>
struct Patches {
  static constexpr std::size_t kRow = 8;
  std::vector<std::uint32_t> places;   // n: of each vertex
  std::vector<std::uint32_t> table;    // kRow a patch, below
  std::vector<std::uint32_t> begin;    // n + 1: where the edges of a place begin that stay
  std::vector<std::uint16_t> targets;  // of edges that stay: numbers within the patch
  std::vector<W> weights;              // of edges that stay
  std::vector<std::uint32_t> exits;    // n + 1: where those begin that leave the patch
  std::vector<std::uint32_t> slots;    // of edges that leave: where they lead
  std::vector<W> tolls;                // weights of edges that leave
  std::vector<std::uint32_t> owners;   // of each slot: its patch
  std::uint32_t most_edges = 0;        // of a patch, that stay
  std::uint32_t most_exits = 0;        // of a patch, that leave
};

/// Bisects until no part has more than `capacity` vertices.
template <Index V, Weight W>
class Bisection {
 public:
  using Vertex = std::uint32_t;

  Bisection(const CsrView<V, W>& graph, std::size_t capacity)
      : graph_(graph),
        capacity_(capacity),
        list_(static_cast<std::size_t>(graph.n())),
        part_(static_cast<std::size_t>(graph.n()), 0) {
    std::iota(list_.begin(), list_.end(), Vertex{0});
  }

  /// Returns the vertices, those of each part together; all parts are full but the last.
  std::vector<Vertex> run(int threads, Control& control) {
    if (list_.empty()) return {};
    control.expect(graph_.n());
    {
      Pulse pulse(control, true);
      std::vector<Vertex> queue;
      order({0, list_.size(), 0}, queue, pulse);  // so that it ends far out
    }
    waiting_.push_back({0, list_.size(), last_part_});
    open_ = 1;
    run_team(threads, control, [&](int rank) { work(rank, control); });
    return std::move(list_);
  }

 private:
  struct Part {
    std::size_t first, last;
    std::uint32_t name;  // what part_ says of its vertices, and of no others
  };

  void work(int rank, Control& control) {
    Pulse pulse(control, rank == 0);
    std::vector<Vertex> queue;
    for (;;) {
      Part part{};
      {
        const std::scoped_lock lock(guard_);
        if (open_ == 0) return;
        if (!waiting_.empty()) {
          part = waiting_.back();
          waiting_.pop_back();
        }
      }
      if (part.last == 0) {
        pulse.check();
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        continue;
      }
      descend(part, queue, pulse, control);
    }
  }

  /// Goes down one side and leaves the other to whoever is free.
  void descend(Part part, std::vector<Vertex>& queue, Pulse& pulse, Control& control) {
    while (part.last - part.first > capacity_) {
      const std::uint32_t name = order(part, queue, pulse);
      const std::size_t patches = (part.last - part.first + capacity_ - 1) / capacity_;
      const std::size_t middle = part.first + patches / 2 * capacity_;
      const std::uint32_t other = last_part_.fetch_add(1) + 1;
      for (std::size_t i = middle; i < part.last; ++i) mark(list_[i], other);
      {
        const std::scoped_lock lock(guard_);
        waiting_.push_back({middle, part.last, other});
        ++open_;
      }
      part = {part.first, middle, name};
    }
    control.advance(static_cast<std::int64_t>(part.last - part.first));
    const std::scoped_lock lock(guard_);
    --open_;
  }

  /// Puts a part in breadth-first order from its last vertex; returns its new name.
  std::uint32_t order(const Part& part, std::vector<Vertex>& queue, Pulse& pulse) {
    const std::uint32_t name = last_part_.fetch_add(1) + 1;
    queue.clear();
    queue.reserve(part.last - part.first);
    const auto take = [&](Vertex v) {
      mark(v, name);
      queue.push_back(v);
    };
    take(list_[part.last - 1]);
    std::size_t root = part.first;
    for (std::size_t i = 0; i < part.last - part.first; ++i) {
      if (i == queue.size()) {
        while (mark_of(list_[root]) != part.name) ++root;
        take(list_[root]);
      }
      const auto u = static_cast<std::size_t>(queue[i]);
      pulse.beat(graph_.indptr[u + 1] - graph_.indptr[u] + 1);
      for (std::int64_t e = graph_.indptr[u]; e < graph_.indptr[u + 1]; ++e) {
        const auto v = static_cast<Vertex>(graph_.indices[static_cast<std::size_t>(e)]);
        if (mark_of(v) == part.name) take(v);
      }
    }
    std::copy(queue.begin(), queue.end(), list_.begin() + static_cast<std::ptrdiff_t>(part.first));
    return name;
  }

  // Others mark the vertices of their parts meanwhile, with names that are not this part's.
  std::uint32_t mark_of(Vertex v) {
    return std::atomic_ref(part_[v]).load(std::memory_order_relaxed);
  }
  void mark(Vertex v, std::uint32_t name) {
    std::atomic_ref(part_[v]).store(name, std::memory_order_relaxed);
  }

  const CsrView<V, W>& graph_;
  const std::size_t capacity_;
  std::vector<Vertex> list_;
  std::vector<std::uint32_t> part_;
  std::atomic<std::uint32_t> last_part_{0};
  std::mutex guard_;
  std::vector<Part> waiting_;
  std::int64_t open_ = 0;  // parts that wait or are being cut
};

/// How far apart patches that follow each other are numbered: about the golden ratio of their
/// number, without a common divisor, so that neighbours fall to different blocks of threads.
inline std::size_t patch_stride(std::size_t patches) {
  auto stride = static_cast<std::size_t>(0.6180339887 * static_cast<double>(patches));
  stride = std::max<std::size_t>(stride, 1);
  while (std::gcd(stride, patches) != 1) ++stride;
  return stride;
}

/// Cuts a graph into patches of up to `capacity` vertices. O((n + m) log(n / capacity)), and 12 B a
/// vertex beside the result. The result does not depend on the number of threads.
template <Index V, Weight W>
Patches<W> cut_into_patches(const CsrView<V, W>& graph, std::size_t capacity, int threads,
                            Control& control) {
  using Vertex = std::uint32_t;
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (graph.n() >= kMost || graph.m() >= 2 * kMost)
    throw std::length_error("patches number vertices in 31 bits and edges in 32");
  const auto n = static_cast<std::size_t>(graph.n());
  const auto m = static_cast<std::size_t>(graph.m());
  const std::vector<Vertex> list = Bisection<V, W>(graph, capacity).run(threads, control);
  const std::size_t patches = (n + capacity - 1) / capacity;
  Pulse pulse(control, true);

  // 1. Patches by their new numbers, and whose each vertex is.
  constexpr std::size_t kRow = Patches<W>::kRow;
  Patches<W> made;
  made.table.resize(kRow * patches);
  std::vector<Vertex> patch_of(n);
  const std::size_t stride = patches == 0 ? 1 : patch_stride(patches);
  std::vector<std::size_t> begins(patches);
  for (std::size_t i = 0; i < patches; ++i) {
    const std::size_t number = i * stride % patches;
    const std::size_t first = i * capacity, last = std::min(n, first + capacity);
    begins[number] = first;
    made.table[kRow * number + 1] = static_cast<Vertex>(last - first);
    for (std::size_t k = first; k < last; ++k) patch_of[list[k]] = static_cast<Vertex>(number);
  }

  // 2. Places: those that hear from others come first.
  std::vector<char> hears(n, 0);
  std::size_t leaving = 0;
  for (std::size_t u = 0; u < n; ++u) {
    pulse.beat(graph.indptr[u + 1] - graph.indptr[u] + 1);
    for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
      const auto v = static_cast<std::size_t>(graph.indices[static_cast<std::size_t>(e)]);
      if (patch_of[u] == patch_of[v]) continue;
      hears[v] = 1;
      ++leaving;
    }
  }
  made.places.resize(n);
  std::vector<Vertex> order(n);
  std::size_t next = 0;
  for (std::size_t p = 0; p < patches; ++p) {
    std::uint32_t* const row = made.table.data() + kRow * p;
    row[0] = static_cast<Vertex>(next);
    row[2] = static_cast<Vertex>(made.owners.size());
    for (const char heard : {1, 0}) {
      for (std::size_t k = begins[p]; k < begins[p] + row[1]; ++k) {
        const Vertex v = list[k];
        if (hears[v] != heard) continue;
        made.places[v] = static_cast<Vertex>(next);
        order[next++] = v;
        if (heard) made.owners.push_back(static_cast<Vertex>(p));
      }
    }
    row[3] = static_cast<Vertex>(made.owners.size() - row[2]);
  }

  // 3. Edges, those that stay and those that leave.
  made.begin.reserve(n + 1);
  made.exits.reserve(n + 1);
  made.targets.reserve(m - leaving);
  made.weights.reserve(m - leaving);
  made.slots.reserve(leaving);
  made.tolls.reserve(leaving);
  const auto end_row = [&] {
    made.begin.push_back(static_cast<Vertex>(made.targets.size()));
    made.exits.push_back(static_cast<Vertex>(made.slots.size()));
  };
  for (const Vertex u : order) {
    end_row();
    pulse.beat(graph.indptr[u + 1] - graph.indptr[u] + 1);
    for (std::int64_t e = graph.indptr[u]; e < graph.indptr[u + 1]; ++e) {
      const auto edge = static_cast<std::size_t>(e);
      const auto v = static_cast<std::size_t>(graph.indices[edge]);
      const std::uint32_t* const row = made.table.data() + kRow * patch_of[v];
      const std::uint32_t number = made.places[v] - row[0];
      if (patch_of[u] == patch_of[v]) {
        made.targets.push_back(static_cast<std::uint16_t>(number));
        made.weights.push_back(graph.weights[edge]);
      } else {
        made.slots.push_back(row[2] + number);
        made.tolls.push_back(graph.weights[edge]);
      }
    }
  }
  end_row();
  for (std::size_t p = 0; p < patches; ++p) {
    std::uint32_t* const row = made.table.data() + kRow * p;
    const std::size_t first = row[0], last = first + row[1];
    row[4] = made.begin[first];
    row[5] = made.begin[last] - made.begin[first];
    row[6] = made.exits[first];
    row[7] = made.exits[last] - made.exits[first];
    made.most_edges = std::max(made.most_edges, row[5]);
    made.most_exits = std::max(made.most_exits, row[7]);
  }
  return made;
}

}  // namespace warpath
