"""The command line application: all commands, their groups, and the parser."""
# Annotations are read at run time: no postponed evaluation.

import functools
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Annotated, Any

import typer

import warpath
from warpath.base.errors import NotSupportedError
from warpath.cli import catalogue, doctor, drawings, files, look, many, searches, update
from warpath.cli.options import grouped
from warpath.cli.reporting import UsageError
from warpath.cli.vertices import protected

_EXAMPLES = """\
warpath: exact shortest paths in graphs, on CPUs and GPUs.

  warpath info roads.gr.gz                      sizes and weights of a graph file
  warpath sssp roads.gr.gz --source 1           distances from one vertex to all
  warpath path roads.gr.gz 1 1000 --plot r.png  one route, drawn on the map
"""
_HELP = "`warpath --help` lists the commands, `warpath COMMAND --help` explains one.\n"

_EPILOG = (
    "Exit codes: 0 success, 1 no path or unverified, 2 usage, 3 input, 4 unsupported. Results go "
    "to stdout, messages and progress to stderr. --json works with every command but bench."
)

_ANYWHERE = {"--json", "--quiet", "-q", "--debug"}

_group = functools.partial(
    typer.Typer,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app = _group(
    name="warpath", help="Compute exact shortest paths in graphs, on CPUs and GPUs.", epilog=_EPILOG
)
_plot = _group(help="Draw searches on the map, traced runs, and the effect of delta.")
_bench = _group(help="Run a benchmark, the same as [cyan]python -m warpath_bench[/].")

#: All arguments after the name of a benchmark are passed to it, ``--help`` too.
_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}
_FREE = {"allow_extra_args": True, "ignore_unknown_options": True}  # generator parameters
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Solve": (
        searches.sssp,
        many.distances,
        many.apsp,
        many.pairs,
        many.centrality,
        searches.nearest,
        searches.within,
        searches.path,
        update.update,
    ),
    "Inspect": (
        look.info,
        look.plan,
        look.verify,
        catalogue.algorithms,
        catalogue.formats,
        doctor.doctor,
    ),
    "Files": (files.prepare, files.convert, files.generate),
}
for _panel, _commands in _PANELS.items():
    for _command in _commands:
        _settings = _FREE if _command is files.generate else None
        _add = app.command(_command.__name__, rich_help_panel=_panel, context_settings=_settings)
        _add(grouped(_command))
for _command in drawings.COMMANDS:
    _plot.command(_command.__name__)(grouped(_command))
app.add_typer(_plot, name="plot", rich_help_panel="Inspect")
app.add_typer(_bench, name="bench", rich_help_panel="Measure")
_GROUPS = ("plot", "bench")  # commands that have subcommands


def _overview_text() -> str:
    """Return examples, and the names of all commands that have none among them."""
    names = [command.__name__ for commands in _PANELS.values() for command in commands]
    others = [name for name in (*names, *_GROUPS) if f"  warpath {name} " not in _EXAMPLES]
    also = textwrap.fill(f"Also: {', '.join(others)}.", 88)
    return f"{_EXAMPLES}\n{also}\n{_HELP}"


@app.callback(invoke_without_command=True)
def _overview(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        sys.stdout.write(f"warpath {warpath.__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        sys.stdout.write(_overview_text())


@functools.cache
def parser(*, measuring: bool = False) -> Any:
    """Return the click command that parses and runs command lines; cached.

    Parameters
    ----------
    measuring : whether to include the benchmarks; finding them takes 50 ms.
    """
    if measuring:
        _bench.registered_commands.clear()
        for name, measured in _benchmarks():
            add = _bench.command(name, add_help_option=False, context_settings=_PASSED_ON)
            add(measured)
    return typer.main.get_command(app)


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; typer's errors are raised as `UsageError`."""
    if "_WARPATH_COMPLETE" in os.environ:  # typer's protocol for shell completion
        with suppress(NotSupportedError):
            parser(measuring=True)
        app(prog_name="warpath")
    if arguments[:1] == ["help"]:  # as in git and cargo
        arguments = [*arguments[1:], "--help"]
    words = protected(_after_the_command(arguments))
    command = parser(measuring=words[:1] == ["bench"])
    try:
        with command.make_context("warpath", words) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's errors, in whichever module of a version
            raise _usage_error(error) from error
        raise
    return 0


def _after_the_command(arguments: list[str]) -> list[str]:
    """Move options before the command behind it: ``--json info`` becomes ``info --json``."""
    at = next((at for at, word in enumerate(arguments) if word not in _ANYWHERE), len(arguments))
    words = 2 if arguments[at : at + 1] and arguments[at] in _GROUPS else 1
    command = arguments[at : at + words]
    if not command or command[0].startswith("-"):
        return [word for word in arguments if word not in _ANYWHERE]
    return [*command, *arguments[:at], *arguments[at + words :]]


def _usage_error(error: Any) -> UsageError:
    message = error.format_message().strip()
    message = message[:1].lower() + message[1:]
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "warpath"
    return UsageError(message, f"Try '{command} --help'.")


def _benchmarks() -> Iterator[tuple[str, Callable[[typer.Context], None]]]:
    """Yield the name of each benchmark and the function that runs it."""
    from importlib.metadata import entry_points  # takes 50 ms; no other command needs it

    found = entry_points(group="warpath.commands", name="bench")
    if not found:
        raise NotSupportedError(
            "warpath bench needs the distribution warpath-bench, which is not installed: in a "
            "checkout of warpath, pip install ./bench"
        )
    for one in found:
        for name, command in one.load().items():
            yield name, _runner(command)


def _runner(command: Any) -> Callable[[typer.Context], None]:
    def run(context: typer.Context) -> None:
        raise typer.Exit(command.run([word for word in context.args if word != "--debug"]))

    run.__doc__ = command.summary
    return run
