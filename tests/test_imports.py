"""The import graph: imports for the type checker, inside functions and by name count as well."""

from __future__ import annotations

import ast
from pathlib import Path

import networkx as nx

SOURCES = Path(__file__).resolve().parents[1] / "src"

#: The rooms from the lowest layer up, as DESIGN.md lists them. There is no exception.
LAYERS = ["base", "graph", "io recipes", "results", "planner", "engines plot", "api", "csgraph",
          "cli nx"]  # fmt: skip


def _name(path):
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(node):
    """Yield the names that a node imports, and any string that could name a module."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value.partition(":")[0]  # "module" or "module:function"


def import_graph():
    files = {_name(path): path for path in (SOURCES / "warpath").rglob("*.py")}
    graph = nx.DiGraph()
    graph.add_nodes_from((name, {"path": path}) for name, path in files.items())
    for importer, path in files.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in _imported(node):
                # `from package import module` names a file; `from module import function` does not.
                imported = name if name in files else name.rpartition(".")[0]
                if isinstance(node, ast.Constant) and name not in files:
                    continue
                if imported in files and imported not in {importer, "warpath"}:
                    graph.add_edge(importer, imported)
    return graph


def test_no_circle_of_imports_has_more_than_three_files():
    for circle in nx.strongly_connected_components(import_graph()):
        assert len(circle) <= 3, sorted(circle)


def test_few_small_modules_have_a_single_importer():
    """Such a module belongs to its importer, unless a registry lists one module for each entry."""
    imports = import_graph()
    lines = {
        name: len(path.read_text("utf-8").splitlines()) for name, path in imports.nodes("path")
    }
    small = [name for name, count in imports.in_degree if count == 1 and lines[name] <= 110]
    assert len(small) <= 12, sorted(small)


def test_no_room_imports_a_room_above_it_or_beside_it():
    layer_of = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms.split()}
    upward = set()
    for importer, imported in import_graph().edges:
        if importer.count("."):
            above, below = importer.split(".")[1], imported.split(".")[1]
            if above != below and above in layer_of and layer_of[above] <= layer_of[below]:
                upward.add((importer, imported))
    assert not upward


def test_no_engine_imports_what_published_variants_alone_use():
    """They are registered; `warpath` imports the registration."""
    papers = "warpath.engines.papers"
    importers = {one for one, other in import_graph().edges if other.startswith(papers)}
    assert {one for one in importers if not one.startswith(papers)} == {"warpath"}
