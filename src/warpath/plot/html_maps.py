"""Routes, trees, isochrones, areas, trips and centralities as interactive maps in HTML pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.base.errors import GraphError
from warpath.base.escaping import visible
from warpath.graph.checks import is_missing, on_host
from warpath.graph.edge_geometry import lines_of
from warpath.plot import centrality as central
from warpath.plot.html_page import (
    Layer,
    MapPage,
    Mark,
    checked_page,
    colours,
    heading,
    measured,
    network_around,
    write_page,
)
from warpath.plot.isochrones import counted, headings, source_names
from warpath.plot.map import links, starts_of
from warpath.plot.nearest import areas, greedy_colours, nearest_subtitle
from warpath.plot.page import AREAS, drawable
from warpath.plot.route import (
    check_ends,
    colours_of_routes,
    lengths_of,
    route_ends,
    route_line,
    route_subtitle,
    what_of,
)
from warpath.plot.tree import tree_edges, tree_subtitle
from warpath.plot.trips import MARKED, routes_of, trips_subtitle
from warpath.results.centrality import Centrality
from warpath.results.legs import street_column
from warpath.results.names import in_words, names_of
from warpath.results.nearest import Nearest
from warpath.results.pairs import Pairs
from warpath.results.paths import Paths
from warpath.results.route import Route, checked_routes
from warpath.results.within import Within

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from warpath.base.dtypes import Array


_SHADES = 24  # of a tree's distances
_MANY = 20_000  # more lines are thinner


def html_route(
    route: Route,
    path: str | os.PathLike[str],
    *,
    others: Sequence[Route] = (),
    title: str | None = None,
    subtitle: str | None = None,
    ends: tuple[str, str] | None = None,
    theme: str = "light",
    tiles: str | None = None,
    file_ids: bool = True,
) -> None:
    """Write a page with a route over the network around it.

    The page says the length of the edge under the pointer, and how far its end is. It needs
    neither a server nor the network, unless it has tiles.

    Parameters
    ----------
    route : of a graph with coordinates.
    path : file to write, .html.
    others : more routes with the same ends, as in `plot_route`.
    title, subtitle : text above the map; None for a description of it, "" for no text.
    ends : labels of the source and the target; their names by default.
    theme : "light" or "dark".
    tiles : address of map tiles for the background with {z}, {x} and {y} in it; they are fetched
        when the page is read. None for no background.
    file_ids : whether vertices have the ids of the graph's file instead of the graph's names.

    Raises
    ------
    GraphError
        If the graph or a vertex of the route has no coordinates.
    InputError
        If `route`, the suffix, `ends`, `theme` or `tiles` is not valid.
    """
    check_ends(ends)
    drawable(route, Route, "route", "path(graph, source, target)")
    graph = route.graph
    file, colour = checked_page(path, theme, tiles, graph)
    routes = checked_routes(route, others)
    lines = [route_line(graph, each) for each in routes]
    legend, shades = lengths_of(routes), colours_of_routes(colour, len(routes))
    line = lines[0]
    names = route.stops(names_of(route, route.indices, file_ids=file_ids))
    first, last = map(visible, ends or route_ends(route, names))
    upto = np.cumsum(route.weights, dtype=graph.dist_dtype).tolist()
    texts = [
        f"{street}{u} to {v}: {measured(leg, graph)}\n{measured(far, graph)} from {first}"
        for street, u, v, leg, far in zip(
            _streets(route), names[:-1], names[1:], route.weights.tolist(), upto, strict=True
        )
    ]
    pieces, which = route.pieces
    page = MapPage(
        [
            network_around(graph, np.concatenate(lines), colour),
            *reversed([_under(*one) for one in zip(others, shades[1:], strict=True)]),
            Layer(colour.paper, 8, pieces, which),
            Layer(colour.route, 4.5, pieces, which, texts),
        ],
        [Mark(line[0], first, start=True), Mark(line[-1], last, start=False)],
        [*zip(shades[: len(legend)], legend, strict=True)],
        np.concatenate(lines),
        heading(title, f"{what_of(routes)} from {first} to {last}"),
        heading(subtitle, route_subtitle(graph, route, others)),
    )
    write_page(file, graph, page, colour, tiles)


def html_tree(
    paths: Paths,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    subtitle: str | None = None,
    theme: str = "light",
    tiles: str | None = None,
    file_ids: bool = True,
) -> None:
    """Write a page with a shortest-path tree, coloured by distance in 24 shades.

    The page says the vertex that the edge under the pointer leads to, and its distance.

    Parameters
    ----------
    paths : result for a graph with coordinates.
    path, title, subtitle, theme, tiles, file_ids : as in `html_route`.

    Raises
    ------
    GraphError, InputError
        As in `html_route`.
    """
    drawable(paths, Paths, "paths", "sssp(graph, source)")
    graph = paths.graph
    file, colour = checked_page(path, theme, tiles, graph)
    (start,) = starts_of(paths, np.array([paths.source_index]), "its tree")
    if not np.isfinite(start).all():
        raise GraphError(f"the source {paths.source!r} has no coordinates.")
    heads, pieces, dist = tree_edges(paths)
    name = names_of(paths, np.array([paths.source_index]), file_ids=file_ids)[0]
    name = in_words(graph, paths.source_index, name)
    most = float(dist.max(initial=0)) or 1.0
    shade = np.minimum(dist / most * _SHADES, _SHADES - 1).astype(np.int64)
    line = np.cumsum(np.diff(heads, prepend=-1) != 0) - 1  # pieces of an edge follow each other
    ends = heads[np.flatnonzero(np.diff(line, prepend=-1))]
    texts = [
        f"{one}: {measured(far, graph)}"
        for one, far in zip(
            names_of(paths, ends, file_ids=file_ids), paths.dist[ends].tolist(), strict=True
        )
    ]
    shades = colours(colour, _SHADES)
    width = 1.5 if len(ends) > _MANY else 2.5
    page = MapPage(
        [
            Layer(shades[at], width, pieces[shade == at], line[shade == at], texts)
            for at in reversed(range(_SHADES))
        ],
        [Mark(start, name, start=True)],
        [
            (shades[at], measured(_like(paths.dist, most * at / (_SHADES - 1)), graph))
            for at in np.linspace(0, _SHADES - 1, 5).astype(int).tolist()
        ],
        np.concatenate([pieces.reshape(-1, 2), start[None]]),
        heading(title, f"Shortest paths from {name}"),
        heading(subtitle, tree_subtitle(paths)),
    )
    write_page(file, graph, page, colour, tiles)


def html_within(
    found: Within,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    subtitle: str | None = None,
    source: str | Sequence[str] | Mapping[Any, str] | None = None,
    theme: str = "light",
    tiles: str | None = None,
    file_ids: bool = True,
) -> None:
    """Write a page with the edges within each cutoff, over the network around them.

    Parameters
    ----------
    found : result of `warpath.within` for a graph with coordinates.
    source : label of the source, or one for each of ``found.sources``, or ``{vertex: label}``;
        their names by default.
    path, title, subtitle, theme, tiles, file_ids : as in `html_route`.

    Raises
    ------
    GraphError, InputError
        As in `html_route`.
    """
    drawable(found, Within, "found", "within(graph, source, cutoffs)")
    graph = found.graph
    file, colour = checked_page(path, theme, tiles, graph)
    starts = starts_of(found, found.source_indices, "what lies near a vertex")
    pieces, part = found.segments()
    band = found.parts()[1][part]
    shown = np.concatenate([pieces.reshape(-1, 2), starts])
    _require_place(shown, "what lies near a vertex")
    shades = colours(colour, len(found.cutoffs))
    names = source_names(found, source, file_ids=file_ids)
    above, below = headings(found, names)
    page = MapPage(
        [
            network_around(graph, shown, colour),
            Layer(colour.ink, 4.5, pieces, part),
            *(
                Layer(
                    shades[at],
                    3.5,
                    pieces[band == at],
                    part[band == at],
                    f"within {units.measure(found.cutoffs[at].item(), graph.unit)}",
                )
                for at in reversed(range(len(shades)))
            ),
        ],
        _marks(starts, names),
        list(zip(shades, counted(found), strict=True)),
        shown,
        heading(title, above),
        heading(subtitle, below),
    )
    write_page(file, graph, page, colour, tiles)


def html_nearest(
    found: Nearest,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    subtitle: str | None = None,
    names: Sequence[str] | Mapping[Any, str] | None = None,
    theme: str = "light",
    tiles: str | None = None,
    file_ids: bool = True,
) -> None:
    """Write a page with the network in the colours of the nearest facilities.

    The page says the facility of the edge under the pointer. Colours are those of `plot_nearest`.

    Parameters
    ----------
    found : result of `warpath.nearest` for a graph with coordinates.
    names : a label for each of ``found.facilities``, or ``{vertex: label}``; None for their names.
    path, title, subtitle, theme, tiles, file_ids : as in `html_route`.

    Raises
    ------
    GraphError, InputError
        As in `html_route`.
    """
    drawable(found, Nearest, "found", "nearest(graph, facilities)")
    graph = found.graph
    file, colour = checked_page(path, theme, tiles, graph)
    starts = starts_of(found, found.starts, "the areas of facilities")
    _require_place(starts, "the areas of facilities")
    edges = links(graph)
    src, dst = (ends[edges] for ends in graph.edges()[:2])
    area = areas(found, src, dst)
    pieces, which = lines_of(graph, edges)[:2]
    of_piece = area[which]
    palette = AREAS[theme == "light"]
    shades = greedy_colours(found, src, dst)
    names = names_of(found, found.starts, names, file_ids=file_ids)
    width = 1.5 if len(edges) > _MANY else 2.5
    layers = [Layer(colour.network, 1, pieces[of_piece < 0], which[of_piece < 0])]
    order = np.argsort(of_piece, kind="stable")
    bounds = np.searchsorted(of_piece[order], np.arange(len(names) + 1))
    for at, (low, high) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        mine = order[low:high]
        text = f"nearest facility: {names[at]}"
        layers.append(Layer(palette[shades[at]], width, pieces[mine], which[mine], text))
    way = "to" if found.reverse else "from"
    page = MapPage(
        layers,
        _marks(starts, names),
        [],
        np.concatenate([pieces.reshape(-1, 2), starts]),
        heading(title, f"Shortest paths {way} the nearest of {found.facilities_counted}"),
        heading(subtitle, nearest_subtitle(found)),
    )
    write_page(file, graph, page, colour, tiles)


def html_centrality(
    found: Centrality,
    path: str | os.PathLike[str],
    *,
    cutoff: float | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    theme: str = "light",
    tiles: str | None = None,
    file_ids: bool = True,
) -> None:
    """Write a page with the network as `plot_centrality` draws it.

    The page says the ends and the number of the edge under the pointer.

    Parameters
    ----------
    found, cutoff : as in `plot_centrality`.
    path, title, subtitle, theme, tiles, file_ids : as in `html_route`.

    Raises
    ------
    GraphError, InputError
        As in `plot_centrality`.
    """
    drawable(found, Centrality, "found", "centrality.betweenness(graph) or loads(graph, ...)")
    graph = found.graph
    file, colour = checked_page(path, theme, tiles, graph)
    shown = central.lines_to_draw(found, cutoff)
    ends = [names_of(found, each[shown.edges], file_ids=file_ids) for each in graph.edges()[:2]]
    texts = [
        f"{u} to {v}: {central.counted(found, number)}"
        for u, v, number in zip(*ends, shown.numbers.tolist(), strict=True)
    ]
    shades = central.by_importance(colours(colour, central.SHADES), colour)
    plain = 1.5 if len(texts) > _MANY else 2.5
    layers = [
        Layer(
            shades[at],
            width if shown.flows else plain,
            shown.pieces[some],
            shown.which[some],
            texts,
        )
        for at, width, some in shown.layers()
    ]
    values = (
        shown.legend()[0] if shown.flows else np.linspace(shown.numbers[-1], shown.numbers[0], 5)
    )
    legend = [
        (shades[at], central.counted(found, value))
        for at, value in zip(shown.shades(values).tolist(), values.tolist(), strict=True)
    ]
    points = shown.pieces.reshape(-1, 2)
    above, below = central.headings(found, shown, cutoff)
    page = MapPage(
        [network_around(graph, points, colour), *layers],
        [],
        legend,
        points,
        heading(title, above),
        heading(subtitle, below),
    )
    write_page(file, graph, page, colour, tiles)


def _under(route: Route, shade: str) -> Layer:
    """Return the layer of a route that is drawn under another one."""
    pieces, which = route.pieces
    length = f"{measured(route.length, route.graph)} in all"
    return Layer(shade, 4.5, pieces, which, [length] * len(route.edges))


def _streets(route: Route) -> list[str]:
    """Return the name of each edge's street as a line of text, nothing where it has none."""
    graph, named = route.graph, street_column(route.graph)
    if graph.given is None or named is None:
        return [""] * len(route.edges)
    names = graph.given.column(named, route.edges).tolist()
    return ["" if is_missing(name) or not name else f"{visible(name)}\n" for name in names]


def _like(dist: Array, value: float) -> float:
    """Return a distance as distances of this type are: whole where they are integers."""
    return round(value) if dist.dtype.kind == "i" else value


def _marks(places: Array, names: list[str]) -> list[Mark]:
    return [
        Mark(place, name, start=True)
        for place, name in zip(places, names, strict=True)
        if np.isfinite(place).all()
    ]


def _require_place(points: Array, what: str) -> None:
    if not np.isfinite(points).all(axis=1).any():
        raise GraphError(f"no vertex has coordinates, so {what} cannot be drawn.")


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
    dist = on_host(found.dist).tolist()
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
        heading(subtitle, trips_subtitle(found)),
    )
    write_page(file, graph, page, colour, tiles)


def _pieces(lines: list[Array], first: int, step: int) -> tuple[Array, Array]:
    """Return every `step`-th line as straight pieces and their lines' numbers."""
    chosen = range(first, len(lines), step)
    pieces = [np.stack([lines[at][:-1], lines[at][1:]], axis=1) for at in chosen]
    counts = [len(piece) for piece in pieces]
    return np.concatenate(pieces), np.repeat(np.array(chosen), counts)
