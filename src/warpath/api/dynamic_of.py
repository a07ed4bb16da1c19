"""`Solver.dynamic`: shortest paths of a solver's graph that stay right while its edges change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warpath.api.dynamic import DynamicPaths
    from warpath.api.solver import Solver


def dynamic(
    self: Solver, source: Any = None, *, sources: Any = None, algorithm: str = "auto"
) -> DynamicPaths:
    """Return shortest paths that stay right while edges change.

    The graph of the solver stays as it is. The options of the solver, without a preparation, are
    used where the paths are solved anew.

    Parameters
    ----------
    source, sources, algorithm : as in `warpath.DynamicPaths`.

    Examples
    --------
    >>> import warpath as wp
    >>> live = wp.Solver([(0, 1, 2), (1, 2, 5)]).dynamic(0)
    >>> live.insert([(0, 2)], [4]).new
    array([4])
    """
    from warpath.api.dynamic import DynamicPaths

    return DynamicPaths._of(self, source, sources, algorithm)  # noqa: SLF001
