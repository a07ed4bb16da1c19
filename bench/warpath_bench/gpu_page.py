"""The lines of ``warpath bench gpu`` as a Markdown page, and their times over the edges."""

from __future__ import annotations

import json
from statistics import geometric_mean, median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.recipes import CATALOGUE
from warpath_bench import gpu_tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Line = dict[str, Any]


class Known(NamedTuple):
    """Milliseconds on a graph: of ADDS on an H200, the better of two times, and our goal."""

    adds: float | None
    goal: float


#: Times of kernels with integer weights, measured in November 2026; None where ADDS hangs.
RECORDED: dict[str, Known] = {
    "NY": Known(5.9, 2.5),
    "grid 1000": Known(10.0, 4),
    "grid 2000": Known(21.8, 9),
    "grid 5000": Known(58.7, 25),
    "mesh 700": Known(5.8, 2.5),
    "mesh 2000": Known(19.2, 8),
    "uniform 500000 8": Known(0.96, 0.4),
    "uniform 4000000 8": Known(4.1, 1.8),
    "uniform 16000000 8": Known(12.1, 6),
    "rmat 18 16": Known(1.36, 0.5),
    "rmat 20 16": Known(None, 1.2),
    "rmat 22 16": Known(None, 4),
    "road 3600000": Known(None, 8),
}
#: The graphs that are measured by default: sizes over three decades, then the table's.
GRAPHS = (
    "rmat 14 16",
    "rmat 16 16",
    "grid 125",
    "grid 250",
    "grid 500",
    "uniform 16000 8",
    "uniform 62500 8",
    *RECORDED,
    "martin 1048576",
    "martin 11534336",
    "delaunay 4194304",
    "road 24000000",
    "rmat 24 16",
    "rmat 26 16",
)

# Limits of an H200 as measured: bytes a second of a copy, gathers of 4 bytes a second from an
# array of so many bytes, seconds of a barrier of all blocks.
_COPIED = 4.27e12
_GATHERED = {4: 158e9, 32: 132e9, 64: 73e9, 256: 44e9, 1024: 40e9, 4096: 38e9}
_BARRIER = 1e-6

_HEAD = """\
# One source on {gpu}

<!-- Written by `warpath bench gpu --output`
from bench/warpath_bench/gpu_page.py: edit that file. -->

Medians of {sources} sources a graph: its largest hub, a vertex in the middle, and seeded ones;
three solves from each. *Kernels* are times by events around each launch, *call* is the whole public
call with the answer left on the device, *copied* the call with the copy to the host; the graph was
on the device before, which the *first* call of all saw to, its rows sorted or cut into patches on
the way. Every distance was compared with the CPU's, of which the first source's passed the
certificate. *Floor* is what the chip needs at least: 8 bytes an edge at 4.27 TB/s, a gather an
edge at the rate for the labels' size, and a microsecond a round that the solve told of; a solve
that leaves rows, which are sorted by weight, where the rest lowers no label reads fewer edges and
may take less. ADDS (Wang, Fussell, Lin: A fast work-efficient SSSP algorithm for GPUs, PPoPP
2021), the better of its two times a graph, and the goals are for kernels, with
integers. Other processes made the next graphs meanwhile, on cores of their own.
"""


def floor_ms(n: int, m: int, rounds: float | None) -> float:
    """Return the least milliseconds of a solve; see the page."""
    sizes = [np.log2(size) for size in _GATHERED]
    rate = np.interp(np.log2(max(4 * n / 2**20, 1e-9)), sizes, list(_GATHERED.values()))
    return float(1e3 * (8 * m / _COPIED + m / rate + (rounds or 0) * _BARRIER))


def key_of(line: Line) -> tuple[str, str, str, str]:
    """Return a line's key: study, graph, type of weights, requested algorithm."""
    return study_of(line), line["graph"], line["dtype"], line["algorithm"]


def study_of(line: Line) -> str:
    """Return "source", "catalogue" or "planner"."""
    return str(line.get("study", "source"))


def is_wrong(line: Line) -> bool:
    """Return whether distances are wrong although the algorithm is exact."""
    exact = study_of(line) != "catalogue" or CATALOGUE[line["algorithm"]].exact
    return bool(line.get("wrong")) and exact


def read(path: Path) -> list[Line]:
    """Return the lines of a file, the last one of each key; none if the file does not exist."""
    texts = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return list({key_of(line): line for line in map(json.loads, texts)}.values())


def compact(line: Line) -> str:
    """Return a short text of a line."""
    told = "{graph}, {dtype}, {algorithm}: ".format(**line)
    if study_of(line) == "catalogue":
        return told + gpu_tables.cell(line)
    if study_of(line) == "planner":
        return told + gpu_tables.choice(line)
    if "error" in line:
        return f"{told}{line['error']}"
    times = [f"{key[:-3]} {median(line[key]):.3f}" for key in ("kernel_ms", "call_ms", "copied_ms")]
    return told + f"{line['plan']}, {', '.join(times)} ms, {line['wrong']} wrong"


def page(lines: Sequence[Line]) -> str:
    """Return the page: the conditions, the table, and the comparison with ADDS and goals."""
    gpus = ", ".join(sorted({line["gpu"] for line in lines}))
    mine = ours(lines)
    counts = sorted({len(line["sources"]) for line in mine})
    head = _HEAD.format(gpu=gpus, sources=" or ".join(map(str, counts)))
    rows = [_cells(_COLUMNS), "|---|---:|---:|---|---|" + "---:|" * 10, *map(_row, mine)]
    about = sorted({f"{key} {line[key]}" for line in lines for key in _ABOUT if line.get(key)})
    parts = [[head, *rows, "", *_verdict(mine)]] if mine else [[f"# The planner on {gpus}"]]
    parts.append(gpu_tables.catalogue([one for one in lines if study_of(one) == "catalogue"], mine))
    parts.append(gpu_tables.planner([one for one in lines if study_of(one) == "planner"]))
    parts.append([f"Measured with {', '.join(about)}.", ""])
    return "\n".join(text for part in parts if part for text in [*part, ""]).rstrip("\n") + "\n"


def ours(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of our own solves, grouped by kind of graph and sorted by size."""
    found = [line for line in lines if study_of(line) == "source"]
    kinds = list(dict.fromkeys(name.split()[0] for name in [*RECORDED, *_names(found)]))
    return sorted(found, key=lambda line: (kinds.index(line["graph"].split()[0]), line["m"]))


def _names(lines: Sequence[Line]) -> list[str]:
    return [line["graph"] for line in lines]


_COLUMNS = (
    "graph",
    "n",
    "m",
    "weights",
    "by",
    "kernels, ms",
    "call",
    "copied",
    "goal",
    "ADDS",
    "ADDS over ours",
    "floor",
    "ours over it",
    "rounds",
    "first, s",
)
_ABOUT = (
    "gpu",
    "driver",
    "runtime",
    "compiler",
    "processor",
    "cores",
    "python",
    "warpath",
    "commit",
)


def _row(line: Line) -> str:
    cells = [line["graph"], f"{line['n']:,}", f"{line['m']:,}", line["dtype"]]
    if "error" in line or line["wrong"]:
        said = line.get("error") or f"{line['wrong']:,} wrong distances"
        return _cells([*cells, line["algorithm"], said, *[""] * 9])
    kernel, rounds = median(line["kernel_ms"]), _rounds(line)
    least, known = floor_ms(line["n"], line["m"], rounds), _known(line)
    peer = known.adds if known else None
    return _cells(
        [
            *cells,
            f"`{line['plan']}`",
            _short(kernel),
            _short(median(line["call_ms"])),
            _short(median(line["copied_ms"])),
            _short(known.goal) if known else "",
            _short(peer) if peer else "",
            f"{peer / kernel:.1f}x" if peer else "",
            _short(least),
            f"{kernel / least:.1f}",
            "" if rounds is None else f"{rounds:,.0f}",
            _short(line["first_s"]),
        ]
    )


def _verdict(lines: Sequence[Line]) -> list[str]:
    """Return the geometric mean of speedups over ADDS, and the missed goals."""
    right = [line for line in lines if "error" not in line and not line["wrong"]]
    mine = [(line, known) for line in right if (known := _known(line))]
    over = [known.adds / median(line["kernel_ms"]) for line, known in mine if known.adds]
    late = [
        "{graph} ({plan})".format(**line)
        + f", {_short(median(line['kernel_ms']))} for {known.goal:g}"
        for line, known in mine
        if median(line["kernel_ms"]) > known.goal
    ]
    said = (
        [f"Over ADDS, geometric mean of {len(over)}: {geometric_mean(over):.2f}x."] if over else []
    )
    if mine:
        said.append(f"Goals missed: {'; '.join(late) or 'none'}.")
    return said


def _known(line: Line) -> Known | None:
    return RECORDED.get(line["graph"]) if line["dtype"] == "int32" else None


def _rounds(line: Line) -> float | None:
    told = [rounds for rounds in line["rounds"] if rounds is not None]
    return median(told) if told else None


def _cells(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _short(ms: float) -> str:
    return f"{ms:.3g}" if ms < 1000 else f"{ms:,.0f}"


def write(lines: Sequence[Line], text: str, path: Path) -> None:
    """Write the page, and a picture of the kinds of graphs that have three sizes or more."""
    from warpath_bench import charts

    series = curves(lines)
    if series:
        picture = path.with_name(f"{path.stem}-sizes.png")
        charts.curves(picture, series, "edges", "kernels (ms)")
        text += f"\n![Time over the number of edges, and the floor]({picture.name})\n"
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
