"""Calls that the workers of a Dask cluster answer: the same bits, and errors with a way out."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import warpath as wp
from support.dask_cluster import cluster
from warpath.api import cluster_calls
from warpath.cli.app import run
from warpath.engines import betweenness
from warpath.engines.cluster import clients
from warpath.graph.input_edges import InputEdges
from warpath.graph.turns import Turns
from warpath.planner.cpu_model import Size
from warpath.planner.device_kind import Hardware
from warpath.planner.plan import choose
from warpath.planner.request import Request
from warpath.recipes import Task

pytest.importorskip("distributed")
# Of sockets that Dask closes late.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def client():
    with cluster() as made:
        yield made


@pytest.fixture(scope="module")
def roads():
    return wp.Graph.of("examples/data/rome99.gr.xz")


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of few rows, so that every worker gets some."""
    monkeypatch.setattr(cluster_calls, "_BLOCK_BYTES", 2**18)
    monkeypatch.setattr(cluster_calls, "_STORED_BYTES", 2**18)


def labelled(dtype="int64", *, closed=0):
    """A small graph with labels, a part that is not reached, and closed vertices."""
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 40, (2, 130))
    weights = rng.integers(0, 9, 130).astype(dtype) / (4 if np.dtype(dtype).kind == "f" else 1)
    weights = weights.astype(dtype)
    names = [f"v{v}" for v in range(42)]
    made = wp.Graph.from_edges(src, dst, weights, n=42)
    return wp.Graph(made.indptr, made.indices, made.weights, labels=names, first_through=closed)


@pytest.mark.usefixtures("small_blocks")
def test_a_table_has_the_bits_of_this_process(client, roads):
    sources = np.arange(0, roads.n, 17)
    here, there = wp.distances(roads, sources), wp.distances(roads, sources, device=client)
    assert (there.dist == here.dist).all()
    assert there.dist.dtype == here.dist.dtype
    rows = {name: value for name, value in there.stats.items() if name.startswith("rows on tcp")}
    assert sum(rows.values()) == len(sources)


def test_many_targets_are_sent_once(client, roads):
    targets = np.arange(5000) % roads.n
    found = wp.distances(roads, np.arange(0, 3000, 100), targets, device=client)
    assert (found.dist == wp.distances(roads, np.arange(0, 3000, 100), targets).dist).all()


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_labels_closed_vertices_cutoffs_and_predecessors(client, dtype):
    graph = labelled(dtype, closed=3)
    sources, targets = ["v1", "v5", "v5", "v41"], ["v7", "v1", "v40"]
    options = {"cutoff": 9, "predecessors": True}
    for columns in (None, targets):
        here = wp.distances(graph, sources, columns, **options)
        there = wp.distances(graph, sources, columns, device=client, **options)
        assert (there.dist == here.dist).all()
        assert (there.pred == here.pred).all()
    trips = wp.pairs(graph, sources[:3], targets, device=client)
    assert (trips.dist == wp.pairs(graph, sources[:3], targets).dist).all()


def test_totals_nearest_and_routes(client):
    graph = labelled()
    names = ["sum", "max", "count", "harmonic"]
    here, there = wp.totals(graph, names), wp.totals(graph, names, device=client)
    assert all((here[name] == there[name]).all() for name in names)
    solver = wp.Solver(graph, device=client)
    for reverse in (False, True):
        near, same = (
            solver.nearest(["v3", "v9"], reverse=reverse),
            wp.nearest(graph, ["v3", "v9"], reverse=reverse),
        )
        assert (near.dist == same.dist).all()
        assert (near.facility_indices == same.facility_indices).all()
    table = solver.distances(["v1"], ["v7"])
    assert table.path("v1", "v7").length == wp.path(graph, "v1", "v7").length


@pytest.mark.parametrize("prepared", [False, True])
def test_betweenness_has_the_bits_of_this_process(client, monkeypatch, prepared):
    monkeypatch.setattr(betweenness, "BLOCK", 256)
    grid = wp.generate.grid(30, 40, weights=(1, 9))
    seen = []
    there = wp.Solver(grid, device=client, prepared=prepared)
    for more in ({}, {"cutoff": [20, 40], "by": grid.edges()[2] + 1}):
        here = wp.centrality.betweenness(wp.Solver(grid, prepared=prepared), **more)
        found = wp.centrality.betweenness(
            there, progress=lambda done, total: seen.append((done, total)), **more
        )
        assert found.vertices.tobytes() == here.vertices.tobytes()
        assert found.edges.tobytes() == here.edges.tobytes()
        assert found.method == here.method
    assert (256, grid.n) in seen
    assert seen[-1] == (grid.n, grid.n)
    with pytest.raises(wp.NotSupportedError, match="on the cluster Solver"):
        wp.centrality.closeness(there)


def test_sums_along_routes_are_those_of_this_machine(client):
    rows = labelled()
    given = InputEdges(np.arange(rows.m), rows.m, {"toll": np.arange(rows.m)})
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, given=given)
    here, there = wp.Solver(graph), wp.Solver(graph, device=client)
    ends = np.arange(graph.n), np.arange(graph.n)[::-1]
    sums = [each.pairs(*ends, also=["toll"]).also["toll"].tolist() for each in (here, there)]
    assert sums[0] == sums[1]
    with pytest.raises(wp.NotSupportedError, match="also= is for tables"):
        there.distances(ends[0], also=["toll"])


def test_turns_are_honoured(client):
    rows = labelled()
    back = np.full(rows.m, -1)
    first = np.flatnonzero(np.diff(rows.indptr)[rows.indices])[:20]
    turns = Turns(np.stack([first, rows.indptr[rows.indices[first]]], axis=1), back)
    graph = wp.Graph(rows.indptr, rows.indices, rows.weights, turns=turns)
    here, there = wp.Solver(graph), wp.Solver(graph, device=client)
    assert (there.apsp().dist == here.apsp().dist).all()
    assert (here.apsp().dist != wp.apsp(rows).dist).any()
    assert (there.totals("sum")["sum"] == here.totals("sum")["sum"]).all()
    everyone = np.arange(graph.n)
    pairs = [each.pairs(everyone, everyone[::-1]).dist for each in (here, there)]
    assert (pairs[0] == pairs[1]).all()
    for reverse in (False, True):
        near = [each.nearest([0, 7], reverse=reverse) for each in (here, there)]
        assert near[0].dist.tolist() == near[1].dist.tolist()
        assert near[0].facility_indices.tolist() == near[1].facility_indices.tolist()


def test_a_prepared_solver_is_prepared_on_the_workers(client, roads):
    city = wp.Solver(roads, device=client, prepared=True)
    sources = np.arange(0, roads.n, 40)
    found = city.distances(sources)
    assert (found.dist == wp.distances(roads, sources).dist).all()
    assert "delling2011.phast on cpu" in str(found.plan)


def test_negative_weights_are_refused_before_anything_is_sent(client):
    with pytest.raises(wp.NegativeWeightError, match="1 negative weight, and a hierarchy needs"):
        wp.Solver([(0, 1, -2), (1, 2, 3)], device=client, prepared=True)


def test_a_graph_that_is_prepared_for_a_cluster_is_sent_once(client, monkeypatch):
    sent = []

    def send(*args, prepared):
        sent.append(prepared)
        return submit(*args, prepared=prepared)

    submit = cluster_calls.send
    monkeypatch.setattr(cluster_calls, "send", send)
    city = wp.prepare([(0, 1, 2), (1, 2, 5)], device=client)
    assert sent == [True]
    assert city.distances([0]).dist.tolist() == [[0, 2, 7]]


@pytest.mark.parametrize("reverse", [False, True])
def test_nearest_of_a_prepared_graph_whose_sums_round_has_the_bits_of_this_process(client, reverse):
    """A hierarchy rounds sums in another order, so that the worker searches in the graph."""
    graph = wp.generate.road(2000, seed=1)
    city = wp.prepare(graph.with_weights(np.random.default_rng(3).random(graph.m)))
    there = wp.Solver(city.graph, device=client, prepared=True)
    found, same = (each.nearest([3, 700], reverse=reverse) for each in (there, city))
    assert found.dist.tolist() == same.dist.tolist()
    assert found.facility_indices.tolist() == same.facility_indices.tolist()
    assert "workers ran warpath.buckets" in str(found.plan)
    within = [each.within([3, 700], 5, reverse=reverse) for each in (there, city)]
    assert within[0].vertices.tolist() == within[1].vertices.tolist()


def test_totals_of_a_prepared_graph_whose_sums_round_are_those_of_this_process(client):
    graph = wp.generate.road(2000, seed=1)
    city = wp.prepare(graph.with_weights(np.random.default_rng(3).random(graph.m)))
    there = wp.Solver(city.graph, device=client, prepared=True)
    sources, names = range(0, graph.n, 100), ["sum", "max", "count", "harmonic"]
    for options in ({}, {"targets": [3, 700, 1500]}, {"cutoff": 5.0}):
        found, same = (each.totals(names, sources=sources, **options) for each in (there, city))
        for name in names:
            assert found[name].tolist() == same[name].tolist()


@pytest.mark.parametrize("prepared", [False, True])
def test_places_are_points_along_edges_on_workers_too(client, prepared):
    graph = wp.generate.road(2000, seed=1)
    low, high = graph.coordinates.min(axis=0), graph.coordinates.max(axis=0)
    ends = np.random.default_rng(4).uniform(low, high, (8, 2))
    places = [wp.Place(*end, within=1e9) for end in ends.tolist()]
    there = wp.Solver(graph, device=client, prepared=prepared)
    here = wp.prepare(graph) if prepared else wp.Solver(graph)
    for ask in (
        lambda solver: solver.distances(places, [*places, 5]).dist,
        lambda solver: solver.pairs(places, places[::-1]).dist,
        lambda solver: solver.totals("sum", sources=places)["sum"],
        lambda solver: solver.nearest(places).facility_rows,
        lambda solver: solver.nearest([*places, 7], reverse=True).dist,
        lambda solver: solver.within(places, 9000, reverse=True).dist,
        lambda solver: [solver.nearest(places).count_of_facilities],
    ):
        assert np.array(ask(there)).tolist() == np.array(ask(here)).tolist()
    table = there.nearest(places)
    assert table.names == {}
    assert table.point_sources.links.rows.max() < len(places)


def test_a_file_that_all_workers_see_is_not_sent(client, tmp_path):
    graph, path = labelled(), tmp_path / "small.wph"
    wp.prepare(graph).save(path)
    loaded = wp.load(path).graph
    sent = cluster_calls.sent_graph(client, loaded, prepared=False)
    assert sent.parts[0] == str(path)
    table = wp.distances(loaded, ["v1", "v2"], device=client)
    assert (table.dist == wp.distances(graph, ["v1", "v2"]).dist).all()


@pytest.mark.usefixtures("small_blocks")
def test_files_are_written_and_continued(client, roads, tmp_path, monkeypatch):
    from warpath.io import streams

    monkeypatch.setattr(streams, "CHUNK_BYTES", 2**17)
    sources = np.arange(0, roads.n, 9)
    expected = wp.distances(roads, sources).dist

    def stop(done, _):
        if done >= 100:
            raise KeyboardInterrupt

    for name in ("table.zarr", "table.npy"):
        out = tmp_path / name
        with pytest.raises(KeyboardInterrupt):
            wp.distances(roads, sources, out=out, device=client, progress=stop)
        found = wp.distances(roads, sources, out=out, device=client)
        assert (found.dist[:] == expected).all()
        assert found.stats["resumed"] >= 75
        assert [path.name for path in tmp_path.iterdir() if name in path.name] == [name]


@pytest.mark.usefixtures("small_blocks")
def test_a_run_of_a_cluster_is_continued_here(client, roads, tmp_path, monkeypatch):
    from warpath.io import streams

    monkeypatch.setattr(streams, "CHUNK_BYTES", 2**17)

    def stop(done, _):
        if done >= 100:
            raise KeyboardInterrupt

    out, sources = tmp_path / "table.zarr", np.arange(0, roads.n, 9)
    with pytest.raises(KeyboardInterrupt):
        wp.distances(roads, sources, out=out, device=client, progress=stop)
    found = wp.distances(roads, sources, out=out)
    assert found.stats["resumed"] >= 75
    assert (found.dist[:] == wp.distances(roads, sources).dist).all()


def test_a_table_that_another_call_writes_is_refused(client, roads, tmp_path):
    out = tmp_path / "table.zarr"
    refused = []

    def again(*_):
        with pytest.raises(wp.OutputError, match="is writing it at this moment") as error:
            wp.apsp(roads, out=out, device=client)
        refused.append(error)

    wp.distances(roads, np.arange(99), out=out, device=client, progress=again)
    assert refused


def test_negative_cycles_have_the_labels_of_the_graph(client):
    graph = wp.Graph.of([("a", "b", 1), ("b", "c", -3), ("c", "a", 1)])
    with pytest.raises(wp.NegativeCycleError) as error:
        wp.distances(graph, ["a"], device=client)
    assert sorted(error.value.cycle) == ["a", "b", "c"]


def test_the_plan_says_what_each_worker_gets(client, roads):
    plan = wp.plan(roads, device=client)
    assert "2 workers share 3,353 rows" in str(plan)
    assert str(plan).count("1 thread, ") == 2
    assert plan.device == f"dask:{client.scheduler.address}"


def test_names_of_a_cluster(client, roads):
    table = wp.distances(roads, [5], [9], device=client.scheduler.address)
    assert table.dist == wp.distances(roads, [5], [9]).dist
    with client.as_current():
        assert wp.Solver(roads, device="dask").distances([5], [9]).dist == table.dist


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda g, d: wp.sssp(g, "v0", device=d),
            wp.NotSupportedError,
            "shares the rows of tables",
        ),
        (lambda g, d: wp.path(g, "v0", "v1", device=d), wp.NotSupportedError, "device='cpu'"),
        (
            lambda g, d: wp.distances(g, ["v0"], device=d, threads=2),
            wp.NotSupportedError,
            "threads=2 has no effect",
        ),
        (
            lambda g, d: wp.distances(g, ["v0"], device=d, trace=True),
            wp.NotSupportedError,
            "keep no trace",
        ),
        (
            lambda g, d: wp.apsp(g, device=d, algorithm="classic.floyd_warshall"),
            wp.NotSupportedError,
            "makes all rows at once",
        ),
    ],
)
def test_what_a_cluster_cannot_do_is_refused(client, call, error, message):
    with pytest.raises(error, match=message):
        call(labelled(), client)


def test_a_worker_of_another_version_is_named(client, tmp_path):
    package = tmp_path / "warpath-0.0.7.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: warpath\nVersion: 0.0.7\n")

    def find_first(folder, *, found):
        import distributed.versions

        sys.path[:] = [folder] * found + [path for path in sys.path if path != folder]
        distributed.versions._version_cached.cache_clear()

    first = min(worker.address for worker in clients.workers_of(client, anew=True))
    client.run(find_first, str(tmp_path), found=True, workers=[first])
    try:
        with (
            cluster_of(client) as other,
            pytest.raises(wp.NoDeviceError, match=f"worker {first} has warpath 0.0.7"),
        ):
            wp.distances(labelled(), ["v0"], device=other)
    finally:
        client.run(find_first, str(tmp_path), found=False, workers=[first])


def test_the_workers_are_not_those_of_an_update_that_names_none(client, monkeypatch):
    monkeypatch.setattr(type(client), "scheduler_info", lambda *_, **__: {"workers": {}})
    assert len(clients.workers_of(client, anew=True)) == 2


def test_a_closed_client_is_refused(client):
    graph = labelled()
    with cluster_of(client) as other:
        solver = wp.Solver(graph, device=other)
    with pytest.raises(wp.InputError, match="is closed: open another one"):
        solver.distances(["v0"])
    with pytest.raises(wp.InputError, match="is closed: open another one"):
        wp.distances(graph, ["v0"], device=other)


def test_a_cluster_without_workers_is_refused():
    with cluster(0) as empty, pytest.raises(wp.NoDeviceError, match="has no workers: start some"):
        wp.distances(labelled(), ["v0"], device=empty)


def test_an_address_without_a_scheduler_is_refused(monkeypatch):
    monkeypatch.setattr("warpath.engines.cluster.clients._SECONDS", 0.3)
    with pytest.raises(wp.NoDeviceError, match="no scheduler answers there"):
        wp.distances(labelled(), ["v0"], device="tcp://127.0.0.1:9")


def test_an_absent_scheduler_is_waited_for_once(monkeypatch):
    import distributed

    tried = []

    def absent(address, **_):
        tried.append(address)
        raise OSError("Timed out")

    monkeypatch.setattr(distributed, "Client", absent)
    with pytest.raises(wp.NoDeviceError, match="no scheduler answers there"):
        wp.distances(labelled(), ["v0"], device="tcp://127.0.0.1:8")
    assert tried == ["tcp://127.0.0.1:8"]


def test_dask_without_a_client_is_refused():
    with pytest.raises(wp.InputError, match="this process has none"):
        wp.distances(labelled(), ["v0"], device="dask")


def cluster_of(client):
    """Return another client of the same scheduler."""
    import distributed

    return distributed.Client(client.scheduler.address, set_as_default=False)


def test_the_command_takes_the_address_of_a_scheduler(client, roads, tmp_path, capsys):
    out, address = tmp_path / "full.npy", client.scheduler.address
    words = ["apsp", "examples/data/rome99.gr.xz", "--device", address, "-o", str(out), "--json"]
    assert run(words) == 0
    assert f"dask:{address}" in capsys.readouterr().out
    assert (np.load(out)[::100] == wp.distances(roads, np.arange(0, roads.n, 100)).dist).all()


def test_a_worker_without_memory_for_the_graph_is_refused_before(roads):
    hardware = Hardware(threads=2, memory=2**33, gpu_memory=2**17)
    size = Size(Task.MANY, 100, roads.n)
    with pytest.raises(wp.NotEnoughMemoryError, match="on each worker for the graph and a row"):
        choose(size, roads.facts(), hardware, Request(device="dask:tcp://10.0.0.4:8786"))
