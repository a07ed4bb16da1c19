"""Answers as Python's own dictionaries and lists, by the node objects of a graph."""

from __future__ import annotations

import gc
import itertools
import signal
import sys
import weakref

import numpy as np
import pytest

from warpath import Graph, _core, generate


def objects(*names):
    made = np.empty(len(names), object)
    made[:] = names
    return made


NAMES = objects("a", ("b", 1), 2.5, 7)
ORDER = np.array([2, 0, 3])
NONE = np.empty(0, bool)
NEITHER = np.array([-1, -1])


def by_levels(names, source, threads=2):
    none = np.zeros(5, np.int64), np.empty(0, np.int32)
    return _core.dict_of_paths_by_levels(names, *none, source, 9, backwards=False, threads=threads)


def from_first(names):
    """The paths of a graph whose first vertex has an edge to each other one."""
    n = len(names)
    rows = np.array([0, *[n - 1] * n]), np.arange(1, n, dtype=np.int32)
    return _core.dict_of_paths_by_levels(names, *rows, 0, 9, backwards=False, threads=2)


@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_numbers_stand_in_the_order_given_under_the_objects_themselves(dtype):
    dist = np.array([3, 9, 0, 3], dtype)
    found = _core.dict_of_distances(NAMES, ORDER, dist, NONE)
    kind = int if dtype == "int64" else float
    assert list(found.items()) == [(2.5, kind(0)), ("a", kind(3)), (7, kind(3))]
    assert {type(value) for value in found.values()} == {kind}
    assert next(iter(found)) is NAMES[2]


def test_floats_that_are_whole_become_integers_beside_equal_ones_that_are_not():
    dist = np.array([3.0, 9, 0, 3])
    found = _core.dict_of_distances(NAMES, ORDER, dist, np.array([True, True]))
    assert [repr(value) for value in found.values()] == ["0", "3", "3.0"]


def test_paths_grow_by_a_name_from_the_path_of_the_one_before():
    order, above = np.array([2, 0, 3, 1]), np.array([-1, 0, 0, 1])
    found = _core.dict_of_paths(NAMES, order, above)
    assert found == {2.5: [2.5], "a": [2.5, "a"], 7: [2.5, 7], ("b", 1): [2.5, "a", ("b", 1)]}
    assert list(found) == [2.5, "a", 7, ("b", 1)]


@pytest.mark.threads
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_paths_by_levels_are_those_of_the_scan_whoever_searches(threads, backwards):
    graphs = generate.uniform(5000, 3), generate.grid(60, 50), Graph.from_edges([], [], n=4)
    for graph, limit in itertools.product(graphs, (-1, 0, 4, 10**9)):
        names = objects(*map(str, range(graph.n)))
        rows = graph.indptr, graph.indices
        scan = _core.breadth_first_scan(*rows, 3, limit, np.empty(graph.n, np.int64))
        expected = _core.dict_of_paths(names, *scan)
        found = _core.dict_of_paths_by_levels(names, *rows, 3, limit, backwards, threads)
        assert list(found) == list(expected)
        for name, path in expected.items():
            assert found[name] == (path[::-1] if backwards else path)


def test_lists_are_cut_out_of_one_after_another():
    found = _core.dict_of_lists(NAMES, ORDER, np.array([0, 2, 3]), np.array([1, 3, 0]))
    assert list(found.items()) == [(2.5, []), ("a", [("b", 1), 7]), (7, ["a"])]


def test_flags_hold_along_whole_paths():
    flags = np.array([False, True, False, True])
    _core.along_paths(np.array([-1, 0, 1, 2]), flags)
    assert flags.tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _core.dict_of_distances(NAMES, np.array([4]), np.zeros(9), NONE), "fewer names"),
        (lambda: _core.dict_of_distances(NAMES, np.array([-1]), np.zeros(9), NONE), "fewer names"),
        (
            lambda: _core.dict_of_distances(NAMES, ORDER, np.zeros(3), NONE),
            "an entry for each vertex",
        ),
        (lambda: _core.dict_of_distances(ORDER, ORDER, np.zeros(4), NONE), "array of objects"),
        (lambda: _core.dict_of_paths(NAMES, ORDER, ORDER[1:]), "one length"),
        (lambda: _core.dict_of_paths(NAMES, ORDER, ORDER), "not in order"),
        (lambda: by_levels(NAMES, 4), "no vertex 4"),
        (lambda: by_levels(NAMES, -1), "no vertex -1"),
        (lambda: by_levels(NAMES[1:], 0), "fewer names"),
        (lambda: by_levels(ORDER, 0), "array of objects"),
        (lambda: by_levels(NAMES, 0, threads=0), "threads"),
        (lambda: _core.dict_of_lists(NAMES, ORDER, ORDER[1:], ORDER), "one length"),
        (lambda: _core.dict_of_lists(NAMES, ORDER, np.array([1, 0, 3]), ORDER), "do not ascend"),
        (lambda: _core.dict_of_lists(NAMES, ORDER, np.array([1, 2, 4]), ORDER), "do not ascend"),
        (lambda: _core.along_paths(ORDER, np.ones(2, bool)), "one length"),
        (lambda: _core.along_paths(np.array([0]), np.ones(1, bool)), "not in order"),
    ],
)
def test_what_does_not_fit_is_refused_not_followed(call, message):
    with pytest.raises(ValueError, match=message):
        call()


class Odd:
    """A name that cannot be looked up from some moment on."""

    broken = False

    def __hash__(self):
        if self.broken:
            raise RuntimeError("no hash")
        return 1


def test_errors_of_names_come_through_and_leave_the_collector_and_the_counts_as_they_were():
    odd = Odd()
    names = objects("a", odd)
    before = sys.getrefcount(odd)
    odd.broken = True
    assert gc.isenabled()
    for call in (
        lambda: _core.dict_of_distances(names, np.array([0, 1]), np.zeros(2), NONE),
        lambda: _core.dict_of_paths(names, np.array([0, 1]), np.array([-1, 0])),
        lambda: from_first(names),
        lambda: _core.dict_of_lists(names, np.array([0, 1]), np.array([1, 2]), np.array([1, 1])),
    ):
        with pytest.raises(RuntimeError, match="no hash"):
            call()
        assert gc.isenabled()
    assert sys.getrefcount(odd) == before


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        _core.dict_of_paths(NAMES, ORDER, np.array([-1, 0, 1]))
        assert not gc.isenabled()
        from_first(NAMES)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_every_object_is_counted_once_for_each_place_it_is_at():
    name = object()
    names = objects(name, 1)
    before = sys.getrefcount(name)
    order, above = np.array([0, 1]), np.array([-1, 0])
    numbers = _core.dict_of_distances(names, order, np.zeros(2), NONE)
    paths = _core.dict_of_paths(names, order, above)
    same = from_first(names)
    lists = _core.dict_of_lists(names, order, np.array([2, 2]), np.array([0, 0]))
    assert sys.getrefcount(name) == before + 1 + 3 + 3 + 3
    del numbers, paths, same, lists
    assert sys.getrefcount(name) == before


class Follower:
    """A name that may hold anything."""


def test_the_collector_need_not_look_through_lists_of_what_holds_nothing():
    held = Follower()
    names, order = objects("a", 1.5, held), np.arange(3)
    paths = _core.dict_of_paths(names, order, np.array([-1, 0, -1]))
    assert [gc.is_tracked(path) for path in paths.values()] == [False, False, True]
    after = _core.dict_of_paths(names, order[::-1].copy(), np.array([-1, 0, 1]))
    assert [gc.is_tracked(path) for path in after.values()] == [True, True, True]
    same = from_first(names)
    assert [gc.is_tracked(path) for path in same.values()] == [False, False, True]
    lists = _core.dict_of_lists(names, order, np.array([2, 3, 3]), np.array([0, 1, 2]))
    assert [gc.is_tracked(listed) for listed in lists.values()] == [False, True, False]


@pytest.mark.parametrize(
    "call",
    [
        lambda names: _core.dict_of_paths(names, np.arange(2), NEITHER),
        from_first,
        lambda names: _core.dict_of_lists(names, np.arange(2), np.array([1, 2]), np.array([0, 1])),
    ],
    ids=["paths", "levels", "lists"],
)
def test_a_cycle_through_a_name_is_freed(call):
    held = Follower()
    held.answer = call(objects(held, "a"))
    gone = weakref.ref(held)
    del held
    gc.collect()
    assert gone() is None


class Looked:
    """A name whose lookup runs Python, which raises an interrupt that still waits."""

    def __hash__(self):
        return 1


@pytest.mark.threads
@pytest.mark.parametrize("kind", ["numbers", "paths", "levels", "lists"])
def test_ctrl_c_stops_them(kind):
    n = 1 << 18
    names, order = objects(*range(n - 1), Looked()), np.arange(n)
    dist, above = np.zeros(n), np.full(n, -1)
    star = np.full(n + 1, n - 1), np.arange(1, n, dtype=np.int32)
    star[0][0] = 0
    call = {
        "numbers": lambda: _core.dict_of_distances(names, order, dist, NONE),
        "paths": lambda: _core.dict_of_paths(names, order, above),
        "levels": lambda: _core.dict_of_paths_by_levels(
            names, *star, 0, 9, backwards=False, threads=2
        ),
        "lists": lambda: _core.dict_of_lists(names, order, order, order),
    }[kind]

    def call_stopped_soon():
        signal.setitimer(signal.ITIMER_REAL, 5e-4)
        call()

    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt) as stopped:
            call_stopped_soon()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert stopped.traceback[-1].name != "__hash__"
