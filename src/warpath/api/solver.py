"""`sssp` of one graph with one set of options: checked and planned once, solved from many sources.

A tiny graph is solved in a microsecond or two, a tenth of what it takes to check the options and
to plan. So what came of that is kept with the graph, while its surroundings stay what they were.
"""

from __future__ import annotations

import functools
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.api.rivals import rivals
from warpath.api.run import choose_for, facts_for, is_kept, narrowed, on_device, run_plan
from warpath.api.trial import Contender, Trial
from warpath.base import settings
from warpath.base.dtypes import unreachable
from warpath.base.errors import DistanceOverflowError
from warpath.engines import cpu
from warpath.engines.base import Problem
from warpath.engines.dispatch import bound
from warpath.graph.arguments import checked_cutoff, checked_dist_dtype
from warpath.graph.labels import one_label
from warpath.graph.zones import folded, opened
from warpath.planner.cpu_model import Size
from warpath.planner.plan import Plan, Wish
from warpath.recipes import Task
from warpath.results.paths import Paths, paths_found
from warpath.results.predecessors import searched, team_of, without_unreached
from warpath.results.predecessors import tree as predecessors
from warpath.results.trace import Run, Trace

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from warpath.api.run import Progress
    from warpath.base.dtypes import Array
    from warpath.engines.cpu import Search
    from warpath.engines.cuda.engine import Bound
    from warpath.engines.cuda.result import OnDevice
    from warpath.graph import Graph

_MOST_KEPT = 64  # with a graph
_TINY = 2**10  # vertices and edges
_SIZE = Size(Task.SSSP)
#: Seconds that a solve is predicted to take where plans are tried: one of less is no measurement,
#: and from some ms on a team wins on every machine seen, when nothing disturbs it.
_TRIED = 1e-4, 3e-3


class OneSource(NamedTuple):
    """Options that were checked, and what came of them. It refers to no graph, whom it is kept by.

    Attributes
    ----------
    plan : what runs.
    limit : the cutoff.
    wanted : the type of the answer.
    team : the threads that the tree may take.
    search : finds distances that are the answer as they are; None where more has to be done.
    there : whether a GPU's search does the same, whose distances stay there. It is made by the
        first call that has no steps to tell of.
    trial : of the plan beside others; None where there is nothing to try.
    """

    plan: Plan
    limit: float | None
    wanted: np.dtype[Any]
    team: int
    search: Search | None
    there: bool
    trial: Trial | None

    def stats(self, dist: Array, done: bytes) -> dict[str, Any]:
        """Return what a search did, by name."""
        return _counted(cpu.counters(done) | {"seconds": cpu.seconds(done)}, dist)


def one_source(
    graph: Graph,
    algorithm: str,
    device: str,
    threads: int | None,
    params: dict[str, float] | None,
    trace: bool,
    cutoff: float | None,
    dist_dtype: DTypeLike | None,
) -> OneSource:
    """Check the options of `sssp` and plan, or return what came of them a moment ago.

    Parameters
    ----------
    graph, algorithm, device, threads, params, trace, cutoff, dist_dtype : as in `sssp`.
    """
    plain = params is None and cutoff is None and dist_dtype is None and trace is False
    if plain and graph.recent is not None:
        # The very objects that the last call had: asked for again they need no look.
        name, place, team, looks, told, one = graph.recent
        if algorithm is name and device is place and threads is team and looks() is told:
            recent: OneSource = one
            return recent
    wish = Wish(algorithm, device, threads, params, trace)
    # By type as well: True is 1, but no number of threads.
    if not (plain and type(algorithm) is str and type(device) is str):
        return _checked(graph, wish, cutoff, dist_dtype)
    # A tiny graph is solved by one thread in some kilobytes, whatever there is of either.
    tiny = graph.n + graph.m <= _TINY
    surroundings = settings.variables if tiny else settings.surroundings
    now = surroundings()
    asked = algorithm, device, graph.device, threads, type(threads)
    kept: dict[Any, tuple[OneSource, Any]] = graph.derived.setdefault("one source", {})
    try:
        made, then = kept.get(asked, (None, None))
    except TypeError:  # threads that cannot be looked up: to be refused
        made = then = None
    if made is None or then is not now:
        made = _checked(graph, wish, None, None)
        # Whether a GPU has the memory is asked by `choose_for`.
        if made.plan.device != "cpu" and not is_kept(_SIZE, opened(graph), wish, graph.device):
            return made
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[asked] = made, now
    graph.recent = algorithm, device, threads, surroundings, now, made
    return made


def _checked(
    graph: Graph, wish: Wish, cutoff: float | None, dist_dtype: DTypeLike | None
) -> OneSource:
    limit = checked_cutoff(cutoff, graph)
    wanted = checked_dist_dtype(dist_dtype, graph)
    chosen = choose_for(_SIZE, opened(graph), wish, graph.device)
    whole = limit is None and wanted == graph.dist_dtype and graph.first_through == 0
    search = None
    if whole and chosen.device == "cpu" and not wish.traced:
        search = cpu.bound(graph, chosen.recipe, chosen.params, chosen.threads)
    there = whole and chosen.device != "cpu" and not chosen.params and not wish.traced
    team = team_of(graph, settings.threads() if wish.threads is None else wish.threads)
    trial = None if search is None else _trial(graph, chosen, search, wish)
    return OneSource(chosen, limit, wanted, team, search, there, trial)


def _trial(graph: Graph, chosen: Plan, search: Search, wish: Wish) -> Trial | None:
    """Return the trial of a plan beside those that are predicted to be nearly as fast."""
    if wish.algorithm != "auto" or wish.params is not None:
        return None
    least, most = _TRIED
    assert chosen.seconds is not None  # noqa: S101 - auto takes nothing else
    if not least <= chosen.seconds <= most:
        return None
    # It outlives the options, which are checked again twenty times a second.
    kept: dict[tuple[str, int], Trial | None] = graph.derived.setdefault("trials", {})
    threads = settings.threads() if wish.threads is None else wish.threads
    asked = chosen.headline(), threads
    if asked not in kept:
        others = [
            Contender(plan, other)
            for plan in rivals(chosen, facts_for(_SIZE, graph, "cpu"), threads, settings.memory())
            if (other := cpu.bound(graph, plan.recipe, plan.params, plan.threads)) is not None
        ]
        kept[asked] = Trial(Contender(chosen, search), *others) if others else None
    return kept[asked]


def solved(
    graph: Graph, one: OneSource, s: int, progress: Progress = None, *, trace: bool = False
) -> Paths:
    """Solve from a vertex; `progress` and `trace` are as in `sssp`."""
    search = one.search
    silent = (progress is None or progress is False) and not trace
    if search is not None and silent:
        if one.trial is None:
            found = search(s)
            if found is not None:
                dist, done = found
                return paths_found(graph, s, dist, done, one)
        else:
            turn = one.trial.turn()
            found = turn.search(s)
            if found is None:
                one.trial.give_up(turn)
            else:
                dist, done = found
                one.trial.note(turn, cpu.seconds(done), dist)
                return paths_found(
                    graph, s, dist, done, one._replace(plan=turn.plan, search=turn.search)
                )
    if one.there and silent:
        start = time.perf_counter()
        solves = bound(graph, one.plan.recipe.loop, one.plan.device)
        labels = None if solves is None else solves(s)
        if solves is not None and labels is not None:
            seconds = time.perf_counter() - start
            return _left_there(graph, one, solves, s, labels, seconds)
    return _solved_in_steps(graph, one, s, progress, trace=trace)


def _searched_again(graph: Graph, one: OneSource, s: int, rounds: Trace | None) -> Paths:
    """Solve where a distance did not fit that may be no part of the answer.

    It may lie beyond the cutoff, or be a round trip to a closed source.
    """
    start = time.perf_counter()
    try:
        dist, through = searched(graph, s, one.limit)
    except OverflowError as error:
        raise DistanceOverflowError.of(error) from None
    stats = _counted({"seconds": time.perf_counter() - start}, dist)
    labels = narrowed(dist, one.wanted)
    labels.flags.writeable = False
    return Paths(
        graph, s, labels, tree=lambda: without_unreached(through, dist), through=lambda: through,
        cutoff=one.limit, plan=one.plan.again(), stats=stats, trace=rounds,
    )  # fmt: skip


def _counted(stats: dict[str, Any], dist: Array) -> dict[str, Any]:
    """Add how many vertices were reached; a loop that counts while it writes saves a pass."""
    if "reached" not in stats:
        stats["reached"] = int(np.count_nonzero(dist != unreachable(dist.dtype)))
    return stats


def _left_there(
    graph: Graph, one: OneSource, solves: Bound, s: int, found: tuple[Array, list[int]],
    seconds: float,
) -> Paths:  # fmt: skip
    """Return what a GPU found, and where it found it."""
    labels, words = found
    there = _on_device()(graph, s, labels, solves.device, None, one.wanted)
    return Paths(
        graph, s, None,
        tree=there.pred_here,
        plan=one.plan.again,
        stats=lambda: solves.counters(words) | {"seconds": seconds},
        there=there,
    )  # fmt: skip


@functools.cache
def _on_device() -> type[OnDevice]:
    from warpath.engines.cuda.result import OnDevice  # here: the CPU needs none of it

    return OnDevice


def _solved_in_steps(
    graph: Graph, one: OneSource, s: int, progress: Progress, *, trace: bool
) -> Paths:
    """Solve where distances have to be cut, folded or narrowed, or rounds to be watched."""
    inner, limit, chosen = opened(graph), one.limit, one.plan.again()
    problem = Problem(Task.SSSP, np.array([s]), cutoff=limit)
    rounds = Trace() if trace else None
    # Under negative weights a route within the cutoff may pass a vertex beyond it.
    beyond = limit is not None and inner.facts(symmetry=False).negative > 0
    stay = rounds is None and not beyond
    try:
        raw, stats = run_plan(graph, chosen, problem, progress=progress, trace=rounds, stay=stay)
    except DistanceOverflowError:
        if limit is None and s >= graph.first_through:
            raise
        return _searched_again(graph, one, s, rounds)
    if raw.device is not None:
        there = on_device(raw, graph, s, limit, one.wanted)
        return Paths(
            graph, s, None, tree=there.pred_here, cutoff=limit, plan=chosen, stats=stats,
            there=there,
        )  # fmt: skip
    dist = cpu.cut(raw.dist, limit)
    _counted(stats, dist)
    if rounds is not None:
        edges = int(np.diff(inner.indptr)[raw.dist != unreachable(dist.dtype)].sum())
        rounds.run = Run.of(chosen, graph, one_label(graph, s), edges, stats["seconds"])
        stats |= asdict(rounds.totals())

    def through() -> Array:
        found = predecessors(inner, s, raw.dist if beyond else dist, one.team)
        return folded(graph, found, s, -1)

    def tree() -> Array:
        found = through()
        if not beyond:
            return found
        reached = dist != unreachable(dist.dtype)
        return np.where(folded(graph, reached, s, at_source=True), found, -1)

    labels = narrowed(folded(graph, dist, s, 0), one.wanted)
    labels.flags.writeable = False
    return Paths(
        graph, s, labels, tree=tree, through=through if beyond else None, cutoff=limit, plan=chosen,
        stats=stats, trace=rounds,
    )  # fmt: skip
