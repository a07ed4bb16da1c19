"""Plans that are bound to a graph: what they run is found once, and called for each question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base.errors import MissingDependencyError, NoDeviceError
from warpath.engines import cpu
from warpath.engines.registry import engine_of

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.cpu import Search
    from warpath.engines.cuda.engine import Bound
    from warpath.engines.hierarchy import PairsSearch
    from warpath.graph import Graph
    from warpath.planner.plan import Plan


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
        made: tuple[Bound | None] | None = vars(self).get("_on_gpu")
        if made is None:  # of two threads that make it, both take the first one's
            plan = self.plan
            bare = graph.first_through == 0 and not plan.params
            binds = self.search is None and self.stays and bare
            found = _bound(graph, plan) if binds else None
            made = vars(self).setdefault("_on_gpu", (found,))
        return made[0]

    def stats(self, dist: Array, done: bytes) -> dict[str, Any]:
        """Return what a search did, by name."""
        from warpath.api.run import counted

        return counted(cpu.counters(done) | {"seconds": cpu.seconds(done)}, dist)


def _bound(graph: Graph, plan: Plan) -> Bound | None:
    from warpath.api.run import without_device

    try:
        return engine_of(plan.device).device_search(graph, plan)
    except (MissingDependencyError, NoDeviceError) as error:
        raise without_device(error, plan) from error


class BoundPairs(NamedTuple):
    """A plan for pairs, bound to its graph.

    Attributes
    ----------
    plan : what runs.
    search : finds distances in the graph's own type; None where there is none.
    """

    plan: Plan
    search: PairsSearch | None
