"""OpenStreetMap extracts (.osm, .osm.gz, .osm.bz2, .osm.pbf) as a car network, through pyosmium.

Vertices are the ends of ways and the points that ways share; the points between them determine the
length and the shape of an edge.
"""

from __future__ import annotations

from array import array
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from warpath.base.errors import InputError, require
from warpath.graph import Graph
from warpath.graph.coordinates import great_circle
from warpath.graph.edge_geometry import Shapes, in_rows
from warpath.io.osm_tags import ATTRIBUTION, DEFAULT_SPEEDS, CarRules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.base.errors import GraphFormatError
    from warpath.io.source import Source


@dataclass(frozen=True, slots=True)
class _Ways:
    """The drivable ways; `points[start[i]:start[i + 1]]` are the OSM node ids of way i."""

    points: NDArray[np.int64]
    start: NDArray[np.int64]
    forward: NDArray[np.bool_]
    backward: NDArray[np.bool_]
    forward_speed: NDArray[np.float64]
    backward_speed: NDArray[np.float64]


def read(
    source: Source,
    *,
    weight: Literal["metres", "seconds"] | None = "metres",
    service: bool = False,
    private: bool = False,
    speeds: Mapping[str, float] | None = None,
    shapes: bool = True,
) -> Graph:
    """Read the car network of an OpenStreetMap extract.

    Parameters
    ----------
    source : an .osm or .osm.pbf file, possibly compressed.
    weight : "metres", the great-circle length along the way's points (float64); "seconds", the
        time for that length at the tagged speed limit, or without one at the speed of the class in
        `osm_tags.DEFAULT_SPEEDS`; None: "metres".
    service : True includes highway=service (driveways, parking aisles, alleys).
    private : True includes ways open to some cars only (access=private, permit, delivery).
    speeds : km/h by highway class, in place of the default speeds.
    shapes : True stores the points between the ends of roads, 16 bytes each, for lines and plots.

    Returns
    -------
    Graph
        A directed graph. Labels are OSM node ids (int64, ascending), coordinates are longitude and
        latitude in degrees, and the roads have shapes. The graph may have several components.

    Raises
    ------
    GraphFormatError
        The file is not OpenStreetMap data, is damaged, or has no road for cars.
    MissingDependencyError
        pyosmium is not installed (`pip install osmium`).

    Notes
    -----
    Includes the classes motorway to residential with their links, living_street and road. Of the
    tags access, vehicle, motor_vehicle and motorcar the most specific one decides; one-ways are
    read as in `osm_tags.directions`. Turn restrictions, barriers on points and ferries are ignored.
    Points outside the extract split a way. Reads the file twice; O(points) memory, and about 1 us
    per point.
    """
    if weight not in {"metres", "seconds", None}:
        message = f'weight={weight!r}: OpenStreetMap roads are weighted by "metres" or "seconds".'
        raise InputError(message)
    rules = CarRules(_speeds(speeds, service=service), private=private)
    file = _Extract(source)
    ways = file.ways(rules)
    if not ways.points.size:
        raise file.error(
            "no road that cars may use was found "
            "(service=True and private=True also include service roads and private ones)"
        )
    ids, vertex = np.unique(ways.points, return_inverse=True)
    lonlat = file.locations(ids)
    u, v, way, metres, course = _junction_edges(ways, vertex, lonlat)
    if not u.size:
        raise file.error("it has roads, but no stretch of road whose two ends have a location")
    forward, backward = ways.forward[way], ways.backward[way]
    src = np.concatenate([u[forward], v[backward]])
    dst = np.concatenate([v[forward], u[backward]])
    length = np.concatenate([metres[forward], metres[backward]])
    if weight == "seconds":
        kmh = np.concatenate(
            [ways.forward_speed[way[forward]], ways.backward_speed[way[backward]]],
        )
        length = length * 3.6 / kmh
    used, ends = np.unique(np.concatenate([src, dst]), return_inverse=True)
    src, dst = ends[: src.size], ends[src.size :]
    edge_shapes = None
    if shapes:
        lines = course.taken(np.concatenate([np.flatnonzero(forward), np.flatnonzero(backward)]))
        edge_shapes = in_rows(lines, (src, dst), length, lonlat[used], directed=True)
    return Graph.from_edges(
        src,
        dst,
        length,
        n=used.size,
        labels=ids[used],
        coordinates=lonlat[used],
        name=source.title,
        shapes=edge_shapes,
        unit=None if weight is None else {"metres": "m", "seconds": "s"}[weight],
        attribution=ATTRIBUTION,
    )


def _speeds(own: Mapping[str, float] | None, *, service: bool) -> dict[str, float]:
    speeds = dict(DEFAULT_SPEEDS)
    for name, kmh in (own or {}).items():
        if name not in speeds or not 0 < kmh < float("inf"):
            message = (
                f"speeds[{name!r}] = {kmh!r}: a speed is km/h > 0 for one of {', '.join(speeds)}."
            )
            raise InputError(message)
        speeds[name] = float(kmh)
    if not service:
        del speeds["service"]
    return speeds


#: Far above all ids that OpenStreetMap has assigned, about 1.3 * 10^10 in 2025.
_LARGEST_ID = 2**40

#: osmium's name of the XML format by compression; None: not compressed.
_COMPRESSED = {None: "osm", "gzip": "osm.gz", "bzip2": "osm.bz2"}


def sniff(head: bytes) -> bool:
    """Return whether a file is OpenStreetMap XML or PBF."""
    return _is_pbf(head) or (b"<osm " in head[:1024] and head.lstrip()[:1] == b"<")


def _is_pbf(head: bytes) -> bool:
    return head[4:15] == b"\x0a\x09OSMHeader"


class _Extract:
    """An extract that is read in several passes; osmium's errors become GraphFormatErrors."""

    def __init__(self, source: Source) -> None:
        self._osmium = require("osmium", extra="osm", what="reading OpenStreetMap extracts")
        self._source = source
        if not sniff(source.head):
            raise self.error("expected OpenStreetMap XML or PBF, found neither <osm> nor OSMHeader")
        io = self._osmium.io
        if _is_pbf(source.raw_head):
            self._file = io.File(str(source.path), "pbf")
        elif not _is_pbf(source.head) and source.compression in _COMPRESSED:
            self._file = io.File(str(source.path), _COMPRESSED[source.compression])
        else:  # a compression that osmium does not support
            form = "pbf" if _is_pbf(source.head) else "osm"
            self._file = io.FileBuffer(source.data, form)

    def error(self, message: str) -> GraphFormatError:
        return self._source.error(None, message)

    def _filters(self, ids: Array) -> bool:
        """Return whether osmium's own filter can select nodes by these ascending ids.

        The filter does not support the negative ids of unsaved edits. It has a bit for each number
        up to the largest, in blocks of 4 MiB, and a pointer to each block: a single id of 10^16
        would take 2.3 GB.
        """
        blocks = 1 + int(np.count_nonzero(np.diff(ids >> 25)))
        return bool(
            ids[0] >= 0 and ids[-1] < _LARGEST_ID and blocks << 22 <= self._source.room // 4
        )

    @contextmanager
    def _damage(self) -> Iterator[None]:
        """Convert osmium's errors about damaged data to a GraphFormatError that names the file."""
        try:
            yield
        except (RuntimeError, ValueError, self._osmium.InvalidLocationError) as error:
            raise self.error(str(error)) from error

    def ways(self, rules: CarRules) -> _Ways:
        osmium = self._osmium
        classes = osmium.filter.TagFilter(*(("highway", name) for name in rules.speeds))
        points, count = array("q"), array("q")
        drives = []
        with self._damage():
            for way in osmium.FileProcessor(self._file, osmium.osm.WAY).with_filter(classes):
                drive = rules.drive(dict(way.tags))
                if drive is not None:
                    refs = [point.ref for point in way.nodes]
                    points.extend(refs)
                    count.append(len(refs))
                    drives.append(drive)
        return _Ways(
            np.array(points, np.int64),
            np.concatenate([[0], np.cumsum(np.array(count, np.int64))]),
            np.array([drive.forward for drive in drives], bool),
            np.array([drive.backward for drive in drives], bool),
            np.array([drive.forward_speed for drive in drives], np.float64),
            np.array([drive.backward_speed for drive in drives], np.float64),
        )

    def locations(self, ids: Array) -> NDArray[np.float64]:
        """Return longitude and latitude of the ascending `ids`, (k, 2); NaN where unknown."""
        osmium = self._osmium
        node_ids, place = array("q"), array("d")
        requested = set() if self._filters(ids) else set(ids.tolist())
        with self._damage():
            nodes = osmium.FileProcessor(self._file, osmium.osm.NODE)
            if not requested:
                nodes = nodes.with_filter(osmium.filter.IdFilter(ids.tolist()))
            for node in nodes:
                if (not requested or node.id in requested) and node.location.valid():
                    node_ids.append(node.id)
                    place.extend((node.location.lon, node.location.lat))
        known = np.array(node_ids, np.int64)
        at = np.minimum(np.searchsorted(ids, known), ids.size - 1)
        match = ids[at] == known
        lonlat = np.full((ids.size, 2), np.nan)
        lonlat[at[match]] = np.array(place, np.float64).reshape(-1, 2)[match]
        return lonlat


def _junction_edges(
    ways: _Ways, vertex: Array, lonlat: NDArray[np.float64]
) -> tuple[Array, Array, Array, Array, Shapes]:
    """Split the ways at junctions: (u, v, way, metres) and the points of each stretch of road."""
    way = np.repeat(np.arange(ways.start.size - 1), np.diff(ways.start))
    repeated = np.zeros(vertex.size, bool)
    repeated[1:] = (vertex[1:] == vertex[:-1]) & (way[1:] == way[:-1])
    unknown = np.isnan(lonlat[vertex, 0])
    keep = ~repeated & ~unknown
    # A point without a location is left out and splits its way. `run` counts such points, so it
    # differs between the stretches before and after one.
    run = np.cumsum(unknown)[keep]
    vertex, way = vertex[keep], way[keep]
    if len(vertex) < 2:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, nothing, np.empty(0), Shapes([0], [])
    joined = (way[1:] == way[:-1]) & (run[1:] == run[:-1])
    metres = np.where(joined, great_circle(lonlat[vertex[:-1]], lonlat[vertex[1:]]), 0.0)
    cut = np.bincount(vertex, minlength=len(lonlat))[vertex] > 1
    cut[0] = cut[-1] = True
    cut[1:] |= ~joined
    cut[:-1] |= ~joined
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
