"""The kinds of objects that `Graph.of` accepts, each with its converter."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


class Adapter(NamedTuple):
    """A kind of object that `Graph.of` accepts: a test for it, and its converter."""

    accepts: Callable[[Any], bool]
    converter: str  # "module:function", imported when first needed


def _comes_from(*packages: str) -> Callable[[Any], bool]:
    def accepts(data: Any) -> bool:
        return any(kind.__module__.partition(".")[0] in packages for kind in type(data).__mro__)

    return accepts


#: The first adapter that accepts an object converts it. The tests import no optional package.
ADAPTERS: tuple[Adapter, ...] = (
    Adapter(lambda data: isinstance(data, str | os.PathLike), "warpath.io.formats:read"),
    Adapter(_comes_from("scipy"), "warpath.io.scipy_sparse:from_scipy"),
    Adapter(_comes_from("networkx"), "warpath.io.networkx:from_networkx"),
    Adapter(_comes_from("igraph"), "warpath.io.igraph:from_igraph"),
    Adapter(_comes_from("rustworkx"), "warpath.io.rustworkx:from_rustworkx"),
    Adapter(_comes_from("graph_tool"), "warpath.io.graph_tool:from_graph_tool"),
    Adapter(
        _comes_from("torch", "torch_geometric", "jax", "jaxlib"), "warpath.io.tensors:from_tensor"
    ),
    Adapter(_comes_from("geopandas"), "warpath.io.geopandas:from_geodataframe"),
    Adapter(_comes_from("pandas", "polars", "pyarrow", "cudf"), "warpath.io.dataframes:from_table"),
    Adapter(lambda data: isinstance(data, np.ndarray), "warpath.io.dense:from_matrix"),
    Adapter(lambda data: isinstance(data, tuple | list), "warpath.io.arrays:from_edges"),
    Adapter(lambda data: hasattr(data, "__arrow_c_stream__"), "warpath.io.dataframes:from_table"),
    Adapter(lambda data: hasattr(data, "__dlpack__"), "warpath.io.dense:from_matrix"),
)
