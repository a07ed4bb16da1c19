"""How a search spreads, and what the width of buckets does, drawn."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")

import warpath as wp
from warpath import generate
from warpath.base.errors import GraphError, InputError
from warpath.plot import plot_frontier, plot_sweep
from warpath.plot.frontier import steps_of
from warpath.plot.sweep import Sweep, Swept, delta_sweep


@pytest.fixture
def tree():
    return wp.sssp(generate.grid(5, 8, weights=None), 0)


def segments(axes, layer):
    return len(axes.collections[layer].get_segments())


def test_steps_are_equally_wide_and_count_what_is_within_them(tree):
    steps = steps_of(tree, 4, None, "distance")
    assert steps.limits.tolist() == [2.75, 5.5, 8.25, 11]
    assert steps.counts.tolist() == [int((tree.dist <= limit).sum()) for limit in steps.limits]
    assert all(
        (low < end <= high)
        for end, step in zip(steps.dist, steps.step, strict=True)
        for low, high in [([0, *steps.limits][step], steps.limits[step])]
    )
    assert steps.label(1) == "within 5.5: 20"


def test_a_width_can_be_given_instead(tree):
    assert steps_of(tree, 4, 5, "distance").limits.tolist() == [5, 10, 11]
    assert steps_of(tree, 4, 11, "distance").limits.tolist() == [11]


def test_hops_are_the_edges_of_the_path():
    tree = wp.sssp([(0, 1, 9), (1, 2, 1), (2, 3, 1), (0, 3, 50), (3, 4, 0)], 0)
    graph = tree.graph.with_coordinates(np.arange(10).reshape(5, 2))
    steps = steps_of(wp.sssp(graph, 0), 99, None, "hops")
    assert steps.limits.tolist() == [1, 2, 3, 4]
    assert steps.counts.tolist() == [2, 3, 4, 5]
    assert steps.step[steps.dist == 9].tolist() == [0]
    assert steps.label(2) == "after 3 edges: 4"


@pytest.mark.parametrize("by", ["distance", "hops"])
def test_the_source_alone_is_one_step(tree, by):
    alone = wp.sssp(tree.graph, 3, cutoff=0)
    assert steps_of(alone, 9, None, by).counts.tolist() == [1]
    plot_frontier(alone, by=by)


def test_panels_show_what_was_reached_before_and_what_is_new(tree):
    figure = plot_frontier(tree, frames=4, title="a")
    *panels, bar = figure.axes
    counts = [int((tree.dist <= limit).sum()) for limit in (0, 2.75, 5.5, 8.25, 11)]
    assert [segments(axes, 0) for axes in panels] == [67] * 4
    assert [segments(axes, 1) + 1 for axes in panels] == counts[:4]
    assert [segments(axes, 2) for axes in panels] == np.diff(counts).tolist()
    assert panels[1].get_title(loc="left") == "within 5.5: 20"
    assert bar.get_xlim() == (0, 11)
    assert figure.texts[-1].get_text() == "a"


def test_an_animation_ends_with_the_whole_tree_for_longer(tree, tmp_path):
    image = pytest.importorskip("PIL.Image")
    plot_frontier(tree, tmp_path / "a.gif", frames=5, dpi=40)
    with image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 6
        times, orange = [], []
        for at in range(6):
            film.seek(at)
            times.append(film.info["duration"])
            pixels = np.asarray(film.convert("RGB")).reshape(-1, 3)
            orange.append(int((pixels == (213, 94, 0)).all(axis=1).sum()))
            assert pixels[0].tolist() == [255, 255, 255]
    assert times == [120] * 5 + [1500]
    assert min(orange[:5]) > 0
    assert orange[5] == 0


def test_the_frames_go_into_a_folder(tree, tmp_path):
    image = pytest.importorskip("PIL.Image")
    plot_frontier(tree, tmp_path / "frames", frames=3, theme="dark", dpi=40)
    files = sorted(tmp_path.glob("frames/*"))
    assert [file.name for file in files] == [f"frame-00{at}.png" for at in (1, 2, 3, 4)]
    with image.open(files[0]) as first:
        assert first.convert("RGB").getpixel((0, 0)) == (20, 23, 28)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"frames": 0}, "1 to 400"),
        ({"frames": -1}, "1 to 400"),
        ({"frames": 401}, "1 to 400"),
        ({"width": 1e-3}, "1 to 400"),
        ({"width": 0}, "above 0"),
        ({"by": "time"}, "'hops'"),
        ({"theme": "blue"}, "'dark'"),
        ({"path": "a.doc"}, ".gif"),
    ],
)
def test_wrong_wishes_are_refused(tree, wrong, said):
    with pytest.raises(InputError, match=said):
        plot_frontier(tree, **wrong)


def test_a_frontier_needs_coordinates():
    with pytest.raises(GraphError, match="with_coordinates"):
        plot_frontier(wp.sssp([(0, 1, 2)], 0))


def test_a_sweep_tries_each_delta_once_and_counts():
    graph = generate.road(400, seed=1)
    sweep = delta_sweep(
        wp.sssp, graph, 0, "classic.delta_stepping", factors=(0.01, 1, 64), repeats=1
    )
    assert [point.delta for point in sweep.points] == sorted({p.delta for p in sweep.points})
    assert sweep.default in {point.delta for point in sweep.points}
    narrow, _, wide = sweep.points
    assert narrow.work == 2  # each edge is read once as a light and once as a heavy one
    assert wide.work < 2
    assert narrow.rounds > wide.rounds
    same = delta_sweep(wp.sssp, [(0, 1, 1)], 0, factors=(1e-3, 2e-3), repeats=1)
    assert [point.delta for point in same.points] == [1]


def test_a_sweep_of_what_has_no_delta_is_refused():
    with pytest.raises(InputError, match=r"these do: classic\.delta_stepping"):
        delta_sweep(wp.sssp, [(0, 1, 1)], 0, "classic.dijkstra")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_sweep_is_drawn_with_its_own_delta_and_the_fastest(theme, tmp_path):
    sweep = Sweep("a", 2.0, (Swept(1, 3e-3, 1.0, 9), Swept(2, 1e-3, None, 4), Swept(4, 2e-3, 3, 0)))
    figure = plot_sweep([sweep, sweep], tmp_path / "a.png", title="b", theme=theme)
    time, work, rounds = figure.axes
    assert time.lines[0].get_xydata().tolist() == [[1, 3], [2, 1], [4, 2]]
    assert time.lines[1].get_xydata().tolist() == [[2, 1]]  # the fastest
    assert time.lines[2].get_xdata() == [2, 2]
    assert work.lines[0].get_xydata().tolist() == [[1, 1], [4, 3]]
    assert rounds.lines[0].get_ydata().tolist() == [9, 4, 1]
    with pytest.raises(InputError, match="no delta to draw"):
        plot_sweep([])


def test_what_is_no_search_is_named():
    with pytest.raises(InputError, match=r"paths = <Graph.* is a Graph, not a Paths: sssp"):
        plot_frontier(generate.grid(3, 3))
    for wrong in (3, ["a"]):
        with pytest.raises(InputError, match=r"a sweep = .* not a Sweep: warpath\.plot"):
            plot_sweep(wrong)


def in_rounds(graph, name="martin2009.f_cpu", **call):
    return wp.sssp(graph, 0, algorithm=name, **call)


def test_by_rounds_the_vertices_that_the_algorithm_selects_are_drawn():
    graph = generate.grid(5, 8, weights=(1, 4), seed=1)
    paths = in_rounds(graph, trace=True)
    traced = [one.selected for one in paths.trace]
    steps = steps_of(paths, 400, None, "rounds")
    assert [len(one) for one in steps.selected] == traced
    assert steps.label(1) == f"round 2: {traced[1]} selected"
    figure = plot_frontier(paths, by="rounds", frames=len(traced))
    dots = [axes.lines[0].get_xydata() for axes in figure.axes[: len(traced)]]
    assert [len(one) for one in dots] == traced
    np.testing.assert_array_equal(dots[1], graph.coordinates[steps.selected[1]])


def test_fewer_frames_than_rounds_show_what_several_rounds_select(tmp_path):
    paths = in_rounds(generate.grid(5, 8, weights=(1, 4), seed=1))
    steps = steps_of(paths, 3, None, "rounds")
    assert steps.counts[-1] == 40
    assert sum(map(len, steps.selected)) == 40  # this algorithm selects each vertex once
    assert steps.label(0).startswith("rounds 1 to ")
    plot_frontier(paths, tmp_path / "rounds.gif", by="rounds", frames=3)


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        (
            lambda: wp.sssp(generate.grid(3, 3), 0, algorithm="warpath.wide", device="emulated"),
            "warpath.wide has no rounds to draw",
        ),
        (lambda: wp.sssp(generate.grid(3, 3), 0, cutoff=2), "without closed vertices, turns and"),
        (
            lambda: wp.Paths(generate.grid(3, 3), 0, np.zeros(9), tree=lambda: None),
            "has no rounds to draw",
        ),
        (lambda: in_rounds(generate.grid(60, 60, weights=(1, 10**6), seed=1)), "than 2,000 rounds"),
    ],
)
def test_what_has_no_rounds_to_draw_is_refused(paths, sentence):
    with pytest.raises(InputError, match=sentence):
        steps_of(paths(), 9, None, "rounds")


def test_rounds_have_no_width():
    with pytest.raises(InputError, match="width goes with 'distance' and 'hops'"):
        steps_of(in_rounds(generate.grid(3, 3)), 9, 2.0, "rounds")


def test_a_sweep_without_times_has_no_panel_for_them_and_no_fastest_delta():
    graph = generate.grid(4, 4, weights=(1, 9), seed=1)
    solve = partial(wp.sssp, device="emulated")
    name = "davidson2014.near_far.merge_path"
    sweep = delta_sweep(solve, graph, 0, name, factors=(0.5, 1, 2))
    assert sweep.best is None
    assert {point.seconds for point in sweep.points} == {None}
    figure = plot_sweep([sweep])
    assert [axes.get_ylabel() for axes in figure.axes] == ["work over Dijkstra's", "rounds"]
    assert figure.axes[0].get_legend().get_texts()[0].get_text() == sweep.algorithm


@pytest.mark.parametrize("values", [(3, 4), (1.1, 1.9), (12, 35), (20, 900), (1, 10**6)])
def test_every_axis_has_several_ticks(values):
    points = [Swept(value, value / 1e3, value, round(value)) for value in values]
    figure = plot_sweep([Sweep("warpath.buckets", values[0], tuple(points))])
    figure.canvas.draw()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            ticks = [at for at in axis.get_majorticklocs() if low <= at <= high]
            assert len(ticks) >= 3, (axes.get_ylabel(), ticks)
