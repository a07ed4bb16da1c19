"""Small maps as OpenStreetMap XML, drawn with tags and restrictions, and read.

Each way has two points, so it is one edge in each direction that it is open to. What a profile may
use follows from the tags by the rules of `docs/reference/openstreetmap.md`, which `_open` states
anew, without a line of the reader. Lengths of trips are compared with a search over the last edges
of a walk that knows restrictions. Streets for the ends of trips are open or closed here.
"""

from __future__ import annotations

import heapq
import random
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import warpath as wp
from hunt.program import Finding, Program
from warpath.base.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np

    from hunt.program import Counts

_MAPS = 6

#: The keys of access by profile, the most specific first.
_ACCESS = {
    "car": ("motorcar", "motor_vehicle", "vehicle", "access"),
    "bike": ("bicycle", "vehicle", "access"),
    "foot": ("foot", "access"),
}
_ONEWAY = {
    "car": ("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway"),
    "bike": ("oneway:bicycle", "oneway:vehicle", "oneway"),
    "foot": ("oneway:foot",),
}
_CLOSING = ("no", "agricultural", "forestry", "military", "emergency", "psv")
_ENDS = ("destination", "customers", "delivery", "private")
_OPENING = ("yes", "permissive", "designated")

#: An edge: tail, head, way.
Edge = tuple[int, int, int]


@dataclass
class Street:
    """A way of two points with its tags."""

    id: int
    u: int
    v: int
    tags: dict[str, str] = field(default_factory=dict)


@dataclass
class Restriction:
    """A relation: how a walk may go on that comes from `origin` and passes `via`.

    Attributes
    ----------
    nodes : the points at which one of these ways follows the one before it.
    """

    only: bool
    origin: int
    via: tuple[int, ...]
    nodes: tuple[int, ...]
    targets: tuple[int, ...]

    def exists(self, edges: Iterable[Edge]) -> bool:
        """Return whether the network has the whole way, from the first way to a target."""
        steps = zip(self.nodes, self.nodes[1:], self.via, strict=False)
        into = any(way == self.origin and head == self.nodes[0] for _, head, way in edges)
        out = any(way in self.targets and tail == self.nodes[-1] for tail, _, way in edges)
        return into and out and all(step in edges for step in steps)


def trial(rng: np.random.Generator, counts: Counts) -> None:
    """Draw some maps and read each for each profile."""
    chance = random.Random(int(rng.integers(2**63)))  # noqa: S311 - maps, not secrets
    with tempfile.TemporaryDirectory(prefix="warpath-hunt-") as folder:
        path = Path(folder) / "map.osm"
        for _ in range(_MAPS):
            streets = _streets(chance)
            with_turns = chance.random() < 0.5
            rules = list(_restrictions(chance, streets)) if with_turns else []
            text = _xml(chance, streets, rules)
            path.write_text(text, encoding="utf-8")
            for profile in _ACCESS:
                counts["maps"] += 1
                reason = _difference(chance, path, profile, streets, rules, with_turns=with_turns)
                if reason:
                    raise Finding(f"profile={profile!r}, turns={with_turns}: {reason}\n{text}")


def _difference(
    chance: random.Random, path: Path, profile: str, streets: list[Street],
    rules: list[Restriction], *, with_turns: bool,
) -> str:  # fmt: skip
    """Return what is wrong with the graph that is read, "" if nothing is."""
    right: set[Edge] = set()
    for_some = chance.random() < 0.5
    for street in streets:
        forward, backward = _open(street.tags, profile, for_some=for_some)
        right |= {(street.u, street.v, street.id)} if forward else set()
        right |= {(street.v, street.u, street.id)} if backward else set()
    restricted = "open" if for_some else "closed"
    options: dict[str, Any] = {"profile": profile, "turns": with_turns, "restricted": restricted}
    try:
        graph = wp.read(path, service=True, **options)
    except InputError as error:
        return f"{options} refused: {error}\nright is {sorted(right)}" if right else ""
    table = graph.edge_table()
    columns = (table[name].tolist() for name in ("source", "target", "way"))
    edges = list(zip(*columns, strict=True))
    if sorted(edges) != sorted(right):
        return f"{options} read {sorted(edges)}\nright is {sorted(right)}"
    lengths = [chance.randint(1, 9) for _ in edges]
    graph = graph.with_weights(lengths)
    weights = dict(zip(edges, lengths, strict=True))
    applied = [] if profile == "foot" else [rule for rule in rules if rule.exists(weights)]
    vertices = sorted({each for edge in edges for each in edge[:2]})
    for source in chance.sample(vertices, min(2, len(vertices))):
        found = wp.distances(graph, [source], vertices)
        reached = zip(vertices, found.dist[0].tolist(), found.reached[0].tolist(), strict=True)
        got = {v: length for v, length, is_reached in reached if is_reached}
        expected = _lengths(source, vertices, weights, applied, turns=with_turns)
        if got != expected:
            return f"{options} from {source} with {weights}:\nread {got}\nright is {expected}"
    return ""


def _lengths(
    source: int, vertices: list[int], weights: dict[Edge, int], rules: list[Restriction],
    *, turns: bool,
) -> dict[int, int]:  # fmt: skip
    """Return the length of the shortest trip to each vertex, by a search over the last edges."""
    rows: dict[int, list[Edge]] = {v: [] for v in vertices}
    for edge in weights:
        rows[edge[0]].append(edge)
    longest = 1 + max((len(rule.via) for rule in rules), default=1)
    best: dict[int, int] = {}
    heap: list[tuple[int, int, tuple[Edge, ...]]] = [(0, source, ())]
    done = set()
    while heap:
        length, at, last = heapq.heappop(heap)
        if (at, last) in done:
            continue
        done.add((at, last))
        best[at] = min(length, best.get(at, length))
        for edge in rows[at]:
            if not turns or _allowed((*last, edge), rows, rules):
                kept = (*last, edge)[-longest:] if turns else ()
                heapq.heappush(heap, (length + weights[edge], edge[1], kept))
    return best


def _allowed(walk: tuple[Edge, ...], rows: dict[int, list[Edge]], rules: list[Restriction]) -> bool:
    """Return whether the last edge of a walk may follow the edges before it."""
    if len(walk) < 2:
        return True
    before, edge = walk[-2], walk[-1]
    back = (before[1], before[0], before[2])
    if edge == back and any(other != back for other in rows[before[1]]):
        return False
    for rule in rules:
        pattern = (rule.origin, *rule.via)
        onward = (*((way,) for way in rule.via), rule.targets)
        # What is the only way on is so at each junction, from the first one on.
        for count in range(1 if rule.only else len(pattern), len(pattern) + 1):
            before_it = walk[-1 - count : -1]
            passed = tuple((head, way) for _, head, way in before_it)
            applies = passed == tuple(zip(rule.nodes, pattern, strict=True))[:count]
            if applies and (edge[2] in onward[count - 1]) != rule.only:
                return False
    return True


def _streets(chance: random.Random) -> list[Street]:
    """Return different pairs of points joined by tagged ways; not two ways between two points."""
    count = chance.randint(3, 7)
    pairs = [(u, v) for u in range(1, count + 1) for v in range(1, count + 1) if u != v]
    chance.shuffle(pairs)
    streets: list[Street] = []
    joined: set[frozenset[int]] = set()
    for u, v in pairs:
        if frozenset((u, v)) not in joined and len(streets) < 9:
            joined.add(frozenset((u, v)))
            streets.append(Street(100 + len(streets), u, v, _tags(chance)))
    return streets


def _tags(chance: random.Random) -> dict[str, str]:
    kinds = ("residential", "tertiary", "unclassified", "service", "living_street")
    tags = {"highway": chance.choice(kinds)}
    if chance.random() < 0.3:
        tags["access"] = chance.choice(_ENDS)
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        key = chance.choice(("motorcar", "motor_vehicle", "vehicle", "access", "bicycle", "foot"))
        key += chance.choice(("", "", ":forward", ":backward"))
        tags[key] = _values(chance)
    if chance.random() < 0.3:
        key = chance.choice(("oneway", "oneway", "oneway:bicycle", "oneway:vehicle"))
        tags[key] = chance.choice(("yes", "no", "-1", "true", "1", "reverse"))
    if chance.random() < 0.1:
        tags["junction"] = chance.choice(("roundabout", "circular"))
    if chance.random() < 0.2:
        tags[chance.choice(("hgv", "horse", "moped", "bus"))] = chance.choice(("no", "yes"))
    return tags


def _values(chance: random.Random) -> str:
    """Return a value of access, or a list of closing values."""
    if chance.random() < 0.3:
        listed = chance.sample(_CLOSING, 2)
        return chance.choice((";", "; ", " ; ")).join(listed)
    return chance.choice(chance.choice((_CLOSING, _ENDS, _OPENING, _OPENING)))


def _open(tags: dict[str, str], profile: str, *, for_some: bool) -> list[bool]:
    """Return whether a way is open forward and backward, if it may be one that is for some only."""
    usable: list[bool] = []
    sides = zip(("forward", "backward"), _directions(tags, profile), strict=True)
    for side, in_oneway in sides:
        value, directed = "yes", False
        for key in _ACCESS[profile]:
            if f"{key}:{side}" in tags or key in tags:
                directed = f"{key}:{side}" in tags
                value = tags.get(f"{key}:{side}", tags.get(key, ""))
                break
        values = [each.strip() for each in value.split(";")]
        closing = _CLOSING if for_some else _ENDS + _CLOSING
        usable.append((in_oneway or directed) and not all(each in closing for each in values))
    return usable


def _directions(tags: dict[str, str], profile: str) -> tuple[bool, bool]:
    value = next((tags[key] for key in _ONEWAY[profile] if key in tags), None)
    if value in {"yes", "true", "1"}:
        return True, False
    if value in {"-1", "reverse"}:
        return False, True
    round_about = tags.get("junction") in {"roundabout", "circular"} and profile != "foot"
    return True, not (value is None and round_about)


def _restrictions(chance: random.Random, streets: list[Street]) -> Iterator[Restriction]:
    """Yield restrictions whose ways join at their points."""
    at: dict[int, list[Street]] = {}
    for street in streets:
        for end in (street.u, street.v):
            at.setdefault(end, []).append(street)
    for _ in range(chance.randint(1, 3)):
        node = chance.choice(list(at))
        nodes = [node]
        origin = chance.choice(at[node])
        via: list[int] = []
        used = {origin.id}
        for _ in range(chance.choice((0, 0, 1, 2))):
            onward = [each for each in at[node] if each.id not in used]
            if not onward:
                break
            street = chance.choice(onward)
            via.append(street.id)
            used.add(street.id)
            node = street.v if street.u == node else street.u
            nodes.append(node)
        targets = [each.id for each in at[node] if each.id not in used]
        if targets:
            only = chance.random() < 0.4
            most = len(targets) if only else 1
            chosen = chance.sample(targets, chance.randint(1, most))
            yield Restriction(only, origin.id, tuple(via), tuple(nodes), tuple(chosen))


def _xml(chance: random.Random, streets: list[Street], rules: list[Restriction]) -> str:
    points = sorted({end for street in streets for end in (street.u, street.v)})
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", "<osm version='0.6'>"]
    for point in points:
        where = f"lon='{point * 0.001:.4f}' lat='{chance.randint(0, 9) * 0.001:.4f}'"
        lines.append(f"<node id='{point}' version='1' {where}/>")
    for street in streets:
        refs = f"<nd ref='{street.u}'/><nd ref='{street.v}'/>"
        lines.append(f"<way id='{street.id}' version='1'>{refs}{_tags_xml(street.tags)}</way>")
    for at, rule in enumerate(rules):
        members = [("way", rule.origin, "from")]
        members += [("way", way, "via") for way in rule.via] or [("node", rule.nodes[0], "via")]
        members += [("way", way, "to") for way in rule.targets]
        listed = "".join(f"<member type='{t}' ref='{r}' role='{role}'/>" for t, r, role in members)
        kind = chance.choice(("left_turn", "right_turn", "straight_on"))
        tags = {"type": "restriction", "restriction": f"{'only' if rule.only else 'no'}_{kind}"}
        lines.append(f"<relation id='{at + 1}' version='1'>{listed}{_tags_xml(tags)}</relation>")
    return "\n".join([*lines, "</osm>", ""])


def _tags_xml(tags: dict[str, Any]) -> str:
    return "".join(f"<tag k={quoteattr(k)} v={quoteattr(v)}/>" for k, v in tags.items())


PROGRAM = Program(
    summary="Small street maps with drawn tags and restrictions: edges and lengths of trips.",
    trial=trial,
    hang=60.0,
    packages=("osmium",),
)
