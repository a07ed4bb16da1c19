"""The kinds of objects that `Graph.of` accepts, each with its converter."""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
from collections.abc import Iterator, Mapping, ValuesView
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import GraphError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.graph.graph import Graph


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
    Adapter(lambda data: isinstance(data, Mapping), "warpath.io.mappings:from_mapping"),
    Adapter(
        lambda data: isinstance(data, Iterator | AbstractSet | ValuesView),
        "warpath.io.arrays:from_iterable",
    ),
    Adapter(lambda data: hasattr(data, "__arrow_c_stream__"), "warpath.io.dataframes:from_table"),
    Adapter(lambda data: hasattr(data, "__dlpack__"), "warpath.io.dense:from_matrix"),
)


def made_by_adapter(data: Any, options: dict[str, Any]) -> Graph:
    """Return the graph that the first adapter for an object makes of it.

    Raises
    ------
    GraphError
        If no adapter accepts the object.
    InputError
        If the converter has no option of that name.
    """
    for source in ADAPTERS:
        if source.accepts(data):
            module, _, name = source.converter.partition(":")
            converter = getattr(importlib.import_module(module), name)
            checked_options(converter, options, f"a {type(data).__qualname__}")
            converted: Graph = converter(data, **options)
            return converted
    msg = (
        f"a {type(data).__module__}.{type(data).__qualname__} is not a supported graph: "
        "use (src, dst, weights) arrays or tensors, edges in a list or a dictionary, a sparse or "
        "square matrix, a graph of NetworkX, igraph, rustworkx, graph-tool or PyTorch Geometric, "
        "a pandas, polars, cuDF or Arrow table, or a path."
    )
    raise GraphError(msg)


def checked_options(converter: Callable[..., Any], options: dict[str, Any], what: str) -> None:
    """Raise InputError for an option that a converter does not have.

    Parameters
    ----------
    converter : a function whose ``**attributes`` or ``**more`` are those of `Graph`. A function
        with other keywords, as ``**options`` of a file format, checks them itself.
    what : what is converted, for the message.
    """
    if not options:
        return
    parameters = inspect.signature(converter).parameters.values()
    known = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY]
    rest = next((each.name for each in parameters if each.kind is each.VAR_KEYWORD), None)
    if rest in {"attributes", "more"}:
        from warpath.graph.graph import Graph

        for maker in (Graph.from_edges, Graph):
            own = inspect.signature(maker).parameters.values()
            names = [each.name for each in own if each.kind is each.KEYWORD_ONLY]
            known += [name for name in names if name not in known]
    elif rest is not None:
        return
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, known, n=1)
        hint = "directed=False" if unknown == "undirected" else f"{near[0]}=" if near else ""
        ask = f"; did you mean {hint}?" if hint else "."
        msg = f"{what} has no option {unknown!r}: it takes {', '.join(known) or 'none'}{ask}"
        raise InputError(msg)
