"""Run every recipe on small graphs under compute-sanitizer, each tool in several processes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

TOOLS = ("memcheck", "racecheck", "synccheck")
_SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: .*?(\d+) (?:error|hazard)")
_SOLVES = re.compile(r"(\d+) solves")
_TAIL = 4000  # characters of a sanitizer's output that are recorded if it reports errors


class _Run(NamedTuple):
    process: subprocess.Popen[bytes]
    output: IO[bytes]


def sanitized(tools: Sequence[str], seconds: float, shares: int = 1) -> dict[str, dict[str, Any]]:
    """Return the results of each tool: errors, solves, and the output if there are errors.

    Parameters
    ----------
    tools : names of tools of compute-sanitizer.
    seconds : time after which all running processes are stopped.
    shares : number of processes per tool; each runs its share of the recipes.
    """
    program = shutil.which("compute-sanitizer")
    if program is None:
        return {tool: {"missing": "compute-sanitizer is not installed"} for tool in tools}
    end = time.monotonic() + seconds
    parts = [f"{k + 1}/{shares}" for k in range(shares)]
    running = {tool: [_start(program, tool, part) for part in parts] for tool in tools}
    return {
        tool: _together([_found(run, end, seconds) for run in runs])
        for tool, runs in running.items()
    }


def _start(program: str, tool: str, part: str) -> _Run:
    # Errors of API calls are not reported: cuda.bindings looks up functions that the driver may
    # not have. Our own calls raise an exception if they fail.
    command = [program, "--tool", tool, "--report-api-errors", "no", sys.executable]
    command += ["-m", "small_corpus", part]
    output = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been read
    process = subprocess.Popen(
        command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
    )
    return _Run(process, output)


def _found(run: _Run, end: float, seconds: float) -> dict[str, Any]:
    stopped = None
    try:
        run.process.wait(max(0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        os.killpg(run.process.pid, signal.SIGKILL)  # includes the Python process under it
        run.process.wait()
        stopped = f"stopped after {seconds:.0f} s"
    with run.output as file:
        file.seek(0)
        output = file.read().decode(errors="replace")
    counted, solves = _SUMMARY.findall(output), _SOLVES.search(output)
    errors = sum(map(int, counted)) if counted and not stopped else 1
    found: dict[str, Any] = {"errors": errors, "solves": int(solves[1]) if solves else 0}
    if errors or run.process.returncode or not solves:
        status = stopped or run.process.returncode
        found |= {"errors": errors or 1, "status": status, "output": output[-_TAIL:]}
    return found


def _together(shares: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums over all shares, with the output of the first one that has errors."""
    wrong = next((each for each in shares if each["errors"]), {})
    sums = {name: sum(each[name] for each in shares) for name in ("errors", "solves")}
    return wrong | sums
