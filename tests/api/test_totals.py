"""`totals`: sums, maxima and counts of distances without a table of them."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import warpath as wp
from support import corpus
from warpath.base.dtypes import unreachable


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(700)


def expected(dist):
    reached = dist != unreachable(dist.dtype)
    known = np.where(reached, dist, 0)
    wide = known.astype(np.float64)
    inverses = np.divide(1.0, wide, out=np.zeros(known.shape), where=known != 0)
    return {
        "sum": known.sum(axis=1) if known.dtype.kind == "i" else wide.sum(axis=1),
        "max": known.max(axis=1),
        "count": reached.sum(axis=1),
        "harmonic": inverses.sum(axis=1),
    }


def assert_totals(found, right):
    for name, values in right.items():
        if name == "harmonic":  # added up in another order
            assert np.allclose(found[name], values, rtol=1e-12, atol=0)
        else:
            assert found[name].tolist() == values.tolist(), name


@pytest.mark.parametrize("prepared", [False, True])
def test_totals_are_those_of_the_table(road, prepared):
    solver = wp.Solver(road, prepared=prepared)
    names = ["sum", "max", "count", "harmonic"]
    found = solver.totals(names)
    assert_totals(found, expected(wp.apsp(road).dist))
    assert list(found.values) == names
    assert found.plan.recipe.prepared == prepared
    some = solver.totals(names, sources=[3, 9, 3], targets=[5, 5, 1])
    assert_totals(some, expected(wp.distances(road, [3, 9, 3], [5, 5, 1]).dist))
    assert some.sources.tolist() == [3, 9, 3]
    assert len(some) == 3


def test_targets_beyond_the_cutoff_do_not_count(road):
    cutoff = int(np.median(wp.sssp(road, 0).dist))
    dist = wp.distances(road, [0, 1], cutoff=cutoff).dist
    for solver in (wp.Solver(road), wp.prepare(road)):
        assert_totals(solver.totals(["sum", "count"], sources=[0, 1], cutoff=cutoff),
                      {name: expected(dist)[name] for name in ("sum", "count")})  # fmt: skip


@pytest.mark.threads
@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_sweeps_add_up_what_their_tables_have(dtype):
    for case in corpus.all(dtype=dtype):
        graph = case.graph()
        if not 0 < graph.n <= 60 or case.negative or graph.first_through:
            continue
        if graph.dist_dtype.kind == "i" and graph.facts().longest * graph.n >= 2**62:
            continue
        given = {"sources": np.arange(graph.n), "targets": [graph.n - 1, 0, 0]}
        for threads in (1, 3):
            solver = wp.Solver(graph, algorithm="delling2011.rphast", threads=threads)
            right = expected(solver.distances(**given).dist)
            assert_totals(solver.totals(list(right), **given), right)
            whole = wp.Solver(graph, algorithm="delling2011.phast", threads=threads)
            right = expected(whole.apsp().dist)
            assert_totals(whole.totals(list(right)), right)


@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_every_type_of_weights(dtype):
    for case in corpus.all(dtype=dtype):
        graph = case.graph()
        if not 0 < graph.n <= 60 or case.negative or "overflow" in case.name:
            continue
        dist = wp.apsp(graph).dist
        if dist.dtype.kind == "i" and graph.facts().longest * graph.n >= 2**63:
            continue
        found = wp.totals(graph, ["max", "count", "harmonic"])
        with np.errstate(over="ignore"):
            right = expected(dist)
        del right["sum"]
        assert_totals(found, right)
        assert found["max"].dtype == dist.dtype


def test_a_closed_vertex_is_at_no_distance_from_itself():
    graph = wp.Graph.from_edges([0, 2, 2, 1], [2, 0, 1, 2], [3, 4, 5, 6], first_through=2)
    found = wp.totals(graph, ["sum", "count"])
    dist = wp.apsp(graph).dist
    assert_totals(found, {name: expected(dist)[name] for name in ("sum", "count")})


def test_a_vertex_that_reaches_nothing_has_a_largest_distance_of_0():
    found = wp.totals([(0, 1, 2)], ["max", "count", "harmonic"], targets=[0])
    assert found["max"].tolist() == [0, 0]
    assert found["count"].tolist() == [1, 0]
    assert found["harmonic"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("reduce", ["mean", 7, ["sum", None], [], None])
def test_names_that_are_no_totals_are_refused(reduce):
    with pytest.raises(wp.InputError, match=r"reduce .*'sum'"):
        wp.totals([(0, 1, 2)], reduce)


def test_sums_that_may_not_fit_64_bits_are_refused():
    edges = [(0, 1, 2**61), (1, 2, 2**61)]
    with pytest.raises(wp.DistanceOverflowError, match="a sum of 3 distances of up to"):
        wp.totals(edges, "sum")
    assert wp.totals(edges, "max")["max"].tolist() == [2**62, 2**61, 0]


def test_totals_that_were_not_requested_are_named(road):
    found = wp.totals(road, "count", sources=[1])
    with pytest.raises(wp.InputError, match="'sum' is not among these totals; they are 'count'"):
        found["sum"]
    assert repr(found).startswith("<Totals of 1 sources: count")


def test_totals_have_a_table(road):
    pandas = pytest.importorskip("pandas")
    frame = wp.totals(road, ["count", "sum"], sources=[1, 5]).to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame) == ["source", "count", "sum"]
    assert frame["source"].tolist() == [1, 5]


@pytest.mark.threads
@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_function_sees_every_block_of_the_table_once(road, monkeypatch, prepared, threads):
    monkeypatch.setattr("warpath.io.streams.BLOCK_BYTES", 40 * road.n * 8)
    dist, blocks, seen = wp.apsp(road).dist, [], []

    def middle(sources, distances):
        blocks.append(len(sources))
        seen.extend(sources.tolist())
        assert distances.tobytes() == dist[sources].tobytes()
        return np.sort(distances, axis=1)[:, road.n // 2]

    found = wp.Solver(road, prepared=prepared, threads=threads).totals(middle)
    assert len(blocks) > 1
    assert seen == list(range(road.n))
    assert found["middle"].tolist() == np.sort(dist, axis=1)[:, road.n // 2].tolist()


def test_a_function_may_return_the_block_itself_or_rows_of_another_length(road, monkeypatch):
    monkeypatch.setattr("warpath.io.streams.BLOCK_BYTES", 40 * 8)
    some = {"sources": [5, 3, 9, 3] * 4, "targets": [1, 5, 2], "cutoff": 30_000}
    right = wp.distances(road, **some).dist
    kept = wp.totals(road, lambda _, distances: distances, **some)
    assert kept["<lambda>"].tolist() == right.tolist()
    assert kept["<lambda>"].dtype == right.dtype
    nearest = wp.totals(road, functools.partial(lambda k, _, d: np.sort(d)[:, :k], 2), **some)
    assert nearest["reduce"].tolist() == np.sort(right)[:, :2].tolist()


def test_rows_of_a_function_are_lists_in_the_data_frame(road):
    pytest.importorskip("pandas")
    found = wp.totals(road, lambda _, distances: distances[:, :2], sources=[5, 3])
    frame = found.to_pandas()
    assert [each.tolist() for each in frame["<lambda>"]] == found["<lambda>"].tolist()


def test_a_function_gets_the_names_of_the_graph():
    graph = wp.Graph.of([("a", "b", 2), ("b", "c", 5)])
    seen = []
    wp.totals(graph, lambda sources, distances: seen.extend(sources) or distances.max(axis=1))
    assert seen == ["a", "b", "c"]
    assert wp.totals(wp.Graph.from_edges([], [], n=0), len)["len"].tolist() == []


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda _, distances: distances.max(), r"shape \(\) for a block of 3 sources"),
        (lambda _, distances: distances[:2], r"shape \(2, 3\) for a block of 3 sources"),
        (lambda *_: None, "an object for a block of 3 sources: an array with an entry or a row"),
    ],
)
def test_a_function_that_does_not_return_an_entry_for_each_source_is_refused(function, message):
    with pytest.raises(wp.InputError, match=message):
        wp.totals([(0, 1, 2), (1, 2, 5)], function)


def test_entries_of_different_shapes_are_refused(road, monkeypatch):
    monkeypatch.setattr("warpath.io.streams.BLOCK_BYTES", 40 * road.n * 8)
    with pytest.raises(wp.InputError, match=r"entries of shape \(\d+,\) after those of \(0,\)"):
        wp.totals(road, lambda sources, distances: distances[:, : sources[0]])


def test_what_a_function_raises_comes_unchanged(road):
    def failing(_sources, _distances):
        raise ZeroDivisionError

    solver = wp.prepare(road)
    with pytest.raises(ZeroDivisionError):
        solver.totals(failing)
    assert solver.totals("count")["count"].tolist() == [road.n] * road.n
