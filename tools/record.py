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
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import runs
from sanitizers import TOOLS, sanitized
from warpath.base import provenance
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
        "commit": options.commit or provenance.commit() or "",
        "date": datetime.now(UTC).date().isoformat(),
        "kernels": sources.digest(sources.hashes()),
        "kernel_sources": sources.hashes(),
    }
    if options.compile:
        document["compiled"] = _compiled(options.compile)
    document |= run_tests(options.tests, options.pytest)
    document["sanitizers"] = {}
    if options.sanitize:
        document["sanitizers"] = sanitized(TOOLS, options.seconds, options.shares)
    document["seconds"] = round(time.monotonic() - start, 1)
    runs.write(path, document)
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
    document["sanitizers"] = sanitized(TOOLS, options.seconds, options.shares)
    runs.write(path, document)
    sys.stdout.write(f"{path}: {document['sanitizers']}\n")
    return 1 if _objections(document["sanitizers"]) else 0


def _objections(sanitizers: dict[str, dict[str, Any]]) -> bool:
    return any(each.get("errors") for each in sanitizers.values())


def run_tests(tests: str, extra: Sequence[str]) -> dict[str, Any]:
    """Run ``pytest -m gpu`` on a folder and return the summary of its report."""
    # A warning of a GPU library is printed but is not an error: no kernel is at fault.
    options = ("-m", "gpu", "-q", "-o", "filterwarnings=default")
    return summary(runs.run_pytest(*options, *extra, tests)[1])


def summary(report: str) -> dict[str, Any]:
    """Return counts, reasons, recipes and labels from a JUnit report."""
    counts, reasons, recipes = Counter[str](), Counter[str](), Counter[str]()
    failures, labels, slowest = [], {}, []
    for outcome, case, named in runs.cases(report, counts):
        name = case.get("name", "")
        if outcome == "failed":
            wrong = next(each for each in case if each.tag in {"failure", "error"})
            failures.append(f"{name}: {wrong.get('message', '')[:300]}")
        elif outcome == "skipped":
            reasons[case.find("skipped").get("message", "")] += 1
        elif "recipe" in named:
            recipes[named["recipe"]] += 1
        if "labels" in named:
            seen = json.loads(named["labels"])
            labels[seen["recipe"]] = seen["labels"]
        slowest.append((float(case.get("time", 0)), name))
    return {
        "counts": dict(counts),
        "skipped": dict(reasons),
        "failures": failures[:_MOST_FAILURES],
        "recipes": dict(sorted(recipes.items())),
        "recipes_not_run": sorted({*_NAMES} - recipes.keys()),
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
    from kernel_list import compile_all
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


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m record", description=__doc__)
    parser.add_argument("--output", default=str(sources.RUNS), help="the folder of records")
    parser.add_argument("--tests", default="tests/gpu", help="the folder of tests")
    parser.add_argument("--commit", default="", help="the tested commit, if git cannot report it")
    for name, default, text in (
        ("compile", 0, "compile all kernels first, in so many processes"),
        ("seconds", 420, "time limit of the sanitizers"),
        ("shares", _SHARES, f"processes of each sanitizer ({_SHARES})"),
    ):
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=text)
    for name, text in (
        ("sanitize", "also run compute-sanitizer"),
        ("sanitize-only", "run only compute-sanitizer, and update the record"),
        ("compare", "run no tests; print whether kernels changed since"),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=text)
    parser.add_argument("pytest", nargs="*", help="more arguments for pytest, after --")
    return parser


if __name__ == "__main__":
    sys.exit(main())
