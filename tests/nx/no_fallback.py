"""A plugin for NetworkX's own tests: what the backend claims never falls back on NetworkX.

With NetworkX's fallback off, tests stop at the first helper that warpath does not claim, such as
the relabelling of their graphs; with it on, NetworkX could answer for a claimed function unseen.
"""

from networkx.utils.backends import _dispatchable

from _warpath_nx import FUNCTIONS

usual = _dispatchable._convert_and_call_for_tests


def is_negative(graph):
    return any(data.get("weight", 1) < 0 for _, _, data in graph.edges(data=True))


def convert_and_call(self, backend_name, args, kwargs, *, fallback_to_nx=False):
    # Under negative weights its answer depends on the order of the edges into a node.
    handed_back = self.name == "bidirectional_dijkstra" and is_negative(args[0])
    # Parallel edges have keys, which a conversion does not keep.
    handed_back |= self.name.startswith("edge_betweenness") and args[0].is_multigraph()
    # Where a node is no target, NetworkX divides shares equally.
    if self.name == "edge_betweenness_centrality_subset":
        targets = args[2] if len(args) > 2 else kwargs["targets"]
        handed_back |= not set(args[0]) <= set(targets)
    fallback_to_nx = self.name not in FUNCTIONS or handed_back
    return usual(self, backend_name, args, kwargs, fallback_to_nx=fallback_to_nx)


_dispatchable._convert_and_call_for_tests = convert_and_call
