"""`Solver.scenarios`: the same trips under several sets of weights."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(300)


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_each_row_is_that_of_a_graph_with_these_weights(road, prepared, dtype):
    rng = np.random.default_rng(3)
    hours = {f"{hour}:00": rng.integers(1, 99, road.m).astype(dtype) for hour in range(6, 10)}
    if dtype is np.float64:
        hours["8:00"][::7] = np.inf
    origins, destinations = rng.integers(0, road.n, (2, 40))
    day = wp.Solver(road, prepared=prepared).scenarios(hours)
    trips = day.pairs(origins, destinations)
    assert (len(day), list(day), trips.dist.shape) == (4, list(hours), (4, 40))
    for row, weights in zip(trips.dist, hours.values(), strict=True):
        assert (
            row.tolist()
            == wp.pairs(road.with_weights(weights), origins, destinations).dist.tolist()
        )
    assert day["7:00"].graph.weights.tolist() == hours["7:00"].tolist()
    rows = wp.Solver(road, prepared=prepared).scenarios(np.stack(list(hours.values())))
    assert (rows.names, rows.pairs(origins, destinations).dist.tolist()) == (
        [0, 1, 2, 3],
        trips.dist.tolist(),
    )


def test_the_table_has_a_row_for_each_scenario_and_a_column_for_each_trip(tmp_path):
    city = wp.prepare(wp.Graph.of([("a", "b", 2), ("b", "c", 5), ("a", "c", 9)]))
    day = city.scenarios({"night": [2, 9, 5], "roadworks": [np.inf, 9, 7]})
    trips = day.pairs(["a", "a"], ["c", "b"])
    wide = trips.to_pandas()
    assert (wide.index.tolist(), wide.columns.tolist()) == (["night", "roadworks"], [0, 1])
    assert wide.loc["night"].tolist() == [7, 2]
    assert wide.loc["roadworks"].isna().tolist() == [False, True]
    long = trips.to_pandas(long=True)
    assert long["scenario"].tolist() == ["night", "night", "roadworks", "roadworks"]
    assert long["destination"].tolist() == ["c", "b"] * 2
    assert long["distance"].iloc[:3].tolist() == [7, 2, 9]
    trips.save(tmp_path / "day.csv")
    lines = (tmp_path / "day.csv").read_text().replace('"', "").splitlines()
    assert lines[:2] == ["scenario,origin,destination,distance", "night,a,c,7.0"]
    assert trips.detach().to_pandas().equals(wide)


def test_what_are_no_scenarios_says_why(road):
    solver = wp.Solver(road)
    for weights in ({}, [1, 2], {"a": 3}):
        with pytest.raises(wp.InputError, match="must have a set of weights for each scenario"):
            solver.scenarios(weights)
    with pytest.raises(wp.InputError, match="there is no scenario 'b': there are 'a'"):
        solver.scenarios({"a": road.weights})["b"]
    with pytest.raises(wp.GraphError, match="weights has 1 entries"):
        solver.scenarios({"a": [1]}).pairs([0], [1])
