"""Solvers that are commands: they read a graph and sources and report times and distances.

docs/benchmarks/external-solvers.md describes the protocol for users.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.errors import InputError, WarpathError
from warpath_bench.run import Entrant, Found

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from warpath.base.dtypes import Array
    from warpath.graph import Graph
    from warpath_bench.right import Right

_TYPES = ("int32", "int64", "float32", "float64")
_WORDS = ("time", "labels", "build", "peak", "about")
_LINES = (
    "'time MS', 'labels TYPE [UNREACHED]', 'build SECONDS', 'peak MB' and 'about TEXT', types "
    + ", ".join(_TYPES)
)


class CommandError(WarpathError):
    """A command did not follow the protocol."""


class Told(NamedTuple):
    """The report that a command printed: times, the type of distances, and optional facts."""

    times: list[float]
    dtype: np.dtype[Any]
    unreached: float | None
    build_s: float | None
    peak_mb: float | None
    about: str | None


def parsed(text: str) -> tuple[str, list[str]]:
    """Return the name and the words of ``NAME=COMMAND``.

    Raises
    ------
    InputError
        If the name or the command is missing.
    """
    name, equals, command = text.partition("=")
    words = shlex.split(command)
    if not name.strip() or not equals or not words:
        msg = f"--external {text!r}: write NAME=COMMAND, for example 'GAP=./gap --deltas 16'."
        raise InputError(msg)
    return name.strip(), words


def write_graph(graph: Graph, path: Path) -> None:
    """Write a graph in the protocol's format: a line of text, then CSR arrays, little-endian."""
    weights = graph._solver_weights
    with path.open("wb") as file:
        file.write(f"warpath-graph 1 {weights.dtype} {graph.n} {graph.m}\n".encode())
        for values, dtype in (
            (graph.indptr, "<i8"),
            (graph.indices, "<i4"),
            (weights, weights.dtype.newbyteorder("<")),
        ):
            file.write(np.ascontiguousarray(values, dtype).data)


class External(Entrant):
    """A command as a solver.

    Parameters
    ----------
    name, words, threads : its name, the words that start it, and its number of threads.
    graph : the file of `write_graph`.
    n : number of vertices.
    limit : seconds for one run.
    """

    def __init__(
        self, name: str, words: Sequence[str], threads: int, graph: Path, n: int, limit: float
    ) -> None:
        super().__init__(name, threads, tree=False, about={"budget_s": None, "peak_mb": None})
        self._words, self._graph, self._n, self._limit = list(words), graph, n, limit

    def turn(self, right: Mapping[int, Right]) -> None:
        """Run the command with all sources, the first one twice, and compare its distances."""
        if self.error is not None:
            return
        try:
            self._turn(right)
        except (CommandError, OSError) as error:
            self.error = f"{shlex.join(self._words)}: {error}"

    def _turn(self, right: Mapping[int, Right]) -> None:
        sources, n = list(right), self._n
        asked = [f"{s}\n" for s in [sources[0], *sources]]
        told, labels = answered(self._words, self._graph, asked, self.threads, self._limit)
        if len(labels) != len(asked) * n:
            raise CommandError(
                f"it wrote {len(labels):,} distances in place of {len(asked) * n:,}: {len(asked)} "
                f"sources x {n:,} vertices."
            )
        self.about |= {"first_ms": told.times[0], "peak_mb": told.peak_mb, "build_s": told.build_s}
        rows = labels.reshape(len(asked), n)[1:]
        for source, ms, dist in zip(sources, told.times[1:], rows, strict=True):
            self.found.setdefault(source, Found(plan=told.about)).times.append(ms)
            self.compare(right[source], source, infinite(dist, told.unreached))


def answered(
    words: Sequence[str], graph: Path, asked: Sequence[str], threads: int, limit: float
) -> tuple[Told, Array]:
    """Run a command with lines of questions; return its report and the numbers that it wrote.

    Parameters
    ----------
    words : the words that start the command.
    graph : the file of `write_graph`; the questions and answers are written next to it.
    limit : seconds for the run.

    Raises
    ------
    CommandError
        If the command cannot be started, fails, exceeds the limit, or breaks the protocol.
    """
    listed, out = graph.with_suffix(".questions"), graph.with_suffix(".answers")
    listed.write_text("".join(asked), encoding="ascii")
    out.unlink(missing_ok=True)
    told = read_told(ran([*words, *map(str, (graph, listed, out, threads))], limit), len(asked))
    dtype = told.dtype.newbyteorder("<")
    values = np.fromfile(out, dtype) if out.exists() else np.empty(0, dtype)
    out.unlink(missing_ok=True)
    return told, values


def ran(words: Sequence[str], limit: float) -> str:
    """Run a command and return its output.

    Raises
    ------
    CommandError
        If it cannot be started, fails, or exceeds the limit, in which case it is killed.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise CommandError(f"it cannot be started: {error.strerror}.") from error
    with process:
        try:
            printed, complained = process.communicate(timeout=limit)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                msg = f"it was ended after {limit:g} s; --limit gives it longer."
                raise CommandError(msg) from error
            raise
    if process.returncode:
        last = complained.strip().splitlines()[-1:] or ["it said nothing on stderr"]
        raise CommandError(f"it failed with exit code {process.returncode}: {last[0][:300]}")
    return printed


def read_told(text: str, count: int) -> Told:
    """Parse the report that a command printed; see `Told`.

    Raises
    ------
    CommandError
        If a line is not in the protocol, or the numbers of times and of sources differ.
    """
    found: dict[str, list[str]] = {word: [] for word in _WORDS}
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word not in found or not rest:
            raise CommandError(f"it printed {line[:80]!r}; lines are {_LINES}.")
        found[word].append(rest)
    if len(found["time"]) != count:
        raise CommandError(f"it printed {len(found['time'])} times for {count} sources.")
    try:
        dtype, *unreached = (found["labels"] or ["float64"])[-1].split()
        return Told(
            times=[float(ms) for ms in found["time"]],
            dtype=np.dtype(_TYPES[_TYPES.index(dtype)]),
            unreached=float(unreached[0]) if unreached else None,
            build_s=float(found["build"][-1]) if found["build"] else None,
            peak_mb=float(found["peak"][-1]) if found["peak"] else None,
            about=found["about"][-1] if found["about"] else None,
        )
    except ValueError as error:
        msg = f"it printed a value that is none ({error}); lines are {_LINES}."
        raise CommandError(msg) from error


def infinite(dist: Array, unreached: float | None) -> Array:
    """Return distances with the type's largest number, or inf, for unreached vertices."""
    if unreached is None:
        return dist
    unreachable = np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max
    return np.where(dist == unreached, dist.dtype.type(unreachable), dist)
