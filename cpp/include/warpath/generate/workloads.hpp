// workloads.hpp - generators of standard benchmark graphs, as functions of a seed.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "warpath/generate/random.hpp"
#include "warpath/graph/types.hpp"
#include "warpath/parallel/control.hpp"
#include "warpath/parallel/team.hpp"

namespace warpath {

/// Directed edges u -> v, or undirected links u - v, in the order of generation.
template <Index V>
struct EdgeList {
  std::vector<V> src;
  std::vector<V> dst;

  void add(std::int64_t u, std::int64_t v) {
    src.push_back(static_cast<V>(u));
    dst.push_back(static_cast<V>(v));
  }
  void reserve(std::int64_t count) {
    src.reserve(static_cast<std::size_t>(count));
    dst.reserve(static_cast<std::size_t>(count));
  }
};

/// Points with integer coordinates, so that predicates on them are exact.
struct Points {
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> y;
};

/// Calls visit(rank, i) for every i below `count`, on threads, each with a contiguous range.
template <class Visit>
void each_of(std::size_t count, int threads, Control& control, Visit&& visit) {
  std::atomic<int> finished{0};
  run_team(threads, control, [&](int rank) {
    Poller poller(control, rank == 0);
    const auto whole = static_cast<std::size_t>(threads);
    const auto part = static_cast<std::size_t>(rank);
    const std::size_t end = count / whole * (part + 1) + std::min(part + 1, count % whole);
    for (std::size_t i = count / whole * part + std::min(part, count % whole); i < end; ++i) {
      poller.step();
      visit(part, i);
    }
    await_team(rank, threads, finished, control);
  });
}

/// Sorts keys of `bits` bits ascending: LSD radix sort, 11 bits per pass. Work O(n bits / 11).
inline void radix_sort(std::vector<std::uint64_t>& keys, int bits, int threads, Control& control) {
  constexpr int kDigit = 11;
  std::vector<std::uint64_t> other(keys.size());
  std::vector<std::array<std::size_t, 1 << kDigit>> places(static_cast<std::size_t>(threads));
  for (int shift = 0; shift < bits; shift += kDigit) {
    const auto digit = [shift](std::uint64_t key) { return (key >> shift) & ((1u << kDigit) - 1); };
    for (auto& place : places) place.fill(0);
    each_of(keys.size(), threads, control,
            [&](std::size_t rank, std::size_t i) { ++places[rank][digit(keys[i])]; });
    std::size_t start = 0;
    for (std::size_t d = 0; d < std::size_t{1} << kDigit; ++d)
      for (auto& place : places) start += std::exchange(place[d], start);
    each_of(keys.size(), threads, control, [&](std::size_t rank, std::size_t i) {
      other[places[rank][digit(keys[i])]++] = keys[i];
    });
    keys.swap(other);
  }
}

/// The number of bits that hold every number below `limit`.
inline int bits_below(std::int64_t limit) {
  int bits = 0;
  while (bits < 63 && (std::int64_t{1} << bits) < limit) ++bits;
  return bits;
}

/// Fills `out` with weights in [low, high]; weight e depends on the seed and e only. A float weight
/// is low + (high - low) * u in double, each operation rounded once, then rounded to W.
template <Weight W, class Bound>
void draw_weights(std::span<W> out, Bound low, Bound high, std::uint64_t seed, int threads,
                  Control& control) {
  const Draws draws(seed, Purpose::kWeight);
  each_of(out.size(), threads, control, [&](std::size_t, std::size_t e) {
    if constexpr (std::is_floating_point_v<W>) {
      out[e] = static_cast<W>(std::min(high, low + (high - low) * draws.unit(e)));
    } else {
      const std::uint64_t most = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
      const std::uint64_t offset =
          most == ~std::uint64_t{0} ? draws.bits(e) : draws.below(e, most + 1);
      out[e] = static_cast<W>(static_cast<std::uint64_t>(low) + offset);
    }
  });
}

/// Fills `out` with uniformly random vertices of [0, n).
template <Index V>
void draw_vertices(std::span<V> out, std::int64_t n, std::uint64_t seed, int threads,
                   Control& control) {
  const Draws draws(seed, Purpose::kVertex);
  each_of(out.size(), threads, control, [&](std::size_t, std::size_t e) {
    out[e] = static_cast<V>(draws.below(e, static_cast<std::uint64_t>(n)));
  });
}

/// Parameters of an R-MAT graph. The quadrants' probabilities are multiples of 2^-32, cumulated: a,
/// a + b, a + b + c.
struct RmatShape {
  int scale = 0;
  std::int64_t count = 0;
  std::array<std::uint64_t, 3> below{};
  bool rename = false;  // hubs get random numbers instead of small ones
  bool links = false;   // undirected: u - v and v - u are the same
  bool unique = false;  // no self-loops, no duplicates, in ascending order
};

/// The recursive matrix model (R-MAT): each of `scale` levels chooses a quadrant, which gives one
/// bit of each end of the edge.
///
/// Work O(count scale), two levels per 64 random bits; `unique` adds a radix sort. scale <= 31.
/// Source: Chakrabarti, Zhan, Faloutsos, SDM 2004; the Kronecker generator of Graph 500.
template <Index V>
EdgeList<V> rmat(const RmatShape& shape, std::uint64_t seed, int threads, Control& control) {
  const Draws draws(seed, Purpose::kLink);
  const Renaming rename(seed, shape.scale);
  const auto [a, ab, abc] = shape.below;
  const auto steps = static_cast<std::uint64_t>((shape.scale + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << shape.scale) - 1;
  const std::uint64_t loop = mask << shape.scale | mask;  // larger than all other keys
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(shape.count));
  each_of(keys.size(), threads, control, [&](std::size_t, std::size_t e) {
    std::uint64_t u = 0;
    std::uint64_t v = 0;
    const auto descend = [&](std::uint64_t r) {
      const std::uint64_t low = r >= ab;
      u = 2 * u + low;
      v = 2 * v + ((r >= a) ^ low ^ (r >= abc));
    };
    for (std::uint64_t step = 0; step < steps; ++step) {
      const std::uint64_t random = draws.bits(e * steps + step);
      descend(random & 0xFFFFFFFFu);
      descend(random >> 32);
    }
    if (shape.scale % 2 != 0) {  // for odd `scale`, the last step chose one level too many
      u >>= 1;
      v >>= 1;
    }
    if (shape.rename) {
      u = rename(u);
      v = rename(v);
    }
    if (shape.links && u > v) std::swap(u, v);
    keys[e] = shape.unique && u == v ? loop : u << shape.scale | v;
  });
  if (shape.unique) {
    radix_sort(keys, 2 * shape.scale, threads, control);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (!keys.empty() && keys.back() == loop) keys.pop_back();
  }
  EdgeList<V> edges;
  edges.src.resize(keys.size());
  edges.dst.resize(keys.size());
  each_of(keys.size(), threads, control, [&](std::size_t, std::size_t e) {
    edges.src[e] = static_cast<V>(keys[e] >> shape.scale);
    edges.dst[e] = static_cast<V>(keys[e] & mask);
  });
  return edges;
}

/// Links of a grid, row by row: right, down and, for `diagonal`, down right and down left.
/// A link is left out with probability drop / 2^53.
template <Index V>
EdgeList<V> grid(std::int64_t rows, std::int64_t columns, bool diagonal, std::uint64_t drop,
                 std::uint64_t seed, Poller poller) {
  const Draws draws(seed, Purpose::kKeep);
  EdgeList<V> links;
  // With a probability of one half a single reservation suffices; one more growth costs little.
  const double share = 1 - static_cast<double>(drop) * 0x1p-53;
  links.reserve(
      static_cast<std::int64_t>(static_cast<double>(rows * columns) * share * (diagonal ? 4 : 2)));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      poller.step(2);
      const std::int64_t v = r * columns + c;
      const auto offer = [&](std::uint64_t which, std::int64_t to) {
        if (drop > 0 && draws.chance(4 * static_cast<std::uint64_t>(v) + which, drop)) return;
        links.add(v, to);
      };
      const bool below = r + 1 < rows;
      if (c + 1 < columns) offer(0, v + 1);
      if (below) offer(1, v + columns);
      if (diagonal && below && c + 1 < columns) offer(2, v + columns + 1);
      if (diagonal && below && c > 0) offer(3, v + columns - 1);
    }
  }
  return links;
}

/// Every ordered pair u != v with probability keep / 2^53, ascending. Work O(n^2).
template <Index V>
EdgeList<V> pairs(std::int64_t n, std::uint64_t keep, std::uint64_t seed, Poller poller) {
  const Draws draws(seed, Purpose::kKeep);
  EdgeList<V> edges;
  const double share = static_cast<double>(keep) * 0x1p-53;
  edges.reserve(static_cast<std::int64_t>(static_cast<double>(n) * static_cast<double>(n) * share));
  for (std::int64_t u = 0; u < n; ++u) {
    const auto row = static_cast<std::uint64_t>(u) * static_cast<std::uint64_t>(n);
    for (std::int64_t v = 0; v < n; ++v) {
      poller.step();
      if (u != v && draws.chance(row + static_cast<std::uint64_t>(v), keep)) edges.add(u, v);
    }
  }
  return edges;
}

/// Watts-Strogatz: a ring in which each vertex is linked to the `half` next ones; the far end of a
/// link moves to a uniformly random other vertex with probability rewire / 2^53. Requires n > 2
/// half. Parallel links may arise. Source: Watts, Strogatz, Nature 393, 1998.
template <Index V>
EdgeList<V> small_world(std::int64_t n, std::int64_t half, std::uint64_t rewire, std::uint64_t seed,
                        Poller poller) {
  const Draws moves(seed, Purpose::kRewire);
  const Draws targets(seed, Purpose::kVertex);
  EdgeList<V> links;
  links.reserve(n * half);
  std::uint64_t link = 0;
  for (std::int64_t v = 0; v < n; ++v) {
    for (std::int64_t step = 1; step <= half; ++step, ++link) {
      poller.step();
      std::int64_t ahead = step;
      if (moves.chance(link, rewire))
        ahead =
            1 + static_cast<std::int64_t>(targets.below(link, static_cast<std::uint64_t>(n - 1)));
      links.add(v, v + ahead < n ? v + ahead : v + ahead - n);
    }
  }
  return links;
}

/// Disjoint sets of vertices (union-find with path halving); the smallest number is the root.
template <Index V>
class Components {
 public:
  explicit Components(std::int64_t n) : root_(static_cast<std::size_t>(n)) {
    std::iota(root_.begin(), root_.end(), V{0});
  }

  /// Merges two sets. False if u and v were in the same one.
  bool join(V u, V v) {
    u = find(u);
    v = find(v);
    if (u == v) return false;
    root_[static_cast<std::size_t>(std::max(u, v))] = std::min(u, v);
    return true;
  }

 private:
  V find(V v) {
    while (root_[static_cast<std::size_t>(v)] != v) {
      V& above = root_[static_cast<std::size_t>(v)];
      above = root_[static_cast<std::size_t>(above)];
      v = above;
    }
    return v;
  }

  std::vector<V> root_;
};

/// A network similar to roads: connected, planar, n vertices and about `links_wanted` links.
///
/// One point lies in each cell of a grid with `columns` columns, away from the cell's rim. Links
/// join neighbouring cells, so two links share a cell only at a common end, and none cross. A
/// random spanning tree (Kruskal over links in random order) keeps the network connected; other
/// links are added at random. Work O(n), apart from the nearly constant cost of merging sets.
template <Index V>
std::pair<EdgeList<V>, Points> road(std::int64_t n, std::int64_t columns, std::int64_t links_wanted,
                                    std::uint64_t seed, Poller poller) {
  constexpr std::int64_t kCell = 1000;
  constexpr std::int64_t kRim = 100;
  const Draws places(seed, Purpose::kPoint);
  Points points;
  points.x.resize(static_cast<std::size_t>(n));
  points.y.resize(static_cast<std::size_t>(n));
  std::vector<std::uint64_t> links;  // 2 v: to the right; 2 v + 1: to the next row
  links.reserve(2 * static_cast<std::size_t>(n));
  for (std::int64_t v = 0; v < n; ++v) {
    poller.step();
    const auto at = static_cast<std::uint64_t>(v);
    const auto within = [&](std::uint64_t counter) {
      return kRim + static_cast<std::int64_t>(places.below(counter, kCell - 2 * kRim));
    };
    points.x[at] = v % columns * kCell + within(2 * at);
    points.y[at] = v / columns * kCell + within(2 * at + 1);
    if (v % columns + 1 < columns && v + 1 < n) links.push_back(2 * at);
    if (v + columns < n) links.push_back(2 * at + 1);
  }

  // Random high bits, and the link's number below: sorting gives the links in random order.
  const Draws order(seed, Purpose::kLink);
  const int bits = bits_below(2 * n);
  std::vector<std::uint64_t> shuffled(links.size());
  std::transform(links.begin(), links.end(), shuffled.begin(),
                 [&](std::uint64_t link) { return (order.bits(link) >> bits) << bits | link; });
  radix_sort(shuffled, 64, 1, poller.control());

  const std::int64_t spare = static_cast<std::int64_t>(links.size()) - (n - 1);
  const std::int64_t extra =
      std::clamp<std::int64_t>(links_wanted - (n - 1), 0, std::max<std::int64_t>(spare, 0));
  const auto keep = spare > 0
                        ? static_cast<std::uint64_t>((static_cast<unsigned __int128>(extra) << 53) /
                                                     static_cast<unsigned __int128>(spare))
                        : 0;
  const Draws extras(seed, Purpose::kKeep);
  const auto end_of = [&](std::uint64_t link) {
    return static_cast<std::int64_t>(link / 2) + (link % 2 == 0 ? 1 : columns);
  };
  Components<V> components(n);
  std::vector<bool> kept(2 * static_cast<std::size_t>(n));
  for (const std::uint64_t key : shuffled) {
    poller.step();
    const std::uint64_t link = key & ((std::uint64_t{1} << bits) - 1);
    const bool joins = components.join(static_cast<V>(link / 2), static_cast<V>(end_of(link)));
    kept[link] = joins || extras.chance(link, keep);
  }
  EdgeList<V> edges;
  edges.reserve(n - 1 + extra);
  for (const std::uint64_t link : links)
    if (kept[link]) edges.add(static_cast<std::int64_t>(link / 2), end_of(link));
  return {std::move(edges), std::move(points)};
}

/// The integer nearest to sqrt(square), for square < 2^62.
inline std::int64_t rounded_root(std::uint64_t square) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  // sqrt(square) >= root + 1/2 exactly if square > root^2 + root, since square is an integer.
  return static_cast<std::int64_t>(square > root * root + root ? root + 1 : root);
}

/// The Euclidean length of each link: the nearest integer, or the correctly rounded root of the
/// exact square (exact below 2^53). Coordinates differ by less than 2^30.
template <Index V, Weight W>
void link_lengths(std::span<const V> src, std::span<const V> dst, const Points& points,
                  std::span<W> out, Poller poller) {
  for (std::size_t e = 0; e < out.size(); ++e) {
    poller.step();
    const auto u = static_cast<std::size_t>(src[e]);
    const auto v = static_cast<std::size_t>(dst[e]);
    const std::int64_t dx = points.x[u] - points.x[v];
    const std::int64_t dy = points.y[u] - points.y[v];
    const auto square = static_cast<std::uint64_t>(dx * dx + dy * dy);
    if constexpr (std::is_floating_point_v<W>) {
      out[e] = static_cast<W>(std::sqrt(static_cast<double>(square)));
    } else {
      out[e] = static_cast<W>(rounded_root(square));
    }
  }
}

}  // namespace warpath
