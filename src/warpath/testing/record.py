"""``python -m warpath.testing.record``: run the tests of a GPU, and keep what came out.

The result, ``docs/gpu-runs/GPU.json``, is committed: who reads the repository without a GPU sees
what was tested on which one, and whether the kernels have changed since (``--compare``).
"""

from __future__ import annotations

import argparse
import json
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

from warpath.engines.cuda import sources
from warpath.recipes import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TOOLS = ("memcheck", "racecheck", "synccheck")
_SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: .*?(\d+) (?:error|hazard)")
_TAIL = 4000  # characters of a sanitizer's output that are kept when it found something
_MOST_FAILURES = 50


def main(
    arguments: Sequence[str] | None = None, facts: Callable[[], dict[str, str]] | None = None
) -> int:
    """Run the tests and write the record; 0 if all passed and no sanitizer objected.

    Parameters
    ----------
    facts : returns the GPU's name and the versions around it; of the first GPU by default.
    """
    options = _parser().parse_args(arguments)
    if options.compare:
        return _compare(Path(options.output))
    start = time.monotonic()
    found = (facts or facts_of_gpu)()
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
    document["sanitizers"] = sanitized(_TOOLS, options.seconds) if options.sanitize else {}
    document["seconds"] = round(time.monotonic() - start, 1)
    path = Path(options.output) / f"{_slug(found['gpu'])}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    counts = document["counts"]
    sys.stdout.write(
        f"{path}: {counts}, {len(document['recipes'])} recipes, not run: "
        f"{', '.join(document['recipes_not_run']) or 'none'}; {document['seconds']} s\n"
    )
    objections = any(each.get("errors") for each in document["sanitizers"].values())
    return 1 if counts["failed"] or not counts["passed"] or objections else 0


def run_tests(tests: str, extra: Sequence[str]) -> dict[str, Any]:
    """Run ``pytest -m gpu`` on a folder and return what its report says."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # A warning of a GPU library is printed, not made an error: it is no fault of a kernel.
        command = [
            sys.executable, "-m", "pytest", "-m", "gpu", "-q", "-o", "filterwarnings=default",
            "-o", "junit_family=xunit1", f"--junitxml={report}", *extra, tests,
        ]  # fmt: skip
        status = subprocess.run(command, check=False).returncode  # noqa: S603 - our own command
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


def sanitized(tools: Sequence[str], seconds: float) -> dict[str, dict[str, Any]]:
    """Run every recipe on small graphs under compute-sanitizer, a process for each tool."""
    program = shutil.which("compute-sanitizer")
    if program is None:
        return {tool: {"missing": "compute-sanitizer is not installed"} for tool in tools}
    running = {}
    for tool in tools:
        # Errors of API calls are not reported: cuda.bindings asks the driver for functions that it
        # may not have. A call of ours that fails raises.
        command = [
            program, "--tool", tool, "--report-api-errors", "no",
            sys.executable, "-m", "warpath.testing.small_corpus",
        ]  # fmt: skip
        running[tool] = subprocess.Popen(  # noqa: S603 - our own command
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    return {tool: _sanitizer(process, seconds) for tool, process in running.items()}


def _sanitizer(process: subprocess.Popen[str], seconds: float) -> dict[str, Any]:
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return {"errors": 1, "status": f"stopped after {seconds:.0f} s", "output": output[-_TAIL:]}
    counted = _SUMMARY.findall(output)
    solves = re.search(r"(\d+) solves", output)
    errors = sum(map(int, counted)) if counted else 1
    found: dict[str, Any] = {"errors": errors, "solves": int(solves[1]) if solves else 0}
    if errors or process.returncode or not solves:
        found |= {"errors": errors or 1, "status": process.returncode, "output": output[-_TAIL:]}
    return found


def facts_of_gpu() -> dict[str, str]:
    """Return the name of the first GPU and the versions around it."""
    from warpath.engines.cuda.device import open_device, versions

    return {"gpu": open_device("cuda").model, **versions(), **_of_driver()}


def _of_driver() -> dict[str, str]:
    """Return the driver's own version, where nvidia-smi tells it."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return {}
    asked = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout  # noqa: S603
    return {"driver version": answer.splitlines()[0].strip()} if answer.strip() else {}


def _compiled(processes: int) -> dict[str, Any]:
    from warpath.engines.cuda.device import open_device
    from warpath.testing.all_kernels import compile_all

    start = time.monotonic()
    count = compile_all(open_device("cuda").arch, processes)
    return {"kernels": count, "seconds": round(time.monotonic() - start, 1)}


def _compare(folder: Path) -> int:
    """Print whether kernels changed since each recorded run; always 0, for that is no fault."""
    found = sources.since_recorded(folder)
    lines = [f"{run}: {verdict}" for run, verdict in found.items()]
    sys.stdout.write("\n".join(lines or [f"no recorded GPU run in {folder}"]) + "\n")
    return 0


def _commit() -> str:
    git = shutil.which("git")
    if git is None:
        return ""
    asked = [git, "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603
    return ran.stdout.strip()


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m warpath.testing.record", description=__doc__)
    parser.add_argument("--output", default=str(sources.RUNS), help="the folder of records")
    parser.add_argument("--tests", default="tests/gpu", help="the folder of tests")
    parser.add_argument("--commit", default="", help="what is tested, where git does not know")
    parser.add_argument("--compile", type=int, default=0, metavar="N",
                        help="first compile all kernels, in N processes")  # fmt: skip
    parser.add_argument("--sanitize", action="store_true", help="run compute-sanitizer too")
    parser.add_argument("--seconds", type=float, default=420, help="for each sanitizer")
    parser.add_argument("--compare", action="store_true",
                        help="run nothing: say whether kernels changed since")  # fmt: skip
    parser.add_argument("pytest", nargs="*", help="more arguments for pytest, after --")
    return parser


if __name__ == "__main__":
    sys.exit(main())
