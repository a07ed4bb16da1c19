"""``python -m record``: run the GPU tests and record the results.

The record, ``docs/gpu-runs/GPU.json``, is committed. It shows readers without a GPU which tests ran
on which GPU; ``--compare`` reports whether the kernels have changed since.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from sanitizers import TOOLS, sanitized
from warpath.engines.cuda import sources
from warpath.recipes import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MOST_FAILURES = 50
_NAMES = [recipe.name for recipe in CATALOGUE if "cuda" in recipe.devices]
_SHARES = max(1, (os.cpu_count() or 1) // len(TOOLS))


def main(
    arguments: Sequence[str] | None = None, facts: Callable[[], dict[str, str]] | None = None
) -> int:
    """Run the tests and write the record; return 0 if all passed without errors of sanitizers.

    Parameters
    ----------
    facts : returns the GPU's name and the versions of its software; by default of the first GPU.
    """
    options = _parser().parse_args(arguments)
    if options.compare:
        return _compare(Path(options.output))
    start = time.monotonic()
    found = (facts or facts_of_gpu)()
    path = Path(options.output) / f"{_slug(found['gpu'])}.json"
    if options.sanitize_only:
        return _sanitize_recorded(path, options)
    document: dict[str, Any] = {
        **found,
        "python": platform.python_version(),
        "commit": options.commit or _commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "kernels": sources.digest(sources.hashes()),
        "kernel_sources": sources.hashes(),
    }
    if options.compile:
        document["compiled"] = _compiled(options.compile)
    document |= run_tests(options.tests, options.pytest)
    document["sanitizers"] = {}
    if options.sanitize:
        document["sanitizers"] = _sanitizers(options)
    document["seconds"] = round(time.monotonic() - start, 1)
    _write(path, document)
    counts = document["counts"]
    sys.stdout.write(
        f"{path}: {counts}, {len(document['recipes'])} recipes, not run: "
        f"{', '.join(document['recipes_not_run']) or 'none'}; {document['seconds']} s\n"
    )
    wrong = counts["failed"] or not counts["passed"] or _objections(document["sanitizers"])
    return 1 if wrong else 0


def _sanitize_recorded(path: Path, options: argparse.Namespace) -> int:
    """Run only the sanitizers, and add their results to the record of the same kernels."""
    document = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if document.get("kernels") != sources.digest(sources.hashes()):
        msg = f"{path} is no record of these kernels: run their tests first, without this option."
        raise SystemExit(msg)
    document["sanitizers"] = _sanitizers(options)
    _write(path, document)
    sys.stdout.write(f"{path}: {document['sanitizers']}\n")
    return 1 if _objections(document["sanitizers"]) else 0


def _sanitizers(options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    return sanitized(TOOLS, options.seconds, options.shares, options.recipes)


def _objections(sanitizers: dict[str, dict[str, Any]]) -> bool:
    return any(each.get("errors") for each in sanitizers.values())


def _write(path: Path, document: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1) + "\n"
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def run_tests(tests: str, extra: Sequence[str]) -> dict[str, Any]:
    """Run ``pytest -m gpu`` on a folder and return the summary of its report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # A warning of a GPU library is printed but is not an error: no kernel is at fault.
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-m",
            "gpu",
            "-q",
            "-o",
            "filterwarnings=default",
            "-o",
            "junit_family=xunit1",
            f"--junitxml={report}",
            *extra,
            tests,
        ]
        status = subprocess.run(command, check=False).returncode
        if not report.exists():
            msg = f"pytest ended with status {status} and left no report: see its output above."
            raise SystemExit(msg)
        return summary(report.read_text(encoding="utf-8"))


def summary(report: str) -> dict[str, Any]:
    """Return counts, reasons, recipes and labels from a JUnit report."""
    counts: Counter[str] = Counter(passed=0, failed=0, skipped=0)
    reasons: Counter[str] = Counter()
    recipes: Counter[str] = Counter()
    failures, labels, slowest = [], {}, []
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314 - written by our own pytest
        name = case.get("name", "")
        skipped = case.find("skipped")
        wrong = [each for kind in ("failure", "error") if (each := case.find(kind)) is not None]
        if wrong:
            counts["failed"] += 1
            failures.append(f"{name}: {wrong[0].get('message', '')[:300]}")
        elif skipped is not None:
            counts["skipped"] += 1
            reasons[skipped.get("message", "")] += 1
        else:
            counts["passed"] += 1
        for one in case.iter("property"):
            if one.get("name") == "recipe" and not wrong and skipped is None:
                recipes[one.get("value", "")] += 1
            if one.get("name") == "labels":
                seen = json.loads(one.get("value", "{}"))
                labels[seen["recipe"]] = seen["labels"]
        slowest.append((float(case.get("time", 0)), name))
    should = {recipe.name for recipe in CATALOGUE if "cuda" in recipe.devices}
    return {
        "counts": dict(counts),
        "skipped": dict(reasons),
        "failures": failures[:_MOST_FAILURES],
        "recipes": dict(sorted(recipes.items())),
        "recipes_not_run": sorted(should - recipes.keys()),
        "labels_of_the_counterexample": labels,
        "slowest": {name: round(spent, 2) for spent, name in sorted(slowest)[:-11:-1]},
    }


def facts_of_gpu() -> dict[str, str]:
    """Return the name of the first GPU and the versions of its software."""
    from warpath.engines.cuda.device import open_device
    from warpath.engines.cuda.driver import versions

    return {"gpu": open_device("cuda").model, **versions(), **_of_driver()}


def _of_driver() -> dict[str, str]:
    """Return the driver's version, if nvidia-smi reports it."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return {}
    asked = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return {"driver version": answer.splitlines()[0].strip()} if answer.strip() else {}


def _compiled(processes: int) -> dict[str, Any]:
    from all_kernels import compile_all
    from warpath.engines.cuda.device import open_device

    start = time.monotonic()
    count = compile_all(open_device("cuda").arch, processes)
    return {"kernels": count, "seconds": round(time.monotonic() - start, 1)}


def _compare(folder: Path) -> int:
    """Print whether kernels changed since each recorded run; return 0 in any case."""
    found = sources.since_recorded(folder)
    lines = [f"{run}: {verdict}" for run, verdict in found.items()]
    sys.stdout.write("\n".join(lines or [f"no recorded GPU run in {folder}"]) + "\n")
    return 0


def _commit() -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    asked = [git, "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False)
    return ran.stdout.strip()


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m record", description=__doc__)
    parser.add_argument("--output", default=str(sources.RUNS), help="the folder of records")
    parser.add_argument("--tests", default="tests/gpu", help="the folder of tests")
    parser.add_argument("--commit", default="", help="the tested commit, if git cannot report it")
    parser.add_argument(
        "--compile",
        type=int,
        default=0,
        metavar="N",
        help="compile all kernels first, in N processes",
    )
    parser.add_argument("--sanitize", action="store_true", help="also run compute-sanitizer")
    parser.add_argument(
        "--sanitize-only",
        action="store_true",
        help="run only compute-sanitizer, and update the record",
    )
    parser.add_argument("--seconds", type=float, default=420, help="time limit of the sanitizers")
    parser.add_argument(
        "--shares",
        type=int,
        default=_SHARES,
        metavar="N",
        help=f"processes of each sanitizer ({_SHARES})",
    )
    parser.add_argument(
        "--recipes",
        nargs="+",
        default=(),
        choices=_NAMES,
        metavar="NAME",
        help="run the sanitizers on these recipes only",
    )
    parser.add_argument(
        "--compare", action="store_true", help="run no tests; print whether kernels changed since"
    )
    parser.add_argument("pytest", nargs="*", help="more arguments for pytest, after --")
    return parser


if __name__ == "__main__":
    sys.exit(main())
