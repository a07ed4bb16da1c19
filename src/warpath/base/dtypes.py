"""The type of arrays, and the distance that marks unreachable vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def unreachable(dtype: np.dtype[Any]) -> float:
    """Return the distance of a vertex that no path reaches: inf, or the largest integer."""
    if dtype.kind == "f":
        return np.inf
    return (1 << 8 * dtype.itemsize - (dtype.kind == "i")) - 1  # a fifth of the time of np.iinfo
