from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warpath.base.errors import GraphFormatError, InputError
from warpath.io.formats import read

GOLDEN = Path(__file__).parent / "golden"


def edges(graph):
    src, dst, weights = graph.edges()
    return list(zip(src.tolist(), dst.tolist(), weights.tolist(), strict=True))


def test_tiny_graph_reads_with_cr_tabs_and_no_end_of_line():
    graph = read(GOLDEN / "tiny.txt")
    assert graph.labels is None
    assert graph.weights.tolist() == [7, 10, 7, 0, 2147483648, 1]
    assert (graph.n, graph.name, graph.id_base) == (4, "tiny", 0)


@pytest.mark.parametrize(
    "text", ["0 1 5\n1 0 6\n", "0\t1\t5\n1  0 6", "0,1,5\n1, 0 , 6\n", "0;1;5\n1;0;6\n"]
)
def test_blanks_tabs_commas_and_semicolons_separate(file, text):
    assert edges(read(file("a.txt", text))) == [(0, 1, 5), (1, 0, 6)]


def test_ids_with_gaps_become_labels_in_ascending_order(file):
    graph = read(file("a.txt", "7 3\n100 7\n"))
    assert graph.labels.tolist() == [3, 7, 100]
    assert edges(graph) == [(1, 0, 1), (2, 1, 1)]


def test_ids_far_apart_become_labels_too(file):
    graph = read(file("a.txt", "9000000000000000000 3\n"))
    assert graph.labels.tolist() == [3, 9_000_000_000_000_000_000]


def test_ids_counted_from_one_become_labels(file):
    assert read(file("a.txt", "1 2\n2 3\n")).labels.tolist() == [1, 2, 3]


def test_numbers_can_be_taken_as_they_are(file):
    path = file("a.txt", "1 2\n2 4\n")
    assert (read(path, ids="numbers").n, read(path, n=9).n) == (5, 9)
    with pytest.raises(GraphFormatError, match="vertex 4 is out of range: the vertices are 0 to 3"):
        read(path, n=4)


def test_names_are_labels_in_order_of_appearance(file):
    graph = read(file("a.txt", "Zürich Bern 3\nBern Aarau 4\n"))
    assert graph.labels.tolist() == ["Zürich", "Bern", "Aarau"]
    assert edges(graph) == [(0, 1, 3), (1, 2, 4)]


def test_names_may_hold_blanks_between_tabs_or_commas(file):
    for text in ("New York\tBoston\t3\n", "New York,Boston,3\n"):
        assert read(file("a.txt", text)).labels.tolist() == ["New York", "Boston"]


def test_numbers_can_be_taken_for_names(file):
    assert read(file("a.txt", "01 1\n"), ids="text").labels.tolist() == ["01", "1"]


def test_a_name_among_numbers_is_an_error_not_a_new_vertex(file):
    with pytest.raises(GraphFormatError, match=r':2: expected "<from> <to>", found "2 3x"'):
        read(file("a.txt", "1 2\n2 3x\n"))


def test_a_vertex_with_a_fraction_is_refused(file):
    with pytest.raises(GraphFormatError, match=r':1: a vertex is an integer .*, found "1.0"'):
        read(file("a.txt", "1.0 2\n"))


def test_a_lone_number_in_front_is_a_comment(file):
    assert read(file("a.txt", "6350\r\n0\t1\r\n1\t2\r\n")).m == 2


def test_a_lone_number_elsewhere_is_an_error(file):
    with pytest.raises(GraphFormatError, match=r':2: expected "<from> <to>", found "5"'):
        read(file("a.txt", "0 1\n5\n"))


@pytest.mark.parametrize(
    "header",
    ["from,to,weight", "Source, Target, Length", "src;dst;w", "FromNodeId\tToNodeId\tcost"],
)
def test_a_header_is_understood(file, header):
    mark = "," if "," in header else ";" if ";" in header else "\t"
    assert edges(read(file("a.csv", f"{header}\n0{mark}1{mark}2.5\n"))) == [(0, 1, 2.5)]


def test_a_header_may_order_the_columns(file):
    graph = read(file("a.csv", "weight,to,from\n5,0,1\n"))
    assert edges(graph) == [(1, 0, 5)]


def test_a_header_of_unknown_words_above_numbers_is_refused_with_a_remedy(file):
    path = file("a.csv", "id,von,nach,km\n7,0,1,2\n")
    with pytest.raises(GraphFormatError, match="source='von', target='nach', weight='km'"):
        read(path)
    assert edges(read(path, source="von", target="nach", weight="km")) == [(0, 1, 2)]


def test_names_above_names_are_no_header(file):
    assert read(file("a.csv", "ann,bob\nbob,carl\n")).m == 2


def test_four_columns_need_a_choice_and_the_error_lists_them(file):
    named = file("a.csv", "from,to,feature,time\n6,2,4,12.5\n")
    with pytest.raises(
        GraphFormatError, match=r"could be 'time' of the columns 'from', 'to', 'feature', 'time'"
    ):
        read(named)
    assert read(named, weight="feature").weights.tolist() == [4]
    assert read(named, weight=3).weights.tolist() == [12.5]
    assert read(named, weight=None).weights is None
    bare = file("b.csv", "6,2,4,12.5\n")
    with pytest.raises(GraphFormatError, match=r'0 \("6"\), 1 \("2"\), 2 \("4"\), 3 \("12.5"\)'):
        read(bare)
    assert read(bare, weight=2).m == 1


@pytest.mark.parametrize("weight", ["price", 4, -1, 0, True])
def test_a_column_that_cannot_be_the_weight_is_refused(file, weight):
    with pytest.raises(InputError, match="there are 'from', 'to', 'feature', 'time'"):
        read(file("a.csv", "from,to,feature,time\n6,2,4,12.5\n"), weight=weight)


def test_the_columns_of_the_ends_can_be_chosen(file):
    path = file("a.csv", "5,0,1\n")
    assert edges(read(path, columns=(1, 2), weight=0)) == [(0, 1, 5)]
    with pytest.raises(InputError, match="twice"):
        read(path, columns=(1, 1))


def test_edges_can_be_made_undirected(file):
    graph = read(file("a.txt", "0 1\n1 1\n"), directed=False)
    assert (graph.m, graph.directed) == (3, False)


def test_lines_can_be_skipped(file):
    path = file("a.txt", "3 2 7\n0 1\n1 2\n")
    with pytest.raises(GraphFormatError, match=":2"):
        read(path)
    assert read(path, skip_lines=1).m == 2


def test_comments_and_blank_lines_are_skipped(file):
    assert read(file("a.txt", "# a\n\n% b\n0 1\n# c\n\n1 0\n")).m == 2


def test_a_byte_order_mark_is_skipped(file):
    assert read(file("a.txt", b"\xef\xbb\xbf0 1\n")).m == 1


def test_a_header_without_edges_is_a_file_without_edges(file):
    with pytest.raises(GraphFormatError, match="no edges"):
        read(file("a.csv", "from,to,weight\n"))


def test_short_and_long_names_are_told_apart(file):
    names = [letter * length for length in range(1, 20) for letter in "ab"]
    names += [f"{'x' * 20}{k}" for k in range(3000)]
    text = "".join(f"{name} {other}\n" for name in names for other in names[-3:])
    graph = read(file("a.txt", text))
    assert graph.labels.tolist() == list(dict.fromkeys(text.split()))
    assert graph.n == len(names)


def test_a_file_of_comments_needs_a_number_of_vertices(file):
    path = file("a.txt", "# nothing\n")
    with pytest.raises(GraphFormatError, match="no edges, only comments; give n="):
        read(path)
    assert (read(path, n=3).n, read(path, n=3).m) == (3, 0)


BAD = {
    "0 1 2\n0 1\n": ':2: expected "<from> <to> <weight>", found "0 1"',
    "0 1\n0 1 2\n": ':2: expected "<from> <to>", found "0 1 2"',
    "0,1\n0,\n": ':2: expected "<from>,<to>", found "0,"',
    "0 1\n99999999999999999999 2\n": ":2: a vertex number does not fit in 64 bits",
    "0 1 2\n0 1 nan\n": ":2: NaN is not a number",
    "0 1 2\n0 1 -inf\n": ":2: a weight of -inf",
    "0\n": ':1: expected "<from> <to>" or more columns, found "0"',
    "from,to\n0,1,2\n": ":2: expected 2 columns, found 3",
    "from to\n0 1 2\n": ":2: the header has 2 columns, this line has 3",
}


@pytest.mark.parametrize(("content", "message"), BAD.items())
def test_a_damaged_file_is_refused_with_line_and_reason(file, content, message):
    path = file("a.txt", content)
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_name_that_is_no_utf8_is_refused(file):
    with pytest.raises(GraphFormatError, match="not UTF-8"):
        read(file("a.txt", b"\xff\xfd b 3\n"))


def test_unknown_ids_are_refused(file):
    with pytest.raises(InputError, match='must be "auto", "numbers" or "text"'):
        read(file("a.txt", "0 1\n"), ids="names")


def test_weights_mix_integers_and_floats_exactly(file):
    graph = read(file("a.txt", "0 1 9007199254740993\n1 0 .5\n"))
    assert graph.weights.dtype == np.float64
    assert graph.weights.tolist() == [9007199254740992.0, 0.5]
