"""``python -m warpath_bench``: ``warpath bench`` without the packages of the command."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from warpath.base.errors import WarpathError
from warpath_bench.commands import COMMANDS, listing

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a benchmark by its name.

    Returns
    -------
    int
        The benchmark's own exit code; 2 if the name is unknown, after a list of the names; 3 after
        a message if an input is bad.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    usage = (
        f"usage: python -m warpath_bench NAME ... (--help after a name explains it)\n{listing()}"
    )
    if not given or given[0] in {"-h", "--help"}:
        sys.stdout.write(usage)
        return 0
    name, *rest = given
    if name not in COMMANDS:
        sys.stderr.write(f"warpath_bench: there is no benchmark {name!r}.\n{usage}")
        return 2
    try:
        return COMMANDS[name].run(rest)
    except WarpathError as error:
        sys.stderr.write(f"warpath_bench: {error}\n")
        return 3


if __name__ == "__main__":
    sys.exit(main())
