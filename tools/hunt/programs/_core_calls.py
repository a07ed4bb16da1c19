"""Valid arguments for every function of the core, made from its signature and one random graph."""

from __future__ import annotations

import re
import time
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array

_PARAMETER = re.compile(r"(\w+): (ndarray\[[^]]*\]|[\w.]+)(?: \| None)?( = )?")
#: Functions of a partition, whose last vertices are ghosts without rows.
_OF_PARTITIONS = {"relax_part", "check_part", "tight_edges_without_length", "append_edges"}
#: Functions whose sources and targets are the ends of edges.
_OF_EDGES = {"edited_rows", "apply"}
#: Functions that take empty arrays for weights of 1, or for rows that they can do without.
_WITHOUT = {"build_csr", "format_edges", "relax_part", "trees", "breadth_first"}


def signatures(function: Any) -> list[str]:
    """Return the signatures of a function, a class or an object that can be called; or nothing."""
    for each in (function, type(function).__call__, function.__init__):
        if found := getattr(each, "__nb_signature__", ()):
            return [text for text, *_ in found]
    return []


#: The functions of the core, and the class that is made by a call of its name.
NAMES = sorted(name for name in dir(_core) if name[0] != "_" and signatures(getattr(_core, name)))


class Threads(int):
    """A number of threads or steps, never replaced by one that would take long."""


class Size(int):
    """A number of vertices, edges or steps, replaced only by tiny or by invalid numbers."""


class Parameter(NamedTuple):
    """A parameter of a signature: its name, and its type as the signature writes it."""

    name: str
    kind: str

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an array's entries."""
        found = re.search(r"dtype=(\w+)", self.kind)
        return np.dtype(found[1] if found else np.int64)

    @property
    def square(self) -> bool:
        """Whether an array has two axes."""
        return "(*, *)" in self.kind


def _impatient() -> Callable[..., None]:
    """Return a progress callback that ends a call after two seconds: damaged weights may loop."""
    end = time.monotonic() + 2

    def progress(*_: int) -> None:
        if time.monotonic() > end:
            raise ValueError("the call was ended by the program")

    return progress


class Draw:
    """Draws arguments that fit one small random graph, which is symmetric or not.

    Attributes
    ----------
    rng : the trial's generator.
    n, m : numbers of vertices and edges.
    src, indptr, indices, lengths : the graph's edges and CSR arrays, all int64.
    function, given : name of the function to call, and its arguments so far.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.n = n = int(rng.choice([1, 2, 5, 17, 70, 300]))
        src, dst = rng.integers(0, n, (2, int(rng.integers(0, 4 * n))))
        lengths = rng.integers(0, 9, len(src))
        self.symmetric = bool(rng.integers(2))
        if self.symmetric:
            src, dst, lengths = np.append(src, dst), np.append(dst, src), np.tile(lengths, 2)
        order = np.argsort(src, kind="stable")
        self.m = len(src)
        self.src, self.indices, self.lengths = src[order], dst[order], lengths[order]
        self.indptr = np.concatenate(([0], np.cumsum(np.bincount(src, minlength=n))))
        self.root = self.vertex()
        self.function, self.given = "", dict[str, Any]()

    def arguments(self, name: str, function: Any) -> dict[str, Any]:
        """Return arguments for an overload of a function, a method or a class of the core."""
        rng, texts = self.rng, signatures(function)
        self.function, self.given = name, {}
        if name == "weighted_sums":
            return _weighted_sums(rng)
        self.own = int(rng.integers(self.n + 1)) if name in _OF_PARTITIONS else self.n
        self.absent = name in _WITHOUT and rng.random() < 0.2
        self.edges = rng.integers(0, max(self.m, 1), int(rng.integers(6)) if self.m else 0)
        for match in _PARAMETER.finditer(texts[rng.integers(len(texts))].rpartition(" -> ")[0]):
            parameter, optional = Parameter(match[1], match[2]), match[3] is not None
            if not optional or parameter.name in {"threads", "progress"} or rng.random() < 0.3:
                self.given[parameter.name] = self._value(parameter)
        rows: list[Any] = [self.given.get(each) for each in ("indptr", "indices", "weights")]
        whole = name not in _OF_PARTITIONS | {"build_csr"} and not any(r is None for r in rows)
        if whole and len(rows[0]) == self.n + 1 and rng.random() < 0.4:
            validate: Any = _core.validate_rows  # returns arrays that the core owns
            own = validate(*rows, copied=bool(rng.integers(2)))[1]
            self.given |= zip(("indptr", "indices", "weights"), own, strict=True)
        return self.given

    def _value(self, parameter: Parameter) -> Any:
        name, kind = parameter
        if kind.startswith("warpath"):
            return self.prepared(kind.rpartition(".")[2])
        if not kind.startswith("ndarray"):
            made = (_OTHERS.get(name) or _OTHERS[kind])(self)
            plain = kind in {"int", "float"} and not isinstance(made, Threads | Size)
            return {"int": int, "float": float}[kind](made) if plain else made
        values = (_ARRAYS.get(name) or _any_array)(self, parameter)
        written = "writable=False" not in kind
        if written and name in _SIZES:
            values = np.resize(values, _SIZES[name](self))
        values = np.ascontiguousarray(values, parameter.dtype)
        return guarded(values) if written else values.copy()

    def prepared(self, kind: str) -> Any:
        """Return what is prepared of the graph: an object of a class of the core."""
        indices = self.indices.astype(np.int32)
        eliminate: Any = _core.eliminate
        tree_of: Any = _core.ancestor_tree
        if kind == "Elimination":
            return eliminate(self.indptr, indices)
        if kind == "AncestorTree":
            return tree_of(eliminate(self.indptr, indices))
        if kind.startswith("TreeLabels"):
            arcs = eliminate(self.indptr, indices)
            label: Any = _core.tree_labels
            lengths = self.lengths.astype(kind.removeprefix("TreeLabels").lower())
            return label(tree_of(arcs), arcs, arcs.customize(lengths))
        if kind.startswith("HubLabels"):
            lengths = self.lengths.astype(kind.removeprefix("HubLabels").lower())
            hubs: Any = _core.hub_labels
            return hubs(_core.contract(self.indptr, indices, lengths), 2**40)
        lengths = self.lengths.astype(kind.removeprefix("Hierarchy").lower())
        if self.function in {"tree_labels", "labelled_arcs"} and self.rng.random() < 0.8:
            return eliminate(self.indptr, indices).customize(lengths)
        return _core.contract(self.indptr, indices, lengths)

    def vertex(self) -> int:
        """Return a vertex."""
        return int(self.rng.integers(self.n))

    def vertices(self, most: int = 4) -> Array:
        """Return up to `most` vertices, often as many as the call has sources."""
        alike = "sources" in self.given and self.rng.random() < 0.5
        count = len(self.given["sources"]) if alike else self.rng.integers(most + 1)
        return self.rng.integers(0, self.own, count if self.own else 0)

    def column(self) -> Array | list[str]:
        """Return a column of a table, of numbers or texts, with a cell for each vertex."""
        numbers = self.rng.integers(-(2**62), 2**62, self.n)
        columns: list[Array | list[str]]
        columns = [numbers, numbers / 7, list(map(str, range(self.n)))]
        return columns[self.rng.integers(3)]

    def mask(self) -> Array | None:
        """Return a mask of the cells of a column, or None."""
        mask = self.rng.integers(0, 2, self.n).astype(np.uint8)
        return mask if self.rng.random() < 0.5 else None

    def ends(self, of_edges: Array) -> Array:
        """Return sources or targets; of functions of edges, those of edges that mostly exist."""
        if self.function == "visit_order":
            return np.array([self.root])
        if self.function not in _OF_EDGES:
            return self.vertices()
        drawn = self.rng.integers(0, self.n, len(self.edges))
        return drawn if self.rng.random() < 0.2 else of_edges[self.edges]

    @cached_property
    def distances(self) -> Array:
        """The distances from the vertex `root`."""
        dist = np.empty(self.n, np.int64)
        rows = self.indptr, self.indices, self.lengths
        _core.dijkstra(*rows, self.root, dist, "heap", np.empty(0, np.int64))
        return dist

    def labels(self, parameter: Parameter) -> Array:
        """Return the distances from `root`, or random numbers in their place."""
        if self.rng.random() < 0.3 or parameter.square:
            return self.rng.integers(0, 30, (self.side,) * 2 if parameter.square else self.n)
        dtype, far = parameter.dtype, self.distances == np.iinfo(np.int64).max
        most = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
        return np.where(far, most, np.where(far, 0, self.distances).astype(dtype))

    @property
    def side(self) -> int:
        """The number of rows of square matrices."""
        return min(self.n, 40)

    def back(self, part: int) -> Array:
        """Return an array of the transpose's rows, at times an empty one."""
        out = [np.empty_like(each) for each in (self.indptr, self.indices, self.lengths)]
        _core.transpose(self.indptr, self.indices, self.lengths, *out)
        return out[part][:0] if self.absent else out[part]

    def weights(self) -> Array:
        """Return the weights of the graph's or of some edges, or none."""
        if self.function == "apply":
            return self.rng.integers(-1, 9, len(self.edges))
        absent = self.absent and self.function != "trees"
        return self.lengths[: 0 if absent else self.indptr[self.own]]

    def table(self, parameter: Parameter) -> Array:
        """Return the output of a call: a table of sources and targets, a matrix or a list."""
        if "sources" not in self.given:
            listed = self.m if "src" in self.given else self.n
            return np.zeros((self.n, self.n) if parameter.square else listed)
        one_row = self.function == "pairs"
        columns = () if one_row else (len(self.given["targets"]) or self.n,)
        return np.zeros((len(self.given["sources"]), *columns))

    def names(self) -> Array:
        """Return an object for each vertex."""
        made = np.empty(self.n, object)
        made[:] = [f"v{v}" for v in range(self.n)]
        return made

    def choice(self, *values: Any) -> Any:
        """Return one of some values."""
        return values[self.rng.integers(len(values))]


def _any_array(d: Draw, parameter: Parameter) -> Array:
    """Return flags, or smaller vertices than the places that they stand at."""
    if parameter.square:
        return d.rng.integers(0, 9, (d.n if "matrix" in parameter.name else d.side,) * 2)
    if parameter.dtype.kind in "ub" or parameter.dtype == np.int8:
        return d.rng.integers(0, 2, d.n)
    return d.rng.integers(-1, np.arange(d.n))


def _of_hierarchy(part: int) -> Callable[[Draw, Parameter], Array]:
    def make(d: Draw, _: Parameter) -> Array:
        position, up, down = d.prepared("HierarchyInt32").arrays()
        found: Array = [position, *up, *(down or up)][part]
        return found

    return make


_ROWS_OF_LEVELS = [
    f"{way}_{part}" for way in ("up", "down") for part in ("first", "heads", "weights")
]

#: Makers of arrays by the name of the parameter; `_any_array` makes the others.
_ARRAYS: dict[str, Callable[[Draw, Parameter], Array]] = {
    "indptr": lambda d, _: d.indptr[: d.own + 1],
    **dict.fromkeys(("indices", "dst"), lambda d, _: d.indices[: d.indptr[d.own]]),
    **dict.fromkeys(("weights", "second"), lambda d, _: d.weights()),
    "src": lambda d, _: d.src[: d.indptr[d.own]],
    "next": lambda d, _: d.indptr[: d.own],
    "sources": lambda d, _: d.ends(d.src),
    "targets": lambda d, _: d.ends(d.indices),
    "new_weights": lambda d, _: d.rng.integers(0, 9, len(d.edges)),
    "removed": lambda d, _: np.flatnonzero(d.rng.integers(0, 2, d.m)),
    "edges": lambda d, _: np.unique(d.edges),
    "dist": lambda d, parameter: d.labels(parameter),
    "labels": lambda d, _: d.rng.integers(0, 30, len(d.given["vertices"])),
    **dict.fromkeys(("pending", "open"), lambda d, _: d.rng.integers(0, 2, d.own)),
    "frontier": lambda d, p: d.vertices() if p.dtype.kind == "i" else _any_array(d, p),
    "out": lambda d, parameter: d.table(parameter),
    "into": lambda d, _: _blocks(d, 0),
    "from_": lambda d, _: _blocks(d, 1),
    "h": lambda d, _: np.zeros(d.n),
    "cutoffs": lambda d, _: np.sort(d.rng.integers(0, 20, d.rng.integers(4))),
    "like": lambda _, __: np.empty(0),
    **dict.fromkeys(
        ("keys", "places", "hubs", "hubs_down", "distances", "distances_down"),
        lambda d, _: np.arange(d.n),
    ),
    **dict.fromkeys(("up", "down"), lambda d, _: d.rng.integers(0, 99, 16 * d.n)),
    "first": lambda d, p: np.arange(d.n + 1) if "hub" in d.function else _any_array(d, p),
    "first_down": lambda d, _: np.arange(d.n + 1),
    "listed": lambda d, _: d.rng.integers(0, d.n, d.given["ends"].max(initial=0)),
    "ends": lambda d, _: np.sort(d.rng.integers(0, 20, d.n)),
    "order": lambda d, _: d.rng.permutation(d.n),
    "homes": lambda d, _: d.rng.integers(0, d.n, d.n * int(d.rng.integers(2))),
    **dict.fromkeys(("x", "y"), lambda d, _: d.rng.permutation(1000)[: d.n]),
    "counts": lambda d, _: d.rng.integers(0, 3, 5),
    "lengths": lambda d, p: _any_array(d, p) if p.square else d.rng.random(d.indptr[d.own]) * 9,
    "radii": lambda d, _: np.sort(d.rng.random(len(d.given["cutoffs"])) * 20),
    "trips": lambda d, _: d.rng.random(len(d.given["targets"])),
    "values": lambda d, _: d.rng.integers(
        0, 9, d.given["counts"].sum() if "counts" in d.given else d.n
    ),
    "tails": lambda d, _: d.rng.integers(0, d.n, 3),
    "heads": lambda d, _: d.rng.integers(0, d.n, 3) if "tails" in d.given else d.vertices(),
    **dict.fromkeys(("vertices", "wanted", "avoided"), lambda d, _: d.vertices()),
    **dict.fromkeys(("into_indptr", "r_indptr", "second_indptr"), lambda d, _: d.back(0)),
    **dict.fromkeys(("into_indices", "r_indices", "second_indices"), lambda d, _: d.back(1)),
    **dict.fromkeys(("into_weights", "r_weights", "into_second"), lambda d, _: d.back(2)),
    **{name: _of_hierarchy(part) for part, name in enumerate(["position", *_ROWS_OF_LEVELS])},
}


def _weighted_sums(rng: np.random.Generator) -> dict[str, Any]:
    """Return arguments of `weighted_sums`: whole or sparse rows of a table."""
    rows, width, limits = (int(rng.integers(1, most)) for most in (40, 99, 4))
    dtype, of_columns, whole = ["int64", "float64"][rng.integers(2)], *rng.integers(0, 2, 2)
    counts = np.full(rows, width) if whole else rng.integers(0, width + 1, rows)
    columns = [np.sort(rng.permutation(width)[:count]) for count in counts.tolist()]
    dist = rng.integers(0, 30, counts.sum()).astype(dtype)
    starts = np.concatenate(([0], np.cumsum(counts)))
    return {
        "dist": dist,
        "starts": starts[: 0 if whole else len(starts)],
        "columns": np.concatenate([[], *columns]).astype(np.int32)[: 0 if whole else len(dist)],
        "values": rng.random(len(dist) * int(rng.integers(2))),
        "limits": rng.integers(0, 30, limits).astype(dtype),
        "width": Size(width),
        "weights": rng.random(limits * (rows if of_columns else width)),
        "sums": guarded(np.zeros(limits * (width if of_columns else rows))),
        "of_columns": bool(of_columns),
        "nearest": int(rng.integers(4)),
        "threads": Threads(rng.integers(1, 4)),
    }


def _blocks(d: Draw, part: int) -> Array:
    edges: Any = _core.compound_frontier_block_edges
    found: Array = edges(d.indptr, d.indices.astype(np.int32))[part]
    return found


#: Sizes of arrays that calls write; the others are as long as their makers make them.
_SIZES: dict[str, Callable[[Draw], int]] = {
    "out_indptr": lambda d: d.n + 1,
    "out_indices": lambda d: d.m,
    "out_weights": lambda d: int(d.indptr[d.own]),
    "sums": lambda d: len(d.given["targets" if "targets" in d.given else "counts"]),
    "block_minima": lambda d: -(-d.n // _core.COMPOUND_FRONTIER_BLOCK),
    "words": lambda _: 8,
    "through": lambda d: len(d.given["pred"]),
}
#: Values of parameters that are the same in every call.
_CONSTANTS: dict[str, Any] = {
    "count": Size(50), "first": Size(0), "steps": Threads(20), "seconds": 0.0, "most": 64, "top": 0,
    "per_level": 1000, "width": 32, "offset": 0, "skipped": 0, "base": 1, "line": 1, "pending": -1,
    "weighted": True, "both": False, "max_weight": 9, "expected": "<from> <to> <weight>",
    "object": None, "keep": Size(2**51), "drop": Size(2**51), "rewire": Size(2**51),
}  # fmt: skip
#: Makers of other values by the name of the parameter, or else by its type.
_OTHERS: dict[str, Callable[[Draw], Any]] = {
    **{k: (lambda _, v=v: v) for k, v in _CONSTANTS.items()},  # type: ignore[misc]
    "int": lambda d: d.rng.integers(9),
    "float": lambda d: d.rng.integers(1, 20),
    "bool": lambda d: bool(d.rng.integers(2)),
    "str": lambda d: d.choice("#", "a", ","),
    "collections.abc.Callable": lambda _: lambda _: 1.0,
    "progress": lambda _: _impatient(),
    "threads": lambda d: Threads(d.rng.integers(1, 4)),
    **dict.fromkeys(("source", "target"), Draw.vertex),
    **dict.fromkeys(("n", "entries"), lambda d: Size(d.n)),
    **dict.fromkeys(("scale", "half", "rows"), lambda d: Size(d.rng.integers(7))),
    **dict.fromkeys(("a", "ab", "abc"), lambda d: 2**31 + d.rng.integers(99)),
    "values": lambda d: [d.column() for _ in range(d.rng.integers(4))],
    "masks": lambda d: [d.mask() for _ in d.given["values"]],
    "columns": lambda d: Size(d.rng.integers(1, 9)),
    "links": lambda d: Size(2 * d.n) if d.function == "road" else bool(d.rng.integers(2)),
    **dict.fromkeys(("row", "low"), lambda d: d.rng.integers(2)),
    "neighbours": lambda d: d.choice(4, 8, 16),
    "high": lambda d: -1 if d.function == "read_rows" else 9,
    "capacity": lambda d: d.rng.integers(1, 40),
    "seed": lambda d: d.rng.integers(2**62),
    "bits": lambda d: d.choice(128, 256, 512),
    "large": lambda d: d.choice(1, 2**19),
    **dict.fromkeys(("bytes", "widest"), lambda d: d.choice(16, 32, 64)),
    "closed": lambda d: d.choice(0, d.n // 2),
    **dict.fromkeys(("core_vertices", "growing_vertices"), lambda d: d.choice(0, 50, 10**6)),
    "core_degree": lambda d: d.choice(1, 20, 10**6),
    **dict.fromkeys(("most_affected", "most_relaxed"), lambda d: d.choice(-1, 0, 5)),
    "most_bytes": lambda d: d.choice(0, 2**20, 2**40),
    "delta": lambda d: (
        0 if d.function == "stepping" and d.rng.integers(2) else d.rng.integers(1, 20)
    ),
    "rho": lambda d: 0 if d.given["delta"] else 3,
    "directed": lambda d: not d.symmetric or bool(d.rng.integers(2)),
    "queue": lambda d: (
        bool(d.rng.integers(2))
        if d.function == "visit_order"
        else d.choice("heap", "radix", "dial", "binary", "fibonacci", "relaxed")
    ),
    "roles": lambda d: d.choice("vvn", "ttn", "vvr", "vv.", "nic"),
    "data": lambda d: b"".join(
        b"%d %d\n" % ((v + 1) % d.n + 1, 3)
        if d.function == "read_metis"
        else b"%d %d %d\n" % (v % d.n, v % 7, v)
        for v in range(d.n if d.function == "read_metis" else d.m)
    ),
    "names": Draw.names,
    "kinds": lambda d: d.rng.integers(0, 3, len(d.edges)).astype(np.int8),
    "positions": lambda d: d.rng.integers(-1, 2, len(d.edges)),
    # Arguments that are arrays of any type.
    "indptr": lambda d: d.indptr.copy(),
    "indices": lambda d: d.indices.astype(d.choice(np.int32, np.int64)),
    "weights": lambda d: d.weights().astype(d.choice("int32", "int64", "float32", "float64")),
    "sources": lambda d: d.vertex() if d.function == "tight_rows" else d.ends(d.src),
    "targets": lambda d: d.ends(d.indices),
    "dist": lambda d: d.labels(Parameter("dist", d.choice("dtype=int64", "dtype=float64"))),
}

#: Bytes before and after an output array.
_GUARD = 4096
_SENTINEL = 0xA5


def guarded(values: Array) -> Array:
    """Return a copy inside a larger buffer, whose margins `unharmed` checks."""
    whole = np.full(values.nbytes + 2 * _GUARD, _SENTINEL, np.uint8)
    array: Array = whole[_GUARD : _GUARD + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    return array


def unharmed(array: Any) -> bool:
    """Return whether the bytes around a guarded array are unchanged."""
    whole = array
    while isinstance(whole, np.ndarray) and whole.base is not None:
        whole = whole.base
    if not isinstance(whole, np.ndarray) or whole.dtype != np.uint8 or len(whole) < 2 * _GUARD:
        return True
    return bool((whole[:_GUARD] == _SENTINEL).all() and (whole[-_GUARD:] == _SENTINEL).all())
