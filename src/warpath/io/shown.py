"""Printable excerpts of files and library messages, for error messages."""

from __future__ import annotations

#: The most characters of a file that an error quotes.
SHOWN = 60

#: The most characters of a library's message, or of a list of names, that an error quotes.
LONGEST = 2000


def excerpt(data: bytes) -> str:
    """Return ``, found "..."`` with the first 60 characters, unprintable ones escaped."""
    if not data:
        return ""
    text = data[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    cut = text[:SHOWN] + ("..." if len(text) > SHOWN else "")
    return f', found "{printable(cut)}"'


def printable(text: str) -> str:
    """Return a text as one line of limited length, unprintable characters escaped."""
    text = " ".join(line for line in text.splitlines() if line)
    cut = text[:LONGEST] + ("..." if len(text) > LONGEST else "")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
