"""The certificate: it accepts every right answer and names what breaks a wrong one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import warpath as wp
from warpath import Graph

NEVER = np.iinfo(np.int64).max
LINE = Graph.of([("a", "b", 2), ("b", "c", 3)])


def wrong(graph: Graph, dist: list, source: int = 0, pred: list | None = None) -> wp.Paths:
    tree = (
        wp.sssp(graph, graph.label_of([source])[0]).pred
        if pred is None
        else np.array(pred, np.int32)
    )
    return wp.Paths(graph, source, np.array(dist, graph.dist_dtype), tree=lambda: tree)


def test_a_certificate_says_what_was_checked():
    certificate = wp.verify(LINE, wp.sssp(LINE, "a"))
    assert str(certificate) == "verified exactly: 3 labels and the tree against 2 edges"
    assert (certificate.sources, certificate.tree, certificate.slack) == (1, True, 0)


@pytest.mark.parametrize(
    ("dist", "message"),
    [
        ([0, 2, 6], r"no edge may shorten a label; edge 1, 'b' -> 'c' of weight 3: dist 2 -> 6"),
        ([0, 2, NEVER], "no edge may shorten a label; edge 1"),
        ([0, 2, 4], "must reach every finite label; vertex 'c' has dist 4"),
        ([1, 3, 6], "the source's own distance must be 0"),
    ],
)
def test_a_wrong_label_is_named_with_its_edge(dist, message):
    with pytest.raises(wp.VerificationError, match=message) as caught:
        wp.verify(LINE, wrong(LINE, dist))
    assert caught.value.rule
    assert caught.value.found


def test_a_zero_weight_cycle_does_not_prove_itself():
    graph = Graph.of([(0, 1, 5), (2, 3, 0), (3, 2, 0)])
    with pytest.raises(wp.VerificationError, match="must reach every finite label"):
        wp.verify(graph, wrong(graph, [0, 5, 1, 1]))


def test_a_wrong_predecessor_is_named():
    graph = Graph.of([(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1)])
    with pytest.raises(wp.VerificationError, match="smallest tight predecessor"):
        wp.verify(graph, wrong(graph, [0, 1, 1, 2], pred=[-1, 0, 0, 2]))


def test_a_result_of_another_graph_is_refused():
    with pytest.raises(wp.InputError, match="3 labels but the graph has n = 2"):
        wp.verify(Graph.of([(0, 1)]), wp.sssp(LINE, "a"))


def test_narrow_distances_from_one_source_are_verified_in_64_bits():
    graph = Graph.of([(0, 1, 5)], n=3)
    narrow = wp.sssp(graph, 0, dist_dtype="int32")
    assert wp.verify(graph, narrow).tree
    changed = narrow.dist + np.array([0, 1, 0], np.int32)
    with pytest.raises(wp.VerificationError, match="no edge may shorten a label"):
        wp.verify(graph, wp.Paths(graph, 0, changed, tree=lambda: narrow.pred))


def test_distances_of_another_type_than_the_graph_has_are_refused():
    paths = wp.sssp(LINE, "a")
    floats = wp.Paths(LINE, 0, paths.dist.astype(np.float64), tree=lambda: paths.pred)
    with pytest.raises(wp.InputError, match="has float64 distances, but those of this graph are"):
        wp.verify(LINE, floats)
    with pytest.raises(wp.InputError, match="has int64 distances, but those of this graph are"):
        wp.verify(LINE.astype("float32"), wp.apsp(LINE))


@pytest.mark.parametrize("first_through", [0, 1])
def test_predecessors_of_another_length_or_type_are_refused(first_through):
    graph = Graph.from_edges([0, 1], [1, 2], [2, 3], first_through=first_through)
    right = wp.sssp(graph, 0)
    for pred in (right.pred[:2], np.append(right.pred, right.pred[:1]), right.pred.astype("int64")):
        other = wp.Paths(graph, 0, right.dist, tree=lambda pred=pred: pred.copy())
        with pytest.raises(wp.InputError, match=r"this graph needs shape \(3,\) and type int32"):
            wp.verify(graph, other)


def test_the_round_trip_of_a_closed_source_may_be_longer_than_the_cutoff():
    graph = Graph.from_edges([0, 1], [1, 0], [2, 9], first_through=1)
    assert wp.verify(graph, wp.sssp(graph, 0, cutoff=3)).labels == 2
    right = wp.sssp(graph, 0)
    beyond = wp.Paths(graph, 0, right.dist, tree=lambda: right.pred, cutoff=1)
    with pytest.raises(wp.VerificationError, match="beyond the cutoff; vertex 1 has dist 2"):
        wp.verify(graph, beyond)


@pytest.mark.parametrize("cutoff", [None, 5])
def test_nothing_is_verified_where_a_negative_cycle_is_reached(cutoff):
    graph = Graph.of([("a", "b", 1), ("b", "c", -3), ("c", "b", 2)])
    made_up = wp.Paths(
        graph, 0, np.array([0, 1, -2]), tree=lambda: np.array([-1, 0, 1], np.int32), cutoff=cutoff
    )
    with pytest.raises(wp.VerificationError, match=r"edge may shorten|negative cycle \['"):
        wp.verify(graph, made_up)
    table = wp.DistanceTable(graph, np.array([0]), np.array([2, 1]), np.array([[-2, 1]]))
    with pytest.raises(wp.VerificationError, match="leads to the negative cycle") as caught:
        wp.verify(graph, table)
    assert set(caught.value.found["cycle"]) == {"b", "c"}


def test_a_vertex_beyond_64_bits_may_not_be_called_unreachable_from_a_closed_source():
    graph = Graph.from_edges([0, 1, 1], [1, 2, 0], [2**62, 2**62, 5], first_through=1)
    with pytest.raises(wp.DistanceOverflowError):
        wp.sssp(graph, 0)
    with pytest.raises(wp.VerificationError, match="must have a finite label"):
        wp.verify(graph, wrong(graph, [0, 2**62, NEVER], pred=[-1, 0, -1]))


def test_the_table_of_a_graph_without_vertices_is_verified():
    empty = Graph.from_edges([], [], n=0)
    assert wp.verify(empty, wp.apsp(empty)).labels == 0


def test_tables_are_verified_row_by_row():
    assert wp.verify(LINE, wp.apsp(LINE)).labels == 9
    assert wp.verify(LINE, wp.distances(LINE, ["a"], dist_dtype="int32")).edges == 2
    table = wp.apsp(LINE)
    table.dist[0, 2] = 6
    with pytest.raises(wp.VerificationError):
        wp.verify(LINE, table)


@pytest.mark.parametrize("off", [1, -1])
def test_a_table_of_some_columns_is_compared_with_a_certified_search(off):
    table = wp.distances(LINE, ["a", "b"], ["c", "a"])
    assert wp.verify(LINE, table).labels == 4
    right = int(table.dist[0, 0])
    table.dist[0, 0] += off
    with pytest.raises(wp.VerificationError, match=rf"to 'c' it has \d+, expected {right}"):
        wp.verify(LINE, table)


def test_columns_of_reassociated_floats_are_compared_within_their_bound():
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 40, (2, 400))
    graph = Graph.from_edges(src, dst, rng.random(400))
    table = wp.distances(graph, [0, 1], [5, 7], algorithm="classic.johnson")
    assert wp.verify(graph, table).slack > 0
    table.dist[0, 0] += 1e-6
    with pytest.raises(wp.VerificationError, match="certified search"):
        wp.verify(graph, table)
    narrow = wp.distances(LINE, ["a"], ["c"], dist_dtype="int32")
    assert wp.verify(LINE, narrow).slack == 0


def test_a_cutoff_may_divide_two_roundings_of_one_sum():
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 40, (2, 400))
    graph = Graph.from_edges(src, dst, rng.random(400))
    right = wp.sssp(graph, 0).dist
    ends = np.argsort(right)[[5, 20]]
    for cutoff, fine in ((right[ends[1]], True), (right[ends[1]] + 1e-6, False)):
        table = wp.distances(graph, [0], ends, algorithm="classic.johnson", cutoff=cutoff)
        table.dist[0, 1] = np.inf  # as if the sum were rounded to a number beyond the cutoff
        if fine:
            assert wp.verify(graph, table).slack > 0
            continue
        with pytest.raises(wp.VerificationError, match="certified search"):
            wp.verify(graph, table)


def test_reassociated_float_sums_are_verified_within_their_bound():
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 40, (2, 400))
    graph = Graph.from_edges(src, dst, rng.random(400))
    for name in ("classic.floyd_warshall", "classic.johnson"):
        certificate = wp.verify(graph, wp.apsp(graph, algorithm=name))
        assert 0 < certificate.slack < 1e-12
        assert "within" in str(certificate)
    assert wp.verify(graph, wp.apsp(graph, algorithm="classic.dijkstra")).slack == 0


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), max_size=20),
    st.integers(0, 5),
    st.integers(-2, 2),
)
def test_any_other_labelling_is_refused(edges, changed, by):
    graph = Graph.of([tuple(edge) for edge in edges], n=6)
    right = wp.sssp(graph, 0)
    wp.verify(graph, right)
    other = right.dist.copy()
    other[changed] = 7 if other[changed] == NEVER else other[changed] + by
    if np.array_equal(other, right.dist):
        return
    with pytest.raises(wp.VerificationError):
        wp.verify(graph, wp.Paths(graph, 0, other, tree=lambda: right.pred))


def test_a_graph_is_converted_and_what_is_no_result_is_refused():
    paths = wp.sssp([(0, 1, 1)], 0)
    assert wp.verify([(0, 1, 1)], paths).tree
    with pytest.raises(wp.InputError, match="an array of distances needs their source: give "):
        wp.verify(paths.graph, [0, 1])


def cut_graph(edges):
    """Return the graph of those edges, over six vertices, that make no negative cycle."""
    kept = [(u, v, w if u < v else abs(w)) for u, v, w in edges]
    return Graph.of(kept, n=6)


SIGNED = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(-9, 20)), max_size=20)


def solved_within(graph, cutoff):
    try:
        return wp.sssp(graph, 0, cutoff=cutoff)
    except wp.NegativeCycleError:
        return None


@example([(0, 1, 10), (1, 2, -8)], 5)
@given(SIGNED, st.integers(0, 20))
def test_answers_within_a_cutoff_under_negative_weights_are_accepted(edges, cutoff):
    graph = cut_graph(edges)
    right = solved_within(graph, cutoff)
    if right is None:
        return
    assert wp.verify(graph, right).tree
    assert wp.verify(graph, wp.distances(graph, [0], cutoff=cutoff)).labels == 6
    assert wp.verify(graph, wp.distances(graph, [0], [5, 2], cutoff=cutoff)).labels == 2


@example([(0, 1, 10), (1, 2, -8)], 5, 2, 1)
@given(SIGNED, st.integers(0, 20), st.integers(0, 5), st.integers(-5, 5))
def test_other_answers_within_a_cutoff_under_negative_weights_are_refused(
    edges, cutoff, changed, by
):
    graph = cut_graph(edges)
    right = solved_within(graph, cutoff)
    if right is None or by == 0:
        return
    dist, pred = right.dist.copy(), right.pred.copy()
    dist[changed] = by if dist[changed] == NEVER else (NEVER if by == 5 else dist[changed] + by)
    pred[changed] = pred[changed] + by if 0 <= pred[changed] + by < 6 else -2
    for labels, tree in ((dist, right.pred), (right.dist, pred)):
        other = wp.Paths(graph, 0, labels, tree=lambda tree=tree: tree, cutoff=cutoff)
        with pytest.raises(wp.VerificationError):
            wp.verify(graph, other)
    table = wp.distances(graph, [0], [changed], cutoff=cutoff)
    table.dist[0, 0] = dist[changed]
    with pytest.raises(wp.VerificationError):
        wp.verify(graph, table)


def test_a_cutoff_that_a_path_exceeds_on_its_way_is_verified():
    graph = Graph.of([(0, 1, 10), (1, 2, -8)])
    assert wp.verify(graph, wp.sssp(graph, 0, cutoff=5)).labels == 3
    assert wp.verify(graph, wp.distances(graph, [0, 1], cutoff=5)).labels == 6
    assert wp.verify(graph, wp.distances(graph, [0], [2], cutoff=5)).labels == 1


@pytest.mark.parametrize("sign", [1, -1])
def test_vertices_outside_a_table_may_be_farther_than_64_bits(sign):
    graph = Graph.of([(0, 1, 5 * sign), (1, 2, 2**62), (2, 3, 2**62), (3, 4, 2**62)])
    table = wp.distances(graph, [0], [1, 2])
    assert wp.verify(graph, table).labels == 2
    table.dist[0, 1] += 1
    with pytest.raises(wp.VerificationError, match="certified search"):
        wp.verify(graph, table)
    table = wp.DistanceTable(graph, np.array([0]), np.array([4]), np.array([[NEVER]]))
    with pytest.raises(wp.VerificationError, match="does not fit 64 bits"):
        wp.verify(graph, table)


@pytest.mark.parametrize("cutoff", [None, 7, 10])
def test_a_round_trip_to_a_closed_source_is_no_label_of_a_result(cutoff):
    graph = Graph.from_edges([0, 1, 1], [1, 0, 2], [5, 5, 4], first_through=1)
    assert wp.verify(graph, wp.sssp(graph, 0, cutoff=cutoff)).labels == 3
    far = Graph.from_edges([0, 1, 1], [1, 0, 2], [5, 2**63 - 1, 4], first_through=1)
    assert wp.verify(far, wp.sssp(far, 0, cutoff=cutoff)).labels == 3
    assert wp.verify(far, wp.distances(far, [0, 1], cutoff=9)).labels == 6
