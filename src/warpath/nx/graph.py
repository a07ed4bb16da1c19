"""NetworkX graphs in CSR form for the searches, and the conversions from and to NetworkX."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from warpath.base.cached import cached_property
from warpath.base.errors import LeftToNetworkXError
from warpath.graph import Graph
from warpath.graph.checks import refuse_wide
from warpath.graph.csr import kept_rows
from warpath.nx.weights import ABSENT, FLOAT, NO_WEIGHT, weights_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from warpath.base.dtypes import Array


#: The least integer that does not fit 64 bits.
TOO_LONG = 2**63


class Weighted:
    """The vertices of a converted graph, and its edges with one choice of weights.

    Attributes
    ----------
    names, place : the node objects in NetworkX's order, and the index of each.
    rows : the directed edges, in the order of NetworkX's adjacency. Undirected edges have both
        directions; of parallel edges only the lightest is stored, and no edge of weight None.
    kinds : the kind of all original weights, FLOAT, WHOLE or ABSENT; (m,) int8 if kinds differ.
    hides : whether an edge weighs None.
    """

    def __init__(
        self, owner: Converted, rows: Graph, kinds: int | Array, *, hides: bool = False
    ) -> None:
        self.owner = owner
        self.names = owner.names
        self.place = owner.place
        self.rows = rows
        self.kinds = kinds
        self.hides = hides

    @property
    def negative(self) -> bool:
        """Whether any weight is negative."""
        return self.rows.facts(symmetry=False).negative > 0

    def require_room(self) -> None:
        """Raise LeftToNetworkXError if the length of a path of integers may not fit 64 bits."""
        weights = self.rows.weights
        if weights is None or weights.dtype.kind == "f" or not len(weights):
            return
        if max(int(weights.max()), -int(weights.min())) * self.rows.n >= TOO_LONG:
            msg = "the length of a path may not fit 64 bits; backend='networkx' adds any integers."
            raise LeftToNetworkXError(msg)

    @cached_property
    def tails(self) -> Array:
        """The tail of each edge: (m,)."""
        rows = self.rows
        return np.repeat(np.arange(rows.n, dtype=rows.indices.dtype), np.diff(rows.indptr))

    def named(self, indices: Array) -> list[Any]:
        """Return the node objects of some vertices."""
        listed: list[Any] = indices.tolist()
        return listed if self.owner.numbered else self.owner.name_array[indices].tolist()

    @cached_property
    def backwards(self) -> Weighted:
        """The graph with reversed edges."""
        kinds = self.kinds
        if not isinstance(kinds, int):
            kinds = kinds[np.argsort(self.rows.indices, kind="stable")]
        return Weighted(self.owner, self.rows.reversed(), kinds, hides=self.hides)

    def numbers(self, edges: Array) -> list[Any]:
        """Return the weights of some edges as Python's numbers."""
        if self.rows.weights is None:
            return [1] * len(edges)
        weights: list[Any] = self.rows.weights[edges].tolist()
        if isinstance(self.kinds, int):
            return weights
        pairs = zip(weights, self.kinds[edges].tolist(), strict=True)
        return [w if kind == FLOAT else int(w) for w, kind in pairs]

    def to_nx(self) -> Any:
        """Return these edges as a DiGraph whose attribute "weight" is a Python number."""
        graph = nx.DiGraph()
        graph.add_nodes_from(self.names)
        weights = self.numbers(np.arange(self.rows.m))
        graph.add_weighted_edges_from(
            zip(self.named(self.tails), self.named(self.rows.indices), weights, strict=True)
        )
        return graph


def _lightest(weights: list[Any]) -> Any:
    """Return the least weight of parallel edges; raise ValueError if one is nan."""
    if len(weights) == 1:
        return weights[0]
    if any(weight != weight for weight in weights):  # noqa: PLR0124 - nan
        msg = "one is nan"
        raise ValueError(msg)
    return min(weights)


class Converted:
    """A NetworkX graph in CSR form: the argument of the functions of the backend.

    ``nx.shortest_path(G, ...)`` converts G automatically, and caches the result on G until G
    changes. `convert_from_nx` converts without caching. The class has only the methods that
    NetworkX calls on converted graphs; use `convert_to_nx` for everything else.
    """

    __networkx_backend__ = "warpath"

    def __init__(
        self,
        names: list[Any],
        rows: Graph,
        data: Sequence[Any],
        *,
        directed: bool,
        multigraph: bool,
        attributes: dict[str, Any],
    ) -> None:
        self.names = names
        self.place = dict(zip(names, range(len(names)), strict=True))
        self.rows = rows
        self.directed = directed
        self.multigraph = multigraph
        self.graph = attributes
        self.data: Sequence[Any] | None = data
        self.node_data: list[dict[Any, Any]] | None = None
        self._weighted: dict[Any, Weighted] = {}
        self._only: Weighted | None = None

    def keep_only(self, weights: Sequence[Hashable]) -> None:
        """Read these attributes as weights, and drop all others."""
        for weight in weights:
            self.weighted(weight)
        self.data = None

    @cached_property
    def numbered(self) -> bool:
        """Whether the node objects are the integers 0 .. n - 1 in order."""
        return all(type(name) is int and name == at for at, name in enumerate(self.names))

    @cached_property
    def name_array(self) -> Array:
        """The node objects: (n,) array of objects."""
        return np.fromiter(self.names, object, len(self.names))

    def weighted(self, weight: Any, *, swapped: bool = False) -> Weighted:
        """Return the edges with the given weights.

        Parameters
        ----------
        weight : None for weight 1 everywhere; a function of (u, v, attributes), called once for
            each edge, for undirected edges in both directions; else the name of an attribute, with
            weight 1 where it is missing.
        swapped : whether to call the function with the ends of every edge swapped, as NetworkX does
            on a reversed graph.

        Raises
        ------
        LeftToNetworkXError
            If the core cannot add the weights as Python does, or the attributes were not kept.
        """
        if self._only is not None and weight is not None:
            return self._only
        if callable(weight):
            return self._made_of(self._called(weight, swapped=swapped))
        if weight not in self._weighted:
            if weight is None:
                self._weighted[None] = Weighted(self, self.rows, ABSENT)
            else:
                self._weighted[weight] = self._made_of(self._read(weight))
        return self._weighted[weight]

    def turned(self, weight: Any) -> Converted:
        """Return the graph with reversed edges and the given weights."""
        turned = Converted(
            self.names,
            self.rows.reversed(),
            (),
            directed=self.directed,
            multigraph=self.multigraph,
            attributes={},
        )
        if weight is not None:
            turned._only = self.weighted(weight, swapped=True).backwards
        return turned

    def _read(self, weight: Hashable) -> list[Any]:
        data = self._edge_data(repr(weight))
        if not self.multigraph:
            return [each.get(weight, NO_WEIGHT) for each in data]
        try:
            return [_lightest([d.get(weight, NO_WEIGHT) for d in keys.values()]) for keys in data]
        except Exception as error:  # noqa: BLE001 - `<` of any type may raise any error
            msg = f"parallel edges have weights {weight!r} that cannot be compared: {error}."
            raise LeftToNetworkXError(msg) from None

    def _called(self, weight: Any, *, swapped: bool) -> list[Any]:
        data = self._edge_data("a function")
        ends = chain.from_iterable(
            [name] * count
            for name, count in zip(self.names, np.diff(self.rows.indptr).tolist(), strict=True)
        )
        edges = zip(
            ends, map(self.names.__getitem__, self.rows.indices.tolist()), data, strict=True
        )
        try:
            if swapped:
                return [weight(v, u, each) for u, v, each in edges]
            return [weight(u, v, each) for u, v, each in edges]
        except Exception as error:
            msg = (
                f"the weight function raised {type(error).__name__}: {error}. NetworkX calls it "
                "only for the edges that a search visits."
            )
            raise LeftToNetworkXError(msg) from error

    def _edge_data(self, weight: str) -> Sequence[Any]:
        if self.data is None:
            msg = (
                f"this graph was converted without the edge attributes for {weight}: convert the "
                "NetworkX graph once more, with preserve_edge_attrs=True."
            )
            raise LeftToNetworkXError(msg)
        return self.data

    def _made_of(self, raw: list[Any]) -> Weighted:
        rows = self.rows

        def place(at: int) -> str:
            u = int(np.searchsorted(rows.indptr, at, "right")) - 1
            return f"{self.names[u]!r} -> {self.names[rows.indices[at]]!r}"

        values, kinds, hidden = weights_of(raw, rows.n, place)
        if values is None:
            return self.weighted(None)
        if hidden is None:
            same = kept_rows(rows.indptr, rows.indices, values, copied=False)
            return Weighted(self, Graph(*same), kinds)
        shown = ~hidden
        indptr = np.concatenate(([0], np.cumsum(shown)))[rows.indptr]
        kinds = kinds if isinstance(kinds, int) else kinds[shown]
        some = kept_rows(indptr, rows.indices[shown], values[shown], copied=False)
        return Weighted(self, Graph(*some), kinds, hides=True)

    def is_directed(self) -> bool:
        """Return whether edges have a direction."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Return whether edges may be parallel."""
        return self.multigraph

    def number_of_nodes(self) -> int:
        """Return the number of vertices."""
        return len(self.names)

    def number_of_edges(self) -> int:
        """Return the number of edges; parallel edges count once."""
        loops = self.rows.facts(symmetry=False).loops
        return self.rows.m if self.directed else (self.rows.m + loops) // 2

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        try:
            return name in self.place
        except TypeError:  # unhashable
            return False

    def __repr__(self) -> str:
        return f"<NetworkX graph converted for warpath: {self.rows!r}>"


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict[Hashable, Any] | None = None,
    node_attrs: dict[Hashable, Any] | None = None,
    preserve_edge_attrs: bool = True,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = True,
    name: str | None = None,
    graph_name: str | None = None,
) -> Converted:
    """Convert a NetworkX graph of any of the four kinds, or a view; O(n + m) Python objects.

    Parameters
    ----------
    graph : the graph. Later changes of its edges do not change the result.
    edge_attrs : attributes to read as weights if the others are not kept.
    preserve_edge_attrs : whether to keep all edge attributes, for functions and other weights.
    preserve_node_attrs, preserve_graph_attrs : whether to keep these for `convert_to_nx`.
    node_attrs, name, graph_name : part of NetworkX's protocol; ignored.

    Raises
    ------
    LeftToNetworkXError
        If the core cannot add a weight as Python does; see `warpath.nx.weights`.
    """
    del node_attrs, name, graph_name
    adjacency = graph._adj  # noqa: SLF001 - `adj` wraps each row in a view, ten times slower
    names = list(adjacency)
    index_of = dict(zip(names, range(len(names)), strict=True))
    indptr = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, adjacency.values()), np.int64, len(names)), out=indptr[1:])
    heads = map(index_of.__getitem__, chain.from_iterable(adjacency.values()))
    refuse_wide(len(names), "the NetworkX backend")
    indices = np.fromiter(heads, np.int32, int(indptr[-1]))
    converted = Converted(
        names,
        Graph(*kept_rows(indptr, indices, None, copied=False)),
        list(chain.from_iterable(row.values() for row in adjacency.values())),
        directed=graph.is_directed(),
        multigraph=graph.is_multigraph(),
        attributes=dict(graph.graph) if preserve_graph_attrs else {},
    )
    if preserve_node_attrs:
        converted.node_data = [dict(graph.nodes[name]) for name in names]
    if not preserve_edge_attrs:
        converted.keep_only(list(edge_attrs or ()))
    return converted


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Convert a converted graph back; return any other result unchanged.

    Edges get the attributes that were kept. Parallel edges without kept attributes become one.
    """
    del name
    if not isinstance(result, Converted):
        return result
    kinds = {
        (False, False): nx.Graph,
        (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph,
        (True, True): nx.MultiDiGraph,
    }
    graph = kinds[result.directed, result.multigraph](**result.graph)
    graph.add_nodes_from(
        zip(result.names, result.node_data, strict=True)
        if result.node_data is not None
        else result.names
    )
    plain = result.weighted(None)
    ends = zip(plain.named(plain.tails), plain.named(plain.rows.indices), strict=True)
    seen: set[tuple[Any, Any]] = set()
    for at, (u, v) in enumerate(ends):
        if not result.directed:
            if (v, u) in seen:
                continue
            seen.add((u, v))
        if result.data is None:
            graph.add_edge(u, v)
        elif result.multigraph:
            graph.add_edges_from((u, v, key, data) for key, data in result.data[at].items())
        else:
            graph.add_edge(u, v, **result.data[at])
    for weight, weighted in result._weighted.items() if result.data is None else ():  # noqa: SLF001
        if weight is not None and weighted.rows.weights is not None:
            _put_weights(graph, weighted, weight)
    return graph


def _put_weights(graph: Any, weighted: Weighted, weight: Hashable) -> None:
    """Set the weights that were read at the conversion on edges whose attributes were not kept."""
    for u, v, data in weighted.to_nx().edges(data=True):
        edge = graph.edges[(u, v, 0) if graph.is_multigraph() else (u, v)]
        edge[weight] = data["weight"]
