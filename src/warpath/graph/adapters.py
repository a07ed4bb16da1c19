"""The kinds of objects that `Graph.of` accepts, each with its converter."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base.errors import GraphError, InputError
from warpath.base.upward import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Maker = Callable[..., Any]


class Adapter(NamedTuple):
    """A kind of object that `Graph.of` accepts: a test for it, and its converter."""

    accepts: Callable[[Any], bool]
    converter: str  # "module:function", imported when first needed


#: The first adapter that accepts an object converts it. `warpath` fills the list.
ADAPTERS: list[Adapter] = []


def made_by_adapter(data: Any, options: dict[str, Any], makers: Sequence[Maker]) -> Any:
    """Return the graph that the first adapter for an object makes of it.

    Parameters
    ----------
    makers : as in `checked_options`.

    Raises
    ------
    GraphError
        If no adapter accepts the object.
    InputError
        If the converter has no option of that name.
    """
    for source in ADAPTERS:
        if source.accepts(data):
            converter = imported(source.converter)
            checked_options(converter, options, f"a {type(data).__qualname__}", makers)
            return converter(data, **options)
    msg = (
        f"a {type(data).__module__}.{type(data).__qualname__} is not a supported graph: "
        "use (src, dst, weights) arrays or tensors, edges in a list or a dictionary, a sparse or "
        "square matrix, a graph of NetworkX, igraph, rustworkx, graph-tool or PyTorch Geometric, "
        "a pandas, polars, cuDF or Arrow table, or a path."
    )
    raise GraphError(msg)


def checked_options(
    converter: Maker, options: dict[str, Any], what: str, makers: Sequence[Maker]
) -> None:
    """Raise InputError for an option that a converter does not have.

    Parameters
    ----------
    converter : a function whose ``**attributes`` or ``**more`` are those of `Graph`. A function
        with other keywords, as ``**options`` of a file format, checks them itself.
    what : what is converted, for the message.
    makers : what makes a `Graph`; their keywords are its attributes.
    """
    if not options:
        return
    parameters = inspect.signature(converter).parameters.values()
    allowed = [option.name for option in parameters if option.kind is option.KEYWORD_ONLY]
    rest = next((option.name for option in parameters if option.kind is option.VAR_KEYWORD), None)
    if rest in {"attributes", "more"}:
        for maker in makers:
            own = inspect.signature(maker).parameters.values()
            names = [option.name for option in own if option.kind is option.KEYWORD_ONLY]
            allowed += [name for name in names if name not in allowed]
    elif rest is not None:
        return
    unknown = next((name for name in options if name not in allowed), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, allowed, n=1)
        hint = "directed=False" if unknown == "undirected" else f"{near[0]}=" if near else ""
        ask = f"; did you mean {hint}?" if hint else "."
        msg = f"{what} has no option {unknown!r}: it takes {', '.join(allowed) or 'none'}{ask}"
        raise InputError(msg)
