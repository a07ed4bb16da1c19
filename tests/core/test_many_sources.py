"""Tables of the core's own searches: alone and side by side, in labels of every width."""

from __future__ import annotations

import numpy as np
import pytest

from support.reference import rows
from warpath import _core
from warpath.engines.emulator.build import loaded_sanitizer

WEIGHTS = [np.int32, np.int64, np.float32, np.float64]
NONE = np.empty(0, np.int64)
FAR = np.iinfo(np.int64).max
MOST_16, MOST_32 = 2**15 - 1, 2**31 - 1  # what labels of 16 and of 32 bits stay below


def label_type(weight):
    return np.dtype(np.int64 if np.dtype(weight).kind == "i" else weight)


def expected(graph, sources, targets=None, cutoff=None):
    found = np.empty((len(sources), len(graph[0]) - 1), label_type(graph[2].dtype))
    for row, source in zip(found, sources, strict=True):
        _core.dijkstra(*graph, source=source, dist=row, queue="heap", targets=NONE, cutoff=cutoff)
    return found if targets is None else found[:, targets]


def solve(graph, sources, targets=NONE, *, delta=1.0, dtype=None, threads=1, **more):
    targets = np.asarray(targets, np.int64)
    width = len(targets) or len(graph[0]) - 1
    out = np.full((len(sources), width), 7, dtype or label_type(graph[2].dtype))
    counts = _core.many_sources(
        *graph,
        np.asarray(sources, np.int64),
        targets,
        out,
        delta=delta,
        delta_together=2 * delta,
        threads=threads,
        **more,
    )
    return out, counts


def random_graph(rng, weight):
    """Ties and zeros, loops and parallel edges, or weights over many decades."""
    n = int(rng.integers(1, 40))
    m = int(rng.integers(0, 5 * n))
    if np.dtype(weight).kind == "i":
        weights = rng.integers(0, rng.choice([2, 100, 2000, 30_000, 2**24]), m)
    elif rng.integers(2):
        weights = rng.integers(0, 4, m) * rng.choice([1.0, 0.1, 1e30, 1e-40])
    else:
        weights = 10.0 ** rng.uniform(-8, 8, m)
    src, dst = rng.integers(0, n, m), rng.integers(0, n, m)
    return n, rows(n, list(zip(src, dst, weights, strict=True)), weight_type=weight)


def grid(side, weight=np.int32, low=50, high=150):
    rng = np.random.default_rng(side)
    vertex = np.arange(side * side).reshape(side, side)
    src = np.concatenate([vertex[:, :-1].ravel(), vertex[:-1].ravel()])
    dst = np.concatenate([vertex[:, 1:].ravel(), vertex[1:].ravel()])
    weights = rng.integers(low, high, len(src)).astype(weight)
    indptr = np.empty(side * side + 1, np.int64)
    indices, out = np.empty(2 * len(src), np.int32), np.empty(2 * len(src), weight)
    _core.build_csr(src, dst, weights, both=True, indptr=indptr, indices=indices, out_weights=out)
    return indptr, indices, out


def same_bits(found, wanted):
    assert found.dtype == wanted.dtype
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_rows_are_those_of_dijkstra_alone_and_side_by_side(weight, threads):
    rng = np.random.default_rng(threads)
    for _ in range(30):
        n, graph = random_graph(rng, weight)
        sources = rng.integers(0, n, int(rng.integers(1, 70)))
        targets = rng.integers(0, n, 3)
        wanted = expected(graph, sources)
        for together in (False, True):
            how = {"together": together, "threads": threads, "delta": float(rng.choice([1, 300]))}
            same_bits(solve(graph, sources, **how)[0], wanted)
            same_bits(solve(graph, sources, targets, **how)[0], wanted[:, targets])


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_registers_of_every_width_give_the_same_rows(weight, bits):
    rng = np.random.default_rng(bits)
    together = 0
    for _ in range(20):
        n, graph = random_graph(rng, weight)
        sources = rng.integers(0, n, 40)
        found, counts = solve(graph, sources, bits=bits)
        same_bits(found, expected(graph, sources))
        together += counts["together"]
    assert together > 20 * 40 / 2


@pytest.mark.parametrize("delta", [1e-300, 0.01, 1, 1e3, 1e300])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_any_width_of_buckets_gives_the_same_rows(weight, delta):
    rng = np.random.default_rng(5)
    for _ in range(15):
        n, graph = random_graph(rng, weight)
        wanted = expected(graph, range(n))
        for together in (False, True):
            same_bits(solve(graph, range(n), delta=delta, together=together)[0], wanted)


@pytest.mark.parametrize("together", [False, True])
def test_smallest_delta_for_16_decades_of_weights_ends(together):
    rng = np.random.default_rng(3)
    n, m = 5000, 20_000
    src, dst = rng.integers(0, n, m), rng.integers(0, n, m)
    graph = rows(
        n, list(zip(src, dst, 10.0 ** rng.uniform(-8, 8, m), strict=True)), weight_type=np.float64
    )
    found, counts = solve(graph, range(8), delta=5e-324, together=together)
    same_bits(found, expected(graph, range(8)))
    assert counts["settled"] < (18 if together else 8) * 1.05 * n
    assert counts["moves"] < 8 * 600


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("weight", [np.int32, np.int64])
@pytest.mark.parametrize("limit", [MOST_16, MOST_32])
def test_lengths_about_the_width_of_a_label_are_exact(limit, weight, together):
    for length in range(limit - 3, limit + 3):
        for last in (1, length // 2, min(length - 1, limit - 2)):
            edges = [(0, 1, length - last), (1, 2, last), (2, 3, 1), (3, 0, 1)]
            graph = rows(5, [e for e in edges if e[2] < 2**31], weight_type=weight)
            found, _ = solve(graph, range(5), delta=limit / 9, together=together)
            same_bits(found, expected(graph, range(5)))


@pytest.mark.parametrize("together", [False, True])
def test_a_detour_too_long_for_narrow_labels_does_not_widen_the_answer(together):
    for limit in (MOST_16, MOST_32):
        edges = [(0, 1, limit - 1), (1, 2, limit - 1), (0, 2, 5), (2, 1, 9)]
        graph = rows(5, edges, weight_type=np.int64)
        same_bits(solve(graph, range(5), together=together)[0], expected(graph, range(5)))


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("heavy", [2**16, 2**32])
def test_a_weight_that_narrow_labels_cannot_hold_is_no_light_one(heavy, together):
    graph = rows(3, [(0, 1, heavy + 1), (0, 2, 4), (2, 1, 3)], weight_type=np.int64)
    found, _ = solve(graph, [0] * 4, cutoff=5, together=together)
    assert found.tolist() == [[0, FAR, 4]] * 4
    assert solve(graph, [0] * 4, [1], together=together)[0].tolist() == [[7]] * 4


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("together", [False, True])
def test_a_distance_beyond_int64_is_refused_unless_another_path_fits(together, threads):
    how = {"together": together, "threads": threads, "delta": 2.0**60}
    graph = rows(3, [(0, 1, FAR - 1), (1, 2, 5)], weight_type=np.int64)
    with pytest.raises(OverflowError, match="64 bits"):
        solve(graph, [2, 2, 1, 0], **how)
    assert solve(graph, [0, 0], [1], **how)[0].tolist() == [[FAR - 1]] * 2
    assert solve(graph, [0], cutoff=FAR - 1, **how)[0].tolist() == [[0, FAR - 1, FAR]]
    graph = rows(3, [(0, 1, FAR - 1), (1, 2, 5), (0, 2, FAR - 2)], weight_type=np.int64)
    assert solve(graph, [0] * 4, **how)[0].tolist() == [[0, FAR - 1, FAR - 2]] * 4


@pytest.mark.parametrize("together", [False, True])
def test_float_sum_that_becomes_infinite_is_unreachable(together):
    graph = rows(3, [(0, 1, 3e38), (1, 2, 3e38)], weight_type=np.float32)
    found, _ = solve(graph, [0] * 5, delta=1e38, together=together)
    assert found.tolist() == [[0, np.float32(3e38), np.inf]] * 5


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_cutoff_keeps_what_lies_within_it_and_nothing_else(weight, together):
    rng = np.random.default_rng(8)
    for _ in range(30):
        n, graph = random_graph(rng, weight)
        full = expected(graph, range(n))
        reached = np.sort(full[full != expected(graph, [0])[0].dtype.type(beyond(full.dtype))])
        for cutoff in (reached[-1], reached[len(reached) // 2], 0):
            limit = cutoff.item() if cutoff else 0
            found, _ = solve(graph, range(n), cutoff=limit, together=together)
            same_bits(found, np.where(full <= limit, full, beyond(full.dtype)))


@pytest.mark.threads
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("degree", [15, 16, 17, 64, 65, 81, 1000])
def test_rows_of_any_length_are_read_as_they_lie_and_packed(degree, weight):
    """A hub lowers all of its row at once, and each vertex of it again as its ring comes round."""
    rng = np.random.default_rng(degree)
    spokes = [(0, v, 10 * degree - 9 * v) for v in range(1, degree + 1)]
    ring = [(v, v % degree + 1, int(rng.integers(1, 9))) for v in range(1, degree + 1)]
    graph = rows(degree + 1, spokes + ring + [(degree, 0, 5)], weight_type=weight)
    wanted = expected(graph, range(degree + 1))
    for delta in (1.0, 1e6):
        for few in (3, degree + 1):  # to pack the rows for three sources would not pay
            how = {"together": False, "delta": delta, "threads": 2}
            same_bits(solve(graph, range(few), **how)[0], wanted[:few])


def shuffled(graph, seed):
    """Give every vertex another number."""
    indptr, indices, weights = graph
    number = np.random.default_rng(seed).permutation(len(indptr) - 1)
    src = number[np.repeat(np.arange(len(number)), np.diff(indptr))]
    edges = zip(src, number[indices], weights.tolist(), strict=True)
    return rows(len(number), list(edges), weight_type=weights.dtype)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_scattered_vertices_are_searched_under_near_numbers_and_told_by_their_own(
    weight, together, threads
):
    one_way = rows(500, [(v, v + 1, 1 + v % 3) for v in range(499)], weight_type=weight)
    parts = rows(600, [(v, v + 3, 1 + v % 3) for v in range(597)], weight_type=weight)
    for graph in map(shuffled, (grid(30, weight), one_way, parts), range(3)):
        sources = np.random.default_rng(2).integers(0, len(graph[0]) - 1, 40)
        how = {"large": 1, "together": together, "threads": threads, "delta": 50.0}
        same_bits(solve(graph, sources, **how)[0], expected(graph, sources))
        same_bits(solve(graph, sources, [5, 3], **how)[0], expected(graph, sources, [5, 3]))


def test_random_graphs_have_no_near_numbers():
    rng = np.random.default_rng(3)
    edges = list(zip(*rng.integers(0, 1000, (2, 8000)), rng.integers(1, 9, 8000), strict=True))
    graph = rows(1000, edges)
    same_bits(solve(graph, range(40), large=1, together=False)[0], expected(graph, range(40)))


def beyond(dtype):
    return dtype.type(FAR if dtype.kind == "i" else np.inf)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("weight", WEIGHTS)
def test_a_search_that_stops_early_leaves_nothing_behind_for_the_next(weight, threads):
    graph = grid(40, weight)
    sources = np.arange(0, 1600, 11)
    full = expected(graph, sources)
    for together in (False, True):
        how = {"together": together, "threads": threads, "delta": 50.0}
        found, _ = solve(graph, sources, cutoff=300, **how)
        same_bits(found, np.where(full <= 300, full, beyond(full.dtype)))
        same_bits(solve(graph, sources, **how)[0], full)
        near = [13, 0, 13, 41]
        same_bits(solve(graph, sources, near, **how)[0], full[:, near])
        same_bits(
            solve(graph, sources, near, cutoff=900, **how)[0],
            np.where(full[:, near] <= 900, full[:, near], beyond(full.dtype)),
        )


def test_targets_nearby_are_found_without_a_search_of_the_whole_graph():
    graph = grid(300)
    for together in (False, True):
        found, counts = solve(graph, range(8), [300, 301], delta=50.0, together=together)
        same_bits(found, expected(graph, range(8), [300, 301]))
        assert counts["settled"] < 8 * 2000


def test_neighbours_are_searched_side_by_side_and_far_sources_alone():
    graph = grid(150)
    near = np.arange(32)
    found, counts = solve(graph, near, delta=50.0)
    assert counts["together"] == 32
    assert counts["settled"] < 6 * 150 * 150
    same_bits(found, expected(graph, near))
    apart = np.random.default_rng(1).permutation(150 * 150)[:64]
    found, counts = solve(graph, apart, delta=50.0)
    assert counts["together"] == 0
    assert counts["settled"] < 1.3 * 64 * 150 * 150
    same_bits(found, expected(graph, apart))


@pytest.mark.parametrize("together", [False, True])
def test_int32_table_holds_the_numbers_or_raises(together):
    graph = rows(3, [(0, 1, MOST_32 - 1), (1, 2, 1)], weight_type=np.int64)
    how = {"together": together, "dtype": np.int32, "delta": 2.0**28}
    assert solve(graph, [0] * 4, [0, 1], **how)[0].tolist() == [[0, MOST_32 - 1]] * 4
    assert solve(graph, [1], [0], **how)[0].tolist() == [[MOST_32]]
    with pytest.raises(OverflowError, match="int32"):
        solve(graph, [1, 1, 1, 0], **how)


def test_table_without_sources_is_left_empty():
    assert solve(rows(2, [(0, 1, 1)]), [])[0].shape == (0, 2)


def test_negative_zero_weight_leaves_the_label_zero():
    graph = rows(2, [(0, 1, -0.0)], weight_type=np.float64)
    for together in (False, True):
        same_bits(solve(graph, [0] * 4, together=together)[0][0], np.zeros(2))


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"delta": 0.0}, {"delta": np.nan}])
def test_no_threads_and_buckets_without_width_are_refused(wrong):
    with pytest.raises(ValueError, match=r"threads|delta"):
        solve(rows(2, [(0, 1, 1)]), [0], **wrong)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
def test_progress_counts_the_sources(threads):
    seen = []
    graph = grid(80 if loaded_sanitizer() else 200)  # over some ticks of 50 ms
    for together in (False, True):
        solve(
            graph,
            range(400),
            threads=threads,
            together=together,
            progress=lambda done, total: seen.append((done, total)),
        )
    assert {total for _, total in seen} <= {400}
    assert all(0 <= done <= 400 for done, _ in seen)
    assert seen


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("together", [False, True])
def test_ctrl_c_stops_a_table_within_a_second(together, threads, work_after_ctrl_c):
    graph = grid(300)
    options = {"threads": threads, "together": together, "delta": 50.0}
    more = work_after_ctrl_c(lambda: solve(graph, range(3000), [89_999], **options))
    assert more < threads


@pytest.mark.parametrize("shape", [(2, 2), (1, 3), (2, 4)])
@pytest.mark.parametrize("search", ["many_sources", "dijkstra_many"])
def test_a_table_of_another_shape_is_refused(search, shape):
    """It would be written beyond its end."""
    graph = np.array([0, 1, 2, 2]), np.array([1, 2], np.int32), np.array([1, 1], np.int32)
    how = {
        "many_sources": {"delta": 1.0, "delta_together": 1.0},
        "dijkstra_many": {"queue": "heap"},
    }
    with pytest.raises(ValueError, match="a row for each source and a column for each target"):
        getattr(_core, search)(
            *graph,
            np.array([0, 1]),
            np.array([], np.int64),
            np.empty(shape, np.int64),
            **how[search],
        )
