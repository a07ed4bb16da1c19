"""Sanitizers watch every recipe on the emulator and have nothing to say.

The two recipes that lose minima do so by relaxed loads and stores, which are no data race.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import warpath
from support.recipes import on_gpu
from support.tiers import EMULATOR, KERNELS
from warpath.recipes import Task
from warpath.recipes.axes import Select

in_full = pytest.mark.full("races of kernels", KERNELS, *EMULATOR)

TABLES = on_gpu(Task.MANY, Task.APSP)
LOOPS = sorted({recipe.loop for recipe in TABLES}, key=lambda loop: loop.value)
HEADERS = Path(warpath.__file__).parent / "engines" / "cuda" / "kernels"
VARIANTS = [
    "bodra2025.bf_strided_flag:labels=IN_PLACE",
    "davidson2014.near_far.merge_path:emit=ATOMIC_QUEUE,edges=CLASSIFIED",
    "davidson2014.workfront_sweep.merge_path:map=CHILD_GRID",
    "davidson2014.workfront_sweep.merge_path:map=THREAD",
    "johnson_gpu.dijkstra_prefix:map=CTA_WARP_SCAN",
]


@pytest.mark.threads
def test_the_kernels_of_one_recipe_do_not_race(quick):
    ran = quick(HEADERS, ["martin2009.u_gpu"], sanitizer="thread")
    assert ran.returncode == 0, ran.stderr[-8000:]
    assert "Sanitizer" not in ran.stderr


@in_full
@pytest.mark.threads
@pytest.mark.parametrize("sanitizer", ["thread", "address"])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize("select", Select)
def test_no_kernel_races_or_leaves_its_arrays(quick, select, dtype, sanitizer):
    in_rounds = [recipe for recipe in on_gpu(Task.SSSP) if recipe.axes is not None]
    names = [recipe.name for recipe in in_rounds if recipe.axes.select is select]
    if select is Select.IMPROVED:
        names += VARIANTS
    ran = quick(HEADERS, names, dtype, sanitizer=sanitizer)
    assert ran.returncode == 0, ran.stderr[-8000:]
    assert "Sanitizer" not in ran.stderr


@in_full
@pytest.mark.threads
@pytest.mark.parametrize("sanitizer", ["thread", "address"])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_no_kernel_of_one_launch_races_or_leaves_its_arrays(quick, dtype, sanitizer):
    names = [recipe.name for recipe in on_gpu(Task.SSSP) if recipe.axes is None] + ["repairs"]
    ran = quick(HEADERS, names, dtype, sanitizer=sanitizer)
    assert ran.returncode == 0, ran.stderr[-8000:]
    assert "Sanitizer" not in ran.stderr


@in_full
@pytest.mark.threads
@pytest.mark.parametrize(("sanitizer", "dtype"), [("thread", "int32"), ("address", "float32")])
@pytest.mark.parametrize("loop", LOOPS)
def test_no_kernel_of_tables_races_or_leaves_its_arrays(quick, loop, dtype, sanitizer):
    names = [recipe.name for recipe in TABLES if recipe.loop is loop]
    ran = quick(HEADERS, names, dtype, sanitizer=sanitizer)
    assert ran.returncode == 0, ran.stderr[-8000:]
    assert "Sanitizer" not in ran.stderr
