"""The files that decide whether a slow test runs again include all that the test imports."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

import pytest

from support import tiers

if TYPE_CHECKING:
    from pathlib import Path

PLACES = [tiers.ROOT / name for name in ("src", "tests", "tools")]
#: What no solve on the emulator calls: all of warpath by name, and traces in files.
NOT_CALLED = {"src/warpath/__init__.py", "src/warpath/results/trace_files.py"}
TESTS = sorted(
    path
    for path in (tiers.ROOT / "tests").rglob("test_*.py")
    if "full(" in (text := path.read_text(encoding="utf-8")) and "*RECIPES_ON_GPUS" in text
)


def file_of(module: str) -> Path | None:
    """Return the file of a module of this repository."""
    name = module.replace(".", "/")
    found = (place / rest for place in PLACES for rest in (f"{name}.py", f"{name}/__init__.py"))
    return next((path for path in found if path.is_file()), None)


def imported(node: ast.AST) -> set[Path]:
    """Return the files that a module's code imports, also where a function begins."""
    found: set[Path | None] = set()
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if isinstance(child, ast.Import):
            found |= {file_of(one.name) for one in child.names}
        elif isinstance(child, ast.ImportFrom) and child.module:
            inner = {file_of(f"{child.module}.{one.name}") for one in child.names}
            found |= {file_of(child.module), *inner}
        found |= imported(child)
    return {path for path in found if path}


@cache
def imported_by(path: Path) -> set[Path]:
    """Return the files that a file imports."""
    return imported(ast.parse(path.read_text(encoding="utf-8")))


def needed(test: Path) -> set[str]:
    """Return the names of the files that a test imports, directly or not."""
    names: set[str] = set()
    todo = {test}
    while todo:
        path = todo.pop()
        name = path.relative_to(tiers.ROOT).as_posix()
        if name not in names | NOT_CALLED:
            names.add(name)
            todo |= imported_by(path)
    return names


@pytest.mark.parametrize("test", TESTS, ids=lambda path: path.stem)
def test_what_a_test_of_recipes_imports_decides_whether_it_runs(test):
    decide = {path for one in tiers.RECIPES_ON_GPUS for path in tiers.ROOT.glob(one)}
    kept = {path.relative_to(tiers.ROOT).as_posix() for path in {test, *decide}}
    assert needed(test) - kept == set(), "name these in RECIPES_ON_GPUS of tests/support/tiers.py"


def test_imports_are_followed_into_functions_and_packages():
    names = needed(tiers.ROOT / "tests" / "kernels" / "test_emulated.py")
    assert "src/warpath/engines/papers/on_device.py" in names
    assert "tests/support/reference.py" in names
    assert not any(name.startswith("src/warpath/cli/") for name in names)
