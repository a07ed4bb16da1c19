"""Formats that are recognised and refused by name, each with a way to read it."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from warpath.io.source import Source

#: The start of an XML file, before the name of its root element. Its quantifiers are possessive: a
#: file of many declarations would otherwise take exponential time.
XML = (
    rb"\s*+(?:(?:<\?[^>]*+>|<!--(?:[^-]|-(?!->))*+-->"
    rb"|<!(?!--)[^\[>]*+(?:\[[^\]]*+\][^>]*+)?+>)\s*+)*+<(?:\w+:)?"
)


class _Format(NamedTuple):
    """A format that is not read: its suffixes, its start and a way to read it."""

    name: str
    suffixes: tuple[str, ...]
    start: bytes | None  # a regular expression; None: known by its suffix alone
    remedy: str  # {path} is the file's path in quotes


def _with_dictionaries(delimiter: bytes, option: str) -> _Format:
    """Return the format of edge lists of NetworkX, whose lines end with a dictionary."""
    end = rb"[^\s{,;|]+" + delimiter
    return _Format(
        "a NetworkX edge list with dictionaries",
        (),
        rb"(?:\s*#[^\n]*\n)*\s*" + end + end + rb"\{[^\n]*\}[ \t\r]*(?:\n|$)",
        f"wp.Graph.of(networkx.read_edgelist({{path}}{option})); directed: "
        "create_using=networkx.DiGraph",
    )


_BY_GEOPANDAS = "wp.Graph.of(geopandas.read_file({path}))"

_FORMATS = (
    _Format(
        "a Graphviz DOT file",
        (".dot", ".gv"),
        rb"(?:\s*(?://|#)[^\n]*\n|\s*/\*.{0,2000}?\*/)*\s*(?:strict\s+)?(?:di)?graph\b[^\n{]{0,200}\{",
        "wp.Graph.of(networkx.nx_pydot.read_dot({path}), weight=None), which needs pydot",
    ),
    _Format(
        "an LGL file", (".lgl",), None, "wp.Graph.of(igraph.Graph.Read_Lgl({path}, directed=False))"
    ),
    _Format(
        "a UCINET DL file",
        (".dl",),
        rb"\s*dl\s+(?:n|nr|nm|format|labels|data)\b",
        "wp.Graph.of(igraph.Graph.Read_DL({path}))",
    ),
    _Format(
        "a multiline adjacency list",
        (".multiline_adjlist",),
        None,
        "wp.Graph.of(networkx.read_multiline_adjlist({path})); "
        "directed: create_using=networkx.DiGraph",
    ),
    _Format(
        "an adjacency list",
        (".adjlist", ".adj"),
        rb"#[^\n]*\n# GMT \w+ \w+ +\d+ [\d:]+ \d+\n#",  # the header that NetworkX writes
        "wp.Graph.of(networkx.read_adjlist({path})), or read_multiline_adjlist if every neighbour "
        "has a line; directed: create_using=networkx.DiGraph",
    ),
    _with_dictionaries(rb"[ \t]+", ""),
    *(
        _with_dictionaries(rb"[ \t]*[" + d.encode() + rb"][ \t]*", f", delimiter={d!r}")
        for d in ",;|"
    ),
    _Format(
        "a SIF file",
        (".sif",),
        None,
        'wp.read({path}, format="edge_list", columns=(0, 2), weight=None)',
    ),
    _Format(
        "a GPX file",
        (".gpx",),
        XML + rb"gpx\b",
        'wp.Graph.of(geopandas.read_file({path}, layer="tracks"))',
    ),
    _Format("a KML file", (".kml",), XML + rb"kml\b", _BY_GEOPANDAS),
    _Format("geographic GML", (), XML + rb"FeatureCollection\b", _BY_GEOPANDAS),
    _Format("a FlatGeobuf file", (".fgb",), rb"fgb\x03fgb", _BY_GEOPANDAS),
    _Format("a Shapefile", (".shp",), rb"\x00\x00\x27\x0a", _BY_GEOPANDAS),
    _Format(
        "a part of a Shapefile",
        (".dbf", ".shx", ".prj", ".cpg"),
        None,
        "wp.Graph.of(geopandas.read_file(PATH)) with the path of the .shp file",
    ),
    _Format(
        "a SUMO network",
        (),
        XML + rb"net\b",
        'wp.Graph.of([(e.get("from"), e.get("to"), float(e.find("lane").get("length"))) for e in '
        'xml.etree.ElementTree.parse({path}).iter("edge") if e.get("from")])',
    ),
    _Format(
        "a MATSim network",
        (),
        XML + rb"network\b",
        'wp.Graph.of([(e.get("from"), e.get("to"), float(e.get("length"))) for e in '
        'xml.etree.ElementTree.parse({path}).iter("link")])',
    ),
    _Format(
        "a VISUM network with several tables",
        (),
        rb"\s*\$VISION\b",
        "save its table of links ($LINK) alone as .csv, then wp.read it with "
        'source="FROMNODENO", target="TONODENO", weight="LENGTH"',
    ),
    _Format(
        "an Excel workbook",
        (".xlsx", ".xls", ".ods"),
        rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|_rels/|xl/)",
        "wp.Graph.of(pandas.read_excel({path}))",
    ),
    _Format(
        "an Arrow file",
        (".arrow", ".feather"),
        rb"ARROW1",
        "wp.Graph.of(pandas.read_feather({path}))",
    ),
    _Format(
        "XML of a kind that is not known",
        (),
        XML + rb"(?!(?:graphml|gexf|osm|osmChange|\w*html)\b)[a-z_][\w.-]*(?:\s[^<]*)?/?>",
        'wp.Graph.of([(e.get("from"), e.get("to")) for e in '
        'xml.etree.ElementTree.parse({path}).iter("edge")]), with the names of its elements',
    ),
    _Format("a NumPy array", (".npy",), rb"\x93NUMPY", "wp.Graph.of(numpy.load({path}))"),
    _Format(
        "a pickle",
        (".pkl", ".pickle", ".gpickle"),
        rb"\x80[\x02-\x05]",
        "if you trust its author, unpickle it and pass the graph to wp.Graph.of",
    ),
)


def refuse(source: Source, head: bytes) -> None:
    """Raise GraphFormatError, with a way to read the file, if its format is one of `_FORMATS`.

    Parameters
    ----------
    head : the first bytes of the file, or of its unpacked content.
    """
    by_suffix = (other for other in _FORMATS if source.suffix in other.suffixes)
    by_start = (other for other in _FORMATS if _starts_as(other, head))
    other = next(chain(by_suffix, by_start), None)
    if other is not None:
        unpack = "" if source.compression in {None, "zip"} else "unpack it, then "
        remedy = unpack + other.remedy.format(path=repr(str(source.path)))
        reason = f"this is {other.name}, which warpath does not read. In Python: {remedy}"
        raise source.error(None, reason)


def _starts_as(other: _Format, head: bytes) -> bool:
    if ".lgl" in other.suffixes:
        return _is_lgl(head)
    return bool(other.start and re.match(other.start, head, re.IGNORECASE | re.DOTALL))


def _is_lgl(head: bytes) -> bool:
    """Return whether lines "# vertex" are followed by lines of a neighbour and perhaps a weight.

    An edge list may have comments of one word. In LGL a vertex of such a line is also a neighbour.
    """
    lines = [line.split() for line in head.splitlines()[:-1] if line.strip()]
    vertices = [line[1] for line in lines if len(line) == 2 and line[0] == b"#"]
    neighbours = [line for line in lines if line[0] != b"#"]
    return (
        len(vertices) > 1
        and lines[0][0] == b"#"
        and len(vertices) + len(neighbours) == len(lines)
        and all(len(line) <= 2 for line in neighbours)
        and not {line[0] for line in neighbours}.isdisjoint(vertices)
    )
