"""Results that leave out their graph when they are pickled, copied or detached."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import warpath as wp

ROAD = wp.generate.road(3000)
LABELLED = wp.Graph.of(
    [(f"v{u}", f"v{v}", w) for u, v, w in zip(*map(np.ndarray.tolist, ROAD.edges()), strict=True)]
)
TOWN = LABELLED.with_coordinates(
    np.column_stack([np.arange(LABELLED.n) * 1e-4, np.zeros(LABELLED.n)])
)
CITY = wp.prepare(TOWN)

RESULTS = {
    "path": CITY.path("v0", "v99"),
    "pairs": CITY.pairs(["v0", "v7"], ["v99", "v5"]),
    "distances": CITY.distances(["v0", "v7"], ["v99", "v5"]),
    "within": wp.within(TOWN, "v0", [10, 2000]),
    "totals": wp.totals(TOWN, "sum", sources=["v0"]),
    "sssp": wp.sssp(TOWN, "v0"),
    "nearest": wp.nearest(TOWN, ["v0", "v7"]),
}


def described(result):
    texts = [repr(result), str(result.to_pandas()), result.to_json(), result._repr_html_()]
    if isinstance(result, wp.Route):
        texts.append(str(result.to_geojson()))
    return texts


@pytest.mark.parametrize("name", RESULTS)
def test_a_pickled_or_detached_result_says_the_same_without_the_graph(name):
    result = RESULTS[name]
    expected = described(result)
    small = len(pickle.dumps(result))
    assert small < len(pickle.dumps(TOWN)) / (1 if name in {"sssp", "nearest"} else 10)
    for bare in (pickle.loads(pickle.dumps(result)), result.detach()):  # noqa: S301 - our own
        assert described(bare) == expected
        assert described(pickle.loads(pickle.dumps(bare))) == expected  # noqa: S301 - our own
        with pytest.raises(wp.NotSupportedError, match="pickled and detached results leave out"):
            bare.graph.indices  # noqa: B018
    assert result.graph is TOWN or result.graph == TOWN


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_in_the_same_process_keep_the_graph(copied):
    again = copied(RESULTS["path"])
    assert again.graph is RESULTS["path"].graph
    assert again.indices.tolist() == RESULTS["path"].indices.tolist()
    assert np.shares_memory(again.indices, RESULTS["path"].indices) == (copied is copy.copy)


def test_methods_that_need_the_graph_say_so():
    route, trips = RESULTS["path"].detach(), RESULTS["pairs"].detach()
    near, bands = RESULTS["nearest"].detach(), RESULTS["within"].detach()
    calls = (
        route.plot,
        lambda: route.along("length"),
        lambda: trips.route(0),
        near.to_geojson,
        trips.to_geojson,
        bands.to_geodataframe,
        lambda: bands.path_to("v0"),
        bands.plot,
        lambda: RESULTS["distances"].detach().path("v0", "v99"),
    )
    for call in calls:
        with pytest.raises(wp.NotSupportedError, match="needs the graph, which pickled"):
            call()
