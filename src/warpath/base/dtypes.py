"""The type of arrays, and the distance that marks unreachable vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


def unreachable(dtype: np.dtype[Any]) -> float:
    """Return the distance of a vertex that no path reaches: inf, or the largest integer."""
    return np.inf if dtype.kind == "f" else int(np.iinfo(dtype).max)
