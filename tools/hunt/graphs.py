"""Random graphs of many shapes and sizes, with weights that break shortest paths."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from support.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array

    Ends = tuple[int, Array, Array]

#: None stands for a graph without weights.
TYPES = ("int32", "int64", "float32", "float64", None)
_MAX64 = 2**63 - 1
_SUBNORMAL = {"float32": 2.0**-149, "float64": 5e-324}
_LARGE = {"float32": 1e38, "float64": 1e300}
_MOST_SHOWN = 60
_MOST_SIGNED = 300  # vertices: Bellman-Ford takes plain Python too long in larger graphs


@dataclass
class Drawn:
    """A graph and the edges that it was built from.

    Attributes
    ----------
    graph : the graph that warpath solves.
    edges : (u, v, weight) as Python's numbers or NumPy's float32; both directions of an
        undirected edge, no edge of infinite weight.
    exact : whether the sums of weights are exact in every order, so that algorithms that add in
        another order give the same bits.
    kinds : description of the graph's shape and weights.
    zero : the length of the empty path, in the type of distances.
    """

    graph: wp.Graph
    edges: list[tuple[int, int, Any]]
    exact: bool
    kinds: str
    zero: Any = 0
    _oracles: dict[bool, Oracle] = field(default_factory=dict)

    @property
    def integer(self) -> bool:
        """Whether distances are integers."""
        return self.graph.dist_dtype.kind == "i"

    def oracle(self, *, reverse: bool = False) -> Oracle:
        """Return the oracle of the graph, or of the graph with every edge reversed."""
        if reverse not in self._oracles:
            edges = [(v, u, weight) for u, v, weight in self.edges] if reverse else self.edges
            closed = self.graph.first_through
            self._oracles[reverse] = Oracle(self.graph.n, edges, self.zero, closed)
        return self._oracles[reverse]

    def name(self, vertex: int) -> Any:
        """Return the label of a vertex; its number if the graph has no labels."""
        return vertex if self.graph.labels is None else self.graph.labels[vertex].item()

    def __str__(self) -> str:
        graph = self.graph
        head = f"{self.kinds}: n = {graph.n}, first_through = {graph.first_through}"
        if len(self.edges) > _MOST_SHOWN:
            return f"{head}, {len(self.edges)} edges"
        edges = [(u, v, w if isinstance(w, int) else float(w)) for u, v, w in self.edges]
        return f"{head}, weights {graph.weight_dtype}, edges {edges}"


def draw(rng: np.random.Generator, *, largest: int = 5000, negative: float = 0.25) -> Drawn:
    """Draw a graph.

    Parameters
    ----------
    largest : maximum number of vertices.
    negative : share of graphs that may have negative weights.
    """
    n = min(_size(rng), largest)
    shape = str(rng.choice(list(_SHAPES)))
    if n > 60 and shape in {"complete", "bipartite"}:
        shape = "random"
    n, src, dst = _SHAPES[shape](rng, n)
    src, dst = _with_odd_edges(rng, n, src, dst)
    if n and rng.random() < 0.7:
        order = rng.permutation(n)
        src, dst = order[src], order[dst]
    dtype = TYPES[rng.choice(5, p=[0.22, 0.28, 0.18, 0.24, 0.08])]
    directed = bool(rng.random() < 0.85)
    signed = n <= _MOST_SIGNED and rng.random() < negative
    weights, exact, kind = _weights(rng, src, dst, dtype, n, signed=signed)
    graph, given = _graph(rng, n, src, dst, weights, directed=directed)
    edges = _edges(src, dst, given, directed=directed)
    zero = {"f4": np.float32(0), "f8": 0.0}.get(graph.dist_dtype.str[1:], 0)
    way = "directed" if directed else "undirected"
    kinds = f"{way} {shape}, {kind} {dtype or 'no'} weights"
    return Drawn(graph, edges, exact, kinds, zero)


def draw_large(rng: np.random.Generator, *, edges: int) -> tuple[wp.Graph, str]:
    """Draw a graph of about `edges` edges without negative weights, and describe it.

    It is too large for an oracle in plain Python. Its weights are of the same kinds as in `draw`.
    """
    shape = str(rng.choice(["random", "power law", "grid", "layers", "star out", "acyclic"]))
    n = max(2, int(edges / {"grid": 3.7, "star out": 1, "acyclic": 3}.get(shape, 4)))
    n, src, dst = _SHAPES[shape](rng, n)
    if rng.random() < 0.5:
        order = rng.permutation(n)
        src, dst = order[src], order[dst]
    dtype = TYPES[rng.choice(5, p=[0.24, 0.24, 0.22, 0.22, 0.08])]
    weights, _, kind = _weights(rng, src, dst, dtype, n, signed=False)
    directed = bool(rng.random() < 0.8)
    graph = wp.Graph.from_edges(src, dst, weights, n=n, directed=directed)
    way = "directed" if directed else "undirected"
    return graph, f"{way} {shape}, {kind} {dtype or 'no'} weights, n = {n}, {graph.m} edges"


def _size(rng: np.random.Generator) -> int:
    roll = rng.random()
    if roll < 0.6:
        return int(rng.integers(0, 17)) if roll > 0.03 else int(rng.integers(0, 2))
    if roll < 0.96:
        return int(rng.integers(10, 61))
    if roll < 0.994:
        return int(rng.integers(60, 301))
    return int(rng.integers(500, 5001))


def _any(rng: np.random.Generator, n: int, m: int) -> Ends:
    return n, rng.integers(0, max(n, 1), m), rng.integers(0, max(n, 1), m)


def _power_law(rng: np.random.Generator, n: int) -> Ends:
    src, dst = ((n * rng.random(4 * n) ** power).astype(np.int64) for power in (2, 4))
    return n, src, dst


def _grid(rng: np.random.Generator, n: int) -> Ends:
    wide = max(1, int(math.sqrt(n) * rng.uniform(0.3, 1.5)))
    n = n // wide * wide
    at = np.arange(n)
    right, down = at[at % wide < wide - 1], at[: max(n - wide, 0)]
    src, dst = np.concatenate([right, down]), np.concatenate([right + 1, down + wide])
    kept = rng.random(len(src)) < 0.9
    return n, np.concatenate([src, dst[kept]]), np.concatenate([dst, src[kept]])


def _complete(_rng: np.random.Generator, n: int) -> Ends:
    n = min(n, 24)
    src, dst = np.divmod(np.arange(n * n), max(n, 1))
    return n, src[src != dst], dst[src != dst]


def _bipartite(rng: np.random.Generator, n: int) -> Ends:
    half, m = n // 2, int(rng.integers(0, 4 * n + 1)) if n > 1 else 0
    ends = rng.integers(0, max(half, 1), m), rng.integers(half, max(n, half + 1), m)
    turned = rng.random(m) < 0.4
    return n, np.where(turned, *ends[::-1]), np.where(turned, *ends)


def _disconnected(rng: np.random.Generator, n: int) -> Ends:
    parts = max(1, min(n, 4))
    size = max(1, n // parts)
    begin = rng.integers(0, parts, 2 * n) * size
    src, dst = begin + rng.integers(0, size, (2, 2 * n))
    return n, src, dst


def _equal_paths(_rng: np.random.Generator, n: int) -> Ends:
    """Return two parallel paths, over the even and the odd vertices, linked at every step."""
    at, across = np.arange(max(n - 2, 0)), np.arange(max(n - 1, 0))
    return n, np.concatenate([at, across]), np.concatenate([at + 2, across + 1])


def _acyclic(rng: np.random.Generator, n: int) -> Ends:
    _, *ends = _any(rng, n, 3 * n)
    low, high = np.minimum(*ends), np.maximum(*ends)
    return n, low[low < high], high[low < high]


def _layers(rng: np.random.Generator, n: int) -> Ends:
    """Return edges between vertices of close numbers: the diameter is large, as on roads."""
    src = rng.integers(0, max(n, 1), 4 * n)
    return n, src, np.clip(src + rng.integers(-6, 7, 4 * n), 0, max(n - 1, 0))


_SHAPES: dict[str, Callable[[np.random.Generator, int], Ends]] = {
    "random": lambda rng, n: _any(rng, n, int(n * rng.uniform(0, 5))),
    "power law": _power_law,
    "grid": _grid,
    "star out": lambda _, n: (n, np.zeros(max(n - 1, 0), np.int64), np.arange(1, max(n, 1))),
    "star in": lambda _, n: (n, np.arange(1, max(n, 1)), np.zeros(max(n - 1, 0), np.int64)),
    "path": lambda _, n: (n, np.arange(max(n - 1, 0)), np.arange(1, max(n, 1))),
    "ring": lambda _, n: (n, np.arange(n), (np.arange(n) + 1) % max(n, 1)),
    "complete": _complete,
    "bipartite": _bipartite,
    "disconnected": _disconnected,
    "equal paths": _equal_paths,
    "acyclic": _acyclic,
    "layers": _layers,
}  # fmt: skip


def _with_odd_edges(
    rng: np.random.Generator, n: int, src: Array, dst: Array
) -> tuple[Array, Array]:
    """Add self-loops, parallel edges and edges back to some graphs."""
    if not n or rng.random() < 0.5:
        return src, dst
    loops = rng.integers(0, n, int(rng.integers(0, 3)))
    again = rng.integers(0, len(src), int(rng.integers(0, 6))) if len(src) else loops[:0]
    back = rng.integers(0, len(src), int(rng.integers(0, 4))) if len(src) else loops[:0]
    return (
        np.concatenate([src, loops, src[again], dst[back]]),
        np.concatenate([dst, loops, dst[again], src[back]]),
    )


def _weights(
    rng: np.random.Generator, src: Array, dst: Array, dtype: str | None, n: int, *, signed: bool
) -> tuple[Array | None, bool, str]:
    """Return the weights, whether their sums are exact, and a description."""
    if dtype is None:
        return None, True, ""
    integer = dtype.startswith("i")
    m = len(src)
    if signed:
        return *_signed(rng, src, dst, dtype, n), "signed"
    kind = str(rng.choice(["few", *(_INTEGERS if integer else ["unit", *_FLOATS])]))
    if integer:
        return _integers(rng, m, kind, dtype), True, kind
    values, exact = _floats(rng, m, kind, dtype)
    if m and rng.random() < 0.1:
        values[rng.random(m) < 0.2] = np.inf
        kind += " and infinite"
    if m and rng.random() < 0.1:
        values[rng.random(m) < 0.2] = -0.0
    return values.astype(dtype), exact, kind


#: How integers are drawn: from the numbers of edges, a large number and the largest of the type.
_INTEGERS: dict[str, Callable[[np.random.Generator, int, int, int], Array]] = {
    "few": lambda rng, m, _, __: rng.integers(0, 4, m),
    "medium": lambda rng, m, _, __: rng.integers(0, 1000, m),
    "equal": lambda rng, m, base, most: np.full(
        m, min(base if rng.random() < 0.4 else int(rng.integers(0, 9)), most)
    ),
    "zero": lambda _, m, __, ___: np.zeros(m),
    "near": lambda rng, m, base, most: (
        min(base + int(rng.integers(-2, 3)), most) - rng.integers(0, int(rng.choice([2, 3, 5])), m)
    ),
    # These differ as integers, but not as floats.
    "nearly equal": lambda rng, m, _, most: min(2**53 + 1, most) - rng.integers(0, 2, m),
    "powers": lambda rng, m, _, most: np.int64(1) << rng.integers(0, most.bit_length(), m),
    "rare": lambda rng, m, base, most: np.where(
        rng.random(m) < 0.15, min(base, most), rng.integers(0, 4, m)
    ),
}


def _integers(rng: np.random.Generator, m: int, kind: str, dtype: str) -> Array:
    base = int(rng.choice([2**31, 2**53, 2**62, _MAX64, 2**24, 2**31 - 1, 2**16, 2**30]))
    return _INTEGERS[kind](rng, m, base, int(np.iinfo(dtype).max)).astype(dtype)


def _floats(rng: np.random.Generator, m: int, kind: str, dtype: str) -> tuple[Array, bool]:
    draw_kind, exact = _FLOATS[kind]
    scale = 2.0 ** int(rng.integers(-20, 21)) if exact or kind == "equal" else 1
    scale = {"subnormal": _SUBNORMAL[dtype], "large": _LARGE[dtype] / 2}.get(kind, scale)
    values = draw_kind(rng, m) * scale
    if kind == "rare":
        values[rng.random(m) < 0.15] = _LARGE[dtype]
    return values, exact


#: How floats are drawn, before they are scaled, and whether their sums are exact.
_FLOATS: dict[str, tuple[Callable[[np.random.Generator, int], Array], bool]] = {
    "few": (lambda rng, m: rng.integers(0, 4, m), True),
    "medium": (lambda rng, m: rng.integers(0, 200, m), True),
    "equal": (lambda rng, m: np.full(m, rng.choice([0.0, 0.1, 1.0, 3.0, 1e30])), False),
    "zero": (lambda _rng, m: np.zeros(m), True),
    "powers": (lambda rng, m: 2.0 ** rng.integers(-60, 60, m), False),
    "unit": (lambda rng, m: rng.random(m), False),
    "decades": (lambda rng, m: 10.0 ** rng.uniform(-8, 8, m), False),
    "subnormal": (lambda rng, m: rng.integers(0, 9, m), True),
    "large": (lambda rng, m: rng.integers(0, 4, m), False),
    "tenths": (lambda rng, m: rng.integers(0, 5, m) / 10, False),
    "rare": (lambda rng, m: rng.random(m), False),
}


def _signed(
    rng: np.random.Generator, src: Array, dst: Array, dtype: str, n: int
) -> tuple[Array, bool]:
    """Return weights of both signs: derived from potentials, without negative cycles, or any."""
    roll = rng.random()
    scale = 1 if dtype.startswith("f") or roll < 0.5 else int(rng.choice([1, 2**10, 2**20]))
    if roll < 0.7:
        potential = rng.integers(-8, 9, max(n, 1)) * scale
        weights = rng.integers(0, 4, len(src)) * scale + potential[dst] - potential[src]
    else:
        weights = rng.integers(-1 if roll < 0.9 else -4, 12, len(src)) * scale
    if dtype == "int64" and roll > 0.95:
        weights = weights * (2**40 if rng.random() < 0.5 else 2**57)
    if dtype.startswith("f"):
        return (weights * 2.0 ** int(rng.integers(-20, 21))).astype(dtype), True
    return weights.astype(dtype), True


def _graph(
    rng: np.random.Generator, n: int, src: Array, dst: Array, weights: Array | None,
    *, directed: bool,
) -> tuple[wp.Graph, Array | None]:  # fmt: skip
    """Return the graph, sometimes with labels or closed vertices, and its weights."""
    attributes: dict[str, Any] = {}
    if n and rng.random() < 0.12:
        attributes["first_through"] = int(rng.integers(0, n + 1))
    if n and rng.random() < 0.12:
        names = 3 * rng.permutation(n) + 100
        attributes["labels"] = names.astype(str) if rng.random() < 0.5 else names
    graph = wp.Graph.from_edges(src, dst, weights, n=n, directed=directed, **attributes)
    if rng.random() < 0.06:  # 64-bit indices
        rows = graph.indptr, graph.indices.astype(np.int64), graph.weights
        graph = wp.Graph(*rows, directed=directed, **attributes)
    return graph, weights


def _edges(
    src: Array, dst: Array, weights: Array | None, *, directed: bool
) -> list[tuple[int, int, Any]]:
    values: Any = [1] * len(src) if weights is None else weights
    if weights is not None and weights.dtype != np.float32:
        values = weights.tolist()
    rows = zip(src.tolist(), dst.tolist(), values, strict=True)
    edges = [(u, v, w) for u, v, w in rows if w != math.inf]
    if not directed:
        edges += [(v, u, w) for u, v, w in edges if u != v]
    return edges
