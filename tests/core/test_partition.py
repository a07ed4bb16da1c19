"""The loops of one partition of a graph: relax, lower, check, tight edges."""

from __future__ import annotations

import numpy as np
import pytest

from support import corpus
from warpath import _core
from warpath.base.dtypes import unreachable
from warpath.graph.csr import NO_WEIGHTS

DTYPES = corpus.ALL_TYPES
# 0 -> 1 -> 2 are own vertices; 3 and 4 are ghosts.
INDPTR = np.array([0, 3, 5, 6])
INDICES = np.array([1, 3, 4, 2, 4, 0], np.int32)


def weights(dtype):
    return np.array([2, 9, 3, 4, 0, 1], dtype)


def labels(dtype, *values):
    kind = np.dtype(np.int64 if np.dtype(dtype).kind == "i" else dtype)
    return np.array([unreachable(kind) if v is None else v for v in values], kind)


@pytest.mark.parametrize("dtype", DTYPES)
def test_relaxing_stops_behind_the_threshold(dtype):
    dist, pending = labels(dtype, 0, None, None, None, None), np.array([1, 0, 0], np.uint8)
    rows = (INDPTR, INDICES, weights(dtype))
    done = _core.relax_part(*rows, dist, pending, 1)
    assert dist.tolist() == labels(dtype, 0, 2, None, 9, 3).tolist()
    assert pending.tolist() == [0, 1, 0]
    assert sorted(done["lowered"].tolist()) == [3, 4]
    done = _core.relax_part(*rows, dist, pending, 2)
    assert dist.tolist() == labels(dtype, 0, 2, 6, 9, 2).tolist()
    assert pending.tolist() == [0, 0, 1]
    assert (done["settled"], done["relaxed"], done["lowered"].tolist()) == (1, 2, [4])


@pytest.mark.parametrize("dtype", DTYPES)
def test_messages_lower_labels_and_make_vertices_pending(dtype):
    dist, pending = labels(dtype, 5, 2, None, 1, 1), np.zeros(3, np.uint8)
    fell = _core.lower_labels(dist, pending, np.array([0, 1, 2], np.int32), labels(dtype, 4, 3, 9))
    assert fell == 2
    assert dist.tolist() == labels(dtype, 4, 2, 9, 1, 1).tolist()
    assert pending.tolist() == [1, 0, 1]


def test_without_weights_every_edge_counts_one():
    dist, pending = labels("int32", 0, None, None, None, None), np.array([1, 0, 0], np.uint8)
    _core.relax_part(INDPTR, INDICES, NO_WEIGHTS, dist, pending, 10)
    assert dist.tolist() == [0, 1, 2, 1, 1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_check_finds_the_first_edge_that_shortens_a_label(dtype):
    above = np.empty(5, np.int32)
    rows = (INDPTR, INDICES, weights(dtype))
    good = labels(dtype, 0, 2, 6, 9, 2)
    assert _core.check_part(*rows, good, above) == (-1, -1, -1)
    assert above.tolist() == [-1, 0, 1, 0, -1]  # 1 -> 4 has length 0
    assert _core.check_part(*rows, labels(dtype, 0, 2, 7, 10, 2), above) == (0, 3, 1)
    assert _core.check_part(*rows, labels(dtype, 0, 2, None, 9, 2), above) == (1, 2, 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tight_edges_without_length_lead_to_open_vertices_and_ghosts(dtype):
    rows = (INDPTR, INDICES, np.zeros(6, dtype))
    dist = labels(dtype, 0, 0, 0, 0, 5)
    found = [
        _core.tight_edges_without_length(
            *rows, dist, np.array(is_open, np.uint8), np.array(frontier, np.int32)
        )
        for is_open, frontier in [([0, 1, 1], [0]), ([0, 0, 1], [0, 1]), ([1, 1, 1], [0, 2])]
    ]
    listed = [(targets.tolist(), sources.tolist()) for targets, sources in found]
    assert listed == [([1, 3], [0, 0]), ([3, 2], [0, 1]), ([1, 3, 0], [0, 0, 2])]


def test_a_sum_beyond_64_bits_is_not_stored():
    dist, pending = labels("int64", 2**62, None, None, None, None), np.array([1, 0, 0], np.uint8)
    heavy = np.full(6, 2**62, np.int64)
    done = _core.relax_part(INDPTR, INDICES, heavy, dist, pending, 2**62)
    assert done["overflow"]
    assert dist.tolist() == labels("int64", 2**62, None, None, None, None).tolist()
    above = np.empty(5, np.int32)
    assert _core.check_part(INDPTR, INDICES, heavy, dist, above) == (0, 1, 0)


def test_edges_are_appended_to_their_rows():
    place = np.array([0, 2, 2])
    indices, out = np.zeros(4, np.int32), np.zeros(4, np.float32)
    for src, dst, w in [([0, 2], [5, 6], [1, 2]), ([2, 0], [7, 8], [3, 4])]:
        ends = np.array(src, np.int32), np.array(dst, np.int32)
        _core.append_edges(place, *ends, np.array(w, np.float32), indices, out)
    assert (indices.tolist(), out.tolist()) == ([5, 8, 6, 7], [1, 4, 2, 3])
    assert place.tolist() == [2, 2, 4]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indptr": [0, 9, 5, 6]}, "indptr must ascend"),
        ({"indptr": [0, 3, -1, 6]}, "indptr must ascend"),
        ({"indices": [1, 5, 4, 2, 4, 0]}, "not a vertex"),
        ({"indices": [1, -1, 4, 2, 4, 0]}, "not a vertex"),
        ({"weights": [2, -1, 3, 4, 0, 1]}, "must not be negative"),
        ({"weights": [2, np.nan, 3, 4, 0, 1]}, "must not be negative"),
        ({"weights": [2.0]}, "an entry for each edge"),
        ({"dist": [0, 1]}, "a label for each vertex"),
        ({"dist": [-1, 9, 9, 9, 9]}, "a label must not be negative"),
        ({"pending": [1]}, "pending has 1 entries"),
    ],
)
def test_arrays_that_no_partition_has_are_refused(changes, message):
    given = {
        "indptr": INDPTR, "indices": INDICES, "weights": weights("float64"),
        "dist": [0, 9, 9, 99, 99], "pending": [1, 1, 1],
    }  # fmt: skip
    types = {"indptr": np.int64, "indices": np.int32, "pending": np.uint8}
    arrays = {
        name: np.array(value, types.get(name, np.float64))
        for name, value in (given | changes).items()
    }
    with pytest.raises(ValueError, match=message):
        _core.relax_part(*arrays.values(), 1e9)
    if "pending" not in changes and "dist" not in changes:
        del arrays["pending"]
        with pytest.raises(ValueError, match=message):
            _core.check_part(*arrays.values(), np.empty(5, np.int32))


@pytest.mark.parametrize(
    ("vertices", "sent"), [([3], [1.0]), ([-1], [1.0]), ([0], [np.nan]), ([0], [-1.0])]
)
def test_messages_that_no_partition_sends_are_refused(vertices, sent):
    dist, pending = labels("float64", 5, 5, 5, 5), np.zeros(3, np.uint8)
    with pytest.raises(ValueError, match="a message has a vertex or a label"):
        _core.lower_labels(dist, pending, np.array(vertices, np.int32), np.array(sent))
    with pytest.raises(ValueError, match="labels has 2 entries"):
        _core.lower_labels(dist, pending, np.zeros(1, np.int32), np.zeros(2))


def test_appending_outside_of_the_rows_is_refused():
    place, one = np.array([0]), np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="another part"):
        _core.append_edges(place, one + 1, one, NO_WEIGHTS, one, NO_WEIGHTS)
    _core.append_edges(place, one, one, NO_WEIGHTS, one, NO_WEIGHTS)
    with pytest.raises(ValueError, match="more edges than were counted"):
        _core.append_edges(place, one, one, NO_WEIGHTS, one, NO_WEIGHTS)
