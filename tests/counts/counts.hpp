// counts.hpp - small graphs, always the same, and the frame in which the instructions of a loop are
// counted.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "warpath/generate/workloads.hpp"
#include "warpath/graph/build.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"

/// callgrind collects within this function alone (--toggle-collect): never inlined, no jump out.
extern "C" [[gnu::noipa]] inline void counted(void (*run)(void*), void* what) {
  run(what);
  asm volatile("" ::: "memory");
}

namespace counts {

using V = std::int32_t;
using warpath::Control;
using warpath::CsrView;
using warpath::DistanceOf;
using warpath::Poller;
using warpath::unreachable;

constexpr int kBytes = 32;  // of vectors: valgrind knows AVX2, and no wider ones
constexpr std::uint64_t kSeed = 20261121;

/// Runs what is counted.
template <class What>
void count(What&& what) {
  using Plain = std::remove_reference_t<What>;
  counted([](void* it) { (*static_cast<Plain*>(it))(); }, &what);
}

/// A program's cases: it runs the one that it is asked for, and lists their names if for none.
struct Case {
  const char* name;
  void (*run)();
};

inline int main(int argc, char** argv, std::initializer_list<Case> cases) {
  for (const Case& each : cases) {
    if (argc < 2) std::cout << each.name << '\n';
    if (argc < 2 || std::strcmp(argv[1], each.name) != 0) continue;
    each.run();
    return 0;
  }
  return argc < 2 ? 0 : 2;
}

template <class W>
struct Graph {
  std::vector<std::int64_t> indptr;
  std::vector<V> indices;
  std::vector<W> weights;

  CsrView<V, W> view() const { return {indptr, indices, weights}; }
  std::int64_t n() const { return static_cast<std::int64_t>(indptr.size()) - 1; }
  std::vector<DistanceOf<W>> labels() const {
    return std::vector<DistanceOf<W>>(static_cast<std::size_t>(n()));
  }
};

/// Both arcs of each link, with weights of 1 .. max_weight, times `unit`.
template <class W>
Graph<W> linked(std::int64_t n, const warpath::EdgeList<V>& links, int max_weight, W unit) {
  Control control;
  std::vector<W> weights(links.src.size());
  const warpath::Draws draws(kSeed, warpath::Purpose::kWeight);
  for (std::size_t e = 0; e < weights.size(); ++e)
    weights[e] = unit * static_cast<W>(1 + draws.below(e, static_cast<unsigned>(max_weight)));
  Graph<W> graph{std::vector<std::int64_t>(static_cast<std::size_t>(n) + 1),
                 std::vector<V>(2 * links.src.size()), std::vector<W>(2 * links.src.size())};
  warpath::build_csr<V, V, W>(links.src, links.dst, weights, true, graph.indptr, graph.indices,
                              graph.weights, Poller(control, true));
  return graph;
}

/// A network of roads: 8,192 vertices, 20,500 edges or so.
template <class W>
Graph<W> road(int max_weight = 1000, W unit = 1) {
  Control control;
  constexpr std::int64_t kColumns = 64;
  constexpr std::int64_t kVertices = 128 * kColumns;
  const auto made =
      warpath::road<V>(kVertices, kColumns, kVertices * 5 / 4, kSeed, Poller(control, true));
  return linked<W>(kVertices, made.first, max_weight, unit);
}

/// A vertex with arcs to and from 16,384 others.
template <class W>
Graph<W> star(int max_weight = 1000) {
  constexpr V kLeaves = 16384;
  warpath::EdgeList<V> links;
  for (V v = 1; v <= kLeaves; ++v) links.src.push_back(0), links.dst.push_back(v);
  return linked<W>(kLeaves + 1, links, max_weight, W{1});
}

/// A power-law graph: 2,048 vertices, 45,000 edges or so; vertex 0 is a hub.
template <class W>
Graph<W> rmat(int max_weight = 255, W unit = 1) {
  Control control;
  constexpr int kScale = 11;
  constexpr double kOne = 4294967296.0;
  warpath::RmatShape shape;
  shape.scale = kScale;
  shape.count = std::int64_t{16} << kScale;
  shape.below = {static_cast<std::uint64_t>(0.57 * kOne), static_cast<std::uint64_t>(0.76 * kOne),
                 static_cast<std::uint64_t>(0.95 * kOne)};
  shape.links = true;
  shape.unique = true;
  const auto links = warpath::rmat<V>(shape, kSeed, 1, control);
  return linked<W>(std::int64_t{1} << kScale, links, max_weight, unit);
}

}  // namespace counts
