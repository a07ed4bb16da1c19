"""Run a program's trials in worker processes, and detect crashes and hangs."""

from __future__ import annotations

import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hunt.program import load

#: Processes that may die before a program is stopped early.
_MOST_DEATHS = 10


@dataclass
class Outcome:
    """The counts and findings of all trials of one program.

    Attributes
    ----------
    counts : sums over all trials.
    findings : (trial number, text) of each finding.
    skipped : the reason why the program could not run; empty if it ran.
    """

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[tuple[int, str]] = field(default_factory=list)
    skipped: str = ""


def hunt(name: str, seed: int, seconds: float, jobs: int, only: int | None = None) -> Outcome:
    """Run a program for some seconds in `jobs` processes.

    Parameters
    ----------
    name, seed, seconds : as in `worker.run`.
    jobs : the number of processes; process j runs the trials j, j + jobs, ...
    only : the number of the only trial to run; None for all trials.
    """
    outcome = Outcome()
    program = load(name)
    missing = [p for p in program.packages if importlib.util.find_spec(p) is None]
    if missing:
        outcome.skipped = f"not installed: {', '.join(missing)}"
    elif program.obstacle is not None:
        outcome.skipped = program.obstacle()
    if outcome.skipped:
        return outcome
    if only is not None:
        _watch(name, seed, only, 1, 0.0, outcome)
        return outcome
    watchers = [
        threading.Thread(target=_watch, args=(name, seed, j, jobs, seconds, outcome))
        for j in range(jobs)
    ]
    for watcher in watchers:
        watcher.start()
    for watcher in watchers:
        watcher.join()
    return outcome


def _watch(name: str, seed: int, first: int, step: int, seconds: float, outcome: Outcome) -> None:
    """Run trials in a process; if it dies, continue with the next trial in a new process."""
    end = time.monotonic() + seconds
    for _ in range(_MOST_DEATHS):
        last = _watch_process(name, seed, first, step, max(end - time.monotonic(), 0), outcome)
        if last is None or time.monotonic() >= end:
            return
        first = last + step


def _watch_process(
    name: str, seed: int, first: int, step: int, seconds: float, outcome: Outcome
) -> int | None:
    """Return the number of the trial in which the process died; None if it ended normally."""
    program = load(name)
    inner, outer = os.pipe()
    with tempfile.TemporaryFile() as errors, os.fdopen(inner, "rb", buffering=0) as lines:
        arguments = [name, str(seed), str(first), str(step), str(seconds), str(outer)]
        process = subprocess.Popen(
            [sys.executable, "-m", "hunt.worker", *arguments],
            pass_fds=[outer],
            stdin=subprocess.DEVNULL,
            stdout=errors,
            stderr=errors,
            env=_environment(),
        )
        os.close(outer)
        trial, pending = first, b""
        why = ""
        limit = program.start + program.hang
        while True:
            ready, _, _ = select.select([lines], [], [], limit)
            if not ready:
                why = f"no end within {program.hang:g} s"
                process.send_signal(signal.SIGABRT)  # faulthandler prints the traceback
                break
            received = os.read(lines.fileno(), 1 << 16)
            if not received:
                break
            limit = program.hang
            *complete, pending = (pending + received).split(b"\n")
            for line in complete:
                message = json.loads(line)
                trial = message.get("trial", trial)
                outcome.counts.update(message.get("counts", {}))
                if "finding" in message:
                    outcome.findings.append((trial, message["finding"]))
        try:
            code = process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        if code == 0:
            return None
        errors.seek(0)
        written = errors.read().decode(errors="replace").splitlines()
        kept = (line for line in written if not line.startswith("Extension modules"))
        said = "\n".join(kept)[-4000:].strip()
        why = why or (f"ended by signal {-code}" if code < 0 else f"ended with status {code}")
        outcome.findings.append((trial, f"the process {why}\n{said}"))
        return trial


def _environment() -> dict[str, str]:
    """Return the environment of a worker, without coverage measurement.

    Coverage's tracer takes a lock at the first call of each function, and an interrupt at that
    moment leaves the lock held.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE_")}
    tools = Path(__file__).resolve().parents[1]
    folders = [str(tools), str(tools.with_name("tests")), kept.get("PYTHONPATH")]
    return kept | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
