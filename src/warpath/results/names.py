"""The text that drawings and maps show for a vertex."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import InputError
from warpath.base.escaping import visible
from warpath.graph.checks import checked_bool, is_missing, shown
from warpath.graph.labels import file_ids as ids_in_file
from warpath.results.legs import street_column

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.graph import Graph

_LONG = 6  # digits of a number that says nothing to a reader


def names_of(result: Any, indices: Array, names: Any = None, *, file_ids: bool = True) -> list[str]:
    """Return the text that a drawing shows for each of some vertices: k of them.

    Control characters are escaped.

    Parameters
    ----------
    result : a result, which has a graph and the names that its call gave to vertices.
    indices : (k,) indices of the vertices.
    names : k texts in this order, or ``{vertex: text}`` or a Series of pandas with vertices as its
        index; a vertex without a text keeps its own.
    file_ids : whether vertices without a name have the ids of the graph's file.

    Raises
    ------
    InputError
        If there are not k names, or a vertex that is not among these has a name.
    """
    graph = result.graph
    in_file = checked_bool(file_ids, "file_ids")
    labels = ids_in_file(graph, indices) if in_file else graph.label_of(indices)
    chosen: dict[int, Any] = {}
    if hasattr(names, "to_dict") and names.index.tolist() != list(range(len(names))):
        names = names.to_dict()  # a Series of pandas, labelled by the vertices
    if isinstance(names, Mapping):
        chosen = dict(zip(graph.indices_of(list(names)).tolist(), names.values(), strict=True))
        stray = [name for at, name in chosen.items() if at not in set(indices.tolist())]
        if stray:
            msg = f"names has {shown(stray[0])} for a vertex that is not among those of the call."
            raise InputError(msg)
    elif names is not None:
        listed = [names] if isinstance(names, str) else list(names)
        if isinstance(names, set | frozenset) or len(listed) != len(indices):
            msg = (
                f"names = {shown(names)} must be {len(indices)} labels, one for each vertex in the "
                "order of the call, or {vertex: label}."
            )
            raise InputError(msg)
        return [visible(name) for name in listed]
    places = _places(result, indices)
    pairs = enumerate(zip(indices.tolist(), labels.tolist(), strict=True))
    return [
        visible(chosen.get(at, places.get(row, result.names.get(at, label))))
        for row, (at, label) in pairs
    ]


def in_words(graph: Graph, index: int, name: str) -> str:
    """Return what titles and marks call a vertex: its name, or its streets for a long number.

    Parameters
    ----------
    name : as `names_of` returns it.
    """
    column = street_column(graph)
    if column is None or graph.given is None or not (name.isdecimal() and len(name) > _LONG):
        return name
    edges = np.arange(graph.indptr[index], graph.indptr[index + 1])
    given = graph.given.column(column, edges).tolist()
    streets = dict.fromkeys(visible(name) for name in given if not is_missing(name) and name)
    return " and ".join(list(streets)[:2]) or name


def _places(result: Any, indices: Array) -> dict[int, str]:
    """Return the names of the places among the sources of a result, by their position there."""
    points = getattr(result, "point_sources", None)
    if points is None or not np.array_equal(indices, points.ends.indices):
        return {}
    given = points.ends.given
    rows = np.flatnonzero(points.ends.along >= 0).tolist()
    return {row: given[row].name or str(given[row]) for row in rows}
