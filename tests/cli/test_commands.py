"""Each command once for people and once for programs."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import typer

import warpath as wp
from warpath.cli import reading
from warpath.cli.app import app
from warpath.engines.cuda import sources
from warpath.planner.plan import CATALOGUE


def test_the_command_alone_shows_an_overview_with_three_examples(warpath):
    run = warpath()
    assert run.code == 0
    assert sum(line.startswith("  warpath ") for line in run.out.splitlines()) == 3


def test_version_is_printed(warpath):
    assert warpath("--version") == (0, "warpath 0.1.0\n", "")
    assert warpath("--version", "--debug").out == "warpath 0.1.0\n"


COMMANDS = typer.main.get_command(app).commands
WITH_EXAMPLES = [
    *(name for name, command in COMMANDS.items() if not hasattr(command, "commands")),
    *(f"plot {name}" for name in COMMANDS["plot"].commands),
]


def test_the_overview_names_every_command(warpath):
    words = set(re.findall(r"\w+", warpath().out))
    assert set(COMMANDS) <= words


@pytest.mark.parametrize("command", WITH_EXAMPLES)
def test_every_command_explains_itself_with_an_example(warpath, command):
    run = warpath(*command.split(), "--help")
    assert run.code == 0
    assert f"warpath {command}" in run.out.split("Example:")[1]


def test_info_shows_the_facts(warpath, roads):
    run = warpath("info", roads)
    assert run.code == 0
    lines = dict(line.split(maxsplit=1) for line in run.out.splitlines())
    assert lines["vertices"] == "6"
    assert lines["edges"] == "5 directed"
    assert lines["ids"] == "numbered from 1, 1 .. 6"
    assert lines["weights"] == "int32, 1 to 7, mean 2.8"


def test_info_as_json_has_numbers(warpath, roads, places):
    found = warpath("info", roads, "--json", "--coordinates", places).json
    assert (found["n"], found["m"], found["max_weight"]) == (6, 5, 7)
    assert found["coordinates"] == {"min_x": 0, "min_y": 0, "max_x": 9, "max_y": 8}
    assert (found["first_id"], found["last_id"], found["symmetric"]) == (1, 6, False)


def test_info_tells_negative_and_zero_weights_and_closed_vertices(warpath, tmp_path):
    graph = tmp_path / "a.csv"
    graph.write_text("from,to,w\n1,2,-3\n2,3,0\n")
    out = warpath("info", graph).out
    assert "negative weights  1" in out
    assert "zero weights      1" in out
    assert "numbers with gaps, 1 .. 3" in out
    zones = tmp_path / "net.npz"
    from warpath import Graph, write

    write(Graph.from_edges([0, 1], [1, 2], first_through=1), zones)
    out = warpath("info", zones).out
    assert "not passed through  the first vertex" in out
    assert "none, every edge counts 1" in out


def test_info_prints_the_report_of_the_reader(warpath, roads, monkeypatch):
    from warpath.io import dimacs

    read = dimacs.read

    def reporting(source):
        graph = read(source)
        graph.read_report["lines without a length"] = 2
        return graph

    monkeypatch.setattr(dimacs, "read", reporting)
    assert warpath("info", roads).out.endswith("\n\nlines without a length  2\n")
    assert warpath("info", roads, "--json").json["read_report"] == {"lines without a length": 2}


def test_sssp_sums_up_and_lists_a_small_graph(warpath, roads):
    run = warpath("sssp", roads, "--source", 1)
    assert run.code == 0
    facts, _, table = run.out.partition("\n\n")
    assert "reached           5 of 6 vertices" in facts
    assert "sum of distances  20" in facts
    assert "farthest vertex   5" in facts
    assert table.splitlines() == [
        "vertex\tdistance\tpred",
        "1\t0\t",
        "2\t5\t3",
        "3\t2\t1",
        "4\t6\t2",
        "5\t7\t4",
        "6\t\t",
    ]


def test_sssp_all_prints_rows_only(warpath, roads):
    lines = warpath("sssp", roads, "-s", "1", "--all").out.splitlines()
    assert lines[0] == "vertex\tdistance\tpred"
    assert len(lines) == 7


def test_sssp_as_json_has_null_for_what_is_not_reached(warpath, roads):
    found = warpath("--json", "sssp", roads, "--source", 1).json
    assert found["sum"] == 20
    assert found["mean"] == 4.0
    assert (found["reached"], found["unreached"]) == (5, 1)
    assert (found["farthest"], found["max"]) == (5, 7)
    assert found["distances"][0] == {"vertex": 1, "distance": 0, "pred": None}
    assert found["distances"][5] == {"vertex": 6, "distance": None, "pred": None}
    assert set(found["seconds"]) == {"read", "solve"}
    assert found["algorithm"] in {each.name for each in CATALOGUE}


def test_sssp_takes_algorithm_threads_and_cutoff(warpath, roads):
    found = warpath(
        "sssp", roads, "-s", 1, "-a", "classic.delta_stepping", "-t", 2, "--cutoff", 5, "--json"
    ).json
    assert found["algorithm"] == "classic.delta_stepping"
    assert found["reached"] == 3


def test_sssp_of_names_takes_and_gives_names(warpath, names):
    found = warpath("sssp", names, "-s", "Home", "--weight", "km", "--json").json
    assert found["source"] == "Home"
    assert found["farthest"] == "Port"
    assert {row["vertex"]: row["pred"] for row in found["distances"]}["Mill"] == "Bridge"


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".csv.gz"])
def test_sssp_saves_text(warpath, roads, tmp_path, suffix):
    out = tmp_path / f"tree{suffix}"
    assert warpath("sssp", roads, "-s", 1, "-o", out).code == 0
    if suffix.endswith("gz"):
        import gzip

        text = gzip.decompress(out.read_bytes()).decode()
    else:
        text = out.read_text()
    comma = "," if "csv" in suffix else "\t"
    assert text.splitlines()[:3] == [
        comma.join(row) for row in (("vertex", "distance", "pred"), ("1", "0", ""), ("2", "5", "3"))
    ]


def test_sssp_saves_a_result_that_verifies(warpath, roads, tmp_path):
    out = tmp_path / "tree.npz"
    assert f"saved to          {out}" in warpath("sssp", roads, "-s", 1, "-o", out).out
    run = warpath("verify", roads, out, "--source", 1)
    assert run.code == 0
    assert run.out.startswith("verified exactly: 6 labels")
    found = warpath("verify", roads, out, "--json").json
    assert found["verified"] is True
    assert (found["sources"], found["labels"], found["edges"]) == (1, 6, 5)


FOREIGN = {
    "header.csv": "node,dist\n1,0\n2,5\n3,2\n4,6\n5,7\n6,\n",
    "tree.csv": "Pred,Dist,Vertex\n3,5,2\n-1,0,1\n1,2,3\n2,6,4\n4,7,5\n,inf,6\n",
    "bare.csv": "0\n5\n2\n6\n7\ninf\n",
    "two.csv": "1,0\n2,5\n3,2\n4,6\n5,7\n6,inf\n",
    "three.tsv": "1\t0\t-1\n2\t5\t3\n3\t2\t1\n4\t6\t2\n5\t7\t4\n6\tinf\t-1\n",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_verify_takes_text_of_another_program(warpath, roads, tmp_path, name):
    file = tmp_path / name
    file.write_text(FOREIGN[name])
    run = warpath("verify", roads, file, "--source", 1)
    assert run.out.startswith("verified exactly: 6 labels "), run.err
    assert ("and the tree" in run.out) is (name in {"tree.csv", "three.tsv"})
    run = warpath("verify", roads, file)
    assert (run.code, "give its id with --source" in run.err) == (2, True)
    file.write_text(FOREIGN[name].replace("7", "8"))
    run = warpath("verify", roads, file, "--source", 1)
    assert (run.code, "4 -> 5 of weight 1: dist 6 -> 8" in run.err) == (1, True)


def test_verify_takes_arrays_of_another_program(warpath, roads, tmp_path):
    dist, pred = tmp_path / "dist.npy", tmp_path / "pred.npy"
    np.save(dist, np.array([0, 5, 2, 6, 7, -1], np.int32))
    np.save(pred, np.array([-1, 2, 0, 1, 3, -1]))
    words = "verify", roads, dist, "--source", 1, "--unreachable", -1
    assert warpath(*words).code == 0
    for tree in ("canonical", "any"):
        assert "and the tree" in warpath(*words, "--pred", pred, "--tree", tree).out
    np.savez(tmp_path / "both.npz", dist=np.load(dist), pred=np.load(pred))
    words = "verify", roads, tmp_path / "both.npz", "-s", 1, "--unreachable", -1, "--json"
    assert warpath(*words).json["tree"] is True
    run = warpath("verify", roads, dist, "--source", 1)
    assert (run.code, "vertex 6 has dist -1" in run.err) == (1, True)
    run = warpath("verify", roads, dist, "--source", 1, "--pred", roads)
    assert (run.code, "must be a .npy file" in run.err) == (2, True)


def test_verify_refuses_options_for_other_programs_on_a_result_of_warpath(warpath, roads, tmp_path):
    out = tmp_path / "tree.npz"
    warpath("sssp", roads, "-s", 1, "-o", out)
    assert warpath("verify", roads, out, "--tree", "any").code == 0
    run = warpath("verify", roads, out, "--unreachable", -1)
    assert (run.code, "have no effect" in run.err) == (2, True)


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "dist,d\n1,2\n", "1,2,3,4\n", "dist\n1\n2\n"])
def test_verify_says_which_columns_it_expects(warpath, roads, tmp_path, text):
    file = tmp_path / "dist.csv"
    file.write_text(text)
    run = warpath("verify", roads, file, "--source", 1)
    assert "expected a column of distances" in run.err or "2 rows for the n = 6 vert" in run.err


def test_distances_print_a_table(warpath, roads):
    run = warpath("distances", roads, "--sources", "1,3", "--targets", "4,6")
    assert run.out.splitlines() == ["source\t4\t6", "1\t6\t", "3\t4\t"]


def test_distances_long_leaves_out_what_is_not_reached(warpath, roads):
    run = warpath("distances", roads, "--sources", "1,3", "--targets", "4,6", "--long")
    assert run.out.splitlines() == ["source\ttarget\tdistance", "1\t4\t6", "3\t4\t4"]


def test_distances_as_json_have_every_pair(warpath, roads):
    found = warpath("distances", roads, "--sources", "1,3", "--targets", "4,6", "--json").json
    assert found["distances"][:2] == [
        {"source": 1, "target": 4, "distance": 6},
        {"source": 1, "target": 6, "distance": None},
    ]
    assert (found["sources"], found["targets"], found["reached"], found["sum"]) == (2, 2, 2, 10)


def test_distances_read_vertices_from_a_file(warpath, roads, tmp_path):
    depots = tmp_path / "depots.csv"
    depots.write_text("id,name\n1,north\n\n# closed: 2\n3,south\n")
    run = warpath("distances", roads, "--sources", depots, "--targets", "4")
    assert run.out.splitlines() == ["source\t4", "1\t6", "3\t4"]


@pytest.mark.parametrize("suffix", ["npz", "npy", "csv", "tsv"])
def test_distances_save_tables(warpath, roads, tmp_path, suffix):
    out = tmp_path / f"od.{suffix}"
    run = warpath("distances", roads, "--sources", "1,3", "--targets", "4,5", "-o", out)
    assert run.code == 0
    assert "2 sources x 2 targets" in run.out
    if suffix == "npy":
        assert np.load(out).tolist() == [[6, 7], [4, 5]]
    elif suffix == "npz":
        with np.load(out) as stored:
            assert stored["dist"].tolist() == [[6, 7], [4, 5]]
    else:
        lines = out.read_text().replace("\t", ",").splitlines()
        assert lines == ["source,4,5", "1,6,7", "3,4,5"]


def test_apsp_prints_a_small_table_and_saves_any(warpath, roads, tmp_path):
    lines = warpath("apsp", roads).out.splitlines()
    assert lines[0] == "source\t1\t2\t3\t4\t5\t6"
    assert lines[1] == "1\t0\t5\t2\t6\t7\t"
    for name in ("full.npy", "full.npz", "full.csv"):
        out = tmp_path / name
        assert warpath("apsp", roads, "-o", out).code == 0
        if name != "full.csv":
            assert warpath("verify", roads, out).code == 0
    assert np.load(tmp_path / "full.npy")[0].tolist()[:5] == [0, 5, 2, 6, 7]


def test_distances_with_predecessors_are_long(warpath, roads, tmp_path):
    words = ("distances", roads, "--sources", "1,3", "--targets", "4,6,3", "--predecessors")
    assert warpath(*words).out.splitlines() == [
        "source\ttarget\tdistance\tpred",
        "1\t4\t6\t2",
        "1\t3\t2\t1",
        "3\t4\t4\t2",
        "3\t3\t0\t",
    ]
    assert warpath(*words, "--json").json["distances"][1] == {
        "source": 1,
        "target": 6,
        "distance": None,
        "pred": None,
    }
    assert warpath(*words, "-o", tmp_path / "od.csv").code == 0
    lines = (tmp_path / "od.csv").read_text().splitlines()
    assert lines[:2] == ["source,target,distance,pred", "1,4,6,2"]
    assert warpath(*words, "-o", tmp_path / "od.npz").code == 0
    with np.load(tmp_path / "od.npz") as stored:
        assert stored["preds"].tolist() == [[1, -1, 0], [1, -1, -1]]
    assert warpath("verify", roads, tmp_path / "od.npz").out.startswith(
        "verified exactly: 6 labels"
    )


def test_wide_and_long_tables_are_asked_for(warpath, roads, tmp_path):
    words = ("distances", roads, "--sources", "1,3", "--targets", "4,6")
    assert warpath(*words, "--wide", "-o", tmp_path / "wide.csv").code == 0
    assert (tmp_path / "wide.csv").read_text().splitlines()[0] == "source,4,6"
    assert warpath("apsp", roads, "--long", "-o", tmp_path / "long.tsv").code == 0
    assert (tmp_path / "long.tsv").read_text().splitlines()[2] == "1\t2\t5"


def test_tables_can_be_narrow(warpath, roads, tmp_path):
    warpath("apsp", roads, "--dist-dtype", "int32", "-o", tmp_path / "full.npy")
    assert np.load(tmp_path / "full.npy").dtype == np.int32
    warpath("distances", roads, "-s", 1, "--dist-dtype", "int32", "-o", tmp_path / "row.npy")
    assert np.load(tmp_path / "row.npy").tolist() == [[0, 5, 2, 6, 7, 2**31 - 1]]


def test_nearest_lists_a_small_graph_and_saves_rows(warpath, roads, tmp_path):
    run = warpath("nearest", roads, "--facilities", "3,5")
    facts, _, table = run.out.partition("\n\n")
    assert "reached          4 of 6 vertices" in facts
    assert "largest area     3, 3 vertices" in facts
    assert "measured         from the facility" in facts
    assert table.splitlines() == [
        "vertex\tfacility\tdistance",
        "1\t\t",
        "2\t3\t3",
        "3\t3\t0",
        "4\t3\t4",
        "5\t5\t0",
        "6\t\t",
    ]
    depots = tmp_path / "depots.csv"
    depots.write_text("id\n3\n5\n")
    words = ("nearest", roads, "-f", depots, "--reverse", "--cutoff", 4)
    assert "to the facility" in warpath(*words).out
    assert warpath(*words, "--all").out.splitlines()[1:4] == ["1\t3\t2", "2\t5\t2", "3\t3\t0"]
    found = warpath(*words, "--json", "-o", tmp_path / "areas.csv").json
    assert (found["facilities"], found["reached"], found["reverse"]) == (2, 5, True)
    assert found["vertices"][3] == {"vertex": 4, "facility": 5, "distance": 1}
    assert (tmp_path / "areas.csv").read_text().splitlines()[1] == "1,3,2"


def test_nearest_saves_parquet(warpath, names, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs warpath[io]")
    run = warpath("nearest", names, "-f", "Mill", "--weight", "km", "-o", tmp_path / "a.parquet")
    assert f"saved to         {tmp_path / 'a.parquet'}" in run.out
    rows = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    assert {"vertex": "Port", "facility": "Mill", "distance": 2} in rows
    assert {"vertex": "Home", "facility": None, "distance": None} in rows


def test_path_lists_the_routes_of_two_costs(warpath, tmp_path):
    table = tmp_path / "streets.csv"
    table.write_text("source,target,metres,climb\na,b,2,9\nb,c,2,4\na,c,7,1.5\n")
    words = "path", table, "a", "c", "--weight", "metres", "--option", "attributes=climb"
    words = *words, "--second", "climb"
    lines = ["route\tlength\tsecond\thops", "1\t4\t13.0\t2", "2\t7\t1.5\t1"]
    assert warpath(*words).out.splitlines() == lines
    assert warpath(*words, "--limit", 12).out.splitlines() == [lines[0], "1\t7\t1.5\t1"]
    assert warpath(*words, "--json").json["routes"][1] == {
        "length": 7, "second": 1.5, "vertices": ["a", "c"], "weights": [7]
    }  # fmt: skip
    assert "the least possible is 1.5" in warpath(*words, "--limit", 1).err
    assert "--second and --k print other routes: give" in warpath(*words, "--k", 2).err
    assert "--limit bounds the second cost of a route: give --second" in (
        warpath(*words[:-2], "--limit", 1).err
    )
    assert "second='slope' is not a rule, a kept column" in warpath(*words[:-1], "slope").err


def test_path_lists_several_routes(warpath, roads):
    lines = warpath("path", roads, 1, 5, "--k", 2).out.splitlines()
    assert lines[:2] == ["route\thop\tvertex\tweight\tdistance", "1\t0\t1\t\t0"]
    found = warpath("path", roads, 1, 5, "--k", 9, "--json").json
    assert found["routes"][0] == {
        "length": 7, "vertices": [1, 3, 2, 4, 5], "weights": [2, 3, 1, 1]
    }  # fmt: skip
    lengths = [route["length"] for route in found["routes"]]
    assert lengths == sorted(lengths)
    assert len(lengths) < 9
    assert "--k prints several routes, --legs one: give one of both" in (
        warpath("path", roads, 1, 5, "--k", 2, "--legs").err
    )
    assert warpath("path", roads, 5, 1, "--k", 2).code == 1


def test_path_lists_routes_that_differ_or_share_no_edge(warpath, roads):
    differing = warpath("path", roads, 1, 5, "--alternatives", 3, "--json").json["routes"]
    assert differing[0] == {
        "length": 7, "vertices": [1, 3, 2, 4, 5], "weights": [2, 3, 1, 1],
        "sharing": 0, "stretch": 1, "local": 1,
    }  # fmt: skip
    table = warpath("path", roads, 1, 5, "--alternatives", 3).out
    assert table.startswith("route\thop\tvertex\tweight\tdistance\n1\t0\t1\t\t0")
    none = warpath("path", roads, 1, 5, "--disjoint", "--k", 9)
    assert (none.code, "share no edge" in none.err) == (1, True)
    both = warpath("path", roads, 1, 5, "--alternatives", 3, "--k", 2)
    assert "--alternatives and --k print other routes: give one of both" in both.err
    page = warpath("path", roads, 1, 5, "--disjoint", "--html", "a.html")
    assert "coordinates" in page.err


def test_several_routes_are_drawn_with_a_legend(warpath, tmp_path):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    town, picture, page = (str(tmp_path / name) for name in ("t.npz", "t.svg", "t.html"))
    warpath("generate", "grid", "--rows", 6, "--columns", 6, "-o", town)
    found = warpath("path", town, 0, 35, "--k", 3, "--plot", picture, "--html", page, "--json").json
    lengths = [f"{route['length']:,}" for route in found["routes"]]
    html = Path(page).read_text("utf-8")
    assert all(f'"{number}: {length}"' in html for number, length in enumerate(lengths, 1))
    assert Path(picture).read_text("utf-8").startswith("<?xml")


@pytest.fixture
def tolls(tmp_path):
    table = {
        "source": ["a", "b", "a", "c"], "target": ["b", "d", "c", "d"], "km": [1, 1, 2, 2],
        "toll": [False, True, False, False], "lanes": [1, 1, 2, 2],
        "street": ["Mill", "Main St", "Low", "Low"],
    }  # fmt: skip
    graph = wp.Graph.of(table, weight="km", attributes="all")
    file = tmp_path / "tolls.npz"
    wp.write(graph.with_coordinates([(0, 0), (1, 0), (1, 1), (0, 1)]), file)
    return file


def test_path_avoids_edges(warpath, tolls, tmp_path):
    def length(*options):
        return warpath("path", tolls, "a", "d", *options, "--json").json["length"]

    square = [(0.5, -0.5), (0.6, -0.5), (0.6, 0.5), (0.5, 0.5)]
    shape = {"type": "Polygon", "coordinates": [square]}
    (tmp_path / "area.geojson").write_text(json.dumps({"type": "Feature", "geometry": shape}))
    assert length() == 2
    for edges in (
        "toll=true",
        "Main St",
        "street=Main St",
        "vertices=b",
        tmp_path / "area.geojson",
    ):
        assert length("--avoid", edges) == 4
    assert length("--only", "street=Low,Mill") == 4
    assert length("--only", "toll=false", "--only", "lanes=2") == 4
    both = warpath("path", tolls, "a", "d", "--avoid", "toll=true", "--avoid", "Low")
    assert (both.code, "In this graph 3 edges are closed" in both.err) == (1, True)
    several = warpath("path", tolls, "a", "d", "--avoid", "toll=true", "--k", 3, "--json").json
    assert [route["length"] for route in several["routes"]] == [4]
    for edges, message in (
        ("toll=dear", "--avoid toll=dear: the column toll needs true or false"),
        ("lanes=x", "--avoid lanes=x: the column lanes needs a number"),
        ("tolls=1", "keeps no such column; it keeps"),
        ("High St", "no edge has 'High St' in its column 'street'"),
        ("none.geojson", "--avoid none.geojson: not a GeoJSON file"),
    ):
        assert message in warpath("path", tolls, "a", "d", "--avoid", edges).err


def test_path_lists_the_vertices(warpath, roads):
    run = warpath("path", roads, 1, 5)
    assert run.out.splitlines() == [
        "hop\tvertex\tweight\tdistance",
        "0\t1\t\t0",
        "1\t3\t2\t2",
        "2\t2\t3\t5",
        "3\t4\t1\t6",
        "4\t5\t1\t7",
    ]


def test_path_as_json_has_the_route(warpath, names):
    found = warpath("path", names, "Home", "Port", "--weight", "km", "--json").json
    assert found["vertices"] == ["Home", "Bridge", "Mill", "Farm", "Port"]
    assert found["weights"] == [2, 3, 1, 1]
    assert (found["length"], found["hops"], found["coordinates"]) == (7, 4, None)


@pytest.fixture
def extract(tmp_path):
    """An extract with two streets from point 1 to point 4, one of which is a foot way."""
    pytest.importorskip("osmium")
    places = "".join(f'<node id="{v}" lat="0" lon="{v / 1000}"/>' for v in range(1, 5))
    ways = [((1, 2), "residential", "Rue A"), ((2, 3, 4), "residential", "Rue B")]
    ways.append(((1, 4), "footway", "Passage"))
    lines = []
    for number, (refs, kind, name) in enumerate(ways, 1):
        points = "".join(f'<nd ref="{v}"/>' for v in refs)
        tags = f'<tag k="highway" v="{kind}"/><tag k="name" v="{name}"/>'
        lines.append(f'<way id="{number}">{points}{tags}</way>')
    rule = '<tag k="type" v="restriction"/><tag k="restriction" v="no_straight_on"/>'
    members = '<member type="way" ref="1" role="from"/><member type="node" ref="2" role="via"/>'
    members += '<member type="way" ref="2" role="to"/>'
    text = f"{places}{''.join(lines)}<relation id='1'>{members}{rule}</relation>"
    path = tmp_path / "town.osm"
    path.write_text(f'<?xml version="1.0"?><osm version="0.6">{text}</osm>')
    return path


def test_path_lists_the_streets_on_request(warpath, extract):
    run = warpath("path", extract, 1, 4, "--legs", "--weight", "seconds")
    head, *rows = (line.split("\t") for line in run.out.splitlines())
    assert head == ["street", "metres", "seconds"]
    assert [row[0] for row in rows] == ["Rue A", "Rue B"]
    assert [round(float(row[1])) for row in rows] == [111, 222]
    found = warpath("path", extract, 1, 4, "--json").json
    assert [leg["street"] for leg in found["legs"]] == ["Rue A", "Rue B"]
    assert warpath("path", extract, 1, 1, "--legs").out == "street\tmetres\tseconds\n"


def test_streets_need_names(warpath, roads):
    run = warpath("path", roads, 1, 5, "--legs")
    assert (run.code, run.out) == (3, "")
    assert "no street names" in run.err
    assert warpath("path", roads, 1, 5, "--json").json["legs"] is None


def test_profiles_and_speeds_are_options(warpath, extract):
    on_foot = warpath("path", extract, 1, 4, "--profile", "foot", "--legs").out
    assert on_foot.splitlines()[1].startswith("Passage\t")
    plain = warpath("path", extract, 1, 4, "--weight", "seconds", "--json").json["length"]
    options = ("--weight", "seconds", "--speed", "residential=15", "--speed", "primary=70")
    assert warpath("path", extract, 1, 4, *options, "--json").json["length"] == 2 * plain


def test_turns_are_an_option(warpath, extract):
    assert warpath("path", extract, 1, 4).code == 0
    assert warpath("path", extract, 1, 4, "--turns").code == 1
    assert warpath("path", extract, 2, 4, "--turns", "--turn-cost", "left=5").code == 0
    assert "turns        1 restriction honoured\n" in warpath("info", extract, "--turns").out
    assert warpath("sssp", extract, "--source", 1, "--json").json["reached"] == 3
    assert warpath("sssp", extract, "--source", 1, "--turns", "--json").json["reached"] == 2


def test_conditional_tags_count_at_a_time(warpath, extract):
    pytest.importorskip("opening_hours")
    name, closed = 'k="name" v="Rue B"/>', '<tag k="access:conditional" v="no @ (Th 07:00-09:00)"/>'
    extract.write_text(extract.read_text().replace(name, name + closed))
    assert warpath("path", extract, 1, 4, "--at", "2026-11-26 09:30").code == 0
    assert warpath("path", extract, 1, 4, "--at", "2026-11-26 08:30").code != 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--profile", "tram"), "profile='tram' must be 'car', 'bike', 'foot'"),
        (("--speed", "steps=5"), "the profile 'car' does not use this class"),
        (("--speed", "residential=fast"), "must be a number of km/h"),
        (("--turn-cost", "left=5"), "turn_costs has no effect without turns=True"),
        (("--at", "noon"), 'such as "2026-11-26 08:30"'),
    ],
)
def test_wrong_options_of_an_extract_are_refused(warpath, extract, options, message):
    run = warpath("path", extract, 1, 4, *options)
    assert run.code == 3
    assert message in " ".join(run.err.split())


def test_a_speed_without_a_number_is_wrong_usage(warpath, extract, roads):
    run = warpath("path", extract, 1, 4, "--speed", "residential")
    assert run.code == 2
    assert "--speed 'residential' must have the form key=value" in run.err
    assert "no option 'profile'" in warpath("path", roads, 1, 5, "--profile", "bike").err


def test_path_to_itself_has_no_edges(warpath, roads):
    found = warpath("path", roads, 2, 2, "--json").json
    assert (found["vertices"], found["length"], found["hops"]) == ([2], 0, 0)


@pytest.mark.parametrize(
    ("question", "algorithm"),
    [
        ([], None),
        (["--source", 2], None),
        (["--sources", "1,2", "--targets", "3"], None),
        (["--sources", "1,2"], None),
        (["--apsp"], None),
        (["--from", 1, "--to", 5, "-a", "classic.dijkstra"], "classic.dijkstra"),
        (["--cutoff", 3], None),
        (["--source", 2, "--cutoff", 3], None),
    ],
)
def test_plan_answers_each_question(warpath, roads, question, algorithm):
    run = warpath("plan", roads, *question)
    assert run.code == 0
    assert " because " in run.out
    found = warpath("plan", roads, *question, "--json").json
    assert run.out.startswith(found["algorithm"])
    assert algorithm in {None, found["algorithm"]}
    assert found["bytes"] > 0


def test_plan_takes_the_trips_of_pairs(warpath, roads, tmp_path):
    (tmp_path / "trips.csv").write_text("trip,origin,destination\na,1,5\nb,1,4\nc,2,4\n")
    run = warpath("plan", roads, "--pairs", tmp_path / "trips.csv", "--json")
    plan = wp.plan(wp.read(roads), origins=[0, 0, 1], destinations=[4, 3, 3])
    assert (run.json["algorithm"], run.json["bytes"]) == (plan.algorithm, plan.bytes)
    prepared = tmp_path / "roads.wph"
    assert warpath("prepare", roads, "-o", prepared).code == 0
    found = warpath("plan", prepared, "--pairs", tmp_path / "trips.csv", "--json").json
    assert found["algorithm"] == "geisberger2008.ch"


def test_convert_writes_what_reads_the_same(warpath, roads, tmp_path):
    out = tmp_path / "roads.mtx.gz"
    found = warpath("convert", roads, out, "--json").json
    assert (found["n"], found["m"], found["bytes"]) == (6, 5, out.stat().st_size)
    assert warpath("sssp", out, "-s", 1, "--json").json["sum"] == 20
    assert "written" in warpath("convert", roads, tmp_path / "b", "--format-out", "dimacs").out


def test_convert_reads_undirected_and_unweighted_when_told(warpath, names, tmp_path):
    out = tmp_path / "named.npz"
    run = warpath("convert", names, out, "--undirected", "--weight", "none", "--json")
    assert run.json["m"] == 10
    assert warpath("sssp", out, "-s", "Port", "--json").json["max"] == 3


def test_reader_options_reach_the_reader(warpath, tmp_path):
    graph = tmp_path / "a.txt"
    graph.write_text("a title\n0 1 9\n1 2 9\n")
    found = warpath("info", graph, "--option", "skip_lines=1", "--option", "n=5", "--json").json
    assert found["n"] == 5
    found = warpath(
        "sssp",
        graph,
        "-s",
        "9",
        "--option",
        "skip_lines=1",
        "--option",
        "columns=2,0",
        "--weight",
        "1",
        "--json",
    ).json
    assert found["reached"] == 3


def test_lengths_come_from_coordinates_when_told(warpath, roads, places):
    found = warpath(
        "path", roads, 1, 2, "--coordinates", places, "--weight", "euclidean", "--json"
    ).json
    assert found["weights"] == [5.0]
    assert found["coordinates"] == [[0, 0], [4, 3]]


def test_generate_lists_explains_and_writes(warpath, tmp_path):
    assert warpath("generate").out == warpath("generate", "--list").out
    assert "grid" in warpath("generate", "--list").out
    assert "drop : " in warpath("generate", "grid", "--list").out
    out = tmp_path / "grid.gr"
    words = ["generate", "grid", "--rows", 3, "--columns=4", "-p", "weights=2,5", "--diagonal"]
    found = warpath(*words, "-o", out, "--seed", 7, "--json").json
    assert found["n"] == 12
    assert found["arguments"] == {
        "rows": 3,
        "columns": 4,
        "weights": [2, 5],
        "diagonal": True,
        "seed": 7,
    }
    first = out.read_bytes()
    assert warpath(*words, "-o", out, "--seed", 7).out.startswith("generated  grid(3, 4), seed 7")
    assert out.read_bytes() == first
    kinds = warpath("generate", "--list", "--json").json["kinds"]
    assert set(kinds[0]) == {"kind", "summary", "usage"}
    assert warpath("generate", "grid", "--list", "--json").json["parameters"]["drop"] == 0.0


def test_algorithms_are_listed_and_explained(warpath):
    assert warpath("algorithms").out.splitlines()[3].startswith("classic.dijkstra ")
    out = warpath("algorithms", "classic.dijkstra.dial").out
    assert "weights >= 0; integer weights; weights up to" in out
    assert "Communications of the ACM 12 1969" in out
    assert "delta: " in warpath("algorithms", "classic.delta_stepping").out
    assert "nothing special" in warpath("algorithms", "classic.johnson").out
    found = warpath("algorithms", "--json").json["algorithms"]
    assert {"name", "summary", "tasks", "source", "same_bits"} <= set(found[0])


def test_algorithms_of_a_paper_are_listed_by_its_name_alone(warpath):
    listed = warpath("algorithms", "martin2009").out
    assert listed.startswith("martin2009: ")
    assert listed == warpath("algorithms", "--paper", "martin2009").out
    assert "Did you mean martin2009" in warpath("algorithms", "martin209").err


def test_algorithms_are_filtered_by_paper_and_device(warpath):
    lines = warpath("algorithms", "--paper", "martin2009", "--device", "cpu").out.splitlines()
    assert lines[0].startswith("martin2009: Martín, Torres, Gavilanes: CUDA solutions")
    assert lines[2].split() == ["name", "on", "for"]
    names = ("fh", "f_cpu", "u_cpu", "f_cpu.dense", "u_cpu.dense")
    assert [line.split()[:2] for line in lines[3:]] == [[f"martin2009.{n}", "cpu"] for n in names]
    found = warpath("algorithms", "--device", "cuda", "--json").json["algorithms"]
    on_gpu = {recipe.paper for recipe in CATALOGUE if "cuda" in recipe.devices}
    assert {one["paper"] for one in found} == on_gpu
    assert "classic" not in on_gpu
    assert warpath("algorithms", "--paper", "classic", "--device", "cuda").out == (
        "no algorithm of classic runs on cuda\n"
    )


def test_one_algorithm_is_shown_with_its_place_axes_and_note(warpath):
    out = warpath("algorithms", "martin2009.u_gpu_plus_1min").out
    assert "section 4.2, U^GPU_PLUS" in out
    assert "min, pull, thread, flags, one pass, shared" in out
    assert "texture reference" in out
    assert "never chooses it" in out
    rows = [line.split()[:2] for line in out.splitlines()]
    assert ["memory", "shared"] in rows
    assert "measured only" in warpath("algorithms", "broken.harish_narayanan2007").out
    assert "no: sums in another order" in warpath("algorithms", "classic.johnson").out
    (found,) = warpath("algorithms", "davidson2014.hybrid", "--json").json["algorithms"]
    assert found["loop"] == "near_far"
    assert found["axes"]["map"] == "merge path"
    assert set(found["params"]) == {"delta", "switch"}
    assert not found["planned"]


def test_help_is_a_command_too(warpath):
    assert warpath("help").out == warpath("--help").out
    assert warpath("help", "path").out == warpath("path", "--help").out


def test_doctor_lists_the_packages_of_all_extras(warpath):
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    listed = {each["install"].split()[-1] for each in warpath("doctor", "--json").json["packages"]}
    needed = {
        re.split(r"[<>=\[]", line)[0]
        for extra in ("io", "osm", "plot", "explore", "geo", "networkx", "zarr")
        for line in extras[extra]
    }
    assert needed <= listed | {"pyarrow", "zstandard"}


def test_doctor_solves_and_verifies(warpath):
    run = warpath("doctor")
    assert run.code == 0
    assert re.search("^cpu +ok, same bits as expected$", run.out, re.MULTILINE)
    found = warpath("doctor", "--json").json
    assert set(found) == {
        "command",
        "versions",
        "machine",
        "settings",
        "packages",
        "cuda",
        "devices",
    }
    assert set(found["versions"]) == {"warpath", "python", "numpy", "core", "system"}


def test_doctor_tells_recorded_runs_when_asked(warpath, monkeypatch):
    assert "recorded_runs" not in warpath("doctor", "--json").json
    monkeypatch.setattr(sources, "since_recorded", lambda: {"X100, 2026-11-21": "same kernels"})
    assert "X100, 2026-11-21  same kernels" in warpath("doctor", "--verbose").out
    found = warpath("doctor", "--verbose", "--json").json["recorded_runs"]
    assert found == {"X100, 2026-11-21": "same kernels"}
    monkeypatch.undo()
    monkeypatch.setattr(sources, "since_recorded", dict)
    assert "no run is recorded in" in warpath("doctor", "-v").out


def test_doctor_shows_a_setting_that_is_wrong(warpath, monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "plenty")
    monkeypatch.setenv("WARPATH_THREADS", "1")
    run = warpath("doctor")
    assert "WARPATH_MEMORY='plenty' must be a number of bytes" in run.out


def test_doctor_reports_a_device_that_fails(warpath, monkeypatch):
    from warpath.api import calls
    from warpath.base.errors import NotSupportedError

    def broken(*_, **__):
        raise NotSupportedError("the core is broken.")

    monkeypatch.setattr(calls, "sssp", broken)
    run = warpath("doctor")
    assert run.code == 4
    assert "failed: the core is broken." in run.out


@pytest.mark.usefixtures("terminal")
def test_people_get_tables_and_facts(warpath, roads, tmp_path):
    assert "─" in warpath("sssp", roads, "-s", 1).out
    assert "Optional packages" in warpath("doctor").out
    assert "because it is predicted to be the fastest" in warpath("plan", roads).out
    out = warpath("path", roads, 1, 5).out
    assert "1 -> 5" in out
    assert "hops" in out
    line = tmp_path / "line.gr"
    line.write_text("p sp 60 59\n" + "".join(f"a {v} {v + 1} 1\n" for v in range(1, 60)))
    assert "36 more (--all shows them)" in warpath("path", line, 1, 60).out
    assert "more" not in warpath("path", line, 1, 60, "--all").out


def test_a_tree_is_drawn_with_the_ids_of_the_file(warpath, roads, places, tmp_path):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    out = tmp_path / "tree.svg"
    words = ("--coordinates", places, "-o", out)
    assert warpath("plot", "tree", roads, "-s", 1, "--target", 5, *words).code == 0
    assert "the route to 5 is" in out.read_text()


def test_a_plot_is_drawn_with_coordinates_given_or_found_beside(warpath, roads, places, tmp_path):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    out = tmp_path / "route.png"
    found = warpath("path", roads, 1, 5, "--coordinates", places, "--plot", out, "--json").json
    assert found["plot"] == str(out)
    assert out.read_bytes().startswith(b"\x89PNG")
    places.rename(roads.with_suffix(".co"))
    other = tmp_path / "route.svg"
    assert warpath("path", roads, 1, 5, "--plot", other, "--quiet").code == 0
    assert "Shortest path from 1 to 5" in other.read_text()
    roads.write_text("p sp 6 2\na 1 2 0.1\na 2 5 0.2\n")  # 0.1 + 0.2 = 0.30000000000000004
    warpath("path", roads, 1, 5, "--plot", other)
    assert "length 0.3, 2 edges" in other.read_text()  # in the comment that names the glyphs


def test_a_member_of_a_zip_and_the_kind_of_ids_can_be_chosen(warpath, tmp_path):
    import zipfile

    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("one.txt", "0 1\n")
        file.writestr("two.txt", "0 1\n1 2\n")
    run = warpath("info", archive, "--member", "two.txt", "--ids", "text", "--json")
    assert (run.json["m"], run.json["ids"]) == (2, "names")


@pytest.mark.parametrize(("words", "progress"), [([], True), (["--quiet"], None)])
def test_only_quiet_work_shows_no_progress(warpath, roads, monkeypatch, words, progress):
    from warpath.api.solver import Solver

    asked = []
    real = Solver.sssp

    def sssp(*arguments, **keywords):
        asked.append(keywords["progress"])
        return real(*arguments, **keywords)

    monkeypatch.setattr(Solver, "sssp", sssp)
    assert warpath("sssp", roads, "-s", 1, *words).code == 0
    assert asked == [progress]


def test_new_york_sums_up_as_published_and_verifies(warpath, data_folder, tmp_path):
    graph, tree = data_folder / "USA-road-d.NY.gr.gz", tmp_path / "tree.npz"
    found = warpath("sssp", graph, "--source", 1, "-o", tree, "--json").json
    assert found["sum"] == 186_686_642_878
    assert warpath("verify", graph, tree, "--source", 1).code == 0


def test_bitcoin_has_a_negative_cycle_that_sums_up(warpath, data_folder):
    graph = data_folder / "soc-sign-bitcoinotc.csv.xz"
    run = warpath("sssp", graph, "--source", 1, "--weight", "feature")
    assert run.code == 3
    assert "negative cycle" in run.err


def test_within_counts_lists_saves_and_draws(warpath, roads, places, tmp_path):
    run = warpath("within", roads, "--source", 1, "--cutoff", "2,6")
    facts, _, table = run.out.partition("\n\n")
    assert "within 2  2 vertices" in facts
    assert "within 6  4 vertices" in facts
    assert table.splitlines() == [
        "vertex\tdistance\tcutoff",
        "1\t0\t2",
        "3\t2\t2",
        "2\t5\t6",
        "4\t6\t6",
    ]
    out = tmp_path / "near.csv"
    words = ("within", roads, "-s", 4, "-c", 1.5, "--reverse")
    found = warpath(*words, "-o", out, "--json").json
    assert found["within"] == [{"cutoff": 1.5, "vertices": 2}]
    assert [row["vertex"] for row in found["vertices"]] == [4, 2]
    assert out.read_text().splitlines() == ["vertex,distance,cutoff", "4,0,1.5", "2,1,1.5"]
    assert warpath(*words, "--all").out.splitlines()[1] == "4\t0\t1.5"
    assert warpath("within", roads, "-s", 1, "-c", "near").code == 2
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    places.rename(roads.with_suffix(".co"))
    plot = tmp_path / "near.svg"
    assert f"drawn to    {plot}" in warpath(*words, "--plot", plot).out
    assert "Within 1.5 on the way to 4" in plot.read_text()


def test_within_saves_outlines(warpath, roads, places, tmp_path):
    import json

    pytest.importorskip("geopandas", reason="outlines need warpath[geo]")
    out = tmp_path / "near.geojson"
    words = ("within", roads, "-s", 1, "-c", "5,7", "--outlines", out)
    assert "leave --outlines out" in warpath(*words).err
    assert warpath(*words, "--coordinates", places).code == 0
    first, second = json.loads(out.read_text())["features"]
    assert first["properties"] == {"cutoff": 5, "vertices": 3, "resolution": 18**0.5}
    assert second["geometry"]["type"] == "MultiPolygon"


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        (["tree", "-s", 1, "--target", 5, "--cutoff", 7], "Shortest paths from 1"),
        (["route", 1, 5, "--theme", "dark"], "Shortest path from 1 to 5"),
        (["within", "-s", 1, "-c", "2,5"], "Within 5 of 1"),
        (["nearest", "-f", "1,5"], "the nearest of 2 facilities"),
        (["frontier", "-s", 1, "--frames", 3], "How the search from 1 spreads"),
        (
            ["frontier", "-s", 1, "--width", 2, "--algorithm", "martin2009.f_cpu"],
            "How the search from 1 spreads",
        ),
        (["delta", "-s", 1, "--repeats", 1, "-a", "warpath.buckets"], "median of 1 solves"),
    ],
)
def test_searches_are_drawn(warpath, roads, places, tmp_path, words, drawn):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    places.rename(roads.with_suffix(".co"))
    out, (name, *rest) = tmp_path / "a.svg", words
    run = warpath("plot", name, roads, *rest, "-o", out)
    assert run.code == 0, run.err
    assert f"drawn to  {out}" in run.out
    assert drawn in out.read_text()
    found = warpath("plot", name, roads, *rest, "-o", out, "--json").json
    assert (found["command"], found["plot"]) == (f"plot {name}", str(out))
    assert warpath("plot", name, roads, *rest, "-o", "a.doc").code == 2


def test_a_frontier_becomes_an_animation(warpath, roads, places, tmp_path):
    pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")
    out = tmp_path / "a.gif"
    words = ("plot", "frontier", roads, "-s", 1, "--frames", 3, "-o", out)
    assert "leave" not in warpath(*words).err  # there is nothing that could be left out
    assert warpath(*words, "--coordinates", places).code == 0
    assert out.read_bytes().startswith(b"GIF89a")


def test_a_sweep_of_what_has_no_delta_is_refused(warpath, roads):
    run = warpath("plot", "delta", roads, "-s", 1, "-a", "classic.dijkstra", "-o", "a.png")
    assert run.code == 3
    assert "takes no delta" in run.err


def test_a_cutoff_of_many_digits_is_not_rounded(warpath, tmp_path):
    graph = tmp_path / "far.csv"
    graph.write_text("0,1,9007199254740992\n1,2,1\n2,3,1\n")
    words = ("sssp", graph, "-s", 0, "--cutoff", 2**53 + 1, "--json")
    assert warpath(*words).json["max"] == 2**53 + 1


def test_a_generator_takes_a_whole_number_in_scientific_notation(warpath, tmp_path):
    out = tmp_path / "a.npz"
    assert warpath("generate", "uniform", "--n", "1e3", "-p", "out_degree=2e0", "-o", out).code == 0
    assert wp.read(out).n == 1000
    assert warpath("generate", "uniform", "--n", "1.5", "-o", out).code == 3


STREETS = 'von;nach;"Länge, km";Minuten\n"Bern; Stadt";Thun;26,5;20\nThun;Spiez;10,0;9\n'
COLUMNS = ("--from", "von", "--to", "nach")


@pytest.fixture
def streets(tmp_path):
    """A table with a header, quotes and decimal commas of its own."""
    path = tmp_path / "streets.csv"
    path.write_text(STREETS, encoding="utf-8")
    return path


def test_columns_of_a_table_are_named(warpath, streets):
    words = (*COLUMNS, "--weight", "Länge, km")
    found = warpath("path", streets, "Bern; Stadt", "Spiez", *words, "--json").json
    assert found["length"] == 36.5
    given = (*words, "--delimiter", ";", "--decimal", ",")
    assert warpath("path", streets, "Bern; Stadt", "Spiez", *given, "--json").json["length"] == 36.5
    plan = ("--from-column", "von", "--to-column", "nach", "--weight", "Minuten")
    run = warpath("plan", streets, "--from", "Thun", "--to", "Spiez", *plan)
    assert run.code == 0


def test_a_suggested_remedy_is_a_command_that_works(warpath, streets):
    run = warpath("info", streets)
    assert run.code == 3
    flags = run.err.partition("as with ")[2].strip().rstrip(".")
    assert flags == "--from-column von --to-column nach --weight 'Länge, km'"
    assert warpath("info", streets, *shlex.split(flags)).code == 0
    run = warpath("info", streets, *COLUMNS)
    flags = re.search(r"; choose (--weight .*), or --weight none", run.err)[1]
    assert warpath("info", streets, *COLUMNS, *shlex.split(flags)).code == 0


def test_a_header_that_is_not_clear_is_settled_by_an_option(warpath, tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("Bern,Thun\nBasel,Genf\n")
    run = warpath("info", table)
    assert run.code == 3
    for option, edges in zip(re.findall(r"--option header=\w+", run.err), (1, 2), strict=True):
        more = () if "False" in option else ("--from", "Bern", "--to", "Thun")
        assert warpath("info", table, *option.split(), *more, "--json").json["edges"] == edges


def test_a_column_of_directions_is_said_to_be_unused_until_it_is_named(warpath, tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("from,to,km,oneway,back\n1,2,5,yes,7\n2,3,4,no,8\n")
    run = warpath("info", table, "--json")
    assert run.err == ("warpath: a.csv: column 'oneway' is not used: --oneway oneway reads it\n")
    assert run.json["edges"] == 2
    run = warpath("info", table, "--oneway", "oneway")
    assert run.err == ""
    assert "directions from the column 'oneway'  1 one way, 1 both ways" in run.out
    assert warpath("info", table, "--oneway", "none").err == ""
    both = ("--weight", "km", "--reverse-weight", "back")
    assert warpath("path", table, 3, 1, *both, "--json").json["length"] == 15


def test_options_of_formats_end_in_no_internal_error(warpath, tmp_path):
    table = tmp_path / "a.csv"
    table.write_text("1,2,x,5\n2,3,y,6\n", encoding="utf-8")
    assert warpath("info", table, "--option", "columns=0,1,3").code == 0
    for option in ("columns=1", "columns=1,2,4", "speeds=residential:20", "delimiter=5,6"):
        run = warpath("info", table, "--option", option)
        assert run.code == 3, run.err
    run = warpath("info", table, "--option", "speeds=20")
    assert (run.code, "speeds=residential:20,primary:50" in run.err) == (2, True)


def test_speeds_reach_the_reader_as_a_dictionary():
    assert reading.pairs(["speeds=residential:20,primary:50.5"], "--option") == {
        "speeds": {"residential": 20, "primary": 50.5}
    }


def test_a_graph_is_converted_to_csv_without_pyarrow(warpath, streets, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    out = tmp_path / "out.csv"
    words = (*COLUMNS, "--weight", "Minuten", "--option-out", "delimiter=;")
    assert warpath("convert", streets, out, *words).code == 0
    assert out.read_text() == 'source;target;weight\n"Bern; Stadt";Thun;20\nThun;Spiez;9\n'
    wp.sssp(wp.read(out), "Thun").save(tmp_path / "tree.csv")
    assert (tmp_path / "tree.csv").read_text().splitlines()[2] == '"Thun",0,'


def test_formats_are_listed_with_their_options(warpath):
    out = warpath("formats").out
    assert "decimal" in next(line for line in out.splitlines() if line.startswith("csv"))
    found = {each["name"]: each for each in warpath("formats", "--json").json["formats"]}
    assert found["csv"]["write"] == ["delimiter", "decimal", "escape_formulas"]
    assert found["tntp"]["writes"] is False


@pytest.mark.parametrize(
    ("name", "kept"), [("g.npz", True), ("g.geojson", True), ("g.mtx", False), ("g.csv.gz", False)]
)
def test_convert_says_that_a_format_has_no_coordinates(warpath, tmp_path, name, kept):
    town, bare = tmp_path / "town.npz", tmp_path / "bare.npz"
    wp.write(wp.generate.grid(3, 4), town)
    wp.write(wp.Graph.of([(0, 1, 2)]), bare)
    run = warpath("convert", town, tmp_path / name)
    assert run.code == 0
    assert ("have no coordinates, so those of the graph were left out" in run.err) is not kept
    if not kept:
        assert "have no coordinates" not in warpath("convert", bare, tmp_path / name).err


def test_a_minus_writes_csv_to_standard_output_and_nothing_else(warpath, roads, tmp_path):
    trips = tmp_path / "trips.csv"
    trips.write_text("origin,destination\n1,3\n3,1\n")
    for command in (
        ("sssp", roads, "-s", "1"),
        ("distances", roads, "-s", "1,2", "--targets", "3,4"),
        ("distances", roads, "-s", "1,2", "--targets", "3,4", "--long"),
        ("pairs", roads, trips),
    ):
        warpath(*command, "-o", tmp_path / "a.csv")
        assert warpath(*command, "-o", "-").out == (tmp_path / "a.csv").read_text()
    refused = warpath("prepare", roads, "-o", "-")
    assert refused.code == 2
    assert "-o -: a suffix is needed; it can be .wph." in refused.err
    refused = warpath("sssp", roads, "-s", "1", "-o", "-", "--json")
    assert (refused.code, refused.out) == (2, "")
    assert "-o - and --json both write to standard output" in refused.err


def test_the_time_that_a_file_takes_is_shown(warpath, roads, tmp_path):
    run = warpath("sssp", roads, "-s", "1", "-o", tmp_path / "a.csv")
    assert re.search(r"time +.* reading, .* solving, .* writing$", run.out, re.MULTILINE)
    json_text = warpath("sssp", roads, "-s", "1", "-o", tmp_path / "a.csv", "--json").out
    assert json.loads(json_text)["seconds"]["write"] > 0


def test_the_columns_of_a_file_of_trips_are_kept(warpath, roads, tmp_path):
    trips = tmp_path / "trips.csv"
    trips.write_text("trip_id,from,to,when\nx,1,3,8:00\ny,3,1\n")
    lines = warpath("pairs", roads, trips, "-o", "-").out.splitlines()
    assert lines[0] == "trip_id,when,origin,destination,distance"
    assert lines[1].startswith("x,8:00,1,3,")
    assert lines[2].startswith('y,"",3,1,')


def test_cutoffs_may_have_units(warpath, tmp_path):
    rows = wp.Graph.of([(0, 1, 60), (1, 2, 60)])
    file = tmp_path / "roads.npz"
    wp.write(rows.with_weights(rows.weights, unit="s"), file)
    assert "within 60" in warpath("within", file, "-s", "0", "--cutoff", "1min,2min").out
    lines = warpath("sssp", file, "-s", "0", "--cutoff", "1.5min", "--all").out.splitlines()
    assert lines[1:] == ["0\t0\t", "1\t60\t0", "2\t\t"]
    refused = warpath("sssp", file, "-s", "0", "--cutoff", "1km")
    assert refused.code == 3
    assert "cutoff = '1km' must be in a unit of the graph's weights" in refused.err


@pytest.fixture
def toll_roads(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text("source,target,weight,toll,street\n1,2,3,10,A\n2,3,4,20,B\n1,3,9,1,C\n")
    return path


KEPT = ("--option", "attributes=toll,street")


def test_distances_have_further_sums_along_the_routes(warpath, toll_roads, tmp_path):
    words = ("distances", toll_roads, *KEPT, "-s", "1,3", "--targets", "3,2", "--also", "toll")
    assert warpath(*words).out.splitlines() == [
        "source\ttarget\tdistance\ttoll",
        "1\t3\t7\t30",
        "1\t2\t3\t10",
        "3\t3\t0\t0",
    ]
    rows = warpath(*words, "--json").json["distances"]
    assert [row["toll"] for row in rows] == [30, 10, 0, None]
    out = tmp_path / "od.csv"
    assert warpath(*words, "-o", out).code == 0
    assert out.read_text().splitlines()[1] == "1,3,7,30"
    for more, message in (
        (["--wide"], "a --wide table cannot hold --also: use --long, or -o .npz"),
        (["-o", "a.npy"], "--also needs .npz, .parquet"),
    ):
        assert message in warpath(*words, *more).err
    err = warpath(*words[:-1], "tolls").err
    assert "--also tolls: the graph keeps no column of this name; there are 'toll'" in err
    assert (
        "if the graph is made with --option attributes=tolls, or with --option attributes=all."
        in err
    )


def test_skims_are_saved_as_matrices(warpath, toll_roads, tmp_path):
    h5py = pytest.importorskip("h5py")
    words = ("distances", toll_roads, *KEPT, "-s", "1,3", "--targets", "3,2", "--also", "toll")
    out = tmp_path / "skims.omx"
    assert warpath(*words, "-o", out).code == 0
    with h5py.File(out) as omx:
        assert omx["data/distance"][0].tolist() == [7, 3]
        assert omx["data/toll"][0].tolist() == [30, 10]
        assert omx["lookup/target"][:].tolist() == [3, 2]
    for more, message in (
        (["--predecessors"], "--predecessors needs .npz, .parquet, .csv or .tsv, not .omx"),
        (["--long"], "--long is for .parquet, .csv or .tsv; .omx holds matrices"),
    ):
        assert message in warpath(*words, "-o", out, *more).err


def test_pairs_have_further_sums_along_the_routes(warpath, toll_roads, tmp_path):
    trips, out = tmp_path / "trips.csv", tmp_path / "out.csv"
    trips.write_text("trip_id,origin,destination\na,1,3\nb,3,1\n")
    words = ("pairs", toll_roads, trips, *KEPT, "--also", "toll")
    assert warpath(*words).out.splitlines() == [
        "origin\tdestination\tdistance\ttoll",
        "1\t3\t7\t30",
        "3\t1\t\t",
    ]
    assert warpath(*words, "-o", out).code == 0
    assert out.read_text().splitlines() == [
        "trip_id,origin,destination,distance,toll",
        "a,1,3,7,30",
        "b,3,1,,",
    ]
    assert "sums need numbers" in warpath(*words[:-1], "street").err
