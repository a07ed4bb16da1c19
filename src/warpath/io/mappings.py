"""Graphs from dictionaries: the weights of pairs, or the neighbours of each vertex."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from warpath.base.errors import GraphError, InputError
from warpath.graph.checks import is_integer, label_array, shown
from warpath.io.arrays import from_edges
from warpath.io.columns import ends_as_columns, known_ends
from warpath.io.dataframes import ArrayTable, from_columns

if TYPE_CHECKING:
    from warpath.graph import Graph


def from_mapping(
    data: Mapping[Any, Any],
    *,
    n: int | None = None,
    directed: bool | None = None,
    columns: Any = None,
    source: Any = None,
    target: Any = None,
    weight: Any = "auto",
    oneway: Any = "auto",
    reverse_weight: Any = "auto",
    attributes: Any = None,
    nodes: Any = None,
    **more: Any,
) -> Graph:
    """Make a graph from a dictionary of edges or of columns.

    Parameters
    ----------
    data : ``{u: {v: weight}}``, ``{u: [v, ...]}`` for an unweighted graph, or
        ``{(u, v): weight}``. The values show which. Vertices of the first two need not have edges.
        Arrays or lists of equal lengths under names of ends, ``{"source": [0], "target": [1]}``,
        are columns of a table, as `Graph.edge_table` returns them.
    columns, source, target, weight, oneway, reverse_weight, attributes, nodes : for columns, as
        for a table, `warpath.io.dataframes.from_table`; the first three show that these are given.
    n, directed, **more : as for a list of edges, `warpath.io.arrays.from_edges`.

    Raises
    ------
    GraphError, WeightError
        A key or a value is of another kind, the message quotes it; or the dictionary could be one
        of columns and one of neighbours.

    Notes
    -----
    O(m). An edge that a dictionary lists once in each direction is two edges: ``directed=False``
    stores the reverse of both.
    """
    rows = list(data.values())
    named = not (columns is None and source is None and target is None)
    if named or _are_columns(data):
        return from_columns(
            ArrayTable(data),
            columns=ends_as_columns(source, target, columns),
            weight=weight,
            directed=directed,
            oneway=oneway,
            reverse_weight=reverse_weight,
            n=n,
            attributes=attributes,
            nodes=nodes,
            **more,
        )
    options = {"weight": weight, "oneway": oneway, "reverse_weight": reverse_weight}
    if attributes is not None:
        options["attributes"] = attributes
    if nodes is not None:
        options["nodes"] = "..."  # a frame has no truth value
    if unused := [f"{name}={value!r}" for name, value in options.items() if value != "auto"]:
        msg = f"{unused[0]} is for columns: name those of the ends with source= and target=."
        raise InputError(msg)
    directed = directed is not False
    edges: list[tuple[Any, ...]]
    if rows and all(isinstance(row, Mapping) for row in rows):
        edges = [(u, v, weight) for u, row in data.items() for v, weight in row.items()]
    elif rows and all(_is_collection(row) for row in rows):
        edges = [(u, v) for u, row in data.items() for v in row]
    else:
        return from_edges(_of_pairs(data), n=n, directed=directed, **more)
    _refuse_pairs(data, edges)
    if n is not None or "labels" in more:
        return from_edges(edges, n=n, directed=directed, **more)
    names = list(dict.fromkeys([*data, *(edge[1] for edge in edges)]))
    if all(map(is_integer, names)):
        names.sort()
    index_of = {name: at for at, name in enumerate(names)}
    numbered = [(index_of[edge[0]], index_of[edge[1]], *edge[2:]) for edge in edges]
    labels = None if names == list(range(len(names))) else label_array(names)
    return from_edges(numbered, n=len(names), directed=directed, labels=labels, **more)


def _refuse_pairs(data: Mapping[Any, Any], edges: list[tuple[Any, ...]]) -> None:
    """Raise GraphError for ``{u: [(v, weight)]}``, whose pairs would become vertices."""
    tuples = {isinstance(end, tuple) for edge in edges for end in edge[:2]} | {
        isinstance(key, tuple) for key in data
    }
    if len(tuples) == 2:
        msg = (
            "some vertices are tuples and others are not: a dictionary with weights is "
            "{u: {v: weight}}, as {u: dict(row) for u, row in data.items()} makes it of "
            "{u: [(v, weight), ...]}, or {(u, v): weight}; give tuples that are vertices as "
            "edges: [((0, 1), 'b'), ...]."
        )
        raise GraphError(msg)


def _are_columns(data: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary has columns of equal lengths under names of ends.

    Raises
    ------
    GraphError
        It could be one of neighbours as well.
    """
    rows = [*data.values()]
    if not all(isinstance(name, str) for name in data) or not all(map(_is_column, rows)):
        return False
    pairs = known_ends(data)
    if not pairs or len({len(row) for row in rows}) != 1:
        return False
    ends = [end for pair in pairs for end in pair]
    strings = [name for end in ends for name in list(data[end]) if isinstance(name, str)]
    letters = not known_ends(data, letters=False)
    if strings and (letters or not set(data).isdisjoint(strings)):
        source, target = pairs[0]
        msg = (
            f"the keys {source!r} and {target!r} could be columns or vertices with neighbours: "
            f"give source={source!r}, target={target!r} for columns, or a list of edges, "
            "[(u, v) for u, row in data.items() for v in row], for neighbours."
        )
        raise GraphError(msg)
    return True


def _is_column(row: Any) -> bool:
    """Return whether a value has a length and an order, as the columns of a table."""
    array = hasattr(row, "__array__") or hasattr(row, "__arrow_c_stream__")
    return isinstance(row, list | tuple) or (array and getattr(row, "ndim", 1) == 1)


def _is_collection(row: Any) -> bool:
    return isinstance(row, Iterable) and not isinstance(row, str | bytes | Mapping)


def _of_pairs(data: Mapping[Any, Any]) -> list[tuple[Any, Any, Any]]:
    for key, value in data.items():
        if not isinstance(key, tuple) or len(key) != 2:
            msg = (
                f"the entry {shown(key)}: {shown(value)} is not an edge: a dictionary of edges is "
                "{(u, v): weight}, {u: {v: weight}} or {u: [v, ...]}."
            )
            raise GraphError(msg)
    return [(u, v, weight) for (u, v), weight in data.items()]
