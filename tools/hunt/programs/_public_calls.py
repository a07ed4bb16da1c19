"""The public calls of warpath, read from their signatures, with valid values of each parameter."""

from __future__ import annotations

import atexit
import functools
import inspect
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import warpath as wp
from warpath.recipes.axes import Direction

if TYPE_CHECKING:
    from collections.abc import Callable

    Maker = Callable[["Subject", np.random.Generator], Any]


@dataclass
class Subject:
    """A small graph and its results by their class, as far as the graph has them."""

    name: str
    graph: wp.Graph
    results: dict[type, Any]

    def made(self, kind: type) -> Any:
        """Return an object of a class, a new one where its methods change it; else None."""
        if kind is wp.DynamicPaths:
            return wp.DynamicPaths(self.graph, self.graph.label_of([0]))
        return wp.Solver(self.graph) if kind is wp.Solver else self.results.get(kind)


class Call(NamedTuple):
    """A public function or method.

    Attributes
    ----------
    name : the call as a user writes it; a method follows the name of its class.
    owner : the class of a method, None for a function.
    function : the function.
    makers : makers of valid values by parameter.
    required : the parameters that have no default.
    weight : how often the call is drawn, relative to the others.
    """

    name: str
    owner: type | None
    function: Callable[..., Any]
    makers: dict[str, Maker]
    required: set[str]
    weight: float

    def suits(self, subject: Subject) -> bool:
        """Return whether the subject has an object of the method's class."""
        return self.owner in {None, wp.Solver, wp.DynamicPaths, *subject.results}

    def on(self, subject: Subject, given: dict[str, Any]) -> Any:
        """Make the call; a method is one of an object that belongs to the subject."""
        if self.owner is None:
            return self.function(**given)
        method = self.name.rpartition(".")[2]
        prepared = self.owner is wp.Solver and method in {"save", "with_weights", "with_changes"}
        made = wp.prepare(subject.graph) if prepared else subject.made(self.owner)
        return self.function(made, **given)

    def arguments(
        self, subject: Subject, rng: np.random.Generator, odd: dict[str, Any]
    ) -> dict[str, Any]:
        """Return valid values of the required and of some other parameters, and the odd values."""
        return odd | {
            name: maker(subject, rng)
            for name, maker in self.makers.items()
            if name not in odd and (name in self.required or rng.integers(6) == 0)
        }


@functools.cache
def calls() -> list[Call]:
    """Return all calls.

    Raises
    ------
    LookupError
        If a parameter has no maker.
    """
    found = [_call(name, None, getattr(wp.generate, name)) for name in wp.generate.GENERATORS]
    for name in wp.__all__:
        public = getattr(wp, name)
        if inspect.isfunction(public) or public in {wp.Solver, wp.DynamicPaths, wp.Place}:
            found.append(_call(name, None, public))
        if not inspect.isclass(public) or issubclass(public, Exception):
            continue
        for method in dir(public):
            full, function = f"{name}.{method}", inspect.getattr_static(public, method)
            origin = getattr(getattr(public, method, None), "__module__", None) or ""
            if method[0] == "_" or full in _LEFT_OUT or not origin.startswith("warpath"):
                continue
            if isinstance(function, classmethod):
                found.append(_call(full, None, getattr(public, method)))
            elif inspect.isfunction(function):
                found.append(_call(full, public, function))
    centralities = {f"centrality.{k}": getattr(wp.centrality, k) for k in wp.centrality.__all__}
    found += [_call(name, None, function) for name, function in centralities.items()]
    found.append(_call("Paths.__getitem__", wp.Paths, wp.Paths.__getitem__))
    found.append(_call("algorithms()[...]", None, lambda key: wp.algorithms()[key]))
    return found


def _call(name: str, owner: type | None, function: Callable[..., Any]) -> Call:
    parameters = inspect.signature(function).parameters
    if not inspect.isclass(function) and owner is not None:
        parameters = dict(list(parameters.items())[1:])  # type: ignore[assignment]
    short = name.rpartition(".")[2]
    makers: dict[str, Maker] = {}
    for each, parameter in parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            makers |= _OPTIONS.get(name) or _OPTIONS[short]
            continue
        keys = (f"{name}:{each}", f"{short}:{each}", each)
        makers[each] = next((_MAKERS[key] for key in keys if key in _MAKERS), _NO_MAKER)
        if makers[each] is _NO_MAKER:
            raise LookupError(f"_MAKERS has no maker for the parameter {each!r} of {name}")
    required = {k for k, each in parameters.items() if each.default is each.empty} & set(makers)
    required |= {"source"} if "ynamic" in name and "source" in makers else set()
    return Call(name, owner, function, makers, required, _WEIGHTS.get(short, 1.0))


def _pick(*values: Any) -> Maker:
    return lambda _, rng: values[rng.integers(len(values))]


def _middle(_sources: Any, distances: Any) -> Any:
    """Return a number for each row of a block of distances."""
    return np.sort(distances, axis=1)[:, distances.shape[1] // 2]


def _vertex(subject: Subject, rng: np.random.Generator) -> Any:
    graph = subject.graph
    return graph.label_of([rng.integers(graph.n)]).tolist()[0] if graph.n else 0


def _vertices(count: int) -> Maker:
    """Return a maker of some vertices, of up to three if `count` is 0."""
    return lambda subject, rng: [_vertex(subject, rng) for _ in range(count or rng.integers(1, 4))]


def _trips(subject: Subject, rng: np.random.Generator) -> Any:
    """Return two trips as one table of columns."""
    return {end: _vertices(2)(subject, rng) for end in ("origin", "destination")} | {"day": [1, 2]}


def _weights(subject: Subject, rng: np.random.Generator) -> Any:
    count = subject.graph.m
    return [None, "euclidean", np.ones(count, np.int32), np.full(count, 0.5)][rng.integers(4)]


def _verifiable(subject: Subject, rng: np.random.Generator) -> Any:
    tree = subject.results.get(wp.Paths)
    options = [tree, tree and tree.dist, subject.results.get(wp.DistanceTable)]
    return options[rng.integers(3)]


_NO_MAKER: Maker = lambda _, __: None  # noqa: E731
_FLAG = _pick(*(False, True))
_ALGORITHM = _pick("auto", *(r.name for r in wp.algorithms() if "cpu" in r.devices))
_RESULT = _pick("t.csv", "t.npz", "t.parquet")
_LOOK = {"title": _pick(None, "t"), "theme": _pick("light", "dark")}
_ATTRIBUTES = {
    "directed": _FLAG,
    "labels": _pick(None, ["x", "y", "z"]),
    "id_base": _pick(0, 1),
    "coordinates": _pick(None, [(0, 0), (1, 0), (0, 1)]),
    "first_through": _pick(0, 1),
    "name": _pick(None, "n"),
    **dict.fromkeys(("shapes", "given"), _pick(None)),
}
_FRONTIER = wp.algorithms()["martin2009.f_cpu"]
_MINE = _FRONTIER.but("martin2009.mine", "As u_cpu.", direction=Direction.PULL)
_RANGE = _pick(None, (1, 5), (0.0, 1.0))
_SHARE = _pick(0.0, 0.5, 1.0)
_COUNT = _pick(0, 1, 5, 12)

#: Makers by parameter; those of one call, or of all methods of a name, come before its colon.
_MAKERS: dict[str, Maker] = {
    "graph": lambda subject, _: subject.graph,
    **dict.fromkeys(("source", "target", "vertex", "route"), _vertex),
    **dict.fromkeys(("sources", "targets", "vertices", "facilities"), _vertices(0)),
    **dict.fromkeys(("origins", "destinations", "opportunities"), _vertices(2)),
    "within:source": _vertices(0),
    "verify:source": _vertex,
    "verify:claim": _pick("k_shortest", "disjoint", "best"),
    **dict.fromkeys(("path_to:source", "dynamic:sources", "DynamicPaths:sources"), _pick(None)),
    # How calls solve.
    "algorithm": _ALGORITHM,
    "DynamicPaths:algorithm": _pick("auto", "chan2009.dyndij", "khanda2022.batch", "none"),
    "dynamic:algorithm": _pick("auto"),
    "device": _pick("auto", "cpu"),
    "to:device": _pick("cpu"),
    "threads": _pick(None, 1, 2),
    "params": _pick(None, {}, {"delta": 3}, {"delta": 0.5}),
    "progress": _pick(*(None, False), lambda done, total: None),  # noqa: ARG005
    "cutoff": _pick(None, 0, 3, 7.5, 2**40, 1e12),
    "within:cutoff": _pick(0, 3, [2, 7.5]),
    "cutoffs": _pick(None, 0, [3, 7.5, 3], [], -1),
    "accessibility:weights": _pick(None, 2, [1, 2], {"jobs": [1, 2]}, "jobs", np.nan),
    "decay": _pick(*("step", "gravity", "exponential"), lambda dist: 1 / (1 + dist)),
    "beta": _pick(None, 0.5, 0),
    **dict.fromkeys(("nearest", "demand"), _pick(None, 1, 2)),
    "error": _pick(None, 0.1, 0.5, 1),
    "competition": _pick(None, "2sfca"),
    "k": _pick(None, 1, 3, 0),
    "disjoint_paths:k": _pick(1, 2, 0),
    "alternatives:k": _pick(1, 3, 0),
    **dict.fromkeys(("sharing", "local"), _pick(0, 0.5, 1, 2)),
    "stretch": _pick(1, 1.25, 3, 0),
    "alternatives:method": _pick("via", "penalty"),
    "stops": _vertices(2),
    "route_through:order": _pick("given", "best"),
    "round_trip": _FLAG,
    "by": _weights,
    "checkpoint": _pick(None),
    "disjoint_paths:by": _pick("edges", "vertices"),
    "second": _weights,
    "limit": _pick(0, 9, 2**40),
    "epsilon": _pick(None, 0, 0.5),
    "max_length": _pick(None, 0, 7.5, 2**40),
    **dict.fromkeys(
        ("avoid", "only", "through"),
        _pick(*(None,) * 4, [0], [True], {"toll": 1}, {"vertices": [0]}, {"polygon": [(0, 0)]}, {}),
    ),
    "dist_dtype": _pick(None, "int32", np.int64, np.float64),
    "missing": _pick("raise", "flag"),
    "also": _pick((), "length", ["length", "toll"], ["street", "length"]),
    "reduce": _pick("sum", ["max", "count"], "harmonic", _middle),
    "out": _pick(None, "t.npy", lambda rows, values: None),  # noqa: ARG005
    **dict.fromkeys(("reverse", "predecessors", "trace", "prepared"), _FLAG),
    "prepare:labels": _pick(*(False, True), "auto", "yes"),
    "memory": _pick(None, 10**6, "1M", "much"),
    "loads:trips": _pick(None, 2, [1, 2.5]),
    "ties": _pick("canonical"),
    **dict.fromkeys(("normalized", "endpoints", "wf_improved"), _FLAG),
    # Certificates and recipes.
    "result": _verifiable,
    "pred": lambda subject, _: getattr(subject.results.get(wp.Paths), "pred", None),
    "tree": _pick("canonical", "any"),
    "unreachable": _pick(None, -1, 1e9),
    "recipe": _pick(_MINE),
    "algorithms()[...]:key": _pick("classic.dijkstra", 0),
    "__getitem__:target": _vertex,
    # Graphs and their edges.
    "data": _pick([(0, 1, 2), (1, 2, 3)], np.ones((3, 3))),
    "src": _pick([0, 1]),
    **dict.fromkeys(("dst", "indices"), _pick([1, 2])),
    "from_labelled_edges:src": _pick([0, 1], ["a", "b"]),
    "from_labelled_edges:dst": _pick([1, 2], ["b", "c"]),
    "indptr": _pick([0, 1, 2, 2]),
    "label_of:indices": _pick(0, [0, 1]),
    "weights": _pick(None, [1, 2]),
    "with_weights:weights": _weights,
    "cost": _pick([[1, 2, 9], [3, 0, 1]], np.full((2, 3), np.nan), [[1, -1]], [[]]),
    "spacing": _pick(None, 2, (1, 0.5), (1, 0)),
    "neighbours": _pick(4, 8, 16, 5),
    "mask": _pick(None, np.eye(2, 3, dtype=bool), [True]),
    "transform": _pick(None, (1, 0, 5, 0, -1, 7), (1, 0, 0, 0, 0, 0)),
    "to_raster:values": _pick(None, [1, 2]),
    "edges": _pick([(0, 1)], ([0, 1], [1, 2]), [], [(0, 10**6)], (0, 1)),
    "round": _pick(None, 0.5, 0, 3),
    "with_changes:edges": _pick([0], [], [0, 0], [10**6], [(0, 1)], [True], "High Street"),
    **{
        f"{name}:weights": _pick([5], [2, 7], [], 3, [2.5], [-1])
        for name in ("update", "insert", "with_edges", "with_changes")
    },
    "pairs:out": _pick(None, "t.npy", np.empty(3, np.int64)),
    "pairs:origins": lambda subject, rng: [_vertices(2), _trips][rng.integers(2)](subject, rng),
    "with_columns:trips": _pick({"day": [1, 2]}, {"day": [1]}, {}, 3),
    "scenarios:weights": _pick({}, {"a": None}, [[1, 2]], 3),
    "position": _pick(None, [0], [9]),
    "batch": _pick([("insert", 0, 1, 4)], [("delete", 0, 1)], [], [("update", 0)]),
    "order": _pick("edges", "input"),
    "unit": _pick(None, "m"),
    "parallel": _pick("least", "sum"),
    "dtype": _pick("float64", np.int64),
    **dict.fromkeys(("directed", "keep_rows", "symmetry", "strong", "with_distance"), _FLAG),
    "n": _pick(None, 3, 5),
    **dict.fromkeys(("lon", "lat"), _pick(0.5, 1)),
    **dict.fromkeys(("nearest_vertex:lon", "nearest_vertex:lat"), _pick(0.5, [1, 2])),
    "within": _pick(None, 5, 1e9),
    "name": _pick(None, "p"),
    "snap": _pick("edge", "vertex"),
    **dict.fromkeys(("coordinates", "member"), _pick(None)),
    # Results.
    "path": _RESULT,
    "plot:path": _pick(None, "t.png"),
    "save_html:path": _pick("t.html"),
    "Paths.load:path": _pick("p.npz"),
    "Paths.load:graph": lambda subject, _: subject.graph,
    "Trace.load:path": _pick("r.jsonl"),
    "Trace.save:path": _pick("t.jsonl"),
    "Solver.save:path": _pick("t.wph", "t.npz"),
    "load:path": _pick("g.wph"),
    "load:graph": _pick(None, [(0, 1, 2), (1, 2, 5)]),
    "write:path": _pick("t.gr", "t.npz", "t.el"),
    "write:format": _pick(None, "npz", "edge_list"),
    "read:path": _pick("g.csv", "g.gr", "g.npz", "g.wph"),
    "read:directed": _pick(*(None, False, True)),
    "read:source": _pick(None, 0),
    "read:target": _pick(None, 1),
    "format": _pick(None, "csv"),
    "weight": _pick(None, 2),
    "ids": _pick("auto", "numbers"),
    "component": _pick(None, "largest", "strong"),
    "Route.attribute:name": _pick("street", "length"),
    "along": _pick((), ["length"]),
    **dict.fromkeys(("geometry", "multigraph"), _FLAG),
    "quantity": lambda subject, _: subject.graph._solver_weights,
    "what": _pick("vertices"),
    "names": lambda subject, _: subject.results[wp.Route].indices.tolist(),
    "crs": _pick("auto", None, "EPSG:4326"),
    "kind": _pick("polygons", "edges", "vertices"),
    "resolution": _pick(None, 0.5, 1),
    "to_numpy:unreachable": _pick(-1, 1e9),
    "dijkstra_edges": _pick(None, 5),
    "seconds": _pick(None, 0.5),
    **dict.fromkeys(("long", "escape_formulas", "legs"), _FLAG),
    # Generators.
    **{
        f"{name}:{each}": maker
        for name in wp.generate.GENERATORS
        for each, maker in (("n", _COUNT), ("weights", _RANGE), ("dtype", _pick(None)))
    },
    "road:degree": _pick(2, 2.5, 4),
    "small_world:degree": _pick(2, 4),
    **dict.fromkeys(("rows", "columns"), _COUNT),
    **dict.fromkeys(("degree", "out_degree", "edge_factor", "scale"), _pick(0, 3)),
    **dict.fromkeys(("a", "b", "c", "drop", "density", "rewire"), _SHARE),
    **dict.fromkeys(("unique", "permute", "diagonal"), _FLAG),
    **dict.fromkeys(("seed", "trip"), _pick(0, 1)),
}
#: Makers of the options that signatures do not list.
_OPTIONS: dict[str, dict[str, Maker]] = {
    "Graph.of": _ATTRIBUTES | {"n": _pick(3, 5), "zero": _pick(None, "edge", "no_edge")},
    **dict.fromkeys(("from_edges", "from_labelled_edges", "from_csr"), _ATTRIBUTES),
    "plot": _LOOK | {"dpi": _pick(50), "ends": _pick(("a", "b"))},
    "save_html": _LOOK | {"file_ids": _FLAG},
    "explore": _LOOK,
    "read": {"delimiter": _pick(","), "skip_lines": _pick(0, 1)},
    "write": {"labels": _pick("keep", "drop")},
}
#: Methods that only warpath calls.
_LEFT_OUT = {"DistanceTable.on_host", "Trace.add", "Trace.add_rows"}
_WEIGHTS = {
    "sssp": 5, "distances": 4, "path": 3, "of": 4, "read": 2, "from_edges": 2, "from_csr": 2,
    "path_to": 2, "save": 0.3, "to_pandas": 0.1, "to_geodataframe": 0.1, "save_html": 0.05,
    "plot": 0.02, "explore": 0.02, "load": 0.5, "prepare": 0.5, "Place": 0.3,
}  # fmt: skip


@functools.cache
def subjects() -> list[Subject]:
    """Return small graphs of all kinds with their results."""
    edges = [(0, 1, 2), (1, 2, 5), (0, 2, 9), (2, 3, 1), (3, 0, 4), (1, 1, 0), (3, 4, 0)]
    plain = wp.Graph.of(edges, n=6)
    points = np.array([(0, 0), (1, 0), (1, 1), (0, 2), (3, 3), (4, 4)], float)
    objects = np.empty(6, object)
    objects[:] = [(0, 1), None, "c", 4, 0.5, b"x"]

    def with_attributes(**attributes: Any) -> wp.Graph:
        return wp.Graph(plain.indptr, plain.indices, plain.weights, **attributes)

    table = dict(zip(("source", "target", "weight"), zip(*edges, strict=True), strict=True))
    columns = table | {"street": list("aabcc d"), "length": [1.5] * 7}
    graphs = {
        "int32": plain,
        "streets": wp.Graph.of(columns, attributes="all", coordinates=points[:5]),
        "int64": plain.astype(np.int64),
        "float32": plain.astype(np.float32),
        "float64": plain.astype(np.float64).with_coordinates(points),
        "weights of 1": plain.with_weights(None),
        "texts": with_attributes(labels=["a", "b", "c", "d", "e", "f"]),
        "numbers": with_attributes(labels=[9, 7, 5, 3, 1, -1]),
        "objects": with_attributes(labels=objects),
        "closed": with_attributes(first_through=2),
        "raster": wp.Graph.of_raster([[1, 2, 9], [3, 0, 1]]),
        "on a map": wp.generate.grid(3, 3, weights=(1, 5)),
        "undirected": wp.Graph.of(edges, directed=False, coordinates=points[:5]),
        "negative": wp.Graph.of([(0, 1, -2), (1, 2, 5), (0, 2, 9.5)], n=4),
        "negative cycle": wp.Graph.of([(0, 1, -2), (1, 0, 1), (2, 0, 1)]),
        "wide": plain.with_weights(np.full(plain.m, 2**61) + np.arange(plain.m)),
        "large floats": plain.with_weights(np.full(plain.m, 1e308)),
        "tiny floats": plain.with_weights(np.full(plain.m, 5e-324)),
        "no vertices": wp.Graph.of([]),
        "one vertex": wp.Graph.of([], n=1),
    }
    return [_subject(name, graph) for name, graph in graphs.items()]


def _subject(name: str, graph: wp.Graph) -> Subject:
    """Return a graph with all results that it has."""
    found: dict[type, Any] = {wp.Graph: graph}
    ends = graph.label_of(np.array([0, min(3, graph.n - 1)])).tolist() if graph.n else [None] * 2
    makers: tuple[Callable[[], Any], ...] = (
        lambda: wp.sssp(graph, ends[0]),
        lambda: wp.apsp(graph),
        lambda: wp.path(graph, *ends),
        lambda: wp.path(graph, *ends).legs,
        lambda: wp.within(graph, ends[0], [3, 8]),
        lambda: wp.nearest(graph, ends[:1]),
        lambda: wp.pairs(graph, ends[:1] * 2, ends),
        lambda: wp.Solver(graph).scenarios([graph._solver_weights]),
        lambda: found[wp.Scenarios].pairs(ends[:1] * 2, ends),
        lambda: wp.accessibility(graph, ends[:1], [3, 9]),
        lambda: wp.totals(graph, "sum"),
        lambda: wp.centrality.betweenness(graph),
        lambda: wp.plan(graph, ends[0]),
        lambda: wp.DynamicPaths(graph, ends[0]).insert([(ends[0], ends[1])], [1]),
        lambda: wp.sssp(graph, ends[0], algorithm="martin2009.f_cpu", trace=True).trace,
    )
    for make in makers:
        try:
            made = make()
        except wp.WarpathError:  # the graph has no such result
            continue
        found[type(made)] = made
    return Subject(name, graph, found)


@functools.cache
def enter_folder() -> set[Path]:
    """Change to a new folder with files of all kinds, and return them; limit the memory of calls.

    Larger requests are refused before they start, so that trials stay short.
    """
    os.environ["WARPATH_MEMORY"] = "64M"
    folder = tempfile.mkdtemp(prefix="warpath-hunt-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    for name in ("folder", "folder.csv", "folder.npy", "folder.npz", "folder.png"):
        Path(name).mkdir()
    Path("g.csv").write_text("0,1,2\n1,2,5\n", encoding="ascii")
    Path("names.csv").write_text("a,b,2\nb,c,5.5\n", encoding="ascii")
    Path("trips.csv").write_text("origin,destination\n0,1\n2,0\n", encoding="ascii")
    Path("empty.csv").touch()
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5), (2, 0, 1)])
    wp.write(graph, "g.gr")
    wp.write(graph, "g.npz")
    wp.write(wp.generate.grid(3, 3, weights=(1, 5)), "map.npz")
    wp.prepare(graph).save("g.wph")
    wp.apsp(graph).save("t.npy")
    paths = wp.sssp(graph, 0, algorithm="classic.dijkstra", trace=True)
    paths.save("p.npz")
    assert paths.trace is not None
    paths.trace.save("r.jsonl")
    return set(Path().iterdir())


def empty_folder() -> None:
    """Remove the files of earlier trials from the folder."""
    kept = enter_folder()
    for path in set(Path().iterdir()) - kept:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
