"""Write the page that comes from the code: docs/algorithms.md, from the catalogue.

``python docs/generate.py`` writes it; ``--check`` fails if it is out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

import warpath as wp
from warpath.recipes import Recipe, Task

PAGE = Path(__file__).resolve().parent / "algorithms.md"

_HEAD = """\
# Algorithms

<!-- Written by `make docs` from src/warpath/recipes: edit there. -->

`algorithm="auto"` chooses among these; a name in its place takes that one, or says why it cannot do
the task. `warpath.algorithms()` and `warpath algorithms` list them too.

*Other sums* marks the algorithms that add floats in another order than from the source on: their
float distances agree with the others' within n * eps. Integer distances are exact everywhere.
"""


def page() -> str:
    """Return the text of docs/algorithms.md."""
    recipes = list(wp.algorithms())
    lines = [_HEAD, "| name | does | weights | |", "|---|---|---|---|"]
    for recipe in recipes:
        anchor = recipe.name.replace(".", "")
        sums = "other sums" if recipe.reassociates else ""
        lines.append(
            f"| [`{recipe.name}`](#{anchor}) | {_tasks(recipe)} | {_weights(recipe)} | {sums} |"
        )
    for recipe in recipes:
        lines += ["", f"## {recipe.name}", "", recipe.summary, ""]
        lines.append(f"- Published as {recipe.source} ({recipe.where}).")
        lines += [f"- Parameter `{param.name}`: {param.meaning}." for param in recipe.params]
        lines.append(f"- Runs on: {', '.join(recipe.devices)}.")
    return "\n".join(lines) + "\n"


def _tasks(recipe: Recipe) -> str:
    return ", ".join(f"`{task.value}`" for task in Task if task in recipe.solves)


def _weights(recipe: Recipe) -> str:
    if recipe.max_weight is not None:
        return f"integers 0 to {recipe.max_weight:,}"
    kind = "integers" if recipe.integer_only else "any type"
    return f"{kind}, any sign" if recipe.negative else f"{kind}, >= 0"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page():
        return 0
    print(f"{PAGE.name} is out of date: run `make docs`.")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
