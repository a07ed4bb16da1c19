from __future__ import annotations

import inspect
import pickle
from fractions import Fraction

import networkx as nx
import pytest

import warpath.nx as backend
from _warpath_nx import FUNCTIONS, get_info
from warpath.base.errors import LeftToNetworkXError

PROTOCOL = {"Converted", "can_run", "should_run", "convert_from_nx", "convert_to_nx"}


def grid(side=20):
    return nx.grid_2d_graph(side, side)


def test_what_is_announced_is_what_is_there():
    assert set(backend.__all__) - PROTOCOL == set(FUNCTIONS)
    assert get_info()["functions"].keys() == FUNCTIONS.keys()


def test_all_functions_of_networkxs_shortest_paths_are_there():
    from networkx.algorithms.shortest_paths import dense, generic, unweighted, weighted

    named = {name for module in (dense, generic, unweighted, weighted) for name in module.__all__}
    # It only reads dictionaries: there is nothing to convert, and nothing to search.
    assert named - FUNCTIONS.keys() == {"reconstruct_path"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_what_networkxs_takes(name):
    theirs = inspect.signature(getattr(nx, name)).parameters
    ours = inspect.signature(getattr(backend, name)).parameters
    expected = [
        (p.name, p.kind, p.default)
        for p in theirs.values()
        if p.name not in {"backend", "backend_kwargs"}
    ]
    assert [(p.name, p.kind, p.default) for p in ours.values()] == expected


def test_the_conversion_is_kept_with_the_graph_until_it_changes(monkeypatch):
    made = []
    usual = backend.convert_from_nx
    monkeypatch.setattr(
        backend, "convert_from_nx", lambda *args, **kw: made.append(kw) or usual(*args, **kw)
    )
    graph = nx.path_graph(5)
    for _ in range(3):
        assert nx.dijkstra_path_length(graph, 0, 4, backend="warpath") == 4
    assert nx.has_path(graph, 0, 4, backend="warpath")  # the rows of a weighted graph will do
    assert len(made) == 1
    graph.add_edge(0, 4, weight=2)
    assert nx.dijkstra_path_length(graph, 0, 4, backend="warpath") == 2
    assert len(made) == 2


def test_a_converted_graph_can_be_kept_and_asked():
    graph = nx.DiGraph([("a", "b", {"weight": 2, "length": 0.5}), ("b", "c", {"weight": 3})])
    kept = backend.convert_from_nx(graph)
    assert nx.shortest_path_length(kept, "a", "c", weight="weight") == 5
    assert nx.shortest_path_length(kept, "a", "c", weight="length") == 1.5
    assert nx.shortest_path_length(kept, "a", "c", weight=lambda _u, _v, d: len(d)) == 3
    assert len(kept) == 3
    assert list(kept) == ["a", "b", "c"]
    assert "c" in kept
    assert [] not in kept
    assert (kept.is_directed(), kept.is_multigraph()) == (True, False)
    assert (kept.number_of_nodes(), kept.number_of_edges()) == (3, 2)


def test_of_what_was_not_kept_it_says_so():
    kept = backend.convert_from_nx(
        nx.path_graph(3), edge_attrs={"weight": 1}, preserve_edge_attrs=False
    )
    for weight in ("length", lambda *_: 1):
        with pytest.raises(LeftToNetworkXError, match="convert the NetworkX graph once more"):
            backend.dijkstra_path(kept, 0, 2, weight=weight)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_a_graph_comes_back_as_it_went(kind):
    graph = kind(name="club")
    graph.add_node("alone", colour="red")
    graph.add_edges_from([(0, 1, {"weight": 2}), (1, (2, 3), {"x": None}), (1, 1), (1, 0), (0, 1)])
    again = backend.convert_to_nx(backend.convert_from_nx(graph, preserve_node_attrs=True))
    assert nx.utils.graphs_equal(graph, again)
    assert type(again) is kind
    assert list(again) == list(graph)
    assert backend.convert_to_nx([graph]) == [graph]


def test_weights_that_were_read_come_back_with_the_edges():
    graph = nx.Graph([(0, 1, {"weight": 2.5, "x": 1}), (1, 2, {"weight": 1})])
    converted = backend.convert_from_nx(graph, edge_attrs={"weight": 1}, preserve_edge_attrs=False)
    again = backend.convert_to_nx(converted)
    assert list(again.edges(data=True)) == [(0, 1, {"weight": 2.5}), (1, 2, {"weight": 1})]


def test_of_parallel_edges_without_attributes_one_comes_back():
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 1)])
    again = backend.convert_to_nx(backend.convert_from_nx(graph, preserve_edge_attrs=False))
    assert sorted(again.edges()) == [(0, 1), (1, 1)]


def test_views_are_converted_as_they_look():
    graph = nx.path_graph(6)
    part = graph.subgraph([0, 1, 2, 4])
    found = nx.single_source_shortest_path_length(part, 0, backend="warpath")
    assert found == {0: 0, 1: 1, 2: 2}


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("floyd_warshall", {"weight": lambda *_: 1}, "the name of an attribute"),
        ("dijkstra_path", {"source": 0, "target": 1}, "not with Fraction"),
    ],
)
def test_can_run_says_why_not(name, arguments, says):
    graph = nx.Graph([(0, 1, {"weight": Fraction(1, 3)})])
    assert says in backend.can_run(name, (graph,), arguments)
    with pytest.raises(NotImplementedError):
        getattr(nx, name)(graph, **arguments, backend="warpath")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("floyd_warshall", {"weight": lambda *_: 1}),
        ("floyd_warshall_numpy", {"weight": lambda *_: 1}),
    ],
)
def test_can_run_says_why_not_of_a_converted_graph_too(name, arguments):
    converted = backend.convert_from_nx(nx.path_graph(2))
    assert isinstance(backend.can_run(name, (converted,), arguments), str)
    assert backend.can_run("dijkstra_path", (converted, 0, 1), {}) is True


def test_can_run_looks_at_parallel_edges_and_only_at_the_weight_that_is_asked_for():
    graph = nx.MultiGraph([(0, 1, {"weight": 1}), (0, 1, {"weight": Fraction(1, 2), "length": 2})])
    asked = {"source": 0, "target": 1}
    assert "Fraction" in backend.can_run("shortest_path", (graph,), asked | {"weight": "weight"})
    for weight in ("length", None, lambda *_: 1):
        assert backend.can_run("shortest_path", (graph,), asked | {"weight": weight}) is True


def test_can_run_leaves_wrong_arguments_to_the_call():
    assert backend.can_run("dijkstra_path", (), {}) is True
    assert backend.should_run("dijkstra_path", (), {}) is True
    with pytest.raises(TypeError):
        nx.dijkstra_path(nx.path_graph(2), backend="warpath")


def test_should_run_says_where_networkx_is_as_quick():
    small, large = nx.path_graph(5), grid()
    assert "NetworkX itself" in backend.should_run("single_source_dijkstra", (small, 0), {})
    assert backend.should_run("all_pairs_dijkstra", (small,), {}) is True
    assert backend.should_run("single_source_dijkstra", (large, (0, 0)), {}) is True
    ends = ((0, 0), (9, 9))
    assert "not converted yet" in backend.should_run("dijkstra_path", (large, *ends), {})
    nx.dijkstra_path(large, *ends, backend="warpath")
    assert backend.should_run("dijkstra_path", (large, *ends), {}) is True
    assert backend.can_run("dijkstra_path", (large, *ends), {}) is True


def test_by_priority_networkx_asks_first_and_falls_back_by_itself(monkeypatch):
    asked = []
    usual = backend.single_source_dijkstra_path_length
    monkeypatch.setattr(
        backend,
        "single_source_dijkstra_path_length",
        lambda *args, **kw: asked.append(1) or usual(*args, **kw),
    )
    graph = grid()
    thirds = grid()
    nx.set_edge_attributes(thirds, Fraction(1, 3), "weight")
    monkeypatch.setattr(nx.config.backend_priority, "algos", ["warpath"])
    assert nx.single_source_dijkstra_path_length(graph, (0, 0))[19, 19] == 38
    assert len(asked) == 1
    assert nx.single_source_dijkstra_path_length(thirds, (0, 0))[19, 19] == Fraction(38, 3)
    assert len(asked) == 1


def test_a_path_too_long_for_64_bits_is_left_to_networkx_and_one_that_is_not_there_is_none():
    far = 2**62
    graph = nx.DiGraph([(0, 1, {"weight": far}), (1, 2, {"weight": far}), (3, 2, {"weight": far})])
    graph.add_edge(0, 4, weight=far)
    graph.add_edge(5, 6, weight=far)
    with pytest.raises(LeftToNetworkXError, match="64 bits"):
        backend.bidirectional_dijkstra(backend.convert_from_nx(graph), 0, 2)
    with pytest.raises(nx.NetworkXNoPath, match="No path between 0 and 6"):
        nx.bidirectional_dijkstra(graph, 0, 6, backend="warpath")
    assert nx.bidirectional_dijkstra(graph, 0, 1, backend="warpath") == (far, [0, 1])


@pytest.mark.parametrize("weight", [None, "weight"])
def test_a_converted_graph_that_was_searched_between_two_nodes_is_still_pickled(weight):
    graph = nx.path_graph(5)
    kept = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    assert backend.shortest_path(kept, 0, 3, weight) == [0, 1, 2, 3]
    again = pickle.loads(pickle.dumps(kept))  # noqa: S301 - our own
    assert backend.shortest_path(again, 4, 2, weight) == [4, 3, 2]


def test_an_undirected_graph_whose_weights_differ_by_direction_is_searched_in_the_right_one():
    def climb(u, v, _data):
        return 1 if u < v else 10

    graph = nx.cycle_graph(6)
    there = nx.bidirectional_dijkstra(graph, 0, 3, climb, backend="warpath")
    back = nx.bidirectional_dijkstra(graph, 3, 0, climb, backend="warpath")
    assert there == (3, [0, 1, 2, 3])
    assert back == nx.bidirectional_dijkstra(graph, 3, 0, climb) == (12, [3, 4, 5, 0])
