"""Checks of the arguments of NetworkX's functions; unsupported ones are left to NetworkX."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath.base.errors import LeftToNetworkXError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from warpath.nx.graph import Converted, Weighted

_EXACT = 2**53  # floats hold all integers up to this one
_LARGEST = 2**63 - 1


def require(G: Converted, name: Any, message: str, *ends: Any) -> None:
    """Raise NodeNotFound unless the graph has the node; the message is formatted with all nodes.

    Raises
    ------
    LeftToNetworkXError
        If the node is not hashable: NetworkX's functions raise different errors then.
    """
    if name not in G:
        require_hashable(name)
        raise nx.NodeNotFound(message.format(name, *ends))


def require_hashable(name: Any) -> None:
    """Raise LeftToNetworkXError if an object is not hashable, so that it cannot be a node."""
    try:
        hash(name)
    except TypeError as error:
        msg = f"{name!r} is not hashable, so it cannot be a node."
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
    """Return the nodes of an argument that is a node, several nodes, or None for all.

    Of several nodes, those that the graph lacks are skipped.

    Raises
    ------
    NetworkXError
        If the argument is none of these.
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
    names = []
    for name in nodes:
        if name in G:
            names.append(name)
        else:
            require_hashable(name)
    return names


def limit_of(cutoff: Any, weighted: Weighted) -> float | None:
    """Return a cutoff of weighted distances; None for no limit.

    Raises
    ------
    LeftToNetworkXError
        If Python may compare a distance with the cutoff differently from the core.
    """
    number = number_of(cutoff)
    if number is None or number == math.inf or is_nan(number):  # d > nan is always False
        return None
    if weighted.rows.dist_dtype.kind == "i":
        # The largest integer means unreachable: a search with that distance must raise an error.
        return None if number >= _LARGEST else max(-1, number)
    if isinstance(number, int) and abs(number) > _EXACT:
        msg = f"cutoff = {cutoff!r} may not be a float, but the distances of this graph are floats."
        raise LeftToNetworkXError(msg)
    return number


def levels_of(cutoff: Any) -> int | None:
    """Return a cutoff in numbers of edges, rounded up, as NetworkX completes a level."""
    number = number_of(cutoff)
    if number is None or number == math.inf:
        return None
    if is_nan(number):
        return 0
    return -1 if number < 0 else min(math.ceil(number), _LARGEST)


def is_nan(number: Any) -> bool:
    """Return whether a number is nan; integers too large for a float are not."""
    return isinstance(number, float) and math.isnan(number)


def lazily(make: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Return the iterator of a function, and delay its errors until the iterator is read.

    NetworkX's generator functions raise errors then. LeftToNetworkXError is raised at once, as
    NetworkX's dispatcher does not see later errors.
    """
    try:
        return make()
    except LeftToNetworkXError:
        raise
    except Exception as error:  # noqa: BLE001 - raised when the first item is read
        return _raising(error)


def _raising(error: Exception) -> Iterator[Any]:
    yield from ()
    raise error


def number_of(cutoff: Any) -> float | None:
    """Return a cutoff as a Python number.

    NumPy scalars are compared in their type. The result is the same as with Python's numbers only
    if the type is float64 or the value is exact.
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
        "backend='networkx' takes any object that compares with them."
    )
    raise LeftToNetworkXError(msg)


def _require_rereadable(nodes: Any) -> None:
    if iter(nodes) is nodes:
        msg = "an iterator of nodes can be read only once, but NetworkX may have to read it again."
        raise LeftToNetworkXError(msg)
