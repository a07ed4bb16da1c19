"""Shortest paths that are repaired after edges have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath import _core
from warpath.base.errors import InputError, NotSupportedError
from warpath.engines.base import Raw
from warpath.graph.checks import refuse_wide
from warpath.graph.edge_edits import no_edge
from warpath.graph.labels import one_label
from warpath.planner.kinds import kind_of
from warpath.recipes import CATALOGUE, Loop

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Order
    from warpath.graph import Graph
    from warpath.graph.edge_changes import Batch

#: A repair ends and the source is solved anew if more than this part of the vertices is affected;
#: or if vertices that came nearer have more than this part of the edges. Measured on New York.
_MOST_AFFECTED = 1 / 24
_MOST_RELAXED = 1 / 48

#: Below these numbers a new solve's call takes longer than the repair.
_FEW = 2_000

#: The repair of batches on a GPU.
_ON_DEVICE = "khanda2022.batch"

#: The repairs on the CPU, by recipe: whether the affected region is exact, that is, without
#: vertices that have another tight edge.
_EXACT = {"ramalingam1996.dynamic": True, "chan2009.dyndij": False}

#: Changes up to which the exact region is taken unless a recipe was named.
_SINGLE = 1


def names() -> list[str]:
    """Return the names of the algorithms that repair."""
    return [recipe.name for recipe in CATALOGUE if recipe.loop is Loop.DYNAMIC]


def paths_of(graph: Graph, sources: Array, device: str = "cpu") -> Any:
    """Return an object of the core that keeps the graph and, so far unset, labels of the sources.

    It copies the rows: O(n + m).
    """
    del device
    refuse_wide(graph.n, "DynamicPaths")
    make: Any = _core.dynamic_paths
    return make(*graph._solver_rows, sources, directed=graph.directed, closed=graph.first_through)


def device_of(graph: Graph, algorithm: str, device: str) -> str:
    """Return the device that repairs: the given one where it can, or the CPU.

    Parameters
    ----------
    algorithm : the name of a recipe, or "auto".
    device : the name of one device, or "auto".

    Raises
    ------
    InputError
        If the algorithm needs another device.
    NotSupportedError
        If the graph is too large for the algorithm.
    """
    recipe = CATALOGUE[_ON_DEVICE if algorithm == "auto" else algorithm]
    if device == "auto" or kind_of(device).runs not in recipe.devices:
        if algorithm == _ON_DEVICE:
            msg = f"{_ON_DEVICE} repairs on a GPU, not on device={device!r}: use device='cuda'."
            raise InputError(msg)
        return "cpu"
    objection = recipe.limits.objection(graph.facts(symmetry=False))
    if objection is None:
        return device
    if algorithm == "auto":
        return "cpu"
    raise NotSupportedError(f"{_ON_DEVICE} cannot repair this graph: {objection}.")


def search(order: Order) -> Raw:
    """Solve from one source by the search of a repair, on labels that are all unset."""
    paths = paths_of(order.graph, order.problem.sources)
    paths.solve(progress=order.progress)
    dist = paths.dist(0)
    if order.problem.cutoff is None:
        _core.refuse_overflow(*order.graph._solver_rows, dist, order.problem.targets)
    return Raw(dist, stats=paths.counters())


def apply(paths: Any, names: Graph, batch: Batch, algorithm: str, threads: int) -> None:
    """Change the graph and repair the labels; `paths.stale` names the rows that were left.

    Parameters
    ----------
    names : a graph with the labels of the vertices, for messages.
    algorithm : the name of a recipe, or "auto".

    Raises
    ------
    InputError
        For an edge that does not exist, is ambiguous or is changed twice; nothing has changed then.
    """
    single = len(batch.sources) <= _SINGLE
    exact = _EXACT.get(algorithm, single)
    n = names.n
    refusal = paths.apply(
        *batch,
        exact=exact,
        most_affected=max(int(n * _MOST_AFFECTED), _FEW),
        most_relaxed=max(int((n + paths.edges) * _MOST_RELAXED), _FEW),
        threads=threads,
    )
    if refusal is not None:
        raise _refused(names, batch, *refusal)


def _refused(names: Graph, batch: Batch, reason: int, at: int, other: int) -> InputError:
    u, v = int(batch.sources[at]), int(batch.targets[at])
    edge = f"{one_label(names, u)!r} -> {one_label(names, v)!r}"
    if reason in (0, 1):
        error = no_edge(names, u, v, batch.position(at), other)
        return InputError(f"change {at} of the batch: {error}")
    if reason == 2:
        msg = (
            f"changes {min(at, other)} and {max(at, other)} of the batch are both about the edge "
            f"{edge}: an edge is changed once in a batch."
        )
        return InputError(msg)
    msg = (
        f"change {at} of the batch: the graph is undirected, but the edge {edge} has no reverse of "
        "the same weight. Make the graph with directed=True."
    )
    return InputError(msg)
