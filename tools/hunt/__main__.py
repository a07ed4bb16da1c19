"""Run hunting programs for some minutes and print their counts and findings."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from hunt.program import NAMES, load
from hunt.supervisor import hunt
from warpath.base import provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hunt.supervisor import Outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs; return 0 if they found nothing, else 1."""
    options = _options(arguments)
    shares = {name: load(name).share for name in options.programs}
    whole = 60 * options.minutes / sum(shares.values())
    print(f"seed {options.seed}, {options.jobs} processes")
    found = False
    for name, share in shares.items():
        seconds = whole * share if options.each is None else 60 * options.each
        start = time.monotonic()
        outcome = hunt(name, options.seed, seconds, options.jobs, options.trial)
        done = ", ".join(f"{count:,} {what}" for what, count in sorted(outcome.counts.items()))
        print(f"{name:<14} {len(outcome.findings)} found; {outcome.skipped or done}", flush=True)
        for trial, text in outcome.findings:
            print(f"  repeat: python -m hunt {name} --seed {options.seed} --trial {trial}")
            print("  " + text.rstrip().replace("\n", "\n  "), flush=True)
        if options.record is not None and not outcome.skipped:
            _record(options, name, outcome, (time.monotonic() - start) / 60)
        found |= bool(outcome.findings)
    return int(found)


def _record(options: argparse.Namespace, name: str, outcome: Outcome, minutes: float) -> None:
    """Append a JSON line with a program's counts, its commit and its number of findings."""
    line = {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "commit": options.commit or provenance.commit() or "",
        "seed": options.seed,
        "processes": options.jobs,
        "minutes": round(minutes, 1),
        "program": name,
        "does": load(name).summary,
        "counts": outcome.counts,
        "found": len(outcome.findings),
    }
    with options.record.open("a", encoding="utf-8") as file:
        print(json.dumps(line), file=file)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hunt",
        description="Search for wrong results, crashes, hangs and undocumented exceptions.",
        epilog="\n".join(["programs:", *(f"  {name:<14} {load(name).summary}" for name in NAMES)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    today = int(dt.datetime.now(dt.UTC).strftime("%Y%m%d"))
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="by default all")
    parser.add_argument("--minutes", type=float, default=10.0, help="minutes of all together")
    parser.add_argument("--each", type=float, help="minutes for each, in place of --minutes")
    parser.add_argument("--seed", type=int, default=today, help="by default today's date")
    parser.add_argument("--trial", type=int, help="number of the only trial to run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--record", type=Path, help="append the counts to this file, as JSON")
    parser.add_argument("--commit", help="commit to record if this is not a git repository")
    options = parser.parse_args(arguments)
    for name in options.programs:
        if name not in NAMES:
            parser.error(f"there is no program {name!r}; there are {', '.join(NAMES)}")
    options.programs = options.programs or list(NAMES)
    if options.trial is not None and (len(options.programs) != 1 or options.trial < 0):
        parser.error("--trial takes the number of a trial, and one program")
    if not min(options.minutes, options.each or 1.0) > 0 or options.jobs < 1 or options.seed < 0:
        parser.error("--minutes and --each must be above 0, --jobs at least 1, --seed at least 0")
    return options


if __name__ == "__main__":
    sys.exit(main())
