"""Areas of streets that are used at the ends of trips only, such as access=destination.

Public streets that such streets alone join to the largest public network around belong to the area.
A vertex with another public street is a gate, outside the areas; the other vertices are inside.
Trips can pass only areas with two or more gates, so only these are closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from warpath.base.dtypes import Array


def inside_areas(src: Array, dst: Array, limited: Array, n: int) -> NDArray[np.bool_]:
    """Return which vertices lie inside areas with two or more gates: (n,) bool. O((n + m) log n).

    Parameters
    ----------
    src, dst : (m,) the ends of the edges; each vertex has an edge.
    limited : (m,) bool, whether an edge is used at the ends of trips only.
    """
    if not limited.any():
        return np.zeros(n, bool)
    public = _outside(src, dst, limited, n)
    area = _components(src, dst, ~public[src] & ~public[dst], n)
    enters = public[src] != public[dst]
    gate = np.where(public[src], src, dst)[enters]
    inner = np.where(public[src], dst, src)[enters]
    gates = np.unique(area[inner] * n + gate) // n
    closed: NDArray[np.bool_] = ~public & (np.bincount(gates, minlength=n)[area] > 1)
    return closed


def pass_areas(src: Array, dst: Array, limited: Array) -> NDArray[np.bool_]:
    """Return which edges lead from gate to gate through an area: (m,) bool; see `inside_areas`."""
    if not limited.any():
        return np.zeros(len(src), bool)
    names, ends = np.unique(np.concatenate([src, dst]), return_inverse=True)
    src, dst = np.split(ends, 2)
    public = _outside(src, dst, limited, len(names))
    through: NDArray[np.bool_] = limited & public[src] & public[dst] & (src != dst)
    return through


def _outside(src: Array, dst: Array, limited: Array, n: int) -> NDArray[np.bool_]:
    """Return which vertices are outside the areas: (n,) bool.

    They have an edge of the largest public network of their component.
    """
    network = _components(src, dst, ~limited, n)
    component = _components(src, dst, np.ones(len(src), bool), n)
    size = np.bincount(network, minlength=n)
    public = np.zeros(n, bool)
    public[src[~limited]] = public[dst[~limited]] = True
    first = np.flatnonzero(public & (network == np.arange(n)))  # a vertex of each public network
    order = first[np.lexsort((-first, size[first]))]
    largest = np.full(n, -1)
    largest[component[order]] = order  # the last one stays, which is the largest
    outside: NDArray[np.bool_] = public & (largest[component] == network)
    return outside


def _components(src: Array, dst: Array, used: Array, n: int) -> NDArray[np.int64]:
    """Return the smallest vertex that some edges join each vertex to: (n,)."""
    component = np.arange(n)
    src, dst = src[used], dst[used]
    while (differ := component[src] != component[dst]).any():
        low = np.minimum(component[src], component[dst])[differ]
        np.minimum.at(component, component[src][differ], low)
        np.minimum.at(component, component[dst][differ], low)
        while (component[component] != component).any():
            component = component[component]
    return component
