"""Reading and writing graphs: one module per format, chosen by `warpath.io.formats`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, ValuesView
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.graph.adapters import Adapter

if TYPE_CHECKING:
    from collections.abc import Callable


def _comes_from(*packages: str) -> Callable[[Any], bool]:
    def accepts(data: Any) -> bool:
        return any(kind.__module__.partition(".")[0] in packages for kind in type(data).__mro__)

    return accepts


def _is_table(data: Any) -> bool:
    """Return whether an object is a table of another library, not a result of our own."""
    return hasattr(data, "__arrow_c_stream__") and not _comes_from("warpath")(data)


#: The adapters of `Graph.of`. Their tests import no optional package.
ADAPTERS = (
    Adapter(lambda data: isinstance(data, str | os.PathLike), "warpath.io.formats:read"),
    Adapter(_comes_from("scipy"), "warpath.io.scipy_sparse:from_scipy"),
    Adapter(_comes_from("networkx"), "warpath.io.networkx:from_networkx"),
    Adapter(_comes_from("igraph"), "warpath.io.graph_libraries:from_igraph"),
    Adapter(_comes_from("rustworkx"), "warpath.io.graph_libraries:from_rustworkx"),
    Adapter(_comes_from("graph_tool"), "warpath.io.graph_libraries:from_graph_tool"),
    Adapter(
        _comes_from("torch", "torch_geometric", "jax", "jaxlib"), "warpath.io.tensors:from_tensor"
    ),
    Adapter(_comes_from("geopandas"), "warpath.io.geopandas:from_geodataframe"),
    Adapter(_comes_from("pandas", "polars", "pyarrow", "cudf"), "warpath.io.dataframes:from_table"),
    Adapter(lambda data: isinstance(data, np.ndarray), "warpath.io.dense:from_matrix"),
    Adapter(lambda data: isinstance(data, tuple | list), "warpath.io.arrays:from_edges"),
    Adapter(lambda data: isinstance(data, Mapping), "warpath.io.mappings:from_mapping"),
    Adapter(
        lambda data: isinstance(data, Iterator | AbstractSet | ValuesView),
        "warpath.io.arrays:from_iterable",
    ),
    Adapter(_is_table, "warpath.io.dataframes:from_table"),
    Adapter(lambda data: hasattr(data, "__dlpack__"), "warpath.io.dense:from_matrix"),
)
