"""GeoPandas: results as data frames with geometry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.errors import InputError, require
from warpath.geometry import in_degrees, stretch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.graph import Graph
    from warpath.isochrones import Within

    Array = NDArray[Any]


def within_frame(found: Within, kind: str, crs: Any, ratio: float) -> Any:
    """Return what `Within.to_geodataframe` says."""
    frames = {"polygons": _polygons, "edges": _edges, "vertices": _vertices}
    if kind not in frames:
        msg = f"kind = {kind!r}: {', '.join(map(repr, frames))} can be made."
        raise InputError(msg)
    if not 0 <= ratio <= 1:
        msg = f"ratio = {ratio!r} must lie between 0 (tight) and 1 (the convex hull)."
        raise InputError(msg)
    geopandas = require("geopandas", extra="geo", what="Within.to_geodataframe")
    columns = frames[kind](found, ratio)
    return geopandas.GeoDataFrame(columns, crs=crs_of(found.graph, crs))


def crs_of(graph: Graph, wanted: Any) -> Any:
    """Return a reference system: the one that was asked for, or what "auto" means."""
    if not (isinstance(wanted, str) and wanted == "auto"):
        return wanted
    points = graph.coordinates
    return "EPSG:4326" if points is not None and in_degrees(points) else None


def _polygons(found: Within, ratio: float) -> dict[str, Any]:
    import shapely

    lines, band = found.segments()
    known = np.isfinite(lines).all(axis=(1, 2))
    points = found.graph.coordinates
    assert points is not None  # noqa: S101 - looked at by the caller
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
    lines, _band = found.segments()
    searched = found.paths.graph
    tail = np.searchsorted(searched.indptr, edge, side="right") - 1
    ends = [found.graph.label_of(end) for end in (tail, searched.indices[edge])]
    u, v = reversed(ends) if found.reverse else ends
    cutoff = found.cutoffs[band]
    return {"u": u, "v": v, "cutoff": cutoff, "geometry": shapely.linestrings(lines)}


def _vertices(found: Within, _: float) -> dict[str, Any]:
    import shapely

    assert found.graph.coordinates is not None  # noqa: S101 - looked at by the caller
    return {
        "vertex": found.vertices,
        "distance": found.dist,
        "cutoff": found.cutoffs[found.band],
        "geometry": shapely.points(found.graph.coordinates[found.indices]),
    }
