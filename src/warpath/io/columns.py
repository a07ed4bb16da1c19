"""Names of columns: which columns of a table hold the ends, the weight and the directions of edges.

Columns are known by their names in a header, or named by the caller; nothing else is read. Names
are compared without case, blanks and punctuation: ``FROM_NODE``, ``From Node`` and ``fromnode``
are the same.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base.errors import GraphError, InputError
from warpath.graph.checks import is_integer, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Column = str | int

#: Pairs of words for the source and the target of an edge.
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("src", "dest"),
    ("src", "tgt"),
    ("src", "trg"),
    ("from", "to"),
    ("tail", "head"),
    ("origin", "destination"),
    ("orig", "dest"),
    ("start", "end"),
    ("begin", "end"),
    ("init", "term"),
    ("sender", "receiver"),
    ("u", "v"),
    ("a", "b"),
    ("i", "j"),
    ("o", "d"),
    ("f", "t"),
    ("s", "t"),
)
#: Words after or before both words of a pair: ``from_node_id`` and ``to_node_id``, ``node_a`` and
#: ``node_b``.
AFTER = (
    "id", "node", "node_id", "node_no", "no", "vertex", "vertex_id", "osm", "osm_id", "junction",
    "junction_id", "jnctn", "jnct_id", "stop", "stop_id", "station", "station_id", "zone",
    "zone_id", "index", "name", "city",
)  # fmt: skip
BEFORE = ("node", "node_id", "vertex", "id", "edge", "link", "stop", "station", "zone")
#: Words before 1 and 2.
NUMBERED = (
    "node",
    "vertex",
    "id",
    "v",
    "n",
    "stop",
    "station",
    "city",
    "user",
    "person",
    "protein",
)
#: Pairs that follow no pattern.
FURTHER_ENDS = (
    ("ref_in_id", "nref_in_id"),  # HERE
    ("tnidf", "tnidt"),  # TIGER
    ("noeud_ini", "noeud_fin"),
    ("citing", "cited"),
    ("parent", "child"),
)
#: These pairs, and single letters but u and v, often mean something else: they count where there is
#: no other pair.
_WEAK = {
    ("start", "end"),
    ("begin", "end"),
    ("a", "b"),
    ("i", "j"),
    ("o", "d"),
    ("f", "t"),
    ("s", "t"),
}

#: Words for a weight, also with a unit (``length_m``, ``Time (min)``) or ``_ab``, ``_forward``.
WEIGHTS = (
    "weight", "w", "length", "len", "distance", "dist", "cost", "time", "travel_time", "tt",
    "trip_time", "drive_time", "walk_time", "duration", "impedance", "free_flow_time", "fft",
    "free_flow_travel_time", "t0", "generalized_cost", "shape_length", "shape_leng", "shape_len",
    "link_length", "edge_length", "road_length", "edge_weight", "link_weight", "link_cost",
    "edge_cost",
)  # fmt: skip
#: Units that are a weight by themselves.
UNITS = (
    "km", "kms", "kilometers", "kilometres", "meters", "metres", "miles", "feet", "seconds", "secs",
    "minutes", "mins", "hours",
)  # fmt: skip
_SHORT_UNITS = ("m", "mi", "ft", "s", "sec", "min", "h", "hr", "hrs", "ms")

#: Words for a column that says in which directions a row may be travelled.
DIRECTIONS = (
    "oneway", "one_way", "direction", "dir", "dir_flag", "directed", "is_oneway", "dir_travel",
    "dir_of_travel", "travel_direction", "travel_dir", "traffic_direction", "traffic_dir",
    "flow_direction", "link_direction", "link_dir", "sens", "einbahn", "fahrtrichtung", "sentido",
)  # fmt: skip
#: Words for a column that is true where a row may be travelled both ways.
TWO_WAY = ("bidirectional", "two_way", "both_ways", "undirected", "is_bidirectional")
#: Words for a column with the weights of the opposite direction.
REVERSE = ("reverse_cost", "reverse_weight", "reverse_length", "reverse_time", "rev_cost")

#: Names of columns of longitudes and of latitudes, without a prefix such as ``origin_``.
COORDINATES = (("lon", "lng", "long", "longitude", "x"), ("lat", "latitude", "y"))

#: The most columns that a message lists.
_LISTED = 40


class Directions(NamedTuple):
    """The columns that say how rows may be travelled.

    Attributes
    ----------
    oneway : the column of directions, or None.
    costs : the columns of costs along and against a row, which are negative where it is closed, or
        None.
    """

    oneway: str | None = None
    costs: tuple[str, str] | None = None


def plain(name: str) -> str:
    """Return a name without case, blanks and punctuation."""
    return re.sub(r"[\W_]+", "", name.casefold())


def _known_pairs() -> set[tuple[str, str]]:
    """Return the plain names of all known pairs."""
    pairs = set()

    def add(u: str, v: str) -> None:
        pairs.add((plain(u), plain(v)))

    for u, v in ENDS:
        add(u, v)
        for word in AFTER:
            add(u + word, v + word)
        for word in BEFORE:
            add(word + u, word + v)
    for word in NUMBERED:
        add(f"{word}1", f"{word}2")
    for u, v in FURTHER_ENDS:
        add(u, v)
    return pairs


_PAIRS = _known_pairs()
_SOURCES = {source for source, _ in _PAIRS}
_WEIGHT = re.compile(
    rf"(ab)?({'|'.join(map(plain, WEIGHTS))})((in)?({'|'.join((*UNITS, *_SHORT_UNITS))}))?"
    rf"(ab|forward|fwd)?|{'|'.join(UNITS)}"
)
#: How the name of a weight becomes that of the opposite direction.
_OPPOSITE = (
    (re.compile("(.+)ab"), r"\1ba"),
    (re.compile("ab(.+)"), r"ba\1"),
    (re.compile("(.+)forward"), r"\1backward"),
    (re.compile("(.+)fwd"), r"\1bwd"),
    (re.compile("(.+)"), r"reverse\1"),
    (re.compile("(.+)"), r"\1ba"),
    (re.compile("(.+)"), r"\1backward"),
    (re.compile("(.+)"), r"\1reverse"),
)


def known_ends(names: Iterable[str], *, letters: bool = True) -> list[tuple[str, str]]:
    """Return the pairs of columns whose names are those of the ends of edges.

    Parameters
    ----------
    letters : whether single letters, start and end count too.
    """
    columns = [(name, plain(name)) for name in names]
    pairs = {
        (u, v): (first, second)
        for u, first in columns
        if first in _SOURCES
        for v, second in columns
        if (first, second) in _PAIRS
    }
    if not letters:
        return [pair for pair, ends in pairs.items() if len(ends[0]) > 1 and ends not in _WEAK]
    strong = {pair: ends for pair, ends in pairs.items() if ends not in _WEAK}
    # pgRouting's tables have both its own ids and those of OpenStreetMap for the same vertices.
    twins = {(u + "osm", v + "osm") for u, v in strong.values()}
    return [pair for pair, ends in strong.items() if ends not in twins] or list(pairs)


def coordinate_columns(names: Sequence[str], prefix: str = "") -> tuple[int, int] | None:
    """Return the numbers of the columns of longitudes and latitudes; None without such columns.

    Parameters
    ----------
    names : the header, in lower case.
    """
    lon, lat = (
        next((names.index(prefix + name) for name in known if prefix + name in names), None)
        for known in COORDINATES
    )
    return None if lon is None or lat is None else (lon, lat)


def is_weight(name: str) -> bool:
    """Return whether a name is one of a column of weights."""
    return _WEIGHT.fullmatch(plain(name)) is not None


def chosen_columns(
    names: Sequence[str],
    columns: Sequence[Column] | None,
    weight: Column | None,
    numeric: Callable[[str], bool] = lambda _: True,
) -> tuple[str, str, str | None]:
    """Return the names of the columns (source, target, weight or None).

    Parameters
    ----------
    numeric : whether a column has numbers, for the example in a message.

    Raises
    ------
    GraphError
        A column is missing or ambiguous; the message lists all of them.
    """
    if columns is None:
        source, target = _known_or_refused(names, weight, numeric)
    else:
        if isinstance(columns, str | int | float) or not 2 <= len(columns) <= 3:
            msg = (
                f"columns={columns!r}: give two or three of {_listed(names)}: source, target and "
                "weight."
            )
            raise InputError(msg)
        if len(columns) == 3 and columns[2] != "auto" and weight not in {"auto", columns[2]}:
            msg = f"columns={columns!r} and weight={weight!r} name two weights: give one of them."
            raise InputError(msg)
        source, target = (named(names, column) for column in columns[:2])
        if source == target:
            msg = f"columns={columns!r} names one column twice."
            raise InputError(msg)
        if weight == "auto":
            weight = columns[2] if len(columns) == 3 else None
    if weight is None:
        return source, target, None
    if weight != "auto":
        chosen = named(names, weight)
        if chosen in {source, target}:
            msg = f"weight={weight!r} is a column of vertices; there are {_listed(names)}."
            raise InputError(msg)
        return source, target, chosen
    return source, target, _known_weight(names, (source, target), numeric)


def named(names: Sequence[str], column: Column | None) -> str:
    """Return the name of a column that is given by its name or its position from 0."""
    name: str | None = None
    if isinstance(column, str) and column in names:
        name = column
    elif is_integer(column) and 0 <= int(column) < len(names):  # type: ignore[arg-type]
        name = names[int(column)]  # type: ignore[arg-type]
    if name is None:
        msg = f"there is no column {column!r}; there are {_listed(names)}."
        raise GraphError(msg)
    if list(names).count(name) > 1:
        msg = f"two columns are called {name!r} ({_listed(names)}): rename one."
        raise GraphError(msg)
    return name


def ends_as_columns(source: Any, target: Any, columns: Any) -> Any:
    """Return the option `columns` that the options `source` and `target` stand for."""
    if source is None and target is None:
        return columns
    for name, value in (("source", source), ("target", target)):
        if not (isinstance(value, str) or is_integer(value)):
            msg = f"{name} = {shown(value)} must be the name or the number of a column."
            raise InputError(msg)
    if columns is not None:
        msg = "source=, target= and columns= name the same columns: leave one of them out."
        raise InputError(msg)
    return source, target, "auto"


def _listed(names: Sequence[str]) -> str:
    more = [] if len(names) <= _LISTED else ["..."]
    return ", ".join([*map(repr, names[:_LISTED]), *more])


def _known_or_refused(
    names: Sequence[str], weight: Column | None, numeric: Callable[[str], bool]
) -> tuple[str, str]:
    candidates = known_ends(names)
    if len(candidates) == 1:
        source, target = candidates[0]
        return named(names, source), named(names, target)
    if candidates:
        several = " and ".join("/".join(pair) for pair in candidates)
        source, target = candidates[0]
        msg = (
            f"the ends of the edges could be {several} of the columns {_listed(names)}; choose "
            f"them, as with source={source!r}, target={target!r}."
        )
        raise GraphError(msg)
    some = ", ".join("/".join(pair) for pair in (*ENDS[:2], *ENDS[5:7]))
    if len(names) < 2:
        msg = f"there is only the column {_listed(names)}: an edge has a source and a target."
        raise GraphError(msg)
    # An example: the first two columns that do not count rows, and a column of numbers.
    likely = [name for name in names if not _RECORD.fullmatch(plain(name))]
    ends = [name for name in likely if not (is_weight(name) or _POSITION.fullmatch(plain(name)))]
    example = "source= and target="
    if len(ends) > 1:
        source, target = _alike(ends) or ends[:2]
        rest = [name for name in likely if name not in {source, target}]
        example = f"source={source!r}, target={target!r}"
        if weight == "auto" and rest:
            weights = [name for name in rest if is_weight(name)] or rest
            number = next((name for name in weights if numeric(name)), None)
            example += f", weight={number!r}"
    msg = (
        f"none of the known pairs of names ({some}, ...) is among the columns {_listed(names)}; "
        f"choose the columns, as with {example}."
    )
    raise GraphError(msg)


def _alike(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the first names that share their start or end, as those of the ends of edges do."""
    for first, second in combinations(names, 2):
        u, v = plain(first), plain(second)
        if u[:3] == v[:3] or u[-3:] == v[-3:]:
            return first, second
    return None


_RECORD = re.compile(
    r"|(link|edge|road|row|arc|line|segment|street|way|object|osm|record|g|f|u|o)?(id|no|number|key)"
    r"|index|year|date|day|timestamp|unnamed0"
)
_POSITION = re.compile(
    ".*(lat|lon|lng|latitude|longitude)|(the)?geom(etry)?|wkt|shape|.*coord[xy]?"
)


def _known_weight(
    names: Sequence[str], ends: tuple[str, str], numeric: Callable[[str], bool]
) -> str | None:
    used = {*ends, directions_by_name(names, ends).oneway}
    others = [n for n in names if n not in used and n.strip() and not says_directions(n)]
    plain_names = {plain(name) for name in names}
    if {"cost", "reversecost"} <= plain_names:  # pgRouting, whose tables have lengths as well
        return next(named(names, name) for name in names if plain(name) == "cost")
    candidates = [name for name in others if is_weight(name)]
    exact = [name for name in candidates if plain(name) == "weight"]
    candidates = exact or candidates
    # In a table with more columns, "time" is often the moment of an event, not a duration.
    stamped = [plain(name) for name in candidates] == ["time"] and len(others) > 1
    if len(set(candidates)) == 1 and not stamped:
        return named(names, candidates[0])
    if not others:
        return None
    choices = candidates or others
    likely = (n for n in choices if numeric(n) and not _RECORD.fullmatch(plain(n)))
    example = next((f"weight={name!r}, or " for name in likely), "")
    reason = f"none of the columns {_listed(names)} is known as a weight"
    if candidates:
        several = " or ".join(map(repr, candidates))
        reason = f"the weight could be {several} of the columns {_listed(names)}"
    raise GraphError(f"{reason}; choose {example}weight=None for 1 on every edge.")


def directions_by_name(names: Sequence[str], ends: tuple[str, str]) -> Directions:
    """Return the columns of directions of a format that its header identifies, else none.

    pgRouting: ``source, target, cost, reverse_cost``. AequilibraE: ``a_node, b_node, direction``.
    GMNS: ``from_node_id, to_node_id`` with ``directed`` or else ``dir_flag``. Gephi: ``Source,
    Target, Type``.
    """
    columns = {plain(name): name for name in names}
    pair = tuple(map(plain, ends))
    if pair in {("source", "target"), ("sourceosm", "targetosm")}:
        if {"cost", "reversecost"} <= set(columns):
            return Directions(costs=(columns["cost"], columns["reversecost"]))
        if "type" in columns and pair == ("source", "target"):
            return Directions(oneway=columns["type"])
    if pair == ("anode", "bnode") and "direction" in columns:
        return Directions(oneway=columns["direction"])
    if pair == ("fromnodeid", "tonodeid"):
        for name in ("directed", "dirflag"):
            if name in columns:
                return Directions(oneway=columns[name])
    return Directions()


def opposite_weight(names: Sequence[str], weight: str) -> str | None:
    """Return the column of the weights against the direction: ``time_ba`` for ``time_ab``."""
    columns = {plain(name): name for name in names}
    for pattern, opposite in _OPPOSITE:
        match = pattern.fullmatch(plain(weight))
        if match is not None and match.expand(opposite) in columns:
            return columns[match.expand(opposite)]
    return None


def says_directions(name: str) -> bool:
    """Return whether a column's name says that it holds directions or opposite weights."""
    return plain(name) in _DIRECTION_WORDS


def has_directions(names: Sequence[str]) -> bool:
    """Return whether the names of columns say that one holds directions or opposite weights."""
    return (
        any(says_directions(name) or opposite_weight(names, name) for name in names)
        or directions_by_name(names, ("source", "target")).oneway is not None
    )


_DIRECTION_WORDS = {plain(word) for word in (*DIRECTIONS, *TWO_WAY, *REVERSE)}


def means_two_way(name: str) -> bool:
    """Return whether true in a column of this name means that both ways are open."""
    return plain(name) in {plain(word) for word in TWO_WAY}


def reports_unused(report: Mapping[str, Any]) -> list[str]:
    """Return the sentences of a graph's report about columns of directions that are not used."""
    return [f"{what}: {value}" for what, value in report.items() if what.endswith("is not used")]
