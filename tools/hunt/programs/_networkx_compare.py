"""Compare an answer with NetworkX's: equal to the bit, or different in a documented way."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from _warpath_nx import FUNCTIONS
from hunt.programs._networkx_calls import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: Relative error of sums of at most 60 floats that are added in another order.
_ROUNDING = 1e-13
#: Characters of an answer in a message; repeat the trial to see the rest.
_SHOWN = 1000


class Unequal(Exception):  # noqa: N818 - a difference, not an error
    """Two answers differ in a way that is not announced."""


class Items(list[Any]):
    """The items of an iterator; an exception that ended it is the last one."""


class Raised:
    """An exception that a call raised instead of an answer, or of the rest of one."""

    def __init__(self, error: Exception) -> None:
        self.kind = type(error)
        self.text = str(error)

    def __repr__(self) -> str:
        return f"{self.kind.__name__}({self.text!r})"


class Call:
    """A call, with everything that is needed to judge a different answer.

    Parameters
    ----------
    name : name of the function.
    graph : NetworkX's graph, with Python's numbers as weights.
    weight : None, the name of an attribute or a function of edges.
    kwargs : the other arguments.
    """

    def __init__(self, name: str, graph: Any, weight: Any, kwargs: Mapping[str, Any]) -> None:
        self.name = name
        self.graph = graph
        self.weight = weight
        self.kwargs = kwargs
        self.announced = frozenset(FUNCTIONS[name])
        if kwargs.get("method", "") != "bellman-ford" and "method" in PARAMETERS[name]:
            self.announced -= {"early stop", "zero cycle"}
            if name.endswith("all_shortest_paths"):
                self.announced -= {"order"}
        if name == "shortest_simple_paths":
            self.weight = kwargs.get("weight")  # None by default
            if graph.is_directed():
                self.announced |= {"path", "rounding"}
        if name == "average_shortest_path_length" and "floyd" not in str(kwargs.get("method")):
            self.announced -= {"rounding"}

    def compare(self, ours: Any, theirs: Any) -> None:
        """Raise `Unequal` unless the answers are the same, or differ as announced."""
        if printed(ours) == printed(theirs) or self._same_but_for_names(ours, theirs):
            return
        if self._excused(ours, theirs):
            return
        try:
            self._judge(ours, theirs)
        except Unequal as unequal:
            mine, other = printed(ours)[:_SHOWN], printed(theirs)[:_SHOWN]
            msg = f"{unequal}\nours:   {mine}\ntheirs: {other}"
            raise Unequal(msg) from None

    def nearly(self, ours: Any, theirs: Any) -> bool:
        """Return whether answers differ only by a cycle of about 0 that rounding makes negative."""
        if "zero cycle" not in self.announced or not self._has_zero_cycle():
            return False
        if any(isinstance(each, Raised | bool) for each in (ours, theirs)):
            return True
        if isinstance(theirs, Items) and _raised([*ours, *theirs]):
            return True
        self.announced |= {"path", "order", "rounding"}
        if self.name.startswith("bellman_ford_pred"):  # edges of the cycle may seem shortest
            ours, theirs = ours[1], theirs[1]
        try:
            self._judge(ours, theirs)
        except Unequal:
            return False
        return True

    def _has_zero_cycle(self) -> bool:
        """Return whether a strong component has a cycle of about 0 but none far below 0."""
        much = Fraction(_ROUNDING) * Fraction(self.largest)
        for nodes in nx.strongly_connected_components(self.graph.to_directed(as_view=True)):
            weights = {
                (u, v): Fraction(self.cost(u, v))
                for u in nodes
                for v in self.graph._adj[u]
                if v in nodes
            }
            if _has_negative_cycle(weights, -much) and not _has_negative_cycle(weights, much):
                return True
        return False

    def _same_but_for_names(self, ours: Any, theirs: Any) -> bool:
        """Return whether answers are equal if equal node objects are exchanged."""
        if isinstance(theirs, dict):
            return (
                isinstance(ours, dict)
                and len(ours) == len(theirs)
                and all(
                    self._same_but_for_names(k, n) and self._same_but_for_names(v, w)
                    for (k, v), (n, w) in zip(ours.items(), theirs.items(), strict=True)
                )
            )
        if (
            isinstance(theirs, list | tuple)
            and type(ours) is type(theirs)
            and len(ours) == len(theirs)
            and all(map(self._same_but_for_names, ours, theirs))
        ):
            return True
        return printed(ours) == printed(theirs) or (
            any(theirs is each for each in self._named()) and ours == theirs
        )

    def _named(self) -> list[Any]:
        named: list[Any] = []
        for each in self.kwargs.values():
            named += each if isinstance(each, list | tuple) else [each]
        return named

    def _judge(self, ours: Any, theirs: Any) -> None:
        """Compare two different answers recursively, down to numbers and paths."""
        if self.name in _BEFORE and isinstance(theirs, tuple) and isinstance(ours, tuple):
            self._judge(ours[1], theirs[1])
            _BEFORE[self.name](self, ours[0], ours[1], theirs[0])
            return
        for kind, judge in _JUDGES:
            if isinstance(ours, kind) and isinstance(theirs, kind):
                judge(self, ours, theirs)
                return
        if printed(ours) != printed(theirs):
            raise Unequal("another value")

    def _matrix(self, ours: Any, theirs: Any) -> None:
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            raise Unequal("a matrix of another shape or type")
        for mine, value in zip(ours.ravel().tolist(), theirs.ravel().tolist(), strict=True):
            self.number(mine, value)

    def _dict(self, ours: Any, theirs: Any) -> None:
        self._keys(ours, theirs)
        for key, value in theirs.items():
            self._judge(ours[key], value)

    def _items(self, ours: Any, theirs: Any) -> None:
        if "order" not in self.announced or _raised([*ours, *theirs]):
            self._row(ours, theirs)
        elif self.name == "single_source_all_shortest_paths":
            self._dict(dict(ours), dict(theirs))
        elif self.name == "all_shortest_paths":
            self._listed(ours, theirs)
        else:
            self._row(ours, theirs)

    def _row(self, ours: Any, theirs: Any) -> None:
        if len(ours) != len(theirs):
            raise Unequal("another length")
        for mine, value in zip(ours, theirs, strict=True):
            self._judge(mine, value)

    def _tree(self, before: Any, lengths: Any, theirs: Any) -> None:
        """Compare predecessors of one source; others with paths of the same length are allowed."""
        self._keys(before, theirs)
        for v, u in before.items():
            if (u is None) != (theirs[v] is None):
                raise Unequal(f"the node before {v!r}")
            if u is not None:
                self.number(lengths[u] + self.cost(u, v), lengths[v])

    def _trees(self, before: Any, lengths: Any, theirs: Any) -> None:
        """Compare the trees of all sources; a source with a self-loop precedes itself."""
        self._keys(before, theirs)
        for s, row in before.items():
            self._keys(row, theirs[s])
            self._tree(
                {v: u for v, u in row.items() if v != s},
                lengths[s],
                {v: u for v, u in theirs[s].items() if v != s},
            )
            if row.get(s) != theirs[s].get(s):
                raise Unequal(f"the node before {s!r}")

    def _listed(self, ours: Any, theirs: Any) -> None:
        several = "all_shortest_paths" in self.name or self.name.startswith("bellman_ford_pred")
        several = several and "order" in self.announced
        if several and set(map(repr, ours)) == set(map(repr, theirs)):
            return
        if self.name not in {"center", "periphery"}:
            self.path(ours, theirs)
        elif ours != theirs:
            raise Unequal("other nodes")

    def _keys(self, ours: Any, theirs: Any) -> None:
        if ours.keys() != theirs.keys():
            raise Unequal("other keys")
        if "order" not in self.announced and list(ours) != list(theirs):
            raise Unequal("another order of keys")

    def number(self, ours: Any, theirs: Any) -> None:
        """Compare two numbers by type and bits, except for announced differences."""
        same_type = type(ours) is type(theirs)
        if same_type and repr(ours) == repr(theirs):
            return
        if "path" in self.announced and ours == theirs:
            return
        rounded = "rounding" in self.announced and (same_type or "path" in self.announced)
        if not rounded or not math.isclose(
            ours, theirs, rel_tol=_ROUNDING, abs_tol=_ROUNDING * self.largest
        ):
            raise Unequal(f"{ours!r} in place of {theirs!r}")

    @cached_property
    def largest(self) -> float:
        """The largest absolute value of a weight."""
        edges = ((u, v) for u, row in self.graph.adjacency() for v in row)
        return max((abs(self.cost(u, v)) for u, v in edges), default=0)

    def path(self, ours: Any, theirs: Any) -> None:
        """Compare two paths; another one of the same length is announced for some functions."""
        if ours == theirs:
            return
        if "path" not in self.announced:
            raise Unequal("another path")
        if not ours or not theirs or ours[0] != theirs[0] or ours[-1] != theirs[-1]:
            raise Unequal("a path with other ends")
        self.number(self.length(ours), self.length(theirs))

    def length(self, path: list[Any]) -> Any:
        """Return the sum of a path's weights, as NetworkX's searches add them."""
        total: Any = 0
        for u, v in pairwise(path):
            if v not in self.graph._adj[u]:
                raise Unequal(f"{path} is no path")
            total = total + self.cost(u, v)
        return total

    def cost(self, u: Any, v: Any) -> Any:
        """Return the weight of an edge as NetworkX reads it."""
        data = self.graph._adj[u][v]
        if self.weight is None or self.kwargs.get("weight", 0) is None:
            return 1
        if callable(self.weight):
            return self.weight(u, v, data)
        if self.graph.is_multigraph():
            return min(each.get(self.weight, 1) for each in data.values())
        return data.get(self.weight, 1)

    def _excused(self, ours: Any, theirs: Any) -> bool:
        """Return whether an announced difference explains an error in one of the answers."""
        if "frozen" in self.announced and isinstance(theirs, Raised) and "Frozen" in theirs.text:
            return type(ours) is bool
        if "bounds" in self.announced and isinstance(ours, Raised) and isinstance(theirs, Raised):
            return bool(self.kwargs.get("usebounds")) and ours.kind is theirs.kind
        if "cycle" in self.announced and isinstance(ours, list):
            lost = isinstance(theirs, list) or "No negative cycles" not in theirs.text
            return lost and ours[0] == ours[-1] and self.length(ours) < 0
        return False


_BEFORE: dict[str, Callable[[Call, Any, Any, Any], None]] = {
    "goldberg_radzik": Call._tree,
    "floyd_warshall_predecessor_and_distance": Call._trees,
}
_JUDGES: tuple[tuple[Any, Callable[[Call, Any, Any], None]], ...] = (
    (np.ndarray, Call._matrix),
    (dict, Call._dict),
    (Items, Call._items),
    (tuple, Call._row),
    (list, Call._listed),
    ((int, float), Call.number),
)


def _has_negative_cycle(weights: dict[tuple[Any, Any], Fraction], more: Fraction) -> bool:
    """Return whether edges form a negative cycle if `more` is added to each weight, exactly."""
    labels = {u: Fraction(0) for edge in weights for u in edge}
    for _ in range(len(labels) + 1):
        shorter = False
        for (u, v), weight in weights.items():
            if labels[u] + weight + more < labels[v]:
                labels[v] = labels[u] + weight + more
                shorter = True
        if not shorter:
            return False
    return True


def _raised(items: list[Any]) -> bool:
    return any(isinstance(item, Raised) for item in items)


def printed(answer: Any) -> str:
    """Return a text that is equal for identical answers only."""
    if isinstance(answer, np.ndarray):
        return f"{answer.dtype} {answer.tolist()!r}"
    if isinstance(answer, dict) and answer and isinstance(next(iter(answer.values())), dict):
        return repr(
            {
                key: dict(value) if isinstance(value, dict) else value
                for key, value in answer.items()
            }
        )
    if isinstance(answer, tuple):
        return f"({', '.join(map(printed, answer))},)"
    return repr(answer)
