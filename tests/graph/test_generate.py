import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.reference import dijkstra
from warpath import _core, generate
from warpath.base.errors import InputError, NotEnoughMemoryError, WeightError
from warpath.graph import Graph

EXAMPLES = {
    "random_in_degree": lambda **k: generate.random_in_degree(1000, **k),
    "uniform": lambda **k: generate.uniform(1000, 5, **k),
    "rmat": lambda **k: generate.rmat(10, **k),
    "kronecker": lambda **k: generate.kronecker(9, **k),
    "grid": lambda **k: generate.grid(30, 40, diagonal=True, drop=0.25, **k),
    "road": lambda **k: generate.road(1000, **k),
    "delaunay": lambda **k: generate.delaunay(1000, **k),
    "small_world": lambda **k: generate.small_world(1000, 6, 0.2, **k),
    "dense": lambda **k: generate.dense(60, 0.3, **k),
    "complete": lambda **k: generate.complete(40, **k),
}

GOLDEN = {
    "random_in_degree": "f94cd969fa3f2928",
    "uniform": "806747cbbc7aa579",
    "rmat": "64a5397bf28b9b40",
    "kronecker": "98d707b45a75e815",
    "grid": "260f1f65542f8964",
    "road": "16814de28f999682",
    "delaunay": "f89f65c71b186156",
    "small_world": "0b252b8b1d75c273",
    "dense": "192ec6d632dda638",
    "complete": "e6bd525d27b5cca6",
}


def checksum(graph):
    digest = hashlib.sha256()
    for array in (graph.indptr, graph.indices, graph.weights, graph.coordinates):
        if array is not None:
            digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()[:16]


def link_set(graph):
    src, dst, _ = graph.edges()
    return set(zip(src.tolist(), dst.tolist(), strict=True))


def is_connected(graph):
    return bool((dijkstra(graph, 0) != np.iinfo(np.int64).max).all())


def test_every_generator_has_an_example_and_a_checksum():
    assert set(EXAMPLES) == set(GOLDEN) == set(generate.GENERATORS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_stream_of_a_seed_is_as_it_always_was(name):
    assert checksum(EXAMPLES[name](seed=42)) == GOLDEN[name]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_seed_gives_the_same_graph_and_another_seed_another(name):
    assert checksum(EXAMPLES[name](seed=7)) == checksum(EXAMPLES[name](seed=7))
    assert checksum(EXAMPLES[name](seed=7)) != checksum(EXAMPLES[name](seed=8))


def test_every_vertex_has_its_in_degree_and_weights_cover_their_range():
    graph = generate.random_in_degree(500, 7, (1, 10))
    assert (np.bincount(graph.indices, minlength=500) == 7).all()
    assert set(graph.weights.tolist()) == set(range(1, 11))
    assert graph.directed


def test_every_vertex_has_its_out_degree():
    graph = generate.uniform(500, 9)
    assert (np.diff(graph.indptr) == 9).all()
    assert graph.indices.min() == 0
    assert graph.indices.max() == 499


def test_rmat_is_simple_symmetric_and_as_large_as_published():
    graph = generate.rmat(12, 16)
    links = link_set(graph)
    assert len(links) == graph.m
    assert all(u != v and (v, u) in links for u, v in links)
    weights = {(u, v): w for u, v, w in zip(*(a.tolist() for a in graph.edges()), strict=True)}
    assert all(weights[v, u] == w for (u, v), w in weights.items())
    assert generate.rmat(18, 16, weights=None).m == 7_610_268  # the published workload: 7.6 M


def test_rmat_quadrants_have_their_probabilities():
    raw = generate.rmat(1, 100_000, a=0.5, b=0.25, c=0.125, directed=True, unique=False)
    src, dst, _ = raw.edges()
    shares = np.bincount(2 * src + dst, minlength=4) / raw.m
    np.testing.assert_allclose(shares, [0.5, 0.25, 0.125, 0.125], atol=0.005)


@pytest.mark.parametrize("scale", [0, 1, 2, 3, 7])
def test_rmat_of_any_scale_stays_within_its_vertices(scale):
    graph = generate.rmat(scale, 50, unique=False, directed=True)
    assert graph.n == 2**scale
    assert graph.m == 50 * 2**scale


@pytest.mark.parametrize("permute", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("scale", [0, 1, 2, 3, 7])
def test_unique_edges_of_rmat_are_those_drawn_without_loops_and_repetitions(
    scale, directed, permute
):
    options = {"directed": directed, "permute": permute, "seed": scale}
    raw = generate.rmat(scale, 50, unique=False, **options)
    graph = generate.rmat(scale, 50, **options)
    src, dst, _ = raw.edges()
    assert set(zip(*graph.edges()[:2], strict=True)) == {
        (u, v) for u, v in zip(src, dst, strict=True) if u != v
    }
    assert graph.m == len(set(zip(*graph.edges()[:2], strict=True)))


def test_permuting_moves_hubs_and_keeps_the_degrees():
    plain = generate.rmat(10, 8, unique=False)
    moved = generate.rmat(10, 8, unique=False, permute=True)
    degrees = [np.diff(g.indptr) for g in (plain, moved)]
    assert degrees[0].argmax() == 0
    assert degrees[1].argmax() != 0
    assert (np.sort(degrees[0]) == np.sort(degrees[1])).all()


@pytest.mark.parametrize(("diagonal", "links"), [(False, 17), (True, 29)])
def test_a_grid_links_neighbours(diagonal, links):
    graph = generate.grid(3, 4, diagonal=diagonal)
    assert graph.m == 2 * links
    x, y = graph.coordinates.T
    src, dst, _ = graph.edges()
    steps = np.maximum(abs(x[src] - x[dst]), abs(y[src] - y[dst]))
    assert (steps == 1).all()


def test_a_quarter_of_the_links_can_be_dropped():
    graph = generate.grid(200, 200, (100, 10_000), drop=0.25)
    assert abs(graph.m / (2 * 2 * 200 * 199) - 0.75) < 0.01
    assert generate.grid(9, 9, drop=1.0).m == 0


@pytest.mark.parametrize("n", [1, 2, 3, 7, 50, 1000])
def test_a_road_network_is_connected_and_sparse(n):
    graph = generate.road(n)
    assert graph.n == n
    assert is_connected(graph)
    if n == 1000:
        assert 2.4 < graph.m / n < 2.6


def cross(p, q, r):
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def test_no_two_links_of_a_road_network_cross():
    graph = generate.road(150, 4, seed=3)
    at = graph.coordinates.astype(int).tolist()
    links = [(u, v) for u, v in link_set(graph) if u < v]
    for i, (a, b) in enumerate(links):
        for c, d in links[:i]:
            if {a, b} & {c, d}:
                continue
            p, q, r, s = at[a], at[b], at[c], at[d]
            apart = cross(p, q, r) * cross(p, q, s) > 0 or cross(r, s, p) * cross(r, s, q) > 0
            assert apart, (a, b, c, d)


@pytest.mark.parametrize("make", [generate.road, generate.delaunay])
def test_euclidean_weights_are_rounded_or_exact(make):
    whole, exact = make(300), make(300, dtype="float64")
    src, dst, _ = whole.edges()
    delta = whole.coordinates[src] - whole.coordinates[dst]
    squares = [int(dx) ** 2 + int(dy) ** 2 for dx, dy in delta]
    # nearest whole number: (2 w - 1)^2 <= 4 square <= (2 w + 1)^2
    for w, square in zip(whole.weights.tolist(), squares, strict=True):
        assert (2 * w - 1) ** 2 <= 4 * square <= (2 * w + 1) ** 2
    assert (exact.weights == np.sqrt(np.array(squares, np.float64))).all()


def test_the_core_rounds_lengths_and_refuses_ends_without_a_point():
    x, length = np.array([0, 1, 9]), np.empty(2, np.int32)
    ends = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
    _core.link_lengths(*ends, x, x, length)
    assert length.tolist() == [1, 13]  # sqrt(2) and sqrt(162)
    indices = Graph.of([(0, 1), (1, 2)]).indices  # checked already, for three vertices
    with pytest.raises(ValueError, match=r"must lie in 0 \.\. 2 - 1"):
        _core.link_lengths(indices, indices, x[:2], x[:2], length)


def triangulation(points):
    x, y = (np.array(a, np.int64) for a in zip(*points, strict=True))
    src, dst = _core.delaunay(x, y)
    return set(zip(src.tolist(), dst.tolist(), strict=True))


@pytest.mark.parametrize("n", [3, 4, 5, 10, 100, 5000])
def test_delaunay_is_that_of_qhull(n):
    spatial = pytest.importorskip("scipy.spatial")
    graph = generate.delaunay(n, seed=n)
    expected = set()
    for a, b, c in spatial.Delaunay(graph.coordinates).simplices.tolist():
        expected |= {(a, b), (b, a), (b, c), (c, b), (a, c), (c, a)}
    assert link_set(graph) == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, unique=True))
def test_points_on_common_circles_and_lines_are_triangulated(points):
    links = triangulation(points)
    n = len(points)
    direction = {cross(points[0], points[min(1, n - 1)], r) for r in points}
    if direction == {0}:
        assert len(links) == n - 1
        return
    hull = on_hull(points)
    assert len(links) == 3 * n - 3 - hull  # Euler: every inner face a triangle


def on_hull(points):
    """Points on the boundary of the convex hull, those within its edges included."""
    count = 0
    for p in points:
        others = [q for q in points if q != p]
        # p is inside unless a line through p and another point has all points on one side
        count += any(
            all(cross(p, q, r) >= 0 for r in others) or all(cross(p, q, r) <= 0 for r in others)
            for q in others
        )
    return count


@pytest.mark.parametrize("n", [0, 1, 2])
def test_small_delaunay_meshes(n):
    assert generate.delaunay(n).m == max(0, 2 * (n - 1))


def test_a_small_world_keeps_its_number_of_links_and_some_of_its_ring():
    ring = generate.small_world(100, 4, 0.0)
    assert link_set(ring) == {(v, (v + step) % 100) for v in range(100) for step in (-2, -1, 1, 2)}
    moved = generate.small_world(1000, 4, 0.3)
    assert moved.m == 4000
    src, dst, _ = moved.edges()
    gap = (dst - src) % 1000
    assert abs(np.isin(gap, (1, 2, 998, 999)).mean() - 0.7) < 0.03
    assert (gap != 0).all()


def test_complete_has_every_pair_and_dense_a_share():
    assert link_set(generate.complete(9)) == {(u, v) for u in range(9) for v in range(9) if u != v}
    assert abs(generate.dense(300, 0.2).m / (300 * 299) - 0.2) < 0.01


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize(
    ("weights", "dtype", "expected"),
    [
        ((3, 5), None, "int32"),
        ((0, 2**40), None, "int64"),
        ((3, 5), "int64", "int64"),
        ((0.0, 1.0), "float64", "float64"),
        ((0, 1), "float32", "float32"),
    ],
)
def test_weights_lie_in_their_range_and_have_their_type(name, weights, dtype, expected):
    dtype = expected if name == "kronecker" else dtype
    graph = EXAMPLES[name](weights=weights, dtype=dtype)
    assert graph.weights.dtype == expected
    assert weights[0] <= graph.weights.min()
    assert graph.weights.max() <= weights[1]
    assert graph.weights.min() != graph.weights.max()


def test_an_undirected_graph_takes_the_memory_of_both_arcs(monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "1000000")
    assert generate.rmat(10, 16, directed=True).n == 1024
    with pytest.raises(NotEnoughMemoryError, match=r"1,024 vertices and about 32,768 edges"):
        generate.rmat(10, 16)


def test_integers_are_as_narrow_as_their_range():
    for high, expected in ((2**31 - 1, np.int32), (2**31, np.int64)):
        assert generate.uniform(9, weights=(-(2**31), high)).weights.dtype == expected


def test_floats_are_float64_unless_said_otherwise():
    assert generate.uniform(10, weights=(0.0, 1.0)).weights.dtype == np.float64
    assert generate.uniform(10, weights=None).weights is None


def test_the_whole_range_of_64_bits_can_be_drawn():
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    weights = generate.uniform(1000, 2, (low, high)).weights
    assert weights.min() < low // 2
    assert weights.max() > high // 2


@pytest.mark.threads
@pytest.mark.parametrize("unique", [False, True])
def test_threads_change_no_bit_of_what_is_drawn(unique):
    def drawn(threads):
        weights, vertices = np.empty(1001, np.float64), np.empty(5, np.int32)
        _core.draw_weights(weights, 0.0, 1.0, 5, threads=threads)
        _core.draw_vertices(vertices, 77, 5, threads=threads)
        third = 2**32 // 3
        links = _core.rmat(
            scale=9,
            count=4001,
            a=third,
            ab=2 * third,
            abc=2**32,
            rename=True,
            links=True,
            unique=unique,
            seed=5,
            threads=threads,
        )
        return [array.tobytes() for array in (weights, vertices, *links)]

    alone = drawn(1)
    assert all(drawn(threads) == alone for threads in (2, 3, 7))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: generate.uniform(-1), InputError, "n = -1: must be at least 0"),
        (lambda: generate.uniform(2.5), InputError, "n = 2.5: must be an integer"),
        (lambda: generate.uniform(5, seed=-1), InputError, "seed = -1"),
        (lambda: generate.uniform(5, seed=2**64), InputError, "below 2\\*\\*64"),
        (lambda: generate.uniform(5, weights=(3, 1)), WeightError, "low must not exceed high"),
        (lambda: generate.uniform(5, weights=3), WeightError, "give \\(low, high\\)"),
        (lambda: generate.uniform(5, weights=(0, np.nan)), WeightError, "must be finite"),
        (lambda: generate.uniform(5, weights=(0, 2**64)), WeightError, "does not fit int64"),
        (lambda: generate.uniform(5, weights=(0, 1e300), dtype="f4"), WeightError, "float32"),
        (lambda: generate.uniform(5, weights=(0.5, 1), dtype="i4"), WeightError, "give integers"),
        (lambda: generate.uniform(5, dtype="float16"), WeightError, "weights are int32"),
        (lambda: generate.uniform(5, dtype="colour"), WeightError, "weights are int32"),
        (lambda: generate.uniform(5, weights=None, dtype="i4"), WeightError, "weights is None"),
        (lambda: generate.uniform(10**12), NotEnoughMemoryError, "TiB, but .* are free"),
        (lambda: generate.rmat(32), InputError, "at most 31"),
        (lambda: generate.rmat(4, a=0.9, b=0.9), InputError, "a \\+ b \\+ c"),
        (lambda: generate.rmat(4, a=-0.1), InputError, "a = -0.1: a probability"),
        (lambda: generate.grid(3, 3, drop=1.5), InputError, "drop = 1.5: a probability"),
        (lambda: generate.grid(3, 3, drop="half"), InputError, "drop = 'half'"),
        (lambda: generate.dense(3, float("nan")), InputError, "density = nan"),
        (lambda: generate.road(9, 5), InputError, "degree = 5"),
        (lambda: generate.road(9, weights="metres"), WeightError, "'metres'"),
        (lambda: generate.delaunay(2**30), InputError, "fewer than 2\\*\\*30"),
        (lambda: generate.small_world(9, 3), InputError, "even degree"),
        (lambda: generate.small_world(4, 4), InputError, "below n"),
    ],
)
def test_a_bad_argument_is_named_with_its_rule(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "make",
    [
        lambda: generate.random_in_degree(0),
        lambda: generate.uniform(0),
        lambda: generate.grid(0, 5),
        lambda: generate.grid(5, 0),
        lambda: generate.road(0),
        lambda: generate.delaunay(0),
        lambda: generate.small_world(0),
        lambda: generate.complete(0),
    ],
)
def test_a_graph_without_vertices_is_a_graph(make):
    graph = make()
    assert (graph.n, graph.m) == (0, 0)
