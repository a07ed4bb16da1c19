"""Prepare releases: write and check the version, print the notes, try what can be tried here.

- ``release.py set TAG``: write the version of a tag everywhere, and today in place of "unreleased"
  into the changelog.
- ``release.py check TAG``: the tag, the package, the changelog and CITATION.cff have one version.
- ``release.py notes TAG``: the part of the changelog about a version.
- ``release.py dry-run PYTHON``: build all that this machine can, and list the rest
  (`make release-dry-run`). PYTHON has warpath[dist,docs].
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: The files that have the version, and their lines with it.
VERSIONS = {
    "pyproject.toml": r'^version = "(.*)"',
    "src/warpath/__init__.py": r'^__version__ = "(.*)"',
    "CITATION.cff": r"^version: (.*)",
    "recipe/meta.yaml": r'set version = "(.*)"',
}
ELSEWHERE = (
    ("wheels for macOS", "the workflow `wheels`, on machines of that system"),
    ("wheels for Linux on ARM and musl, tested", "the workflow `wheels`; here: `make platforms`"),
    ("wheel for Windows, tested there", "the workflow `wheels`; here: `make platforms`"),
    ("wheel for free-threaded Python 3.14t", "the workflow `wheels`"),
    ("attestations", "the workflow `release`, with the identity that GitHub gives it"),
    ("TestPyPI, then PyPI", "the workflow `release`, after the owner registered it with both"),
    ("the site", "the workflow `docs`, which `release` calls"),
    ("conda-forge", "the owner, with recipe/meta.yaml, after the release is on PyPI"),
)


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def version(name: str = "pyproject.toml") -> str:
    """Return the version in a file."""
    found = re.search(VERSIONS[name], _text(name), re.MULTILINE)
    return found[1] if found else "nothing"


def set_version(tag: str) -> None:
    """Write the version of a tag into all files, and the date into the changelog."""
    number = tag.removeprefix("v")
    texts = {name: _text(name) for name in (*VERSIONS, "CHANGELOG.md")}
    for name, pattern in VERSIONS.items():
        found = re.search(pattern, texts[name], re.MULTILINE)
        assert found, f"{name} has no version"
        texts[name] = texts[name][: found.start(1)] + number + texts[name][found.end(1) :]
    texts["CHANGELOG.md"] = re.sub(
        r"^## \[.*\] - unreleased$",
        f"## [{number}] - {datetime.now(UTC):%Y-%m-%d}",
        texts["CHANGELOG.md"],
        count=1,
        flags=re.MULTILINE,
    )
    for name, text in texts.items():
        (ROOT / name).write_text(text, encoding="utf-8")


def notes(number: str) -> str:
    """Return the part of the changelog about a version, without its heading."""
    parts = re.split(r"^## ", _text("CHANGELOG.md"), flags=re.MULTILINE)[1:]
    found = [part for part in parts if part.startswith(f"[{number}]")]
    return found[0].partition("\n")[2].strip() if found else ""


def mistakes(tag: str) -> list[str]:
    """Return a sentence for each reason why a tag cannot be released."""
    number = tag.removeprefix("v")
    found = []
    if tag != f"v{number}":
        found.append(f"the tag is {tag}: releases have tags such as v{version()}")
    found += [
        f"{name} says {version(name)}, the tag says {number}"
        for name in VERSIONS
        if version(name) != number
    ]
    heading = re.search(
        rf"^## \[{re.escape(number)}\] - (.*)$", _text("CHANGELOG.md"), re.MULTILINE
    )
    if heading is None:
        found.append(f'CHANGELOG.md has no "## [{number}] - DATE"')
    elif not re.fullmatch(r"\d{4}-\d\d-\d\d", heading[1]):
        found.append(
            f"CHANGELOG.md says {heading[1]!r} for {number}: write the date, as 2026-12-31"
        )
    elif not notes(number):
        found.append(f"CHANGELOG.md says nothing about {number}")
    return found


def dry_run(python: str) -> int:
    """Build what this machine can, list the rest, and return whether something failed."""
    site = tempfile.mkdtemp()
    steps = {
        "source distribution and wheels, tried with the Pythons here": [".ci/dist", python, "all"],
        "the site": [python, "-m", "sphinx", "-q", "-W", "-b", "html", "docs", site],
    }
    rows = [(f"version v{version()}", "; ".join(mistakes(f"v{version()}")) or "ready")]
    failed = False
    for name, command in steps.items():
        print(f"{name} ...", flush=True)
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        failed |= status != 0
        rows.append((name, "built" if status == 0 else f"FAILED with status {status}"))
    print("\nTried here:", *(f"- {what}: {how}" for what, how in rows), sep="\n")
    print("\nNot here:", *(f"- {what}: {who}" for what, who in ELSEWHERE), sep="\n")
    return int(failed)


def main(arguments: list[str]) -> int:
    """Run one command."""
    match arguments:
        case ["set", tag]:
            set_version(tag)
            return main(["check", tag])
        case ["check", tag]:
            found = mistakes(tag)
            print(*found or [f"{tag} can be released"], sep="\n")
            return int(bool(found))
        case ["notes", tag]:
            print(notes(tag.removeprefix("v")))
            return 0
        case ["dry-run", python]:
            return dry_run(python)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
