"""The public calls of warpath, with valid values of each parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import warpath as wp
from warpath.recipes.axes import Direction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Maker = Callable[["Subject", np.random.Generator], Any]


@dataclass
class Subject:
    """A small graph and its results; None for results that the graph does not have."""

    name: str
    graph: wp.Graph
    tree: wp.Paths | None
    table: wp.DistanceTable | None
    route: wp.Route | None
    within: wp.Within | None
    nearest: wp.Nearest | None
    trace: wp.Trace | None


class Call(NamedTuple):
    """A public function or method, bound to a subject when it is called.

    Attributes
    ----------
    name : the call as a user writes it.
    function : takes the subject, then keyword arguments.
    params : makers of valid values by parameter; those before "?" are required.
    needs : the attribute of the subject that must not be None.
    weight : how often the call is drawn, relative to the others.
    """

    name: str
    function: Callable[..., Any]
    params: dict[str, Maker]
    needs: str = "graph"
    weight: float = 1.0


def _pick(*values: Any) -> Maker:
    return lambda _, rng: values[rng.integers(len(values))]


def _middle(_sources: Any, distances: Any) -> Any:
    """Return a number for each row of a block of distances."""
    return np.sort(distances, axis=1)[:, distances.shape[1] // 2]


def _vertex(subject: Subject, rng: np.random.Generator) -> Any:
    graph = subject.graph
    if not graph.n:
        return 0
    at = int(rng.integers(graph.n))
    return at if graph.labels is None else graph.labels.tolist()[at]


def _vertices(subject: Subject, rng: np.random.Generator) -> Any:
    return [_vertex(subject, rng) for _ in range(rng.integers(1, 4))]


def _two_vertices(subject: Subject, rng: np.random.Generator) -> Any:
    return [_vertex(subject, rng), _vertex(subject, rng)]


def _weights(subject: Subject, rng: np.random.Generator) -> Any:
    count = subject.graph.m
    return [None, "euclidean", np.ones(count, np.int32), np.full(count, 0.5)][rng.integers(4)]


_ONE_SOURCE = ["auto", *(r.name for r in wp.algorithms() if "cpu" in r.devices)]
_GRAPH: Maker = lambda subject, _: subject.graph  # noqa: E731
_FLAG = _pick(*(False, True))
_ORDER = _pick("edges", "input")
_MAYBE = _pick(*(None, False, True))
_ALGORITHM: Maker = lambda _, rng: _ONE_SOURCE[rng.integers(len(_ONE_SOURCE))]  # noqa: E731
_DEVICE = _pick("auto", "cpu")
_THREADS = _pick(None, 1, 2)
_PARAMS: Maker = lambda _, rng: [None, {}, {"delta": 3}, {"delta": 0.5}][rng.integers(4)]  # noqa: E731
_CUTOFF = _pick(None, 0, 3, 7.5, 2**40, 1e12)
_DTYPE = _pick(None, "int32", np.int64, np.float64)
_MISSING = _pick("raise", "flag")
_PROGRESS = _pick(*(None, False), lambda done, total: None)  # noqa: ARG005
_SOLVING = {
    "algorithm": _ALGORITHM,
    "device": _DEVICE,
    "threads": _THREADS,
    "params": _PARAMS,
    "progress": _PROGRESS,
}
_TABLE = _SOLVING | {
    "dist_dtype": _DTYPE,
    "predecessors": _FLAG,
    "out": _pick(None, "t.npy", lambda rows, values: None),  # noqa: ARG005
    "trace": _FLAG,
}
_PLOT = {"title": _pick(None, "t"), "theme": _pick("light", "dark"), "dpi": _pick(50)}
_DRAWN = {"path": _pick(None, "t.png")} | _PLOT
_PAGE = {"path": _pick("t.html"), "?": _FLAG, "title": _pick(None, "t"),
         "theme": _pick("light", "dark"), "file_ids": _FLAG}  # fmt: skip
_ATTRIBUTES = {
    "directed": _FLAG,
    "labels": _pick(None, ["x", "y", "z"]),
    "id_base": _pick(0, 1),
    "coordinates": _pick(None, [(0, 0), (1, 0), (0, 1)]),
    "first_through": _pick(0, 1),
    "name": _pick(None, "n"),
    "shapes": _pick(None),
    "given": _pick(None),
}
_SEED = _pick(0, 1)
_RANGE = _pick(None, (1, 5), (0.0, 1.0))
_DRAWN_WEIGHTS = {"weights": _RANGE, "dtype": _pick(None), "seed": _SEED}


def _method(attribute: str, name: str) -> Callable[..., Any]:
    return lambda subject, **given: getattr(getattr(subject, attribute), name)(**given)


def _get(attribute: str) -> Callable[..., Any]:
    return lambda subject, key: getattr(subject, attribute)[key]


def _free(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, **given: function(**given)


def _generators() -> list[Call]:
    count = _pick(0, 1, 5, 12)
    share = _pick(0.0, 0.5, 1.0)
    own: dict[str, dict[str, Maker]] = {
        "random_in_degree": {"n": count, "?": count, "degree": _pick(0, 3)},
        "uniform": {"n": count, "?": count, "out_degree": _pick(0, 3)},
        "rmat": {
            "scale": _pick(0, 3),
            "?": count,
            "edge_factor": _pick(0, 2),
            "a": share,
            "b": share,
            "c": share,
            "directed": _FLAG,
            "unique": _FLAG,
            "permute": _FLAG,
        },
        "kronecker": {"scale": _pick(0, 3), "?": count, "edge_factor": _pick(0, 2)},
        "grid": {"rows": count, "columns": count, "?": count, "diagonal": _FLAG, "drop": share},
        "road": {"n": count, "?": count, "degree": _pick(2, 2.5, 4)},
        "delaunay": {"n": count, "?": count},
        "small_world": {"n": _pick(0, 12), "?": count, "degree": _pick(2, 4), "rewire": share},
        "dense": {"n": count, "?": count, "density": share},
        "complete": {"n": count, "?": count},
    }
    return [
        Call(f"generate.{name}", _free(getattr(wp.generate, name)), params | _DRAWN_WEIGHTS)
        for name, params in own.items()
    ]


def _of_graphs() -> list[Call]:
    return [
        Call("Graph.of", _free(wp.Graph.of), {"data": _pick([(0, 1, 2), (1, 2, 3)]), "?": _FLAG,
             "n": _pick(3, 5), **_ATTRIBUTES}, weight=4),
        Call("Graph.of matrix", _free(wp.Graph.of),
             {"data": _pick(np.ones((3, 3))), "?": _FLAG, "zero": _pick(None, "edge", "no_edge"),
              **_ATTRIBUTES}),
        Call("Graph.from_edges", _free(wp.Graph.from_edges),
             {"src": _pick([0, 1]), "dst": _pick([1, 2]), "?": _FLAG,
              "weights": _pick(None, [1, 2]), "n": _pick(None, 3), "keep_rows": _FLAG,
              **_ATTRIBUTES}, weight=3),
        Call("Graph.from_labelled_edges", _free(wp.Graph.from_labelled_edges),
             {"src": _pick([0, 1], ["a", "b"]), "dst": _pick([1, 2], ["b", "c"]), "?": _FLAG,
              "weights": _pick(None, [1, 2]), **_ATTRIBUTES}, weight=2),
        Call("Graph.from_csr", _free(wp.Graph.from_csr),
             {"indptr": _pick([0, 1, 2, 2]), "indices": _pick([1, 2]), "?": _FLAG,
              "weights": _pick(None, [1, 2]), **_ATTRIBUTES}, weight=3),
        Call("graph.to", _method("graph", "to"), {"device": _pick("cpu")}),
        Call("graph.subgraph", _method("graph", "subgraph"), {"vertices": _vertices}),
        Call("graph.with_weights", _method("graph", "with_weights"),
             {"weights": _weights, "?": _FLAG, "order": _ORDER}),
        Call("graph.with_coordinates", _method("graph", "with_coordinates"),
             {"coordinates": _pick(None)}),
        Call("graph.astype", _method("graph", "astype"), {"dtype": _pick("float64", np.int64)}),
        Call("graph.index_of", _method("graph", "index_of"), {"vertices": _vertices}, weight=2),
        Call("graph.nearest_vertex", _method("graph", "nearest_vertex"),
             {"lon": _pick(0.5, [1, 2]), "lat": _pick(0.5, [1, 2]), "?": _FLAG,
              "within": _pick(None, 5, 1e9), "with_distance": _FLAG}),
        Call("Place", _free(wp.Place),
             {"lon": _pick(0.5, 1), "lat": _pick(0.5), "?": _FLAG, "within": _pick(None, 5),
              "name": _pick(None, "p"), "snap": _pick("edge", "vertex")}, weight=0.3),
        Call("graph.label_of", _method("graph", "label_of"), {"indices": _pick(0, [0, 1])}),
        Call("graph.facts", _method("graph", "facts"), {"?": _FLAG, "symmetry": _FLAG}),
        Call("write", _free(wp.write), {"graph": _GRAPH, "path": _pick("t.gr", "t.npz", "t.el"),
             "?": _FLAG, "format": _pick(None, "npz", "edge_list"),
              "labels": _pick("keep", "drop")}),
        Call("read", _free(wp.read), {"path": _pick("g.csv", "g.gr", "g.npz", "g.wph"), "?": _FLAG,
             "format": _pick(None, "csv"), "directed": _MAYBE, "weight": _pick(None, 2),
             "source": _pick(None, 0), "target": _pick(None, 1),
             "ids": _pick("auto", "numbers"), "coordinates": _pick(None),
             "component": _pick(None, "largest", "strong"), "member": _pick(None),
             "progress": _PROGRESS}, weight=2),
    ]  # fmt: skip


def _of_results() -> list[Call]:
    to_file = {"path": _pick("t.csv", "t.npz", "t.parquet")}
    return [
        *(Call(f"{name}.save_html", _method(attribute, "save_html"), _PAGE, attribute, 0.1)
          for name, attribute in (("route", "route"), ("paths", "tree"), ("within", "within"),
                                  ("nearest", "nearest"))),
        Call("paths.path_to", _method("tree", "path_to"), {"target": _vertex}, "tree", 3),
        Call("paths[...]", _get("tree"), {"key": _vertex}, "tree", 2),
        Call("paths.save", _method("tree", "save"), to_file, "tree", 0.3),
        Call("Paths.load", _free(wp.Paths.load), {"graph": _GRAPH, "path": _pick("p.npz")},
             weight=0.5),
        Call("paths.plot", _method("tree", "plot"), {"?": _FLAG, "route": _vertex, **_DRAWN},
             "tree", 0.02),
        Call("table.path", _method("table", "path"), {"source": _vertex, "target": _vertex},
             "table", 3),
        Call("table.paths_from", _method("table", "paths_from"), {"source": _vertex}, "table", 2),
        Call("table.to_pandas", _method("table", "to_pandas"), {"?": _FLAG, "long": _FLAG},
             "table", 0.1),
        Call("table.save", _method("table", "save"), {**to_file, "?": _FLAG, "long": _FLAG},
             "table", 0.3),
        Call("route.along", _method("route", "along"),
             {"quantity": lambda subject, _: subject.graph.solver_weights}, "route", 0.1),
        Call("route.to_geodataframe", _method("route", "to_geodataframe"),
             {"?": _FLAG, "legs": _FLAG, "crs": _pick("auto", None, "EPSG:4326")}, "route", 0.1),
        Call("route.plot", _method("route", "plot"), {"?": _FLAG, "ends": _FLAG, **_DRAWN},
             "route", 0.02),
        Call("within.path_to", _method("within", "path_to"), {"vertex": _vertex}, "within"),
        Call("within.save", _method("within", "save"), to_file, "within", 0.3),
        Call("within.to_geodataframe", _method("within", "to_geodataframe"),
             {"?": _FLAG, "kind": _pick("polygons", "edges", "vertices"),
              "crs": _pick("auto", None), "resolution": _pick(None, 0.5, 1)}, "within", 0.1),
        Call("within.plot", _method("within", "plot"), {"?": _FLAG, **_DRAWN}, "within", 0.02),
        Call("nearest.save", _method("nearest", "save"), to_file, "nearest", 0.3),
        Call("nearest.to_geodataframe", _method("nearest", "to_geodataframe"),
             {"?": _FLAG, "crs": _pick("auto", None)}, "nearest", 0.1),
        Call("nearest.plot", _method("nearest", "plot"), {"?": _FLAG, **_DRAWN}, "nearest", 0.02),
        Call("trace.save", _method("trace", "save"), {"path": _pick("t.jsonl")}, "trace", 0.3),
        Call("Trace.load", _free(wp.Trace.load), {"path": _pick("r.jsonl")}, weight=0.5),
        Call("trace.totals", _method("trace", "totals"),
             {"?": _FLAG, "dijkstra_edges": _pick(None, 5), "seconds": _pick(None, 0.5)}, "trace"),
        Call("algorithms()[...]", lambda _, key: wp.algorithms()[key],
             {"key": _pick("classic.dijkstra", 0)}),
    ]  # fmt: skip


def _solving_calls() -> list[Call]:
    """Return the calls that solve and `plan`: functions, and methods of `Solver`."""
    one = {"source": _vertex}
    plan = {key: _SOLVING[key] for key in ("algorithm", "device", "threads", "params")}
    path = {key: _SOLVING[key] for key in ("algorithm", "device", "threads", "progress")}
    several = {"sources": _vertices, "?": _FLAG, "targets": _pick(None), "cutoff": _CUTOFF}
    own: dict[str, tuple[float, dict[str, Maker]]] = {
        "sssp": (8, {**one, "?": _FLAG, **_SOLVING, "cutoff": _CUTOFF, "dist_dtype": _DTYPE,
                     "trace": _FLAG}),
        "path": (4, {**one, "target": _vertex, "?": _FLAG, **path}),
        "plan": (3, {"?": _FLAG, "source": _vertex, "sources": _vertices, "targets": _vertices,
                     "target": _vertex, **plan}),
        "distances": (6, {**several, **_TABLE, "missing": _MISSING}),
        "pairs": (3, {"origins": _two_vertices, "destinations": _two_vertices, "?": _FLAG, **path,
                      "dist_dtype": _DTYPE, "missing": _MISSING}),
        "apsp": (3, {"?": _FLAG, **_TABLE}),
        "totals": (2, {"reduce": _pick("sum", ["max", "count"], "harmonic", _middle), "?": _FLAG,
                       **{key: several[key] for key in ("sources", "targets", "cutoff")},
                       **_SOLVING, "missing": _MISSING}),
        "eccentricity": (1, {"?": _FLAG, "sources": _vertices, **_SOLVING}),
        "diameter": (0.5, {"?": _FLAG, **_SOLVING}),
        "radius": (0.5, {"?": _FLAG, **_SOLVING}),
        "center": (0.5, {"?": _FLAG, **_SOLVING}),
        "nearest": (3, {"facilities": _vertices, "?": _FLAG, "reverse": _FLAG, **_SOLVING,
                        "cutoff": _CUTOFF, "dist_dtype": _DTYPE, "missing": _MISSING}),
        "within": (3, {"source": _vertices, "cutoff": _pick(0, 3, [2, 7.5]), "?": _FLAG,
                       "reverse": _FLAG, **_SOLVING}),
    }  # fmt: skip
    functions = [
        Call(name, _free(getattr(wp, name)), {"graph": _GRAPH, **params}, weight=weight)
        for name, (weight, params) in own.items()
    ]
    made = Call(
        "Solver", _free(wp.Solver), {"graph": _GRAPH, "?": _FLAG, "prepared": _FLAG, **plan}
    )
    prepare = {key: _SOLVING[key] for key in ("device", "threads", "progress")}
    prepared = Call("prepare", _free(wp.prepare), {"graph": _GRAPH, "?": _FLAG, **prepare})
    options = {key: prepare[key] for key in ("threads", "progress")}
    load = {"path": _pick("g.wph"), "?": _FLAG, "graph": _pick(None, [(0, 1, 2), (1, 2, 5)])}
    loaded = Call("load", _free(wp.load), load | options)
    save = Call(
        "solver.save",
        lambda subject, path: wp.prepare(subject.graph).save(path),
        {"path": _pick("t.wph", "t.npz")},
        weight=0.3,
    )
    changed = Call(
        "solver.with_weights",
        lambda subject, **given: wp.prepare(subject.graph).with_weights(**given),
        {"weights": _weights, "?": _FLAG, "order": _ORDER, "progress": prepare["progress"]},
    )
    few = Call(
        "solver.with_changes",
        lambda subject, **given: wp.prepare(subject.graph).with_changes(**given),
        {"edges": _pick([0], [], [0, 0], [10**6]), "weights": _pick([5], [], [2.5], [-1]),
         "?": _FLAG, "progress": prepare["progress"]},
    )  # fmt: skip
    methods = [
        Call(f"solver.{name}", _solver(name), _without(params, plan), weight=weight / 4)
        for name, (weight, params) in own.items()
    ]
    return [*functions, made, prepared, loaded, save, changed, few, *methods]


def _changing_calls() -> list[Call]:
    """Return the calls of graphs whose edges change."""
    edges = {"edges": _pick([(0, 1)], ([0, 1], [1, 2]), [], [(0, 10**6)], (0, 1))}
    weights = {"weights": _pick([5], [2, 7], [], 3, [2.5], [-1])}
    place = {"position": _pick(None, [0], [9])}
    sources: dict[str, Maker] = {"?": _FLAG, "sources": _pick(None), "algorithm": _pick("auto")}
    own: dict[str, dict[str, Maker]] = {
        "update": {**edges, **weights, "?": _FLAG, **place},
        "insert": {**edges, **weights},
        "delete": {**edges, "?": _FLAG, **place},
        "apply": {"batch": _pick([("insert", 0, 1, 4)], [("delete", 0, 1)], [], [("update", 0)])},
        "distances_to": {"targets": _vertices},
        "path_to": {"target": _vertex, "?": _FLAG, "source": _pick(None)},
        "undo": {},
    }
    edits = {"with_edges": {**edges, "?": _FLAG, **weights},
             "without_edges": {**edges, "?": _FLAG, **place}}  # fmt: skip
    return [
        Call("DynamicPaths", _free(wp.DynamicPaths),
             {"graph": _GRAPH, "source": _vertex, **sources, "threads": _pick(None, 1, 2),
              "algorithm": _pick("auto", "chan2009.dyndij", "khanda2022.batch", "none")}),
        Call("solver.dynamic", _solver("dynamic"), {"source": _vertex, **sources}),
        *(Call(f"live.{name}", _changing(name), params) for name, params in own.items()),
        *(Call(f"graph.{name}", _method("graph", name), params) for name, params in edits.items()),
    ]  # fmt: skip


def _changing(name: str) -> Callable[..., Any]:
    def call(subject: Subject, **given: Any) -> Any:
        live = wp.DynamicPaths(subject.graph, subject.graph.label_of([0]))
        return getattr(live, name)(**given)

    return call


def _solver(name: str) -> Callable[..., Any]:
    return lambda subject, **given: getattr(wp.Solver(subject.graph), name)(**given)


def _without(params: dict[str, Maker], options: dict[str, Maker]) -> dict[str, Maker]:
    """Return the parameters of a method: those of the function that are not the solver's."""
    return {name: maker for name, maker in params.items() if name not in options}


def calls() -> Sequence[Call]:
    """Return all calls."""
    verified = {"graph": _GRAPH, "result": lambda subject, _: subject.tree or subject.table}
    certified = {
        "graph": _GRAPH,
        "result": lambda subject, _: subject.tree.dist,
        "source": lambda subject, _: subject.tree.source,
        "?": _FLAG,
        "pred": lambda subject, _: subject.tree.pred,
        "tree": _pick("canonical", "any"),
        "unreachable": _pick(None, -1, 1e9),
    }
    frontier = wp.algorithms()["martin2009.f_cpu"]
    mine = frontier.but("martin2009.mine", "As u_cpu.", direction=Direction.PULL)
    return [
        *_solving_calls(),
        *_changing_calls(),
        Call("verify", _free(wp.verify), verified),
        Call("verify(array)", _free(wp.verify), certified, needs="tree"),
        Call("register", lambda _, **given: wp.register(**given), {"recipe": _pick(mine)}),
        *_of_graphs(),
        *_of_results(),
        *_generators(),
    ]
