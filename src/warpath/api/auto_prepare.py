"""Solvers that prepare their graph when a call is large enough to pay for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.base import settings
from warpath.base.errors import NotSupportedError
from warpath.engines.hierarchy import HIERARCHY, hierarchy_of
from warpath.graph.derived import Derived
from warpath.graph.zones import opened
from warpath.planner.cpu_model import may_be_prepared, prepare_seconds

if TYPE_CHECKING:
    from warpath.api.options import Options
    from warpath.graph import Graph
    from warpath.planner.cpu_model import Size

#: Why a graph has no hierarchy; kept, so that it is not contracted in vain again.
_REFUSED: Derived[str] = Derived(__name__, "why there is no contraction hierarchy")


def decided(
    graph: Graph, options: Options, size: Size | None = None, prepared_size: Size | None = None
) -> Options:
    """Return options that use a hierarchy or do not, whichever is predicted to be faster in total.

    A hierarchy that exists is used. One is built here if the call is predicted to take longer than
    building it and then answering.

    Parameters
    ----------
    options : of a Solver; returned as they are unless `prepared` is "auto".
    size : what the call requests; None for a call that is too small to build a hierarchy for.
    prepared_size : what it requests of a prepared graph, if that is not the same.
    """
    if options.wish.prepared != "auto":
        return options
    without, prepared = (options.prepared(graph, prepared=each) for each in (False, True))
    inner = opened(graph)
    if HIERARCHY.known(inner) is not None:
        return prepared
    facts = inner.facts(symmetry=False)
    able = options.wish.algorithm == "auto" and may_be_prepared(facts)
    if size is None or not able or _REFUSED.known(inner) is not None:
        return without
    threads = options.wish.threads or settings.threads()
    now = without.plan(size, graph).seconds
    then = prepared.plan(prepared_size or size, graph).seconds
    if now is None or then is None or now <= prepare_seconds(facts, threads) + then:
        return without
    try:
        built = hierarchy_of(inner, threads)
    except NotSupportedError as error:
        reason = str(error)
        _REFUSED.of(inner, lambda: reason)
        return without
    return without if built is None else prepared
