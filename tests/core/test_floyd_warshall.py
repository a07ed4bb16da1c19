"""Blocked Floyd-Warshall in the core, against the three loops of the book."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

from warpath import _core

TYPES = [np.int32, np.int64, np.float32, np.float64]
THREADS = [1, 2, 3, 7]
# Around the tiles' sides (4; 2 to 64) and the block of 128.
SIZES = [0, 1, 2, 3, 5, 8, 11, 25, 65, 95, 127, 128, 129, 191, 256, 257]
# Three whole blocks and a bit are more work than all of these; four on every number of threads are
# watched by test_threads_do_not_change_a_bit.
UNWATCHED = [385]


def unreachable(kind):
    return np.inf if np.dtype(kind).kind == "f" else np.iinfo(kind).max


def three_loops(matrix):
    """Floyd-Warshall in float64 or exact 64-bit integers; "no path" is kept apart as a mask."""
    kind = matrix.dtype
    none = matrix == unreachable(kind)
    dist = np.where(none, 0, matrix).astype(np.int64 if kind.kind == "i" else np.float64)
    for k in range(len(dist)):
        sums = dist[:, k, None] + dist[k]
        through = ~(none[:, k, None] | none[k])
        better = through & (none | (sums < dist))
        dist[better] = sums[better]
        none &= ~through
    return np.where(none, unreachable(kind), dist).astype(kind)


def random_matrix(rng, n, kind, degree, *, negative=False, largest=1000):
    shift = rng.integers(0, largest, n) * negative
    matrix = (rng.integers(0, largest, (n, n)) + shift[:, None] - shift).astype(kind)
    matrix[rng.random((n, n)) > degree / max(n, 1)] = unreachable(kind)
    np.fill_diagonal(matrix, 0)
    return matrix


def solve(matrix, threads=1, progress=None, widest=64):
    dist = matrix.copy()
    _core.floyd_warshall(dist=dist, threads=threads, progress=progress, widest=widest)
    return dist


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(
    "n", [*(pytest.param(n, marks=pytest.mark.threads) for n in SIZES), *UNWATCHED]
)
def test_blocks_agree_with_three_loops(n, kind, negative):
    rng = np.random.default_rng(n)
    for degree in (1.0, 2.5, n) if n < 200 else (2.5,):
        matrix = random_matrix(rng, n, kind, degree, negative=negative)
        expected = three_loops(matrix)
        for widest in (16, 32, 64):
            threads = int(rng.choice(THREADS))
            assert (solve(matrix, threads, widest=widest) == expected).all()


@pytest.mark.threads
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("threads", THREADS)
def test_threads_do_not_change_a_bit(kind, threads):
    rng = np.random.default_rng(7)
    matrix = random_matrix(rng, 450, kind, 6.0)
    if np.dtype(kind).kind == "f":
        matrix *= kind(0.1)
    assert solve(matrix, threads).tobytes() == solve(matrix, 1).tobytes()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_float_distances_are_within_the_rounding_of_a_path(kind):
    rng = np.random.default_rng(8)
    n = 300
    matrix = (10.0 ** rng.uniform(-8, 8, (n, n))).astype(kind)
    matrix[rng.random((n, n)) > 4 / n] = np.inf
    np.fill_diagonal(matrix, 0)
    expected = three_loops(matrix.astype(np.float64))
    found = solve(matrix).astype(np.float64)
    reached = np.isfinite(expected)
    assert (reached == np.isfinite(found)).all()
    gap = np.abs(found[reached] - expected[reached])
    assert (gap <= n * float(np.finfo(kind).eps) * expected[reached]).all()


@pytest.mark.threads
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_largest_lengths_allowed_are_exact_and_unreachable_stays_unreachable(kind):
    # A chain of equal steps up to just below max / 4, forwards positive and backwards negative.
    n = 205
    step = int(np.iinfo(kind).max // 4 - 1) // (n - 2)
    matrix = np.full((n, n), unreachable(kind), kind)
    np.fill_diagonal(matrix, 0)
    inner = np.arange(n - 2)
    matrix[inner, inner + 1] = step
    matrix[inner + 1, inner] = -step
    dist = solve(matrix, 2)
    place = np.arange(n - 1, dtype=np.int64)
    assert (dist[:-1, :-1] == (place - place[:, None]) * step).all()
    assert (dist[-1, :-1] == unreachable(kind)).all()
    assert (dist[:-1, -1] == unreachable(kind)).all()
    assert dist[-1, -1] == 0


@pytest.mark.parametrize("kind", TYPES)
def test_negative_edges_never_pull_an_unreachable_entry_down(kind):
    # Vertex 0 is reached by nobody; thousands of negative edges lie behind it.
    n = 200
    shift = np.arange(n) * (100_000 if np.dtype(kind).itemsize == 4 else 10**9)
    matrix = (shift[:, None] - shift).astype(kind)
    matrix[1:, 0] = unreachable(kind)
    matrix[5:, :5] = unreachable(kind)
    assert (solve(matrix) == three_loops(matrix)).all()
    assert (solve(matrix)[1:, 0] == unreachable(kind)).all()


def test_matrix_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match="square"):
        _core.floyd_warshall(dist=np.zeros((2, 3)), threads=1, progress=None)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [3, 130])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_integers_whose_sums_could_wrap_are_refused_by_their_row(kind, n, threads):
    quarter = int(np.iinfo(kind).max) // 4
    for wrong in (quarter + 1, -quarter - 1, int(np.iinfo(kind).min), int(np.iinfo(kind).max) - 1):
        matrix = random_matrix(np.random.default_rng(0), n, kind, 2)
        matrix[2, 0] = wrong
        with pytest.raises(ValueError, match=f"row 2 of the matrix: .* outside of .* {quarter}"):
            solve(matrix, threads)
        labels = np.where(matrix == unreachable(kind), np.iinfo(kind).max // 2, matrix)
        with pytest.raises(ValueError, match="row 2 of the matrix: a length lies outside"):
            _core.close_labels(labels.astype(kind))
    matrix[2, 0] = quarter
    assert solve(matrix, threads)[2, 0] <= quarter


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("n", [80, 200])
def test_a_negative_cycle_of_integers_is_refused_and_does_not_wrap(kind, n):
    # Each step doubles the sums: wrapped ones came out as positive, and as no path.
    matrix = np.full((n, n), -1, kind)
    np.fill_diagonal(matrix, 0)
    with pytest.raises(ValueError, match="a negative cycle, or lengths whose sums leave"):
        solve(matrix)


def test_entries_that_are_not_aligned_are_refused():
    raw = np.zeros(4 * 8 + 1, np.uint8)[1:].view(np.float64).reshape(2, 2)
    with pytest.raises(ValueError, match="aligned to their size"):
        _core.floyd_warshall(raw)


def test_no_threads_is_refused():
    with pytest.raises(ValueError, match="threads"):
        solve(np.zeros((2, 2)), 0)


@pytest.mark.threads
@pytest.mark.parametrize("threads", [1, 3])
def test_interrupt_stops_a_long_solve(threads):
    matrix = np.ones((4000, 4000), np.int64)
    np.fill_diagonal(matrix, 0)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        _core.floyd_warshall(dist=matrix, threads=threads, progress=None)
    timer.join()
    assert solve(np.array([[0.0, 2.0], [np.inf, 0.0]]), threads).tolist() == [[0, 2], [np.inf, 0]]


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_up_to_a_known_total(threads):
    seen = []
    solve(np.ones((1500, 1500)), threads, lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert all(0 <= done <= total == 12 for done, total in seen)
