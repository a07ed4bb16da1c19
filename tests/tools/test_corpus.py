import numpy as np
import pytest

from support import corpus
from support.reference import bellman_ford, dijkstra, rule2_tree
from warpath.base.errors import DistanceOverflowError, InputError

EVERY = [c.astype(dtype) for c in corpus.all() for dtype in c.dtypes]
SMALL = [c for c in EVERY if c.name not in {"long_path", "huge_degree"}]


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_case_is_what_its_flags_say(case):
    graph = case.graph()
    assert graph.weight_dtype == case.dtype
    assert case.negative == bool((graph._solver_weights < 0).any())
    assert all(0 <= source < graph.n for source in case.sources)
    assert bool(case.sources) == (graph.n > 0)
    assert case.why
    assert case.graph() is graph


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_cycles_and_overflows_happen_where_the_case_says(case):
    for source in case.sources:
        if case.overflows:
            with pytest.raises(DistanceOverflowError):
                bellman_ford(case.graph(), source)
        else:
            assert (bellman_ford(case.graph(), source) is None) == case.has_cycle


@pytest.mark.parametrize("case", [c for c in SMALL if not c.negative], ids=str)
def test_the_two_references_agree_to_the_bit(case):
    for source in case.sources:
        if case.overflows:
            with pytest.raises(DistanceOverflowError):
                dijkstra(case.graph(), source)
            continue
        labels = dijkstra(case.graph(), source)
        assert labels.tobytes() == bellman_ford(case.graph(), source).tobytes()
        assert labels.dtype == case.graph().dist_dtype


@pytest.mark.parametrize("case", [c for c in SMALL if not c.has_cycle and not c.overflows], ids=str)
def test_the_tree_of_rule_2_leads_every_reached_vertex_back(case):
    graph = case.graph()
    for source in case.sources:
        dist = bellman_ford(graph, source)
        pred = rule2_tree(graph, source, dist, negative=case.negative)
        limit = np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max
        for v in range(graph.n):
            steps = 0
            at = v
            while pred[at] >= 0:
                at = pred[at]
                steps += 1
                assert steps <= graph.n
            assert (at == source) == (dist[v] != limit)


def test_the_smallest_tight_predecessor_is_chosen_and_zero_cycles_stay_open():
    tied = corpus.case("two_equal_paths").graph()
    assert rule2_tree(tied, 0, dijkstra(tied, 0)).tolist() == [-1, 0, 0, -1, 0, 0]
    cycle = corpus.case("zero_cycle").graph()
    assert rule2_tree(cycle, 0, dijkstra(cycle, 0)).tolist() == [-1, 0, 1, 2, 3]


def test_a_closed_vertex_ends_a_path():
    graph = corpus.case("closed_vertices").graph()
    assert dijkstra(graph, 0).tolist() == [0, 1, 3, 8]


def test_absorbed_weights_do_not_move_labels():
    graph = corpus.case("absorbed_weights").graph()
    dist = dijkstra(graph, 0)
    assert (dist[1:] == np.float32(1e17)).all()


def test_infinity_by_rounding_is_unreachable():
    graph = corpus.case("float_sum_to_infinity").graph()
    assert dijkstra(graph, 0).tolist() == [0.0, float(np.float32(3e38)), np.inf]


def test_the_corpus_selects_by_sign_and_type():
    assert [c.name for c in corpus.all()] == list(corpus.NAMES)
    assert all(c.negative for c in corpus.all(negative=True))
    assert {c.dtype for c in corpus.all(dtype="int64")} == {"int64"}
    assert str(corpus.case("empty")) == "empty"
    assert str(corpus.case("empty").astype("f4")) == "empty-float32"


def test_unknown_names_and_impossible_types_are_refused():
    with pytest.raises(InputError, match="'nothing' is not a case"):
        corpus.case("nothing")
    with pytest.raises(InputError, match="overflow cannot have float32"):
        corpus.case("overflow").astype("float32")


@pytest.mark.parametrize("name", ["long_path", "huge_degree"])
def test_the_large_cases_are_large(name):
    graph = corpus.case(name).graph()
    assert graph.n > 2**16
    assert (dijkstra(graph, 0) < np.iinfo(np.int64).max).all()


def test_corpus_keeps_the_shapes_that_it_is_for():
    assert np.diff(corpus.case("huge_degree").graph().indptr).max() > 2**16
    assert np.signbit(corpus.case("negative_zero").graph().weights).sum() == 3
    row = corpus.case("unsorted_rows").graph().indices[:5].tolist()
    assert row == [3, 1, 2, 1, 3]
