"""Shortest paths from Python: exact, explained, fast.

>>> import warpath as wp
>>> wp.sssp([(0, 1, 2.0), (1, 2, 0.5)], source=0).dist
array([0. , 2. , 2.5])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from warpath.api.calls import (
    accessibility,
    algorithms,
    all_shortest_paths,
    alternatives,
    apsp,
    center,
    constrained_path,
    count_shortest_paths,
    diameter,
    disjoint_paths,
    distance,
    distances,
    eccentricity,
    k_shortest_paths,
    load,
    loads,
    nearest,
    pairs,
    pareto_paths,
    path,
    plan,
    prepare,
    radius,
    register,
    route_through,
    sssp,
    totals,
    within,
)
from warpath.api.dynamic import DynamicPaths
from warpath.api.scenarios import Scenarios
from warpath.api.solver import Solver
from warpath.base.errors import (
    DeviceError,
    DistanceOverflowError,
    GraphError,
    GraphFormatError,
    InputError,
    MissingDependencyError,
    NegativeCycleError,
    NegativeWeightError,
    NoDeviceError,
    NoPathError,
    NotEnoughMemoryError,
    NotSupportedError,
    OutputError,
    VerificationError,
    VertexError,
    WarpathError,
    WeightError,
)
from warpath.base.upward import register as _register_upward
from warpath.engines import papers as _papers  # noqa: F401 - registers its loops
from warpath.graph import Graph
from warpath.graph.adapters import ADAPTERS as _ADAPTERS
from warpath.graph.adapters import Adapter as _Adapter
from warpath.graph.facts import Facts
from warpath.graph.places import Place, Snap
from warpath.io import ADAPTERS as _ADAPTERS_OF_IO
from warpath.planner.plan import Plan
from warpath.results.accessibility import Accessibility
from warpath.results.centrality import Centrality
from warpath.results.certificate import Certificate, verify
from warpath.results.changed import Changed
from warpath.results.distance_table import DistanceTable
from warpath.results.legs import Legs
from warpath.results.nearest import Nearest
from warpath.results.pairs import Pairs
from warpath.results.paths import Paths
from warpath.results.route import Route
from warpath.results.scenario_pairs import ScenarioPairs
from warpath.results.totals import Totals
from warpath.results.trace import Trace
from warpath.results.within import Within

if TYPE_CHECKING:
    from warpath import csgraph
    from warpath.api import centrality, cluster
    from warpath.graph import generate
    from warpath.io.formats import read, write

__version__ = "0.1.0"

__all__ = [
    "Accessibility",
    "Centrality",
    "Certificate",
    "Changed",
    "DeviceError",
    "DistanceOverflowError",
    "DistanceTable",
    "DynamicPaths",
    "Facts",
    "Graph",
    "GraphError",
    "GraphFormatError",
    "InputError",
    "Legs",
    "MissingDependencyError",
    "Nearest",
    "NegativeCycleError",
    "NegativeWeightError",
    "NoDeviceError",
    "NoPathError",
    "NotEnoughMemoryError",
    "NotSupportedError",
    "OutputError",
    "Pairs",
    "Paths",
    "Place",
    "Plan",
    "Route",
    "ScenarioPairs",
    "Scenarios",
    "Snap",
    "Solver",
    "Totals",
    "Trace",
    "VerificationError",
    "VertexError",
    "WarpathError",
    "WeightError",
    "Within",
    "accessibility",
    "algorithms",
    "all_shortest_paths",
    "alternatives",
    "apsp",
    "center",
    "centrality",
    "cluster",
    "constrained_path",
    "count_shortest_paths",
    "csgraph",
    "diameter",
    "disjoint_paths",
    "distance",
    "distances",
    "eccentricity",
    "generate",
    "k_shortest_paths",
    "load",
    "loads",
    "nearest",
    "pairs",
    "pareto_paths",
    "path",
    "plan",
    "prepare",
    "radius",
    "read",
    "register",
    "route_through",
    "sssp",
    "totals",
    "verify",
    "within",
    "write",
]

# Needed by few programs: imported when first asked for, so that `import warpath` stays quick.
_LATER = {
    "centrality": ("warpath.api.centrality", None),
    "cluster": ("warpath.api.cluster", None),
    "csgraph": ("warpath.csgraph", None),
    "generate": ("warpath.graph.generate", None),
    "read": ("warpath.io.formats", "read"),
    "write": ("warpath.io.formats", "write"),
}


# What lower modules leave to upper ones, which import them.
_ADAPTERS.extend(_ADAPTERS_OF_IO)
_ADAPTERS.append(_Adapter(lambda data: isinstance(data, Solver), "warpath.api.solver:not_a_graph"))
_register_upward(
    {
        "Accessibility.to_geodataframe": "warpath.results.geodata:accessibility_frame",
        "Accessibility.to_geojson": "warpath.results.geodata:accessibility_features",
        "Centrality.explore": "warpath.results.geodata:explore_centrality",
        "Centrality.plot": "warpath.plot:plot_centrality",
        "Centrality.save_html": "warpath.plot:html_centrality",
        "Centrality.to_geopandas": "warpath.io.geojson:network_frames",
        "DistanceTable.save": "warpath.results.files:save_table",
        "Graph.to_networkx": "warpath.io.networkx:to_networkx",
        "Graph.__arrow_c_stream__": "warpath.io.arrow:edge_stream",
        "Graph.to_geopandas": "warpath.io.geojson:frames",
        "Graph.to": "warpath.engines.registry:place",
        "Nearest.explore": "warpath.results.geodata:explore_nearest",
        "Nearest.plot": "warpath.plot:plot_nearest",
        "Nearest.save_html": "warpath.plot:html_nearest",
        "Nearest.to_geojson": "warpath.results.geodata:nearest_features",
        "Nearest.to_geodataframe": "warpath.results.geodata:nearest_frame",
        "Pairs.plot": "warpath.plot:plot_pairs",
        "Pairs.save_html": "warpath.plot:html_pairs",
        "Pairs.to_geojson": "warpath.results.geodata:pairs_features",
        "Pairs.to_geodataframe": "warpath.results.geodata:pairs_frame",
        "Paths.explore": "warpath.results.geodata:explore_tree",
        "Paths.load": "warpath.results.files:load_paths",
        "Paths.plot": "warpath.plot:plot_tree",
        "Paths.save": "warpath.results.files:save_paths",
        "Paths.save_html": "warpath.plot:html_tree",
        "Result.save": "warpath.results.files:save_rows",
        "Route.explore": "warpath.results.geodata:explore_route",
        "Route.plot": "warpath.plot:plot_route",
        "Route.save_html": "warpath.plot:html_route",
        "Route.to_geodataframe": "warpath.results.geodata:route_frame",
        "Route.to_geojson": "warpath.results.geodata:route_feature",
        "Trace.load": "warpath.results.trace_files:load_trace",
        "Trace.save": "warpath.results.trace_files:save_trace",
        "Within.explore": "warpath.results.geodata:explore_within",
        "Within.plot": "warpath.plot:plot_within",
        "Within.save_html": "warpath.plot:html_within",
        "Within.to_geojson": "warpath.results.geodata:within_features",
        "Within.to_geodataframe": "warpath.results.geodata:within_frame",
    }
)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        msg = f"module 'warpath' has no attribute {name!r}"
        raise AttributeError(msg)
    module_name, attribute = _LATER[name]
    module = importlib.import_module(module_name)
    value = module if attribute is None else getattr(module, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
