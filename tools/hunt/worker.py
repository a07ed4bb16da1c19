"""Run the trials of one program in this process and report each to the supervisor."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import sys
import time
import traceback
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from hunt.program import Finding, load

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Findings after which a process stops, so that a broken program does not fill the screen.
MOST_FINDINGS = 10


def run(name: str, seed: int, first: int, step: int, seconds: float, pipe: int) -> None:
    """Run trials first, first + step, ... until the time is over.

    Parameters
    ----------
    name : the program.
    seed : seed of the run; trial i draws from ``default_rng([seed, i])``.
    first, step : number of this process's first trial, and the distance to its next one.
    seconds : time after which no further trial starts; at least one runs.
    pipe : a file descriptor for lines of JSON: {"trial": i} before a trial, {"counts": ...} and
        {"finding": text} after it.
    """
    faulthandler.enable()
    program = load(name)
    if program.memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (program.memory, program.memory))
    end = time.monotonic() + seconds
    number = first
    findings = 0
    with os.fdopen(pipe, "w", buffering=1) as lines:
        while True:
            print(json.dumps({"trial": number}), file=lines)
            report: dict[str, Any] = {}
            counts: Counter[str] = Counter()
            try:
                with _strict_warnings():
                    program.trial(np.random.default_rng([seed, number]), counts)
            except Finding as found:
                report["finding"] = str(found)
            except Exception:  # also a finding: the program did not expect it
                report["finding"] = traceback.format_exc()
            findings += "finding" in report
            counts["trials"] += 1
            print(json.dumps(report | {"counts": counts}), file=lines)
            number += step
            if time.monotonic() >= end or findings >= MOST_FINDINGS:
                return


@contextlib.contextmanager
def _strict_warnings() -> Iterator[None]:
    """Turn every warning into an exception: warpath must give only documented warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


if __name__ == "__main__":
    _, _name, _seed, _first, _step, _seconds, _pipe = sys.argv
    run(_name, int(_seed), int(_first), int(_step), float(_seconds), int(_pipe))
