"""The choice of an algorithm: pure, explained, within memory."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

import warpath as wp
from support.recipes import on_gpu
from warpath.api import options
from warpath.engines import planning
from warpath.graph.facts import Facts
from warpath.planner import kinds
from warpath.planner import plan as plan_module
from warpath.planner import request as request_module
from warpath.planner.cpu_model import (
    Destination,
    Size,
    cpu_bytes,
    cpu_seconds,
    kind_of,
    lean_bytes,
    reach,
    unsure,
    work,
)
from warpath.planner.device_kind import Hardware
from warpath.planner.gpu_model import gpu_bytes
from warpath.planner.plan import Plan, choose
from warpath.planner.request import Request, device_of
from warpath.recipes import CATALOGUE, Catalogue, Task

ROAD = Facts(
    n=264_346,
    m=733_846,
    directed=True,
    loops=0,
    min_degree=1,
    max_degree=8,
    mean_degree=2.78,
    weighted=True,
    weight_dtype="int32",
    integer=True,
    min_weight=1,
    max_weight=36_946,
    mean_weight=1293,
    negative=0,
    zero=0,
    symmetric=None,
)
FLOATS = replace(ROAD, weight_dtype="float64", integer=False)
NEGATIVE = replace(ROAD, min_weight=-5, negative=3)
SMALL = replace(ROAD, n=500, m=200_000, mean_degree=400.0)
#: Graphs of each type of weights, of few and of many edges a vertex, with near and far numbers.
PRICED = [
    replace(facts, weight_dtype=dtype, integer=dtype.startswith("int"), far=far, hops=hops)
    for facts, dtype, far, hops in itertools.product(
        (ROAD, SMALL), ("int32", "int64", "float32", "float64"), (0, 2**17), (0, 5, 5000)
    )
]
MACHINE = Hardware(threads=8, memory=16 * 2**30)
AUTO = Request()


def pick(
    size: Size, facts: Facts = ROAD, hardware: Hardware = MACHINE, requested: Request = AUTO
) -> Plan:
    return choose(size, facts, hardware, requested)


@pytest.mark.parametrize(
    ("changed", "sources", "wanted"),
    [
        ({}, 4, True),
        ({}, 3, False),
        ({"m": 2**18 - 1}, 4, False),
        ({"m": 2**18 - 1}, 5, True),
        ({"mean_degree": 4.0}, 4, False),
        ({"far": 2**17 - 1}, 4, False),
        ({"far": 2**17}, 4, True),
    ],
)
def test_hops_are_counted_where_far_numbers_tell_little_and_counting_takes_less(
    changed, sources, wanted
):
    scattered = replace(ROAD, m=2**18, mean_degree=3.9, far=2**18)
    assert unsure(Size(Task.MANY, sources), replace(scattered, **changed)) is wanted


def test_one_source_of_a_large_graph_goes_to_the_threads():
    plan = pick(Size(Task.SSSP))
    assert (plan.algorithm, plan.threads) == ("warpath.buckets", 8)
    assert plan.params["delta"] >= 1


def test_buckets_are_half_as_wide_on_one_thread():
    requested = Request("warpath.buckets", threads=1)
    alone = pick(Size(Task.SSSP), FLOATS, requested=requested).params["delta"]
    assert alone == pick(Size(Task.SSSP), FLOATS).params["delta"] / 2


def test_one_source_of_a_small_graph_needs_no_team():
    facts = replace(ROAD, n=10_000, m=30_000, mean_degree=3.0)
    plan = pick(Size(Task.SSSP), facts)
    assert (plan.algorithm, plan.threads) == ("warpath.buckets", 1)


@pytest.mark.parametrize("name", ["classic.delta_stepping", "dong2021.rho_stepping"])
def test_a_named_algorithm_gets_the_threads_that_were_requested(name):
    assert pick(Size(Task.SSSP), requested=Request(name, threads=3)).threads == 3


def test_one_source_on_one_thread_is_not_split():
    assert pick(Size(Task.SSSP), hardware=MACHINE._replace(threads=1)).threads == 1


def test_many_sources_share_the_threads_and_never_more_than_there_are_sources():
    assert pick(Size(Task.MANY, 100, 10)).threads == 8
    assert pick(Size(Task.MANY, 3, 10)).threads == 3
    assert pick(Size(Task.APSP, 0, 0)).threads == 1


def test_all_pairs_of_a_dense_graph_is_floyd_warshall_for_integers_only():
    size = Size(Task.APSP, 500, 500)
    assert pick(size, SMALL).algorithm == "classic.floyd_warshall"
    floats = pick(size, replace(SMALL, weight_dtype="float32", integer=False))
    assert floats.algorithm != "classic.floyd_warshall"
    assert "same order" in floats.reason


def test_negative_weights_leave_bellman_ford_johnson_and_floyd_warshall():
    assert pick(Size(Task.SSSP), NEGATIVE).algorithm == "classic.bellman_ford"
    assert pick(Size(Task.MANY, 50, 50), NEGATIVE).algorithm == "classic.johnson"
    floats = replace(NEGATIVE, weight_dtype="float64", integer=False)
    assert pick(Size(Task.APSP, 10, 10), replace(floats, n=10)).reason.startswith("nothing else")


def test_one_route_of_integers_is_searched_from_both_ends():
    assert pick(Size(Task.PATH)).algorithm == "classic.dijkstra.bidirectional"
    assert pick(Size(Task.PATH), FLOATS).algorithm == "classic.dijkstra"


def test_what_fits_is_taken_before_what_is_fast():
    large = replace(SMALL, n=30_000, m=90_000_000, mean_degree=3000.0)
    written = Size(Task.APSP, 30_000, 30_000, place=Destination.BLOCKS)
    assert pick(written, large).algorithm == "classic.floyd_warshall"
    tight = MACHINE._replace(memory=2**30)
    assert pick(written, large, tight).algorithm != "classic.floyd_warshall"


def test_a_plan_prints_choice_reason_runners_up_and_what_was_left_out():
    text = str(pick(Size(Task.SSSP), FLOATS))
    assert text.splitlines()[0].startswith("warpath.buckets on cpu, 8 threads, delta = ")
    assert "because it is predicted to be the fastest" in text
    assert "2nd classic.delta_stepping" in text
    assert "left out classic.dijkstra.dial: it needs integer weights, the graph has float64" in text
    assert repr(pick(Size(Task.SSSP))).startswith("<Plan warpath.buckets")


@pytest.mark.parametrize(
    ("facts", "low", "high"),
    [
        (replace(ROAD, max_weight=2**62, mean_weight=2.0**62), 1, 2**62),
        (replace(ROAD, mean_weight=0.0), 1, 1),
        (replace(FLOATS, weight_dtype="float32", mean_weight=1e-44), 2.0**-126, 2.0**-126),
        (replace(FLOATS, mean_weight=1e-3), 1e-4, 1e-1),
    ],
)
def test_delta_always_fits_the_type_of_the_distances(facts, low, high):
    plan = pick(Size(Task.SSSP), facts, requested=Request("classic.delta_stepping"))
    assert low <= plan.params["delta"] <= high
    assert isinstance(plan.params["delta"], int) == facts.integer


def test_predicted_times_and_bytes_are_printed_in_readable_units():
    tiny = replace(ROAD, n=0, m=0, mean_degree=0.0, max_weight=0, mean_weight=0)
    text = str(pick(Size(Task.SSSP), tiny))
    assert re.search(r"predicted \d+(\.\d)? us, 0 B in addition to the graph", text)
    long = str(pick(Size(Task.MANY, 10**6, 10), requested=Request("classic.dijkstra")))
    assert " s, " in long
    assert " MiB " in long


def test_a_recipe_that_is_not_planned_is_neither_taken_nor_listed():
    for facts in (ROAD, FLOATS, NEGATIVE, replace(ROAD, n=5, m=20)):
        plan = pick(Size(Task.SSSP), facts)
        listed = [c.recipe.name for c in plan.runners_up] + [name for name, _ in plan.left_out]
        assert all(CATALOGUE[name].planned for name in [plan.algorithm, *listed])


def test_a_recipe_that_is_not_planned_runs_by_its_name_without_a_prediction():
    plan = pick(Size(Task.SSSP), requested=Request("martin2009.u_cpu"))
    assert (plan.algorithm, plan.seconds, plan.threads) == ("martin2009.u_cpu", None, 1)
    assert "no prediction, 12.9 MiB in addition to the graph" in str(plan)
    auto = pick(Size(Task.SSSP))
    others = {c.recipe.name for c in auto.runners_up} | {auto.algorithm}
    assert {c.recipe.name for c in plan.runners_up} == others


def test_the_memory_of_a_matrix_and_of_a_heap_is_known_before():
    with pytest.raises(wp.NotEnoughMemoryError, match=r"f_cpu\.dense would take 520\.\d GiB"):
        pick(Size(Task.SSSP), requested=Request("martin2009.f_cpu.dense"))
    assert pick(Size(Task.SSSP), requested=Request("martin2009.f_cpu")).bytes == ROAD.n * 10
    assert pick(Size(Task.SSSP), requested=Request("martin2009.fh")).bytes == ROAD.n * 72


def test_a_recipe_of_another_device_is_refused_with_where_it_runs():
    message = (
        r"it runs on cuda, not on cpu: leave device= out, or say device='cuda'\. These can: cl"
    )
    with pytest.raises(wp.NotSupportedError, match=message):
        pick(Size(Task.SSSP), requested=Request("martin2009.f_gpu", device="cpu"))
    message = r"it runs on cpu, not on cuda:1: .* say device='cpu'\. These can: johnson_gpu\."
    with pytest.raises(wp.NotSupportedError, match=message):
        pick(Size(Task.SSSP), requested=Request("classic.dijkstra", device="cuda:1"))


@pytest.mark.parametrize(
    ("requested", "device"),
    [
        (Request(), "cpu"),
        (Request("classic.dijkstra"), "cpu"),
        (Request("martin2009.f_gpu"), "cuda:0"),
        (Request(device="cuda"), "cuda:0"),
        (Request(device="cuda:0"), "cuda:0"),
        (Request(device="cuda:3"), "cuda:3"),
        (Request("martin2009.u_h1", device="cuda:12"), "cuda:12"),
    ],
)
def test_auto_is_the_cpu_but_for_what_runs_on_a_gpu_only(requested, device):
    assert device_of(Size(Task.SSSP), requested) == device
    assert pick(Size(Task.SSSP), requested=requested).device == device


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "cuda:-1", "CUDA", "cuda:12345"])
def test_a_device_that_is_none_is_refused(device):
    known = "'auto', 'cpu', 'cuda', 'cuda:1', 'emulated' or 'dask'"
    with pytest.raises(wp.InputError, match=f"is not valid; use {known}"):
        pick(Size(Task.SSSP), requested=Request(device=device))


@pytest.mark.parametrize("task", [Task.MANY, Task.APSP, Task.PATH])
def test_a_recipe_for_one_source_does_no_other_task(task):
    with pytest.raises(wp.NotSupportedError, match=f"it does sssp, not {task.value}"):
        pick(Size(task, 5, 5), requested=Request("martin2009.f_gpu"))


DENSER = replace(ROAD, n=2**20, m=2**24, mean_degree=16.0)
GPU = Request(device="cuda")


def test_a_gpu_takes_what_is_planned_for_it():
    assert pick(Size(Task.SSSP), DENSER, requested=GPU).algorithm == "warpath.wide"
    plan = pick(Size(Task.SSSP), ROAD, requested=GPU)
    assert plan.algorithm == "warpath.patches"
    assert plan.threads == 1
    assert {c.recipe.name for c in plan.runners_up} | {plan.algorithm} == {
        recipe.name for recipe in on_gpu() if recipe.planned and not recipe.equal_weights
    }
    text = str(plan)
    assert text.startswith("warpath.patches on cuda:0\n")
    assert " MiB on cuda:0 with the graph\n" in text


def test_a_gpu_takes_negative_weights_by_what_allows_them():
    plan = pick(Size(Task.SSSP), NEGATIVE, requested=GPU)
    assert plan.recipe.negative
    assert {name for name, _ in plan.left_out} >= {"warpath.wide"}


def test_what_is_not_planned_runs_on_a_gpu_by_its_name():
    plan = pick(Size(Task.SSSP), requested=Request("bodra2025.bf_vertex"))
    assert (plan.algorithm, plan.device, plan.seconds) == ("bodra2025.bf_vertex", "cuda:0", None)


def test_the_memory_of_a_gpu_counts_and_of_the_host_the_answer_only():
    requested = GPU._replace(algorithm="johnson_gpu.bf_queue")
    needed = pick(Size(Task.SSSP), requested=requested).bytes
    here = Hardware(threads=8, memory=8 * ROAD.n, gpu_memory=needed)
    assert pick(Size(Task.SSSP), hardware=here, requested=requested).bytes == needed
    message = r"would take 2\d\.\d MiB on cuda:0 with the graph, but 1\.0 MiB are free: end what"
    with pytest.raises(wp.NotEnoughMemoryError, match=message):
        pick(Size(Task.SSSP), hardware=here._replace(gpu_memory=2**20), requested=requested)


def test_deep_graphs_go_to_patches_on_a_gpu_and_wide_ones_do_not():
    mesh = replace(ROAD, n=490_000, m=3_900_000, mean_degree=8.0, hops=32)
    large = replace(mesh, n=4_000_000, m=32_000_000)
    sparse = replace(ROAD, mean_degree=1.0, hops=5)
    for deep in (mesh, large, replace(ROAD, hops=40), ROAD):
        assert pick(Size(Task.SSSP), deep, requested=GPU).algorithm == "warpath.patches"
    for wide in (replace(mesh, hops=4), replace(large, hops=4), sparse):
        assert pick(Size(Task.SSSP), wide, requested=GPU).algorithm == "warpath.wide"


@pytest.mark.parametrize("hops", [4, 40])
def test_what_cannot_number_a_graph_is_passed_over_with_the_reason(hops):
    vast = replace(ROAD, n=2**31, m=2**33, mean_degree=4.0, hops=hops)
    plan = pick(Size(Task.SSSP), vast, MACHINE._replace(memory=2**50), GPU)
    assert not plan.algorithm.startswith("warpath.")
    left_out = dict(plan.left_out)
    assert left_out["warpath.wide"].startswith("it supports up to 2,147,483,646 vertices")
    assert left_out["warpath.patches"].startswith("it supports up to 2,147,483,647 vertices")
    with pytest.raises(wp.NotSupportedError, match=r"wide .* it supports up to .* can"):
        pick(Size(Task.SSSP), vast, requested=GPU._replace(algorithm="warpath.wide"))
    alike = replace(vast, min_weight=1, max_weight=1, mean_weight=1.0, weighted=False)
    on_gpu = pick(Size(Task.SSSP), alike, MACHINE._replace(memory=2**50), GPU)
    assert dict(on_gpu.left_out)["warpath.bfs"].startswith(
        "it supports up to 2,147,483,646 vertices"
    )
    on_cpu = pick(Size(Task.SSSP), alike, MACHINE._replace(memory=2**50))
    assert "warpath.bfs" not in dict(on_cpu.left_out)


def test_equal_weights_are_searched_breadth_first_on_a_gpu_where_few_hops_lead_everywhere():
    alike = {"min_weight": 1, "max_weight": 1, "mean_weight": 1.0, "weighted": False}
    wide, deep = replace(DENSER, hops=4, **alike), replace(ROAD, hops=40, **alike)
    assert pick(Size(Task.SSSP), wide, requested=GPU).algorithm == "warpath.bfs"
    assert pick(Size(Task.SSSP), deep, requested=GPU).algorithm == "warpath.patches"
    traced = pick(Size(Task.SSSP), wide, requested=GPU._replace(traced=True))
    assert ("warpath.bfs", "it keeps no trace") in traced.left_out
    assert traced.recipe.axes is not None
    on_cpu = pick(Size(Task.SSSP), wide, requested=Request(traced=True))
    assert on_cpu.algorithm == "warpath.bfs"


def test_a_graph_that_is_cut_for_a_gpu_takes_memory_of_the_host_meanwhile():
    here = Hardware(threads=8, memory=8 * ROAD.n, gpu_memory=2**30)
    requested = GPU._replace(algorithm="warpath.patches")
    with pytest.raises(wp.NotEnoughMemoryError, match=r"would take 2\d\.\d MiB on the host"):
        pick(Size(Task.SSSP), hardware=here, requested=requested)


def test_what_fits_on_a_gpu_is_taken_before_what_is_fast(monkeypatch):
    monkeypatch.setattr(kinds, "ON_HOST", frozenset())
    queue = "johnson_gpu.bf_queue"
    here = MACHINE._replace(gpu_memory=gpu_bytes(CATALOGUE[queue], Size(Task.SSSP), DENSER))
    assert pick(Size(Task.SSSP), DENSER, here, GPU).algorithm == queue


def test_a_gpu_holds_the_graph_the_labels_and_what_the_recipe_keeps():
    def of(name, facts=ROAD):
        return gpu_bytes(CATALOGUE[name], Size(Task.SSSP), facts)

    n, m = ROAD.n, ROAD.m
    rows = 8 * (n + 1) + 8 * m
    assert of("martin2009.f_gpu") == rows + 8 * n + 2 * n
    assert of("martin2009.u_gpu") == 2 * rows + 8 * n + 2 * n
    assert of("martin2009.f_gpu.dense") == rows + 8 * n * n + 8 * n + 2 * n
    assert of("bodra2025.bf_vertex") == rows + 16 * n + n
    assert of("martin2009.f_gpu", FLOATS) == rows + 4 * m + 8 * n + 2 * n
    singles = replace(FLOATS, weight_dtype="float32")
    assert of("martin2009.f_gpu", singles) == rows + 4 * n + 2 * n
    into = rows - 4 * m  # without weights
    assert of("warpath.bfs", replace(ROAD, directed=True)) == rows + into + 17 * n + m // 32
    assert of("warpath.bfs", replace(ROAD, directed=False)) == rows + 17 * n + m // 32
    assert of("johnson_gpu.bf_queue") == 2 * rows + 8 * n + (4 + 4 + 14 + 1) * n
    assert of("johnson_gpu.dijkstra_flags") == rows + 8 * n + 10 * n
    assert of("johnson_gpu.dijkstra_prefix") == rows + 8 * n + (10 + 4 + 16) * n
    sweep = of("davidson2014.workfront_sweep.merge_path")
    assert sweep == rows + 8 * n + (18 + 4) * n + (4 + 1) * m
    near_far = of("davidson2014.near_far.merge_path")
    assert near_far == sweep + 16 * n
    assert of("davidson2014.bucketing.merge_path") == near_far + (3 + 8) * n + (3 + 8) * m
    padded = n * ROAD.max_degree * 8 + 24 * m
    assert of("bodra2025.bf_vertex.ell") == of("bodra2025.bf_vertex") + padded


def test_a_matrix_for_a_gpu_must_fit_on_the_host_too():
    small = replace(ROAD, n=1000, m=5000)
    here = Hardware(threads=1, memory=2**20, gpu_memory=2**30)
    message = r"f_gpu\.dense would take 7\.6 MiB on the host, but 1\.0 MiB are free"
    with pytest.raises(wp.NotEnoughMemoryError, match=message):
        pick(Size(Task.SSSP), small, here, Request("martin2009.f_gpu.dense"))
    assert pick(Size(Task.SSSP), small, here, Request("martin2009.f_gpu")).device == "cuda:0"


def test_a_plan_without_a_gpu_says_why_it_could_not_run():
    nothing = MACHINE._replace(no_gpu="no NVIDIA driver is installed here.")
    plan = pick(Size(Task.SSSP), hardware=nothing, requested=GPU)
    assert plan.notes == ("cuda:0 cannot be used here: no NVIDIA driver is installed here.",)
    assert str(plan).endswith("\n  cuda:0 cannot be used here: no NVIDIA driver is installed here.")


def test_a_recipe_whose_labels_may_be_wrong_says_so(monkeypatch):
    wrong = CATALOGUE["classic.dijkstra"].but("classic.wrong", "Wrong.", exact=False, planned=False)
    for module in (plan_module, request_module):
        monkeypatch.setattr(module, "CATALOGUE", Catalogue([*CATALOGUE, wrong]))
    plan = pick(Size(Task.SSSP), requested=Request("classic.wrong"))
    assert plan.notes == ("measured only: its labels may be wrong",)
    assert str(plan).splitlines()[-1] == "  measured only: its labels may be wrong"
    assert pick(Size(Task.SSSP)).notes == ()


@pytest.mark.parametrize("recipe", CATALOGUE, ids=lambda recipe: recipe.name)
def test_every_planned_recipe_has_a_predicted_time_on_each_of_its_devices(recipe):
    hardware = MACHINE._replace(gpu_memory=80 * 2**30)
    for device in recipe.devices:
        assert device in kinds.KINDS, (
            f"{recipe.name} has devices={recipe.devices}: add the kind {device!r} to KINDS of "
            "planner/kinds.py, or correct the name"
        )
        kind = kinds.KINDS[device]
        for facts, task in itertools.product(PRICED, recipe.solves):
            size = Size(task, 1, 1) if task in {Task.SSSP, Task.PATH} else Size(task, 99, facts.n)
            found = kind.candidate(recipe, size, facts, hardware, None)
            assert found.bytes > 0
            assert (found.seconds is not None) == recipe.planned
            assert not recipe.planned or 0 < found.seconds < np.inf, (
                f"the predicted time of {recipe.name} for {task} on {device} is {found.seconds} s"
            )


@pytest.mark.parametrize(
    ("name", "device", "missing"),
    [
        ("martin2009.f_cpu", "cpu", "SECONDS in planner/constants.py has no 'settle'"),
        (
            "davidson2014.dijkstra_relaxed_heap",
            "cpu",
            "SECONDS in planner/constants.py has no 'dijkstra.relaxed'",
        ),
        ("martin2009.f_gpu", "cuda", "gpu_seconds in planner/gpu_model.py has no Loop.SETTLE"),
        ("bodra2025.fw_tiled", "cuda", "gpu_seconds in planner/gpu_model.py has no Loop.MATRIX"),
    ],
)
def test_a_planned_recipe_without_a_model_is_refused_with_what_is_missing(name, device, missing):
    recipe = replace(CATALOGUE[name], planned=True)
    (task, *_) = recipe.solves
    said = re.escape(f"the recipe {name} cannot be planned: {missing}")
    with pytest.raises(ValueError, match=f"{said}.*planned=False.*Fit the planner"):
        kinds.KINDS[device].candidate(recipe, Size(task), ROAD, MACHINE, None)


def test_every_recipe_says_why_it_cannot_do_a_task():
    for recipe in CATALOGUE:
        for task in Task:
            facts = replace(ROAD, n=20_000)
            if recipe.equal_weights:
                facts = replace(facts, max_weight=facts.min_weight)
            objection = recipe.objection(task, facts)
            assert (objection is None) == (task in recipe.solves)
        for task in recipe.solves:
            refused = recipe.objection(task, NEGATIVE)
            assert (refused is None) == recipe.negative


def test_an_algorithm_that_cannot_do_it_lists_those_that_can():
    with pytest.raises(
        wp.NotSupportedError, match=r"it does sssp, not apsp\. These can: classic\.dijkstra,"
    ):
        pick(Size(Task.APSP, 5, 5), requested=Request("classic.delta_stepping"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"algorithm": 5}, "algorithm = 5 must be a name"),
        ({"device": None}, "device = None must be a name"),
        ({"params": [1]}, r"params = \[1\] must be a dict of numbers"),
        ({"algorithm": "classic.delta_stepping", "params": {"delta": True}}, "above 0"),
    ],
)
def test_arguments_of_another_type_are_refused_by_name(call, message):
    with pytest.raises(wp.InputError, match=message):
        wp.sssp([(0, 1, 2)], 0, **call)


def test_numbers_of_numpy_are_parameters():
    call = {"algorithm": "classic.delta_stepping", "params": {"delta": np.int64(7)}}
    assert wp.sssp([(0, 1, 2)], 0, **call).plan.params == {"delta": 7}


def test_the_preferred_device_is_not_taken_for_what_it_cannot_do(monkeypatch):
    monkeypatch.setenv("WARPATH_DEVICE", "cuda")
    edges = [(0, 1, 2)]
    assert wp.path(edges, 0, 1).plan.device == "cpu"
    assert wp.sssp(edges, 0, algorithm="classic.dijkstra").plan.device == "cpu"
    assert wp.plan(edges, 0).device == wp.plan(edges, sources=[0]).device == "cuda:0"
    monkeypatch.setenv("WARPATH_DEVICE", "cpu")
    assert wp.plan(edges, 0, algorithm="martin2009.f_gpu").device == "cuda:0"


def test_many_sources_are_searched_side_by_side_where_they_share_work():
    dense = replace(ROAD, m=7_000_000, mean_degree=26.0)
    assert pick(Size(Task.MANY, 64, ROAD.n), dense).algorithm == "warpath.side_by_side"
    assert pick(Size(Task.APSP, ROAD.n, ROAD.n, place=Destination.BLOCKS)).algorithm.endswith(
        "by_side"
    )
    beside = CATALOGUE["warpath.side_by_side"]
    assert kind_of(beside, Size(Task.MANY, 64), dense) == "side_by_side"
    assert kind_of(beside, Size(Task.MANY, 64), ROAD) == "side_by_side.apart"
    assert kind_of(beside, Size(Task.APSP, ROAD.n), ROAD) == "side_by_side.near"
    mesh = replace(ROAD, mean_degree=7.9, m=8 * ROAD.n)
    assert kind_of(beside, Size(Task.MANY, 64), mesh) == "side_by_side.apart"
    at_random = replace(mesh, far=7 * ROAD.n)
    assert kind_of(beside, Size(Task.MANY, 64), at_random) == "side_by_side"
    assert kind_of(beside, Size(Task.MANY, 12), dense, 4) == "own_buckets"
    assert kind_of(beside, Size(Task.MANY, 13), dense, 4) == "side_by_side"


def test_the_reach_of_a_cutoff_grows_with_its_square():
    across = 0.85 * ROAD.mean_weight * ROAD.n**0.5
    parts = [reach(part * across, ROAD) for part in (0, 1 / 8, 1 / 2, 1, 9)]
    assert parts == [2**-10, 1 / 64, 1 / 4, 1, 1]


def test_threads_that_divide_a_batch_scan_the_edges_each():
    size = Size(Task.MANY, 32)
    one, two, four = (work("side_by_side", size, ROAD, k) for k in (1, 2, 4))
    assert [each["scan"] / ROAD.m for each in (one, two, four)] == [1, 2, 4]
    assert one["edge"] == four["edge"]
    full = [work("side_by_side", Size(Task.MANY, 128), ROAD, k)["scan"] for k in (1, 2, 4)]
    assert full == [4 * ROAD.m] * 3
    assert work("side_by_side", Size(Task.MANY, 0), ROAD)["scan"] == 0


def test_edges_to_far_numbers_cost_more_where_labels_leave_the_caches():
    recipe, size = CATALOGUE["warpath.own_buckets"], Size(Task.SSSP)
    far = replace(ROAD, far=ROAD.m)
    assert cpu_seconds(recipe, size, far, 1) > cpu_seconds(recipe, size, ROAD, 1)
    small = replace(ROAD, n=2**15, m=2**17)
    assert cpu_seconds(recipe, size, replace(small, far=2**17), 1) == cpu_seconds(
        recipe, size, small, 1
    )


def dense(n: int, density: float = 0.5) -> Facts:
    m = int(n * n * density)
    return replace(ROAD, n=n, m=m, mean_degree=m / n, max_weight=1000, mean_weight=500)


@pytest.mark.parametrize(
    ("size", "facts", "algorithm"),
    [
        (Size(Task.APSP, 4096, 4096), dense(4096), "warpath.floyd_warshall"),
        (
            Size(Task.APSP, 10_876, 10_876),
            replace(dense(10_876), m=39_994, mean_degree=3.7),
            "warpath.block_per_source",
        ),
        (Size(Task.MANY, 64, 1024), ROAD, "warpath.pairs"),
        (Size(Task.MANY, 64, 1024), NEGATIVE, "warpath.johnson"),
    ],
)
def test_a_gpu_takes_what_suits_a_table(size, facts, algorithm):
    hardware = MACHINE._replace(gpu_memory=2**36)
    assert pick(size, facts, hardware, GPU).algorithm == algorithm


def test_a_matrix_that_no_gpu_holds_passes_through_in_tiles_unless_it_shall_lie_there():
    hardware = Hardware(8, 2**50, 2**36)
    requested, facts = Request("warpath.floyd_warshall", "cuda"), replace(ROAD, n=10**6)
    size = Size(Task.APSP, 10**6, 10**6, place=Destination.GPU)
    with pytest.raises(wp.NotEnoughMemoryError, match=r"would take 7\.3 TiB on cuda:0 .* are free"):
        pick(size, facts, hardware, requested)
    plan = pick(size._replace(place=Destination.BLOCKS), facts, hardware, requested)
    assert (plan.staged, plan.bytes) == (2**33, 2**33 * 5 // 4)
    (note,) = plan.notes
    assert note.startswith("staged: the matrix lies in memory of the host, and tiles of it pass")
    assert note.endswith("through 8.0 GiB of cuda:0")
    assert plan.seconds > 10**18 / 15e12
    less = hardware._replace(memory=2**40)
    with pytest.raises(wp.NotEnoughMemoryError, match=r"7\.5 TiB on the host, .*out='full\.npy'"):
        pick(size._replace(place=Destination.BLOCKS), facts, less, requested)
    filed = pick(size._replace(place=Destination.MAPPED), facts, less, requested)
    assert filed.notes[0].startswith("staged: the matrix lies in the file")


def test_a_file_takes_the_matrix_that_fits_a_gpu_and_not_the_host():
    facts, requested = replace(ROAD, n=10_000), Request("warpath.floyd_warshall", "cuda")
    size, roomy = Size(Task.APSP, 10_000, 10_000, place=Destination.MAPPED), 2**36
    assert pick(size, facts, Hardware(8, 2**36, roomy), requested).staged is None
    assert pick(size, facts, Hardware(8, 2**29, roomy), requested).staged == 2**27


def test_integers_that_fit_half_the_width_are_predicted_to_be_faster_on_a_cpu():
    narrow, wide = dense(2048), replace(dense(2048), max_weight=2**40)
    recipe, size = CATALOGUE["classic.floyd_warshall"], Size(Task.APSP, 2048, 2048)
    assert cpu_seconds(recipe, size, wide, 1) > 1.5 * cpu_seconds(recipe, size, narrow, 1)
    assert cpu_bytes(recipe, size, narrow, 1) == 2048**2 * 8


def test_a_plan_is_kept_with_its_graph_until_memory_runs_short(monkeypatch):
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    call = {"algorithm": "warpath.buckets"}
    asked = []
    real = planning.choose
    monkeypatch.setattr(planning, "choose", lambda *what: (asked.append(what), real(*what))[1])
    first = wp.sssp(graph, 0, **call).plan
    first.params["delta"] = 99  # a plan is the caller's own
    again = wp.sssp(graph, 2, **call).plan
    assert len(asked) == 1
    assert again.params["delta"] != 99
    assert again.algorithm == first.algorithm
    wp.sssp(graph, 0, threads=2, **call)
    wp.sssp(graph, 0, params={"delta": 3}, **call)
    assert len(asked) == 3
    monkeypatch.setenv("WARPATH_MEMORY", "20")
    with pytest.raises(wp.NotEnoughMemoryError):
        wp.sssp(graph, 0, **call)


def test_a_graph_keeps_a_limited_number_of_options_and_each_of_plans():
    graph = wp.Graph.of([(0, 1, 2)])
    for threads in range(1, 200):
        wp.plan(graph, 0, threads=threads)
        wp.plan(graph, sources=threads * [0])
    kept = options.OPTIONS.of(graph, dict)
    assert 0 < len(kept) <= 64
    assert max(len(one._plans) for one in kept.values()) <= 64


@pytest.mark.parametrize("size", [3, 3_000])
def test_the_same_call_makes_the_same_plan(size):
    graph = wp.generate.uniform(size, 3, (1, 99), seed=4)
    first = wp.plan(graph, 0, threads=2)
    made = [wp.sssp(graph, s % size, threads=2).plan for s in range(40)]
    assert made == [first] * 40


def test_a_team_is_planned_in_less_memory_than_delta_stepping():
    plan = pick(Size(Task.SSSP))
    assert plan.bytes == ROAD.n * 12 + 8 * 2**22
    assert plan.bytes <= ROAD.n * (8 + 16 * plan.threads) + 64 * 2**20


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("n", "m"),
    [(1_000_000, 2_501_552), (262_144, 7_610_268), (1_048_576, 7_340_032), (325_557, 3_216_152)],
)
def test_one_source_is_left_to_the_shared_buckets(n, m, threads):
    facts = replace(ROAD, n=n, m=m, mean_degree=m / n)
    plan = pick(Size(Task.SSSP), facts, MACHINE._replace(threads=threads))
    assert (plan.algorithm, plan.threads) == ("warpath.buckets", threads)


def test_one_source_of_a_large_graph_takes_what_its_memory_should_hold(monkeypatch):
    large = replace(ROAD, n=2**24, m=3 * 2**24)
    radix = CATALOGUE["classic.dijkstra.radix_heap"]
    monkeypatch.setattr(kinds, "cpu_seconds", lambda recipe, *_: recipe is not radix)
    small = replace(ROAD, n=2**18, m=3 * 2**18)
    assert pick(Size(Task.SSSP), small).algorithm == radix.name
    plan = pick(Size(Task.SSSP), large)
    assert plan.algorithm != radix.name
    assert plan.bytes <= lean_bytes(2**24, plan.threads)


def test_weights_that_a_float_takes_for_equal_are_not_searched_breadth_first():
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, 200, (2, 51_200))
    graph = wp.Graph.of((src, dst, 2**53 + rng.integers(0, 2, 51_200)), n=200)
    paths = wp.sssp(graph, 0)
    assert (
        "left out warpath.bfs: it needs equal weights, the graph has "
        "9,007,199,254,740,992 to 9,007,199,254,740,993" in str(paths.plan)
    )
    assert np.array_equal(paths.dist, wp.sssp(graph, 0, algorithm="classic.dijkstra").dist)


def test_large_weights_and_deltas_are_printed_with_all_digits():
    graph = wp.Graph.of([(0, 1, 2**53 + 1), (1, 2, 2**61 - 1)])
    text = str(wp.plan(graph))
    assert "the graph has 2,305,843,009,213,693,951" in text
    assert "3 weights of up to 2,305,843,009,213,693,951 could leave 64 bits" in text
    chosen = wp.plan(graph, 0, algorithm="warpath.buckets", params={"delta": 2**53 + 1})
    assert "delta = 9,007,199,254,740,993" in chosen.headline()


def test_a_gpu_refuses_negative_weights_whose_sums_could_leave_64_bits():
    facts = replace(NEGATIVE, weight_dtype="int64", min_weight=-(2**62), n=3)
    requested = Request("bodra2025.bf_strided", device="cuda")
    with pytest.raises(wp.NotSupportedError, match="4,611,686,018,427,387,904 could leave 64 bits"):
        pick(Size(Task.SSSP), facts, requested=requested)
    assert (
        pick(Size(Task.SSSP), replace(facts, min_weight=-(2**58)), requested=requested).device
        == "cuda:0"
    )


def test_the_plan_of_rounds_by_distance_says_how_many_there_may_be():
    for name in ("martin2009.f_cpu", "martin2009.u_cpu"):
        notes = pick(Size(Task.SSSP), requested=Request(name)).notes
        assert any("each distinct distance takes a round" in note for note in notes)
    assert not pick(Size(Task.SSSP)).notes


def test_a_plan_says_from_how_many_calls_on_preparing_pays():
    roads = wp.generate.road(20_000)
    for plan in (wp.plan(roads, 0, target=9), wp.plan(roads, sources=[0, 1, 2], targets=[3])):
        [note] = [note for note in plan.notes if "warpath.prepare" in note]
        assert re.search(r"would take about .* it pays from [\d,]+ such calls on$", note)
    silent = [
        wp.plan(roads, 0),
        wp.plan(roads, 0, target=9, algorithm="classic.dijkstra"),
        wp.plan(wp.generate.road(2000), 0, target=9),
        wp.plan(wp.generate.rmat(14), 0, target=9),
        wp.plan(roads.with_weights(-roads.weights), 0, target=9),
        wp.Solver(roads, prepared=True).plan(0, target=9),
    ]
    assert not any("prepare" in note for plan in silent for note in plan.notes)


WEB = replace(DENSER, n=4_194_304, m=128_000_000, mean_degree=30.5, max_degree=200_000, hops=4)


def test_edges_that_do_not_fit_a_gpu_stay_on_the_host():
    size, roomy = Size(Task.SSSP), MACHINE._replace(memory=2**37, gpu_memory=2**36)
    assert not pick(size, WEB, roomy, GPU).rows_on_host
    third = roomy._replace(gpu_memory=WEB.m * 8 // 3)
    plan = pick(size, WEB, third, GPU)
    assert (plan.algorithm, plan.rows_on_host) == ("warpath.wide", True)
    assert plan.bytes <= third.gpu_memory
    assert plan.seconds == pytest.approx(WEB.m * 8 / 55e9)
    assert (
        "the edges, 976.6 MiB, stay in memory of the host, where cuda:0 reads them: "
        "976.6 MiB at 55 GB/s take 18.6 ms"
    ) in str(plan)
    with pytest.raises(wp.NotEnoughMemoryError, match="on cuda:0 with the graph"):
        pick(size, WEB, roomy._replace(gpu_memory=WEB.n * 4), GPU)
    with pytest.raises(wp.NotEnoughMemoryError, match="on the host"):
        pick(size, WEB, third._replace(memory=WEB.m * 8), GPU)


def test_edges_of_deep_graphs_and_of_tables_stay_on_the_host_too():
    deep = replace(ROAD, n=4_000_000, m=12_000_000, mean_degree=3.0, max_degree=8, hops=64)
    less = MACHINE._replace(gpu_memory=140_000_000)
    plan = pick(Size(Task.SSSP), deep, less, GPU)
    assert (plan.algorithm, plan.rows_on_host) == ("warpath.patches", True)
    table = pick(
        Size(Task.MANY, 64, 100), WEB, MACHINE._replace(memory=2**37, gpu_memory=2**34), GPU
    )
    assert (table.algorithm, table.rows_on_host) == ("warpath.pairs", False)
    table = pick(
        Size(Task.MANY, 64, 100), WEB, MACHINE._replace(memory=2**37, gpu_memory=3 * 10**9), GPU
    )
    assert (table.algorithm, table.rows_on_host) == ("warpath.pairs", True)
    assert table.seconds > 6 * WEB.m * 8 / 55e9 * 0.99


def test_the_reason_says_whether_there_was_a_choice():
    assert wp.plan([(0, 1, -1), (1, 2, 3)], 0).reason == "it is the only one that can do this"
    assert wp.plan([(0, 1, 1), (1, 2, 3)], 0).reason == "it is predicted to be the fastest"
