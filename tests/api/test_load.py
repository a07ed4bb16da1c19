"""`Solver.save` and `load`: prepared graphs in files."""

from __future__ import annotations

import os
import pickle
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphFormatError, InputError, OutputError
from warpath.engines.hierarchy import HIERARCHY
from warpath.graph import Graph
from warpath.io import temporary


@pytest.fixture(scope="module")
def road():
    return wp.generate.road(2000)


@pytest.fixture(scope="module")
def city(road):
    return wp.prepare(road)


@pytest.fixture(scope="module")
def trips(road):
    return np.random.default_rng(0).integers(0, road.n, (2, 300))


@pytest.fixture
def saved(city, tmp_path):
    city.save(tmp_path / "city.wph")
    return tmp_path / "city.wph"


def one_way(dtype):
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 200, (2, 600))
    return Graph.of((src, dst, rng.integers(0, 50, 600).astype(dtype)), n=200)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("directed", [True, False])
def test_a_loaded_solver_answers_as_the_saved_one(tmp_path, road, dtype, directed):
    made = wp.prepare(one_way(dtype) if directed else road.astype(dtype))
    made.save(tmp_path / "a.wph")
    again = wp.load(tmp_path / "a.wph")
    assert repr(again) == repr(made)
    ends = np.random.default_rng(1).integers(0, 200, (2, 100))
    assert again.pairs(*ends).dist.tobytes() == made.pairs(*ends).dist.tobytes()
    assert again.distances(ends[0]).dist.tobytes() == made.distances(ends[0]).dist.tobytes()
    assert again.sssp(3).pred.tolist() == made.sssp(3).pred.tolist()
    assert again.pairs(*ends).plan.algorithm == "geisberger2008.ch"
    wp.verify(again.graph, again.sssp(3))


def test_labels_and_closed_vertices_are_those_of_the_saved_graph(tmp_path):
    edges = [(0, 2, 1), (2, 1, 1), (2, 3, 5), (3, 0, 5), (1, 3, 1)]
    graph = Graph.of(edges, n=4, first_through=2, name="zones")
    named = Graph(
        graph.indptr, graph.indices, graph.weights, first_through=2, labels=["a", "b", "c", "d"]
    )
    wp.prepare(named).save(tmp_path / "zones.wph")
    again = wp.load(tmp_path / "zones.wph")
    assert again.pairs(["a", "d"], ["b", "a"]).dist.tolist() == [2, 5]
    assert list(again.path("a", "d")) == list(wp.path(named, "a", "d"))


def test_the_hierarchy_is_loaded_and_not_built_anew(saved, monkeypatch):
    def refuse(*_, **__):
        pytest.fail("a hierarchy was built")

    monkeypatch.setattr("warpath.engines.hierarchy._contracted", refuse)
    again = wp.load(saved, threads=2)
    assert again.path(0, 9).plan.algorithm == "geisberger2008.ch"
    assert repr(again).endswith("threads=2, prepared=True>")


def test_a_graph_that_is_given_is_solved_with_its_own_labels(saved, road):
    labels = [f"v{vertex}" for vertex in range(road.n)]
    named = Graph(road.indptr, road.indices, road.weights, directed=False, labels=labels)
    again = wp.load(saved, graph=named)
    assert again.graph is named
    assert again.path("v0", "v9").plan.algorithm == "geisberger2008.ch"
    assert HIERARCHY.cached(named) is not None


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (lambda _: [(0, 1, 5)], "it has n = 2,000 and m = 5,044, this graph n = 2 and m = 1"),
        (lambda road: road.with_weights(road.weights + 1), "the edges agree, but not their weigh"),
        (lambda road: road.with_weights(None), "the edges agree, but not their weights"),
        (lambda road: road.astype("int64"), "the edges agree, but not their weights"),
        (
            lambda road: Graph(road.indptr, np.roll(road.indices, 1), road.weights),
            "the numbers of vertices and edges agree, but not the edges",
        ),
        (
            lambda road: Graph(road.indptr, road.indices, road.weights, first_through=3),
            "0 of its vertices are closed, 3 of this graph",
        ),
    ],
)
def test_a_file_of_another_graph_is_refused(saved, road, other, why):
    with pytest.raises(InputError, match=rf"city\.wph: .* for another graph: {why}.*Prepare this"):
        wp.load(saved, graph=other(road))


def test_what_has_no_hierarchy_is_not_saved(tmp_path, road):
    unprepared = Graph(road.indptr, road.indices, road.weights)
    with pytest.raises(InputError, match=r"no hierarchy to save: make it by warpath\.prepare"):
        wp.Solver(unprepared).save(tmp_path / "a.wph")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["city", "city.npz", "city.wph.gz"])
def test_a_name_without_the_suffix_is_refused(city, tmp_path, name):
    with pytest.raises(InputError, match=r"is saved as \.wph, uncompressed"):
        city.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_refused(city, tmp_path, monkeypatch):
    with pytest.raises(OutputError, match="cannot be written: No such file or directory"):
        city.save(tmp_path / "nowhere" / "a.wph")
    (tmp_path / "folder.wph").mkdir()
    with pytest.raises(OutputError, match="this is a directory"):
        city.save(tmp_path / "folder.wph")
    with pytest.raises(InputError, match="path = 7 must be a string or a Path, not int"):
        city.save(7)
    denied = PermissionError(13, "denied")
    monkeypatch.setattr(temporary.io, "FileIO", lambda *_, **__: (_ for _ in ()).throw(denied))
    with pytest.raises(OutputError, match="cannot be written: denied"):
        city.save(tmp_path / "a.wph")


def test_what_cannot_be_read_is_refused(saved, tmp_path, monkeypatch):
    with pytest.raises(GraphFormatError, match="this is a directory, but a file is needed"):
        wp.load(tmp_path)
    with pytest.raises(GraphFormatError, match="there is no such file"):
        wp.load(tmp_path / "nowhere.wph")
    with pytest.raises(InputError, match="path = None must be a string or a Path, not NoneType"):
        wp.load(None)
    with pytest.raises(InputError, match="threads = 0 must be"):
        wp.load(saved, threads=0)
    monkeypatch.setattr(
        type(saved), "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "denied"))
    )
    with pytest.raises(GraphFormatError, match="this user may not read the file"):
        wp.load(saved)


KILLED = """
import os, signal, sys
import warpath as wp
from warpath.io import array_file
real, left = array_file._bytes, [int(sys.argv[2])]
def stopped(array):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(array)
array_file._bytes = stopped
wp.prepare(wp.generate.road(50)).save(sys.argv[1])
"""


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("array", [1, 20])
def test_a_save_that_is_killed_leaves_the_old_file_or_none(saved, before, array):
    old = saved.read_bytes()
    if not before:
        saved.unlink()
    program = [sys.executable, "-c", KILLED, str(saved), str(array)]
    assert subprocess.run(program, check=False).returncode == -signal.SIGKILL
    assert (saved.read_bytes() if saved.exists() else None) == (old if before else None)
    wp.prepare(wp.generate.road(50)).save(saved)
    assert [path.name for path in saved.parent.iterdir()] == ["city.wph"]
    assert wp.load(saved).graph.n == 50


def test_a_file_that_is_replaced_stays_as_it_was_for_those_who_loaded_it(saved, road, trips):
    again = wp.load(saved)
    expected = wp.pairs(road, *trips).dist.tolist()
    saved.chmod(0o640)
    wp.prepare([(0, 1, 5)]).save(saved)
    assert again.pairs(*trips).dist.tolist() == expected
    assert again.sssp(7).dist.tolist() == wp.sssp(road, 7).dist.tolist()
    assert wp.load(saved).graph.n == 2
    assert stat.S_IMODE(saved.stat().st_mode) == 0o640


TWO = """
import sys
import numpy as np
import warpath as wp
city = wp.load(sys.argv[1])
print("loaded", flush=True)
sys.stdin.readline()
trips = np.random.default_rng(0).integers(0, city.graph.n, (2, 300))
mapped = sys.platform != "linux" or sys.argv[1] in open("/proc/self/maps").read()
print(mapped, int(city.pairs(*trips).dist.sum()), city.path(0, 9).length)
"""


def test_two_processes_load_one_file_at_once(saved, city, trips):
    program = [sys.executable, "-c", TWO, str(saved)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(program, **pipes) for _ in range(2)]
    for each in both:
        assert each.stdout.readline() == "loaded\n"
    said = [each.communicate("go\n", timeout=60)[0] for each in both]
    total, length = int(city.pairs(*trips).dist.sum()), city.path(0, 9).length
    assert said == 2 * [f"True {total} {length}\n"]


def test_threads_share_a_loaded_solver(saved, road, trips):
    again = wp.load(saved)
    expected = [wp.path(road, *ends).indices.tolist() for ends in trips.T[:80]]
    with ThreadPoolExecutor(8) as pool:
        routes = list(pool.map(lambda ends: again.path(*ends), trips.T[:80]))
        tables = list(pool.map(lambda _: again.pairs(*trips).dist.tolist(), range(16)))
    assert [route.indices.tolist() for route in routes] == expected
    assert all(table == tables[0] for table in tables)


def test_a_loaded_solver_is_pickled_without_its_file(saved, city, trips):
    data = pickle.dumps(wp.load(saved))
    os.unlink(saved)  # noqa: PTH108 - the file is gone before the solver is made again
    again = pickle.loads(data)  # noqa: S301 - our own bytes
    assert again.pairs(*trips).dist.tolist() == city.pairs(*trips).dist.tolist()
    assert HIERARCHY.cached(again.graph) is not None


def test_loading_reports_its_progress_in_bytes(saved):
    seen = []
    wp.load(saved, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {seen[-1][0]}


def test_an_interrupt_while_loading_is_not_taken_for_damage(saved):
    def press(_done, _total):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        wp.load(saved, progress=press)
    assert wp.load(saved).graph.n == 2000


def test_steps_that_cost_are_logged_with_their_time(caplog):
    road = wp.generate.road(300)
    with caplog.at_level("INFO", "warpath"):
        city = wp.prepare(road)
        city.with_weights(road.weights * 2)
        city.pairs([0], [5])
    first, second = (record.getMessage() for record in caplog.records)
    assert first.startswith("built a contraction hierarchy of 300 vertices in ")
    assert second.startswith("found the arcs of 300 vertices for any weights in ")
