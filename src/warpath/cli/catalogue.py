"""algorithms: the catalogue."""
# Annotations are read at run time: no postponed evaluation.

import difflib
from typing import Annotated, Any

import typer

from warpath import api
from warpath.cli import output
from warpath.cli.options import Showing
from warpath.cli.output import Facts, Rows
from warpath.cli.usage import UsageError
from warpath.recipes import Recipe


def algorithms(
    showing: Showing,
    name: Annotated[
        str | None, typer.Argument(help="One algorithm, in detail.", show_default=False)
    ] = None,
) -> None:
    """List the algorithms: what each is for, what it needs, which paper it comes from.

    Example: [cyan]warpath algorithms classic.dijkstra[/]
    """
    catalogue = api.algorithms()
    if name is None:
        columns = ("name", "does", "for")
        rows = [(each.name, ", ".join(_tasks(each)), each.summary) for each in catalogue]
        document = {"command": "algorithms", "algorithms": [_described(each) for each in catalogue]}
        output.show(document, Rows(columns, rows, data=False), as_json=showing.as_json)
        return
    found = next((each for each in catalogue if each.name == name), None)
    if found is None:
        near = difflib.get_close_matches(name, [each.name for each in catalogue], n=2, cutoff=0.4)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"there is no algorithm {name!r}.{hint}")
    document = {"command": "algorithms", "algorithms": [_described(found)]}
    shown = {
        "name": found.name,
        "for": found.summary,
        "does": ", ".join(_tasks(found)),
        "needs": "; ".join(_needs(found)) or "nothing special",
        "parameters": "; ".join(f"{p.name}: {p.meaning}" for p in found.params) or None,
        "same bits": "no: sums in another order, floats agree within n * eps"
        if found.reassociates
        else "yes, on every device and with any number of threads",
        "devices": ", ".join(found.devices),
        "source": f"{found.source}, {found.where}",
    }
    output.show(document, Facts(shown), as_json=showing.as_json)


def _tasks(recipe: Recipe) -> list[str]:
    order = ["sssp", "distances", "apsp", "path"]
    return sorted((task.value for task in recipe.solves), key=order.index)


def _needs(recipe: Recipe) -> list[str]:
    needs = [] if recipe.negative else ["weights >= 0"]
    if recipe.integer_only:
        needs.append("integer weights")
    if recipe.max_weight is not None:
        needs.append(f"weights up to {recipe.max_weight:,}")
    return needs


def _described(recipe: Recipe) -> dict[str, Any]:
    return {
        "name": recipe.name,
        "summary": recipe.summary,
        "tasks": _tasks(recipe),
        "negative_weights": recipe.negative,
        "integer_only": recipe.integer_only,
        "max_weight": recipe.max_weight,
        "same_bits": not recipe.reassociates,
        "params": {each.name: each.meaning for each in recipe.params},
        "devices": recipe.devices,
        "source": str(recipe.source),
        "where": recipe.where,
    }
