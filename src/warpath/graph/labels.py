"""Translation between labels of vertices and indices."""

from __future__ import annotations

from collections.abc import Iterator, ValuesView
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.errors import VertexError
from warpath.base.escaping import utf8
from warpath.graph.checks import (
    is_integer,
    is_missing,
    label_array,
    plain_array,
    refuse_missing,
    shown,
    written_alike,
)
from warpath.graph.places import hint_of_coordinate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from warpath.graph.csr_graph import CsrGraph, G


def indices_of_numbers(vertices: Any, n: int, id_base: int, what: str) -> NDArray[np.int64]:
    """Return vertices of an unlabelled graph as (k,) int64; raise VertexError for a bad one.

    Parameters
    ----------
    what : the name of the argument, for the message.
    """
    if isinstance(vertices, set | frozenset):  # which have no order of their own
        return np.sort(indices_of_numbers(list(vertices), n, id_base, what))
    vertices = _in_a_list(vertices)
    array = np.atleast_1d(given := plain_array(vertices, what, VertexError))
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype == object and array.ndim == 1 and all(map(is_integer, array.tolist())):
        array = np.array(array.tolist())  # objects again if a number does not fit 64 bits
    if array.dtype.kind not in "iu" or array.ndim != 1:
        if np.ndim(vertices) == 1:
            refuse_missing(vertices, what, VertexError)
        # NumPy makes one type of all entries: of [0, "a"], the text "a" is to blame, not "0".
        entries = vertices if isinstance(vertices, list | tuple) and array.ndim == 1 else []
        first = next((entry for entry in entries if not is_integer(entry)), array.ravel()[0])
        first = first.item() if isinstance(first, np.generic) else first
        msg = (
            f"{shown(first)} is not a vertex: this graph's vertices are the integers 0 .. {n - 1}."
            f"{hint_of_coordinate(vertices)}"
        )
        raise VertexError(msg).about(what, first)
    outside = np.flatnonzero((array < 0) | (array >= n))
    if len(outside):
        bad = array[outside[0]]
        rule = f"vertices are 0 .. {n - 1}" if n else "the graph has no vertices"
        hint = ""
        if id_base and bad == n:
            hint = (
                f" The file counts from {id_base}, Python from 0: calls take the ids of the file "
                'after wp.read(path, ids="file").'
            )
        position = int(outside[0]) if given.ndim else None
        msg = f"vertex {bad} does not exist{_in(what, position)}: {rule}.{hint}"
        raise VertexError(msg).about(what, int(bad), position)
    return array.astype(np.int64)


def indices_of_labels(vertices: Any, place: dict[Any, int], what: str) -> NDArray[np.int64]:
    """Return the indices of one or more labels: (k,) int64; raise VertexError for unknown ones.

    Parameters
    ----------
    what : the name of the argument, for the message.
    """
    if isinstance(vertices, np.ndarray):
        vertices = np.atleast_1d(plain_array(vertices, what, VertexError))
    elif hasattr(vertices, "to_pylist"):  # of Arrow, whose entries are not Python objects
        vertices = vertices.to_pylist()
    # A tuple can be a label, as in NetworkX's grid graphs, and so can a frozenset.
    label = isinstance(vertices, tuple | frozenset) and is_label(vertices, place)
    if isinstance(vertices, set | frozenset) and not label:  # which have no order of their own
        return np.sort(indices_of_labels(list(vertices), place, what))
    vertices = vertices if label else _in_a_list(vertices)
    is_single = (
        label or isinstance(vertices, str | bytes | type) or not hasattr(vertices, "__len__")
    )
    try:
        names = [vertices] if is_single else list(vertices)
    except TypeError:  # an object with a length that cannot be iterated
        names = [vertices]
    names = [name.item() if isinstance(name, np.generic) else name for name in names]
    unknown = [name for name in names if not is_label(name, place)]
    if unknown:
        if not is_single and any(map(is_missing, unknown)):
            refuse_missing(names, what, VertexError)
        some = ", ".join(shown(label) for label in list(place)[:3])
        name = shown(unknown[0])
        position = None if is_single else names.index(unknown[0])
        where = _in(what, position)
        msg = f"vertex {name} does not exist{where} among the {len(place)} labels ({some}, ...)."
        msg += written_alike(place, name.strip("'")) or hint_of_coordinate(vertices)
        raise VertexError(msg).about(what, unknown[0], position)
    return np.array([place[name] for name in names], np.int64)


def _in(what: str, position: int | None) -> str:
    """Return the words for the place of a vertex in a list: " in destinations[1]"."""
    return "" if position is None else f" in {what}[{position}]"


def _in_a_list(vertices: Any) -> Any:
    """Return what a view of a dictionary or an iterator yields; other objects unchanged."""
    return list(vertices) if isinstance(vertices, AbstractSet | ValuesView | Iterator) else vertices


def labels_at(labels: NDArray[Any] | None, indices: Any) -> NDArray[Any]:
    """Return the labels of vertices, or their indices if the graph has no labels."""
    chosen = plain_array(indices, "indices", VertexError)
    if labels is None:
        return chosen
    try:
        names: NDArray[Any] = labels[chosen]
    except (IndexError, OverflowError):
        msg = f"indices = {shown(indices)} must be integers in 0 .. n - 1 = {len(labels) - 1}."
        raise VertexError(msg) from None
    return names


def labels_or_none(graph: Any, indices: NDArray[np.int64]) -> NDArray[Any]:
    """Return the names of vertices as `Graph.label_of` does, and None for indices of -1."""
    return _without_missing(graph.label_of(indices), indices)


def _without_missing(names: NDArray[Any], indices: NDArray[Any]) -> NDArray[Any]:
    """Return names with None for indices of -1."""
    missing = indices < 0
    if missing.any():
        names = names.astype(object)
        names[missing] = None
    return names


def is_label(name: Any, place: dict[Any, int]) -> bool:
    """Return whether an object is among labels, also if it cannot be hashed."""
    try:
        return name in place
    except TypeError:  # unhashable
        return False


def file_ids(graph: CsrGraph, indices: NDArray[Any], names: Sequence[Any] = ()) -> NDArray[Any]:
    """Return the ids of vertices in the graph's file: labels, or numbers from `id_base` on.

    Indices of -1 stand for missing vertices, whose ids are None.

    Parameters
    ----------
    names : names that replace the ids, None for vertices without one; then all are texts.
    """
    unnamed = names.count(None) if names else len(indices)
    if names and not unnamed:
        return label_array(names)
    ids = indices + graph.id_base if graph.labels is None else graph.label_of(indices)
    ids = _without_missing(ids, indices)
    if unnamed == len(indices):
        return ids
    texts = [
        vertex if name is None else name for vertex, name in zip(ids.tolist(), names, strict=True)
    ]
    return label_array(text if text is None else str(text) for text in texts)


def table_ids(graph: CsrGraph, indices: NDArray[Any], names: Sequence[Any] = ()) -> NDArray[Any]:
    """Return the `file_ids` of vertices as tables of pandas can hold them."""
    return encodable(file_ids(graph, indices, names))


def with_mask(
    graph: CsrGraph, indices: NDArray[Any], names: Sequence[Any] = ()
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the `file_ids` of vertices, and the mask of those that have one; None for all."""
    present = indices >= 0
    if present.all():
        return file_ids(graph, indices, names), None
    if names:
        present = present | np.array([name is not None for name in names])
    return file_ids(graph, indices, names), None if present.all() else present


def named_as_in_file(graph: G) -> G:
    """Return a graph whose labels are the ids of its file, where these do not start from 0."""
    if graph.labels is not None or not graph.id_base:
        return graph
    labels = file_ids(graph, np.arange(graph.n))
    return graph._like(  # noqa: SLF001 - a part of the class
        graph.indptr, graph.indices, graph.weights, labels=labels, id_base=0
    )


def one_label(graph: CsrGraph, index: int) -> Any:
    """Return the label of a vertex (or its index) as a plain Python object."""
    label = graph.label_of(np.asarray(index))
    return label.item() if isinstance(label, np.generic | np.ndarray) else label


def encodable(values: NDArray[Any]) -> NDArray[Any]:
    """Return texts with halves of surrogate pairs escaped, and other values unchanged.

    Tables of pandas and Arrow hold their texts in UTF-8, which cannot encode such halves.
    """
    if values.dtype.kind == "U":
        codes = np.ascontiguousarray(values).view(np.uint32)
        if not ((codes >= 0xD800) & (codes < 0xE000)).any():
            return values
    elif values.dtype.kind != "O":
        return values
    texts = [utf8(value) if isinstance(value, str) else value for value in values.tolist()]
    return label_array(texts)
