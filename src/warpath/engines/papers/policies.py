"""From the axes of a recipe to the kernel that makes its rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath.engines.cuda.entry import kernel
from warpath.recipes import Loop
from warpath.recipes.axes import (
    Arrange,
    Direction,
    Edges,
    Emit,
    Labels,
    Layout,
    Lower,
    Map,
    Memory,
    Reduce,
    Select,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.engines.cuda.entry import Kernel, Types
    from warpath.recipes import Recipe
    from warpath.recipes.axes import Axes

_MAPS = {
    Map.THREAD: "ThreadMap",
    Map.GRID_STRIDE: "GridStrideMap",
    Map.BLOCK_SEARCH: "BlockSearchMap",
    Map.CTA_WARP_SCAN: "CtaWarpScanMap",
    Map.MERGE_PATH: "MergePathMap",
    Map.CHILD_GRID: "ChildGridMap",
}
_WRITES = {
    Lower.ATOMIC_MIN: "WriteAtomic",
    Lower.PLAIN_MIN: "WritePlain",
    Lower.STORED_MIN: "WriteMin",
}
_SETTLED = {Emit.FLAGS: "ToFlags", Emit.ATOMIC_QUEUE: "ToQueue", Emit.PREFIX_SUM: "ToPrefix"}
#: The maps that find an edge's vertex by the offsets of the list's edges.
_BY_OFFSETS = {Map.BLOCK_SEARCH, Map.CTA_WARP_SCAN, Map.MERGE_PATH}


def axes_of(recipe: Recipe) -> Axes:
    """Return the axes of a recipe with rounds."""
    assert recipe.axes is not None  # noqa: S101 - every recipe with a round-based loop has them
    return recipe.axes


def rounds_kernel(recipe: Recipe, types: Types, block: int, *, traced: bool) -> Kernel:
    """Return the kernel that makes all rounds of a recipe, none of whose steps is on the CPU.

    Parameters
    ----------
    types : of the solve.
    block : threads a block.
    traced : whether it counts what it does.
    """
    kind, policies = _POLICIES[recipe.loop](axes_of(recipe))
    return kernel(kind, types, block, *policies.items(), ("traced", traced))


def step_map(axes: Axes) -> str:
    """Return the policy of a recipe's map."""
    return _MAPS[axes.map]


def step_write(axes: Axes) -> str:
    """Return the policy by which a recipe lowers labels."""
    return _WRITES[axes.lower]


def numbered(axes: Axes) -> bool:
    """Whether a round needs the edges of its list numbered: by its map, or for their slots."""
    slots = axes.emit is Emit.PREFIX_SUM and not axes.settles
    return axes.map in _BY_OFFSETS or slots


def _sweeps(axes: Axes) -> tuple[str, dict[str, str | bool]]:
    two, improved = axes.labels is Labels.TWO_ARRAYS, axes.select is Select.IMPROVED
    return "sweeps", {
        "set": "Flagged" if improved else "Every",
        "map": _MAPS[axes.map],
        "write": _WRITES[axes.lower],
        "emit": "EmitFlags" if improved and not two else "EmitNothing",
        "two_arrays": two,
        "improved": improved,
        "ell": axes.layout is Layout.ELL,
    }


def _expansion(axes: Axes) -> dict[str, str | bool]:
    queued = axes.emit is Emit.ATOMIC_QUEUE
    return {
        "map": _MAPS[axes.map],
        "write": _WRITES[axes.lower],
        "emit": "EmitQueue" if queued else "EmitSlots",
        "queued": queued,
        "numbered": numbered(axes),
        "classified": axes.edges is Edges.CLASSIFIED,
    }


def _buckets(axes: Axes) -> tuple[str, dict[str, str | bool]]:
    return "buckets", {
        **_expansion(axes),
        "sort": axes.arrange is not Arrange.MULTISPLIT,
        "merge": axes.arrange is Arrange.MERGE,
    }


def _stepping(axes: Axes) -> tuple[str, dict[str, str | bool]]:
    return "stepping", {**_expansion(axes), "rho": axes.select is Select.RHO}


def _settle(axes: Axes) -> tuple[str, dict[str, str | bool]]:
    kind, relax = _relax(axes)
    out = axes.select is Select.OUT
    return kind, {
        **relax,
        "value": "OutThreshold" if out else "Unsettled",
        "criterion": "AtMost" if out else "Equal",
        "emit": _SETTLED[axes.emit],
        "two_passes": axes.reduce is Reduce.GRID_TWICE,
    }


def _bounds(axes: Axes) -> dict[str, str | bool]:
    return {"bounds": "SharedBounds" if axes.memory is Memory.SHARED else "GlobalBounds"}


def _relax(axes: Axes) -> tuple[str, dict[str, str | bool]]:
    """Return the kind of a kernel that settles vertices, and the policies of its relaxation."""
    push = axes.direction is Direction.PUSH
    if axes.layout is Layout.DENSE:
        return "settle_dense", {"push": push, "write": _WRITES[axes.lower]}
    if not push:
        return "settle_pull", _bounds(axes)
    return "settle_push", {
        "map": _MAPS[axes.map],
        "set": "Listed" if axes.listed else "Flagged",
        "write": _WRITES[axes.lower],
        "numbered": numbered(axes),
    }


_POLICIES: dict[Loop, Callable[[Axes], tuple[str, dict[str, str | bool]]]] = {
    Loop.SWEEPS: _sweeps,
    Loop.FRONTIER: lambda axes: ("workfront", _expansion(axes)),
    Loop.NEAR_FAR: lambda axes: ("near_far", _expansion(axes)),
    Loop.NEAR_FAR_PULL: lambda axes: ("near_far_pull", _bounds(axes)),
    Loop.LIGHT_HEAVY: lambda axes: ("light_heavy", _expansion(axes)),
    Loop.STEPPING: _stepping,
    Loop.BUCKETS: _buckets,
    Loop.SETTLE: _settle,
}
