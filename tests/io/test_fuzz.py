"""Thousands of damaged files: each is read, or refused by an error of warpath; nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hunt._mutations import mutated
from warpath.base.errors import WarpathError
from warpath.graph import Graph
from warpath.io.coordinate_files import read_coordinates
from warpath.io.formats import read

GOLDEN = Path(__file__).parent / "golden"
ROUNDS, ROUNDS_OF_A_FULL_RUN = 300, 3000


def outcome(reader, path):
    try:
        return reader(path)
    except WarpathError as error:
        return error


@pytest.mark.parametrize("name", sorted(p.name for p in GOLDEN.iterdir()))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    name, tmp_path, monkeypatch, pytestconfig
):
    monkeypatch.setenv("WARPATH_MEMORY", "16M")  # a file of 300 bytes never needs more
    chance = random.Random(name)  # noqa: S311 - damage, not secrets
    whole = (GOLDEN / name).read_bytes()
    path = tmp_path / name
    reader = read_coordinates if name in {"tiny.co", "tiny_node.tntp"} else read
    outcomes = {"read": 0, "refused": 0}
    for at in range(ROUNDS_OF_A_FULL_RUN if pytestconfig.getoption("--full") else ROUNDS):
        path.write_bytes(mutated(whole, chance) if at else whole)
        result = outcome(reader, path)
        outcomes["refused" if isinstance(result, WarpathError) else "read"] += 1
        if isinstance(result, WarpathError):
            assert str(result).isprintable()
        elif isinstance(result, Graph):
            assert result.indptr[-1] == result.m
            assert not result.m or 0 <= result.indices.min() <= result.indices.max() < result.n
    assert all(outcomes.values())
