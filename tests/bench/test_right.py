"""Sources and right answers, what counts as wrong, and the peers on nasty graphs."""

from __future__ import annotations

import numpy as np
import pytest

import warpath as wp
from warpath_bench import right, workloads
from warpath_bench.peers import PEERS
from warpath_bench.workloads import typed


def test_sources_are_seeded_have_edges_and_come_once():
    graph = wp.Graph.from_edges([3, 5], [1, 1], n=50)
    assert right.sources_of(graph, 20) == right.sources_of(graph, 20)
    assert sorted(right.sources_of(graph, 20)) == [3, 5]
    big = wp.generate.uniform(500, 3)
    assert right.sources_of(big, 8) == right.sources_of(big, 30)[:8]


def test_sources_that_reach_little_are_passed_over():
    # A ring of 60, and 200 pairs that lead nowhere else.
    ring = np.arange(60)
    pairs = 60 + 2 * np.arange(200)
    graph = wp.Graph.from_edges(
        np.concatenate((ring, pairs)), np.concatenate(((ring + 1) % 60, pairs + 1))
    )
    found = right.answers(graph, 4)
    assert len(found) == 4
    assert set(found) <= set(ring.tolist())
    assert set(found) == set(list(right.answers(graph, 9))[:4])
    assert all(
        right.wrong_of(wp.sssp(graph, s).dist, one.dist) == (0, 0) for s, one in found.items()
    )


def test_where_few_reach_much_the_best_of_the_rest_are_taken():
    hub = np.arange(1, 400)
    src = np.concatenate((np.zeros(399, int), hub[:200], [1]))
    dst = np.concatenate((hub, hub[:200] + 1, [0]))
    graph = wp.Graph.from_edges(src, dst)
    found = right.answers(graph, 10)
    assert len(found) == 10


def test_an_answer_that_breaks_the_certificate_is_no_right_answer(monkeypatch):
    graph = wp.generate.grid(5, 5)
    solve = right.sssp

    def wrong(*given, **named):
        paths = solve(*given, **named)
        return wp.Paths(graph, 0, paths.dist + 1, tree=lambda: paths.pred)

    monkeypatch.setattr(right, "sssp", wrong)
    with pytest.raises(wp.VerificationError):
        right.answers(graph, 1)


BIG = np.iinfo(np.int64).max


@pytest.mark.parametrize(
    ("mine", "other", "expected"),
    [
        (np.array([0, 5, BIG]), np.array([0.0, 5, np.inf]), (0, 0)),
        (np.array([0, 5, BIG]), np.array([0, 5, BIG]), (0, 0)),
        (np.array([0, 5, 7]), np.array([0.0, 6, 9]), (2, 2)),
        (np.array([0, 5, 7]), np.array([0.0, 5, np.inf]), (1, np.inf)),
        (np.array([0, 5, BIG]), np.array([0.0, 5, 7]), (1, np.inf)),
        (np.array([0, 5, BIG]), np.array([0, 5, np.iinfo(np.int32).max], np.int32), (0, 0)),
        (np.array([0.0, 0.1]), np.array([0.0, np.nextafter(0.1, 1)]), (1, pytest.approx(1e-17))),
        (np.array([0.0, 1e4]), np.array([0, 1e4 + 0.01], np.float32), (0, 0)),
        (np.array([0.0, 1e4]), np.array([0, 1e4 + 1], np.float32), (1, 1)),
        (np.array([0.0, 1.0]), np.array([0.0, np.nan]), (1, pytest.approx(np.nan, nan_ok=True))),
        (np.array([0.0, 1.0]), np.array([0.0]), (2, np.inf)),
    ],
)
def test_wrong_distances_are_counted(mine, other, expected):
    assert right.wrong_of(mine, other) == expected


@pytest.mark.parametrize("peer", [one for one in PEERS if one.installed], ids=lambda one: one.name)
@pytest.mark.parametrize("kind", ["int", "float", "none"])
def test_a_peer_gives_the_certified_distances_on_nasty_graphs(peer, kind):
    # Parallel edges, a self-loop, a vertex that is not reached, and one without edges.
    parallel = wp.Graph.from_edges(
        [0, 0, 0, 1, 3, 1], [1, 1, 2, 1, 0, 2], np.array([5, 3, 9, 2, 1, 4], np.int32), n=6
    )
    for graph in (parallel, wp.generate.uniform(60, 3, seed=4), wp.generate.grid(7, 8)):
        weighted = typed(graph, kind)
        made = peer.prepare(weighted)
        for source in (0, 3):
            want = wp.sssp(weighted, source)
            for solve in filter(None, (peer.solve, peer.tree)):
                found = peer.answer(solve(made, source), weighted.n)
                assert right.wrong_of(want.dist, found) == (0, 0)


def test_pandana_is_given_no_distances_that_it_would_never_end_with():
    prepare = next(peer.prepare for peer in PEERS if peer.name == "pandana")
    graph = wp.Graph.from_edges([0, 1], [1, 2], [2_000_000, 147_484])
    with pytest.raises(OverflowError, match="end at 2,147,484; here one is 2,147,484"):
        prepare(graph.with_weights(np.array([2_000_000, 147_484])))
    pytest.importorskip("pandana")
    prepare(graph.with_weights(np.array([2_000_000, 147_483])))


@pytest.mark.parametrize(
    ("name", "title", "m"),
    [("martin 64", "martin 64", 448), ("mesh 3", "mesh 3", 40), ("complete 5", "complete 5", 20)],
)
def test_graphs_have_names(name, title, m):
    found = workloads.workload(name)
    assert found.title == title
    assert found.make().m == m


def test_files_have_titles_weights_and_open_vertices(tmp_path):
    (tmp_path / "cnr-2000.txt").write_text("10 20\n20 30\n30 10\n")
    (tmp_path / "votes.csv").write_text("from,to,weight\na,b,-3\nb,c,2\n")
    (tmp_path / "Tiny_net.tntp").write_text(
        "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 3\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 2\n"
        "<END OF METADATA>\n~ init term capacity length time b power speed toll type ;\n"
        "1 3 1 1 1.5 0.15 4 0 0 1 ;\n3 2 1 1 2.5 0.15 4 0 0 1 ;\n"
    )
    web, again = (workloads.workload("cnr", data=tmp_path).make() for _ in range(2))
    assert web.labels is None
    assert web.weights.tolist() == again.weights.tolist()
    assert (web.weights >= 1).all()
    votes = workloads.workload("votes", data=tmp_path)
    assert (votes.make().weights >= 1).all()
    zones = workloads.workload("Tiny_net", data=tmp_path).make()
    assert zones.first_through == 0
    assert zones.weights.tolist() == [1.5, 2.5]
    assert typed(zones, "int") is None
    assert typed(zones, "float").weights.tolist() == [1.5, 2.5]
    assert {title for title, _ in workloads.files(tmp_path)} == {"cnr-2000", "votes", "Tiny_net"}


def test_whole_numbers_become_tenths_as_floats():
    graph = wp.generate.grid(3, 3)
    found = typed(graph, "float")
    assert found.weights.dtype == np.float64
    assert np.array_equal(found.weights, graph.weights / 10)
    assert typed(graph, "int") is graph
    assert typed(graph, "int64").weights.dtype == np.int64
    assert typed(graph, "float32").weights.dtype == np.float32
    assert typed(graph, "none").weights is None


def test_what_differs_from_an_answer_that_is_not_certified_has_it_certified():
    graph = wp.generate.grid(5, 5)
    found = list(right.answers(graph, 3, certified=1).values())
    assert [one.certified for one in found] == [True, False, False]
    assert found[1].wrong(found[1].dist) == (0, 0)
    assert not found[1].certified
    assert found[1].wrong(found[1].dist + 1)[0] == 25
    assert found[1].certified
    tree = found[2].paths.pred
    found[2].paths = wp.Paths(graph, 3, found[2].dist + 1, tree=lambda: tree)
    with pytest.raises(wp.VerificationError):
        found[2].wrong(found[1].dist)
