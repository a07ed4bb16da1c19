"""The types to compute in: the narrowest that hold all sums or detect an overflow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.base.dtypes import unreachable
from warpath.engines.cuda.rows import resident, weights_on_host
from warpath.graph.derived import Derived

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.graph import Graph


class Width(NamedTuple):
    """The types of labels and weights in a kernel.

    Attributes
    ----------
    label, weight : NumPy's names of the types.
    proven : whether all distances are known to fit the labels; otherwise kernels report overflows.
    """

    label: str
    weight: str
    proven: bool

    @property
    def unreachable(self) -> Any:
        """The label of unreachable vertices, a scalar of the labels' type."""
        return np.dtype(self.label).type(unreachable(np.dtype(self.label)))


def widths(graph: Graph) -> list[Width]:
    """Return the types to try in this order for weights >= 0, until no sum overflows."""
    facts = graph.facts(symmetry=False)
    weight = graph._solver_weights.dtype.name
    if not facts.integer:
        return [Width(weight, weight, proven=True)]
    largest = int(facts.max_weight)
    longest = largest * max(facts.n - 1, 1)
    wide = Width("int64", weight, longest < unreachable(np.dtype("int64")))
    if largest >= unreachable(np.dtype("int32")):
        return [wide]
    narrow = Width("int32", "int32", longest < unreachable(np.dtype("int32")))
    return [narrow] if narrow.proven else [narrow, wide]


_WEIGHTS: Derived[Array] = Derived(__name__, "narrow weights on a device")


def weights_of(
    graph: Graph, width: Width, device: Device, *, on_host: bool = False
) -> tuple[Array | None, Any]:
    """Return (weights on the device, 0), or (None, the weight) if all weights are equal.

    Parameters
    ----------
    on_host : whether the weights stay in memory of the host.
    """
    kind = np.dtype(width.weight).type
    facts = graph.facts(symmetry=False)
    if graph.m == 0 or facts.min_weight == facts.max_weight:
        return None, kind(graph._solver_weights[0] if graph.m else 0)
    if on_host:
        return weights_on_host(graph, width.weight, device), kind(0)
    if graph._solver_weights.dtype == width.weight:
        return resident(graph, device).weights, kind(0)
    weights = graph._solver_weights
    narrow = _WEIGHTS.of(
        graph, lambda: device.put(weights.astype(width.weight)), device.name, width.weight
    )
    return narrow, kind(0)


def largest_within(cutoff: float | None, width: Width) -> Any:
    """Return the largest label that is not above a cutoff, in the labels' type."""
    kind = np.dtype(width.label).type
    if cutoff is None or cutoff >= width.unreachable:
        return width.unreachable
    if kind is np.float32 and float(np.float32(cutoff)) > cutoff:
        return np.nextafter(np.float32(cutoff), np.float32(-np.inf))
    return kind(cutoff if np.dtype(width.label).kind == "f" else math.floor(cutoff))


def bucket(graph: Graph, width: Width, delta: float | None, default: float) -> Any:
    """Return the width of a bucket in the labels' type: `delta`, or `default` mean weights.

    If all weights are equal the width is infinite: rounds are levels of a breadth-first search.
    """
    facts = graph.facts(symmetry=False)
    if delta is None and (facts.min_weight == facts.max_weight or not facts.mean_weight > 0):
        return width.unreachable
    bucket_width = default * facts.mean_weight if delta is None else delta
    if not bucket_width < width.unreachable:
        return width.unreachable
    return np.dtype(width.label).type(
        bucket_width if width.label[0] == "f" else max(round(bucket_width), 1)
    )
