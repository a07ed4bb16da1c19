"""Small NetworkX graphs, drawn by hypothesis, and calls of NetworkX beside the backend's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import networkx as nx
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
NAMES = [0, 1, 2, "a", (1, 2), 2.5, frozenset([1]), "b"]
INTEGERS, FLOATS = st.integers(0, 4), st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 2.5])
ABSENT = st.just(...)
SIGNED = st.integers(-1, 6)


@st.composite
def graphs(draw: Any, weights: Any = None, kinds: Any = KINDS) -> Any:
    """Draw a graph of up to eight nodes; by default all weights are of one kind, or of any."""
    graph = draw(st.sampled_from(kinds))()
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, len(NAMES)))]
    graph.add_nodes_from(names)
    if weights is None:
        some = draw(st.sampled_from([INTEGERS, FLOATS, ABSENT, "mixed"]))
        weights = st.one_of(INTEGERS, FLOATS, ABSENT) if some == "mixed" else some
    ends = st.sampled_from(names)
    for u, v, weight in draw(st.lists(st.tuples(ends, ends, weights), max_size=25)):
        graph.add_edge(u, v, **({} if weight is ... else {"weight": weight}))
    return graph


def answer(function: Callable[..., Any], graph: Any, *args: Any, **options: Any) -> Any:
    """Return what a call returns or raises, with every type and order told apart."""
    try:
        found = function(graph, *args, **options)
        return repr(list(found) if isinstance(found, Iterator) else found)
    except (nx.NetworkXException, ValueError, ZeroDivisionError, KeyError) as error:
        return type(error), str(error)


def assert_same(function: Callable[..., Any], graph: Any, *args: Any, **options: Any) -> None:
    """Expect the backend's answer, which is asked first, to be NetworkX's."""
    ours = answer(function, graph, *args, **options, backend="warpath")
    assert ours == answer(function, graph, *args, **options)
