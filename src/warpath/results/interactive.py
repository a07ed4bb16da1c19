"""Results on an interactive map, through GeoPandas and folium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.base.errors import require
from warpath.base.escaping import html_template
from warpath.graph.checks import is_missing, is_number
from warpath.results.geodata import nearest_frame, route_frame, tree_frame, within_frame
from warpath.results.names import names_of

if TYPE_CHECKING:
    from warpath.results.nearest import Nearest
    from warpath.results.paths import Paths
    from warpath.results.route import Route
    from warpath.results.within import Within


def explore_route(route: Route, options: dict[str, Any]) -> Any:
    """Implement `Route.explore`."""
    _needed("Route.explore")
    return _explored(route_frame(route, legs=True, crs="auto"), {"color": "#D55E00"} | options)


def explore_tree(paths: Paths, options: dict[str, Any]) -> Any:
    """Implement `Paths.explore`."""
    _needed("Paths.explore")
    return _explored(tree_frame(paths), {"column": "distance"} | options)


def explore_within(found: Within, options: dict[str, Any]) -> Any:
    """Implement `Within.explore`."""
    _needed("Within.explore")
    frame = within_frame(found, "edges", "auto", None)
    return _explored(frame, {"column": "cutoff", "categorical": True} | options)


def explore_nearest(found: Nearest, options: dict[str, Any]) -> Any:
    """Implement `Nearest.explore`."""
    _needed("Nearest.explore")
    frame = nearest_frame(found, "auto")
    names = [*names_of(found, found.starts, options.pop("names", None)), None]
    frame["facility"] = [names[row] for row in found.facility_rows.tolist()]
    return _explored(frame, {"column": "facility", "categorical": True} | options)


def _needed(what: str) -> None:
    for package in ("geopandas", "folium", "mapclassify", "matplotlib"):
        require(package, extra="explore", what=what)


def _explored(frame: Any, options: dict[str, Any]) -> Any:
    # folium takes texts for HTML, and some of them for templates.
    known = frame[frame.geometry.notna()].copy()
    for name in known.columns.drop(known.geometry.name):
        if known[name].dtype.kind not in "iufb":
            known[name] = known[name].map(_as_html)
    return known.explore(**({"style_kwds": {"weight": 4}, "cmap": "viridis"} | options))


def _as_html(value: Any) -> Any:
    return value if is_number(value) or is_missing(value) else html_template(value)
