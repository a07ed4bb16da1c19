"""All kernels of the catalogue, and their compilation into the cache by several processes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from kernel_list import kernels_of, kernels_of_results
from warpath.recipes import CATALOGUE

if TYPE_CHECKING:
    from warpath.engines.cuda.entry import Kernel

_WEIGHTS = ("int32", "int64", "float32", "float64")


def all_kernels(block: int = 256) -> list[Kernel]:
    """Return the kernels that recipes and results use with 32-bit indices, without duplicates."""
    kernels = {
        kernel: None
        for recipe in CATALOGUE
        if "cuda" in recipe.devices
        for weight in _WEIGHTS
        for traced in (False, True)
        for kernel in kernels_of(recipe, weight, block=block, traced=traced)
    }
    for weight in _WEIGHTS:
        kernels |= dict.fromkeys(kernels_of_results(weight, block=block))
    return list(kernels)


def compile_all(arch: str, processes: int) -> int:
    """Compile all kernels for an architecture, and return their number."""
    kernels = all_kernels()
    context = multiprocessing.get_context("spawn")  # CUDA cannot be used in a forked process
    with ProcessPoolExecutor(processes, context) as pool:
        return sum(pool.map(partial(_compiled, arch), kernels, chunksize=4))


def _compiled(arch: str, kernel: Kernel) -> bool:
    from warpath.engines.cuda.compile import cubin

    return bool(cubin(kernel, arch))
