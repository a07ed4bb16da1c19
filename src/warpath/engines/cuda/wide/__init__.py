"""One source of a graph that is few hops across: one launch of one kernel."""
