"""``python -m counts``: count the instructions of the core's loops.

Each case of the programs in ``tests/counts`` runs once under callgrind, which counts the
instructions of the loop alone, on a fixed graph. Unlike times, these counts do not vary with the
machine's load, so a change of a few per cent is caused by the code.
``tests/counts/golden.json`` has the counts of each case by compiler; ``--update`` rewrites it.

Only the instructions of the program itself count. Those of the C library are excluded, because its
implementation of memcpy depends on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from warpath.base.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

T = TypeVar("T")
ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "counts"
GOLDEN = FOLDER / "golden.json"
ALLOWED = 0.02
"""Share by which a count may grow; a mistake in an inner loop exceeds it by far."""

# The core's own flags; counts.hpp runs each loop in the function `counted`.
_CMAKE = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
_PLAIN_LOOPS = _CMAKE.partition("(WARPATH_PLAIN_LOOPS ")[2].partition(")")[0].split()
_FLAGS = ("-std=c++20", "-O3", *_PLAIN_LOOPS, "-ffp-contract=off", "-pthread")
_CALLGRIND = ("--tool=callgrind", "--toggle-collect=counted", "--compress-strings=no")


class Verdict(NamedTuple):
    """The result of a comparison: lines to print, and whether it failed."""

    lines: list[str]
    wrong: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Count instructions, and compare them with the table or update it.

    Returns
    -------
    int
        1 if a case needs more instructions than `ALLOWED`, or is not in the table; 2 if nothing
        could be compared although ``--required`` was given.
    """
    options = _parser().parse_args(arguments)
    try:
        compiler = Compiler()
        found = count(compiler, options.names)
    except MissingDependencyError as error:
        return _not_compared(str(error), required=options.required or options.update)
    kept = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    if options.update:
        old = {} if not options.names else kept.get(compiler.title, {})
        kept[compiler.title] = dict(sorted((old | found).items()))
        GOLDEN.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        sys.stdout.write(f"{GOLDEN}: {len(found)} counts of {compiler.title}\n")
        return 0
    if compiler.title not in kept:
        why = (
            f"{GOLDEN.name} has counts of {', '.join(kept) or 'nothing'}, not of {compiler.title}: "
            "add them on a commit that is known to be good by `make counts COUNTS=--update`"
        )
        return _not_compared(why, required=options.required)
    verdict = compare(_chosen(kept[compiler.title], options.names), found)
    sys.stdout.write("\n".join(verdict.lines) + "\n")
    return int(verdict.wrong)


def compare(kept: Mapping[str, int], found: Mapping[str, int]) -> Verdict:
    """Compare counts with those of the table."""
    lines, wrong, fewer = [], False, 0
    for name in sorted(kept.keys() | found.keys()):
        if name not in found:
            lines.append(f"{name}: in the table, but in no program")
            wrong = True
        elif name not in kept:
            lines.append(f"{name}: {found[name]:,} instructions, not in the table")
            wrong = True
        else:
            change = found[name] / kept[name] - 1
            if abs(change) > ALLOWED:
                counts = f"{kept[name]:,} -> {found[name]:,} instructions, {change:+.1%}"
                lines.append(f"{name}: {counts}{'  SLOWER' * (change > 0)}")
            wrong |= change > ALLOWED
            fewer += change < -ALLOWED
    lines.append(f"{len(found)} loops counted, {ALLOWED:.0%} more allowed.")
    if wrong or fewer:
        lines.append("To keep them, with the reason in the commit: make counts COUNTS=--update")
    return Verdict(lines, wrong)


class Compiler:
    """The C++ compiler whose code is counted: ``CXX``, or else g++."""

    def __init__(self) -> None:
        self.path = _tool(os.environ.get("CXX", "g++"))
        said = [self._said("-dumpmachine"), "g++", self._said("-dumpfullversion", "-dumpversion")]
        self.title = " ".join(said)

    def _said(self, *flags: str) -> str:
        return _run([self.path, *flags]).strip()

    def program(self, source: Path, folder: Path) -> Path:
        """Compile one program into a folder."""
        made = folder / source.stem
        include = ROOT / "cpp" / "include"
        _run([self.path, *_FLAGS, "-I", str(include), "-o", str(made), str(source)])
        return made


def count(compiler: Compiler, names: Sequence[str]) -> dict[str, int]:
    """Count the instructions of the cases whose names begin with one of `names`, or of all."""
    valgrind = _tool("valgrind")
    sources = sorted(FOLDER.glob("*.cpp"), key=lambda path: -path.stat().st_size)
    sources = [path for path in sources if not names or any(_akin(path.stem, one) for one in names)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        programs = list(pool.map(lambda path: compiler.program(path, Path(folder)), sources))
        cases = {
            f"{program.name}.{case}": (program, case)
            for program in programs
            for case in _run([str(program)]).split()
        }
        chosen = _chosen(cases, names)

        def counted(name: str) -> int:
            program, case = chosen[name]
            out = Path(folder) / f"{name}.out"
            _run([valgrind, *_CALLGRIND, f"--callgrind-out-file={out}", str(program), case])
            return instructions(out.read_text(encoding="utf-8"), str(program))

        return dict(zip(chosen, pool.map(counted, chosen), strict=True))


def instructions(profile: str, program: str) -> int:
    """Return the instructions that a callgrind profile counts in a program's own code."""
    total, ours, of_call = 0, False, False
    for line in profile.splitlines():
        if line.startswith("ob="):
            ours = line == f"ob={program}"
        elif line.startswith("calls="):
            of_call = True  # the next line has the callee's cost, which is also listed separately
        elif line[:1].isdigit() or line[:1] in {"+", "-", "*"}:
            total += 0 if of_call or not ours else int(line.split()[1])
            of_call = False
    return total


def _akin(program: str, name: str) -> bool:
    """Return whether a program may have cases whose names begin with `name`."""
    return f"{program}.".startswith(name) or name.startswith(f"{program}.")


def _chosen(cases: Mapping[str, T], names: Sequence[str]) -> dict[str, T]:
    return {key: one for key, one in cases.items() if not names or key.startswith(tuple(names))}


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        msg = f"{name} is not installed (Debian's package has the same name)"
        raise MissingDependencyError(msg)
    return path


def _run(command: Sequence[str]) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr[-4000:]}")
    return ran.stdout


def _not_compared(why: str, *, required: bool) -> int:
    sys.stderr.write(f"instructions {'could not be' if required else 'are not'} compared: {why}.\n")
    return 2 if required else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m counts", description=__doc__.splitlines()[0] if __doc__ else ""
    )
    parser.add_argument("names", nargs="*", help="beginnings of names of cases; by default all")
    parser.add_argument("--update", action="store_true", help="write the counts into the table")
    text = "fail if valgrind or the compiler's counts are missing"
    parser.add_argument("--required", action="store_true", help=text)
    return parser


if __name__ == "__main__":
    sys.exit(main())
