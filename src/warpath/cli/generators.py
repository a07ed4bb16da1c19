"""The parameters of a generator as options of the command line."""

from __future__ import annotations

import difflib
import inspect
from typing import TYPE_CHECKING, Any

from warpath.cli.output import Report, Sentence, TableRows
from warpath.cli.reading import number_or_text
from warpath.cli.reporting import UsageError
from warpath.graph.generate import GENERATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from warpath.graph import Graph


_WEIGHTS = (
    "On the command line: --weights 1,10 draws integers from 1 to 10, --weights 0.5,2.0 draws "
    "floats,\n--weights none means no weights; --dtype is int32, int64, float32 or float64."
)


def list_kinds(report: Report) -> None:
    """Add all kinds of graphs to a report."""
    rows = [(name, _summary(name), _usage(name)) for name in GENERATORS]
    report.parts.append(TableRows(("kind", "what it is", "parameters"), rows, data=False))
    kinds = [dict(zip(("kind", "summary", "usage"), row, strict=True)) for row in rows]
    report.document["kinds"] = kinds


def describe_kind(report: Report, kind: str) -> None:
    """Add the description of a kind and of its parameters to a report."""
    text = f"{kind} {_usage(kind)}\n\n{inspect.getdoc(_function(kind)) or ''}"
    text = text.partition("\nRaises\n")[0].partition("\nExamples\n")[0].rstrip()
    text += f"\n\n{_WEIGHTS}"
    defaults = {p.name: None if p.default is p.empty else p.default for p in _parameters(kind)}
    report.document |= {"kind": kind, "parameters": defaults, "text": text}
    report.parts.append(Sentence(text))


def arguments_of(
    kind: str, words: Sequence[str], given: dict[str, Any]
) -> tuple[Callable[..., Graph], dict[str, Any]]:
    """Return the generator and its arguments from ``--name value`` words and name=value pairs.

    Raises
    ------
    UsageError
        If the kind or a parameter is unknown, or a required parameter is missing.
    """
    function = _function(kind)
    known = {p.name: p for p in _parameters(kind)}
    found = dict(given)
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        name = name.replace("-", "_")
        if not word.startswith("--"):
            raise UsageError(f"unexpected {word!r}: the parameters of {kind} are {_usage(kind)}.")
        if name not in known:
            raise _unknown(kind, name, known)
        if equals:
            found[name] = number_or_text(value)
        elif isinstance(known[name].default, bool):
            found[name] = True
        elif not rest:
            raise UsageError(f"{word} needs a value: {kind} {_usage(kind)}.")
        else:
            found[name] = number_or_text(rest.pop(0))
    for name in given:
        if name not in known:
            raise _unknown(kind, name, known)
    lacking = [
        f"--{p.name}" for p in known.values() if p.default is p.empty and p.name not in found
    ]
    if lacking:
        raise UsageError(f"{kind} needs {' and '.join(lacking)}: {kind} {_usage(kind)}.")
    return function, {name: _value(known[name], value) for name, value in found.items()}


def _value(parameter: inspect.Parameter, value: Any) -> Any:
    """Return a value as its parameter takes it: ``none`` as None, 1e5 as an integer."""
    if value == "none":
        return None
    whole = isinstance(value, float) and value.is_integer()
    return int(value) if whole and "int" in str(parameter.annotation) else value


def _function(kind: str) -> Callable[..., Graph]:
    if kind in GENERATORS:
        return GENERATORS[kind]
    close = difflib.get_close_matches(kind, GENERATORS, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(GENERATORS)}."
    raise UsageError(f"there is no generator {kind!r}: {hint}")


def _unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean --{close[0]}?" if close else ""
    return UsageError(f"{kind} has no parameter {name!r}: {_usage(kind)}.{hint}")


def _parameters(kind: str) -> list[inspect.Parameter]:
    parameters = inspect.signature(_function(kind)).parameters.values()
    return [p for p in parameters if p.name != "seed"]


def _usage(kind: str) -> str:
    return " ".join(_option(p) for p in _parameters(kind))


def _option(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if default is parameter.empty:
        return f"--{parameter.name} ..."
    if isinstance(default, bool):
        return f"[--{parameter.name}{'=yes' if default else ''}]"
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    return f"[--{parameter.name} {'...' if shown is None else shown}]"


def _summary(kind: str) -> str:
    return (inspect.getdoc(_function(kind)) or "").partition("\n")[0]
