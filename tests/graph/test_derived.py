"""What modules keep with a graph: entries of their own, computed once, with a size."""

from __future__ import annotations

import threading

import numpy as np

import warpath as wp
from warpath.graph.derived import Derived, bytes_of, bytes_of_graph, derived_bytes


def path_graph():
    return wp.Graph.of([(0, 1, 5), (1, 2, 7)])


def test_data_are_computed_once_for_each_graph_and_key():
    entry = Derived("tests", "squares")
    graph, made = path_graph(), []

    def of(graph, number):
        return entry.of(graph, lambda: made.append(number) or number**2, number)

    assert [of(graph, 2), of(graph, 2), of(graph, 3), of(path_graph(), 2)] == [4, 4, 9, 4]
    assert made == [2, 3, 2]
    assert (entry.cached(graph, 3), entry.cached(graph, 4)) == (9, None)


def test_none_is_computed_once_too():
    entry = Derived("tests", "nothing")
    graph, made = path_graph(), []
    assert [entry.of(graph, lambda: made.append(1)) for _ in range(3)] == [None] * 3
    assert made == [1]


def test_two_entries_with_the_same_words_do_not_meet():
    one, two = Derived("tests", "numbers"), Derived("tests", "numbers")
    graph = path_graph()
    assert one.of(graph, lambda: 1) == 1
    assert two.of(graph, lambda: 2) == 2
    assert repr(one) == "<numbers (tests)>"


def test_threads_that_compute_at_the_same_time_get_one_object():
    entry, graph = Derived("tests", "objects"), path_graph()
    both = threading.Barrier(2)
    found = []

    def make():
        both.wait()  # both are computing before either one's is kept
        return object()

    threads = [threading.Thread(target=lambda: found.append(entry.of(graph, make))) for _ in "ab"]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found[0] is found[1]


def test_bytes_are_those_of_arrays_and_of_what_is_on_a_device():
    arrays = Derived("tests", "arrays")
    graphs = Derived("tests", "a graph", bytes_of_graph)
    graph = path_graph()
    assert derived_bytes(graph) == 0
    arrays.of(graph, lambda: (np.zeros(5), [np.zeros(3, np.int32)]))
    arrays.of(graph, lambda: np.zeros(2), "cuda:0", 7)
    graphs.of(graph, path_graph)
    own = bytes_of_graph(graph)
    assert own == graph.indptr.nbytes + graph.indices.nbytes + graph.weights.nbytes
    assert derived_bytes(graph) == 40 + 12 + 16 + own
    assert derived_bytes(graph, "cuda:0") == 16
    assert derived_bytes(graph, "cuda:1") == 0
    assert bytes_of("text") > 0


def test_a_notebook_shows_what_is_kept():
    graph = path_graph()
    assert "kept for later calls" not in graph._repr_html_()
    Derived("tests", "an array").of(graph, lambda: np.zeros(1000))
    assert "kept for later calls" in graph._repr_html_()
    assert "7.8 KiB" in graph._repr_html_()
