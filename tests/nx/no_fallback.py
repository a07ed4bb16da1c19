"""A plugin for NetworkX's own tests: what the backend claims never falls back on NetworkX.

With NetworkX's fallback off, tests stop at the first helper that warpath does not claim, such as
the relabelling of their graphs; with it on, NetworkX could answer for a claimed function unseen.
"""

from networkx.utils.backends import _dispatchable

from _warpath_nx import FUNCTIONS

# With a heuristic, as the tests have it, A* is not claimed.
CLAIMED = FUNCTIONS.keys() - {"astar_path", "astar_path_length"}

usual = _dispatchable._convert_and_call_for_tests


def convert_and_call(self, backend_name, args, kwargs, *, fallback_to_nx=False):
    del fallback_to_nx
    return usual(self, backend_name, args, kwargs, fallback_to_nx=self.name not in CLAIMED)


_dispatchable._convert_and_call_for_tests = convert_and_call
