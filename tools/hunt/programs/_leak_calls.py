"""Calls of warpath, `warpath.csgraph` and the NetworkX backend that can be repeated many times."""

from __future__ import annotations

import contextlib
import importlib.util
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from warpath import csgraph
from warpath.recipes import CATALOGUE, Task

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Call = Callable[[], object]
    #: Makes a call from random numbers and a folder for its files.
    Maker = Callable[[np.random.Generator, Path], Call]

_ALGORITHMS = [r.name for r in CATALOGUE if "cpu" in r.devices and Task.SSSP in r.solves]
_KINDS = ("int32", "int64", "float32", "float64")
_SUFFIXES = (".gr", ".mtx", ".npz", ".gr.gz", ".gr.bz2", ".gr.xz", ".gr.zst")


class _Stop(BaseException):
    """The exception that a callback raises to end a call."""


def _edges(rng: np.random.Generator, largest: int = 300) -> tuple[Any, Any, Any, int]:
    n = int(rng.integers(2, largest))
    m = int(rng.integers(1, 5 * n))
    src, dst = rng.integers(0, n, (2, m))
    return src, dst, rng.integers(1, 1000, m).astype(str(rng.choice(_KINDS))), n


def _graph(rng: np.random.Generator, largest: int = 300) -> wp.Graph:
    *arrays, n = _edges(rng, largest)
    return wp.Graph.of(tuple(arrays), n=n)


def _solves(rng: np.random.Generator, _: Path) -> Call:
    graph, algorithm = _graph(rng), str(rng.choice(_ALGORITHMS))
    threads = int(rng.integers(1, 3))

    def call() -> None:
        with contextlib.suppress(wp.NotSupportedError, wp.InputError):
            found = wp.sssp(graph, 0, algorithm=algorithm, threads=threads)
            found.pred.sum()

    return call


def _solves_of_new_graphs(rng: np.random.Generator, _: Path) -> Call:
    *arrays, n = _edges(rng)

    def call() -> None:
        graph = wp.Graph.of(tuple(arrays), n=n)
        graph.facts()
        graph.reversed()
        wp.verify(graph, wp.sssp(graph, 0))

    return call


def _solves_with_new_options(rng: np.random.Generator, _: Path) -> Call:
    graph = _graph(rng)

    def call() -> None:
        delta = float(rng.integers(1, 10**6))
        params = {"delta": delta} if rng.random() < 0.5 else None
        algorithm = "classic.delta_stepping" if params else "auto"
        targets = rng.integers(0, graph.n, 2)
        wp.sssp(graph, 0, cutoff=float(rng.uniform(0, 5000)))
        wp.sssp(graph, int(rng.integers(graph.n)), algorithm=algorithm, params=params, threads=1)
        wp.distances(graph, [0], targets, cutoff=int(rng.integers(5000)))

    return call


def _tables(rng: np.random.Generator, _: Path) -> Call:
    graph, threads = _graph(rng, 80), int(rng.integers(1, 3))
    predecessors = bool(rng.integers(2))
    wanted = rng.integers(0, graph.n, 3)
    algorithm = str(rng.choice(["auto", "classic.floyd_warshall", "classic.johnson"]))

    def call() -> None:
        wp.distances(graph, wanted, wanted, threads=threads, predecessors=predecessors)
        table = wp.apsp(graph, algorithm=algorithm, threads=threads)
        next(iter(table.rows()))  # a generator that is abandoned
        wp.apsp(graph, out=lambda *_: None, threads=threads)

    return call


def _other_calls(rng: np.random.Generator, _: Path) -> Call:
    graph = _graph(rng)
    target = int(rng.integers(graph.n))

    def call() -> None:
        with contextlib.suppress(wp.NoPathError):
            list(wp.path(graph, 0, target))
        wp.plan(graph, 0)
        repr(wp.nearest(graph, [0, target]))
        repr(wp.within(graph, 0, 500))
        wp.sssp(graph, 0, trace=True, threads=1)
        pickle.loads(pickle.dumps(graph))  # noqa: S301 - its own
        graph.subgraph(range(graph.n // 2 + 1)).with_weights(None)

    return call


def _labels(rng: np.random.Generator, _: Path) -> Call:
    src, dst, weights, _n = _edges(rng, 60)
    edges = [(f"v{u}", f"v{v}", w) for u, v, w in zip(src, dst, weights.tolist(), strict=True)]

    def call() -> None:
        graph = wp.Graph.of(edges)
        found = wp.sssp(graph, edges[0][0])
        list(found.path_to(edges[0][1]))

    return call


def _files(rng: np.random.Generator, folder: Path) -> Call:
    graph, path = _graph(rng), folder / f"a{rng.choice(_SUFFIXES)}"
    if ".gr" in path.suffixes:  # the format holds integers only
        graph = graph.astype("int64")
    paths, result = wp.sssp(graph, 0), folder / f"b{rng.choice(['.npz', '.csv', '.parquet'])}"

    def call() -> None:
        wp.write(graph, path)
        wp.read(path)
        paths.save(result)

    return call


def _prepared_files(rng: np.random.Generator, folder: Path) -> Call:
    city, path = wp.prepare(wp.generate.road(int(rng.integers(2, 300)))), folder / "a.wph"
    targets = rng.integers(0, city.graph.n, 3)

    def call() -> None:
        city.save(path)
        wp.load(path).pairs([0, 0, 1], targets)
        wp.load(path, graph=city.graph, threads=1)
        path.write_bytes(path.read_bytes()[:-1])
        with contextlib.suppress(wp.GraphFormatError):
            wp.load(path)

    return call


def _files_in_blocks(rng: np.random.Generator, folder: Path) -> Call:
    graph, path = _graph(rng, 60), folder / "full.npy"

    def call() -> None:
        wp.apsp(graph, out=path)
        with contextlib.suppress(_Stop):
            wp.apsp(graph, out=folder / "stopped.npy", progress=_stop)
        for left in folder.glob("stopped.npy*"):
            left.unlink()

    return call


def _stop(*_: object) -> None:
    raise _Stop


def _errors(rng: np.random.Generator, folder: Path) -> Call:
    graph = _graph(rng)
    (folder / "bad.gr").write_text("p sp 3 2\na 1 2 5\na 1 9 5\n")
    (folder / "bad.npz").write_bytes(b"PK\x03\x04" + rng.bytes(200))
    (folder / "bad.gr.gz").write_bytes(b"\x1f\x8b\x08\x00" + rng.bytes(200))
    cycle = wp.Graph.of([(0, 1, -5), (1, 2, 2), (2, 0, 1)])
    large = wp.Graph.of([(0, 1, 2**62), (1, 2, 2**62)])
    found = wp.sssp(graph, 0)
    failing: list[Call] = [
        lambda: wp.sssp(graph, graph.n + 5),
        lambda: wp.sssp(graph, 0, algorithm="none"),
        lambda: wp.sssp(cycle, 0),
        lambda: wp.apsp(cycle),
        lambda: wp.sssp(large, 0),
        lambda: wp.path(wp.Graph.of([(0, 1, 1)], n=3), 0, 2),
        lambda: wp.Graph.of([(0, 1, float("nan"))]),
        lambda: wp.Graph.of([("a", 1), 5]),
        lambda: wp.read(folder / "bad.gr"),
        lambda: wp.read(folder / "bad.npz"),
        lambda: wp.read(folder / "bad.gr.gz"),
        lambda: wp.read(folder / "none"),
        lambda: wp.write(graph, folder / "none" / "a.gr"),
        lambda: wp.write(graph, folder / "a\0.gr"),
        lambda: wp.apsp(graph, out=folder / "none" / "a.npy"),
        lambda: wp.apsp(graph, out=_stop),
        lambda: wp.sssp(graph, 0, progress=_stop),
        lambda: wp.verify(cycle, found),
    ]
    chosen = [failing[at] for at in rng.choice(len(failing), 4, replace=False)]

    def call() -> None:
        for each in chosen:
            with contextlib.suppress(Exception, _Stop):
                each()

    return call


def _scipy_face(rng: np.random.Generator, _: Path) -> Call:
    scipy = importlib.import_module("scipy.sparse")
    src, dst, weights, n = _edges(rng, 100)
    matrix = scipy.csr_array((weights.astype(float), (src, dst)), shape=(n, n))
    dense = matrix.toarray()
    negative = np.array([[0, -2.0, 0], [0, 0, 1], [0.5, 0, 0]])
    method = str(rng.choice(["auto", "D", "BF", "J", "FW"]))
    directed = bool(rng.integers(2))

    def call() -> None:
        csgraph.shortest_path(matrix, method, directed=directed, return_predecessors=True)
        csgraph.dijkstra(matrix, indices=[0], limit=300.0, directed=directed)
        csgraph.dijkstra(matrix, indices=[0, 1], min_only=True, return_predecessors=True)
        csgraph.floyd_warshall(dense)
        csgraph.yen(matrix, 0, n - 1, 3)
        with contextlib.suppress(csgraph.NegativeCycleError):
            csgraph.bellman_ford(negative)

    return call


def _networkx_face(rng: np.random.Generator, _: Path) -> Call:
    nx = importlib.import_module("networkx")
    src, dst, weights, n = _edges(rng, 60)
    edges = list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))
    directed = bool(rng.integers(2))
    nx.config.warnings_to_ignore.add("cache")

    def call() -> None:
        graph = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_weighted_edges_from(edges)
        nx.single_source_dijkstra(graph, 0, backend="warpath")
        nx.shortest_path_length(graph, 0, backend="warpath")
        dict(nx.all_pairs_dijkstra_path_length(graph, backend="warpath"))
        next(iter(nx.all_pairs_dijkstra_path_length(graph, backend="warpath")))
        with contextlib.suppress(nx.NetworkXNoPath, nx.NodeNotFound):
            nx.dijkstra_path(graph, 0, n + 1, backend="warpath")

    return call


def makers() -> list[Maker]:
    """Return the makers of all kinds of calls whose packages are installed."""
    found: list[Maker] = [
        _solves,
        _solves,
        _solves_of_new_graphs,
        _solves_with_new_options,
        _tables,
        _other_calls,
        _labels,
        _files,
        _prepared_files,
        _files_in_blocks,
        _errors,
        _errors,
    ]
    if importlib.util.find_spec("scipy"):
        found.append(_scipy_face)
    if importlib.util.find_spec("networkx"):
        found.append(_networkx_face)
    return found
