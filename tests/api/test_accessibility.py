"""`accessibility`: opportunities within cutoffs, compared with tables of distances."""

from __future__ import annotations

import math
import pickle
from functools import partial

import numpy as np
import pytest

import warpath as wp
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, NotEnoughMemoryError, VertexError
from warpath.graph.turns import Turns

TYPES = ("int32", "int64", "float32", "float64")
DECAYS = {
    "step": ({}, lambda _: 1.0),
    "exponential": ({"decay": "exponential", "beta": 0.5}, lambda d: math.exp(-0.5 * d)),
    "gravity": ({"decay": "gravity", "beta": 1.5}, lambda d: max(d, 1) ** -1.5),
    "function": ({"decay": lambda dist: 1 / (1 + dist)}, lambda d: 1 / (1 + d)),
}


def random_graph(rng, dtype):
    n = int(rng.integers(1, 14))
    directed = bool(rng.integers(2))
    pairs = [(u, v) for u in range(n) for v in range(n) if rng.random() < 0.3]
    edges = [(u, v, int(rng.integers(0, 4))) for u, v in pairs if directed or u <= v]
    return wp.Graph.of(edges, n=n, directed=directed).astype(dtype)


def some(rng, n):
    return rng.integers(0, n, rng.integers(1, n + 1)).tolist()


def by_table(graph, origins, opportunities, weights, cutoff, decay):
    dist = wp.distances(graph, origins, opportunities).dist
    rows = [
        [
            weight * decay(float(d)) if d <= cutoff and d != unreachable(dist.dtype) else 0.0
            for weight, d in zip(weights, row, strict=True)
        ]
        for row in dist
    ]
    return [math.fsum(row) for row in rows]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kind", DECAYS)
def test_sums_are_those_of_the_table(dtype, kind):
    options, decay = DECAYS[kind]
    rng = np.random.default_rng(7)
    for _ in range(25):
        graph = random_graph(rng, dtype)
        origins, opportunities = some(rng, graph.n), some(rng, graph.n)
        weights = rng.integers(0, 5, len(opportunities)).tolist()
        for solver in (
            wp.Solver(graph),
            wp.prepare(graph),
            wp.Solver(graph, algorithm="classic.dijkstra"),
        ):
            how = {"origins": origins, "weights": weights} | options
            found = wp.accessibility(solver, opportunities, [6, 1, 6], **how)
            assert found.cutoffs.tolist() == [1, 6]
            for at, cutoff in enumerate((1, 6)):
                right = by_table(graph, origins, opportunities, weights, cutoff, decay)
                assert np.allclose(found.values[:, at], right, rtol=1e-12, atol=0)
            right = by_table(graph, origins, opportunities, weights, np.inf, decay)
            free = wp.accessibility(solver, opportunities, **how).values
            assert np.allclose(free, right, rtol=1e-12, atol=0)


@pytest.mark.parametrize("kind", DECAYS)
def test_cutoffs_by_another_column_are_measured_along_the_shortest_paths(kind):
    options, decay = DECAYS[kind]
    rng = np.random.default_rng(3)
    for _ in range(40):
        graph = random_graph(rng, "int64")
        graph = graph.with_weights(graph.edges()[2] + 1)
        metres = rng.integers(0, 9, graph.m) if graph.directed else np.full(graph.m, 2)
        packed = graph.with_weights(graph.edges()[2] * 10_000 + metres)
        origins, opportunities = some(rng, graph.n), some(rng, graph.n)
        weights = rng.integers(0, 5, (2, len(opportunities)))
        dist, along = np.divmod(wp.distances(packed, origins, opportunities).dist, 10_000)
        reached = dist < 10**9
        factors = np.array([[decay(float(d)) for d in row] for row in np.where(reached, dist, 0)])
        columns = {"x": weights[0], "y": weights[1]}
        how = {"origins": origins, "weights": columns, "by": metres} | options
        found = wp.accessibility(graph, opportunities, [9, 4], **how)
        for at, radius in enumerate((4, 9)):
            right = np.where(reached & (along <= radius), factors, 0) @ weights.T
            assert np.allclose(found.values[:, at], right, rtol=1e-12, atol=0)
    with pytest.raises(InputError, match="nearest and by cannot be combined"):
        wp.accessibility(graph, [0], 4, by=metres, nearest=1)


def test_any_number_of_threads_and_any_algorithm_gives_the_same_bits():
    road = wp.generate.road(3000, weights=(1, 90))
    rng = np.random.default_rng(1)
    few, many = rng.permutation(road.n)[:30], rng.permutation(road.n)
    for origins, opportunities in ((few, many), (many, few), (None, None)):
        weights = rng.random(road.n if opportunities is None else len(opportunities))
        how = {"origins": origins, "weights": weights, "decay": "exponential", "beta": 0.01}
        first = wp.accessibility(wp.Solver(road, threads=1), opportunities, [40, 150], **how)
        assert first.plan.recipe.name == "classic.dijkstra"
        for solver in (
            wp.Solver(road, threads=2),
            wp.Solver(road, threads=3),
            wp.Solver(road, threads=2, algorithm="classic.dijkstra"),
            wp.Solver(road, threads=3, prepared=True),
            wp.Solver(road, threads=2, prepared=True, algorithm="delling2011.phast"),
        ):
            found = wp.accessibility(solver, opportunities, [40, 150], **how)
            assert found.values.tobytes() == first.values.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
def test_competition_divides_by_the_demand_that_reaches_an_opportunity(dtype):
    rng = np.random.default_rng(11)
    for _ in range(40):
        graph = random_graph(rng, dtype)
        origins, opportunities = some(rng, graph.n), some(rng, graph.n)
        supply = rng.integers(0, 9, len(opportunities))
        demand = rng.integers(0, 9, len(origins))
        found = wp.accessibility(
            graph, opportunities, [1, 4], origins=origins, weights=supply,
            competition="2sfca", demand=demand,
        ).values  # fmt: skip
        dist = wp.distances(graph, origins, opportunities).dist
        for at, cutoff in enumerate((1, 4)):
            within = dist <= cutoff
            # All opportunities of a vertex share its demand, as one of the sum of their supply.
            reaching = demand @ within
            shares = np.divide(supply, reaching, out=np.zeros(len(supply)), where=reaching > 0)
            assert np.allclose(found[:, at], within @ shares, rtol=1e-12, atol=0)
        total = found[:, 1] @ demand
        used = supply[(demand @ (dist <= 4)) > 0].sum()
        assert np.isclose(total, used)  # all of the supply that someone reaches is given out


def test_only_the_nearest_opportunities_count():
    street = wp.Graph.of([("a", "b", 1), ("b", "c", 2), ("b", "d", 2)], directed=False)
    how = {"weights": [1, 10, 100], "origins": ["a", "b", "c"]}
    for solver in (street, wp.prepare(street)):
        for k, right in ((1, [1, 1, 10]), (2, [11, 11, 11]), (3, [111, 111, 111])):
            found = wp.accessibility(solver, ["a", "c", "d"], nearest=k, **how)
            assert found.values.tolist() == right, k
        near = wp.accessibility(solver, ["a", "c", "d"], [1, 9], nearest=1, **how)
        assert near.values.tolist() == [[1, 1], [1, 1], [10, 10]]


def test_more_nearest_opportunities_than_there_are_count_all():
    graph = wp.Graph.of([(0, 1, 1), (1, 2, 1)])
    for nearest in (3, 2**63, 10**400):
        assert wp.accessibility(graph, None, nearest=nearest).values.tolist() == [3, 2, 1]


def test_turns_and_closed_vertices_are_kept_to():
    rng = np.random.default_rng(5)
    grid = wp.generate.grid(4, 5, weights=(1, 4))
    rows = wp.Graph.of([*zip(*(part.tolist() for part in grid.edges()), strict=True)])
    pairs = np.array([(e, f) for e in range(rows.m) for f in range(rows.m)])
    follows = rows.indices[pairs[:, 0]] == rows.edges()[0][pairs[:, 1]]
    banned = pairs[follows & (rng.random(len(pairs)) < 0.3)]
    turns = Turns(banned, np.full(rows.m, -1))
    turned = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns)
    closed = wp.Graph.from_edges(*grid.edges(), first_through=5)
    for graph in (turned, closed):
        few, many = [3, 11, 2], list(range(20))
        for origins, opportunities in ((few, many), (many, few)):
            weights = rng.integers(0, 9, len(opportunities)).tolist()
            right = np.array([
                by_table(graph, origins, opportunities, weights, cutoff, lambda _: 1.0)
                for cutoff in (4, 9)
            ]).T  # fmt: skip
            for solver in (graph, wp.prepare(graph)):
                how = {"origins": origins, "weights": weights}
                found = wp.accessibility(solver, opportunities, [4, 9], **how)
                assert found.values.tolist() == right.tolist()


def test_negative_weights_are_taken_and_their_distances_too():
    graph = wp.Graph.of([("a", "b", 5), ("b", "c", -4)])
    found = wp.accessibility(graph, ["b", "c"], [0, 1, 5], weights=[1, 10])
    assert found.values.tolist() == [[0, 10, 11], [11, 11, 11], [10, 10, 10]]


def test_places_are_points_of_streets():
    pytest.importorskip("pandas")
    line = wp.Graph.of(
        [("w", "m", 10), ("m", "e", 10)], directed=False, coordinates=[(0, 0), (1, 0), (2, 0)]
    )
    shops = [wp.Place(0.5, 0), wp.Place(2, 0)]
    found = wp.accessibility(line, shops, [4, 5, 15], origins=["m", wp.Place(0.9, 0)])
    assert found.values.tolist() == [[0, 1, 2], [1, 1, 2]]
    assert len(found.snapped) == 3


def test_columns_of_weights_have_names_and_tables(tmp_path):
    pandas = pytest.importorskip("pandas")
    street = wp.Graph.of([("a", "b", 2), ("b", "c", 5)], directed=False)
    columns = {"jobs": [1, 2], "shops": [10, 20]}
    found = wp.accessibility(street, ["b", "c"], [2, 7], weights=columns)
    assert found.values.shape == (3, 2, 2)
    table = found.to_pandas()
    assert list(table) == ["origin", "jobs_2", "shops_2", "jobs_7", "shops_7"]
    assert table["shops_2"].tolist() == [10, 10, 20]
    found.save(tmp_path / "a.csv")
    assert pandas.read_csv(tmp_path / "a.csv")["jobs_7"].tolist() == [3, 3, 3]
    one = wp.accessibility(street, ["b", "c"], 2, weights=pandas.DataFrame(columns))
    assert one.values.shape == (3, 2)
    assert list(one.to_pandas()) == ["origin", "jobs", "shops"]
    numbered = wp.accessibility(street, ["b", "c"], weights=np.array([[1, 2], [10, 20]]))
    assert list(numbered.to_pandas())[1:] == ["weights_0", "weights_1"]
    assert numbered.values[0].tolist() == [11, 22]
    same = pickle.loads(pickle.dumps(found))  # noqa: S301 - its own
    assert same.to_pandas().equals(table)


def test_opportunities_may_be_a_table_with_columns_of_weights():
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    line = wp.Graph.of(
        [("w", "m", 10), ("m", "e", 10)], directed=False, coordinates=[(0, 0), (1, 0), (2, 0)]
    )
    shops = geopandas.GeoDataFrame(
        {"area": [7, 5]}, geometry=[shapely.Point(0, 0), shapely.Point(2, 0)], crs="EPSG:4326"
    )
    found = wp.accessibility(line, shops, 10, weights="area", origins=["m", "e"])
    assert found.values.tolist() == [12, 5]
    frame = found.to_geodataframe()
    assert frame.geometry.x.tolist() == [1, 2]
    assert [each["properties"]["accessibility"] for each in found.to_geojson()["features"]] == [
        12,
        5,
    ]
    with pytest.raises(InputError, match=r"weights = 'jobs' is not a column .* 'area'"):
        wp.accessibility(line, shops, weights="jobs")


def test_it_is_empty_for_no_origins_and_one_vertex_reaches_itself():
    graph = wp.Graph.of([(0, 1, 2)])
    assert wp.accessibility(graph, [1], [1, 2], origins=[]).values.shape == (0, 2)
    assert wp.accessibility(wp.Graph.of([], n=1), [0], 0).values.tolist() == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cutoffs": -1}, "cutoff -1 must be"),
        ({"cutoffs": [3, math.nan]}, "cutoff nan must be"),
        ({"cutoffs": []}, "at least one"),
        ({"weights": np.longdouble("1e4000")}, "weights = inf must be a finite number"),
        ({"weights": [1, math.nan]}, r"weights\[1\] = nan must be a finite number >= 0"),
        ({"weights": [1, 2, 3]}, r"shape \(3,\) .*give 2 numbers, one for each opportunity"),
        ({"weights": {"jobs": [1, -2]}}, r"weights\['jobs'\]\[1\] = -2"),
        ({"weights": [[1], [1, 2]]}, "different lengths"),
        ({"cutoffs": math.inf}, "0 or more; None is for no limit"),
        ({"weights": {}}, "weights has no columns"),
        ({"weights": "jobs"}, "weights = 'jobs' is not a column"),
        ({"weights": 1e308, "cutoffs": [9]}, "is not finite: give smaller weights"),
        ({"decay": "linear"}, "decay = 'linear' is not valid: use 'step'"),
        ({"decay": "gravity"}, r"beta is missing: decay='gravity' is distance \*\* -beta"),
        ({"decay": "gravity", "beta": 0}, "beta = 0 must be a finite number > 0"),
        ({"beta": 2}, "beta = 2 has no effect on decay='step'"),
        ({"decay": lambda dist: dist[:1]}, r"returned the shape \(1,\)"),
        ({"decay": lambda dist: dist / 0.0}, "for the distance .*: it must be finite"),
        ({"decay": lambda _: None}, "a number for each distance is needed"),
        ({"nearest": 0}, "nearest = 0 must be a number of opportunities"),
        ({"nearest": 1, "competition": "2sfca"}, "cannot be combined"),
        ({"competition": "3sfca"}, "competition = '3sfca' is not valid"),
        ({"demand": 1}, "demand has no effect"),
        ({"competition": "2sfca", "demand": [1]}, "give 3 numbers, one for each origin"),
        ({"competition": "2sfca", "demand": {"a": 1}}, "one number for each origin"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*encountered")
def test_what_is_not_valid_is_named(options, message):
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    with pytest.raises(InputError, match=message):
        wp.accessibility(graph, [1, 2], **options)


def test_vertices_options_and_memory_are_checked(monkeypatch):
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    with pytest.raises(InputError, match="opportunities is empty"):
        wp.accessibility(graph, [])
    with pytest.raises(InputError, match="weights has no order, as each opportunity is in a set"):
        wp.accessibility(graph, {1, 2}, weights=[1, 2])
    with pytest.raises(VertexError, match="9"):
        wp.accessibility(graph, [1], origins=[9])
    with pytest.raises(InputError, match="options of the Solver"):
        wp.accessibility(wp.Solver(graph), [1], threads=2)
    with pytest.raises(wp.NegativeCycleError):
        wp.accessibility(wp.Graph.of([(0, 1, -2), (1, 0, 1)]), [1])
    road = wp.generate.road(5000)
    monkeypatch.setenv("WARPATH_MEMORY", "200K")
    with pytest.raises(NotEnoughMemoryError, match="the sums would take"):
        wp.accessibility(road, None, [1, 2, 3])


def _keep(calls, *counts):
    calls.append(counts)


def test_progress_counts_rows_and_may_stop_the_call():
    road = wp.generate.road(5000, weights=(1, 9))

    def stop(*_):
        raise KeyboardInterrupt

    calls = []
    wp.accessibility(road, range(99), 9, progress=partial(_keep, calls))
    assert calls[-1] == (99, 99)
    with pytest.raises(KeyboardInterrupt):
        wp.accessibility(road, None, 9, progress=stop)
