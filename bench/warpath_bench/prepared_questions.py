"""The seeded questions of ``warpath bench prepared``, and how answers are asked for and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath.api.calls import distances
from warpath.base.dtypes import unreachable
from warpath.base.errors import VerificationError
from warpath_bench.external import CommandError, answered, infinite
from warpath_bench.right import wrong_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath_bench.external import Told

_SEED = 20261125
_SAMPLED = 4  # sources of each question whose distances are compared with Dijkstra's


class Kind(NamedTuple):
    """A kind of question.

    Attributes
    ----------
    name : its key in lines.
    title : its column in tables, with the unit.
    form : "pairs", "route", "table" or "all", the first word of a question in the protocol.
    sources, targets : numbers of vertices.
    questions : number of questions, besides one to warm up.
    factor : a figure is the milliseconds of a question times `factor`.
    """

    name: str
    title: str
    form: str
    sources: int
    targets: int
    questions: int
    factor: float


class Question(NamedTuple):
    """A question: ``sources`` (k,) and ``targets`` (l,), which is empty for all vertices."""

    form: str
    sources: Array
    targets: Array

    def cut(self, count: int) -> Question:
        """Return the question of the first sources, with all targets of a table."""
        targets = self.targets[:count] if self.form == "pairs" else self.targets
        return Question(self.form, self.sources[:count], targets)


def kinds(*, quick: bool) -> list[Kind]:
    """Return the kinds of questions; small ones for a quick run."""
    pairs, side, many, batch = (100, 8, 20, 4) if quick else (10_000, 64, 1000, 32)
    few, most = (2, 3) if quick else (3, 200)
    return [
        Kind("pair", "one pair, us", "pairs", 1, 1, most, 1e3),
        Kind("route", "one route, us", "route", 1, 1, most, 1e3),
        Kind("pairs", f"{pairs:,} pairs, us a pair", "pairs", pairs, pairs, few, 1e3 / pairs),
        Kind("small", f"{side} x {side}, ms", "table", side, side, 3 * few, 1.0),
        Kind("large", f"{many:,} x {many:,}, ms", "table", many, many, few, 1.0),
        Kind("all", f"{batch} to all, ms a source", "all", batch, 0, few, 1.0 / batch),
    ]


def questions_of(graph: Graph, kind: Kind) -> list[Question]:
    """Return the seeded questions of a kind; the first one is to warm up."""
    random = np.random.default_rng([_SEED, kind.sources, kind.targets, len(kind.form)])
    usable = np.flatnonzero(np.diff(graph.indptr))
    return [
        Question(
            kind.form, random.choice(usable, kind.sources), random.choice(usable, kind.targets)
        )
        for _ in range(1 + kind.questions)
    ]


def check_sample(graph: Graph, question: Question, found: Array) -> None:
    """Compare our answer with Dijkstra's for some sources.

    Parameters
    ----------
    found : the distances, or the vertices of a route.

    Raises
    ------
    VerificationError
        If a distance differs: wrong answers get no times.
    """
    some = question.cut(_SAMPLED)
    targets = some.targets if len(some.targets) else None
    right = distances(graph, some.sources, targets, algorithm="classic.dijkstra").dist
    if question.form == "pairs":
        right = np.diagonal(right)
        found = found[: len(right)]
    elif question.form == "route":
        right, found = right[0], np.array([route_length(graph, question, found)])
    else:
        found = found[: len(right)]
    if not np.array_equal(right, found):
        msg = f"a prepared answer of form {question.form!r} differs from Dijkstra's."
        raise VerificationError(msg, "distance", {"sources": some.sources.tolist()})


def wrong_in(graph: Graph, question: Question, right: Array, found: Array) -> int:
    """Return how many distances of an answer differ from the right ones.

    Parameters
    ----------
    right, found : distances of the same sources and targets, or the vertices of two routes, of
        which only the lengths are compared.
    """
    if question.form == "route":
        lengths = (route_length(graph, question, vertices) for vertices in (right, found))
        mine, theirs = lengths
        return int(mine != theirs)
    return wrong_of(right.reshape(-1), found.reshape(-1))[0]


def route_length(graph: Graph, question: Question, vertices: Array) -> int:
    """Return the length of a route by the lightest edges between its vertices.

    -1 if it does not lead from the source to the target along edges; the largest number for an
    empty route, which means that there is none.
    """
    if len(vertices) == 0:
        return int(unreachable(graph.dist_dtype))
    if vertices[0] != question.sources[0] or vertices[-1] != question.targets[0]:
        return -1
    total = 0
    for u, v in zip(vertices[:-1].tolist(), vertices[1:].tolist(), strict=True):
        row = slice(graph.indptr[u], graph.indptr[u + 1])
        weights = graph._solver_weights[row][graph.indices[row] == v]
        if len(weights) == 0:
            return -1
        total += int(weights.min())
    return total


def asked(
    words: Sequence[str], graph: Path, n: int, questions: Sequence[Question], limit: float
) -> tuple[Told, list[Array]]:
    """Run a command with all questions on one thread; return its report and each answer.

    Raises
    ------
    CommandError
        As of `answered`, or if the answers have another size.
    """
    told, values = answered(words, graph, list(map(line_of, questions)), 1, limit)
    found, at = [], 0
    for question in questions:
        if question.form == "route":
            count = int(values[at]) if at < len(values) else 0
            if not 0 <= count <= n:
                raise CommandError(f"it wrote a route of {count} vertices, in a graph of {n:,}.")
            found.append(values[at + 1 : at + 1 + count].astype(np.int64))
            at += 1 + count
        else:
            width = {"pairs": 1, "all": n}.get(question.form, len(question.targets))
            end = at + len(question.sources) * width
            found.append(infinite(values[at:end], told.unreached))
            at = end
    if at != len(values):
        raise CommandError(f"it wrote {len(values):,} numbers of answers in place of {at:,}.")
    return told, found


def line_of(question: Question) -> str:
    """Return a question's line: its form, the numbers of vertices, and the vertices."""
    sources, targets = question.sources, question.targets
    if question.form == "table":
        counts = [len(sources), len(targets)]
    else:
        counts = [] if question.form == "route" else [len(sources)]
    if question.form in {"pairs", "route"}:
        vertices = np.column_stack((sources, targets)).reshape(-1)
    else:
        vertices = np.concatenate((sources, targets))
    return " ".join([question.form, *map(str, counts), *map(str, vertices.tolist())]) + "\n"
