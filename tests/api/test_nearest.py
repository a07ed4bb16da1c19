"""The nearest facility of every vertex, against the rows of all facilities."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from support import strategies
from support.recipes import on_cpu
from warpath import Graph
from warpath.recipes import Task

NEVER = np.iinfo(np.int64).max


def street(**options) -> Graph:
    """a - b - c - d - e in a row, two ways, 2 each; f is apart."""
    row = "abcde"
    edges = [(u, v, 2) for u, v in pairwise(row)]
    edges += [(v, u, 2) for u, v, _ in edges]
    return Graph.of([*edges, ("f", "g", 1)], **options)


zoned = st.builds(
    lambda edges, closed: Graph.of([tuple(e) for e in edges], n=7, first_through=closed),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 4)), max_size=30),
    st.integers(0, 7),
)
facilities = st.lists(st.integers(0, 6), min_size=1, max_size=4)


@given(zoned, facilities, st.booleans())
def test_it_is_the_least_row_and_of_equal_ones_the_first(graph, chosen, reverse):
    rows = sorted(set(chosen))
    if reverse:
        table = wp.distances(graph, range(7), rows).dist.T
    else:
        table = wp.distances(graph, rows).dist
    found = wp.nearest(graph, chosen, reverse=reverse)
    assert np.array_equal(found.dist, table.min(axis=0))
    first = np.array(rows)[table.argmin(axis=0)]
    assert np.array_equal(found.facility, np.where(table.min(axis=0) == NEVER, -1, first))


@given(strategies.graphs(np.int64, negative=True), st.data())
def test_with_negative_weights_too(graph, data):
    rows = sorted(data.draw(st.sets(st.integers(0, graph.n - 1), min_size=1, max_size=3)))
    try:
        table = wp.distances(graph, rows).dist
    except wp.NegativeCycleError:
        with pytest.raises(wp.NegativeCycleError) as caught:
            wp.nearest(graph, rows)
        assert set(caught.value.cycle) <= set(range(graph.n))
        assert caught.value.length < 0
        return
    found = wp.nearest(graph, rows)
    assert np.array_equal(found.dist, table.min(axis=0))
    first = np.array(rows)[table.argmin(axis=0)]
    assert np.array_equal(found.facility, np.where(table.min(axis=0) == NEVER, -1, first))


@given(strategies.graphs(np.float32), st.data())
def test_float_distances_have_the_bits_of_the_least_row(graph, data):
    rows = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=3))
    found = wp.nearest(graph, rows)
    table = wp.distances(graph, rows).dist
    assert np.array_equal(found.dist, table.min(axis=0))
    own = found.facility >= 0
    assert np.array_equal(own, np.isfinite(found.dist))
    by_name = {int(f): row for f, row in zip(rows, table, strict=True)}
    for v in np.flatnonzero(own):
        assert by_name[int(found.facility[v])][v] == found.dist[v]


@pytest.mark.parametrize("name", [r.name for r in on_cpu(Task.SSSP) if not r.equal_weights])
def test_every_algorithm_of_one_source_can_do_it(name):
    found = wp.nearest(street(), ["a", "d"], algorithm=name)
    assert found.dist.tolist() == [0, 2, 2, 0, 2, NEVER, NEVER]
    assert found.facility.tolist() == ["a", "a", "d", "d", "d", None, None]
    assert found.plan.algorithm == name


def test_a_cutoff_leaves_far_vertices_without_a_facility():
    found = wp.nearest(street(), ["a"], cutoff=4)
    assert found.dist.tolist() == [0, 2, 4, NEVER, NEVER, NEVER, NEVER]
    assert found.facility.tolist() == ["a", "a", "a", None, None, None, None]
    assert found.reached.tolist() == [True] * 3 + [False] * 4
    assert found.stats["reached"] == 3


def test_a_path_within_the_cutoff_may_pass_a_vertex_beyond_it_under_negative_weights():
    graph = Graph.of([(0, 1, 10), (1, 2, -8), (0, 3, 1)])
    found = wp.nearest(graph, [0], cutoff=5)
    assert found.dist.tolist() == [0, NEVER, 2, 1]
    assert found.facility.tolist() == [0, -1, 0, 0]


@pytest.mark.parametrize(
    ("algorithm", "signed"),
    [
        ("auto", False),
        ("auto", True),
        ("classic.bellman_ford", False),
        ("classic.bellman_ford", True),
        ("classic.delta_stepping", False),
    ],
)
def test_a_distance_beyond_the_cutoff_need_not_fit(algorithm, signed):
    far, last = 2**62, -2 if signed else 2
    graph = Graph.of([(0, 1, far), (1, 2, far), (2, 3, far), (0, 4, 5), (4, 5, last), (6, 5, 3)])
    found = wp.nearest(graph, [6, 0], cutoff=far, algorithm=algorithm)
    assert found.dist.tolist() == [0, far, NEVER, NEVER, 5, 3, 0]
    assert found.facility.tolist() == [0, 0, -1, -1, 0, 0 if signed else 6, 6]
    with pytest.raises(wp.DistanceOverflowError):
        wp.nearest(graph, [6, 0], algorithm=algorithm)


def test_a_round_trip_to_a_closed_facility_need_not_fit():
    graph = Graph.from_edges([0, 1, 2], [1, 0, 1], [2**62, 2**62, 4], first_through=1)
    found = wp.nearest(graph, [0])
    assert (found.dist.tolist(), found.facility.tolist()) == ([0, 2**62, NEVER], [0, 0, -1])
    beyond = Graph.from_edges([0, 1], [1, 2], [2**62, 2**62], first_through=1)
    with pytest.raises(wp.DistanceOverflowError):
        wp.nearest(beyond, [0])


def test_reverse_measures_from_the_vertices_to_the_facilities():
    graph = Graph.of([(0, 1, 1), (1, 2, 1), (2, 0, 5)])
    assert wp.nearest(graph, [0]).dist.tolist() == [0, 1, 2]
    assert wp.nearest(graph, 0, reverse=True).dist.tolist() == [0, 6, 5]
    only = "Nearest of 1 facility: 3 of 3 vertices have one, distances to it"
    assert only in repr(wp.nearest(graph, 0, reverse=True))


def test_the_result_has_the_graphs_own_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = wp.nearest(street(), ["d", "a", "d"])
    assert found.facilities.tolist() == ["d", "a", "d"]
    assert found.facility_indices.tolist() == [0, 0, 3, 3, 3, -1, -1]
    frame = found.to_pandas()
    assert frame["facility"].tolist()[:5] == ["a", "a", "d", "d", "d"]
    assert frame["distance"].isna().tolist() == [False] * 5 + [True] * 2
    assert len(found) == 7
    assert "2 facilities: 5 of 7 vertices have one, distances from it" in repr(found)
    for name, read in (("n.parquet", pandas.read_parquet), ("n.csv", pandas.read_csv)):
        found.save(tmp_path / name)
        saved = read(tmp_path / name)
        assert saved.columns.tolist() == ["vertex", "facility", "distance"]
        assert saved["vertex"].tolist() == list("abcdefg")
        assert saved["facility"].tolist()[:5] == ["a", "a", "d", "d", "d"]
        assert saved["distance"].isna().sum() == 2
    with pytest.raises(wp.InputError, match=r"results are written as \.parquet, \.csv or \.tex"):
        found.save(tmp_path / "n.txt")


def test_narrow_distances_and_errors():
    assert wp.nearest(street(), ["a"], dist_dtype="int32").dist.dtype == np.int32
    with pytest.raises(wp.DistanceOverflowError):
        wp.nearest([(0, 1, 2**31 - 1), (1, 2, 2)], [0], dist_dtype="int32")
    with pytest.raises(wp.VertexError, match="'z'"):
        wp.nearest(street(), ["z"])
    with pytest.raises(wp.InputError, match="facilities is empty"):
        wp.nearest(street(), [])
    assert not wp.nearest(street(), ["a"]).dist.flags.writeable


@pytest.mark.parametrize("reverse", [False, True])
def test_a_negative_cycle_has_the_graphs_own_names_in_the_order_of_its_edges(reverse):
    edges = {("a", "b"): 4, ("b", "c"): -7, ("c", "a"): 1, ("d", "a"): 2, ("a", "e"): 2}
    graph = Graph.of([(u, v, w) for (u, v), w in edges.items()])
    with pytest.raises(wp.NegativeCycleError, match="length -2") as caught:
        wp.nearest(graph, ["e" if reverse else "d"], reverse=reverse)
    cycle = caught.value.cycle
    around = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
    assert sum(edges[pair] for pair in around) == -2


def test_under_negative_weights_a_facility_beyond_the_cutoff_on_the_way_is_found():
    found = wp.nearest([(0, 1, 10), (1, 2, -8), (3, 2, 4)], [0, 3], cutoff=5)
    assert found.dist.tolist() == [0, NEVER, 2, 0]
    assert found.facility_indices.tolist() == [0, -1, 0, 3]


def test_a_round_trip_of_negative_length_to_a_closed_facility_does_not_count():
    ends = [0, 2, 1], [2, 0, 0]
    graph = Graph.from_edges(*ends, [-5, 1, -2], first_through=2)
    alone, both = wp.nearest(graph, [0]), wp.nearest(graph, [0, 1])
    assert (alone.dist.tolist(), alone.facility.tolist()) == ([0, NEVER, -5], [0, -1, 0])
    assert (both.dist.tolist(), both.facility.tolist()) == ([-2, 0, -5], [1, 1, 0])
    table = wp.distances(graph, [0, 1])
    assert both.dist.tolist() == table.dist.min(axis=0).tolist()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_a_prepared_solver_sweeps_to_the_same_facilities(dtype, reverse):
    roads = wp.generate.road(3000)
    lengths = np.random.default_rng(1).integers(0, 50, roads.m).astype(dtype)
    graph = roads.with_weights(lengths)
    city = wp.prepare(graph)
    for chosen in ([5], [700, 5, 2999], list(range(0, 3000, 40))):
        for cutoff in (None, 900):
            found = city.nearest(chosen, reverse=reverse, cutoff=cutoff)
            expected = wp.nearest(graph, chosen, reverse=reverse, cutoff=cutoff)
            assert found.dist.tobytes() == expected.dist.tobytes()
            assert found.facility_indices.tolist() == expected.facility_indices.tolist()
            assert found.stats["reached"] == expected.stats["reached"]
            if cutoff is None:
                assert found.plan.algorithm == "delling2011.phast"
                assert not expected.plan.recipe.prepared


@given(zoned, facilities, st.booleans())
def test_a_sweep_never_passes_through_closed_vertices(graph, chosen, reverse):
    found = wp.nearest(graph, chosen, reverse=reverse, algorithm="delling2011.phast")
    expected = wp.nearest(graph, chosen, reverse=reverse)
    assert found.dist.tolist() == expected.dist.tolist()
    assert found.facility.tolist() == expected.facility.tolist()


def test_sums_beyond_64_bits_are_searched_for():
    graph = Graph.of([(v, v + 1, 2**61) for v in range(4)])
    found = wp.nearest(graph, [0, 3], cutoff=2**62, algorithm="delling2011.phast")
    assert found.dist.tolist() == [0, 2**61, 2**62, 0, 2**61]


def test_a_cutoff_that_reaches_little_is_searched_in_the_graph():
    roads = wp.generate.road(20_000)
    city = wp.prepare(roads)
    near, far = (city.nearest([5, 99], cutoff=cutoff) for cutoff in (2000, 2**40))
    assert not near.plan.recipe.prepared
    assert any("expected within the cutoff" in note for note in near.plan.notes)
    assert far.plan.algorithm == "delling2011.phast"
    assert near.dist.tolist() == wp.nearest(roads, [5, 99], cutoff=2000).dist.tolist()


def test_notes_about_negative_weights_have_the_graphs_own_names():
    points = [(0, 0), (10, 0), (20, 0), (30, 0)]
    edges = [("a", "b", 5), ("b", "c", -2), ("c", "d", 3)]
    place = wp.Place(4, 0)
    for closed in (0, 1):
        plain = Graph.of(edges)
        graph = Graph(
            *(plain.indptr, plain.indices, plain.weights),
            labels=plain.labels,
            coordinates=points,
            first_through=closed,
        )
        own = "1 of 3 weights is negative, the first is -2 on the edge 'b' -> 'c' (number 1)"
        for found in (
            wp.nearest(graph, ["a"]),
            wp.nearest(graph, ["d"], reverse=True),
            wp.nearest(graph, [place, "a"]),
            wp.within(graph, "d", 9, reverse=True),
            wp.within(graph, ["b", "d"], 9, reverse=True),
            wp.sssp(graph, place),
            wp.distances(graph, [place]),
            wp.pairs(graph, [place], ["d"]),
            wp.path(graph, place, "d"),
        ):
            assert [note for note in found.plan.notes if "negative" in note] == [own]
