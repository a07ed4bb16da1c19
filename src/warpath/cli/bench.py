"""bench: the benchmarks, which read their own options."""
# Annotations are read at run time: no postponed evaluation.

from collections.abc import Callable, Iterator

import typer

from warpath.bench.commands import COMMANDS, Command

#: Everything after a benchmark's name is its own, ``--help`` too.
PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
_OURS = {"--debug"}


def commands() -> Iterator[tuple[str, Callable[[typer.Context], None]]]:
    """Yield the name of each benchmark and the function that runs it."""
    for name, command in COMMANDS.items():
        yield name, _runner(command)


def _runner(command: Command) -> Callable[[typer.Context], None]:
    def run(context: typer.Context) -> None:
        code = command.run([word for word in context.args if word not in _OURS])
        if code:
            raise typer.Exit(code)

    run.__doc__ = command.summary
    return run
