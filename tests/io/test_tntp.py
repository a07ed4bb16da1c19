from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpath.base.errors import GraphFormatError, InputError
from warpath.io.coordinate_files import find_coordinates, read_coordinates
from warpath.io.formats import read

GOLDEN = Path(__file__).parent / "golden"
NET = (GOLDEN / "tiny_net.tntp").read_text()


def test_tiny_graph_reads_with_times_and_zones():
    graph = read(GOLDEN / "tiny_net.tntp")
    assert graph.indices.tolist() == [1, 2, 0, 2, 3, 3]
    assert graph.weights.tolist() == [7, 10, 7, 0, 2147483648, 1]
    assert (graph.n, graph.first_through, graph.id_base, graph.name) == (5, 2, 1, "tiny")


def test_weights_are_any_column_or_none():
    path = GOLDEN / "tiny_net.tntp"
    assert read(path, weight="length").weights.tolist() == [5, 9, 5, 1, 9, 2]
    assert read(path, weight=2).weights.tolist() == [100] * 6
    assert read(path, weight=None).weights is None
    for wrong in ("price", 0, 40):
        with pytest.raises(InputError, match="3 length, 4 free_flow_time"):
            read(path, weight=wrong)


SYDNEY = """<NUMBER OF ZONES> 2
<NUMBER OF NODES> 3
<FIRST THRU NODE> 1
<NUMBER OF LINKS> 2
<ORIGINAL HEADER>~ Init node Term node Capacity Length Free Flow Time B Power Toll Type ;
<END OF METADATA>

~ links by the ministry
~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\tlink_type\ttoll\tlanes\t;
\t1\t2\t900\t5\t7\t0.15\t4\t60\t1\t30\t2\t;
\t2\t3\t900\t6\t8\t0.15\t4\t60\t2\t40\t3\t;
"""


def test_columns_are_known_by_the_names_above_them(file):
    path = file("sydney_net.tntp", SYDNEY)
    for name, weights in {"toll": [30, 40], "link_type": [1, 2], "lanes": [2, 3]}.items():
        assert read(path, weight=name).weights.tolist() == weights
    with pytest.raises(InputError, match="8 link_type, 9 toll, 10 lanes"):
        read(path, weight="volume")


@pytest.mark.parametrize(
    "header",
    [
        "~ Length Head Free Flow Time (min) Tail Toll ;",
        "~\tLength (ft)\tTerm node \tFree Flow Time\tInit node\tToll ",
        "~length term_node fftt init_node toll",
    ],
)
def test_columns_come_in_any_order(file, header):
    head = "<NUMBER OF NODES> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n"
    graph = read(file("a_net.tntp", f"{head}{header}\n5 2 7 1 30 ;\n6 3 8 2 40 ;\n"))
    assert [each.tolist() for each in graph.edges()] == [[0, 1], [1, 2], [7, 8]]


def test_a_line_of_names_that_does_not_fit_the_links_is_refused(file):
    for old, new, message in (
        ("\tlanes", "", ":9: this line names 10 columns, but the first link has 11"),
        ("\tlanes", "\ttoll", ":9: this line names two columns toll"),
    ):
        with pytest.raises(GraphFormatError, match=message):
            read(file("a_net.tntp", SYDNEY.replace(old, new)), weight="toll")


def test_a_link_can_stand_for_both_directions():
    assert read(GOLDEN / "tiny_net.tntp", directed=False).m == 12


BAD = {
    "<NUMBER OF NODES> 5": ("", "the metadata lack <NUMBER OF NODES>"),
    "<NUMBER OF LINKS> 6": ("<NUMBER OF LINKS> 7", "promises 7 links, the file has 6"),
    "<FIRST THRU NODE> 3": ("<FIRST THRU NODE> 9", r":3: <FIRST THRU NODE> must lie in 1 .. 6"),
    "<END OF METADATA>": ("", "expected .<TAG> value. or <END OF METADATA>"),
    "\t3\t4\t100\t9": ("\t3\t6\t100\t9", ":13: vertex 6 is out of range"),
    "\t1\t2\t100\t5\t7\t": ("\t1\t2\t100\t5\tx\t", ":9: expected .<from> <to> <capacity>"),
    "\t1\t2\t100\t5\t7\t0.15\t4\t0\t0\t1": ("\t1\t2\t100\t", ":9: expected .<from> <to>"),
}


@pytest.mark.parametrize("old", BAD)
def test_a_damaged_file_is_refused_with_the_reason(file, old):
    new, message = BAD[old]
    assert old in NET
    with pytest.raises(GraphFormatError, match=message):
        read(file("a_net.tntp", NET.replace(old, new, 1)))


def test_a_file_that_ends_in_its_metadata_is_refused(file):
    with pytest.raises(GraphFormatError, match="truncated"):
        read(file("a_net.tntp", "<NUMBER OF NODES> 5\n"))


def test_a_file_of_trips_is_named(file):
    text = "<NUMBER OF ZONES> 2\n<TOTAL OD FLOW> 5.0\n<END OF METADATA>\n\nOrigin 1\n 2 : 5.0;\n"
    with pytest.raises(GraphFormatError, match=r":2: this is a file of trips, not of links"):
        read(file("a_trips.tntp", text))


def test_a_network_without_links_is_a_graph(file):
    text = "<NUMBER OF NODES> 5\n<NUMBER OF LINKS> 0\n<END OF METADATA>\n"
    graph = read(file("a_net.tntp", text))
    assert (graph.n, graph.m, graph.first_through) == (5, 0, 0)


def test_coordinates_are_found_and_read():
    found = find_coordinates(GOLDEN / "tiny_net.tntp")
    assert found == GOLDEN / "tiny_node.tntp"
    assert read_coordinates(found)[:2].tolist() == [[0.5, 1], [1.5, -1000]]


def test_a_vertex_left_out_has_no_coordinates(file):
    points = read_coordinates(file("a_node.tntp", "node x y ;\n1 1 1 ;\n3 3 3 ;\n"))
    assert np.isnan(points).tolist() == [[False] * 2, [True] * 2, [False] * 2]


def test_a_damaged_header_of_coordinates_is_refused(file):
    with pytest.raises(GraphFormatError, match=r"promises|expected|vertex 0 is out of range"):
        read_coordinates(file("a_node.tntp", "node x y ;\n0 1 1 ;\n"))


def test_coordinates_of_another_kind_are_refused(file):
    with pytest.raises(GraphFormatError, match="no coordinates: expected DIMACS"):
        read_coordinates(file("a.txt", "1 2 3\n"))
