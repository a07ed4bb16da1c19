"""The types that users' programs see: `mypy --strict` finds no Any in what they read most."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

SNIPPET = """
import warpath as wp

graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
route = wp.path(graph, 0, 2)
minutes: float = route.length / 60
reveal_type(route.length)
reveal_type(route.along([1, 1]))
reveal_type(route.plan)
reveal_type(route.source)
for vertex in route:
    reveal_type(vertex)
reveal_type(wp.prepare(graph).path(0, 2).length)
table = wp.distances(graph, [0], [2])
reveal_type(table.dist)
reveal_type(table.plan)
algorithm: str = table.plan.algorithm
paths = wp.sssp(graph, 0)
reveal_type(paths.dist)
reveal_type(paths[2])
reveal_type(paths.plan)
trips = wp.pairs(graph, [0], [2])
reveal_type(trips.dist)
reveal_type(trips.plan)
near, reach = wp.nearest(graph, [0]), wp.within(graph, 0, 5)
reveal_type(near.plan)
reveal_type(reach.plan)
reveal_type(wp.totals(graph, "sum").plan)
reveal_type(wp.diameter(graph))
reveal_type(wp.plan(graph, 0).seconds)
"""


@pytest.mark.full("types that users' programs see", "src/warpath/**/*.py", "pyproject.toml")
def test_results_have_types_without_any(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "snippet.py").write_text(SNIPPET)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-incremental"]
    run = subprocess.run(
        [*command, "snippet.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert not run.returncode, run.stdout + run.stderr
    types = re.findall(r'snippet\.py:(\d+): note: Revealed type is "(.*)"', run.stdout)
    assert len(types) == SNIPPET.count("reveal_type")
    lines = SNIPPET.splitlines()
    assert [lines[int(line) - 1].strip() for line, found in types if found == "Any"] == []
