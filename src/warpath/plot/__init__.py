"""Pictures of trees, routes, isochrones, areas, loads, searches and traces (extra ``plot``).

Interactive maps in HTML pages need no package.
"""

from warpath.plot.centrality import plot_centrality
from warpath.plot.frontier import plot_frontier
from warpath.plot.html_maps import (
    html_centrality,
    html_nearest,
    html_pairs,
    html_route,
    html_tree,
    html_within,
)
from warpath.plot.isochrones import plot_within
from warpath.plot.nearest import plot_nearest
from warpath.plot.route import plot_route
from warpath.plot.sweep import plot_sweep
from warpath.plot.trace import plot_trace
from warpath.plot.tree import plot_tree
from warpath.plot.trips import plot_pairs

__all__ = [
    "html_centrality",
    "html_nearest",
    "html_pairs",
    "html_route",
    "html_tree",
    "html_within",
    "plot_centrality",
    "plot_frontier",
    "plot_nearest",
    "plot_pairs",
    "plot_route",
    "plot_sweep",
    "plot_trace",
    "plot_tree",
    "plot_within",
]
