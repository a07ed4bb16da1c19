"""bench: the benchmarks of the distribution warpath-bench, which parse their options."""
# Annotations are read at run time: no postponed evaluation.

from collections.abc import Callable, Iterator
from typing import Any

import typer

from warpath.base.errors import NotSupportedError

#: All arguments after the name of a benchmark are passed to it, ``--help`` too.
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
_OURS = {"--debug"}


def commands() -> Iterator[tuple[str, Callable[[typer.Context], None]]]:
    """Yield the name of each benchmark and the function that runs it.

    Raises
    ------
    NotSupportedError
        If no installed distribution has benchmarks.
    """
    from importlib.metadata import entry_points  # takes 50 ms; no other command needs it

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
