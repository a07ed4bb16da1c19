"""The result of a solve from one source: distances and a shortest-path tree."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from warpath.base import notebook, units
from warpath.base.cached import cached_property
from warpath.base.dtypes import unreachable
from warpath.base.errors import NotSupportedError
from warpath.base.upward import upward
from warpath.graph.arguments import one_index
from warpath.graph.checks import shown
from warpath.graph.labels import file_ids, one_label
from warpath.graph.places import NO_NAMES
from warpath.graph.raster import raster_of
from warpath.graph.solvable import SolvableGraph
from warpath.results.predecessors import as_labels, no_path, searched_path, walked
from warpath.results.reached import ReachedDistances
from warpath.results.result import Result
from warpath.results.route import Route
from warpath.results.route_between import route_from, route_of_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.graph.places import Snap
    from warpath.graph.point_sources import PointSources
    from warpath.results.rows import Columns
    from warpath.results.run_plan import RunPlan
    from warpath.results.trace import Trace


class DeviceResult(Protocol):
    """A result in the memory of the device that computed it; on a GPU its arrays are CuPy's.

    `Engine.on_device` of each engine returns it; see `warpath.engines.cuda.result`.
    """

    @property
    def device(self) -> str:
        """The name of the device: "cuda:0"."""

    @property
    def dist(self) -> Any:
        """The distances, (n,)."""

    @property
    def pred(self) -> Any:
        """The predecessors, (n,)."""

    def here(self) -> Array:
        """Copy the distances to the host."""

    def pred_here(self) -> Array:
        """Copy the predecessors to the host."""


class Paths(Result, ReachedDistances):
    """Shortest paths from one source to every vertex.

    Tables of the result have a row for each vertex: vertex, distance and pred.

    Attributes
    ----------
    graph : the graph that was solved.
    source : the source, as the graph names it; the `Place` of a point along an edge.
    source_index : its index; of a point along an edge, that of the nearer end.
    dist : (n,) distances in the weights' unit; inf (floats) or the largest integer where
        unreachable, which sums of integers would include: see `reached_dist`, `to_numpy`. After a
        solve on a GPU the first access copies them to the host; `on_device` gives them without a
        copy.
    cutoff : the largest distance in the result; farther ones are unreachable. None for no limit.
    plan : the plan that ran: algorithm, device and the reasons. Its repr is a report.
    trace : the work of each round if a trace was requested, else None.
    snapped : what was taken for each `Place` in the call, a tuple of `Snap`; empty without places.
    names : the names that the call gave to vertices, as ``{vertex: name}`` or by ``Place.name``: a
        dictionary from their indices. Pictures and maps show them.

    Parameters
    ----------
    dist : (n,) distances, or None if they are on a device.
    tree : function that computes `pred`.
    stats : the counters, or a function that computes them at the first access.
    through : function that computes the predecessors for routes that pass vertices beyond a cutoff;
        None if routes can use those of `tree`.
    there : the arrays on the device, a `DeviceResult`; None if the result is on the host.
    point : of a source that is a point along an edge, the graph in which it is a vertex, and the
        paths there.
    """

    # Class attributes are the defaults: setting one on each result would take 15 ns.
    cutoff: float | None = None
    trace: Trace | None = None
    snapped: tuple[Snap, ...] = ()
    names: Mapping[int, str] = NO_NAMES
    _there: Any = None
    _point: tuple[PointSources, Paths] | None = None
    _through: Callable[[], Array] | None = None
    _pred: Array | None = None

    _COMPUTED = ("dist", "pred", "stats")
    _LEFT_OUT = frozenset({"_tree", "_there", "_stats"})

    def __init__(
        self,
        graph: Graph,
        source: int,
        dist: Array | None,
        *,
        tree: Callable[[], Array],
        through: Callable[[], Array] | None = None,
        cutoff: float | None = None,
        plan: RunPlan | None = None,
        stats: dict[str, Any] | Callable[[], dict[str, Any]] | None = None,
        trace: Trace | None = None,
        there: Any = None,
        point: tuple[PointSources, Paths] | None = None,
    ) -> None:
        self.graph = graph
        self.source_index = source
        if dist is not None:
            self.dist = dist
        self._there = there
        self.cutoff = cutoff
        self.trace = trace
        self.plan = cast("RunPlan", plan)  # None in a result that was read from a file
        self._stats = stats
        self._tree = tree
        self._through = through
        self._point = point

    @property
    def source(self) -> Any:
        """The source, as the graph names it; the `Place` of a point along an edge."""
        if self._point is not None:
            return self._point[0].ends.given[0]
        return one_label(self.graph, self.source_index)

    @property
    def point_sources(self) -> PointSources | None:
        """The source as a vertex more of the graph, if it is a point along an edge."""
        return None if self._point is None else self._point[0]

    @cached_property
    def dist(self) -> Array:
        """The distance of every vertex, (n,), copied from the device at the first access.

        Raises
        ------
        DeviceError, NotEnoughMemoryError
            If the device fails before or during the copy.
        NoDeviceError
            In a forked child process: read `dist` before the fork.
        """
        dist: Array = self._there.here()
        dist.flags.writeable = False
        return dist

    @property
    def on_device(self) -> DeviceResult:
        """The result in GPU memory: ``.dist`` and ``.pred``, CuPy arrays of shape (n,).

        Nothing is copied to the host; other libraries can import the arrays by DLPack.

        Raises
        ------
        NotSupportedError
            If the result was computed on the CPU, or where device="auto" chose to.
        """
        if self._there is None:
            msg = (
                "on_device: this result is on the host alone: of the CPU, a trace, edges on the "
                "host, or a file. Solve with device='cuda', or copy it: cupy.asarray(paths.dist)."
            )
            raise NotSupportedError(msg)
        there: DeviceResult = self._there
        return there

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Counters of the run, with ``reached`` and ``seconds``; after a trace also its totals."""
        stats = self._stats() if callable(self._stats) else self._stats or {}
        if self._there is not None and "reached" not in stats:
            stats["reached"] = int(np.count_nonzero(self.reached))
        return stats

    @property
    def pred(self) -> Array:
        """The predecessor of every vertex, (n,) of the indices' type; computed at the first access.

        ``pred[v]`` is the smallest u with an edge u -> v, ``dist[u] + w == dist[v]`` and
        ``dist[u] < dist[v]``; -1 at the source and where unreachable. One pass, O(n + m). The first
        vertex on a path from a point along an edge has no predecessor, -1.
        """
        pred = self._pred
        if pred is None:
            pred = self._pred = self._tree()
            pred.flags.writeable = False
        return pred

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Mask of the vertices that are reachable, within any cutoff: (n,) bool."""
        reached: NDArray[np.bool_] = self.dist != unreachable(self.dist.dtype)
        return reached

    @property
    def first_reached(self) -> NDArray[np.int64]:
        """The vertices without a predecessor that paths from a point along an edge begin with."""
        if self._point is None:
            return np.empty(0, np.int64)
        return np.flatnonzero(self.reached & (self.pred < 0))

    def path_to(self, target: Any) -> Route:
        """Return the route to a vertex.

        Raises
        ------
        VertexError
            If the graph has no such vertex.
        NoPathError
            If the vertex is unreachable or beyond the cutoff.
        """
        t = one_index(self.graph, target, "target")
        if not self.reached[t]:
            ends = "" if self._point is None else f"from {self.source} to {shown(target)}"
            raise no_path(self.graph, self.source_index, t, self.cutoff, ends)
        if self._point is not None:
            points, paths = self._point
            (end,) = SolvableGraph(self.graph).arrivals(np.array([t])).tolist()
            route = paths.path_to(end)
            return route_from(points, route.indices, self.dist[t].item(), self.plan)
        if self.graph.turns:  # predecessors alone do not determine the turns
            path, _ = searched_path(self.graph, self.source_index, t)
            return route_of_path(self.graph, path, self.dist[t].item(), self.plan)
        if self.graph.areas:  # predecessors alone need not lead to a closed source
            labels = as_labels(self.graph, self.dist)
            vertices = walked(self.graph, self.source_index, t, labels)
            return Route(self.graph, vertices, self.dist[t].item(), self.plan)
        pred = self.pred if self._through is None else self._through()
        stops = [t]
        while stops[-1] != self.source_index:
            stops.append(int(pred[stops[-1]]))
        return Route(self.graph, np.array(stops[::-1], np.int64), self.dist[t].item(), self.plan)

    def __getitem__(self, target: Any) -> float:
        """Return the distance to one vertex."""
        distance: float = self.dist[one_index(self.graph, target, "target")].item()
        return distance

    def to_raster(self, values: ArrayLike | None = None) -> Array:
        """Return the distances as an array of the raster that the graph was made of.

        Parameters
        ----------
        values : (n,) other numbers, one for each vertex; None for the distances.

        Returns
        -------
        (rows, columns), inf where there is no path.

        Raises
        ------
        GraphError
            If the graph was not made by `Graph.of_raster`.
        """
        raster = raster_of(self.graph, "to_raster")
        return raster.array(self.dist if values is None else values)

    def save_html(self, path: Any, **options: Any) -> None:
        """Write a page with the tree on an interactive map; see `warpath.plot.html_tree`.

        Parameters
        ----------
        path : file to write, .html; it needs neither a server nor the network.
        **options : ``title``, ``subtitle``, ``theme`` ("light", "dark"), ``tiles``, ``file_ids``.
        """
        upward("Paths.save_html")(self, path, **options)

    def explore(self, **options: Any) -> Any:
        """Return an interactive map: the edges of the tree, coloured by distance.

        Its script, style and background are fetched when it is shown, and GeoPandas and folium are
        needed; `save_html` writes a map that works without the network.

        Parameters
        ----------
        **options : those of `geopandas.GeoDataFrame.explore`, such as ``tiles`` and ``column``.

        Returns
        -------
        folium.Map, whose ``save`` writes an HTML page.
        """
        return upward("Paths.explore")(self, options)

    def plot(self, path: Any = None, *, route: Any = None, **options: Any) -> Any:
        """Draw the tree over the coordinates, coloured by distance; see `warpath.plot.plot_tree`.

        Parameters
        ----------
        path : file to write, its format by suffix: .png, .svg, .pdf; None to save nothing.
        route : a target or a `Route` to draw over the tree.
        **options : ``title``, ``subtitle``, ``theme`` ("light", "dark"), ``dpi``.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return upward("Paths.plot")(self, path, route=route, **options)

    def save(self, path: Any, *, escape_formulas: bool = False) -> None:
        """Write the result as ``.npz`` (complete), or a ``.parquet`` or ``.csv`` table (no cutoff).

        The write is atomic: a failed save leaves no partial file.

        Parameters
        ----------
        path : file to write, its format by suffix.
        escape_formulas : for CSV: whether labels that a spreadsheet would take for formulas,
            because they start with = + - or @, get an apostrophe in front.
        """
        upward("Paths.save")(self, path, escape_formulas=escape_formulas)

    def _columns(self) -> Columns:
        graph, has_pred = self.graph, self.pred >= 0
        return {
            "vertex": (file_ids(graph, np.arange(graph.n)), None),
            "distance": (self.dist, self.reached),
            "pred": (file_ids(graph, np.where(has_pred, self.pred, 0)), has_pred),
        }

    @classmethod
    def load(cls, graph: Graph, path: Any) -> Paths:
        """Read a file that `save` wrote; only ``.npz`` files store the cutoff.

        Parameters
        ----------
        graph : the graph that was solved.
        path : the file.

        Raises
        ------
        GraphFormatError
            If the file is not a saved result, or belongs to another graph.
        """
        paths: Paths = upward("Paths.load")(graph, path)
        return paths

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if self._through is not None:
            state["_through"] = partial(np.asarray, self._through())
        if self._point is not None:
            points, paths = self._point
            bare = points._replace(graph=state["graph"], searched=state["graph"])
            state["_point"] = bare, paths.detach()
        return state

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the distances as Python numbers, in the order of the vertex indices."""
        return iter(self.dist.tolist())

    def __len__(self) -> int:
        return self.graph.n if self._there is not None else len(self.dist)

    def _repr_html_(self) -> str:
        count = int(np.count_nonzero(self.reached))
        values = {"reached": f"{count:,} of {len(self.dist):,} vertices"}
        if count:
            finite = self.dist[self.reached]
            far = int(np.flatnonzero(self.reached)[np.argmax(finite)])
            values["farthest"] = (
                f"{one_label(self.graph, far)}, at {units.length(self.dist[far].item())}"
            )
            values["mean distance"] = units.digits(finite.mean(dtype=np.float64))
        if self.cutoff is not None:
            exact = isinstance(self.cutoff, int)
            values["cutoff"] = f"{self.cutoff:,}" if exact else f"{self.cutoff:,.10g}"
        values |= {} if self.plan is None else {"plan": self.plan.headline()}
        if "seconds" in self.stats:
            values["solved in"] = units.seconds(self.stats["seconds"])
        return notebook.box(f"Paths from {self.source}", notebook.facts(values))

    def __repr__(self) -> str:
        count = int(self.reached.sum())
        start = shown(self.source) if self._point is None else self.source
        lines = [f"<Paths from {start}: {count:,} of {len(self.dist):,} vertices reached"]
        if count:
            farthest = int(np.flatnonzero(self.reached)[np.argmax(self.reached_dist)])
            name = one_label(self.graph, farthest)
            lines[0] += f", the farthest is {shown(name)} at {self.dist[farthest].item():,}"
        if self.plan is not None:
            lines.append(f"  {self.plan.headline()}")
        return "\n".join(lines) + ">"
