"""Files of graphs that NetworkX reads: GML, GraphML, GEXF, Pajek, LEDA, graph6, sparse6, JSON."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from warpath.base.errors import GraphError, GraphFormatError, WeightError, require
from warpath.graph.checks import is_integer, is_number
from warpath.io.networkx import from_networkx
from warpath.io.other_formats import XML

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from warpath.graph import Graph
    from warpath.io.source import Source


def sniff(head: bytes) -> bool:
    """Return whether a file starts as one of the formats; any JSON text does."""
    return any(kind.start.match(head) for kind in _KINDS)


def read(
    source: Source,
    *,
    weight: str | None = "auto",
    directed: bool | None = None,
    attributes: str | Sequence[str] | None = None,
) -> Graph:
    """Read a file through NetworkX; see `warpath.io.networkx.from_networkx`.

    Vertices are named as in NetworkX: by the labels of GML, Pajek and LEDA, by the ids of GraphML,
    GEXF and JSON, which are texts in GraphML and GEXF.

    Parameters
    ----------
    weight : the edge attribute that holds the weight; "auto": ``weight``, or 1 where no edge has a
        measure; None: every weight is 1.
    directed : needed for a node-link JSON file that does not specify it.
    attributes : as in `from_networkx`.

    Raises
    ------
    GraphFormatError
        The file is damaged, or NetworkX would lose vertices, edges or weights of it.
    """
    networkx = require("networkx", extra="networkx", what=f"reading {source.path.name}")
    kind = next((kind for kind in _KINDS if kind.start.match(source.head)), None)
    text = source.text if kind is None else source.data
    kind = kind or next((kind for kind in _KINDS if source.suffix in kind.suffixes), None)
    if kind is None:
        raise source.error(None, f"expected {', '.join(kind.name for kind in _KINDS)}", text[:80])
    try:
        graph = kind.parse(networkx, source, text, directed)
    except GraphFormatError:
        raise
    except Exception as error:  # readers of NetworkX raise exceptions of all classes
        reason = f"NetworkX cannot read this {kind.name} file ({type(error).__name__}: {error})"
        raise source.error(None, reason) from error
    if directed not in {None, graph.is_directed()}:
        reason = f"the file has directed = {graph.is_directed()}: leave directed= out"
        raise source.error(None, reason)
    graph.graph["name"] = source.title
    _check_weights(source, kind, graph, weight)
    try:
        return from_networkx(graph, weight=weight, attributes=attributes)
    except (GraphError, WeightError) as error:
        raise source.error(None, str(error)) from error


def _check_weights(source: Source, kind: _Kind, graph: Any, weight: str | None) -> None:
    """Raise GraphFormatError if the weight is not clear, or if only some edges have it."""
    edges = [data for *_, data in graph.edges(data=True)]
    name = "weight" if weight == "auto" else weight
    missing = sum(name not in data for data in edges)
    if weight == "auto" and missing == len(edges):
        numbers = {
            key
            for data in edges
            for key, value in data.items()
            if is_number(value) and key not in {"id", "key"}
        }
        if numbers:
            first, *others = sorted(map(str, numbers))
            listed = ", ".join(map(repr, [first, *others]))
            reason = f"no edge has the attribute 'weight', but edges have {listed}: choose"
            example = f"weight={first!r}, or weight=None for 1 on every edge"
            raise source.error(None, f"{reason} {example}")
    elif weight is not None and 0 < missing < len(edges) and kind.name != "GEXF":  # there it is 1
        reason = (
            f"{missing:,} of {len(edges):,} edges have no attribute {name!r}: add it to the file"
        )
        raise source.error(None, f"{reason}, or choose weight=None for 1 on every edge")


def _gml(networkx: Any, source: Source, text: bytes, _: bool | None) -> Any:
    gml = text.decode()
    every_node = re.findall(r"\bnode\s*\[[^\[\]]*", gml)
    labels = [
        match[1] for node in every_node for match in re.finditer(r'\blabel\s+("[^"]*"|\S+)', node)
    ]
    named = len(labels) == len(every_node)
    if named and (twice := [label for label, count in Counter(labels).items() if count > 1]):
        path = repr(str(source.path))
        reason = f"several nodes have the label {twice[0]}. To name them by id, in Python"
        raise source.error(None, f"{reason}: wp.Graph.of(networkx.read_gml({path}, label='id'))")
    if not re.search(r"\bmultigraph\s+[01]", gml):  # else NetworkX refuses parallel edges
        gml = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1 ", gml, count=1)
    return networkx.parse_gml(gml, label="label" if named else "id")


def _graphml(networkx: Any, source: Source, text: bytes, _: bool | None) -> Any:
    del source
    return networkx.read_graphml(io.BytesIO(text))


def _gexf(networkx: Any, source: Source, text: bytes, _: bool | None) -> Any:
    del source
    return networkx.read_gexf(io.BytesIO(text))


def _pajek(networkx: Any, source: Source, text: bytes, _: bool | None) -> Any:
    """Read a Pajek file section by section.

    NetworkX reads arcs after edges as edges, and leaves out weights that are not numbers.
    """
    lines = [line.strip() for line in text.decode().splitlines()]
    lines = [line for line in lines if line and not line.startswith(("%", "/*"))]
    starts = [at for at, line in enumerate(lines) if re.match(r"\*(?!network)", line.lower())]
    names = [lines[at].lower().split()[0] for at in starts]
    if names[:1] != ["*vertices"] or not {*names[1:]} <= {"*arcs", "*edges", "*matrix"}:
        remedy = f"With igraph: wp.Graph.of(igraph.Graph.Read_Pajek({str(source.path)!r}))"
        reason = "expected *Vertices, then *Arcs, *Edges or *Matrix"
        raise source.error(None, f"{reason}, not {', '.join(names)}. {remedy}")
    bounds = [*starts, len(lines)]
    first, *sections = [lines[low:high] for low, high in pairwise(bounds)]
    count = int(first[0].split()[1])
    if len(first) == 1:  # vertices without names are numbered
        first += [f'{number} "{number}"' for number in range(1, count + 1)]
    if len(first) - 1 != count:
        reason = f"the line *Vertices promises {count} vertices, but {len(first) - 1} are listed"
        raise source.error(None, reason)
    graphs = [networkx.parse_pajek("\n".join(first + section)) for section in sections or [[]]]
    for section, graph in zip(sections, graphs, strict=False):
        if len(graph) != count:
            reason = f"the {count} vertices of the file have {len(graph)} different names"
            raise source.error(None, reason)
        weighted = sum(len(row.split()) > 2 for row in section[1:])
        edges = [data for *_, data in graph.edges(data=True)]
        complete = len(edges) == len(section) - 1 and weighted == sum("weight" in e for e in edges)
        if not (complete or section[0].lower().startswith("*matrix")):
            reason = 'expected lines of "<from> <to> <weight>" after *Arcs or *Edges'
            raise source.error(None, reason)
    directed = any(graph.is_directed() for graph in graphs)
    joined = networkx.MultiDiGraph() if directed else networkx.MultiGraph()
    joined.add_nodes_from(graphs[0])  # without attributes: x and y are positions in a drawing
    for graph in graphs:
        joined.add_edges_from((graph.to_directed() if directed else graph).edges(data=True))
    return joined


def _leda(networkx: Any, source: Source, text: bytes, _: bool | None) -> Any:
    lines = [line for line in text.decode().splitlines() if line and not line.startswith("#")]
    n = int(lines[4])
    m = int(lines[5 + n])
    graph = networkx.parse_leda("\n".join(lines))
    if (len(graph), graph.number_of_edges()) != (n, m):
        reason = (
            f"the file has {n} vertices and {m} edges, but NetworkX reads {len(graph)} and "
            f"{graph.number_of_edges()}: it loses names that occur twice and parallel edges"
        )
        raise source.error(None, reason)
    for *_ends, data in graph.edges(data=True):
        label = data.pop("label")
        if lines[2].strip() != "void":
            data["weight"] = float(label) if lines[2].strip() in {"float", "double"} else int(label)
    return graph


def _graph6(networkx: Any, source: Source, text: bytes, _: bool | None) -> Any:
    return networkx.from_graph6_bytes(_only_line(source, text))


def _sparse6(networkx: Any, source: Source, text: bytes, _: bool | None) -> Any:
    return networkx.from_sparse6_bytes(_only_line(source, text))


def _only_line(source: Source, text: bytes) -> bytes:
    lines = text.split()
    if len(lines) != 1:
        reason = f"the file holds {len(lines)} graphs, one in each line: save one in a file"
        raise source.error(None, reason)
    return lines[0]


def _json(networkx: Any, source: Source, text: bytes, directed: bool | None) -> Any:
    try:
        data = json.loads(text)
    except ValueError as error:
        reason = f"this is not one JSON value ({error})"
        if source.data.lstrip()[:1] == b"{":
            path = repr(str(source.path))
            reason += f". If a line is an edge: wp.Graph.of(pandas.read_json({path}, lines=True))"
        raise source.error(None, reason) from error
    if isinstance(data, dict) and isinstance(data.get("elements"), dict):
        data = _node_links(data)
    keys = set(data) if isinstance(data, dict) else set()
    links = next((name for name in ("edges", "links") if name in keys), None)
    if "nodes" in keys and links is not None:
        if not all(isinstance(node, dict) and "id" in node for node in data["nodes"]):
            raise source.error(None, 'a node has no "id": every node of node-link JSON needs one')
        ids = {str(node["id"]) for node in data["nodes"]}
        ends = [link.get(end) for link in data[links] for end in ("source", "target")]
        if lost := [end for end in ends if str(end) not in ids]:
            reason = f'an edge has the end {lost[0]!r}, which is the "id" of no node'
            if all(map(is_integer, ends)):
                file = f"json.loads(pathlib.Path({str(source.path)!r}).read_text())"
                reason += (
                    ". If the ends are positions, as in older files of D3, in Python: wp.Graph.of("
                    f"[(e['source'], e['target']) for e in {file}[{links!r}]])"
                )
            raise source.error(None, reason)
        if "directed" not in keys and directed is None:
            reason = 'the file has no key "directed": give directed=True or directed=False'
            raise source.error(None, reason)
        data["multigraph"] = True  # else NetworkX keeps the last of parallel edges
        return networkx.node_link_graph(data, directed=bool(directed), edges=links)
    if {"nodes", "adjacency"} <= keys:
        return networkx.adjacency_graph(data)
    raise source.error(None, _other_json(str(source.path), data, keys))


def _node_links(data: dict[str, Any]) -> dict[str, Any]:
    """Return the node-link form of Cytoscape's JSON, whose vertices NetworkX names by `value`."""
    nodes, edges = (
        [part["data"] for part in data["elements"].get(name, [])] for name in ("nodes", "edges")
    )
    nodes = [{"id": node.get("value", node["id"])} for node in nodes]
    return {"nodes": nodes, "edges": edges} | (
        {"directed": data["directed"]} if "directed" in data else {}
    )


def _other_json(path: str, data: Any, keys: set[str]) -> str:
    """Return the message about JSON that is not a graph of NetworkX, with a way to read it."""
    if data and "elements" in keys:
        return "this is Overpass JSON: ask for XML, by [out:xml], and save it as an .osm file"
    if keys & {"routes", "trip", "waypoints", "sources_to_targets"}:
        return "this is a response of a routing service (OSRM, Valhalla), not a graph"
    if keys & {"type", "features", "geometryType"}:
        name = str(data.get("type", "Esri JSON"))
        if name in {"FeatureCollection", "Feature"}:
            return 'this is GeoJSON: read it with format="geojson"'
        return f"this is {name}: wp.Graph.of(geopandas.read_file({path!r}))"
    reason = 'this is JSON without the "nodes" and "links" of a node-link graph'
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        return f"{reason}. If it is a table of edges: wp.Graph.of(pandas.read_json({path!r}))"
    call = f"wp.Graph.of(json.loads(pathlib.Path({path!r}).read_text()))"
    return f"{reason}. If it lists edges or neighbours: {call}"


class _Kind(NamedTuple):
    """A format that NetworkX reads."""

    name: str
    suffixes: tuple[str, ...]
    start: re.Pattern[bytes]
    parse: Callable[..., Any]


def _start(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_KINDS = (
    _Kind(
        "GML",
        (".gml",),
        _start(rb"(?:\s*(?:#|creator|version|comment)[^\n]*\n)*\s*graph\s*\["),
        _gml,
    ),
    _Kind("GraphML", (".graphml",), _start(XML + rb"graphml\b"), _graphml),
    _Kind("GEXF", (".gexf",), _start(XML + rb"gexf\b"), _gexf),
    _Kind(
        "Pajek",
        (".net", ".paj", ".pajek"),
        _start(rb"(?:\s*(?:%|/\*)[^\n]*\n)*\s*\*(?:network|vertices)\b"),
        _pajek,
    ),
    _Kind("LEDA", (".lgr", ".leda"), _start(rb"(?:\s*#[^\n]*\n)*\s*LEDA\.GRAPH\b"), _leda),
    _Kind("graph6", (".g6",), _start(rb">>graph6<<"), _graph6),
    _Kind("sparse6", (".s6",), _start(rb">>sparse6<<"), _sparse6),
    _Kind("JSON", (".json",), _start(rb'\s*(?:\{\s*["}]|\[\s*[\[{"\d\]-])'), _json),
)
