"""The type of a result's plan, for type checkers: results lie below the planner, which makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from warpath.recipes.recipe import Recipe


class RunPlan(Protocol):
    """What ran and why, as `warpath.plan` returns it before a run.

    The attributes are those of `warpath.planner.plan.Plan`.
    """

    @property
    def recipe(self) -> Recipe:
        """The algorithm."""
        ...

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        ...

    @property
    def device(self) -> str:
        """Where it ran: "cpu", "cuda:0"."""
        ...

    @property
    def threads(self) -> int:
        """How many threads it used."""
        ...

    @property
    def params(self) -> dict[str, float]:
        """Its parameters."""
        ...

    @property
    def seconds(self) -> float | None:
        """The predicted time, or None."""
        ...

    @property
    def bytes(self) -> int:
        """The memory that it was predicted to take."""
        ...

    @property
    def reason(self) -> str:
        """Why it was taken."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What else there is to know."""
        ...

    def headline(self) -> str:
        """Return what ran, in one line."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a dictionary for `json.dumps`."""
        ...
