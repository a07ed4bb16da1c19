"""Tables of text and data frames that people reported of path finders, with the right graphs."""

from __future__ import annotations

from pathlib import Path

import pytest

import warpath as wp
from warpath.base.errors import GraphFormatError

DATA = Path(__file__).parent / "data"


def edges_of(graph):
    table = graph.edge_table()
    columns = (table[name].tolist() for name in ("source", "target", "weight"))
    return sorted(zip(*columns, strict=True))


@pytest.fixture
def read(tmp_path):
    """A function that reads a text as a file."""

    def read(text, name="roads.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return wp.read(path, **options)

    return read


def test_names_with_a_hash_are_rows():
    graph = wp.read(DATA / "01-hash-names.csv")
    assert edges_of(graph) == [("#bus", "#tram", 3), ("#tram", "rail", 4), ("rail", "#bus", 5)]


def test_a_link_id_is_not_an_end_and_the_direction_counts():
    graph = wp.read(DATA / "02-link-id-first.csv")
    assert edges_of(graph) == [(10, 20, 4.5), (20, 10, 4.5), (20, 30, 5.0)]
    assert graph.read_report == {"directions from the column 'direction'": "1 one way, 1 both ways"}


def test_an_empty_field_in_the_last_column_is_a_field():
    assert edges_of(wp.read(DATA / "03-empty-last-column.csv")) == [("A", "B", 4), ("B", "C", 5)]


def test_tabs_separate_names_with_blanks():
    graph = wp.read(DATA / "04-tab-blank-in-name.tsv")
    assert edges_of(graph) == [("Kings Lynn", "Leeds", 4), ("Leeds", "York", 5)]


def test_carriage_returns_end_lines():
    assert edges_of(wp.read(DATA / "05-carriage-returns.csv")) == [("A", "B", 4), ("B", "C", 5)]


def test_negative_ids_are_labels():
    assert edges_of(wp.read(DATA / "06-negative-ids.csv")) == [(-2, 3, 5), (-1, -2, 4)]


def test_decimal_commas_without_a_header_are_numbers():
    graph = wp.read(DATA / "36-no-header-decimal-comma.csv")
    assert edges_of(graph) == [("A", "B", 4.5), ("B", "C", 5.5)]


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("source,target,weight\n%a,b,1\n#c,%a,2\n", [("#c", "%a", 2), ("%a", "b", 1)]),
        ("# made by hand\nsource,target,weight\n#a,b,1\n", [("#a", "b", 1)]),
        ("a b 1\n#c a 2\n", [("#c", "a", 2), ("a", "b", 1)]),
        ("# from to\n1 2\n# 2 3\n2 4\n", [(1, 2, 1), (2, 4, 1)]),
        ("#target,source,weight\n1,2,3\n", [(2, 1, 3)]),
        ("source,target,weight,\nA,B,4,\nB,C,5,\n", [("A", "B", 4), ("B", "C", 5)]),
        ("source,target,weight\nA,B,4,\nB,C,5,\n", [("A", "B", 4), ("B", "C", 5)]),
        ("A,B,4,\nB,C,5,\n", [("A", "B", 4), ("B", "C", 5)]),
        ("from\tto\tname\tkm\nA\tB\t\t4\n", [("A", "B", 4)]),
        ("sep=;\nfrom;to;km\nA;B;4,5\n", [("A", "B", 4.5)]),
        ("from|to|km\nA b|B|4\n", [("A b", "B", 4)]),
        ("1 | 2 | 5\n2 | 3 | 4\n", [(1, 2, 5), (2, 3, 4)]),
        ("-1 -2 4\n-2 3 5\n", [(-2, 3, 5), (-1, -2, 4)]),
        ("1 2 3,5\n2 3 4,5\n", [(1, 2, 3.5), (2, 3, 4.5)]),
        ("from,to,km\r1,2,3\r2,3,4\r", [(1, 2, 3), (2, 3, 4)]),
        ("from;to;km\n1;2;3\n".encode("utf-16"), [(1, 2, 3)]),
        ("from,to,km\n12,12a,3\n", [("12", "12a", 3)]),
        ("source,sink\nsource,target\n", [("source", "sink", 1), ("source", "target", 1)]),
        ("sep=\t\nfrom\tto\tkm\n1\t2\t3\n", [(1, 2, 3)]),
        ("x1,12,5\n12,7,6\n", [("12", "7", 6), ("x1", "12", 5)]),
        ('from, to, km\nA, "B, x", 4\n', [("A", "B, x", 4)]),
        ("\ufefffrom,to,km\r\n1,2,3\r\n\r\n,,\r\n2,3,4\r\n", [(1, 2, 3), (2, 3, 4)]),
        ("A,B,DISTANCE\n1,2,5\n", [(1, 2, 5)]),
        ("a b\nb c\n", [("a", "b", 1), ("b", "c", 1)]),
        ("u v\nv u\n", [("u", "v", 1), ("v", "u", 1)]),
        ("A,B\nLeeds,York\n", [("Leeds", "York", 1)]),
        ("9007199254740993123,5\n5,7\n", [(5, 7, 1), (9007199254740993123, 5, 1)]),
    ],
)
@pytest.mark.parametrize("name", ["roads.csv", "roads.txt"])
def test_marks_delimiters_and_ids_mean_what_they_say(read, name, text, edges):
    assert edges_of(read(text, name)) == edges


@pytest.mark.parametrize(
    "header",
    [
        "edge_id,start_node,end_node,length", "OBJECTID,FNODE,TNODE,LENGTH",
        "gid,source_osm,target_osm,cost", "year,u_id,v_id,weight", "NO;FROMNODENO;TONODENO;LENGTH",
        "link_id,from_node_id,to_node_id,length", "ID,A NODE,B NODE,DISTANCE (km)",
        "key,F_NODE,T_NODE,Shape_Length", "id,edge_from,edge_to,length", "id,inode,jnode,length",
        "x,node_from,node_to,travel_time", "row,from_stop_id,to_stop_id,minutes",
        "n,origin,destination,Time [min]", "i,node1,node2,dist", "name,_from,_to,weight",
        "id,REF_IN_ID,NREF_IN_ID,METRES", "gid,Init node,Term node,Free Flow Time",
    ],
)  # fmt: skip
def test_pairs_of_names_are_known_in_any_spelling(read, header):
    mark = ";" if ";" in header else ","
    assert edges_of(read(f"{header}\n7,10,20,5\n8,20,30,6\n".replace(",", mark))) == [
        (10, 20, 5),
        (20, 30, 6),
    ]


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("von,nach,km\nBern,Thun,5\n", r"none of the known pairs.*'von', 'nach', 'km'", None),
        ("id,von,nach,x\n1,2,3,4\n", "source='von', target='nach', weight='x'", None),
        ("von,nach\nBern,Thun\n", "header=True .* or header=False", {"header": False}),
        ("source,target\nto,source\n", "also in other rows; give header=True", {"header": False}),
        ("from,to,km\n1,2,3\n# 2,3,4\n", "'# 2', but row 0 is an integer", {"ids": "text"}),
        ("a b\nc d\n", "header=True .* or header=False", {"header": False}),
        ("source,target,from,to\n1,2,3,4\n", "could be source/target and from/to", None),
        ("from,to,length,cost\n1,2,3,4\n", "; choose weight='length'", {"weight": "cost"}),
        ("from,to,lanes\n1,2,3\n", "weight='lanes', or weight=None", {"weight": None}),
        ("1,2,3,4\n", "Choose with weight=2, or weight=None", {"weight": 2}),
        ("source,target,weight\n", "only a header, 'source', 'target', 'weight'", {"n": 3}),
    ],
)
def test_what_is_not_known_is_refused_with_a_remedy_that_works(read, text, message, remedy):
    with pytest.raises(GraphFormatError, match=message) as caught:
        read(text)
    if remedy is None:  # as the message says
        example = str(caught.value).partition("as with ")[2].rstrip(".")
        remedy = eval(f"dict({example})")  # noqa: S307 - our own message
        if "weight" not in remedy:
            remedy["weight"] = None
    assert read(text, **remedy).n


def test_a_name_among_numbers_of_a_table_is_reported(read):
    graph = read("from,to,km\n12,13,3\n13,12a,4\n")
    assert graph.read_report == {"vertices are names, as row 1 of column 'to' is no integer": "12a"}
