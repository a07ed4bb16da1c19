from __future__ import annotations

import numpy as np
import pytest

from support.reference import rows
from warpath import _core

INDEX_TYPES = [np.int32, np.int64]
WEIGHT_TYPES = [np.int32, np.int64, np.float32, np.float64]
TYPES = [(v, w) for v in INDEX_TYPES for w in WEIGHT_TYPES]
NONE = np.empty(0, np.int64)
MAX = np.iinfo(np.int64).max


def queues_for(weight_type, index_type=np.int32):
    dial = np.issubdtype(weight_type, np.integer) and index_type == np.int32
    return ["heap", "radix", "dial"] if dial else ["heap", "radix"]


def label_type(weight_type):
    return np.dtype(np.int64 if np.issubdtype(weight_type, np.integer) else weight_type)


def unreachable(dtype):
    dtype = np.dtype(dtype)
    return np.iinfo(dtype).max if dtype.kind == "i" else dtype.type(np.inf)


def random_rows(seed, index_type, weight_type):
    """Few vertices, many ties, zero weights, parallel edges, loops and vertices out of reach."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 25))
    m = int(random.integers(0, 4 * n))
    heaviest = int(random.choice([1, 3, 100]))
    weights = random.integers(0, heaviest + 1, m)
    if np.dtype(weight_type).kind == "f":
        weights = weights * random.choice([1.0, 0.1, 1e30, 1e-40])
    edges = zip(random.integers(0, n, m), random.integers(0, n, m), weights, strict=True)
    return n, rows(n, list(edges), index_type, weight_type)


def relaxed_until_quiet(graph, source):
    """Least left-to-right rounded sums, by relaxing every edge until nothing changes."""
    indptr, indices, weights = graph
    dtype = label_type(weights.dtype)
    best = [unreachable(dtype)] * (len(indptr) - 1)
    best[source] = dtype.type(0)
    changed = True
    while changed:
        changed = False
        for u in range(len(best)):
            if best[u] == unreachable(dtype):
                continue
            for e in range(indptr[u], indptr[u + 1]):
                weight = weights[e]
                total = int(best[u]) + int(weight) if dtype.kind == "i" else best[u] + weight
                if total < best[indices[e]]:
                    best[indices[e]] = total
                    changed = True
    return np.array(best, dtype)


def solve(graph, source, queue="heap", targets=NONE, cutoff=None):
    dist = np.full(len(graph[0]) - 1, 7, label_type(graph[2].dtype))
    counters = _core.dijkstra(
        *graph,
        source=source,
        dist=dist,
        queue=queue,
        targets=np.asarray(targets, np.int64),
        cutoff=cutoff,
    )
    assert set(counters) == {"settled", "relaxed", "improved"}
    return dist


def solve_many(
    graph, sources, targets=NONE, *, queue="heap", cutoff=None, threads=1, dtype=None, h=None
):
    sources = np.asarray(sources, np.int64)
    targets = np.asarray(targets, np.int64)
    width = len(targets) or len(graph[0]) - 1
    out = np.full((len(sources), width), 7, dtype or label_type(graph[2].dtype))
    more = {"sources": sources, "targets": targets, "out": out, "queue": queue}
    if h is None:
        _core.dijkstra_many(*graph, **more, cutoff=cutoff, threads=threads)
    else:
        _core.johnson_many(*graph, h=h, **more, cutoff=cutoff, threads=threads)
    return out


def same_bits(found, expected):
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes(), (found, expected)


def grid(side, weight_type=np.int32, heaviest=1000, index_type=np.int32):
    random = np.random.default_rng(side)
    vertex = np.arange(side * side, dtype=np.int64).reshape(side, side)
    src = np.concatenate([vertex[:, :-1].ravel(), vertex[:-1].ravel()])
    dst = np.concatenate([vertex[:, 1:].ravel(), vertex[1:].ravel()])
    weights = random.integers(0, heaviest + 1, len(src)).astype(weight_type)
    indptr = np.empty(side * side + 1, np.int64)
    indices = np.empty(2 * len(src), index_type)
    out = np.empty(2 * len(src), weight_type)
    _core.build_csr(src, dst, weights, both=True, indptr=indptr, indices=indices, out_weights=out)
    return indptr, indices, out


@pytest.mark.parametrize(("index_type", "weight_type"), TYPES)
def test_every_queue_gives_the_bits_of_relaxing_until_quiet(index_type, weight_type):
    for seed in range(150):
        n, graph = random_rows(seed, index_type, weight_type)
        expected = relaxed_until_quiet(graph, seed % n)
        for queue in queues_for(weight_type, index_type):
            same_bits(solve(graph, seed % n, queue), expected)


@pytest.mark.parametrize("weight_type", WEIGHT_TYPES)
def test_queues_agree_on_a_grid_whose_buckets_are_split(weight_type):
    graph = grid(120, weight_type)
    expected = solve(graph, 17, "heap")
    for queue in queues_for(weight_type):
        same_bits(solve(graph, 17, queue), expected)
    for u in range(len(expected)):
        row = slice(graph[0][u], graph[0][u + 1])
        assert (expected[graph[1][row]] <= expected[u] + graph[2][row].astype(expected.dtype)).all()


@pytest.mark.parametrize("weight_type", [np.float32, np.float64])
def test_radix_heap_orders_floats_over_all_exponents(weight_type):
    random = np.random.default_rng(3)
    n, m = 400, 3000
    lightest = np.finfo(weight_type).smallest_subnormal
    weights = np.exp2(random.uniform(-140, 120, m)).astype(weight_type) + lightest
    edges = zip(random.integers(0, n, m), random.integers(0, n, m), weights, strict=True)
    graph = rows(n, list(edges), weight_type=weight_type)
    same_bits(solve(graph, 0, "radix"), solve(graph, 0, "heap"))


def test_negative_zero_weight_leaves_the_label_zero():
    graph = rows(2, [(0, 1, -0.0)], weight_type=np.float64)
    for queue in ("heap", "radix"):
        same_bits(solve(graph, 0, queue), np.zeros(2))


def test_float_sum_that_becomes_infinite_is_unreachable():
    graph = rows(3, [(0, 1, 3e38), (1, 2, 3e38)], weight_type=np.float32)
    for queue in ("heap", "radix"):
        assert solve(graph, 0, queue).tolist()[2] == np.inf


def test_one_vertex_without_edges_is_at_distance_zero():
    for weight_type in WEIGHT_TYPES:
        for queue in queues_for(weight_type):
            assert solve(rows(1, [], weight_type=weight_type), 0, queue).tolist() == [0]


@pytest.mark.parametrize(("index_type", "weight_type"), TYPES)
def test_targets_keep_what_lies_no_farther_than_the_last_of_them(index_type, weight_type):
    for seed in range(80):
        n, graph = random_rows(seed, index_type, weight_type)
        full = solve(graph, 0)
        for count in (1, 3):
            targets = np.random.default_rng(seed).integers(0, n, count)
            beyond = full.dtype.type(unreachable(full.dtype))
            expected = np.where(full <= full[targets].max(), full, beyond)
            for queue in queues_for(weight_type, index_type):
                same_bits(solve(graph, 0, queue, targets), expected)


@pytest.mark.parametrize(("index_type", "weight_type"), TYPES)
def test_cutoff_keeps_what_lies_within_it_and_nothing_else(index_type, weight_type):
    for seed in range(60):
        _, graph = random_rows(seed, index_type, weight_type)
        full = solve(graph, 0)
        reached = np.sort(full[full != unreachable(full.dtype)])
        for cutoff in (reached[-1], reached[len(reached) // 2], 0):
            limit = int(cutoff) if full.dtype.kind == "i" else float(cutoff)
            expected = np.where(full <= limit, full, full.dtype.type(unreachable(full.dtype)))
            for queue in queues_for(weight_type, index_type):
                same_bits(solve(graph, 0, queue, cutoff=limit), expected)


def test_dial_goes_round_its_buckets_many_times():
    n = 3000
    graph = rows(n, [(v, v + 1, 61 + v % 3) for v in range(n - 1)])
    expected = np.concatenate([[0], np.cumsum(61 + np.arange(n - 1) % 3)])
    same_bits(solve(graph, 0, "dial"), expected)


@pytest.mark.parametrize("heaviest", [63, 64, 65, 1023, 1024, 1025])
def test_dial_keeps_a_bucket_apart_from_the_one_its_largest_weight_ahead(heaviest):
    graph = rows(4, [(0, 1, heaviest), (0, 2, 1), (1, 3, 5)])
    same_bits(solve(graph, 0, "dial"), np.array([0, heaviest, 1, heaviest + 5]))


@pytest.mark.threads
@pytest.mark.parametrize("queue", ["heap", "radix"])
def test_distance_beyond_int64_raises_overflow_error(queue):
    half = MAX // 2 + 1
    graph = rows(3, [(0, 1, half), (1, 2, half)], weight_type=np.int64)
    with pytest.raises(OverflowError, match="64 bits"):
        solve(graph, 0, queue)
    with pytest.raises(OverflowError, match="64 bits"):
        solve_many(graph, [2, 0], queue=queue, threads=2)


@pytest.mark.parametrize("queue", ["heap", "radix"])
def test_distance_equal_to_the_unreachable_label_raises_overflow_error(queue):
    graph = rows(3, [(0, 1, MAX - 1), (1, 2, 1)], weight_type=np.int64)
    with pytest.raises(OverflowError):
        solve(graph, 0, queue)


@pytest.mark.parametrize("queue", ["heap", "radix"])
def test_overflowing_detour_does_not_matter_where_another_path_fits(queue):
    graph = rows(3, [(0, 1, MAX - 1), (1, 2, 5), (0, 2, MAX - 2)], weight_type=np.int64)
    same_bits(solve(graph, 0, queue), np.array([0, MAX - 1, MAX - 2]))
    same_bits(solve_many(graph, [0], [2], queue=queue), np.array([[MAX - 2]]))


def test_overflow_beyond_the_cutoff_or_the_last_target_does_not_matter():
    graph = rows(3, [(0, 1, MAX - 1), (1, 2, 5)], weight_type=np.int64)
    assert solve(graph, 0, cutoff=MAX - 1).tolist() == [0, MAX - 1, MAX]
    assert solve(graph, 0, targets=[1]).tolist() == [0, MAX - 1, MAX]
    with pytest.raises(OverflowError, match="64 bits"):
        solve(graph, 0, targets=[1, 2])


def test_queue_that_does_not_exist_or_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="pairing"):
        solve(rows(1, []), 0, "pairing")
    with pytest.raises(ValueError, match="dial"):
        solve(rows(1, [], weight_type=np.float64), 0, "dial")
    with pytest.raises(ValueError, match="radix"):
        solve(rows(2, [(0, 1, 2**40)], weight_type=np.int64), 0, "dial")
    with pytest.raises(ValueError, match="dial"):
        solve_many(rows(1, []), [0], queue="dial", h=np.zeros(1, np.int64))


def test_counters_say_what_was_done():
    graph = rows(3, [(0, 1, 5), (0, 2, 1), (2, 1, 1)])
    dist = np.empty(3, np.int64)
    found = _core.dijkstra(*graph, source=0, dist=dist, queue="heap", targets=NONE)
    assert found == {"settled": 3, "relaxed": 3, "improved": 3}


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize(("index_type", "weight_type"), TYPES)
def test_many_sources_give_the_rows_of_single_sources(index_type, weight_type, threads):
    for seed in range(25):
        n, graph = random_rows(seed, index_type, weight_type)
        random = np.random.default_rng(seed)
        sources = random.integers(0, n, 9)
        targets = random.integers(0, n, 4)
        full = np.stack([solve(graph, s) for s in sources])
        for queue in queues_for(weight_type, index_type):
            same_bits(solve_many(graph, sources, queue=queue, threads=threads), full)
            same_bits(
                solve_many(graph, sources, targets, queue=queue, threads=threads), full[:, targets]
            )


@pytest.mark.threads
@pytest.mark.parametrize("weight_type", WEIGHT_TYPES)
def test_a_cut_off_search_leaves_nothing_behind_for_the_next_source(weight_type):
    graph = grid(30, weight_type)
    sources = np.arange(0, 900, 13)
    full = np.stack([solve(graph, s) for s in sources])
    limit = 2500
    expected = np.where(full <= limit, full, full.dtype.type(unreachable(full.dtype)))
    for queue in queues_for(weight_type):
        same_bits(solve_many(graph, sources, queue=queue, cutoff=limit, threads=2), expected)
        near = (sources + 1)[:3]
        same_bits(solve_many(graph, sources, near, queue=queue, threads=2), full[:, near])


@pytest.mark.threads
def test_int32_table_holds_the_numbers_or_raises():
    largest = np.iinfo(np.int32).max
    graph = rows(3, [(0, 1, largest - 1), (1, 2, 1)], weight_type=np.int64)
    found = solve_many(graph, [0], [0, 1], dtype=np.int32)
    assert found.tolist() == [[0, largest - 1]]
    assert solve_many(graph, [1], [0], dtype=np.int32).tolist() == [[largest]]
    with pytest.raises(OverflowError, match="int32"):
        solve_many(graph, [1, 0], dtype=np.int32, threads=2)


def test_table_without_sources_is_left_empty():
    assert solve_many(rows(2, [(0, 1, 1)]), []).shape == (0, 2)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("weight_type", WEIGHT_TYPES[:2])
def test_reweighted_search_gives_the_lengths_of_the_weights_themselves(weight_type, threads):
    for seed in range(40):
        n, (indptr, indices, weights) = random_rows(seed, np.int32, weight_type)
        random = np.random.default_rng(seed)
        p = random.integers(-50, 50, n)
        src = np.repeat(np.arange(n), np.diff(indptr))
        shifted = (weights + p[src] - p[indices]).astype(weight_type)
        plain = np.stack([solve((indptr, indices, weights), s) for s in range(n)])
        expected = np.where(plain == MAX, MAX, plain + p[:, None] - p[None, :])
        for queue in ("heap", "radix"):
            found = solve_many(
                (indptr, indices, shifted), range(n), queue=queue, h=-p, threads=threads
            )
            same_bits(found, expected)
            found = solve_many((indptr, indices, shifted), range(n), queue=queue, h=-p, cutoff=3)
            same_bits(found, np.where(expected <= 3, expected, MAX))


@pytest.mark.parametrize("queue", ["heap", "radix"])
@pytest.mark.parametrize("weight_type", [np.float32, np.float64])
def test_reweighted_float_search_takes_a_length_below_zero_as_zero(weight_type, queue):
    h = np.array([0, -0.3, -0.39], weight_type)  # 1 -> 2 has -0.01 under it
    graph = rows(3, [(0, 1, -0.3), (1, 2, -0.1), (2, 2, 0)], weight_type=weight_type)
    same_bits(solve_many(graph, [0], queue=queue, h=h), h[None])


def test_int32_table_refuses_a_negative_length_beyond_it():
    least = np.iinfo(np.int32).min
    for length in (least, least - 1):
        graph = rows(2, [(0, 1, length)], weight_type=np.int64)
        h = np.array([0, length])
        if length == least:
            assert solve_many(graph, [0], h=h, dtype=np.int32).tolist() == [[0, least]]
        else:
            with pytest.raises(OverflowError, match="int32"):
                solve_many(graph, [0], h=h, dtype=np.int32)


def test_reduced_length_beyond_int64_does_not_matter_where_another_path_fits():
    graph = rows(3, [(0, 1, MAX - 1), (0, 2, 1), (2, 1, 1)], weight_type=np.int64)
    found = solve_many(graph, [0], h=np.array([0, -5, -5]))
    assert found.tolist() == [[0, 2, 1]]


def test_reweighted_length_beyond_int64_raises_overflow_error():
    graph = rows(2, [(0, 1, MAX - 1)], weight_type=np.int64)
    with pytest.raises(OverflowError):
        solve_many(graph, [0], h=np.array([0, -5]))


@pytest.mark.parametrize("weight_type", [np.float32, np.float64])
def test_reweighted_float_sum_beyond_the_type_raises_and_the_length_itself_does_not(weight_type):
    high = np.finfo(weight_type).max / 2
    graph = rows(3, [(0, 1, high), (2, 1, -1.5 * high)], weight_type=weight_type)
    with pytest.raises(OverflowError, match="float"):
        solve_many(graph, [0], h=np.array([0, -1.5 * high, 0], weight_type))
    graph = rows(3, [(0, 1, 1), (2, 0, -1.5 * high)], weight_type=weight_type)
    h = np.array([-1.5 * high, -1.5 * high, 0], weight_type)
    same_bits(solve_many(graph, [2, 0], h=h)[:, :2], np.array([[-1.5 * high] * 2, [0, 0]], h.dtype))


def test_overflow_elsewhere_does_not_matter_to_a_target_that_no_path_reaches():
    half = MAX // 2 + 1
    graph = rows(5, [(0, 1, half), (1, 2, half), (2, 3, 1)], weight_type=np.int64)
    assert solve_many(graph, [0, 1], [4]).tolist() == [[MAX], [MAX]]
    assert solve_many(graph, [1], [2, 4]).tolist() == [[half, MAX]]
    with pytest.raises(OverflowError, match="64 bits"):
        solve_many(graph, [0], [4, 3])


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_is_refused(threads):
    with pytest.raises(ValueError, match="threads"):
        solve_many(rows(1, []), [0], threads=threads)


def test_a_million_stale_entries_in_a_row_are_passed_over_with_an_ear_for_the_caller():
    m = 4_000_000
    graph = (
        np.array([0, m, m]),
        np.ones(m, np.int32),
        np.arange(m, 0, -1, dtype=np.int32),
    )
    heard = []

    def stop(done, total):
        heard.append((done, total))
        if len(heard) == 3:
            raise LookupError

    with pytest.raises(LookupError):
        _core.dijkstra(
            *graph,
            source=0,
            dist=np.empty(2, np.int64),
            queue="heap",
            targets=NONE,
            progress=stop,
        )


@pytest.mark.threads
def test_progress_counts_sources_and_its_error_stops_every_thread():
    graph = grid(300)
    out = np.empty((400, 1), np.int64)
    seen = []

    def stop(done, total):
        seen.append((done, total))
        if len(seen) == 3:
            raise LookupError

    arguments = {
        "sources": np.arange(400),
        "targets": np.array([89_999]),
        "out": out,
        "queue": "heap",
    }
    with pytest.raises(LookupError):
        _core.dijkstra_many(*graph, **arguments, threads=3, progress=stop)
    assert all(total == 400 for _, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_ctrl_c_stops_many_searches_within_a_second(threads, work_after_ctrl_c):
    graph = grid(1000)
    more = work_after_ctrl_c(lambda: solve_many(graph, range(2000), [999_999], threads=threads))
    assert more < threads
    assert solve(graph, 0, targets=[1])[0] == 0


def test_ctrl_c_is_heard_while_other_threads_finish_the_last_sources(work_after_ctrl_c):
    graph = grid(1500)
    sources = [0] + [2_250_000 - 1] * 40
    assert work_after_ctrl_c(lambda: solve_many(graph, sources, [1125], threads=3)) < 3


@pytest.mark.parametrize("queue", ["heap", "radix", "dial"])
def test_ctrl_c_stops_a_search_before_its_end(queue, work_after_ctrl_c):
    graph = grid(1500)
    dist = np.empty(len(graph[0]) - 1, np.int64)

    def forever():
        while True:
            _core.dijkstra(*graph, source=0, dist=dist, queue=queue, targets=NONE)

    assert work_after_ctrl_c(forever) < 1
