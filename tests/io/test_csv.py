from __future__ import annotations

import gzip

import numpy as np
import pytest

import warpath as wp
from warpath.base.errors import GraphFormatError, InputError
from warpath.io import formats


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
        ('from,to\n"a","b"\n"b"\n', r"roads\.csv:3: .*expected 2 columns, found 1"),
        ('from,to,w\n"a","b",1\n"b","c",\n', r"roads\.csv: row 1 of column 'w' is missing"),
        ('from,to,w\n"a","b",x\n', r"roads\.csv: row 0 of column 'w' is 'x': weights are numbers"),
        ('"x","y"\n"a",5\n', "none of the known pairs .* is among the columns 'x', 'y'"),
        ('"x","y"\n"a","b"\n', r"roads\.csv:1: whether the first row is a header is not clear"),
        ('from,to\n"a,b\n', r"roads\.csv"),
    ],
)
def test_what_is_wrong_names_file_and_place(file, text, message):
    with pytest.raises(GraphFormatError, match=message):
        formats.read(file(text), format="csv")


def test_decimal_commas_are_found_under_any_header(file):
    graph = formats.read(file("A;B;km\n1;2;3,5\n2;3;1\n"), source="A", target="B", weight="km")
    assert graph.weights.tolist() == [3.5, 1.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "1;2;3,5\n2;3;4.5\n",
            r"row 0 .* '3,5': .* mark '\.', as '4\.5' in row 1 is: use one mark",
        ),
        (
            "1;2;3.5\n2;3;4,5\n",
            r"row 1 .* '4,5': .* mark '\.', as '3\.5' in row 0 is: use one mark",
        ),
        ("1;2;1.234,5\n", "'1.234,5': .* without separators of thousands"),
        ("1;2;x,5\n", "row 0 of column 'km' is 'x,5'"),
    ],
)
def test_mixed_decimal_marks_are_named_with_their_rows(file, rows, message):
    with pytest.raises(GraphFormatError, match=message):
        formats.read(file(f"A;B;km\n{rows}"), source="A", target="B", weight="km")


def test_a_column_that_is_missing_is_named_among_those_there(file):
    for text in ("A;B;km\n1;2;3\n", "A;B;km\n1;2;3,5\n", 'A,B,km\n"1","2",3\n'):
        with pytest.raises((GraphFormatError, InputError), match=r"no column .h..*A.*B.*km"):
            formats.read(file(text), source="A", target="B", weight="h")


def test_text_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_bytes('from,to\n"Zürich","Genève"\n'.encode("latin-1"))
    with pytest.raises(GraphFormatError, match=r"roads\.csv.*UTF-?8"):
        formats.read(path)


def test_a_delimiter_is_one_character(file):
    with pytest.raises(InputError, match="one character is needed"):
        formats.read(file("u,v\n0,1\n"), format="csv", delimiter="::")


@pytest.mark.parametrize("text", ['from,to\n"a","b"\n', '"from";"to"\n"a";"b"\n', "from;to\na;b\n"])
def test_tables_are_read_whatever_the_suffix_is(file, text):
    assert formats.read(file(text, "roads.dat")).labels.tolist() == ["a", "b"]


GERMAN = (
    'von;nach;"Länge, km";Minuten;Straße\n"Bern; Stadt";Thun;26,5;20;A6\nThun;Spiez;10,0;;"A6"\n'
)


def test_any_header_quotes_and_decimal_commas_are_read_by_name(file):
    graph = formats.read(file(GERMAN), source="von", target="nach", weight="Länge, km")
    assert graph.labels.tolist() == ["Bern; Stadt", "Thun", "Spiez"]
    assert edges_of(graph) == [(0, 1, 26.5), (1, 2, 10.0)]
    assert graph.given is None


def test_source_and_target_are_columns_of_every_table(file):
    path = file("x,a,b,km\n7,0,1,2\n8,1,2,3\n")
    for options in ({}, {"format": "csv"}, {"format": "edge_list"}):
        graph = formats.read(path, source="b", target=1, weight="km", **options)
        assert edges_of(graph) == [(1, 0, 2), (2, 1, 3)]
    assert formats.read(path, source="a", target="b", format="csv").weights.tolist() == [2, 3]
    three = file("a,b,km\n0,1,2\n1,2,3\n", "three.csv")
    for options in ({}, {"format": "csv"}):
        assert formats.read(three, source="b", target="a", **options).weights.tolist() == [2, 3]
    with pytest.raises(InputError, match="source=, target= and columns= name the same"):
        formats.read(path, source="a", target="b", columns=(1, 2))
    with pytest.raises(InputError, match="target = None must be the name or the number"):
        formats.read(path, source="a")
    with pytest.raises(InputError, match=r"no column 'c'"):
        formats.read(path, source="a", target="c")


def test_further_columns_are_kept_and_one_can_be_the_weight(file):
    graph = formats.read(
        file(GERMAN), source="von", target="nach", weight="Länge, km", attributes="all"
    )
    table = graph.edge_table()
    assert list(table) == ["source", "target", "weight", "Minuten", "Straße"]
    assert table["Straße"].tolist() == ["A6", "A6"]
    assert table["Minuten"].tolist()[0] == 20
    assert np.isnan(table["Minuten"][1])  # an empty field
    few = formats.read(file(GERMAN), columns=(1, 0, 2), attributes=["Minuten"])
    assert few.subgraph(["Thun", "Bern; Stadt"]).with_weights("Minuten").weights.tolist() == [20]


def test_columns_of_data_frames_are_kept_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"u": [5, 1], "v": [1, 5], "w": [1, 2], "name": ["a", "b"]})
    graph = wp.Graph.of(frame, weight="w", attributes="name")
    assert graph.edge_table()["name"].tolist() == ["b", "a"]


def test_a_delimiter_and_a_decimal_mark_can_be_given(file):
    path = file("u|v|w\n0|1|1,5\n1|2|2\n", "roads.txt")
    assert formats.read(path, delimiter="|", decimal=",").weights.tolist() == [1.5, 2.0]
    assert formats.read(file("0;1;1,5\n"), delimiter=";").weights.tolist() == [1.5]
    assert formats.read(file("u;v;w\n0;1;1,5\n")).weights.tolist() == [1.5]  # found


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            "u;v;w\n0;1;1,5\n0;1;2.5\n",
            {"delimiter": ";", "decimal": ","},
            "row 1 of column 'w' is '2.5': weights are numbers with the decimal mark ','",
        ),
        (
            "u;v;w\n0;1;1,5\n",
            {"delimiter": ";", "decimal": "."},
            "row 0 of column 'w' is '1,5': .* decimal=',' reads other marks",
        ),
        ("u,v\n0.5,1\n", {"delimiter": ","}, "numbers that are not integers, such as '0.5'"),
        ("u,v\n0,\n", {"delimiter": ","}, "row 0 of column 'v' is missing"),
        ("# nothing\n", {"format": "csv"}, "the file has no rows"),
    ],
)
def test_mixed_marks_and_missing_ends_are_refused(file, text, options, message):
    with pytest.raises(GraphFormatError, match=message):
        formats.read(file(text), **options)


def test_options_that_contradict_are_refused(file):
    path = file("u,v\n0,1\n")
    for options in (
        {"delimiter": ",", "decimal": ","},
        {"decimal": "x"},
        {"decimal": ",", "ids": "x"},
    ):
        with pytest.raises(InputError, match=r"must be|same character"):
            formats.read(path, **options)


def test_ids_that_look_like_numbers_can_be_names(file):
    assert formats.read(file('u,v\n"007",8\n'), ids="text").labels.tolist() == ["007", "8"]


def test_a_graph_comes_back_from_csv(file, tmp_path):
    graph = formats.read(
        file(GERMAN), source="von", target="nach", weight="Länge, km", attributes="all"
    )
    for options in ({}, {"delimiter": ";", "decimal": ","}):
        path = tmp_path / "out.csv.gz"
        formats.write(graph, path, **options)
        back = formats.read(path, weight="weight", attributes=["Straße"])
        assert back.labels.tolist() == graph.labels.tolist()
        assert edges_of(back) == edges_of(graph)
        assert back.edge_table()["Straße"].tolist() == ["A6", "A6"]


def test_numbers_in_a_file_count_as_its_reader_does(tmp_path):
    graph = wp.Graph.from_edges([0, 1], [1, 2], [4, 5], id_base=1)
    formats.write(graph, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "source,target,weight\n1,2,4\n2,3,5\n"


def test_a_tab_in_a_quoted_name_is_kept(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text('"from"\t"to"\t"weight"\n"a\tx"\t"b"\t"4"\n')
    assert list(wp.path(wp.read(path), "a\tx", "b")) == ["a\tx", "b"]
