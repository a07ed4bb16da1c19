"""What is launched: kernels by name and source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kernel:
    """A kernel: a translation unit and the function in it.

    Attributes
    ----------
    name : the symbol of its ``extern "C" __global__`` function; block size and types are in it.
    source : CUDA C++ that includes the package's headers.
    """

    name: str
    source: str
