"""`warpath update`: changes of edges are replayed, and watched vertices are reported."""

from __future__ import annotations

import pytest

DAY = """time,change,source,target,weight,position
07:00,update,1,3,9,
07:00,update,4,5,2,
08:00,delete,1,2,,0
09:00,insert,1,6,4,
"""


@pytest.fixture
def day(tmp_path):
    path = tmp_path / "day.csv"
    path.write_text(DAY)
    return path


def test_changed_distances_of_watched_vertices_are_printed_batch_by_batch(warpath, roads, day):
    run = warpath("update", roads, "-s", 1, "--changes", day, "--watch", "2,5,6")
    assert run.out.splitlines() == [
        "time\tvertex\told\tnew",
        "07:00\t2\t5\t7",
        "07:00\t5\t7\t10",
        "08:00\t2\t7\t12",
        "08:00\t5\t10\t15",
        "09:00\t6\t\t4",
    ]


def test_rows_are_saved_and_counted(warpath, roads, day, tmp_path):
    out, shops = tmp_path / "out.csv", tmp_path / "shops.csv"
    shops.write_text("vertex\n5\n")
    words = ("update", roads, "-s", 1, "--changes", day, "--watch", shops)
    found = warpath(*words, "--json").json
    assert (found["batches"], found["changes"], found["m"]) == (3, 4, 5)
    assert [(row["old"], row["new"]) for row in found["rows"]] == [(7, 10), (10, 15)]
    run = warpath(*words, "-o", out)
    assert run.code == 0
    assert "changed distances of watched vertices  2" in run.out
    assert out.read_text() == "time,vertex,old,new\n07:00,5,7,10\n08:00,5,10,15\n"


def test_labels_name_the_edges(warpath, names, tmp_path):
    path = tmp_path / "day.csv"
    path.write_text("time,change,source,target,weight\n1,update,Home,Bridge,1\n")
    run = warpath("update", names, "-s", "Home", "--changes", path, "--watch", "Port")
    assert run.out.splitlines()[1:] == ["1\tPort\t7\t6"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,update,1,3,9\n", "expected the columns time, change, source, target, weight"),
        ("time,change,source,target,weight\n1,move,1,3,9\n", "expected update, insert or delete"),
        ("time,change,source,target,weight\n1,update,1,7,9\n", "vertex 7 does not exist"),
        ("time,change,source,target,weight\n1,update,1,3,x\n", "expected a weight, found 'x'"),
        ("time,change,source,target,weight\n1,update,1,3,nan\n", "weights[0] = nan"),
        ("time,change,source,target,weight\n1,update,3,1,4\n", "there is no edge"),
    ],
)
def test_a_wrong_file_of_changes_is_refused_with_its_line(warpath, roads, tmp_path, text, message):
    path = tmp_path / "day.csv"
    path.write_text(text)
    run = warpath("update", roads, "-s", 1, "--changes", path, "--watch", 2)
    assert run.code == 3
    assert message in run.err
    assert f"day.csv:{1 if text[0] == '1' else 2}:" in run.err


def test_a_negative_cycle_and_an_overflow_name_the_line_of_their_batch(warpath, roads, tmp_path):
    changes, out = tmp_path / "day.csv", tmp_path / "out.csv"
    roads.write_text(f"p sp 3 2\na 1 2 {2**62}\na 2 3 5\n")
    for change, reason in (
        ("insert,3,2,-9", "negative cycle 2 -> 3 -> 2"),
        (f"update,2,3,{2**62}", "a distance does not fit 64 bits"),
    ):
        changes.write_text(f"time,change,source,target,weight\n1,update,2,3,8\n2,{change}\n")
        run = warpath("update", roads, "-s", 1, "--changes", changes, "--watch", "2,3", "-o", out)
        assert run.code == 3
        assert f"{changes}:3: in the batch from here: " in run.err
        assert reason in run.err
        assert not out.exists()
