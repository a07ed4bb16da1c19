"""The heaps with decrease-key: their own rules after every step, and Dijkstra's labels with them.

`heaps.cpp` runs the core's headers on a list of commands under AddressSanitizer and UBSan, looks at
links, ranks and marks after each command and compares every pop with the least key.
"""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import corpus, reference, strategies
from support.compare import assert_same_bits, noting
from support.reference import rows
from warpath import _core, generate
from warpath.engines.emulator.build import loaded_sanitizer
from warpath.graph.zones import opened

HEAPS = ["binary", "fibonacci", "relaxed"]
NONE = np.empty(0, np.int64)
CASES = [
    case.astype(dtype)
    for case in corpus.all(negative=False)
    if case.graph().n <= 2_100
    for dtype in case.dtypes
]
in_full = pytest.mark.full(
    "heaps under sanitizers",
    *("cpp/include/warpath/queues/*.hpp", "cpp/include/warpath/graph/types.hpp"),
    "tests/core/heaps.cpp",
)


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    if loaded_sanitizer():
        pytest.skip("the program has sanitizers of its own, whichever Python has")
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ to compile heaps.cpp")
    here = Path(__file__).resolve()
    made = tmp_path_factory.mktemp("heaps") / "heaps"
    flags = ["-std=c++20", "-O1", "-fsanitize=address,undefined", "-D_GLIBCXX_ASSERTIONS"]
    flags += ["-I", str(here.parents[2] / "cpp" / "include"), "-o", str(made)]
    source = here.with_name("heaps.cpp")
    subprocess.run([compiler, *flags, source], check=True)
    return made


def run(program, heap, n, commands):
    """Return what the pops and drains printed; an error shows the rule that was broken."""
    ran = subprocess.run(
        [program, heap, str(n)],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


def settle(graph, source, queue, **limits):
    dist = np.full(graph.n, 7, graph.dist_dtype)
    arrays = graph.indptr, graph.indices, graph._solver_weights
    limits = {"targets": NONE, **limits}
    counters = _core.dijkstra(*arrays, source, dist, queue=queue, **limits)
    return dist, counters


@in_full
@pytest.mark.parametrize("heap", HEAPS)
@settings(max_examples=150)
@given(data=st.data())
def test_rules_hold_and_pops_give_the_least_key_whatever_comes(program, heap, data):
    n = data.draw(st.integers(1, 40))
    lower = st.builds(lambda v, key: f"s {v} {key}", st.integers(0, n - 1), st.integers(-20, 20))
    step = st.one_of(lower, lower, lower, st.just("p"), st.sampled_from(["p", "d"]))
    commands = data.draw(st.lists(step, max_size=120))
    run(program, heap, n, commands + ["p"] * n)


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=in_full) for each in (1, 2, 3))])
@pytest.mark.parametrize("heap", HEAPS)
def test_rules_hold_while_keys_fall_far_below_their_parents(program, heap, seed):
    random = np.random.default_rng(seed)
    n = 700
    commands = [f"s {v} {v + 10**6}" for v in random.permutation(n)]
    for now in range(n):
        commands.append("p")
        commands += [f"s {v} {random.integers(10**6)}" for v in random.integers(0, n, 4)]
        if now % 3 == seed % 3:  # the order of a heap that was lowered to its bottom
            commands += [f"s {v} {-now}" for v in random.integers(0, n, 2)]
    assert len(run(program, heap, n, commands + ["p"] * n)) == 2 * n


@pytest.mark.parametrize("heap", HEAPS)
def test_rules_hold_after_any_three_vertices_of_a_tree_fall_below_all(program, heap):
    n = 16
    tree = [f"s {v} {v}" for v in range(n)] + [f"s {n} -9", "p"]  # the pop links what is loose
    commands = []
    for fallen in itertools.permutations(range(n), 3):
        commands += [*tree, *(f"s {v} {-1 - at}" for at, v in enumerate(fallen)), *["p"] * n]
    found = run(program, heap, n + 1, commands)
    assert len(found) == (n + 1) * n * (n - 1) * (n - 2)


@pytest.mark.parametrize("heap", HEAPS)
def test_a_drain_forgets_whatever_had_fallen(program, heap):
    n = 16
    commands = []
    for fallen in range(n):
        commands += [*(f"s {v} {v}" for v in range(n)), f"s {fallen} -1", "d", "p"]
        commands += [*(f"s {v} {v}" for v in range(n)), *["p"] * n]
    found = run(program, heap, n, commands)
    assert found == [str(n), "none", *(f"{v} {v}" for v in range(n))] * n


def test_vertices_that_lose_a_second_child_are_cut_up_to_the_root(program):
    n = 257
    commands = [f"s {v} {v}" for v in range(n)] + ["p"]
    for key, v in enumerate(reversed(range(2, n))):  # the deepest vertices first
        commands.append(f"s {v} {-key}")
    run(program, "fibonacci", n, commands + ["p"] * n)


@pytest.mark.parametrize("heap", HEAPS)
def test_equal_keys_all_come_out_and_an_empty_heap_is_used_again(program, heap):
    commands = [f"s {v} 5" for v in range(33)] + ["p"] * 34
    found = run(program, heap, 33, [*commands, "s 7 1", "s 8 1", "d", "p", "s 8 2", "p"])
    assert sorted(found[:33]) == sorted(f"5 {v}" for v in range(33))
    assert found[33:] == ["none", "2", "none", "2 8"]


@pytest.mark.parametrize("case", [c for c in CASES if not c.overflows], ids=str)
def test_dijkstra_with_each_heap_settles_the_corpus(case):
    graph = opened(case.graph())
    for source in case.sources[:2]:
        expected = reference.dijkstra(graph, source)
        _, others = settle(graph, source, "heap")
        for heap in HEAPS:
            with noting(f"{heap} from {source}"):
                dist, counters = settle(graph, source, heap)
                assert_same_bits(dist, expected, graph)
                for name in ("settled", "relaxed"):
                    assert counters[name] == others[name]


@pytest.mark.parametrize("heap", HEAPS)
def test_distance_that_does_not_fit_is_refused_with_each_heap(heap):
    for case in (c for c in CASES if c.overflows):
        with noting(case), pytest.raises(OverflowError, match="64 bits"):
            settle(case.graph(), 0, heap)


@pytest.mark.parametrize("weight_type", [np.int32, np.int64, np.float32, np.float64])
@given(data=st.data())
def test_dijkstra_with_each_heap_settles_random_graphs(weight_type, data):
    graph = data.draw(strategies.graphs(weight_type, max_vertices=12))
    source = data.draw(st.integers(0, graph.n - 1))
    expected = reference.dijkstra(graph, source)
    for heap in HEAPS:
        assert_same_bits(settle(graph, source, heap)[0], expected, graph)


def falling_labels(n):
    """A graph in which each settled vertex lowers the label of every one that is still queued."""
    edges = [(0, v, 10 * n * n) for v in range(1, n)]
    for u in range(n - 1):
        edges += [(u, u + 1, 1)] + [(u, v, 4 * n * (n - u) + v) for v in range(u + 2, n)]
    indptr, indices, weights = rows(n, edges)
    return indptr, indices, weights


@pytest.mark.parametrize("heap", HEAPS)
def test_labels_that_fall_at_every_step_are_counted_and_settled_once(heap):
    n = 90
    dist = np.empty(n, np.int64)
    counters = _core.dijkstra(*falling_labels(n), 0, dist, queue=heap, targets=NONE)
    assert dist.tolist() == list(range(n))
    relaxed = (n - 1) + n * (n - 1) // 2
    assert counters == {"settled": n, "relaxed": relaxed, "improved": relaxed}


@pytest.mark.parametrize("heap", HEAPS)
def test_targets_and_cutoff_keep_with_each_heap_what_they_keep_with_the_others(heap):
    graph = generate.uniform(300, 5, (0, 30), seed=9)
    full, _ = settle(graph, 0, "heap")
    limit = int(np.median(full))
    targets = np.array([5, 250])
    for limits in ({"cutoff": limit}, {"targets": targets}):
        assert_same_bits(settle(graph, 0, heap, **limits)[0], settle(graph, 0, "heap", **limits)[0])


@pytest.mark.parametrize("heap", HEAPS)
def test_one_vertex_without_edges_is_settled_with_each_heap(heap):
    dist = np.empty(1, np.int64)
    counters = _core.dijkstra(*rows(1, []), 0, dist, queue=heap, targets=NONE)
    assert dist.tolist() == [0]
    assert counters == {"settled": 1, "relaxed": 0, "improved": 0}


def test_heaps_with_decrease_key_are_for_one_source():
    with pytest.raises(ValueError, match="for one source also"):
        _core.dijkstra_many(
            *rows(1, []), np.array([0]), NONE, np.empty((1, 1), np.int64), queue="fibonacci"
        )
