"""The error of a wrong command line."""

from __future__ import annotations


class UsageError(Exception):
    """A command line that cannot be parsed or has conflicting options; exit code 2.

    Attributes
    ----------
    hint : a line for the user below the message, or "".
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
