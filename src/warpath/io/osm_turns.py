"""Turn restrictions of an OpenStreetMap extract, as pairs of edges of its network.

The rules follow the wiki page Relation:restriction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import InputError
from warpath.graph.checks import as_float, shown
from warpath.graph.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.io.osm_extract import Extract
    from warpath.io.osm_profiles import Profile

#: The turns that have a cost.
_COSTS = ("left", "right", "u_turn")


class Roads(NamedTuple):
    """The roads of a graph's edges.

    Attributes
    ----------
    way : (m,) OSM way ids.
    stretch : (m,) integers, the same for both directions of a stretch of road.
    forward : (m,) bool, whether an edge follows the points of its way.
    """

    way: Array
    stretch: Array
    forward: Array


class Restriction(NamedTuple):
    """A turn that is forbidden, or the only one that is allowed."""

    only: bool
    origin: int
    via: int
    target: int


def checked_costs(costs: Mapping[str, float] | None) -> dict[str, float]:
    """Return costs of turns by name, or raise InputError for what is not one."""
    found = {}
    for name, cost in (costs or {}).items():
        if name not in _COSTS or not 0 <= as_float(cost) < float("inf"):
            msg = (
                f"turn_costs[{name!r}] = {shown(cost)}: a cost is a number >= 0, in the unit of "
                f"the weights, of {', '.join(_COSTS)}."
            )
            raise InputError(msg)
        found[name] = float(cost)
    return found


def turns_of(
    file: Extract, profile: Profile, graph: Graph, roads: Roads, costs: Mapping[str, float]
) -> Turns:
    """Return the turns of a network: the restrictions of the file, and costs.

    Parameters
    ----------
    costs : as `checked_costs` returns them.
    """
    ignored: Counter[str] = Counter()
    stated = [
        each
        for relation in file.restrictions()
        for each in _restrictions(relation, profile, ignored)
    ]
    rules = _Rules(graph, roads, stated)
    banned: list[tuple[int, int]] = []
    honoured = 0
    for restriction in stated:
        pairs, why = rules.pairs(restriction)
        if why:
            ignored[why] += 1
        else:
            banned += pairs
            honoured += 1
    forbidden = np.array(banned, np.int64)
    return Turns(
        forbidden,
        _back(roads),
        left=costs.get("left", 0.0),
        right=costs.get("right", 0.0),
        u_turn=costs.get("u_turn"),
        honoured=honoured,
        ignored=ignored,
    )


def _back(roads: Roads) -> Array:
    """Return the edge along the same stretch in the other direction, (m,); -1 without one."""
    place = np.full((2, int(roads.stretch.max(initial=-1)) + 1), -1)
    edges, side = np.arange(len(roads.way)), roads.forward.astype(int)
    place[side, roads.stretch] = edges
    found: Array = place[1 - side, roads.stretch]
    return found


def _restrictions(
    relation: tuple[Mapping[str, str], list[tuple[str, int, str]]],
    profile: Profile,
    ignored: Counter[str],
) -> Iterator[Restriction]:
    """Yield what a relation states for a profile; count why it states nothing."""
    tags, members = relation
    key = next((key for key in profile.restriction if key in tags), None)
    excepted = {part.strip() for part in tags.get("except", "").split(";")}
    if key is None:
        if any(f"{key}:conditional" in tags for key in profile.restriction):
            ignored["conditional"] += 1
        return
    if key == "restriction" and not excepted.isdisjoint(profile.access[:-1]):
        return
    value = tags[key]
    if not value.startswith(("no_", "only_")):
        ignored["of an unknown kind"] += 1
        return
    roles: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, ref, role in members:
        roles[role].append((kind, ref))
    if any(kind == "w" for kind, _ in roles["via"]):
        ignored["via ways"] += 1
        return
    via = [ref for kind, ref in roles["via"] if kind == "n"]
    if len(via) != 1 or not roles["from"] or not roles["to"]:
        ignored["incomplete"] += 1
        return
    for _, origin in roles["from"]:
        for _, target in roles["to"]:
            yield Restriction(value.startswith("only_"), origin, via[0], target)


class _Rules:
    """The edges of the ways that restrictions name, by way and vertex."""

    def __init__(self, graph: Graph, roads: Roads, stated: list[Restriction]) -> None:
        assert graph.labels is not None  # noqa: S101 - OSM node ids
        self._graph = graph
        named = {way for each in stated for way in (each.origin, each.target)}
        edges = np.flatnonzero(np.isin(roads.way, np.array(list(named), np.int64)))
        ends = (graph.labels[ends[edges]].tolist() for ends in graph.edges()[:2])
        self._into: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._out: dict[tuple[int, int], list[int]] = defaultdict(list)
        rows = zip(edges.tolist(), roads.way[edges].tolist(), *ends, strict=True)
        for edge, way, tail, head in rows:
            self._into[way, head].append(edge)
            self._out[way, tail].append(edge)

    def pairs(self, rule: Restriction) -> tuple[list[tuple[int, int]], str]:
        """Return the pairs of edges that a restriction forbids, or why there are none."""
        into = self._into.get((rule.origin, rule.via), [])
        out = self._out.get((rule.target, rule.via), [])
        if not into or not out:
            return [], "outside the network"
        if len(into) > 1 or len(out) > 1:
            return [], "ambiguous"
        if not rule.only:
            return [(into[0], out[0])], ""
        vertex = self._graph.indices[into[0]]
        row: Any = range(*self._graph.indptr[vertex : vertex + 2].tolist())
        return [(into[0], edge) for edge in row if edge != out[0]], ""
