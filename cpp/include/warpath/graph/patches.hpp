// patches.hpp - a graph divided into patches of neighbouring vertices, laid out for a GPU.
//
// Edges within a patch are separate from edges that leave it ("exits"). The arrays are written
// patch by patch, each patch by one thread: first the vertices, then the edges.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "warpath/graph/partition.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/graph/vertex_groups.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/page_array.hpp"

namespace warpath {

/// A graph in patches. A place is the new number of a vertex. The places of a patch are
/// consecutive. Its first places belong to the vertices with edges from other patches;
/// each of these has a slot, where the other patches store labels for it.
template <Weight W>
struct Patches {
  static constexpr std::size_t kRow = 8;
  PageArray<std::uint32_t> places;   // n: the place of each vertex
  std::vector<std::uint32_t> table;  // kRow per patch: first place, vertices; first slot, slots;
                                     // first inner edge, inner edges; exits
  PageArray<std::uint32_t> begin;    // n + 1: the first inner edge of a place
  PageArray<std::uint16_t> targets;  // of inner edges: target's number within the patch
  PageArray<W> weights;              // of inner edges
  PageArray<std::uint16_t> tails;    // of exits: source's number within its patch
  PageArray<std::uint32_t> slots;    // of exits: the target's slot
  PageArray<std::uint32_t> owners;   // of exits: the target's patch
  PageArray<W> exit_weights;         // of exits
  std::uint32_t slot_count = 0;      // number of slots
  std::uint32_t most_edges = 0;      // largest number of inner edges of a patch
  std::uint32_t most_exits = 0;      // largest number of exits of a patch
};

/// The stride by which consecutive patches are numbered: about the golden ratio of their number,
/// and coprime to it, so that neighbouring patches belong to different thread blocks.
inline std::size_t patch_stride(std::size_t patches) {
  auto stride = static_cast<std::size_t>(0.6180339887 * static_cast<double>(patches));
  stride = std::max<std::size_t>(stride, 1);
  while (std::gcd(stride, patches) != 1) ++stride;
  return stride;
}

/// Builds the patches of a graph from a partition.
template <Index V, Weight W>
class PatchLayout {
 public:
  using Vertex = std::uint32_t;

  PatchLayout(const CsrView<V, W>& graph, const Partition& partition, int threads, Control& control)
      : graph_(graph),
        partition_(partition),
        patches_(partition.size()),
        threads_(threads),
        control_(control),
        patch_of_(static_cast<std::size_t>(graph.n())),
        is_entry_(static_cast<std::size_t>(graph.n())),
        parts_(ceil_div(static_cast<std::int64_t>(patches_), kPatches)) {}

  Patches<W> run() {
    made_.table.resize(kRow * patches_);
    made_.places = PageArray<Vertex>(patch_of_.size());
    number();
    each_patch([&](std::size_t p, Poller& poller) { count_edges(p, poller); });
    add_up();
    each_patch([&](std::size_t p, Poller& poller) { place(p, poller); });
    each_patch([&](std::size_t p, Poller& poller) {
      write(p, poller);
      control_.advance(row(p)[1]);
    });
    return std::move(made_);
  }

 private:
  static constexpr std::size_t kRow = Patches<W>::kRow;
  static constexpr std::int64_t kPatches = 16;  // claimed by a thread at a time

  struct NoState {};

  Vertex* row(std::size_t p) { return made_.table.data() + kRow * p; }
  bool is_entry(std::size_t v) { return atomic_ref(is_entry_[v]).load(std::memory_order_relaxed); }

  /// Calls each(p, poller) for all patches, on all threads.
  template <class Each>
  void each_patch(Each&& each) {
    parallel_for<NoState>(
        parts_, threads_, control_, [&](std::int64_t part, NoState&, Poller& poller) {
          const auto first = static_cast<std::size_t>(part * kPatches);
          for (std::size_t p = first; p < std::min<std::size_t>(patches_, first + kPatches); ++p)
            each(p, poller);
        });
  }

  /// Calls each(edge, v, stays) for the edges of a vertex in a patch; `stays` marks inner edges.
  template <class Each>
  void each_edge(std::size_t u, std::size_t p, Poller& poller, Each&& each) {
    poller.step(graph_.indptr[u + 1] - graph_.indptr[u] + 1);
    for (std::int64_t e = graph_.indptr[u]; e < graph_.indptr[u + 1]; ++e) {
      const auto edge = static_cast<std::size_t>(e);
      const auto v = static_cast<std::size_t>(graph_.indices[edge]);
      each(edge, v, patch_of_[v] == p);
    }
  }

  /// Renumbers the patches and records the patch of each vertex.
  void number() {
    const std::size_t stride = patches_ == 0 ? 1 : patch_stride(patches_);
    begin_.resize(patches_);
    each_patch([&](std::size_t i, Poller& poller) {
      const std::size_t p = i * stride % patches_;
      const std::size_t first = partition_.begin[i], last = partition_.begin[i + 1];
      begin_[p] = partition_.list.data() + first;
      row(p)[1] = static_cast<Vertex>(last - first);
      poller.step(row(p)[1]);
      for (std::size_t k = first; k < last; ++k) {
        patch_of_[partition_.list[k]] = static_cast<Vertex>(p);
        is_entry_[partition_.list[k]] = false;
      }
    });
  }

  /// Counts a patch's edges and marks the vertices of other patches that its exits lead to.
  void count_edges(std::size_t p, Poller& poller) {
    Vertex stay = 0, leave = 0;
    for (std::size_t k = 0; k < row(p)[1]; ++k) {
      each_edge(begin_[p][k], p, poller, [&](std::size_t, std::size_t v, bool stays) {
        ++(stays ? stay : leave);
        if (!stays && !is_entry(v)) atomic_ref(is_entry_[v]).store(true, std::memory_order_relaxed);
      });
    }
    row(p)[5] = stay;
    row(p)[7] = leave;
  }

  /// Sums the patches' counts and allocates the arrays.
  void add_up() {
    each_patch([&](std::size_t p, Poller&) {
      for (std::size_t k = 0; k < row(p)[1]; ++k) row(p)[3] += is_entry(begin_[p][k]);
    });
    Vertex places = 0, entries = 0, stay = 0, leave = 0;
    for (std::size_t p = 0; p < patches_; ++p) {
      Vertex* const own = row(p);
      own[0] = std::exchange(places, places + own[1]);
      own[2] = std::exchange(entries, entries + own[3]);
      own[4] = std::exchange(stay, stay + own[5]);
      own[6] = std::exchange(leave, leave + own[7]);
      made_.most_edges = std::max(made_.most_edges, own[5]);
      made_.most_exits = std::max(made_.most_exits, own[7]);
    }
    made_.begin = PageArray<Vertex>(patch_of_.size() + 1);
    made_.begin[patch_of_.size()] = stay;
    made_.targets = PageArray<std::uint16_t>(stay);
    made_.weights = PageArray<W>(stay);
    made_.tails = PageArray<std::uint16_t>(leave);
    made_.slots = PageArray<Vertex>(leave);
    made_.owners = PageArray<Vertex>(leave);
    made_.exit_weights = PageArray<W>(leave);
    made_.slot_count = entries;
  }

  /// Assigns places to the vertices of a patch: those with edges from other patches come first.
  void place(std::size_t p, Poller& poller) {
    const Vertex* const own = row(p);
    poller.step(own[1]);
    Vertex first = own[0], rest = own[0] + own[3];
    for (std::size_t k = 0; k < own[1]; ++k) {
      const Vertex v = begin_[p][k];
      made_.places[v] = is_entry(v) ? first++ : rest++;
    }
  }

  /// Writes the edges of a patch, inner edges and exits.
  void write(std::size_t p, Poller& poller) {
    const Vertex* const own = row(p);
    Vertex stay = own[4], leave = own[6];
    for (const bool first : {true, false}) {
      for (std::size_t k = 0; k < own[1]; ++k) {
        const Vertex u = begin_[p][k];
        if (is_entry(u) != first) continue;
        made_.begin[made_.places[u]] = stay;
        each_edge(u, p, poller, [&](std::size_t edge, std::size_t v, bool stays) {
          const Vertex* const there = row(patch_of_[v]);
          const Vertex number = made_.places[v] - there[0];
          if (stays) {
            made_.targets[stay] = static_cast<std::uint16_t>(number);
            made_.weights[stay++] = graph_.weights[edge];
          } else {
            made_.tails[leave] = static_cast<std::uint16_t>(made_.places[u] - own[0]);
            made_.slots[leave] = there[2] + number;
            made_.owners[leave] = patch_of_[v];
            made_.exit_weights[leave++] = graph_.weights[edge];
          }
        });
      }
    }
  }

  const CsrView<V, W>& graph_;
  const Partition& partition_;
  const std::size_t patches_;
  const int threads_;
  Control& control_;
  PageArray<Vertex> patch_of_;
  PageArray<bool> is_entry_;
  const std::int64_t parts_;
  std::vector<const Vertex*> begin_;  // the vertices of each patch
  Patches<W> made_;
};

/// Divides a graph into patches of up to `capacity` vertices. Time and memory are those of
/// `Partitioning`; the result does not depend on the number of threads.
template <Index V, Weight W>
Patches<W> cut_into_patches(const CsrView<V, W>& graph, std::size_t capacity, int threads,
                            Control& control) {
  constexpr std::int64_t kMaxVertices = std::int64_t{1} << 31;
  if (graph.n() >= kMaxVertices || graph.m() >= 2 * kMaxVertices)
    throw std::length_error("patches number vertices in 31 bits and edges in 32");
  control.expect(2 * graph.n());
  const Partition partition = Partitioning<V>(graph.adjacency(), capacity, threads, control).run();
  return PatchLayout<V, W>(graph, partition, threads, control).run();
}

}  // namespace warpath
