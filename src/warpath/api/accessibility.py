"""What each origin reaches: sums of opportunities within cutoffs, without a table of distances."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from warpath.api import question as asking
from warpath.api.nearest import OF_FEW, few_expected, plan_of_few
from warpath.api.prepared import with_hierarchy_if_faster
from warpath.api.table import table_of
from warpath.base import settings, units
from warpath.base.errors import (
    InputError,
    NegativeWeightError,
    NotEnoughMemoryError,
    NotSupportedError,
)
from warpath.base.progress import watch
from warpath.engines.lengths import refuse_short
from warpath.engines.weighted_sums import Decay, Straightness, WeightedSums, largest
from warpath.graph.arguments import checked_cutoff, in_place_of_weights
from warpath.graph.checks import index_dtype, is_integer, plain_array, refuse_wide, shown
from warpath.graph.export import refuse_closed
from warpath.graph.facts import negative_weights
from warpath.graph.turns import refuse_turns
from warpath.planner.cpu_model import Destination
from warpath.planner.request import DEFAULT
from warpath.results.accessibility import Accessibility
from warpath.results.within import checked_cutoffs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from warpath.api.options import Options
    from warpath.api.question import Question, Runners
    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath.planner.plan import Plan


_COLUMNS = 2  # axes of an array with several columns


@dataclass
class Request:
    """The checked arguments of `warpath.accessibility` besides vertices.

    Attributes
    ----------
    limits : (c,) in the type of the distances.
    cutoffs : as in `Accessibility`.
    weights : (w, opportunities) float64.
    headings : the names of the columns of the result.
    shape : of the result behind its first axis.
    demand : (origins,) float64, how many people compete at each; None for no competition.
    """

    decay: Decay
    limits: Array
    cutoffs: Array | None
    weights: Array
    headings: tuple[str, ...]
    shape: tuple[int, ...]
    nearest: int
    demand: Array | None


def accessibility_of(
    options: Options,
    runners: Runners,
    graph: Graph,
    places: tuple[Any, Any],
    given: dict[str, Any],
    progress: Any,
) -> Accessibility:
    """Return the sums of the opportunities that origins reach; see `warpath.accessibility`.

    Parameters
    ----------
    places : origins and opportunities.
    given : the other arguments by name.
    """
    start = time.perf_counter()
    decay = Decay.checked(given["decay"], given["beta"])
    measured = measured_by(graph, given["by"], given["cutoffs"], "accessibility")
    cutoffs, limits = limits_of(graph, given["cutoffs"], measured)
    whole = measured is not None or limits.max() == largest(graph.dist_dtype)
    limit = None if whole else limits.max().item()
    question = asking.of_opportunities(graph, *places, limit, progress)
    request = _request(question, places, given, decay, cutoffs, limits)
    if measured is not None and request.nearest:
        raise InputError("nearest and by cannot be combined: leave one of them out.")
    sums = DecayedSums(options, runners, question, (decay,), limits, request.nearest, measured)
    weights = request.weights
    count, several = len(limits), len(weights)
    of_limits = np.tile(weights, (count, 1))
    if request.demand is not None:
        demand = sums.to_opportunities(np.tile(request.demand, (count, 1)))[0]
        shares = np.repeat(demand, several, axis=0)
        of_limits = np.divide(of_limits, shares, out=np.zeros_like(of_limits), where=shares > 0)
    sums.limits = np.repeat(limits, several)
    values = sums.to_origins(of_limits)[0].T
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        msg = f"the sum of origin {int(wrong[0])} is not finite: give smaller weights."
        raise InputError(msg)
    return question.with_snap_notes(
        Accessibility(
            graph,
            question.sources,
            np.ascontiguousarray(values.reshape(len(values), *request.shape)),
            request.headings,
            cutoffs,
            plan=cast("Plan", sums.plan),
            stats={"seconds": time.perf_counter() - start},
        )
    )


class DecayedSums:
    """Sums of weights over the origins or the opportunities of a question.

    The rows of distances are those of the side with fewer vertices: from origins, or in the
    reversed graph from opportunities.

    Parameters
    ----------
    measured : as `measured_by` returns it.

    Attributes
    ----------
    limits : (q,) the largest distance of each sum, in the type of the distances, or the largest
        length.
    plan : how the first distances were found; None before.
    """

    def __init__(
        self,
        options: Options,
        runners: Runners,
        question: Question,
        decays: tuple[Decay | Straightness, ...],
        limits: Array,
        nearest: int = 0,
        measured: Graph | None = None,
    ) -> None:
        if measured is not None:
            _refuse_measuring(options, question)
        self._measured = measured
        self._options, self._runners, self._question = options, runners, question
        self._decays, self._nearest = decays, nearest
        self.limits = limits
        self.plan: Plan | None = None
        both = question.sources, question.all_targets
        if question.entries is None:
            different = [np.unique(side, return_inverse=True) for side in both]
        else:  # points along edges are not merged
            different = [(side, np.arange(len(side))) for side in both]
        (self._origins, self._origin_of), (self._opportunities, self._opportunity_of) = different
        self._from_opportunities = (
            question.entries is None
            and not nearest
            and len(self._opportunities) < len(self._origins)
        )

    def to_origins(self, weights: Array) -> Array:
        """Return the sums over the opportunities that each origin reaches: (decays, q, origins).

        Parameters
        ----------
        weights : (q, opportunities); those at one vertex are added up.
        """
        merged = _merged(weights, self._opportunity_of, len(self._opportunities))
        sums = self._sums(merged, of_columns=self._from_opportunities)
        return sums[:, :, self._origin_of]

    def to_opportunities(self, weights: Array) -> Array:
        """Return the sums over the origins that reach each opportunity, as `to_origins`."""
        merged = _merged(weights, self._origin_of, len(self._origins))
        sums = self._sums(merged, of_columns=not self._from_opportunities)
        return sums[:, :, self._opportunity_of]

    def _sums(self, weights: Array, *, of_columns: bool) -> Array:
        question, options, graph = self._question, self._options, self._question.graph
        rows, columns = self._origins, self._opportunities
        if self._from_opportunities:
            rows, columns = columns, rows
            if graph.directed:
                options, graph = options.for_reversed(graph), graph.reversed()
        threads = options.request.threads or settings.threads()
        bytes_ = 8 * (len(self._decays) * len(weights) * (len(rows) + len(columns)) + graph.n)
        if bytes_ > (free := settings.memory()):
            msg = (
                f"the sums would take {units.size(bytes_)}, but {units.size(free)} are free: use "
                "fewer cutoffs, columns of weights or origins at a time."
            )
            raise NotEnoughMemoryError(msg)

        def new() -> WeightedSums:
            return WeightedSums(
                self._decays,
                self.limits,
                weights,
                (len(rows), len(columns)),
                of_columns=of_columns,
                nearest=self._nearest,
                threads=threads,
            )

        every = len(columns) == graph.n and question.entries is None
        near = self._near(options, graph, len(rows))
        if near is not None:
            sums = new()
            some = None if every else columns
            with watch(question.progress, OF_FEW, "sources") as report:
                if sums.add_near(graph, rows, some, threads, report, near[1]):
                    self.plan = self.plan or plan_of_few(options, graph, near[0], bytes_)
                    return sums.sums
        sums = new()
        asked = question.but(
            graph=graph,
            sources=rows,
            targets=None if every else columns,
            out=sums.add,
            given=(),
        )
        if question.entries is None:
            options = with_hierarchy_if_faster(graph, options, asked.size(Destination.BLOCKS))
            if options.request.prepared is True:
                asked.cutoff = None  # a sweep passes all vertices anyway, and rows need not be cut
        table = table_of(options, asked, self._runners.table)
        self.plan = self.plan or cast("Plan", table.plan)
        return sums.sums

    def _near(self, options: Options, graph: Graph, rows: int) -> tuple[float, Array | None] | None:
        """Return the part of the vertices that local searches may meet, and lengths for limits.

        None where a table is faster.
        """
        if self._measured is None:
            few = few_expected(options, self._question, graph)
            able = few is not None and rows > 0 and index_dtype(graph.n) == np.int32
            return (few[1], None) if few is not None and able else None
        measured = self._measured if graph is self._question.graph else self._measured.reversed()
        return 1.0, measured.edges()[2].astype(np.float64)


def measured_by(graph: Graph, by: Any, cutoff: Any, call: str) -> Graph | None:
    """Return the graph whose weights are the lengths that cutoffs limit; None for its own.

    Parameters
    ----------
    by : a kept column, a unit or (m,) numbers, as `Graph.with_weights` takes them; or None.
    """
    if by is None:
        return None
    if cutoff is None:
        raise InputError("by has no effect without cutoffs, which it measures: leave it out.")
    refuse_turns(graph, f"{call} with by=")
    refuse_closed(graph, f"{call} with by=")
    facts = graph.facts(symmetry=False)
    if facts.negative or facts.zero:
        refuse_short(graph, graph.edges()[2], None, "by= measures shortest paths")
    measured = in_place_of_weights(graph, by, "by", "length")
    if measured.facts(symmetry=False).negative:
        raise NegativeWeightError(
            f"by: lengths must be 0 or more, {negative_weights(measured)}: use another column."
        )
    return measured


def _refuse_measuring(options: Options, question: Question) -> None:
    """Raise NotSupportedError where routes cannot be measured in another column."""
    request = options.request
    if (
        request.algorithm != "auto"
        or request.params
        or options.on_cluster
        or request.device not in {"auto", "cpu", DEFAULT}
        or question.entries is not None
    ):
        raise NotSupportedError(
            "by= runs on this machine's CPU by an algorithm of its own, between vertices: use a "
            "graph or a Solver without device=, algorithm= and params=, and places with "
            "Place(lon, lat, snap='vertex')."
        )
    refuse_wide(question.graph.n, "by=")


def _merged(weights: Array, position: NDArray[np.int64], count: int) -> Array:
    """Return the sums of the weights at each position: (q, count)."""
    if len(position) == count and (position == np.arange(count)).all():
        return np.ascontiguousarray(weights, np.float64)
    return np.array([np.bincount(position, row, count) for row in weights]).reshape(-1, count)


def limits_of(
    graph: Graph, cutoffs: Any, measured: Graph | None = None
) -> tuple[Array | None, Array]:
    """Return the distinct cutoffs in ascending order, and as distances of a graph.

    Parameters
    ----------
    measured : as `measured_by` returns it; cutoffs of its lengths are float64, inf for no limit.
    """
    if measured is not None:
        numbers, of_lengths = limits_of(measured, cutoffs)
        whole = of_lengths == largest(of_lengths.dtype)
        return numbers, np.where(whole, np.inf, of_lengths).astype(np.float64)
    most = largest(graph.dist_dtype)
    if cutoffs is None:
        return None, np.array([most], graph.dist_dtype)
    numbers = checked_cutoffs(cutoffs, graph, "None is for no limit")
    limits = [checked_cutoff(cutoff, graph) for cutoff in numbers.tolist()]
    return numbers, np.array(
        [most if limit is None else limit for limit in limits], graph.dist_dtype
    )


def _request(
    question: Question,
    places: tuple[Any, Any],
    given: dict[str, Any],
    decay: Decay,
    cutoffs: Array | None,
    limits: Array,
) -> Request:
    origins, opportunities = places
    nearest = given["nearest"]
    if nearest is not None and not (is_integer(nearest) and nearest >= 1):
        msg = f"nearest = {shown(nearest)} must be a number of opportunities, 1 or more; or None."
        raise InputError(msg)
    weights, names = _weights(
        given["weights"], opportunities, len(question.all_targets), "weights", "opportunity"
    )
    competition, demand = given["competition"], given["demand"]
    if competition is None and demand is not None:
        raise InputError("demand has no effect without competition='2sfca': leave it out.")
    if competition is not None:
        if not isinstance(competition, str) or competition != "2sfca":
            raise InputError(f"competition = {shown(competition)} is not valid: use '2sfca'.")
        if nearest is not None:
            msg = "nearest and competition cannot be combined: leave one of them out."
            raise InputError(msg)
        demand, several = _weights(demand, origins, len(question.sources), "demand", "origin")
        if several is not None:
            raise InputError("demand has several columns: give one number for each origin.")
        demand = demand[0]
    shape: tuple[int, ...] = ()
    headings = ["accessibility"] if names is None else names
    if cutoffs is not None and not is_single(given["cutoffs"]):
        shape = (len(cutoffs),)
        headings = [f"{name}_{cutoff}" for cutoff in cutoffs.tolist() for name in headings]
    if names is not None:
        shape = (*shape, len(names))
    most = min(int(nearest or 0), len(question.all_targets))
    return Request(decay, limits, cutoffs, weights, tuple(headings), shape, most, demand)


def is_single(cutoffs: Any) -> bool:
    """Return whether cutoffs are one number or text, and no list."""
    return isinstance(cutoffs, str) or np.ndim(cutoffs) == 0


def _weights(
    given: Any, places: Any, count: int, what: str, noun: str
) -> tuple[Array, list[str] | None]:
    """Return columns of weights, (w, count) float64, and their names; None for a single column.

    Parameters
    ----------
    given : numbers, columns of them by name, names of columns of `places`, or None for ones.
    """
    if given is None:
        return np.ones((1, count)), None
    if isinstance(given, str):
        given = _columns_of(places, [given], what, noun)[given]
    elif isinstance(given, list | tuple) and given and all(isinstance(name, str) for name in given):
        given = _columns_of(places, given, what, noun)
    elif hasattr(given, "columns"):
        given = {name: given[name] for name in given.columns}
    if not isinstance(given, dict):
        table = plain_array(given, what, InputError)
        if table.ndim and isinstance(places, set | frozenset) and count > 1:
            msg = f"{what} has no order, as each {noun} is in a set: give them in a list."
            raise InputError(msg)
        if table.ndim != _COLUMNS:
            return checked_numbers(table, count, what, noun)[None], None
        given = {f"{what}_{at}": column for at, column in enumerate(table.T)}
    if not given:
        raise InputError(f"{what} has no columns: give one at least, or None for ones.")
    rows = [
        checked_numbers(column, count, f"{what}[{name!r}]", noun) for name, column in given.items()
    ]
    return np.array(rows), [str(name) for name in given]


def _columns_of(places: Any, names: Sequence[str], what: str, noun: str) -> dict[str, Any]:
    """Return columns of a table of places by their names."""
    columns = list(getattr(places, "columns", ()))
    for name in names:
        if name not in columns:
            listed = ", ".join(map(repr, columns)) or "none"
            msg = f"{what} = {shown(name)} is not a column of the {noun} table, whose are {listed}."
            raise InputError(msg)
    return {name: places[name] for name in names}


def checked_numbers(given: Any, count: int, name: str, noun: str) -> Array:
    """Return numbers >= 0, one for each of `count` things or one for all: (count,) float64."""
    array = plain_array(given, name, InputError)
    if array.dtype.kind not in "biuf" or array.shape not in {(), (count,)}:
        msg = (
            f"{name} has the shape {array.shape} and the type {array.dtype}: give {count:,} "
            f"numbers, one for each {noun}, or one for all."
        )
        raise InputError(msg)
    with np.errstate(over="ignore"):  # of long doubles
        numbers = array.astype(np.float64)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers < np.inf)))
    if len(wrong):
        entry = f"{name}[{wrong[0]}]" if array.shape else name
        msg = f"{entry} = {array.flat[wrong[0]]} must be a finite number >= 0."
        raise InputError(msg)
    return np.broadcast_to(numbers, count)
