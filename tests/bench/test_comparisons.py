"""Comparisons of duan2025.bmssp and of Dijkstra's algorithm over n."""

from __future__ import annotations

import json

import pytest

from warpath import generate
from warpath.api.solver import Solver
from warpath.base.errors import VerificationError
from warpath_bench import comparisons
from warpath_bench.__main__ import main
from warpath_bench.comparisons import BMSSP, DIJKSTRA, Line


def test_a_run_prints_counts_and_exponents_and_draws_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    lines, picture = tmp_path / "lines.jsonl", tmp_path / "counts.png"
    words = ["comparisons", "--kinds", "road", "rmat", "--powers", "5", "6", "7", "--repeats", "1"]
    assert main([*words, "--output", str(lines), "--picture", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "| road 128 | 128 | " in shown
    assert "\n| rmat | " in shown
    assert picture.stat().st_size > 10_000
    saved = [Line(**json.loads(text)) for text in lines.read_text().splitlines()]
    assert [line.algorithm for line in saved] == [DIJKSTRA, BMSSP] * 6
    assert all(line.comparisons > line.additions >= line.m for line in saved)


def test_parameters_reach_the_algorithm():
    graph = generate.road(200, seed=1)
    plain = comparisons.measure("road", "road", graph, 1)
    cycles = comparisons.measure("road", "road", graph, 1, {"constant_degree": 1})
    assert plain[0].comparisons == cycles[0].comparisons
    assert plain[1].additions < cycles[1].additions


def test_the_exponent_of_the_logarithm_is_fitted_and_where_the_curves_meet():
    lines = [
        Line(
            "road",
            f"road {2**p}",
            name,
            2**p,
            2**p,
            int(1000 * factor * 2**p * p**power) // 1000,
            0,
            1,
        )
        for p in range(10, 21)
        for name, factor, power in ((DIJKSTRA, 1, 1), (BMSSP, 3, 2 / 3))
    ]
    assert comparisons.fits(lines).splitlines()[-1] == "| road | 1.00 | 0.67 | 27 |"


def test_wrong_distances_get_no_times(monkeypatch):
    solvers = iter([Solver(generate.road(50, seed=seed), algorithm=DIJKSTRA) for seed in (1, 2)])
    monkeypatch.setattr(comparisons, "Solver", lambda *_, **__: next(solvers))
    with pytest.raises(VerificationError, match=r"are not Dijkstra's"):
        comparisons.measure("road", "road", generate.road(50, seed=1), 1)
