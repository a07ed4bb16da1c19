"""The catalogue of all algorithms, described as data."""

from __future__ import annotations

from warpath.recipes import (
    bodra2025,
    classic,
    davidson2014,
    dong2021,
    dynamic,
    hierarchies,
    johnson_gpu,
    martin2009,
    meyer2003,
    warpath,
)
from warpath.recipes.catalogue import Catalogue
from warpath.recipes.recipe import Citation, Loop, OwnLoop, Param, Queue, Recipe, Task

__all__ = [
    "CATALOGUE",
    "Catalogue",
    "Citation",
    "Loop",
    "OwnLoop",
    "Param",
    "Queue",
    "Recipe",
    "Task",
]

_MODULES = (
    classic,
    martin2009,
    davidson2014,
    meyer2003,
    dong2021,
    bodra2025,
    johnson_gpu,
    hierarchies,
    dynamic,
    warpath,
)

CATALOGUE = Catalogue(
    [*(recipe for module in _MODULES for recipe in module.RECIPES), martin2009.REFUTED]
)
