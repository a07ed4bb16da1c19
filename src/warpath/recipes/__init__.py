"""The catalogue: every algorithm under its own name, as data."""

from __future__ import annotations

from warpath.recipes import classic
from warpath.recipes.recipe import Catalogue, Citation, Loop, Param, Queue, Recipe, Task

__all__ = ["CATALOGUE", "Catalogue", "Citation", "Loop", "Param", "Queue", "Recipe", "Task"]

CATALOGUE = Catalogue(classic.RECIPES)
