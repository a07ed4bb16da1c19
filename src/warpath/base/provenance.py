"""Where a result was computed: the commit of a checkout, and the machine."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from warpath.base import system

_ROOT = Path(__file__).parents[3]


@cache
def commit() -> str | None:
    """Return the commit of the checkout that this package is imported from; None elsewhere.

    A ``+`` follows it if files have been changed since.
    """
    if not (_ROOT / ".git").exists() or not (_ROOT / "src" / "warpath").is_dir():
        return None
    git = ["git", "-C", str(_ROOT)]
    try:
        process = subprocess.run(  # noqa: S603 - arguments of its own
            [*git, "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout.strip() or None


@cache
def machine() -> str:
    """Return the processor and the number of its threads."""
    return f"{system.processor()}, {os.cpu_count()} threads"
