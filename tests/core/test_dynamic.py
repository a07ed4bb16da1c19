"""Repairs of shortest paths in C++: random batches against new solves, and faults that are found.

`dynamic.cpp` draws graphs and batches of changes in all types of weights, with parallel edges,
edges of length 0, closed vertices and several sources, and compares distances, trees and rows with
those of a new solve after every batch.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from warpath import _core, generate
from warpath.engines.emulator.build import loaded_sanitizer

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "cpp" / "include"
full = pytest.mark.full(
    "repairs of shortest paths",
    "cpp/include/warpath/dynamic/*.hpp",
    "cpp/include/warpath/graph/types.hpp",
    "tests/core/dynamic.cpp",
)

#: Faults, by the file and the code that they change.
MUTANTS = [
    ("tree_update.hpp", "u < state_.pred(v)", "u > state_.pred(v)"),
    ("tree_update.hpp", "if (!nearer) add_search(v);", ""),
    ("repair.hpp", "is_affected(u) || state_.dist(u)", "state_.dist(u)"),
    ("repair.hpp", "state_.dist(u) < to &&", ""),
    ("repair.hpp", "!is_affected(u) &&", ""),
    ("graph_changes.hpp", "std::pair(one.row, one.at)", "std::pair(one.row, -one.at)"),
    ("graph_changes.hpp", "last_ = std::exchange(earlier_, {})", "last_ = {}"),
    ("graph_changes.hpp", "in_.insert(last_.removed_in);", ""),
    ("slack_rows.hpp", "== kVacant) return;", "!= kVacant) return;"),
    ("dynamic_paths.hpp", ".place(flat);", ";"),
    ("dynamic_paths.hpp", "marks_[0].clear(v);", ";"),
    ("dynamic_paths.hpp", "for (State& state : states_) state.restore();", ""),
    ("source_state.hpp", "set_pred(one.vertex, one.pred);", ""),
]


def compiled(folder: Path, made: Path, *flags: str) -> Path:
    """Compile the program with the headers of a folder in front of the others."""
    if loaded_sanitizer():
        pytest.skip("the program has sanitizers of its own, whichever Python has")
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no g++ to compile dynamic.cpp")
    always = ["-std=c++20", "-ffp-contract=off", "-pthread", "-D_GLIBCXX_ASSERTIONS"]
    include = ["-I", str(folder), "-I", str(HEADERS)]
    source = ROOT / "tests" / "core" / "dynamic.cpp"
    subprocess.run([compiler, *always, *flags, *include, "-o", str(made), str(source)], check=True)
    return made


def run(program: Path, seed: int, batches: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, str(seed), str(batches)], capture_output=True, text=True, check=False
    )


@full
def test_a_hundred_thousand_batches_give_what_new_solves_give(tmp_path):
    program = compiled(HEADERS, tmp_path / "dynamic", "-O2")
    ran = run(program, 1, 100_000)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@full
def test_batches_run_clean_under_address_and_undefined_behaviour_sanitizers(tmp_path):
    program = compiled(HEADERS, tmp_path / "dynamic", "-O1", "-fsanitize=address,undefined")
    ran = run(program, 500_000, 5_000)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@full
def test_batches_run_clean_under_the_thread_sanitizer(tmp_path):
    program = compiled(HEADERS, tmp_path / "dynamic", "-O1", "-fsanitize=thread")
    ran = run(program, 700_000, 1_000)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@full
@pytest.mark.parametrize(("header", "code", "fault"), MUTANTS)
def test_a_fault_of_the_repair_is_found(header, code, fault, tmp_path):
    text = (HEADERS / "warpath" / "dynamic" / header).read_text(encoding="utf-8")
    assert text.count(code) == 1, f"{header} must have {code!r} once"
    folder = tmp_path / "warpath" / "dynamic"
    folder.mkdir(parents=True)
    (folder / header).write_text(text.replace(code, fault), encoding="utf-8")
    program = compiled(tmp_path, tmp_path / "mutant", "-O0")
    assert run(program, 1, 20_000).returncode != 0


def paths_of(edges, n=3, sources=(0,), weights=np.int32, directed=True, solved=True):
    indptr = np.zeros(n + 1, np.int64)
    for u, _, _ in edges:
        indptr[u + 1 :] += 1
    ordered = sorted(edges, key=lambda edge: edge[0])
    indices = np.array([v for _, v, _ in ordered], np.int32)
    lengths = np.array([w for _, _, w in ordered], weights)
    made = _core.dynamic_paths(
        indptr, indices, lengths, np.array(sources, np.int64), directed=directed
    )
    if solved:
        made.solve()
    return made


def change(paths, kind, u, v, weight, position=-1, **limits):
    numbers = (np.array([number], np.int64) for number in (u, v, position))
    options = {"exact": True, "most_affected": -1, "most_relaxed": -1, "threads": 1, **limits}
    kinds, weights = np.array([kind], np.int8), np.array([weight], np.int32)
    return paths.apply(kinds, *numbers, weights, **options)


def test_the_core_checks_what_it_is_given():
    paths = paths_of([(0, 1, 1)])
    with pytest.raises(ValueError, match="there is no vertex 3"):
        change(paths, 0, 0, 3, 1)
    with pytest.raises(ValueError, match="kinds must be"):
        change(paths, 3, 0, 1, 1)
    with pytest.raises(ValueError, match="threads must be >= 1"):
        change(paths, 0, 0, 1, 1, threads=0)
    with pytest.raises(ValueError, match="no such row"):
        paths.dist(1)
    with pytest.raises(ValueError, match="pred must be a tree"):
        paths.replace(0, np.zeros(3, np.int64), np.array([1, 0, -1], np.int32))
    with pytest.raises(ValueError, match="dist has 2 entries"):
        paths.replace(0, np.zeros(2, np.int64), np.full(3, -1, np.int32))
    with pytest.raises(ValueError, match="dist has 2 entries"):
        paths.replace_distances(0, np.zeros(2, np.int64), threads=1)
    with pytest.raises(ValueError, match="no such row"):
        paths.replace_distances(1, np.zeros(3, np.int64), threads=1)
    with pytest.raises(ValueError, match="weights must not be negative"):
        paths_of([(0, 1, -1)], solved=False).replace_distances(0, np.zeros(3, np.int64), threads=1)
    with pytest.raises(ValueError, match="weights must be finite"):
        _core.dynamic_paths(
            np.array([0, 1]),
            np.array([0], np.int32),
            np.array([np.nan]),
            np.array([0]),
            directed=True,
        )
    assert paths.dist(0).tolist() == [0, 1, np.iinfo(np.int64).max]


@pytest.mark.parametrize("field", ["kinds", "sources", "targets", "positions", "weights"])
def test_the_core_refuses_arrays_of_another_type_or_length(field):
    paths = paths_of([(0, 1, 1)])
    types = {"kinds": np.int8, "weights": np.int32}
    limits = {"exact": True, "most_affected": -1, "most_relaxed": -1, "threads": 1}
    names = ["kinds", "sources", "targets", "positions", "weights"]
    batch = {name: np.zeros(2, types.get(name, np.int64)) for name in names}
    with pytest.raises(TypeError, match="of the graph's type"):
        paths.apply(**batch | {field: np.zeros(2, np.float16)}, **limits)
    with pytest.raises(ValueError, match="are needed"):
        paths.apply(**batch | {field: np.zeros(3, batch[field].dtype)}, **limits)


def test_one_kind_and_one_position_hold_for_all_changes():
    paths = paths_of([(0, 1, 5), (1, 2, 5)])
    ends = np.array([0, 1]), np.array([1, 2])
    limits = {"exact": True, "most_affected": -1, "most_relaxed": -1, "threads": 1}
    one = np.array([0], np.int8), *ends, np.array([-1]), np.array([6, 8], np.int32)
    assert paths.apply(*one, **limits) is None
    assert paths.dist(0).tolist() == [0, 6, 14]


def test_a_batch_is_ended_before_the_next_one():
    paths = paths_of([(0, 1, 5), (1, 2, 5)])
    assert change(paths, 0, 0, 1, 7) is None
    with pytest.raises(RuntimeError, match="neither accepted nor abandoned"):
        change(paths, 0, 0, 1, 8)
    paths.abandon()
    assert paths.dist(0).tolist() == [0, 5, 10]
    assert not paths.undo()


def test_limits_leave_the_row_as_it_was():
    paths = paths_of([(0, 1, 5), (1, 2, 5)])
    assert change(paths, 0, 0, 1, 7, most_affected=1, exact=False) is None
    assert paths.stale() == [0]
    assert paths.dist(0).tolist() == [0, 5, 10]
    with pytest.raises(RuntimeError, match="a row is stale"):
        paths.accept()
    paths.replace(0, np.array([0, 7, 12]), np.array([-1, 0, 1], np.int32))
    paths.accept()
    assert paths.changes()[3].tolist() == [7, 12]
    assert paths.undo()
    assert paths.dist(0).tolist() == [0, 5, 10]


def test_the_exact_region_leaves_out_vertices_with_another_tight_edge():
    edges = [(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1)]
    counts = {}
    for exact in (True, False):
        paths = paths_of(edges, n=5)
        change(paths, 0, 0, 1, 9, exact=exact)
        assert paths.dist(0).tolist() == [0, 9, 1, 2, 3]
        assert paths.pred(0).tolist() == [-1, 0, 0, 2, 3]
        counts[exact] = paths.counters()["affected"]
    assert counts == {True: 1, False: 3}


def test_a_vertex_that_gets_a_nearer_predecessor_changes_the_levels_behind_it():
    # 2 and 3 are a step of length 0 behind 1, and 4 is one behind both, until 3 has an edge from 0.
    edges = [(0, 1, 5), (0, 3, 9), (1, 2, 0), (1, 3, 0), (2, 4, 0), (3, 4, 0)]
    paths = paths_of(edges, n=5)
    assert paths.pred(0).tolist() == [-1, 0, 1, 1, 2]
    change(paths, 0, 0, 3, 5)
    assert paths.dist(0).tolist() == [0, 5, 5, 5, 5]
    assert paths.pred(0).tolist() == [-1, 0, 1, 0, 3]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_the_tree_of_new_distances_is_that_of_a_new_solve(threads, dtype):
    graph = generate.grid(120, 120, (0, 3), seed=4, dtype=dtype)
    paths = _core.dynamic_paths(
        graph.indptr, graph.indices, graph._solver_weights, np.array([7]), directed=True
    )
    found = wp.sssp(graph, 7, threads=1)
    paths.replace_distances(0, found.dist, threads=threads)
    assert np.array_equal(paths.dist(0), found.dist)
    assert np.array_equal(paths.pred(0), found.pred)


def test_memory_of_the_rows_stays_below_one_and_a_half_times_the_graph():
    random = np.random.default_rng(1)
    n, m = 2_000, 6_000
    edges = [(int(u), int(v), 1) for u, v in random.integers(0, n, (m, 2))]
    paths = paths_of(edges, n=n)
    for kinds in (1, 1, 1, 2, 2, 1):  # insertions, deletions, insertions
        for _ in range(20):
            indptr, indices, _ = paths.graph()
            k = 200
            at = random.choice(len(indices), k, replace=False)
            u = (np.searchsorted(indptr, at, "right") - 1).astype(np.int64)
            if kinds == 1:
                u, v, position = random.integers(0, n, k), random.integers(0, n, k), np.full(k, -1)
            else:
                v = indices[at].astype(np.int64)
                same = [indices[indptr[a] : e] == b for a, b, e in zip(u, v, at, strict=True)]
                position = np.array([int(one.sum()) for one in same])
            limits = {"exact": False, "most_affected": -1, "most_relaxed": -1, "threads": 1}
            batch = np.full(k, kinds, np.int8), u, v, position, np.ones(k, np.int32)
            assert paths.apply(*batch, **limits) is None
            paths.accept()
            bytes_of_rows = 2 * (8 * (n + 1) + 8 * paths.edges)
            assert paths.graph_nbytes <= 1.5 * bytes_of_rows + 2_000


class StoppedError(Exception):
    """Raised by the handler of the test's signal, as KeyboardInterrupt is by that of Ctrl-C."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_in_the_middle_of_a_batch_leaves_the_state_before_it(threads):
    n = 1_000_000
    indptr = np.minimum(np.arange(n + 1), n - 1)
    ends, weights = np.arange(1, n, dtype=np.int32), np.ones(n - 1, np.int32)
    paths = _core.dynamic_paths(indptr, ends, weights, np.array([0, 0]), directed=True)
    before = np.arange(n), np.arange(-1, n - 1, dtype=np.int32)
    for row in range(2):
        paths.replace(row, *before)

    def stop(*_):
        raise StoppedError

    handler = signal.signal(signal.SIGALRM, stop)

    def change_until_stopped():
        for weight in range(2, 1_000):
            change(paths, 0, 0, 1, weight, exact=False, threads=threads)
            paths.accept()

    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(StoppedError):
            change_until_stopped()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    paths.abandon()
    weight = int(paths.graph()[2][0])
    for row in range(2):
        assert np.array_equal(paths.dist(row)[1:], before[0][1:] + weight - 1)
        assert np.array_equal(paths.pred(row), before[1])
