"""Random matrices in every container that SciPy's shortest paths take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from warpath.base.dtypes import Array

INF, NAN = np.inf, np.nan
#: Entries by the kind of difficulty.
PALETTES: dict[str, tuple[float, ...]] = {
    "small": (0, 0, 1, 1, 2, 3, 9),
    "quarters": (0.0, 0.25, 0.5, 1.0, 1.0, 2.75, 100.0),
    "signed": (-3, -1, 0, 1, 2, 5, 9),
    "rounded": (0.0, 0.1, 0.2, 0.3, 0.7, 1e8, 1e-8, 1.1e-8, 1e16),
    "rounded, signed": (-0.1, -0.3, 0.1, 0.2, 0.3, 0.7),
    "wide": (1, 3e9, 2.0**31 - 1, 2.0**31, 2.0**40, 2.0**52, 2.0**53, 2.0**53 + 2, 5, -3, -3e9),
    "int32": (1, 2**29, 2**30, 2**31 - 1, -(2**31), 100, -1, 0),
    "extreme": (1e300, 1.7e308, 1e-320, 5e-324, 1.0, 0.0, -0.0, 1e154),
    "extreme, signed": (1e300, -1e300, 1.7e308, -1.7e308, -1e-320, 3.0, -0.0, -1.0),
    "special": (NAN, INF, 1.0, 2.0, 0.0, 3.0),
    "special, signed": (NAN, INF, -INF, -1.0, 2.0, 0.0, 3.0),
}
_DTYPES = (
    *("float64",) * 8, "float32", "int64", "int64", "int32", "uint8", "uint64", "bool", ">f8",
    ">i4", "float16", "longdouble", "complex128",
)  # fmt: skip
_DENSE = (
    "array", "array", "array", "list", "fortran", "strided", "read-only", "matrix", "masked",
    "masked", "nomask",
)  # fmt: skip
_SPARSE = (
    "csr_array", "csr_array", "csr_array", "csr_matrix", "csc_array", "csc_array", "csc_matrix",
    "coo_array", "coo_matrix", "lil_array", "lil_matrix", "dok_array", "bsr_array", "dia_array",
)  # fmt: skip


@dataclass
class Matrix:
    """A matrix of which equal copies can be made.

    Attributes
    ----------
    kind : the container, one of `_DENSE` or `_SPARSE`, and its peculiarities.
    n : number of rows.
    make : returns a new copy.
    """

    kind: str
    n: int
    make: Callable[[], Any]

    @property
    def sparse(self) -> bool:
        """Whether it is a sparse matrix or array."""
        return self.kind.split()[0] in _SPARSE

    @property
    def masked(self) -> bool:
        """Whether it is a masked array."""
        return self.kind.split()[0] in {"masked", "nomask"}

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of its entries."""
        made = self.make()
        return np.asarray(made).dtype if isinstance(made, list) else np.dtype(made.dtype)

    @cached_property
    def square(self) -> bool:
        """Whether it has as many columns as rows."""
        return bool(np.shape(self.make()) == (self.n, self.n))

    @cached_property
    def entries(self) -> Array:
        """All stored entries that SciPy's conversions read, edges or not, as float64."""
        made = self.make()
        if self.sparse:
            stored = made.tocsr()
            return _floats(stored.data[: stored.indptr[-1]])
        return _floats(np.ma.getdata(made) if self.masked else np.asarray(made)).ravel()

    @cached_property
    def lengths(self) -> Array:
        """The (n, n) lengths that a search reads; inf where there is no edge."""
        made = self.make()
        if not self.sparse:
            values = np.ma.getdata(made) if self.masked else np.asarray(made)
            if self.masked:
                absent = np.ma.getmaskarray(made)
            else:  # SciPy's conversion
                absent = np.ma.getmaskarray(np.ma.masked_values(values, 0.0)) | ~np.isfinite(values)
            values = _floats(values)
            return np.where(absent | np.isnan(values), INF, values)
        rows = made.tocsr()
        if rows.dtype != np.float64:  # the conversion adds entries at the same place
            rows = sparse.csr_array(
                (_floats(rows.data), rows.indices.copy(), rows.indptr.copy()), rows.shape
            )
            rows.sum_duplicates()
        return _least(rows, self.n)

    @cached_property
    def least_lengths(self) -> Array:
        """The lengths for Floyd-Warshall, which takes the least of all entries at one place."""
        return _least(self.make().tocsr(), self.n) if self.sparse else self.lengths

    @cached_property
    def present(self) -> Array:
        """The (n, n) places that are edges if all edges have length 1."""
        made = self.make()
        if not self.sparse:
            if self.masked:
                return np.asarray(~np.ma.getmaskarray(made))
            edges: Array = self.lengths != INF
            return edges
        rows = made.tocsr()
        present = np.zeros((self.n, self.n), np.bool_)
        ends = np.repeat(np.arange(self.n), np.diff(rows.indptr)), rows.indices[: rows.indptr[-1]]
        present[ends] = True
        return present

    @cached_property
    def exact(self) -> bool:
        """Whether sums of its entries along paths are exact in float64 in any order."""
        finite = self.entries[np.isfinite(self.entries)]
        quarters = finite * 4 if np.abs(finite).max(initial=0) < 2.0**53 else np.array([0.1])
        return bool(
            (quarters == np.trunc(quarters)).all()
            and np.abs(quarters).max(initial=0) * 2 * (self.n + 1) < 2.0**53
        )

    @cached_property
    def negative(self) -> bool:
        """Whether an entry is negative."""
        return bool((self.entries < 0).any())

    @cached_property
    def parallel(self) -> bool:
        """Whether compressed rows or columns may have several entries at one place."""
        return "duplicates" in self.kind and self.kind[:3] in {"csr", "csc"}

    def __str__(self) -> str:
        return f"{self.kind} {self.dtype} {content(self.make())}"


def content(made: Any) -> str:
    """Return a text of all that a matrix holds, to show it or to see whether it changed."""
    if not sparse.issparse(made):
        data = np.ma.getdata(made) if np.ma.isMaskedArray(made) else made
        mask = np.ma.getmaskarray(made).tolist() if np.ma.isMaskedArray(made) else ""
        return repr(data) if isinstance(made, list) else f"{data.dtype} {data.tolist()} {mask}"
    if made.format in {"lil", "dok", "dia"}:
        made = made.tocoo()
    indices = (made.row, made.col) if made.format == "coo" else (made.indices, made.indptr)
    parts = [each.tolist() for each in (made.data, *indices)]
    return f"{made.dtype} {indices[0].dtype} {made.shape} {parts}"


def _least(rows: Any, n: int) -> Array:
    lengths = np.full((n, n), INF)
    used = rows.indptr[-1]
    ends = np.repeat(np.arange(n), np.diff(rows.indptr)), rows.indices[:used]
    values = _floats(rows.data[:used])
    np.minimum.at(lengths, ends, np.where(np.isnan(values), INF, values))
    return lengths


def _floats(values: Any) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(values.real if np.iscomplexobj(values) else values).astype(np.float64)


def random_matrix(rng: np.random.Generator, pick: Random) -> Matrix:
    """Return a matrix of up to 8 vertices, rarely of up to 130."""
    n = pick.choice([0, 1, 2, 3, 3, 4, 4, 5, 6, 8])
    if pick.random() < 0.002:
        n = pick.choice([30, 60, 130])
    palette = np.array(PALETTES[pick.choice(list(PALETTES))])
    dtype = np.dtype(pick.choice(_DTYPES))
    if dtype.kind not in "fc":  # keep the entries that fit the type
        whole = np.isfinite(palette) & (palette == np.trunc(palette)) & (np.abs(palette) < 2.0**62)
        least = 0 if dtype.kind in "ub" else -(2.0 ** (8 * dtype.itemsize - 1))
        most = 2.0 ** (8 * dtype.itemsize - (dtype.kind == "i")) - 1
        palette = palette[whole & (palette >= least) & (palette <= most)]
        if len(palette) == 0:
            palette = np.array([1])
    count = pick.randint(0, 3 * n)
    if pick.random() < 0.2:
        count = n * n
    shape = (n, n)
    if pick.random() < 0.01:
        shape = (n, n + 1)
    if count and shape[1]:
        ends = (rng.integers(0, max(shape[0], 1), count), rng.integers(0, shape[1], count))
    else:
        ends, count = (none := np.empty(0, np.int64), none), 0
    with np.errstate(over="ignore"):
        values = rng.choice(palette, count).astype(dtype)
    if dtype.kind == "c":
        values = values + dtype.type(1j) * rng.integers(0, 2, count)
    if pick.random() < 0.45:
        return _dense(pick, shape, ends, values)
    return _sparse(pick, shape, ends, values)


def _dense(
    pick: Random, shape: tuple[int, int], ends: tuple[Array, Array], values: Array
) -> Matrix:
    kind = pick.choice(_DENSE)
    if kind == "list" and values.dtype.str not in {"<f8", "<i8", "|b1"}:
        kind = "array"
    zeros = np.zeros(shape, values.dtype)
    zeros[ends] = values
    mask = np.ones(shape, np.bool_)
    mask[ends] = False
    if kind == "masked" and pick.random() < 0.3:  # masked entries may be anything
        zeros[mask] = 7

    container = _CONTAINERS.get(kind, np.ndarray.copy)
    if kind == "masked":
        return Matrix(kind, shape[0], lambda: np.ma.masked_array(zeros.copy(), mask.copy()))
    return Matrix(kind, shape[0], lambda: container(zeros))


def _strided(values: Array) -> Array:
    wide = np.ones((len(values), 2 * values.shape[1]), values.dtype)
    wide[:, ::2] = values
    return wide[:, ::2]


def _read_only(values: Array) -> Array:
    made = values.copy()
    made.flags.writeable = False
    return made


#: Makers of containers from an array, which they copy.
_CONTAINERS: dict[str, Callable[[Array], Any]] = {
    "list": np.ndarray.tolist,
    "fortran": lambda values: values.copy(order="F"),
    "strided": _strided,
    "read-only": _read_only,
    "matrix": lambda values: values.view(np.matrix).copy(),
    "nomask": lambda values: np.ma.masked_array(values.copy()),
}


def _sparse(
    pick: Random, shape: tuple[int, int], ends: tuple[Array, Array], values: Array
) -> Matrix:
    kind = pick.choice(_SPARSE)
    if kind == "dia_array" and shape[0] > 8:  # SciPy warns of many diagonals
        kind = "csr_array"
    if values.dtype.kind == "f" and values.dtype.itemsize == 2:  # SciPy makes none of float16
        values = values.astype(np.float32)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    single = pick.random() >= 0.25 or kind[:3] not in {"csr", "csc", "coo"}
    if single:  # at most one entry at a place
        _, first = np.unique(ends[0] * (shape[1] + 1) + ends[1], return_index=True)
        first = np.array(pick.sample(first.tolist(), len(first)), np.int64)
        ends, values = (ends[0][first], ends[1][first]), values[first]
    index = np.int64 if pick.random() < 0.2 else np.int32
    row, col = (part.astype(index) for part in ends)
    odd = "" if single else " duplicates"
    if kind[:3] in {"csr", "csc"}:
        odd += pick.choice(["", "", " unsorted", " read-only", " spare"])
        return Matrix(kind + odd, shape[0], _compressed(kind, odd, shape, (row, col), values))
    coo = sparse.coo_array if kind.endswith("array") else sparse.coo_matrix

    def make() -> Any:
        return coo((values.copy(), (row.copy(), col.copy())), shape=shape).asformat(kind[:3])

    return Matrix(kind + odd, shape[0], make)


def _compressed(
    kind: str, odd: str, shape: tuple[int, int], ends: tuple[Array, Array], values: Array
) -> Callable[[], Any]:
    # Unsorted rows keep the order of `ends`.
    major, minor = ends if kind.startswith("csr") else ends[::-1]
    order = np.argsort(major) if "unsorted" in odd else np.lexsort((minor, major))
    count = np.bincount(major, minlength=shape[0 if kind.startswith("csr") else 1])
    indptr = np.concatenate(([0], np.cumsum(count))).astype(major.dtype)
    indices, data = minor[order], values[order]
    if "spare" in odd:
        indices, data = (
            np.append(indices, indices.dtype.type(0)),
            np.append(data, data.dtype.type(1)),
        )

    def make() -> Any:
        made = getattr(sparse, kind)((data.copy(), indices.copy(), indptr.copy()), shape=shape)
        if "read-only" in odd:
            for array in (made.data, made.indices, made.indptr):
                array.flags.writeable = False
        return made

    return make
