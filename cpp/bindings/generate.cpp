#include <limits>

#include "graph_rows.hpp"
#include "warpath/generate/delaunay.hpp"
#include "warpath/generate/workloads.hpp"

namespace warpath::bindings {

namespace {

/// Runs make(poller) with the GIL released; Ctrl-C ends it.
template <class Make>
auto without_gil(Make&& make) {
  Control control(python_tick(nb::none()));
  const nb::gil_scoped_release free;
  return make(Poller(control, true));
}

/// A limit on vertices and edges that exceeds any memory; products and sums below it fit 64 bits.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 47;

void require_count(std::int64_t count, const char* name) {
  if (count < 0 || count > kMaxCount)
    throw std::invalid_argument(std::string(name) + " must lie in 0 .. 2^47");
}

/// Checks a probability, given as a multiple of 2^-53.
void require_chance(std::uint64_t chance, const char* name) {
  if (chance > std::uint64_t{1} << 53)
    throw std::invalid_argument(std::string(name) + " must be at most 2^53");
}

/// Calls f.operator()<V>() with the index type of a graph of n vertices.
template <class F>
nb::tuple with_index(std::int64_t n, F&& f) {
  return n <= std::numeric_limits<std::int32_t>::max() ? f.template operator()<std::int32_t>()
                                                       : f.template operator()<std::int64_t>();
}

template <Index V>
nb::tuple give_edges(EdgeList<V>&& edges) {
  return nb::make_tuple(to_numpy(std::move(edges.src)), to_numpy(std::move(edges.dst)));
}

template <Weight W, class Bound>
void register_weights(nb::module_& module) {
  module.def(
      "draw_weights",
      [](Out<W> out, Bound low, Bound high, std::uint64_t seed, int threads) {
        require(low <= high, "low must be <= high");
        if constexpr (std::is_integral_v<W>)
          require(low >= std::numeric_limits<W>::min() && high <= std::numeric_limits<W>::max(),
                  "low and high must fit the weights' type");
        else
          require(std::isfinite(high - low), "low and high must be finite, and high - low");
        without_gil([&](Poller poller) {
          draw_weights<W>(view(out), low, high, seed, at_least_one(threads), poller.control());
        });
      },
      nb::arg("out").noconvert(), nb::arg("low"), nb::arg("high"), nb::arg("seed"),
      nb::arg("threads") = 1);
}

template <Index V>
void register_vertices(nb::module_& module) {
  module.def(
      "draw_vertices",
      [](Out<V> out, std::int64_t n, std::uint64_t seed, int threads) {
        require(n > 0 || out.size() == 0, "n must be > 0");
        require(n - 1 <= std::numeric_limits<V>::max(), "n must fit the vertices' type");
        without_gil([&](Poller poller) {
          draw_vertices<V>(view(out), n, seed, at_least_one(threads), poller.control());
        });
      },
      nb::arg("out").noconvert(), nb::arg("n"), nb::arg("seed"), nb::arg("threads") = 1);
}

/// Copies points for a triangulation, which must be different and lie in [0, 2^28).
Points different_points(const In<std::int64_t>& x, const In<std::int64_t>& y) {
  Points points{{x.data(), x.data() + x.size()}, {y.data(), y.data() + y.size()}};
  std::vector<std::int64_t> keys(x.size());
  for (std::size_t v = 0; v < keys.size(); ++v) {
    for (const std::int64_t place : {points.x[v], points.y[v]})
      require(place >= 0 && place < std::int64_t{1} << kPointBits,
              "coordinates must lie in 0 .. 2^28 - 1");
    keys[v] = points.x[v] << kPointBits | points.y[v];
  }
  std::sort(keys.begin(), keys.end());
  require(std::adjacent_find(keys.begin(), keys.end()) == keys.end(), "two points are the same");
  return points;
}

template <Index V, Weight W>
void register_lengths(nb::module_& module) {
  module.def(
      "link_lengths",
      [](In<V> src, In<V> dst, In<std::int64_t> x, In<std::int64_t> y, Out<W> out) {
        require_size(y.size(), x.size(), "y");
        require_size(src.size(), out.size(), "src");
        require_size(dst.size(), out.size(), "dst");
        const auto n = static_cast<std::int64_t>(x.size());
        const SharedSpan<V> tails = numbers_below(src, n, "src");
        const SharedSpan<V> heads = numbers_below(dst, n, "dst");
        const Points points{{x.data(), x.data() + x.size()}, {y.data(), y.data() + y.size()}};
        constexpr std::int64_t kFar = std::int64_t{1} << 29;
        for (const std::vector<std::int64_t>* each : {&points.x, &points.y})
          require(std::all_of(each->begin(), each->end(),
                              [](std::int64_t at) { return -kFar < at && at < kFar; }),
                  "coordinates must lie between -2^29 and 2^29");
        without_gil([&](Poller poller) {
          link_lengths<V, W>(tails.values, heads.values, points, view(out), poller);
        });
      },
      nb::arg("src").noconvert(), nb::arg("dst").noconvert(), nb::arg("x").noconvert(),
      nb::arg("y").noconvert(), nb::arg("out").noconvert());
}

void register_links(nb::module_& module) {
  module.def(
      "rmat",
      [](int scale, std::int64_t count, std::uint64_t a, std::uint64_t ab, std::uint64_t abc,
         bool rename, bool links, bool unique, std::uint64_t seed, int threads) {
        require(scale >= 0 && scale <= 31, "scale must lie in 0 .. 31");
        require_count(count, "count");
        const RmatShape shape{scale, count, {a, ab, abc}, rename, links, unique};
        return with_index(std::int64_t{1} << scale, [&]<class V>() {
          return give_edges<V>(without_gil([&](Poller poller) {
            return rmat<V>(shape, seed, at_least_one(threads), poller.control());
          }));
        });
      },
      nb::arg("scale"), nb::arg("count"), nb::arg("a"), nb::arg("ab"), nb::arg("abc"),
      nb::arg("rename"), nb::arg("links"), nb::arg("unique"), nb::arg("seed"),
      nb::arg("threads") = 1);
  module.def(
      "grid",
      [](std::int64_t rows, std::int64_t columns, bool diagonal, std::uint64_t drop,
         std::uint64_t seed) {
        require_count(rows, "rows");
        require_count(columns, "columns");
        require_chance(drop, "drop");
        require(columns == 0 || rows <= kMaxCount / columns, "there are more than 2^47 vertices");
        return with_index(rows * columns, [&]<class V>() {
          return give_edges<V>(without_gil(
              [&](Poller poller) { return grid<V>(rows, columns, diagonal, drop, seed, poller); }));
        });
      },
      nb::arg("rows"), nb::arg("columns"), nb::arg("diagonal"), nb::arg("drop"), nb::arg("seed"));
  module.def(
      "pairs",
      [](std::int64_t n, std::uint64_t keep, std::uint64_t seed) {
        require_count(n, "n");
        require_chance(keep, "keep");
        return with_index(n, [&]<class V>() {
          return give_edges<V>(
              without_gil([&](Poller poller) { return pairs<V>(n, keep, seed, poller); }));
        });
      },
      nb::arg("n"), nb::arg("keep"), nb::arg("seed"));
  module.def(
      "small_world",
      [](std::int64_t n, std::int64_t half, std::uint64_t rewire, std::uint64_t seed) {
        require_count(n, "n");
        require_chance(rewire, "rewire");
        require(half >= 0 && (n == 0 || half < (n + 1) / 2), "half must be >= 0 and below n / 2");
        require(half == 0 || n <= kMaxCount / half, "there are more than 2^47 edges");
        return with_index(n, [&]<class V>() {
          return give_edges<V>(without_gil(
              [&](Poller poller) { return small_world<V>(n, half, rewire, seed, poller); }));
        });
      },
      nb::arg("n"), nb::arg("half"), nb::arg("rewire"), nb::arg("seed"));
}

void register_planar(nb::module_& module) {
  module.def(
      "road",
      [](std::int64_t n, std::int64_t columns, std::int64_t links, std::uint64_t seed) {
        require_count(n, "n");
        require_count(links, "links");
        require(columns > 0 && columns <= kMaxCount, "columns must lie in 1 .. 2^47");
        return with_index(n, [&]<class V>() {
          auto [edges, points] =
              without_gil([&](Poller poller) { return road<V>(n, columns, links, seed, poller); });
          return nb::make_tuple(to_numpy(std::move(edges.src)), to_numpy(std::move(edges.dst)),
                                to_numpy(std::move(points.x)), to_numpy(std::move(points.y)));
        });
      },
      nb::arg("n"), nb::arg("columns"), nb::arg("links"), nb::arg("seed"));
  module.def(
      "random_points",
      [](std::int64_t n, std::uint64_t seed) {
        require(n >= 0 && n <= std::int64_t{1} << 40, "n must lie in 0 .. 2^40");
        Points points = without_gil([&](Poller poller) { return random_points(n, seed, poller); });
        return nb::make_tuple(to_numpy(std::move(points.x)), to_numpy(std::move(points.y)));
      },
      nb::arg("n"), nb::arg("seed"));
  module.def(
      "delaunay",
      [](In<std::int64_t> x, In<std::int64_t> y) {
        require_size(y.size(), x.size(), "y");
        require(x.size() < std::size_t{1} << 30, "there must be fewer than 2^30 points");
        const Points points = different_points(x, y);
        return give_edges<std::int32_t>(without_gil(
            [&](Poller poller) { return Delaunay(points.x, points.y, poller).edges(); }));
      },
      nb::arg("x").noconvert(), nb::arg("y").noconvert());
}

}  // namespace

void register_generate(nb::module_& module) {
  register_weights<std::int32_t, std::int64_t>(module);
  register_weights<std::int64_t, std::int64_t>(module);
  register_weights<float, double>(module);
  register_weights<double, double>(module);
  register_vertices<std::int32_t>(module);
  register_vertices<std::int64_t>(module);
  register_lengths<std::int32_t, std::int32_t>(module);
  register_lengths<std::int32_t, std::int64_t>(module);
  register_lengths<std::int32_t, float>(module);
  register_lengths<std::int32_t, double>(module);
  register_links(module);
  register_planar(module);
}

}  // namespace warpath::bindings
