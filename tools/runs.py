"""What the records of test runs share: pytest and its report, the commit, the written file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]


def run_pytest(*arguments: str) -> tuple[int, str]:
    """Run pytest in the repository and return its status and its JUnit report.

    Raises
    ------
    SystemExit
        If it left no report.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = ("-o", "junit_family=xunit1", f"--junitxml={report}")
        command = [sys.executable, "-m", "pytest", *options, *arguments]
        status = subprocess.run(command, check=False, cwd=ROOT).returncode
        if not report.exists():
            msg = f"pytest ended with status {status} and left no report: see its output above."
            raise SystemExit(msg)
        return status, report.read_text(encoding="utf-8")


def cases(report: str, counts: Counter[str]) -> Iterator[tuple[str, Any, dict[str, str]]]:
    """Yield each test's outcome, element and properties from a JUnit report; count the outcomes."""
    counts.update(passed=0, failed=0, skipped=0)
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314 - written by our own pytest
        wrong = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped") is not None
        outcome = "failed" if wrong else "skipped" if skipped else "passed"
        counts[outcome] += 1
        named = {str(p.get("name")): str(p.get("value")) for p in case.iter("property")}
        yield outcome, case, named


def write(path: Path, document: dict[str, Any]) -> None:
    """Write a record, or leave the earlier file as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
