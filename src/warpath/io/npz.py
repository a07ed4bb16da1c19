"""A whole graph in NumPy's .npz: every array and attribute, nothing pickled."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from warpath.base.errors import InputError
from warpath.graph import Graph
from warpath.graph.csr import kept_rows
from warpath.graph.edge_geometry import Shapes
from warpath.io.compression import CHUNK
from warpath.io.kept_columns import PREFIXES, columns_of, parts_of_columns, parts_of_turns, turns_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from warpath.io.source import Source

_ARRAYS = ("indptr", "indices", "weights", "labels", "coordinates", "shape_indptr", "shape_points")
#: Booleans, integers, floats, strings and objects; objects are refused with a separate message.
_KINDS = "biufSUO"
_SCALARS = {
    "directed": "b",
    "id_base": "iu",
    "first_through": "iu",
    "areas": "b",
    "name": "U",
    "shape_crs": "U",
    "unit": "U",
    "attribution": "U",
}


def sniff(head: bytes) -> bool:
    """Return whether this is a zip archive whose first member is a NumPy array."""
    return head.startswith(b"PK\x03\x04") and b".npy" in head[30:256]


def write(graph: Graph, file: BinaryIO, *, labels: str = "keep") -> None:
    """Write the graph: rows, weights, labels, coordinates, shapes, kept columns and attributes.

    Parameters
    ----------
    labels : "keep" writes the labels; "drop" leaves them out.

    Raises
    ------
    InputError
        Labels that are neither all strings nor all numbers, or kept columns of other objects,
        which would have to be pickled.
    """
    if labels not in {"keep", "drop"}:
        msg = f'labels={labels!r} must be "keep" or "drop".'
        raise InputError(msg)
    parts = parts_of(graph, labelled=labels == "keep")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, part in parts.items():
            # A fixed time stamp: the same graph gives the same bytes.
            member = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            with archive.open(member, "w", force_zip64=True) as out:
                np.lib.format.write_array(out, part, allow_pickle=False)


def parts_of(
    graph: Graph, *, labelled: bool = True, way: str = 'labels="drop" leaves them out.'
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a graph by the names under which files hold them; see `graph_of`.

    Parameters
    ----------
    labelled : False leaves the labels out.
    way : the end of the message about labels that would have to be pickled.
    """
    labels = graph.labels if labelled else None
    parts: dict[str, Any] = {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "weights": graph.weights,
        "labels": None if labels is None else _plain(labels, way),
        "coordinates": graph.coordinates,
        "directed": np.bool_(graph.directed),
        "id_base": np.int64(graph.id_base),
        "first_through": np.int64(graph.first_through),
        "areas": np.bool_(graph.areas) if graph.areas else None,
    }
    for name in ("name", "unit", "attribution"):
        text = getattr(graph, name)
        parts[name] = None if text is None else np.str_(text)
    if graph.shapes is not None:
        crs = graph.shapes.crs
        parts["shape_indptr"], parts["shape_points"] = graph.shapes.indptr, graph.shapes.points
        parts["shape_crs"] = None if crs is None else np.str_(crs)
    parts |= parts_of_columns(graph.given) | parts_of_turns(graph.turns)
    return {name: np.asanyarray(part) for name, part in parts.items() if part is not None}


def _plain(labels: NDArray[Any], way: str) -> NDArray[Any]:
    plain = labels
    if labels.dtype == object:
        kinds = set(map(type, labels.tolist()))
        plain = np.array(labels.tolist()) if kinds in ({str}, {int}, {float}) else labels
    if plain.tolist() != labels.tolist():
        odd = next(a for a, b in zip(labels.tolist(), plain.tolist(), strict=True) if a != b)
        raise InputError(
            f"the label {odd!r} cannot be stored: a file loses its NUL at the end. {way}"
        )
    if plain.dtype == object:
        odd = next((label for label in labels.tolist() if not isinstance(label, str)), labels[0])
        msg = (
            f"the label {odd!r} cannot be stored in a file: labels must be all strings or all "
            f"numbers. {way}"
        )
        raise InputError(msg)
    return plain


def read(source: Source, *, directed: bool | None = None) -> Graph:
    """Read a graph that `write` wrote, or a CSR, CSC or COO matrix of `scipy.sparse.save_npz`.

    Parameters
    ----------
    source : the file. Nothing in it is unpickled.
    directed : None: as stored in the file; a SciPy matrix is directed.

    Raises
    ------
    GraphFormatError
        The archive is damaged, or an array is missing or not valid.
    """
    try:
        parts = _members(source)
        if "format" not in parts:
            return graph_of(source, parts, directed)
        graph = _of_scipy(source, parts, source.title)
        if directed is not False:
            return graph
        from warpath.io.scipy_sparse import undirected

        return undirected(graph)
    except zipfile.BadZipFile as error:
        raise source.error(None, f"this .npz archive is damaged: {error}") from error
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, SyntaxError) as error:
        # An InputError that is none of its subclasses is about a setting, such as WARPATH_THREADS.
        if type(error) is InputError or str(error).startswith(str(source.path)):
            raise
        raise source.error(None, str(error) or "this .npz archive is damaged") from error


def _members(source: Source) -> dict[str, NDArray[Any]]:
    allowed = {*_ARRAYS, *_SCALARS, "format", "shape", "data", "row", "col"}
    parts = {}
    inside = source.compression not in {None, "zip"}
    opened = io.BytesIO(source.data) if inside else source.path.open("rb")
    with opened as file, zipfile.ZipFile(file) as archive:
        listed = [(m, m.filename.removesuffix(".npy")) for m in archive.infolist()]
        listed = [(m, name) for m, name in listed if name in allowed or name.startswith(PREFIXES)]
        members, names = [m for m, _ in listed], [name for _, name in listed]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise source.error(None, f"the archive holds the array {twice} twice")
        # A small file can unpack to a large one: check the sizes before anything is allocated.
        source.need(sum(member.file_size for member in members))
        for member, name in zip(members, names, strict=True):
            with archive.open(member) as stream:
                parts[name] = _array(stream, member.file_size, name)
    return parts


def _array(stream: Any, size: int, name: str) -> NDArray[Any]:
    """Read one .npy member; raise ValueError if its header does not match its size."""
    version = np.lib.format.read_magic(stream)
    if version == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    elif version == (2, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream)
    else:
        msg = f"{name} is in version {version} of the .npy format, which is not supported"
        raise ValueError(msg)
    if dtype.kind not in _KINDS:
        msg = f"{name} is of type {dtype}, which no array of a graph has"
        raise ValueError(msg)
    if dtype.hasobject:
        msg = f"{name} holds pickled objects, which are not read: they could run any code"
        raise ValueError(msg)
    if any(isinstance(extent, bool) or extent < 0 for extent in shape):
        msg = f"{name} has the shape {shape}: each extent must be an integer, 0 or more"
        raise ValueError(msg)
    count = math.prod(shape)
    # Empty strings take no bytes in the file, but some in memory.
    if count * max(dtype.itemsize, 1) > max(size, 1):
        msg = f"{name} has the shape {shape} of {dtype}, but only {size} bytes follow"
        raise ValueError(msg)
    array = np.empty(count, dtype)
    if dtype.itemsize:
        data, filled = array.view(np.uint8), 0
        while filled < len(data):
            step = stream.readinto(data[filled : filled + CHUNK])
            if not step:
                msg = f"{name} ends after {filled} of {len(data)} bytes"
                raise ValueError(msg)
            filled += step
    return array.reshape(shape, order="F" if fortran else "C")


def graph_of(source: Source, parts: Mapping[str, NDArray[Any]], directed: bool | None) -> Graph:
    """Return the graph of the arrays that `parts_of` names; the rows share their memory.

    Raises
    ------
    InputError
        An array is missing or not valid; most messages lack the file's path.
    """
    for name in ("indptr", "indices"):
        if name not in parts:
            listed = ", ".join(sorted(parts)) or "none that a graph has"
            raise source.error(
                None, f"expected the arrays indptr and indices of a graph, found {listed}"
            )
    for name, kinds in _SCALARS.items():
        if name in parts and (parts[name].ndim or parts[name].dtype.kind not in kinds):
            raise source.error(None, f"{name} must be one value, found {parts[name]!r:.60}")
    scalars = {name: parts[name].item() for name in _SCALARS if name in parts}
    if directed is not None and directed != scalars.get("directed", True):
        raise source.error(
            None, f"the file has directed = {scalars.get('directed', True)}: leave directed= out"
        )
    if scalars.get("id_base", 0) not in {0, 1}:
        raise source.error(None, f"id_base must be 0 or 1, found {scalars['id_base']}")
    scalars.update({name: parts[name] for name in ("labels", "coordinates") if name in parts})
    crs = scalars.pop("shape_crs", None)
    scalars["shapes"] = _shapes(source, parts, crs)
    scalars["given"], scalars["turns"] = columns_of(source, parts), turns_of(source, parts)
    rows = kept_rows(parts["indptr"], parts["indices"], parts.get("weights"), copied=False)
    return Graph(*rows, **scalars)


def _shapes(source: Source, parts: Mapping[str, NDArray[Any]], crs: str | None) -> Shapes | None:
    given = [name for name in ("shape_indptr", "shape_points") if name in parts]
    if len(given) == 1:
        raise source.error(
            None, f"the arrays shape_indptr and shape_points belong together, found only {given[0]}"
        )
    if not given:
        return None
    if not np.isfinite(parts["shape_points"]).all():
        raise source.error(None, "shape_points must be finite numbers")
    return Shapes(parts["shape_indptr"], parts["shape_points"], crs)


def _of_scipy(source: Source, parts: dict[str, NDArray[Any]], name: str) -> Graph:
    form = parts["format"].item()
    form = form.decode("ascii", "replace") if isinstance(form, bytes) else form
    needed = {"csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "coo": ("row", "col")}
    if form not in needed:
        raise source.error(
            None, f"the matrix is in SciPy's format {form!r}: save it as csr, csc or coo"
        )
    missing = [part for part in (*needed[form], "data", "shape") if part not in parts]
    if missing:
        raise source.error(None, f"a {form} matrix needs the array {missing[0]}, which is missing")
    shape = tuple(parts["shape"].tolist()) if parts["shape"].ndim == 1 else ()
    if len(shape) != 2 or shape[0] != shape[1]:
        raise source.error(None, f"the matrix has shape {shape}: a graph's is square")
    if form == "coo":
        return Graph.from_edges(
            parts["row"], parts["col"], parts["data"], n=int(shape[0]), name=name
        )
    rows = kept_rows(parts["indptr"], parts["indices"], parts["data"], copied=False)
    graph = Graph(*rows, name=name)
    if graph.n != shape[0]:
        raise source.error(None, f"the shape has n = {shape[0]}, but indptr has n = {graph.n}")
    return graph if form == "csr" else graph.reversed()
