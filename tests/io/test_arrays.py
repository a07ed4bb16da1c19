from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import GraphError, InputError, WeightError
from warpath.graph.checks import index_dtype


def edges_of(graph):
    src, dst, weights = graph.edges()
    return list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def test_a_tuple_of_arrays_is_src_dst_weights():
    graph = wp.Graph.of((np.array([1, 0]), np.array([2, 1]), np.array([0.5, 2.0])))
    assert (graph.n, edges_of(graph)) == (3, [(0, 1, 2.0), (1, 2, 0.5)])


def test_a_tuple_of_two_lists_has_no_weights():
    graph = wp.Graph.of(([0, 1, 1], [1, 2, 2]))
    assert graph.weights is None
    assert graph.m == 3


def test_a_list_of_tuples_holds_edges():
    assert edges_of(wp.Graph.of([(0, 1, 2.0), (1, 2, 0.5)])) == [(0, 1, 2.0), (1, 2, 0.5)]


def test_integer_weights_of_a_list_are_int64_and_one_float_makes_all_floats():
    assert wp.Graph.of([(0, 1, 2)]).weights.dtype == np.int64
    assert wp.Graph.of([(0, 1, 2), (1, 0, 0.5)]).weights.dtype == np.float64


def test_an_empty_list_is_the_empty_graph():
    assert (wp.Graph.of([]).n, wp.Graph.of([], n=3).n) == (0, 3)


def test_strings_are_labels_in_order_of_appearance():
    graph = wp.Graph.of([("b", "a", 1), ("a", "c", 2)])
    assert graph.labels.tolist() == ["b", "a", "c"]
    assert edges_of(graph) == [(0, 1, 1), (1, 2, 2)]


def test_string_arrays_are_labels_too():
    graph = wp.Graph.of((np.array(["x", "y"]), np.array(["y", "z"])))
    assert graph.labels.tolist() == ["x", "y", "z"]


def test_tuples_and_mixed_types_can_be_labels():
    graph = wp.Graph.of([((0, 0), (0, 1)), ((0, 1), "exit")])
    assert graph.labels.tolist() == [(0, 0), (0, 1), "exit"]


def test_an_integer_and_a_string_stay_two_names():
    graph = wp.Graph.of(([1, "1"], ["1", 2]))
    assert graph.labels.tolist() == [1, "1", 2]


def test_undirected_stores_both_arcs():
    graph = wp.Graph.of([(0, 1, 5)], directed=False)
    assert edges_of(graph) == [(0, 1, 5), (1, 0, 5)]
    assert not graph.directed


def test_n_adds_vertices_without_edges():
    assert wp.Graph.of([(0, 1)], n=5).n == 5


def test_a_users_array_stays_writeable():
    src, dst, weights = np.array([0], np.int32), np.array([1], np.int32), np.array([1.0])
    wp.Graph.of((src, dst, weights))
    assert src.flags.writeable
    assert weights.flags.writeable


@pytest.mark.parametrize(
    ("given_dtype", "kept"),
    [
        ("bool", "int32"),
        ("int8", "int32"),
        ("int16", "int32"),
        ("uint8", "int32"),
        ("uint16", "int32"),
        ("uint32", "int64"),
        ("uint64", "int64"),
        ("int32", "int32"),
        ("int64", "int64"),
        ("float32", "float32"),
        ("float64", "float64"),
        (">f8", "float64"),
        (">i4", "int32"),
    ],
)
def test_weights_of_odd_types_become_one_of_four(given_dtype, kept):
    graph = wp.Graph.of(([0, 1], [1, 0], np.array([1, 0], given_dtype)))
    assert graph.weights.dtype == np.dtype(kept)
    assert graph.weights.tolist() == [1, 0]


@pytest.mark.parametrize("dtype", ["float16", "complex128", "object", "longdouble", "<U3", "M8[s]"])
def test_weights_that_are_no_numbers_of_ours_are_refused(dtype):
    with pytest.raises(WeightError, match=r"weights of type .* cannot be used"):
        wp.Graph.of(([0], [1], np.zeros(1, dtype)))


def test_uint64_weights_beyond_int64_are_refused_with_the_place():
    with pytest.raises(WeightError, match=r"weights\[1\] = 18446744073709551615 does not fit"):
        wp.Graph.of(([0, 0], [1, 1], np.array([1, 2**64 - 1], np.uint64)))


@pytest.mark.parametrize("id_type", ["int8", "uint8", "int16", "uint32", "int64", "uint64", ">i8"])
def test_ids_may_be_of_any_integer_type(id_type):
    assert wp.Graph.of((np.array([0], id_type), np.array([7], id_type))).n == 8


def test_vertices_are_counted_in_64_bits_from_two_to_the_31_on():
    assert index_dtype(2**31 - 1) == np.int32
    assert index_dtype(2**31) == np.int64


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((np.array([0, 1.5]), np.array([1, 2])), r"src\[0\] = 0.0 .*integers.*astype\(int\)"),
        (([0, 1, 1.5], [1, 2, 3]), r"src\[2\] is 1.5: a vertex is an integer.*astype\(int\)"),
        (([0], [1.0]), r"dst\[0\] is 1.0: a vertex is an integer"),
        ([(0, 1), (1, 2.0)], r"edge 1: its target is 2.0: a vertex is an integer"),
        ([(0, 1), (None, 2)], r"edge 1: its source is None"),
        ([(0, True)], r"edge 0: its target is True"),
        (([0, 1], [1]), r"src has 2 entries but dst has 1"),
        (([0, 1], ["a"]), r"src has 2 entries but dst has 1"),
        ((np.zeros((3, 2), int), np.zeros(3, int)), r"src has shape \(3, 2\)"),
        (([0, -3], [1, 1]), r"src\[1\] = -3: vertices are 0 or more"),
        (([0], [2**63]), r"dst\[0\] = 9223372036854775808 does not fit 63 bits"),
        ((np.array([2**63], np.uint64), np.array([0])), r"src\[0\] = 9223372036854775808"),
        ([(0, 1), (0, 1, 2)], r"edge 1 is \(0, 1, 2\), but edge 0 has 2 entries"),
        ([(0, 1, 2, 3)], r"edge 0 is \(0, 1, 2, 3\): the entries of a list must"),
        ([[0, 1], [1, 2]], r"edge 0 is \[0, 1\].*Arrays go into a tuple"),
        ([np.array([0]), np.array([1])], r"Arrays go into a tuple: \(src, dst, weights\)"),
        (((0, 1), (1, 2)), r"a tuple of 2 \(tuple, tuple\).*put edges \(u, v\) into a list"),
        (([0],), r"a tuple of 1 \(list\) is not a graph"),
        (([0], [1], [1], [1], [1]), r"a tuple of 5 \(list, list, list, list, \.\.\.\)"),
        (("roads.gr", "x"), r"a tuple of 2 \(str, str\) is not a graph"),
        ([({1}, "a")], "must be hashable"),
    ],
)
def test_what_is_no_edge_list_is_refused_with_the_place(data, message):
    with pytest.raises(GraphError, match=message):
        wp.Graph.of(data)


def test_an_id_of_n_or_more_is_refused():
    with pytest.raises(GraphError, match=r"dst\[0\] = 5: vertices lie in 0 .. n - 1 = 4"):
        wp.Graph.of([(0, 5)], n=5)


def test_n_is_refused_for_labels():
    with pytest.raises(
        GraphError, match="n = 3 was given, but the edges have vertices such as 'a'"
    ):
        wp.Graph.of([("a", "b")], n=3)


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1, "5")], r"edge 0: its weight is '5' \(str\)"),
        ([(0, 1, 1), (0, 1, None)], r"edge 1: its weight is None"),
        ([(0, 1, 2**63)], r"edge 0: its weight = 9223372036854775808 does not fit int64"),
        ([(0, 1, float("nan"))], r"weights\[0\] = nan"),
        ([(0, 1, float("-inf"))], r"weights\[0\] = -inf"),
        (([0], [1], [1j]), r"weights\[0\] is 1j \(complex\)"),
        (([0], [1], [1, 2]), None),
    ],
)
def test_what_is_no_weight_is_refused_with_the_place(edges, message):
    if message is None:
        with pytest.raises(GraphError, match="src has 1 entries but weights has 2"):
            wp.Graph.of(edges)
        return
    with pytest.raises(WeightError, match=message):
        wp.Graph.of(edges)


def test_missing_values_are_no_labels():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(GraphError, match=r"src\[1\] is <NA>"):
        wp.Graph.of((["a", pandas.NA], ["b", "c"]))


def test_plus_infinity_is_no_edge():
    assert wp.Graph.of([(0, 1, float("inf")), (0, 1, 1.0)]).m == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 5)), max_size=30))
def test_a_list_and_a_tuple_of_arrays_give_the_same_graph(edges):
    columns = tuple(np.array([edge[i] for edge in edges], np.int64) for i in range(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = wp.Graph.of(edges, n=10), wp.Graph.of(columns, n=10)
    assert edges_of(one) == edges_of(other)
    assert sorted(edges_of(one)) == sorted(edges)


class OnDevice:
    """An array of another library, on a device that copies to the host when it is asked to."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.asked = []

    def __len__(self):
        return len(self.values)

    def __dlpack__(self, *, dl_device=None, copy=None, **_):
        self.asked.append(dl_device)
        if dl_device != (1, 0):
            msg = "the memory is on a GPU"
            raise BufferError(msg)
        return self.values.__dlpack__(dl_device=dl_device, copy=copy)

    def __dlpack_device__(self):
        return (2, 0)


def test_columns_on_a_gpu_are_copied_through_dlpack():
    src, dst, weights = OnDevice([0, 1]), OnDevice([1, 2]), OnDevice([2.5, 4.0])
    graph = wp.Graph.of((src, dst, weights))
    assert [column.asked for column in (src, dst, weights)] == [[(1, 0)]] * 3
    assert wp.sssp(graph, 0).dist.tolist() == [0.0, 2.5, 6.5]


def test_integers_of_a_list_are_labels_unless_they_are_0_to_n_minus_1():
    graph = wp.Graph.of([(10, 20, 1.5)])
    assert (graph.n, graph.labels.tolist()) == (2, [10, 20])
    assert wp.sssp(graph, 10)[20] == 1.5
    assert wp.Graph.of([(0, 1), (1, 2)]).labels is None


def test_n_and_arrays_say_that_integers_are_indices():
    assert wp.Graph.of([(10, 20, 1.5)], n=21).n == 21
    graph = wp.Graph.of((np.array([10]), np.array([20]), np.array([1.5])))
    assert (graph.n, graph.labels) == (21, None)


def test_an_option_that_a_graph_does_not_have_is_refused_by_every_maker():
    ends = np.array([0]), np.array([1])
    for make in (
        lambda: wp.Graph.of([(0, 1)], undirected=True),
        lambda: wp.Graph.of(ends, undirected=True),
        lambda: wp.Graph.from_edges(*ends, undirected=True),
        lambda: wp.Graph.from_labelled_edges(*ends, undirected=True),
        lambda: wp.Graph.from_csr([0, 1, 1], [1], undirected=True),
    ):
        with pytest.raises(InputError, match=r"has no option 'undirected': .*directed=False\?"):
            make()
    with pytest.raises(InputError, match=r"has no option 'lables': .* did you mean labels=\?"):
        wp.Graph.of([(0, 1)], lables=["a", "b"])
