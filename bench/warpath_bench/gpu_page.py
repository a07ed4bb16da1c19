"""The lines of ``warpath bench gpu`` as a Markdown page, and their times over the edges."""

from __future__ import annotations

from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import units
from warpath.recipes import CATALOGUE
from warpath_bench import lines as files
from warpath_bench.measured import about, rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Line = dict[str, Any]

#: Milliseconds of ADDS's kernels on an H200 with integer weights, the better of two times.
ADDS = {
    "NY": 5.9,
    "grid 1000": 10.0,
    "grid 2000": 21.8,
    "grid 5000": 58.7,
    "mesh 700": 5.8,
    "mesh 2000": 19.2,
    "uniform 500000 8": 0.96,
    "uniform 4000000 8": 4.1,
    "uniform 16000000 8": 12.1,
    "rmat 18 16": 1.36,
}
#: The graphs that are measured by default: sizes over three decades, then the table's.
GRAPHS = (
    "rmat 14 16", "rmat 16 16", "grid 125", "grid 250", "grid 500", "uniform 16000 8",
    "uniform 62500 8", *ADDS, "rmat 20 16", "rmat 22 16", "road 3600000", "martin 1048576",
    "martin 11534336", "delaunay 4194304", "road 24000000", "rmat 24 16", "rmat 26 16",
)  # fmt: skip

# Limits of an H200 as measured: bytes a second of a copy, gathers of 4 bytes a second from an
# array of so many bytes, seconds of a barrier of all blocks.
_COPIED = 4.27e12
_GATHERED = {4: 158e9, 32: 132e9, 64: 73e9, 256: 44e9, 1024: 40e9, 4096: 38e9}
_BARRIER = 1e-6

_HEAD = """\

<!-- Written by `warpath bench gpu`: edit bench/warpath_bench/gpu_page.py. -->

Milliseconds with {dtype} weights, medians of {sources} sources, each solved three times: *kernels*
by events, *call* leaves the answer on the GPU, *copied* copies it. Distances are compared with the
CPU's. Last come times over ours: *ADDS* (PPoPP 2021), and a paper's fastest recipe.
"""


def floor_ms(n: int, m: int, rounds: float | None) -> float:
    """Return a lower bound of a solve in ms.

    It counts 8 bytes an edge, a gather an edge at the rate for the labels' size, and a barrier for
    each round that the solve reported. Solves that skip edges may take less.
    """
    sizes = [np.log2(size) for size in _GATHERED]
    rate = np.interp(np.log2(max(4 * n / 2**20, 1e-9)), sizes, list(_GATHERED.values()))
    return float(1e3 * (8 * m / _COPIED + m / rate + (rounds or 0) * _BARRIER))


def key_of(line: Line) -> tuple[str, str, str, str]:
    """Return a line's key: study, graph, type of weights, requested algorithm."""
    return study_of(line), line["graph"], line["dtype"], line["algorithm"]


def study_of(line: Line) -> str:
    """Return "source" or "catalogue"."""
    return str(line.get("study", "source"))


def is_wrong(line: Line) -> bool:
    """Return whether distances are wrong although the algorithm is exact."""
    exact = study_of(line) != "catalogue" or CATALOGUE[line["algorithm"]].exact
    return bool(line.get("wrong")) and exact


def read(path: Path) -> list[Line]:
    """Return the lines of a file, the last one of each key; none if the file does not exist."""
    return files.read(path, key_of)


def compact(line: Line) -> str:
    """Return a short text of a line."""
    told = "{graph}, {dtype}, {algorithm}: ".format(**line)
    for key in ("refused", "failed", "error"):
        if key in line:
            return f"{told}{key}: {line[key]}"
    if "limit" in line:
        return f"{told}stopped after {units.seconds(line['limit'])}"
    times = ", ".join(
        f"{key[:-3]} {median(line[key]):.3f}"
        for key in ("kernel_ms", "call_ms", "copied_ms")
        if key in line
    )
    return f"{told}{line.get('plan', '')} {times} ms, {line['wrong']} wrong"


def page(lines: Sequence[Line]) -> str:
    """Return the page: the conditions and the table."""
    gpu = ", ".join(sorted({line["gpu"] for line in lines}))
    mine = ours(lines)
    parts = [f"# One source on {gpu}"]
    if mine:
        counts = sorted({len(line["sources"]) for line in mine})
        dtype = mine[0]["dtype"]
        sources = " or ".join(map(str, counts))
        shown = [line for line in mine if line["dtype"] == dtype]
        parts += [_HEAD.format(dtype=dtype, sources=sources)]
        parts += rows(_COLUMNS, [_row(line, lines) for line in shown])
        verdict = " ".join(_verdict(mine))
        parts += ["", verdict] if verdict else []
    return "\n".join([*parts, "", f"Measured with {about(lines)}.", ""])


def ours(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of our own solves, grouped by kind of graph and sorted by size."""
    found = [line for line in lines if study_of(line) == "source"]
    kinds = [name.split()[0] for name in [*ADDS, *(line["graph"] for line in found)]]
    return sorted(found, key=lambda line: (kinds.index(line["graph"].split()[0]), line["m"]))


_COLUMNS = ("graph", "edges", "by", "kernels", "call", "copied", "ADDS", "published")


def _row(line: Line, lines: Sequence[Line]) -> list[Any]:
    cells = [line["graph"], line["m"]]
    if "error" in line or line["wrong"]:
        said = line.get("error") or f"{line['wrong']:,} wrong distances"
        return [*cells, line["algorithm"], said, *[""] * 4]
    times = [float(median(line[key])) for key in ("kernel_ms", "call_ms", "copied_ms")]
    ratios = (_over_adds(line), _over_published(line, lines))
    return [
        *cells,
        line["plan"].removeprefix("warpath."),
        *times,
        *(f"{r:.1f}x" if r else "" for r in ratios),
    ]


def _over_adds(line: Line) -> float | None:
    peer = ADDS.get(line["graph"]) if line["dtype"] == "int32" else None
    return peer / median(line["kernel_ms"]) if peer else None


def _over_published(line: Line, lines: Sequence[Line]) -> float | None:
    """Return the fastest published recipe's time over ours, from the same source."""
    here = [
        one
        for one in lines
        if study_of(one) == "catalogue"
        and (one["graph"], one["dtype"]) == (line["graph"], line["dtype"])
    ]
    times = [median(one["call_ms"]) for one in here if "call_ms" in one and not one["wrong"]]
    if not times:
        return None
    source = here[0]["source"]
    place = line["sources"].index(source) if source in line["sources"] else 0
    return float(min(times) / line["call_ms"][place])


def _verdict(mine: Sequence[Line]) -> list[str]:
    """Return sentences on the mean ratio to ADDS and on the times with other types of weights."""
    right = [line for line in mine if "error" not in line and not line["wrong"]]
    over = [ratio for line in right if (ratio := _over_adds(line))]
    said = []
    if over:
        mean = geometric_mean(over)
        said.append(f"ADDS: {mean:.2f}x in the geometric mean of {len(over)}.")
    first, others = mine[0]["dtype"], []
    base = {line["graph"]: median(line["kernel_ms"]) for line in right if line["dtype"] == first}
    for dtype in dict.fromkeys(line["dtype"] for line in right if line["dtype"] != first):
        ratios = [
            median(line["kernel_ms"]) / base[line["graph"]]
            for line in right
            if line["dtype"] == dtype and line["graph"] in base
        ]
        if ratios:
            low, high = units.digits(min(ratios)), units.digits(max(ratios))
            others.append(f"{low} to {high} with {dtype}")
    if others:
        said.append(f"Kernels over those with {first}: {', '.join(others)}.")
    return said


def _rounds(line: Line) -> float | None:
    told = [rounds for rounds in line["rounds"] if rounds is not None]
    return median(told) if told else None


def write(lines: Sequence[Line], text: str, path: Path) -> None:
    """Write the page, and a picture of the kinds of graphs that have three sizes or more."""
    from warpath_bench import charts

    series = curves(lines)
    if series:
        picture = path.with_name(f"{path.stem}-sizes.png")
        charts.panels(picture, [("kernels (ms)", series)], "edges")
        text += f"\n![Time over edges]({picture.name})\n"
    path.write_text(text, encoding="utf-8")


def curves(lines: Sequence[Line]) -> dict[str, list[Any]]:
    """Return curves for each kind of graph and type of weights, and for the kinds' lower bounds."""
    from warpath_bench.charts import Point

    found: dict[str, list[Any]] = {}
    for line in ours(lines):
        if "error" in line or line["wrong"]:
            continue
        kind, times = line["graph"].split()[0], line["kernel_ms"]
        low, high = np.quantile(times, [0.25, 0.75])
        point = Point(line["m"], median(times), float(low), float(high))
        found.setdefault(f"{kind}, {line['dtype']}", []).append(point)
        least = floor_ms(line["n"], line["m"], _rounds(line))
        found.setdefault(f"{kind}, the floor", []).append(Point(line["m"], least, least, least))
    enough = {name: points for name, points in found.items() if len({p.x for p in points}) >= 3}
    return {name: sorted(set(points)) for name, points in enough.items()}
