"""`warpath bench csgraph`: both modules are called, compared, and set beside each other."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from warpath import csgraph as ours
from warpath import generate
from warpath.base.errors import VerificationError
from warpath_bench import csgraph

theirs = pytest.importorskip("scipy.sparse.csgraph")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(csgraph, "_LEAST_MS", 0.0)


def test_each_call_is_a_line_of_the_table(capsys):
    given = ["--graphs", "road", "delaunay", "--scale", "0.0005", "--sources", "2"]
    assert csgraph.main([*given, "--pairs", "20", "--repeats", "2", "--predecessors"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("| graph | weights | call | SciPy, ms | warpath, ms | times |")
    rows = [line for line in lines[2:] if line.startswith("|")]
    assert len(rows) == 2 * 2 * 3 + 2 * 2
    assert all(re.search(r"\| [\d.,]+ \| [\d.,]+ \| [\d.,]+x \|$", row) for row in rows)
    assert lines[-1].startswith("Medians over 2 seeded sources, or of 2 calls, again and again for")


class Wrong:
    """SciPy's module with one distance, or one predecessor, changed."""

    def __init__(self, dist=0.0, pred=None):
        self.dist, self.pred = dist, pred

    def dijkstra(self, matrix, **options):
        answer = theirs.dijkstra(matrix, **options)
        if not isinstance(answer, tuple):
            answer[..., 3] += self.dist
            return answer
        if self.pred is not None:
            answer[1][..., 3] = self.pred
        return answer


@pytest.mark.parametrize("call", [csgraph.CALLS[0], csgraph.CALLS[2]])
def test_another_distance_gives_no_numbers(call):
    graph = generate.uniform(40, 4)
    matrix = csgraph.matrix_of(graph)
    sources = list(range(call.sources))
    row = csgraph.measure("uniform", "whole", call, matrix, [sources], Wrong(), graph)
    assert row.scipy > 0
    with pytest.raises(VerificationError, match="are not SciPy's"):
        csgraph.measure("uniform", "whole", call, matrix, [sources], Wrong(1e-9), graph)


def test_calls_of_all_batches_are_repeated_until_the_time_is_over(monkeypatch):
    monkeypatch.setattr(csgraph, "_LEAST_MS", 12.0)
    now = [0.0]  # a clock that SciPy's calls move on, and each look at it by a little

    def clock():
        now[0] += 1e-4
        return now[0]

    monkeypatch.setattr(csgraph, "time", SimpleNamespace(perf_counter=clock))
    asked = []

    class Slow(Wrong):
        def dijkstra(self, matrix, **options):
            asked.append(options["indices"])
            now[0] += 2.5e-3
            return super().dijkstra(matrix, **options)

    graph = generate.uniform(40, 4)
    matrix = csgraph.matrix_of(graph)
    row = csgraph.measure("uniform", "whole", csgraph.CALLS[0], matrix, [[5], [7]], Slow(), graph)
    assert row.scipy == pytest.approx(2.6)
    assert asked == [5, *([5, 7] * 3)[: len(asked) - 1]]  # the first one is not timed
    assert len(asked) == 1 + 5


@pytest.mark.parametrize("pred", [-9999, 3, 7])
def test_a_wrong_predecessor_is_seen(pred):
    graph = generate.uniform(40, 4)
    matrix = csgraph.matrix_of(graph)
    found = ours.dijkstra(matrix, indices=0, return_predecessors=True)
    csgraph.check(graph, [0], found, found, 0.0)
    tight = {u for u in range(40) if found[0][u] + (matrix[u, 3] or np.inf) == found[0][3]}
    assert pred not in tight
    spoilt = Wrong(pred=pred).dijkstra(matrix, indices=0, return_predecessors=True)
    with pytest.raises(VerificationError, match="the predecessors from 0 are no tree"):
        csgraph.check(graph, [0], spoilt, found, 0.0)
