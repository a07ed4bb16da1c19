"""OpenStreetMap extracts (.osm, .osm.gz, .osm.bz2, .osm.pbf) as networks, through pyosmium.

Vertices are the ends of ways and the points that ways share; the points between them determine the
length and the shape of an edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import InputError
from warpath.base.units import SCALES, symbol_of
from warpath.graph import Graph
from warpath.graph.checks import shown
from warpath.graph.coordinates import great_circle
from warpath.graph.edge_geometry import Shapes, in_rows
from warpath.graph.input_edges import Coded
from warpath.io.osm_access import Access
from warpath.io.osm_extract import Extract, sniff
from warpath.io.osm_rules import rules_of
from warpath.io.osm_tags import ATTRIBUTION
from warpath.io.osm_times import local_time
from warpath.io.osm_turns import Roads, checked_costs, turns_of

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.io.osm_extract import Ways
    from warpath.io.osm_profiles import Restricted, Rules
    from warpath.io.source import Source


__all__ = ["read", "sniff"]

#: The columns that graphs keep, with the unit of the numbers.
_COLUMNS = {"street": "", "kind": "", "way": "", "length": "m", "seconds": "s"}


def read(
    source: Source,
    *,
    weight: str | None = "metres",
    profile: str | os.PathLike[str] | Mapping[str, Any] = "car",
    speeds: Mapping[str, float] | None = None,
    service: bool | None = None,
    tracks: bool | None = None,
    restricted: Restricted = "ends",
    barriers: bool = True,
    shapes: bool = True,
    attributes: str | Sequence[str] | None = "all",
    turns: bool = False,
    turn_costs: Mapping[str, float] | None = None,
    at: str | datetime | None = None,
) -> Graph:
    """Read the network of an OpenStreetMap extract that cars, bicycles or pedestrians use.

    Parameters
    ----------
    source : an .osm or .osm.pbf file, possibly compressed.
    weight : "metres", the great-circle length along the way's points (float64); "seconds", the
        time for that length at the speed of the profile; or another unit of either, such as
        "minutes", "h" and "km"; None: "metres".
    profile : "car", "bike", "foot", "truck", "bus", "wheelchair" or "emergency"; or a dict, or a
        .toml file, of differences from one of them, such as {"base": "car", "speeds": {"track":
        20}, "factors": {"surface": {"gravel": 0.5}}}. The keys are "base", "users" (text for
        messages), "speeds" (km/h by class, 0 leaves a class out), "factors" (of the speed, by tag
        and value; 0 closes), "size" (metres and tonnes by "maxheight", "maxweight" and so on),
        "access" (keys of access tags, the most specific first), "on_permission" (classes that only
        a tag opens), "barriers" (those that stop), "limits" ("replace", "cap" or "ignore"),
        "motorroads" and "service" (bool).
    speeds : km/h by highway class, in place of the profile's.
    service : whether to include highway=service (driveways, parking aisles, alleys). None: for
        bicycles and pedestrians.
    tracks : whether to include highway=track (farm and forest roads). None: for bicycles and
        pedestrians, and for cars where a tag allows it (motor_vehicle=yes).
    restricted : the use of ways that are open to some only (destination, customers, private,
        delivery, permit). "ends": trips that start or end there may use them, no trip passes
        through; "open": all trips; "closed": none.
    barriers : False ignores barriers on points, such as bollards.
    shapes : True stores the points between the ends of roads, 16 bytes each, for lines and plots.
    attributes : the columns to keep, in `Graph.given`: "street" (the name, else the reference),
        "kind" (the highway class, or ferry), "way" (the OSM id), "length" (metres), "seconds";
        "all"; None keeps none. About 30 bytes an edge.
    turns : True honours the turn restrictions of the file that hold for the profile, see
        `Graph.turns`; U-turns are then made at dead ends only.
        All calls honour turns, except `verify`, `DynamicPaths` and tables with predecessors.
    turn_costs : with `turns`, what turns add to a path, in the unit of the weights: "left", "right"
        and "u_turn", which allows U-turns everywhere. Left and right turns are those by more than
        45 degrees at a junction with a choice of ways.
    at : a local time, such as "2026-11-26 08:30", at which conditional tags count
        (motor_vehicle:conditional=no @ (Mo-Fr 07:00-09:00)); those with a condition that the time
        does not decide are ignored. Public holidays and sunrise are those at the first point of
        the file. None: all conditional tags are ignored.

    Returns
    -------
    Graph
        A directed graph. Labels are OSM node ids (int64; those inside areas that trips do not pass
        through, then the others, ascending each), coordinates are longitude and latitude in
        degrees, and the roads have shapes. The graph may have several components.

    Raises
    ------
    GraphFormatError
        The file is not OpenStreetMap data, is damaged, or has no road for the profile.
    InputError
        An option, or a key or value of a profile, is wrong.
    MissingDependencyError
        pyosmium is not installed (`pip install osmium`), or opening-hours-py, which `at` needs.

    Notes
    -----
    Of the access tags of a way the most specific one decides, such as bicycle before vehicle and
    access. A barrier ends a road at the last point before it. Points outside the extract split a
    way. Reads the file twice, with turns three times; O(points) memory, and about 1 us per point.
    """
    unit = symbol_of("metres" if weight is None else weight)
    if unit is None:
        message = (
            f'weight={weight!r}: OpenStreetMap roads are weighted by "metres", "seconds" or '
            'another unit, such as "minutes" or "km".'
        )
        raise InputError(message)
    rules = rules_of(profile, speeds, service=service, tracks=tracks, restricted=restricted)
    keys, costs = _kept(attributes), checked_costs(turn_costs)
    if costs and not turns:
        msg = "turn_costs has no effect without turns=True: give both, or leave it out."
        raise InputError(msg)
    file = Extract(source, None if at is None else local_time(at))
    ways = file.ways(rules)
    if not ways.points.size:
        raise file.error(_nothing(rules, any_way=file.has_ways()))
    ids, vertex = np.unique(ways.points, return_inverse=True)
    lonlat, passage = file.places(ids, rules, barriers=barriers)
    unlocated = np.isnan(lonlat[:, 0])
    file.report["points of roads without a location"] = int(unlocated.sum())
    edges = _edges(ways, vertex, lonlat, np.where(unlocated, Access.CLOSED, passage))
    if not edges.src.size:
        raise file.error(_no_stretch(ways, vertex, lonlat, passage))
    base, factor = SCALES[unit]
    weights = (edges.seconds if base == "s" else edges.length) / factor
    used, ends = np.unique(np.concatenate([edges.src, edges.dst]), return_inverse=True)
    src, dst = np.split(ends, 2)
    inner = inside_areas(src, dst, edges.limited, used.size)
    order = np.argsort(~inner, kind="stable")
    used, (src, dst) = used[order], (np.argsort(order)[ends] for ends in (src, dst))
    file.report["ways used at the ends of trips only"] = len(np.unique(edges.way[edges.limited]))
    file.report["stretches left out: trips could only pass them, not end there"] = edges.left_out
    lines = None
    if shapes:
        lines = in_rows(edges.lines, (src, dst), weights, lonlat[used], directed=True)
    graph = Graph.from_edges(
        src,
        dst,
        weights,
        n=used.size,
        labels=ids[used],
        coordinates=lonlat[used],
        first_through=int(inner.sum()),
        areas=True,
        name=source.title,
        shapes=lines,
        keep_rows=True,
        unit=None if weight is None else unit,
        attribution=ATTRIBUTION,
        read_report=+file.report,
    )
    assert graph.given is not None  # noqa: S101 - by keep_rows
    if turns:
        rows = graph.given.rows
        roads = Roads(ways.ids[edges.way][rows], edges.stretch[rows], edges.forward[rows])
        graph.turns = turns_of(file, rules.profile, graph, roads, costs).checked(graph.m)
        graph.read_report |= graph.turns.report()
    columns = _columns(ways, edges)
    graph.given.columns.update({name: columns[name] for name in keys})
    graph.given.units.update({name: _COLUMNS[name] for name in keys if _COLUMNS[name]})
    graph.given = graph.given if keys else None
    return graph


def _no_stretch(ways: Ways, vertex: Array, lonlat: NDArray[np.float64], passage: Array) -> str:
    """Return why no stretch of road is left."""
    count = int((passage != Access.OPEN).sum())
    located = np.where(np.isnan(lonlat[:, 0]), Access.CLOSED, Access.OPEN)
    if count and _edges(ways, vertex, lonlat, located).src.size:
        ends = "a barrier ends" if count == 1 else f"{count} barriers end"
        return f"{ends} every road: barriers=False reads the roads without barriers"
    return "it has roads, but no stretch of road whose two ends have a location"


class _Edges(NamedTuple):
    """The edges of a network, in the order of the file.

    Attributes
    ----------
    src, dst : (m,) rows of the points' locations.
    way : (m,) positions in `Ways`.
    stretch : (m,) integers, the same for both directions of a stretch of road.
    forward : (m,) bool, whether an edge follows the points of its way.
    limited : (m,) bool, whether only trips that start or end there may use an edge.
    length, seconds : (m,) metres and time.
    left_out : number of stretches without an edge, through which trips would pass an area.
    lines : the points of each edge, ends included, in the direction of the way.
    """

    src: Array
    dst: Array
    way: Array
    stretch: Array
    forward: Array
    limited: Array
    length: NDArray[np.float64]
    seconds: NDArray[np.float64]
    left_out: int
    lines: Shapes


def _edges(ways: Ways, vertex: Array, lonlat: NDArray[np.float64], passage: Array) -> _Edges:
    """Return the edges of ways that are split at junctions; parameters as `_stretches`."""
    u, v, way, metres, course = _stretches(ways, vertex, lonlat, passage)
    limited = _limited(ways, u, v, way, passage)
    whole = ~pass_areas(u, v, limited)
    along = np.flatnonzero(whole & ways.forward[way])
    back = np.flatnonzero(whole & ways.backward[way])
    stretch = np.concatenate([along, back])
    return _Edges(
        np.concatenate([u[along], v[back]]),
        np.concatenate([v[along], u[back]]),
        way[stretch],
        stretch,
        np.arange(len(stretch)) < len(along),
        limited[stretch],
        metres[stretch],
        metres[stretch] * 3.6 / _speeds(ways, way, metres, along, back),
        int(np.count_nonzero(~whole)),
        course.taken(stretch),
    )


def _limited(
    ways: Ways, first: Array, last: Array, way: Array, passage: Array
) -> NDArray[np.bool_]:
    """Return which stretches of road, with these ends, are used at the ends of trips only.

    Those at a gate are, so that trips end on one side of the gate.
    """
    gates = (passage[first] == Access.ENDS) | (passage[last] == Access.ENDS)
    limited: NDArray[np.bool_] = ways.ends_only[way] | gates
    return limited


def _columns(ways: Ways, edges: _Edges) -> dict[str, NDArray[Any] | Coded]:
    """Return all columns of the edges."""
    return {
        "street": Coded(ways.street.codes[edges.way], ways.street.values),
        "kind": Coded(ways.kind.codes[edges.way], ways.kind.values),
        "way": ways.ids[edges.way],
        "length": edges.length,
        "seconds": edges.seconds,
    }


def _kept(attributes: Any) -> list[str]:
    """Return the names of the columns to keep."""
    if attributes is None or attributes == "all":
        return [] if attributes is None else list(_COLUMNS)
    names = [attributes] if isinstance(attributes, str) else list(attributes)
    for name in names:
        if name not in _COLUMNS:
            columns = ", ".join(map(repr, _COLUMNS))
            msg = (
                f"attributes={shown(attributes)}: there is no column {name!r}; there are {columns}."
            )
            raise InputError(msg)
    return names


def _nothing(rules: Rules, *, any_way: bool) -> str:
    """Return the message for a file without a road."""
    if not any_way:
        return "the extract is empty: it has no ways"
    hint = "" if "service" in rules.speeds else " (service=True also includes service roads)"
    return f"no road that {rules.profile.users} may use was found{hint}"


def _speeds(
    ways: Ways, way: Array, metres: Array, along: Array, back: Array
) -> NDArray[np.float64]:
    """Return km/h of the stretches `along` and then of the stretches `back`.

    A way with a duration takes it for its length inside the extract.
    """
    total = np.bincount(way, metres, len(ways.ids))
    timed = np.isfinite(ways.seconds) & (total > 0)
    both = []
    for speed, stretches in ((ways.forward_speed, along), (ways.backward_speed, back)):
        kmh = np.where(timed, 3.6 * total / ways.seconds, speed)
        both.append(kmh[way[stretches]])
    return np.concatenate(both)


def _stretches(
    ways: Ways, vertex: Array, lonlat: NDArray[np.float64], passage: Array
) -> tuple[Array, Array, Array, Array, Shapes]:
    """Split the ways at junctions: (u, v, way, metres) and the points of each stretch of road.

    Parameters
    ----------
    vertex : for each point of `ways`, its row in `lonlat`.
    passage : (k,) the `Access` of each point; `Access.CLOSED` where a barrier stops the traffic or
        the location is unknown.
    """
    way = np.repeat(np.arange(ways.start.size - 1), np.diff(ways.start))
    repeated = np.zeros(vertex.size, bool)
    repeated[1:] = (vertex[1:] == vertex[:-1]) & (way[1:] == way[:-1])
    stops = passage[vertex] == Access.CLOSED
    keep = ~repeated & ~stops
    # A closed point is left out and splits its way. `run` counts such points, so it differs
    # between the stretches before and after one.
    run = np.cumsum(stops)[keep]
    vertex, way = vertex[keep], way[keep]
    if len(vertex) < 2:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, nothing, np.empty(0), Shapes([0], [])
    joined = (way[1:] == way[:-1]) & (run[1:] == run[:-1])
    metres = np.where(joined, great_circle(lonlat[vertex[:-1]], lonlat[vertex[1:]]), 0.0)
    cut = np.bincount(vertex, minlength=len(lonlat))[vertex] > 1
    cut |= passage[vertex] == Access.ENDS
    cut[0] = cut[-1] = True
    cut[1:] |= ~joined
    cut[:-1] |= ~joined
    at = np.flatnonzero(cut)
    # A street from one public street to another is divided: trips may end at the point in between.
    first, last = at[:-1][joined[at[:-1]]], at[1:][joined[at[:-1]]]
    limited = _limited(ways, vertex[first], vertex[last], way[first], passage)
    through = pass_areas(vertex[first], vertex[last], limited)
    cut[(first + last)[through & (last > first + 1)] // 2] = True
    at = np.flatnonzero(cut)
    whole = joined[at[:-1]]
    length = np.add.reduceat(metres, at[:-1])
    first, last = at[:-1][whole], at[1:][whole]
    counts = last - first + 1
    begins = np.cumsum(counts) - counts
    inside = np.arange(int(counts.sum())) - np.repeat(begins, counts)
    points = lonlat[vertex[np.repeat(first, counts) + inside]]
    course = Shapes(np.append(begins, len(points)), points, "EPSG:4326")
    return vertex[first], vertex[last], way[first], length[whole], course


def inside_areas(src: Array, dst: Array, limited: Array, n: int) -> NDArray[np.bool_]:
    """Return which vertices lie inside areas with two or more gates: (n,) bool. O((n + m) log n).

    Parameters
    ----------
    src, dst : (m,) the ends of the edges; each vertex has an edge.
    limited : (m,) bool, whether an edge is used at the ends of trips only.
    """
    if not limited.any():
        return np.zeros(n, bool)
    public = _outside(src, dst, limited, n)
    area = _components(src, dst, ~public[src] & ~public[dst], n)
    enters = public[src] != public[dst]
    gate = np.where(public[src], src, dst)[enters]
    inner = np.where(public[src], dst, src)[enters]
    gates = np.unique(area[inner] * n + gate) // n
    closed: NDArray[np.bool_] = ~public & (np.bincount(gates, minlength=n)[area] > 1)
    return closed


def pass_areas(src: Array, dst: Array, limited: Array) -> NDArray[np.bool_]:
    """Return which edges lead from gate to gate through an area: (m,) bool; see `inside_areas`."""
    if not limited.any():
        return np.zeros(len(src), bool)
    names, ends = np.unique(np.concatenate([src, dst]), return_inverse=True)
    src, dst = np.split(ends, 2)
    public = _outside(src, dst, limited, len(names))
    through: NDArray[np.bool_] = limited & public[src] & public[dst] & (src != dst)
    return through


def _outside(src: Array, dst: Array, limited: Array, n: int) -> NDArray[np.bool_]:
    """Return which vertices are outside the areas: (n,) bool.

    They have an edge of the largest public network of their component.
    """
    network = _components(src, dst, ~limited, n)
    component = _components(src, dst, np.ones(len(src), bool), n)
    size = np.bincount(network, minlength=n)
    public = np.zeros(n, bool)
    public[src[~limited]] = public[dst[~limited]] = True
    first = np.flatnonzero(public & (network == np.arange(n)))  # a vertex of each public network
    order = first[np.lexsort((-first, size[first]))]
    largest = np.full(n, -1)
    largest[component[order]] = order  # the last one stays, which is the largest
    outside: NDArray[np.bool_] = public & (largest[component] == network)
    return outside


def _components(src: Array, dst: Array, used: Array, n: int) -> NDArray[np.int64]:
    """Return the smallest vertex that some edges join each vertex to: (n,)."""
    component = np.arange(n)
    src, dst = src[used], dst[used]
    while (differ := component[src] != component[dst]).any():
        low = np.minimum(component[src], component[dst])[differ]
        np.minimum.at(component, component[src][differ], low)
        np.minimum.at(component, component[dst][differ], low)
        while (component[component] != component).any():
            component = component[component]
    return component
