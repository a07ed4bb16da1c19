"""An engine is added by registering it; nothing else knows the names of devices."""

from __future__ import annotations

from dataclasses import replace

import pytest

import warpath as wp
from warpath.engines import cpu, registry
from warpath.planner import kinds, plan, wish
from warpath.recipes import CATALOGUE
from warpath.recipes.recipe import Catalogue


class ToyKind(kinds.Cpu):
    """A device of its own name, faster than anything."""

    name = "toy"

    def whole_name(self, device):
        return "toy:0" if device in {"toy", "toy:0"} else None

    def objection(self, recipe, task, facts):
        return recipe.objection(task, facts)

    def where(self, device):
        return f"on {device}"


class ToyEngine:
    name = "toy"

    def __init__(self):
        self.ran = []

    def run(self, order, device):
        self.ran.append((order.recipe.name, device))
        return cpu.run(order)

    def host_search(self, *_):
        return None

    def device_search(self, *_):
        return None

    def place(self, *_):
        return "toy:0"

    def memory(self, *_):
        return None, ""


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(kinds, "KINDS", dict(kinds.KINDS))
    monkeypatch.setattr(registry, "KINDS", kinds.KINDS)
    monkeypatch.setattr(registry, "_ENGINES", {})
    recipes = [
        replace(one, devices=(*one.devices, "toy")) if one.name == "classic.dijkstra" else one
        for one in CATALOGUE
    ]
    for module in (plan, wish):
        monkeypatch.setattr(module, "CATALOGUE", Catalogue(recipes))
    engine = ToyEngine()
    registry.register(ToyKind(), engine)
    return engine


def test_a_registered_engine_runs_what_its_device_is_requested_for(toy):
    graph = wp.Graph.of([(0, 1, 2), (1, 2, 5)])
    paths = wp.sssp(graph, 0, device="toy")
    assert paths.dist.tolist() == [0, 2, 7]
    assert paths.pred.tolist() == [-1, 0, 1]
    assert (paths.plan.device, paths.plan.algorithm) == ("toy:0", "classic.dijkstra")
    assert "on toy:0" in str(paths.plan)
    assert wp.distances(graph, [0, 1], device="toy").dist.tolist() == [[0, 2, 7], [2**63 - 1, 0, 5]]
    assert wp.sssp(graph.to("toy"), 1).dist.tolist() == [2**63 - 1, 0, 5]
    assert toy.ran == 3 * [("classic.dijkstra", "toy:0")]
    assert wp.sssp(graph, 0).plan.device == "cpu"


@pytest.mark.usefixtures("toy")
def test_a_device_without_an_engine_is_refused():
    graph = wp.Graph.of([(0, 1, 2)])
    for device in ("toy:7", "tpu", "cpu:1"):
        with pytest.raises(wp.InputError, match=f"device='{device}' is not valid; use 'auto'"):
            wp.sssp(graph, 0, device=device)
    with pytest.raises(wp.InputError, match="is not valid"):
        graph.to("tpu")
