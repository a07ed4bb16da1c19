"""Results as GeoJSON, as GeoPandas data frames, and on interactive maps of folium."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import GraphError, InputError, require
from warpath.base.escaping import html_template, json_chunks
from warpath.graph.checks import as_float, checked_bool, is_missing, is_number, shown
from warpath.graph.coordinates import (
    EARTH_RADIUS,
    coordinates_of,
    in_degrees,
    no_coordinates,
    stretch,
)
from warpath.graph.edge_geometry import lightest, lines_of
from warpath.graph.labels import encodable, table_ids
from warpath.io.save import atomic
from warpath.results.centrality import Centrality
from warpath.results.names import names_of
from warpath.results.result import plain_cells
from warpath.results.route import checked_routes

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.results.accessibility import Accessibility
    from warpath.results.nearest import Nearest
    from warpath.results.pairs import Pairs
    from warpath.results.paths import Paths
    from warpath.results.result import Result
    from warpath.results.route import Route
    from warpath.results.within import Within

#: The suffixes of files with shapes.
SUFFIXES = (".gpkg", ".geojson", ".geoparquet")

#: Holes in an area up to this number of squares of the resolution are closed: blocks of houses.
_SMALLEST_HOLE = 25


def within_frame(result: Within, kind: str, crs: Any, resolution: float | None) -> Any:
    """Implement `Within.to_geodataframe`."""
    columns = _within_columns(result, kind, resolution)
    geopandas = require("geopandas", extra="geo", what="Within.to_geodataframe")
    return geopandas.GeoDataFrame(columns, crs=crs_of(result.graph, crs))


def _within_columns(result: Within, kind: str, resolution: float | None) -> dict[str, Any]:
    """Return the columns of one kind of shapes of `within`, "geometry" the last."""
    frames = {"polygons": _polygons, "edges": _edges, "vertices": _vertices}
    if not isinstance(kind, str) or kind not in frames:
        msg = f"kind = {shown(kind)} is not valid: use {', '.join(map(repr, frames))}."
        raise InputError(msg)
    if resolution is not None and not 0 < as_float(resolution) < np.inf:
        msg = f"resolution = {shown(resolution)} must be a positive number, or None."
        raise InputError(msg)
    if resolution is not None and kind != "polygons":
        msg = f"resolution = {shown(resolution)} is for kind='polygons': leave it out for {kind!r}."
        raise InputError(msg)
    _places(result.graph)
    require("shapely", extra="geo", what=f"Within as {kind}")
    return frames[kind](result, resolution)


def within_features(result: Within, kind: str, resolution: float | None) -> dict[str, Any]:
    """Implement `Within.to_geojson`."""
    return _collection(_within_columns(result, kind, resolution))


def accessibility_features(result: Accessibility) -> dict[str, Any]:
    """Implement `Accessibility.to_geojson`."""
    return _collection(
        _plain_columns(result), _points(_places(result.graph)[result.origin_indices])
    )


def nearest_features(result: Nearest) -> dict[str, Any]:
    """Implement `Nearest.to_geojson`."""
    return _collection(_plain_columns(result), _points(_places(result.graph)))


def pairs_features(result: Pairs) -> dict[str, Any]:
    """Implement `Pairs.to_geojson`."""
    _places(result.graph)
    lines = [
        _geometry(_line(result.route(trip))) if reached else None
        for trip, reached in enumerate(result.reached.tolist())
    ]
    return _collection(_plain_columns(result), lines)


def _plain_columns(result: Result) -> dict[str, list[Any]]:
    return {name: plain_cells(*column) for name, column in result._columns().items()}  # noqa: SLF001 - results describe themselves to this module


def _points(places: Array) -> list[dict[str, Any] | None]:
    return [
        {"type": "Point", "coordinates": place} if all(map(math.isfinite, place)) else None
        for place in places.tolist()
    ]


def _geometry(line: Array) -> dict[str, Any]:
    """Return the points of a route as a GeoJSON geometry: a line, or the point of one vertex."""
    corners = line.tolist()
    if len(corners) == 1:
        return {"type": "Point", "coordinates": corners[0]}
    return {"type": "LineString", "coordinates": corners}


def _collection(columns: dict[str, Any], geometries: list[Any] | None = None) -> dict[str, Any]:
    """Return rows as features; shapes of Shapely are in the column "geometry"."""
    columns = dict(columns)
    if geometries is None:
        from shapely.geometry import mapping

        shapes = columns.pop("geometry")
        geometries = [None if shape is None else mapping(shape) for shape in shapes]
        columns = {name: plain_cells(np.asarray(values), None) for name, values in columns.items()}
    features = [
        {
            "type": "Feature",
            "geometry": geometry,
            "properties": dict(zip(columns, row, strict=True)),
        }
        for geometry, row in zip(geometries, zip(*columns.values(), strict=True), strict=True)
    ]
    return {"type": "FeatureCollection", "features": features}


def save_shapes(result: Any, path: Path) -> None:
    """Write the shapes of a result as GeoPackage, GeoJSON or GeoParquet.

    Raises
    ------
    InputError
        If the result has no shapes.
    """
    if path.suffix == ".geojson" and hasattr(result, "to_geojson"):
        with atomic(path) as file:
            file.writelines(piece.encode() for piece in json_chunks(result.to_geojson()))
        return
    frame = _frame_of(result, path)
    if path.suffix == ".geoparquet":
        require("pyarrow", extra="io", what="Writing .geoparquet")
        with atomic(path) as file:
            frame.to_parquet(file, index=False)
        return
    driver = "GPKG" if path.suffix == ".gpkg" else "GeoJSON"
    with tempfile.TemporaryDirectory() as folder, atomic(path) as file:  # GDAL writes to a path
        frame.to_file(written := Path(folder) / path.name, layer="result", driver=driver)
        file.write(written.read_bytes())


def _frame_of(result: Any, path: Path) -> Any:
    """Return the data frame with a shape for each row of a result, or raise InputError."""
    if hasattr(result, "to_geodataframe"):
        return result.to_geodataframe()
    if isinstance(result, Centrality):
        edges, vertices = result.to_geopandas()
        return edges if result._is_of_edges else vertices  # noqa: SLF001 - results are one package
    msg = (
        f"{path}: a {type(result).__name__} has no shapes: save it as .parquet or .csv, or save "
        "the result of path, pairs, nearest, within, loads or a centrality."
    )
    raise InputError(msg)


def crs_of(graph: Graph, crs: Any) -> Any:
    """Return the requested reference system, or for "auto" that of the graph.

    Raises
    ------
    InputError
        If PROJ does not know the system.
    """
    if not (isinstance(crs, str) and crs == "auto"):
        return None if crs is None else _known_crs(crs)
    if graph.shapes is not None and graph.shapes.crs is not None:
        return graph.shapes.crs
    points = graph.coordinates
    return "EPSG:4326" if points is not None and in_degrees(points) else None


def _known_crs(crs: Any) -> Any:
    pyproj = require("pyproj", extra="geo", what="a reference system")
    try:
        return pyproj.CRS.from_user_input(crs)
    except (pyproj.exceptions.CRSError, TypeError, ValueError, AttributeError) as error:
        msg = (
            f"crs = {shown(crs)} is not a reference system that PROJ knows: give an EPSG code, "
            'as 4326 or "EPSG:25832", a pyproj.CRS, or None if it is unknown.'
        )
        raise InputError(msg) from error


def _polygons(result: Within, resolution: float | None) -> dict[str, Any]:
    import shapely

    points = _places(result.graph)
    own = points[result.indices]
    scale = _unit_scale(points, own)
    width = _between_neighbours(result.graph, scale) if resolution is None else float(resolution)
    lines, part = result.segments()
    band = result.parts()[1][part]
    is_finite = np.isfinite(lines).all(axis=(1, 2))
    grown, low = shapely.Polygon(), 0
    shapes: list[Any] = []
    for at, count in enumerate(result.counts.tolist()):
        streets = shapely.linestrings(_once(lines[is_finite & (band == at)] * scale))
        reached = own[low:count]
        places = shapely.points(reached[np.isfinite(reached).all(axis=1)] * scale)
        pieces = np.concatenate([[grown], shapely.buffer([*streets, *places], width, quad_segs=2)])
        grown, low = shapely.union_all(pieces), count
        outline = shapely.buffer(grown, -width / 2, quad_segs=2)
        shapes.append(_areas(outline, shapes[-1:], width))
    return {
        "cutoff": result.cutoffs,
        "vertices": result.counts,
        "resolution": np.full(len(shapes), width),
        "geometry": [shapely.transform(shape, lambda corners: corners / scale) for shape in shapes],
    }


def _areas(outline: Any, inner: list[Any], width: float) -> Any:
    """Return an outline with the area inside it as a MultiPolygon, and its small holes closed."""
    import shapely

    smallest = _SMALLEST_HOLE * width**2
    polygons = [
        shapely.Polygon(part.exterior, [hole for hole in part.interiors if _area(hole) >= smallest])
        for part in shapely.get_parts(shapely.union_all([outline, *inner]))
        if part.geom_type == "Polygon" and part.area > 0  # of touching outlines, lines may remain
    ]
    joined = shapely.union_all(polygons)
    parts = [part for part in shapely.get_parts(joined) if part.geom_type == "Polygon"]
    return shapely.MultiPolygon(parts)


def _area(ring: Any) -> float:
    import shapely

    return float(shapely.Polygon(ring).area)


def _unit_scale(points: Array, own: Array) -> Array:
    """Return factors of x and y that make degrees metres around `own`, else ones: (2,)."""
    finite = own[np.isfinite(own).all(axis=1)]
    if not len(finite) or not in_degrees(points):
        return np.ones(2)
    degree = np.radians(1) * EARTH_RADIUS
    return np.array([degree / stretch(points, finite), degree])


def _between_neighbours(graph: Graph, scale: Array) -> float:
    """Return the median of the straight distances between neighbours that are not at one point."""
    src, dst, _ = graph.edges()
    points = np.asarray(graph.coordinates) * scale
    lengths = np.hypot(*(points[dst] - points[src]).T)
    lengths = lengths[lengths > 0]  # false for NaN
    return float(np.median(lengths)) if len(lengths) else 1.0


def _once(lines: Array) -> Array:
    """Return segments without those that run the other way along another: (k, 2, 2)."""
    turned = (lines[:, 0] > lines[:, 1])[:, 0] | (
        (lines[:, 0, 0] == lines[:, 1, 0]) & (lines[:, 0, 1] > lines[:, 1, 1])
    )
    ordered = np.where(turned[:, None, None], lines[:, ::-1], lines)
    return np.unique(ordered, axis=0)


def _edges(result: Within, _: float | None) -> dict[str, Any]:
    import shapely

    edge, band, *_rest = result.parts()
    lines, part = result.segments()
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
    searched, edge, band = result.searched, edge[part[ends]], band[part[ends]]
    tail = np.searchsorted(searched.indptr, edge, side="right") - 1
    names = [table_ids(result.graph, end) for end in (tail, searched.indices[edge])]
    u, v = reversed(names) if result.reverse else names
    return {"u": u, "v": v, "cutoff": result.cutoffs[band], "geometry": shapes}


def _vertices(result: Within, _: float | None) -> dict[str, Any]:
    import shapely

    places = _places(result.graph)[result.indices]
    is_finite = np.isfinite(places).all(axis=1)
    return {
        "vertex": table_ids(result.graph, result.indices),
        "distance": result.dist,
        "cutoff": result.cutoffs[result.band],
        "geometry": np.where(is_finite, shapely.points(places), None),
    }


def accessibility_frame(result: Accessibility, crs: Any) -> Any:
    """Implement `Accessibility.to_geodataframe`."""
    return _frame_of_points(result, _places(result.graph)[result.origin_indices], crs)


def nearest_frame(result: Nearest, crs: Any) -> Any:
    """Implement `Nearest.to_geodataframe`."""
    return _frame_of_points(result, _places(result.graph), crs)


def _frame_of_points(result: Accessibility | Nearest, places: Array, crs: Any) -> Any:
    name = type(result).__name__
    geopandas = require("geopandas", extra="geo", what=f"{name}.to_geodataframe")
    import shapely

    is_finite = np.isfinite(places).all(axis=1)
    points = np.where(is_finite, shapely.points(places), None)
    return geopandas.GeoDataFrame(
        result.to_pandas(), geometry=points, crs=crs_of(result.graph, crs)
    )


def pairs_frame(result: Pairs, crs: Any) -> Any:
    """Implement `Pairs.to_geodataframe`."""
    geopandas = require("geopandas", extra="geo", what="Pairs.to_geodataframe")
    _places(result.graph)
    lines = [
        _whole(_line(result.route(trip))) if reached else None
        for trip, reached in enumerate(result.reached.tolist())
    ]
    return geopandas.GeoDataFrame(result.to_pandas(), geometry=lines, crs=crs_of(result.graph, crs))


def _places(graph: Graph) -> Array:
    return coordinates_of(graph, ", so it has no geometry")


def _whole(line: Array) -> Any:
    """Return the points of a route as a shape: a line, or the point of a single vertex."""
    import shapely

    return shapely.LineString(line) if len(line) > 1 else shapely.Point(line[0])


def route_feature(route: Route) -> dict[str, Any]:
    """Implement `Route.to_geojson`."""
    geometry = _geometry(_line(route))
    properties = {
        "source": _plain(_stops(route).tolist()[0]),
        "target": _plain(_stops(route).tolist()[-1]),
        "length": route.length,
        "edges": len(route.edges),
    }
    return {
        "type": "Feature",
        "geometry": geometry,
        "properties": properties,
    }


def _stops(route: Route) -> Array:
    """Return the ids of the vertices of a route, and the places of ends along edges."""
    names = table_ids(route.graph, route.indices)
    if route.places == (None, None):
        return names
    return encodable(np.array(route.stops(names.tolist()), object))


def route_frame(route: Route, *, legs: bool, crs: Any) -> Any:
    """Implement `Route.to_geodataframe`."""
    line, legs = _line(route), checked_bool(legs, "legs")
    geopandas = require("geopandas", extra="geo", what="Route.to_geodataframe")
    names = _stops(route)
    if not legs:
        whole = _whole(line)
        ends = {"source": names[:1], "target": names[-1:], "length": [route.length]}
        return geopandas.GeoDataFrame(ends | {"geometry": [whole]}, crs=crs_of(route.graph, crs))
    columns = {
        "u": names[:-1],
        "v": names[1:],
        "length": route.weights,
        "distance": np.cumsum(route.weights, dtype=route.graph.dist_dtype),
        "geometry": _shapes(route.pieces, len(route.edges)),
    }
    return geopandas.GeoDataFrame(columns, crs=crs_of(route.graph, crs))


def tree_frame(paths: Paths) -> Any:
    """Return the edges of a tree as a data frame: vertex, distance, pred and the edge as a line."""
    geopandas = require("geopandas", extra="geo", what="a tree on a map")
    graph = paths.graph
    _places(graph)
    heads = np.flatnonzero(paths.pred >= 0)
    edges = lightest(graph, paths.pred[heads], heads)
    columns = {
        "vertex": table_ids(graph, heads),
        "distance": paths.dist[heads],
        "pred": table_ids(graph, paths.pred[heads]),
        "geometry": _shapes(lines_of(graph, edges)[:2], len(edges)),
    }
    frame = geopandas.GeoDataFrame(columns, crs=crs_of(graph, "auto"))
    for root in paths.first_reached.tolist():
        first = {"vertex": table_ids(graph, np.array([root]))[0], "distance": paths.dist[root]}
        frame.loc[len(frame)] = first | {
            "pred": None,
            "geometry": _whole(_line(paths.path_to(root))),
        }
    return frame


def _shapes(parts: tuple[Array, Array], count: int) -> list[Any]:
    """Return edges as lines, None for one with an end that has no coordinates.

    Parameters
    ----------
    parts : the straight pieces, and the edge of each.
    count : the number of edges.
    """
    import shapely

    pieces, which = parts
    shapes: list[Any] = [None] * count
    begins = np.flatnonzero(np.diff(which, prepend=-1))
    for mine in np.split(np.arange(len(which)), begins[1:]) if len(which) else ():
        corners = np.concatenate([pieces[mine[:1], 0], pieces[mine, 1]])
        if np.isfinite(corners).all():
            shapes[which[mine[0]]] = shapely.LineString(corners)
    return shapes


def _line(route: Route) -> Array:
    line, corners = route.line, route.coordinates
    if line is None or corners is None:
        raise no_coordinates(" to draw the route as a line")
    unknown = np.flatnonzero(~np.isfinite(corners).all(axis=1))
    if len(unknown):
        msg = (
            f"vertex {_plain(_stops(route).tolist()[unknown[0]])!r} of the route has no "
            "coordinates, but a line needs them: give them with graph.with_coordinates(array)."
        )
        raise GraphError(msg)
    return line


def _plain(name: Any) -> Any:
    return name if isinstance(name, int | float | str) else str(name)


def explore_route(route: Route, options: dict[str, Any]) -> Any:
    """Implement `Route.explore`."""
    _needed("Route.explore")
    routes = checked_routes(route, options.pop("others", ()))
    if len(routes) > 1:
        pandas = require("pandas", extra="explore", what="Route.explore")
        frames = [route_frame(each, legs=True, crs="auto") for each in reversed(routes)]
        for frame, number in zip(frames, range(len(routes), 0, -1), strict=True):
            frame["route"] = number
        drawn = pandas.concat(frames, ignore_index=True)
        return _explored(drawn, {"column": "route", "categorical": True} | options)
    return _explored(route_frame(route, legs=True, crs="auto"), {"color": "#D55E00"} | options)


def explore_tree(paths: Paths, options: dict[str, Any]) -> Any:
    """Implement `Paths.explore`."""
    _needed("Paths.explore")
    return _explored(tree_frame(paths), {"column": "distance"} | options)


def explore_within(result: Within, options: dict[str, Any]) -> Any:
    """Implement `Within.explore`."""
    _needed("Within.explore")
    frame = within_frame(result, "edges", "auto", None)
    return _explored(frame, {"column": "cutoff", "categorical": True} | options)


def explore_nearest(result: Nearest, options: dict[str, Any]) -> Any:
    """Implement `Nearest.explore`."""
    _needed("Nearest.explore")
    frame = nearest_frame(result, "auto")
    names = [*names_of(result, result.starts, options.pop("names", None)), None]
    frame["facility"] = [names[row] for row in result.facility_rows.tolist()]
    return _explored(frame, {"column": "facility", "categorical": True} | options)


def explore_centrality(result: Centrality, options: dict[str, Any]) -> Any:
    """Implement `Centrality.explore`."""
    geopandas = _needed("Centrality.explore")
    graph = result.graph
    _places(graph)
    edges, numbers = result.map_numbers(options.pop("cutoff", None))
    src, dst = (table_ids(graph, ends[edges]) for ends in graph.edges()[:2])
    columns = {
        "source": src,
        "target": dst,
        result.measure: numbers,
        "geometry": _shapes(lines_of(graph, edges)[:2], len(edges)),
    }
    frame = geopandas.GeoDataFrame(columns, crs=crs_of(graph, "auto"))
    style: dict[str, Any] = {}
    if result.edges is not None and len(numbers) and numbers[-1] > 0:
        largest = numbers[-1].item()

        def width(feature: dict[str, Any]) -> dict[str, float]:
            return {"weight": 1 + 9 * feature["properties"][result.measure] / largest}

        style = {"style_kwds": {"style_function": width}}
    return _explored(frame, {"column": result.measure} | style | options)


def _needed(what: str) -> Any:
    """Return the module geopandas; raise MissingDependencyError without a package for maps."""
    for package in ("folium", "mapclassify", "matplotlib"):
        require(package, extra="explore", what=what)
    return require("geopandas", extra="explore", what=what)


def _explored(frame: Any, options: dict[str, Any]) -> Any:
    # folium takes texts for HTML, and some of them for templates.
    drawn = frame[frame.geometry.notna()].copy()
    for name in drawn.columns.drop(drawn.geometry.name):
        if drawn[name].dtype.kind not in "iufb":
            drawn[name] = drawn[name].map(_as_html)
    return drawn.explore(**({"style_kwds": {"weight": 4}, "cmap": "viridis"} | options))


def _as_html(value: Any) -> Any:
    return value if is_number(value) or is_missing(value) else html_template(value)
