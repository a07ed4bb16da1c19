"""Where and how a graph is solved: options that were checked, and the plans that they led to."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base import settings
from warpath.base.errors import (
    InputError,
    MissingDependencyError,
    NoDeviceError,
    NotEnoughMemoryError,
)
from warpath.engines import hub_labels
from warpath.engines.base import WithDeviceResults, WithDivision, WithHostSearches, WithWorkers
from warpath.engines.customizable import CUSTOMIZED
from warpath.engines.devices import device_name, members
from warpath.engines.hierarchy import (
    HIERARCHY,
    hierarchy_of,
    pairs_search,
    share_reversed,
    sums_are_exact,
)
from warpath.engines.hub_labels import HUB_LABELS
from warpath.engines.labels import ARCS, LABELS
from warpath.engines.planning import facts_for, planned, without_device
from warpath.engines.registry import capability, engine_of
from warpath.graph.checks import shown
from warpath.graph.derived import Derived
from warpath.graph.facts import negative_weights
from warpath.graph.solvable import search_graph
from warpath.planner import auto_device, several
from warpath.planner.cpu_model import Size, reach
from warpath.planner.gpu_model import host_bytes
from warpath.planner.kinds import device_names, kind_of
from warpath.planner.request import (
    DEFAULT,
    Request,
    checked_request,
    device_of,
    whole_name,
    with_default_device,
)
from warpath.recipes import Loop, Task
from warpath.results.predecessors import team_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Bound, Search
    from warpath.engines.hierarchy import PairsSearch
    from warpath.graph import Graph
    from warpath.planner.device_kind import Candidate
    from warpath.planner.plan import Plan
    from warpath.recipes import Recipe


ONE_SOURCE = Size(Task.SSSP)
_WITH_LABELS = {"auto", DEFAULT, "cuda"}  # kinds of devices on which labels are used
_MOST_OPTIONS = _MOST_PLANS = 64


class _Kept(NamedTuple):
    """A plan, and the memory under which it is still the one that would be chosen.

    Attributes
    ----------
    on_host : the bytes that have to be free on the host: of the largest candidate, or of what the
        plan for a GPU takes there.
    on_device : those that have to be free on a GPU, of the largest candidate.
    limits : of a plan that depends on a GPU's memory, `_limits` when it was made; else None.

    Of one source on a GPU both numbers are 0: most of its memory is kept with the graph there.
    """

    plan: Plan
    on_host: int
    on_device: int
    limits: tuple[int | None, int | None, int] | None

    def holds(self, graph: Graph) -> bool:
        if self.limits is not None and self.limits != _limits():
            return False
        if self.on_host > 0 and self.on_host > settings.memory():
            return False
        if self.on_device == 0:
            return True
        free, _ = engine_of(self.plan.device).memory(search_graph(graph), self.plan.device)
        return free is not None and self.on_device <= free


class Options:
    """The options of a graph's solves, with their plans. It holds no reference to the graph.

    Parameters
    ----------
    request : checked by `checked_request`.
    preference : the device that "auto" means: "auto", or a device.
    """

    def __init__(self, request: Request, preference: str) -> None:
        self.request = request
        self.preference = preference
        #: Whether the device means several devices, and whether it is a Dask cluster.
        self.on_several = several.is_several(request.device)
        named = request.device != "auto" and not self.on_several
        self._workers = capability(whole_name(request.device), WithWorkers) if named else None
        self.on_cluster = self._workers is not None
        self._plans: dict[Hashable, _Kept] = {}
        self._one: OneSource | None = None
        self._pairs: tuple[Plan, PairsSearch | None] | None = None
        self._pair: Callable[[int, int], float] | None = None
        self._route: tuple[Plan, Callable[[int, int], tuple[Array, Any]]] | None = None

    def but(self, graph: Graph, **changes: Any) -> Options:
        """Return options for a graph with some fields of the request changed.

        "auto" means the same device as here, also if the other graph is not on that device.
        """
        return _kept_options(graph, self.request._replace(**changes), self.preference)

    def for_reversed(self, graph: Graph) -> Options:
        """Return the same options for the reversed graph, with the graph's hierarchy turned around.

        With `prepared=True`, the graph's hierarchy is built first if it does not exist yet. The
        reversed graph of a graph with turns or closed vertices has no hierarchy.
        """
        prepared = bool(self.request.prepared) and search_graph(graph) is graph
        if prepared:
            if self.request.prepared is True and self.request.algorithm == "auto":
                hierarchy_of(graph, self.request.threads or settings.threads())
            share_reversed(graph)
            hub_labels.share_reversed(graph)
        back = graph.reversed()
        return self.but(back, prepared=prepared and HIERARCHY.cached(back) is not None)

    @property
    def is_open(self) -> bool:
        """Whether no device was requested, so that "auto" may choose one."""
        return auto_device.is_open(self.request, self.preference)

    def fixed_to(self, device: str, graph: Graph) -> Options:
        """Return the same options, with a device where "auto" might choose another one."""
        return self.but(graph, device=device) if self.is_open else self

    def device(self) -> str:
        """Return the device that was requested, or "auto"; refuse names that are not valid."""
        _ = self.request.recipe  # whose name must exist
        if self.request.device == "auto" or self.on_several:
            return self.request.device
        return device_of(ONE_SOURCE, self.request)

    def one_device(self) -> str:
        """Return the whole name of the one device that is requested or preferred, or "auto"."""
        device = self.preference if self.request.device == "auto" else self.request.device
        if device == "auto" or several.is_several(device):
            return "auto"
        return device_of(ONE_SOURCE, self.request._replace(device=device))

    def on_this_machine(self, graph: Graph) -> Options:
        """Return the options for a part of an answer that is searched in this process."""
        return self.but(graph, device=DEFAULT) if self.on_cluster else self

    def plan(self, size: Size, graph: Graph, *, anew: bool = False, facilities: int = 0) -> Plan:
        """Choose how a question is answered; see `warpath.planner.plan.choose`.

        Parameters
        ----------
        graph : the graph of the options; or one that is made of it for each call, with a start that
            has edges to `facilities` vertices. Calls with as many facilities share a plan.
        anew : whether the free memory of a GPU is compared again with what a plan needs.
        """
        if self.on_several:
            if size.task is Task.SSSP:
                return self._divided(size, graph, anew=anew, facilities=facilities)._copied()
            return self._shared(size, graph, anew=anew)
        if self._workers is not None:
            several.check_cluster(self.request.device, size)
            return self._workers.spread(self._planned(size, graph, anew=anew), size)
        return self._planned(size, graph, anew=anew, facilities=facilities)._copied()

    def _shared(self, size: Size, graph: Graph, *, anew: bool) -> Plan:
        """Return the plan of a table whose rows several devices share."""
        device = self.request.device
        several.check_shared(device, size)
        among = members(device)
        requests = [several.request_for(self.request, member, among) for member in among]
        plans = [
            _kept_options(graph, request, self.preference).plan(size, graph, anew=anew)
            for request in requests
        ]
        return several.shared_plan(plans, device, graph.facts(symmetry=False))

    def _divided(
        self, size: Size, graph: Graph, *, anew: bool = False, facilities: int = 0
    ) -> Plan:
        """Return the plan of one source on several devices."""
        key = size, "divided", facilities
        cached = self._plans.get(key)
        if cached is not None and not anew and cached.holds(graph):
            return cached.plan
        among = members(self.request.device)
        if not all(capability(member, WithDivision) for member in among):
            several.check_shared(self.request.device, size)
        request = several.request_for(self.request, among[0], among)
        alone: Plan | NotEnoughMemoryError
        try:
            first = _kept_options(graph, request, self.preference)
            alone = first._planned(size, graph, anew=anew, facilities=facilities)  # noqa: SLF001
        except NotEnoughMemoryError as error:
            alone = error
        inner = search_graph(graph)
        free = [engine_of(member).memory(inner, member)[0] for member in among]
        reported = [bytes_ for bytes_ in free if bytes_ is not None]
        facts = facts_for(size, inner, among[0])
        plan = several.divided_plan(
            alone, self.request.device, among, facts, min(reported, default=None), request
        )
        self._plans[key] = _Kept(plan, plan.bytes, 0, _limits())
        return plan

    def one_source(self, graph: Graph, *, cutoff: float | None = None) -> OneSource:
        """Return the plan for one source and a cutoff, bound to the graph."""
        if self.on_cluster:
            several.check_cluster(self.request.device, ONE_SOURCE)
        size = self.size_within(graph, cutoff)
        plan = (self._divided if self.on_several else self._planned)(size, graph)
        bound = self._one
        if bound is None or bound.plan is not plan:
            search = None
            if search_graph(graph) is graph and not self.request.traced and size == ONE_SOURCE:
                binds = capability(plan.device, WithHostSearches)
                search = None if binds is None else binds.host_search(graph, plan)
            threads = self.request.threads
            team = team_of(graph, settings.threads() if threads is None else threads)
            stays = not (self.is_open or plan.rows_on_host or graph.turns)
            bound = OneSource(plan, team, search, stays=stays)
            if size == ONE_SOURCE:
                self._one = bound
        return bound

    def pairs(self, count: int, graph: Graph, entry: int) -> tuple[Plan, PairsSearch | None]:
        """Return the plan for pairs, and its search bound to the graph; None where there is none.

        Parameters
        ----------
        count : the number of pairs.
        entry : bytes of a distance.
        """
        plan = self._planned(Size(Task.PAIRS, count, 1, entry), graph)
        bound = self._pairs
        if bound is None or bound[0] is not plan:
            search = None
            same = search_graph(graph) is graph and entry == graph.dist_dtype.itemsize
            if same and plan.device == DEFAULT:
                if plan.recipe.loop is Loop.HUB_LABELS:
                    search = hub_labels.pairs_search(graph, plan.threads)
                else:
                    search = pairs_search(graph, plan.recipe.loop, plan.threads)
            bound = self._pairs = plan, search
        return bound

    def pair(self, graph: Graph) -> Callable[[int, int], float] | None:
        """Return what finds the distance of one pair of vertices where the plan is labels here."""
        labelled = self.request.labelled or self.request.hubs
        if self._pair is None and labelled and search_graph(graph) is graph:
            plan, search = self.pairs(1, graph, graph.dist_dtype.itemsize)
            kinds = {Loop.TREE_LABELS: LABELS, Loop.HUB_LABELS: HUB_LABELS}
            kind = None if search is None else kinds.get(plan.recipe.loop)
            labels = None if kind is None else kind.cached(graph)
            self._pair = None if labels is None else labels.pair
        return self._pair

    def route(self, graph: Graph) -> tuple[Plan, Callable[[int, int], tuple[Array, Any]]] | None:
        """Return the plan of a route, and what finds its vertices and length, by labels here.

        None where another algorithm is planned. Of no path there are no vertices.
        """
        if self._route is None and self.request.routed and search_graph(graph) is graph:
            plan = self._planned(Size(Task.PATH), graph)
            arcs = ARCS.cached(graph) if plan.recipe.loop is Loop.TREE_LABELS else None
            self._route = None if arcs is None else (plan, arcs.route)
        return self._route

    def size_within(self, graph: Graph, cutoff: float | None) -> Size:
        """Return the size of one source with a cutoff.

        Only a prepared graph is planned for with its cutoff: a sweep down a hierarchy passes all
        vertices, and a search in the graph those within the cutoff.
        """
        if cutoff is None or not self.request.prepared:
            return ONE_SOURCE
        return ONE_SOURCE._replace(reach=reach(cutoff, search_graph(graph).facts(symmetry=False)))

    def _planned(
        self, size: Size, graph: Graph, *, anew: bool = False, facilities: int = 0
    ) -> Plan:
        exact = bool(self.request.prepared) and _exact_floats(graph)
        key = size, exact, facilities
        cached = self._plans.get(key)
        if cached is not None and not (anew and cached.limits) and cached.holds(graph):
            return cached.plan
        own, graph = graph, search_graph(graph)
        request = with_default_device(self.preference, size, self.request)
        plan, free, limited = planned(size, graph, request, self.preference, exact_sums=exact)
        if graph.facts(symmetry=False).negative:
            plan = replace(plan, notes=(*plan.notes, negative_weights(own)))
        kind = kind_of(plan.device)
        able: list[Plan | Candidate] = [plan, *plan.runners_up]
        most = max(candidate.bytes for candidate in able)
        of_source = size.task is Task.SSSP
        fits = free is not None and most <= free and plan.staged is None
        # Tiles of a matrix, and rows left on the host, depend on how much memory a GPU has.
        sized = any(candidate.staged is not None or candidate.rows_on_host for candidate in able)
        if fits and (of_source or not sized):
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            on_host, on_device = most, 0
            if kind.own_memory:
                facts = graph.facts(symmetry=False)
                on_host = 0 if of_source else host_bytes(plan.recipe, size, facts)
                on_device = 0 if of_source else most
            limits = _limits() if kind.own_memory or limited else None
            self._plans[key] = _Kept(plan, on_host, on_device, limits)
        return plan


#: The options that a graph was last solved with, by what identifies them.
OPTIONS: Derived[dict[Hashable, Options]] = Derived(__name__, "options and their plans")


def options_of(
    graph: Graph,
    algorithm: str | Recipe = "auto",
    device: Any = "auto",
    threads: int | None = None,
    params: dict[str, float] | None = None,
    *,
    prepared: bool | str = False,
) -> Options:
    """Check options and return what is kept with the graph for them.

    Parameters
    ----------
    prepared : as in `Request`.

    Raises
    ------
    InputError
        If an option or an environment variable has no valid value.
    """
    request = checked_request(algorithm, device_name(device), threads, params)
    if not isinstance(prepared, bool | np.bool_) and not (
        isinstance(prepared, str) and prepared == "auto"
    ):
        raise InputError(f"prepared = {shown(prepared)} must be True, False or 'auto'.")
    if prepared:
        request = request._replace(
            prepared=prepared if isinstance(prepared, str) else bool(prepared)
        )
    preference = preferred_device() if graph.device == "auto" else graph.device
    return _kept_options(graph, request, preference)


def _kept_options(graph: Graph, request: Request, preference: str) -> Options:
    """Return the options that are kept with a graph, or new ones; those with params are new."""
    able = request.prepared is True and uses_labels(request.device)
    inner = search_graph(graph) if able else graph  # to expand turns takes O(n + m)
    labelled = able and LABELS.cached(inner) is not None
    # Labels from a file come without the arcs that routes by them need, which take a second.
    routed = labelled and CUSTOMIZED.cached(inner) is not None
    hubs = able and HUB_LABELS.cached(inner) is not None
    if (labelled, routed, hubs) != (request.labelled, request.routed, request.hubs):
        request = request._replace(labelled=labelled, routed=routed, hubs=hubs)
    if request.params:
        return Options(request, preference)
    cache = OPTIONS.of(graph, dict)
    key = (
        request.algorithm,
        request.device,
        request.threads,
        request.prepared,
        request.labelled,
        request.routed,
        request.hubs,
        request.traced,
        preference,
        settings.threads(),
    )
    options = cache.get(key)
    if options is None:
        if len(cache) >= _MOST_OPTIONS:
            cache.clear()
        options = cache[key] = Options(request, preference)
    return options


def uses_labels(device: Any) -> bool:
    """Return whether labels are used on a device: the CPU, or GPUs."""
    return isinstance(device, str) and device.partition(":")[0] in _WITH_LABELS


def preferred_device() -> str:
    """Return the device in WARPATH_DEVICE, or "auto"; raise InputError if it is not valid."""
    name = settings.device()
    if name != "auto":
        try:
            kind_of(name)
        except InputError:
            msg = f"WARPATH_DEVICE={name!r} is not valid: use {device_names()}, or unset it."
            raise InputError(msg) from None
        if (
            capability(name, WithWorkers) is not None
        ):  # workers that inherit the variable would ask the cluster again
            msg = f"WARPATH_DEVICE={name!r} is not valid: pass a Dask client as device=."
            raise InputError(msg)
    return name


def _exact_floats(graph: Graph) -> bool:
    """Return whether a graph has float weights whose sums are exact in its hierarchy."""
    return graph.weight_dtype.kind == "f" and sums_are_exact(search_graph(graph))


def _limits() -> tuple[int | None, int | None, int]:
    """Return the limits that are set, and the process: a GPU does not survive a fork."""
    return settings.gpu_memory(), settings.memory_limit(), os.getpid()


class OneSource:
    """A plan for one source, bound to its graph. It holds no reference to the graph.

    Attributes
    ----------
    plan : what runs.
    team : the number of threads that the tree may take.
    search : finds distances that need no cutting, narrowing or folding; None where there is none.
    stays : whether distances may stay on the device that found them. Those of "auto" are copied
        to the host, and so are those of a device that does not hold the graph: the tree is made
        from the graph.
    """

    def __init__(self, plan: Plan, team: int, search: Search | None, *, stays: bool) -> None:
        self.plan = plan
        self.team = team
        self.search = search
        self.stays = stays

    def on_gpu(self, graph: Graph) -> Bound | None:
        """Return what a GPU launches for one source; None on the CPU and for other loops."""
        cached: tuple[Bound | None] | None = vars(self).get("_on_gpu")
        if cached is None:  # of two threads that make it, both take the first one's
            plan = self.plan
            bare = search_graph(graph) is graph and not plan.params
            binds = self.search is None and self.stays and bare
            search = _bound(graph, plan) if binds else None
            cached = vars(self).setdefault("_on_gpu", (search,))
        return cached[0]


def _bound(graph: Graph, plan: Plan) -> Bound | None:
    try:
        engine = capability(plan.device, WithDeviceResults)
        return None if engine is None else engine.device_search(graph, plan)
    except (MissingDependencyError, NoDeviceError) as error:
        raise without_device(error, plan) from error
