"""Connected components: against SciPy, in files, for places, and in the error about no path."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath as wp
from warpath.base.errors import InputError, NoPathError

edges = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)


@given(edges, st.booleans(), st.sampled_from([None, np.int64, np.float32]))
def test_they_are_those_of_scipy_in_order_of_size(pairs, strong, dtype):
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    weights = None if dtype is None else np.ones(len(pairs), dtype)
    src, dst = np.array(pairs, np.int64).reshape(-1, 2).T
    graph = wp.Graph.from_edges(src.copy(), dst.copy(), weights, n=12)
    labels, counts = graph.components(strong=strong)
    kind = "strong" if strong else "weak"
    count, theirs = csgraph.connected_components(graph.to_scipy(), connection=kind)
    assert len(counts) == count
    assert len({*zip(labels.tolist(), theirs.tolist(), strict=True)}) == count
    assert counts.tolist() == np.bincount(labels).tolist() == sorted(counts.tolist(), reverse=True)
    first = [int(np.argmax(labels == at)) for at in range(count)]
    assert all(first[a] < first[a + 1] for a in range(count - 1) if counts[a] == counts[a + 1])


def test_a_graph_without_vertices_has_no_component():
    labels, counts = wp.Graph.from_edges([], [], n=0).components()
    assert (len(labels), len(counts)) == (0, 0)


def test_a_long_road_needs_no_deep_stack():
    graph = wp.generate.grid(2, 50_000)
    assert graph.components(strong=True).counts.tolist() == [100_000]


ISLAND = "source,target,weight\na,b,1\nb,a,1\nb,c,1\nc,d,1\nd,b,1\nd,e,1\nx,y,1\ny,x,1\n"


@pytest.mark.parametrize(
    ("component", "labels", "left_out"),
    [("largest", "abcde", (2, 2)), ("strong", "abcd", (3, 3)), (None, "abcdexy", None)],
)
def test_a_file_is_read_without_the_smaller_components(tmp_path, component, labels, left_out):
    path = tmp_path / "island.csv"
    path.write_text(ISLAND)
    graph = wp.read(path, component=component)
    assert graph.labels.tolist() == list(labels)
    report = graph.read_report
    if left_out is not None:
        assert report[f'vertices outside component="{component}"'] == left_out[0]
        assert report[f'edges outside component="{component}"'] == left_out[1]


def test_an_unknown_component_is_refused_before_the_file_is_read(tmp_path):
    for ask in (
        lambda: wp.read(tmp_path / "missing.csv", component="weak"),
        lambda: wp.Graph.of([(0, 1)], coordinates=[(0, 0), (1, 1)]).nearest_vertex(
            0, 0, component=True
        ),
    ):
        with pytest.raises(InputError, match="must be 'largest' or 'strong', or None"):
            ask()


def on_a_line():
    """Return 0 <-> 1 -> 2 <-> 3 <-> 4 and the island 5 -> 6, at x = 0 .. 6."""
    pairs = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (3, 4), (4, 3), (5, 6)]
    points = [(float(x), 0.5) for x in range(7)]
    return wp.Graph.of(pairs, coordinates=points)


def test_a_place_is_found_in_the_largest_component_alone():
    graph = on_a_line()
    assert graph.nearest_vertex(5.9, 0.5, math.inf) == 6
    assert graph.nearest_vertex(5.9, 0.5, math.inf, component="largest") == 4
    assert graph.nearest_vertex(0.2, 0.5, math.inf, component="largest") == 0
    assert graph.nearest_vertex(0.2, 0.5, math.inf, component="strong") == 2


@pytest.mark.parametrize(("source", "target", "word"), [(0, 6, "largest"), (4, 1, "strong")])
def test_no_path_to_an_island_says_so_with_a_remedy_that_works(source, target, word):
    graph = on_a_line()
    for ask in (
        lambda: wp.path(graph, source, target),
        lambda: wp.sssp(graph, source).path_to(target),
        lambda: wp.pairs(graph, [source], [target]).route(0),
        lambda: wp.distances(graph, [source]).path(source, target),
    ):
        with pytest.raises(NoPathError, match=rf"target is one of 2 vertices .*{word}") as error:
            ask()
    remedies = re.findall(r"graph\.\w+\([^)]*\)", str(error.value))
    assert len(remedies) == 2
    part = eval(remedies[0], {"graph": graph})  # noqa: S307 - what a user would type
    assert wp.path(part, part.labels[0], part.labels[-1]).length > 0
    vertex = eval(remedies[1], {"graph": graph, "lon": 4.005, "lat": 0.5})  # noqa: S307
    assert vertex == 4


def test_no_hint_where_no_component_is_small():
    with pytest.raises(NoPathError, match=r"from 2 to 0\.$"):
        wp.path([(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], 2, 0)
