"""The ranking of solvers: tables of a suite's lines, and our ratios to the best peer."""

from __future__ import annotations

from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base import units
from warpath_bench.lines import is_ours
from warpath_bench.session import NOT_BEGUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Line = dict[str, Any]


class Place(NamedTuple):
    """One of our solvers compared with the best peer; a ratio over 1 means that ours is faster."""

    ratio: float
    graph: str
    dtype: str
    tree: bool
    threads: int
    ours: str
    peer: str
    sources: int

    def __str__(self) -> str:
        plural = "s" * (self.threads > 1)
        return (
            f"{self.ratio:.2f} on {self.graph}, {self.dtype}{', tree' * self.tree}, "
            f"{self.threads} thread{plural}: {self.ours} beside {self.peer}"
        )


class Column:
    """The lines of one graph with one type of weights, with or without predecessors."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.at: dict[tuple[str, int], dict[int, Line]] = {}
        for line in lines:
            self.at.setdefault((line["solver"], line["threads"]), {})[line["source"]] = line

    def places(self) -> Iterator[Place]:
        """Yield the ratio to the best peer of each of our solvers that has peers."""
        for (name, threads), found in self.at.items():
            mine = _times(found)
            if not is_ours(name) or len(mine) < len(found):
                continue
            ratios = []
            for (peer, count), other in self.at.items():
                theirs = _times(other)
                if is_ours(peer) or count > threads or len(theirs) < len(other):
                    continue
                both = sorted(set(mine) & set(theirs))
                if both:
                    ratio = median(theirs[s] for s in both) / median(mine[s] for s in both)
                    ratios.append((ratio, f"{peer}, {count}" if count > 1 else peer, len(both)))
            if ratios:
                ratio, peer, both_count = min(ratios)
                line = next(iter(found.values()))
                yield Place(
                    ratio,
                    line["graph"],
                    line["dtype"],
                    line["tree"],
                    threads,
                    name,
                    peer,
                    both_count,
                )


def _times(found: dict[int, Line]) -> dict[int, float]:
    return {source: line["ms"] for source, line in found.items() if "ms" in line}


def columns(lines: Sequence[Line]) -> dict[tuple[str, bool], dict[str, Column]]:
    """Return (kind of weights, tree) -> graph -> its column.

    Kinds are in the order of the lines, and each without trees comes before that with trees. Whole
    numbers of int64 and of int32 are one kind.
    """
    kinds: list[str] = list(dict.fromkeys(line["kind"] for line in lines))
    found: dict[tuple[str, bool], dict[str, Column]] = {}
    for kind in kinds:
        for tree in (False, True):
            mine = [line for line in lines if (line["kind"], line["tree"]) == (kind, tree)]
            graphs = dict.fromkeys(line["graph"] for line in mine)
            if mine:
                found[kind, tree] = {
                    graph: Column(line for line in mine if line["graph"] == graph)
                    for graph in graphs
                }
    return found


def tables(lines: Sequence[Line]) -> str:
    """Return a Markdown table for each kind of weights, without and with predecessors."""
    every = columns(lines)
    parts = []
    for (kind, tree), graphs in every.items():
        parts.append(f"### {kind} weights, {'distances and predecessors' if tree else 'distances'}")
        parts.append(_table(graphs, every.get((kind, False), {}) if tree else {}))
    return "\n\n".join(parts)


def _table(graphs: dict[str, Column], bare: dict[str, Column]) -> str:
    rows = ["| ms | " + " | ".join(graphs) + " |", "|---" * (len(graphs) + 1) + "|"]
    solvers = _solvers(graphs)
    for name, threads in solvers:
        cells = [_cell(column.at.get((name, threads)), column) for column in graphs.values()]
        rows.append(f"| {_titled(name, threads)} | " + " | ".join(cells) + " |")
    for name, threads in (one for one in _solvers(bare) if one not in solvers):
        found = ((bare[graph], graph) for graph in graphs if graph in bare)
        cells_of = {graph: _cell(column.at.get((name, threads)), column) for column, graph in found}
        cells = [cells_of.get(graph, "") for graph in graphs]
        rows.append(f"| {_titled(name, threads)}, distances only | " + " | ".join(cells) + " |")
    for name, threads in (one for one in solvers if is_ours(one[0])):
        cells = []
        for column in graphs.values():
            place = next(
                (p for p in column.places() if (p.ours, p.threads) == (name, threads)), None
            )
            cells.append("" if place is None else f"**{place.ratio:.2f}** {place.peer}")
        rows.append(f"| best peer / {_titled(name, threads)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _solvers(graphs: dict[str, Column]) -> list[tuple[str, int]]:
    """Return our solvers, then the others, each in the order of the lines."""
    every = list(dict.fromkeys(key for column in graphs.values() for key in column.at))
    return sorted(every, key=lambda key: not is_ours(key[0]))


def _titled(name: str, threads: int) -> str:
    return f"{name}, {threads} threads" if threads > 1 else name


def _cell(found: dict[int, Line] | None, column: Column) -> str:
    """Return the median and quartiles, with the number of sources if some lack, or the error."""
    if not found:
        return ""
    errors = [line for line in found.values() if "error" in line]
    if errors and errors[0]["error"].startswith(NOT_BEGUN):
        return "-"
    if errors:
        counted = max(line.get("wrong", 0) for line in errors)
        return f"{counted:,} wrong" if counted else "failed"
    times = sorted(line["ms"] for line in found.values())
    text = units.digits(median(times))
    if len(times) > 1:
        low, _, high = quantiles(times, n=4)
        text += f" ({units.digits(low)}-{units.digits(high)})"
    most = max(len(other) for other in column.at.values())
    return text + (f" [{len(times)}]" if len(times) < most else "")


def worst(lines: Sequence[Line], count: int) -> list[Place]:
    """Return the `count` lowest ratios to the best peer."""
    found = [
        place
        for graphs in columns(lines).values()
        for column in graphs.values()
        for place in column.places()
    ]
    return sorted(found)[:count]
