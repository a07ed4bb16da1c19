"""Call every function of the core with damaged arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hunt.program import Finding, Program
from hunt.programs._core_calls import NAMES, Draw, Size, Threads, signatures, unharmed
from warpath import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.program import Counts
    from warpath.base.dtypes import Array

#: Exceptions that a call may raise; any other one is a finding, as is a crash.
_ALLOWED = (ValueError, TypeError, IndexError, OverflowError, MemoryError)

_CALLS = 60
_METHODS = 20
#: Methods that are called more often than the others: a batch of changes ends before the next.
_OFTEN = ("apply", "accept", "solve")

_INTEGERS = (0, 1, -1, 2, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63), 2**63)
_SIZES = (0, 1, -1, 2**47 + 1, 2**63 - 1, -(2**63), 2**64)
_FLOATS = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 1e308, np.inf, -np.inf, np.nan)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Call random functions, each with up to three damaged arguments, and what they return."""
    draw = Draw(rng)
    for _ in range(_CALLS):
        name = NAMES[rng.integers(len(NAMES))]
        answer = _called(draw, name, getattr(_core, name), counts)
        if callable(answer) and signatures(answer):
            for _ in range(3):
                _called(draw, name, answer, counts)
        elif type(answer).__module__ == _core.__name__:
            _call_methods(draw, answer, counts)


def _called(draw: Draw, name: str, function: Any, counts: Counts, *further: type[Exception]) -> Any:
    """Return the answer of a call; None if it raises an allowed exception."""
    given = draw.arguments(name, function)
    keys = [key for key in given if key != "seconds"]  # a wait may be without end
    for key in draw.rng.permutation(keys)[: draw.rng.integers(0, 4)]:
        given[key] = _damaged(draw.rng, given[key], list(given.values()))
    counts["calls"] += 1
    allowed: tuple[type[Exception], ...] = (*_ALLOWED, *further)
    try:
        return function(**given)
    except allowed:
        return None
    finally:
        if not all(map(unharmed, given.values())):
            shapes = {key: np.shape(value) for key, value in given.items()}
            raise Finding(f"{name} wrote outside an array of {shapes}")


def _call_methods(draw: Draw, made: Any, counts: Counts) -> None:
    """Call the methods of an object in any order; paths must then have a whole graph."""
    names = [each for each in dir(made) if each[0] != "_" and signatures(getattr(made, each))]
    names += [each for each in names if each in _OFTEN] * 4
    for _ in range(_METHODS if "apply" in names else len(names)):
        name = names[draw.rng.integers(len(names))]
        # A RuntimeError is for a batch of changes that is open, or a row that is stale.
        _called(draw, name, getattr(made, name), counts, RuntimeError)
    if "apply" in names:
        indptr, indices, weights = made.graph()
        if not indptr[-1] == len(indices) == len(weights) == made.edges:
            raise Finding(f"a graph of {made.edges} edges has {indptr[-1]} in its rows")


def _damaged(rng: np.random.Generator, value: Any, others: list[Any]) -> Any:
    """Return a value that is similar to a valid one."""
    if isinstance(value, np.ndarray):
        return _ARRAYS[rng.integers(len(_ARRAYS))](rng, value, others)
    if isinstance(value, bytes):
        return _damaged_bytes(rng, value)
    for kind, values in _SCALARS:
        if isinstance(value, kind):
            return values[rng.integers(len(values))]
    return value


def _damaged_bytes(rng: np.random.Generator, value: bytes) -> bytes:
    raw = bytearray(value)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(raw) + 1))
        raw[at : at + int(rng.integers(3))] = rng.bytes(int(rng.integers(3)))
    for old, new in ((b"1", b"9" * 19), (b" ", b"\t,;:"), (b"\n", b"\r\n\n")):
        if rng.random() < 0.1:
            raw = raw.replace(old, new)
    return bytes(raw)


def _of_another_type(rng: np.random.Generator, array: Array, _: list[Any]) -> Any:
    types = "int32", "int64", "float32", "float64", "uint8", ">i8", "bool", "object"
    with np.errstate(invalid="ignore", over="ignore"):
        try:
            return array.astype(types[rng.integers(len(types))])
        except (ValueError, OverflowError):  # strings, and values that no integer type holds
            return array


def _given_twice(rng: np.random.Generator, array: Array, others: list[Any]) -> Any:
    arrays = [each for each in others if isinstance(each, np.ndarray)]
    same = [array, *(each for each in arrays if each.dtype == array.dtype)]
    return same[rng.integers(len(same))]


def _of_other_bytes(rng: np.random.Generator, array: Array, _: list[Any]) -> Any:
    """Return an array of any bits, or one at an odd address."""
    if array.dtype in (object, bool):
        return array
    if rng.integers(2):
        return np.frombuffer(rng.bytes(array.nbytes), array.dtype).reshape(array.shape).copy()
    odd = np.zeros(array.nbytes + 1, np.int8)[1:].view(array.dtype).reshape(array.shape)
    odd[...] = array
    return odd


def _with_another_number(rng: np.random.Generator, array: Array, _: list[Any]) -> Any:
    if array.dtype in (object, bool) or not array.size:
        return array
    changed = array.copy()
    if array.dtype.kind == "f":
        number: Any = np.float64(_FLOATS[rng.integers(len(_FLOATS))])
    else:
        number = np.uint64(_INTEGERS[rng.integers(len(_INTEGERS))] % 2**64)
    with np.errstate(over="ignore"):
        changed.reshape(-1)[rng.integers(changed.size, size=2)] = number.astype(array.dtype)
    return changed


#: Damage to an array: to its length, layout, type and content.
_ARRAYS: tuple[Callable[[np.random.Generator, Array, list[Any]], Any], ...] = (
    lambda rng, a, _: (a[:-1], np.concatenate([a, a[:1]]), a[:0])[rng.integers(3)],
    lambda rng, a, _: (a[::-1], a[::2], a[:, None], a.T, a.tolist(), None)[rng.integers(6)],
    _of_another_type,
    _given_twice,
    _of_other_bytes,
    _of_other_bytes,
    _with_another_number,
    _with_another_number,
)
#: Replacements by type; the first type that matches is used.
_SCALARS: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (bool, (False, True, 2, None)),
    (Threads, (0, -1, 1, 2, None, 1.5)),
    (Size, _SIZES),
    (int, _INTEGERS),
    (float, _FLOATS),
    (type(None), _FLOATS),
    (str, ("", "heap", "radix", "v", "vn", "\0", "\u00e9")),
)


PROGRAM = Program(
    summary="Every function of the compiled core, called with damaged arguments.",
    trial=trial,
    hang=120.0,
)
