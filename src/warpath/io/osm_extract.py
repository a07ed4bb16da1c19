"""The ways and points of an OpenStreetMap file, read by pyosmium in several passes."""

from __future__ import annotations

from array import array
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import require
from warpath.graph.input_edges import Coded
from warpath.io.osm_access import Access
from warpath.io.osm_file import (
    CHANGES,
    INCOMPLETE,
    OVERPASS_GEOMETRY,
    OVERPASS_HINT,
    cut_short,
    form_of,
    may_have_versions,
    newest,
    opened,
)
from warpath.io.osm_profiles import CLASS_KEYS, PROFILES, kind_of
from warpath.io.osm_times import Moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.base.errors import GraphFormatError
    from warpath.io.osm_profiles import Rules
    from warpath.io.source import Source

#: Far above all ids that OpenStreetMap has assigned, about 1.3 * 10^10 in 2025.
_LARGEST_ID = 2**40

#: The bytes of osmium's filter for a byte of the file up to which the filter, which has to clear
#: them, is faster than a look at each node in Python.
_FILTER = 256


@dataclass(frozen=True, slots=True)
class Ways:
    """The k ways that a profile uses.

    Attributes
    ----------
    points : `points[start[i]:start[i + 1]]` are the OSM node ids of way i.
    start : (k + 1,) int64.
    ids : (k,) int64, OSM way ids.
    forward, backward : (k,) bool, whether a way may be followed in each direction.
    forward_speed, backward_speed : (k,) km/h.
    seconds : (k,) time for the whole way, NaN if it follows from the speeds.
    ends_only : (k,) bool, whether only trips that start or end on the way may use it.
    street : the names of the streets, else their references (A13), else "".
    kind : the values of `highway`, or "ferry".
    """

    points: NDArray[np.int64]
    start: NDArray[np.int64]
    ids: NDArray[np.int64]
    forward: NDArray[np.bool_]
    backward: NDArray[np.bool_]
    forward_speed: NDArray[np.float64]
    backward_speed: NDArray[np.float64]
    seconds: NDArray[np.float64]
    ends_only: NDArray[np.bool_]
    street: Coded
    kind: Coded


def sniff(head: bytes) -> bool:
    """Return whether a file is OpenStreetMap XML, PBF or o5m, or has changes of such a file."""
    return form_of(head) is not None


class Extract:
    """An extract that is read in several passes; osmium's errors become GraphFormatErrors.

    Parameters
    ----------
    at : the local time at which conditional tags count; None: they do not count.
    """

    def __init__(self, source: Source, at: datetime | None = None) -> None:
        self._osmium = require("osmium", extra="osm", what="reading OpenStreetMap extracts")
        self._source = source
        form = form_of(source.head) or form_of(source.data)  # after a long comment
        if form is None:
            raise self.error("expected OpenStreetMap XML or PBF, found neither <osm> nor OSMHeader")
        if form == "changes":
            raise self.error(CHANGES)
        #: What was left out, with the number of cases.
        self.report: Counter[str] = Counter()
        with self._damage():
            self._file = opened(source, form, self._osmium.io)
        self._form = form
        if form == "osm" and cut_short(source):
            raise self.error(INCOMPLETE)
        if may_have_versions(source, form, self._file, self._osmium):
            self._keep_newest()
        self._moment = None if at is None else Moment(at, self._first_place())

    def _first_place(self) -> tuple[float, float] | None:
        """Return latitude and longitude of the first point; None if no point has a location."""
        with self._damage():
            nodes = self._osmium.FileProcessor(self._file, self._osmium.osm.NODE)
            places = (node.location for node in nodes)
            return next(((place.lat, place.lon) for place in places if place.valid()), None)

    def _tags(self, item: Any) -> Mapping[str, str]:
        """Return the tags of a way, point or relation, at the time of the call."""
        tags = dict(item.tags)
        return tags if self._moment is None else self._moment.resolved(tags)

    def _keep_newest(self) -> None:
        """Leave out deleted objects and older versions, which takes two passes."""
        with self._damage():
            newer = newest(self._source, self._form, self._file, self._osmium)
            self._file, self.report["deleted objects and older versions"] = newer

    def error(self, message: str) -> GraphFormatError:
        """Return the error for this file."""
        return self._source.error(None, message)

    def has_ways(self) -> bool:
        """Return whether there is a way of any kind."""
        with self._damage():
            return any(True for _ in self._osmium.FileProcessor(self._file, self._osmium.osm.WAY))

    def ways(self, rules: Rules) -> Ways:
        """Return the ways that the rules select."""
        osmium = self._osmium
        classes = osmium.filter.KeyFilter("highway", *CLASS_KEYS)
        points, count, ids = array("q"), array("q"), array("q")
        located, place = array("q"), array("d")
        uses, streets = [], []
        with self._damage():
            for way in osmium.FileProcessor(self._file, osmium.osm.WAY).with_filter(classes):
                tags = self._tags(way)
                self._count(tags, rules)
                use = rules.use(tags)
                if use is not None:
                    refs = [point.ref for point in way.nodes]
                    for point in way.nodes:
                        if point.location.valid():  # of files with locations on ways
                            located.append(point.ref)
                            place.extend((point.location.lon, point.location.lat))
                    points.extend(refs)
                    count.append(len(refs))
                    ids.append(way.id)
                    uses.append(use)
                    streets.append(tags.get("name") or tags.get("ref", ""))
        if len(set(ids)) < len(ids):
            self.report.clear()
            self._keep_newest()
            return self.ways(rules)
        self._on_ways = np.array(located, np.int64), np.array(place).reshape(-1, 2)
        return Ways(
            np.array(points, np.int64),
            np.concatenate([[0], np.cumsum(np.array(count, np.int64))]),
            np.array(ids, np.int64),
            np.array([use.forward for use in uses], bool),
            np.array([use.backward for use in uses], bool),
            np.array([use.forward_speed for use in uses], np.float64),
            np.array([use.backward_speed for use in uses], np.float64),
            np.array([use.seconds for use in uses], np.float64),  # None becomes NaN
            np.array([use.ends_only for use in uses], bool),
            Coded.of(streets),
            Coded.of(use.kind for use in uses),
        )

    def _count(self, tags: Mapping[str, str], rules: Rules) -> None:
        """Count what is ignored among the tags of a way."""
        kind = kind_of(tags)
        if kind in rules.speeds:
            self.report.update(rules.ignored(tags))
        elif kind and not any(kind in profile.speeds for profile in PROFILES.values()):
            self.report["ways of a class that no profile uses"] += 1

    def places(
        self, ids: Array, rules: Rules, *, barriers: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        """Locate points.

        Parameters
        ----------
        ids : (k,) ascending node ids.
        barriers : whether points may be blocked.

        Returns
        -------
        lonlat : (k, 2) longitude and latitude, of the nodes or else of the ways; NaN where unknown.
        passage : (k,) the `Access` of each point: how far barriers let the traffic pass.
        """
        osmium = self._osmium
        node_ids, place = array("q"), array("d")
        barrier_ids, passages = array("q"), array("b")
        requested = set() if self._filters(ids) else set(ids.tolist())
        with self._damage():
            nodes = osmium.FileProcessor(self._file, osmium.osm.NODE)
            if not requested:
                nodes = nodes.with_filter(osmium.filter.IdFilter(ids.tolist()))
            for node in nodes:
                if (not requested or node.id in requested) and node.location.valid():
                    node_ids.append(node.id)
                    place.extend((node.location.lon, node.location.lat))
                    closes = "barrier" in node.tags or node.tags.get("highway") == "elevator"
                    if barriers and closes:
                        tags = self._tags(node)
                        self.report.update(rules.ignored(tags))
                        barrier_ids.append(node.id)
                        passages.append(rules.passage(tags))
        lonlat = np.full((ids.size, 2), np.nan)
        passage = np.full(ids.size, Access.OPEN, np.int8)
        passage[np.searchsorted(ids, np.array(barrier_ids, np.int64))] = passages
        on_nodes = np.array(node_ids, np.int64), np.array(place, np.float64).reshape(-1, 2)
        for of, where in (self._on_ways, on_nodes):
            at = np.minimum(np.searchsorted(ids, of), ids.size - 1)
            match = ids[at] == of
            lonlat[at[match]] = where[match]
        return lonlat, passage

    def restrictions(
        self, types: Iterable[str]
    ) -> Iterator[tuple[Mapping[str, str], list[tuple[str, int, str]]]]:
        """Yield tags and members (n, w or r, id, role) of each relation of some types."""
        osmium = self._osmium
        wanted = osmium.filter.TagFilter(*(("type", name) for name in types))
        with self._damage():
            relations = osmium.FileProcessor(self._file, osmium.osm.RELATION).with_filter(wanted)
            for relation in relations:
                yield (
                    self._tags(relation),
                    [(member.type, member.ref, member.role) for member in relation.members],
                )

    def _filters(self, ids: Array) -> bool:
        """Return whether osmium's own filter should select nodes by these ascending ids.

        The filter does not support the negative ids of unsaved edits. It has a bit for each number
        up to the largest, in blocks of 4 MiB, and a pointer to each block: a single id of 10^16
        would take 2.3 GB. Ids of any region are spread over nearly all blocks, so that the filter
        of a small extract would take far more memory than anything else.
        """
        if ids[0] < 0 or ids[-1] >= _LARGEST_ID:
            return False
        size = (1 + int(np.count_nonzero(np.diff(ids >> 25)))) << 22
        return size <= min(self._source.room // 4, _FILTER * self._source.path.stat().st_size)

    @contextmanager
    def _damage(self) -> Iterator[None]:
        """Convert osmium's errors about damaged data to a GraphFormatError that names the file."""
        try:
            yield
        except (RuntimeError, ValueError, self._osmium.InvalidLocationError) as error:
            hint = OVERPASS_HINT if OVERPASS_GEOMETRY.search(str(error)) else ""
            raise self.error(f"{error}{hint}") from error
