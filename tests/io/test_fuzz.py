"""Thousands of damaged files: each is read, or refused by an error of warpath; nothing else."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from warpath.base.errors import WarpathError
from warpath.graph import Graph
from warpath.io.coordinate_files import read_coordinates
from warpath.io.formats import read

GOLDEN = Path(__file__).parent / "golden"
NUMBERS = [b"0", b"-1", b"2147483648", b"9223372036854775807", b"1000000000000000", b"1e400"]
NUMBERS += [b"99999999999999999999", b"nan", b"-inf", b"inf", b"0.5", b"x", b""]
ROUNDS, ROUNDS_OF_A_FULL_RUN = 300, 3000


def mutated(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randint(1, 3)):
        at, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        kind = chance.randrange(6)
        if kind == 0 and data:
            flipped = bytearray(data)
            flipped[at % len(data)] ^= 1 << chance.randrange(8)
            data = bytes(flipped)
        elif kind == 1:
            data = data[:at]
        elif kind == 2:
            data = data[:at] + data[end:]
        elif kind == 3:
            data = data[:end] + data[at:end] + data[end:]
        elif kind == 4:
            data = data[:at] + chance.randbytes(chance.randint(1, 9)) + data[at:]
        elif numbers := list(re.finditer(rb"\d+", data)):
            place = chance.choice(numbers)
            data = data[: place.start()] + chance.choice(NUMBERS) + data[place.end() :]
    return data


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
