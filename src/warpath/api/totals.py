"""What the distances from each source add up to, without a table of them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.api.folded import as_ends, folded_table, needs_links
from warpath.api.prepared import decided
from warpath.api.run import run_totals
from warpath.api.table import TableRequest, solved_table
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError, InputError
from warpath.base.progress import watch
from warpath.engines.base import Problem
from warpath.engines.shared_rows import SharedRows
from warpath.graph.arguments import as_indices
from warpath.graph.checks import shown
from warpath.graph.places import noted, snapped_together
from warpath.graph.turns import refuse_turns
from warpath.planner.cpu_model import Destination, Size
from warpath.planner.kinds import kind_of
from warpath.recipes import Task
from warpath.results.totals import NAMES, Totals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.api.options import Options
    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.graph import Graph

    #: (sources, distances) -> an array with an entry or a row for each source of the block.
    Reduction = Callable[[Array, Array], Any]
    from warpath.planner.plan import Plan


def checked_names(reduce: str | Sequence[str] | Reduction) -> tuple[str, ...]:
    """Return the names of totals, none for a function; raise InputError for what is neither."""
    if callable(reduce):
        return ()
    try:
        requested: tuple[Any, ...] = (reduce,) if isinstance(reduce, str) else tuple(reduce)
    except TypeError:
        requested = (reduce,)
    for name in requested:
        if not isinstance(name, str) or name not in NAMES:
            known = ", ".join(map(repr, NAMES))
            msg = (
                f"reduce = {shown(name)} is not a total; use {known}, several of them, or a "
                "function of (sources, distances)."
            )
            raise InputError(msg)
    if not requested:
        msg = "reduce names no total; use 'sum', for example."
        raise InputError(msg)
    return requested


def totalled(
    graph: Graph,
    options: Options,
    reduce: str | Sequence[str] | Reduction,
    sources: Any,
    targets: Any,
    cutoff: float | None,
    progress: Progress,
    missing: str = "raise",
) -> Totals:
    """Return the totals of the distances from each source; see `warpath.totals`."""
    refuse_turns(graph, "totals")
    names = checked_names(reduce)
    sources, targets = snapped_together(graph, missing=missing, sources=sources, targets=targets)
    chosen_columns = None if targets is None else as_indices(graph, targets, "targets")
    chosen_rows = np.arange(graph.n) if sources is None else as_indices(graph, sources, "sources")
    problem = Problem(Task.MANY, chosen_rows, chosen_columns, cutoff)
    start = time.perf_counter()
    columns = graph.n if problem.targets is None else len(problem.targets)
    if "sum" in names:
        _refuse_overflow(graph, columns)
    entry = graph.dist_dtype.itemsize
    size = Size(problem.task, len(problem.sources), columns, entry, Destination.TOTALS)
    options = decided(graph, options, size)
    chosen = options.plan(size, graph)
    found = None
    linked = needs_links(sources, targets)
    if names and options.on_cluster() and not linked and len(problem.sources):
        from warpath.api.clustered import clustered_totals

        found, chosen = clustered_totals(graph, options, problem, names, chosen, progress)
    elif names and graph.first_through == 0 and not linked:
        # A closed vertex has its distance to itself changed in rows.
        shares = alike(chosen, problem, names)
        if len(shares) > 1:
            found = shared_totals(graph, shares, problem, names, progress)
        else:
            found = run_totals(graph, shares[0], problem, names, progress)
    if found is None:
        rows = (
            _Reduced(graph, problem.sources, reduce)
            if callable(reduce)
            else _RowTotals(len(problem.sources), graph.dist_dtype, names)
        )
        request = TableRequest(graph.dist_dtype, rows.add)
        if linked:
            ends = as_ends(graph, sources, "sources"), as_ends(graph, targets, "targets")
            table = folded_table(graph, options, ends, cutoff, request, progress)
        else:
            table = solved_table(graph, problem, size, options, request, progress)
        chosen = table.plan
        found = rows.values
    stats = {"seconds": time.perf_counter() - start}
    return noted(Totals(graph, problem.sources, found, plan=chosen, stats=stats), sources, targets)


def _refuse_overflow(graph: Graph, columns: int) -> None:
    """Raise DistanceOverflowError where a sum of so many distances may not fit 64 bits."""
    longest = graph.facts(symmetry=False).longest
    if longest * columns >= 2**63:
        msg = (
            f"a sum of {columns:,} distances of up to {longest:,} may not fit 64 bits: use float64 "
            "weights (graph.astype('float64')), or fewer targets."
        )
        raise DistanceOverflowError(msg)


class _Reduced:
    """What a function returns for the rows of a table, which come block by block."""

    def __init__(self, graph: Graph, sources: Array, function: Reduction) -> None:
        self._graph, self._sources, self._function = graph, sources, function
        self._parts: list[Array] = []

    def add(self, rows: slice, block: Array) -> None:
        """Call the function with a block of rows: (r, t)."""
        given = self._function(self._graph.label_of(self._sources[rows]), block)
        found = np.array(given)  # a copy: the next block overwrites this one
        if found.dtype == object or found.ndim == 0 or len(found) != len(block):
            what = "an object" if found.dtype == object else f"shape {found.shape}"
            msg = (
                f"reduce returned {what} for a block of {len(block):,} sources: an array with an "
                f"entry or a row for each is needed, such as distances.max(axis=1)."
            )
            raise InputError(msg)
        if self._parts and found.shape[1:] != self._parts[0].shape[1:]:
            msg = (
                f"reduce returned entries of shape {found.shape[1:]} after those of "
                f"{self._parts[0].shape[1:]}: they must be alike for all blocks."
            )
            raise InputError(msg)
        self._parts.append(found)

    @property
    def values(self) -> dict[str, Array]:
        """The entries of all blocks, by the function's name."""
        found = np.concatenate(self._parts) if self._parts else np.empty(0)
        return {getattr(self._function, "__name__", "reduce"): found}


class _RowTotals:
    """Totals of the rows of a table, which come block by block and are not kept."""

    def __init__(self, count: int, dtype: np.dtype[Any], names: tuple[str, ...]) -> None:
        self._unreachable = unreachable(dtype)
        summed = np.int64 if dtype.kind == "i" else np.float64
        types = {"sum": summed, "max": dtype, "count": np.int64, "harmonic": np.float64}
        self.values = {name: np.zeros(count, types[name]) for name in names}

    def add(self, rows: slice, block: Array) -> None:
        """Add up a block of rows: (r, t)."""
        reached = block != self._unreachable
        known = np.where(reached, block, 0)
        with np.errstate(over="ignore"):  # of floats, whose sum is then infinite
            for name, values in self.values.items():
                values[rows] = _OF_ROWS[name](known, reached)


def _harmonic(known: Array, _reached: Array) -> Array:
    wide, inverse = known.astype(np.float64), np.zeros(known.shape)
    np.divide(1.0, wide, out=inverse, where=wide != 0)
    found: Array = inverse.sum(axis=1)
    return found


#: The totals of rows of distances, 0 where a target is not reached, and a mask of those that are.
_OF_ROWS: dict[str, Callable[[Array, Array], Array]] = {
    "sum": lambda known, _: known.sum(axis=1, dtype=None if known.dtype.kind == "i" else float),
    "max": lambda known, _: known.max(axis=1, initial=0),
    "count": lambda _, reached: reached.sum(axis=1),
    "harmonic": _harmonic,
}


class _NoTotals(Exception):  # noqa: N818 - an answer, which ends all devices as an error does
    """A device has no totals of this algorithm."""


def alike(chosen: Plan, problem: Problem, names: Sequence[str]) -> tuple[Plan, ...]:
    """Return the plans of devices that may share the sources of totals.

    The order in which sums of inverses are formed depends on the kind of device and, with targets,
    on the number of sources that it takes. So only devices of the fastest one's kind share them, or
    with targets none: otherwise their last bits would depend on who was free.
    """
    shares = chosen.shares or (chosen,)
    if "harmonic" not in names:
        return shares
    if problem.targets is not None:
        return shares[:1]
    return tuple(plan for plan in shares if kind_of(plan.device) is kind_of(shares[0].device))


def shared_totals(
    graph: Graph,
    shares: Sequence[Plan],
    problem: Problem,
    names: tuple[str, ...],
    progress: Progress,
) -> dict[str, Array] | None:
    """Return totals of the rows of a table by several devices, each from some of the sources.

    None where a device has none for its algorithm.

    Parameters
    ----------
    shares : a plan for each device.
    """
    parts: list[tuple[slice, dict[str, Array]]] = []

    def filling(plan: Plan) -> Callable[[slice, Any], dict[str, Any]]:
        def fill(rows: slice, _: Any) -> dict[str, Any]:
            some = replace(problem, sources=problem.sources[rows])
            found = run_totals(graph, plan, some, names, None)
            if found is None:
                raise _NoTotals
            parts.append((rows, found))
            return {}

        return fill

    count = len(problem.sources)
    if count == 0:
        return None
    rows = SharedRows(shares, [filling(plan) for plan in shares], count)
    try:
        with watch(progress, shares[0].recipe.name, "sources") as report:
            rows.fill(slice(0, count), problem.sources, report)
    except _NoTotals:
        return None
    totals = {name: np.empty(count, values.dtype) for name, values in parts[0][1].items()}
    for block, found in parts:
        for name, values in found.items():
            totals[name][block] = values
    return totals
