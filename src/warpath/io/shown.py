"""How the contents of files are shown in messages."""

from __future__ import annotations

#: The longest piece of a file that an error repeats.
SHOWN = 60

#: The longest text of a library, or list of names, that an error repeats.
LONGEST = 2000


def excerpt(found: bytes) -> str:
    """Return ``, found "..."`` with the text cut at 60 characters and the unprintable escaped."""
    if not found:
        return ""
    text = found[: 4 * SHOWN].decode("utf-8", "backslashreplace")
    cut = text[:SHOWN] + ("..." if len(text) > SHOWN else "")
    return f', found "{printable(cut)}"'


def printable(text: str) -> str:
    """Return a text as one line of limited length, without what a terminal cannot show."""
    text = " ".join(line for line in text.splitlines() if line)
    cut = text[:LONGEST] + ("..." if len(text) > LONGEST else "")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
