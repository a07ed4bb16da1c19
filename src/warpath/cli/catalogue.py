"""algorithms and formats: the catalogue of algorithms, and the formats of files."""
# Annotations are read at run time: no postponed evaluation.

from typing import Any

from warpath.api import calls
from warpath.cli.options import Showing, argument, option
from warpath.cli.output import Report, TableRows
from warpath.cli.reporting import UsageError, check_name
from warpath.io.formats import FORMATS
from warpath.planner.kinds import KINDS
from warpath.recipes import Catalogue, Recipe


def algorithms(
    showing: Showing,
    name: str | None = argument(
        "An algorithm to show in detail, or a paper whose algorithms to list.", default=None
    ),
    paper: str | None = option(
        "Only the algorithms of this paper: the first part of their names.", "--paper", "-p"
    ),
    device: str | None = option(
        f"Only the algorithms for this device: {' or '.join(KINDS)}.", "--device", "-d"
    ),
) -> None:
    """List the algorithms: purpose, devices and paper of each.

    With a NAME, show all about one: requirements, its section in the paper, parameters, and
    replacements for features of hardware that no longer exists.

    Example: [cyan]warpath algorithms martin2009[/]
    """
    catalogue = calls.algorithms()
    if paper is None and name in {each.paper for each in catalogue}:
        name, paper = None, name
    if name is not None:
        if paper is not None or device is not None:
            raise UsageError(
                "--paper and --device cannot be used with a NAME: leave one of them out."
            )
        _show_one(_found(catalogue, name), showing)
        return
    _check("paper", paper, {each.paper for each in catalogue})
    _check("device", device, {on for each in catalogue for on in each.devices})
    of_paper = [each for each in catalogue if paper in {None, each.paper}]
    chosen = Catalogue([each for each in of_paper if device in {None, *each.devices}])
    report = Report("algorithms", showing, algorithms=[_recipe_document(each) for each in chosen])
    for first, title, recipes in chosen.papers():
        table = {"name": [each.name for each in recipes]}
        table["on"] = [", ".join(each.devices) for each in recipes]
        if len({each.solves for each in recipes}) > 1:
            table["does"] = [", ".join(_tasks(each)) for each in recipes]
        table["for"] = [each.summary for each in recipes]
        rows = zip(*table.values(), strict=True)
        report.parts += [f"{first}: {title}", TableRows([*table], rows, data=False)]
    if not report.parts:
        report.parts.append(f"no algorithm of {paper} runs on {device}")
    report.show()


def formats(showing: Showing) -> None:
    """List the file formats with their suffixes and options.

    Options of reading are given by their own flags, or as --option KEY=VALUE; those of writing as
    --option-out KEY=VALUE of warpath convert.

    Example: [cyan]warpath formats[/]
    """
    columns = ("format", "suffixes", "content", "options of reading", "options of writing")
    rows, document = [], []
    for each in FORMATS:
        read, write = each.options("read"), each.options("write")
        suffixes = " ".join(each.suffixes) or "by content"
        writing = ", ".join(write) or ("none" if each.writes else "not written")
        rows.append([each.name, suffixes, each.summary, ", ".join(read), writing])
        names = ("name", "suffixes", "summary", "writes")
        known = {name: getattr(each, name) for name in names}
        document.append({**known, "read": read, "write": write})
    report = Report("formats", showing, formats=document)
    report.parts.append(TableRows(columns, rows, data=False))
    report.show()


def _check(what: str, wanted: str | None, known: set[str]) -> None:
    if wanted is not None and wanted not in known:
        raise UsageError(f"there is no {what} {wanted!r}: {', '.join(sorted(known))} are known.")


def _found(catalogue: Catalogue, name: str) -> Recipe:
    known = [*{each.paper: None for each in catalogue}, *(each.name for each in catalogue)]
    check_name("algorithm", name, known, "")
    return next(each for each in catalogue if each.name == name)


def _show_one(recipe: Recipe, showing: Showing) -> None:
    same = "yes, on every device and with any number of threads"
    if recipe.reassociates:
        same = "no: sums in another order, floats agree within n * eps"
    if not recipe.exact:
        same = "no: measured only, its labels may be wrong"
    report = Report("algorithms", showing, algorithms=[_recipe_document(recipe)])
    report.facts = {
        "name": recipe.name,
        "for": recipe.summary,
        "does": ", ".join(_tasks(recipe)),
        "needs": "; ".join(recipe.needs()) or "nothing special",
        "parameters": "; ".join(f"{p.name}: {p.meaning}" for p in recipe.params) or None,
        "same bits": same,
        "devices": ", ".join(recipe.devices),
        "auto": "may choose it" if recipe.planned else "never chooses it",
        "source": str(recipe.source),
        "where": recipe.where,
        "rounds": None if recipe.axes is None else recipe.axes.words(),
        "driver": None if recipe.axes is None else recipe.axes.driver,
        "steps": None if recipe.steps is None else recipe.steps.words(),
        "runs": ", then ".join(part.name for part in recipe.parts) or None,
        "note": recipe.note or None,
    }
    chosen = recipe.axes or recipe.steps
    if chosen is not None:
        columns = ("axis", "value", "means")
        report.parts.append(TableRows(columns, chosen.explained(), data=False))
    report.show()


def _tasks(recipe: Recipe) -> list[str]:
    order = ["sssp", "distances", "apsp", "path", "pairs", "betweenness"]
    return sorted((task.value for task in recipe.solves), key=order.index)


def _recipe_document(recipe: Recipe) -> dict[str, Any]:
    chosen = recipe.axes or recipe.steps
    axes = {} if chosen is None else {axis: v for axis, v, _ in chosen.explained()}
    names = (
        "name", "summary", "integer_only", "max_weight", "exact", "planned", "devices", "paper",
        "where", "loop", "queue", "note",
    )  # fmt: skip
    return {name: getattr(recipe, name) for name in names} | {
        "tasks": _tasks(recipe),
        "negative_weights": recipe.negative,
        "needs": recipe.needs(),
        "same_bits": recipe.exact and not recipe.reassociates,
        "params": {each.name: each.meaning for each in recipe.params},
        "source": str(recipe.source),
        "axes": axes,
    }
