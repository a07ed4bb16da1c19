"""Files made to hang a reader, to fill the memory, or to raise what is not announced."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import signal
import struct
import subprocess
import sys
import zipfile
import zlib
from functools import partial
from itertools import repeat

import numpy as np
import pytest

import warpath as wp
from support.memory import peak_of
from warpath.base.errors import GraphFormatError, InputError, NotEnoughMemoryError, WarpathError

only_linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc has the peak")

#: Seconds of work after which a reader of a tiny file is said to hang.
LONGEST = 60

not_sanitized = pytest.mark.skipif(
    "san.so" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer takes memory of its own"
)


@pytest.fixture
def no_hang():
    """Interrupt a call that works for a minute on a file that takes a millisecond."""

    def stop(*_):
        pytest.fail(f"the reader still worked after {LONGEST} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


TEXTS = {
    "a.csv": b"0,1,5\n1,2,3\n",
    "a.txt": b"0 1 5\n1 2 3\n",
    "a.gr": b"p sp 3 2\na 1 2 5\na 2 3 3\n",
    "a.wel": b"0 1 5\n1 2 3\n",
    "a.graph": b"3 2 001\n2 5\n1 5 3 3\n2 3\n",
    "a_net.tntp": b"<NUMBER OF NODES> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n"
    b"1 2 1 1 5 1 1 1 1 1 ;\n2 3 1 1 3 1 1 1 1 1 ;\n",
}


@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("blanks", [b"\n" * 40, b" " * 5000 + b"\n", b"\r\n \t\n" * 3000])
@pytest.mark.parametrize("name", TEXTS)
def test_leading_blanks_do_not_hang_a_text_reader_nor_hide_an_edge(file, name, blanks):
    whole = wp.read(file(name, TEXTS[name]))
    graph = wp.read(file(f"b_{name}", blanks + TEXTS[name]))
    assert graph.indices.tolist() == whole.indices.tolist()
    assert graph.weights.tolist() == whole.weights.tolist()


@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("comment", [b"c\n" * 40, b"c \n" * 60 + b"\n" * 60, b"c" * 4000])
def test_leading_comments_do_not_hang_the_recognition_of_dimacs(file, comment):
    with pytest.raises(GraphFormatError):
        wp.read(file("a", comment + b"\nx"), format="dimacs")
    with pytest.raises(WarpathError):
        wp.read(file("a", comment + b"\nx"))


@pytest.mark.usefixtures("no_hang")
def test_a_vertex_of_a_million_digits_does_not_hang_the_edge_list(file):
    digits = b"1" * 500_000
    assert wp.read(file("a.txt", digits + b"x 2\n3 2\n")).n == 3
    with pytest.raises(GraphFormatError, match=r":1: a vertex number does not fit in 64 bits"):
        wp.read(file("a.txt", digits + b" 2\n"))


@pytest.mark.usefixtures("no_hang")
def test_blank_lines_before_an_error_count_in_its_line_number(file):
    with pytest.raises(GraphFormatError, match=r":43: expected"):
        wp.read(file("a.gr", b"\n" * 40 + b"c x\n\nq sp 3 2\n"))


def test_a_first_line_without_end_is_refused_before_it_is_split(file):
    with pytest.raises(GraphFormatError, match=r":1: the line is longer than 1,048,576 bytes"):
        wp.read(file("a.txt", b"0 1 " * 2**19))


LIMIT = 32 << 20
UNPACKED = 512 << 20
BOMBS = {  # how to compress piece by piece
    "gz": partial(zlib.compressobj, 1, wbits=31),
    "bz2": bz2.BZ2Compressor,
    "xz": partial(lzma.LZMACompressor, preset=0),
    "zst": lambda: pytest.importorskip("zstandard").ZstdCompressor().compressobj(),
}


def _bomb(kind):
    """Return the bytes of many blank lines, compressed."""
    pieces = repeat(b"\n" * 2**20, UNPACKED >> 20)
    if kind == "zip":
        buffer = io.BytesIO()
        with (
            zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
            archive.open("a.txt", "w") as member,
        ):
            member.writelines(pieces)
        return buffer.getvalue()
    compressor = BOMBS[kind]()
    return b"".join([*map(compressor.compress, pieces), compressor.flush()])


def _zip(data, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.txt", data)
    return buffer.getvalue()


def _refused(path):
    with pytest.raises(NotEnoughMemoryError, match=r"free"):
        wp.read(path)


@not_sanitized
@only_linux
@pytest.mark.parametrize("kind", [*BOMBS, "zip"])
def test_little_that_unpacks_to_much_is_refused_within_the_memory(file, monkeypatch, kind):
    monkeypatch.setenv("WARPATH_MEMORY", str(LIMIT))
    path = file(f"a.txt.{kind}", _bomb(kind))
    # Several copies of a growing buffer, or none, stay in the heap: that depends on what the
    # process freed before.
    assert peak_of(partial(_refused, path)) < UNPACKED // 2


@only_linux
def test_an_xz_stream_with_a_large_dictionary_obeys_the_limit(file, monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "16M")
    with pytest.raises(NotEnoughMemoryError, match="xz stream needs more memory"):
        wp.read(file("a.txt.xz", lzma.compress(b"0 1\n", preset=9)))


@only_linux
def test_arrays_that_unpack_to_more_than_memory_are_refused_before_they_are_made(
    tmp_path, monkeypatch
):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, indptr=np.zeros(12_000_000, np.int64), indices=np.zeros(0, np.int32))
    monkeypatch.setenv("WARPATH_MEMORY", str(LIMIT))
    assert peak_of(partial(_refused, path)) < LIMIT


@not_sanitized
@only_linux
def test_an_array_is_read_into_its_place_without_a_second_copy(tmp_path):
    path = tmp_path / "a.npz"
    n = 10_000_000
    np.savez(path, indptr=np.zeros(n + 1, np.int64), indices=np.zeros(0, np.int32))
    assert 8 * n <= peak_of(partial(wp.read, path)) < 8 * n + (32 << 20)


@not_sanitized
@only_linux
def test_a_text_takes_no_more_than_itself_and_the_arrays_of_its_graph(file):
    rows = 2_000_000
    text = b"".join(b"%d %d 7\n" % (k, k + 1) for k in range(1000))
    path = file("a.txt", text * (rows // 1000))
    columns = 12 * rows  # source, target and weight, 4 bytes each
    graph = 8 * rows
    assert peak_of(partial(wp.read, path)) < columns + max(path.stat().st_size, graph) * 5 // 4 + (
        48 << 20
    )


@not_sanitized
@only_linux
def test_ids_with_gaps_take_no_more_than_ninety_bytes_an_edge(file):
    rows = 500_000
    ends = np.random.default_rng(3).integers(0, 2**30, (rows, 2)).tolist()
    path = file("a.txt", "".join(f"{u} {v}\n" for u, v in ends))
    assert peak_of(partial(wp.read, path)) < 90 * rows + (16 << 20)


def test_a_text_whose_graph_exceeds_the_memory_is_refused_before_it_is_parsed(file, monkeypatch):
    path = file("a.txt", b"0 1 7\n" * 4_000_000)
    monkeypatch.setenv("WARPATH_MEMORY", "40M")
    with pytest.raises(
        NotEnoughMemoryError,
        match=r"a\.txt: reading it needs about 68\.7 MiB, but 40\.0 MiB are free",
    ):
        wp.read(path)


def test_a_file_larger_than_the_memory_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "a.txt"
    with path.open("wb") as sparse:
        sparse.write(b"0 1\n" * 2000)
        sparse.truncate(2**40)
    with pytest.raises(NotEnoughMemoryError, match=r"reading it needs about 1\.0 TiB"):
        wp.read(path)


def test_a_name_as_long_as_the_file_does_not_multiply_by_the_names(file, monkeypatch):
    path = file("a.txt", b"x" * 500_000 + b" b0\n" + b"".join(b"a%d b\n" % k for k in range(9999)))
    monkeypatch.setenv("WARPATH_MEMORY", "1G")
    with pytest.raises(NotEnoughMemoryError, match=r"one of 500,000 characters"):
        wp.read(path, header=False)


@not_sanitized
def test_a_limit_on_address_space_gives_an_error_with_numbers(tmp_path):
    path = tmp_path / "a.txt.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        for _ in range(60):
            packed.write(b"0 1\n" * 1_000_000)
    program = f"""
import resource, warpath as wp
resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
try:
    wp.read({str(path)!r})
except wp.NotEnoughMemoryError as error:
    print(error)
"""
    environment = {k: v for k, v in os.environ.items() if k != "WARPATH_MEMORY"}
    environment |= {"OPENBLAS_NUM_THREADS": "1", "WARPATH_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert re.search(r"a\.txt\.gz: .*free", done.stdout), done.stdout + done.stderr


def test_memory_that_runs_out_in_a_reader_is_named(file, monkeypatch):
    def exhausted(*_, **__):
        raise MemoryError

    monkeypatch.setattr("warpath.io.dimacs.Graph.from_edges", exhausted)
    with pytest.raises(NotEnoughMemoryError, match=r"a\.gr: memory ran out while .*25 B"):
        wp.read(file("a.gr", TEXTS["a.gr"]))


@pytest.mark.parametrize("kind", [ValueError, KeyError, OverflowError, EOFError, RecursionError])
def test_what_a_library_raises_names_the_file(file, monkeypatch, kind):
    def failing(*_, **__):
        raise kind("odd\x1b")

    monkeypatch.setattr("warpath.io.dimacs.Graph.from_edges", failing)
    with pytest.raises(GraphFormatError, match=rf"a\.gr: .*\({kind.__name__}: .*odd\\x1b"):
        wp.read(file("a.gr", TEXTS["a.gr"]))


def test_what_the_callers_callback_raises_stays_as_it_is(file):
    def failing(*_):
        msg = "mine"
        raise ValueError(msg)

    for name in ("a.gr", "a.gr.gz"):
        data = TEXTS["a.gr"]
        path = file(name, gzip.compress(data) if name.endswith("gz") else data)
        with pytest.raises(ValueError, match=r"^mine$") as caught:
            wp.read(path, progress=failing)
        assert type(caught.value) is ValueError


def test_three_columns_of_an_edge_list_are_the_ends_and_the_weight(file):
    path = file("a.txt", b"5 0 1 9\n3 1 2 9\n")
    assert wp.read(path, columns=(1, 2, 0)).weights.tolist() == [5, 3]
    with pytest.raises(InputError, match=r"columns=\(1,\): give two or three columns"):
        wp.read(path, columns=(1,))
    with pytest.raises(InputError, match="name two weights"):
        wp.read(path, columns=(1, 2, 0), weight=3)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_column_whose_name_is_no_utf_8_is_named(file, form):
    arrow = pytest.importorskip("pyarrow")
    if form == "csv":
        data = b'"source","target","w\xff"\n0,1,5\n'
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        buffer = io.BytesIO()
        table = arrow.table({"source": [0], "target": [1], "wxyz": [1]})
        parquet.write_table(table, buffer, store_schema=False)
        data = buffer.getvalue().replace(b"wxyz", b"w\xff\xfez")
    with pytest.raises(GraphFormatError, match=r"a\.\w+:.* is not UTF-8 text"):
        wp.read(file(f"a.{form}", data))


def test_a_member_of_a_zip_without_a_name_is_no_file(file):
    data = _zip(b"p sp 1 0\n", zipfile.ZIP_STORED)
    at = data.index(b"PK\x01\x02")
    local, central = bytearray(data[:at]), bytearray(data[at:])
    for header, length, name in ((local, 26, 30), (central, 28, 46)):
        header[length] = 0
        del header[name : name + len("a.txt")]
    end = central.index(b"PK\x05\x06")
    central[end + 12 : end + 20] = struct.pack("<II", end, len(local))
    with pytest.raises(GraphFormatError, match=r"a\.zip: the zip archive holds no file"):
        wp.read(file("a.zip", bytes(local + central)))


def _npz(shape, descr, data):
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header = header.ljust(117) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("indptr.npy", array)
        archive.writestr("indices.npy", array)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("shape", "descr", "message"),
    [
        ("(True,)", "<i8", r"has the shape \(True,\): each extent must be an integer"),
        ("(1000000000000,)", "|S0", r"has the shape \(1000000000000,\) of \|S0, but only"),
        ("(1,)", "|V8", r"is of type \|V8, which no array of a graph has"),
        ("(1,)", "<M8[s]", "which no array of a graph has"),
    ],
)
def test_an_npz_array_that_no_graph_has_is_refused(file, shape, descr, message):
    with pytest.raises(GraphFormatError, match=message):
        wp.read(file("a.npz", _npz(shape, descr, bytes(8))))


def test_an_npz_with_an_array_twice_is_refused(file):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("indptr.npy", b"")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("indptr.npy", b"")
    with pytest.raises(GraphFormatError, match="holds the array indptr twice"):
        wp.read(file("a.npz", buffer.getvalue()))


OSM = """<?xml version="1.0"?><osm version="0.6">
<node id="{}" version="{}" lat="{}" lon="1"/><node id="2" lat="1" lon="2"/>
<way id="9"><nd ref="{}"/><nd ref="2"/><tag k="highway" v="residential"/></way></osm>"""


@pytest.mark.parametrize(
    "values",
    [("x", 1, 1, 1), (1, "nan", 1, 1), (1, 1, "abc", 1), (1, 1, 1, "z"), (1, 1, 1, 10**30)],
    ids=str,
)
def test_osm_attributes_that_are_no_numbers_name_the_file(file, values):
    pytest.importorskip("osmium")
    with pytest.raises(GraphFormatError, match=r"a\.osm: .*(illegal|wrong format)"):
        wp.read(file("a.osm", OSM.format(*values)))


@only_linux
def test_an_osm_id_of_ten_to_the_sixteenth_takes_little_memory(file):
    pytest.importorskip("osmium")
    path = file("a.osm", OSM.format(10**16, 1, 1, 10**16))
    read = partial(wp.read, path)
    assert read().labels.tolist() == [2, 10**16]
    assert peak_of(read) < 256 << 20


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/random", "/proc/self/mem", "/dev"])
def test_a_device_is_refused(name):
    with pytest.raises(GraphFormatError, match=f"{name}: "):
        wp.read(name)


@pytest.mark.usefixtures("no_hang")
def test_a_pipe_that_is_never_written_to_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(GraphFormatError, match="pipe or a device"):
        wp.read(tmp_path / "a.txt")


def test_a_table_without_geometry_is_no_geojson(file):
    pytest.importorskip("geopandas")
    with pytest.raises(GraphFormatError, match="no lines"):
        wp.read(file("a.csv", b"source,target\na,b\n"), format="geojson")


@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize(
    "repeated", [b'<?xml version="1.0"?>\n', b"<!-- > -->", b"<!DOCTYPE a []>"]
)
def test_an_xml_file_of_declarations_alone_is_refused_at_once(file, repeated):
    with pytest.raises(WarpathError):
        wp.read(file("a.osm", repeated * 500))


def test_a_doctype_with_entities_is_passed_to_the_root_element(file):
    start = b'<?xml version="1.0"?>\n<!-- > -->\n<!DOCTYPE gpx [<!ENTITY a "b">]>\n<gpx>'
    with pytest.raises(InputError, match=r"gpx|GPX"):
        wp.read(file("a.unknown", start))
