"""What is typed wrong or given wrong: a line on stderr, nothing on stdout, the right exit code."""

from __future__ import annotations

import json
import os
import sys
from types import SimpleNamespace

import pytest

import warpath as wp


def failed(run, code):
    assert run.out == ""
    assert run.code == code, run.err
    lines = run.err.splitlines()
    assert lines[0].startswith("warpath: ")
    assert len(lines) <= 2
    assert "Traceback" not in run.err
    return run.err


def test_no_path_is_exit_code_1_in_the_ids_of_the_file(warpath, roads, places):
    picture = ["--coordinates", places, "-o", roads.with_name("route.png")]
    for run in (
        warpath("path", roads, 1, 6),
        warpath("plot", "route", roads, 1, 6, *picture),
    ):
        assert failed(run, 1).startswith("warpath: no path leads from 1 to 6. ")


def test_a_result_that_is_wrong_is_exit_code_1_in_the_ids_of_the_file(warpath, roads, tmp_path):
    out = tmp_path / "tree.npz"
    warpath("sssp", roads, "-s", 1, "-o", out)
    roads.write_text(roads.read_text().replace("a 2 4 1", "a 2 4 9"))
    err = failed(warpath("verify", roads, out), 1)
    assert "not verified" in err
    assert "vertex 4" in err


def test_a_wrong_result_of_named_vertices_is_told_by_their_names(warpath, names, tmp_path):
    out = tmp_path / "tree.npz"
    warpath("sssp", names, "-s", "Home", "-o", out)
    names.write_text(names.read_text().replace("Farm,1", "Farm,9"))
    assert "vertex 'Farm'" in failed(warpath("verify", names, out), 1)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["inf"], "Did you mean 'info'?"),
        (["info"], "missing argument 'GRAPH'"),
        (["sssp", "ROADS"], "--source"),
        (["sssp", "ROADS", "--sorce", "1"], "--sorce"),
        (["sssp", "ROADS", "-s", "1", "-t", "0"], "--threads"),
        (["sssp", "ROADS", "-s", "1", "-t", "two"], "--threads"),
        (["sssp", "ROADS", "-s", "1", "-a", "classic.dijktra"], "Did you mean classic.dijkstra"),
        (["sssp", "ROADS", "-s", "1", "-a", "?"], "'?'. warpath algorithms lists all."),
        (["apsp", "ROADS", "-o", "full.npy", "--long"], ".npy holds matrices"),
        (
            ["apsp", "ROADS", "-a", "floyd"],
            "mean classic.floyd_warshall or warpath.floyd_warshall?",
        ),
        (["sssp", "ROADS", "-s", "1", "-d", "gpu"], "use auto, cpu, cuda, cuda:1, emulated or d"),
        (["sssp", "ROADS", "-s", "1", "-o", "x.doc"], "it can be .npz, .parquet, .csv"),
        (["sssp", "ROADS", "-s", "1", "-o", "x.xlsx"], "Spreadsheets open .csv; in Python with op"),
        (["sssp", "ROADS", "-s", "1", "-o", "x"], "a suffix is needed"),
        (["sssp", "ROADS", "-s", "1", "--option", "n"], "key=value"),
        (["path", "ROADS", "1", "5", "--plot", "x.npz"], "--plot x.npz"),
        (["plan", "ROADS", "--apsp", "-s", "1"], "cannot be combined"),
        (
            ["plan", "ROADS", "--pairs", "x.csv", "-s", "1"],
            "--source and --pairs cannot be combined",
        ),
        (["plan", "ROADS", "--apsp", "--cutoff", "5"], "--cutoff has no effect on --apsp: leave"),
        (
            ["sssp", "ROADS", "-s", "1", "--cutoff", "soon"],
            "'--cutoff': 'soon' must be a number, 0 or more, perhaps with a unit (m, km, mi, s,",
        ),
        (
            ["within", "ROADS", "-s", "1", "--cutoff", "5,soon"],
            "'5,soon' must be one or several, like 500,1000 or 5min,10min: a number, 0 or more, p",
        ),
        (["plan", "ROADS", "--from", "1"], "--from and --to must be given together"),
        (["plan", "ROADS", "--targets", "1"], "--targets needs --sources"),
        (["algorithms", "classic.dijkstr"], "Did you mean classic.dijkstra"),
        (["algorithms", "zzz"], "there is no algorithm 'zzz'."),
        (["algorithms", "--paper", "martin"], "there is no paper 'martin': abraham2012, "),
        (["algorithms", "--device", "gpu"], "there is no device 'gpu': cpu, cuda are known."),
        (["algorithms", "classic.dijkstra", "--device", "cpu"], "cannot be used with a NAME"),
        (["generate", "gird", "-o", "x.gr"], "Did you mean grid?"),
        (["generate", "?", "-o", "x.gr"], "There are random_in_degree"),
        (["generate", "grid", "--rows", "3", "-o", "x.gr"], "grid needs --columns"),
        (["generate", "grid", "--row", "3", "-o", "x.gr"], "Did you mean --rows?"),
        (["generate", "grid", "-p", "zzz=3", "-o", "x.gr"], "no parameter 'zzz'"),
        (["generate", "grid", "3", "-o", "x.gr"], "unexpected '3'"),
        (["generate", "grid", "--rows"], "--rows needs a value"),
        (["generate", "grid", "--rows", "3", "--columns", "3"], "-o FILE is needed"),
        (["generate", "-o", "x.gr"], "a KIND is needed"),
    ],
)
def test_a_wrong_command_line_is_exit_code_2_with_a_hint(warpath, roads, words, hint):
    words = [roads if word == "ROADS" else word for word in words]
    assert hint in failed(warpath(*words), 2)


@pytest.mark.parametrize("command", ["apsp", "distances"])
def test_a_table_too_large_to_print_asks_for_a_file(warpath, tmp_path, command):
    graph = tmp_path / "long.el"
    graph.write_text("0 1\n1999 0\n")
    sources = ["--sources", ",".join(map(str, range(2000)))] if command == "distances" else []
    err = failed(warpath(command, graph, *sources), 2)
    assert "2,000 x 2,000 distances, too many to print" in err
    assert "-o" in err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["info", "nowhere.gr"], "nowhere.gr: there is no such file"),
        (["info", "FOLDER"], "directory"),
        (["sssp", "ROADS", "-s", "0"], "vertex 0 does not exist: this graph's vertices are"),
        (["sssp", "ROADS", "-s", "7"], "numbered 1 .. 6"),
        (["sssp", "ROADS", "-s", "Home"], "'Home' is not a vertex"),
        (["sssp", "ROADS", "-s", "1", "--cutoff", "-3"], "cutoff"),
        (["sssp", "ROADS", "-s", "1", "-o", "nowhere/x.npz"], "nowhere: no such folder"),
        (["distances", "ROADS", "--sources", "1,9"], "vertex 9 does not exist"),
        (["distances", "ROADS", "--sources", " , "], "lists no vertex"),
        (["distances", "ROADS", "--sources", "depots.csv"], "depots.csv: no such file"),
        (["convert", "ROADS", "x.doc"], "no format has the suffix '.doc'"),
        (["convert", "ROADS", "nowhere/x.gr"], "nowhere: no such folder"),
        (["info", "ROADS", "--format", "dimac"], "there is no format 'dimac'"),
        (["info", "ROADS", "--option", "colour=red"], "has no option 'colour'"),
        (["info", "ROADS", "--coordinates", "nowhere.co"], "nowhere.co"),
        (["path", "ROADS", "1", "5", "--plot", "x.png"], "--coordinates FILE"),
        (["verify", "ROADS", "nowhere.npz"], "nowhere.npz: there is no such file"),
        (["generate", "grid", "--rows", "-1", "--columns", "2", "-o", "x.gr"], "rows = -1"),
        (["generate", "grid", "--rows", "a", "--columns", "2", "-o", "x.gr"], "rows = 'a'"),
    ],
)
def test_wrong_input_is_exit_code_3_with_a_hint(warpath, roads, tmp_path, monkeypatch, words, hint):
    monkeypatch.chdir(tmp_path)
    places = {"ROADS": roads, "FOLDER": tmp_path}
    assert hint in failed(warpath(*(places.get(word, word) for word in words)), 3)


def test_an_empty_graph_has_nothing_to_plan(warpath, tmp_path):
    graph = tmp_path / "empty.gr"
    graph.write_text("p sp 0 0\n")
    assert "no vertices" in failed(warpath("plan", graph), 3)
    assert "this graph has no vertices" in failed(warpath("sssp", graph, "-s", 1), 3)


def test_a_broken_line_is_told_with_its_number(warpath, tmp_path):
    graph = tmp_path / "a.gr"
    graph.write_text("p sp 2 1\na 1 x 4\n")
    assert f"{graph}:2: " in failed(warpath("info", graph), 3)


def test_a_broken_list_of_vertices_is_told_with_its_line(warpath, roads, tmp_path):
    depots = tmp_path / "depots.csv"
    depots.write_text("1\n3\n12\n")
    err = failed(warpath("distances", roads, "--sources", depots), 3)
    assert f"{depots}:3: vertex 12 does not exist" in err
    depots.write_text("id\n")
    assert "lists no vertex" in failed(warpath("distances", roads, "--sources", depots), 3)
    depots.write_bytes(b"\xff\xfe\x00")
    assert "text file" in failed(warpath("distances", roads, "--sources", depots), 3)
    depots.write_text('1\n"' + "x" * 200_000)
    assert "not a table" in failed(warpath("distances", roads, "--sources", depots), 3)


def test_a_negative_cycle_is_told_in_the_ids_of_the_file(warpath, tmp_path):
    graph = tmp_path / "a.mtx"
    graph.write_text(
        "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 1\n2 3 -4\n3 2 1\n"
    )
    err = failed(warpath("sssp", graph, "-s", 1), 3)
    assert "negative cycle" in err
    assert "2 -> 3 -> 2" in err or "3 -> 2 -> 3" in err
    assert ".cycle" not in err


def test_a_negative_cycle_of_names_is_told_in_names(warpath, tmp_path):
    graph = tmp_path / "a.csv"
    graph.write_text("from,to,w\na,b,-4\nb,a,1\n")
    assert "a -> b -> a" in failed(warpath("sssp", graph, "-s", "a"), 3)


def test_a_name_that_is_not_there_is_answered_with_near_ones(warpath, names):
    assert "did you mean 'Home'?" in failed(warpath("sssp", names, "-s", "Hom"), 3)
    assert "it has Home, " in failed(warpath("sssp", names, "-s", "42"), 3)


def test_an_id_in_a_gap_is_answered_with_the_range(warpath, tmp_path):
    graph = tmp_path / "a.txt"
    graph.write_text("10 20\n20 40\n")
    err = failed(warpath("sssp", graph, "-s", 30), 3)
    assert "its 3 ids are numbers with gaps, 10 .. 40" in err


def test_a_result_of_another_graph_is_refused(warpath, roads, names, tmp_path):
    import numpy as np

    out = tmp_path / "tree.npz"
    warpath("sssp", roads, "-s", 1, "-o", out)
    assert "n = 5" in failed(warpath("verify", names, out), 3)
    assert "starts at vertex 1, not at 2" in failed(warpath("verify", roads, out, "-s", 2), 3)
    out.write_text("no result")
    assert "expected a result" in failed(warpath("verify", roads, out), 3)
    np.save(tmp_path / "a.npy", np.zeros((5, 5), np.int64))
    assert "shape (5, 5)" in failed(warpath("verify", roads, tmp_path / "a.npy"), 3)
    np.save(tmp_path / "a.npy", np.zeros((6, 6)))
    assert "float64" in failed(warpath("verify", roads, tmp_path / "a.npy"), 3)
    assert "expected a result" in failed(warpath("verify", roads, roads), 3)


def test_what_the_library_calls_keywords_are_options_here(warpath, tmp_path):
    graph = tmp_path / "a.csv"
    graph.write_text("from,to,toll,lanes\n1,2,3,4\n")
    err = failed(warpath("info", graph), 3)
    assert "--weight toll" in err
    assert "--weight none" in err
    assert "weight=" not in err


def test_a_device_for_several_routes_is_refused_in_words_of_the_command(warpath, roads):
    err = failed(warpath("path", roads, "1", "2", "--k", "2", "--device", "cuda"), 4)
    assert "path --k runs one algorithm of its own on the CPU" in err
    assert "not with --device cuda: use --device auto or --device cpu." in err


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("use directed=False here", "use --undirected here"),
        ("use directed=True", "use --directed"),
        ("or directed=.", "or --directed/--undirected."),
        ("choose with format=: a, b", "choose with --format: a, b"),
        ("give columns='a'", "give --option columns=a"),
        ('give header="a b"', "give --option 'header=a b'"),
        ('drop them with labels="drop".', "drop them with --option-out labels=drop."),
        ("write it with out=, or", "write it with -o, or"),
        ("ask with distances(targets=), or", "ask with distances --targets, or"),
        ("halve it with dist_dtype='int32' or", "halve it with --dist-dtype int32 or"),
        ("a noded=True, layer='b'", "a --option noded=True, --option layer=b"),
        (
            "or n=1, wp.read('(', n=f((2)), weight=None), n=3",
            "or --option n=1, wp.read('(', n=f((2)), weight=None), --option n=3",
        ),
        (
            "k_shortest_paths runs one algorithm, not with device='cuda'",
            "path --k runs one algorithm, not with --device cuda",
        ),
        ("but predecessors=True fills", "but --predecessors fills"),
        ("WARPATH_THREADS='0'", "WARPATH_THREADS='0'"),
        ("rows = -1, n = 3", "rows = -1, n = 3"),
    ],
)
def test_keywords_become_options(said, means):
    from warpath.cli.reporting import in_words_of_the_command

    assert in_words_of_the_command(said) == means


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ("cuda", "pip install cupy-cuda13x 'cuda-core[cu13]' 'cuda-toolkit[cudart]==13.*'"),
        ("cuda:1", "needs cupy"),
        ("cluster", "the address of a Dask scheduler"),
    ],
)
def test_a_device_that_is_not_there_is_exit_code_4(
    warpath, roads, tmp_path, monkeypatch, device, said
):
    monkeypatch.setitem(sys.modules, "cupy", None)
    for command in (
        ["sssp", roads, "-s", 1],
        ["distances", roads, "-s", 1, "--targets", 2],
        ["apsp", roads, "-o", tmp_path / "full.npy"],
        ["nearest", roads, "--facilities", 1],
    ):
        assert said in failed(warpath(*command, "-d", device), 4)
    assert [each.name for each in tmp_path.iterdir()] == ["roads.gr"]


def test_a_table_that_no_gpu_holds_is_exit_code_4_with_its_bytes(warpath, roads, monkeypatch):
    monkeypatch.setattr("warpath.engines.cuda.memory", lambda *_: (10, ""))
    err = failed(warpath("distances", roads, "-s", 1, "-d", "cuda", "-a", "warpath.pairs"), 4)
    assert "on cuda:0 with the graph, but 10 B are free" in err
    assert "use device='cpu'" in err or "--device cpu" in err


def test_a_gpu_that_fails_is_exit_code_4(warpath, roads, monkeypatch):
    from warpath.api import run
    from warpath.base import errors

    def broken(*_, **__):
        raise errors.DeviceError("cuda:0 failed in the kernel push")

    monkeypatch.setattr(run, "engine_of", lambda _: SimpleNamespace(run=broken))
    assert "failed in the kernel push" in failed(warpath("sssp", roads, "-s", 1), 4)


def test_what_does_not_fit_into_memory_is_exit_code_4_with_the_numbers(
    warpath, roads, tmp_path, monkeypatch
):
    monkeypatch.setenv("WARPATH_MEMORY", "100")
    err = failed(warpath("apsp", roads, "-o", tmp_path / "x.npz"), 4)
    assert "100 B are free" in err
    assert "-o" in err


def test_an_algorithm_that_cannot_is_exit_code_4(warpath, roads):
    err = failed(warpath("sssp", roads, "-s", 1, "-a", "classic.floyd_warshall"), 4)
    assert "it does apsp, not sssp" in err


def test_negative_weights_for_dijkstra_are_exit_code_3(warpath, tmp_path):
    graph = tmp_path / "a.csv"
    graph.write_text("from,to,w\n0,1,-4\n1,2,1\n")
    err = failed(warpath("sssp", graph, "-s", 0, "-a", "classic.dijkstra"), 3)
    assert "needs weights >= 0" in err


def test_debug_shows_the_traceback(warpath):
    run = warpath("--debug", "info", "nowhere.gr")
    assert "Traceback" in run.err
    assert run.code == 3


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            ZeroDivisionError("division\nby zero"),
            70,
            "internal error: ZeroDivisionError: division.",
        ),
        (MemoryError(), 4, "out of memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (OverflowError("too far"), 3, "too far"),
        (PermissionError(13, "Permission denied", "x.gr"), 3, "x.gr: permission denied"),
        (OSError("strange"), 3, "strange"),
    ],
)
def test_what_nobody_foresaw_is_one_line(warpath, roads, monkeypatch, error, code, said):
    from warpath.api.solver import Solver

    def broken(*_, **__):
        raise error

    monkeypatch.setattr(Solver, "sssp", broken)
    err = failed(warpath("sssp", roads, "-s", 1), code)
    assert said in err
    assert ("--debug" in err) == (code == 70)
    if code == 70:
        assert "--debug and" not in warpath("sssp", roads, "-s", 1, "--debug").err


def test_a_target_that_is_a_folder_is_refused_before_solving(warpath, roads, tmp_path):
    (tmp_path / "x.npz").mkdir()
    assert "folder" in failed(warpath("sssp", roads, "-s", 1, "-o", tmp_path / "x.npz"), 3)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--predecessors", "--wide"], "a --wide table cannot hold --predecessors: use --long, or"),
        (["--predecessors", "-o", "a.npy"], "not .npy"),
        (["-o", "a.npy", "--dist-dtype", "int16"], "--dist-dtype int16 is not possible"),
        (["-o", "a.npy", "--dist-dtype", "number"], "is not a type of numbers"),
    ],
)
def test_tables_that_cannot_be_are_refused(warpath, roads, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    run = warpath("distances", roads, "-s", 1, *more)
    assert run.code in {2, 4, 3}
    assert said in run.err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["roads.gr"]


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["-f", "1,99"], 3, "vertex 99 does not exist"),
        (["-f", "none.csv"], 3, "no such file"),
        (["-f", ","], 3, "lists no vertex"),
        ([], 2, "--facilities"),
        (["-f", "1", "-o", "a.npz"], 2, "it can be .parquet, .csv"),
        (["-f", "1", "--cutoff", "-3"], 3, "must be a number, 0 or more"),
    ],
)
def test_nearest_refuses_what_it_cannot_use(warpath, roads, more, code, said):
    assert said in failed(warpath("nearest", roads, *more), code)


def test_a_part_of_somebody_else_is_named_first(warpath, roads, tmp_path):
    out = tmp_path / "full.npy"
    (tmp_path / "full.npy.part").write_bytes(b"mine")
    said = failed(warpath("apsp", roads, "-o", out), 3)
    assert said.startswith(f"warpath: {out}: full.npy.part exists, but full.npy.part.json does")
    assert (tmp_path / "full.npy.part").read_bytes() == b"mine"


@pytest.mark.parametrize(
    "options",
    [
        ["sssp", "--source", "0", "--threads", "99999999999"],
        ["sssp", "--source", "0", "--cutoff", "nan"],
        ["sssp", "--source", "0", "--cutoff", "-1"],
        ["sssp", "--source", "9" * 5000],
        ["sssp", "--source", "0", "--device", "cuda:99999999"],
        ["info", "--option", "skip_lines=x"],
        ["info", "--option", "n=1e400"],
        ["path", "0", "[/x]"],
        ["path", "0", "+-1"],
    ],
    ids=lambda options: " ".join(options)[:40],
)
def test_odd_words_end_in_a_sentence_and_an_exit_code(warpath, tmp_path, options):
    graph = tmp_path / "g.csv"
    graph.write_text("0,1,2\n1,2,5\n")
    command, *rest = options
    ended = warpath(command, graph, *rest)
    assert "internal error" not in failed(ended, ended.code)
    assert ended.code in {2, 3}


def test_a_cutoff_beyond_all_floats_is_none(warpath, tmp_path):
    graph = tmp_path / "g.csv"
    graph.write_text("0,1,2\n1,2,5\n")
    ended = warpath("sssp", graph, "--source", 0, "--cutoff", "1e400", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["reached"] == 3


def test_a_path_beyond_the_largest_float_is_not_called_missing(warpath, tmp_path):
    graph = tmp_path / "g.csv"
    graph.write_text("a,b,1e308\nb,c,1.5e308\n")
    message = failed(warpath("path", graph, "a", "c"), 1)
    assert "every path from a to c has a length beyond the largest float64" in message


def test_an_algorithm_for_gpus_says_what_runs_on_a_cpu(warpath, roads):
    run = warpath("sssp", roads, "-s", 1, "-a", "davidson2014.near_far.merge_path")
    assert run.code == 4
    assert "davidson2014.near_far.merge_path runs on GPUs only, and " in run.err
    assert "On a CPU these run: classic.dijkstra, " in run.err


def test_a_url_is_not_read_and_the_hint_downloads_it(warpath):
    url = "https://example.org/roads.gr?raw=1&x"
    run = warpath("info", url)
    assert run.code == 3
    assert run.err == (
        f"warpath: {url}: URLs are not read: download the file first, for example by "
        f"curl -LO '{url}'\n"
    )
    with pytest.raises(wp.GraphFormatError, match="URLs are not read"):
        wp.read(url)


def test_a_first_name_that_does_not_exist_is_no_header(warpath, names, tmp_path):
    depots = tmp_path / "depots.csv"
    depots.write_text("Hoem\nMill\n")
    err = failed(warpath("distances", names, "--sources", depots), 3)
    assert f"{depots}:1: vertex 'Hoem' does not exist" in err
    assert "call it vertex" in err
    depots.write_text("vertex\nHome\nMill\n")
    assert warpath("distances", names, "--sources", depots, "--targets", "Farm").code == 0


def test_pipes_as_inputs_are_refused_with_the_way_out(warpath, roads, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for arguments in (
        ["pairs", roads, pipe],
        ["nearest", roads, "-f", pipe],
        ["path", roads, "1", "2", "--weights", pipe],
        ["info", pipe],
        ["info", "-"],
        ["pairs", roads, "-"],
    ):
        assert "to a file first" in failed(warpath(*arguments), 3)
