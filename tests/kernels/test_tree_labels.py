"""Labels over an elimination tree on the emulator: the distances of plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support import corpus
from support.kernels import device_for, prepare
from support.tables import able, check, check_pairs, expected, problem_of
from support.tiers import RECIPES_ON_GPUS
from warpath import generate
from warpath.engines.base import Trips, TripsOrder
from warpath.engines.cuda.engine import run
from warpath.engines.cuda.tables import tree_labels
from warpath.engines.labels import LABELS, labels_of
from warpath.graph.zones import opened
from warpath.recipes import CATALOGUE, Task

H2H = CATALOGUE["ouyang2018.h2h"]
MOST_VERTICES = 100
in_full = pytest.mark.full("labels on the emulator", *RECIPES_ON_GPUS)
per_type = pytest.mark.parametrize(
    "dtype",
    ["int32", *(pytest.param(one, marks=in_full) for one in corpus.ALL_TYPES if one != "int32")],
)


def device_of(dtype):
    device = device_for(64)
    prepare(device, [H2H], dtype, traced=False)
    return device


@per_type
def test_tables_and_pairs_are_those_of_plain_python(dtype):
    device, ran = device_of(dtype), 0
    for device.seed, case in enumerate(corpus.all(dtype=dtype)):
        graph = opened(case.graph())
        if not 0 < graph.n <= MOST_VERTICES or not able(H2H, graph, Task.MANY):
            continue
        few = np.array([*case.sources, 0, *case.sources])
        for targets in (None, np.array([graph.n - 1, 0, 0])):
            problem = problem_of(graph, few, targets)
            answer = expected(graph, problem)
            check(H2H, graph, problem, device, answer)
            if not isinstance(answer, type):
                check_pairs(H2H, graph, problem, device, answer)
                ran += 1
    assert ran >= 30


@per_type
@pytest.mark.parametrize("directed", [False, True], ids=["one label", "two labels"])
def test_a_tree_of_many_blocks(dtype, directed):
    graph = generate.road(700)
    if directed:
        graph = graph.with_weights(np.random.default_rng(2).integers(1, 99, graph.m))
    graph, device = graph.astype(dtype), device_of(dtype)
    problem = problem_of(graph, np.arange(0, graph.n, 20))
    answer = expected(graph, problem)
    check(H2H, graph, problem, device, answer)
    check_pairs(H2H, graph, problem, device, answer)
    labels = tree_labels.device_labels(graph, device)
    assert (labels.up is not labels.down) == directed
    cutoff = problem_of(graph, problem.sources, cutoff=int(np.median(answer)))
    check(H2H, graph, cutoff, device, expected(graph, cutoff))


def test_distances_are_written_in_either_width():
    graph, device = generate.road(100).astype("int32"), device_of("int32")
    problem = problem_of(graph, np.arange(7))
    for dtype in (np.int32, np.int64):
        check(H2H, graph, problem, device, expected(graph, problem), dtype=dtype)
    long, device = wp.Graph.of([(0, 1, 7), (2, 3, 2**40)]), device_of("int64")
    for source, wanted in (
        (0, expected(long, problem_of(long, np.array([0])))),
        (2, OverflowError),
    ):
        problem = problem_of(long, np.array([source]))
        check(H2H, long, problem, device, wanted, dtype=np.int32)


def test_sums_near_the_end_of_64_bits_are_added_with_care():
    graph, device = wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62 - 9), (2, 3, 5)]), device_of("int64")
    assert labels_of(graph, 1) is None
    problem = problem_of(graph, np.array([0, 1, 2]))
    answer = expected(graph, problem)
    check(H2H, graph, problem, device, answer)
    check_pairs(H2H, graph, problem, device, answer)


@pytest.mark.parametrize("n", [1, 31, 32, 33, 700])
def test_the_arrays_of_a_tree_are_its_depths(n):
    rng = np.random.default_rng(n)
    labels = labels_of(generate.road(n) if n > 1 else wp.Graph.of(([], [], [])), 1)
    if n == 1:
        position, parent = np.zeros(1, np.int32), np.full(1, -1, np.int32)
    else:
        position, parent = labels.tree.arrays()
    n = len(parent)
    depth = []
    for up in parent.tolist():
        depth.append(0 if up < 0 else depth[up] + 1)
    places, depths, least = tree_labels.tree_arrays(position, parent)
    found = places.view(tree_labels._PLACE).reshape(-1)
    assert depths.tolist() == depth
    for v in rng.integers(0, n, 50).tolist():
        x = int(position[v])
        block = slice(x // 32 * 32, x // 32 * 32 + 32)
        behind = depth[x + 1 : block.stop]
        entries = [-(-(each + 1) // 16) for each in depth[:x]]
        assert found[v].tolist() == (
            *(x, sum(entries), depth[x]),
            *(min(depth[block.start : x + 1]), min(behind, default=65535), 0),
        )
    for row, of_blocks in enumerate(least):
        for block in range(least.shape[1] - (1 << row) + 1):
            part = depth[32 * block : 32 * (block + (1 << row))]
            assert of_blocks[block] == min(part)


def test_labels_that_do_not_fit_are_refused_before_they_are_copied(monkeypatch):
    graph, device = generate.road(300), device_of("int32")
    need = tree_labels.labels_bytes(labels_of(graph, 1))
    monkeypatch.setattr(device, "free_memory", lambda: need - 1)
    with pytest.raises(
        wp.NotEnoughMemoryError, match=r"labels take .* on emulated, but .* are free"
    ):
        tree_labels.device_labels(graph, device)
    monkeypatch.setattr(device, "free_memory", lambda: need)
    assert 0 < tree_labels.device_labels(graph, device).nbytes <= need
    assert LABELS.cached(graph) is not None


def test_many_pairs_go_in_several_launches(monkeypatch):
    graph, device = generate.road(100).astype("int32"), device_of("int32")
    monkeypatch.setattr(tree_labels, "_MOST_PAIRS", 7)
    sources, targets = np.random.default_rng(1).integers(0, graph.n, (2, 20))
    reports = []
    order = TripsOrder(
        H2H,
        graph,
        Trips(Task.PAIRS, sources, targets),
        1,
        {},
        progress=lambda *report: reports.append(report),
    )
    right = wp.apsp(graph).dist[sources, targets]
    assert run(order, device).dist.tolist() == right.tolist()
    assert reports == [(7, 20), (14, 20), (20, 20)]


def test_pairs_stay_where_their_ends_are():
    graph, device = generate.road(100).astype("int32"), device_of("int32")
    sources, targets = np.random.default_rng(1).integers(0, graph.n, (2, 20))
    right = wp.apsp(graph).dist[sources, targets]
    for dtype in (np.int32, np.int64):
        out = np.empty(20, dtype)
        trips = Trips(Task.PAIRS, sources.astype(np.int32), targets)
        assert run(TripsOrder(H2H, graph, trips, 1, {}, out), device).dist is out
        assert out.tolist() == right.tolist()
    for wrong in (-1, graph.n):
        targets[5] = wrong
        order = TripsOrder(H2H, graph, Trips(Task.PAIRS, sources, targets), 1, {}, out)
        with pytest.raises(wp.VertexError, match=rf"vertex {wrong} .* \(in destinations\[5\]\)"):
            run(order, device)
