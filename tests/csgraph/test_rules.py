"""What SciPy's callers rely on: errors, types, what is overwritten, and what needs no SciPy."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pytest

import warpath as wp
from warpath import csgraph

sparse = pytest.importorskip("scipy.sparse")
theirs = pytest.importorskip("scipy.sparse.csgraph")

INF = np.inf
STREET = np.array([[0, 1.0, 5.0], [0, 0, 2.0], [0, 0, 0]])
NEGATIVE = np.array([[0, 1.0, 0], [0, 0, -3.0], [1.0, 0, 0]])
FUNCTIONS = [name for name in csgraph.__all__ if name != "NegativeCycleError"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_scipys(name):
    def parameters(module):
        every = inspect.signature(getattr(module, name)).parameters.values()
        return [(one.name, one.kind, one.default) for one in every]

    assert parameters(csgraph) == parameters(theirs)


def test_other_functions_of_the_module_are_scipys_own():
    assert csgraph.connected_components is theirs.connected_components
    from warpath.csgraph import csgraph_from_dense

    assert csgraph_from_dense is theirs.csgraph_from_dense
    with pytest.raises(AttributeError, match=r"neither 'warpath\.csgraph' nor SciPy's csgraph has"):
        _ = csgraph.shortest_walk
    with pytest.raises(AttributeError, match="has no attribute '_shortest_path'"):
        _ = csgraph._shortest_path


@pytest.mark.parametrize(
    "kind", [csgraph.NegativeCycleError, theirs.NegativeCycleError, wp.NegativeCycleError]
)
@pytest.mark.parametrize("method", ["FW", "BF", "J", "D"])
@pytest.mark.filterwarnings("ignore:Graph has negative weights")
def test_a_negative_cycle_is_caught_as_scipys_and_as_ours(kind, method):
    with pytest.raises(
        kind, match=r"^Negative cycle detected on node \d: .* has length -1"
    ) as seen:
        csgraph.shortest_path(NEGATIVE, method=method)
    assert sorted(seen.value.cycle) == [0, 1, 2]
    assert seen.value.length == -1
    again = pickle.loads(pickle.dumps(seen.value))  # noqa: S301 - just made
    assert type(again) is csgraph.NegativeCycleError
    assert (again.args, again.cycle, again.length) == (seen.value.args, seen.value.cycle, -1)


def test_johnson_minds_a_negative_cycle_that_no_source_reaches_and_bellman_ford_does_not():
    apart = np.zeros((4, 4))
    apart[0, 1], apart[2, 3], apart[3, 2] = 5, 1, -2
    for module in (csgraph, theirs):
        assert module.bellman_ford(apart, indices=0).tolist() == [0, 5, INF, INF]
        with pytest.raises(module.NegativeCycleError):
            module.johnson(apart, indices=0)


ERRORS = [
    ("not square", ValueError, "graph should be a square array", lambda f: f(STREET[:2])),
    ("one axis", ValueError, "graph should have two dimensions", lambda f: f(STREET[0])),
    (
        "sparse, not square",
        ValueError,
        r"compressed-sparse graph must be shape \(N, N\)",
        lambda f: f(sparse.csr_array(STREET[:2])),
    ),
    (
        "sparse, one axis",
        ValueError,
        "compressed-sparse graph must be 2-D",
        lambda f: f(sparse.coo_array(STREET[0])),
    ),
    ("too large", ValueError, r"indices out of range 0\.\.\.N", lambda f: f(STREET, indices=3)),
    ("too small", ValueError, r"indices out of range 0\.\.\.N", lambda f: f(STREET, indices=[-4])),
    ("no numbers", ValueError, "invalid literal", lambda f: f(STREET, indices="a")),
    ("objects", TypeError, "not supported", lambda f: f(STREET.astype(object))),
]


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "johnson", "shortest_path"])
@pytest.mark.parametrize(
    ("kind", "words", "call"), [pytest.param(*row[1:], id=row[0]) for row in ERRORS]
)
def test_what_cannot_be_used_raises_what_scipy_raises(name, kind, words, call):
    with pytest.raises(kind, match=words):
        call(getattr(csgraph, name))
    with pytest.raises(kind):
        call(getattr(theirs, name))


@pytest.mark.parametrize("module", [csgraph, theirs])
def test_options_that_cannot_be(module):
    with pytest.raises(ValueError, match="limit must be >= 0"):
        module.dijkstra(STREET, limit=-1)
    for limit in (None, "3"):
        with pytest.raises(TypeError, match="must be real number"):
            module.dijkstra(STREET, limit=limit)
    with pytest.raises(ValueError, match="unrecognized method 'X'"):
        module.shortest_path(STREET, method="X")
    with pytest.raises(ValueError, match="Cannot specify indices with method == 'FW'"):
        module.shortest_path(STREET, method="FW", indices=0)
    for at in ((0, 3), (-1, 0)):
        with pytest.raises(ValueError, match="must have 0 <= source < N"):
            module.yen(STREET, *at, 1)
    with pytest.raises(ValueError, match="negative dimensions"):
        module.yen(STREET, 0, 1, -1)
    with pytest.raises(ValueError, match="csgraph must be lil, csr, or csc format"):
        module.floyd_warshall(sparse.coo_array(STREET))
    with pytest.raises(TypeError, match=r"predecessors array should be np\.int32"):
        module.construct_dist_matrix(STREET.copy(), np.zeros((3, 3), np.int64))
    with pytest.raises(ValueError, match="must have the same shape"):
        module.construct_dist_matrix(STREET.copy(), np.zeros((3, 2), np.int32))


def test_an_entry_of_minus_infinity_is_refused_with_its_place():
    with pytest.raises(ValueError, match=r"weights\[1\] = -inf"):
        csgraph.dijkstra(sparse.csr_array(([1.0, -INF], ([0, 1], [1, 2])), shape=(3, 3)))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "float64"])
@pytest.mark.parametrize("kind", ["csr_array", "csc_array"])
def test_parallel_entries_are_added_up_where_scipy_changes_their_type(kind, dtype, directed):
    parts = np.array([5, 7, 2, 1]).astype(dtype), np.array([1, 1, 2, 0]), np.array([0, 2, 3, 4])
    matrix = getattr(sparse, kind)(parts, shape=(3, 3))
    for name in ("dijkstra", "bellman_ford", "johnson", "floyd_warshall"):
        expected = getattr(theirs, name)(matrix, directed=directed)
        assert (getattr(csgraph, name)(matrix, directed=directed) == expected).all()
    assert len(matrix.data) == 4


def test_damaged_rows_raise_and_do_not_crash():
    damaged = sparse.csr_array(STREET)
    damaged.indices = np.array([0, 7, 1], np.int32)
    with pytest.raises(ValueError, match=r"indices\[1\] = 7"):
        csgraph.dijkstra(damaged, indices=0)


def test_predecessors_that_lead_nowhere_raise():
    pred = np.full((3, 3), -9999, np.int32)
    pred[0, 1] = 3
    with pytest.raises(ValueError, match=r"predecessors\[0, 1\] = 3"):
        csgraph.construct_dist_matrix(STREET, pred)
    with pytest.raises(ValueError, match="must be of an integral dtype"):
        csgraph.reconstruct_path(STREET, np.zeros(3))
    pred[0, 1:] = 2, 1
    with pytest.raises(ValueError, match=r"predecessors\[0\] have a cycle"):
        csgraph.construct_dist_matrix(STREET, pred)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_matrix_is_left_as_it_was_and_the_answer_is_the_callers(name):
    rest = {
        "construct_dist_matrix": [np.full((3, 3), -9999, np.int32)],
        "reconstruct_path": [np.full(3, -9999)],
        "yen": [0, 2, 2],
    }.get(name, [])
    for given in (STREET.copy(), sparse.csr_array(STREET), sparse.csc_array(STREET)):
        before = given.copy()
        if sparse.issparse(given):
            given.data.flags.writeable = False
        answer = getattr(csgraph, name)(given, *rest)
        assert abs(given - before).sum() == 0
        if isinstance(answer, np.ndarray):
            assert answer.flags.writeable
            data = given.data if sparse.issparse(given) else given
            assert not np.shares_memory(answer, data)


@pytest.mark.parametrize("weights", [STREET, STREET / 3, NEGATIVE + 3 * (NEGATIVE == -3)])
def test_floyd_warshall_overwrites_where_it_may(weights):
    given = weights.copy()
    answer = csgraph.floyd_warshall(given, overwrite=True)
    assert answer is given
    assert np.array_equal(answer, csgraph.floyd_warshall(weights))
    for other in (weights.astype(np.float32), np.asfortranarray(weights), weights.tolist()):
        kept = np.array(other)
        csgraph.floyd_warshall(other, overwrite=True)
        assert np.array_equal(other, kept)
    given = weights.copy()
    assert csgraph.shortest_path(given, "FW", overwrite=True) is given


def test_what_plain_zeros_mean_depends_on_the_kind_of_matrix():
    zeros = ([0.0, 4.0], ([0, 1], [1, 2]))
    stored = sparse.csr_array(zeros, shape=(3, 3))
    assert csgraph.dijkstra(stored, indices=0).tolist() == [0, 0, 4]
    assert csgraph.floyd_warshall(stored)[0].tolist() == [0, 0, 4]
    assert csgraph.dijkstra(stored.toarray(), indices=0).tolist() == [0, INF, INF]
    masked = np.ma.masked_array(stored.toarray(), mask=stored.toarray() > 9)
    masked[2] = masked[:, 0] = np.ma.masked
    assert csgraph.dijkstra(masked, indices=0).tolist() == [0, 0, 0]
    assert csgraph.floyd_warshall(masked)[0].tolist() == [0, INF, INF]


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_predecessors_of_all_pairs_go_over_edges_of_no_length(scale):
    ends = ([0, 1, 2, 3, 3], [1, 2, 3, 1, 4])
    chain = sparse.csr_array((np.array([3.0, 0, 0, 0, 2]) * scale, ends), shape=(5, 5))
    dist, pred = csgraph.floyd_warshall(chain, return_predecessors=True)
    assert np.array_equal(dist, theirs.floyd_warshall(chain))
    assert pred[0].tolist() == [-9999, 0, 1, 2, 3]
    assert pred[2].tolist() == [-9999, 3, -9999, 2, 3]


def test_parallel_entries_add_up_in_coo_and_compete_in_csr():
    coo = sparse.coo_array(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    csr = sparse.csr_array(([1.0, 2.0], [1, 1], [0, 2, 2]), shape=(2, 2))
    assert csgraph.dijkstra(coo, indices=0).tolist() == [0, 3]
    assert csgraph.dijkstra(csr, indices=0).tolist() == [0, 1]
    assert csgraph.floyd_warshall(csr)[0].tolist() == [0, 1]


def test_spare_room_behind_the_last_entry_is_no_edge():
    roomy = sparse.csr_array(STREET)
    roomy.indices = np.append(roomy.indices, [9, 9]).astype(np.int32)
    roomy.data = np.append(roomy.data, [np.nan, -1.0])
    assert csgraph.dijkstra(roomy, indices=0).tolist() == [0, 1, 3]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
def test_integers_that_floats_round_are_added_as_floats(dtype):
    large = np.array([[0, 2**53 - 1, 0], [0, 0, 3], [0, 0, 0]]).astype(dtype)
    for kind in (sparse.csr_array, np.array):
        found = csgraph.dijkstra(kind(large), indices=0)
        assert found.tolist() == theirs.dijkstra(kind(large), indices=0).tolist()


def test_a_graph_that_changed_between_calls_is_solved_as_it_is_now():
    roads = sparse.csr_array(STREET)
    assert csgraph.dijkstra(roads, indices=0).tolist() == [0, 1, 3]
    roads.data[1] = 0.5
    assert csgraph.dijkstra(roads, indices=0).tolist() == [0, 1, 0.5]


def test_arrays_of_scipys_are_read_in_place():
    from warpath.csgraph.matrices import edges_of

    roads = sparse.csr_array(STREET / 3)
    graph = edges_of(roads, directed=True).graph
    assert np.shares_memory(graph.weights, roads.data)
    assert np.shares_memory(graph.indices, roads.indices)
    assert roads.data.flags.writeable


def test_of_equally_short_paths_one_edge_from_the_source_is_taken():
    tie = np.array([[0, 0, 4.0], [0, 0, 1.0], [0, 0, 0]])
    tie[0, 1], tie[1, 2] = 2, 2
    for method in ("D", "BF", "J", "FW"):
        _, pred = csgraph.shortest_path(tie, method, return_predecessors=True)
        assert pred[0].tolist() == [-9999, 0, 0]


WITHOUT_SCIPY = """
import sys

sys.modules["scipy"] = None  # an import of it fails
import numpy as np

from warpath import csgraph

roads = np.array([[0, 1.0, 5], [0, 0, 2], [0, 0, 0]])
for method in ("auto", "D", "BF", "J", "FW"):
    dist, pred = csgraph.shortest_path(roads, method, return_predecessors=True)
    assert dist[0].tolist() == [0, 1, 3]
assert csgraph.construct_dist_matrix(roads, pred)[0].tolist() == [0, 1, 3]
assert csgraph.yen(roads, 0, 2, 2).tolist() == [3, 5]
try:
    csgraph.bellman_ford(-np.ones((2, 2)))
except csgraph.NegativeCycleError as error:
    assert isinstance(error, Exception)
for name in ("connected_components", "reconstruct_path"):
    try:
        getattr(csgraph, name)(roads, pred[0])
    except ImportError as error:
        print(error)
"""


def test_arrays_need_no_scipy_and_what_does_says_how_to_install_it():
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_SCIPY], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == [
        "csgraph.connected_components needs scipy, which is not installed: pip install scipy",
        "csgraph.reconstruct_path needs scipy, which is not installed: pip install scipy",
    ]


@pytest.mark.parametrize("name", ["dijkstra", "floyd_warshall", "shortest_path"])
@pytest.mark.parametrize("kind", ["M8[s]", "m8[s]"])
def test_times_are_no_lengths(name, kind):
    with pytest.raises(TypeError, match="has times, not numbers"):
        getattr(csgraph, name)(np.ones((2, 2), kind))


def test_nothing_lies_below_a_limit_that_is_no_number():
    found = csgraph.dijkstra(STREET, limit=np.nan)
    assert (found == theirs.dijkstra(STREET, limit=np.nan)).all()


@pytest.mark.parametrize("what", [None, "hello", {}])
def test_what_is_no_matrix_is_a_value_error(what):
    with pytest.raises(ValueError, match="graph should have two dimensions"):
        csgraph.shortest_path(what)
