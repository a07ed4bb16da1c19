"""The log of steps that cost, under the name "warpath"."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from warpath.base import units

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG = logging.getLogger("warpath")


def note(message: str, *values: object) -> None:
    """Log a choice at level INFO."""
    _LOG.info(message, *values)


@contextmanager
def logged(step: str) -> Iterator[None]:
    """Log a step with its duration when it has ended; at level INFO, which is not shown unasked."""
    start = time.perf_counter()
    yield
    _LOG.info("%s in %s", step, units.seconds(time.perf_counter() - start))
