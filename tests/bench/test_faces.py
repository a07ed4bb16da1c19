"""`warpath bench faces`: calls are compared, timed in turns, and shown."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from warpath import csgraph as ours
from warpath import generate
from warpath.base.errors import InputError, NotSupportedError, VerificationError
from warpath_bench import faces, limits

theirs = pytest.importorskip("scipy.sparse.csgraph")
nx = pytest.importorskip("networkx")

GIVEN = ["--scale", "0.0005", "--pairs", "20", "--sources", "1"]


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Options of a run on tiny graphs, and the file of its lines."""
    made = {
        name: (lambda: generate.uniform(20, 4), calls)
        for name, (_, calls) in faces.NETWORKX.items()
    }
    monkeypatch.setattr(faces, "NETWORKX", made)
    monkeypatch.setattr(faces, "CPU", ("road",))
    monkeypatch.setattr(faces, "_LEAST", 0.0)
    return [*GIVEN, "--lines", str(tmp_path / "lines.jsonl")], tmp_path / "lines.jsonl"


def test_every_call_is_a_line_and_is_not_measured_again(small, monkeypatch, capsys):
    given, lines = small
    assert faces.main([*given, "--budget", "-1"]) == 0
    count = 2 * 3 + 2 * 2 + sum(len(calls) for _, calls in faces.NETWORKX.values())
    assert f"{count} lines are left" in capsys.readouterr().err
    assert not lines.exists()
    assert faces.main(given) == 0
    told = capsys.readouterr().out
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(found) == count
    assert all(line["theirs_ms"] > 0 and line["ours_ms"] > 0 for line in found)
    rows = [line for line in told.splitlines() if line.startswith(("| csgraph", "| networkx"))]
    assert len(rows) == count
    monkeypatch.setattr(faces, "times_of", None)
    assert faces.main(given) == 0
    assert capsys.readouterr().out == told


@pytest.mark.parametrize("torn", ["{", "[]", '{"face": "csgraph"}', '{"times": "a"}'])
def test_a_line_that_is_none_is_told_with_its_number(small, torn):
    given, lines = small
    lines.write_text(torn + "\n")
    with pytest.raises(InputError, match=r"lines.jsonl:1: this line of measurements"):
        faces.main(given)


def test_both_sides_take_turns_from_every_start_for_the_least_time(monkeypatch):
    now, asked = [0.0], []  # a clock that only the calls move on
    for module in (faces, limits):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now[0]))

    def taking(name, seconds):
        def call(start):
            asked.append((name, start))
            now[0] += seconds

        return call

    times = faces.times_of(taking("theirs", 0.4), taking("ours", 0.1), [5, 7], lambda *_: None)
    assert times == tuple(map(pytest.approx, (400, 100, 4)))
    turns = [(name, start) for start in (5, 7) for name in ("theirs", "ours")]
    assert asked == turns * 3  # the first two are compared, four turns of 0.5 s are timed


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


@pytest.mark.parametrize("call", ["dijkstra, one source", "dijkstra, 8 sources"])
def test_another_distance_of_scipy_is_seen(call):
    graph = generate.uniform(40, 4)
    matrix, sources = faces.matrix_of(graph), list(range(faces.SCIPY[call][2]))
    found = faces.call_scipy(ours, call, matrix, sources)
    faces.check_scipy(graph, 0.0, sources, faces.call_scipy(Wrong(), call, matrix, sources), found)
    wrong = faces.call_scipy(Wrong(1e-9), call, matrix, sources)
    with pytest.raises(VerificationError, match="are not SciPy's"):
        faces.check_scipy(graph, 0.0, sources, wrong, found)


@pytest.mark.parametrize("pred", [-9999, 3, 7])
def test_a_wrong_predecessor_is_seen(pred):
    graph = generate.uniform(40, 4)
    matrix = faces.matrix_of(graph)
    found = ours.dijkstra(matrix, indices=0, return_predecessors=True)
    faces.check_scipy(graph, 0.0, [0], found, found)
    tight = {u for u in range(40) if found[0][u] + (matrix[u, 3] or np.inf) == found[0][3]}
    assert pred not in tight
    spoilt = Wrong(pred=pred).dijkstra(matrix, indices=0, return_predecessors=True)
    with pytest.raises(VerificationError, match="the predecessors from 0 are no tree"):
        faces.check_scipy(graph, 0.0, [0], found, spoilt)


def test_a_wrong_answer_to_networkx_has_no_time(small, monkeypatch):
    import warpath.nx

    monkeypatch.setattr(warpath.nx, "eccentricity", lambda *_, **__: {})
    with pytest.raises(VerificationError, match="answer differently"):
        faces.main([*small[0], "--faces", "networkx", "--calls", "eccentricity"])


def test_a_backend_that_is_not_installed_is_told(monkeypatch):
    monkeypatch.delitem(nx.utils.backends.backends, "warpath")
    with pytest.raises(NotSupportedError, match="not installed"):
        faces.with_backend()
