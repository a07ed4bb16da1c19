"""Real graphs solved whole: known sums, real negative cycles, re-weighted roads."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from support.recipes import on_cpu
from warpath.recipes import Loop, Task

NY_SUM = 186_686_642_878  # of all distances from vertex 1, as the challenge's users publish it

ROME_SUM = 160_839_610_183  # of all pairs; SciPy's Dijkstra gives the same


@pytest.fixture(scope="module")
def new_york(data_folder):
    return wp.read(data_folder / "USA-road-d.NY.gr.gz")


# A recipe that settles in rounds makes one for each of New York's 227,575 distances: minutes over
# rows, and over a matrix 521 GiB.
SEARCHES = [
    recipe.name
    for recipe in on_cpu(Task.SSSP)
    if recipe.loop is not Loop.SETTLE and not recipe.equal_weights
]


@pytest.mark.parametrize("name", SEARCHES)
def test_every_search_finds_the_known_sum_on_new_york(new_york, name):
    paths = wp.sssp(new_york, 0, algorithm=name)
    assert int(paths.dist.sum()) == NY_SUM
    wp.verify(new_york, paths)


def test_new_york_with_floats_gives_the_same_sum(new_york):
    paths = wp.sssp(new_york.astype("float64"), 0)
    assert paths.dist.sum() == NY_SUM
    wp.verify(new_york, wp.sssp(new_york, 0))


def test_new_york_reweighted_by_a_potential_has_the_distances_of_new_york(new_york):
    exact = wp.sssp(new_york, 0).dist
    p = np.random.default_rng(7).integers(0, 10**6, new_york.n)
    src, dst, weights = new_york.edges()
    shifted = new_york.with_weights(weights.astype(np.int64) + p[src] - p[dst])
    assert shifted.facts(symmetry=False).negative > 100_000
    paths = wp.sssp(shifted, 0)
    assert paths.plan.algorithm == "classic.bellman_ford"
    assert np.array_equal(paths.dist - p[0] + p, exact)
    wp.verify(shifted, paths)
    table = wp.distances(shifted, [0, 1], algorithm="classic.johnson")
    assert np.array_equal(table.dist[0] - p[0] + p, exact)
    assert np.array_equal(table.dist[1] - p[1] + p, wp.sssp(new_york, 1).dist)


def test_bitcoin_otc_has_a_real_negative_cycle(data_folder):
    graph = wp.read(data_folder / "soc-sign-bitcoinotc.csv.xz", weight="feature")
    edges = {(u, v): w for u, v, w in zip(*(part.tolist() for part in graph.edges()), strict=True)}
    for call in (
        lambda: wp.sssp(graph, 6),
        lambda: wp.apsp(graph),
        lambda: wp.distances(graph, [6, 2], [5]),
        lambda: wp.path(graph, 6, 5),
    ):
        with pytest.raises(wp.NegativeCycleError) as caught:
            call()
        at = graph.index_of(caught.value.cycle).tolist()
        total = sum(edges[pair] for pair in zip(at, at[1:] + at[:1], strict=True))
        assert total == caught.value.length < 0


def test_zones_of_berlin_are_not_passed_through(data_folder):
    graph = wp.read(data_folder / "berlin-center_net.tntp.xz")
    paths = wp.sssp(graph, 0)
    wp.verify(graph, paths)
    inner = set(paths.pred.tolist()) - {-1, 0}
    assert min(inner) >= graph.first_through == 865
    free = wp.Graph(graph.indptr, graph.indices, graph.weights)
    assert np.all(wp.sssp(free, 0).dist <= paths.dist)
    assert not np.array_equal(wp.sssp(free, 0).dist, paths.dist)


@pytest.mark.parametrize("name", ["classic.floyd_warshall", "classic.johnson", "classic.dijkstra"])
def test_all_pairs_of_rome_agree(data_folder, name):
    graph = wp.read(data_folder / "rome99.gr.xz")
    table = wp.apsp(graph, algorithm=name)
    assert int(table.dist.sum()) == int(wp.apsp(graph).dist.sum()) == ROME_SUM


#: The files whose graphs have a hierarchy, with the options of `read` that they need.
PREPARED = {
    "Anaheim_net.tntp.xz": {},
    "ChicagoSketch_net.tntp.xz": {},
    "SiouxFalls_net.tntp.xz": {},
    "USA-road-d.NY.gr.gz": {},
    "berlin-center_net.tntp.xz": {},
    "delaunay_n13.mtx.xz": {},
    "delaunay_n15.graph.xz": {},
    "delaunay_n16.mtx.xz": {"header": "coordinate pattern symmetric", "n": 65536},
    "liechtenstein-latest.osm.pbf": {"weight": "metres"},
    "monaco.osm.gz": {"weight": "seconds"},
    "p2p-Gnutella04.txt.xz": {},
    "p2p-Gnutella08.txt.xz": {},
    "rome99.gr.xz": {},
    "usroads.mtx.xz": {},
}
#: Those that are refused, and why. Left out for their time: p2p-Gnutella31, brightkite_edges,
#: soc-Epinions1-lwcc and soc-Slashdot0902 are refused after 30 to 80 s, and cnr-2000 is prepared.
REFUSED = {
    "p2p-Gnutella30.txt.xz": ({}, wp.NotSupportedError, "this graph has no useful hierarchy"),
    "soc-sign-bitcoinotc.csv.xz": (
        {"weight": "feature"},
        wp.NegativeWeightError,
        "3,563 negative weights, and a hierarchy needs",
    ),
}
prepared_anew = pytest.mark.full(
    "preparing the real graphs",
    "cpp/include/warpath/hierarchy/*.hpp",
    "src/warpath/engines/hierarchy.py",
)


@prepared_anew
@pytest.mark.parametrize("name", PREPARED)
def test_a_prepared_real_graph_answers_as_the_graph_itself(name, data_folder):
    graph = wp.read(data_folder / name, **PREPARED[name])
    city = wp.prepare(graph, threads=2)
    origins, destinations = np.random.default_rng(1).integers(0, graph.n, (2, 40))
    names = graph.label_of(origins), graph.label_of(destinations)
    found, expected = city.pairs(*names), wp.pairs(graph, *names)
    table = city.distances(names[0][:5], names[1])
    right = wp.distances(graph, names[0][:5], names[1]).dist
    if graph.weight_dtype.kind == "f":  # their sums are rounded in another order
        most = graph.n * np.finfo(graph.dist_dtype).eps
        assert np.allclose(found.dist, expected.dist, rtol=most, atol=0)
        assert np.allclose(table.dist, right, rtol=most, atol=0)
        return
    assert found.dist.tolist() == expected.dist.tolist()
    assert table.dist.tolist() == right.tolist()
    for trip in np.flatnonzero(found.reached)[:5].tolist():
        ends = names[0][trip], names[1][trip]
        assert city.path(*ends).indices.tolist() == wp.path(graph, *ends).indices.tolist()


@prepared_anew
@pytest.mark.parametrize("name", REFUSED)
def test_a_real_graph_without_a_hierarchy_is_refused_with_the_reason(name, data_folder):
    options, error, reason = REFUSED[name]
    graph = wp.read(data_folder / name, **options)
    with pytest.raises(error, match=reason):
        wp.prepare(graph, threads=2)
