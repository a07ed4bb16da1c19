"""bench: the benchmarks of the distribution warpath-bench, which read their own options."""
# Annotations are read at run time: no postponed evaluation.

from collections.abc import Callable, Iterator
from typing import Any

import typer

from warpath.base.errors import NotSupportedError

#: Everything after a benchmark's name is its own, ``--help`` too.
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
_OURS = {"--debug"}


def commands() -> Iterator[tuple[str, Callable[[typer.Context], None]]]:
    """Yield the name of each benchmark and the function that runs it.

    Raises
    ------
    NotSupportedError
        If no installed distribution has benchmarks.
    """
    from importlib.metadata import entry_points  # 50 ms, which the other commands do not need

    found = entry_points(group="warpath.commands", name="bench")
    if not found:
        msg = (
            "warpath bench needs the distribution warpath-bench, which is not installed: in a "
            "checkout of warpath, pip install ./bench"
        )
        raise NotSupportedError(msg)
    for one in found:
        for name, command in one.load().items():
            yield name, _runner(command)


def _runner(command: Any) -> Callable[[typer.Context], None]:
    def run(context: typer.Context) -> None:
        code = command.run([word for word in context.args if word not in _OURS])
        if code:
            raise typer.Exit(code)

    run.__doc__ = command.summary
    return run
