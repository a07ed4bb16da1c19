"""Distances and trees that other programs computed: certified in any type, or refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import warpath as wp

GRAPH = wp.generate.random_in_degree(80, degree=3, weights=(1, 9), seed=5)
PATHS = wp.sssp(GRAPH, 0)
FLOATS = GRAPH.with_weights(GRAPH.weights.astype(np.float32) / 3)
DOUBLES = GRAPH.with_weights(GRAPH.weights / 3)
TIES = wp.Graph.of([(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 0), (4, 3, 0)], n=6)
NONE = np.iinfo(np.int64).max
OF_TIES = [0, 1, 1, 2, 2, NONE]


class OnGpu:
    """An array that NumPy reads through DLPack only, as one of CuPy."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", ">i4", ">f8"]
)
def test_distances_of_every_type_are_certified_exactly(dtype):
    dtype = np.dtype(dtype)
    most = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    dist = np.where(PATHS.reached, PATHS.dist, 0).astype(dtype)
    dist[~PATHS.reached] = most
    certificate = wp.verify(GRAPH, dist, source=0, pred=PATHS.pred)
    assert (certificate.slack, certificate.tree, certificate.canonical) == (0, True, True)
    dist[7] += 1
    with pytest.raises(wp.VerificationError):
        wp.verify(GRAPH, dist, source=0)


@pytest.mark.parametrize("wrap", [list, tuple, np.ma.asarray, OnGpu, memoryview])
def test_distances_come_in_any_container(wrap):
    given = PATHS.dist.copy()
    dist = given.tolist() if wrap in {list, tuple} else given
    assert str(wp.verify(GRAPH, wrap(dist), source=0)).startswith("verified exactly: 80 labels a")


def test_float32_sums_are_certified_in_the_type_of_the_graph_also_as_a_list():
    dist = wp.sssp(FLOATS, 0).dist
    assert dist.dtype == np.float32
    for given in (dist, dist.tolist(), dist.astype(np.longdouble)):
        assert wp.verify(FLOATS, given, source=0).slack == 0


def test_float64_sums_of_float32_weights_are_certified_as_such():
    wide = FLOATS.with_weights(FLOATS.weights.astype(np.float64))
    dist = wp.sssp(wide, 0).dist
    assert wp.verify(FLOATS, dist, source=0).slack == 0
    dist = dist.copy()
    dist[7] = np.nextafter(dist[7], 99)
    with pytest.raises(wp.VerificationError):
        wp.verify(FLOATS, dist, source=0)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_distances_of_fewer_digits_are_certified_within_their_rounding(dtype):
    paths = wp.sssp(DOUBLES, 0)
    dist = paths.dist.astype(dtype)
    certificate = wp.verify(DOUBLES, dist, source=0, pred=paths.pred, tree="any")
    eps = float(np.finfo(dtype).eps)
    assert certificate.slack == pytest.approx(80 * eps * float(dist[paths.reached].max()))
    with pytest.raises(wp.InputError, match=r"rounded, .* give tree='any'\.$"):
        wp.verify(DOUBLES, dist, source=0, pred=paths.pred)
    dist[7] += dtype(4 * certificate.slack)
    with pytest.raises(wp.VerificationError):
        wp.verify(DOUBLES, dist, source=0)


def test_whole_numbers_beyond_the_digits_of_a_float_are_rounded():
    far = wp.Graph.of([(0, 1, 2**24 + 1), (1, 2, 5)])
    assert wp.verify(far, np.float32([0, 2**24, 2**24 + 6]), source=0).slack > 0
    assert wp.verify(far, np.float64([0, 2**24 + 1, 2**24 + 6]), source=0).slack == 0


@pytest.mark.parametrize("pred", [[-1, 0, 0, 2, 3, -1], [0, 0, 0, 2, 3, -9999]])
def test_a_tree_with_other_ties_passes_as_such(pred):
    certificate = wp.verify(TIES, OF_TIES, source=0, pred=pred, tree="any")
    assert certificate.canonical is False
    assert str(certificate).startswith("verified exactly: 6 labels and a tree with other ties a")
    with pytest.raises(wp.VerificationError, match="another one passes with tree='any'"):
        wp.verify(TIES, OF_TIES, source=0, pred=pred)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.uint64])
def test_the_canonical_tree_passes_as_such_in_any_type_of_integers(dtype):
    pred = np.array([-1, 0, 0, 1, 3, -1]).astype(dtype)
    for tree in ("canonical", "any"):
        assert wp.verify(TIES, OF_TIES, 0, pred, tree=tree).canonical


@pytest.mark.parametrize(
    ("pred", "sentence"),
    [
        ([-1, 0, 0, 4, 3, -1], "predecessors must lead back to the source; vertex 3 has pred 4"),
        ([-1, 0, 0, 0, 3, -1], "sum up to the distance, -1 for none; vertex 3 has pred 0"),
        ([-1, 0, 0, -1, 3, -1], "sum up to the distance, -1 for none; vertex 3."),
        ([-1, 0, 0, 1, 3, 4], "sum up to the distance, -1 for none; vertex 5 has pred 4"),
        ([3, 0, 0, 1, 3, -1], "sum up to the distance, -1 for none; vertex 0 has pred 3"),
    ],
)
def test_what_is_no_tree_is_refused(pred, sentence):
    with pytest.raises(wp.VerificationError, match=re.escape(sentence)):
        wp.verify(TIES, OF_TIES, source=0, pred=pred, tree="any")


def test_a_tree_of_random_ties_passes_and_a_tree_of_another_source_does_not():
    random = np.random.default_rng(1)
    graph = wp.generate.random_in_degree(200, degree=4, weights=(0, 2), seed=2)
    dist = wp.sssp(graph, 0).dist
    tails, order = np.repeat(np.arange(200), np.diff(graph.indptr)), random.permutation(graph.m)
    pred = np.full(200, -1)
    for edge in order:  # a search in random order over edges that are tight and lengthen
        u, v = tails[edge], graph.indices[edge]
        if dist[u] < NONE and dist[u] + graph.weights[edge] == dist[v] and dist[u] < dist[v]:
            pred[v] = u
    pred = np.where(pred < 0, wp.sssp(graph, 0).pred, pred)
    assert not wp.verify(graph, dist, 0, pred, tree="any").canonical
    with pytest.raises(wp.VerificationError):
        wp.verify(graph, dist, 0, wp.sssp(graph, 3).pred, tree="any")


def test_closed_vertices_lead_no_path_through_in_another_tree():
    edges = [(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1)]
    zones = wp.Graph.of(edges, first_through=2)
    assert wp.verify(zones, [0, 1, 1, 2], 0, [-1, 0, 0, 2], tree="any").tree
    with pytest.raises(wp.VerificationError, match="vertex 3 has pred 1"):
        wp.verify(zones, [0, 1, 1, 2], 0, [-1, 0, 0, 1], tree="any")


def test_a_value_of_ones_own_marks_what_was_not_reached():
    for mark in (-1, 10**9, math.nan):
        dist = [0, 1, 1, 2, 2, mark]
        assert wp.verify(TIES, dist, source=0, unreachable=mark).labels == 6
        with pytest.raises(wp.VerificationError):
            wp.verify(TIES, dist, source=0)


def test_a_source_is_a_label_where_the_graph_has_labels():
    named = wp.Graph.of([("a", "b", 2), ("b", "c", 5)])
    assert wp.verify(named, [0, 2, 7], source="a", pred=[-1, 0, 1]).tree
    with pytest.raises(wp.VertexError):
        wp.verify(named, [0, 2, 7], source="z")


def test_paths_with_other_ties_pass_too():
    paths = wp.sssp(TIES, 0)
    assert wp.verify(TIES, paths, tree="any").canonical


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"tree": ["any"]}, wp.InputError, "tree=['any'] is not valid"),
        ({"unreachable": [1]}, wp.InputError, "unreachable = [1] must be a number or None"),
        ({"result": [0, 1]}, wp.InputError, "dist has shape (2,), but this graph needs (6,)"),
        ({"result": [OF_TIES]}, wp.InputError, "dist has shape (1, 6), but this graph needs (6,)"),
        ({"result": 3}, wp.InputError, "dist has shape ()"),
        ({"result": None}, wp.InputError, "dist has type object: integers or floats are needed"),
        ({"result": "dist.npy"}, wp.InputError, "dist has type <U8: integers or floats"),
        ({"result": [0, 1, 1, 2, 2, None]}, wp.InputError, "dist has type object"),
        ({"result": [True] * 6}, wp.InputError, "dist has type bool"),
        ({"result": [1j] * 6}, wp.InputError, "dist has type complex128"),
        ({"result": [[0], [1, 2]]}, wp.InputError, "dist = [[0], [1, 2]] is not an array: "),
        ({"source": None}, wp.InputError, "an array of distances needs their source: give source="),
        ({"source": 6}, wp.VertexError, "6"),
        ({"pred": [-1.0] * 6}, wp.InputError, "pred has type float64: integers are needed"),
        ({"pred": [-1, 0]}, wp.InputError, "pred has shape (2,)"),
        ({"pred": [-1, 0, 0, 1, 6, -1]}, wp.InputError, "pred[4] = 6 is not a vertex: give"),
        ({"tree": "some", "pred": [-1] * 6}, wp.InputError, "tree='some' is not valid: use 'can"),
        ({"tree": "any"}, wp.InputError, "tree='any' needs predecessors: give pred="),
        ({"result": wp.within(TIES, 0, 3)}, wp.InputError, "result is a Within: give the result"),
        ({"result": wp.sssp(TIES, 0)}, wp.InputError, "a Paths has its own source"),
        ({"result": [0, 1, 1, 2.5, 2, np.inf]}, wp.VerificationError, "vertex 3 has dist 2.5"),
        ({"result": [0, 1, np.nan, 2, 2, np.inf]}, wp.VerificationError, "vertex 2 has dist nan"),
        ({"result": [0, 1, 1, 2, 2, 1e30]}, wp.InputError, "dist[5] = 1e+30 is beyond 64 bits"),
        ({"result": [0, 1, 1, 2, 2, 2**64 - 2]}, wp.InputError, "is beyond 64 bits: if it marks"),
    ],
)
def test_what_cannot_be_checked_is_refused_with_the_reason(given, error, sentence):
    call = {"result": OF_TIES, "source": 0} | given
    with pytest.raises(error, match=re.escape(sentence)):
        wp.verify(TIES, **call)


def test_a_table_has_no_tree_to_choose():
    with pytest.raises(wp.InputError, match="no effect on a table"):
        wp.verify(TIES, wp.distances(TIES, [0]), tree="any")


def test_marks_beyond_a_type_mark_nothing_in_it():
    graph = wp.Graph.of([(0, 1, 1.0)])
    for mark in (10**400, -(10**400), 1e300):
        assert wp.verify(graph, np.float32([0, 1]), source=0, unreachable=mark).labels == 2
    none = np.array([2**64 - 1], np.uint64)
    assert wp.verify(wp.Graph.from_edges([], [], n=1), [0], 0, none).tree
