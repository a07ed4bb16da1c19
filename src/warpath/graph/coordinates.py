"""Coordinates of vertices, and lengths of straight edges between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base.errors import GraphError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph

EARTH_RADIUS = 6_371_008.8  # mean radius in metres (IUGG)


def coordinates_of(graph: CsrGraph, what: str) -> Array:
    """Return the coordinates of a graph's vertices: (n, 2).

    Parameters
    ----------
    what : the rest of the message after "the graph has no coordinates": "so it has no lines".

    Raises
    ------
    GraphError
        If the graph has none.
    """
    if graph.coordinates is None:
        raise no_coordinates(what)
    return graph.coordinates


def no_coordinates(what: str) -> GraphError:
    """Return the error of a graph without coordinates; see `coordinates_of`."""
    return GraphError(
        f"the graph has no coordinates{what}: give them with coordinates= when reading, or "
        "graph.with_coordinates(array)."
    )


def euclidean(start: Array, end: Array) -> NDArray[np.float64]:
    """Return the straight-line distances between (k, 2) points, in the points' unit: (k,)."""
    lengths: NDArray[np.float64] = np.hypot(end[:, 0] - start[:, 0], end[:, 1] - start[:, 1])
    return lengths


def great_circle(start: Array, end: Array) -> NDArray[np.float64]:
    """Return the metres on a sphere between (k, 2) longitudes and latitudes in degrees: (k,)."""
    (lam, phi), (lam2, phi2) = np.radians(start).T, np.radians(end).T
    half = np.sin((phi2 - phi) / 2) ** 2
    half += np.cos(phi) * np.cos(phi2) * np.sin((lam2 - lam) / 2) ** 2
    metres: NDArray[np.float64] = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1)))
    return metres


def on_sphere(points: Array) -> NDArray[np.float64]:
    """Return (k, 2) longitudes and latitudes in degrees as points of a sphere, in metres: (3, k).

    The `great_circle` of two points with the chord c is 2 r arcsin(c / 2 r).
    """
    lam, phi = np.radians(points).T
    unit = np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)])
    return EARTH_RADIUS * unit


#: Names of lengths that `Graph.with_weights` and `warpath.read` accept as weights.
RULES = {"euclidean": euclidean, "great_circle": great_circle}


def lengths(rule: str, coordinates: Array | None, src: Array, dst: Array) -> NDArray[np.float64]:
    """Return the length of every edge by a named rule: (m,)."""
    if rule not in RULES:
        msg = f"{rule!r} is not a rule for lengths: use {' or '.join(map(repr, RULES))}."
        raise GraphError(msg)
    if coordinates is None:
        msg = f"{rule!r} lengths need coordinates: pass coordinates=, or use with_coordinates."
        raise GraphError(msg)
    return RULES[rule](coordinates[src], coordinates[dst])


def in_degrees(coordinates: Array) -> bool:
    """Return whether coordinates look like degrees: in range, and not all whole numbers."""
    finite = coordinates[np.isfinite(coordinates).all(axis=1)]
    inside = np.abs(finite) <= (180, 90)
    return bool(len(finite) and inside.all() and (finite != np.round(finite)).any())


def stretch(coordinates: Array, points: Array) -> float:
    """Return how much longer a unit of y is than one of x: 1 / cos(latitude) for degrees, else 1.

    Parameters
    ----------
    coordinates : (n, 2), all coordinates of a graph, which `in_degrees` inspects.
    points : (k, 2), the points whose middle latitude is used.
    """
    if not in_degrees(coordinates):
        return 1.0
    latitude = np.radians((points[:, 1].min() + points[:, 1].max()) / 2)
    return float(1 / max(np.cos(latitude), 0.05))
