from __future__ import annotations

import errno
import gzip
import locale
import os
import signal
import stat
import threading
from pathlib import Path

import pytest

import warpath
from warpath import _core
from warpath.base.errors import GraphError, GraphFormatError, InputError
from warpath.graph import Graph
from warpath.io import save, temporary
from warpath.io.coordinate_files import find_coordinates
from warpath.io.formats import FORMATS, format_named, read, write
from warpath.io.source import Source

GR = "p sp 2 1\na 1 2 3\n"
GRAPH = Graph.from_edges([0, 1], [1, 0], [3, 4])


def test_content_comes_before_suffix(file):
    assert read(file("a.mtx", "c x\n" + GR)).id_base == 1
    assert read(file("a.gr", "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n")).n == 2


def test_suffix_decides_where_content_does_not(file):
    assert read(file("a.el", "1 2\n")).n == 3
    assert read(file("a.txt", "1 2\n")).n == 2
    assert read(file("a.graph", "2 1\n2\n1\n")).m == 2


def test_columns_without_a_known_suffix_are_an_edge_list(file):
    assert read(file("links", "1 2\n")).labels.tolist() == [1, 2]


def test_what_has_no_columns_is_no_known_format(file):
    with pytest.raises(GraphFormatError, match="choose one with format=: dimacs, matrix_market"):
        read(file("letter", "Hello\n"))


def test_the_format_can_be_said_by_name_or_suffix(file):
    path = file("data", "1 2\n")
    assert read(path, format="gap").n == 3
    assert read(path, format="el").n == 3
    with pytest.raises(InputError, match=r"there is no format 'excel': dimacs \(.gr\)"):
        read(path, format="excel")


def test_names_of_formats_and_suffixes_are_unique():
    names = [f.name for f in FORMATS]
    suffixes = [s for f in FORMATS for s in f.suffixes]
    assert len(set(names)) == len(names)
    assert len(set(suffixes)) == len(suffixes)
    assert all(format_named(name).name == name for name in names)


def test_an_unknown_option_is_refused_by_name(file):
    with pytest.raises(InputError, match="dimacs has no option 'header': it has directed"):
        read(file("a.gr", GR), header="x")
    with pytest.raises(InputError, match="dimacs has no option 'weight'"):
        read(file("a.gr", GR), weight=2)


def test_weights_can_be_ignored_in_every_format(file):
    assert read(file("a.gr", GR), weight=None).weights is None


def test_coordinates_may_be_an_array(file):
    graph = read(file("a.gr", GR), coordinates=[[0, 0], [1, 1]])
    assert graph.coordinates.tolist() == [[0, 0], [1, 1]]


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(GraphFormatError, match="this is a directory, but a file is needed"):
        read(tmp_path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(GraphFormatError, match="there is no such file"):
        read(tmp_path / "a.gr")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")
def test_a_pipe_is_refused_because_its_head_would_be_lost():
    reader, writer = os.pipe()
    try:
        os.write(writer, b"".join(b"%d %d\n" % (v, v + 1) for v in range(4000)))
        os.close(writer)
        with pytest.raises(GraphFormatError, match=r"pipe or a device.*: write the content to a"):
            read(f"/dev/fd/{reader}")
    finally:
        os.close(reader)


def test_a_file_without_permission_is_refused(file, monkeypatch):
    path = file("a.gr", GR)
    path.chmod(0)
    if os.geteuid() == 0:  # root may read everything: let the system refuse
        monkeypatch.setattr(
            type(path), "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "denied"))
        )
    with pytest.raises(GraphFormatError, match="this user may not read the file"):
        read(path)


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path, monkeypatch):
    tmp_path.chmod(0o500)
    if os.geteuid() == 0:  # root may write everywhere: let the system refuse
        monkeypatch.setattr(
            temporary.io,
            "FileIO",
            lambda *_, **__: (_ for _ in ()).throw(PermissionError(13, "denied")),
        )
    try:
        with pytest.raises(save.OutputError, match=r"cannot be written: .*denied"):
            write(GRAPH, tmp_path / "a.gr")
        assert list(tmp_path.iterdir()) == []
    finally:
        tmp_path.chmod(0o700)


def test_an_empty_file_is_refused(file):
    with pytest.raises(GraphFormatError, match="the file is empty"):
        read(file("a.gr", ""))


def test_an_error_repeats_the_start_of_a_line_and_not_a_whole_file_without_newlines():
    with pytest.raises(_core.ParseError) as caught:
        _core.read_rows(b"x" * 10_000_000, 0, 1, "vv", expected="<from> <to>")
    assert len(caught.value.args[2]) == 1024


def test_a_number_beyond_64_bits_that_goes_on_is_refused():
    for number in (b"18446744073709551616", b"184467440737095516160", b"-9223372036854775809"):
        with pytest.raises(_core.ParseError, match="64 bits"):
            _core.read_rows(number + b" 1\n", 0, 1, "nn", expected="<from> <to>")


def test_a_number_that_starts_with_0_is_no_label():
    for label in (b"01", b"-01", b"00"):
        with pytest.raises(_core.ParseError, match="starts with 0"):
            _core.read_rows(label + b" 1\n", 0, 1, "ll", expected="<from> <to>")


def test_names_that_differ_in_zero_bytes_at_their_end_are_told_apart():
    columns, found = _core.read_rows(b"a\0 a\n", 0, 1, "tt", expected="<from> <to>")
    assert found == ["a\0", "a"]
    assert [column.tolist() for column in columns] == [[0], [1]]


def test_names_with_the_same_hash_are_told_apart():
    # Found by turning the table's mixing round: it is a bijection.
    names = ["crossing-of-two-", "00074218uGXEQMhq"]
    columns, found = _core.read_rows(" ".join(names).encode(), 0, 1, "tt", expected="<from> <to>")
    assert found == names
    assert [column.tolist() for column in columns] == [[0], [1]]


def test_numbers_too_small_for_a_double_do_not_depend_on_the_locale():
    before = locale.setlocale(locale.LC_NUMERIC)
    try:
        locale.setlocale(locale.LC_NUMERIC, "de_DE.UTF-8")
    except locale.Error:
        pytest.skip("this system has no locale whose numbers have a comma")
    try:
        columns, _ = _core.read_rows(b"1.5e-400\n", 0, 1, "n", expected="<weight>")
    finally:
        locale.setlocale(locale.LC_NUMERIC, before)
    assert columns[0].tolist() == [0]


@pytest.fixture
def interrupted():
    """Press Ctrl-C a moment after the test has begun."""
    timer = threading.Timer(0.4, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    yield
    timer.join()


def read_for_ever(data):
    while True:
        _core.read_rows(data, 0, 1, "vv", expected="<from> <to>")


def test_ctrl_c_stops_the_core_between_lines(interrupted):
    assert interrupted is None
    with pytest.raises(KeyboardInterrupt):
        read_for_ever(b"0 1\n" * 10_000_000)


def test_ctrl_c_in_the_middle_of_a_file_ends_the_read_there():
    told = []

    def press(done, total):
        told.append(done / total)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        _core.read_rows(b"0 1\n" * 10_000_000, 0, 1, "vv", expected="<from> <to>", progress=press)
    assert len(told) == 1
    assert told[0] < 0.9


def test_ctrl_c_stops_decompression(file, interrupted):
    assert interrupted is None
    path = file("a.txt.gz", gzip.compress(bytes(1 << 20)) * 4000)
    with pytest.raises(KeyboardInterrupt):
        for _ in Source(path)._rest:
            pass
    assert read(file("b.gr", GR)).m == 1


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_writing_compresses_by_suffix(tmp_path, suffix):
    if suffix == ".zst":
        pytest.importorskip("zstandard")
    path = tmp_path / f"a.gr{suffix}"
    write(GRAPH, path)
    assert read(path).weights.tolist() == [3, 4]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_the_same_graph_gives_the_same_bytes(tmp_path):
    write(GRAPH, tmp_path / "a.gr.gz")
    write(GRAPH, tmp_path / "b.gr.gz")
    assert (tmp_path / "a.gr.gz").read_bytes() == (tmp_path / "b.gr.gz").read_bytes()


def test_a_suffix_that_no_format_writes_is_refused(tmp_path):
    for name, message in {
        "a.xyz": r"no format has the suffix '.xyz': use .gr, .mtx",
        "a.graph": r"\.graph files are read but not written: write \.gr, .*\.csv\.$",
        "a.gr.zip": "read but not written",
    }.items():
        with pytest.raises(InputError, match=message):
            write(GRAPH, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".gml", ".graphml", ".gexf", ".net"])
def test_formats_that_networkx_writes_are_refused_with_its_call(tmp_path, suffix):
    networkx = pytest.importorskip("networkx")
    graph = Graph.of([("a", "b", 3)])
    with pytest.raises(InputError, match="or in Python networkx") as caught:
        write(graph, tmp_path / f"a{suffix}")
    remedy = str(caught.value).partition("in Python ")[2].rstrip(".")
    eval(remedy, {"networkx": networkx, "graph": graph})  # noqa: S307 - our own text
    assert read(tmp_path / f"a{suffix}").m == 1


@pytest.mark.parametrize("suffix", ["gr", "mtx", "wel", "parquet", "geojson", "gpkg", "csv"])
def test_closed_vertices_are_refused_by_files_that_do_not_store_them(tmp_path, suffix):
    points = [(7.1, 43.2), (7.2, 43.2), (7.3, 43.3)]
    graph = Graph.of([(0, 1, 3), (1, 2, 4)], coordinates=points, first_through=1)
    with pytest.raises(InputError, match="paths end at the first vertex and do not pass"):
        write(graph, tmp_path / f"a.{suffix}")
    write(graph, tmp_path / "a.npz")
    assert read(tmp_path / "a.npz").first_through == 1


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.gr"
    path.write_text("precious")
    with pytest.raises(InputError):
        write(Graph.from_edges([0], [1], [0.5]), path)
    assert path.read_text() == "precious"
    assert [p.name for p in tmp_path.iterdir()] == ["a.gr"]


def test_a_full_disk_leaves_the_old_file_and_says_what_is_needed(tmp_path, monkeypatch):
    path = tmp_path / "a.gr"
    path.write_text("precious")
    whole = tmp_path / "whole.gr"
    write(GRAPH, whole)
    real, room = os.write, 10

    def full(descriptor, data):
        nonlocal room
        if room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = real(descriptor, data[:room])
        room -= count
        return count

    monkeypatch.setattr(save.os, "write", full)
    with pytest.raises(save.OutputError, match=f"needs {whole.stat().st_size} bytes") as caught:
        write(GRAPH, path)
    assert caught.value.errno == errno.ENOSPC
    assert path.read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.gr", "whole.gr"]


def test_a_full_device_is_an_error_not_a_new_file():
    with pytest.raises(save.OutputError, match="the disk is full"):
        write(GRAPH, "/dev/full", format="dimacs")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_folder_that_is_missing_or_a_target_that_is_one_is_refused(tmp_path):
    with pytest.raises(save.OutputError, match="cannot be written"):
        write(GRAPH, tmp_path / "missing" / "a.gr")
    with pytest.raises(save.OutputError, match="this is a directory"):
        write(GRAPH, tmp_path, format="dimacs")


def test_a_replaced_file_keeps_its_permissions_and_a_link_stays_one(tmp_path):
    path, link = tmp_path / "a.gr", tmp_path / "link.gr"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write(GRAPH, link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert read(path).m == 2


def half_a_file(path):
    with save.atomic(path) as out:
        out.write(b"half")
        raise ZeroDivisionError


def test_an_error_inside_the_block_leaves_nothing(tmp_path):
    for name in ("a.gr", "a.gr.gz"):
        with pytest.raises(ZeroDivisionError):
            half_a_file(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_blocks_of_edges_cover_the_graph_once(monkeypatch):
    monkeypatch.setattr(save, "BLOCK", 3)
    graph = Graph.from_edges([0, 0, 0, 0, 2, 2, 5], [1, 2, 3, 4, 0, 5, 0], range(7), n=8)
    src, dst, weights = graph.edges()
    blocks = list(save.edge_blocks(graph))
    for k, whole in enumerate((src, dst, weights)):
        assert [x for block in blocks for x in block[k].tolist()] == whole.tolist()


@pytest.mark.parametrize(
    ("graph", "other"),
    [
        ("a.gr.gz", "a.co.gz"),
        ("a.gr.gz", "a.co"),
        ("a.mtx", "a_coord.mtx.xz"),
        ("a_net.tntp", "a_node.tntp"),
    ],
)
def test_coordinates_are_found_beside_the_graph(file, graph, other):
    path = file(graph, "x")
    assert find_coordinates(path) is None
    assert find_coordinates(str(path)) is None
    assert find_coordinates(path.with_name("a.xyz")) is None
    sibling = file(other, "x")
    assert find_coordinates(path) == sibling


def test_lengths_from_coordinates_are_weights_by_name(file):
    roads = file("roads.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")
    graph = read(roads, weight="euclidean", coordinates=[[0, 0], [3, 4]])
    assert graph.weights.tolist() == [5.0]
    with pytest.raises(GraphError, match="need coordinates"):
        read(roads, weight="great_circle")


def test_reading_takes_the_progress_of_the_other_calls(file):
    roads = file("roads.el", "0 1\n1 2\n")
    assert read(roads, progress=True).m == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.gr", "{c}\n{c}p sp 2 1\n{c}\n\n{c}a 1 x 3\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n{c}\n{c}2 2 1\n{c}\n{c}1 x 3\n"),
        ("a.txt", "{c}\n{c}1 2 3\n{c}\n{c}1 x 3\n"),
        ("a.graph", "{c}\n{c}2 1 1\n{c}{c}2 x\n1 3\n"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_lines_are_counted_across_comments_and_blank_lines(file, name, content, ending):
    mark = "c" if name == "a.gr" else "%"
    text = content.replace("{c}", f"{mark} 1 2\n  {mark}\n").replace("\n", ending)
    line = text[: text.rindex("x")].count("\n") + 1
    with pytest.raises(GraphFormatError, match=rf"{name}:{line}: "):
        read(file(name, text.encode()))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.gr", "p sp 3 2\na 1 2 4\na 2 3 5\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 4\n2 3 5\n"),
        ("a.graph", "3 2 1\n2 4\n1 4 3 5\n2 5\n"),
        (
            "a.tntp",
            "<NUMBER OF NODES> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n1 2 0 0 4;\n2 3 0 0 5;\n",
        ),
    ],
)
def test_tables_have_the_ids_of_the_file_and_calls_take_them_on_request(file, name, content):
    path = file(name, content)
    graph, named = read(path), read(path, ids="file")
    assert graph.edge_table()["target"].tolist()[:2] == named.edge_table()["target"].tolist()[:2]
    assert graph.edge_table()["source"].min() == 1
    assert list(warpath.path(graph, 0, 2)) == [0, 1, 2]
    assert list(warpath.path(named, 1, 3)) == [1, 2, 3]
    write(graph, path.with_suffix(".csv"))
    assert "\n2,3,5" in path.with_suffix(".csv").read_text()
