"""The type `Catalogue`, and the check that the engines can run a recipe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from warpath.base.errors import InputError, NotSupportedError
from warpath.graph.checks import shown
from warpath.recipes.recipe import Loop, Recipe

if TYPE_CHECKING:
    from collections.abc import Iterable


class Catalogue(Sequence[Recipe]):
    """A sequence of recipes, also indexed by name; its repr is a table.

    Recipes that a caller has registered follow those of the package.
    """

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        self._built_in = {recipe.name: recipe for recipe in recipes}
        self._registered: dict[str, Recipe] = {}

    @property
    def _recipes(self) -> tuple[Recipe, ...]:
        return (*self._built_in.values(), *self._registered.values())

    def extend(self, recipes: Iterable[Recipe]) -> None:
        """Add recipes of the package that another room defines, with loops of their own."""
        self._built_in.update((recipe.name, recipe) for recipe in recipes)

    @property
    def planned(self) -> list[Recipe]:
        """The recipes that "auto" may choose, none of which a caller has registered."""
        return [recipe for recipe in self._built_in.values() if recipe.planned]

    def register(self, recipe: Any) -> Recipe:
        """Add a recipe, see `warpath.register`."""
        if not isinstance(recipe, Recipe):
            msg = (
                f"recipe = {shown(recipe)} must be a recipe, as "
                "algorithms()['davidson2014.near_far.merge_path'].but(...) returns."
            )
            raise InputError(msg)
        if isinstance(self.identified(recipe), Recipe):
            self._registered[recipe.name] = recipe
        return recipe

    def identified(self, algorithm: str | Recipe) -> str | Recipe:
        """Return what identifies an algorithm: its name in the package, or a caller's recipe.

        Raises
        ------
        InputError
            If a caller's recipe has the name of another one in the package, or no valid name, or
            no engine can run it.
        """
        if isinstance(algorithm, str):
            return self._registered.get(algorithm, algorithm)
        name = algorithm.name
        built_in = self._built_in.get(name)
        if built_in == algorithm:
            return name
        if built_in is not None:
            other = [key for key, value in vars(algorithm).items() if value != vars(built_in)[key]]
            msg = (
                f"the catalogue's {name} differs from this recipe in {', '.join(other)}: give "
                "yours another name, by but('paperYEAR.variant', summary, ...)."
            )
            raise InputError(msg)
        if not _NAME.fullmatch(name):
            msg = f"the recipe's name {shown(name)} must be as 'smith2026.near_far': paper.variant."
            raise InputError(msg)
        objection = misfit(algorithm, self._built_in.values())
        if objection is not None:
            msg = f"the recipe {name} cannot run: {objection}."
            raise InputError(msg)
        return algorithm

    @overload
    def __getitem__(self, at: int | str | Recipe) -> Recipe: ...
    @overload
    def __getitem__(self, at: slice) -> Catalogue: ...
    def __getitem__(self, at: Any) -> Recipe | Catalogue:
        if isinstance(at, Recipe):
            return at
        if isinstance(at, slice):
            return Catalogue(self._recipes[at])
        if isinstance(at, int):
            return self._recipes[at]
        if not isinstance(at, str):
            msg = f"there is no algorithm {shown(at)}: warpath.algorithms() has {len(self)}."
            raise NotSupportedError(msg)
        recipe = self._built_in.get(at) or self._registered.get(at)
        if recipe is not None:
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
        return len(self._built_in) + len(self._registered)

    def __iter__(self) -> Iterator[Recipe]:
        return iter(self._recipes)

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


#: The fields by which a recipe promises something, by the value that promises more.
_PROMISES = {
    **dict.fromkeys(("negative", "predecessors", "exact"), True),
    **dict.fromkeys(("integer_only", "equal_weights", "reassociates", "prepared"), False),
}


def misfit(recipe: Recipe, package: Iterable[Recipe]) -> str | None:
    """Return a sentence why no engine can run a recipe, with the way out; None if one can.

    A recipe of the package runs the same loop with the same queue, and does at least as much.
    """
    of_loop = [one for one in package if (one.loop, one.own) == (recipe.loop, recipe.own)]
    if recipe.loop is Loop.OWN and not of_loop:
        return None
    alike = [other for other in of_loop if other.queue is recipe.queue]
    if not alike:
        queues = ", ".join(sorted({str(other.queue) for other in of_loop}))
        return f"queue={recipe.queue} does not fit {recipe.loop}: use {queues or 'another loop'}"
    fewest = min((list(_excesses(recipe, other)) for other in alike), key=len)
    return fewest[0] if fewest else None


def _excesses(recipe: Recipe, other: Recipe) -> Iterator[str]:
    """Yield a sentence for each field by which a recipe promises more than another one does."""
    loop = f"{recipe.loop}, as {other.name} runs it,"
    excess = sorted(task.value for task in recipe.solves - other.solves)
    if excess:
        some = ", ".join(sorted(map(str, recipe.solves & other.solves or other.solves)))
        yield f"{loop} does not do {', '.join(excess)}: say solves=frozenset({{{some}}})"
    if not set(recipe.devices) <= set(other.devices):
        yield f"{loop} is for other devices: say devices={other.devices}"
    for name, more in _PROMISES.items():
        if getattr(recipe, name) is more and getattr(other, name) is not more:
            yield f"{loop} has {name}={not more}: say {name}={not more}"
    for name in ("max_weight", "block_memory"):
        if _exceeds(getattr(recipe, name), most := getattr(other, name)):
            yield f"{loop} has {name}={most}: say {name}={most}"
    if any(map(_exceeds, recipe.limits, other.limits)):
        yield f"{loop} has smaller limits: say limits={other.limits}"
    if {param.name for param in recipe.params} != {param.name for param in other.params}:
        names = ", ".join(param.name for param in other.params) or "none"
        yield (
            f"the parameters of {recipe.loop} are {names}: "
            f"say params=warpath.algorithms()[{other.name!r}].params"
        )


def _exceeds(value: int | None, most: int | None) -> bool:
    """Return whether a limit is above another one; None is no limit."""
    return most is not None and (value is None or value > most)


_NAME = re.compile(r"\w+(\.\w+)+")
