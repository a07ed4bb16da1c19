// delaunay.hpp - exact Delaunay triangulation of points with integer coordinates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "warpath/generate/random.hpp"
#include "warpath/generate/workloads.hpp"
#include "warpath/parallel/control.hpp"

namespace warpath {

/// Coordinates lie in [0, 2^28), so that a product of two differences fits 64 bits and the
/// in-circle test 128.
inline constexpr int kPointBits = 28;

/// The point at a position along the Hilbert curve through the 2^28 x 2^28 grid. Source: Hilbert
/// 1891; two bits per level, smallest squares first, each level rotated into place.
inline std::pair<std::int64_t, std::int64_t> hilbert_point(std::uint64_t position) {
  std::int64_t x = 0;
  std::int64_t y = 0;
  for (int level = 0; level < kPointBits; ++level) {
    const std::int64_t side = std::int64_t{1} << level;
    const bool right = ((position >> 1) & 1) != 0;
    const bool top = ((position ^ (position >> 1)) & 1) != 0;
    if (!top) {
      if (right) {
        x = side - 1 - x;
        y = side - 1 - y;
      }
      std::swap(x, y);
    }
    x += right ? side : 0;
    y += top ? side : 0;
    position >>= 2;
  }
  return {x, y};
}

/// n different uniformly random points, drawn as positions on the Hilbert curve and numbered along
/// it.
inline Points random_points(std::int64_t n, std::uint64_t seed, Poller& poller) {
  const Draws draws(seed, Purpose::kPoint);
  std::vector<std::uint64_t> keys;
  keys.reserve(static_cast<std::size_t>(n));
  for (std::uint64_t counter = 0; keys.size() < static_cast<std::size_t>(n);) {
    while (keys.size() < static_cast<std::size_t>(n)) {
      poller.step();
      keys.push_back(draws.bits(counter++) >> (64 - 2 * kPointBits));
    }
    radix_sort(keys, 2 * kPointBits, 1, poller.control());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  }
  Points points;
  points.x.resize(keys.size());
  points.y.resize(keys.size());
  for (std::size_t v = 0; v < keys.size(); ++v) {
    poller.step();
    std::tie(points.x[v], points.y[v]) = hilbert_point(keys[v]);
  }
  return points;
}

/// Incremental Delaunay triangulation (Bowyer-Watson): each point removes the triangles whose
/// circumcircle contains it, and the hole is filled with triangles around the point.
///
/// Predicates are exact integers. The outside is covered by triangles with a vertex at infinity
/// (`kOutside`), so the hull needs no special case. Points should be numbered along a space-filling
/// curve: then the walk from the last triangle takes a few steps, and all walks O(n) steps for
/// random points. If points on one circle allow several triangulations, the order of insertion
/// determines the result. Sources: Bowyer 1981, Watson 1981; Shewchuk, Lecture notes on Delaunay
/// mesh generation, 2012 (ghost triangles).
class Delaunay {
 public:
  Delaunay(std::span<const std::int64_t> x, std::span<const std::int64_t> y, Poller poller)
      : x_(x), y_(y), poller_(poller), spoke_(x.size() + 1) {}

  /// The edges u < v, ascending; a chain if all points are on one line. The points must be
  /// different and fewer than 2^30.
  EdgeList<std::int32_t> edges() {
    std::vector<std::uint64_t> keys;
    const auto n = static_cast<Vertex>(x_.size());
    const auto add = [&](Vertex u, Vertex v) {
      keys.push_back(static_cast<std::uint64_t>(std::min(u, v)) << 32 |
                     static_cast<std::uint64_t>(std::max(u, v)));
    };
    if (triangulate()) {
      keys.reserve(3 * x_.size());
      for (const Triangle& triangle : triangles_)
        for (int i = 0; i < 3; ++i) {
          const Vertex u = triangle.corner[(i + 1) % 3];
          const Vertex v = triangle.corner[(i + 2) % 3];
          if (u < v && u != kOutside) add(u, v);  // the triangle on the other side has v before u
        }
    } else if (n >= 2) {
      const std::vector<Vertex> line = along_the_line();
      for (std::size_t i = 1; i < line.size(); ++i) add(line[i - 1], line[i]);
    }
    radix_sort(keys, 64, 1, poller_.control());
    EdgeList<std::int32_t> edges;
    edges.reserve(static_cast<std::int64_t>(keys.size()));
    for (const std::uint64_t key : keys)
      edges.add(static_cast<std::int64_t>(key >> 32), static_cast<std::int64_t>(key & 0xFFFFFFFFu));
    return edges;
  }

 private:
  using Vertex = std::int32_t;
  using Wide = __int128;
  static constexpr Vertex kOutside = -1;

  /// Corners anticlockwise; neighbour i is opposite corner i.
  struct Triangle {
    std::array<Vertex, 3> corner;
    std::array<std::int32_t, 3> neighbour;
  };

  /// An edge of the hole: from -> to with the hole on its left, and the triangle on its right.
  struct Rim {
    Vertex from;
    Vertex to;
    std::int32_t beyond;
  };

  /// > 0 if a, b, c turn left. Twice the triangle's area: below 2^58.
  std::int64_t turn(Vertex a, Vertex b, Vertex c) const {
    const auto [ax, ay] = at(a);
    const auto [bx, by] = at(b);
    const auto [cx, cy] = at(c);
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  }

  /// Whether p lies inside a triangle's circumcircle; for a triangle with the vertex at infinity,
  /// beyond its edge or on the edge between its ends.
  bool holds(const Triangle& triangle, Vertex p) const {
    for (int i = 0; i < 3; ++i) {
      if (triangle.corner[i] != kOutside) continue;
      const Vertex a = triangle.corner[(i + 1) % 3];
      const Vertex b = triangle.corner[(i + 2) % 3];
      const std::int64_t side = turn(a, b, p);
      return side > 0 || (side == 0 && between(a, b, p));
    }
    return in_circle(triangle.corner[0], triangle.corner[1], triangle.corner[2], p);
  }

  bool in_circle(Vertex a, Vertex b, Vertex c, Vertex p) const {
    const auto [px, py] = at(p);
    const auto relative = [&, px = px, py = py](Vertex v) {
      const auto [vx, vy] = at(v);
      return std::pair{vx - px, vy - py};
    };
    const auto [ax, ay] = relative(a);
    const auto [bx, by] = relative(b);
    const auto [cx, cy] = relative(c);
    const Wide sum = static_cast<Wide>(ax * ax + ay * ay) * (bx * cy - by * cx) +
                     static_cast<Wide>(bx * bx + by * by) * (cx * ay - cy * ax) +
                     static_cast<Wide>(cx * cx + cy * cy) * (ax * by - ay * bx);
    return sum > 0;
  }

  /// For p on the line through a and b.
  bool between(Vertex a, Vertex b, Vertex p) const {
    const auto [ax, ay] = at(a);
    const auto [bx, by] = at(b);
    const auto [px, py] = at(p);
    return (ax - px) * (bx - px) + (ay - py) * (by - py) < 0;
  }

  std::pair<std::int64_t, std::int64_t> at(Vertex v) const {
    return {x_[static_cast<std::size_t>(v)], y_[static_cast<std::size_t>(v)]};
  }

  static bool outside(const Triangle& triangle) {
    return triangle.corner[0] == kOutside || triangle.corner[1] == kOutside ||
           triangle.corner[2] == kOutside;
  }

  Triangle& triangle(std::int32_t t) { return triangles_[static_cast<std::size_t>(t)]; }

  /// False if all points are on one line.
  bool triangulate() {
    const auto n = static_cast<Vertex>(x_.size());
    Vertex apex = 2;
    while (apex < n && turn(0, 1, apex) == 0) ++apex;
    if (n < 3 || apex == n) return false;
    triangles_.reserve(2 * x_.size());
    start(0, 1, apex);
    for (Vertex p = 2; p < n; ++p) {
      poller_.step(8);
      if (p != apex) insert(p);
    }
    return true;
  }

  /// Creates the first triangle and the three outside it.
  void start(Vertex a, Vertex b, Vertex c) {
    if (turn(a, b, c) < 0) std::swap(b, c);
    triangles_.push_back({{a, b, c}, {1, 2, 3}});
    triangles_.push_back({{kOutside, c, b}, {0, 3, 2}});
    triangles_.push_back({{kOutside, a, c}, {0, 1, 3}});
    triangles_.push_back({{kOutside, b, a}, {0, 2, 1}});
    last_ = 0;
  }

  /// Finds a triangle whose circumcircle contains p, by walking towards p. The walk ends, since
  /// walks in a Delaunay triangulation never cycle.
  std::int32_t locate(Vertex p) {
    std::int32_t t = last_;
    for (;;) {
      const Triangle& here = triangle(t);
      if (outside(here)) return t;
      int across = -1;
      for (int i = 0; i < 3 && across < 0; ++i) {
        if (turn(here.corner[(i + 1) % 3], here.corner[(i + 2) % 3], p) < 0) across = i;
      }
      if (across < 0) return t;
      t = here.neighbour[across];
    }
  }

  void insert(Vertex p) {
    dig(locate(p), p);
    std::int32_t made = 0;
    for (const Rim& rim : rim_) {
      std::int32_t t;
      if (hole_.empty()) {
        t = static_cast<std::int32_t>(triangles_.size());
        triangles_.emplace_back();
        doomed_.push_back(0);
      } else {
        t = hole_.back();
        hole_.pop_back();
        doomed_[static_cast<std::size_t>(t)] = 0;
      }
      triangle(t) = {{rim.from, rim.to, p}, {-1, -1, rim.beyond}};
      Triangle& beyond = triangle(rim.beyond);
      for (int i = 0; i < 3; ++i)
        if (beyond.corner[(i + 1) % 3] == rim.to && beyond.corner[(i + 2) % 3] == rim.from)
          beyond.neighbour[i] = t;
      spoke(rim.from) = t;
      if (rim.from != kOutside && rim.to != kOutside) made = t;
    }
    for (const Rim& rim :
         rim_) {  // the next triangle around p starts where this one's rim edge ends
      const std::int32_t t = spoke(rim.from);
      const std::int32_t next = spoke(rim.to);
      triangle(t).neighbour[0] = next;
      triangle(next).neighbour[1] = t;
    }
    last_ = made;
  }

  /// Fills hole_ with the triangles whose circumcircles contain p, starting from one of them, and
  /// rim_ with the edges of the hole.
  void dig(std::int32_t first, Vertex p) {
    doomed_.resize(triangles_.size());
    hole_.assign(1, first);
    rim_.clear();
    doomed_[static_cast<std::size_t>(first)] = 1;
    for (std::size_t next = 0; next < hole_.size(); ++next) {
      const Triangle& here = triangle(hole_[next]);
      for (int i = 0; i < 3; ++i) {
        const std::int32_t beyond = here.neighbour[i];
        if (doomed_[static_cast<std::size_t>(beyond)] != 0) continue;
        if (holds(triangle(beyond), p)) {
          doomed_[static_cast<std::size_t>(beyond)] = 1;
          hole_.push_back(beyond);
        } else {
          rim_.push_back({here.corner[(i + 1) % 3], here.corner[(i + 2) % 3], beyond});
        }
      }
    }
  }

  std::int32_t& spoke(Vertex v) { return spoke_[static_cast<std::size_t>(v + 1)]; }

  std::vector<Vertex> along_the_line() const {
    std::vector<Vertex> line(x_.size());
    std::iota(line.begin(), line.end(), 0);
    std::sort(line.begin(), line.end(), [this](Vertex u, Vertex v) { return at(u) < at(v); });
    return line;
  }

  std::span<const std::int64_t> x_;
  std::span<const std::int64_t> y_;
  Poller poller_;
  std::vector<Triangle> triangles_;
  std::vector<std::uint8_t> doomed_;  // 1 while a triangle is in the hole
  std::vector<std::int32_t> hole_;
  std::vector<Rim> rim_;
  std::vector<std::int32_t>
      spoke_;  // the new triangle whose rim edge starts at a vertex (+ 1: infinity is 0)
  std::int32_t last_ = 0;
};

}  // namespace warpath
