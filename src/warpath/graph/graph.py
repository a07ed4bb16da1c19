"""The graph: immutable compressed rows, with the names that its vertices came with."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.cached import cached_property
from warpath.base.errors import GraphError
from warpath.graph import checks
from warpath.graph.adapters import SOURCES
from warpath.graph.coordinates import lengths
from warpath.graph.csr import NO_WEIGHTS, kept_rows, rows_of_csr, rows_of_edges
from warpath.graph.edge_geometry import Shapes
from warpath.graph.export import to_html, to_networkx, to_scipy
from warpath.graph.facts import Facts, facts_of
from warpath.graph.labels import indices_of_labels, indices_of_numbers, labels_at

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from warpath.base.dtypes import Array


class Graph:
    """A directed graph in compressed rows; made by `Graph.of`, `wp.read` or a `from_...` function.

    Parallel edges, self-loops and zero weights are kept. An undirected graph stores both arcs of an
    edge. A graph owns its arrays: they are copied when it is made, and nothing can write them.
    Everything derived (the transpose, the facts) is made once.

    Attributes
    ----------
    indptr : (n + 1,) int64
    indices : (m,) int32, or int64 when n >= 2**31
    weights : (m,) int32, int64, float32 or float64; None means that every weight is 1
    labels : (n,) the vertices' own names, or None where they are 0 .. n - 1
    id_base : 0 or 1, how a numbered file counts its vertices; Python counts from 0 all the same
    directed : False when the graph was given as undirected
    coordinates : (n, 2) float64, x and y (longitude and latitude), or None
    first_through : vertices below this index may start or end a path but are never passed through
    shapes : a `Shapes`, points that edges pass between their ends, or None; .npz files keep them
    name : str or None
    device : where calls run that do not say: "auto", or what `to` was given
    """

    def __init__(
        self, indptr: Array, indices: Array, weights: Array | None = None, *, directed: bool = True,
        labels: ArrayLike | None = None, id_base: int = 0, coordinates: ArrayLike | None = None,
        first_through: int = 0, name: str | None = None, shapes: Shapes | None = None,
    ) -> None:  # fmt: skip
        if not _core.rows_are_kept(indptr, indices, weights):
            indptr, indices, weights = kept_rows(indptr, indices, weights)
        self.indptr, self.indices, self.weights = indptr, indices, weights
        self.directed = checks.checked_bool(directed, "directed", GraphError)
        self.id_base = checks.checked_integer(id_base, "id_base", 0, 1)
        self.name = checks.checked_kind(name, str, "name")
        n = self.n
        self.labels = None if labels is None else checks.frozen(checks.checked_labels(labels, n))
        places = None if coordinates is None else checks.checked_coordinates(coordinates, n)
        self.coordinates = None if places is None else checks.frozen(places)
        self.first_through = checks.checked_integer(first_through, "first_through", 0, n)
        self.device = "auto"
        known = checks.checked_kind(shapes, Shapes, "shapes")
        self.shapes = known and known.checked(self.m)
        self.derived: dict[str, Any] = {}  # what other modules made of this graph, kept with it

    @classmethod
    def of(cls, data: Any, **options: Any) -> Graph:
        """Make a graph of whatever holds one.

        Parameters
        ----------
        data : a Graph (returned as it is), a path, ``(src, dst[, weights])`` arrays, a list of
            ``(u, v)`` or ``(u, v, weight)``, a SciPy sparse matrix or array, a square NumPy matrix,
            a graph of NetworkX, igraph, rustworkx, graph-tool or PyTorch Geometric, tensors of
            PyTorch or JAX, anything with DLPack, or a pandas, polars, cuDF or Arrow edge table.
        **options : those of the converter; ``n``, ``directed``, ``weight``, ``columns``.

        Raises
        ------
        GraphError, WeightError, GraphFormatError
            When `data` is no graph; the message says where.

        Examples
        --------
        >>> Graph.of([(0, 1, 2.0), (1, 2, 0.5)]).m
        2
        """
        if isinstance(data, cls):
            if options:
                msg = f"Graph.of(graph) takes no options, but {', '.join(options)} came along."
                raise GraphError(msg)
            return data
        for source in SOURCES:
            if source.accepts(data):
                module, _, function = source.converter.partition(":")
                converted: Graph = getattr(importlib.import_module(module), function)(
                    data, **options
                )
                return converted
        msg = (
            f"a {type(data).__module__}.{type(data).__qualname__} is no graph that warpath knows: "
            "give (src, dst, weights) arrays or tensors, a sparse or square matrix, a graph of "
            "NetworkX, igraph, rustworkx, graph-tool or PyTorch Geometric, a pandas, polars, cuDF "
            "or Arrow table, or a path."
        )
        raise GraphError(msg)

    @classmethod
    def from_edges(
        cls,
        src: ArrayLike,
        dst: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        n: int | None = None,
        directed: bool = True,
        **attributes: Any,
    ) -> Graph:
        """Make a graph of edges between the vertices 0 .. n - 1, by a counting sort in O(n + m).

        Parameters
        ----------
        src, dst : (m,) integers in [0, n).
        weights : (m,) numbers; +inf means that there is no edge. None: every weight is 1.
        n : number of vertices; the largest vertex named plus 1 when not given.
        directed : False also stores the opposite of every edge that is not a self-loop.
        **attributes : ``labels``, ``id_base``, ``coordinates``, ``first_through``, ``name``.

        Raises
        ------
        GraphError
            Arrays of different lengths, ids that are no integers, negative or not below n.
        WeightError
            NaN, -inf or a type that cannot be a weight.
        """
        both = not checks.checked_bool(directed, "directed", GraphError)
        rows = rows_of_edges(src, dst, weights, n, both=both)
        return cls(*rows, directed=directed, **attributes)

    @classmethod
    def from_labelled_edges(
        cls,
        src: ArrayLike,
        dst: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        directed: bool = True,
        **attributes: Any,
    ) -> Graph:
        """Make a graph of edges between vertices with any ids: strings, numbers with gaps.

        Ids that are exactly 0 .. n - 1 give a graph without labels. Other integers become labels in
        ascending order, other objects in the order in which the edges name them. O(m log m).

        Parameters
        ----------
        src, dst : (m,) integers, strings or other hashable objects.
        weights, directed, **attributes : as in `from_edges`.
        """
        checks.refuse_labels(attributes)
        labels, ends = checks.numbered(checks.as_names(src, "src"), checks.as_names(dst, "dst"))
        src, dst = np.split(ends, 2)
        n = int(ends.max(initial=-1)) + 1 if labels is None else len(labels)
        made = cls.from_edges(src, dst, weights, n=n, directed=directed, **attributes)
        made.labels = None if labels is None else checks.frozen(labels)  # unique as they are made
        return made

    @classmethod
    def from_csr(
        cls,
        indptr: ArrayLike,
        indices: ArrayLike,
        weights: ArrayLike | None = None,
        **attributes: Any,
    ) -> Graph:
        """Make a graph of compressed rows that somebody else made; they are checked in O(n + m).

        Parameters
        ----------
        indptr : (n + 1,) integers from 0 to m, ascending.
        indices : (m,) integers in [0, n).
        weights : (m,) numbers, or None. Edges of weight +inf are left out.
        **attributes : ``directed`` and those of `from_edges`.
        """
        return cls(*rows_of_csr(indptr, indices, weights), **attributes)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of stored edges; an undirected edge counts twice, a self-loop once."""
        return len(self.indices)

    @cached_property
    def solver_weights(self) -> Array:
        """The weights, ones where the graph has none: (m,), never None."""
        if self.weights is not None:
            return self.weights
        rows = self.indptr, self.indices, np.ones(self.m, np.int32)
        return kept_rows(*rows, copied=False)[2]  # type: ignore[return-value]

    @property
    def weight_dtype(self) -> np.dtype[Any]:
        """The weights' type; int32 where every weight is 1."""
        return np.dtype(np.int32) if self.weights is None else self.weights.dtype

    @property
    def dist_dtype(self) -> np.dtype[Any]:
        """The type of distances: int64 for integer weights, else the weights' own."""
        integer = self.weight_dtype.kind == "i"
        return np.dtype(np.int64) if integer else self.weight_dtype

    def facts(self, *, symmetry: bool = True) -> Facts:
        """Return degrees, the weights' range, signs and symmetry. O(n + m) once, then kept.

        ``symmetry=False`` leaves ``symmetric`` unknown (None) and saves the transpose.
        """
        return self._facts if checks.checked_bool(symmetry, "symmetry") else self._facts_of_rows

    @cached_property
    def _facts_of_rows(self) -> Facts:
        return facts_of(self, symmetry=False)

    @cached_property
    def _facts(self) -> Facts:
        return facts_of(self, symmetry=True)

    def reversed(self) -> Graph:
        """Return the graph with every edge turned round. O(n + m) once, then kept."""
        turned = self._transpose
        return turned if turned.device == self.device else _placed(turned, self.device)

    @cached_property
    def _transpose(self) -> Graph:
        indptr, indices = np.empty_like(self.indptr), np.empty_like(self.indices)
        given = NO_WEIGHTS if self.weights is None else self.weights
        weights = np.empty_like(given)
        _core.transpose(self.indptr, self.indices, given, indptr, indices, weights)
        lines = self.shapes and self.shapes.transposed(self.indptr, self.indices)
        return self._like(indptr, indices, None if self.weights is None else weights, shapes=lines)

    def to(self, device: str) -> Graph:
        """Return this graph on a device: calls run there by default, and its arrays are there.

        They are copied once and kept as long as either graph is, and stay on the host as well.
        What a device cannot do, as `path` on a GPU, "auto" decides.

        Parameters
        ----------
        device : "cuda", "cuda:1" or "cpu".

        Raises
        ------
        NoDeviceError, MissingDependencyError, NotEnoughMemoryError
            If there is no such GPU, it lacks a package or memory.
        """
        place = importlib.import_module("warpath.engines.dispatch").place
        self.facts(symmetry=False)  # for all that are made of this graph
        return _placed(self, place(self, device))

    def _attributes(self) -> dict[str, Any]:
        return {
            "directed": self.directed,
            "labels": self.labels,
            "id_base": self.id_base,
            "coordinates": self.coordinates,
            "first_through": self.first_through,
            "name": self.name,
            "shapes": self.shapes,
        }

    def _like(self, indptr: Array, indices: Array, weights: Array | None, **changed: Any) -> Graph:
        labels = changed.pop("labels", self.labels)  # checked before
        rows = kept_rows(indptr, indices, weights, copied=False)
        made = Graph(*rows, **(self._attributes() | changed | {"labels": None}))
        made.labels = None if labels is None else checks.frozen(labels)
        made.device = self.device
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what was derived, which is large and quickly made again; read-only once more.
        return _graph, (self.indptr, self.indices, self.weights, self._attributes(), self.device)

    def edges(self) -> tuple[Array, Array, Array]:
        """Return (src, dst, weights), each (m,), row by row."""
        src = np.repeat(np.arange(self.n, dtype=self.indices.dtype), np.diff(self.indptr))
        return src, self.indices, self.solver_weights

    def subgraph(self, vertices: ArrayLike) -> Graph:
        """Return the graph of some vertices and the edges among them.

        Parameters
        ----------
        vertices : labels where the graph has labels, else indices; duplicates are refused.
            The result numbers them in this order and keeps their names as labels.
        """
        kept = self.index_of(vertices)
        if len(np.unique(kept)) != len(kept):
            msg = "subgraph: a vertex is named twice; each can be kept once."
            raise GraphError(msg)
        place = np.full(self.n, -1, np.int64)
        place[kept] = np.arange(len(kept))
        src, dst = (place[ends] for ends in self.edges()[:2])
        inside = np.flatnonzero((src >= 0) & (dst >= 0))
        labels = kept + self.id_base if self.labels is None else self.labels[kept]
        closed = kept < self.first_through
        if closed.any() and not closed[: int(closed.sum())].all():
            msg = "subgraph: vertices that are never passed through must come first."
            raise GraphError(msg)
        # Numbers of edges in place of weights tell the order in which the rows have them.
        indptr, indices, order = rows_of_edges(
            src[inside], dst[inside], inside, len(kept), both=False
        )
        assert order is not None  # noqa: S101 - weights came in
        return self._like(
            indptr, indices, None if self.weights is None else self.weights[order],
            labels=labels, id_base=0, first_through=int(closed.sum()),
            coordinates=None if self.coordinates is None else self.coordinates[kept],
            shapes=self.shapes and self.shapes.taken(order),
        )  # fmt: skip

    def with_weights(self, weights: ArrayLike | str | None) -> Graph:
        """Return the same graph with other weights.

        Parameters
        ----------
        weights : (m,) numbers in the order of `edges`; None for 1 everywhere; ``"euclidean"`` for
            the distance of the coordinates in their own unit; ``"great_circle"`` for metres on a
            sphere, coordinates being longitude and latitude in degrees.
        """
        if isinstance(weights, str):
            src, dst, _ = self.edges()
            weights = lengths(weights, self.coordinates, src, dst)
        checked = None if weights is None else checks.as_weights(weights)
        if checked is not None and len(checked) != self.m:
            msg = f"weights has {len(checked)} entries, but the graph has m = {self.m} edges."
            raise GraphError(msg)
        changed = Graph.from_csr(self.indptr, self.indices, checked)
        shapes = self.shapes and self.shapes.without_infinite(checked)
        return self._like(changed.indptr, changed.indices, changed.weights, shapes=shapes)

    def with_coordinates(self, coordinates: ArrayLike | None) -> Graph:
        """Return the same graph with other coordinates, (n, 2) x and y, and straight edges."""
        changed = {"coordinates": coordinates, "shapes": None}
        return self._like(self.indptr, self.indices, self.weights, **changed)

    def astype(self, dtype: DTypeLike) -> Graph:
        """Return the same graph with weights of another type; a weight that would change raises."""
        changed = checks.converted(self.solver_weights, dtype)
        return self._like(self.indptr, self.indices, changed)

    def index_of(self, vertices: Any) -> NDArray[np.int64]:
        """Translate labels (or, without labels, indices) into indices 0 .. n - 1: (k,) int64.

        Raises
        ------
        VertexError
            For the first name that the graph does not have.
        """
        if self.labels is None:
            return indices_of_numbers(vertices, self.n, self.id_base)
        return indices_of_labels(vertices, self._place_of_label)

    @cached_property
    def _place_of_label(self) -> dict[Any, int]:
        labels = [] if self.labels is None else self.labels.tolist()
        return {name: at for at, name in enumerate(labels)}

    def label_of(self, indices: ArrayLike) -> Array:
        """Translate indices into labels; without labels they are returned as they are."""
        return labels_at(self.labels, indices)

    def to_scipy(self) -> Any:
        """Return a `scipy.sparse.csr_array`, (n, n); explicit zeros and parallel edges stay."""
        return to_scipy(self)

    def to_networkx(self) -> Any:
        """Return a NetworkX graph, a Multi(Di)Graph if edges are parallel. O(n + m) objects."""
        return to_networkx(self)

    def _repr_html_(self) -> str:
        return to_html(self)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = "every weight 1" if self.weights is None else f"{self.weights.dtype} weights"
        parts = [f"n = {self.n:,}", f"m = {self.m:,}", kind, weights]
        notes = {
            "labelled": self.labels is not None,
            "with coordinates": self.coordinates is not None,
            f"{self.first_through} vertices never passed through": self.first_through > 0,
            f"on {self.device}": self.device != "auto",
        }
        parts += [note for note, holds in notes.items() if holds]
        return f"<Graph {f'{self.name}: ' if self.name else ''}{', '.join(parts)}>"


def _placed(graph: Graph, device: str) -> Graph:
    placed = object.__new__(Graph)
    vars(placed).update(vars(graph), device=device)  # with what was derived
    return placed


def _graph(*parts: Any) -> Graph:
    *arrays, attributes, device = parts
    return _placed(Graph(*arrays, **attributes), device)
