"""A spinner or a line on stderr for long work that does not report progress."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from warpath.base.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.status import Status

    from warpath.cli.options import Showing

SILENT_SECONDS = 1.0  # shorter work shows nothing


@contextmanager
def busy(what: str, showing: Showing) -> Iterator[None]:
    """Show the name of long work on stderr: with a spinner on a terminal, else as one line."""
    if showing.quiet:
        yield
        return
    text = Text(visible(what))
    status = Console(stderr=True).status(text)
    timer = threading.Timer(SILENT_SECONDS, _started, (status, text))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


def _started(status: Status, what: Text) -> None:
    if status.console.is_terminal:
        status.start()
    else:
        status.console.print(what, "...", highlight=False)
