"""Traces drawn: what stands where, and that it can be read."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="drawing needs warpath[plot]")

from warpath.base.errors import InputError
from warpath.plot import plot_trace
from warpath.plot.rounds import MOST_STEPS, rounds_of
from warpath.results.trace import Round, Trace, TracedRun


def run(algorithm="davidson2014.near_far", **changes):
    known = {
        "algorithm": algorithm,
        "device": "cuda:0",
        "graph": "toy",
        "n": 6,
        "m": 14,
        "source": 0,
        "params": {},
        "dijkstra_edges": 12,
        "seconds": 2.0,
    }
    return TracedRun(**(known | changes))


def near_far(**changes):
    rounds = [
        Round(0, "near", 1, 4, 3, {"near": 1, "far": 2}, {"relax": 0.25, "compact": 0.125}),
        Round(1, "near", 1, 8, 2, {"near": 0, "far": 4}, {"relax": 0.5, "compact": 0.125}),
        Round(2, "far", 0, 0, 0, {"near": 4, "far": 1}, {"split": 0.25}, rounds=0),
        Round(3, "near", 4, 6, 1, {"near": 0, "far": 0}, {"relax": 0.25, "compact": 0.125}),
    ]
    return Trace(rounds, run(**changes))


def sweep(selected=(1, 8, 3), **changes):
    rounds = [
        Round(at, "sweep", count, 3 * count, count, {"queue": count}, {"relax": 1e-5 * count})
        for at, count in enumerate(selected)
    ]
    return Trace(rounds, run(**({"algorithm": "sweep"} | changes)))


def drawn(axes):
    """Return the lines of a panel by name: the heights of their steps."""
    return {
        patch.get_label(): patch.get_data().values.tolist()
        for patch in axes.patches
        if patch.get_label()
    }


def panels(figure, column=0):
    """Return the panels of sizes, edges and times of a trace."""
    columns = len(figure.axes) // 3
    return figure.axes[column : 3 * columns : columns]


def test_one_trace_shows_sizes_edges_and_times_over_its_rounds():
    sizes, edges, times = panels(plot_trace(near_far()))
    assert drawn(sizes) == {"selected": [1, 1, 4], "near": [1, 4, 0], "far": [2, 1, 0]}
    assert drawn(edges) == {"read": [4, 8, 6], "improved": [3, 2, 1]}
    tops = {"relax": [0.25, 0.5, 0.25], "compact": [0.375, 0.625, 0.375]}
    assert {name: drawn(times)[name] for name in tops} == {
        name: pytest.approx([1e3 * one for one in top]) for name, top in tops.items()
    }
    assert drawn(times)["split"] == pytest.approx([375, 875, 375])  # the split after round 1
    assert sizes.get_ylabel() == "vertices"
    assert edges.get_ylabel() == "edges a round"
    assert times.get_ylabel() == "time a round (ms)"
    assert times.get_xlabel() == "round"
    assert times.get_xlim() == (0, 3)


def test_the_title_has_the_algorithm_the_graph_and_the_totals():
    sizes, *_ = panels(plot_trace(near_far(params={"delta": 2.5})))
    assert sizes.texts[0].get_text() == "davidson2014.near_far, delta = 2.5"
    told = sizes.get_title("left")
    assert "toy: n = 6, m = 14, from 0" in told
    assert "3 rounds, parallelism 2, 1.5 times Dijkstra's work" in told
    assert "2 s, 6e-06 MTEPS" in told


def test_no_legend_lies_over_data():
    figure = plot_trace(near_far())
    figure.draw_without_rendering()
    for axes in figure.axes:
        legend = axes.get_legend().get_window_extent()
        assert legend.y0 >= axes.get_window_extent().y1 - 1
        assert legend.y1 <= figure.bbox.y1


def test_the_title_stands_above_the_legend_and_inside_the_picture():
    for name in ("a", " ".join(["many words"] * 12)):
        figure = plot_trace([near_far(), sweep()], names=[name, name])
        figure.draw_without_rendering()
        for axes in panels(figure, 0)[:1] + panels(figure, 1)[:1]:
            title = axes.texts[0].get_window_extent()
            assert title.y0 >= axes.get_legend().get_window_extent().y1
            assert title.y1 <= figure.bbox.y1 + 1
            assert title.x1 <= figure.bbox.x1
        left, right = (axes.texts[0].get_window_extent() for axes in figure.axes[:2])
        assert left.x1 < right.x0


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_picture_is_saved(tmp_path, suffix):
    out = tmp_path / f"a.{suffix}"
    plot_trace([near_far(), sweep()], out)
    assert out.read_bytes().startswith({"png": b"\x89PNG", "svg": b"<?xml"}[suffix])


@pytest.mark.parametrize("trace", [sweep((1,)), sweep((0,)), sweep((0, 0))])
def test_a_trace_of_one_round_or_of_nothing_can_be_drawn(tmp_path, trace):
    plot_trace(trace, tmp_path / "a.png")
    plot_trace([trace, sweep()], tmp_path / "a.png")


def test_a_search_of_one_row_is_drawn_as_its_mean_over_its_rounds():
    trace = Trace([Round(0, "search", 50, 150, 60, {}, {"search": 1e-3}, rounds=50)], run())
    sizes, edges, times = panels(plot_trace(trace))
    assert drawn(sizes) == {"selected": [1]}
    assert drawn(edges) == {"read": [3], "improved": [1.2]}
    assert times.get_xlim() == (0, 50)
    assert times.get_xlabel() == "round (each step: mean of 50)"


def test_many_rounds_are_joined_and_keep_their_range(tmp_path):
    counts = np.tile([1, 5], 10_000)
    trace = sweep(counts.tolist())
    rounds = rounds_of(trace)
    selected = rounds.sizes["selected"]
    assert len(selected.mean) == len(rounds.edges) - 1 <= MOST_STEPS
    assert rounds.edges[-1] == 20_000
    assert np.average(selected.mean, weights=np.diff(rounds.edges)) == pytest.approx(3)
    assert set(selected.low) == {1}
    assert set(selected.high) == {5}
    *_, times = panels(plot_trace(trace, tmp_path / "a.png"))
    assert times.get_xlabel() == "round (each step: mean and range of 34)"


def test_sizes_that_differ_by_far_are_drawn_on_a_logarithmic_axis():
    sizes, edges, times = panels(plot_trace(sweep((1, 40, 100_000, 20_000, 7))))
    assert sizes.get_yscale() == edges.get_yscale() == times.get_yscale() == "symlog"
    assert sizes.get_ylim()[0] == 0
    labels = [label.get_text() for label in sizes.get_yticklabels()]
    assert labels[:3] == ["0", "1", "10"]
    assert labels[-1] in {"100k", "1M"}
    sizes, *_ = panels(plot_trace(sweep()))
    assert sizes.get_yscale() == "linear"


def test_many_buckets_are_added_up():
    waiting = {f"bucket {at}": 2 for at in range(10)} | {"far": 7}
    trace = Trace([Round(0, "bucket", 3, 5, 1, waiting)], run())
    assert drawn(plot_trace(trace).axes[0]) == {"selected": [3], "buckets": [20], "far": [7]}


def test_several_traces_share_their_axes_and_are_compared():
    figure = plot_trace([near_far(), sweep()])
    columns = [figure.axes[at : at + 6 : 2] for at in (0, 1)]
    for row in (0, 1):
        assert columns[0][row].get_ylim() == columns[1][row].get_ylim()
    time, work, rounds = figure.axes[6:]
    points = [line.get_xydata().tolist() for line in work.lines if line.get_marker() != "None"]
    assert points == [[[2, 1.5]], [[4, 3]]]  # parallelism and work of each
    points = [line.get_xydata().tolist() for line in rounds.lines]
    assert points == [[[2, 3]], [[4, 3]]]
    assert (work.get_xlabel(), work.get_ylabel()) == ("vertices a round", "work over Dijkstra's")
    assert work.get_xscale() == work.get_yscale() == "log"
    assert [text.get_text() for text in time.texts] == ["davidson2014.near_far: 2 s", "sweep: 2 s"]
    assert len({line.get_marker() for line in rounds.lines}) == 2
    assert figure.get_suptitle() == "toy: n = 6, m = 14, from 0"


def test_traces_of_several_graphs_say_each_its_own():
    figure = plot_trace([near_far(), sweep(graph="town")])
    assert figure.get_suptitle() == ""
    told = [axes.get_title("left") for axes in figure.axes[:2]]
    assert "toy: n = 6" in told[0]
    assert "town: n = 6" in told[1]


def test_more_than_four_traces_are_compared_only():
    traces = [near_far(params={"delta": float(at)}) for at in range(12)]
    time, _work, rounds = plot_trace(traces).axes
    assert len(rounds.lines) == 12
    looks = {(line.get_color(), line.get_marker()) for line in rounds.lines}
    assert len(looks) == 12
    assert time.texts[3].get_text() == "delta = 3: 2 s"


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"algorithm": "b", "params": {"delta": 3}}, ["davidson2014.near_far", "b"]),
        ({"params": {"delta": 3}}, ["davidson2014.near_far", "delta = 3"]),
        ({"n": 7}, [f"toy: n = {n}, m = 14, from 0" for n in (6, 7)]),
        ({"device": "cuda:1"}, ["on cuda:0", "on cuda:1"]),
        ({}, [f"davidson2014.near_far ({at})" for at in (1, 2)]),
    ],
)
def test_traces_are_called_by_what_tells_them_apart(changes, names):
    figure = plot_trace([near_far(), near_far(**changes)])
    titles = [axes.texts[0].get_text().replace("\n", " ") for axes in figure.axes[:2]]
    assert titles == names


def test_what_traces_have_in_common_is_above_them():
    figure = plot_trace([near_far(), near_far(params={"delta": 3})])
    assert figure.get_suptitle().startswith("davidson2014.near_far, toy: n = 6")


def untimed(trace):
    return Trace([replace(one, seconds={}) for one in trace], replace(trace.run, seconds=0.0))


def test_runs_without_times_have_no_panel_for_them():
    alone = plot_trace(untimed(near_far()))
    assert [axes.get_ylabel() for axes in alone.axes] == ["vertices", "edges a round"]
    both = plot_trace([untimed(near_far()), untimed(sweep())])
    said = [text.get_text() for axes in both.axes for text in (*axes.texts, axes.title)]
    said += [axes.get_title("left") + axes.get_ylabel() for axes in both.axes]
    assert not [text for text in said if re.search("0 us|time a|traced|no times", text)]


def test_of_runs_with_and_without_times_only_some_have_times():
    figure = plot_trace([untimed(near_far()), sweep()])
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert "no times" in said
    assert "davidson2014.near_far: no times" in said


def test_traces_have_the_names_that_they_are_given(tmp_path):
    trace = near_far(graph="$x^$", algorithm="$^")
    plot_trace(trace, tmp_path / "a.png")
    trace.add(Round(4, "near", 1, 1, 0, {"$x^$": 1}, {"$x^$": 1.0}))
    figure = plot_trace([trace, trace], tmp_path / "a.png", names=["$a^$", "b^_"])
    assert [axes.texts[0].get_text() for axes in figure.axes[:2]] == ["$a^$", "b^_"]
    with pytest.raises(InputError, match="1 names for 2 traces"):
        plot_trace([near_far(), sweep()], names=["a"])


def test_a_trace_without_a_run_is_drawn():
    sizes, *_ = panels(plot_trace(Trace(near_far())))
    assert sizes.texts[0].get_text() == "trace"


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(InputError, match="no rounds"):
        plot_trace(Trace())
    with pytest.raises(InputError, match="no trace to draw"):
        plot_trace([])
    with pytest.raises(InputError, match="the suffix must be one of"):
        plot_trace(Trace(), tmp_path / "a.doc")


@pytest.mark.parametrize("wrong", [3, "a", [None]])
def test_what_is_no_trace_is_named(wrong):
    with pytest.raises(InputError, match=r"a trace = .* not a Trace: sssp\(graph, source, trace"):
        plot_trace(wrong)
