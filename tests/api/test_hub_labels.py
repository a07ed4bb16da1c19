"""Hub labels of prepared graphs: where they take the place of those to ancestors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphFormatError, NotEnoughMemoryError
from warpath.engines import hierarchy
from warpath.engines.hub_labels import HUB_LABELS, arrays_of
from warpath.engines.labels import LABELS
from warpath.graph.solvable import search_graph
from warpath.io import wph

HUBS = "abraham2012.hub_labels"
LIMIT = "16M"  # of labels of `one_way`: those to ancestors take 18.0 MB, those to hubs 14.7


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(20_000)


@pytest.fixture(scope="module")
def one_way(road):
    return road.with_weights(np.random.default_rng(3).integers(1, 900, road.m).astype(np.int32))


@pytest.fixture(scope="module")
def city(one_way):
    return wp.prepare(one_way, labels=True, memory=LIMIT)


@pytest.fixture(scope="module")
def trips(road):
    return np.random.default_rng(1).integers(0, road.n, (2, 100))


def test_hub_labels_answer_pairs_where_the_others_take_too_much_memory(one_way, city, trips):
    assert LABELS.cached(one_way) is None
    expected = wp.pairs(one_way, *trips).dist.tolist()
    found = city.pairs(*trips)
    assert found.plan.algorithm == HUBS
    assert found.dist.tolist() == expected
    assert [city.distance(*pair) for pair in trips.T[:30].tolist()] == expected[:30]
    assert HUBS in str(city.plan(origins=trips[0], destinations=trips[1]))
    route = city.path(*trips[:, 0].tolist())
    assert (route.length, route.plan.algorithm) == (expected[0], "geisberger2008.ch")
    assert city.distances(trips[0, :3], trips[1, :3]).plan.algorithm != HUBS
    narrow = city.pairs(*trips, dist_dtype="int32")
    assert (narrow.dist.dtype, narrow.dist.tolist()) == (np.int32, expected)


def test_a_named_algorithm_computes_them_at_the_first_call(trips):
    graph = wp.generate.road(4000).astype("float64")
    ends = trips % graph.n
    found = wp.pairs(graph, *ends, algorithm=HUBS)
    assert found.plan.algorithm == HUBS
    assert found.dist.tolist() == wp.pairs(graph, *ends).dist.tolist()
    assert HUB_LABELS.cached(graph) is not None


def test_too_little_memory_for_both_is_said_with_both_numbers(one_way):
    both = r"^labels would take .* Also, hub labels would take more than 100.0 KiB: allow more"
    with pytest.raises(NotEnoughMemoryError, match=both):
        wp.prepare(wp.generate.road(4000), labels=True, memory="100K")
    graph = one_way.with_weights(one_way.weights)
    wp.prepare(graph, labels="auto", memory=LIMIT)
    assert HUB_LABELS.cached(graph) is None


def test_a_pickle_and_a_file_keep_them(one_way, city, trips, tmp_path):
    expected = city.pairs(*trips).dist.tolist()
    city.save(tmp_path / "city.wph")
    unpickled = pickle.loads(pickle.dumps(city))  # noqa: S301 - our own
    for solver in (unpickled, wp.load(tmp_path / "city.wph")):
        assert solver.pairs(*trips).plan.algorithm == HUBS
        assert solver.pairs(*trips).dist.tolist() == expected
        for kept, own in zip(arrays_of(solver.graph), arrays_of(one_way), strict=True):
            assert kept.tobytes() == own.tobytes()


def test_damaged_ones_are_refused_or_right(city, trips, tmp_path):
    path = tmp_path / "city.wph"
    city.save(path)
    whole, expected = path.read_bytes(), city.pairs(*trips).dist.tolist()
    rng, refused = np.random.default_rng(7), 0
    for at in rng.integers(0, len(whole), 100).tolist():
        changed = bytearray(whole)
        changed[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        try:
            solver = wp.load(path)
        except wp.WarpathError:
            refused += 1
        else:
            assert solver.pairs(*trips).dist.tolist() == expected
    assert refused >= 90


@pytest.mark.parametrize("wrong", ["weights", "rows", "one of three"])
def test_labels_that_do_not_belong_to_the_graph_are_refused(city, tmp_path, wrong):
    graph, arrays = city.graph, list(arrays_of(city.graph))
    if wrong == "weights":
        arrays[2] = arrays[2] + 1
    elif wrong == "rows":
        arrays[0] = arrays[0][::-1].copy()
    else:
        arrays = [array[: len(array) // 2] for array in arrays]
    with (tmp_path / "city.wph").open("wb") as file:
        wph.write_prepared(graph, hierarchy.arrays_of(graph), file, hubs=tuple(arrays))
    with pytest.raises(GraphFormatError, match="labels"):
        wp.load(tmp_path / "city.wph")


def test_new_weights_and_changes_carry_them_along(city, one_way, trips):
    weights = np.random.default_rng(5).integers(1, 900, one_way.m)
    changed = [city.with_weights(weights), city.with_changes([3, 5], [7, 8])]
    for solver in changed:
        assert solver.pairs(*trips).plan.algorithm == HUBS
        assert solver.pairs(*trips).dist.tolist() == wp.pairs(solver.graph, *trips).dist.tolist()


def test_reversed_graphs_share_them(one_way, city):
    back = city.nearest([5], reverse=True)
    assert back.dist.tolist() == wp.nearest(one_way, [5], reverse=True).dist.tolist()


def test_closed_vertices_are_not_passed(one_way, trips):
    closed = wp.Graph(one_way.indptr, one_way.indices, one_way.weights, first_through=50)
    solver = wp.prepare(closed, labels=True, memory=LIMIT)
    ends = trips % 300
    assert HUB_LABELS.cached(search_graph(closed)) is not None
    assert solver.pairs(*ends).dist.tolist() == wp.pairs(closed, *ends).dist.tolist()
    assert solver.distance(3, 3) == 0
