"""prepare, pairs, and prepared graphs in the other commands."""

from __future__ import annotations

import pytest

import warpath as wp
from warpath.engines import hierarchy


@pytest.fixture
def prepared(warpath, roads):
    """The small map, prepared."""
    path = roads.with_suffix(".wph")
    assert warpath("prepare", roads, "-o", path).code == 0
    return path


@pytest.fixture
def town(tmp_path):
    """A map that is large enough for a hierarchy to be worthwhile, prepared."""
    wp.prepare(wp.generate.road(3000)).save(tmp_path / "town.wph")
    return tmp_path / "town.wph"


@pytest.fixture
def trips(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text("origin,destination\n1,5\n3,2\n1,6\n4,4\n")
    return path


def test_prepare_writes_a_graph_with_its_hierarchy(warpath, roads, tmp_path):
    out = tmp_path / "a.wph"
    run = warpath("prepare", roads, "-o", out, "--threads", 1)
    assert (run.code, run.err) == (0, "")
    shown = dict(line.split(maxsplit=1) for line in run.out.splitlines())
    assert shown["graph"] == "roads.gr: n = 6 vertices, m = 5 edges"
    assert shown["hierarchy"].endswith(" down")
    assert shown["written"].startswith(f"{out}, ")
    assert "preparing" in shown["time"]
    assert wp.load(out).path(0, 4).length == 7


def test_prepare_tells_programs_the_numbers(warpath, roads, tmp_path):
    out = tmp_path / "a.wph"
    found = warpath("prepare", roads, "-o", out, "--json").json
    assert (found["n"], found["m"], found["bytes"]) == (6, 5, out.stat().st_size)
    assert set(found["seconds"]) == {"read", "prepare", "write"}
    assert set(found["arcs"]) == {"up", "down"}


def test_prepare_keeps_the_places_of_vertices(warpath, roads, places, tmp_path):
    warpath("prepare", roads, "--coordinates", places, "-o", tmp_path / "a.wph")
    assert wp.read(tmp_path / "a.wph").coordinates[1].tolist() == [4, 3]


def test_a_prepared_graph_may_be_prepared_with_other_weights(warpath, prepared, tmp_path):
    out = tmp_path / "hops.wph"
    assert warpath("prepare", prepared, "--weight", "none", "-o", out).code == 0
    assert wp.load(out).path(0, 1).length == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["-o", "a.npz"], 2, "the suffix '.npz' is not known; it can be .wph"),
        (["-o", "nowhere/a.wph"], 3, "nowhere: no such folder"),
        ([], 2, "-o"),
        (["-o", "a.wph", "--threads", "0"], 2, "--threads"),
    ],
)
def test_prepare_refuses_what_it_cannot_write(warpath, roads, words, code, said):
    run = warpath("prepare", roads, *words)
    assert (run.code, run.out) == (code, "")
    assert said in run.err


def test_prepare_refuses_negative_weights_and_graphs_without_a_hierarchy(warpath, tmp_path):
    (tmp_path / "a.csv").write_text("1,2,-3\n2,3,0\n")
    run = warpath("prepare", tmp_path / "a.csv", "-o", tmp_path / "a.wph")
    assert run.code == 3
    assert "1 negative weight" in run.err
    assert not (tmp_path / "a.wph").exists()


@pytest.mark.parametrize(
    ("words", "algorithm"),
    [
        (["path", 5, 900], "geisberger2008.ch"),
        (["sssp", "-s", 5], "delling2011.phast"),
        (["distances", "--sources", "1,2,3", "--targets", "7,8,9"], "delling2011.rphast"),
        (["apsp", "-o", "full.npy"], "delling2011.phast"),
        (["plan", "--from", 5, "--to", 900], "geisberger2008.ch"),
        (["plan", "-s", 5], "delling2011.phast"),
        (["plan", "--apsp"], "delling2011.phast"),
        (["path", 5, 900, "-a", "classic.dijkstra"], "classic.dijkstra"),
        (["plot", "route", 5, 900, "-o", "a.svg"], "geisberger2008.ch"),
        (["plot", "tree", "-s", 5, "-o", "a.svg"], "delling2011.phast"),
    ],
)
def test_solves_of_a_prepared_graph_search_in_its_hierarchy(
    warpath, town, tmp_path, monkeypatch, words, algorithm
):
    if words[0] == "plot":
        pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hierarchy, "_contracted", lambda *_: pytest.fail("built anew"))
    monkeypatch.setenv("WARPATH_THREADS", "1")
    at = 2 if words[0] == "plot" else 1
    run = warpath(*words[:at], town, *words[at:], "--json")
    assert run.code == 0, run.err
    assert run.json["algorithm"] == algorithm


def test_answers_of_a_prepared_graph_are_those_of_the_graph(warpath, roads, prepared):
    for words in (
        ["sssp", "-s", 1, "--all"],
        ["distances", "--sources", "1,3"],
        ["apsp"],
        ["path", 1, 5],
        ["nearest", "-f", "1,3", "--all"],
        ["within", "-s", 1, "-c", "3,7", "--all"],
    ):
        name, *rest = words
        expected = warpath(name, roads, *rest)
        assert expected.code == 0, expected.err
        assert warpath(name, prepared, *rest) == expected


def test_a_prepared_graph_is_shown_converted_and_verified(warpath, roads, prepared, tmp_path):
    assert warpath("info", prepared, "--json").json["ids"] == "numbered from 1"
    assert warpath("convert", prepared, tmp_path / "b.gr").code == 0
    tree = tmp_path / "tree.npz"
    assert warpath("sssp", prepared, "-s", 1, "-o", tree).code == 0
    assert warpath("verify", prepared, tree).code == 0
    assert warpath("verify", roads, tree).code == 0


def test_a_prepared_graph_is_not_solved_with_other_weights(warpath, prepared):
    run = warpath("sssp", prepared, "-s", 1, "--weight", "none")
    assert (run.code, run.out) == (3, "")
    assert "roads.wph: this file was prepared for another graph: the edges agree, but" in run.err
    assert "the command `warpath prepare`" in run.err


def test_a_prepared_graph_finds_its_places_beside_and_keeps_its_hierarchy(
    warpath, roads, places, prepared, monkeypatch
):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    monkeypatch.setattr(hierarchy, "_contracted", lambda *_: pytest.fail("built anew"))
    out, chosen = roads.with_name("a.svg"), ["-a", "geisberger2008.ch"]
    given = warpath("path", prepared, 1, 5, "--plot", out, "--coordinates", places, *chosen)
    assert given.code == 0, given.err
    places.rename(roads.with_suffix(".co"))
    found = warpath("path", prepared, 1, 5, "--plot", out, *chosen, "--json")
    assert found.code == 0, found.err
    assert found.json["algorithm"] == "geisberger2008.ch"
    assert len(found.json["coordinates"]) == len(found.json["vertices"])


def test_a_damaged_prepared_graph_is_exit_code_3_with_the_file(warpath, prepared):
    content = bytearray(prepared.read_bytes())
    content[-1] ^= 1
    prepared.write_bytes(content)
    run = warpath("path", prepared, 1, 5)
    assert run.code == 3
    assert f"{prepared}: the file is damaged: the array hierarchy." in run.err


def test_convert_to_a_prepared_graph_names_the_command(warpath, roads, tmp_path):
    run = warpath("convert", roads, tmp_path / "a.wph")
    assert run.code == 3
    assert "the command `warpath prepare`" in run.err


def test_pairs_list_a_distance_for_each_trip(warpath, roads, prepared, trips):
    for graph in (roads, prepared):
        run = warpath("pairs", graph, trips)
        assert (run.code, run.err) == (0, "")
        assert run.out.splitlines() == [
            "origin\tdestination\tdistance",
            "1\t5\t7",
            "3\t2\t3",
            "1\t6\t",
            "4\t4\t0",
        ]


def test_pairs_as_json_have_null_for_what_is_not_reached(warpath, prepared, trips):
    found = warpath("pairs", prepared, trips, "-a", "geisberger2008.ch", "--json").json
    assert (found["trips"], found["reached"], found["sum"]) == (4, 3, 10)
    assert found["algorithm"] == "geisberger2008.ch"
    assert found["distances"][2] == {"origin": 1, "destination": 6, "distance": None}
    assert set(found["seconds"]) == {"read", "solve"}


def test_pairs_save_rows(warpath, prepared, trips, tmp_path):
    run = warpath("pairs", prepared, trips, "-o", tmp_path / "a.csv", "--dist-dtype", "int32")
    assert run.code == 0, run.err
    assert "trips             3 of 4 have a path" in run.out
    assert f"saved to          {tmp_path / 'a.csv'}" in run.out
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines == ["origin,destination,distance", "1,5,7", "3,2,3", "1,6,", "4,4,0"]


def test_pairs_save_parquet_with_the_ids_of_the_file(warpath, roads, trips, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert warpath("pairs", roads, trips, "-o", tmp_path / "a.parquet").code == 0
    assert parquet.read_table(tmp_path / "a.parquet").to_pydict() == {
        "origin": [1, 3, 1, 4],
        "destination": [5, 2, 6, 4],
        "distance": [7, 3, None, 0],
    }


@pytest.mark.parametrize(
    "text",
    [
        "Home,Port\nBridge,Mill\n",
        "from,to\nHome,Port\nBridge,Mill\n",
        "# trips\n\n Home , Port , 5\nBridge,Mill\n",
        "day,Destination,Origin\n1,Port,Home\n2,Mill,Bridge\n",
    ],
)
def test_trips_are_the_first_two_columns_or_those_of_their_names(warpath, names, trips, text):
    trips.write_text(text)
    rows = warpath("pairs", names, trips, "--weight", "km").out.splitlines()
    assert rows[1:] == ["Home\tPort\t7", "Bridge\tMill\t3"]


def test_trips_of_a_tsv_are_separated_by_tabs(warpath, roads, trips):
    tabs = trips.with_suffix(".tsv")
    tabs.write_text("1\t5\n")
    assert warpath("pairs", roads, tabs).out.splitlines()[1:] == ["1\t5\t7"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("origin,destination\n1,5\n1,12\n", "trips.csv:3: vertex 12 does not exist"),
        ("1,5\n2\n", "trips.csv:2: expected an origin and a destination, found '2'"),
        ("1,5\n,2\n", "trips.csv:2: expected an origin and a destination, found ',2'"),
        ("1,5\nHome,2\n", "trips.csv:2: 'Home' is not a vertex"),
        ("1,Home\n", "trips.csv:1: 'Home' is not a vertex"),
        ("# nothing\n", "the file lists no trip"),
        ("", "the file lists no trip"),
        ('1\n"' + "x" * 200_000, "not a table"),
    ],
)
def test_broken_trips_are_told_with_their_line(warpath, roads, trips, text, said):
    trips.write_text(text)
    run = warpath("pairs", roads, trips)
    assert (run.code, run.out) == (3, "")
    assert said in run.err


def test_trips_that_cannot_be_read_or_saved_are_refused(warpath, roads, trips, tmp_path):
    assert "no such file" in warpath("pairs", roads, tmp_path / "nowhere.csv").err
    trips.write_bytes(b"\xff\xfe\x00")
    assert "a text file with an origin and a destination" in warpath("pairs", roads, trips).err
    run = warpath("pairs", roads, trips, "-o", tmp_path / "a.npz")
    assert run.code == 2
    assert "it can be .parquet, .csv, .tsv, .txt" in run.err


@pytest.mark.usefixtures("terminal")
def test_more_trips_than_a_terminal_shows_ask_for_a_file(warpath, roads, trips):
    trips.write_text("1,5\n" * 401)
    run = warpath("pairs", roads, trips)
    assert run.code == 2
    assert "the file has 401 trips, too many to print (400 at most here): save them" in run.err
    trips.write_text("1,5\n" * 9)
    assert "destination" in warpath("pairs", roads, trips).out


@pytest.fixture
def minutes(tmp_path):
    path = tmp_path / "minutes.csv"
    path.write_text("source,target,weight\n1,2,1\n2,4,30\n")
    return path


def test_new_weights_of_some_edges_hold_for_any_graph(
    warpath, roads, prepared, minutes, monkeypatch
):
    monkeypatch.setattr(hierarchy, "_contracted", lambda *_: pytest.fail("built anew"))
    for graph in (roads, prepared):
        found = warpath("path", graph, 1, 5, "--weights", minutes, "--json").json
        assert (found["length"], found["vertices"]) == (32, [1, 2, 4, 5])
    assert warpath("path", prepared, 1, 5, "--json").json["length"] == 7


def test_new_weights_are_prepared_into_a_file(warpath, roads, minutes, tmp_path):
    out = tmp_path / "rush.wph"
    assert warpath("prepare", roads, "--weights", minutes, "-o", out).code == 0
    assert wp.load(out).path(0, 4).length == 32


def test_new_weights_may_be_fractions_of_undirected_edges_and_of_parallel_ones(warpath, tmp_path):
    (tmp_path / "a.csv").write_text("from,to,km\nHome,Mill,7\nMill,Home,7\nHome,Mill,8\n")
    (tmp_path / "w.tsv").write_text("# minutes\nMill\tHome\t9.5\n")
    run = ("path", tmp_path / "a.csv", "Home", "Mill", "--json", "--weights", tmp_path / "w.tsv")
    assert warpath(*run, "--undirected").json["length"] == 9.5
    assert warpath(*run).json["length"] == 7
    (tmp_path / "w.tsv").write_text("Mill\tHome\t9.5\nHome\tMill\t9\n")
    assert warpath(*run).json["length"] == 9
    refused = warpath(*run, "--undirected")
    assert (refused.code, "has the weight 9 here and 9.5 in line 1" in refused.err) == (3, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("source,target,weight\n", "the file lists no edge"),
        ("1,2,1\n1,2\n", ":2: expected a source, a target and a weight, found '1,2'"),
        ("a,b,km\n1,9,3\n", ":2: vertex 9 does not exist"),
        ("1,2,x\n1,9,3\n", ":1: expected a number below 2^63 as the weight, found 'x'"),
        ("id,x,y\n1,2,3\n", ":1: none of the known pairs of names"),
        ("1,2,1\n1,2,3\n", ":2: the edge 1 -> 2 has the weight 3 here and 1 in line 1"),
        ("1,2,1\n5,1,3\n", ":2: the graph has no edge 5 -> 1"),
        ("1,2,1\n1,3,fast\n", ":2: expected a number below 2^63 as the weight, found 'fast'"),
        ("1,2,1\n1,3,nan\n", ":2: expected a number below 2^63"),
        ("1,2,1\n1,3,9223372036854775808\n", ":2: expected a number below 2^63"),
    ],
)
def test_what_are_no_new_weights_is_said_with_its_line(warpath, prepared, tmp_path, text, said):
    (tmp_path / "w.csv").write_text(text)
    run = warpath("path", prepared, 1, 5, "--weights", tmp_path / "w.csv")
    assert run.code == 3
    assert said in run.err.replace("\n", " ")


def test_a_prepared_graph_takes_no_negative_weights(warpath, prepared, tmp_path):
    (tmp_path / "w.csv").write_text("1,2,-1\n")
    run = warpath("path", prepared, 1, 5, "--weights", tmp_path / "w.csv")
    assert run.code == 3
    assert "1 negative weight" in run.err


@pytest.mark.parametrize("suffix", ["", "\n", "\n\n"])
def test_a_table_of_no_trips_has_no_distances(warpath, roads, trips, tmp_path, suffix):
    trips.write_text(f"origin,destination{suffix}")
    run = warpath("pairs", roads, trips)
    assert (run.code, run.out) == (0, "origin\tdestination\tdistance\n")
    assert warpath("pairs", roads, trips, "-o", tmp_path / "out.csv").code == 0
    assert (tmp_path / "out.csv").read_text() == "origin,destination,distance\n"


@pytest.mark.parametrize(
    "text",
    [
        "id,from,to\n2,1,5\n", "trip;o;d\n2;1;5\n", "sep=;\norigin;destination\n1;5\n",
        "# a comment\norigin,destination\n1,5\n", "1,5\n", "1,5,17\n",
        "origin,destination,\n1,5,\n", "start_node,end_node,trips\n1,5,3\n",
    ],
)  # fmt: skip
def test_trips_are_columns_of_known_names(warpath, roads, trips, text):
    trips.write_text(text)
    assert warpath("pairs", roads, trips).out.splitlines()[1:] == ["1\t5\t7"]


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        (
            "trip,von,nach\n2,1,5\n",
            ":1: the ends of the trips are in none of the columns 'trip', 'von', 'nach'",
            "trip,origin,destination\n2,1,5\n",
        ),
        (
            "source,target,from,to\n2,3,1,5\n",
            "ends of the trips could be source/target and from/to of the columns 'source',",
            "source,target,origin,destination\n2,3,1,5\n",
        ),
        (
            "1,5,7,12\n",
            ":1: the file has 4 columns and no header: call two of them origin and destination",
            "origin,destination,x,y\n1,5,7,12\n",
        ),
    ],
)
def test_trips_of_unknown_columns_are_refused(warpath, roads, trips, text, said, remedy):
    trips.write_text(text)
    run = warpath("pairs", roads, trips)
    assert run.code == 3
    assert said in run.err
    trips.write_text(remedy)
    assert warpath("pairs", roads, trips).out.splitlines()[1:] == ["1\t5\t7"]


def test_names_with_a_hash_are_vertices_of_every_table(warpath, tmp_path):
    graph, table = tmp_path / "g.csv", tmp_path / "t.csv"
    graph.write_text("source,target,weight\n#bus,%tram,3\n%tram,rail,4\n")
    table.write_text("# trips\norigin,destination\n#bus,rail\n%tram,rail\n")
    assert warpath("pairs", graph, table).out.splitlines()[1:] == [
        "#bus\trail\t7",
        "%tram\trail\t4",
    ]
    table.write_text("#bus,rail\n")
    assert warpath("pairs", graph, table).out.splitlines()[1:] == ["#bus\trail\t7"]
    table.write_text("#bus\n%tram\n")
    assert len(warpath("distances", graph, "-s", table, "--targets", "rail").out.splitlines()) == 3
    table.write_text("source,target,weight\n#bus,%tram,30\n")
    run = warpath("path", graph, "#bus", "rail", "--weights", table, "--json")
    assert run.json["length"] == 34


def test_a_list_of_vertices_is_a_column_of_a_known_name(warpath, roads, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("fid,node_id,name\n2,1,north\n")
    assert warpath("distances", roads, "-s", table, "--targets", 5).out.splitlines()[1] == "1\t7"
    table.write_text("fid,what\n2,1\n")
    run = warpath("distances", roads, "-s", table, "--targets", 5)
    assert (
        "none of the columns 'fid', 'what' is known as a vertex: call one of them vertex" in run.err
    )
