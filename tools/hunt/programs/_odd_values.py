"""Unexpected values for any parameter, and paths that cannot be written."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


def _accept_anything(*_: Any, **__: Any) -> None:
    """Accept any arguments and do nothing."""


_NUMBERS = (
    -1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64, 10**400,
    -(2**31) - 1, -(2**63), -(2**64), -(10**400),
    math.nan, math.inf, -math.inf, -0.0, 0.5, 1.0, 1e300, -1e300, 5e-324, 2.0**63, 1e19,
    True, False, 1 + 0j, complex(math.nan, 1), Fraction(1, 3), Fraction(7), Decimal("1.5"),
    Decimal("NaN"), Decimal("sNaN"), Decimal("1e400"), Fraction(10**400),
    np.int8(1), np.uint8(200), np.int32(1), np.int64(1), np.uint64(2**64 - 1), np.float16(1),
    np.float32(1.5), np.float32(np.nan), np.float64(np.inf), np.longdouble("1e4000"), np.bool_(1),
    np.complex64(1), np.datetime64("2020-01-01"), np.datetime64("NaT"), np.timedelta64(3, "s"),
    np.str_("x"), np.bytes_(b"x"), np.void(b"12"),
)  # fmt: skip

TEXTS = (
    "", " ", "x", "a", "b", "0", "1", "-1", "nan", "1e400", "int32", "int64", "float32", "float64",
    "auto", "cpu", "CPU", "cuda:", "cuda:99999", "cluster", "none", "edge", "classic", ".", "..",
    "a\0b", "\0", "é", "\ud800", "x" * 5000, "classic.dijkstra", "warpath.bfs", "i4", "O", "S3",
    "M8[s]", "f4,f4", "2i4", ",", "(", "[x]", "%s", "{x}",
    b"", b"x", b"a\0b", bytearray(b"x"),
)  # fmt: skip

#: Makers of values; each use calls one, because some values can be used or changed only once.
_OTHERS: tuple[Callable[[], Any], ...] = (
    lambda: None, lambda: ..., object, lambda: type, lambda: int,
    lambda: np.float32, lambda: Exception, lambda: math, lambda: _accept_anything,
    lambda: slice(None), lambda: range(2), lambda: range(0), lambda: (i for i in range(2)),
    lambda: iter([1]), lambda: memoryview(b"ab"), lambda: dt.date(2020, 1, 1),
    list, tuple, dict, set, frozenset,
    lambda: [0], lambda: [1], lambda: [0, 1], lambda: [[0, 1]], lambda: [[0], [1, 2]],
    lambda: [[[]]], lambda: [None], lambda: [True], lambda: [0.5], lambda: [math.nan],
    lambda: ["a"], lambda: ["a", 1], lambda: [10**400], lambda: [2**63], lambda: [-1],
    lambda: [2**64, -1], lambda: [{}], lambda: [[]], lambda: [b"x"], lambda: [()], lambda: ["\0"],
    lambda: (0,), lambda: (0, 1), lambda: (0, 1, 2), lambda: (0, 1, 2, 3), lambda: ("a", "b"),
    lambda: (None, None), lambda: ((),), lambda: ([], []), lambda: (1, 10**400),
    lambda: {0}, lambda: {0, 1}, lambda: {"a": 1}, lambda: {0: 0}, lambda: {None: None},
    lambda: {"delta": 10**400}, lambda: {"delta": math.nan}, lambda: {"delta": "x"},
    lambda: {"delta": Fraction(1, 3)}, lambda: {"delta": Decimal("1.5")}, lambda: {"delta": 1e300},
    lambda: {"delta": np.float32(1)}, lambda: {"delta": True}, lambda: {"delta": None},
    lambda: {"delta": 5e-324}, lambda: {"delta": np.int64(5)}, lambda: {"delta": [1]},
    lambda: {"window": 10**400}, lambda: {1: 1}, lambda: {(): 1},
    lambda: np.array(3), lambda: np.array(0), lambda: np.array([3]), lambda: np.array([0]),
    lambda: np.array(np.nan), lambda: np.array([]), lambda: np.array([[]]), lambda: np.array(None),
    lambda: np.array([0, 1]), lambda: np.array([[0, 1], [1, 0]]), lambda: np.zeros((2, 2, 2)),
    lambda: np.zeros((0, 3)), lambda: np.array([0.5, np.nan]), lambda: np.array([np.inf]),
    lambda: np.array([0, 1], object), lambda: np.array([None]), lambda: np.array([10**400]),
    lambda: np.array(["a", "b"]), lambda: np.array(["a"], object), lambda: np.array([b"a"]),
    lambda: np.array(["2020-01-01"], "M8[D]"), lambda: np.array([1], "m8[s]"),
    lambda: np.array([True, False]), lambda: np.array([1 + 1j]), lambda: np.array([0, 1], ">i4"),
    lambda: np.array([2**64 - 1], np.uint64), lambda: np.array([1, 2], np.float16),
    lambda: np.array([1, 2], np.longdouble), lambda: np.array([(1, 2)], "i4,i4"),
    lambda: np.ma.array([0, 1], mask=[False, True]), lambda: np.ma.masked,
    lambda: np.ma.array([0, 1]),
    lambda: np.ma.array([0.5, 1], mask=True), lambda: np.arange(6)[::-2],
    lambda: np.broadcast_to(np.int64(0), 3), lambda: np.array([0, 1]).view(np.recarray),
    lambda: np.frombuffer(b"\1\0\0\0\0\0\0\0x", np.int64, 1), lambda: np.dtype("i4"),
    lambda: np.dtype([("a", "i4")]),
)  # fmt: skip

#: Paths that cannot be written or read, or that a program must reject.
PATHS: tuple[Any, ...] = (
    "a\0b.csv", "a\0b.npy", "\0", "", ".", "..", "/", "no/such/folder/t.csv", "no/such/t.npy",
    "t.xyz", "t", "x" * 300 + ".npz", "\ud800.csv", "~", "t.csv/", b"t.csv", b"\0", "/dev/full",
    "t.npy\0", "folder", "folder.csv", "folder.npy", "folder.npz", "folder.png",
)  # fmt: skip


def odd_value(rng: np.random.Generator) -> Any:
    """Return a value of a wrong type, out of range, or unusual."""
    kind = rng.integers(10)
    if kind < 3:
        return _NUMBERS[rng.integers(len(_NUMBERS))]
    if kind < 5:
        return TEXTS[rng.integers(len(TEXTS))]
    return _OTHERS[rng.integers(len(_OTHERS))]()


def odd_path(rng: np.random.Generator) -> Any:
    """Return a path that cannot be used, or a value that is not a path."""
    if rng.integers(3):
        return PATHS[rng.integers(len(PATHS))]
    return odd_value(rng)


def shown(value: Any) -> str:
    """Return a short text for any value."""
    try:
        text = f"{type(value).__name__} {value!r}"
    except ValueError:  # an int of too many digits
        text = f"a {type(value).__name__}"
    return text if len(text) < 120 else f"{text[:100]}... ({len(text)} characters)"
