"""The options of the benchmarks; those of several benchmarks are described once."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The default of an option that must be given.
REQUIRED = object()
_SHARED: dict[str, dict[str, Any]] = {
    "algorithm": {"metavar": "NAME", "help": "algorithm of the catalogue"},
    "algorithms": {"metavar": "NAME", "help": "algorithms of the catalogue"},
    "budget": {"metavar": "SECONDS", "help": "time after which no measurement begins"},
    "clock": {
        "choices": ["wall", "processor"],
        "help": "processor: processor time of one thread, for machines that others use",
    },
    "commit": {"help": "commit to write into each line"},
    "data": {
        "type": Path,
        "metavar": "FOLDER",
        "help": "folder of graph files; by default WARPATH_BENCH_DATA",
    },
    "dtypes": {"metavar": "TYPE", "help": "types of the weights"},
    "external": {
        "action": "append",
        "metavar": "NAME=COMMAND",
        "help": "a peer that is a command: docs/benchmarks/external-solvers.md",
    },
    "folder": {"type": Path, "metavar": "FOLDER", "help": "folder for temporary files"},
    "graphs": {"metavar": "GRAPH", "help": "generators with their numbers, titles, or files"},
    "limit": {"metavar": "SECONDS", "help": "time limit of one solve or command"},
    "lines": {"type": Path, "metavar": "FILE", "help": "file of JSON lines to continue"},
    "output": {"type": Path, "metavar": "FILE", "help": "write the page to this .md file"},
    "repeats": {"help": "number of solves that a median is of"},
    "scale": {"help": "size of generated graphs, as a share of the full size"},
    "sources": {"help": "number of seeded sources per graph"},
    "table": {"type": Path, "metavar": "FILE", "help": "write the table to this .md file"},
    "threads": {"help": "numbers of threads of our solvers"},
}


def parsed(
    name: str, about: str | None, arguments: Sequence[str], /, **options: Any
) -> argparse.Namespace:
    """Return the options that the arguments of a benchmark give.

    Parameters
    ----------
    name, about : name of the benchmark, and its description.
    options : for each option its default, from which its type follows, or keywords of argparse's
        ``add_argument``; ``positional=True`` makes it an argument without a name. A default of
        `REQUIRED` makes the option required.
    """
    parser = argparse.ArgumentParser(prog=f"warpath bench {name}", description=about)
    for option, given in options.items():
        own = given if isinstance(given, dict) else {"default": given}
        _add(parser, option, _SHARED.get(option, {}) | own)
    return parser.parse_args(arguments)


def _add(parser: argparse.ArgumentParser, option: str, keywords: dict[str, Any]) -> None:
    default, positional = keywords.get("default"), keywords.pop("positional", False)
    if default is REQUIRED:
        keywords |= {"required": True, "default": None}
    elif default is False:
        keywords["action"] = "store_true"
    elif isinstance(default, list | tuple) and "action" not in keywords:
        keywords = {"nargs": "*"} | ({"type": type(default[0])} if default else {}) | keywords
    elif default is not None and "action" not in keywords:
        keywords = {"type": type(default)} | keywords
    if default and default is not REQUIRED:
        listed = isinstance(default, list | tuple)
        shown = " ".join(map(str, default)) if listed else str(default)
        keywords["help"] = f"{keywords.get('help', '')} ({shown.replace('%', '%%')})"
    parser.add_argument(option if positional else f"--{option.replace('_', '-')}", **keywords)
