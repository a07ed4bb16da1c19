"""Odd values for parameters: errors are warpath's own, and an answer is one for what was asked."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import (
    GraphError,
    GraphFormatError,
    InputError,
    NoPathError,
    NotSupportedError,
    OutputError,
    VertexError,
    WarpathError,
    WeightError,
)


@pytest.fixture
def graph():
    return wp.Graph.of([(0, 1, 2), (1, 2, 5), (2, 3, 1)], n=5)


@pytest.fixture
def named():
    return wp.Graph.of([("a", "b", 2), ("b", "c", 5)])


def test_several_vertices_are_not_answered_as_if_they_were_one(graph, named):
    tree, table, near = wp.sssp(graph, 0), wp.apsp(graph), wp.within(graph, 0, 9)
    for ask in (
        lambda: tree[[1, 2]],
        lambda: tree.path_to([1, 2]),
        lambda: tree.path_to(range(2)),
        lambda: near.path_to(np.array([1, 2])),
        lambda: table.path([0, 1], 2),
        lambda: table.path(0, [1, 2]),
        lambda: table.paths_from([0, 1]),
        lambda: wp.sssp(named, "a")[["b", "c"]],
    ):
        with pytest.raises(InputError, match="names 2 vertices: one is needed"):
            ask()
    assert tree[[3]] == 8
    assert list(table.path([0], [3])) == [0, 1, 2, 3]


def test_no_vertex_at_all_is_an_error_of_warpath(graph, named):
    tree, table = wp.sssp(graph, 0), wp.apsp(graph)
    for ask in (
        lambda: tree[[]],
        lambda: tree.path_to([]),
        lambda: table.path([], 1),
        lambda: table.paths_from(()),
        lambda: wp.sssp(named, "a").path_to([]),
        lambda: wp.sssp(graph, {}),
    ):
        with pytest.raises(InputError, match="is empty: name at least one vertex"):
            ask()
    with pytest.raises(InputError, match="missing"):
        wp.distances(graph, (None for i in range(1)))


@pytest.mark.parametrize(
    "vertex",
    [None, True, 0.0, 1 + 0j, 10**400, 2**64, [[0], [1, 2]], [None], np.array(np.nan),
     Decimal(0), np.array("x"), np.ma.masked, np.ma.array([0], mask=[True]), np.dtype("i4"), list,
     b"\0", np.datetime64("2020-01-01"), Fraction(1, 3),
     np.zeros((1, 1), int)],
)  # fmt: skip
def test_what_is_no_vertex_is_refused_in_words(graph, named, vertex):
    for each, source in ((graph, 0), (named, "a")):
        for ask in (
            lambda each=each: wp.sssp(each, vertex),
            lambda each=each, source=source: wp.sssp(each, source).path_to(vertex),
            lambda each=each: wp.distances(each, vertex),
        ):
            with pytest.raises(InputError, match=r"vert|empty|missing|masked|lengths"):
                ask()


def test_a_label_that_is_none_names_its_vertex():
    labels = np.empty(2, object)
    labels[:] = [None, "b"]
    graph = wp.Graph(np.array([0, 1, 1]), np.array([1]), labels=labels)
    assert wp.sssp(graph, None)["b"] == 1


def test_labels_that_name_two_vertices_are_refused():
    for labels, at in ((["a", "a", "b"], 1), ([7, 5, 7], 2), ([1.5, 2.5, 1.5], 2)):
        with pytest.raises(GraphError, match=rf"labels\[{at}\] = .* is the label of vertex 0"):
            wp.Graph.of([(0, 1), (1, 2)], labels=labels)
    with pytest.raises(GraphError, match="hashable"):
        wp.Graph.of([(0, 1)], labels=np.array([{}, {}], object))
    with pytest.raises(GraphError, match="the edges already name their vertices"):
        wp.Graph.of([("a", "b")], labels=["x", "y"])


def test_a_path_whose_sum_of_floats_is_inf_is_not_called_missing():
    for dtype, weight, end in (
        (np.float64, 1e308, "smaller units."),
        (np.float32, 3e38, "float64."),
    ):
        weights = np.full(2, weight, dtype)
        graph = wp.Graph.of((np.array([0, 1]), np.array([1, 2]), weights), n=4)
        tree, table = wp.sssp(graph, 0), wp.apsp(graph)
        assert tree.dist.tolist()[2] == np.inf
        assert not tree.reached[2]
        for ask in (
            lambda tree=tree: tree.path_to(2),
            lambda table=table: table.path(0, 2),
            lambda graph=graph: wp.path(graph, 0, 2),
        ):
            rule = f"every path from 0 to 2 has a length beyond the largest {np.dtype(dtype)}"
            with pytest.raises(NoPathError, match=rf"{rule}, .*{end}$"):
                ask()
        for ask in (
            lambda tree=tree: tree.path_to(3),
            lambda table=table: table.path(0, 3),
            lambda graph=graph: wp.path(graph, 0, 3),
        ):
            with pytest.raises(NoPathError, match=r"^no path leads from 0 to 3\."):
                ask()


def test_a_closed_vertex_behind_too_large_a_sum_is_reached_by_a_path():
    weights = np.array([1e308, 1e308])
    graph = wp.Graph(np.array([0, 0, 1, 2]), np.array([2, 0]), weights, first_through=1)
    with pytest.raises(NoPathError, match="every path from 1 to 0 has a length beyond"):
        wp.path(graph, 1, 0)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("cutoff", [10**400, 1e300, 2**63, np.longdouble("1e4000"), np.inf])
def test_a_cutoff_beyond_all_distances_is_none(graph, dtype, cutoff):
    graph = graph.astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = wp.sssp(graph, 0, cutoff=cutoff)
        assert found.dist.tolist() == wp.sssp(graph, 0).dist.tolist()
        assert wp.distances(graph, 0, cutoff=cutoff).dist[0].tolist() == found.dist.tolist()
        assert wp.nearest(graph, 0, cutoff=cutoff).dist.tolist() == found.dist.tolist()


def test_a_largest_cutoff_of_bands_may_lie_beyond_the_type_of_the_distances(graph):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near = wp.within(graph.astype(np.float32), 0, [2, 1e300])
    assert near.counts.tolist() == [2, 4]


@pytest.mark.parametrize(
    "cutoff",
    [-1, -(10**400), np.nan, "x", True, 1j, np.complex64(1), [1], np.timedelta64(3, "s"),
     np.array(3), Decimal(3), np.array([1, 2])],
)  # fmt: skip
def test_what_is_no_cutoff_is_refused_in_words(graph, cutoff):
    for call in (wp.sssp, wp.distances, wp.nearest):
        with pytest.raises(InputError, match="must be a number, 0 or more"):
            call(graph, 0, cutoff=cutoff)


@pytest.mark.parametrize("delta", [10**400, 0, -1, np.nan, np.inf, "x", None, True, [1], 1j])
def test_what_is_no_width_of_buckets_is_refused_in_words(graph, delta):
    with pytest.raises(InputError, match=r"params\['delta'\] = .* must be a number above 0"):
        wp.sssp(graph, 0, algorithm="classic.delta_stepping", params={"delta": delta})


def test_a_width_of_buckets_in_any_type_of_numbers_is_taken(graph):
    floats = graph.astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for delta in (1, 0.5, np.float32(1.5), np.float16(1), np.int8(3), Fraction(1, 3), 1e300):
            for each in (graph, floats):
                found = wp.sssp(
                    each, 0, algorithm="classic.delta_stepping", params={"delta": delta}
                )
                assert found.dist.tolist()[:4] == [0, 2, 7, 8]


@pytest.mark.parametrize(
    "dtype", ["x", "", "\ud800", b"x", {}, [1], "2i4,", object(), 3, "O", None]
)
def test_what_is_no_type_of_weights_is_refused_in_words(graph, dtype):
    if dtype is not None:
        with pytest.raises(WarpathError, match="dist_dtype="):
            wp.sssp(graph, 0, dist_dtype=dtype)
        with pytest.raises(WeightError, match=r"dtype = .* weights are"):
            wp.generate.uniform(3, dtype=dtype)
        with pytest.raises(WeightError, match="weights cannot be"):
            graph.astype(dtype)


@pytest.mark.parametrize("device", [None, 3, [], {}, b"cpu", np.array("cpu"), "gpu", "", "cuda:x"])
def test_what_is_no_device_is_refused_in_words(graph, device):
    with pytest.raises(InputError, match="device"):
        graph.to(device)
    with pytest.raises(InputError, match="device"):
        wp.sssp(graph, 0, device=device)


@pytest.mark.parametrize("flag", [None, 0, 1, "yes", [], np.array([True, False]), np.nan])
def test_a_flag_is_true_or_false(graph, flag):
    table, coordinates = wp.apsp(graph), graph.with_coordinates(np.zeros((5, 2)))
    for name, ask in {
        "trace": lambda: wp.sssp(graph, 0, trace=flag),
        "predecessors": lambda: wp.distances(graph, 0, predecessors=flag),
        "reverse": lambda: wp.nearest(graph, 0, reverse=flag),
        "long": lambda: table.to_pandas(long=flag),
        "symmetry": lambda: graph.facts(symmetry=flag),
        "diagonal": lambda: wp.generate.grid(2, 2, diagonal=flag),
        "unique": lambda: wp.generate.rmat(2, unique=flag),
        "legs": lambda: wp.path(coordinates, 0, 1).to_geodataframe(legs=flag),
    }.items():
        with pytest.raises(InputError, match=f"{name} = .* must be True or False"):
            ask()
    with pytest.raises(InputError, match=r"reverse = .* must be True or False"):
        wp.within(graph, 0, 3, reverse=flag)
    with pytest.raises(InputError, match=r"trace = .* must be True or False"):
        wp.apsp(graph, trace=flag)


@pytest.mark.parametrize("progress", ["x", 0, [], np.array([0, 1])])
def test_what_is_no_progress_is_refused_in_words(graph, progress):
    for call in (wp.sssp, wp.distances, wp.nearest):
        with pytest.raises(InputError, match="progress = "):
            call(graph, 0, progress=progress)


def test_an_attribute_of_a_graph_has_its_type():
    for name, value in {
        "id_base": "x",
        "first_through": [1],
        "name": 3,
        "shapes": np.array([0, 1]),
        "labels": np.ma.array([1, 2], mask=[True, False]),
        "coordinates": [[0], [1, 2]],
    }.items():
        with pytest.raises(InputError, match=name):
            wp.Graph.of([(0, 1, 2)], **{name: value})


def test_masked_vertices_of_edges_are_refused():
    ends = np.ma.array([0, 1], mask=[False, True])
    for make in (wp.Graph.from_edges, wp.Graph.from_labelled_edges):
        with pytest.raises(GraphError, match=r"\[1\] is masked"):
            make(ends, [1, 0])
    with pytest.raises(GraphError, match=r"indices\[1\] is masked"):
        wp.Graph.from_csr([0, 1, 2], ends)


def test_spans_of_time_are_neither_vertices_nor_weights():
    span = np.timedelta64(3, "s")
    with pytest.raises(WeightError, match="a weight is an int or a float"):
        wp.Graph.of([(0, 1, span)])
    with pytest.raises(GraphError, match="a vertex is an integer"):
        wp.Graph.of([(span, 0)])


def test_a_name_without_a_file_is_refused_by_every_call_that_writes(graph, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tree, table = wp.sssp(graph, 0), wp.apsp(graph)
    trace = wp.sssp(graph, 0, algorithm="classic.dijkstra", trace=True).trace
    drawn = graph.with_coordinates(np.arange(10).reshape(5, 2) / 7)
    for suffix, ask in {
        ".gr": lambda path: wp.write(graph, path),
        ".npy": lambda path: wp.apsp(graph, out=path),
        ".zarr": lambda path: wp.distances(graph, 0, out=path),
        ".npz": tree.save,
        ".csv": table.save,
        ".parquet": wp.nearest(graph, 0).save,
        ".tsv.csv": wp.within(graph, 0, 3).save,
        ".jsonl": trace.save,
        ".png": wp.path(drawn, 0, 1).plot,
        ".svg": wp.sssp(drawn, 0).plot,
        ".pdf": wp.within(drawn, 0, 3).plot,
    }.items():
        with pytest.raises(OutputError, match="NUL character"):
            ask(f"a\0b{suffix}")
        with pytest.raises(OutputError, match="too long"):
            ask("x" * 300 + suffix)
        with pytest.raises(OutputError, match="a character that no file name has"):
            ask(f"\ud800{suffix}")
        for wrong in (3, b"a" + suffix.encode(), [], True):
            with pytest.raises(InputError, match=r"path = |out is a"):
                ask(wrong)
    assert not list(tmp_path.iterdir())


def test_a_name_without_a_file_is_refused_by_every_call_that_reads(graph):
    for ask in (wp.read, wp.Graph.of, wp.Trace.load, lambda path: wp.Paths.load(graph, path)):
        with pytest.raises(GraphFormatError, match="NUL character"):
            ask("a\0b.npz")
        with pytest.raises(GraphFormatError, match="too long"):
            ask("x" * 300 + ".npz")
    for ask in (wp.read, wp.Trace.load, lambda path: wp.Paths.load(graph, path)):
        for wrong in (3, b"a.npz", None, []):
            with pytest.raises(InputError, match="path = "):
                ask(wrong)


def test_options_of_a_reader_have_their_types(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("0,1,2\n")
    for name in ("format", "ids", "member"):
        with pytest.raises(InputError, match=f"{name} = "):
            wp.read(path, **{name: [1]})
    with pytest.raises(InputError, match="weight = "):
        wp.read(path, weight=np.array([1, 2]))
    with pytest.raises(InputError, match="directed = "):
        wp.read(path, directed=np.array([1, 2]))
    with pytest.raises(InputError, match="coordinates"):
        wp.read(path, coordinates=["a"])


def test_what_is_no_graph_is_not_written(tmp_path):
    with pytest.raises(InputError, match="graph is a list: a Graph is needed"):
        wp.write([(0, 1)], tmp_path / "g.npz")


def test_labels_that_a_table_does_not_hold_together_are_refused(tmp_path):
    labels = np.empty(3, object)
    labels[:] = ["a", (1, 2), 3]
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)], labels=labels)
    with pytest.raises(InputError, match="cannot write the column vertex"):
        wp.sssp(graph, "a").save(tmp_path / "t.csv")
    wp.sssp(graph, "a").save(tmp_path / "t.npz")
    assert wp.Paths.load(graph, tmp_path / "t.npz").dist.tolist() == [0, 2, 7]


def test_a_generator_of_no_vertices_ends_whatever_its_other_arguments_are():
    assert wp.generate.grid(2**62, 0).n == 0
    assert wp.generate.grid(0, 2**64).n == 0
    assert wp.generate.grid(0, 10**400).n == 0
    assert wp.generate.random_in_degree(0, 2**63).n == 0
    assert wp.generate.uniform(0, 2**63).n == 0
    assert wp.generate.small_world(0, 2**64).n == 0


@pytest.mark.parametrize("count", [10**400, -1, 1.5, "x", None, np.nan, [3]])
def test_what_is_no_number_of_vertices_is_refused_in_words(count):
    for make in (wp.generate.uniform, wp.generate.road, wp.generate.complete, wp.generate.delaunay):
        with pytest.raises(WarpathError, match=r"n = |vertices"):
            make(count)


@pytest.mark.parametrize("weights", [(1, 10**400), 1, (1, 2, 3), (1j, 2), ("1", "2"), {}, [[1, 2]]])
def test_what_is_no_range_of_weights_is_refused_in_words(weights):
    with pytest.raises(WeightError, match=r"weights = .*: give \(low, high\)"):
        wp.generate.uniform(3, weights=weights)


def test_what_is_no_algorithm_of_the_catalogue_is_refused_in_words():
    for key in (None, 1.5, [], np.void(b"12"), "x"):
        with pytest.raises(NotSupportedError, match="there is no algorithm"):
            wp.algorithms()[key]


def test_a_message_shortens_what_is_very_long(graph):
    with pytest.raises(InputError) as raised:
        wp.sssp(graph, 0, cutoff=-(10**4000))
    assert len(str(raised.value)) < 250
    with pytest.raises(InputError, match="an integer of 33,220 bits"):
        wp.sssp(graph, 0, cutoff=-(10**10_000))
    with pytest.raises(VertexError):
        wp.sssp(graph, "x" * 100_000)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("skip_lines", "x"),
        ("skip_lines", -1),
        ("skip_lines", None),
        ("n", 1.5),
        ("n", "3"),
        ("n", True),
        ("delimiter", 3),
    ],
)
def test_an_option_of_a_format_has_its_type(tmp_path, name, value):
    path = tmp_path / "g.csv"
    path.write_text("0,1,2\n")
    with pytest.raises(InputError, match=f"{name} = .* must be"):
        wp.read(path, format="csv" if name == "delimiter" else "edge_list", **{name: value})
    with pytest.raises(InputError, match="labels = 3 must be"):
        wp.write(wp.Graph.of([(0, 1)]), tmp_path / "g.npz", labels=3)


@pytest.mark.parametrize("collect", [set, frozenset, iter, dict.fromkeys, tuple])
def test_sources_can_be_any_collection_of_vertices(graph, named, collect):
    for each, names in ((graph, [1, 0]), (named, ["b", "a"])):
        given = collect(names)
        given = given.keys() if isinstance(given, dict) else given
        expected = wp.distances(each, names)
        table = wp.distances(each, given)
        assert sorted(table.dist.tolist()) == sorted(expected.dist.tolist())
        assert sorted(table.sources.tolist()) == sorted(names)


def test_each_call_takes_a_generator_of_vertices(graph):
    def few():
        return (vertex for vertex in (0, 1))

    assert wp.nearest(graph, few()).facilities.tolist() == [0, 1]
    assert wp.pairs(graph, few(), few()).dist.tolist() == [0, 0]
    assert wp.distances(graph, few(), targets=few()).dist.tolist() == [[0, 2], [2**63 - 1, 0]]
    assert graph.subgraph(few()).n == 2


def test_a_frozenset_can_be_a_label():
    pair = frozenset({"x", "y"})
    assert wp.sssp(wp.Graph.of([(pair, "z", 2)]), pair)["z"] == 2


@pytest.mark.parametrize("vertices", [[0, "a"], (0, "a"), [0, 1.5]])
def test_the_entry_that_is_no_vertex_is_blamed(graph, vertices):
    with pytest.raises(VertexError, match=f"{vertices[1]!r} is not a vertex"):
        wp.distances(graph, vertices)
    with pytest.raises(VertexError, match="'a' is not a vertex"):
        wp.distances(graph, {0: 1, "a": 2}.keys())


def test_threads_are_refused_on_a_gpu(graph):
    for ask in (
        lambda: wp.sssp(graph, 0, device="cuda", threads=2),
        lambda: wp.apsp(graph, device="cuda:1", threads=1),
        lambda: wp.sssp(graph, 0, algorithm="davidson2014.near_far.merge_path", threads=2),
    ):
        with pytest.raises(NotSupportedError, match=r"threads=\d has no effect on cuda:\d: leave"):
            ask()
