"""Commands as solvers of ``warpath bench prepared``.

docs/benchmarks/external-solvers.md describes the protocol for users.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warpath_bench.external import CommandError, infinite, ran, read_told

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath_bench.external import Told
    from warpath_bench.prepared_questions import Question


class Command(NamedTuple):
    """A command: its name, the words that start it, and its number of threads."""

    name: str
    words: list[str]
    threads: int


def asked(
    command: Command, graph: Path, n: int, questions: Sequence[Question], limit: float
) -> tuple[Told, list[Array]]:
    """Run a command with all questions; return its report and an answer to each.

    Parameters
    ----------
    graph : the file of `write_graph`; the questions and answers lie next to it.
    n : number of vertices.
    limit : seconds for the run.

    Raises
    ------
    CommandError
        If it cannot be started, fails, exceeds the limit, or does not follow the protocol.
    """
    listed, out = graph.with_suffix(".questions"), graph.with_suffix(".answers")
    listed.write_text("".join(map(line_of, questions)), encoding="ascii")
    out.unlink(missing_ok=True)
    words = [*command.words, str(graph), str(listed), str(out), str(command.threads)]
    told = read_told(ran(words, limit), len(questions))
    if not out.exists():
        msg = f"it wrote no file {out.name} of answers."
        raise CommandError(msg)
    values = np.fromfile(out, told.dtype.newbyteorder("<"))
    out.unlink()
    return told, _parted(values, told, questions, n)


def line_of(question: Question) -> str:
    """Return a question's line: its form, the numbers of vertices, and the vertices."""
    sources, targets = question.sources, question.targets
    if question.form == "table":
        counts = f"{len(sources)} {len(targets)}"
    else:
        counts = "" if question.form == "route" else str(len(sources))
    if question.form in {"pairs", "route"}:
        vertices = np.column_stack((sources, targets)).reshape(-1)
    else:
        vertices = np.concatenate((sources, targets))
    return " ".join([question.form, *counts.split(), *map(str, vertices.tolist())]) + "\n"


def _parted(values: Array, told: Told, questions: Sequence[Question], n: int) -> list[Array]:
    """Cut the file of answers into the answer of each question."""
    parts, at = [], 0
    for question in questions:
        first = at
        if question.form == "route":
            count = values[at] if at < len(values) else 0
            if not 0 <= count <= n:
                msg = f"it wrote a route of {count:g} vertices, in a graph of {n:,}."
                raise CommandError(msg)
            first, at = at + 1, at + 1 + int(count)
        elif question.form == "pairs":
            at += len(question.sources)
        else:
            width = len(question.targets) if question.form == "table" else n
            at += len(question.sources) * width
        parts.append(values[first:at])
    if at != len(values):
        msg = f"it wrote {len(values):,} numbers of answers in place of {at:,}."
        raise CommandError(msg)
    return [
        part.astype(np.int64) if question.form == "route" else infinite(part, told.unreached)
        for part, question in zip(parts, questions, strict=True)
    ]
