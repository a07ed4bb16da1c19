"""A prepared graph: the graph of an .npz file, its hierarchy and its labels, mapped into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from warpath.base.errors import InputError
from warpath.graph.derived import Derived
from warpath.io import array_file, npz

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.graph import Graph
    from warpath.io.source import Source

    Arrays = dict[str, NDArray[Any]]

LAYOUT = array_file.FileFormat(
    magic=b"\x89WPH\r\n\x1a\n",  # as in PNG: a transfer that changes line ends damages it
    version=1,
    what="prepared graph (.wph)",
    way="prepare the graph, by warpath.prepare or the command `warpath prepare`",
)

_WAY = "Drop them (Graph(graph.indptr, graph.indices, graph.weights)), or pickle the Solver."

#: The absolute path of the file that a graph is mapped from.
MAPPED_FROM: Derived[str] = Derived(__name__, "path of the mapped file")

#: The arrays of one direction of a hierarchy, and those of labels; "down" only where it differs.
_ROWS = ("first", "heads", "weights")
_LABELS = ("position", "parent", "up", "down")
_HUBS = ("first", "hubs", "distances")
_DIRECTIONS = ("up", "down")


def sniff(head: bytes) -> bool:
    """Return whether this is a prepared graph."""
    return head.startswith(LAYOUT.magic)


def read(source: Source, *, directed: bool | None = None) -> Graph:
    """Read the graph of a prepared graph, without its hierarchy; `warpath.load` reads both.

    Parameters
    ----------
    source : the file. The graph's rows are the mapped file.
    directed : None: as stored in the file.

    Raises
    ------
    GraphFormatError
        The file is damaged, of another version or compressed.
    """
    return PreparedFile(source).graph(directed)


def write_prepared(
    graph: Graph,
    hierarchy: tuple[Any, ...],
    file: BinaryIO,
    *,
    labels: tuple[Any, ...] | None = None,
    hubs: tuple[Any, ...] | None = None,
) -> None:
    """Write a graph and the arrays of its hierarchy; the same arrays give the same bytes.

    Parameters
    ----------
    hierarchy : as `engines.hierarchy.arrays_of` returns it. Positions, which are the vertex order,
        are an array of their own; a symmetric hierarchy is written once.
    labels : as `engines.labels.arrays_of` returns them; None for a graph without labels.
    hubs : as `engines.hub_labels.arrays_of` returns them; None for a graph without hub labels.

    Raises
    ------
    InputError
        Labels that are neither all strings nor all numbers.
    """
    position, *rows, symmetric = hierarchy
    parts = npz.parts_of(graph, way=_WAY) | _rows(graph)
    arrays = {f"graph.{name}": part for name, part in parts.items()}
    arrays["hierarchy.position"] = position
    for direction, of in (("up", rows[:3]), ("down", rows[3:])):
        if direction == "up" or not symmetric:
            arrays |= {
                f"hierarchy.{direction}.{name}": array
                for name, array in zip(_ROWS, of, strict=True)
            }
    if labels is not None:
        once = labels[:3] if labels[3] is labels[2] else labels
        arrays |= {f"labels.{name}": array for name, array in zip(_LABELS, once, strict=False)}
    for at, array in enumerate(hubs or ()):
        arrays[f"hubs.{_DIRECTIONS[at // 3]}.{_HUBS[at % 3]}"] = array
    array_file.write(file, LAYOUT, arrays)


def _rows(graph: Graph) -> Arrays:
    """Return the rows of a graph as files hold them: with the narrowest indices."""
    rows = {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "weights": graph.weights,
    }
    return {name: array for name, array in rows.items() if array is not None}


class PreparedFile:
    """A mapped file of a graph and its hierarchy.

    Parameters
    ----------
    source : the file.

    Raises
    ------
    GraphFormatError
        The file is damaged, of another version or compressed.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._file = array_file.ArrayFile(source, LAYOUT)

    def graph(self, directed: bool | None = None) -> Graph:
        """Return the graph, whose rows are the mapped file. O(n + m) to check them."""
        parts = {
            name.removeprefix("graph."): self._file[name]
            for name in self._file.entries
            if name.startswith("graph.")
        }
        try:
            return npz.graph_of(self.source, parts, directed)
        except InputError as error:
            if str(error).startswith(str(self.source.path)):
                raise
            raise self.source.error(None, str(error)) from error

    def hierarchy(self, weights: np.dtype[Any]) -> tuple[Any, ...]:
        """Return the arguments of `engines.hierarchy.keep` for a graph with weights of this type.

        Raises
        ------
        GraphFormatError
            An array is damaged or missing, or shortcuts have another type than the weights.
        NotEnoughMemoryError
            The memory does not hold the hierarchy.
        """
        names = [name for name in self._file.entries if name.startswith("hierarchy.")]
        self.source.need(sum(self._file.entries[name].nbytes for name in names))
        position = self._array("hierarchy.position")
        up = [self._array(f"hierarchy.up.{name}") for name in _ROWS]
        symmetric = "hierarchy.down.first" not in names
        down = up if symmetric else [self._array(f"hierarchy.down.{name}") for name in _ROWS]
        for rows in (up, down):
            self._refuse_type(rows[2].dtype, weights, "hierarchy has weights of")
        return (position, *up, *down, symmetric)

    def labels(self, weights: np.dtype[Any]) -> tuple[Any, ...] | None:
        """Return the arguments of `engines.labels.keep`, mapped; None if the file has no labels.

        Raises
        ------
        GraphFormatError
            An array is damaged or missing, or labels have another type than the weights.
        """
        if not any(name.startswith("labels.") for name in self._file.entries):
            return None
        position, parent, up = (self._array(f"labels.{name}") for name in _LABELS[:3])
        down = self._array("labels.down") if "labels.down" in self._file.entries else up
        for entries in (up, down):
            self._refuse_type(entries.dtype, weights, "labels are of")
        return position, parent, up, down

    def hub_labels(self, weights: np.dtype[Any]) -> tuple[Any, ...] | None:
        """Return the arguments of `engines.hub_labels.keep`, mapped; None without hub labels.

        Raises
        ------
        GraphFormatError
            An array is damaged or missing, or labels have another type than the weights.
        """
        arrays = []
        for direction in _DIRECTIONS:
            if any(name.startswith(f"hubs.{direction}.") for name in self._file.entries):
                arrays += [self._array(f"hubs.{direction}.{name}") for name in _HUBS]
        if not arrays:
            return None
        for distances in arrays[2::3]:
            self._refuse_type(distances.dtype, weights, "hub labels are of")
        return tuple(arrays)

    def _refuse_type(self, dtype: np.dtype[Any], weights: np.dtype[Any], what: str) -> None:
        if dtype != weights and not (weights.kind == "i" and dtype == np.int64):
            raise self.source.error(None, f"its {what} type {dtype}, the graph {weights}")

    def _array(self, name: str) -> NDArray[Any]:
        if name not in self._file.entries:
            raise self.source.error(None, f"expected the array {name}, which is missing")
        return self._file[name]

    def refuse_another(self, graph: Graph) -> None:
        """Raise InputError unless the file holds the hierarchy of this graph's edges. O(n + m).

        Numbers of vertices and edges, edges, weights and closed vertices are compared, by type,
        shape and checksum; labels and coordinates may differ.
        """
        why = self._difference(graph)
        if why:
            msg = (
                f"{self.source.path}: this file was prepared for another graph: {why}. Prepare "
                "this graph, by warpath.prepare or the command `warpath prepare`."
            )
            raise InputError(msg)

    def _difference(self, graph: Graph) -> str:
        n = self._file.entries["graph.indptr"].shape[0] - 1
        m = self._file.entries["graph.indices"].shape[0]
        if (n, m) != (graph.n, graph.m):
            return f"it has n = {n:,} and m = {m:,}, this graph n = {graph.n:,} and m = {graph.m:,}"
        closed = int(self._array("graph.first_through"))
        if closed != graph.first_through:
            return f"{closed:,} of its vertices are closed, {graph.first_through:,} of this graph"
        if ("graph.areas" in self._file.entries) != graph.areas:
            return "only one of the two has areas"
        rows = _rows(graph)
        if not (self._holds(rows, "indptr") and self._holds(rows, "indices")):
            return "the numbers of vertices and edges agree, but not the edges"
        return "" if self._holds(rows, "weights") else "the edges agree, but not their weights"

    def _holds(self, rows: Arrays, name: str) -> bool:
        """Return whether an array has the type, shape and checksum of that in the file."""
        entry, array = self._file.entries.get(f"graph.{name}"), rows.get(name)
        if entry is None or array is None:
            return entry is None and array is None
        return array_file.entry_of(entry.name, array, entry.offset) == entry
