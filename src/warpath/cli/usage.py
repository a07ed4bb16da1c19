"""The error of a wrong command line."""

from __future__ import annotations


class UsageError(Exception):
    """A command line that cannot be parsed or has conflicting options; exit code 2."""
