"""Whether the engines can run a recipe that is not in the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warpath.recipes.recipe import Recipe

#: The fields by which a recipe promises something, by the value that promises more.
_PROMISES = {
    **dict.fromkeys(("negative", "predecessors", "exact"), True),
    **dict.fromkeys(("integer_only", "equal_weights", "reassociates", "prepared"), False),
}


def misfit(recipe: Recipe, package: Iterable[Recipe]) -> str | None:
    """Return a sentence why no engine can run a recipe, with the way out; None if one can.

    A recipe of the package runs the same loop with the same queue, and does at least as much.
    """
    of_loop = [other for other in package if other.loop is recipe.loop]
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
