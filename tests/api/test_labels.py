"""Labels of prepared graphs: prepare, use, reweight, save."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import warpath as wp
from support import corpus
from warpath import _core
from warpath.api import prepared
from warpath.base.errors import (
    GraphFormatError,
    InputError,
    NotEnoughMemoryError,
    NotSupportedError,
)
from warpath.engines.labels import LABELS, arrays_of
from warpath.graph.solvable import search_graph
from warpath.graph.turns import Turns
from warpath.io import array_file, wph

H2H = "ouyang2018.h2h"


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(2000)


@pytest.fixture(scope="module")
def city(road):
    return wp.prepare(road, labels=True)


@pytest.fixture(scope="module")
def trips(road):
    return np.random.default_rng(1).integers(0, road.n, (2, 500))


def entries(solver) -> list[bytes]:
    return [array.tobytes() for array in arrays_of(search_graph(solver.graph))]


def test_pairs_and_small_tables_use_labels(road, city, trips):
    expected = wp.apsp(road).dist
    found = city.pairs(*trips)
    assert found.plan.algorithm == H2H
    assert found.dist.tolist() == expected[tuple(trips)].tolist()
    table = city.distances(trips[0, :5], trips[1, :7])
    assert table.plan.algorithm == H2H
    assert table.dist.tolist() == expected[np.ix_(trips[0, :5], trips[1, :7])].tolist()
    assert city.distances([3]).dist.tolist() == [expected[3].tolist()]
    narrow = city.distances([3], [5], dist_dtype="int32").dist
    assert (narrow.dtype, narrow.item()) == (np.int32, expected[3, 5])


def test_routes_use_labels(road, city, trips):
    for source, target in trips.T[:50].tolist():
        expected = wp.path(road, source, target)
        found = city.path(source, target)
        assert (found.plan.algorithm, found.length) == (H2H, expected.length)
        assert found.indices.tolist() == expected.indices.tolist()
    quantity = np.random.default_rng(2).integers(0, 9, road.m)
    along = city.pairs(*trips).along(quantity)
    assert along.tolist() == wp.pairs(road, *trips).along(quantity).tolist()
    assert city.path(7, 7).indices.tolist() == [7]


def test_routes_over_edges_of_length_0_are_searched_in_the_hierarchy(road):
    weights = road._solver_weights.copy()
    weights[::7] = 0
    graph = road.with_weights(weights)
    city = wp.prepare(graph, labels=True)
    for target in range(0, graph.n, 97):
        expected = wp.path(graph, 3, target)
        found = city.path(3, target)
        assert found.indices.tolist() == expected.indices.tolist()
        assert target == 3 or found.plan.algorithm == "geisberger2008.ch"
    with pytest.raises(NotSupportedError, match="above 0"):
        wp.path(graph, 0, 1, algorithm=H2H)


def test_routes_of_a_saved_graph_do_not_wait_for_arcs(city, tmp_path):
    city.save(tmp_path / "city.wph")
    loaded = wp.load(tmp_path / "city.wph")
    assert loaded.pairs([0], [9]).plan.algorithm == H2H
    route = loaded.path(0, 9)
    assert route.plan.algorithm == "geisberger2008.ch"
    assert route.indices.tolist() == city.path(0, 9).indices.tolist()


def test_routes_of_changed_weights_use_labels_made_anew(road, city):
    for weight in (1, np.inf):
        changed = city.with_changes([5, 6, 700], [weight] * 3)
        for target in range(0, road.n, 53):
            found = changed.path(9, target)
            assert found.indices.tolist() == wp.path(changed.graph, 9, target).indices.tolist()
            assert target == 9 or found.plan.algorithm == H2H


def test_without_labels_nothing_uses_them(trips):
    other = wp.generate.road(2000, seed=8)
    solver = wp.prepare(other)
    assert solver.pairs(*trips).plan.algorithm == "geisberger2008.ch"
    assert H2H not in repr(solver.plan(origins=trips[0], destinations=trips[1]))
    assert LABELS.cached(other) is None


def test_a_named_algorithm_computes_labels_at_the_first_call(trips):
    graph = wp.generate.road(2000, seed=9)
    found = wp.pairs(graph, *trips, algorithm=H2H)
    assert found.dist.tolist() == wp.pairs(graph, *trips).dist.tolist()
    assert LABELS.cached(graph) is not None
    table = wp.distances(graph, [1, 2], [3, 4], algorithm=H2H)
    assert table.dist.tolist() == wp.distances(graph, [1, 2], [3, 4]).dist.tolist()


def test_graphs_that_are_searched_in_another_one():
    """Graphs with closed vertices, and one with turns."""
    graphs = [
        case.graph()
        for case in corpus.all()
        if not case.negative and not case.overflows and case.graph().first_through > 0
    ]
    grid = wp.generate.grid(5, 5)
    banned = Turns([[0, 4], [3, 9]], np.full(grid.m, -1))
    graphs.append(wp.Graph(grid.indptr, grid.indices, grid.weights, turns=banned))
    assert len(graphs) > 1
    for graph in graphs:
        solver, ends = wp.prepare(graph, labels=True), np.arange(graph.n)
        found = solver.pairs(ends, ends[::-1].copy())
        expected = wp.pairs(graph, ends, ends[::-1].copy()).dist
        assert found.plan.algorithm == H2H
        assert found.dist.tolist() == expected.tolist()
        for trip in np.flatnonzero(found.reached).tolist():
            route = wp.path(graph, int(ends[trip]), int(ends[-1 - trip]))
            assert found.route(trip).indices.tolist() == route.indices.tolist()


def test_new_weights_are_labelled_as_by_preparing_anew(road, city, trips):
    weights = np.random.default_rng(2).integers(1, 99, road.m).astype(np.int32)
    changed = city.with_weights(weights)
    anew = wp.prepare(road.with_weights(weights), labels=True)
    assert entries(changed) == entries(anew)
    assert changed.pairs(*trips).plan.algorithm == H2H
    assert changed.pairs(*trips).dist.tolist() == anew.pairs(*trips).dist.tolist()


def test_changes_are_labelled_as_by_preparing_anew(road, city, trips):
    solver = city
    for step, weight in enumerate((7, 900, np.inf)):
        at = np.arange(3) + 11 * step
        solver = solver.with_changes(at, np.full(3, weight))
        anew = wp.prepare(solver.graph, labels=True)
        assert solver.pairs(*trips).plan.algorithm == H2H
        assert solver.pairs(*trips).dist.tolist() == anew.pairs(*trips).dist.tolist()
    assert city.pairs(*trips).dist.tolist() == wp.pairs(road, *trips).dist.tolist()


def test_a_solver_without_labels_gives_none_to_new_weights():
    solver = wp.prepare(wp.generate.road(300, seed=4))
    assert LABELS.cached(solver.with_weights(solver.graph.weights).graph) is None


def test_a_pickle_and_a_file_keep_labels(city, trips, tmp_path):
    expected = city.pairs(*trips).dist.tolist()
    copy = pickle.loads(pickle.dumps(city))  # noqa: S301
    city.save(tmp_path / "city.wph")
    loaded = wp.load(tmp_path / "city.wph")
    given = wp.load(tmp_path / "city.wph", graph=wp.generate.road(2000))
    for solver in (copy, loaded, given):
        assert solver.pairs(*trips).plan.algorithm == H2H
        assert solver.pairs(*trips).dist.tolist() == expected
        assert entries(solver) == entries(city)
    _, _, up, _ = arrays_of(search_graph(loaded.graph))
    assert not up.flags.owndata  # it is the mapped file


def test_directed_labels_are_saved_in_both_directions(road, trips, tmp_path):
    weights = np.random.default_rng(2).integers(1, 99, road.m)
    city = wp.prepare(road.with_weights(weights), labels=True)
    city.save(tmp_path / "city.wph")
    again = wp.load(tmp_path / "city.wph")
    assert again.pairs(*trips).dist.tolist() == city.pairs(*trips).dist.tolist()
    assert entries(again) == entries(city)


def test_damaged_labels_are_refused_or_right(city, trips, tmp_path):
    city.save(tmp_path / "city.wph")
    intact = (tmp_path / "city.wph").read_bytes()
    expected = city.pairs(*trips).dist.tolist()
    rng = np.random.default_rng(6)
    damaged = tmp_path / "damaged.wph"
    for at in rng.integers(0, len(intact), 60):
        content = bytearray(intact)
        content[at] ^= 1 << int(rng.integers(8))
        damaged.write_bytes(content)
        try:
            answer = wp.load(damaged).pairs(*trips).dist.tolist()
        except GraphFormatError:
            continue
        assert answer == expected


@pytest.mark.parametrize("part", ["position", "parent", "up", "missing", "type"])
def test_labels_that_do_not_belong_to_the_graph_are_refused(city, tmp_path, part):
    """Files whose checksums are right: of a program that writes others."""
    graph = search_graph(city.graph)
    arrays = [array.copy() for array in arrays_of(graph)[:3]]
    if part == "position":
        arrays[0][0] = arrays[0][1]
    elif part == "parent":
        arrays[1][5] = 1000
    elif part == "up":
        arrays[2] = arrays[2][:-16].copy()
    elif part == "type":
        arrays[2] = arrays[2].astype(np.float32)
    from warpath.engines import hierarchy

    with (tmp_path / "a.wph").open("wb") as file:
        wph.write_prepared(graph, hierarchy.arrays_of(graph), file, labels=(*arrays, arrays[2]))
    if part == "missing":
        whole = wph.PreparedFile(_source(tmp_path / "a.wph"))
        kept = {name: whole._file[name] for name in whole._file.entries if name != "labels.parent"}
        with (tmp_path / "b.wph").open("wb") as file:
            array_file.write(file, wph.LAYOUT, kept)
    path = tmp_path / ("b.wph" if part == "missing" else "a.wph")
    with pytest.raises(GraphFormatError, match="label"):
        wp.load(path)


def _source(path):
    from warpath.io.source import Source

    return Source(path)


def test_labels_of_other_weights_are_refused(city, tmp_path):
    from warpath.engines import hierarchy

    graph = search_graph(city.graph)
    other = wp.prepare(graph.with_weights(graph.weights + 1), labels=True)
    with (tmp_path / "a.wph").open("wb") as file:
        of_labels = arrays_of(search_graph(other.graph))
        wph.write_prepared(graph, hierarchy.arrays_of(graph), file, labels=of_labels)
    with pytest.raises(GraphFormatError, match="labels"):
        wp.load(tmp_path / "a.wph")


def test_memory_limits_labels(monkeypatch):
    graph = wp.generate.road(2000, seed=10)
    expected = r"labels would take .* but 100.0 KiB are allowed: allow more by memory=, or"
    for limit in ("100K", np.int64(102_400)):
        with pytest.raises(NotEnoughMemoryError, match=expected):
            wp.prepare(graph, labels=True, memory=limit)
    assert LABELS.cached(graph) is None
    solver = wp.prepare(graph, labels="auto", memory=100_000)
    assert LABELS.cached(graph) is None
    assert solver.pairs([0], [5]).plan.algorithm == "geisberger2008.ch"
    wp.prepare(graph, labels="auto", memory="10M")
    assert LABELS.cached(graph) is not None
    large = wp.generate.road(2000, seed=11)
    wp.prepare(large)  # the hierarchy is there
    monkeypatch.setenv("WARPATH_MEMORY", "100K")
    with pytest.raises(NotEnoughMemoryError, match=r"labels would take .* are free: use a machine"):
        wp.prepare(large, labels=True, memory="90K")


@pytest.mark.full(
    "labels of a large grid", "src/warpath/engines/*.py", "cpp/include/warpath/hierarchy/*.hpp"
)
def test_labels_of_a_graph_with_too_many_arcs_for_any_weights_are_refused():
    with pytest.raises(
        NotSupportedError, match="this graph has no useful hierarchy for new weights"
    ):
        wp.prepare(wp.generate.grid(400, 400), labels=True)


def test_a_graph_that_gets_no_labels_goes_without_by_auto(monkeypatch, caplog):
    why = "this graph has no useful hierarchy for new weights"

    def refused(*_, **__):
        raise NotSupportedError(why)

    graph = wp.generate.grid(20, 20)
    monkeypatch.setattr(prepared, "labels_of", refused)
    with caplog.at_level("INFO", "warpath"):
        wp.prepare(graph, labels="auto")
    assert LABELS.cached(graph) is None
    assert f"gets no labels: {why}" in caplog.text


def test_wrong_arguments_name_the_rule(road):
    with pytest.raises(InputError, match="labels = 'yes' must be True, False or 'auto'"):
        wp.prepare(road, labels="yes")
    with pytest.raises(InputError, match="memory = '1G' has no effect without labels"):
        wp.prepare(road, memory="1G")
    for wrong in ("much", -1, True, 1.5, np.int64(-1), np.True_, np.float64(2)):
        with pytest.raises(InputError, match=r"memory=.* must be a number of bytes"):
            wp.prepare(road, labels=True, memory=wrong)
    with pytest.raises(NotSupportedError, match="labels are used on the CPU"):
        wp.prepare(road, labels=True, device="emulated")


def test_reversed_graphs_share_labels(road):
    weights = np.random.default_rng(2).integers(1, 99, road.m)
    solver = wp.prepare(road.with_weights(weights), labels=True)
    found = solver.nearest([3, 40, 77], reverse=True)
    expected = wp.nearest(solver.graph, [3, 40, 77], reverse=True)
    assert found.dist.tolist() == expected.dist.tolist()


def test_any_number_of_threads_answers_alike(road, city, trips):
    expected = city.pairs(*trips).dist.tolist()
    for threads in (1, 2, 3):
        solver = wp.prepare(road, labels=True, threads=threads)
        assert solver.pairs(*trips).dist.tolist() == expected


def test_the_core_refuses_labels_of_another_graph():
    other = search_graph(wp.prepare(wp.generate.road(100), labels=True).graph)
    from warpath.engines import labels

    with pytest.raises(ValueError, match="the labels are of 100 vertices, the graph has"):
        labels.keep(wp.generate.road(50), arrays_of(other))
    assert hasattr(_core, "TreeLabelsInt32")
