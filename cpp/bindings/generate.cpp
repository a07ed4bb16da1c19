#include "warpath/generate.hpp"

#include <limits>

#include "common.hpp"
#include "warpath/delaunay.hpp"

namespace warpath::bindings {

namespace {

/// Runs make(pulse) with the GIL released; Ctrl-C ends it.
template <class Make>
auto without_gil(Make&& make) {
  Control control(python_tick(nb::none()));
  const nb::gil_scoped_release free;
  return make(Pulse(control, true));
}

/// Calls f.operator()<V>() with the index type that a graph of n vertices has.
template <class F>
nb::tuple with_index(std::int64_t n, F&& f) {
  return n <= std::numeric_limits<std::int32_t>::max() ? f.template operator()<std::int32_t>()
                                                       : f.template operator()<std::int64_t>();
}

template <Index V>
nb::tuple give_edges(EdgeList<V>&& edges) {
  return nb::make_tuple(give(std::move(edges.src)), give(std::move(edges.dst)));
}

template <Weight W, class Bound>
void register_weights(nb::module_& module) {
  module.def(
      "draw_weights",
      [](Out<W> out, Bound low, Bound high, std::uint64_t seed, int threads) {
        without_gil([&](Pulse pulse) {
          draw_weights<W>(view(out), low, high, seed, at_least_one(threads), pulse.control());
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
        without_gil([&](Pulse pulse) {
          draw_vertices<V>(view(out), n, seed, at_least_one(threads), pulse.control());
        });
      },
      nb::arg("out").noconvert(), nb::arg("n"), nb::arg("seed"), nb::arg("threads") = 1);
}

template <Index V, Weight W>
void register_lengths(nb::module_& module) {
  module.def(
      "link_lengths",
      [](In<V> src, In<V> dst, In<std::int64_t> x, In<std::int64_t> y, Out<W> out) {
        const Points points{{x.data(), x.data() + x.size()}, {y.data(), y.data() + y.size()}};
        without_gil([&](Pulse pulse) {
          link_lengths<V, W>(view(src), view(dst), points, view(out), pulse);
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
        const RmatShape shape{scale, count, {a, ab, abc}, rename, links, unique};
        return with_index(std::int64_t{1} << scale, [&]<class V>() {
          return give_edges<V>(without_gil([&](Pulse pulse) {
            return rmat<V>(shape, seed, at_least_one(threads), pulse.control());
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
        return with_index(rows * columns, [&]<class V>() {
          return give_edges<V>(without_gil(
              [&](Pulse pulse) { return grid<V>(rows, columns, diagonal, drop, seed, pulse); }));
        });
      },
      nb::arg("rows"), nb::arg("columns"), nb::arg("diagonal"), nb::arg("drop"), nb::arg("seed"));
  module.def(
      "pairs",
      [](std::int64_t n, std::uint64_t keep, std::uint64_t seed) {
        return with_index(n, [&]<class V>() {
          return give_edges<V>(
              without_gil([&](Pulse pulse) { return pairs<V>(n, keep, seed, pulse); }));
        });
      },
      nb::arg("n"), nb::arg("keep"), nb::arg("seed"));
  module.def(
      "small_world",
      [](std::int64_t n, std::int64_t half, std::uint64_t rewire, std::uint64_t seed) {
        return with_index(n, [&]<class V>() {
          return give_edges<V>(without_gil(
              [&](Pulse pulse) { return small_world<V>(n, half, rewire, seed, pulse); }));
        });
      },
      nb::arg("n"), nb::arg("half"), nb::arg("rewire"), nb::arg("seed"));
}

void register_planar(nb::module_& module) {
  module.def(
      "road",
      [](std::int64_t n, std::int64_t columns, std::int64_t links, std::uint64_t seed) {
        return with_index(n, [&]<class V>() {
          auto [edges, points] =
              without_gil([&](Pulse pulse) { return road<V>(n, columns, links, seed, pulse); });
          return nb::make_tuple(give(std::move(edges.src)), give(std::move(edges.dst)),
                                give(std::move(points.x)), give(std::move(points.y)));
        });
      },
      nb::arg("n"), nb::arg("columns"), nb::arg("links"), nb::arg("seed"));
  module.def(
      "random_points",
      [](std::int64_t n, std::uint64_t seed) {
        Points points = without_gil([&](Pulse pulse) { return random_points(n, seed, pulse); });
        return nb::make_tuple(give(std::move(points.x)), give(std::move(points.y)));
      },
      nb::arg("n"), nb::arg("seed"));
  module.def(
      "delaunay",
      [](In<std::int64_t> x, In<std::int64_t> y) {
        return give_edges<std::int32_t>(
            without_gil([&](Pulse pulse) { return Delaunay(view(x), view(y), pulse).edges(); }));
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
