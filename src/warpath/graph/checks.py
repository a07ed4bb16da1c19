"""Validation and conversion of input: vertex numbers, weights, names, plain values."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, NotSupportedError, WeightError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, DTypeLike

    from warpath.base.dtypes import Array

#: Graphs with fewer vertices than this have 32-bit indices, others 64-bit.
NARROW_LIMIT = 2**31

_INT64 = np.iinfo(np.int64)
# The types of pandas' missing values, by name: pandas may not be installed.
_MISSING_TYPES = frozenset({"NAType", "NaTType"})
#: Types with a value that differs from itself.
_WITH_MISSING = (float, np.floating, np.datetime64, np.timedelta64)
_MAY_BE_MISSING = (*_WITH_MISSING, type(None), type(np.ma.masked))
_WEIGHT_TYPES = (np.int32, np.int64, np.float32, np.float64)


def index_dtype(n: int) -> np.dtype[Any]:
    """Return the index type for n vertices: int32 below 2**31, else int64."""
    return np.dtype(np.int32 if n < NARROW_LIMIT else np.int64)


def refuse_wide(n: int, what: str) -> None:
    """Raise NotSupportedError if 32-bit indices cannot number n vertices."""
    if index_dtype(n) != np.int32:
        msg = f"{what} supports up to {NARROW_LIMIT - 1:,} vertices, the graph has {n:,}."
        raise NotSupportedError(msg)


def laid_out(array: Array, dtype: DTypeLike | None = None) -> Array:
    """Return a contiguous, aligned array as the core requires; copy only if necessary."""
    return np.require(array, dtype, ["C", "A"])


def on_host(data: Any) -> Any:
    """Return an array of another library as a NumPy array, by DLPack; other objects unchanged.

    Arrays on a GPU are copied, which requires NumPy 2.1 or later.

    Raises
    ------
    NotSupportedError
        If the library does not export the array to the CPU.
    """
    arrow = hasattr(data, "to_pylist")  # NumPy reads its arrays with missing values and texts too
    if isinstance(data, np.ndarray) or arrow or not hasattr(data, "__dlpack__"):
        return data
    if hasattr(data, "as_tensor"):  # PyTorch Geometric's EdgeIndex only wraps a tensor
        data = data.as_tensor()
    try:
        try:
            return np.from_dlpack(data, device="cpu")
        except TypeError:  # an older NumPy, or a library without `device=`
            return np.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        kind = f"{type(data).__module__}.{type(data).__qualname__}"
        reason = str(error)
        way = "copy it to the host first"
        if "gradient" in reason:
            way = "detach it first, as distances have no gradients"
        elif "dtype" in reason:
            way = "convert it first, for example to float32"
        msg = f"a {kind} cannot be read on the CPU through DLPack ({reason.strip('.')}): {way}."
        raise NotSupportedError(msg) from error


def is_integer(value: Any) -> bool:
    """Return whether a value is a Python or NumPy integer, but not a bool or a timedelta."""
    kinds = int | np.integer
    return isinstance(value, kinds) and not isinstance(value, bool | np.timedelta64)


def is_number(value: Any) -> bool:
    """Return whether a value is a Python or NumPy real number, but not a bool or a timedelta."""
    return is_integer(value) or isinstance(value, float | np.floating)


def as_float(value: Any) -> float:
    """Return a real number as a float: inf if it is too large, NaN if it is not a number."""
    if not is_number(value) and not isinstance(value, Fraction):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # an integer larger than any float
        return math.inf if value > 0 else -math.inf


def shown(value: Any) -> str:
    """Return the text of a value for a message, shortened if it is long."""
    try:
        text = repr(value)
    except ValueError:  # an int with more digits than Python converts to text
        return f"an integer of {value.bit_length():,} bits"
    return text if len(text) <= 100 else f"{text[:80]}... ({len(text):,} characters)"


def plain_array(values: Any, name: str, kind: type[InputError] = GraphError) -> Array:
    """Return values as a NumPy array; raise `kind` for rows of unequal length or masked entries."""
    try:
        array = np.asarray(values)
    except ValueError:
        msg = f"{name} is not an array: its rows have different lengths."
        raise kind(msg) from None
    if np.ma.is_masked(values):
        at = int(np.argmax(np.ma.getmaskarray(values)))
        msg = f"{name}[{at}] is masked: leave masked entries out, for example by .compressed()."
        raise kind(msg)
    return array


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT, masked or the NA of pandas."""
    if value is None or value is np.ma.masked or type(value).__name__ in _MISSING_TYPES:
        return True
    return isinstance(value, _WITH_MISSING) and bool(value != value)  # noqa: PLR0124 - NaN, NaT


def written_alike(labels: Iterable[Any], name: Any) -> str:
    """Return a sentence about a label that differs from a name in type, blanks or zeros only."""

    def bare(label: Any) -> str:
        return str(label).strip().lstrip("0")

    alike = next((label for label in labels if bare(label) == bare(name)), None)
    return "" if alike is None else f" There is {alike!r}, of type {type(alike).__name__}."


def refuse_missing(values: Any, name: str, kind: type[InputError] = GraphError) -> None:
    """Raise `kind` for the first value that is missing; see `is_missing`.

    Parameters
    ----------
    values : a list, an array or a column of any library.
    name : of the argument, for the message.
    """
    listed = values if isinstance(values, list | tuple) else np.asarray(values).ravel().tolist()
    types = set(map(type, listed))  # far faster than a look at each value
    if not any(
        issubclass(kind, _MAY_BE_MISSING) or kind.__name__ in _MISSING_TYPES for kind in types
    ):
        return
    missing = [at for at, value in enumerate(listed) if is_missing(value)]
    if missing:
        msg = (
            f"{name}[{missing[0]}] is missing ({listed[missing[0]]}, {len(missing):,} in all): "
            "leave such rows out."
        )
        raise kind(msg)


def dtype_of(value: Any) -> np.dtype[Any] | None:
    """Return the NumPy dtype that a value denotes, or None if it denotes none."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            dtype: np.dtype[Any] = np.dtype(value)
    except (TypeError, ValueError, SyntaxError, AttributeError):
        return None
    return dtype


def as_ids(values: ArrayLike, name: str) -> Array:
    """Return vertex numbers as a contiguous 1-d int32 or int64 array, or raise GraphError."""
    array = plain_array(values, name)
    if array.ndim != 1:
        msg = f"{name} has shape {array.shape}: a 1-d array is needed, one entry per edge."
        raise GraphError(msg)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iu":
        refuse_missing(values, name)
        msg = (
            f"{name}[0] = {array[0]!s} is of type {array.dtype}: vertices are integers. Use "
            f"{name}.astype(int) for whole numbers, or Graph.from_labelled_edges for names."
        )
        raise GraphError(msg)
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        large = np.flatnonzero(array > np.iinfo(np.int64).max)
        if len(large):
            msg = f"{name}[{large[0]}] = {array[large[0]]} does not fit 63 bits."
            raise GraphError(msg)
    narrow = array.dtype.kind == "i" and array.dtype.itemsize <= 4
    return laid_out(array, np.int32 if narrow else np.int64)


def as_weights(values: ArrayLike) -> Array:
    """Return weights as a contiguous 1-d array of a weight type, or raise WeightError."""
    array = plain_array(values, "weights", WeightError)
    if array.ndim != 1:
        msg = f"weights has shape {array.shape}: a 1-d array is needed, one entry per edge."
        raise WeightError(msg)
    if array.size == 0 and array.dtype.kind not in "iufb":
        return np.empty(0, np.float64)
    if array.dtype.kind in "OmM":
        refuse_missing(values, "weights", WeightError)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "u" and size == 8 and array.max(initial=0) > np.iinfo(np.int64).max:
        at = int(np.argmax(array))
        msg = f"weights[{at}] = {array[at]} does not fit int64; use float64 weights."
        raise WeightError(msg)
    if kind == "b" or (kind in "iu" and (size < 4 or (size == 4 and kind == "i"))):
        return laid_out(array, np.int32)
    if kind in "iu":
        return laid_out(array, np.int64)
    if kind == "f" and size in (4, 8):
        return laid_out(array, array.dtype.newbyteorder("="))
    msg = (
        f"weights of type {array.dtype} cannot be used; int32, int64, float32 or float64 can. "
        "Convert them first, for example with .astype('float32')."
    )
    raise WeightError(msg)


def as_names(values: Any, name: str) -> Array | list[Any]:
    """Return vertex names: a 1-d array if the names are an array or all integers, else a list."""
    if np.ma.isMaskedArray(values):
        values = plain_array(values, name)
    if hasattr(values, "to_pylist"):  # of Arrow, whose entries are not Python objects
        values = values.to_pylist()
    if not isinstance(values, np.ndarray):
        try:
            listed = list(values)
        except TypeError:
            msg = f"{name} = {shown(values)} is not a list: one vertex for each edge is needed."
            raise GraphError(msg) from None
        refuse_missing(listed, name)
        integers = all(isinstance(value, int | np.integer) for value in listed)
        fits = integers and all(_INT64.min <= value <= _INT64.max for value in listed)
        return np.array(listed, np.int64) if fits else listed
    if values.ndim != 1:
        msg = f"{name} has shape {values.shape}: a 1-d array is needed, one entry per edge."
        raise GraphError(msg)
    if values.dtype.kind in "fOmM":
        refuse_missing(values, name)
    return values


def numbered(src: Array | list[Any], dst: Array | list[Any]) -> tuple[Array | None, Array]:
    """Assign indices to the vertices that edges name.

    Returns
    -------
    labels : (n,) names; None if the names are exactly 0 .. n - 1.
    ends : (2m,) int64, the indices of `src` followed by those of `dst`.
    """
    if len(src) != len(dst):
        msg = f"src has {len(src)} entries but dst has {len(dst)}: one per edge is needed."
        raise GraphError(msg)
    if len(src) == 0:
        return None, np.empty(0, np.int64)
    if _are_integers(src) and _are_integers(dst):
        ends = np.concatenate([src, dst])
        low, high = int(ends.min()), int(ends.max())
        if low >= 0 and high < 4 * len(ends) + 64:  # dense enough for a table instead of sorting
            seen = np.zeros(high + 1, np.bool_)
            seen[ends] = True
            if seen.all():
                return None, ends
            rank = np.cumsum(seen) - 1
            return np.flatnonzero(seen), rank[ends]
        return _ranked(ends)
    names = (end if isinstance(end, list) else end.tolist() for end in (src, dst))
    place_of: dict[Any, int] = {}
    edges = chain.from_iterable(zip(*names, strict=True))
    try:
        positions = np.fromiter(
            (place_of.setdefault(end, len(place_of)) for end in edges), np.int64, 2 * len(src)
        )
    except TypeError as error:  # unhashable
        msg = f"a vertex's name must be hashable, like a dictionary key: {error}."
        raise GraphError(msg) from error
    return label_array(place_of), np.concatenate([positions[::2], positions[1::2]])


def _ranked(ends: Array) -> tuple[Array, Array]:
    """Return the distinct integers in ascending order, and the rank of each entry among them.

    The result is that of `np.unique(..., return_inverse=True)`, in half of its memory.
    """
    order = np.argsort(ends)
    ascending = ends[order]
    first = np.ones(len(ends), np.bool_)
    first[1:] = ascending[1:] != ascending[:-1]
    labels: Array = ascending[first]
    del ascending
    rank = np.cumsum(first, dtype=np.int64)
    rank -= 1
    ranks = np.empty(len(ends), np.int64)
    ranks[order] = rank
    return labels, ranks


def _are_integers(ends: Array | list[Any]) -> bool:
    return isinstance(ends, np.ndarray) and ends.dtype.kind in "iu"


def label_array(names: Iterable[Any]) -> Array:
    """Return names as an array of strings, of int64, or else of objects."""
    listed = list(names)
    kinds = set(map(type, listed))
    if kinds == {str} and not any(name.endswith("\0") for name in listed):
        return np.array(listed)  # NumPy's strings lose NUL characters at their end
    if kinds == {int} and all(_INT64.min <= name <= _INT64.max for name in listed):
        return np.array(listed, np.int64)
    labels = np.empty(len(listed), object)
    for at, name in enumerate(listed):  # one by one: NumPy would turn tuples into a second axis
        labels[at] = name
    return labels


def converted(weights: Array, dtype: DTypeLike) -> Array:
    """Return weights in another type; raise WeightError for the first that does not fit."""
    target = dtype_of(dtype)
    if target is None or target not in _WEIGHT_TYPES:
        named = shown(dtype) if target is None else target
        msg = f"weights cannot be {named}: use int32, int64, float32 or float64."
        raise WeightError(msg)
    with np.errstate(invalid="ignore", over="ignore"):
        changed = weights.astype(target)
    if target.kind == "i":
        lost = np.flatnonzero(changed.astype(weights.dtype) != weights)
        if weights.dtype.kind == "f":  # 2.0**63 wraps to the same bits on the way back
            lost = np.union1d(lost, np.flatnonzero(np.abs(weights) >= 2.0**63))
    else:
        lost = np.flatnonzero(np.isinf(changed))
    if len(lost):
        at = int(lost[0])
        msg = f"weights[{at}] = {weights[at]} does not fit {target}: use a wider type, or round."
        raise WeightError(msg)
    return changed


def frozen(array: Array) -> Array:
    """Return a read-only copy that cannot be made writable: a view of a hidden read-only array.

    NumPy refuses to make such a view writable. An array that is such a view is returned unchanged.
    """
    base = array.base
    own = isinstance(base, np.ndarray) and base.flags.owndata and not base.flags.writeable
    if own and not array.flags.writeable:
        return array
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy.view()


def checked_bool(value: Any, name: str, kind: type[InputError] = InputError) -> bool:
    """Return a Python or NumPy bool as a bool, or raise `kind`."""
    if not isinstance(value, bool | np.bool_):
        msg = f"{name} = {shown(value)} must be True or False."
        raise kind(msg)
    return bool(value)


def checked_kind(value: Any, kind: type, name: str, meant: str = "") -> Any:
    """Return a value that is None or of a type; `meant` describes the type in the message."""
    if value is not None and not isinstance(value, kind):
        msg = f"{name} = {shown(value)} must be {meant or f'a {kind.__name__}'}, or None."
        raise InputError(msg)
    return value


def checked_integer(value: Any, name: str, low: int, high: int) -> int:
    """Return an integer in low .. high as an int, or raise GraphError."""
    if not is_integer(value) or not low <= value <= high:
        msg = f"{name} = {shown(value)} must be an integer in {low} .. {high}."
        raise GraphError(msg)
    return int(value)


def refuse_labels(attributes: dict[str, Any]) -> None:
    """Raise GraphError if labels are given for edges that already name their vertices."""
    if attributes.get("labels") is not None:
        msg = "labels cannot be given here: the edges already name their vertices."
        raise GraphError(msg)


def checked_labels(labels: ArrayLike, n: int) -> Array:
    """Return the labels of n vertices, (n,), or raise GraphError if two are equal."""
    if isinstance(labels, list | tuple) and all(isinstance(name, str) for name in labels):
        array = label_array(labels)
    else:
        array = plain_array(labels, "labels")
    if array.shape != (n,):
        msg = f"labels has shape {array.shape}, but the graph has n = {n} vertices."
        raise GraphError(msg)
    if array.dtype.kind in "iu" and (array[1:] > array[:-1]).all():
        return array
    names = array.tolist()
    try:
        if len(set(names)) == n:
            return array
    except TypeError as error:
        msg = f"a vertex's label must be hashable, like a dictionary key: {error}."
        raise GraphError(msg) from error
    first: dict[Any, int] = {}
    at = next(at for at, name in enumerate(names) if first.setdefault(name, at) != at)
    msg = (
        f"labels[{at}] = {shown(names[at])} is the label of vertex {first[names[at]]} as well: "
        "each label must name one vertex."
    )
    raise GraphError(msg)


def checked_coordinates(coordinates: ArrayLike, n: int) -> Array:
    """Return the coordinates of n vertices: (n, 2) float64."""
    array = plain_array(coordinates, "coordinates")
    if array.dtype.kind not in "biuf":
        msg = "coordinates must be numbers, two for each vertex: (n, 2)."
        raise GraphError(msg)
    with np.errstate(over="ignore"):  # a float wider than float64
        array = array.astype(np.float64, copy=False)
    if array.shape != (n, 2):
        msg = f"coordinates has shape {array.shape}, but (n, 2) = ({n}, 2) is needed."
        raise GraphError(msg)
    return array


def out_of_range(name: str, at: int, value: int, n: int | None) -> GraphError:
    """Return the error for a vertex number outside 0 .. n - 1."""
    rule = "vertices are 0 or more" if n is None else f"vertices lie in 0 .. n - 1 = {n - 1}"
    return GraphError(f"{name}[{at}] = {value}: {rule}. Count from 0, or give a larger n.")


def bad_weight(at: int, weights: Array) -> WeightError:
    """Return the error for a weight that is NaN or -inf."""
    return WeightError(
        f"weights[{at}] = {weights[at]}: a weight is a finite number (+inf means that there is no "
        "edge). Leave such edges out."
    )
