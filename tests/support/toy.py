"""A second kind of device for tests: its engine runs recipes on the CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warpath.engines import cpu, registry
from warpath.planner import kinds, plan, request
from warpath.recipes import CATALOGUE, Catalogue, Task
from warpath.results.predecessors import tree

if TYPE_CHECKING:
    import pytest

    from warpath.base.dtypes import Array
    from warpath.engines.base import Order, Raw
    from warpath.graph import Graph
    from warpath.graph.facts import Facts
    from warpath.recipes import Recipe

ALGORITHM = "classic.dijkstra"  # the only recipe that runs on a toy


class ToyKind(kinds.Cpu):
    """A device of its own name, faster than anything."""

    name = runs = "toy"

    def whole_name(self, device: str) -> str | None:
        return "toy:0" if device in {"toy", "toy:0"} else None

    def objection(self, recipe: Recipe, task: Task, facts: Facts) -> str | None:
        return recipe.objection(task, facts)

    def where(self, device: str) -> str:
        return f"on {device}"


class ToyEngine:
    """An engine that lists the orders that it ran.

    Parameters
    ----------
    stays : whether distances from one source stay on the device.
    """

    name = "toy"

    def __init__(self, *, stays: bool = False) -> None:
        self.stays = stays
        self.ran: list[tuple[str, str]] = []

    def run(self, order: Order, device: str) -> Raw:
        self.ran.append((order.recipe.name, device))
        raw = cpu.run(order)
        if self.stays and order.problem.task is Task.SSSP:
            raw.device = ToyDevice()  # type: ignore[assignment]
        return raw

    def device_search(self, *_: Any) -> None:
        return None

    def on_device(
        self, graph: Graph, source: int, labels: Array, device: Any, cutoff: Any, dtype: Any
    ) -> ToyResult:
        assert cutoff is None
        return ToyResult(graph, source, labels.astype(dtype), device.name)

    def place(self, *_: Any) -> str:
        return "toy:0"

    def devices(self) -> list[str]:
        return ["toy:0"]

    def memory(self, *_: Any) -> tuple[None, str]:
        return None, ""


class ToyDevice:
    name = "toy:0"


class ToyResult:
    """A result on a toy; its predecessors are computed as on the CPU."""

    def __init__(self, graph: Graph, source: int, dist: Array, device: str) -> None:
        self.graph, self.source, self.dist, self.device = graph, source, dist, device

    @property
    def pred(self) -> Array:
        return self.pred_here()

    def here(self) -> Array:
        return self.dist.copy()

    def pred_here(self) -> Array:
        return tree(self.graph, self.source, self.dist)


def registered(monkeypatch: pytest.MonkeyPatch, *, stays: bool = False) -> ToyEngine:
    """Register the kind and the engine, and let `ALGORITHM` run there, until the test ends."""
    monkeypatch.setattr(kinds, "KINDS", dict(kinds.KINDS))
    monkeypatch.setattr(registry, "KINDS", kinds.KINDS)
    monkeypatch.setattr(registry, "_ENGINES", {})
    recipes = [
        replace(one, devices=(*one.devices, "toy")) if one.name == ALGORITHM else one
        for one in CATALOGUE
    ]
    for module in (plan, request):
        monkeypatch.setattr(module, "CATALOGUE", Catalogue(recipes))
    engine = ToyEngine(stays=stays)
    registry.register(ToyKind(), engine)
    return engine
