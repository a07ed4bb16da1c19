"""What README.md and docs/reference/limits.md claim, where no other test shows it."""

from __future__ import annotations

import json
import lzma
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import warpath as wp

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LIMITS = (ROOT / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")


def test_the_library_needs_numpy_only_and_the_python_that_the_readme_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [re.match(r"\w+", each)[0] for each in project["dependencies"]] == ["numpy"]
    assert "needs NumPy only" in README
    assert f"Python {project['requires-python'].removeprefix('>=')} or newer" in README


def test_the_speed_in_the_readme_is_that_of_the_benchmark():
    page = (ROOT / "docs" / "benchmarks" / "cpu-2-cores.md").read_text(encoding="utf-8")
    table = page.split("## AMD EPYC")[1].split("### ")[0]
    times = np.array([float(each) for each in re.findall(r"[\d.]+, ([\d.]+)x \|", table)])
    claim = " ".join(README.split("## Speed")[1].split())
    count, mean, least = re.search(
        r"first in all (\d+) cases: ([\d.]+) times faster in the geometric mean, ([\d.]+) times",
        claim,
    ).groups()
    assert (times > 1).all()
    assert (len(times), times.min()) == (int(count), float(least))
    assert np.exp(np.log(times).mean()) == pytest.approx(float(mean), abs=0.05)


def test_the_graphs_and_peers_in_the_readme_are_those_of_the_benchmark():
    with lzma.open(ROOT / "docs" / "benchmarks" / "cpu-2-cores.jsonl.xz", "rt") as lines:
        runs = list(map(json.loads, lines))
    assert {run["machine"]["processor"] for run in runs} == {"AMD EPYC"}
    sizes = [run["n"] / 1e6 for run in runs]
    assert f"graphs of {min(sizes):.2f} to {max(sizes):.0f} million vertices" in README
    peers = re.search(r"The peers are (.*?)\.", README, re.DOTALL)[1]
    listed = re.sub(r"\(.*?\)", "", peers, flags=re.DOTALL).replace(" and ", ", ")
    timed = {run["solver"] for run in runs if run.get("times")} - {"warpath auto"}
    assert {name.strip() for name in listed.split(",")} == timed


def test_the_algorithms_that_may_be_wrong_are_listed_and_never_chosen():
    inexact = [recipe for recipe in wp.algorithms() if not recipe.exact]
    sentence = LIMITS.split("may return wrong distances:")[1].split("`auto`")[0]
    assert {recipe.name for recipe in inexact} == set(re.findall(r"`([\w.]+)`", sentence))
    assert not any(recipe.planned for recipe in inexact)


def test_the_algorithms_that_add_in_another_order_are_of_the_kinds_that_are_named():
    assert "Floyd-Warshall, Johnson, bidirectional search and hierarchies add floats" in LIMITS
    kinds = re.compile(r"floyd_warshall|\.fw_|johnson\b|\.johnson_|bidirectional")
    for recipe in wp.algorithms():
        named = recipe.prepared or kinds.search(recipe.name) is not None
        assert named == recipe.reassociates, recipe.name


def test_one_route_has_no_algorithm_for_gpus():
    with pytest.raises(wp.NotSupportedError, match="no algorithm here does path"):
        wp.path([(0, 1, 3), (1, 2, 4)], 0, 2, device="emulated")
