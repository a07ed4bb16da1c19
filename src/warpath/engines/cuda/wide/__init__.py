"""One source of a graph with few hops between most vertices, in a single launch."""
