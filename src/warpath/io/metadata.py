"""What a graph has besides its edges, as JSON that tables and files of edges carry.

A file of edges that warpath writes (GeoPackage, GeoJSON, Parquet) and the frames of
`Graph.to_geopandas` say which columns are those of the graph, their types and units, whether the
graph is directed, and whom to name as the source of the data.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, InputError
from warpath.graph import Graph
from warpath.graph.checks import is_missing
from warpath.graph.input_edges import Coded, InputEdges

if TYPE_CHECKING:
    from collections.abc import Collection

    from warpath.base.dtypes import Array

#: The key of the JSON in files and in ``frame.attrs``.
KEY = "warpath"

_ENDS = ("source", "target")
#: Names that edges with geometry use themselves in files.
IN_FILES = {*_ENDS, "weight", "geometry", "fid", "id"}


class Metadata(NamedTuple):
    """The attributes of a graph that its edges do not show.

    Attributes
    ----------
    n : number of vertices, also of those without edges.
    weights : the type of the weights; None if every weight is 1.
    labelled : whether the vertices have labels; otherwise their numbers start from `id_base`.
    shapes : whether edges have points between their ends.
    columns : the names of kept columns and their types, by their names in the file.
    units : the units of kept columns, by their names in the file.
    """

    n: int
    directed: bool
    weights: str | None
    labelled: bool
    id_base: int
    shapes: bool
    unit: str | None
    attribution: str | None
    columns: dict[str, list[str]]
    units: dict[str, str]

    def to_json(self) -> str:
        """Return the text that `metadata_in` reads."""
        return json.dumps(self._asdict())


def metadata_of(graph: Graph, reserved: Collection[str] = IN_FILES) -> Metadata:
    """Return the metadata of a graph, with a name for each kept column in the file.

    Parameters
    ----------
    reserved : names that a kept column cannot have in the file, where another one is chosen.
    """
    columns: dict[str, list[str]] = {}
    units: dict[str, str] = {}
    taken = set(reserved)
    for name, column in ({} if graph.given is None else graph.given.columns).items():
        in_file = name
        while in_file.lower() in taken:  # SQLite ignores case
            in_file += "_"
        taken.add(in_file.lower())
        some = _texts(column) if isinstance(column, np.ndarray) else column
        columns[in_file] = [name, some.dtype.str]
        if graph.given is not None and name in graph.given.units:
            units[in_file] = graph.given.units[name]
    return Metadata(
        n=graph.n,
        directed=graph.directed,
        weights=None if graph.weights is None else graph.weights.dtype.str,
        labelled=graph.labels is not None,
        id_base=graph.id_base,
        shapes=graph.shapes is not None,
        unit=graph.unit,
        attribution=graph.attribution,
        columns=columns,
        units=units,
    )


def kept_columns_of(
    graph: Graph, metadata: Metadata, edges: Array | slice = slice(None)
) -> dict[str, Array]:
    """Return the kept columns of some edges, by their names in the file."""
    if graph.given is None:
        return {}
    names = {in_file: name for in_file, (name, _) in metadata.columns.items()}
    return {each: _texts(graph.given.column(name, edges)) for each, name in names.items()}


def _texts(column: Array) -> Array:
    """Return texts among which some are missing as texts, which are empty there."""
    if column.dtype != object:
        return column
    values = ["" if is_missing(value) else value for value in column.tolist()]
    return np.array(values, np.str_) if all(isinstance(value, str) for value in values) else column


def metadata_in(
    data: Any, names: list[str], options: dict[str, Any]
) -> tuple[Metadata, dict[str, Any]] | None:
    """Return the metadata of a pandas frame or an Arrow table, and how it is then read.

    Parameters
    ----------
    names : the columns of the table; columns that are gone since it was written are not used.
    options : what the caller chose, which takes precedence.

    Returns
    -------
    metadata : what `restored` takes.
    options : those of a table that has both arcs of each edge; None in place of both if the table
        has no metadata, or the caller names its columns.

    Raises
    ------
    GraphError
        The metadata are damaged.
    """
    chosen = any(options[name] is not None for name in ("columns", "source", "target"))
    chosen = chosen or any(options[name] != "auto" for name in ("oneway", "reverse_weight"))
    if type(data).__module__.startswith("pyarrow"):
        text = (getattr(data.schema, "metadata", None) or {}).get(KEY.encode())
    else:
        text = getattr(data, "attrs", {}).get(KEY)
    if text is None or chosen:
        return None
    metadata = parsed(text)
    if not {*_ENDS} | ({"weight"} if metadata.weights else set()) <= {*names}:
        return None
    weight, attributes = options["weight"], options["attributes"]
    own = "weight" if "weight" in names else None
    further = [name for name in metadata.columns if name in names]
    return metadata, options | {
        "columns": _ENDS,
        "weight": own if weight == "auto" else weight,
        "directed": options["directed"] is not False or not metadata.directed,
        "oneway": None,
        "reverse_weight": None,
        "attributes": further if attributes is None else attributes,
    }


def parsed(text: str) -> Metadata:
    """Return the metadata of a text, or raise GraphError."""
    try:
        return _checked(Metadata(**json.loads(text)))
    except (TypeError, ValueError, AttributeError) as error:
        way = "delete them, or name the columns by source=, target= and weight="
        msg = f"the metadata {KEY!r} are damaged ({error}): {way}."
        raise GraphError(msg) from error


def _checked(metadata: Metadata) -> Metadata:
    """Return metadata unchanged, or raise ValueError or TypeError."""
    texts = [metadata.unit, metadata.attribution, *metadata.units.values()]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise ValueError("a text is not a text")
    if type(metadata.n) is not int or metadata.n < 0 or metadata.id_base not in {0, 1}:
        raise ValueError(f"n = {metadata.n!r}, id_base = {metadata.id_base!r}")
    for name, kind in metadata.columns.values():
        np.dtype(kind)
        if not isinstance(name, str):
            raise TypeError(f"the column {name!r}")
    if metadata.weights is not None:
        np.dtype(metadata.weights)
    return metadata


def without_metadata(frame: Any) -> Any:
    """Return a pandas frame without metadata; the data are not copied."""
    frame = frame.copy(deep=False)
    frame.attrs = {name: value for name, value in frame.attrs.items() if name != KEY}
    return frame


def restored(graph: Graph, metadata: Metadata, options: dict[str, Any]) -> Graph:
    """Return a graph that was read as `metadata_in` says with the attributes of the written one.

    Parameters
    ----------
    options : what the caller chose.
    """
    labels, weights, unit = graph.labels, graph.weights, None
    numbers = np.arange(graph.n) + metadata.id_base
    if not metadata.labelled and (labels is None or np.array_equal(labels, numbers)):
        labels = None
    elif labels is None:
        labels = np.arange(graph.n)  # labels that are also the numbers of the vertices
    if options["weight"] == "auto":
        unit = metadata.unit
        if weights is not None and metadata.weights is not None:
            weights = _of_type(weights, metadata.weights)
        elif weights is not None and (weights == 1).all():
            weights = None
    elif isinstance(options["weight"], str):
        unit = metadata.units.get(options["weight"])
    directed, report = graph.directed, graph.read_report
    if directed and not metadata.directed and options["directed"] is not True:
        directed = not graph.facts().symmetric  # the file has both arcs of each edge
        if directed:
            report = report | {"edges of an undirected graph without their reverse": "directed"}
    straight = graph.shapes is None or (not metadata.shapes and not len(graph.shapes.points))
    return Graph(
        graph.indptr,
        graph.indices,
        weights,
        directed=directed,
        labels=labels,
        id_base=metadata.id_base if labels is None else 0,
        coordinates=graph.coordinates,
        first_through=graph.first_through,
        name=graph.name,
        shapes=None if straight else graph.shapes,
        given=None if graph.given is None else _named(graph.given, metadata),
        unit=unit,
        attribution=metadata.attribution,
        read_report=report,
    )


def _named(given: InputEdges, metadata: Metadata) -> InputEdges:
    """Return kept columns with the names, types and units of the written graph."""
    columns, units = {}, {}
    for in_file, column in given.columns.items():
        name, kind = metadata.columns.get(in_file, (in_file, None))
        text = kind is not None and np.dtype(kind).kind == "U"
        values = np.asarray(column)
        columns[name] = (
            _coded(values) if text else values if kind is None else _of_type(values, kind)
        )
        if in_file in metadata.units:
            units[name] = metadata.units[in_file]
    return InputEdges(given.rows, given.count, columns, units)


def _coded(values: Array) -> Coded | Array:
    """Return values as texts, in the form that takes less memory; missing ones are empty."""
    texts = [
        value if type(value) is str else "" if is_missing(value) else str(value)
        for value in values.tolist()
    ]
    coded = Coded.of(texts)
    return coded if 2 * len(coded.values) <= len(texts) else coded[:]


def _of_type(values: Array, kind: str) -> Array:
    """Return values as a type if none of them changes, else unchanged."""
    try:
        with np.errstate(all="ignore"):
            converted = values.astype(kind)
            floats = converted.dtype.kind == "f"
            back = values.astype(np.float64) if floats and values.dtype == object else values
            same = np.array_equal(converted, back, equal_nan=floats)
    except (TypeError, ValueError, InputError):
        return values
    return converted if same else values
