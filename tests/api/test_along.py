"""`also=` in pairs and distances: sums of kept columns along shortest routes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import warpath as wp
from support import corpus
from warpath.base.dtypes import unreachable
from warpath.base.errors import GraphError, InputError, NotEnoughMemoryError, NotSupportedError
from warpath.graph.input_edges import InputEdges
from warpath.graph.turns import Turns
from warpath.results.files import load_result


def with_columns(graph, **parts):
    """Return the graph with columns of each kind, numbered by its edges."""
    m = graph.m
    columns = {
        "length": np.random.default_rng(1).random(m),
        "climb": (np.random.default_rng(2).random(m) - 0.5).astype(np.float32),
        "toll": np.arange(m, dtype=np.int16),
        "lanes": np.arange(m, dtype=np.uint8),
        "street": np.full(m, "Main Street"),
    }
    given = InputEdges(np.arange(m), m, columns)
    kept = {"first_through": graph.first_through, "coordinates": graph.coordinates}
    return wp.Graph(graph.indptr, graph.indices, graph.weights, given=given, **kept | parts)


NAMES = ["length", "climb", "toll", "lanes"]


def with_turns(seed=0):
    """Return a town in which some turns are forbidden, and others cost something."""
    rows = wp.generate.road(150, seed=seed)
    rng = np.random.default_rng(seed)
    firsts = np.repeat(np.arange(rows.m), np.diff(rows.indptr)[rows.indices])
    begins = np.concatenate([np.arange(*rows.indptr[v : v + 2]) for v in rows.indices])
    banned = np.stack([firsts, begins], axis=1)[rng.random(len(firsts)) < 0.2]
    return with_columns(rows, turns=Turns(banned, np.full(rows.m, -1), left=3))


def check_table(solver, sources, targets, **options):
    """Compare the sums of a table with those of single routes."""
    graph = solver.graph
    table = solver.distances(sources, targets, also=NAMES, **options)
    plain = solver.distances(sources, targets, **options)
    assert (np.asarray(table.dist) == np.asarray(plain.dist)).all()
    columns = np.arange(graph.n) if targets is None else targets
    assert set(table.also) == set(NAMES)
    for name, sums in table.also.items():
        assert sums.shape == table.dist.shape
        assert sums.dtype.kind == graph.given.columns[name].dtype.kind
        assert (sums[~table.reached] == unreachable(sums.dtype)).all()
    for row, column in np.argwhere(table.reached)[:400].tolist():
        route = wp.path(graph, sources[row], columns[column])
        for name, sums in table.also.items():
            assert sums[row, column] == route.along(name), (row, column, name)
    return table


@pytest.mark.parametrize("dtype", corpus.ALL_TYPES)
def test_sums_of_tables_are_those_of_their_routes(dtype):
    for case in corpus.all(dtype=dtype):
        graph = case.graph()
        if case.has_cycle or case.overflows or not graph.n or graph.n > 3000:
            continue
        graph = with_columns(graph)
        targets = sorted({0, graph.n // 2, graph.n - 1})
        for columns in (targets, None) if graph.n < 500 else (targets,):
            check_table(wp.Solver(graph), list(case.sources), columns)


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize("targets", [[5, 5, 90, 1999], None])
def test_prepared_graphs_have_the_same_sums(dtype, targets):
    graph = with_columns(wp.generate.road(2000).astype(dtype))
    for solver in (wp.prepare(graph), wp.Solver(graph, prepared="auto")):
        check_table(solver, [0, 7, 7, 1400], targets)


@pytest.mark.parametrize("prepared", [False, True])
def test_progress_ends_at_the_number_of_sources(prepared):
    graph, seen = with_columns(wp.generate.road(2000)), []
    solver = wp.prepare(graph) if prepared else wp.Solver(graph)
    solver.distances([0, 1, 2], [5], also="toll", progress=lambda *counts: seen.append(counts))
    assert seen[-1] == (3, 3)


def test_sums_whose_weights_round_are_those_of_the_searched_routes():
    road = wp.generate.road(1000)
    weights = np.random.default_rng(5).random(road.m)
    graph = with_columns(road.with_weights(weights))
    check_table(wp.prepare(graph), [3, 8], [1, 500, 8])


@pytest.mark.parametrize("prepared", [False, True])
def test_routes_with_turns_have_sums(prepared):
    graph = with_turns()
    solver = wp.prepare(graph) if prepared else wp.Solver(graph)
    table = check_table(solver, [0, 3, 90], [0, 1, 50, 149])
    trips = solver.pairs([0, 3, 90, 90], [1, 50, 50, 90], also=NAMES)
    for name in NAMES:
        both = table.also[name][[0, 1, 2], [1, 2, 2]]
        assert trips.also[name][:3].tolist() == both.tolist()


def test_sums_end_at_the_cutoff():
    graph = with_columns(wp.generate.road(500))
    table = check_table(wp.Solver(graph), [0, 9], None, cutoff=4000)
    assert not table.reached.all()


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("name", ["road", "closed_vertices", "unsorted_rows", "unreachable_half"])
def test_pairs_have_the_sums_of_their_routes(name, prepared):
    graph = with_columns(corpus.case(name).graph())
    solver = wp.prepare(graph) if prepared else wp.Solver(graph)
    origins, destinations = np.random.default_rng(6).integers(0, min(graph.n, 60), (2, 200))
    trips = solver.pairs(origins, destinations, also=NAMES)
    for column in NAMES:
        sums = trips.also[column]
        expected = [
            trips.route(i).along(column) if reached else unreachable(sums.dtype)
            for i, reached in enumerate(trips.reached.tolist())
        ]
        assert sums.tolist() == expected
        assert sums.tolist() == trips.along(column).tolist()


def test_calls_of_the_module_take_a_name_alone():
    graph = with_columns(corpus.case("parallel_edges").graph())
    assert wp.pairs(graph, [0, 1], [1, 0], also="toll").also["toll"].tolist() == [1, 2**63 - 1]
    assert wp.distances(graph, [0], also="toll").also["toll"].tolist() == [[0, 1]]
    assert wp.distances(graph, [], [], also=("toll",)).also["toll"].shape == (0, 0)
    assert dict(wp.pairs(graph, [0], [1]).also) == {}


def test_wrong_names_are_refused():
    graph = with_columns(corpus.case("road").graph())
    calls = (wp.pairs, "distance"), (wp.distances, "source")
    for call, own in calls:
        with pytest.raises(GraphError, match=r"also='metres'.*there are 'length'"):
            call(graph, [0], [1], also=["metres"])
        with pytest.raises(GraphError, match=r"also='street'.*sums need numbers"):
            call(graph, [0], [1], also=["street"])
        with pytest.raises(GraphError, match=r"also=3: the graph keeps .*[^a]\.$"):
            call(graph, [0], [1], also=[3])
        with pytest.raises(InputError, match="is named twice"):
            call(graph, [0], [1], also=["toll", "toll"])
        with pytest.raises(InputError, match="also=3 must be a list"):
            call(graph, [0], [1], also=3)
        graph.given.columns[own] = graph.given.columns["toll"]
        with pytest.raises(InputError, match="a column of every table: leave it out"):
            call(graph, [0], [1], also=[own])
    with pytest.raises(GraphError, match=r"there are none\. .* is made with attributes='length'"):
        wp.pairs([(0, 1, 2)], [0], [1], also=["length"])


def test_files_and_functions_take_no_sums(tmp_path):
    graph = with_columns(corpus.case("road").graph())
    for out in (tmp_path / "table.npy", lambda rows, values: None):  # noqa: ARG005
        with pytest.raises(InputError, match="also= fills arrays in memory"):
            wp.distances(graph, [0], [1], out=out, also=["toll"])
    into = np.empty((1, 1), np.int64)
    assert wp.distances(graph, [0], [1], out=into, also=["toll"]).also["toll"][0, 0] > 0


def test_sums_that_do_not_fit_are_refused():
    graph = with_columns(wp.Graph.of([(0, 1, 1), (1, 2, 1)]))
    graph.given.columns["toll"] = np.full(2, 2**62)
    for call in (wp.pairs, wp.distances):
        with pytest.raises(
            wp.DistanceOverflowError, match=r"not fit 64 bits: also= needs .*floats"
        ):
            call(graph, [0], [2], also=["toll"])
    with pytest.raises(wp.DistanceOverflowError, match=r"as floats"):
        wp.path(graph, 0, 2).along("toll")
    with pytest.raises(wp.DistanceOverflowError, match=r"along\(values.astype\('float64'\)\)"):
        wp.pairs(graph, [0], [2]).along("toll")
    graph.given.columns["toll"] = graph.given.columns["toll"].astype("float64")
    for call in (wp.pairs, wp.distances):
        assert call(graph, [0], [2], also=["toll"]).also["toll"].ravel().tolist() == [2.0**63]


def test_the_memory_of_sums_is_known_before(monkeypatch):
    graph = with_columns(wp.generate.road(2000))
    wp.distances(graph, [0, 1], [2])
    monkeypatch.setenv("WARPATH_MEMORY", "100K")
    with pytest.raises(NotEnoughMemoryError, match=r"also= would take .* name fewer columns"):
        wp.distances(graph, [0, 1], [2], also=["length"], threads=1)


def test_tables_of_places_have_sums_of_parts_of_edges():
    graph = with_columns(wp.generate.road(300))
    points = np.random.default_rng(7).uniform(*np.quantile(graph.coordinates, [0.2, 0.8]), (6, 2))
    places = [wp.Place(*point, within=1e12) for point in points.tolist()]
    table = wp.distances(graph, places[:3], [*places[3:], 5], also=["length", "toll"])
    for row in range(3):
        for column, target in enumerate([*places[3:], 5]):
            route = wp.path(graph, places[row], target)
            for name in ("length", "toll"):
                assert table.also[name][row, column] == route.along(name)
    assert table.also["toll"].dtype == np.float64


def test_clusters_refuse_tables_with_sums():
    pytest.importorskip("distributed")
    graph = with_columns(corpus.case("road").graph())
    with pytest.raises(NotSupportedError, match=r"also= is for tables of this machine.*pairs"):
        wp.distances(graph, [0], [1], device="tcp://127.0.0.1:1", also=["toll"])


@pytest.mark.parametrize(
    "options",
    [{"device": "emulated"}, {"device": "all"}, {"algorithm": "warpath.side_by_side"}],
    ids=str,
)
def test_routes_are_searched_on_the_cpu_whatever_finds_the_distances(options):
    graph = with_columns(wp.generate.road(200))
    table = wp.distances(graph, [0, 5], [7, 9], also=NAMES, **options)
    same = wp.distances(graph, [0, 5], [7, 9], also=NAMES, device="cpu")
    for name in NAMES:
        assert table.also[name].tolist() == same.also[name].tolist()
    trips = wp.pairs(graph, [0, 5], [7, 9], also=NAMES, **options)
    assert trips.also["toll"].tolist() == np.diag(same.also["toll"]).tolist()


def test_files_frames_and_json_carry_the_sums(tmp_path):
    pandas, graph = pytest.importorskip("pandas"), with_columns(corpus.case("road").graph())
    table = wp.distances(graph, [0, 3], [5, 9, 0], also=["toll", "length"])
    frame = table.to_pandas(long=True)
    assert frame.columns.tolist() == ["source", "target", "distance", "toll", "length"]
    assert frame["length"].tolist() == table.also["length"].ravel().tolist()
    assert json.loads(table.to_json())["also"]["toll"] == table.also["toll"].tolist()
    table.save(tmp_path / "table.npz")
    again = load_result(graph, tmp_path / "table.npz")
    assert {name: sums.tolist() for name, sums in again.also.items()} == {
        name: sums.tolist() for name, sums in table.also.items()
    }
    table.save(tmp_path / "table.csv")
    assert pandas.read_csv(tmp_path / "table.csv")["toll"].tolist() == frame["toll"].tolist()
    assert load_result(graph, tmp_path / "table.csv").shape == (2, 3)
    assert table.detach().also["toll"].tolist() == table.also["toll"].tolist()

    trips = wp.pairs(graph, [0, 3], [5, 9], also=["toll"])
    assert trips.to_pandas().columns.tolist() == ["origin", "destination", "distance", "toll"]
    assert json.loads(trips.to_json())[1]["toll"] == trips.also["toll"][1]
    trips.save(tmp_path / "trips.csv")
    assert pandas.read_csv(tmp_path / "trips.csv")["toll"].tolist() == trips.also["toll"].tolist()
    with pytest.raises(InputError, match="already a column"):
        trips.to_pandas(along=["toll"])


def test_damaged_sums_in_a_file_are_refused(tmp_path):
    graph = with_columns(corpus.case("parallel_edges").graph())
    path = tmp_path / "table.npz"
    wp.distances(graph, [0], also=["toll"]).save(path)
    parts = dict(np.load(path))
    for wrong in (np.zeros((3, 3)), np.zeros(2), np.array([["a", "b"]])):
        np.savez(path, **parts | {"also_0": wrong})
        with pytest.raises(wp.GraphFormatError, match=r"also_0|'toll'"):
            load_result(graph, path)
