from __future__ import annotations

import gzip
import sys

import pytest

from warpath.base.errors import GraphFormatError, InputError, MissingDependencyError
from warpath.io import csv, formats

pytest.importorskip("pyarrow")


def edges_of(graph):
    src, dst, weights = graph.edges()
    return list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


@pytest.fixture
def file(tmp_path):
    """A function that writes the file and returns its path."""

    def written(text, name="roads.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return written


def test_quoted_fields_are_read(file):
    text = 'from,to,length\n"Paris, FR","Rome, ""IT""",3\n"Rome, ""IT""",Oslo,4\n'
    graph = formats.read(file(text))
    assert graph.labels.tolist() == ["Paris, FR", 'Rome, "IT"', "Oslo"]
    assert edges_of(graph) == [(0, 1, 3), (1, 2, 4)]
    assert graph.name == "roads"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(file, delimiter):
    text = "u,v,w\na,b,1\nb,c,2\n".replace(",", delimiter)
    assert formats.read(file(text), format="csv").weights.tolist() == [1, 2]
    assert formats.read(file(text), format="csv", delimiter=delimiter).m == 2


def test_options_of_tables_apply(file):
    path = file("a,b,km,h\n0,1,2,9\n1,2,3,8\n")
    columns = {"format": "csv", "columns": ("b", "a")}
    assert edges_of(formats.read(path, **columns)) == [(1, 0, 1), (2, 1, 1)]
    assert formats.read(path, **columns, weight="h").weights.tolist() == [9, 8]
    assert formats.read(path, **columns, weight=None).weights is None
    assert formats.read(path, **columns, directed=False).m == 4


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "roads.csv.gz"
    path.write_bytes(gzip.compress(b'from,to\n"a","b"\n'))
    assert formats.read(path).labels.tolist() == ["a", "b"]


def test_na_is_a_name(file):
    graph = formats.read(file('from,to\n"NA","DE"\n'))
    assert graph.labels.tolist() == ["NA", "DE"]


def test_line_breaks_in_quotes_are_read(file):
    graph = formats.read(file('from,to\n"a\nb","c"\n'))
    assert graph.labels.tolist() == ["a\nb", "c"]


def test_dates_are_names(file):
    graph = formats.read(file('from,to\n"2020-01-01","2020-01-02"\n'))
    assert graph.labels.tolist() == ["2020-01-01", "2020-01-02"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('from,to\n"a","b"\n"b"\n', r"roads\.csv:3: .*Expected 2 columns, got 1"),
        ('from,to,w\n"a","b",1\n"b","c",\n', r"roads\.csv: row 1 of column 'w' is missing"),
        ('from,to,w\n"a","b",x\n', r"roads\.csv: column 'w' holds"),
        ('"x","y"\n"a","b"\n', "none of the pairs .* is among the columns 'x', 'y'"),
        ('from,to\n"a,b\n', r"roads\.csv"),
    ],
)
def test_what_is_wrong_names_file_and_place(file, text, message):
    with pytest.raises(GraphFormatError, match=message):
        formats.read(file(text), format="csv")


def test_text_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_bytes('from,to\n"Zürich","Genève"\n'.encode("latin-1"))
    with pytest.raises(GraphFormatError, match=r"roads\.csv.*UTF-?8"):
        formats.read(path)


def test_a_delimiter_is_one_character(file):
    with pytest.raises(InputError, match="one character is needed"):
        formats.read(file("u,v\n0,1\n"), format="csv", delimiter="::")


def test_without_pyarrow_the_error_says_what_to_install(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    with pytest.raises(MissingDependencyError, match=r"pip install pyarrow"):
        formats.read(file('from,to\n"a","b"\n'))


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'from,to\n"a","b"\n', True),
        (b'"from";"to"\n', True),
        (b"from,to\n0,1\n", False),
        (b'{"from": 1, "to": 2}', False),
        (b'"a","b"\n"from","to"\n', False),
        (b'# a "comment", from, to\n0,1\n', False),
        (b"", False),
    ],
)
def test_only_quoted_fields_under_a_known_header_are_certainly_csv(head, known):
    assert csv.sniff(head) is known
