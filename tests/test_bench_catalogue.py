"""The study of the whole catalogue, on tiny graphs and the emulator."""

from __future__ import annotations

import json

import pytest

from warpath.bench.pair import Job, Pairs
from warpath.recipes import CATALOGUE

TINY = ["rmat 6 4", "grid 8", "martin 64", "dense 24"]


def names(*, exact: bool = True) -> list[str]:
    return [r.name for r in CATALOGUE if "cuda" in r.devices and r.exact is exact]


@pytest.fixture
def pairs(emulated_sssp):
    return Pairs(60, 60, emulated_sssp)


@pytest.mark.parametrize("name", names())
def test_a_recipe_is_timed_certified_and_counted(pairs, name):
    line = pairs.measure(Job("catalogue", "martin 64", name))
    assert line["wrong"] == 0
    assert line["ms"] > 0
    assert len(line["runs_ms"]) in {1, 3}
    assert line["counted"] == "traced"
    assert line["rounds"] >= 2
    assert line["work"] > 0
    assert line["parallelism"] >= 1
    assert line["dijkstra_edges"] <= line["m"] == 448
    json.dumps(line)
