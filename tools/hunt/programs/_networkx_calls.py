"""Random NetworkX graphs, and random arguments for every function of the backend."""

from __future__ import annotations

import inspect
import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np

from _warpath_nx import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)

ODD_NODES = ("a", "", (1, 2), (), frozenset([1]), 2.5, -1, 10**30, b"a", True, len, np.int64(7))

MISSING = object()  # the weight of an edge that has no such attribute

#: Sets of weights from which a graph's edges are drawn, by the kind of difficulty.
WEIGHTS: dict[str, tuple[Any, ...]] = {
    "small integers": (0, 1, 2, 3, 4),
    "decimals": (0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.5),
    "halves": (0.0, 0.5, 1.0, 1.5, 4.0),
    "missing": (MISSING,),
    "partly missing": (MISSING, MISSING, 1, 2, 0.5),
    "integers and floats": (0, 1, 2, 1.0, 2.0, 0.5, 0.1),
    "equal numbers of different types": (0, 0.0, False, 1, 1.0, True, np.int64(1), np.float64(1)),
    "negative integers": (-2, -1, 0, 1, 2, 3, 4, 5, 6, 7),
    "negative floats": (-0.3, -0.1, 0.1, 0.2, 0.7, 1.0, 2.5, 3.0),
    "negative halves": (-1.5, -0.5, 0.5, 1.0, 2.0, 4.0, 6.0),
    "rarely negative": (-1, *range(1, 30)),
    "hidden": (None, 1, 2, 0.5),
    "mostly hidden": (None, None, 1),
    "NumPy integers": (np.int8(100), np.uint8(200), np.int32(2**31 - 1), np.uint64(3), 1),
    "NumPy floats": (np.float64(0.1), np.float64(2.5), 0.2),
    "booleans": (True, False, np.True_, np.False_),
    "about 2**53": (2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 1),
    "about 2**53 and floats": (2**52, 2**53 + 1, 0.5, 1),
    "about 2**61": (2**61, 2**61 - 1, 2**60, 1, 0),
    "about 2**61, negative": (-(2**61), 2**61, -(2**60), 2**62, 1),
    "about 2**63": (2**63 - 1, 2**62, 2**62 + 1, 1),
    "about -2**63": (-(2**63), -(2**62), 2**63 - 1, 5),
    "about 2**63, rarely negative": (2**63 - 1, 2**63 - 2, -3, *range(1, 9)),
    "beyond 2**63": (2**63, 2**64, -(2**63) - 1, np.uint64(2**64 - 1), 10**400, 3),
    "huge floats": (1e308, 1.7e308, 9e307, 1e300, 1.0),
    "tiny floats": (5e-324, 1e-320, 2.2e-308, 1e-300, 0.0),
    "far apart": (1e16, 1.0, 1e-16, 3.0, 2.0**53),
    "minus zero": (-0.0, 0.0, 1.0),
    "not finite": (math.inf, -math.inf, math.nan, 1.0, 2),
    "fractions": (Fraction(1, 3), Fraction(1), 2),
    "decimal objects": (Decimal("0.1"), Decimal(1), 2),
    "strings": ("1", "x", 1),
    "other types": (np.float32(0.1), np.longdouble(1), 1j, [], (1,), 1, 1.0),
}
#: The kinds of weights that are drawn more often than the others.
COMMON = (
    "small integers",
    "decimals",
    "halves",
    "integers and floats",
    "negative integers",
    "partly missing",
    "rarely negative",
)


class Made(NamedTuple):
    """A random graph.

    Attributes
    ----------
    graph : the graph for warpath.
    reference : the same graph for NetworkX, with Python's numbers in place of NumPy's scalars,
        whose sums wrap around: an announced difference.
    what : the kind of weights, a key of `WEIGHTS`.
    """

    graph: Any
    reference: Any
    what: str


def made(random: Random) -> Made:
    """Return a random graph of up to 8 nodes, sometimes up to 30."""
    what = random.choice(COMMON) if random.random() < 0.4 else random.choice(list(WEIGHTS))
    n = random.randint(9, 30) if random.random() < 0.03 else random.randint(0, 8)
    names: list[Any] = list(range(n))
    if random.random() < 0.5:
        names = list(dict.fromkeys(random.sample([*names, *ODD_NODES], n)))
        if any(isinstance(name, np.integer) for name in names):  # tuple == integer is an array
            names = [name for name in names if not isinstance(name, tuple)]
    edges: list[tuple[Any, Any, Any]] = []
    if names:
        weights = WEIGHTS[what]
        edges += [
            (random.choice(names), random.choice(names), random.choice(weights))
            for _ in range(random.randint(0, 3 * n))
        ]
        if random.random() < 0.3:  # so that more graphs are connected
            ring = zip(names, [*names[1:], names[0]], strict=True)
            edges += [(u, v, random.choice(weights)) for u, v in ring]
    kind = random.choice(KINDS)
    graph = _graph(kind, names, edges)
    pythons = [(u, v, pythons_number(weight)) for u, v, weight in edges]
    same = all(mine[2] is theirs[2] for mine, theirs in zip(edges, pythons, strict=True))
    reference = graph if same else _graph(kind, names, pythons)
    if random.random() < 0.1:
        part = random.sample(names, random.randint(0, len(names)))
        view = random.choice(VIEWS)
        graph, reference = view(graph, part), view(reference, part)
    return Made(graph, reference, what)


def changed(random: Random, made: Made) -> bool:
    """Change an edge by the graph's methods; return False if the graph cannot be changed."""
    if nx.is_frozen(made.graph) or not len(made.graph):
        return False
    nodes = list(made.graph)
    u, v, weight = random.choice(nodes), random.choice(nodes), random.choice(WEIGHTS[made.what])
    removed = random.random() < 0.3 and made.graph.has_edge(u, v)
    graphs = [(made.reference, pythons_number(weight))]
    if made.graph is not made.reference:
        graphs.append((made.graph, weight))
    for graph, own in graphs:
        if removed:
            graph.remove_edge(u, v)
        else:
            put(graph, u, v, own)
    return True


def pythons_number(weight: Any) -> Any:
    """Convert a NumPy scalar to Python's number if warpath does so; else return it unchanged."""
    if isinstance(weight, bool | np.bool_ | np.integer):
        return int(weight)
    return float(weight) if isinstance(weight, np.float64) else weight


def put(graph: Any, u: Any, v: Any, weight: Any) -> None:
    """Add an edge, or set the weight of an existing one."""
    graph.add_edge(u, v, **({} if weight is MISSING else {"weight": weight}))


def _graph(kind: Any, names: list[Any], edges: list[tuple[Any, Any, Any]]) -> Any:
    graph = kind()
    graph.add_nodes_from(names)
    for edge in edges:
        put(graph, *edge)
    return graph


VIEWS: tuple[Callable[[Any, list[Any]], Any], ...] = (
    lambda graph, part: graph.subgraph(part),
    lambda graph, _part: nx.freeze(graph),
    lambda graph, _part: graph.reverse(copy=False) if graph.is_directed() else graph,
    lambda graph, _part: graph.to_directed(as_view=True),
    # An undirected view of a directed graph has other weights in the other direction.
    lambda graph, _part: graph if graph.is_directed() else graph.to_undirected(as_view=True),
)


class Arguments:
    """Draws arguments for calls on one graph.

    Attributes
    ----------
    weight : the weights of the last call: None, the name of an attribute or a function.
    """

    def __init__(self, random: Random, made: Made) -> None:
        self.random = random
        self.names = list(made.graph)
        self.graph = made.reference
        self.weight: Any = None

    def of(self, name: str) -> dict[str, Any]:
        """Return arguments of a function, without the graph; iterators are `Fresh` lists."""
        self.weight = None
        kwargs: dict[str, Any] = {}
        for parameter, default in PARAMETERS[name].items():
            if default is inspect.Parameter.empty or self.random.random() < 0.6:
                kwargs[parameter] = self._draw(name, parameter)
        if "weight" in kwargs:
            self.weight = kwargs["weight"]
        elif "distance" in kwargs:
            self.weight = kwargs["distance"]
        else:
            self.weight = PARAMETERS[name].get("weight")
        return kwargs

    def _draw(self, name: str, parameter: str) -> Any:
        if parameter == "sources" and name.startswith("multi_source"):
            return self._sources()
        return _DRAW[parameter](self)

    def bounded(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return arguments for NetworkX, with `usebounds` only if lengths count edges.

        With other weights the bounds are an announced difference, and the search may not end.
        """
        counted = self.weight is None or not self.names
        return kwargs | {"usebounds": False} if "usebounds" in kwargs and not counted else kwargs

    def node(self) -> Any:
        """Return a node, or sometimes a value that is not a node."""
        if self.names and self.random.random() < 0.93:
            return self.random.choice(self.names)
        return self.random.choice((0, 1, "none", 1.0, True, [], {}, None, math.nan, (1, [])))

    def perhaps(self) -> Any:
        """Return a node, or None."""
        return None if self.random.random() < 0.4 else self.node()

    def weights(self) -> Any:
        """Return a value of the parameter `weight`."""
        drawn = self.random.random()
        if drawn < 0.7:
            return "weight"
        if drawn < 0.8:
            return None
        if drawn < 0.84:
            return "another"
        if drawn < 0.85:
            return self.random.choice(("", 0, (), 1.5))
        return self.random.choice(FUNCTIONS_OF_EDGES)

    def cutoff(self) -> Any:
        """Return a value of the parameter `cutoff`."""
        if self.random.random() < 0.6:
            return self.random.choice((None, 0, 1, 2, 3, 0.3, 2.5, 1.0))
        return self.random.choice(CUTOFFS)

    def bunch(self) -> Any:
        """Return one node or a collection of nodes; some values are not nodes."""
        drawn = self.random.random()
        if drawn < 0.3:
            return self.node()
        nodes = [self.node() for _ in range(self.random.randint(0, 3))]
        if drawn < 0.6:
            return nodes
        if drawn < 0.7:
            return Fresh(nodes)
        if drawn < 0.9:
            return tuple(nodes)
        return self.random.choice((None, "ab", 5, (), {0: 1}, range(3), [[]]))

    def _sources(self) -> Any:
        drawn = self.random.random()
        nodes = [self.node() for _ in range(self.random.randint(1, 3))]
        if drawn < 0.7:
            return nodes
        if drawn < 0.8:
            return tuple(nodes)
        if drawn < 0.85:
            return Fresh(nodes)
        return self.random.choice(((), [], "a", 0, None, range(2), {0: 1, 1: 2}))

    def eccentricities(self) -> Any:
        """Return a value of the parameter `e`, the eccentricities."""
        drawn = self.random.random()
        if drawn < 0.5:
            return None
        if drawn < 0.9:
            return {name: self.random.choice((1, 2, 2.0)) for name in self.names}
        return self.random.choice(({}, 5, [1], {0: "a", 1: 2}))

    def lengths(self) -> Any:
        """Return a value of the parameter `sp`, the distances between all pairs."""
        drawn = self.random.random()
        if drawn < 0.5:
            return None
        if drawn < 0.8:
            return {u: {v: self.random.choice((0, 1, 2.0)) for v in self.names} for u in self.names}
        return self.random.choice(({}, {0: 5}, 5, dict.fromkeys(self.names, 1)))

    def listed(self) -> Any:
        """Return a value of the parameter `nodelist`, the order of a matrix."""
        drawn = self.random.random()
        if drawn < 0.7:
            return self.random.sample(self.names, len(self.names))
        nodes = [self.node() for _ in self.names]
        return self.random.choice((nodes, self.names[1:], None, (), 5, tuple(self.names)))


class Fresh(list[Any]):
    """Nodes that a call receives as an iterator, which can be read only once."""


def _code(node: Any) -> int:
    """Return a small number, the same for equal nodes."""
    return int(node) % 9 if isinstance(node, int | float | np.integer) else len(repr(node))


def _raising(_u: Any, _v: Any, data: Any) -> Any:
    return data["weight"]


def _by_name(u: Any, v: Any, _data: Any) -> Any:
    return (_code(u) + 2 * _code(v)) % 7


def _hiding(u: Any, v: Any, _data: Any) -> Any:
    return None if (_code(u) + _code(v)) % 3 == 0 else 0.5 + _code(u)


def _mixed(u: Any, v: Any, _data: Any) -> Any:
    return (1, 1.0, 2, 0.1)[(_code(u) + _code(v)) % 4]


def _negative(u: Any, v: Any, _data: Any) -> Any:
    return _code(u) - _code(v) + 1


def _huge(_u: Any, _v: Any, _data: Any) -> Any:
    return 2**61


def _first(_u: Any, _v: Any, data: Any) -> Any:
    return next(iter(data.values()), 2) if data else 3


#: Weight functions: of the nodes, of the data, of mixed types, hiding edges, and raising KeyError.
FUNCTIONS_OF_EDGES = (_raising, _by_name, _hiding, _mixed, _negative, _huge, _first)

CUTOFFS: tuple[Any, ...] = (
    -1, -0.5, math.nan, math.inf, -math.inf, 10**400, -(10**400), 1e308, 1e19, 2**53 + 1, 2**62,
    2**63, True, False, Fraction(1, 2), Decimal(2), "2", [], 1j, np.float64(1.5), np.int64(2),
    np.float32(0.3), np.int8(1), np.uint64(2**63), np.longdouble(1), np.bool_(1), -0.0, 5e-324,
)  # fmt: skip

_DRAW: dict[str, Callable[[Arguments], Any]] = {
    "source": Arguments.node,
    "target": Arguments.perhaps,
    "weight": Arguments.weights,
    "distance": Arguments.weights,
    "cutoff": Arguments.cutoff,
    "method": lambda self: self.random.choice(METHODS),
    "u": Arguments.perhaps,
    "v": Arguments.bunch,
    "nbunch": Arguments.bunch,
    "sources": Arguments.bunch,
    "e": Arguments.eccentricities,
    "sp": Arguments.lengths,
    "usebounds": lambda self: self.random.choice((True, False, 1)),
    "wf_improved": lambda self: self.random.choice((True, False, 0, "no")),
    "heuristic": lambda self: self.random.choice((None, None, True, False, lambda *_: 0)),
    "nodelist": Arguments.listed,
    "return_seen": lambda self: self.random.choice((True, False, None)),
}

METHODS: tuple[Any, ...] = (
    "dijkstra",
    "bellman-ford",
    "dijkstra",
    "bellman-ford",
    "unweighted",
    "floyd-warshall",
    "floyd-warshall-numpy",
    "x",
    None,
    [],
)


def _parameters(name: str) -> dict[str, Any]:
    parameters = list(inspect.signature(getattr(nx, name).orig_func).parameters.values())[1:]
    return {each.name: each.default for each in parameters}


#: The parameters of each function after the graph, with their defaults.
PARAMETERS = {name: _parameters(name) for name in FUNCTIONS}
NAMES = tuple(FUNCTIONS)


def opened(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with an iterator in place of each `Fresh` list."""
    return {
        key: iter(list(value)) if type(value) is Fresh else value for key, value in kwargs.items()
    }
