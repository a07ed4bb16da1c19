"""Pictures of trees, routes, isochrones, frontiers, traces and sweeps; need the extra ``plot``."""

from warpath.plot.frontier import plot_frontier
from warpath.plot.isochrones import plot_within
from warpath.plot.route import plot_route
from warpath.plot.sweep import plot_sweep
from warpath.plot.trace import plot_trace
from warpath.plot.tree import plot_tree

__all__ = ["plot_frontier", "plot_route", "plot_sweep", "plot_trace", "plot_tree", "plot_within"]
