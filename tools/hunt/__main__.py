"""Run hunting programs for some minutes and print what they did and found."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
from pathlib import Path

from hunt.program import NAMES, load
from hunt.supervisor import hunt


def main() -> int:
    """Return 0 if nothing was found, else 1."""
    options = _options()
    shares = {name: load(name).share for name in options.programs}
    seconds = 60 * options.minutes / sum(shares.values())
    print(f"seed {options.seed}, {options.jobs} processes, {options.minutes:g} minutes")
    record, total = {}, 0
    for name, share in shares.items():
        outcome = hunt(name, options.seed, seconds * share, options.jobs, options.trial)
        done = ", ".join(f"{count:,} {what}" for what, count in sorted(outcome.counts.items()))
        print(f"{name:<14} {len(outcome.findings)} found; {outcome.skipped or done}", flush=True)
        for trial, text in outcome.findings:
            print(f"  repeat: python -m hunt {name} --seed {options.seed} --trial {trial}")
            print("  " + text.rstrip().replace("\n", "\n  "), flush=True)
        record[name] = outcome.counts | {"found": len(outcome.findings)}
        total += len(outcome.findings)
    if options.record is not None:
        with options.record.open("a") as file:
            print(
                json.dumps({"seed": options.seed, "minutes": options.minutes} | record), file=file
            )
    return int(total > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hunt",
        description="Search for wrong results, crashes, hangs and undocumented exceptions.",
        epilog="\n".join(["programs:", *(f"  {name:<14} {load(name).summary}" for name in NAMES)]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    today = int(dt.date.today().strftime("%Y%m%d"))  # noqa: DTZ011 - a seed
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="which; all if none")
    parser.add_argument("--minutes", type=float, default=10.0, help="for all together")
    parser.add_argument("--seed", type=int, default=today, help="the day's date if not given")
    parser.add_argument("--trial", type=int, help="run this one trial of one program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--record", type=Path, help="append the counts to this file, as JSON")
    options = parser.parse_args()
    for name in options.programs:
        if name not in NAMES:
            parser.error(f"there is no program {name!r}: {', '.join(NAMES)}")
    options.programs = options.programs or list(NAMES)
    if options.trial is not None and len(options.programs) != 1:
        parser.error("--trial repeats a trial of one program: name the program")
    if options.minutes <= 0 or not options.jobs or options.jobs < 1:
        parser.error("--minutes must be above 0 and --jobs at least 1")
    return options


if __name__ == "__main__":
    sys.exit(main())
