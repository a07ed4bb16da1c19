"""Shortest paths: exact, explained, fast. See `warpath.sssp`, `distances`, `apsp` and `path`."""

from __future__ import annotations

from warpath.facts import Facts
from warpath.graph import Graph

__all__ = ["Facts", "Graph"]
