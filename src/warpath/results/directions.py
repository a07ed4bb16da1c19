"""A route in plain sentences: streets, turns and lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError
from warpath.base.escaping import visible
from warpath.graph.coordinates import coordinates_of, in_degrees
from warpath.graph.turns import angles
from warpath.results.legs import quantities, streets_of

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.results.route import Route

_POINTS = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")

#: The least angle of a turn in degrees, and its words, from the widest on.
_TURNS = ((165, "Make a U-turn"), (120, "Turn sharp {}"), (45, "Turn {}"), (20, "Bear {}"))

#: Turns on the same street are worth a sentence from this angle on, where there is a choice.
_LEFT_OR_RIGHT = 45


def directions_of(route: Route) -> list[str]:
    """Implement `Route.directions`. O(h) plus the edges out of the vertices of the route."""
    graph = route.graph
    if graph.coordinates is None:
        msg = (
            "directions need coordinates, which say where left and right are: give the graph "
            "coordinates, or read an OpenStreetMap extract. route.legs needs none."
        )
        raise GraphError(msg)
    streets = streets_of(route)
    sentences = []
    if streets:
        turned, first = _turns(route)
        degrees = np.degrees(turned)
        begins = [
            at
            for at, street in enumerate(streets)
            if at == 0
            or street != streets[at - 1]
            or (abs(degrees[at]) > _LEFT_OR_RIGHT and _has_choice(route, at))
        ]
        by_unit = quantities(graph, route)
        name = next(iter(by_unit))  # metres, if they are known
        lengths = np.add.reduceat(by_unit[name], begins).tolist()
        for at, length in zip(begins, lengths, strict=True):
            street = visible(streets[at])
            if at == 0:
                manner = f"Head {_POINTS[round(first / (np.pi / 4)) % 8]}"
                onto = f" on {street}" if street else ""
            else:
                manner = _manner(float(degrees[at]))
                onto = "" if not street else f" onto {street}"
                if street and streets[at] == streets[at - 1]:
                    onto = f" to stay on {street}"
            sentences.append(f"{manner}{onto} for {_length(length, name, graph.unit)}.")
    return [*sentences, f"Arrive at {_target(route)}."]


def _turns(route: Route) -> tuple[Array, float]:
    """Return the angle of the turn into each edge, (e,) radians, and the first direction.

    Left is positive; the first direction is counted from the east. The first angle is 0.
    """
    pieces, which = route.pieces
    vectors = pieces[:, 1] - pieces[:, 0]
    if in_degrees(coordinates_of(route.graph, ", so its turns have no angles")):
        vectors[:, 0] *= np.cos(np.radians(pieces[:, 0, 1]))
    moves = (vectors != 0).any(axis=1)
    vectors, which = vectors[moves], which[moves]
    turned = np.zeros(len(route.edges))
    if not len(vectors):
        return turned, 0.0
    enters = np.flatnonzero(which[1:] != which[:-1]) + 1
    turned[which[enters]] = angles(vectors[enters - 1], vectors[enters])
    return turned, float(np.arctan2(vectors[0, 1], vectors[0, 0]))


def _has_choice(route: Route, at: int) -> bool:
    """Return whether an edge of the route begins at a vertex with more than two edges."""
    vertex = route.indices[at if route.places[0] is None else at - 1]
    indptr = route.graph.indptr
    return bool(indptr[vertex + 1] - indptr[vertex] > 2)


def _manner(degrees: float) -> str:
    """Return how a turn is made; left is positive."""
    side = "left" if degrees > 0 else "right"
    turn = next((words for least, words in _TURNS if abs(degrees) > least), "Continue")
    return turn.format(side)


def _length(value: float, name: str, unit: str | None) -> str:
    """Return a length as people say it: 8 m, 430 m, 1.1 km; else in the unit of the weights."""
    if name != "metres":
        return units.measure(value, "s" if name == "seconds" else unit)
    if value < 995:
        return f"{round(value, -1 if value >= 100 else None):.0f} m"
    return f"{value / 1000:.1f} km" if value < 99_950 else f"{value / 1000:,.0f} km"


def _target(route: Route) -> str:
    """Return the name of the target, if the call gave one."""
    if route.places[1] is not None:
        name = route.places[1].name
    else:
        name = route.names.get(int(route.indices[-1])) if len(route.indices) else None
    return visible(name) if name else "the destination"
