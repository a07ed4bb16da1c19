"""Pictures: a route on its network, the rounds of a trace; they need the extra ``plot``."""

from warpath.plot.route import plot_route
from warpath.plot.trace import plot_trace

__all__ = ["plot_route", "plot_trace"]
