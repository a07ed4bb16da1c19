"""Turn restrictions of an OpenStreetMap extract, as sequences of edges of its network.

The rules follow the wiki page Relation:restriction.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath.base.cached import cached_property
from warpath.base.errors import InputError
from warpath.graph.checks import as_float, shown
from warpath.graph.turns import Turns, angles, directions
from warpath.io.osm_access import parts_of
from warpath.io.osm_times import CONDITIONAL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.io.osm_extract import Extract
    from warpath.io.osm_profiles import Profile

#: The turns that have a cost.
_COSTS = ("left", "right", "u_turn")

#: The angles of the turns that restrictions mean, in radians, left positive.
_ANGLES: dict[str, Callable[[float], bool]] = {
    "left_turn": lambda angle: 0 < angle < np.pi,
    "right_turn": lambda angle: -np.pi < angle < 0,
    "straight_on": lambda angle: abs(angle) <= np.pi / 2,
    "u_turn": lambda angle: abs(angle) > np.pi / 2,
}
_KINDS = {f"{rule}_{turn}" for rule in ("no", "only") for turn in _ANGLES} | {"no_entry", "no_exit"}

#: Tags of hours and days from before conditional restrictions.
_TIMES = frozenset({"day_on", "day_off", "hour_on", "hour_off", "time"})

#: A search for a way through via ways that takes more steps leaves the restriction ambiguous.
_MOST_STEPS = 10_000


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
    """Turns that are forbidden, or the only ones that are allowed.

    Attributes
    ----------
    only : whether all other turns are forbidden.
    turn : the kind of the turn, such as "left_turn".
    origins, targets : OSM way ids.
    via : OSM node id; None if ways are the via.
    ways : OSM way ids of the via.
    """

    only: bool
    turn: str
    origins: list[int]
    via: int | None
    ways: list[int]
    targets: list[int]


def checked_costs(costs: Mapping[str, float] | None) -> dict[str, float]:
    """Return costs of turns by name, or raise InputError for what is not one."""
    checked = {}
    for name, cost in (costs or {}).items():
        if name not in _COSTS or not 0 <= as_float(cost) < float("inf"):
            msg = (
                f"turn_costs[{name!r}] = {shown(cost)}: a cost is a number >= 0, in the unit of "
                f"the weights, of {', '.join(_COSTS)}."
            )
            raise InputError(msg)
        checked[name] = float(cost)
    return checked


def turns_of(
    file: Extract, profile: Profile, graph: Graph, roads: Roads, costs: Mapping[str, float]
) -> Turns:
    """Return the turns of a network: the restrictions of the file, and costs.

    Parameters
    ----------
    costs : as `checked_costs` returns them.
    """
    ignored: Counter[str] = Counter()
    read = (
        _restriction(*relation, profile, ignored)
        for relation in file.restrictions({"restriction", *profile.restriction})
    )
    stated = [restriction for restriction in read if restriction is not None]
    back = _back(roads)
    network = _Network(graph, roads.way, back, stated)
    banned: list[tuple[int, ...]] = []
    honoured = 0
    for restriction in stated:
        sequences, why = network.forbidden(restriction)
        if why:
            ignored[why] += 1
        else:
            banned += sequences
            honoured += 1
    longest = max(map(len, banned), default=2)
    rows = [(*sequence, *[-1] * (longest - len(sequence))) for sequence in dict.fromkeys(banned)]
    return Turns(
        np.array(rows, np.int64),
        back,
        left=costs.get("left", 0.0),
        right=costs.get("right", 0.0),
        u_turn=costs.get("u_turn"),
        honoured=honoured,
        ignored=ignored,
    )


def _back(roads: Roads) -> Array:
    """Return the edge along the same stretch in the other direction, (m,); -1 without one."""
    position = np.full((2, int(roads.stretch.max(initial=-1)) + 1), -1)
    edges, side = np.arange(len(roads.way)), roads.forward.astype(int)
    position[side, roads.stretch] = edges
    opposite: Array = position[1 - side, roads.stretch]
    return opposite


def _restriction(
    tags: Mapping[str, str],
    members: list[tuple[str, int, str]],
    profile: Profile,
    ignored: Counter[str],
) -> Restriction | None:
    """Return what a relation states for a profile; count why it states nothing."""
    if tags["type"] != "restriction" and "restriction" in tags:  # type=restriction:bicycle
        tags = {**tags, tags["type"]: tags["restriction"]}
        del tags["restriction"]
    key = next((key for key in profile.restriction if key in tags), None)
    excepted = parts_of(tags.get("except", ""))
    if key in {None, "restriction"} and not set(profile.access[:-1]).isdisjoint(excepted):
        return None
    conditional = any(key + CONDITIONAL in tags for key in profile.restriction)
    if conditional or (key is not None and not _TIMES.isdisjoint(tags)):
        ignored["conditional"] += 1
    if key is None or not _TIMES.isdisjoint(tags) or tags[key] == "none":
        return None
    kinds = [part.strip() for part in tags[key].split(";")]
    only = kinds[0].startswith("only_")
    if not _KINDS.issuperset(kinds) or any(part.startswith("only_") != only for part in kinds):
        ignored["of an unknown kind"] += 1
        return None
    roles: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, ref, role in members:
        roles[role].append((kind, ref))
    origins, targets = ([ref for _, ref in roles[role]] for role in ("from", "to"))
    types = {kind for kind, _ in roles["from"] + roles["to"]}
    via = [ref for _, ref in roles["via"]]
    points = [ref for kind, ref in roles["via"] if kind == "n"]
    at_point = len(via) == 1 and len(points) == 1
    by_ways = bool(via) and all(kind == "w" for kind, _ in roles["via"])
    if types != {"w"} or not origins or not targets or not (at_point or by_ways):
        ignored["incomplete"] += 1
        return None
    turn = kinds[0].partition("_")[2] if len(kinds) == 1 else ""
    point, ways = (via[0], []) if at_point else (None, via)
    return Restriction(only, turn, origins, point, ways, targets)


class _Network:
    """The edges of the ways that restrictions name.

    Parameters
    ----------
    way : (m,) the OSM way id of each edge.
    back : (m,) as in `Turns`.
    """

    def __init__(self, graph: Graph, way: Array, back: Array, stated: list[Restriction]) -> None:
        assert graph.labels is not None  # noqa: S101 - OSM node ids
        self._graph, self._way, self._back = graph, way, back
        named = {way for rule in stated for way in (*rule.origins, *rule.ways, *rule.targets)}
        edges = np.flatnonzero(np.isin(way, np.array(list(named), np.int64)))
        tails, heads, _ = graph.edges()
        ends = zip(tails[edges].tolist(), heads[edges].tolist(), strict=True)
        self._ends = dict(zip(edges.tolist(), ends, strict=True))
        self._edges: dict[int, list[int]] = defaultdict(list)
        for edge in self._ends:
            self._edges[int(way[edge])].append(edge)
        vias = np.array([rule.via for rule in stated if rule.via is not None], np.int64)
        vertices = np.flatnonzero(np.isin(graph.labels, vias))
        self._vertex = dict(zip(graph.labels[vertices].tolist(), vertices.tolist(), strict=True))

    @cached_property
    def _directions(self) -> tuple[Array, Array]:
        return directions(self._graph)

    def forbidden(self, rule: Restriction) -> tuple[list[tuple[int, ...]], str]:
        """Return the sequences of edges that a restriction forbids, or why there are none."""
        named: list[tuple[int, ...]] = []
        for origin, target in itertools.product(rule.origins, rule.targets):
            sequences = self._sequences(rule, origin, target)
            if sequences is None or len(sequences) > 1:
                return [], "ambiguous"
            named += sequences
        if named:
            return (self._others(named) if rule.only else named), ""
        ways = {*rule.origins, *rule.ways, *rule.targets}
        outside = not ways.issubset(self._edges)
        return [], "outside the network" if outside else "without such a turn"

    def _sequences(
        self, rule: Restriction, origin: int, target: int
    ) -> list[tuple[int, ...]] | None:
        """Return the sequences of edges that a restriction may mean; None if there are too many."""
        into, out = self._edges.get(origin, []), self._edges.get(target, [])
        if rule.via is not None:
            vertex = self._vertex.get(rule.via)
            into = [edge for edge in into if self._ends[edge][1] == vertex]
            paths: list[tuple[int, ...]] | None = [(edge,) for edge in into]
        else:
            paths = self._along(into, rule.ways)
        if paths is None:
            return None
        sequences = [
            (*path, edge)
            for path in paths
            for edge in out
            if self._ends[edge][0] == self._ends[path[-1]][1]
        ]
        if len(sequences) < 2 or rule.turn not in _ANGLES:
            return sequences
        return [sequence for sequence in sequences if self._fits(sequence, rule.turn)]

    def _along(self, into: list[int], ways: list[int]) -> list[tuple[int, ...]] | None:
        """Return the paths that begin with an edge and then pass all via ways, none twice."""
        out: dict[int, list[int]] = defaultdict(list)
        for edge in itertools.chain.from_iterable(self._edges.get(way, []) for way in ways):
            out[self._ends[edge][0]].append(edge)
        whole: list[tuple[int, ...]] = []
        waiting: list[tuple[int, ...]] = [(edge,) for edge in into]
        for _ in range(_MOST_STEPS):
            if not waiting:
                return whole
            path = waiting.pop()
            if {int(self._way[edge]) for edge in path[1:]} == set(ways):
                whole.append(path)
            passed = {self._ends[edge][1] for edge in path}
            following = out[self._ends[path[-1]][1]]
            waiting += [(*path, edge) for edge in following if self._ends[edge][1] not in passed]
        return None

    def _fits(self, sequence: tuple[int, ...], turn: str) -> bool:
        """Return whether the directions of the first and the last edge are those of a turn."""
        first, last = sequence[0], sequence[-1]
        if len(sequence) == 2 and self._back[first] == last:
            return turn == "u_turn"
        arriving, leaving = self._directions
        return _ANGLES[turn](float(angles(arriving[first], leaving[last])))

    def _others(self, allowed: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return the sequences that leave the allowed ones, after their first edge or later."""
        following: dict[tuple[int, ...], set[int]] = defaultdict(set)
        for sequence in allowed:
            for at in range(1, len(sequence)):
                if sequence[:at] in allowed:  # it is complete there
                    break
                following[sequence[:at]].add(sequence[at])
        graph = self._graph
        return [
            (*path, edge)
            for path, edges in following.items()
            for vertex in [graph.indices[path[-1]]]
            for edge in range(graph.indptr[vertex], graph.indptr[vertex + 1])
            if edge not in edges
        ]
