"""``python -m counts``: how many instructions the core's loops take.

Each case of the programs in ``tests/counts`` runs once under callgrind, which counts the
instructions of the loop alone, on a graph that is always the same. A clock is as noisy as the
machine; these numbers are not, so a change of a few per cent is one of the code.
``tests/counts/golden.json`` has what each case took with a compiler; ``--update`` writes it anew.

Counted are the instructions of the program itself. Those of the C library are left out: which copy
of bytes it takes depends on the machine.
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
"""The share by which a count may grow: what a slip in an inner loop exceeds by far."""

# As the core is compiled; `counted` is the function that counts.hpp runs a loop in.
_FLAGS = ("-std=c++20", "-O3", "-ffp-contract=off", "-pthread")
_CALLGRIND = ("--tool=callgrind", "--toggle-collect=counted", "--compress-strings=no")


class Verdict(NamedTuple):
    """What a comparison says: lines to print, and whether something is wrong."""

    lines: list[str]
    wrong: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, and compare with the table or write it.

    Returns
    -------
    int
        1 if a case takes more than `ALLOWED` more instructions, or is not in the table; 2 if
        nothing could be compared although ``--required`` was given.
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
    """Hold counts against those of the table."""
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
        lines.append(
            "To keep these counts, with the reason in the commit: make counts COUNTS=--update"
        )
    return Verdict(lines, wrong)


class Compiler:
    """The C++ compiler that counts belong to: ``CXX``, else g++."""

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
    """Return the instructions of each case whose name begins with one of `names`; none: of all."""
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
            of_call = True  # the next line has the cost of what was called, which is listed itself
        elif line[:1].isdigit() or line[:1] in {"+", "-", "*"}:
            total += 0 if of_call or not ours else int(line.split()[1])
            of_call = False
    return total


def _akin(program: str, name: str) -> bool:
    """Say whether a program may have cases whose names begin with `name`."""
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
        msg = f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr[-4000:]}"
        raise SystemExit(msg)
    return ran.stdout


def _not_compared(why: str, *, required: bool) -> int:
    sys.stderr.write(f"instructions {'could not be' if required else 'are not'} compared: {why}.\n")
    return 2 if required else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m counts",
        description=__doc__.splitlines()[0] if __doc__ else "",
    )
    parser.add_argument("names", nargs="*", help="how the names of the cases begin; all without")
    parser.add_argument("--update", action="store_true", help="write the table anew")
    parser.add_argument(
        "--required", action="store_true", help="fail where valgrind or the compiler's counts miss"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
