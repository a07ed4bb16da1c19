"""``warpath bench report FILE...``: make tables and plots of the lines that ``suite`` wrote.

Each machine gets its own section. Lines of ``catalogue`` and of ``paper`` have the work and the
parallelism of each recipe, which are plotted against each other.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from warpath_bench.report_charts import draw
from warpath_bench.report_lines import machines, read
from warpath_bench.report_page import page

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Write the report; return 1 if one of our solvers failed or was wrong, else 0."""
    options = _parser().parse_args(arguments)
    lines = [line for name in options.lines for line in read(name)]
    found = machines(lines)
    folder: Path = options.output
    folder.mkdir(parents=True, exist_ok=True)
    several = len(found) > 1
    pictures = {
        at: draw(machine, folder, f"{options.name}-{at + 1}" if several else options.name)
        for at, machine in enumerate(found)
    }
    report = folder / f"{options.name}.md"
    report.write_text(page(found, pictures), encoding="utf-8")
    sys.stdout.write(f"{report}\n")
    if several:
        sys.stderr.write(f"{len(found)} machines or sets of versions, kept apart in the report\n")
    failed = [one for machine in found for one in machine.failures() if one.ours]
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="warpath bench report", description=__doc__)
    parser.add_argument("lines", nargs="+", type=Path, help="files of JSON lines")
    parser.add_argument("--output", type=Path, default=Path(), help="the folder of the report")
    parser.add_argument("--name", default="report", help="name of the report's files")
    return parser
