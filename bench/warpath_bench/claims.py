"""The papers' statements, which statements.toml lists, and the rules that judge them.

A rule compares recipes on each graph that has a measurement of all of them. It returns an answer
for each graph, and the numbers that show it as a text.
"""

from __future__ import annotations

import operator
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from warpath.base import units
from warpath.recipes import CATALOGUE
from warpath_bench.catalogue import STUDY
from warpath_bench.measured import FAILS, HOLDS, PARTLY, UNKNOWN, Measured, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    #: An answer for each graph, and the numbers.
    Answers = tuple[list[bool], str]

_NEAR = 0.1  # as long as: within a tenth
_SPARSE_DEGREE = 16  # mean degree; the graphs of the study of all pairs have 4 or some hundreds
_SIMILAR, _LOW, _HIGH = 1.25, 4, 64  # alike: within a quarter; low and high mean degrees


@dataclass(frozen=True)
class Statement:
    """A qualitative statement of a paper, as statements.toml has it.

    Attributes
    ----------
    paper, place : the paper, and its section, figure or table that makes the statement.
    says : the statement.
    rule : the name of the function that judges it.
    recipes, than : what the rule compares; names without a paper are of this one.
    graphs : the name of a group of graphs.
    key, limit : the number that is compared; a ratio, or another bound of the rule.
    usually, rising : variants of the rules `faster` and `ordered`.
    verdict : replaces the judgement where measurements cannot decide.
    why : the reason if it does not hold or holds in part: one sentence with a number.
    """

    paper: str
    place: str
    says: str
    rule: str
    recipes: tuple[str, ...] = ()
    than: tuple[str, ...] = ()
    graphs: str = "sparse"
    key: str = "ms"
    limit: float = 1
    usually: bool = False
    rising: bool = False
    verdict: str = ""
    why: str = ""

    def judge(self, measured: Measured) -> Verdict:
        """Return whether the statement holds in the measurements, and their numbers."""
        answers, numbers = _RULES[self.rule](self, measured)
        if not answers:
            return Verdict(UNKNOWN, "")
        holds = HOLDS if all(answers) else PARTLY if any(answers) else FAILS
        if holds == PARTLY and not self.verdict:
            numbers += f"; on {sum(answers)} of {len(answers)}"
        return Verdict(self.verdict or holds, numbers)

    def values(self, measured: Measured) -> list[tuple[str, list[float]]]:
        """Return the graphs with a number for all recipes, and these numbers."""
        recipes, found = [*self.recipes, *self.than], []
        for graph in _GROUPS[self.graphs](measured):
            values = (
                measured.times(graph, recipes)
                if self.key == "ms"
                else measured.values(self.key, graph, recipes)
            )
            if values is not None:
                found.append((graph, values))
        return found


def statements() -> list[Statement]:
    """Return all statements, by paper."""
    text = Path(__file__).with_name("statements.toml").read_text(encoding="utf-8")
    names, found = {recipe.name for recipe in CATALOGUE}, []
    for paper, tables in tomllib.loads(text).items():
        for table in tables:
            for key in ("recipes", "than"):
                named = table.get(key, ())
                table[key] = tuple(n if n in names else f"{paper}.{n}" for n in named)
            found.append(Statement(paper, **table))
    return found


def _all_pairs_sparse(measured: Measured) -> list[str]:
    degrees = {line["graph"]: line["m"] / max(line["n"], 1) for line in measured.lines}
    return [g for g in measured.graphs(study=STUDY) if degrees[g] < _SPARSE_DEGREE]


def _queues(measured: Measured) -> list[str]:
    return measured.graphs("uniform", study="queues")


_GROUPS: dict[str, Callable[[Measured], list[str]]] = {
    "lists": lambda measured: measured.graphs("martin"),
    "largest list": lambda measured: measured.graphs("martin")[-1:],
    "matrices": lambda measured: measured.graphs("dense"),
    "sparse": Measured.sparse,
    "grids and files": lambda measured: [
        *measured.graphs("grid"),
        *(graph for graph in measured.roads() if graph.split()[0] != "grid"),
    ],
    "grids": lambda measured: measured.graphs("grid"),
    "queues": _queues,
    "queues and sparse": lambda measured: [*_queues(measured), *measured.sparse()],
    "all pairs": lambda measured: measured.graphs(study=STUDY),
    "all pairs, sparse": _all_pairs_sparse,
}


def faster(says: Statement, measured: Measured) -> Answers:
    """Judge by each recipe in less time than all others, times a limit; usually: on most graphs."""
    count = len(says.recipes)
    ratios = [min(v[count:]) / max(v[:count]) for _, v in says.values(measured)]
    answers = [ratio > says.limit for ratio in ratios]
    if says.usually and answers:
        answers = [2 * sum(answers) > len(answers)]
    return answers, _factors(ratios)


def as_long(says: Statement, measured: Measured) -> Answers:
    """Judge by the two times within a tenth of each other."""
    ratios = [one / other for _, (one, other) in says.values(measured)]
    return [abs(ratio - 1) <= _NEAR for ratio in ratios], f"{_factors(ratios)} as long"


def at_most(says: Statement, measured: Measured) -> Answers:
    """Judge by a number of at most the limit."""
    found = says.values(measured)
    told = (f"{units.digits(value)} {says.key} on {graph}" for graph, (value,) in found)
    return [value <= says.limit for _, (value,) in found], ", ".join(told)


def ordered(says: Statement, measured: Measured) -> Answers:
    """Judge by each recipe's number below that of the one before, or with `rising` not below."""
    found, follows = says.values(measured), operator.ge if says.rising else operator.lt
    answers = [all(follows(b, a) for a, b in pairwise(values)) for _, values in found]
    means = map(fmean, zip(*(values for _, values in found), strict=True))
    return answers, f"{'; '.join(map(units.digits, means))} (means)"


def saves_less(says: Statement, measured: Measured) -> Answers:
    """Judge by three numbers that fall, the second time by a smaller factor than the first."""
    found = [values for _, values in says.values(measured)]
    first, second = [a / b for a, b, _ in found], [b / c for _, b, c in found]
    answers = [1 < after < before for before, after in zip(first, second, strict=True)]
    return answers, f"{_factors(first)}, then {_factors(second)}"


def beats_the_heap(_: Statement, measured: Measured) -> Answers:
    """Judge by f_gpu_1min, u_gpu_plus_1min, f_cpu and u_gpu_1min.dense, all below fh."""
    lists = ("f_gpu_1min", "u_gpu_plus_1min", "f_cpu")
    answers, told = [], []
    for group, recipes in (("lists", lists), ("matrices", ("u_gpu_1min.dense",))):
        names = tuple(f"martin2009.{name}" for name in recipes)
        part = Statement("", "", "", "", names, ("martin2009.fh",), group)
        found, numbers = faster(part, measured)
        answers += found
        told += [f"{numbers} on {group}"] if found else []
    return answers, ", ".join(told)


def lost_minima(_: Statement, measured: Measured) -> Answers:
    """Judge by the labels of vertex n - 1 in the runs of each GPU: wrong ones, and several."""
    counts = [
        {int(label) for label in labels}
        for record in measured.records
        for recipe, labels in record.get("labels_of_the_counterexample", {}).items()
        if not CATALOGUE[recipe].exact
    ]
    numbers = f"{_span(list(map(len, counts)))} different labels from a variant"
    return [len(labels) > 1 and max(labels) > 2 for labels in counts], numbers


def ratio_nears_1(says: Statement, measured: Measured) -> Answers:
    """Judge by the ratio of two times: nearer to 1 on the largest graph than on the smallest."""
    ratios = [one / other for _, (one, other) in says.values(measured)]
    if len(ratios) < 2:
        return [], ""
    first, last = ratios[0], ratios[-1]
    numbers = f"{units.digits(first)} on the smallest graph, {units.digits(last)} on the largest"
    return [abs(last - 1) < abs(first - 1)], numbers


def largest_beats_smallest(says: Statement, measured: Measured) -> Answers:
    """Judge by each GPU version on the largest graph, below its CPU version on the smallest."""
    answers, ratios = [], []
    for recipe in says.recipes:
        serial = "classic.floyd_warshall" if ".fw_" in recipe else "classic.dijkstra"
        gpu, cpu = (
            [line for graph in graphs if "ms" in (line := measured.line(graph, name))]
            for graphs in [measured.graphs(study=STUDY)]
            for name in (recipe, serial)
        )
        if gpu and cpu and gpu[-1]["graph"] != cpu[0]["graph"]:
            answers.append(gpu[-1]["ms"] < cpu[0]["ms"])
            ratios.append(cpu[0]["ms"] / gpu[-1]["ms"])
    return answers, _factors(ratios)


def pays_from(says: Statement, measured: Measured) -> Answers:
    """Judge by the first recipe below the second from as many edges on, and not before."""
    edges = {line["graph"]: line["m"] for line in measured.lines}
    found = [(edges[graph] >= says.limit, b / a) for graph, (a, b) in says.values(measured)]
    told = (
        f"{_factors([ratio for is_large, ratio in found if is_large == large])} {where}"
        for large, where in ((False, "below"), (True, "above"))
        if any(is_large == large for is_large, _ in found)
    )
    return [(ratio > 1) == large for large, ratio in found], ", ".join(told)


def on_roads(says: Statement, measured: Measured) -> Answers:
    """Judge by the first recipe above the second on roads, and below it elsewhere."""
    roads = set(measured.roads())
    found = [(graph in roads, values[1] / values[0]) for graph, values in says.values(measured)]
    parts = {where: [r for road, r in found if road is is_road] for where, is_road in _WHERE}
    told = ", ".join(f"{_factors(ratios)} {where}" for where, ratios in parts.items())
    return [(ratio < 1) == road for road, ratio in found], told


_WHERE = (("on roads", True), ("elsewhere", False))


def arranging_dominates(says: Statement, measured: Measured) -> Answers:
    """Judge by the share of arranging and compacting in a recipe's steps: over half."""
    shares = []
    for graph in measured.sparse():
        steps = measured.line(graph, says.recipes[0]).get("steps")
        if steps:
            arranging = steps.get("compact", 0) + steps.get("arrange", 0)
            shares.append(100 * arranging / sum(steps.values()))
    return [share > 50 for share in shares], f"{_span(shares)} %"


def traversals(says: Statement, measured: Measured) -> Answers:
    """Judge by the relax steps: alike at low degree, cta_warp_scan last between, merge_path first.

    Up to mean degree 4, all are within a quarter of the fastest; between 4 and 64, cta_warp_scan is
    the slowest; from 64 on, and with a hub, merge_path is the fastest.
    """
    answers = []
    for graph in measured.graphs("uniform", "hub", study="degree"):
        lines = [measured.line(graph, recipe) for recipe in says.recipes]
        if not all(line.get("steps") and "ms" in line for line in lines):
            continue
        relax = [line["steps"]["relax"] for line in lines]
        degree = lines[0]["mean_degree"]
        if graph.startswith("hub") or degree >= _HIGH:
            answers.append(relax[2] == min(relax))
        elif degree <= _LOW:
            answers.append(max(relax) <= _SIMILAR * min(relax))
        else:
            answers.append(relax[1] == max(relax))
    return answers, "by the relax step"


def valley(_: Statement, measured: Measured) -> Answers:
    """Judge by the least time: not at the ends, and at the default no more than twice that."""
    answers, ratios = [], []
    for points in _sweeps(measured):
        least = min(points, key=lambda point: point[1])
        default = next((ms for factor, ms, *_ in points if factor == 1), None)
        inside = points[0][0] < least[0] < points[-1][0]
        answers.append(inside and default is not None and default <= 2 * least[1])
        ratios += [] if default is None else [default / least[1]]
    return answers, f"the default takes {_factors(ratios)} the least time"


def grows_with_delta(_: Statement, measured: Measured) -> Answers:
    """Judge by work and parallelism at the largest delta, above those at the smallest."""
    ends = [(counted[0], counted[-1]) for counted in map(_counted, _sweeps(measured)) if counted]
    answers = [last[0] > first[0] and last[1] > first[1] for first, last in ends]
    work, many = ([last[at] / first[at] for first, last in ends] for at in (0, 1))
    return answers, f"{_factors(work)} the work, {_factors(many)} the parallelism"


def _sweeps(measured: Measured) -> Iterable[list[tuple[float, float, float | None, float]]]:
    """Yield (factor, ms, work, parallelism) for each graph with three deltas, ascending."""
    for graph in measured.graphs(study="delta"):
        found = sorted(
            (line["factor"], line["ms"], line.get("work"), line.get("parallelism", 0))
            for line in measured.lines
            if line["study"] == "delta" and line["graph"] == graph and "ms" in line
        )
        if len(found) >= 3:
            yield found


def _counted(
    points: Sequence[tuple[float, float, float | None, float]],
) -> list[tuple[float, float]]:
    return [(work, many) for *_, work, many in points if work]


def _factors(values: Sequence[float]) -> str:
    return _span(values, "x")


def _span(values: Sequence[float], unit: str = "") -> str:
    if not values:
        return ""
    low, high = (units.digits(end) + unit for end in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


_RULES: dict[str, Callable[[Statement, Measured], Answers]] = {
    rule.__name__: rule
    for rule in (
        faster,
        as_long,
        at_most,
        ordered,
        saves_less,
        beats_the_heap,
        lost_minima,
        ratio_nears_1,
        largest_beats_smallest,
        pays_from,
        on_roads,
        arranging_dominates,
        traversals,
        valley,
        grows_with_delta,
    )
}
