"""Coordinates of vertices from arrays, dictionaries and tables, which are aligned by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError
from warpath.graph.checks import checked_coordinates, label_array, shown, written_alike
from warpath.graph.tables import as_table, column_names, entries_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array
    from warpath.graph.csr_graph import CsrGraph

#: Recognised names of columns of ids; case is ignored.
IDS = (
    *("id", "node_id", "nodeid", "osmid", "osm_id", "node", "stop_id", "vertex", "vertex_id"),
    *("zone_id", "station_id", "label", "name", "code", "fid", "objectid", "gid"),
)
#: Recognised names of columns of longitudes and latitudes in degrees.
DEGREES = (
    *(("lon", "lat"), ("lng", "lat"), ("long", "lat"), ("longitude", "latitude")),
    *(("stop_lon", "stop_lat"), ("lon_deg", "lat_deg"), ("node_lon", "node_lat")),
)
#: Recognised names of columns of x and y, which may be degrees or not.
PLANE = (
    *(("x", "y"), ("x_coord", "y_coord"), ("xcoord", "ycoord"), ("x_coordinate", "y_coordinate")),
    *(("coord_x", "coord_y"), ("point_x", "point_y"), ("pos_x", "pos_y"), ("easting", "northing")),
)


#: Types whose two entries are no x and y.
_UNORDERED = (str, bytes, set, frozenset, Mapping)


class _Rows(NamedTuple):
    """Points, and the ids that their rows may have, by the name of the column or index."""

    points: NDArray[np.float64]
    ids: dict[str, list[Any]]


def aligned(graph: CsrGraph, given: Any, *, first_id: int = 0) -> Array:
    """Return the coordinates of a graph's vertices: (n, 2) float64.

    Parameters
    ----------
    given : as in `Graph.with_coordinates`.
    first_id : the id of the first vertex of a graph without labels.

    Raises
    ------
    GraphError
        If a vertex has no row or several, the columns cannot be recognised, or a latitude is
        beyond 90 degrees.
    """
    rows = _rows_of(given, labelled=graph.labels is not None)
    if rows is None:
        return checked_coordinates(_with_points(given), graph.n)
    vertices = (np.arange(graph.n) + first_id if graph.labels is None else graph.labels).tolist()
    columns = {name: _positions(ids) for name, ids in rows.ids.items()}
    able = {name: ids.rows for name, ids in columns.items() if ids.name(vertices)}
    if not able:
        raise _unaligned(vertices, columns, graph)
    chosen = [rows.points[[at[v] for v in vertices]] for at in able.values()]
    if any(not np.array_equal(chosen[0], other, equal_nan=True) for other in chosen[1:]):
        names = " or ".join(map(repr, able))
        msg = (
            f"the ids of the coordinates could be {names}, which name other vertices: drop all "
            f"but one, as with .drop(columns={list(able)[-1]!r})."
        )
        raise GraphError(msg)
    return checked_coordinates(chosen[0].reshape(-1, 2), graph.n)


def numbered_by(nodes: Any, src: Array, dst: Array) -> tuple[Array | None, Array, Array]:
    """Assign indices to the vertices that edges name, in the order of a table of vertices.

    Parameters
    ----------
    nodes : a table of pandas, polars, Arrow or GeoPandas as in `Graph.with_coordinates`.
    src, dst : (m,) ids.

    Returns
    -------
    labels : (n,) the ids; None if they are exactly 0 .. n - 1.
    ends : (2m,) int64, the indices of `src` followed by those of `dst`.
    coordinates : (n, 2) float64.

    Raises
    ------
    GraphError
        If an end has no row, an id has several rows, or the columns cannot be recognised.
    """
    ends = [*src.tolist(), *dst.tolist()]
    rows = _rows_of(nodes, labelled=src.dtype.kind not in "iu")
    if rows is None:
        msg = f"nodes = {shown(nodes)} must be a table with ids and coordinates of the vertices."
        raise GraphError(msg)
    used = list(dict.fromkeys(ends))
    columns = {name: _positions(ids) for name, ids in rows.ids.items()}
    able = [name for name, ids in columns.items() if not ids.repeated and ids.name(used)]
    if not able:
        raise _without_row(used, columns)
    if any(rows.ids[name] != rows.ids[able[0]] for name in able[1:]):
        names = " or ".join(able)
        raise GraphError(f"the ids of nodes could be {names}, which differ: drop all but one.")
    at = columns[able[0]].rows
    labels = label_array(rows.ids[able[0]])
    counted = labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
    indices = np.fromiter(map(at.__getitem__, ends), np.int64, len(ends))
    return None if counted else labels, indices, checked_coordinates(rows.points, len(labels))


def _without_row(used: list[Any], columns: dict[str, _Ids]) -> GraphError:
    """Return the error for ends of edges without one row, by the ids that miss the fewest."""
    missing = {name: [v for v in used if v not in ids.rows] for name, ids in columns.items()}
    name = min(missing, key=lambda column: len(missing[column]))
    ids, lost = columns[name], missing[name]
    if not lost:
        twice = next(iter(ids.repeated))
        return GraphError(f"{name} of nodes has {twice!r} in several rows: leave one for each.")
    msg = (
        f"{len(lost):,} of {len(used):,} ends of edges are not in nodes, the first is {lost[0]!r}: "
        f"{name} of nodes has no such id.{written_alike(ids.rows, lost[0])} Add a row for each, "
        "with NaN where the coordinates are unknown."
    )
    return GraphError(msg)


def _rows_of(given: Any, *, labelled: bool) -> _Rows | None:
    """Return the rows of a dictionary or a table; None for an array.

    Parameters
    ----------
    labelled : whether the graph has labels, which pandas' default index 0, 1, ... are not.
    """
    if isinstance(given, Mapping):
        return _Rows(_points(list(given.values())), {"the keys": list(given)})
    given = as_table(given)
    index: Any = getattr(given, "index", None)
    pandas = hasattr(given, "iloc")
    counted = pandas and index.name is None and index.tolist() == list(range(len(index)))
    if pandas and not hasattr(given, "columns"):  # a Series
        if counted and labelled:
            msg = (
                "the points have the index 0, 1, ..., but the vertices have labels: give them the "
                "labels as index, or .to_list() in the order of the vertices."
            )
            raise GraphError(msg)
        return _Rows(_points(given.tolist()), {"the index": index.tolist()})
    names = column_names(given)
    if not names or isinstance(given, np.ndarray):
        return None
    columns = {str(name).strip().lower(): name for name in names}
    ids = {repr(columns[name]): entries_of(given[columns[name]]) for name in IDS if name in columns}
    points = _points_of_table(given, names, columns)
    default = pandas and index.name is None and (counted or _is_filtered(index))
    if pandas and not (counted and labelled) and not (default and ids):
        ids["the index"] = index.tolist()
    if not ids:
        msg = (
            f"the coordinates have no column of ids ({', '.join(IDS[:6])}, ...) among "
            f"{', '.join(map(repr, names))}: rename one to 'id', or give an (n, 2) array in the "
            "order of the vertices."
        )
        raise GraphError(msg)
    return _Rows(points, ids)


def _is_filtered(index: Any) -> bool:
    """Return whether an index without a name is what is left of pandas' default."""
    return index.dtype.kind in "iu" and bool(index.is_monotonic_increasing)


def _points_of_table(table: Any, names: list[Any], columns: dict[str, Any]) -> Any:
    """Return the points of a table, (k, 2), from its geometry or two columns of numbers."""
    if "geometry" in columns:
        return _points(entries_of(table[columns["geometry"]]))
    pairs = [pair for pair in (*DEGREES, *PLANE) if pair[0] in columns and pair[1] in columns]
    if not pairs and names[:2] == [0, 1]:
        pairs, columns = [("0", "1")], {"0": 0, "1": 1}
    if len(pairs) != 1:
        listed = ", ".join(map(repr, names))
        if pairs:
            several = " or ".join("/".join(pair) for pair in pairs)
            drop = [columns[name] for name in pairs[-1]]
            msg = (
                f"the coordinates could be {several} of the columns {listed}: leave one pair out, "
                f"as with .drop(columns={drop!r})."
            )
        else:
            msg = (
                f"no columns of coordinates (lon/lat, x/y, ..., geometry) are among {listed}: "
                "rename two of them to 'x' and 'y', or 'lon' and 'lat'."
            )
        raise GraphError(msg)
    x, y = (_numbers(entries_of(table[columns[name]]), columns[name]) for name in pairs[0])
    if pairs[0] in DEGREES:
        _refuse_swapped(x, y, [columns[name] for name in pairs[0]])
    return np.column_stack([x, y])


def _numbers(values: list[Any], name: Any) -> NDArray[np.float64]:
    try:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    except (TypeError, ValueError):
        at = next(at for at, value in enumerate(values) if not _is_real(value))
        msg = f"row {at} of column {name!r} is {shown(values[at])}: coordinates are numbers."
        raise GraphError(msg) from None


def _is_real(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _refuse_swapped(x: Array, y: Array, names: list[Any]) -> None:
    """Raise GraphError for a latitude beyond 90 degrees or a longitude beyond 360."""
    for values, most, name in ((y, 90, names[1]), (x, 360, names[0])):
        beyond = np.flatnonzero(np.abs(values) > most)
        if beyond.size:
            both_fit = bool((np.abs(x) <= 90).all() and (np.abs(y) <= 360).all())
            a, b = names
            way = (
                f"The columns look swapped: .rename(columns={{{a!r}: {b!r}, {b!r}: {a!r}}})."
                if both_fit
                else "Call projected coordinates x and y."
            )
            msg = (
                f"row {beyond[0]} of column {name!r} is {values[beyond[0]]}, beyond {most} "
                f"degrees. {way}"
            )
            raise GraphError(msg)


def _points(values: Any) -> NDArray[np.float64]:
    """Return points, pairs of numbers or None, as (k, 2)."""
    pairs = np.full((len(values), 2), np.nan)
    for at, value in enumerate(values):
        if value is None or getattr(value, "is_empty", False):
            continue
        try:
            pairs[at] = _pair(value)
        except (TypeError, ValueError, AttributeError):
            kind = getattr(value, "geom_type", None)
            what = f"a {kind}" if kind else shown(value)
            msg = f"row {at} of the coordinates is {what}: a point is x and y, two numbers."
            raise GraphError(msg) from None
    return pairs


def _pair(value: Any) -> tuple[float, float]:
    if isinstance(value, _UNORDERED):
        raise TypeError
    x, y = (value.x, value.y) if hasattr(value, "x") and hasattr(value, "y") else value
    return float(x), float(y)


def _with_points(given: Any) -> Any:
    """Return points of shapely in a list or an array as (n, 2); other objects unchanged."""
    values = given.ravel() if isinstance(given, np.ndarray) else given
    points = isinstance(values, list | tuple | np.ndarray) and len(values) > 0
    return _points(list(values)) if points and hasattr(values[0], "geom_type") else given


class _Ids(NamedTuple):
    """The row of each id, and the ids that have several rows."""

    rows: dict[Any, int]
    repeated: set[Any]

    def name(self, vertices: list[Any]) -> bool:
        """Return whether each vertex has one row."""
        return all(v in self.rows for v in vertices) and self.repeated.isdisjoint(vertices)


def _positions(ids: list[Any]) -> _Ids:
    rows: dict[Any, int] = {}
    repeated = {label for at, label in enumerate(ids) if rows.setdefault(label, at) != at}
    return _Ids(rows, repeated)


def _unaligned(vertices: list[Any], columns: dict[str, _Ids], graph: CsrGraph) -> GraphError:
    """Return the error for vertices without one row, by the ids that miss the fewest."""
    missing = {name: [v for v in vertices if v not in ids.rows] for name, ids in columns.items()}
    name = min(missing, key=lambda column: len(missing[column]))
    lost, ids_of_rows = missing[name], columns[name].rows
    if not lost:
        twice = next(v for v in vertices if v in columns[name].repeated)
        msg = f"{name} of the coordinates has {twice!r} in several rows: leave one for each vertex."
        return GraphError(msg)
    hint = written_alike(ids_of_rows, lost[0])
    if (
        not hint
        and graph.labels is None
        and graph.id_base
        and len(lost) == 1
        and graph.n in ids_of_rows
    ):
        hint = f" The ids are those of the file, which counts from {graph.id_base}: subtract it."
    msg = (
        f"{len(lost):,} of {graph.n:,} vertices have no coordinates, the first is {lost[0]!r}: "
        f"{name} of the coordinates has no such id.{hint} Add a row for each vertex, with NaN "
        "where the coordinates are unknown."
    )
    return GraphError(msg)
