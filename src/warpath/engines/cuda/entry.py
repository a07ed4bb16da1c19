"""The source text of kernels' entry points, from the axes of a recipe.

A kernel is one instantiation of a template in ``kernels/*.cuh``. Its name, which profilers show,
is for example ``push_listed_merge_path_atomic_slots_i32_f32_b256``. All kernels of a kind have the
same parameters, whatever their policies: those of the template, and the fields of its structs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.engines.cuda.kernel_kinds import KINDS
from warpath.engines.cuda.sources import included

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    def position(self, name: str) -> int:
        """Return the position of an argument."""
        return [parameter for parameter, _ in self.params].index(name)


_TYPES = {
    kind: np.dtype(kind).type
    for kind in ("int16", "int32", "uint32", "int64", "float32", "float64")
}


_SCALARS = {
    "int": "int32",
    "i64": "int64",
    "u32": "uint32",
    "unsigned": "uint32",
    "double": "float64",
}

#: Structs of which a kernel may have several: the parameters of their fields have the name of the
#: member in front, as in ``piles_first``. The fields of other structs have names of their own.
_SEVERAL = {"ChangedEdges", "CountedArcs", "Hubs", "InTurn", "WorkLists"}

_LETTER = re.compile(r"\b[VWL]\b")
_STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(
    r"(?P<type>(?:const |typename )*\w+(?:<[^>]*>)?(?:::\w+)?)(?P<names>\*? \*?\w+(?:, \*?\w+)*)"
)


@cache
def kernel(kind: str, types: Types, block: int, *policies: tuple[str, str | bool]) -> Kernel:
    """Return the kernel of a kind under its policies.

    Parameters
    ----------
    kind : a key of `kernel_kinds.KINDS`: "push", "pull", ...
    types : types of the solve; only those that the kind's parameters mention are in its name.
    block : threads of a block.
    policies : (placeholder of the kind's function, name of the policy's struct).
    """
    shape, call = KINDS[kind], _call(kind)
    given = dict(policies)
    used = {letter: t for letter, t in zip("VWL", types, strict=True) if letter in call.types}
    words = [_snake(value) for value in given.values() if isinstance(value, str)]
    marks = [key for key, value in given.items() if value is True]
    threads = min(block, shape.threads) if shape.threads else block * shape.widths
    name = "_".join([kind, *words, *marks, *used.values(), f"b{threads}"])
    text = {key: str(value).lower() if isinstance(value, bool) else value
            for key, value in given.items()}  # fmt: skip
    function = shape.function.format(block=threads, **text)
    bounds = f"__launch_bounds__({threads}, {shape.resident}) " if shape.resident else ""
    aliases = "\n".join(f"using {letter} = {_C_NAMES[t]};" for letter, t in used.items())
    parameters = ", ".join(f"{declared} {each}" for each, declared in call.parameters.items())
    source = (
        f'#include "{shape.header}"\n\nusing namespace warpath;\n{aliases}\n\n'
        f'extern "C" __global__ void {bounds}{name}({parameters}) {{\n'
        f"  warpath::{function}({call.arguments});\n}}\n"
    )
    scalars = _SCALARS | {
        letter: np.dtype(t[0] + str(int(t[1:]) // 8)).name for letter, t in used.items()
    }
    params = tuple(
        (each, "*" if declared.endswith("*") else scalars[declared])
        for each, declared in call.parameters.items()
    )
    own = threads if threads != block else 0
    return Kernel(name, source, params, own, at_once=shape.at_once)


def _snake(name: str) -> str:
    """Return a struct's name as written in a kernel's name: MergePathMap -> merge_path."""
    for prefix in ("Emit", "Write", "To"):
        name = name.removeprefix(prefix) or name
    name = name.removesuffix("Map") or name
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


class _Call(NamedTuple):
    """How the kernels of a kind call their function.

    Attributes
    ----------
    parameters : the C++ type of each of the kernel's parameters, by name.
    types : those of the letters V, W and L that these types contain.
    arguments : those of the call, in C++.
    """

    parameters: dict[str, str]
    types: set[str]
    arguments: str


@cache
def _call(kind: str) -> _Call:
    """Return the call of a kind, from the declaration of its function.

    The function's parameters are the kernel's; those that are structs stand for their fields, and
    fields that are structs for theirs, in this order.
    """
    shape = KINDS[kind]
    text = "\n".join(included(f'#include "{shape.header}"').values())
    structs = {found[1]: found[2] for found in _STRUCT.finditer(text)}
    function = shape.function.partition("<")[0]
    signature = re.search(rf"\bvoid {function}\(([^)]*)\) \{{", text)
    if signature is None:
        msg = f"{shape.header} defines no function {function}."
        raise ValueError(msg)
    parameters: dict[str, str] = {}
    unfixed = set(shape.fixed)

    def argument(name: str, declared: str) -> str:
        """Return the argument for a field; add the parameters that it takes."""
        if name in unfixed:
            unfixed.remove(name)
            return shape.fixed[name]
        struct = declared.removeprefix("const ").partition("<")[0]
        if struct in structs and not declared.endswith("*"):
            front = f"{name}_" if struct in _SEVERAL else ""
            fields = (argument(front + each, of) for each, of in _fields(structs[struct]))
            return f"{{{', '.join(fields)}}}"
        if name in parameters:
            msg = f"{shape.header}: two arguments of {function} are called {name}: rename one."
            raise ValueError(msg)
        parameters[name] = declared
        return name

    own = dict(_fields(";".join(re.split(r",(?![^<]*>)", signature[1].replace("&", "")))))
    arguments = {name: argument(name, declared) for name, declared in own.items()}
    if unfixed:
        msg = f"no argument of {function} in {shape.header} is called {unfixed.pop()}."
        raise ValueError(msg)
    types = {letter for declared in parameters.values() for letter in _LETTER.findall(declared)}

    def typed(name: str, value: str) -> str:
        """Return an argument, a struct with its type; only fixed fields have one of no letter."""
        struct = _LETTER.sub(lambda letter: letter[0] if letter[0] in types else "i64", own[name])
        return struct.removeprefix("const ") + value if value.startswith("{") else value

    return _Call(parameters, types, ", ".join(typed(*each) for each in arguments.items()))


def _fields(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the C++ type of each field of a struct, in order."""
    fields = re.sub("//.*", "", text).partition("__device__")[0]
    for declaration in filter(None, map(str.strip, " ".join(fields.split()).split(";"))):
        found = _FIELD.fullmatch(declaration)
        if found is None:
            msg = f"{declaration!r} is not a field or a parameter of a kind that kernels take."
            raise ValueError(msg)
        for name in found["names"].split(","):
            stars = "*" * name.count("*")
            yield name.strip("* "), found["type"].replace("typename ", "") + stars
