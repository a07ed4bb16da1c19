"""The NetworkX backend against NetworkX itself: every function, with usual and odd arguments."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

import networkx as nx
from networkx.algorithms.shortest_paths import weighted

from _warpath_nx import FUNCTIONS
from hunt.program import Counts, Finding, Program
from hunt.programs import _networkx_calls as calls
from hunt.programs._networkx_compare import Call, Items, Raised, Unequal

if TYPE_CHECKING:
    import numpy as np

_CALLS = 30  # on one graph
_FEW = 8  # nodes between which all shortest paths are listed in a moment


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Make the same calls of NetworkX and of the backend on one random graph."""
    random = Random(int(rng.integers(2**63)))  # noqa: S311 - its small numbers come sooner
    nx.config.warnings_to_ignore.add("cache")
    made = calls.made(random)
    arguments = calls.Arguments(random, made)
    before = _content(made.graph)
    for _ in range(_CALLS):
        if random.random() < 0.05 and calls.changed(random, made):
            before = _content(made.graph)
        name = random.choice(calls.NAMES)
        if len(made.graph) > _FEW and name.endswith("all_shortest_paths"):
            continue  # their number may grow exponentially
        kwargs = arguments.of(name)
        partly = random.random() < 0.1 and "order" not in FUNCTIONS[name]
        first = random.randint(1, 3) if partly else None
        if name == "shortest_simple_paths":  # their number grows exponentially, too
            first = random.randint(1, 12)
        ours = _outcome(name, made.graph, kwargs, first, backend="warpath")
        counts["calls"] += 1
        if isinstance(ours, Raised) and ours.kind is NotImplementedError:
            counts["calls handed back"] += 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = _outcome(name, made.reference, arguments.bounded(kwargs), first)
        call = Call(name, made.reference, arguments.weight, kwargs)
        try:
            call.compare(ours, theirs)
        except Unequal as unequal:
            if _stopped_early(call, made.reference, ours, first):
                counts["calls where NetworkX stops early"] += 1
            elif call.nearly(ours, theirs):
                counts["calls with a cycle of 0"] += 1
            else:
                raise Finding(_told(made, name, kwargs, str(unequal))) from None
    if _content(made.graph) != before:
        raise Finding(_told(made, "some function", {}, "the graph was changed"))


def _outcome(name: str, graph: Any, kwargs: dict[str, Any], first: int | None, **how: Any) -> Any:
    """Return an answer or `Raised`; for an iterator its `Items`, the last of which may be that."""
    function = getattr(nx, name)
    try:
        answer = function(graph, **calls.opened(kwargs), **(how or {"backend": "networkx"}))
    except Exception as error:
        return Raised(error)
    if not isinstance(answer, Iterator):
        return answer
    items = Items()
    try:
        for item in islice(answer, first):
            items.append(item)
    except Exception as error:
        items.append(Raised(error))
    return items


def _stopped_early(call: Call, graph: Any, ours: Any, first: int | None) -> bool:
    """Return whether NetworkX agrees if its Bellman-Ford search does not stop too early."""
    if "early stop" not in call.announced:
        return False
    with mock.patch.object(weighted, "_inner_bellman_ford", _bellman_ford):
        theirs = _outcome(call.name, graph, dict(call.kwargs), first)
    try:
        call.compare(ours, theirs)
    except Unequal:
        return False
    return True


def _bellman_ford(
    graph: Any, sources: Any, weight: Any, pred: Any, dist: Any = None, heuristic: Any = True
) -> Any:
    """Search as NetworkX does, but without its rule that a node waits for its predecessors."""
    del heuristic
    for source in sources:
        if source not in graph:
            msg = f"Source {source} not in G"
            raise nx.NodeNotFound(msg)
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


def _content(graph: Any) -> str:
    return repr((graph._node, graph._adj, graph.graph))


def _told(made: calls.Made, name: str, kwargs: dict[str, Any], what: str) -> str:
    graph = made.graph
    edges = list(graph.edges(data="weight", default="missing"))
    shown = f"{type(graph).__name__}, nodes {list(graph)}, edges {edges} ({made.what})"
    return f"{shown}\n{name}({kwargs})\n{what}"


PROGRAM = Program(
    summary="NetworkX's functions by the backend and by NetworkX, with odd weights and arguments.",
    trial=trial,
    packages=("networkx",),
)
