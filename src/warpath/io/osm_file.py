"""The file of an OpenStreetMap extract, as osmium reads it: format, repairs and newest versions."""

from __future__ import annotations

import re
import tempfile
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

if TYPE_CHECKING:
    from warpath.io.source import Source

#: osmium's name of the XML format by compression; None: not compressed.
_COMPRESSED = {None: "osm", "gzip": "osm.gz", "bzip2": "osm.bz2"}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")

#: What may stand before the root element of XML, and the name and attributes of that element.
_ROOT = re.compile(
    r"\ufeff?(?:\s|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>\[\]]*(?:\[[^\]]*\])?\s*>)*"
    r"<(?P<name>[\w:.-]+)(?P<attributes>[^>]*)>?",
    re.DOTALL,
)
#: Attributes of objects that are deleted, or that may be older versions of others.
_EDITED = re.compile(rb"""\baction\s*=\s*["']delete|\bvisible\s*=""")

CHANGES = (
    "these are changes (osmChange), not an extract: apply them to one first, with "
    '"osmium apply-changes EXTRACT CHANGES -o NEW"'
)

INCOMPLETE = (
    "Overpass stopped before the end of its answer, as the remark of the file says, so streets may "
    "be missing: repeat the query for a smaller region or with a longer timeout ([timeout:600])"
)
_REMARK = re.compile(rb"<remark>\s*runtime error")

#: Errors of osmium about elements that Overpass writes with "out geom" and "out center".
OVERPASS_GEOMETRY = re.compile("inside <member>|in <way>: center")
OVERPASS_HINT = (
    '; if Overpass wrote the file, end the query with "out body; >; out skel;", without geom or '
    "center"
)


def form_of(head: bytes) -> str | None:
    """Return the format of a file by its first bytes: "pbf", "o5m", "osm" or "changes".

    Returns
    -------
    str or None
        None for a file that is not of OpenStreetMap.
    """
    if head[4:15] == b"\x0a\x09OSMHeader":
        return "pbf"
    if head[:3] == b"\xff\xe0\x04":
        return {b"o5m2": "o5m", b"o5c2": "changes"}.get(head[3:7])
    root = _ROOT.match(_text(head))
    if root is None or not root["name"].startswith("osm"):
        return None
    return "osm" if root["name"] == "osm" else "changes"


def opened(source: Source, form: str, io: Any) -> Any:
    """Return osmium's file of an extract.

    osmium reads neither UTF-16 after a byte order mark nor a root element without a version: such
    files are repaired in memory.

    Parameters
    ----------
    form : as `form_of` returns it for the decompressed content.
    io : the module osmium.io.
    """
    if form == "osm":
        root = _ROOT.match(_text(source.head))
        versioned = root is not None and re.search(r"\sversion\s*=", root["attributes"])
        if source.head.startswith(_UTF_16) or not versioned:
            return io.FileBuffer(_repaired(source.data), "osm")
    if source.compression is None:
        return io.File(str(source.path), form)
    if form == "osm" and source.compression in _COMPRESSED:
        return io.File(str(source.path), _COMPRESSED[source.compression])
    return io.FileBuffer(source.data, form)  # a compression that osmium does not support


def _text(head: bytes) -> str:
    return head.decode("utf-16" if head.startswith(_UTF_16) else "utf-8", "ignore")


def _repaired(content: bytes) -> bytes:
    """Return XML as UTF-8 with a version of its root element."""
    if content.startswith(_UTF_16):
        text = content.decode("utf-16")
        content = re.sub(r"^\s*<\?xml.*?\?>", "", text, count=1, flags=re.DOTALL).encode()
    root = _ROOT.match(_text(content))
    if root is None or re.search(r"\sversion\s*=", root["attributes"]):
        return content
    at = len(_text(content)[: root.end("name")].encode())
    return content[:at] + b' version="0.6"' + content[at:]


def cut_short(source: Source) -> bool:
    """Return whether the server Overpass wrote a part of its answer only."""
    return b"Overpass" in source.head and source.contains(_REMARK)


def may_have_versions(source: Source, form: str, file: Any, osmium: Any) -> bool:
    """Return whether a file may have deleted objects, or several versions of one."""
    if ".osh" in Path(source.name).suffixes:
        return True
    if form == "osm":
        if source.head.startswith(_UTF_16):
            return True
        return source.contains(_EDITED)
    with osmium.io.Reader(file) as reader:
        return bool(reader.header().has_multiple_object_versions)


def newest(source: Source, form: str, file: Any, osmium: Any) -> tuple[Any, int]:
    """Return a file with the newest version of each object that is not deleted.

    Returns
    -------
    file : osmium's file, in memory.
    left_out : the number of versions that are older or deleted.
    """
    last: dict[tuple[str, int], tuple[int, int]] = {}
    for at, item in enumerate(osmium.FileProcessor(file)):
        key = item.type_str(), item.id
        last[key] = max(last.get(key, (-1, -1)), (item.version, at))
    # osmium has read the whole file by now, so that its errors come before those of this parser.
    deleted = _deleted_by_editor(source) if form == "osm" else set()
    left_out = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "newest.osm.pbf"
        target = osmium.io.File(str(path), "pbf,locations_on_ways=true")
        with osmium.SimpleWriter(target) as writer:
            for at, item in enumerate(osmium.FileProcessor(file)):
                key = item.type_str(), item.id
                if last[key][1] == at and item.visible and key not in deleted:
                    writer.add(item)
                else:
                    left_out += 1
        return osmium.io.FileBuffer(path.read_bytes(), "pbf"), left_out


def _deleted_by_editor(source: Source) -> set[tuple[str, int]]:
    """Return type (n, w or r) and id of the objects that JOSM marks with action="delete"."""
    deleted = set()

    def start(name: str, attributes: dict[str, str]) -> None:
        if attributes.get("action") == "delete" and name in {"node", "way", "relation"}:
            deleted.add((name[0], int(attributes["id"])))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.ParseFile(BytesIO(_repaired(source.data)))
    return deleted
