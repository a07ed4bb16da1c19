"""The source text of kernels' entry points, from the axes of a recipe.

A kernel is one instantiation of a template in ``kernels/*.cuh``. Its name, which profilers show,
is for example ``push_listed_merge_path_atomic_slots_i32_f32_b256``. All kernels of a kind have the
same parameters, whatever their policies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.engines.cuda.kernel_kinds import KINDS

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

#: Edges that a thread of a load-balanced partition takes (`MergePathMap::kItems`).
MERGE_PATH_ITEMS = 4
#: The most buckets of a split (`kMostKeys` less the keys for the far pile and dropped items).
MOST_BUCKETS = 64

_C_NAMES = {"i16": "short", "i32": "int", "i64": "long long", "f32": "float", "f64": "double"}


class Types(NamedTuple):
    """The types of a solve as written in kernel names: ``i32``, ``i64``, ``f32``, ``f64``."""

    vertex: str
    weight: str
    label: str

    @classmethod
    def of(cls, vertex: DTypeLike, weight: DTypeLike, label: DTypeLike) -> Types:
        """Return the types of three NumPy dtypes."""
        return cls(
            *(f"{np.dtype(t).kind}{8 * np.dtype(t).itemsize}" for t in (vertex, weight, label))
        )


@dataclass(frozen=True)
class Kernel:
    """A kernel's source and the properties of its launches.

    Attributes
    ----------
    name : of the entry point, ``extern "C"``.
    source : a complete translation unit.
    params : (name, type) of the parameters in order; "*" for a pointer, else a NumPy type.
    threads : threads of a block; 0 for the device's default.
    shared : bytes of dynamic shared memory of a block.
    at_once : whether blocks wait for each other, so that all must run at the same time.
    """

    name: str
    source: str
    params: tuple[tuple[str, str], ...] = ()
    threads: int = 0
    shared: int = 0
    at_once: bool = False

    def arguments(self, **given: Any) -> list[Any]:
        """Return the arguments of a launch, given by name; missing ones are null or 0."""
        return [
            given.get(name) if kind == "*" else _TYPES[kind](given.get(name, 0))
            for name, kind in self.params
        ]


_TYPES = {
    kind: np.dtype(kind).type
    for kind in ("int16", "int32", "uint32", "int64", "float32", "float64")
}


_SCALARS = {"i64": "int64", "int": "int32", "u32": "uint32", "double": "float64"}


@cache
def kernel(kind: str, types: Types, block: int, *policies: tuple[str, str | bool]) -> Kernel:
    """Return the kernel of a kind under its policies.

    Parameters
    ----------
    kind : a key of `kernel_kinds.KINDS`: "push", "pull", ...
    types : types of the solve; only those that the kind's parameters mention are in its name.
    block : threads of a block.
    policies : (placeholder of the kind's call, name of the policy's struct).
    """
    shape = KINDS[kind]
    given = dict(policies)
    used = {
        letter: t for letter, t in zip("VWL", types, strict=True) if _mentions(shape.params, letter)
    }
    words = [_snake(value) for value in given.values() if isinstance(value, str)]
    marks = [key for key, value in given.items() if value is True]
    threads = min(block, shape.threads) if shape.threads else block * shape.widths
    name = "_".join([kind, *words, *marks, *used.values(), f"b{threads}"])
    text = {key: str(value).lower() if isinstance(value, bool) else value
            for key, value in given.items()}  # fmt: skip
    call = shape.call.format(block=threads, **text)
    bounds = f"__launch_bounds__({threads}, {shape.resident}) " if shape.resident else ""
    aliases = "\n".join(f"using {letter} = {_C_NAMES[t]};" for letter, t in used.items())
    source = (
        f'#include "{shape.header}"\n\nusing namespace warpath;\n{aliases}\n\n'
        f'extern "C" __global__ void {bounds}{name}({shape.params}) {{\n  {call};\n}}\n'
    )
    own = threads if threads != block else 0
    return Kernel(name, source, _params(shape.params, types), own, at_once=shape.at_once)


def _mentions(params: str, letter: str) -> bool:
    return any(letter in part.replace("*", "").split() for part in params.split(","))


def _snake(name: str) -> str:
    """Return a struct's name as written in a kernel's name: MergePathMap -> merge_path."""
    for prefix in ("Emit", "Write", "To"):
        name = name.removeprefix(prefix) or name
    name = name.removesuffix("Map") or name
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _params(text: str, types: Types) -> tuple[tuple[str, str], ...]:
    scalar = _SCALARS | {
        letter: np.dtype(t[0] + str(int(t[1:]) // 8)).name
        for letter, t in zip("VWL", types, strict=True)
    }
    parameters = []
    for part in text.split(", "):
        kind, name = part.rsplit(" ", 1)
        parameters.append((name, "*" if "*" in kind else scalar[kind]))
    return tuple(parameters)
