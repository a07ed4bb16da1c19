"""The certificate in the core: it passes the truth and names what is wrong with anything else."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from support import reference
from warpath import Graph, _core, sssp

INDICES = [np.int32, np.int64]
WEIGHTS = [np.int32, np.int64, np.float32, np.float64]
FAR = np.iinfo(np.int64).max


def rows(n, edges, index=np.int32, weight=np.int64):
    parts = reference.rows(n, edges, index, weight)
    return dict(zip(("indptr", "indices", "weights"), parts, strict=True))


def labels(values, weight=np.int64):
    kind = np.dtype(weight) if np.dtype(weight).kind == "f" else np.dtype(np.int64)
    far = np.inf if kind.kind == "f" else FAR
    return np.array([far if d is None else d for d in values], kind)


def verify(graph, dist, pred=None, source=0, **options):
    index = graph["indices"].dtype
    tree = np.empty(0, index) if pred is None else np.asarray(pred, index)
    return _core.verify(**graph, source=source, dist=dist, pred=tree, **options)


def least_sums(n, edges, source):
    """Exact labels, None where unreached; None instead of a list: a negative cycle."""
    label = [None] * n
    label[source] = 0
    for _ in range(n + 1):
        changed = False
        for u, v, w in edges:
            if label[u] is not None and (label[v] is None or label[u] + w < label[v]):
                label[v] = label[u] + w
                changed = True
        if not changed:
            return label
    return None


def same_tree(n, edges, source, label):
    """The tree by the letter of the rule, in quadratic time."""
    tight = [(u, v) for u, v, w in edges if label[u] is not None and label[u] + w == label[v]]
    pred = [-1] * n
    level = {source}
    if not any(w < 0 for _, _, w in edges):
        for v in range(n):
            from_below = [u for u, x in tight if x == v and label[u] < label[v]]
            if from_below and v != source:
                pred[v] = min(from_below)
                level.add(v)
        tight = [(u, v) for u, v in tight if label[u] == label[v]]
    done = set(level)
    while level:
        fresh = {v for u, v in tight if u in level} - done
        for v in fresh:
            pred[v] = min(u for u, x in tight if x == v and u in level)
        level = fresh
        done |= fresh
    return pred


def random_edges(rng, n, m, low, high):
    return [
        (int(rng.integers(n)), int(rng.integers(n)), int(rng.integers(low, high))) for _ in range(m)
    ]


def random_cases(rng, count):
    """(n, edges, source, label): ties, zeros, loops, parallel edges, both signs."""
    for _ in range(count):
        n = int(rng.integers(1, 9))
        low = int(rng.choice([0, 0, 1, -2]))
        edges = random_edges(rng, n, int(rng.integers(0, 24)), low, int(rng.choice([2, 4, 50])))
        source = int(rng.integers(n))
        label = least_sums(n, edges, source)
        if label is not None:
            yield n, edges, source, label


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_true_labels_and_the_tree_of_the_rule_pass(index, weight):
    rng = np.random.default_rng(1)
    for n, edges, source, label in random_cases(rng, 400):
        graph = rows(n, edges, index, weight)
        pred = same_tree(n, edges, source, label)
        assert verify(graph, labels(label, weight), pred, source) == {}
        assert verify(graph, labels(label, weight), None, source) == {}


@pytest.mark.parametrize("weight", WEIGHTS)
def test_any_other_labels_fail(weight):
    rng = np.random.default_rng(2)
    for n, edges, source, label in random_cases(rng, 400):
        graph = rows(n, edges, weight=weight)
        for v in range(n):
            for other in {None, 0, (label[v] or 0) + 1, (label[v] or 0) - 1} - {label[v]}:
                wrong = [*label[:v], other, *label[v + 1 :]]
                found = verify(graph, labels(wrong, weight), None, source)
                assert found["rule"] in {"source", "edge", "reached"}
                if "edge" in found:
                    a, b, e = found["edge"]
                    assert graph["indptr"][a] <= e < graph["indptr"][a + 1]
                    assert graph["indices"][e] == b
                    assert found["weight"] == graph["weights"][e]
                    assert found["dist_u"] + found["weight"] < found["dist_v"]


def test_any_other_tree_fails():
    rng = np.random.default_rng(3)
    for n, edges, source, label in random_cases(rng, 300):
        graph = rows(n, edges)
        pred = same_tree(n, edges, source, label)
        for v in range(n):
            for other in set(range(-1, n)) - {pred[v]}:
                wrong = [*pred[:v], other, *pred[v + 1 :]]
                found = verify(graph, labels(label), wrong, source)
                assert (found["rule"], found["vertex"]) == ("pred", v)
                assert (found["pred"], found["expected"]) == (other, pred[v])


def test_zero_weight_cycle_is_not_a_path_to_an_unreached_vertex():
    graph = rows(3, [(0, 0, 0), (1, 2, 0), (2, 1, 0)])
    assert verify(graph, labels([0, 5, 5]))["rule"] == "reached"
    assert verify(graph, labels([0, 5, 5]))["vertex"] == 1
    assert verify(graph, labels([0, None, None])) == {}


def test_source_needs_the_label_zero():
    graph = rows(2, [(0, 1, 3)])
    for first in (1, -1, None):
        assert verify(graph, labels([first, 3]))["rule"] == "source"


@pytest.mark.parametrize("weight", [np.float32, np.float64])
def test_label_that_is_no_number_or_minus_infinity_is_named(weight):
    graph = rows(2, [(0, 1, 3)], weight=weight)
    for bad in (np.nan, -np.inf):
        found = verify(graph, labels([0, bad], weight))
        assert (found["rule"], found["vertex"]) == ("label", 1)
        assert verify(graph, labels([bad, 3], weight))["rule"] == "source"


def test_cutoff_excuses_exactly_the_vertices_beyond_it():
    rng = np.random.default_rng(4)
    for n, edges, source, label in random_cases(rng, 400):
        if any(w < 0 for _, _, w in edges):
            continue
        graph = rows(n, edges)
        cutoff = int(rng.integers(0, 12))
        near = [d if d is not None and d <= cutoff else None for d in label]
        assert verify(graph, labels(near), None, source, cutoff=cutoff) == {}
        if near != label:
            assert verify(graph, labels(near), None, source)["rule"] == "edge"
            assert verify(graph, labels(label), None, source, cutoff=cutoff)["rule"] == "label"
        for v in range(n):
            if v != source and near[v] is not None:
                lost = labels([*near[:v], None, *near[v + 1 :]])
                assert verify(graph, lost, None, source, cutoff=cutoff) != {}


def test_sums_beyond_64_bits_do_not_wrap():
    big = 2**62
    graph = rows(3, [(0, 1, big), (1, 2, big), (0, 2, 5)])
    assert verify(graph, labels([0, big, 5])) == {}
    graph = rows(3, [(0, 1, big), (1, 2, big)])
    assert verify(graph, labels([0, big, -(2**63)]))["rule"] == "reached"
    assert verify(graph, labels([0, big, None]))["edge"] == (1, 2, 1)
    graph = rows(3, [(0, 1, -(2**63)), (1, 2, -1)])
    assert verify(graph, labels([0, -(2**63), FAR - 1]))["rule"] == "edge"


def test_float_sum_beyond_the_type_leaves_a_vertex_unreached():
    high = float(np.finfo(np.float32).max)
    graph = rows(3, [(0, 1, high), (1, 2, high)], weight=np.float32)
    assert verify(graph, labels([0, high, None], np.float32)) == {}


def test_float_labels_must_be_the_rounded_sums_exactly():
    rng = np.random.default_rng(5)
    for _ in range(100):
        n, m = 30, 90
        weights = 10.0 ** rng.uniform(-8, 8, m)
        edges = [(u, v, weights[i]) for i, (u, v, _) in enumerate(random_edges(rng, n, m, 0, 2))]
        graph = rows(n, edges, weight=np.float64)
        dist = labels(least_sums(n, edges, 0), np.float64)
        assert verify(graph, dist) == {}
        v = int(rng.choice(np.flatnonzero(dist != 0)))
        if np.isfinite(dist[v]):
            dist[v] = np.nextafter(dist[v], rng.choice([0, np.inf]))
            assert verify(graph, dist)["rule"] in {"edge", "reached"}


def test_slack_admits_labels_within_it_and_none_beyond():
    graph = rows(3, [(0, 1, 0.5), (1, 2, 0.25)], weight=np.float64)
    for shift in (0.01, -0.01):
        dist = np.array([0, 0.5 + shift, 0.75])
        assert verify(graph, dist, slack=0.02) == {}
        assert verify(graph, dist, slack=0.005) != {}
        assert verify(graph, dist) != {}


def test_slack_with_a_tree_is_refused_and_so_is_a_negative_one():
    graph = rows(2, [(0, 1, 1.0)], weight=np.float64)
    with pytest.raises(ValueError, match="slack"):
        verify(graph, np.array([0.0, 1.0]), [-1, 0], slack=0.5)
    with pytest.raises(ValueError, match="slack"):
        verify(graph, np.array([0.0, 1.0]), slack=-0.5)


@pytest.mark.threads
@pytest.mark.parametrize("least", [0, 1, -1])
def test_several_threads_find_the_first_wrong_edge_and_the_same_tree(least):
    rng = np.random.default_rng(7)
    n = 5000
    edges = [(u, v, w + max(0, u - v)) for u, v, w in random_edges(rng, n, 4 * n, least, 4)]
    if least < 0:
        edges = [(u, v, w) for u, v, w in edges if u < v]
    graph = rows(n, edges)
    paths = sssp(Graph(*graph.values()), 0, algorithm="classic.bellman_ford")
    dist, pred = paths.dist, paths.pred
    far = dist == FAR
    assert far.any()
    assert not far.all()

    def answers(dist, pred):
        return [verify(graph, dist, pred, threads=threads) for threads in (1, 2, 3, 8)]

    assert answers(dist, pred) == [{}] * 4
    for _ in range(20):
        wrong = dist.copy()
        wrong[rng.choice(np.flatnonzero(~far & (dist != 0)), 5)] += 1
        [alone, *others] = answers(wrong, pred)
        assert alone["rule"] == "edge"
        assert alone["edge"][2] == min(
            e
            for e, (u, v) in enumerate(ends_of(graph))
            if not far[u] and wrong[u] + graph["weights"][e] < wrong[v]
        )
        assert others == [alone] * 3
        other = pred.copy()
        vertex = rng.choice(np.flatnonzero(pred >= 0))
        other[vertex] = -1
        [alone, *others] = answers(dist, other)
        assert (alone["rule"], alone["vertex"]) == ("pred", vertex)
        assert others == [alone] * 3


def ends_of(graph):
    starts = np.repeat(np.arange(len(graph["indptr"]) - 1), np.diff(graph["indptr"]))
    return zip(starts.tolist(), graph["indices"].tolist(), strict=True)


@pytest.mark.parametrize("how", ["signal", "progress"])
def test_long_check_can_be_stopped(how):
    # Every edge is tight with equal labels and leads anywhere: passes that miss every cache,
    # many times the 50 ms after which a call first listens.
    n, degree = 3_000_000, 4
    ends = np.random.default_rng(6).integers(0, n, (n, degree), np.int32)
    ends[:, 0] = np.roll(np.arange(n), -1)
    graph = {
        "indptr": np.arange(0, n * degree + 1, degree),
        "indices": ends.ravel(),
        "weights": np.zeros(n * degree, np.int32),
    }
    dist = np.zeros(n, np.int64)
    pred = np.zeros(n, np.int32)
    pred[0] = -1

    def stop(done, total):
        assert 0 <= done <= total
        if how == "progress":
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        verify(graph, dist, pred, progress=stop)
    assert verify(rows(1, []), labels([0])) == {}
