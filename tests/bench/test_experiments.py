"""The papers' experiments as files: what they have, and how a damaged one is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpath.base.errors import InputError
from warpath.recipes import CATALOGUE
from warpath_bench import experiments
from warpath_bench.experiments import graphs_of, load, names
from warpath_bench.paper import planned

OWN = """
title = "Own"
machine = "none"

[[study]]
name = "lists"
task = "one source"
repeats = 3
variants = ["martin2009.fh", "martin2009.f_gpu"]
beside = ["classic.dijkstra"]

[[study.graphs]]
make = "martin {n}"
n = [64, 128]

[[figure]]
name = "figure 1"
study = "lists"
chart = "speedup"
baseline = "martin2009.fh"
title = "times"

[[figure.published]]
what = "F over FH"
value = "60x"
per = "martin2009.fh"
of = "martin2009.f_gpu"
"""
FIGURES = {
    "martin2009": ["figure 6", "figure 7"],
    "davidson2014": [
        "table II",
        "figure 3",
        "figure 4",
        "figure 5a",
        "figure 5b",
        "figure 6",
        "table III",
        "figure 7",
    ],
    "bodra2025": ["figure 1", "the table", "figure 2"],
    "johnson_gpu": ["table 1", "figure 3", "figure 4"],
}


@pytest.fixture
def own(tmp_path):
    def make(old="", new=""):
        assert old in OWN
        path = tmp_path / "own.toml"
        path.write_text(OWN.replace(old, new, 1) if old else OWN)
        return str(path)

    return make


def test_the_papers_have_their_figures():
    assert {name: [one.name for one in load(name).figures] for name in names()} == FIGURES


def test_every_variant_of_a_paper_is_measured_but_for_what_has_no_figure():
    unmeasured = {
        recipe.name
        for recipe in CATALOGUE
        for paper in names()
        if recipe.name.startswith(f"{paper}.")
        and recipe.name not in {v for s in load(paper).studies for v in (*s.variants, *s.beside)}
    }
    # The papers chose one traversal for their figures, propose the hybrid and ELL, and time Johnson
    # whole.
    kinds = ("cooperative_blocks", "cta_warp_scan")
    other = {f"davidson2014.workfront_sweep.{kind}" for kind in kinds}
    other |= {f"davidson2014.bucketing.{kind}" for kind in kinds}
    other |= {f"davidson2014.bucketing_sort_all.{kind}" for kind in kinds}
    other |= {f"davidson2014.bucketing_multisplit.{kind}" for kind in kinds}
    parts = {f"johnson_gpu.{part}" for part in ("bf_queue", "dijkstra_flags", "dijkstra_queue")}
    other |= {"bodra2025.bf_vertex.ell", "bodra2025.bf_strided_flag.ell", "davidson2014.hybrid"}
    assert unmeasured == {*other, *parts, "johnson_gpu.dijkstra_prefix"}


def test_a_number_of_a_paper_refers_to_recipes_of_its_study():
    for paper in map(load, names()):
        studies = {study.name: {*study.variants, *study.beside} for study in paper.studies}
        for figure in paper.figures:
            for one in figure.published:
                assert {one.of, one.per} - {""} <= studies[figure.study], (paper.name, one.what)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Own"\n', "", "title is missing"),
        ('machine = "none"', 'machine = "none"\ncolour = 1', "colour: there is no such key"),
        ("repeats = 3", 'repeats = "3"', "study lists: repeats = '3' must be of type int"),
        ("repeats = 3", "repeats = true", "repeats = True must be of type int"),
        ("repeats = 3", "repeats = 0", "must be at least 1"),
        ("n = [64, 128]", "n = [64, 0]", "must be whole numbers above 0"),
        ("repeats = 3", "factors = [0]", "must be numbers above 0"),
        ("repeats = 3", "threads = 2", "threads = 2 goes with many sources alone"),
        ('"one source"', '"two sources"', "must be one of one source, many sources, all pairs"),
        ('"martin2009.f_gpu"]', '"martin2009.f_gpuu"]', "Did you mean martin2009.f_gpu?"),
        ('"martin2009.f_gpu"]', '"bodra2025.fw_tiled"]', "fw_tiled does not solve sssp"),
        ('"martin2009.f_gpu"]', "7]", "variants = 7 must be of type str"),
        ('make = "martin {n}"', 'make = "fractal {n}"', "must begin with one of martin"),
        ('make = "martin {n}"', 'make = "martin 64"', "a list n goes with {n}"),
        ('make = "martin {n}"\nn = [64, 128]', "note = 'x'", "needs one of make, file, skip"),
        ('make = "martin {n}"\nn = [64, 128]', "file = 'x.gr'", "a file needs a title"),
        ("n = [64, 128]", "n = [64, 1.5]", "n = 1.5 must be of type int"),
        ("n = [64, 128]", "n = [64]\nweights = [1]", "must be the least and the largest"),
        ('study = "lists"', 'study = "list"', "study = 'list' must be one of lists"),
        ('"speedup"', '"pie"', "chart = 'pie' must be one of time"),
        ('baseline = "martin2009.fh"', "", "baseline = '' must be a recipe of its study"),
        ('of = "martin2009.f_gpu"', 'of = "x.y"', "published F over FH: 'x.y' is no algorithm"),
        ('title = "Own"', "title = ", "Invalid value (at line 2"),
        ('"none"', '"none"\ndiffers = 3', "differs = 3 must be of type list"),
        ("[[figure.published]]", "published = [3]\n[[figure.p]]", "published 1 is no table"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(own, old, new, message):
    with pytest.raises(InputError) as caught:
        load(own(old, new))
    assert message in str(caught.value)
    assert "own.toml" in str(caught.value)


def test_an_unknown_paper_is_told_the_known_ones():
    with pytest.raises(InputError, match="'dijkstra1959' is no paper: one of bodra2025, davidson"):
        load("dijkstra1959")


def test_sizes_go_with_the_scale_and_matrices_by_their_entries():
    lists, matrices = (study.graphs[0] for study in load("martin2009").studies)
    assert [one.name for one in graphs_of(lists, 1 / 16, 0, None)][:2] == [
        "martin 65536",
        "martin 131072",
    ]
    assert graphs_of(matrices, 1 / 16, 2, None)[0].name == "dense 256 2"
    assert graphs_of(matrices, 1 / 16, 2, None)[0].label == "dense 256"


def test_a_file_is_taken_whole_and_once_and_what_stands_for_it_is_scaled(tmp_path):
    study = load("davidson2014").studies[0]
    by_title = {spec.title: spec for spec in study.graphs}
    assert graphs_of(by_title["circuit"], 1, 0, tmp_path) == []
    assert graphs_of(by_title["NY"], 1, 0, tmp_path) == []
    assert graphs_of(by_title["rmat"], 1 / 8, 0, tmp_path)[0].name == "rmat 18 5"
    (tmp_path / "USA-road-d.NY.gr.gz").touch()
    (made,) = graphs_of(by_title["NY"], 0.01, 0, tmp_path)
    assert (made.name, made.label) == (str(tmp_path / "USA-road-d.NY.gr.gz"), "NY")
    assert graphs_of(by_title["NY"], 0.01, 1, tmp_path) == []
    either = replace(by_title["NY"], make="road {n}", sizes=(3000,))
    assert graphs_of(either, 0.01, 1, tmp_path) == []
    assert graphs_of(either, 0.01, 1, None)[0].name == "road 30 1"


def test_first_graphs_of_all_sizes_come_before_the_second_ones(own):
    paper = load(own())
    cells = planned(paper, 1, None, None, ["cpu"])
    assert [cell.made.name for cell in cells[::2]] == [
        "martin 64",
        "martin 128",
        "martin 64 1",
        "martin 128 1",
        "martin 64 2",
        "martin 128 2",
    ]
    assert {cell.job.recipe for cell in cells} == {"martin2009.fh", "classic.dijkstra"}
    assert len(planned(paper, 1, None, None, ["cpu", "cuda"])) == 18
    assert len(planned(paper, 0.5, None, None, ["cpu"])) == 8
    assert len(planned(paper, 1, 1, None, ["cpu"])) == 4
    assert len(planned(paper, 1, 25, None, ["cpu"])) == 12


def test_every_beginning_of_a_run_has_some_of_each_study_small_graphs_first(tmp_path):
    (tmp_path / "USA-road-d.NY.gr.gz").touch()
    cells = planned(load("davidson2014"), 1, None, tmp_path, ["cuda"])
    order = list(dict.fromkeys((cell.study.name, cell.made.label) for cell in cells))
    assert {study for study, _ in order[:6]} == {"methods", "traversals", "rounds", "delta"}
    methods = [label for study, label in order if study == "methods"]
    assert methods[:2] == ["NY", "delaunay: delaunay 1048576"]
    assert methods[-2:] == ["msdoor: cube 161", "road-asia: road 11000000"]


def test_files_that_come_with_warpath_are_papers_alone():
    assert names() == sorted(FIGURES)
    assert experiments.TASKS.keys() == {"one source", "many sources", "all pairs"}
