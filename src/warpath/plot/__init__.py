"""Pictures: trees, routes, isochrones, frontiers, traces; they need the extra ``plot``."""

from warpath.plot.isochrones import plot_within
from warpath.plot.route import plot_route
from warpath.plot.trace import plot_trace
from warpath.plot.tree import plot_tree

__all__ = ["plot_route", "plot_trace", "plot_tree", "plot_within"]
