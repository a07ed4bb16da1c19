"""The type `Catalogue`, a sequence of recipes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from warpath.base.errors import NotSupportedError
from warpath.graph.checks import shown
from warpath.recipes.recipe import Recipe


class Catalogue(Sequence[Recipe]):
    """A sequence of recipes, also indexed by name; its repr is a table."""

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        self._recipes = tuple(recipes)

    @overload
    def __getitem__(self, at: int | str) -> Recipe: ...
    @overload
    def __getitem__(self, at: slice) -> Catalogue: ...
    def __getitem__(self, at: Any) -> Recipe | Catalogue:
        if isinstance(at, slice):
            return Catalogue(self._recipes[at])
        if isinstance(at, int):
            return self._recipes[at]
        if not isinstance(at, str):
            msg = f"there is no algorithm {shown(at)}: warpath.algorithms() has {len(self)}."
            raise NotSupportedError(msg)
        for recipe in self._recipes:
            if recipe.name == at:
                return recipe
        from difflib import get_close_matches  # imported only for a mistyped name

        names = ["auto", *(recipe.name for recipe in self._recipes)]
        close = (
            [name for name in names if at in name.split(".")]
            or [name for name in names if at and at.lower() in name]
            or get_close_matches(at, names)
        )
        hint = f" Did you mean {' or '.join(map(repr, close[:2]))}?" if close else ""
        msg = (
            f"there is no algorithm {at!r}.{hint} warpath.algorithms() lists all {len(names) - 1}."
        )
        raise NotSupportedError(msg)

    def __len__(self) -> int:
        return len(self._recipes)

    def papers(self) -> list[tuple[str, str, Catalogue]]:
        """Return the recipes by paper: the first part of their names, a title, and the recipes."""
        grouped: dict[str, list[Recipe]] = {}
        for recipe in self._recipes:
            grouped.setdefault(recipe.paper, []).append(recipe)
        return [(paper, _title(recipes), Catalogue(recipes)) for paper, recipes in grouped.items()]

    def __str__(self) -> str:
        blocks = []
        for paper, title, recipes in self.papers():
            name = max(len(recipe.name) for recipe in recipes)
            lines = (f"{r.name:<{name}}  {'/'.join(r.devices):<4}  {r.summary}" for r in recipes)
            blocks.append("\n".join([f"{paper}: {title}", *lines]))
        return "\n\n".join(blocks)

    def __repr__(self) -> str:
        return f"<Catalogue of {len(self)} algorithms>\n{self}"


def _title(recipes: Sequence[Recipe]) -> str:
    sources = {recipe.source for recipe in recipes}
    return str(sources.pop()) if len(sources) == 1 else "each from a different publication"
