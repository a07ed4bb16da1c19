"""``warpath bench findings``: check which claims of the papers hold in our measurements."""

from __future__ import annotations

import argparse
import json
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpath_bench import claims, claims_all_pairs, claims_davidson
from warpath_bench.jobs import read_lines
from warpath_bench.measured import FAILS, PARTLY, UNDECIDABLE, UNKNOWN, Measured
from warpath_bench.tables import gpus_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from warpath_bench.claims import Claim
    from warpath_bench.measured import Verdict

_PAPERS = tuple(dict.fromkeys(one.paper for one in (*claims.CLAIMS, *claims_davidson.CLAIMS)))
CLAIMS: tuple[Claim, ...] = tuple(
    sorted(
        (*claims.CLAIMS, *claims_all_pairs.CLAIMS, *claims_davidson.CLAIMS),
        key=lambda claim: _PAPERS.index(claim.paper),
    )
)

_HEAD = """\
# Findings of the papers, on {gpu}

<!-- Written by `python -m warpath_bench findings`
from bench/warpath_bench/claims*.py: edit those files. -->

Each statement is decided from the lines of the studies by the rule that stands with it; a statement
about several graphs *holds in part* where it is true of some. The papers' own figures are context:
their GPUs, CPUs and graphs were others. Times are milliseconds by the public call, after a warm-up;
see [the catalogue]({catalogue}) for how they were taken. GPU and CPU are of one machine.
"""


def page(measured: Measured, catalogue: str) -> str:
    """Return the page: a table of verdicts, then each claim with its numbers.

    Parameters
    ----------
    catalogue : the page of the catalogue's times, as a link.
    """
    found = [(claim, claim.judge(measured)) for claim in CLAIMS]
    lines = [_HEAD.format(gpu=gpus_of(measured.lines), catalogue=catalogue)]
    lines += ["| paper | statement | here |", "|---|---|---|"]
    lines += [f"| {c.paper}, {c.place} | {c.says} | {v.holds} |" for c, v in found]
    for paper, group in groupby(found, key=lambda pair: pair[0].paper):
        lines += ["", f"## {paper}"]
        for claim, verdict in group:
            lines += _section(claim, verdict)
    return "\n".join([*lines, ""])


def _section(claim: Claim, verdict: Verdict) -> list[str]:
    figures = f" The paper's figures: {claim.figures}." if claim.figures else ""
    reason = {FAILS: "Why not", PARTLY: "Why in part", UNDECIDABLE: "Why"}.get(verdict.holds)
    rule = (claim.judge.__doc__ or "").splitlines()[0].replace("Judge by", "Judged by")
    return [
        "",
        f"### {claim.says}",
        "",
        f"{claim.place[:1].upper()}{claim.place[1:]}.{figures} Here: **{verdict.holds}**. {rule}",
        *(["", f"{reason}: {claim.why}"] if claim.why and reason else []),
        *([] if verdict.holds == UNKNOWN else ["", *verdict.shown]),
    ]


def read_records(places: Iterable[str]) -> list[dict[str, Any]]:
    """Return the recorded runs in files and folders, only the last one of each GPU."""
    found = {}
    for place in map(Path, places):
        for path in [place] if place.is_file() else sorted(place.glob("*.json")):
            record = json.loads(path.read_text(encoding="utf-8"))
            found[record.get("gpu", str(path))] = record
    return list(found.values())


def main(arguments: Sequence[str]) -> int:
    """Write the page; return 0."""
    parser = argparse.ArgumentParser(prog="warpath bench findings", description=__doc__)
    parser.add_argument("--lines", nargs="+", required=True, help="files of the catalogue's lines")
    parser.add_argument("--records", nargs="*", default=[], help="recorded runs, or their folders")
    parser.add_argument(
        "--output", required=True, help="the Markdown file, findings-X.md next to catalogue-X.md"
    )
    options = parser.parse_args(arguments)
    measured = Measured(read_lines(options.lines), read_records(options.records))
    output = Path(options.output)
    catalogue = output.name.replace("findings", "catalogue", 1)
    output.write_text(page(measured, catalogue), encoding="utf-8")
    return 0
