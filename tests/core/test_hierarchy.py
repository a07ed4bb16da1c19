"""Contraction hierarchies: what is built, what is refused, and what searches in them answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import reference, strategies
from support.hubs import road_with_hubs
from warpath import _core
from warpath.base.errors import NotSupportedError
from warpath.engines.hierarchy import HIERARCHY, hierarchy_of
from warpath.graph import Graph


def contracted(graph, **options):
    return _core.contract(graph.indptr, graph.indices, graph._solver_weights, **options)


def flat(hierarchy) -> list[np.ndarray]:
    position, up, down = hierarchy.arrays()
    return [position, *up, *(down or ())]


def arrays_by_name(hierarchy) -> dict[str, np.ndarray]:
    position, up, down = hierarchy.arrays()
    names = ("up_first", "up_heads", "up_weights", "down_first", "down_heads", "down_weights")
    return dict(zip(names, (*up, *(down or up)), strict=True)) | {"position": position}


def rebuilt(hierarchy, **changes):
    """Make a hierarchy from the arrays of another one, some of which are replaced."""
    arrays = arrays_by_name(hierarchy) | changes
    return _core.hierarchy(**arrays, symmetric=hierarchy.symmetric)


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(3000)


@pytest.mark.threads
@pytest.mark.parametrize("make", [lambda: wp.generate.road(3000), lambda: wp.generate.rmat(8)])
def test_any_number_of_threads_builds_the_same_hierarchy(make):
    graph = make()
    one = flat(contracted(graph, threads=1))
    for threads in (2, 3):
        for array, expected in zip(flat(contracted(graph, threads=threads)), one, strict=True):
            assert array.tobytes() == expected.tobytes()


def test_every_arc_leads_to_a_smaller_position(road):
    position, (first, heads, weights), down = contracted(road).arrays()
    assert down is None  # the graph has each edge in both directions
    assert sorted(position.tolist()) == list(range(road.n))
    assert np.all(heads < np.repeat(np.arange(road.n), np.diff(first)))
    assert np.all(weights >= 0)


def test_a_directed_graph_has_arcs_of_its_own_in_each_direction():
    graph = Graph.of([(0, 1, 2), (1, 2, 3), (2, 0, 4), (0, 2, 9)])
    hierarchy = contracted(graph)
    assert not hierarchy.symmetric
    assert sum(hierarchy.arcs) >= graph.m - 1  # the edge of length 9 has a witness


def test_a_hierarchy_of_its_own_arrays_answers_alike(road):
    first = contracted(road)
    again = rebuilt(first)
    starts, ends = np.arange(0, 3000, 17), np.arange(2999, 0, -17)[:177]
    answers = [np.empty(len(starts), np.int64) for _ in range(2)]
    for hierarchy, out in zip((first, again), answers, strict=True):
        hierarchy.pairs(starts, ends, out)
    assert answers[0].tolist() == answers[1].tolist()
    assert again.bound == first.bound


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("position", np.zeros_like, "position must be that of one vertex"),
        ("position", lambda values: values + 1, "position must be that of one vertex"),
        ("up_heads", lambda values: values + 1, "to a smaller position"),
        ("up_heads", lambda values: values + 2999, "to a smaller position"),
        ("up_heads", lambda values: values - 3000, "to a smaller position"),
        ("up_first", lambda values: values[::-1].copy(), "must ascend"),
        ("up_first", lambda values: values[:-1].copy(), "entries, but"),
        ("up_weights", lambda values: -values, "weights must be >= 0"),
        ("up_weights", lambda values: values[:-1].copy(), "entries, but"),
    ],
)
def test_arrays_that_are_no_hierarchy_are_refused(road, name, change, message):
    hierarchy = contracted(road)
    with pytest.raises(ValueError, match=message):
        rebuilt(hierarchy, **{name: change(arrays_by_name(hierarchy)[name])})


def test_vertices_that_do_not_exist_and_tables_of_another_size_are_refused(road):
    hierarchy = contracted(road)
    one, out = np.zeros(1, np.int64), np.empty((1, 1), np.int64)
    with pytest.raises(ValueError, match="there is no vertex 3000"):
        hierarchy.pairs(one, one + 3000, np.empty(1, np.int64))
    with pytest.raises(ValueError, match="there is no vertex -1"):
        hierarchy.table(one - 1, one, out, restricted=True)
    with pytest.raises(ValueError, match="a row per source"):
        hierarchy.table(one, np.zeros(2, np.int64), out, restricted=True)
    with pytest.raises(ValueError, match="out has 2 entries"):
        hierarchy.pairs(one, one, np.empty(2, np.int64))
    other = wp.generate.road(100)
    with pytest.raises(ValueError, match="the rows are of another graph"):
        hierarchy.route(other.indptr, other.indices, other._solver_weights, 0, 1)


def test_negative_weights_are_refused_by_the_core():
    graph = Graph.of([(0, 1, -2), (1, 2, 3)])
    with pytest.raises(ValueError, match="weights must not be negative"):
        contracted(graph)


def test_a_dense_graph_of_equal_weights_is_refused_with_its_numbers():
    graph = wp.generate.uniform(3000, 150, weights=(1, 1))
    with pytest.raises(NotSupportedError, match=r"of 3,000 vertices left, each has \d+ arcs"):
        hierarchy_of(graph, 2)
    assert HIERARCHY.cached(graph) is None


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
def test_a_graph_whose_vertices_add_arcs_is_refused_before_it_is_dense(threads):
    graph = wp.generate.small_world(1000)
    limits = {"core_vertices": 100, "core_degree": 1000, "threads": threads}
    vertices, arcs, growing = contracted(graph, growing_vertices=100, **limits)
    assert (vertices, arcs, growing) == (454, 4626, 270)  # any number of threads counts the same
    assert contracted(graph, growing_vertices=vertices, **limits).n == 1000


def test_a_graph_that_is_going_to_be_dense_is_refused_with_its_numbers():
    graph = wp.generate.uniform(5000, 6)
    message = (
        r"4,460 of 5,000 vertices left, each has 7 arcs, and 4,418 of them, if removed, would add"
    )
    with pytest.raises(NotSupportedError, match=message):
        hierarchy_of(graph, 2)
    assert HIERARCHY.cached(graph) is None


def test_the_limits_of_the_core_decide_what_is_refused(road):
    vertices, arcs, growing = contracted(road, core_vertices=20, core_degree=3)
    assert vertices > 20
    assert arcs > 3 * vertices
    assert growing == 0


def test_a_rest_that_is_a_small_share_of_the_graph_may_be_dense():
    graph = wp.generate.road(100_000)
    vertices, arcs, _ = contracted(graph, core_vertices=1, core_degree=14)
    assert vertices > 100_000 // 400
    assert arcs > 14 * vertices
    assert contracted(graph, core_vertices=1, core_degree=16).n == 100_000


def test_sums_beyond_32_bits_take_64_and_beyond_those_there_is_no_hierarchy():
    ends = np.arange(8)
    graph = Graph.from_edges(ends, ends + 1, np.full(8, 2**30, np.int32))
    assert graph._solver_weights.dtype == np.int32
    hierarchy = hierarchy_of(graph, 1)
    assert hierarchy.arrays()[1][2].dtype == np.int64
    out = np.empty(1, np.int64)
    hierarchy.pairs(np.array([0]), np.array([8]), out)
    assert out[0] == 8 * 2**30
    huge = Graph.of([(v, v + 1, 2**62) for v in range(8)])
    assert hierarchy_of(huge, 1) is None


def test_a_graph_keeps_its_hierarchy(road):
    assert hierarchy_of(road, 1) is hierarchy_of(road, 2)
    assert any("contraction hierarchy" in repr(entry) for entry, _ in road.derived)


@pytest.mark.threads
@pytest.mark.parametrize("bits", [0, 256, 512])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_registers_of_any_width_give_the_same_table(road, dtype, bits):
    graph = road.with_weights(road.weights.astype(dtype) * dtype(2))
    if dtype is np.int64:
        graph = graph.with_weights(graph.weights << 24)
    hierarchy = contracted(graph)
    sources, targets = np.arange(0, 3000, 100), np.arange(5, 3000, 70)
    expected = wp.distances(graph, sources).dist  # these sums are exact in every type
    for restricted, columns in ((True, targets), (False, targets), (False, targets[:0])):
        picked = expected[:, columns] if len(columns) else expected
        out = np.empty(picked.shape, graph.dist_dtype)
        hierarchy.table(sources, columns, out, restricted=restricted, bits=bits, threads=2)
        assert out.tobytes() == np.ascontiguousarray(picked).tobytes()


@pytest.mark.threads
@pytest.mark.parametrize("bits", [0, 256, 512])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_pairs_side_by_side_in_registers_of_any_width_have_the_distances(road, dtype, bits):
    graph = road.with_weights(road.weights.astype(dtype) * dtype(2))
    if dtype is np.int64:
        graph = graph.with_weights(graph.weights << 24)
    graph = Graph.from_edges(*graph.edges(), n=graph.n + 1)  # one that nothing reaches
    table = wp.apsp(graph).dist  # these sums are exact in every type
    hierarchy, rng = contracted(graph), np.random.default_rng(0)
    for count, threads in ((1, 1), (2, 3), (17, 1), (500, 2), (9000, 3)):
        starts, ends = rng.integers(0, graph.n, (2, count))
        starts[: count // 2] = starts[0]
        ends[count // 3] = graph.n - 1
        out = np.empty(count, graph.dist_dtype)
        counts = hierarchy.pairs(starts, ends, out, bits=bits, threads=threads)
        assert out.tobytes() == table[starts, ends].tobytes()
        assert 0 <= counts["stalled"] <= counts["settled"]


@pytest.mark.threads
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@given(data=st.data())
def test_buckets_hold_the_table_of_a_sweep(dtype, data):
    graph = data.draw(strategies.graphs(dtype))
    hierarchy = hierarchy_of(graph, 1)
    if graph.n == 0 or hierarchy is None:
        return
    vertices = st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=9)
    sources, targets = (np.array(data.draw(vertices), np.int64) for _ in range(2))
    swept, met = (np.empty((len(sources), len(targets)), graph.dist_dtype) for _ in range(2))
    hierarchy.table(sources, targets, swept, restricted=True)
    counts = hierarchy.bucket_table(sources, targets, met, threads=data.draw(st.integers(1, 3)))
    if graph.dist_dtype.kind == "i":
        assert met.tolist() == swept.tolist()
    else:
        bound = graph.n * float(np.finfo(dtype).eps) * graph._solver_weights.sum(dtype=np.float64)
        assert np.isinf(met).tolist() == np.isinf(swept).tolist()
        assert np.allclose(met, swept, rtol=0, atol=bound)
    assert counts["settled"] >= len(sources) + len(targets)
    assert 0 <= counts["stalled"] <= counts["settled"]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@given(data=st.data())
def test_the_nearest_source_is_the_first_of_the_least_rows(dtype, data):
    graph = data.draw(strategies.graphs(dtype))
    hierarchy = hierarchy_of(graph, 1)
    if graph.n == 0 or hierarchy is None:
        return
    sources = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=5)))
    rows = np.array([reference.dijkstra(graph, source) for source in sorted(sources.tolist())])
    back = graph.reversed()
    turned = np.array([reference.dijkstra(back, source) for source in sorted(sources.tolist())])
    both = (hierarchy, rows), (hierarchy.reversed(), turned)
    for each, expected in both:
        dist, nearest = np.empty(graph.n, np.int64), np.empty(graph.n, graph.indices.dtype)
        counts = each.nearest(sources, dist, nearest)
        least = expected.min(axis=0)
        assert dist.tolist() == least.tolist()
        first = np.sort(sources)[expected.argmin(axis=0)]
        reached = least != np.iinfo(np.int64).max
        assert nearest.tolist() == np.where(reached, first, -1).tolist()
        assert counts["labelled"] == graph.n


def test_upward_lists_have_the_given_places_and_do_not_count_in_later_calls(road):
    hierarchy, sources = contracted(road), np.array([5, 700, 2999])
    out = np.empty((3, 3), road.dist_dtype)
    counts = hierarchy.bucket_table(sources, sources, out)
    every = np.arange(road.n, dtype=np.int32)
    even = np.where(every % 2 == 0, every, -1).astype(np.int32)
    whole, some = (_core.upward_lists(hierarchy, places, 0, sources, 3) for places in (every, even))
    kept = whole[1] % 2 == 0
    assert 0 < kept.sum() < len(kept)
    for all_of, found in zip(whole[1:], some[1:], strict=True):
        assert found.tolist() == all_of[kept].tolist()
    assert hierarchy.bucket_table(sources, sources, out) == counts


def test_counts_are_those_of_the_arcs(road):
    hierarchy = contracted(road)
    out = np.empty((2, road.n), np.int64)
    sources = np.array([7, 1500])
    counts = hierarchy.table(sources, sources[:0], out, restricted=False)
    assert counts["labelled"] == 2 * road.n
    assert counts["relaxed_down"] == 2 * hierarchy.arcs[1]
    assert 2 < counts["settled"] < road.n
    one = [hierarchy.table(sources[[i]], sources[:0], out[:1], restricted=False) for i in (0, 1)]
    down = {name: one[0][name] + one[1][name] for name in ("labelled", "relaxed_down")}
    assert down.items() <= counts.items()
    # Side by side, the searches upward take a position once.
    most = max(each["settled"] for each in one)
    assert most < counts["settled"] < one[0]["settled"] + one[1]["settled"]
    assert hierarchy.pairs(sources, sources, out[0, :2])["settled"] >= 4


def test_sources_and_arrays_that_do_not_fit_are_refused(road):
    hierarchy = contracted(road)
    one, dist, owners = np.zeros(1, np.int64), np.empty(3000, np.int64), np.empty(3000, np.int32)
    with pytest.raises(ValueError, match="there is no vertex 3000"):
        hierarchy.nearest(one + 3000, dist, owners)
    with pytest.raises(ValueError, match="nearest has 2 entries, but 3000 are needed"):
        hierarchy.nearest(one, dist, owners[:2])
    with pytest.raises(ValueError, match="a row per source and a column per target"):
        hierarchy.bucket_table(one, one, np.empty((1, 2), np.int64))
    with pytest.raises(ValueError, match="there is no vertex -1"):
        hierarchy.bucket_table(one, one - 1, np.empty((1, 1), np.int64))


def test_a_distance_that_int32_does_not_hold_is_an_overflow():
    graph = Graph.of([(0, 1, 2**31), (1, 2, 2**31)])
    hierarchy = contracted(graph)
    out = np.empty((1, 3), np.int32)
    with pytest.raises(OverflowError, match="a distance of 2147483648 does not fit int32"):
        hierarchy.table(np.array([0]), np.empty(0, np.int64), out, restricted=False)
    with pytest.raises(OverflowError, match="a distance of 2147483648 does not fit int32"):
        hierarchy.bucket_table(np.array([0]), np.arange(3), out)


@pytest.mark.threads
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@given(data=st.data())
def test_random_graphs_have_the_distances_and_routes_of_dijkstra(dtype, data):
    graph = data.draw(strategies.graphs(dtype))
    hierarchy = hierarchy_of(graph, data.draw(st.integers(1, 3)))
    if graph.n == 0 or hierarchy is None:
        return
    source = data.draw(st.integers(0, graph.n - 1))
    expected = reference.dijkstra(graph, source)
    out = np.empty(graph.n, graph.dist_dtype)
    hierarchy.pairs(np.full(graph.n, source), np.arange(graph.n), out)
    assert out.tolist() == expected.tolist()
    tree = wp.sssp(graph, source, algorithm="classic.dijkstra")
    for target in np.flatnonzero(tree.reached)[:5].tolist():
        route = wp.path(graph, source, target, algorithm="geisberger2008.ch")
        assert route.indices.tolist() == tree.path_to(target).indices.tolist()


@given(graph=strategies.graphs("int32"), seed=st.integers(0, 2**32 - 1))
def test_a_permuted_graph_has_permuted_distances(graph, seed):
    order = np.random.default_rng(seed).permutation(graph.n)
    src, dst, weights = graph.edges()
    other = Graph.from_edges(order[src], order[dst], weights, n=graph.n)
    table, permuted = (wp.apsp(each, algorithm="delling2011.phast").dist for each in (graph, other))
    assert permuted[np.ix_(order, order)].tolist() == table.tolist()


@pytest.mark.parametrize("both_ways", [True, False])
def test_hubs_have_the_distances_of_dijkstra(both_ways):
    """Lists of more than 128 arcs are put in order once a round."""
    graph = road_with_hubs(700, both_ways=both_ways)
    table = np.empty((graph.n, graph.n), np.int64)
    contracted(graph).table(np.arange(graph.n), np.empty(0, np.int64), table, restricted=False)
    assert table.tolist() == wp.apsp(graph, algorithm="classic.dijkstra").dist.tolist()


def test_a_star_has_one_arc_for_each_leaf():
    """One round contracts all leaves but the last 128; a round for each would take minutes."""
    leaves = np.arange(1, 100_000)
    star = Graph.from_edges(np.zeros(len(leaves), int), leaves, leaves, directed=False)
    assert contracted(star).arcs == (len(leaves), len(leaves))


def test_vertices_that_one_round_contracts_are_not_each_others_witnesses():
    """Of equally short paths around them, both would be lost."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, columns = rng.integers(2, 9, 2).tolist()
        for graph in (wp.generate.grid(rows, columns), wp.generate.uniform(5 * rows, 3, seed=seed)):
            equal = graph.with_weights(None)
            table = np.empty((equal.n, equal.n), np.int64)
            sources = np.arange(equal.n)
            contracted(equal).table(sources, sources[:0], table, restricted=False)
            assert table.tolist() == wp.apsp(equal, algorithm="classic.dijkstra").dist.tolist()
