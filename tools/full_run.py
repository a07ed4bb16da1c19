"""The full tier of tests, and its record: ``make test-full``.

It runs every test with coverage, among them the slow ones that `make test` leaves out
(tests/support/tiers.py), the sanitizers over the tests of the core, the counts of instructions, the
hunting programs and the wheels. The record goes to docs/full-runs: the date, the commit, the
minutes and the result of each step, and the digests of the parts that passed.

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
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.tiers import CORE, ROOT, RUNS, digest, is_recorded

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
}


def summary(report: str) -> tuple[dict[str, int], dict[str, str]]:
    """Return the numbers of tests by outcome, and the digests of the parts that passed.

    Parameters
    ----------
    report : a JUnit report of pytest; tests of a part have a property ``full``, "part=digest".
    """
    counts = Counter(passed=0, failed=0, skipped=0)
    passed: dict[str, str] = {}
    failed = set()
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314 - written by our own pytest
        wrong = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped") is not None
        counts["failed" if wrong else "skipped" if skipped else "passed"] += 1
        for one in case.iter("property"):
            if one.get("name") == "full":
                part, _, value = str(one.get("value")).rpartition("=")
                passed[part] = value
                # A part of which a test was skipped was not checked as a whole.
                failed |= {part} if wrong or skipped else set()
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
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            *(sys.executable, "-m", "pytest", "--changed" if changed else "--full"),
            *("-o", "junit_family=xunit1"),
            *(f"--junitxml={report}", *arguments),
        ]
        status = subprocess.run(command, check=False, cwd=ROOT).returncode
        if not report.exists():
            raise SystemExit(f"pytest ended with status {status} and left no report.")
        counts, passed = summary(report.read_text(encoding="utf-8"))
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


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the full tier and write its record; return 0 if every step succeeded."""
    parser = argparse.ArgumentParser(prog="full_run", description=__doc__)
    parser.add_argument(
        "--steps",
        nargs="*",
        choices=STEPS,
        help="after the tests; by default all, or none if --changed",
    )
    parser.add_argument(
        "--changed", action="store_true", help="only slow tests of parts whose files no record has"
    )
    parser.add_argument("--output", type=Path, default=RUNS, help="folder of the record")
    parser.add_argument("--commit", help="by default git's HEAD")
    parser.add_argument(
        "--needed",
        action="store_true",
        help="only print the targets of make whose files changed since they passed",
    )
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    options = parser.parse_args(arguments)
    if options.needed:
        needed = (
            STEPS[name][1] for name, part in PARTS.items() if not is_recorded(part[0], *part[1])
        )
        print(*needed)
        return 0
    commit = options.commit or _commit()
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
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
    sys.stdout.write(f"{path.name}: {json.dumps(document['steps'])}\n")
    return 0 if all(succeeded for succeeded, _ in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
