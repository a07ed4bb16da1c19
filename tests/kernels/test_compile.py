"""Every kernel compiles for three architectures, and needs of a GPU what it needed before.

`python -m cubins` writes the golden file anew. `make test` compiles the kernels whose sources
changed since then, and some others.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import cubins
import warpath
from kernel_list import all_kernels

pytest.importorskip("cuda.core", reason="compiling kernels needs cuda-core and NVRTC")

from warpath.engines.cuda.compile import nvrtc_version

GOLDEN = json.loads(cubins.GOLDEN.read_text())
ROWS = GOLDEN["kernels"]
KERNELS = all_kernels()
HEADERS = sorted((Path(warpath.__file__).parent / "engines" / "cuda" / "kernels").glob("*.cuh"))
#: Included by kernels, no kernels themselves.
PARTS = {
    "adopt.cuh",
    "balanced_map.cuh",
    "base.cuh",
    "bounds.cuh",
    "breadth_first_levels.cuh",
    "breadth_first_rows.cuh",
    "bucket_order.cuh",
    "bucket_set.cuh",
    "counting_block.cuh",
    "counting_rows.cuh",
    "counting_upward.cuh",
    "dense.cuh",
    "emit.cuh",
    "expand.cuh",
    "grid.cuh",
    "halt.cuh",
    "hierarchy_top.cuh",
    "lists.cuh",
    "map.cuh",
    "min_plus.cuh",
    "pair_row_items.cuh",
    "patch.cuh",
    "patch_schedule.cuh",
    "pull.cuh",
    "push.cuh",
    "reduce.cuh",
    "repair_labels.cuh",
    "repair_relax.cuh",
    "repair_tree.cuh",
    "repair_turns.cuh",
    "round_control.cuh",
    "rounds.cuh",
    "scan.cuh",
    "set.cuh",
    "settle.cuh",
    "sorted_buckets.cuh",
    "table.cuh",
    "tile.cuh",
    "wide_lists.cuh",
    "wide_rows.cuh",
    "wide_survey.cuh",
}
SAMPLE = 210  # one kernel in so many is compiled, on one architecture, though nothing changed
SLACK = 4  # registers: what instruction scheduling moves without a reason in our code


@pytest.fixture(scope="module", params=cubins.ARCHITECTURES)
def arch(request):
    return request.param


def recorded(kernel):
    """Whether the golden file was written with a kernel's sources as they are."""
    row = ROWS.get(kernel.name)
    return row is not None and row[2] == cubins.source_digest(kernel)


@pytest.fixture(scope="module")
def found(arch, pytestconfig):
    """What each kernel needs; compiled code is kept from one run of the tests to the next."""
    chosen = KERNELS
    if not pytestconfig.getoption("--full"):
        first = SAMPLE * cubins.ARCHITECTURES.index(arch)
        sample = KERNELS[first :: SAMPLE * len(cubins.ARCHITECTURES)]
        chosen = [kernel for kernel in KERNELS if kernel in sample or not recorded(kernel)]
    # In a process that ends: NVRTC keeps some 270 MB.
    with (
        pytest.MonkeyPatch.context() as patched,
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
    ):
        patched.setenv("WARPATH_CACHE_DIR", str(cubins.GOLDEN.parents[2] / "build" / "cubins"))
        return pool.submit(cubins.usages, chosen, arch).result()


def test_no_kernel_spills(found):
    too_much = {name: one for name, one in found.items() if one.stack > cubins.stack_of(name)}
    assert too_much == {}
    assert all(one.spilled == 0 for one in found.values())


def test_the_golden_file_has_every_kernel():
    advice = "run `PYTHONPATH=tools:tests python -m cubins` and commit golden.json"
    assert sorted(kernel.name for kernel in KERNELS) == list(ROWS), f"other kernels: {advice}"
    changed = [kernel.name for kernel in KERNELS if not recorded(kernel)]
    assert changed == [], f"their sources changed: {advice}"
    assert GOLDEN["architectures"] == list(cubins.ARCHITECTURES)


def test_shared_memory_is_what_it_was(found, arch):
    at = cubins.ARCHITECTURES.index(arch)
    wanted = {name: ROWS[name][1][at] for name in found}
    assert {name: one.shared for name, one in found.items()} == wanted


def test_registers_are_what_they_were(found, arch):
    if tuple(GOLDEN["nvrtc"]) != nvrtc_version():
        pytest.skip(f"the golden file is NVRTC {GOLDEN['nvrtc']}'s, this is {nvrtc_version()}")
    at = cubins.ARCHITECTURES.index(arch)
    moved = {
        name: (one.registers, ROWS[name][0][at])
        for name, one in found.items()
        if abs(one.registers - ROWS[name][0][at]) > SLACK
    }
    assert moved == {}


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.name)
def test_a_kernel_file_begins_with_what_its_kernels_take(header):
    lines = header.read_text().splitlines()
    head = lines[: lines.index("#pragma once")]
    assert re.fullmatch(rf"// {re.escape(header.name)} - .+\.", head[0]), (
        f"the first line of {header.name} must be `// {header.name} - what it is.`"
    )
    assert len(lines) <= 260, (
        f"{header.name} has {len(lines)} lines, at most 260 are allowed: move a part of it into a "
        "header of its own, and add that to PARTS in this file if it has no kernels"
    )
    assert all(line.startswith("//") for line in head), (
        f"only comments may stand before `#pragma once` in {header.name}"
    )
    if header.name not in PARTS:
        words = [line.split()[1] for line in head[2:] if re.match(r"// [A-Z]\w+  ", line)]
        assert words == ["Work", "Traffic", "Launch", "Shared", "Races", "Source"], (
            f"{header.name} must begin with the costs of its kernels, as the other headers do"
        )


def test_parts_are_what_no_entry_includes():
    included = {re.search(r'#include "(\w+\.cuh)"', kernel.source)[1] for kernel in KERNELS}
    assert included == {header.name for header in HEADERS} - PARTS
