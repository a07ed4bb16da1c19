"""Meyer and Sanders 2003: delta-stepping on a GPU; `classic.delta_stepping` runs on a CPU."""

from __future__ import annotations

from warpath.recipes import classic, davidson2014
from warpath.recipes.axes import Edges
from warpath.recipes.recipe import Param

_DELTA = Param(
    "delta",
    "the width of a bucket and the largest weight of a light edge, in the unit of the weights, a "
    "whole number for integers; 2 x mean weight / mean degree by default, which is 1 / degree for "
    "random weights up to 1, as in the paper",
    default=2,
    relative=True,
)
_CPU = next(recipe for recipe in classic.RECIPES if recipe.name == "classic.delta_stepping")
_NEAR_FAR = next(
    recipe for recipe in davidson2014.RECIPES if recipe.name == "davidson2014.near_far.merge_path"
)

RECIPES = (
    _NEAR_FAR.but(
        "meyer2003.delta_stepping",
        "Delta-stepping: light edges until a bucket is empty, then heavy edges of its vertices.",
        "section 2, figure 1",
        source=_CPU.source,
        params=(_DELTA,),
        edges=Edges.LIGHT_FIRST,
        note="The vertices behind the current bucket are in one pile, which is split when the "
        "bucket is empty, where the paper has an array of buckets. The host divides the edges when "
        "delta changes. The lists are those of Davidson et al.",
    ),
)
