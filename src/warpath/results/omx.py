"""Tables of distances as OMX, the format of transport models: matrices in an HDF5 file."""

from __future__ import annotations

import errno
import math
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.base.errors import InputError, OutputError, require
from warpath.base.escaping import utf8
from warpath.io.save import atomic
from warpath.io.temporary import real_path
from warpath.results.reached import filled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warpath.base.dtypes import Array
    from warpath.results.distance_table import DistanceTable

#: Numbers of a chunk of a file, which is compressed as one.
_CHUNK = 1 << 17


def save_omx(table: DistanceTable, path: Path) -> None:
    """Write the distances and the sums of `also`, a matrix each, with NaN where there is no path.

    The ids of the graph's file are the mapping ``zone``, or ``source`` and ``target`` if rows and
    columns differ.

    Raises
    ------
    InputError
        If the table has no pairs, or a name cannot be that of a matrix.
    DistanceOverflowError
        If a distance is an integer above 2**53, which float64 would round.
    OutputError
        If the file cannot be written.
    """
    h5py = require("h5py", extra="omx", what="Writing .omx")
    if not all(table.shape):
        msg = f"{path}: a table without pairs cannot be a matrix of OMX: save it as .npz."
        raise InputError(msg)
    matrices = {"distance": table.on_host("save")} | dict(table.also)
    for name in matrices:
        if "/" in name or name in {"", "."} or "\0" in name:
            msg = f"{path}: {name!r} cannot be the name of a matrix in HDF5: rename the column."
            raise InputError(msg)
    # HDF5 seeks, so that the file is written before it is copied to its place.
    with (
        atomic(path) as file,
        tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=real_path(path).parent) as folder,
    ):
        written = Path(folder) / "matrices"
        try:
            # In the main thread, h5py's weak references would swallow a KeyboardInterrupt.
            with h5py.File(written, "w") as omx, ThreadPoolExecutor(1) as writer:
                _fill(omx, table, matrices, writer)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OutputError(error.errno or errno.EIO, reason, str(path)) from error
        with written.open("rb") as matrices_of_file:
            shutil.copyfileobj(matrices_of_file, file)


def _fill(
    omx: Any, table: DistanceTable, matrices: Mapping[str, Array], writer: ThreadPoolExecutor
) -> None:
    omx.attrs["OMX_VERSION"] = np.bytes_("0.2")
    omx.attrs["SHAPE"] = np.array(table.shape, np.int32)
    graph = table.graph
    units = {"distance": graph.unit} if graph.unit else {}
    units |= {} if graph.given is None else dict(graph.given.units)
    step = min(max(1, _CHUNK // table.shape[1]), table.shape[0])
    data = omx.create_group("data")
    for name, values in matrices.items():
        matrix = data.create_dataset(
            utf8(name),
            table.shape,
            np.float32 if values.dtype == np.float32 else np.float64,
            chunks=(step, table.shape[1]),
            compression="gzip",
            compression_opts=1,  # as openmatrix does
            shuffle=True,
        )
        matrix.attrs["NA"] = math.nan
        if name in units:
            matrix.attrs["unit"] = np.bytes_(units[name].encode())
        for low in range(0, table.shape[0], step):
            rows = slice(low, low + step)
            reached = values[rows] != unreachable(values.dtype)
            block = filled(values[rows], reached, math.nan)
            writer.submit(matrix.__setitem__, rows, block).result()
    lookup = omx.create_group("lookup")
    source, target = _entries(table.row_ids), _entries(table.column_ids)
    if np.array_equal(source, target):
        lookup["zone"] = source
        return
    for axis, (name, ids) in enumerate((("source", source), ("target", target))):
        lookup[name] = ids
        lookup[name].attrs["dim"] = axis


def _entries(ids: Array) -> Array:
    """Return ids as HDF5 holds them: integers, or texts in UTF-8; empty ones for missing ids."""
    if ids.dtype.kind in "iu":
        small = ids.max() < 2**31 and ids.min() >= -(2**31)
        return ids.astype(np.int32) if small else ids
    return np.array([b"" if name is None else utf8(name).encode() for name in ids.tolist()])
