"""Files of OpenStreetMap as programs write them: encodings, root elements, versions, changes."""

from __future__ import annotations

import gzip

import pytest

from warpath.base.errors import GraphFormatError
from warpath.io import formats
from warpath.io.osm_file import form_of

osmium = pytest.importorskip("osmium")

BODY = """
<node id='1' lat='0' lon='0.001'/><node id='2' lat='0' lon='0.002'/>
<node id='3' lat='0' lon='0.003'/>
<way id='7'><nd ref='1'/><nd ref='2'/>
<tag k='highway' v='residential'/><tag k='name' v='Süd'/></way>
"""
ROOT = "<osm version='0.6'>"


def text_of(root=ROOT, body=BODY, before=""):
    return f"{before}{root}{body}</osm>"


@pytest.mark.parametrize(
    "text",
    [
        text_of(),
        text_of("<osm>"),
        text_of("<osm\n\tgenerator='version=1'>"),
        text_of("<osm\n  generator='x'\n  version='0.6'\n>"),
        text_of('<osm version="0.6">'),
        text_of(before="<?xml version='1.0'?>\n<!-- <osmChange> -->\n"),
        text_of(before="<!DOCTYPE osm SYSTEM 'osm.dtd'>"),
        text_of(before="<!DOCTYPE osm [<!ELEMENT osm ANY>]>\n<!-- a -->\n<!-- b -->"),
        text_of(before=f"<!-- {'long ' * 1000} -->"),
        text_of(body="<note>Data: ODbL.</note><meta osm_base='now'/>" + BODY),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_xml_is_recognised_by_its_root_element(tmp_path, text, encoding):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "a.osm").write_bytes((mark + text).encode(encoding))
    graph = formats.read(tmp_path / "a.osm")
    assert graph.labels.tolist() == [1, 2]
    assert graph.edge_table()["street"].tolist() == ["Süd", "Süd"]


def test_utf_16_may_say_so_in_its_declaration(tmp_path):
    text = text_of(before="<?xml version='1.0' encoding='UTF-16'?>\n")
    (tmp_path / "a.osm.gz").write_bytes(gzip.compress(text.encode("utf-16")))
    assert formats.read(tmp_path / "a.osm.gz").m == 2


@pytest.mark.parametrize(
    "head",
    [
        *(b"", b"<html>", b"<osmosis/>x", b"osm,version", b"<!--", b"<!-- -->" * 400, b"<?" * 2000),
        *(b"<!DOCTYPE [" + b"[]" * 2000, b"\xff\xfe<", b"<gpx><osm version='0.6'>"),
    ],
)  # fmt: skip
def test_other_files_are_not_openstreetmap(head):
    assert form_of(head) in {None, "changes"}


@pytest.mark.parametrize("root", ["osmChange", "osmAugmentedDiff"])
def test_changes_are_refused_by_their_name(tmp_path, root):
    for name in ("a.osc", "a.osm", "a"):
        (tmp_path / name).write_text(f"<{root} version='0.6'><create>{BODY}</create></{root}>")
        with pytest.raises(GraphFormatError, match=r"these are changes \(osmChange\).*apply them"):
            formats.read(tmp_path / name)


def test_o5m_is_read_where_osmium_reads_it():
    assert form_of(b"\xff\xe0\x04o5m2\xff") == "o5m"
    assert form_of(b"\xff\xe0\x04o5c2\xff") == "changes"


def way(refs, version=1, more="", tags="<tag k='highway' v='residential'/>", number=7):
    inside = "".join(f"<nd ref='{ref}'/>" for ref in refs) + tags
    return f"<way id='{number}' version='{version}' {more}>{inside}</way>"


POINTS = BODY.partition("<way")[0]


@pytest.mark.parametrize(
    ("objects", "labels"),
    [
        (way([1, 2], 1) + way([2, 3], 2, "visible='true'"), [2, 3]),
        (way([1, 2], 2, "visible='true'") + way([2, 3], 1), [1, 2]),
        (way([1, 2], number=6) + way([2, 3]) + way([2, 3], 2, "visible='true'", ""), [1, 2]),
        (way([1, 2], number=6) + way([2, 3]) + way([], 2, 'visible="false"', ""), [1, 2]),
        (way([1, 2], number=6) + way([2, 3], 1, "action='delete'"), [1, 2]),
        (way([1, 2], number=6) + way([2, 3], 1, 'action = "delete"', number=-8), [1, 2]),
        (way([1, 2]) + way([1, 2]), [1, 2]),
        (way([1, 2]) + way([2, 3], 2), [2, 3]),
        (way([1, 2], number=-1, more="action='modify' visible='true'"), [1, 2]),
    ],
)
@pytest.mark.parametrize("suffix", [".osm", ".osm.gz"])
def test_the_newest_version_of_a_way_counts_unless_it_is_deleted(tmp_path, objects, labels, suffix):
    content = text_of(body=POINTS + objects).encode()
    path = tmp_path / f"a{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    graph = formats.read(path)
    assert (graph.labels.tolist(), graph.m) == (labels, 2)


def test_the_newest_place_of_a_node_counts(tmp_path):
    moved = "<node id='2' version='2' visible='true' lat='0' lon='0.005'/>"
    (tmp_path / "a.osm").write_text(text_of(body=POINTS + moved + way([1, 2])))
    assert formats.read(tmp_path / "a.osm").coordinates.tolist() == [[0.001, 0], [0.005, 0]]


def test_a_history_file_in_pbf_is_read_by_its_header_or_its_name(tmp_path):
    (tmp_path / "a.osh").write_text(text_of(body=POINTS + way([1, 2]) + way([2, 3], 2)))
    for name in ("b.osh.pbf", "b.osm.pbf"):
        file = osmium.io.File(str(tmp_path / name), "osh.pbf")
        with osmium.SimpleWriter(file) as writer:
            for item in osmium.FileProcessor(str(tmp_path / "a.osh")):
                writer.add(item)
        assert formats.read(tmp_path / name).labels.tolist() == [2, 3]


@pytest.mark.parametrize("suffix", ["osm", "osm.pbf"])
def test_locations_on_ways_locate_points_that_are_not_in_the_file(tmp_path, suffix):
    refs = "<nd ref='1' lat='0' lon='0.001'/><nd ref='2' lat='0' lon='0.002'/><nd ref='9'/>"
    road = f"<way id='7'>{refs}<tag k='highway' v='residential'/></way>"
    bollard = "<node id='2' lat='1' lon='0.002'><tag k='barrier' v='gate'/></node>"
    path = tmp_path / "a.osm"
    path.write_text(text_of(body=bollard + road))
    if suffix == "osm.pbf":
        path = tmp_path / "a.osm.pbf"
        target = osmium.io.File(str(path), "pbf,locations_on_ways=true")
        with osmium.SimpleWriter(target) as writer:
            for item in osmium.FileProcessor(str(tmp_path / "a.osm")):
                writer.add(item)
    graph = formats.read(path)
    assert graph.coordinates.tolist() == [[0.001, 0], [0.002, 1]]  # a node's own place is first
    assert graph.read_report == {"points of roads without a location": 1}


def test_an_answer_that_overpass_did_not_finish_is_refused(tmp_path):
    root = '<osm version="0.6" generator="Overpass API 0.7.62">'
    remark = "<remark> runtime error: Query timed out in 'query' after 25 seconds. </remark>"
    (tmp_path / "a.osm").write_text(text_of(root, BODY + remark))
    with pytest.raises(GraphFormatError, match=r"Overpass stopped before .*\[timeout:600\]"):
        formats.read(tmp_path / "a.osm")
    (tmp_path / "a.osm").write_text(text_of(root))
    assert formats.read(tmp_path / "a.osm").m == 2


MEMBER = '<member type="way" ref="7" role="from"><nd lat="0" lon="0"/></member>'


@pytest.mark.parametrize(
    "item",
    [
        '<way id="9"><center lat="0" lon="0"/></way>',
        f'<relation id="9">{MEMBER}</relation>',
    ],
)
def test_geometry_of_overpass_inside_relations_names_the_query_to_make(tmp_path, item):
    (tmp_path / "a.osm").write_text(text_of(body=BODY + item))
    with pytest.raises(GraphFormatError, match='end the query with "out body; >; out skel;"'):
        formats.read(tmp_path / "a.osm", turns=True)
