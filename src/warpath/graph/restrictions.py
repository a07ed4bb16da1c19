"""Edges that a call avoids or keeps to: by number, street, attribute, vertex or polygon."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError
from warpath.graph.checks import is_number, plain_array, shown
from warpath.graph.edge_edits import numbers_both_ways, without
from warpath.graph.edge_geometry import lines_of
from warpath.graph.input_edges import Coded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph, G

_GEOMETRIES = ("Polygon", "MultiPolygon", "Feature", "FeatureCollection", "GeometryCollection")


def restricted(graph: G, avoid: Any, only: Any) -> G:
    """Return a graph without the edges that a call avoids; the graph itself if there are none.

    Parameters
    ----------
    avoid, only : as in `warpath.path`.
    """
    removed = np.zeros(graph.m, np.bool_)
    if avoid is not None:
        removed |= selected_edges(graph, avoid, "avoid")
    if only is not None:
        removed |= ~selected_edges(graph, only, "only")
    return without(graph, np.flatnonzero(removed)) if removed.any() else graph


def selected_edges(graph: CsrGraph, given: Any, name: str) -> NDArray[np.bool_]:
    """Return the mask of the edges that an argument means: (m,)."""
    if hasattr(given, "__geo_interface__") or (isinstance(given, dict) and _is_geojson(given)):
        given = {"polygon": given}
    if not isinstance(given, dict):
        given = {"edges": given}
    if not given:
        raise InputError(f"{name} = {{}} is empty: leave it out, or name what the edges have.")
    masks = [_of_one(graph, key, value, name) for key, value in given.items()]
    combined = np.logical_and if name == "only" else np.logical_or
    mask: NDArray[np.bool_] = combined.reduce(masks)
    return mask


def _of_one(graph: CsrGraph, key: Any, value: Any, name: str) -> NDArray[np.bool_]:
    if key == "edges":
        mask = np.zeros(graph.m, np.bool_)
        try:
            mask[numbers_both_ways(graph, value, None)] = True
        except (GraphError, InputError) as error:
            raise type(error)(f"{name}: {error}") from None
        return mask
    if key == "vertices":
        try:
            chosen = np.zeros(graph.n, np.bool_)
            chosen[graph.indices_of(value)] = True
        except (GraphError, InputError) as error:
            raise type(error)(f"{name}['vertices']: {error}") from None
        both = chosen[np.repeat(np.arange(graph.n), np.diff(graph.indptr))], chosen[graph.indices]
        return both[0] & both[1] if name == "only" else both[0] | both[1]
    if key == "polygon":
        return _of_polygons(graph, list(_polygons(value, name)), name)
    return _of_column(graph, key, value, f"{name}[{shown(key)}]")


def _of_column(graph: CsrGraph, key: Any, value: Any, place: str) -> NDArray[np.bool_]:
    """Return the mask of the edges with one of some values in a kept column."""
    columns: Mapping[str, Array | Coded] = {} if graph.given is None else graph.given.columns
    if graph.given is None or key not in columns:
        kept = ", ".join(map(repr, columns))
        raise GraphError(
            f"{place}: the graph keeps no such column"
            f"{f'; it keeps {kept}' if kept else ': read it with attributes=[...]'}. Other keys "
            "are 'edges', 'vertices' and 'polygon'."
        )
    column = columns[key]
    several = isinstance(value, list | tuple | set | frozenset | np.ndarray)
    values = list(value) if several else [value]
    texts = column.dtype.kind in "OUST"
    for one in values:
        if isinstance(one, str) if texts else isinstance(one, bool | np.bool_) or is_number(one):
            continue
        example = f"texts such as {shown(column[:1].tolist()[0])}" if texts else "numbers"
        raise InputError(
            f"{place} = {shown(one)} must be a value of that column, or a list of some; the column "
            f"has {example}."
        )
    distinct: Array = column.values if isinstance(column, Coded) else column
    if texts:
        known = set(map(str, np.unique(distinct[[text is not None for text in distinct]])))
        for one in values:
            if one not in known:
                near = get_close_matches(one, known, n=3)
                hint = f"; similar: {', '.join(map(repr, near))}" if near else ""
                raise InputError(f"{place}: no edge has {one!r}{hint}.")
    match = np.isin(distinct, np.array(values, distinct.dtype if texts else None))
    if isinstance(column, Coded):
        match = match[column.codes]
    mask: NDArray[np.bool_] = match[graph.given.rows]
    return mask


def _is_geojson(given: dict[Any, Any]) -> bool:
    return given.get("type") in _GEOMETRIES


def _polygons(given: Any, name: str) -> Iterator[list[Array]]:
    """Yield the rings of each polygon, (k, 2) each, the first of them the outer one."""
    given = getattr(given, "__geo_interface__", given)
    if isinstance(given, dict):
        kind = given.get("type")
        if kind == "Feature":
            yield from _polygons(given["geometry"], name)
        elif kind in ("FeatureCollection", "GeometryCollection"):
            for part in given["features" if kind[0] == "F" else "geometries"]:
                yield from _polygons(part, name)
        elif kind == "Polygon":
            yield [_ring(ring, name) for ring in given["coordinates"]]
        elif kind == "MultiPolygon":
            for rings in given["coordinates"]:
                yield [_ring(ring, name) for ring in rings]
        else:
            raise InputError(f"{name}: a geometry of type {shown(kind)} is not a polygon.")
        return
    yield [_ring(given, name)]


def _ring(points: Any, name: str) -> Array:
    try:
        ring = plain_array(points, f"{name}['polygon']", InputError).astype(np.float64)
    except (TypeError, ValueError):
        ring = np.empty(0)
    if ring.ndim != 2 or ring.shape[1] < 2 or len(ring) < 3 or not np.isfinite(ring).all():
        raise InputError(
            f"{name}['polygon'] = {shown(points)} must be a ring of three or more finite points "
            "(x, y), such as (longitude, latitude), or a polygon of shapely or GeoJSON."
        )
    ring = ring[:, :2]
    return ring if (ring[0] == ring[-1]).all() else np.concatenate([ring, ring[:1]])


def _of_polygons(graph: CsrGraph, polygons: list[list[Array]], name: str) -> NDArray[np.bool_]:
    """Return the edges that touch a polygon, or with "only" those that lie in one."""
    points = graph.coordinates
    if points is None:
        raise GraphError(
            f"{name}['polygon']: the graph has no coordinates: add them by "
            "graph.with_coordinates(...), or give edges or vertices."
        )
    _refuse_exchanged(points, polygons, name)
    mask = np.zeros(graph.m, np.bool_)
    lines, edges, *_ = lines_of(graph, np.arange(graph.m))
    for rings in polygons:
        low, high = rings[0].min(axis=0), rings[0].max(axis=0)
        near = (lines.max(axis=1) >= low).all(axis=1) & (lines.min(axis=1) <= high).all(axis=1)
        pieces, of = lines[near], edges[near]
        inside = _inside(pieces[:, 0], rings) & _inside(pieces[:, 1], rings)
        touching = _inside(pieces[:, 0], rings) | _inside(pieces[:, 1], rings)
        across = _crossing(pieces, rings)
        if name == "only":
            within = np.zeros(graph.m, np.bool_)
            within[of] = True
            within[of[~inside | across]] = False
            within[edges[~near]] = False
            mask |= within
        else:
            mask[of[touching | across]] = True
    return mask


def _refuse_exchanged(points: Array, polygons: list[list[Array]], name: str) -> None:
    """Raise InputError if polygons miss the graph, but would meet it with x and y exchanged."""

    def misses_graph(rings: Array) -> bool:
        apart = (rings.max(axis=0) < points.min(axis=0)) | (rings.min(axis=0) > points.max(axis=0))
        return bool(apart.any())

    if not polygons or not len(points):
        return
    outer = np.concatenate([rings[0] for rings in polygons])
    if misses_graph(outer) and not misses_graph(outer[:, ::-1]):
        raise InputError(
            f"{name}['polygon'] lies outside the graph, but would not with x and y exchanged: "
            "give its points as (x, y), that is (longitude, latitude)."
        )


def _inside(points: Array, rings: list[Array]) -> NDArray[np.bool_]:
    """Return which points lie in a polygon: those from which a ray meets its rings an odd time."""
    x, y = points.T
    odd = np.zeros(len(points), np.bool_)
    for ring in rings:
        for (x1, y1), (x2, y2) in zip(ring[:-1].tolist(), ring[1:].tolist(), strict=True):
            if y1 == y2:
                continue
            spans = (y1 > y) != (y2 > y)
            odd ^= spans & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
    return odd


def _crossing(pieces: Array, rings: list[Array]) -> NDArray[np.bool_]:
    """Return which straight pieces cross a ring, or touch it: (s,)."""
    (ax, ay), (bx, by) = pieces[:, 0].T, pieces[:, 1].T
    across = np.zeros(len(pieces), np.bool_)
    for ring in rings:
        for (x1, y1), (x2, y2) in zip(ring[:-1].tolist(), ring[1:].tolist(), strict=True):
            begin = (x2 - x1) * (ay - y1) - (y2 - y1) * (ax - x1)
            end = (x2 - x1) * (by - y1) - (y2 - y1) * (bx - x1)
            first = (bx - ax) * (y1 - ay) - (by - ay) * (x1 - ax)
            last = (bx - ax) * (y2 - ay) - (by - ay) * (x2 - ax)
            across |= (begin * end <= 0) & (first * last <= 0) & ((begin != end) | (first != last))
    return across
