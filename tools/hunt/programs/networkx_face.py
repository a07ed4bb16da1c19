"""The NetworkX backend against NetworkX itself: every function, with usual and odd arguments."""

from __future__ import annotations

import inspect
import math
import warnings
from collections import Counter, deque
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import islice, pairwise
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

import networkx as nx
import numpy as np
from networkx.algorithms.shortest_paths import weighted

from _warpath_nx import FUNCTIONS
from hunt.program import Counts, Finding, Program

if TYPE_CHECKING:
    from collections.abc import Callable

_CALLS = 30  # on one graph
_FEW = 8  # nodes between which all shortest paths are listed in a moment
#: Relative error of sums of at most 60 floats that are added in another order.
_ROUNDING = 1e-13

_KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
_ODD_NODES = ("a", "", (1, 2), (), frozenset([1]), 2.5, -1, 10**30, b"a", len, np.int64(7))
_MISSING = object()  # the weight of an edge that has no such attribute

#: Sets of weights from which a graph's edges are drawn, by the kind of difficulty. The first ones
#: are drawn more often than the others.
_WEIGHTS: dict[str, tuple[Any, ...]] = {
    "small integers": (0, 1, 2, 3, 4),
    "decimals": (0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 2.5),
    "halves": (0.0, 0.5, 1.0, 1.5, 4.0),
    "integers and floats": (0, 1, 2, 1.0, 2.0, 0.5, 0.1),
    "negative integers": (-2, -1, 0, 1, 2, 3, 4, 5, 6, 7),
    "partly missing": (_MISSING, _MISSING, 1, 2, 0.5),
    "rarely negative": (-1, *range(1, 30)),
    "missing": (_MISSING,),
    "equal numbers of different types": (0, 0.0, False, 1, 1.0, True, np.int64(1), np.float64(1)),
    "negative floats": (-0.3, -0.1, 0.1, 0.2, 0.7, 1.0, 2.5, 3.0),
    "negative halves": (-1.5, -0.5, 0.5, 1.0, 2.0, 4.0, 6.0),
    "hidden": (None, 1, 2, 0.5),
    "mostly hidden": (None, None, 1),
    "NumPy integers": (np.int8(100), np.uint8(200), np.int32(2**31 - 1), np.uint64(3), 1),
    "NumPy floats": (np.float64(0.1), np.float64(2.5), 0.2),
    "booleans": (True, False, np.True_, np.False_),
    "about 2**53": (2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 1),
    "about 2**53 and floats": (2**52, 2**53 + 1, 0.5, 1),
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
_COMMON = 7
#: Weights with which a cycle may be negative by rounding alone.
_ROUNDED = {"negative floats", "not finite", "other types"}

_VIEWS: tuple[Callable[[Any, list[Any]], Any], ...] = (
    lambda graph, part: graph.subgraph(part),
    lambda graph, _part: nx.freeze(graph),
    lambda graph, _part: graph.reverse(copy=False) if graph.is_directed() else graph,
    lambda graph, _part: graph.to_directed(as_view=True),
    # An undirected view of a directed graph has other weights in the other direction.
    lambda graph, _part: graph if graph.is_directed() else graph.to_undirected(as_view=True),
)
_METHODS = (
    *("dijkstra", "bellman-ford") * 2, "unweighted", "floyd-warshall", "floyd-warshall-numpy", "x",
    None, [],
)  # fmt: skip
_CUTOFFS: tuple[Any, ...] = (
    *(None, 0, 1, 2, 3, 0.3, 2.5, 1.0) * 5,
    -1, -0.5, math.nan, math.inf, -math.inf, 10**400, -(10**400), 1e308, 1e19, 2**53 + 1, 2**62,
    2**63, True, False, Fraction(1, 2), Decimal(2), "2", [], 1j, np.float64(1.5), np.int64(2),
    np.float32(0.3), np.int8(1), np.uint64(2**63), np.longdouble(1), np.bool_(1), -0.0, 5e-324,
)  # fmt: skip
_NO_NODES = (0, 1, "none", 1.0, True, [], {}, None, math.nan, (1, []))
_NO_BUNCHES = (None, "ab", 5, (), {0: 1}, range(3), [[]])


def _code(node: Any) -> int:
    """Return a small number, the same for equal nodes."""
    return int(node) % 9 if isinstance(node, int | float | np.integer) else len(repr(node))


#: Weight functions: of the nodes, of the data, of mixed types, hiding edges, and raising KeyError.
_FUNCTIONS_OF_EDGES: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda _u, _v, data: data["weight"],
    lambda u, v, _data: (_code(u) + 2 * _code(v)) % 7,
    lambda u, v, _data: None if (_code(u) + _code(v)) % 3 == 0 else 0.5 + _code(u),
    lambda u, v, _data: (1, 1.0, 2, 0.1)[(_code(u) + _code(v)) % 4],
    lambda u, v, _data: _code(u) - _code(v) + 1,
    lambda _u, _v, _data: 2**61,
    lambda _u, _v, data: next(iter(data.values()), 2) if data else 3,
)


class _Raised:
    """An exception that a call raised instead of an answer, or of the rest of one."""

    def __init__(self, error: Exception) -> None:
        self.kind, self.text = type(error), str(error)

    def __repr__(self) -> str:
        return f"{self.kind.__name__}({self.text!r})"


class _Items(list[Any]):
    """The items of an iterator; an exception that ended it is the last one."""


class _Fresh(list[Any]):
    """Nodes that a call receives as an iterator, which can be read only once."""


class _Unequal(Exception):  # noqa: N818 - a difference, not an error
    """Two answers differ in a way that is not announced."""


class _Pair:
    """A random graph for warpath, and the same graph for NetworkX.

    Attributes
    ----------
    ours, theirs : the graphs; NetworkX gets Python's numbers in place of NumPy's scalars, whose
        sums wrap around: an announced difference.
    what : the kind of weights.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        names = list(_WEIGHTS)
        self.what = random.choice(names[:_COMMON] if random.random() < 0.4 else names)
        n = random.randint(9, 30) if random.random() < 0.03 else random.randint(0, 8)
        nodes: list[Any] = list(range(n))
        if random.random() < 0.5:
            nodes = list(dict.fromkeys(random.sample([*nodes, *_ODD_NODES], n)))
            if any(isinstance(name, np.integer) for name in nodes):  # tuple == integer is an array
                nodes = [name for name in nodes if not isinstance(name, tuple)]
        kind = random.choice(_KINDS)
        self.ours, self.theirs = kind(), kind()
        for graph in (self.ours, self.theirs):
            graph.add_nodes_from(nodes)
        for _ in range(random.randint(0, 3 * n) if nodes else 0):
            self.put(random.choice(nodes), random.choice(nodes))
        if nodes and random.random() < 0.3:  # so that more graphs are connected
            for ends in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
                self.put(*ends)
        if random.random() < 0.1:
            part = random.sample(nodes, random.randint(0, len(nodes)))
            view = random.choice(_VIEWS)
            self.ours, self.theirs = view(self.ours, part), view(self.theirs, part)
        self.nodes = list(self.ours)

    def put(self, u: Any, v: Any) -> None:
        """Add an edge of a random weight, or set the weight of an existing one."""
        weight = self.random.choice(_WEIGHTS[self.what])
        python = weight
        if isinstance(weight, bool | np.bool_ | np.integer):
            python = int(weight)
        elif isinstance(weight, np.float64):
            python = float(weight)
        for graph, own in ((self.ours, weight), (self.theirs, python)):
            graph.add_edge(u, v, **({} if own is _MISSING else {"weight": own}))

    def change(self) -> None:
        """Change an edge by the graph's methods, if it has edges that may change."""
        if nx.is_frozen(self.ours) or not self.nodes:
            return
        u, v = self.random.choice(self.nodes), self.random.choice(self.nodes)
        if self.random.random() < 0.3 and self.ours.has_edge(u, v):
            self.ours.remove_edge(u, v)
            self.theirs.remove_edge(u, v)
        else:
            self.put(u, v)

    def node(self) -> Any:
        """Return a node, or sometimes a value that is not a node."""
        drawn = self.random.choice(_NO_NODES)
        if not self.nodes or self.random.random() > 0.93:
            return next((name for name in self.nodes if _equal(name, drawn)), drawn)
        return self.random.choice(self.nodes)

    def perhaps(self) -> Any:
        """Return a node, or None."""
        return None if self.random.random() < 0.4 else self.node()

    def bunch(self) -> Any:
        """Return one node or a collection of nodes; some values are not nodes."""
        nodes = [self.node() for _ in range(self.random.randint(0, 3))]
        kinds = (self.node, lambda: nodes, lambda: nodes, lambda: tuple(nodes),
                 lambda: _Fresh(nodes), lambda: self.random.choice(_NO_BUNCHES))  # fmt: skip
        return self.random.choice(kinds)()

    def weight(self) -> Any:
        """Return a value of the parameter `weight`."""
        names = (*("weight",) * 14, None, None, "another", "", 0, (), 1.5)
        return self.random.choice((*names, *_FUNCTIONS_OF_EDGES))

    def eccentricities(self) -> Any:
        """Return a value of the parameter `e`, the eccentricities."""
        own = {name: self.random.choice((1, 2, 2.0)) for name in self.nodes}
        return self.random.choice((None, None, own, own, {}, 5, [1], {0: "a", 1: 2}))

    def lengths(self) -> Any:
        """Return a value of the parameter `sp`, the distances between all pairs."""
        own = {u: {v: self.random.choice((0, 1, 2.0)) for v in self.nodes} for u in self.nodes}
        return self.random.choice((None, None, own, {}, {0: 5}, 5, dict.fromkeys(self.nodes, 1)))

    def listed(self) -> Any:
        """Return a value of the parameter `nodelist`, the order of a matrix."""
        own = self.random.sample(self.nodes, len(self.nodes))
        odd = ([self.node() for _ in self.nodes], self.nodes[1:], None, (), 5, tuple(self.nodes))
        return own if self.random.random() < 0.7 else self.random.choice(odd)

    def arguments(self, name: str) -> dict[str, Any]:
        """Return arguments of a function, without the graph; iterators are `_Fresh` lists."""
        return {
            parameter: _DRAW[parameter](self)
            for parameter, default in _PARAMETERS[name].items()
            if default is inspect.Parameter.empty or self.random.random() < 0.6
        }


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other) and hash(one) == hash(other)
    except (TypeError, ValueError):
        return False


def _pick(*values: Any) -> Callable[[_Pair], Any]:
    return lambda pair: pair.random.choice(values)


_DRAW: dict[str, Callable[[_Pair], Any]] = {
    "source": _Pair.node,
    **dict.fromkeys(("target", "u"), _Pair.perhaps),
    **dict.fromkeys(("weight", "distance"), _Pair.weight),
    "cutoff": _pick(*_CUTOFFS),
    "method": _pick(*_METHODS),
    **dict.fromkeys(("v", "nbunch", "sources"), _Pair.bunch),
    "e": _Pair.eccentricities,
    "sp": _Pair.lengths,
    "usebounds": _pick(*(True, False, 1)),
    "wf_improved": _pick(*(True, False, 0, "no")),
    "heuristic": _pick(None, None, *(True, False), lambda *_: 0),
    "nodelist": _Pair.listed,
    "return_seen": _pick(*(True, False, None)),
}


def _parameters(name: str) -> dict[str, Any]:
    parameters = list(inspect.signature(getattr(nx, name).orig_func).parameters.values())[1:]
    return {each.name: each.default for each in parameters}


#: The parameters of each function after the graph, with their defaults.
_PARAMETERS = {name: _parameters(name) for name in FUNCTIONS}


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Make the same calls of NetworkX and of the backend on one random graph."""
    random = Random(int(rng.integers(2**63)))  # noqa: S311 - its small numbers come sooner
    nx.config.warnings_to_ignore.add("cache")
    pair = _Pair(random)
    before = _content(pair.ours)
    for _ in range(_CALLS):
        if random.random() < 0.05:
            pair.change()
            before = _content(pair.ours)
        name = random.choice(list(FUNCTIONS))
        if len(pair.nodes) > _FEW and name.endswith("all_shortest_paths"):
            continue  # their number may grow exponentially
        if pair.what in _ROUNDED and "zero cycle" in FUNCTIONS[name]:
            continue
        kwargs = pair.arguments(name)
        partly = random.random() < 0.1 and "order" not in FUNCTIONS[name]
        first = random.randint(1, 3) if partly else None
        if name == "shortest_simple_paths":  # their number grows exponentially, too
            first = random.randint(1, 12)
        ours = _outcome(name, pair.ours, kwargs, first, backend="warpath")
        counts["calls"] += 1
        if isinstance(ours, _Raised) and ours.kind is NotImplementedError:
            counts["calls handed back"] += 1
            continue
        call = _Call(name, pair.theirs, kwargs)
        why = call.difference(ours, first)
        if why and "early stop" in call.announced:
            with mock.patch.object(weighted, "_inner_bellman_ford", _bellman_ford):
                why = call.difference(ours, first)
        if why:
            raise Finding(f"{_shown(pair)}\n{name}({kwargs})\n{why}")
    if _content(pair.ours) != before:
        raise Finding(f"{_shown(pair)}\nthe graph was changed")


def _outcome(name: str, graph: Any, kwargs: dict[str, Any], first: int | None, **how: Any) -> Any:
    """Return an answer or `_Raised`; for an iterator its items, the last of which may be that."""
    opened = {k: iter(list(v)) if type(v) is _Fresh else v for k, v in kwargs.items()}
    items = _Items()
    try:
        answer = getattr(nx, name)(graph, **opened, **how)
        if not isinstance(answer, Iterator):
            return answer
    except Exception as error:
        return _Raised(error)
    try:
        items += islice(answer, first)
    except Exception as error:
        items.append(_Raised(error))
    return items


def _bellman_ford(
    graph: Any, sources: Any, weight: Any, pred: Any, dist: Any = None, heuristic: Any = True
) -> Any:
    """Search as NetworkX does, but without its rule that a node waits for its predecessors."""
    del heuristic
    for source in sources:
        if source not in graph:
            raise nx.NodeNotFound(f"Source {source} not in G")
    dist = dict.fromkeys(sources, 0) if dist is None else dist
    queue, rounds = deque(sources), Counter[Any]()
    while queue:
        u = queue.popleft()
        for v, data in graph._adj[u].items():
            length = dist[u] + weight(u, v, data)
            if v not in dist or length < dist[v]:
                dist[v], pred[v] = length, [u]
                if v not in queue:
                    queue.append(v)
                    rounds[v] += 1
                    if rounds[v] > len(graph):
                        return v
            elif length == dist[v]:
                pred[v].append(u)
    return None


class _Call:
    """A call, with everything that is needed to judge a different answer.

    Attributes
    ----------
    weight : None, the name of an attribute or a function of edges.
    announced : the differences that the backend announces for the call.
    """

    def __init__(self, name: str, graph: Any, kwargs: dict[str, Any]) -> None:
        self.name, self.graph, self.kwargs = name, graph, kwargs
        parameters = _PARAMETERS[name]
        key = "weight" if "weight" in parameters else "distance"
        self.weight = kwargs.get(key, parameters.get(key))
        self.announced = set(FUNCTIONS[name])
        if kwargs.get("method", "") != "bellman-ford" and "method" in parameters:
            self.announced -= {"early stop", "zero cycle"}
            self.announced -= {"order"} if name.endswith("all_shortest_paths") else set()
        if name == "shortest_simple_paths" and graph.is_directed():
            self.announced |= {"path", "rounding"}
        if name == "average_shortest_path_length" and "floyd" not in str(kwargs.get("method")):
            self.announced -= {"rounding"}

    def difference(self, ours: Any, first: int | None) -> str:
        """Return how an answer differs from NetworkX's in a way that is not announced, or ""."""
        kwargs = self.kwargs
        if "usebounds" in kwargs and self.weight is not None and len(self.graph):
            # With weights the bounds are an announced difference, and the search may not end.
            kwargs = kwargs | {"usebounds": False}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = _outcome(self.name, self.graph, kwargs, first, backend="networkx")
        if _printed(ours) == _printed(theirs) or self._excused(ours, theirs):
            return ""
        try:
            self._judge_whole(ours, theirs)
        except _Unequal as unequal:
            return f"{unequal}\nours:   {_printed(ours):.1000}\ntheirs: {_printed(theirs):.1000}"
        return ""

    def _excused(self, ours: Any, theirs: Any) -> bool:
        """Return whether an announced difference explains an error in one of the answers."""
        if "frozen" in self.announced and isinstance(theirs, _Raised) and "Frozen" in theirs.text:
            return type(ours) is bool
        if "bounds" in self.announced and isinstance(ours, _Raised) and isinstance(theirs, _Raised):
            return bool(self.kwargs.get("usebounds")) and ours.kind is theirs.kind
        if "cycle" in self.announced and isinstance(ours, list):
            lost = isinstance(theirs, list) or "No negative cycles" not in theirs.text
            return lost and ours[0] == ours[-1] and self._length(ours) < 0
        return False

    def _judge_whole(self, ours: Any, theirs: Any) -> None:
        if self.name == "goldberg_radzik" and isinstance(theirs, tuple):
            self._judge(ours[1], theirs[1])
            self._tree(ours[0], ours[1], theirs[0])
        elif self.name.startswith("floyd_warshall_pred") and isinstance(theirs, tuple):
            self._judge(ours[1], theirs[1])
            self._keys(ours[0], theirs[0])
            for s, row in ours[0].items():
                self._tree(row, ours[1][s], theirs[0][s], s)
        elif self.name == "single_source_all_shortest_paths" and _both(ours, theirs, _Items):
            pairs = [each for each in (*ours, *theirs) if isinstance(each, tuple)]
            whole = len(pairs) == len(ours) + len(theirs)
            self._judge(dict(ours) if whole else ours, dict(theirs) if whole else theirs)
        else:
            self._judge(ours, theirs)

    def _judge(self, ours: Any, theirs: Any) -> None:
        """Compare two different answers recursively, down to numbers and paths."""
        if type(ours) is not type(theirs) and not _both(ours, theirs, dict, (int, float)):
            raise _Unequal("another type")
        if isinstance(theirs, np.ndarray) and ours.shape == theirs.shape:
            self._row(ours.ravel().tolist(), theirs.ravel().tolist())
        elif isinstance(theirs, dict):
            self._keys(ours, theirs)
            for key, value in theirs.items():
                self._judge(ours[key], value)
        elif isinstance(theirs, _Items | tuple) and self.name != "all_shortest_paths":
            self._row(ours, theirs)
        elif isinstance(theirs, list):
            self._listed(ours, theirs)
        elif _both(ours, theirs, (int, float)):
            self._number(ours, theirs)
        elif _printed(ours) != _printed(theirs):
            raise _Unequal("another value")

    def _row(self, ours: Any, theirs: Any) -> None:
        if len(ours) != len(theirs):
            raise _Unequal("another length")
        for mine, value in zip(ours, theirs, strict=True):
            self._judge(mine, value)

    def _tree(self, before: Any, lengths: Any, theirs: Any, source: Any = None) -> None:
        """Compare predecessors of one source; others with paths of the same length are allowed."""
        self._keys(before, theirs)
        for v, u in before.items():
            if (u is None) != (theirs[v] is None):
                raise _Unequal(f"the node before {v!r}")
            if u is not None and v != source:
                self._number(lengths[u] + self._cost(u, v), lengths[v])

    def _listed(self, ours: Any, theirs: Any) -> None:
        """Compare paths, or lists of paths or of nodes."""
        several = "all_shortest_paths" in self.name or self.name.startswith("bellman_ford_pred")
        if several and "order" in self.announced:
            if set(map(repr, ours)) != set(map(repr, theirs)):
                raise _Unequal("other paths")
            return
        if "path" not in self.announced or not ours or not theirs:
            raise _Unequal("another path or other nodes")
        if (ours[0], ours[-1]) != (theirs[0], theirs[-1]):
            raise _Unequal("a path with other ends")
        self._number(self._length(ours), self._length(theirs))

    def _keys(self, ours: Any, theirs: Any) -> None:
        if ours.keys() != theirs.keys():
            raise _Unequal("other keys")
        if "order" not in self.announced and list(ours) != list(theirs):
            raise _Unequal("another order of keys")

    def _number(self, ours: Any, theirs: Any) -> None:
        """Compare two numbers by type and bits, except for announced differences."""
        same_type = type(ours) is type(theirs)
        if same_type and repr(ours) == repr(theirs):
            return
        if "path" in self.announced and ours == theirs:
            return
        edges = ((u, v) for u, row in self.graph.adjacency() for v in row)
        room = _ROUNDING * max((abs(self._cost(u, v)) for u, v in edges), default=0)
        rounded = "rounding" in self.announced and (same_type or "path" in self.announced)
        if not rounded or not math.isclose(ours, theirs, rel_tol=_ROUNDING, abs_tol=room):
            raise _Unequal(f"{ours!r} in place of {theirs!r}")

    def _length(self, path: list[Any]) -> Any:
        """Return the sum of a path's weights, as NetworkX's searches add them."""
        total: Any = 0
        for u, v in pairwise(path):
            if v not in self.graph._adj[u]:
                raise _Unequal(f"{path} is no path")
            total = total + self._cost(u, v)
        return total

    def _cost(self, u: Any, v: Any) -> Any:
        """Return the weight of an edge as NetworkX reads it."""
        data = self.graph._adj[u][v]
        if self.weight is None:
            return 1
        if callable(self.weight):
            return self.weight(u, v, data)
        if self.graph.is_multigraph():
            return min(each.get(self.weight, 1) for each in data.values())
        return data.get(self.weight, 1)


def _both(ours: Any, theirs: Any, *kinds: Any) -> bool:
    return any(isinstance(ours, kind) and isinstance(theirs, kind) for kind in kinds)


def _printed(answer: Any) -> str:
    """Return a text that is equal for identical answers only."""
    if isinstance(answer, np.ndarray):
        return f"{answer.dtype} {answer.tolist()!r}"
    if isinstance(answer, dict) and any(isinstance(each, dict) for each in answer.values()):
        return repr({k: dict(v) if isinstance(v, dict) else v for k, v in answer.items()})
    return f"({', '.join(map(_printed, answer))},)" if isinstance(answer, tuple) else repr(answer)


def _content(graph: Any) -> str:
    return repr((graph._node, graph._adj, graph.graph))


def _shown(pair: _Pair) -> str:
    edges = list(pair.ours.edges(data="weight", default="missing"))
    return f"{type(pair.ours).__name__}, nodes {pair.nodes}, edges {edges} ({pair.what})"


PROGRAM = Program(
    summary="NetworkX's functions by the backend and by NetworkX, with odd weights and arguments.",
    trial=trial,
    packages=("networkx",),
)
