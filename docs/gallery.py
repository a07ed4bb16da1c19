"""The pictures of the algorithms' pages, made while the site is built.

A page of ``docs/algorithms`` has a section for each recipe; in the site the section ends with a
picture of the vertices that relax in three rounds on a small town, drawn once for each way of
selecting, and with the trace of that recipe itself. Recipes for GPUs are traced on the emulator of
the tests: their counts are those of a GPU, their times are not, and are left out.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import warpath as wp
from support.emulated_calls import sssp_on
from support.kernels import CACHE, prepare
from support.recipes import on_gpu
from warpath.engines.emulator.device import EmulatedDevice
from warpath.plot.page import BLUE, INK, ORANGE, SKY, VERMILION, new_figure, save
from warpath.plot.rounds import rounds_of
from warpath.plot.selections import rounds, selection_of_rounds
from warpath.recipes import Loop, Recipe, Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.plot.selections import Round
    from warpath.results.trace import Trace

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "_pictures"
DELTA = 12  # near twice the mean weight of the town: several intervals, several rounds in each
SWITCH = 10  # vertices from which on the hybrid orders its frontier; a GPU's would be thousands
MATRIX, TILE = 48, 8

_SECTION = re.compile(r"^## (\S+)\n.*?(?=^## |^\[\^1\]:|\Z)", re.DOTALL | re.MULTILINE)
_SAID = {
    "all": "every vertex relaxes in every round, until none lowers a label",
    "improved": "the vertices whose label fell in the last round",
    "below": f"the improved vertices below a threshold that rises by delta = {DELTA}",
    "delta star": f"the improved vertices below a threshold that rises by delta = {DELTA} in every "
    "round",
    "rho": f"the {DELTA} improved vertices of least label",
    "bucket": f"the vertices of the lowest interval of width delta = {DELTA}",
    "min": "the unsettled vertices of the least label",
    "out": "the unsettled vertices up to the least label + lightest out-edge",
    "one": "the vertex of the least label, one after another",
    "level": "the vertices one edge farther away (every edge counts 1)",
    "entry": "all entries are compared with the way through one vertex, whose row and column are "
    "outlined",
    "tile": f"the steps of {TILE} vertices at a time: the tile on the diagonal, then its row and "
    "column, then all others",
}


def with_pictures(text: str, folder: Path = FOLDER) -> str:
    """Return the text of a paper's page with pictures in each section; make those it lacks."""
    return _SECTION.sub(
        lambda part: f"{part[0].rstrip()}\n\n{_pictures(wp.algorithms()[part[1]], folder)}\n\n",
        text,
    )


def selection_of(recipe: Recipe) -> str | None:
    """Return which picture shows who relaxes: a key of `_SAID`, or None for no single one."""
    if recipe.steps is not None:
        return "tile" if recipe.steps.relax.value == "tile" else "entry"
    if recipe.loop is Loop.FLOYD_WARSHALL:
        return "tile"
    return selection_of_rounds(recipe)


def _pictures(recipe: Recipe, folder: Path) -> str:
    blocks = []
    selection = selection_of(recipe)
    if selection is not None:
        file = _drawn(
            folder / f"select-{selection.replace(' ', '-')}.svg", lambda: _frames(selection)
        )
        blocks.append(
            _figure(
                file,
                f"Who relaxes: {_SAID[selection]}. {_where(selection)} This shows the "
                f"rule, the same for all that have it.",
                f"Three moments of a run in which what relaxes is: {_SAID[selection]}.",
            )
        )
    if recipe.axes is not None and Task.SSSP in recipe.solves:
        file = _drawn(
            folder / f"trace-{recipe.name}.svg", lambda: _rounds_drawn(_traced(recipe)[0])
        )
        blocks.append(_figure(file, _caption(recipe), f"Rounds of {recipe.name}."))
    elif "cpu" in recipe.devices and Task.SSSP in recipe.solves:
        blocks.append(_totals(recipe))
    return "\n\n".join(blocks)


def _drawn(file: Path, draw: Callable[[], Any]) -> Path:
    if not file.is_file():
        file.parent.mkdir(exist_ok=True)
        save(draw(), file, 150)
    return file


def _figure(file: Path, caption: str, alt: str) -> str:
    return f":::{{figure}} /{file.relative_to(ROOT / 'docs')}\n:alt: {alt}\n\n{caption}\n:::"


def _where(selection: str) -> str:
    if selection in {"entry", "tile"}:
        return f"A matrix of {MATRIX} vertices of a town; coloured entries have a length."
    return (
        "A town of 200 vertices, weights 1 to 10, three rounds of a run from its centre; a round "
        "reads the labels of the one before."
    )


@cache
def town() -> tuple[wp.Graph, int]:
    """Return the graph of the pictures, and the vertex at its centre."""
    plan = wp.generate.road(200, seed=3)
    src, dst, weights = plan.edges()
    weights = np.maximum(1, np.ceil(weights * 10 / weights.max())).astype(np.int32)
    graph = wp.Graph.from_edges(
        src, dst, weights, n=plan.n, coordinates=plan.coordinates, name="town"
    )
    away = ((plan.coordinates - plan.coordinates.mean(axis=0)) ** 2).sum(axis=1)
    return graph, int(away.argmin())


@cache
def _device() -> Callable[..., wp.Paths]:
    device = EmulatedDevice(seed=5, cache=CACHE)
    prepare(device, on_gpu(), "int32")  # together: alone, each kernel would compile all headers
    return sssp_on(device)


def _traced(recipe: Recipe) -> tuple[Trace, dict[str, float]]:
    """Return the trace of a recipe on the town, and the parameters that were set for it."""
    wanted = {"delta": DELTA, "switch": SWITCH, "rho": DELTA}
    names = {one.name for one in recipe.params}
    params = {name: wanted[name] for name in wanted if name in names}
    if "width" in names:
        params = {"width": DELTA}
    graph, source = town()
    solve = wp.sssp if "cpu" in recipe.devices else _device()
    device = "cpu" if "cpu" in recipe.devices else "cuda"
    trace = solve(
        graph, source, algorithm=recipe.name, device=device, params=params, trace=True
    ).trace
    assert trace is not None
    return trace, params


def _caption(recipe: Recipe) -> str:
    trace, params = _traced(recipe)
    totals = trace.totals()
    numbers = ", ".join(f"{name} = {value:g}" for name, value in params.items())
    where = "" if "cpu" in recipe.devices else ", on the emulator (counts, no times)"
    ratio = "" if totals.work_ratio is None else f", {totals.work_ratio:.2f} times Dijkstra's"
    return (
        f"Its trace on that town{where}{': ' if numbers else ''}{numbers}. {totals.rounds} rounds, "
        f"{totals.selected:,} vertices selected, {totals.read:,} edges read{ratio}."
    )


def _totals(recipe: Recipe) -> str:
    graph, source = town()
    if recipe.equal_weights:
        graph = graph.with_weights(None)
    found = wp.sssp(graph, source, algorithm=recipe.name, threads=1, trace=True)
    assert found.trace is not None
    totals = found.trace.totals()
    return (
        f"- On that town, on one thread: {totals.selected:,} vertices selected, {totals.relaxed:,} "
        f"edges relaxed, {totals.improved:,} labels lowered. Its trace is one row."
    )


def _frames(selection: str) -> Any:
    if selection in {"entry", "tile"}:
        return _matrices(tiles=selection == "tile")
    graph, source = town()
    run = rounds(graph, source, selection, DELTA)
    figure = new_figure((9.6, 3.75), 150, "the gallery", layout="constrained")
    places = np.unique(np.round(np.array([0.15, 0.45, 0.75]) * (len(run) - 1)).astype(int))
    for axes, at in zip(figure.subplots(1, len(places)), places, strict=True):
        _draw_round(axes, graph, source, run[at])
        count = int(run[at].selected.sum())
        axes.set_title(
            f"round {at + 1} of {len(run)}: {count} relax{'es' if count == 1 else ''}",
            fontsize=11,
            color=INK,
        )
    handles, labels = figure.axes[-1].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=5,
        frameon=False,
        fontsize=10,
        handletextpad=0.2,
        columnspacing=1.4,
    )
    return figure


def _draw_round(axes: Any, graph: wp.Graph, source: int, one: Round) -> None:
    from matplotlib.collections import LineCollection

    src, dst, _ = graph.edges()
    places = graph.coordinates
    assert places is not None
    axes.add_collection(
        LineCollection(np.stack([places[src], places[dst]], 1), colors="#C9CDD2", linewidths=0.8)
    )
    rest = ~(one.selected | one.waiting | one.settled)
    kinds = (
        ("not reached, or not final", rest, "white", "#9AA0A6", 12),
        ("final", one.settled & ~one.selected & ~one.waiting, BLUE, BLUE, 16),
        ("waiting", one.waiting & ~one.selected, ORANGE, INK, 26),
        ("relaxing", one.selected, VERMILION, VERMILION, 46),
    )
    for order, (name, mask, fill, edge, size) in enumerate(kinds):
        axes.scatter(
            *places[mask].T,
            s=size,
            c=fill,
            edgecolors=edge,
            linewidths=0.8,
            zorder=3 + order,
            label=name,
        )
    axes.scatter(
        *places[source],
        s=70,
        marker="s",
        facecolors="none",
        edgecolors=INK,
        linewidths=1.6,
        zorder=9,
        label="source",
    )
    axes.set_aspect("equal")
    axes.set_axis_off()


def _matrices(*, tiles: bool) -> Any:
    figure = new_figure((9.6, 3.75), 150, "the gallery", layout="constrained")
    size = TILE if tiles else 1
    thirds = (TILE, 3 * TILE, 5 * TILE)
    for axes, first in zip(figure.subplots(1, 3), thirds, strict=True):
        # Of single vertices the one of a tile that lowers the most: many lower nothing.
        pivot = first if tiles else max(range(first, first + TILE), key=_fallen)
        _draw_matrix(axes, pivot, size)
        what = f"vertices {pivot} to {pivot + size - 1}" if tiles else f"vertex {pivot}"
        axes.set_title(f"through {what}", fontsize=11, color=INK)
    return figure


def _draw_matrix(axes: Any, pivot: int, size: int) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Rectangle

    before = _lengths(pivot)
    after = _lengths(pivot + size)
    kind = np.isfinite(before).astype(int) + 2 * (after < before)
    axes.imshow(
        np.minimum(kind, 2), cmap=ListedColormap(["#F4F5F6", SKY, VERMILION]), vmin=0, vmax=2
    )
    for x, y, wide, high in ((-0.5, pivot - 0.5, MATRIX, size), (pivot - 0.5, -0.5, size, MATRIX)):
        axes.add_patch(Rectangle((x, y), wide, high, fill=False, edgecolor=BLUE, linewidth=1.3))
    axes.set_xticks([])
    axes.set_yticks([])
    fell = int((after < before).sum())
    axes.set_xlabel(f"{fell} entries fell (red)", fontsize=10, color=INK)


def _fallen(pivot: int) -> int:
    """Return how many entries the way through a vertex lowers."""
    return int((_lengths(pivot + 1) < _lengths(pivot)).sum())


@cache
def _lengths(through: int) -> Any:
    """Return the lengths between all pairs by ways through the first vertices only."""
    if through == 0:
        graph = wp.generate.road(MATRIX, seed=3)
        src, dst, weights = graph.edges()
        lengths = np.full((MATRIX, MATRIX), np.inf)
        np.minimum.at(lengths, (src, dst), weights.astype(float))
        np.fill_diagonal(lengths, 0)
        return lengths
    lengths, k = _lengths(through - 1), through - 1
    return np.minimum(lengths, lengths[:, k : k + 1] + lengths[k])


def _rounds_drawn(trace: Trace) -> Any:
    """Draw who was selected and waited, and the edges, over the rounds."""
    drawn = rounds_of(trace)
    figure = new_figure((9.6, 2.9), 150, "the gallery", layout="constrained")
    panels = ((drawn.sizes, "vertices"), (drawn.work, "edges a round"))
    for axes, (series, label) in zip(figure.subplots(1, 2), panels, strict=True):
        for (name, steps), colour in zip(
            series.items(), (BLUE, ORANGE, VERMILION, SKY, INK), strict=False
        ):
            filled = name in {"selected", "read"}
            axes.stairs(steps.mean, drawn.edges, baseline=None, color=colour, label=name, lw=1.6)
            if filled:
                axes.stairs(steps.mean, drawn.edges, fill=True, color=colour, alpha=0.18)
        axes.set_ylabel(label, color=INK)
        axes.set_xlabel("round", color=INK)
        axes.set_xlim(drawn.edges[0], drawn.edges[-1])
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, color="#E6E6E6", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=3,
            frameon=False,
            fontsize=9.5,
            borderaxespad=0.2,
        )
    return figure
