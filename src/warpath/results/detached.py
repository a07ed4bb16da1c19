"""Results without their graph: small enough to be pickled, sent to another process, and kept."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self

from warpath.base.errors import GraphError
from warpath.graph.detached import DetachedGraph, needs_graph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from warpath.graph import Graph


class Detachable:
    """The part of results that leaves out the graph when they are pickled.

    A graph with its prepared hierarchy is often a thousand times larger than a route. What a
    result computes from the graph is computed before the graph is left out.
    """

    graph: Graph

    #: Attributes that are computed before the graph is left out.
    _COMPUTED: ClassVar[tuple[str, ...]] = ()
    #: Attributes that hold the graph, or search it, and are left out with it.
    _LEFT_OUT: ClassVar[frozenset[str]] = frozenset()

    def detach(self) -> Self:
        """Return a copy of the result without the graph, as a pickle has it.

        Names, distances, plans and coordinates remain. Methods that need the graph, such as those
        that search or draw the network, raise NotSupportedError.
        """
        bare = object.__new__(type(self))
        vars(bare).update(self.__getstate__())
        return bare

    def _vertices(self) -> NDArray[np.int64] | None:
        """Return the indices of the vertices that the result names; None for all of the graph."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        if isinstance(self.graph, DetachedGraph):
            return dict(vars(self))
        for name in self._COMPUTED:
            try:
                getattr(self, name)
            except GraphError:  # the graph has no such column, or no coordinates
                continue
        state = {name: part for name, part in vars(self).items() if name not in self._LEFT_OUT}
        state["graph"] = bare = DetachedGraph.of(self.graph, self._vertices())
        if state.get("point_sources") is not None:
            state["point_sources"] = state["point_sources"]._replace(graph=bare, searched=bare)
        return state

    def __getattr__(self, name: str) -> Any:
        if name in self._LEFT_OUT and isinstance(vars(self).get("graph"), DetachedGraph):
            raise needs_graph("this call" if name.startswith("_") else name)
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)

    def __copy__(self) -> Self:
        same = object.__new__(type(self))
        vars(same).update(vars(self))
        return same

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self.graph)] = self.graph  # immutable
        same = object.__new__(type(self))
        memo[id(self)] = same
        vars(same).update(copy.deepcopy(vars(self), memo))
        return same
