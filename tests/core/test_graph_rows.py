"""Functions of the core check the arrays that they are handed, and know those that were checked."""

import contextlib
import os
from collections import Counter

import numpy as np
import pytest

from warpath import Graph, _core
from warpath.graph.csr import NO_WEIGHTS

NOTHING = np.empty(0, np.int64)


def rows(weights=(4.0, 1.0, 2.0), indptr=(0, 2, 3, 3), indices=(1, 2, 2)):
    """0 -> 1, 0 -> 2, 1 -> 2."""
    return np.array(indptr, np.int64), np.array(indices, np.int32), np.array(weights)


def dijkstra(arrays, source=0, size=3, queue="radix", targets=NOTHING, cutoff=None):
    dist = np.empty(size, arrays[2].dtype if arrays[2].dtype.kind == "f" else np.int64)
    _core.dijkstra(*arrays, source, dist, queue, targets, cutoff)
    return dist.tolist()


def kept(arrays, copied=True):
    return _core.validate_rows(*arrays, copied=copied)[1]


@pytest.mark.parametrize(
    ("damaged", "message"),
    [
        (rows(indptr=()), "indptr is empty"),
        (rows(indptr=(0, 2, 3, 4)), "indptr must ascend from 0 to the number of indices"),
        (rows(indptr=(1, 2, 3, 3)), "indptr must ascend from 0"),
        (rows(indptr=(0, 3, 1, 3)), "indptr must ascend from 0"),
        (rows(indptr=(0, 2**62, 3, 3)), "indptr must ascend from 0"),
        (rows(indices=(1, 3, 2)), r"indices\[1\] is not a vertex"),
        (rows(indices=(1, 2, -1)), r"indices\[2\] is not a vertex"),
        (rows(weights=(1.0, 2.0)), "weights must have an entry for each edge"),
        (rows(weights=(1.0, np.nan, 2.0)), "weights must be finite"),
        (rows(weights=(1.0, np.inf, 2.0)), "weights must be finite"),
        (rows(weights=(1.0, 2.0, -1.0)), "weights must not be negative"),
        (rows(weights=np.array([1, 2, -1])), "weights must not be negative"),
    ],
)
def test_rows_that_no_graph_has_are_refused_by_the_core(damaged, message):
    with pytest.raises(ValueError, match=message):
        dijkstra(damaged)


def test_arguments_of_another_graph_are_refused_by_the_core():
    graph = rows()
    for arguments, message in (
        ({"source": 3}, "there is no vertex 3"),
        ({"source": -1}, "there is no vertex -1"),
        ({"size": 2}, "dist has 2 entries, but 3 are needed"),
        ({"targets": np.array([0, 3])}, "there is no vertex 3"),
        ({"cutoff": -1.0}, "cutoff must be >= 0"),
        ({"cutoff": np.nan}, "cutoff must be >= 0"),
    ):
        with pytest.raises(ValueError, match=message):
            dijkstra(graph, **arguments)
    assert dijkstra(graph) == [0, 4, 1]


def test_rows_beyond_a_raster_are_refused_by_the_core():
    raster = _core.Raster(2, 3, 4, 1.0, 1.0)
    for first in (-1, 2, 2**63 - 1):
        with pytest.raises(ValueError, match="costs must be rows of the raster"):
            raster.set(first, np.ones((1, 3)))


def test_validated_arrays_are_views_that_nothing_can_write():
    given = rows()
    for copied in (False, True):
        made = kept(given, copied)
        assert _core.rows_are_validated(*made)
        for array, origin in zip(made, given, strict=True):
            assert np.shares_memory(array, origin) == (not copied)
            assert array.tolist() == origin.tolist()
            assert type(array.base) is _core.ValidatedArray
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True
            with pytest.raises(TypeError, match="bytes-like"):
                memoryview(array.base)
    again = _core.validate_rows(*made, copied=True)[1]
    assert all(one is other for one, other in zip(made, again, strict=True))


def test_views_of_validated_arrays_are_not_taken_for_the_arrays():
    indptr, indices, weights = kept(rows(weights=np.array([4, 1, 2], np.int32)))
    assert _core.rows_are_validated(indptr, indices, None)
    assert _core.rows_are_validated(indptr[:], indices.view(), weights)
    for other in (
        (indptr[:-1], indices, weights),
        (indptr, indices[::-1], weights),
        (indptr, indices[1:], weights[1:]),
        (indptr, weights, weights),
        (indptr, indices, indices),
        (indptr, indices, weights.view(np.float32)),
        (indptr[::-1], indices, weights),
        (indptr.copy(), indices, weights),
        (indptr, indices, weights.tolist()),
    ):
        assert not _core.rows_are_validated(*other)
    # The bits of the integers are subnormal floats: weights that are right, and looked at.
    assert dijkstra((indptr, indices, weights.view(np.float32)), queue="heap")[0] == 0
    with pytest.raises(ValueError, match="indptr must ascend"):
        dijkstra((indptr[1:], indices, weights))


def test_rows_of_a_larger_graph_are_looked_at_again_for_a_smaller_one():
    large = kept((np.array([0, 1, 1, 1]), np.array([2], np.int32), np.array([1.0])))
    small = np.array([0, 1, 1])
    with pytest.raises(ValueError, match=r"indices\[0\] is not a vertex"):
        dijkstra((small, *large[1:]), size=2)
    report, made = _core.validate_rows(small, *large[1:], copied=False)
    assert report["bad_index"] == 0
    assert made is None
    wide = kept((np.zeros(6, np.int64), np.empty(0, np.int32), np.empty(0)))
    assert _core.validate_rows(np.zeros(2, np.int64), *wide[1:], copied=False)[1] is not None


def test_a_bound_search_answers_for_the_rows_that_it_was_bound_to():
    arrays = rows()
    searches = (
        _core.dijkstra_search(*arrays, "radix"),
        _core.own_buckets(*arrays, 1.0),
        _core.bucket_team(*arrays, 1.0, 4.0),
    )
    back = NOTHING, arrays[1][:0], arrays[2][:0]
    trees = _core.trees(*arrays, *back, ascending=False, negative=False)
    for array in arrays:
        array[:] = -1
    for search in searches:
        dist = search(0)[0]
        assert dist.tolist() == [0, 4, 1]
    assert trees(0, dist).tolist() == [-1, 0, 0]


def test_the_largest_weight_that_a_team_is_given_must_be_one():
    with pytest.raises(ValueError, match="max_weight must be no less than any weight"):
        _core.bucket_team(*rows(), 1.0, 3.0)


def test_potentials_that_make_a_length_negative_are_not_followed():
    weights = np.full(3, 2**40)
    out = np.empty((1, 3), np.int64)
    h = np.array([0, 2**60, -(2**61)])
    with pytest.raises(ValueError, match="h makes a length from vertex 0 negative"):
        _core.johnson_many(*rows(weights), h, np.array([0]), NOTHING, out, "radix")
    unreachable = np.full(3, np.iinfo(np.int64).max)
    with pytest.raises(ValueError, match="vertex 1 negative, or is missing there"):
        _core.johnson_many(*rows(weights), unreachable, np.array([1]), NOTHING, out, "radix")
    _core.johnson_many(*rows(weights), np.zeros(3, np.int64), np.array([0]), NOTHING, out, "radix")
    assert out.tolist() == [[0, 2**40, 2**40]]


def test_edges_that_another_thread_changed_are_not_followed():
    src, dst, weights = np.array([0, 1]), np.array([1, 0]), np.array([1, 1])
    for ends in ((src + 5, dst), (src - 1, dst), (src[:1], dst[:1])):
        names = "indptr", "indices", "out_weights"
        out = np.empty(3, np.int64), np.empty(2, np.int32), np.empty(2, np.int64)
        with pytest.raises(ValueError, match="changed while the graph was made"):
            _core.build_csr(
                *ends, weights[: len(ends[0])], both=False, **dict(zip(names, out, strict=True))
            )


def test_arrays_that_are_filled_together_may_not_share_memory():
    memory = np.zeros(8, np.int64)
    indptr, indices = memory[:4], memory.view(np.int32)[7:10]
    with pytest.raises(ValueError, match="must not share memory"):
        _core.transpose(*rows(), indptr, indices, np.empty(3))
    ends = np.array([0, 0, 1]), np.array([1, 2, 2])
    with pytest.raises(ValueError, match="must not share memory"):
        _core.build_csr(
            *ends, np.ones(3), both=False, indptr=indptr, indices=indices, out_weights=np.empty(3)
        )


def test_a_vertex_that_an_order_names_twice_is_met_once():
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], [1, 1, 1])
    twice = np.array([0, 0, 1, 1, 2, 2])
    arguments = graph.indptr, graph.indices, graph.weights, np.array([0, 1, 1]), twice
    keys, ends, tails = _core.tight_rows(*arguments, 2, first_met=True, limit=9)
    assert keys.tolist() == [0, 1, 2]
    assert ends[-1] == len(tails)


def test_a_walk_over_rows_that_are_not_the_reverse_ends():
    graph = rows()
    nothing = np.zeros(4, np.int64), np.empty(0, np.int32), np.empty(0)
    with pytest.raises(ValueError, match="the rows reversed are of another graph"):
        _core.path(*graph, *nothing, 0, 2, bidirectional=False)


@pytest.mark.parametrize("weights", [None, [1, 2, 3], [0.5, 1.5, 2.5]])
def test_what_makes_a_graph_keeps_its_rows_for_the_core(weights):
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], weights)
    made = [
        graph,
        Graph(graph.indptr.copy(), graph.indices.copy(), graph.weights),
        Graph.from_csr([0, 2, 3, 3], [1, 2, 2], weights),
        graph.reversed(),
        graph.with_weights([3, 2, 1]),
        graph.with_weights([3, np.inf, 1]),
        graph.with_coordinates([[0, 0], [1, 1], [2, 2]]),
        graph.astype("float64"),
        graph.subgraph([0, 2]),
    ]
    for each in made:
        assert _core.rows_are_validated(each.indptr, each.indices, each.weights)
        assert _core.rows_are_validated(each.indptr, each.indices, each._solver_weights)
    assert made[6].indices is graph.indices
    assert not _core.rows_are_validated(graph.indptr, graph.indices, NO_WEIGHTS)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_rows_are_copied_by_threads(threads):
    rng = np.random.default_rng(1)
    indptr = np.concatenate(([0], np.cumsum(rng.integers(0, 9, 40_000))))
    indices = rng.integers(0, 40_000, indptr[-1]).astype(np.int32)
    given = indptr, indices, rng.random(indptr[-1])
    made = _core.validate_rows(*given, copied=True, threads=threads)[1]
    for array, origin in zip(made, given, strict=True):
        assert np.array_equal(array, origin)


@pytest.mark.parametrize("seed", range(8))
def test_damaged_arguments_do_no_harm(seed):
    from hunt.programs.bindings import trial

    counts = Counter()
    for number in range(5):
        trial(np.random.default_rng([seed, number]), counts)
    assert counts["calls"] >= 300


@pytest.mark.skipif("tsan" in os.environ.get("LD_PRELOAD", ""), reason="the test is the race")
@pytest.mark.parametrize("seed", range(4))
def test_arrays_that_change_do_a_graph_no_harm(seed):
    pytest.importorskip("scipy")
    from hunt.programs.shared_arrays import trial

    counts = Counter()
    for number in range(10):
        trial(np.random.default_rng([seed, number]), counts)
    assert counts["solves"] > 0


def test_the_hunting_program_calls_every_function_of_the_core():
    from hunt.programs._core_calls import NAMES, Draw

    public = {name for name in dir(_core) if callable(getattr(_core, name)) and name[0] != "_"}
    classes = {name for name in public if isinstance(getattr(_core, name), type)}
    called = {"CompletionFlag", "Raster"}
    assert classes & set(NAMES) == called
    assert public - classes == set(NAMES) - called
    answered = set()
    for seed in range(40):
        draw = Draw(np.random.default_rng(seed))
        for name in set(NAMES) - answered:
            with contextlib.suppress(ValueError, OverflowError):
                getattr(_core, name)(**draw.arguments(name, getattr(_core, name)))
                answered.add(name)
    assert answered == set(NAMES)
