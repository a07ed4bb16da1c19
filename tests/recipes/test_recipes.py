"""The catalogue as data: its names, citations, needs, and how a variant is made."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from warpath.graph.facts import Facts
from warpath.planner.kinds import KINDS
from warpath.recipes import CATALOGUE, Catalogue, Citation, Loop, Queue, Task
from warpath.recipes.axes import (
    Arrange,
    Axes,
    Emit,
    Lower,
    Map,
    Memory,
    Place,
    Reduce,
    Select,
    Side,
)
from warpath.recipes.matrix import MatrixSteps, Relax
from warpath.recipes.params import chosen_params

NAMES = {
    "classic": """dijkstra dijkstra.radix_heap dijkstra.dial dijkstra.bidirectional bellman_ford
        delta_stepping floyd_warshall johnson""",
    "brandes2001": "betweenness",
    "martin2009": """fh f_cpu u_cpu u_h1 u_h2 u_h3 u_gpu_1min u_gpu_2min u_gpu_plus_1min f_gpu_1min
        f_gpu_no_atomic_1min u_gpu u_gpu_2min_on_gpu u_gpu_plus f_gpu f_gpu_no_atomic f_cpu.dense
        u_cpu.dense u_gpu_1min.dense f_gpu_1min.dense f_gpu_no_atomic_1min.dense u_gpu.dense
        f_gpu.dense""",
    "davidson2014": """bellman_ford
        workfront_sweep.cooperative_blocks workfront_sweep.cta_warp_scan workfront_sweep.merge_path
        near_far.cooperative_blocks near_far.cta_warp_scan near_far.merge_path
        bucketing.cooperative_blocks bucketing.cta_warp_scan bucketing.merge_path
        bucketing_sort_all.cooperative_blocks bucketing_sort_all.cta_warp_scan
        bucketing_sort_all.merge_path bucketing_multisplit.cooperative_blocks
        bucketing_multisplit.cta_warp_scan bucketing_multisplit.merge_path hybrid
        dijkstra_binary_heap dijkstra_relaxed_heap""",
    "meyer2003": "delta_stepping",
    "dong2021": "rho_stepping delta_star",
    "bodra2025": """bf_vertex bf_strided bf_strided_flag bf_vertex.ell bf_strided_flag.ell
        apsp_dijkstra fw_edge fw_edge_shared
        fw_vertex fw_tiled fw_tiled_shared""",
    "johnson_gpu": """bf_queue dijkstra_flags dijkstra_queue dijkstra_prefix
        johnson_flags johnson_queue johnson_prefix""",
    "geisberger2008": "ch",
    "knopp2007": "buckets",
    "delling2011": "phast gphast rphast",
    "dibbelt2014": "cch",
    "ouyang2018": "h2h",
    "abraham2012": "hub_labels",
    "ramalingam1996": "dynamic",
    "chan2009": "dyndij",
    "khanda2022": "batch",
    "warpath": """bfs buckets own_buckets side_by_side wide patches block_per_source pairs johnson
        floyd_warshall near_far_pull counting_sweeps""",
    "broken": "harish_narayanan2007",
    "duan2025": "bmssp",
}

ROAD = Facts(
    n=264_346, m=733_846, directed=True, loops=0, min_degree=1, max_degree=8, mean_degree=4.0,
    weighted=True, weight_dtype="int32", integer=True, min_weight=1, max_weight=36_946,
    mean_weight=1000, negative=0, zero=0, symmetric=None,
)  # fmt: skip

F_GPU = CATALOGUE["martin2009.f_gpu"]
NEAR_FAR = CATALOGUE["davidson2014.near_far.merge_path"]
PUBLISHED = [recipe for recipe in CATALOGUE if recipe.paper not in {"classic", "warpath"}]


SAME_AXES = {("davidson2014.near_far.merge_path", "davidson2014.hybrid")}
"""Recipes of equal axes: a parameter makes them differ."""


def test_the_catalogue_has_these_names_in_this_order():
    listed = [f"{paper}.{name}" for paper, names in NAMES.items() for name in names.split()]
    assert len(set(listed)) == len(listed)
    assert [recipe.name for recipe in CATALOGUE] == listed, (
        "names are public: add those of new recipes to NAMES, in the order of the catalogue"
    )


@pytest.mark.parametrize("recipe", PUBLISHED, ids=lambda recipe: recipe.name)
def test_a_published_variant_says_where_in_the_paper_it_stands(recipe):
    assert re.search("section|figure|table|algorithm", recipe.where), (
        f"where={recipe.where!r} must name a section, figure, table or algorithm of the paper"
    )
    if not recipe.prepared and recipe.loop is not Loop.BRANDES:
        assert recipe.solves in ({Task.SSSP}, {Task.APSP}, {Task.MANY, Task.APSP})
    assert recipe.summary.endswith("."), f"summary={recipe.summary!r} must end with a period"
    assert len(recipe.summary) <= 130, (
        f"summary={recipe.summary!r} has {len(recipe.summary)} characters, at most 130 fit a "
        "table: move the rest to docs/ideas.toml or to note"
    )
    assert not recipe.note or recipe.note.endswith("."), (
        f"note={recipe.note!r} must end with a period"
    )


def test_recipes_of_equal_axes_are_few_and_known():
    found: dict[Axes, list[str]] = {}
    for recipe in CATALOGUE:
        if recipe.axes is not None:
            found.setdefault(recipe.axes, []).append(recipe.name)
    assert {tuple(names) for names in found.values() if len(names) > 1} == SAME_AXES, (
        "a variant whose axes are those of another recipe runs the same kernels: change an axis, "
        "or add both to SAME_AXES with what makes them differ"
    )


def test_the_only_planned_variant_is_the_one_for_negative_weights_on_a_gpu():
    planned = [recipe for recipe in PUBLISHED if recipe.planned and not recipe.prepared]
    assert [recipe.name for recipe in planned] == ["johnson_gpu.bf_queue"], (
        "planned=True is the default and needs a predicted time: add the recipe here"
    )


def test_what_may_be_wrong_is_listed():
    assert {recipe.name for recipe in CATALOGUE if not recipe.exact} == {
        "martin2009.f_gpu_no_atomic",
        "martin2009.f_gpu_no_atomic_1min",
        "martin2009.f_gpu_no_atomic_1min.dense",
        "broken.harish_narayanan2007",
    }


def test_what_is_obsolete_in_a_paper_has_a_note():
    for name, words in {
        "martin2009.u_gpu_plus_1min": "texture",
        "davidson2014.bucketing.merge_path": "Thrust",
        "bodra2025.bf_strided": "n - 1 launches",
        "johnson_gpu.bf_queue": "launches a grid from the device",
    }.items():
        assert words in CATALOGUE[name].note


def test_variants_that_differ_in_one_choice_differ_on_one_axis():
    for one, other, axis in (
        ("martin2009.u_gpu", "martin2009.f_gpu", "direction"),
        ("martin2009.u_gpu", "martin2009.u_gpu_1min", "reduce"),
        ("martin2009.u_gpu_1min", "martin2009.u_gpu_2min", "reduce"),
        (
            "davidson2014.bucketing.merge_path",
            "davidson2014.bucketing_sort_all.merge_path",
            "arrange",
        ),
        ("martin2009.u_gpu", "martin2009.u_gpu_plus", "memory"),
        ("martin2009.f_gpu", "martin2009.f_gpu_no_atomic", "lower"),
        ("martin2009.u_gpu_1min", "martin2009.u_gpu_plus_1min", "memory"),
        ("martin2009.u_gpu_1min", "martin2009.f_gpu_1min", "direction"),
        ("martin2009.f_gpu_1min", "martin2009.f_gpu_no_atomic_1min", "lower"),
        ("martin2009.u_gpu_1min.dense", "martin2009.f_gpu_1min.dense", "direction"),
        ("martin2009.f_gpu_1min.dense", "martin2009.f_gpu_no_atomic_1min.dense", "lower"),
        ("martin2009.f_cpu", "martin2009.f_cpu.dense", "layout"),
        ("martin2009.u_h1", "martin2009.u_h3", "place"),
        (
            "davidson2014.bucketing_sort_all.merge_path",
            "davidson2014.bucketing_multisplit.merge_path",
            "arrange",
        ),
        ("davidson2014.near_far.merge_path", "davidson2014.near_far.cta_warp_scan", "map"),
        ("bodra2025.bf_vertex", "bodra2025.bf_strided", "map"),
        ("johnson_gpu.dijkstra_flags", "johnson_gpu.dijkstra_queue", "emit"),
        ("johnson_gpu.dijkstra_queue", "johnson_gpu.dijkstra_prefix", "emit"),
    ):
        first, second = vars(CATALOGUE[one].axes), vars(CATALOGUE[other].axes)
        assert {key for key in first if first[key] != second[key]} == {axis}


def test_published_floyd_warshalls_are_told_by_who_relaxes_from_which_memory():
    assert {
        recipe.name.partition(".")[2]: recipe.steps.words()
        for recipe in CATALOGUE
        if recipe.steps is not None
    } == {
        "fw_edge": "entry",
        "fw_edge_shared": "entry, shared",
        "fw_vertex": "row",
        "fw_tiled": "tile",
        "fw_tiled_shared": "tile, shared",
    }


def test_a_row_of_the_matrix_has_nothing_to_share():
    with pytest.raises(
        ValueError,
        match=r"^no algorithm is \(row, shared\): ROW cannot use SHARED, .*: use GLOBAL\.$",
    ):
        MatrixSteps(Relax.ROW, Memory.SHARED)


def test_published_johnsons_run_the_queue_and_a_dijkstra():
    assert {
        recipe.name.partition(".")[2]: [part.name.partition(".")[2] for part in recipe.parts]
        for recipe in CATALOGUE
        if recipe.parts
    } == {
        f"johnson_{kind}": ["bf_queue", f"dijkstra_{kind}"] for kind in ("flags", "queue", "prefix")
    }


JOHNSON = CATALOGUE["johnson_gpu.johnson_flags"]


@pytest.mark.parametrize(
    ("recipe", "changes", "sentence"),
    [
        (JOHNSON, {"parts": JOHNSON.parts[:1]}, "ROUNDS_A_SOURCE needs two parts in rounds"),
        (JOHNSON, {"parts": ()}, "ROUNDS_A_SOURCE needs two parts in rounds"),
        (JOHNSON, {"parts": JOHNSON.parts[1:] * 2}, "johnson_gpu.dijkstra_flags finds no pot"),
        (JOHNSON, {"devices": ("cpu",)}, "its parts run on other devices than it says"),
        (F_GPU, {"parts": JOHNSON.parts}, "SETTLE runs no other recipes: leave parts out"),
        (F_GPU, {"steps": MatrixSteps(Relax.ROW)}, "SETTLE has no matrix to step over"),
        (CATALOGUE["bodra2025.fw_edge"], {"steps": None}, "MATRIX_STEPS needs steps"),
    ],
)
def test_steps_and_parts_belong_to_their_loops(recipe, changes, sentence):
    name = f"{recipe.paper}.b"
    with pytest.raises(ValueError, match=re.escape(f"the recipe {name} cannot be: {sentence}")):
        recipe.but(name, "Wrong.", **changes)


def test_martins_hybrids_are_told_by_which_steps_are_on_the_cpu():
    assert {
        name: CATALOGUE[f"martin2009.{name}"].axes.place.on_cpu
        for name in ("u_cpu", "u_h1", "u_h2", "u_h3", "u_gpu")
    } == {
        "u_cpu": ("relax", "reduce", "update"),
        "u_h1": ("relax", "reduce"),
        "u_h2": ("reduce", "update"),
        "u_h3": ("reduce",),
        "u_gpu": (),
    }


def test_negative_weights_go_to_bellman_fords_family():
    assert {recipe.paper for recipe in PUBLISHED if recipe.negative} == {"bodra2025", "johnson_gpu"}


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("classic.dijkstra.dial", ["weights >= 0", "integer weights", "weights up to 65,536"]),
        ("martin2009.u_gpu", ["weights >= 0", "the edges into each vertex"]),
        ("martin2009.u_gpu.dense", ["weights >= 0", "memory for n x n weights"]),
        ("martin2009.f_gpu", ["weights >= 0"]),
        ("brandes2001.betweenness", ["weights > 0"]),
        ("warpath.counting_sweeps", ["weights > 0", "a contraction hierarchy"]),
        ("bodra2025.bf_vertex", []),
        ("bodra2025.fw_tiled", ["memory for n x n weights"]),
        ("bodra2025.apsp_dijkstra", ["weights >= 0", "memory for n x n weights"]),
        ("johnson_gpu.johnson_flags", []),
    ],
)
def test_a_recipe_says_what_it_needs(name, needs):
    assert CATALOGUE[name].needs() == needs


@pytest.mark.parametrize(
    ("name", "largest", "beyond", "message"),
    [
        ("wide", {"n": 2**31 - 2}, {"n": 2**31 - 1}, "2,147,483,646 vertices, the graph has 2,147"),
        ("wide", {"max_degree": 2**30 - 1}, {"max_degree": 2**30}, "741,823 edges of one vertex, "),
        ("wide", {"m": 2**40}, {"n": 2**31}, "vertices"),
        ("patches", {"n": 2**31 - 1}, {"n": 2**31}, "up to 2,147,483,647 vertices"),
        ("patches", {"m": 2**32 - 1}, {"m": 2**32}, "up to 4,294,967,295 edges, the graph has 4,"),
        ("patches", {"max_degree": 2**31}, {"m": 2**33}, "edges"),
    ],
)
def test_a_graph_that_a_loop_cannot_number_is_an_objection(name, largest, beyond, message):
    recipe, cuda = CATALOGUE[f"warpath.{name}"], KINDS["cuda"]
    assert cuda.objection(recipe, Task.SSSP, replace(ROAD, **largest)) is None
    assert message in cuda.objection(recipe, Task.SSSP, replace(ROAD, **beyond))


def test_a_new_variant_of_existing_values_is_one_line():
    """Near-far by Martín's atomic queue."""
    name = "davidson2014.near_far.queue"
    new = NEAR_FAR.but(name, "Near-far by a queue.", emit=Emit.ATOMIC_QUEUE)
    assert new.axes == Axes(Select.BELOW, map=Map.MERGE_PATH, emit=Emit.ATOMIC_QUEUE)
    assert new.loop is Loop.NEAR_FAR
    assert new.objection(Task.SSSP, ROAD) is None
    assert chosen_params(new, ROAD, {}) == {"delta": 8000}
    assert name in str(Catalogue([*CATALOGUE, new]))


def test_but_keeps_what_is_not_changed_and_finds_the_loop():
    noted = NEAR_FAR.but("davidson2014.a", "Noted.", note="Why.", planned=True)
    new = noted.but("davidson2014.b", "Buckets.", select=Select.BUCKET, arrange=Arrange.SORT)
    assert (new.name, new.summary, new.note) == ("davidson2014.b", "Buckets.", "Why.")
    assert (new.loop, new.where, new.source) == (Loop.BUCKETS, NEAR_FAR.where, NEAR_FAR.source)
    assert new.planned
    assert new.axes.map is Map.MERGE_PATH
    assert NEAR_FAR.axes.select is Select.BELOW
    assert NEAR_FAR.but("davidson2014.c", "Elsewhere.", "page 3").where == "page 3"


def test_a_variant_of_another_paper_has_its_own_citation_and_no_note_and_is_not_planned():
    noted = NEAR_FAR.but("davidson2014.a", "Noted.", note="Why.", planned=True)
    assert noted.planned
    assert noted.note
    source = Citation("Smith", "Near-far again", "Somewhere", 2026)
    new = noted.but("smith2026.a", "By a thread.", "section 2", source=source, map=Map.THREAD)
    assert (new.source, new.where, new.note, new.planned) == (source, "section 2", "", False)
    assert "smith2026: Smith: Near-far again, Somewhere 2026\n" in str(Catalogue([new]))
    given = noted.but("smith2026.a", "A", "section 2", source=source, note="So.", planned=True)
    assert (given.note, given.planned) == ("So.", True)
    assert given.axes == noted.axes


@pytest.mark.parametrize("given", [{"where": "section 2"}, {"source": NEAR_FAR.source}, {}])
def test_a_variant_of_another_paper_without_its_place_and_citation_is_refused(given):
    sentence = "smith2026.a is of another paper than davidson2014.near_far.merge_path: give where="
    with pytest.raises(ValueError, match=re.escape(sentence)):
        NEAR_FAR.but("smith2026.a", "By a thread.", **given)


def test_but_refuses_what_is_neither_a_field_nor_an_axis():
    with pytest.raises(
        ValueError, match=r"^classic\.dijkstra has no axes that map could change: start from a "
    ):
        CATALOGUE["classic.dijkstra"].but("classic.b", "Mapped.", map=Map.THREAD)
    with pytest.raises(ValueError, match=r"^colour is neither an axis nor a field .* use select, "):
        NEAR_FAR.but("davidson2014.b", "Red.", colour="red")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"axes": None}, "SETTLE needs axes"),
        ({"loop": Loop.JOHNSON}, "JOHNSON has no rounds to give axes to"),
        ({"loop": Loop.DIJKSTRA, "axes": None}, "DIJKSTRA needs a queue"),
        ({"queue": Queue.HEAP}, "SETTLE keeps no queue"),
        ({"exact": False, "planned": True}, "labels that may be wrong are never planned"),
        ({"loop": Loop.SWEEPS}, "(min, push, thread, flags, grid) is what SETTLE runs"),
        ({"lower": Lower.PLAIN_MIN}, "PLAIN_MIN loses concurrent minima: say exact=False"),
        ({"negative": True}, "MIN takes vertices in the order of their labels"),
        (
            {"devices": ("cpu", "cuda")},
            "devices name the CPU exactly if all steps are placed there: say devices=GPU_ONLY",
        ),
        (
            {"place": Place(Side.CPU, Side.CPU, Side.CPU), "reduce": Reduce.HOST},
            'devices name the CPU exactly if all steps are placed there: say devices=("cpu",)',
        ),
    ],
)
def test_fields_that_contradict_each_other_are_refused(changes, sentence):
    name = f"{F_GPU.paper}.b"
    with pytest.raises(ValueError, match=re.escape(f"the recipe {name} cannot be: {sentence}")):
        F_GPU.but(name, "Wrong.", **changes)


def test_negative_weights_are_refused_wherever_order_matters():
    for name in (
        "davidson2014.near_far.merge_path",
        "davidson2014.bucketing.merge_path",
        "johnson_gpu.dijkstra_flags",
    ):
        with pytest.raises(ValueError, match="holds for weights >= 0 only"):
            CATALOGUE[name].but(f"{name}.negative", "Wrong.", negative=True)


@pytest.mark.parametrize(
    ("name", "given", "params"),
    [
        ("davidson2014.near_far.merge_path", {}, {"delta": 8000}),
        ("davidson2014.near_far.merge_path", {"delta": 7.4}, {"delta": 7}),
        ("davidson2014.near_far.merge_path", {"skip": 1.0}, {"delta": 8000, "skip": 1}),
        (
            "davidson2014.bucketing.merge_path",
            {},
            {"delta": 20_000, "buckets": 10, "width": 2000},
        ),
        (
            "davidson2014.bucketing.merge_path",
            {"buckets": 4.0},
            {"delta": 20_000, "buckets": 4, "width": 5000},
        ),
        (
            "davidson2014.bucketing.merge_path",
            {"delta": 7, "buckets": 64},
            {"delta": 7, "buckets": 64, "width": 1},
        ),
        ("davidson2014.bucketing.merge_path", {"width": 41.6}, {"buckets": 10, "width": 42}),
        ("davidson2014.hybrid", {}, {"delta": 8000}),
        ("davidson2014.hybrid", {"switch": 64}, {"delta": 8000, "switch": 64}),
        ("bodra2025.bf_vertex", {}, {}),
        ("bodra2025.bf_vertex", {"rounds": 263.0}, {"rounds": 263}),
        ("classic.delta_stepping", {}, {"delta": 2000}),
        ("warpath.buckets", {}, {"delta": 2000}),
        ("classic.dijkstra", {}, {}),
    ],
)
def test_parameters_have_defaults(name, given, params):
    found = chosen_params(CATALOGUE[name], ROAD, given)
    assert found == params
    assert all(type(value) is int for value in found.values())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"buckets": 2.5}, r"params['buckets'] = 2.5 must be a whole number."),
        ({"buckets": 0}, r"params['buckets'] = 0 must be a number above 0."),
        (
            {"width": 3, "delta": 30},
            r"params has 'width' = 3 and 'delta' = 30, but a width replaces delta,",
        ),
        (
            {"switch": 3},
            r"params has 'switch', but davidson2014.bucketing.merge_path takes buckets,",
        ),
    ],
)
def test_a_wrong_parameter_is_refused(given, sentence):
    with pytest.raises(wp.InputError, match=re.escape(sentence)):
        chosen_params(CATALOGUE["davidson2014.bucketing.merge_path"], ROAD, given)


def test_the_catalogue_prints_itself_by_paper():
    blocks = str(wp.algorithms()).split("\n\n")
    assert [block.partition(":")[0] for block in blocks] == list(NAMES)
    assert blocks[0].startswith("classic: each from a different publication\nclassic.dijkstra ")
    assert blocks[2].splitlines()[0] == (
        "martin2009: Martín, Torres, Gavilanes: CUDA solutions for the SSSP problem, "
        "ICCS (LNCS 5544) 2009"
    )
    assert re.search(r"^martin2009\.u_h1 +cuda  Hybrid: ", blocks[2], re.MULTILINE)


def test_a_citation_without_a_year_prints_none():
    assert str(Citation("A", "B", "C")) == "A: B, C"
    assert str(Citation("A", "B", "C", 1999)) == "A: B, C 1999"


def test_a_width_that_only_the_loop_knows_is_left_to_it():
    facts = wp.generate.grid(9, 9, (1, 9)).facts(symmetry=False)
    assert chosen_params(CATALOGUE["warpath.pairs"], facts, {}) == {}
    assert chosen_params(CATALOGUE["warpath.pairs"], facts, {"delta": 3}) == {"delta": 3}
    assert "delta" in chosen_params(CATALOGUE["classic.delta_stepping"], facts, {})


def width_of(graph: wp.Graph, threads: int | None = None) -> float:
    facts = graph.facts(symmetry=False)
    return chosen_params(CATALOGUE["warpath.buckets"], facts, {}, threads)["delta"]


def test_a_few_heavy_edges_do_not_make_buckets_wide():
    rng = np.random.default_rng(1)
    plain = wp.generate.uniform(2000, 8)
    decades = 10.0 ** rng.uniform(-8, 8, plain.m)
    assert 1e-7 < width_of(plain.with_weights(decades)) < 1e-4
    even = plain.with_weights(rng.uniform(1, 3, plain.m))
    assert even.facts().scattered  # a quarter of the width for many edges: rounds are few anyway
    assert width_of(even) == pytest.approx(4 * even.facts().mean_weight / 8 / 4)
    near = wp.generate.grid(60, 60)
    near = near.with_weights(rng.uniform(1, 3, near.m))
    assert width_of(near) == pytest.approx(
        32 / near.facts().mean_degree ** 2 * near.facts().mean_weight
    )


def test_a_hub_makes_buckets_narrow():
    leaves = np.arange(1, 4000)
    star = wp.Graph.from_edges(np.zeros_like(leaves), leaves, np.full(3999, 100.0))
    assert width_of(star) == 50


@pytest.mark.parametrize(("side", "times"), [(60, 4), (182, 2)])
def test_a_team_takes_wider_buckets_and_still_wider_ones_on_a_small_graph(side, times):
    graph = wp.generate.grid(side, side, (1.0, 9.0))
    assert width_of(graph, 2) == pytest.approx(times * width_of(graph, 1))


def test_weights_of_which_most_are_zero_leave_the_width_to_the_mean():
    graph = wp.generate.uniform(2000, 8).with_weights(np.arange(16_000) % 100 // 99)
    assert graph.facts().light_weight == 0
    assert width_of(graph) == 1


def test_publications_are_entries_for_bibtex():
    assert CATALOGUE["classic.delta_stepping"].bibtex == (
        "@article{meyer2003,\n  author = {Meyer and Sanders},\n"
        "  title = {{Delta-stepping: a parallelizable shortest path algorithm}},\n"
        "  year = {2003},\n  journal = {Journal of Algorithms},\n  volume = {49},\n}\n"
    )
    assert "  volume = {25},\n  number = {5},\n" in CATALOGUE["bodra2025.bf_vertex"].bibtex
    assert F_GPU.bibtex.startswith("@inproceedings{martin2009,\n  author = {Martín and Torres and ")
    assert CATALOGUE["johnson_gpu.bf_queue"].bibtex.startswith("@misc{")
    for recipe in CATALOGUE:
        assert re.match(r"@\w+\{[a-z]+\d*,\n  author = ", recipe.bibtex), recipe.name
        assert recipe.bibtex.count("{") == recipe.bibtex.count("}")


def test_the_citation_file_has_every_publication_of_the_catalogue():
    text = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    for recipe in CATALOGUE:
        assert recipe.source.year is None or recipe.source.title in text
