"""The peers that run in this process, each called as its documentation advises."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.calls import sssp
from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, require
from warpath_bench.workloads import source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_PANDANA_END = 2**31 / 1000  # thousandths in 32 bits; beyond, its contraction never ends


@dataclass(frozen=True)
class Peer:
    """A package that solves from one source.

    Attributes
    ----------
    name, package : its name in tables, and the name of its module.
    prepare : converts our graph to the package's graph.
    solve : (its graph, source) -> the package's result; this is timed.
    answer : (result, n) -> (n,) distances; inf or the type's largest number for unreached vertices.
    build_us : microseconds per edge of `prepare`, as measured once, to skip conversions that would
        take far longer than the benchmark.
    tree : as `solve`, with predecessors; None if the package does not compute them.
    """

    name: str
    package: str
    prepare: Callable[[Graph], Any]
    solve: Callable[[Any, int], Any]
    answer: Callable[[Any, int], Array]
    build_us: float
    tree: Callable[[Any, int], Any] | None = None

    @property
    def installed(self) -> bool:
        """Whether the package is installed."""
        return find_spec(self.package) is not None


def chosen(names: Sequence[str] | None) -> list[Peer]:
    """Return the peers of these names, or all that are installed.

    Raises
    ------
    InputError
        If there is no peer of a name.
    MissingDependencyError
        If a requested peer is not installed; with the command that installs it.
    """
    if names is None:
        return [peer for peer in PEERS if peer.installed]
    known = {peer.name.lower(): peer for peer in PEERS}
    found = []
    for name in names:
        if name.lower() not in known:
            every = ", ".join(peer.name for peer in PEERS)
            msg = f"there is no peer {name!r}: there are {every}; a command joins by --external."
            raise InputError(msg)
        peer = known[name.lower()]
        if not peer.installed:
            require(peer.package, what=f"The peer {peer.name}")
        found.append(peer)
    return found


def _scipy_of(graph: Graph) -> Any:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    # Unchanged rows: SciPy's Dijkstra also treats parallel edges and explicit zeros as edges.
    parts = graph._solver_weights.astype(np.float64), graph.indices, graph.indptr
    return dijkstra, csr_array(parts, shape=(graph.n, graph.n))


def igraph_of(graph: Graph) -> Any:
    """Return a graph of igraph, and the name of its weights; None without."""
    import igraph

    src, dst, weights = graph.edges()
    # igraph reads pairs of Python's integers in half the time of an array.
    ends = zip(src.tolist(), dst.tolist(), strict=True)
    made = igraph.Graph(n=graph.n, edges=ends, directed=True)
    made.es["weight"] = weights.tolist()
    return made, None if graph.weights is None else "weight"


def networkit_of(graph: Graph) -> Any:
    """Return the search of NetworKit that fits, and its graph."""
    import networkit

    src, dst, weights = graph.edges()
    # NetworKit's type of nodes; it crashes on other types.
    ends = src.astype(np.uint64), dst.astype(np.uint64)
    parts: Any = ends if graph.weights is None else (weights.astype(np.float64), ends)
    made = networkit.GraphFromCoo(
        parts, n=graph.n, weighted=graph.weights is not None, directed=True
    )
    # Importing this in each call would take a fifth of a call's time on a tiny graph.
    return networkit.distance.Dijkstra if made.isWeighted() else networkit.distance.BFS, made


def _networkit(prepared: Any, source: int, *, tree: bool = False) -> Any:
    search, made = prepared
    return search(made, source, storePaths=tree).run().getDistances(asarray=True)


def _rustworkx_of(graph: Graph) -> Any:
    import rustworkx

    made = rustworkx.PyDiGraph()
    made.add_nodes_from(range(graph.n))
    src, dst, weights = graph.edges()
    floats = weights.astype(np.float64)
    made.add_edges_from(list(zip(src.tolist(), dst.tolist(), floats.tolist(), strict=True)))
    return rustworkx.dijkstra_shortest_path_lengths, made


def _rustworkx_answer(found: Any, n: int) -> Array:
    source, lengths = found
    return _of_mapping(dict(lengths) | {source: 0.0}, n)


def _of_mapping(lengths: Any, n: int) -> Array:
    dist = np.full(n, np.inf)
    count = len(lengths)
    vertices = np.fromiter(lengths.keys(), np.int64, count)
    dist[vertices] = np.fromiter(lengths.values(), np.float64, count)
    return dist


def _networkx_of(graph: Graph) -> Any:
    import networkx as nx

    src, dst, weights = graph.edges()
    order = np.lexsort((-weights, dst, src))  # of parallel edges the last one stays: the lightest
    made = nx.DiGraph()
    made.add_nodes_from(range(graph.n))
    columns = (column[order].tolist() for column in (src, dst, weights))
    made.add_weighted_edges_from(zip(*columns, strict=True))
    return nx, made


@contextmanager
def _hushed() -> Iterator[None]:
    """Redirect C++ output from stdout to stderr in the body: stdout is for the tables."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _pandana_of(graph: Graph) -> Any:
    dist = sssp(graph, source_of(graph)).dist
    farthest = dist[dist != unreachable(dist.dtype)].max()
    if farthest >= _PANDANA_END:
        msg = f"pandana's distances end at {_PANDANA_END:,.0f}; here one is {farthest:,.0f}."
        raise OverflowError(msg)
    import pandana
    import pandas as pd

    vertices = pd.Series(np.arange(graph.n))
    src, dst, weights = graph.edges()
    edges = pd.DataFrame({"weight": weights.astype(np.float64)})
    with _hushed():
        made = pandana.Network(
            vertices, vertices, pd.Series(src), pd.Series(dst), edges, twoway=False
        )
    return made, list(range(graph.n))  # the targets


def _cugraph_of(graph: Graph) -> Any:
    import cudf
    import cugraph

    src, dst, weights = graph.edges()
    table = cudf.DataFrame({"src": src, "dst": dst, "weight": weights.astype(np.float64)})
    made = cugraph.Graph(directed=True)
    made.from_cudf_edgelist(table, "src", "dst", "weight", renumber=False)
    return cugraph.sssp, made


def _cugraph_answer(found: Any, n: int) -> Array:
    dist = np.full(n, np.inf)
    values = found["distance"].to_numpy()
    dist[found["vertex"].to_numpy()] = np.where(values == unreachable(values.dtype), np.inf, values)
    dist[dist == np.finfo(np.float64).max] = np.inf
    return dist


def _array(found: Any, _n: int) -> Array:
    """Return distances with inf in place of the packages' marks of no path."""
    dist = np.array(found, np.float64).reshape(-1)
    dist[dist == np.finfo(np.float64).max] = np.inf
    return dist


def _pandana_answer(found: Any, n: int) -> Array:
    dist = _array(found, n)
    dist[dist >= 4294967.295] = np.inf  # the package's "no path": the largest of 32 bits, over 1000
    return dist


#: All peers, in the order of tables. igraph and rustworkx return whole paths, not predecessors.
PEERS: tuple[Peer, ...] = (
    Peer(
        "SciPy",
        "scipy",
        _scipy_of,
        lambda made, source: made[0](made[1], indices=source),
        _array,
        0.01,
        lambda made, source: made[0](made[1], indices=source, return_predecessors=True)[0],
    ),
    Peer(
        "igraph",
        "igraph",
        igraph_of,
        lambda made, source: made[0].distances(source, weights=made[1]),
        _array,
        0.5,
    ),
    Peer(
        "NetworKit",
        "networkit",
        networkit_of,
        _networkit,
        _array,
        0.1,
        partial(_networkit, tree=True),
    ),
    Peer(
        "rustworkx",
        "rustworkx",
        _rustworkx_of,
        lambda made, source: (source, made[0](made[1], source, float)),
        _rustworkx_answer,
        0.5,
    ),
    Peer(
        "NetworkX",
        "networkx",
        _networkx_of,
        lambda made, source: made[0].single_source_dijkstra_path_length(made[1], source),
        _of_mapping,
        3.0,
        lambda made, source: made[0].dijkstra_predecessor_and_distance(made[1], source)[1],
    ),
    Peer(
        "pandana",
        "pandana",
        _pandana_of,
        lambda made, source: made[0].shortest_path_lengths([source] * len(made[1]), made[1]),
        _pandana_answer,
        40.0,
    ),
    Peer(
        "cuGraph",
        "cugraph",
        _cugraph_of,
        lambda made, source: made[0](made[1], source),
        _cugraph_answer,
        0.1,
        lambda made, source: made[0](made[1], source),
    ),
)
