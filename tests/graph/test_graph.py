"""The graph: building, checking, naming, changing."""

from __future__ import annotations

import math
import pickle

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

import warpath as wp
from warpath import (
    Graph,
    GraphError,
    InputError,
    MissingDependencyError,
    NotEnoughMemoryError,
    VertexError,
    WeightError,
)
from warpath.base import errors
from warpath.graph.checks import index_dtype
from warpath.graph.edge_geometry import Shapes
from warpath.graph.facts import leaves
from warpath.graph.zones import opened

edge_lists = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(-5, 5)), max_size=40
)


def triangle() -> Graph:
    return Graph.from_edges([0, 1, 2], [1, 2, 0], [3, 4, 5])


@given(edge_lists)
def test_rows_keep_the_edges_in_the_order_of_the_list(edges):
    src, dst, weights = (
        (np.array(part, np.int64) for part in zip(*edges, strict=True)) if edges else ([],) * 3
    )
    graph = Graph.from_edges(src, dst, weights, n=10)
    expected = [(u, v, w) for row in range(10) for u, v, w in edges if u == row]
    assert list(zip(*(part.tolist() for part in graph.edges()), strict=True)) == expected


@given(edge_lists)
def test_an_undirected_graph_stores_both_arcs_and_a_loop_once(edges):
    graph = Graph.of([tuple(edge) for edge in edges], n=10, directed=False)
    loops = sum(u == v for u, v, _ in edges)
    assert graph.m == 2 * len(edges) - loops
    assert graph.facts().edges == len(edges)
    assert graph.facts().symmetric
    stored = sorted(zip(*(part.tolist() for part in graph.edges()), strict=True))
    assert stored == sorted((v, u, w) for u, v, w in stored)


@given(edge_lists)
def test_reversing_twice_gives_the_same_edges(edges):
    graph = Graph.of([tuple(edge) for edge in edges], n=10)
    there_and_back = graph.reversed().reversed()
    assert sorted(zip(*map(np.ndarray.tolist, graph.edges()), strict=True)) == sorted(
        zip(*map(np.ndarray.tolist, there_and_back.edges()), strict=True)
    )


def test_an_edge_of_weight_inf_is_no_edge():
    graph = Graph.from_edges([0, 1, 1], [1, 2, 0], [1.0, np.inf, 2.0])
    assert (graph.n, graph.m) == (3, 2)
    rows = Graph.from_csr([0, 1, 3, 3], [1, 2, 0], [1.0, np.inf, 2.0])
    assert rows.indptr.tolist() == [0, 1, 2, 2]
    assert rows.weights.tolist() == [1.0, 2.0]


def test_arrays_are_read_only_and_the_callers_stay_writable():
    weights = np.array([1.0, 2.0])
    graph = Graph.from_csr(np.array([0, 1, 2]), np.array([1, 0], np.int32), weights)
    for array in (graph.indptr, graph.indices, graph.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    weights[0] = 5


@pytest.mark.parametrize("way", ["of", "from_csr", "from_edges", "constructor", "with_weights"])
def test_a_graph_stays_as_it_is_when_the_arrays_change_that_it_was_made_of(way):
    indptr, indices = np.array([0, 2, 3, 3]), np.array([1, 2, 2], np.int32)
    src, dst = np.array([0, 0, 1]), np.array([1, 2, 2])
    weights = np.array([4.0, 1.0, 2.0])
    graph = {
        "of": lambda: Graph.of((src, dst, weights)),
        "from_csr": lambda: Graph.from_csr(indptr, indices, weights),
        "from_edges": lambda: Graph.from_edges(src, dst, weights),
        "constructor": lambda: Graph(indptr, indices, weights),
        "with_weights": lambda: Graph(indptr, indices).with_weights(weights),
    }[way]()
    late = wp.sssp(graph, 0)
    for array in (indptr, indices, src, dst, weights):
        array[:] = -1
    assert late.pred.tolist() == [-1, 0, 0]
    for algorithm in ("auto", "classic.dijkstra.radix_heap", "classic.delta_stepping"):
        assert wp.sssp(graph, 0, algorithm=algorithm).dist.tolist() == [0, 4, 1]


def test_labels_coordinates_and_shapes_are_copied_and_the_callers_stay_writable():
    labels, places = np.array(["a", "b"]), np.array([[0.0, 0.0], [3.0, 4.0]])
    bounds, points = np.array([0, 1]), np.array([[1.0, 1.0]])
    graph = Graph.from_edges(
        [0], [1], labels=labels, coordinates=places, shapes=Shapes(bounds, points)
    )
    labels[:], places[:], bounds[:], points[:] = "x", 9, 9, 9
    assert graph.labels.tolist() == ["a", "b"]
    assert graph.coordinates.tolist() == [[0, 0], [3, 4]]
    assert graph.shapes.points.tolist() == [[1, 1]]
    other = graph.with_weights([5])
    assert other.labels is graph.labels
    assert other.coordinates is graph.coordinates


def test_indices_of_a_graph_without_edges_have_the_type_of_others():
    graph = Graph.from_edges([], [], n=3, first_through=2)
    for each in (graph, graph.reversed(), graph.subgraph([0]), Graph([0, 0], []), opened(graph)):
        assert each.indices.dtype == np.int32
    assert wp.sssp(graph, 0).pred.dtype == np.int32
    assert wp.nearest(graph, [0], reverse=True).facility_indices.dtype == np.int32


def test_no_array_of_a_graph_can_be_made_writable():
    graph = Graph.from_edges(
        [0, 1],
        [1, 0],
        [1.5, 2.5],
        labels=["a", "b"],
        coordinates=[[0, 0], [3, 4]],
        shapes=Shapes([0, 0, 1], [[1, 1]]),
    )
    one = Graph.from_edges([0], [0])
    again = pickle.loads(pickle.dumps(graph))  # noqa: S301 - our own bytes
    for each in (graph, graph.reversed(), graph.with_weights([2, 3]), again, one):
        for array in (each.indptr, each.indices, each._solver_weights):
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True
    for array in (graph.labels, graph.coordinates, graph.shapes.indptr, graph.shapes.points):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_arrays_of_a_graph_are_arrays_like_others():
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], [4, 1, 2])
    assert np.shares_memory(np.asarray(graph.weights), graph.weights)
    assert np.shares_memory(graph.weights[1:], graph.weights)
    assert memoryview(graph.indices).readonly
    assert bytes(memoryview(graph.weights)) == graph.weights.tobytes()
    again = pickle.loads(pickle.dumps(graph.indptr))  # noqa: S301 - our own bytes
    assert again.tolist() == graph.indptr.tolist()
    assert np.from_dlpack(graph.weights.copy()).tolist() == [4, 1, 2]
    copy = graph.weights.copy()
    copy[0] = 9
    assert graph.weights.tolist() == [4, 1, 2]


def test_weights_are_ones_where_none_were_given():
    graph = Graph.from_edges([0, 1], [1, 0])
    assert graph.weights is None
    assert graph._solver_weights.tolist() == [1, 1]
    assert graph.facts().mean_weight == 1
    assert not graph.facts().weighted


def test_facts_say_degrees_weights_signs_and_symmetry():
    graph = Graph.from_edges([0, 0, 2], [1, 2, 2], [-1.5, 0.0, 4.0], n=4)
    facts = graph.facts()
    assert (facts.n, facts.m, facts.loops) == (4, 3, 1)
    assert (facts.min_degree, facts.max_degree, facts.mean_degree) == (0, 2, 0.75)
    assert (facts.min_weight, facts.max_weight) == (-1.5, 4.0)
    assert facts.mean_weight == pytest.approx(2.5 / 3, rel=1e-15)
    assert (facts.negative, facts.zero) == (1, 1)
    assert (facts.integer, facts.weight_dtype) == (False, "float64")
    assert facts.symmetric is False
    assert graph.facts(symmetry=False).symmetric is None


@pytest.mark.parametrize(
    ("edges", "symmetric"),
    [
        ([(0, 1, 2), (1, 0, 2)], True),
        ([(0, 1, 2), (1, 0, 3)], False),
        ([(0, 1, 2), (0, 1, 3), (1, 0, 3), (1, 0, 2)], True),
        ([(0, 1, 2), (0, 1, 2), (1, 0, 2), (2, 0, 1)], False),
        ([(0, 1, 1), (1, 2, 1), (2, 0, 1)], False),
        ([], True),
    ],
)
def test_symmetry_compares_weights_and_parallel_edges(edges, symmetric):
    assert Graph.of(edges, n=3).facts().symmetric is symmetric


def test_symmetry_of_an_unweighted_graph():
    assert Graph.of([(0, 1), (1, 0)]).facts().symmetric


def test_labels_are_dropped_when_they_only_count():
    assert Graph.from_labelled_edges([2, 0], [1, 2]).labels is None


def test_labels_are_ascending_numbers_or_names_by_appearance():
    assert Graph.from_labelled_edges([70, 5], [5, 9]).labels.tolist() == [5, 9, 70]
    assert Graph.from_labelled_edges([10**15, 5], [5, 9]).labels.tolist() == [5, 9, 10**15]
    assert Graph.from_labelled_edges(["b", "a", "d"], ["a", "c", "b"]).labels.tolist() == list(
        "bacd"
    )
    assert Graph.from_labelled_edges([-1, 0], [0, 1]).labels.tolist() == [-1, 0, 1]
    assert Graph.from_labelled_edges([], []).n == 0


def test_the_name_of_an_argument_is_a_text():
    with pytest.raises(InputError, match="what = 3 must be a text"):
        wp.Graph.of([(0, 1, 2)]).index_of({0: "home"}, what=3)


def test_index_of_finds_labels_of_any_kind_and_label_of_gives_them_back():
    graph = Graph.from_labelled_edges(["a", "b"], ["b", "c"])
    assert graph.index_of("c") == 2
    assert graph.index_of(np.array(["c", "a"])).tolist() == [2, 0]
    assert graph.label_of([2, 0]).tolist() == ["c", "a"]
    numbers = Graph.from_labelled_edges([10, 20], [20, 30])
    assert numbers.index_of(30) == 2
    assert numbers.index_of(np.int64(30)) == numbers.index_of(np.array(30)) == 2
    plain = triangle()
    assert plain.index_of([2, 0]).tolist() == [2, 0]
    assert plain.index_of([]).tolist() == []
    pairs = np.empty(2, object)
    pairs[:] = [(0, 0), (0, 1)]
    tuples = Graph.from_edges([0], [1], labels=pairs)
    assert tuples.index_of((0, 1)) == 1
    assert tuples.index_of([(0, 1), (0, 0)]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("vertex", "message"),
    [
        (3, r"vertex 3 does not exist: vertices are 0 \.\. 2\."),
        (-1, "vertex -1 does not exist"),
        (1.0, r"1\.0 is not a vertex"),
        ("a", "'a' is not a vertex"),
        ([0, 7], "vertex 7"),
        (None, "None is not a vertex"),
        ([[0]], "is not a vertex"),
    ],
)
def test_a_vertex_that_does_not_exist_is_named(vertex, message):
    with pytest.raises(VertexError, match=message):
        triangle().index_of(vertex)


def test_a_vertex_of_a_file_that_counts_from_one_gets_a_hint():
    graph = Graph.from_edges([0, 1], [1, 0], id_base=1)
    with pytest.raises(VertexError, match="The file counts from 1, Python from 0"):
        graph.index_of(2)
    with pytest.raises(VertexError, match="has no vertices"):
        Graph.of([], n=0).index_of(0)


@pytest.mark.parametrize("vertex", ["z", None, [["a"]], 5])
def test_an_unknown_label_is_named_with_examples(vertex):
    graph = Graph.from_labelled_edges(["a", "b"], ["b", "c"])
    with pytest.raises(VertexError, match=r"among the 3 labels \('a', 'b', 'c'"):
        graph.index_of(vertex)


def test_a_label_of_another_type_is_pointed_out():
    graph = Graph.from_labelled_edges([5, 7], [7, 9])
    with pytest.raises(VertexError, match="There is 7, of type int"):
        graph.index_of("7")


@pytest.mark.parametrize(
    ("src", "dst", "weights", "n", "error", "message"),
    [
        ([0, 1], [1], None, None, GraphError, "src has 2 entries but dst has 1"),
        ([0], [1], [1, 2], None, GraphError, "weights has 2"),
        ([], [], [1], None, GraphError, "weights has 1"),
        ([0.0], [1], None, None, GraphError, r"src\[0\] = 0\.0 is of type float64"),
        ([0], ["a"], None, None, GraphError, r"dst\[0\] = a"),
        ([-1], [0], None, None, GraphError, r"src\[0\] = -1: vertices are 0 or more"),
        ([0, 0], [1, 5], None, 3, GraphError, r"dst\[1\] = 5: vertices lie in 0 \.\. n - 1 = 2"),
        ([0], [3], None, 3, GraphError, r"dst\[0\] = 3: vertices lie in 0 \.\. n - 1 = 2"),
        ([[0]], [[1]], None, None, GraphError, r"src has shape \(1, 1\)"),
        ([0], [1], None, -1, GraphError, "n = -1"),
        (np.array([2**63], np.uint64), [1], None, None, GraphError, "does not fit 63 bits"),
        ([0], [1], [np.nan], None, WeightError, r"weights\[0\] = nan"),
        ([0, 0], [1, 1], [1, -np.inf], None, WeightError, r"weights\[1\] = -inf"),
        ([0], [1], np.array([1], np.float16), None, WeightError, "float16 cannot be used"),
        ([0], [1], [1j], None, WeightError, "complex128"),
        ([0], [1], ["x"], None, WeightError, "cannot be used"),
        ([0], [1], [[1]], None, WeightError, r"shape \(1, 1\)"),
        ([0], [1], np.array([2**63], np.uint64), None, WeightError, "does not fit int64"),
        ([0], [1], np.ma.masked_equal([3], 3), None, WeightError, r"weights\[0\] is masked"),
        ([0], [1], np.array([1], np.longdouble), None, WeightError, "cannot be used"),
    ],
)
def test_what_is_no_graph_is_refused_with_value_place_and_rule(
    src, dst, weights, n, error, message
):
    with pytest.raises(error, match=message):
        Graph.from_edges(src, dst, weights, n=n)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (np.bool_, np.int32),
        (np.int8, np.int32),
        (np.uint16, np.int32),
        (np.int32, np.int32),
        (np.uint32, np.int64),
        (np.int64, np.int64),
        (np.uint64, np.int64),
        (np.float32, np.float32),
        (np.float64, np.float64),
        (">f8", np.float64),
        (">i4", np.int32),
    ],
)
def test_weights_of_every_type_are_kept_or_widened(given, kept):
    graph = Graph.from_edges([0], [1], np.array([1], given))
    assert graph.weights.dtype == kept
    assert graph.weights.tolist() == [1]


def test_a_masked_array_without_masked_entries_is_taken():
    assert Graph.from_edges([0], [1], np.ma.array([2.0])).weights.tolist() == [2.0]


@pytest.mark.parametrize(
    ("indptr", "indices", "weights", "message"),
    [
        ([], [], None, "indptr is empty"),
        ([0, 2], [0], None, r"indptr must ascend from 0 to m = 1, found 0 \.\. 2"),
        ([1, 1], [0], None, r"found 1 \.\. 1"),
        ([0, 2, 1, 3], [0, 0, 0], None, r"indptr\[1\] > indptr\[2\]"),
        ([0, 1], [1], None, r"indices\[0\] = 1: vertices lie in 0 \.\. n - 1 = 0"),
        ([0, 1], np.array([2**40]), None, r"indices\[0\] = 1099511627776"),
        ([0, 1], [0], [1, 2], "one per edge"),
        ([0, 1], [0], [np.nan], "nan"),
        ([0, 1], np.array([-1], np.int32), None, r"indices\[0\] = -1"),
    ],
)
def test_rows_that_are_none_are_refused(indptr, indices, weights, message):
    for make in (Graph.from_csr, Graph):
        with pytest.raises(InputError, match=message):
            make(indptr, indices, weights)


def test_indices_are_narrow_below_two_to_the_31():
    assert index_dtype(2**31 - 1) == np.int32
    assert index_dtype(2**31) == np.int64
    assert triangle().indices.dtype == np.int32


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"labels": ["a"]}, r"labels has shape \(1,\)"),
        ({"coordinates": [[0, 0]]}, r"coordinates has shape \(1, 2\)"),
        ({"first_through": 4}, "first_through = 4"),
    ],
)
def test_attributes_that_do_not_fit_are_refused(attributes, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_edges([0, 1, 2], [1, 2, 0], **attributes)


def test_graph_of_a_graph_is_the_graph_and_takes_no_options():
    graph = triangle()
    assert Graph.of(graph) is graph
    with pytest.raises(GraphError, match="takes no options, got n"):
        Graph.of(graph, n=3)


@pytest.mark.parametrize("data", [42, None, object()])
def test_what_warpath_does_not_know_is_refused_with_what_it_knows(data):
    with pytest.raises(GraphError, match="is not a supported graph"):
        Graph.of(data)


def test_subgraph_keeps_inner_edges_names_and_coordinates():
    graph = Graph.from_edges(
        [0, 1, 2, 3], [1, 2, 3, 0], [1, 2, 3, 4], coordinates=np.arange(8).reshape(4, 2), id_base=1
    )
    part = graph.subgraph([3, 2])
    assert part.labels.tolist() == [4, 3]
    assert part.coordinates.tolist() == [[6, 7], [4, 5]]
    assert [array.tolist() for array in part.edges()] == [[1], [0], [3]]
    named = Graph.from_labelled_edges(["a", "b"], ["b", "c"]).subgraph(["c", "b"])
    assert named.labels.tolist() == ["c", "b"]
    assert named.weights is None
    with pytest.raises(GraphError, match="named twice"):
        graph.subgraph([1, 1])


def test_subgraph_keeps_closed_vertices_first():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], first_through=1)
    assert graph.subgraph([0, 2]).first_through == 1
    with pytest.raises(GraphError, match="must come first"):
        graph.subgraph([2, 0])


def test_with_weights_replaces_lengths_from_coordinates():
    graph = Graph.from_edges([0, 1], [1, 2], coordinates=[[0, 0], [3, 4], [3, 5]])
    assert graph.with_weights("euclidean").weights.tolist() == [5.0, 1.0]
    metres = graph.with_weights("great_circle").weights
    assert metres[1] == pytest.approx(111_195, rel=1e-3)
    assert graph.with_weights([7, 8]).with_weights(None).weights is None
    assert graph.with_weights([7, 8]).coordinates is not None
    with pytest.raises(GraphError, match="weights has 1 entries"):
        graph.with_weights([1])
    with pytest.raises(GraphError, match="'manhattan' is not a rule"):
        graph.with_weights("manhattan")
    with pytest.raises(GraphError, match="need coordinates"):
        triangle().with_weights("euclidean")
    assert triangle().with_coordinates([[0, 0], [0, 1], [0, 3]]).with_weights(
        "euclidean"
    ).weights.tolist() == [1, 2, 3]


def test_astype_changes_exactly_or_says_which_weight_does_not_fit():
    graph = triangle()
    assert graph.astype("float32").weights.dtype == np.float32
    assert graph.astype(np.int64).dist_dtype == np.int64
    halves = Graph.from_edges([0, 1], [1, 0], [1.0, 2.5])
    with pytest.raises(WeightError, match=r"weights\[1\] = 2\.5 does not fit int32"):
        halves.astype("int32")
    huge = Graph.from_edges([0], [1], [2.0**63])
    with pytest.raises(WeightError, match="does not fit int64"):
        huge.astype("int64")
    with pytest.raises(WeightError, match="does not fit float32"):
        Graph.from_edges([0], [1], [1e300]).astype("float32")
    with pytest.raises(WeightError, match="cannot be float16"):
        graph.astype("float16")


def test_to_scipy_keeps_zeros_and_parallel_edges_on_request():
    matrix = Graph.from_edges([0, 0, 1], [1, 1, 0], [0, 2, 3]).to_scipy(parallel="keep")
    assert isinstance(matrix, sp.csr_array)
    assert (matrix.nnz, matrix.shape) == (3, (2, 2))


@given(
    st.lists(st.tuples(*[st.integers(0, 5)] * 2, st.integers(0, 3)), max_size=40),
    st.sampled_from([np.int32, np.int64, np.float32, np.float64, None]),
)
def test_to_scipy_has_the_least_of_parallel_edges_and_suits_scipy(edges, dtype):
    src, dst, weights = np.array(edges, np.int64).reshape(-1, 3).T.copy()
    graph = Graph.from_edges(src, dst, None if dtype is None else weights.astype(dtype), n=6)
    matrix = graph.to_scipy()
    assert matrix.has_canonical_format
    least = {}
    for u, v, w in zip(*(part.tolist() for part in graph.edges()), strict=True):
        least[u, v] = min(w, least.get((u, v), w))
    entries = matrix.tocoo()
    found = zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True)
    assert {(u, v): w for u, v, w in found} == least
    csgraph.connected_components(matrix)
    for each in (matrix, graph.to_scipy(parallel="keep")):
        each.sum_duplicates()
        each.data[:] = 7  # its own
    assert not (graph._solver_weights == 7).any()
    table = csgraph.dijkstra(graph.to_scipy())
    ours = wp.apsp(graph).to_numpy(math.inf)
    assert np.array_equal(table, ours)


def test_to_scipy_knows_two_ways_with_parallel_edges():
    with pytest.raises(InputError, match="parallel = 'sum' must be 'least' or 'keep'"):
        Graph.from_edges([0], [1]).to_scipy(parallel="sum")


@pytest.mark.parametrize(
    ("edges", "directed", "kind"),
    [
        ([(0, 1, 2)], True, nx.DiGraph),
        ([(0, 1, 2), (0, 1, 3)], True, nx.MultiDiGraph),
        ([(0, 1, 2), (1, 2, 3), (2, 2, 1)], False, nx.Graph),
        ([(0, 1, 2), (1, 0, 3)], False, nx.MultiGraph),
    ],
)
def test_to_networkx_picks_the_kind_that_keeps_every_edge(edges, directed, kind):
    graph = Graph.of(edges, directed=directed).to_networkx()
    assert type(graph) is kind
    assert graph.number_of_edges() == len(edges)
    assert sorted(w for _, _, w in graph.edges(data="weight")) == sorted(w for _, _, w in edges)


@pytest.mark.parametrize("call", ["to_scipy", "to_networkx"])
def test_other_libraries_get_no_graph_whose_paths_may_not_pass_a_vertex(call):
    points = [(0, 0), (1, 0), (2, 0)]
    graph = Graph.of([("a", "b", 1), ("b", "c", 2)], coordinates=points)
    rows = (graph.indptr, graph.indices, graph.weights)
    graph = Graph(*rows, labels=graph.labels, first_through=1)
    with pytest.raises(wp.NotSupportedError, match=f"{call} cannot say that paths end") as caught:
        getattr(graph, call)()
    remedy = str(caught.value).partition("all paths pass: ")[2].rstrip(".")
    plain = eval(remedy, {"wp": wp, "graph": graph})  # noqa: S307 - our own text
    getattr(plain, call)()
    assert (plain.labels.tolist(), plain.first_through) == (["a", "b", "c"], 0)
    with pytest.raises(wp.NotSupportedError, match='Read the file with restricted="open" or'):
        getattr(Graph(*rows, first_through=1, areas=True), call)()


def test_to_networkx_keeps_labels_name_and_lonely_vertices():
    graph = Graph.from_edges([0], [1], n=3, labels=["a", "b", "c"], name="small").to_networkx()
    assert list(graph) == ["a", "b", "c"]
    assert graph.name == "small"
    assert list(graph.edges) == [("a", "b")]


def test_unit_and_attribution_stay_with_a_graph_until_its_weights_change():
    given = {"unit": "s", "attribution": "by neighbours"}
    graph = Graph.of([(0, 1, 2), (1, 2, 3)], coordinates=[(7.1, 43), (7.2, 43), (7.3, 43)], **given)
    copies = [graph.reversed(), graph.subgraph([0, 1]), graph.astype("float32")]
    for copy in [*copies, pickle.loads(pickle.dumps(graph))]:  # noqa: S301 - our own
        assert (copy.unit, copy.attribution) == ("s", "by neighbours")
    assert graph.with_weights([4, 5]).unit is None
    assert graph.with_weights([4, 5], unit="EUR").unit == "EUR"
    assert graph.with_weights("great_circle").unit == "m"
    assert graph.with_weights("great_circle").attribution == "by neighbours"
    assert Graph.of([(0, 1, 2)], unit="").unit is None
    with pytest.raises(InputError, match="unit = 5"):
        Graph.of([(0, 1, 2)], unit=5)


def test_read_report_stays_with_a_graph():
    assert Graph.of([(0, 1)]).read_report == {}
    graph = Graph.of([(0, 1, 2), (1, 2, 3)], read_report={"rows without a weight": 2})
    copies = [graph.reversed(), graph.with_weights([4, 5]), graph.subgraph([0, 1]), graph.to("cpu")]
    for copy in [*copies, pickle.loads(pickle.dumps(graph))]:  # noqa: S301 - our own
        assert copy.read_report == {"rows without a weight": 2}
    with pytest.raises(InputError, match="read_report = 5"):
        Graph.of([(0, 1, 2)], read_report=5)


def test_repr_says_what_a_person_wants_to_know():
    graph = Graph.from_edges(
        [0, 1],
        [1, 0],
        [1.0, 2.0],
        labels=["a", "b"],
        coordinates=[[0, 0], [1, 1]],
        first_through=1,
        name="here",
    )
    assert repr(graph) == (
        "<Graph here: n = 2, m = 2, directed, float64 weights, labelled, with coordinates, "
        "1 vertex never passed through>"
    )
    assert (
        repr(Graph.of([(0, 1)], directed=False))
        == "<Graph n = 2, m = 2, undirected, every weight 1>"
    )


def test_a_missing_package_is_named_with_the_line_that_installs_it():
    with pytest.raises(MissingDependencyError, match=r"pip install no_such_package"):
        errors.require("no_such_package.part", extra="io", what="Reading")
    with pytest.raises(ImportError, match="pip install no_such_package"):
        errors.require("no_such_package", what="Reading")


def test_arrays_at_odd_addresses_are_copied_to_even_ones():
    def odd(values, dtype):
        raw = np.zeros(len(values) * np.dtype(dtype).itemsize + 1, np.uint8)
        array = raw[1:].view(dtype)
        array[:] = values
        return array

    for weight in (np.int32, np.int64, np.float32, np.float64):
        indptr, indices, weights = (
            odd([0, 1, 2], np.int64),
            odd([1, 0], np.int64),
            odd([5, 6], weight),
        )
        for graph in (
            Graph.from_csr(indptr, indices, weights),
            Graph.from_edges(indices, indices[::-1], weights),
            Graph(indptr, odd([1, 0], np.int32), weights),
        ):
            for array in (graph.indptr, graph.indices, graph.weights):
                assert array.flags.aligned
            assert graph.edges()[2].tolist() in ([5, 6], [6, 5])


@pytest.mark.parametrize("n", [2.5, "3", -1, np.float64(2)])
def test_a_number_of_vertices_that_is_none_is_refused(n):
    with pytest.raises(GraphError, match=r"n = .* must be an integer, 0 or more"):
        Graph.from_edges([0], [1], n=n)


@pytest.mark.parametrize("last", [2**40, 2**62, 2**63 - 2])
def test_a_vertex_number_that_takes_more_than_memory_is_refused_before_any_is_made(last):
    with pytest.raises(NotEnoughMemoryError, match=r"Is the largest vertex right"):
        Graph.from_edges([0], [last])


def test_far_edges_lead_over_four_roots_of_n_away_on_either_side():
    line = Graph.from_edges([60, 60, 60, 0, 99], [100, 20, 19, 99, 0], n=101)
    assert line.facts().far == 3


def test_counts_and_coordinates_that_cannot_be_are_refused():
    with pytest.raises(GraphError, match=r"n = 18446744073709551616 must be .* below 2\^63"):
        Graph.of([(0, 1, 1)], n=2**64)
    graph = Graph.of([(0, 1, 1)])
    for wrong in ("x", [[1], [1, 2]], np.ones((2, 2)) * 1j):
        with pytest.raises(GraphError, match=r"coordinates (must be numbers|is not an array)"):
            graph.with_coordinates(wrong)
    with pytest.raises(InputError, match="this is not a valid path"):
        Graph.of("a\0b")


@pytest.mark.parametrize("directed", ["no", 0, None, 1.0])
def test_directed_is_true_or_false(directed):
    with pytest.raises(GraphError, match=r"directed = .* must be True or False"):
        Graph.from_edges([0], [1], directed=directed)


def test_the_vertices_without_edges_out_are_known_where_they_are_a_quarter():
    src = np.array([0, 0, 2, 3, 4, 5, 6, 7])
    ring = Graph.from_edges(src, (src + 1) % 9, n=10)  # 1, 8 and 9 have none
    assert np.unpackbits(leaves(ring), bitorder="little").nonzero()[0].tolist() == [1, 8, 9]
    assert leaves(ring) is leaves(ring)
    assert leaves(Graph.from_edges(np.arange(9), np.arange(1, 10), n=10)) is None
    assert len(leaves(Graph.from_edges([], [], n=0))) == 0
