"""Call every function of the core with damaged arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hunt.program import Finding, Program
from hunt.programs._core_arguments import Draw, Size, Threads, unharmed
from hunt.programs._core_calls import calls
from hunt.programs._dynamic_calls import methods
from warpath import _core

if TYPE_CHECKING:
    from hunt.program import Counts
    from warpath.base.dtypes import Array

#: Exceptions that a call may raise; any other one is a finding, as is a crash.
_ALLOWED = (ValueError, TypeError, IndexError, OverflowError, MemoryError)

_CALLS = 60
_METHODS = 20

_INTEGERS = (0, 1, -1, 2, 7, 255, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63), 2**63)
_SIZES = (0, 1, -1, 2**47 + 1, 2**63 - 1, -(2**63), 2**64)
_FLOATS = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 1e308, np.inf, -np.inf, np.nan)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Call random functions, each with up to three damaged arguments."""
    draw = Draw(rng)
    made = calls(draw)
    names = sorted(made)
    for _ in range(_CALLS):
        name = names[rng.integers(len(names))]
        given, named = made[name]()
        args, kwargs = list(given), dict(named)
        _damage(rng, args, kwargs)
        answer = _called(getattr(_core, name), args, kwargs)
        counts["calls"] += 1
        for each in (*args, *kwargs.values()):
            if not unharmed(each):
                msg = f"{name} wrote outside an array of {getattr(each, 'shape', None)}"
                raise Finding(msg)
        if name == "CompletionFlag" and answer is not None:
            _called(answer.wait, [0.0], {})
        elif name == "dynamic_paths" and answer is not None:
            _change(rng, draw, answer, counts)
        elif callable(answer):
            for _ in range(3):
                _called(answer, _more(rng, name, draw), {})
                counts["calls"] += 1


def _damage(rng: np.random.Generator, args: list[Any], kwargs: dict[str, Any]) -> None:
    """Replace up to three arguments."""
    places: list[Any] = [*range(len(args)), *kwargs]
    damaged = rng.choice(len(places), min(len(places), int(rng.integers(0, 4))), replace=False)
    for at in damaged.tolist():
        where = places[at]
        holder: Any = args if isinstance(where, int) else kwargs
        holder[where] = _damaged(rng, holder[where], args)


def _called(
    function: Any,
    args: list[Any],
    kwargs: dict[str, Any],
    allowed: tuple[type[Exception], ...] = _ALLOWED,
) -> Any:
    """Return the answer; None if the call raises an allowed exception."""
    try:
        return function(*args, **kwargs)
    except allowed:
        return None


def _change(rng: np.random.Generator, draw: Draw, paths: Any, counts: Counts) -> None:
    """Call methods of paths whose graph changes, in any order, and read all that they hold."""
    made = methods(draw)
    names = [*sorted(made), *["apply", "accept"] * 4]  # a batch ends before the next one
    for _ in range(_METHODS):
        name = names[rng.integers(len(names))]
        given, named = made[name]()
        args, kwargs = list(given), dict(named)
        if args and rng.random() < 0.5:
            _damage(rng, args, kwargs)
        # A RuntimeError is for a batch that is open, or a row that is stale.
        _called(getattr(paths, name), args, kwargs, (*_ALLOWED, RuntimeError))
        counts["calls"] += 1
    indptr, indices, weights = paths.graph()
    if not indptr[-1] == len(indices) == len(weights) == paths.edges:
        msg = f"a graph of {paths.edges} edges has {indptr[-1]} in its rows"
        raise Finding(msg)


def _more(rng: np.random.Generator, name: str, draw: Draw) -> list[Any]:
    """Return arguments for a callable that an earlier call bound to a graph."""
    ways: dict[str, list[Any]] = {
        "trees": [draw.vertex(), draw.labels(), draw.threads()],
        "bidirectional": [draw.vertex(), draw.vertex()],
        "bidirectional_breadth_first": [draw.vertex(), draw.vertex()],
    }
    args = ways.get(name, [draw.vertex()])
    if rng.random() < 0.3:
        at = int(rng.integers(len(args)))
        args[at] = _damaged(rng, args[at], args)
    return args


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


def _resized(rng: np.random.Generator, array: Array, _: list[Any]) -> Any:
    return (array[:-1], np.concatenate([array, array[:1]]), array[:0])[rng.integers(3)]


def _laid_out_otherwise(rng: np.random.Generator, array: Array, _: list[Any]) -> Any:
    views = array[::-1], array[::2], array[:, None], array.T, array.tolist(), None
    return views[rng.integers(len(views))]


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


def _at_an_odd_address(_: np.random.Generator, array: Array, __: list[Any]) -> Any:
    if array.dtype == object:
        return array
    odd = np.zeros(array.nbytes + 1, np.int8)[1:].view(array.dtype).reshape(array.shape)
    odd[...] = array
    return odd


def _of_any_bits(rng: np.random.Generator, array: Array, _: list[Any]) -> Any:
    if array.dtype in (object, bool):
        return array
    raw = np.frombuffer(rng.bytes(array.nbytes), array.dtype)
    return raw.reshape(array.shape).copy()


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


_ARRAYS = (
    _resized,
    _laid_out_otherwise,
    _of_another_type,
    _given_twice,
    _at_an_odd_address,
    _of_any_bits,
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
