"""``warpath bench host-rows``, on the emulated device."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from warpath_bench import gpu, host_rows

DEVICE = SimpleNamespace(
    name="emulated",
    xp=np,
)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(Path(__file__).parents[2] / "build"))
    monkeypatch.setattr(gpu, "_REPEATS", 1)
    monkeypatch.setattr(gpu, "kernel_ms", lambda _, solve: (solve(), 2.0)[1])
    monkeypatch.setattr(host_rows, "host_rows_bytes", lambda *_: 1000)


def run(tmp_path, capsys):
    lines = tmp_path / "lines.jsonl"
    command = ["--graphs", "rmat 6", "--algorithm", "warpath.wide", "--lines", str(lines)]
    code = host_rows.main(command, DEVICE)
    (line,) = map(json.loads, lines.read_text().splitlines())
    assert json.loads(capsys.readouterr().out).items() <= line.items()
    return code, line


def test_a_graph_is_solved_with_its_edges_on_the_host(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "77G")
    code, line = run(tmp_path, capsys)
    assert code == 0
    assert line["on_host"]
    assert line["limit"] == line["edges"] // 3
    assert line["bus_ms"] == pytest.approx(line["edges"] / 55e6)
    assert line["ratio"] == pytest.approx(2.0 / line["bus_ms"])
    assert len(line["kernel_ms"]) == len(line["call_ms"]) == 3
    assert os.environ["WARPATH_GPU_MEMORY"] == "77G"


def test_wrong_distances_fail_the_run(tmp_path, capsys, monkeypatch):
    real = host_rows.calls.sssp

    def wrong(*given, device, **more):
        paths = real(*given, device=device, **more)
        if device == "emulated" and "WARPATH_GPU_MEMORY" in os.environ:
            return SimpleNamespace(dist=paths.dist + 1, plan=paths.plan, stats=paths.stats)
        return paths

    monkeypatch.delenv("WARPATH_GPU_MEMORY", raising=False)
    monkeypatch.setattr(host_rows.calls, "sssp", wrong)
    code, line = run(tmp_path, capsys)
    assert code == 1
    assert line["wrong"] > 0
