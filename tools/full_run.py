"""The full tier of tests, and its record: ``make test-full``.

It runs every test with coverage, among them the slow ones that `make test` leaves out
(tests/support/tiers.py), the sanitizers over the tests of the core, the counts of instructions, the
hunting programs, the wheels, and those of other platforms under emulators. The record goes to
docs/full-runs: the date, the commit, the minutes and the result of each step, and the digests of
the parts that passed.

``make test-changed`` runs and records only the slow tests of parts whose files differ from those of
every record; so does `.ci/run`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import runs
from support.tiers import CORE, ROOT, RUNS, digest, is_recorded
from warpath.base import provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Steps that `.ci/run` leaves out while their files are recorded: the part's name and its files.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "sanitizers": ("sanitizers of the core", CORE),
    "counts": (
        "instructions of the core",
        ("cpp/include/warpath/*/*.hpp", "tests/counts/*", "tools/counts.py"),
    ),
}

#: pytest's status if no test is chosen.
_NO_TESTS = 5

#: The steps after the tests, by name.
STEPS: dict[str, list[str]] = {
    "sanitizers": ["make", "sanitize", "SANITIZED=tests/core"],
    "counts": ["make", "counts", "COUNTS=--required"],
    "hunt": ["make", "hunt", "HUNT=--each 2"],
    "wheels": ["make", "wheels"],
    "platforms": ["make", "platforms"],
}


def summary(report: str) -> tuple[dict[str, int], dict[str, str]]:
    """Return the numbers of tests by outcome, and the digests of the parts that passed.

    Parameters
    ----------
    report : a JUnit report of pytest; tests of a part have a property ``full``, "part=digest".
    """
    counts, passed, failed = Counter[str](), dict[str, str](), set[str]()
    for outcome, _, named in runs.cases(report, counts):
        if "full" in named:
            part, _, value = named["full"].rpartition("=")
            passed[part] = value
            # A part of which a test was skipped was not checked as a whole.
            failed |= {part} if outcome != "passed" else set()
    return dict(counts), {part: passed[part] for part in sorted(passed.keys() - failed)}


def run_tests(
    arguments: Sequence[str], *, changed: bool = False
) -> tuple[bool, dict[str, Any], dict[str, str]]:
    """Run all tests, or those of changed parts.

    Returns
    -------
    tuple
        Whether all passed, what to record of them, and the digests of the parts that passed.
    """
    status, report = runs.run_pytest("--changed" if changed else "--full", *arguments)
    counts, passed = summary(report)
    nothing_changed = changed and status == _NO_TESTS
    return status == 0 or nothing_changed, {"counts": counts}, passed


def timed(work: Callable[[], tuple[bool, dict[str, Any]]]) -> tuple[bool, dict[str, Any]]:
    """Return whether a step succeeded, and its minutes with what it has to record."""
    start = time.monotonic()
    succeeded, found = work()
    minutes = round((time.monotonic() - start) / 60, 1)
    return succeeded, {"succeeded": succeeded, "minutes": minutes} | found


def _step(name: str) -> tuple[bool, dict[str, Any]]:
    return subprocess.run(STEPS[name], check=False, cwd=ROOT).returncode == 0, {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the full tier and write its record; return 0 if every step succeeded."""
    parser = argparse.ArgumentParser(prog="full_run", description=__doc__)
    text = "after the tests; by default all, or none if --changed"
    parser.add_argument("--steps", nargs="*", choices=STEPS, help=text)
    text = "only slow tests of parts whose files no record has"
    parser.add_argument("--changed", action="store_true", help=text)
    parser.add_argument("--output", type=Path, default=RUNS, help="folder of the record")
    parser.add_argument("--commit", help="by default git's HEAD")
    text = "only print the targets of make whose files changed since they passed"
    parser.add_argument("--needed", action="store_true", help=text)
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    options = parser.parse_args(arguments)
    if options.needed:
        print(*(STEPS[name][1] for name, (part, of) in PARTS.items() if not is_recorded(part, *of)))
        return 0
    commit = options.commit or provenance.commit() or ""
    start = time.monotonic()
    passed: dict[str, str] = {}

    def tests() -> tuple[bool, dict[str, Any]]:
        nonlocal passed
        fine, found, passed = run_tests(options.pytest, changed=options.changed)
        return fine, found

    results = {"tests of changed parts" if options.changed else "tests": timed(tests)}
    steps = options.steps if options.steps is not None else [] if options.changed else list(STEPS)
    for name in steps:
        results[name] = timed(lambda name=name: _step(name))  # type: ignore[misc]
    for name, (part, files) in PARTS.items():
        if name in results and results[name][0]:
            passed[part] = digest(*files)
    now = datetime.now(UTC)
    document = {
        "date": now.date().isoformat(),
        "commit": commit,
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "minutes": round((time.monotonic() - start) / 60, 1),
        "steps": {name: found for name, (_, found) in results.items()},
        "passed": dict(sorted(passed.items())),
    }
    path = options.output / f"{now:%Y-%m-%d-%H%M}-{commit}.json"  # the names sort by time
    runs.write(path, document)
    sys.stdout.write(f"{path.name}: {json.dumps(document['steps'])}\n")
    return 0 if all(succeeded for succeeded, _ in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
