"""The graph: compressed rows, facts, labels, coordinates, adapters and generators."""

from warpath.graph.graph import Graph

__all__ = ["Graph"]
