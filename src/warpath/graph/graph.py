"""The `Graph` class is one idea: immutable compressed sparse rows (CSR) with vertex labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath import _core
from warpath.base.cached import cached_property
from warpath.base.errors import GraphError
from warpath.base.upward import upward
from warpath.graph import checks
from warpath.graph.adapters import checked_options, made_by_adapter
from warpath.graph.components import Components, components, largest_component
from warpath.graph.coordinate_tables import aligned
from warpath.graph.csr import NO_WEIGHTS, kept_rows, rows_of_edges
from warpath.graph.edge_edits import EdgeEdits
from warpath.graph.edge_geometry import Shapes
from warpath.graph.export import summary, to_html, to_scipy
from warpath.graph.facts import Facts, facts_of
from warpath.graph.input_edges import (
    InputEdges,
    edge_table,
    input_edges,
    new_weights,
    rounded,
    unit_of,
)
from warpath.graph.raster import Raster
from warpath.graph.turns import Turns
from warpath.graph.vertex_names import VertexNames

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from warpath.base.dtypes import Array
    from warpath.graph.derived import Kept


class Graph(VertexNames, EdgeEdits):
    """A graph in compressed sparse rows; made by `Graph.of`, `wp.read` or a `from_...` function.

    Parallel edges, self-loops and zero weights are stored. An undirected graph stores both arcs of
    each edge. The constructor copies the arrays and makes them read-only. Derived data (the
    transpose, the facts) are computed once.

    Attributes
    ----------
    indptr : (n + 1,) int64
    indices : (m,) int32, or int64 when n >= 2**31
    weights : (m,) int32, int64, float32 or float64; None means that every weight is 1
    labels : (n,) names of the vertices, or None where they are 0 .. n - 1
    id_base : 0 or 1, the first vertex number in the graph's file; indices in Python start at 0
    directed : False for an undirected graph
    coordinates : (n, 2) float64, x and y (longitude and latitude), or None
    first_through : vertices below this index may start or end a path but are never passed through
    areas : whether edges between those vertices form areas, in which a path may begin or end but
        which it never passes through; see `warpath.graph.zones`
    shapes : a `Shapes`, the points of edges between their ends, or None; .npz files store them
    given : an `InputEdges`, the rows of the input that edges came from with the columns that are
        kept, or None; .npz and .wph files store them
    name : str or None
    unit : unit of the weights in pictures and cutoffs, str; None or "" for none; "m", "km" and
        "mi" are written as metres or kilometres, "s", "min" and "h" as seconds, minutes or hours
    attribution : whom pictures must name as the source of the data, str or None
    read_report : what the reader left out or chose, a dict of sentences to counts or values; empty
        where there is nothing to report
    turns : a `Turns`, forbidden turns and costs of turns, or None; .npz files store them
    raster : of a graph made by `of_raster`, a `Raster`, the shape and the transform; files do not
        store it
    device : default device of calls: "auto", or the argument of `to`
    """

    def __init__(
        self, indptr: Array, indices: Array, weights: Array | None = None, *, directed: bool = True,
        labels: ArrayLike | None = None, id_base: int = 0, coordinates: ArrayLike | None = None,
        first_through: int = 0, areas: bool = False, name: str | None = None,
        shapes: Shapes | None = None,
        given: InputEdges | None = None, unit: str | None = None, attribution: str | None = None,
        turns: Turns | None = None, read_report: Mapping[str, Any] | None = None,
        raster: Raster | None = None,
    ) -> None:  # fmt: skip
        if not _core.rows_are_validated(indptr, indices, weights):
            indptr, indices, weights = kept_rows(indptr, indices, weights)
        self.indptr, self.indices, self.weights = indptr, indices, weights
        self.directed = checks.checked_bool(directed, "directed", GraphError)
        self.id_base = checks.checked_integer(id_base, "id_base", 0, 1)
        self.name = checks.checked_kind(name, str, "name")
        self.unit = checks.checked_kind(unit, str, "unit") or None
        self.attribution = checks.checked_kind(attribution, str, "attribution")
        self.read_report = dict(checks.checked_kind(read_report, Mapping, "read_report") or {})
        n = self.n
        self.labels = None if labels is None else checks.frozen(checks.checked_labels(labels, n))
        points = None if coordinates is None else aligned(self, coordinates)
        self.coordinates = None if points is None else checks.frozen(points)
        self.first_through = checks.checked_integer(first_through, "first_through", 0, n)
        self.areas = checks.checked_bool(areas, "areas", GraphError) and self.first_through > 0
        self.device = "auto"
        lines = checks.checked_kind(shapes, Shapes, "shapes")
        self.shapes = lines and lines.checked(self.m)
        rows = checks.checked_kind(given, InputEdges, "given")
        self.given = rows and rows.checked(self.m)
        rules = checks.checked_kind(turns, Turns, "turns")
        self.turns = rules and rules.checked(self.m)
        self.raster: Raster | None = checks.checked_kind(raster, Raster, "raster")
        self.derived: Kept = {}

    @classmethod
    def of(cls, data: Any, **options: Any) -> Graph:
        """Make a graph from any supported object.

        Parameters
        ----------
        data : a Graph (returned unchanged), a path, ``(src, dst[, weights])`` arrays, a list or an
            iterator of ``(u, v)`` or ``(u, v, weight)``, a dictionary ``{u: {v: weight}}``,
            ``{u: [v]}`` or ``{(u, v): weight}``, a SciPy sparse matrix or array, a square NumPy
            matrix, a graph of NetworkX, igraph, rustworkx, graph-tool or PyTorch Geometric, tensors
            of PyTorch or JAX, anything with DLPack, or a pandas, polars, cuDF or Arrow edge table.
        **options : options of the converter, such as ``n``, ``directed``, ``weight``, ``columns``.

        Raises
        ------
        GraphError, WeightError, GraphFormatError
            When `data` is not a valid graph; the message names the place.
        InputError
            When the converter has no option of that name.

        Examples
        --------
        >>> Graph.of([(0, 1, 2.0), (1, 2, 0.5)]).m
        2
        """
        if isinstance(data, cls):
            if options:
                msg = f"Graph.of(graph) takes no options, got {', '.join(options)}."
                raise GraphError(msg)
            return data
        graph: Graph = made_by_adapter(data, options, (cls.from_edges, cls))
        return graph

    @classmethod
    def from_edges(
        cls, src: ArrayLike, dst: ArrayLike, weights: ArrayLike | None = None, *,
        n: int | None = None, directed: bool = True, keep_rows: bool = False, **attributes: Any,
    ) -> Graph:  # fmt: skip
        """Make a graph from edges between the vertices 0 .. n - 1, by counting sort in O(n + m).

        Parameters
        ----------
        src, dst : (m,) integers in [0, n).
        weights : (m,) numbers; +inf means that there is no edge, which `read_report` counts. None:
            every weight is 1.
        n : number of vertices; by default the largest vertex in `src` and `dst` plus 1.
        directed : False also stores the reverse of every edge that is not a self-loop.
        keep_rows : whether to keep which row each edge came from (`given`); 4 or 8 bytes an edge.
        **attributes : ``labels``, ``id_base``, ``coordinates``, ``first_through``, ``name``.

        Raises
        ------
        GraphError
            Arrays of different lengths; ids that are not integers, negative or not below n.
        WeightError
            NaN, -inf or a type that cannot be a weight.
        """
        checked_options(cls.__init__, attributes, "a graph", (cls.from_edges, cls))
        both = not checks.checked_bool(directed, "directed", GraphError)
        rows = rows_of_edges(src, dst, weights, n, both=both)
        if checks.checked_bool(keep_rows, "keep_rows"):
            attributes["given"] = input_edges(src, dst, weights, len(rows[0]) - 1, both=both)
        graph = cls(*rows, directed=directed, **attributes)
        lengths = np.asarray(weights)
        fewer = lengths.dtype.kind == "f" and graph.m < len(lengths) * (1 + both)
        if fewer and (infinite := int(np.isposinf(lengths).sum())):
            graph.read_report["edges of weight inf, left out"] = infinite
        return graph

    @classmethod
    def from_labelled_edges(
        cls, src: ArrayLike, dst: ArrayLike, weights: ArrayLike | None = None, *,
        directed: bool = True, **attributes: Any,
    ) -> Graph:  # fmt: skip
        """Make a graph from edges between vertices with any ids: strings, numbers with gaps.

        Ids that are exactly 0 .. n - 1 give a graph without labels. Other integers become labels in
        ascending order, other objects in order of first appearance. O(m log m).

        Parameters
        ----------
        src, dst : (m,) integers, strings or other hashable objects.
        weights, directed, **attributes : as in `from_edges`.
        """
        checks.refuse_labels(attributes)
        coordinates = attributes.pop("coordinates", None)  # aligned by the labels, below
        labels, ends = checks.numbered(checks.as_names(src, "src"), checks.as_names(dst, "dst"))
        src, dst = np.split(ends, 2)
        n = int(ends.max(initial=-1)) + 1 if labels is None else len(labels)
        graph = cls.from_edges(src, dst, weights, n=n, directed=directed, **attributes)
        graph.labels = (
            None if labels is None else checks.frozen(labels)
        )  # `numbered` made them unique
        if coordinates is not None:
            graph.coordinates = checks.frozen(aligned(graph, coordinates))
        return graph

    @classmethod
    def from_csr(
        cls,
        indptr: ArrayLike,
        indices: ArrayLike,
        weights: ArrayLike | None = None,
        **attributes: Any,
    ) -> Graph:
        """Make a graph from existing CSR arrays, which are checked in O(n + m).

        Parameters
        ----------
        indptr : (n + 1,) integers from 0 to m, ascending.
        indices : (m,) integers in [0, n).
        weights : (m,) numbers, or None. Edges of weight +inf are left out.
        **attributes : ``directed`` and the attributes of `from_edges`.
        """
        checked_options(cls.__init__, attributes, "a graph", (cls.from_edges, cls))
        return cls(*kept_rows(indptr, indices, weights), **attributes)

    @classmethod
    def of_raster(
        cls, cost: ArrayLike, *, spacing: float | tuple[float, float] | None = None,
        neighbours: int = 8, mask: ArrayLike | None = None,
        transform: Sequence[float] | None = None,
    ) -> Graph:  # fmt: skip
        """Make an undirected graph of the cells of a raster, with costs of passing through them.

        An edge between neighbouring cells has the mean of their costs, times the distance between
        their centres, as weight (float64). A search from one source computes the edges from the
        costs: 24 bytes for each cell suffice. Other algorithms make them first, up to 250 bytes for
        each cell.

        A cell is a vertex: the tuple ``(row, column)``, the number ``row * columns + column``, or,
        with a transform, the `Place` of a coordinate in it. Lists of tuples and (k, 2) arrays are
        several cells. Results have numbers; `Raster.cells` gives their rows and columns.

        Parameters
        ----------
        cost : (rows, columns) numbers, 0 or more, for each unit of length; NaN, inf and masked
            entries are barriers.
        spacing : the distance between the centres of neighbouring cells, or a pair: between rows
            and between columns. None for the size of a cell by `transform`, or 1.
        neighbours : 4; 8 with the diagonals, as scikit-image's `MCP_Geometric`; 16 with the
            knight's moves, as GRASS's ``r.cost -k``. Only the costs of the two ends count: a
            diagonal passes between two barriers, a knight's move over a barrier one cell wide.
        mask : (rows, columns) bool, True for barriers, as masks of NumPy are.
        transform : an affine transform from columns and rows to x and y, as rasterio's
            ``dataset.transform``: six numbers a, b, c, d, e, f.

        Raises
        ------
        GraphError, WeightError, InputError
            If an array has another shape or type, a cost is negative (the message has its row and
            column), or another argument is not valid.
        NotEnoughMemoryError
            If the costs do not fit free memory.

        Notes
        -----
        Sums are exact where all costs are integers below 2**31, `neighbours` is 4 and `spacing` 1:
        weights are then multiples of 1/2.

        Examples
        --------
        >>> import warpath as wp
        >>> slope = wp.Graph.of_raster([[1, 9, 1], [1, 1, 1]], neighbours=4)
        >>> route = wp.path(slope, (0, 0), (0, 2))
        >>> route.length, route.cells
        (4.0, (array([0, 1, 1, 1, 0]), array([0, 0, 1, 2, 2])))
        """
        from warpath.graph.raster_graph import of_raster

        return of_raster(cost, spacing, neighbours, mask, transform)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.indptr) - 1

    @property
    def m(self) -> int:
        """Number of stored edges; an undirected edge counts twice, a self-loop once."""
        return len(self.indices)

    @cached_property
    def _solver_weights(self) -> Array:
        """The weights, (m,); ones for a graph without weights."""
        if self.weights is not None:
            return self.weights
        weights = np.ones(self.m, np.int32)
        return kept_rows(self.indptr, self.indices, weights, copied=False)[2]  # type: ignore[return-value]

    @property
    def _solver_rows(self) -> tuple[Array, Array, Array]:
        """The rows that solvers take: indptr, indices and weights."""
        return self.indptr, self.indices, self._solver_weights

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
        """Return degrees, the weights' range, signs and symmetry. O(n + m) once, then cached.

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
        """Return the graph with every edge reversed. O(n + m) once, then cached."""
        turned = self._transpose
        return turned if turned.device == self.device else _placed(turned, self.device)

    @cached_property
    def _transpose(self) -> Graph:
        indptr, indices = np.empty_like(self.indptr), np.empty_like(self.indices)
        given = NO_WEIGHTS if self.weights is None else self.weights
        weights = np.empty_like(given)
        _core.transpose(self.indptr, self.indices, given, indptr, indices, weights)
        lines = self.shapes and self.shapes.transposed(self.indptr, self.indices)
        given = self.given and self.given.transposed(self.indptr, self.indices)
        turns = self.turns and self.turns.transposed(self.indptr, self.indices)
        changed = {"shapes": lines, "given": given, "turns": turns}
        return self._like(indptr, indices, None if self.weights is None else weights, **changed)

    def to(self, device: str) -> Graph:
        """Return this graph with its arrays on a device, where calls then run by default.

        The arrays are copied once, live as long as either graph, and stay on the host as well.
        Calls that the device does not support, such as `path` on a GPU, run as with "auto".

        Parameters
        ----------
        device : "cuda", "cuda:1" or "cpu".

        Raises
        ------
        NoDeviceError, MissingDependencyError, NotEnoughMemoryError
            If there is no such GPU, a package is missing or the GPU's memory is too small.
        """
        self.facts(symmetry=False)  # cached before the copy, so that every copy shares them
        return _placed(self, upward("Graph.to")(self, device))

    def _attributes(self) -> dict[str, Any]:
        return {
            "directed": self.directed,
            "labels": self.labels,
            "id_base": self.id_base,
            "coordinates": self.coordinates,
            "first_through": self.first_through,
            "areas": self.areas,
            "name": self.name,
            "shapes": self.shapes,
            "given": self.given,
            "unit": self.unit,
            "attribution": self.attribution,
            "turns": self.turns,
            "raster": self.raster,
            "read_report": self.read_report,
        }

    def _like(self, indptr: Array, indices: Array, weights: Array | None, **changed: Any) -> Graph:
        labels = changed.pop("labels", self.labels)  # already checked
        rows: Any = indptr, indices, weights
        if not _core.rows_are_validated(*rows):
            rows = kept_rows(*rows, copied=False)
        graph = Graph(*rows, **(self._attributes() | changed | {"labels": None}))
        graph.labels = None if labels is None else checks.frozen(labels)
        graph.device = self.device
        return graph

    def __reduce__(self) -> tuple[Any, ...]:
        # Derived data are left out: they are large, and quick to compute again.
        return _graph, (self.indptr, self.indices, self.weights, self._attributes(), self.device)

    def edges(self) -> tuple[Array, Array, Array]:
        """Return (src, dst, weights), each (m,), in row order."""
        src = np.repeat(np.arange(self.n, dtype=self.indices.dtype), np.diff(self.indptr))
        return src, self.indices, self._solver_weights

    def subgraph(self, vertices: ArrayLike) -> Graph:
        """Return the subgraph induced by some vertices.

        Parameters
        ----------
        vertices : labels where the graph has labels, else indices; duplicates are refused.
            The result numbers them in this order; their names become its labels.
        """
        chosen = self.indices_of(vertices)
        if len(np.unique(chosen)) != len(chosen):
            msg = "subgraph: a vertex is named twice; name each vertex once."
            raise GraphError(msg)
        new_index = np.full(self.n, -1, np.int64)
        new_index[chosen] = np.arange(len(chosen))
        src, dst = (new_index[ends] for ends in self.edges()[:2])
        inside = np.flatnonzero((src >= 0) & (dst >= 0))
        labels = chosen + self.id_base if self.labels is None else self.labels[chosen]
        closed = chosen < self.first_through
        if closed.any() and not closed[: int(closed.sum())].all():
            msg = "subgraph: vertices that are never passed through must come first."
            raise GraphError(msg)
        # Edge numbers in place of weights: `order` then is the edges' order in the rows.
        indptr, indices, order = rows_of_edges(
            src[inside], dst[inside], inside, len(chosen), both=False
        )
        assert order is not None  # noqa: S101 - weights were given
        return self._like(
            indptr,
            indices,
            None if self.weights is None else self.weights[order],
            labels=labels,
            id_base=0,
            first_through=int(closed.sum()),
            coordinates=None if self.coordinates is None else self.coordinates[chosen],
            shapes=self.shapes and self.shapes.taken(order),
            given=self.given and self.given.taken(order),
            turns=self.turns and self.turns.taken(order),
            raster=None,
        )

    def components(self, *, strong: bool = False) -> Components:
        """Return the connected components, the largest first. O(n + m), then cached.

        Turns and vertices that are never passed through are not considered.

        Parameters
        ----------
        strong : True for strongly connected components, whose vertices all reach one another;
            False for weakly connected ones, in which edges count in both directions.

        Returns
        -------
        Components
            ``labels`` (n,) int64, the component of each vertex, 0 for the largest, and ``counts``
            (k,) int64, the vertices of each; of equally large ones that of the smallest vertex
            comes first.

        Examples
        --------
        >>> import warpath as wp
        >>> wp.Graph.of([(0, 1), (2, 3), (3, 4)]).components().labels
        array([1, 1, 0, 0, 0])
        """
        return components(self, strong=checks.checked_bool(strong, "strong"))

    def largest_component(self, *, strong: bool = False) -> Graph:
        """Return the subgraph of the largest component, with the names of the vertices.

        Parameters
        ----------
        strong : as in `components`.
        """
        return largest_component(self, strong=checks.checked_bool(strong, "strong"))

    def edge_table(self) -> Any:
        """Return a table with a row for each edge: source, target, weight and kept columns.

        It is a pandas data frame; without pandas a dictionary of arrays, each (m,). The index of a
        row, or the position in a column, is the number by which `without_edges` and
        `Solver.with_changes` take the edge; a mask such as ``table["street"] == "High Street"`` is
        taken, too.

        The ends are the ids of the graph's file: labels, or numbers from `id_base` on. Turns,
        closed vertices and areas are no columns.
        """
        return edge_table(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the rows of `edge_table` as a stream of the Arrow C interface, a PyCapsule.

        ``polars.DataFrame(graph)``, ``pyarrow.table(graph)`` and ``duckdb.sql("from graph")`` read
        it; weights are not copied. `Graph.of` restores the unit and direction of a pyarrow Table.
        """
        return upward("Graph.__arrow_c_stream__")(self, requested_schema)

    def with_weights(
        self,
        weights: ArrayLike | str | None,
        *,
        order: str = "edges",
        unit: str | None = None,
        round: float | None = None,  # noqa: A002 - as pandas and NumPy call it
    ) -> Graph:
        """Return the same graph with other weights.

        Parameters
        ----------
        weights : (m,) numbers in the order of `edges`; None for 1 everywhere; ``"euclidean"`` for
            straight-line distances in the unit of the coordinates; ``"great_circle"`` for metres
            on a sphere, from longitudes and latitudes in degrees; or the name of a kept column; or
            a unit, such as ``"minutes"``, ``"h"`` or ``"km"``, for the same weights in that unit,
            for a kept column whose unit is known, or for metres divided by a kept column of speeds
            (``speed_kph``, ``speed_mph``, ``maxspeed``).
        order : "edges"; or "input": one weight for each row that a graph with `given` came from.
        unit : that of the new weights, as the graph's `unit`. None: "m" for "great_circle", the
            unit of a kept column where it is known or is the column's name, the unit that `weights`
            names, else none. Another unit than a known one is refused.
        round : a step; float weights are rounded to its multiples. Floats hold sums of multiples of
            a power of 2, such as ``1 / 64``, exactly, so that a hierarchy answers with them as fast
            as with integers, and ways of equal length tie.
        """
        if isinstance(weights, str):
            unit = unit_of(self, weights, unit)
        weights = rounded(new_weights(self, weights, order), round)
        checked = None if weights is None else checks.as_weights(weights)
        if checked is not None and len(checked) != self.m:
            msg = f"weights has {len(checked)} entries, but the graph has m = {self.m} edges."
            raise GraphError(msg)
        changed = Graph.from_csr(self.indptr, self.indices, checked)
        shapes, given = self.shapes and self.shapes.without_infinite(checked), self.given
        turns = self.turns
        if checked is not None and changed.m < self.m:
            used = np.flatnonzero(checked != np.inf)
            given, turns = given and given.taken(used), turns and turns.taken(used)
        return self._like(
            changed.indptr,
            changed.indices,
            changed.weights,
            shapes=shapes,
            given=given,
            unit=unit,
            turns=turns,
        )

    def with_coordinates(self, coordinates: Any) -> Graph:
        """Return the same graph with other coordinates, and straight edges.

        Parameters
        ----------
        coordinates : (n, 2) x and y in the order of the vertices; or, aligned by label, a
            dictionary ``{vertex: (x, y)}``, a pandas, polars, Arrow or GeoPandas table, or a Series
            of points. A table has an index or a column of ids (id, node_id, osmid, ...) and columns
            lon and lat, x and y, or geometry. Rows of other ids are ignored. None for none.

        Raises
        ------
        GraphError
            If a vertex has no row or several, the columns are not recognised, or columns of
            longitudes and latitudes are swapped.

        Examples
        --------
        >>> import warpath as wp
        >>> roads = wp.Graph.of([("a", "b", 2), ("c", "a", 5)])
        >>> roads.with_coordinates({"c": (3, 0), "b": (2, 0), "a": (1, 0)}).coordinates[:, 0]
        array([1., 2., 3.])
        """
        points = None if coordinates is None else aligned(self, coordinates)
        changed = {"coordinates": points, "shapes": None}
        return self._like(self.indptr, self.indices, self.weights, **changed)

    def astype(self, dtype: DTypeLike) -> Graph:
        """Return the same graph with weights of another type; raise if a weight would change."""
        changed = checks.converted(self._solver_weights, dtype)
        return self._like(self.indptr, self.indices, changed)

    def to_scipy(self, *, parallel: str = "least") -> Any:
        """Return a `scipy.sparse.csr_array`, (n, n), with arrays of its own.

        Edges of weight 0 are explicit zeros, which `scipy.sparse.csgraph` takes as edges; a dense
        array made of the matrix has no edge there. Self-loops are entries of the diagonal.

        Parameters
        ----------
        parallel : "least" for the least weight of parallel edges, one entry for each pair of
            vertices in ascending order; "keep" for an entry per edge in row order. Functions of
            SciPy that expect one entry for each pair then return sums or do not end.

        Raises
        ------
        NotSupportedError
            If the graph has turns, or vertices that paths do not pass, which SciPy ignores.
        """
        return to_scipy(self, parallel)

    def to_networkx(self, *, geometry: bool = False, multigraph: bool | None = None) -> Any:
        """Return a NetworkX graph. O(n + m) objects.

        Coordinates become the node attributes ``x`` and ``y``, weights and kept columns attributes
        of the edges. `Graph.of` gives back an equal graph. Edges of weight 0 and self-loops are
        edges there as well.

        Parameters
        ----------
        geometry : whether edges with points between their ends get the attribute ``geometry``, a
            LineString of shapely, as in graphs of OSMnx.
        multigraph : True for a Multi(Di)Graph, whose keys come from a kept column ``key`` that
            tells parallel edges apart; None: where edges are parallel.

        Raises
        ------
        NotSupportedError
            If the graph has turns, or vertices that paths do not pass, which NetworkX ignores.
        """
        return upward("Graph.to_networkx")(self, geometry=geometry, multigraph=multigraph)

    def to_geopandas(self) -> tuple[Any, Any]:
        """Return GeoDataFrames of the edges and of the vertices. O(n + m) objects.

        ``Graph.of(edges, nodes=nodes)`` gives back an equal graph.

        Returns
        -------
        edges : a row for each stored edge, in row order: source, target, weight, the kept columns
            and the edge's line; an undirected edge has two rows.
        nodes : a row for each vertex, in the order of the vertices: id and point.

        Raises
        ------
        GraphError
            If a vertex has no coordinates.
        NotSupportedError
            If the graph has turns, or vertices that paths do not pass, which the frames do not say.
        """
        frames: tuple[Any, Any] = upward("Graph.to_geopandas")(self)
        return frames

    def _repr_html_(self) -> str:
        return to_html(self)

    def __repr__(self) -> str:
        return f"<Graph {summary(self)}>"


def _placed(graph: Graph, device: str) -> Graph:
    placed = object.__new__(type(graph))
    vars(placed).update(vars(graph), device=device)  # with the derived data
    return placed


def _graph(*parts: Any) -> Graph:
    *arrays, attributes, device = parts
    return _placed(Graph(*arrays, **attributes), device)
