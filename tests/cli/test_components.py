"""Components of graphs in the command."""

from __future__ import annotations

ISLAND = "source,target,weight\na,b,1\nb,a,1\nb,c,1\nc,d,1\nd,b,1\nd,e,1\nx,y,1\ny,x,1\n"


def test_info_counts_components_and_an_option_keeps_the_largest(tmp_path, warpath):
    path = tmp_path / "island.csv"
    path.write_text(ISLAND)
    assert warpath("info", path, "--json").json["components"] == {
        "weak": {"count": 2, "largest": 5},
        "strong": {"count": 3, "largest": 4},
    }
    shown = warpath("info", path).out
    assert (
        "2, the largest with 5 of 7 vertices (71.4 %); strongly connected: 3, the largest" in shown
    )
    part = warpath("info", path, "--option", "component=strong", "--json").json
    assert part["n"] == 4
    assert part["read_report"]['vertices outside component="strong"'] == 3


def test_a_vertex_on_an_island_is_told_in_words_of_the_command(tmp_path, warpath):
    path = tmp_path / "island.csv"
    path.write_text(ISLAND)
    run = warpath("path", path, "a", "x")
    assert run.err.rstrip().endswith(
        "one of 2 vertices without an edge to the largest component: read the file with "
        "--option component=largest."
    )
    assert warpath("info", path, "--option", "component=largest").code == 0


def test_weights_of_another_kind_are_announced(tmp_path, warpath):
    path, weights = tmp_path / "roads.csv", tmp_path / "weights.csv"
    path.write_text("source,target,weight\n0,1,2\n1,2,3\n")
    weights.write_text("source,target,weight\n0,1,2\n1,2,4.5\n")
    run = warpath("path", path, "0", "2", "--weights", weights)
    assert run.code == 0
    assert "line 3: the weight is not an integer" in run.err
    assert "become float64" in run.err


def test_info_says_where_the_first_negative_weight_stands(tmp_path, warpath):
    path = tmp_path / "roads.csv"
    path.write_text("source,target,weight\na,b,2\nb,c,-3\n")
    assert "1 of 2 weights is negative, the first is -3 on the edge 'b' -> 'c'" in " ".join(
        warpath("info", path).out.split()
    )
    plan = warpath("plan", path, "--source", "a").out
    assert "the first is -3 on the edge 'b' -> 'c'" in " ".join(plan.split())
