"""The arguments of NetworkX's functions, checked as NetworkX does or handed back to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath.base.errors import LeftToNetworkXError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from warpath.nx.graph import Converted, Weighted

_EXACT = 2**53  # all integers up to it are floats
_LARGEST = 2**63 - 1


def require(G: Converted, name: Any, message: str, *ends: Any) -> None:
    """Raise NodeNotFound unless the graph has a node, which the message names, and others.

    Raises
    ------
    LeftToNetworkXError
        For what is not hashable: NetworkX's functions do not agree on what they raise.
    """
    if name not in G:
        require_hashable(name)
        raise nx.NodeNotFound(message.format(name, *ends))


def require_hashable(name: Any) -> None:
    """Hand the call back if something cannot be a node, in no graph."""
    try:
        hash(name)
    except TypeError as error:
        msg = f"{name!r} is not hashable, so it is no node."
        raise LeftToNetworkXError(msg) from error


def starts_of(G: Converted, sources: Any) -> list[int]:
    """Return the indices of the sources of a search from several nodes."""
    if not sources:
        msg = "sources must not be empty"
        raise ValueError(msg)
    _require_rereadable(sources)
    for name in sources:
        require(G, name, "Node {} not found in graph")
    return [G.place[name] for name in sources]


def bunch_of(G: Converted, bunch: Any) -> list[Any]:
    """Return the nodes that a node, several or None, which means all, stand for.

    Raises
    ------
    NetworkXError
        If it is neither; of several, those that the graph lacks are passed over.
    """
    if bunch is None:
        return G.names
    if bunch in G:
        return [bunch]
    nodes: Iterable[Any]
    try:
        nodes = iter(bunch)
    except TypeError as error:
        require_hashable(bunch)
        msg = f"Node {bunch} is not in the graph."
        raise nx.NetworkXError(msg) from error
    _require_rereadable(bunch)
    found = []
    for name in nodes:
        if name in G:
            found.append(name)
        else:
            require_hashable(name)
    return found


def limit_of(cutoff: Any, weighted: Weighted) -> float | None:
    """Return a cutoff of weighted distances; None for no limit.

    Raises
    ------
    LeftToNetworkXError
        Where Python compares a distance with it otherwise than the core would.
    """
    number = _number(cutoff)
    if number is None or number == math.inf or is_nan(number):  # no distance is above nan
        return None
    if weighted.rows.dist_dtype.kind == "i":
        # The largest integer stands for no path: a search that comes to it must say so.
        return None if number >= _LARGEST else max(-1, number)
    if isinstance(number, int) and abs(number) > _EXACT:
        msg = f"cutoff = {cutoff!r} may lie between two floats, and distances are floats here."
        raise LeftToNetworkXError(msg)
    return number


def levels_of(cutoff: Any) -> int | None:
    """Return a cutoff of distances in edges: NetworkX goes on to the first level beyond it."""
    number = _number(cutoff)
    if number is None or number == math.inf:
        return None
    if is_nan(number):
        return 0
    return -1 if number < 0 else min(math.ceil(number), _LARGEST)


def is_nan(number: Any) -> bool:
    """Return whether a number is nan; integers beyond all floats are not."""
    return isinstance(number, float) and math.isnan(number)


def lazily(make: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Return the iterator that a function makes, whose errors are raised when it is read.

    NetworkX's generator functions raise them then. What is handed back must be so at once: its
    dispatcher does not see what is raised later.
    """
    try:
        return make()
    except LeftToNetworkXError:
        raise
    except Exception as error:  # noqa: BLE001 - raised when the first item is asked of it
        return _raising(error)


def _raising(error: Exception) -> Iterator[Any]:
    yield from ()
    raise error


def _number(cutoff: Any) -> float | None:
    """Return a cutoff as one of Python's numbers.

    A scalar of NumPy is compared in its own type: only where this is float64 or exact is the
    outcome that of Python's numbers.
    """
    if type(cutoff) is bool:
        return int(cutoff)
    if cutoff is None or type(cutoff) in (int, float):
        number: float | None = cutoff
        return number
    if isinstance(cutoff, np.float64 | np.integer):
        number = cutoff.item()
        if not abs(number) > _EXACT or math.isinf(number):
            return number
    msg = (
        f"cutoff = {cutoff!r}: warpath compares distances with Python's integers and floats; "
        "backend='networkx' takes whatever compares with them."
    )
    raise LeftToNetworkXError(msg)


def _require_rereadable(nodes: Any) -> None:
    if iter(nodes) is nodes:
        msg = "an iterator of nodes can be read once, and NetworkX may have to read it after us."
        raise LeftToNetworkXError(msg)
