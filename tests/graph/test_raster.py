"""Costs on a raster: against brute force, SciPy and scikit-image; cells, barriers and bad input."""

from __future__ import annotations

import itertools
import math
import pickle
import re

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import (
    GraphError,
    InputError,
    NoPathError,
    NotEnoughMemoryError,
    VertexError,
    WeightError,
)

MOVES = {
    4: [(1, 0), (0, 1)],
    8: [(1, 0), (0, 1), (1, 1), (1, -1)],
    16: [(1, 0), (0, 1), (1, 1), (1, -1), (1, 2), (1, -2), (2, 1), (2, -1)],
}


def brute_edges(cost, neighbours, height, width):
    """Return the edges of a raster by their ends, with one loop over all cells."""
    edges = {}
    for (r, c), (down, right) in itertools.product(np.ndindex(cost.shape), MOVES[neighbours]):
        a, b = r + down, c + right
        if 0 <= a < cost.shape[0] and 0 <= b < cost.shape[1]:
            far = math.sqrt((down * height) ** 2 + (right * width) ** 2)
            weight = (cost[r, c] + cost[a, b]) * (far / 2)
            if weight < math.inf:  # not for NaN either
                ends = r * cost.shape[1] + c, a * cost.shape[1] + b
                edges[ends] = edges[ends[::-1]] = weight
    return edges


def random_cost(rng):
    rows, columns = rng.integers(1, 9, 2)
    cost = rng.choice([rng.integers(0, 3, (rows, columns)), rng.random((rows, columns))])
    cost = cost.astype(np.float64)
    cost[rng.random(cost.shape) < 0.2] = rng.choice([math.inf, math.nan])
    return cost


def explicit(graph):
    return wp.Graph(graph.indptr, graph.indices, graph.weights, directed=False)


@pytest.mark.parametrize("neighbours", [4, 8, 16])
def test_edges_and_facts_are_those_of_brute_force(neighbours):
    rng = np.random.default_rng(neighbours)
    for _ in range(40):
        cost, (height, width) = random_cost(rng), rng.choice([0.5, 1, 3], 2).tolist()
        graph = wp.Graph.of_raster(cost, spacing=(height, width), neighbours=neighbours)
        edges = brute_edges(cost, neighbours, height, width)
        assert (graph.n, graph.m) == (cost.size, len(edges))
        src, dst, weights = graph.edges()
        found = dict(zip(zip(src.tolist(), dst.tolist(), strict=True), weights, strict=True))
        assert found == edges
        assert list(found) == sorted(found)  # each row ascends
        own, theirs = graph.facts(), explicit(graph).facts()
        for name in ("m", "zero", "min_degree", "max_degree", "max_weight", "symmetric"):
            assert getattr(own, name) == getattr(theirs, name)


@pytest.mark.parametrize("neighbours", [4, 8, 16])
@pytest.mark.parametrize("threads", [1, 2])
def test_distances_and_trees_are_the_bits_of_the_graph_with_edges(neighbours, threads):
    rng = np.random.default_rng(neighbours)
    options = {"algorithm": "warpath.buckets", "threads": threads}
    for _ in range(40):
        graph = wp.Graph.of_raster(random_cost(rng), neighbours=neighbours)
        source = int(rng.integers(graph.n))
        cutoff = float(rng.choice([math.inf, 2.0]))
        paths = wp.sssp(graph, source, cutoff=cutoff, **options)
        dist, pred = paths.dist, paths.pred
        assert not graph.has_rows
        other = wp.sssp(explicit(graph), source, cutoff=cutoff, algorithm="classic.dijkstra")
        assert dist.tobytes() == other.dist.tobytes()
        assert pred.tolist() == other.pred.tolist()
        wp.verify(graph, paths)


@pytest.mark.parametrize("neighbours", [4, 8, 16])
@pytest.mark.parametrize("threads", [1, 2])
def test_allocations_are_the_bits_of_the_graph_with_edges(neighbours, threads):
    rng = np.random.default_rng(neighbours)
    for _ in range(40):
        graph = wp.Graph.of_raster(random_cost(rng), neighbours=neighbours)
        depots = rng.integers(graph.n, size=int(rng.integers(1, 6)))
        cutoff = float(rng.choice([math.inf, 2.0]))
        solver = wp.Solver(graph, algorithm="warpath.buckets", threads=threads)
        near = solver.nearest(depots, cutoff=cutoff)
        assert not graph.has_rows
        other = wp.nearest(explicit(graph), depots, cutoff=cutoff)
        assert near.dist.tobytes() == other.dist.tobytes()
        assert near.facility_indices.tolist() == other.facility_indices.tolist()
        assert near.stats["reached"] == other.stats["reached"]
        assert near.plan.algorithm == "warpath.buckets"


def test_a_lake_without_costs_is_crossed_in_breadth_first_order():
    cost = np.zeros((40, 50))
    cost[0] = 1
    paths = wp.sssp(wp.Graph.of_raster(cost), (0, 0), algorithm="warpath.buckets")
    other = wp.sssp(explicit(paths.graph), 0, algorithm="classic.dijkstra")
    assert paths.pred.tolist() == other.pred.tolist()


@pytest.mark.parametrize("neighbours", [4, 8])
def test_accumulated_costs_are_those_of_scikit_image(neighbours):
    graphs = pytest.importorskip("skimage.graph")
    rng = np.random.default_rng(0)
    for _ in range(20):
        cost = random_cost(rng)
        cost[np.isnan(cost)] = math.inf
        start = tuple(rng.integers(cost.shape).tolist())
        cost[start] = 1.0
        sides = rng.choice([0.5, 1, 3], 2)
        full = neighbours == 8
        search = graphs.MCP_Geometric(cost, fully_connected=full, sampling=tuple(sides.tolist()))
        graph = wp.Graph.of_raster(cost, spacing=sides, neighbours=neighbours)
        theirs, _ = search.find_costs([start])
        np.testing.assert_allclose(wp.sssp(graph, start).to_raster(), theirs, rtol=1e-14)


def test_accumulated_costs_are_those_of_scipy():
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    cost = np.random.default_rng(1).random((30, 20))
    graph = wp.Graph.of_raster(cost, neighbours=16, spacing=(2, 1))
    theirs = csgraph.dijkstra(graph.to_scipy(), indices=7 * 20 + 3)
    np.testing.assert_allclose(wp.sssp(graph, (7, 3)).dist, theirs, rtol=1e-14)


COST = np.array([[1.0, 5, 1, 1], [1, math.inf, 9, 1], [1, 1, 1, 1]])
TRANSFORM = (30.0, 0, 500, 0, -30, 900)


def test_results_come_back_as_rasters_and_cells():
    graph = wp.Graph.of_raster(COST, neighbours=4)
    paths = wp.sssp(graph, (0, 0))
    surface = paths.to_raster()
    assert surface.shape == COST.shape
    assert surface[1, 1] == math.inf
    route = wp.path(graph, (0, 0), (1, 2))
    assert [part.tolist() for part in route.cells] == [[0, 1, 2, 2, 2, 1], [0, 0, 0, 1, 2, 2]]
    assert surface[1, 2] == route.length == paths.path_to((1, 2)).length == 9
    assert route.to_raster().tolist() == [[1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]]
    near = wp.nearest(graph, [(0, 0), (2, 3)])
    allocation = near.to_raster(near.facility_rows)
    assert allocation.tolist() == [[0, 0, 1, 1], [0, -1, 1, 1], [0, 1, 1, 1]]
    assert near.to_raster()[0, 1] == 3
    within = wp.within(graph, (0, 0), 2)
    assert np.isfinite(within.to_raster()).tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    assert paths.detach().to_raster().tolist() == surface.tolist()


@pytest.mark.parametrize(
    "given",
    [
        [(0, 1), (2, 3)],
        ((0, 1), (2, 3)),
        {(2, 3), (0, 1)},
        np.array([[0, 1], [2, 3]]),
        [(0, 1), 11],
        [1, 11],
        {(0, 1): "mill", (2, 3): "shop"},
        [wp.Place(531, 899), wp.Place(619, 811)],
        [wp.Place(531, 899), (2, 3)],
    ],
)
def test_cells_are_named_by_row_and_column_number_or_coordinate(given):
    graph = wp.Graph.of_raster(COST, transform=TRANSFORM, spacing=1)
    table = wp.distances(graph, [0], given)
    assert table.dist.tolist() == wp.distances(graph, [0], [1, 11]).dist.tolist()


def test_coordinates_are_those_of_the_transform():
    affine = (*TRANSFORM, 0.0, 0, 1)  # as rasterio's Affine
    graph = wp.Graph.of_raster(COST, transform=affine)
    assert graph.spacing == (30, 30)
    assert graph.raster.cell(500, 900) == (0, 0)
    assert graph.raster.cell(619.9, 810.1) == (2, 3)
    assert graph.index_of((2, 3)) == graph.index_of(wp.Place(619, 811)) == 11
    route = wp.path(graph, wp.Place(501, 899), (0, 1))
    assert route.coordinates.tolist() == [[515, 885], [545, 885]]
    turned = wp.Graph.of_raster(COST, transform=(0.6, -0.8, 10, 0.8, 0.6, 20), spacing=(1, 1))
    for vertex in range(turned.n):
        x, y = turned.raster.coordinates(vertex).tolist()
        assert turned.index_of(wp.Place(x, y)) == vertex


@pytest.mark.parametrize("barrier", [math.nan, math.inf, "mask", "masked"])
def test_barriers_enclose_a_source(barrier):
    cost, wall = np.ones((5, 6)), np.zeros((5, 6), np.bool_)
    wall[1:4, 1:4], wall[2, 2] = True, False
    if barrier == "mask":
        graph = wp.Graph.of_raster(cost.astype(np.int16), mask=wall)
    elif barrier == "masked":
        graph = wp.Graph.of_raster(np.ma.array(cost, mask=wall))
    else:
        graph = wp.Graph.of_raster(np.where(wall, barrier, cost))
    assert wp.sssp(graph, (2, 2)).reached.sum() == 1
    with pytest.raises(NoPathError, match="14"):
        wp.path(graph, (2, 2), (0, 0))
    assert wp.sssp(graph, (0, 0)).reached.sum() == 30 - 9


def test_a_knights_move_passes_a_barrier_one_cell_wide():
    cost = np.ones((3, 3))
    cost[1] = math.nan
    assert wp.sssp(wp.Graph.of_raster(cost), 0).reached.sum() == 3
    route = wp.path(wp.Graph.of_raster(cost, neighbours=16), (0, 0), (2, 1))
    assert route.length == math.sqrt(5)


@pytest.mark.parametrize("shape", [(1, 7), (7, 1), (1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize("neighbours", [4, 8, 16])
def test_narrow_rasters_are_lines(shape, neighbours):
    cost = np.arange(1, 1 + math.prod(shape), dtype=np.int32).reshape(shape)
    graph = wp.Graph.of_raster(cost, neighbours=neighbours)
    paths = wp.sssp(graph, 0, algorithm="warpath.buckets")
    steps = (cost.ravel()[1:] + cost.ravel()[:-1]) / 2
    assert paths.dist.tolist() == [0, *np.cumsum(steps).tolist()]
    assert list(paths.path_to(graph.n - 1)) == list(range(graph.n))


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_a_raster_without_cells_is_a_graph_without_vertices(shape):
    graph = wp.Graph.of_raster(np.ones(shape))
    assert (graph.n, graph.m) == (0, 0)
    with pytest.raises(VertexError, match="no vertices"):
        wp.sssp(graph, 0)
    with pytest.raises(VertexError, match=r"outside the raster of \d rows"):
        wp.sssp(graph, (0, 0))


def test_other_types_of_costs_are_converted():
    for dtype in (np.uint8, np.int32, np.uint64, np.float32, np.bool_, np.float16):
        graph = wp.Graph.of_raster(np.ones((3, 4), dtype)[::-1])
        assert wp.sssp(graph, (0, 0)).to_raster()[0].tolist() == [0, 1, 2, 3]
    assert wp.Graph.of_raster([[1, 2], [3, 4]], neighbours=4).weights.tolist()[:2] == [1.5, 2]
    assert not np.signbit(wp.Graph.of_raster([[-0.0, -0.0]]).weights).any()


@pytest.mark.parametrize(
    ("cost", "options", "error", "words"),
    [
        ([[1, 2], [3, -1]], {}, WeightError, "cost[1, 1] = -1.0 is negative"),
        ([[1, -math.inf]], {}, WeightError, "cost[0, 1] = -inf is negative"),
        (np.ones(3), {}, GraphError, "shape (3,)"),
        (np.ones((1, 3, 4)), {}, GraphError, "dataset.read(1)"),
        ([[1, 2], [3]], {}, GraphError, "different lengths"),
        ([["a"]], {}, WeightError, "type <U1"),
        ([[1j]], {}, WeightError, "type complex128"),
        ([[2**53 + 1]], {}, WeightError, "above 2**53"),
        ([[1e308, 1e308]], {}, WeightError, "do not fit float64"),
        (COST, {"neighbours": 6}, InputError, "must be 4, 8 or 16"),
        (COST, {"neighbours": "8"}, InputError, "must be 4, 8 or 16"),
        (COST, {"neighbours": np.array([8, 4])}, InputError, "must be 4, 8 or 16"),
        (COST, {"spacing": 0}, InputError, "spacing = 0"),
        (COST, {"spacing": (1, math.nan)}, InputError, "spacing = (1, nan)"),
        (COST, {"spacing": (1, 2, 3)}, InputError, "or two"),
        (COST, {"mask": np.ones((2, 2), np.bool_)}, InputError, "shape (3, 4)"),
        (COST, {"mask": COST}, InputError, "a bool for each cell"),
        (COST, {"mask": [[0], [1, 2]]}, InputError, "its rows have different lengths"),
        (COST, {"transform": (1, 0, 0)}, InputError, "six finite numbers"),
        (COST, {"transform": 3}, InputError, "six finite numbers"),
        (COST, {"transform": (500, 30, 0, 900, 0, -30, 1, 2, 3)}, InputError, "six finite"),
        (COST, {"transform": (1, 2, 0, 2, 4, 0)}, InputError, "without an area"),
    ],
)
def test_bad_input_is_refused_with_its_place(cost, options, error, words):
    with pytest.raises(error, match=re.escape(words)):
        wp.Graph.of_raster(cost, **options)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ((3, 0), "source is the cell (3, 0), outside the raster of 3 rows and 4 columns"),
        ((-1, 0), "source is the cell (-1, 0)"),
        ((0.5, 1), "is not a vertex"),
        (12, "vertices are 0 .. 11"),
        (wp.Place(0, 0), "x = 0, y = 0 is outside the raster, which has x 500 .. 620"),
    ],
)
def test_cells_outside_the_raster_are_refused(source, words):
    graph = wp.Graph.of_raster(COST, transform=TRANSFORM)
    with pytest.raises(VertexError, match=re.escape(words)):
        wp.sssp(graph, source)


def test_the_first_cell_outside_is_named_with_its_position():
    graph = wp.Graph.of_raster(COST)
    with pytest.raises(VertexError, match=re.escape("facilities[1] is the cell (0, 4)")):
        wp.nearest(graph, [(0, 0), (0, 4)])
    with pytest.raises(VertexError, match=re.escape("facilities[1] is the cell (0, 4)")):
        wp.nearest(graph, np.array([[0, 0], [0, 4]]))
    with pytest.raises(VertexError, match="float64: rows and columns must be integers"):
        wp.nearest(graph, np.array([[0, 0], [0, 1.5]]))
    with pytest.raises(GraphError, match="no transform"):
        wp.sssp(graph, wp.Place(1, 1))


def test_values_of_other_shapes_are_no_raster():
    paths = wp.sssp(wp.Graph.of_raster(np.ones((1, 2))), 0)
    with pytest.raises(InputError, match="values is not an array: its rows have different lengths"):
        paths.to_raster([[0], [1, 2]])
    with pytest.raises(InputError, match=r"values\[1\] is masked"):
        paths.to_raster(np.ma.array([1, 2], mask=[False, True]))


def test_other_graphs_have_no_raster():
    graph = wp.Graph.of([(0, 1, 2)])
    for result in (wp.sssp(graph, 0), wp.path(graph, 0, 1), wp.within(graph, 0, 3)):
        with pytest.raises(GraphError, match=r"to_raster: the graph was not made of a raster"):
            result.to_raster()
    paths = wp.sssp(wp.Graph.of_raster(COST), 0)
    with pytest.raises(InputError, match="each of the raster's 12 cells"):
        paths.to_raster(COST)
    part = wp.Graph.of_raster(COST).subgraph([(0, 0), (0, 1)])
    assert part.raster is None


def test_a_graph_is_pickled_with_its_costs():
    graph = wp.Graph.of_raster(COST, transform=TRANSFORM, neighbours=16)
    again = pickle.loads(pickle.dumps(graph))  # noqa: S301 - ours
    assert repr(again) == repr(graph)
    assert again.raster == graph.raster
    assert again.facts() == graph.facts()
    assert again.weights.tolist() == graph.weights.tolist()
    changed = graph.with_weights(2 * graph.weights)
    assert wp.sssp(changed, 0).to_raster()[0, 1] == 2 * wp.sssp(graph, 0).to_raster()[0, 1]


def test_edges_that_do_not_fit_memory_are_refused_and_not_needed(monkeypatch):
    graph = wp.Graph.of_raster(np.ones((600, 600)))
    monkeypatch.setenv("WARPATH_MEMORY", "30MB")
    paths = wp.sssp(graph, (0, 0), algorithm="warpath.buckets")
    assert len(paths.path_to((599, 599))) == 600
    depots = wp.nearest(graph, [(0, 0), (599, 599)])
    assert np.bincount(depots.facility_rows).tolist() == [180_300, 179_700]  # ties to the first
    assert not graph.has_rows
    with pytest.raises(NotEnoughMemoryError, match="the edges of the raster's graph in memory"):
        wp.distances(graph, [(0, 0), (5, 5)], [(1, 1)])
    with pytest.raises(NotEnoughMemoryError, match="the costs of 4,000,000 cells need"):
        wp.Graph.of_raster(np.ones((2000, 2000)))
