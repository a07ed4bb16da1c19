"""The routes of trips as an interactive map in an HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from warpath.plot.html_page import (
    Layer,
    MapPage,
    Mark,
    checked_page,
    heading,
    measured,
    network_around,
    write_page,
)
from warpath.plot.page import AREAS, drawable
from warpath.plot.trips import MARKED, described, routes_of
from warpath.results.names import names_of
from warpath.results.pairs import Pairs

if TYPE_CHECKING:
    import os

    from warpath.base.dtypes import Array


def html_pairs(
    found: Pairs,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    subtitle: str | None = None,
    theme: str = "light",
    tiles: str | None = None,
    file_ids: bool = False,
) -> None:
    """Write a page with the routes of trips over the network around them.

    Each route is searched for. The page says the trip under the pointer, its ends and its length.
    Six colours alternate; the ends of up to 24 trips are marked.

    Parameters
    ----------
    found : result of `warpath.pairs` for a graph with coordinates.
    path, title, subtitle, theme, tiles, file_ids : as in `html_route`.

    Raises
    ------
    GraphError, InputError
        As in `html_route`; also if no trip has a path.
    """
    drawable(found, Pairs, "found", "pairs(graph, origins, destinations)")
    graph = found.graph
    file, colour = checked_page(path, theme, tiles, graph)
    trips, lines = routes_of(found)
    starts = names_of(found, found.origin_indices, file_ids=file_ids)
    ends = names_of(found, found.destination_indices, file_ids=file_ids)
    dist = found.dist.tolist()
    texts = [f"trip {t}: {starts[t]} to {ends[t]}, {measured(dist[t], graph)}" for t in trips]
    palette = AREAS[colour.paper == "white"]
    points = np.concatenate(lines)
    page = MapPage(
        [
            network_around(graph, points, colour),
            *(
                Layer(shade, 3, *_pieces(lines, at, len(palette)), texts)
                for at, shade in enumerate(palette[: len(lines)])
            ),
        ],
        [
            Mark(line[at], names[trip], start=not at)
            for line, trip in zip(lines, trips, strict=True)
            for at, names in ((0, starts), (-1, ends))
            if len(trips) <= MARKED
        ],
        [],
        points,
        heading(title, f"{len(found):,} trips"),
        heading(subtitle, described(found)),
    )
    write_page(file, graph, page, colour, tiles)


def _pieces(lines: list[Array], first: int, step: int) -> tuple[Array, Array]:
    """Return every `step`-th line as straight pieces and their lines' numbers."""
    chosen = range(first, len(lines), step)
    pieces = [np.stack([lines[at][:-1], lines[at][1:]], axis=1) for at in chosen]
    counts = [len(each) for each in pieces]
    return np.concatenate(pieces), np.repeat(np.array(chosen), counts)
