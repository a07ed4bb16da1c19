"""The recipes that a test of an engine runs."""

from __future__ import annotations

from warpath.recipes import CATALOGUE, Recipe, Task


def on_cpu(task: Task | None = None) -> list[Recipe]:
    """Return the recipes of distances that run on the CPU, or those that solve a task."""
    here = [recipe for recipe in CATALOGUE if "cpu" in recipe.devices]
    others = {Task.BETWEENNESS}  # tests/api/test_centrality.py runs these
    return [
        each for each in here if (each.solves - others if task is None else {task} & each.solves)
    ]


def on_gpu(*tasks: Task) -> list[Recipe]:
    """Return the recipes that run on a GPU and solve one of the tasks, by default one source."""
    there = [recipe for recipe in CATALOGUE if "cuda" in recipe.devices]
    return [recipe for recipe in there if recipe.solves.intersection(tasks or {Task.SSSP})]
