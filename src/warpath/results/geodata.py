"""Routes and isochrones as GeoJSON and as GeoPandas data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, require
from warpath.graph.checks import checked_bool, is_number, shown
from warpath.graph.coordinates import in_degrees, stretch
from warpath.graph.edge_geometry import lightest, lines_of

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.route import Route
    from warpath.results.within import Within


def within_frame(found: Within, kind: str, crs: Any, ratio: float) -> Any:
    """Implement `Within.to_geodataframe`."""
    frames = {"polygons": _polygons, "edges": _edges, "vertices": _vertices}
    if not isinstance(kind, str) or kind not in frames:
        msg = f"kind = {shown(kind)} is not valid: use {', '.join(map(repr, frames))}."
        raise InputError(msg)
    if not is_number(ratio) or not 0 <= ratio <= 1:
        msg = f"ratio = {shown(ratio)} must be a number from 0 (tight) to 1 (the convex hull)."
        raise InputError(msg)
    geopandas = require("geopandas", extra="geo", what="Within.to_geodataframe")
    system = crs_of(found.graph, crs)
    return geopandas.GeoDataFrame(frames[kind](found, ratio), crs=system)


def crs_of(graph: Graph, wanted: Any) -> Any:
    """Return the requested reference system, or for "auto" that of the graph.

    Raises
    ------
    InputError
        If PROJ does not know the system.
    """
    if not (isinstance(wanted, str) and wanted == "auto"):
        return None if wanted is None else _known_crs(wanted)
    if graph.shapes is not None and graph.shapes.crs is not None:
        return graph.shapes.crs
    points = graph.coordinates
    return "EPSG:4326" if points is not None and in_degrees(points) else None


def _known_crs(wanted: Any) -> Any:
    pyproj = require("pyproj", extra="geo", what="a reference system")
    try:
        return pyproj.CRS.from_user_input(wanted)
    except (pyproj.exceptions.CRSError, TypeError, ValueError, AttributeError) as error:
        msg = (
            f"crs = {shown(wanted)} is not a reference system that PROJ knows: give an EPSG code, "
            'as 4326 or "EPSG:25832", a pyproj.CRS, or None if it is unknown.'
        )
        raise InputError(msg) from error


def _polygons(found: Within, ratio: float) -> dict[str, Any]:
    import shapely

    lines, part = found.segments()
    band = found.parts()[1][part]
    known = np.isfinite(lines).all(axis=(1, 2))
    points = found.graph.coordinates
    assert points is not None  # noqa: S101 - checked by the caller
    own = points[found.indices]
    scale = np.array([1.0, stretch(points, own)]) if len(own) else np.ones(2)
    hulls: list[Any] = []
    for at, count in enumerate(found.counts.tolist()):
        ends = np.concatenate([lines[known & (band <= at)].reshape(-1, 2), own[:count]]) * scale
        ends = ends[np.isfinite(ends).all(axis=1)]
        hull = shapely.concave_hull(shapely.MultiPoint(ends), ratio=ratio)
        hulls.append(hull if not hulls else shapely.union(hull, hulls[-1]))
    shapes = [shapely.transform(hull, lambda corners: corners / scale) for hull in hulls]
    return {"cutoff": found.cutoffs, "vertices": found.counts, "geometry": shapes}


def _edges(found: Within, _: float) -> dict[str, Any]:
    import shapely

    edge, band, *_rest = found.parts()
    lines, part = found.segments()
    ends = np.flatnonzero(np.diff(part, append=-1))  # the last piece of each part
    begins = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    counts = ends - begins + 2
    corners = np.empty((int(counts.sum()), 2))
    first = np.cumsum(counts) - counts
    corners[first] = lines[begins, 0]
    rest = np.ones(len(corners), np.bool_)
    rest[first] = False
    corners[rest] = lines[:, 1]
    shapes = shapely.linestrings(corners, indices=np.repeat(np.arange(len(ends)), counts))
    unknown = np.flatnonzero(~np.isfinite(lines).all(axis=(1, 2)))
    shapes[np.searchsorted(ends, unknown)] = None
    searched, edge, band = found.paths.graph, edge[part[ends]], band[part[ends]]
    tail = np.searchsorted(searched.indptr, edge, side="right") - 1
    names = [found.graph.label_of(end) for end in (tail, searched.indices[edge])]
    u, v = reversed(names) if found.reverse else names
    return {"u": u, "v": v, "cutoff": found.cutoffs[band], "geometry": shapes}


def _vertices(found: Within, _: float) -> dict[str, Any]:
    import shapely

    assert found.graph.coordinates is not None  # noqa: S101 - checked by the caller
    places = found.graph.coordinates[found.indices]
    known = np.isfinite(places).all(axis=1)
    return {
        "vertex": found.vertices,
        "distance": found.dist,
        "cutoff": found.cutoffs[found.band],
        "geometry": np.where(known, shapely.points(places), None),
    }


def route_feature(route: Route) -> dict[str, Any]:
    """Implement `Route.to_geojson`."""
    corners = _line(route).tolist()
    kind, place = ("Point", corners[0]) if len(corners) == 1 else ("LineString", corners)
    properties = {
        "source": _plain(route.source),
        "target": _plain(route.target),
        "length": route.length,
        "edges": len(route) - 1,
    }
    return {
        "type": "Feature",
        "geometry": {"type": kind, "coordinates": place},
        "properties": properties,
    }


def route_frame(route: Route, legs: bool, crs: Any) -> Any:
    """Implement `Route.to_geodataframe`."""
    line, legs = _line(route), checked_bool(legs, "legs")
    geopandas = require("geopandas", extra="geo", what="Route.to_geodataframe")
    import shapely

    if not legs:
        whole = shapely.LineString(line) if len(line) > 1 else shapely.Point(line[0])
        ends = {"source": [route.source], "target": [route.target], "length": [route.length]}
        return geopandas.GeoDataFrame(ends | {"geometry": [whole]}, crs=crs_of(route.graph, crs))
    edges = lightest(route.graph, route.indices[:-1], route.indices[1:])
    pieces, which, _, _ = lines_of(route.graph, edges)
    shapes = [
        shapely.LineString(np.concatenate([mine[:1, 0], mine[:, 1]]))
        for mine in np.split(pieces, np.flatnonzero(np.diff(which)) + 1)
        if len(mine)
    ]
    columns = {
        "u": route.vertices[:-1],
        "v": route.vertices[1:],
        "length": route.legs,
        "distance": np.cumsum(route.legs, dtype=route.graph.dist_dtype),
        "geometry": shapes,
    }
    return geopandas.GeoDataFrame(columns, crs=crs_of(route.graph, crs))


def _line(route: Route) -> Array:
    if route.line is None:
        msg = (
            "the graph has no coordinates to draw the route as a line: give them with "
            "coordinates= when reading, or graph.with_coordinates(array)."
        )
        raise GraphError(msg)
    places = np.asarray(route.graph.coordinates)[route.indices]
    unknown = np.flatnonzero(~np.isfinite(places).all(axis=1))
    if len(unknown):
        msg = (
            f"vertex {_plain(route.vertices.tolist()[unknown[0]])!r} of the route has no "
            "coordinates, but a line needs them: give them with graph.with_coordinates(array)."
        )
        raise GraphError(msg)
    return route.line


def _plain(name: Any) -> Any:
    return name if isinstance(name, int | float | str) else str(name)
