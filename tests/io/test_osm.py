from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from functools import partial

import numpy as np
import pytest

import warpath as wp
from support.memory import peak_of
from warpath.base.errors import GraphFormatError, InputError, MissingDependencyError
from warpath.graph.coordinates import EARTH_RADIUS
from warpath.io import formats, osm, osm_extract

pytest.importorskip("osmium")

STEP = EARTH_RADIUS * np.radians(0.001)  # metres between neighbouring points of the little maps


def tagged(tags):
    return [f'<tag k="{k}" v="{v}"/>' for k, v in tags.items()]


def write(path, ways, points=9, missing=(), barriers=None):
    """Write points 1 .. 9, a thousandth of a degree apart along the equator, and ways over them."""
    lines = ['<?xml version="1.0"?>', '<osm version="0.6">']
    for v in set(range(1, points + 1)).difference(missing):
        inside = "".join(tagged((barriers or {}).get(v, {})))
        lines.append(f'<node id="{v}" lat="0" lon="{v / 1000}">{inside}</node>')
    for at, (refs, tags) in enumerate(ways):
        lines.append(f'<way id="{at + 1}">')
        lines += [f'<nd ref="{v}"/>' for v in refs]
        lines += tagged(tags)
        lines.append("</way>")
    path.write_text("\n".join([*lines, "</osm>"]))
    return path


def edges_of(graph):
    """Edges by OSM ids, lengths counted in steps."""
    src, dst, weights = graph.edges()
    names = graph.label_of(src).tolist(), graph.label_of(dst).tolist()
    return sorted(zip(*names, np.round(weights / STEP, 6).tolist(), strict=True))


ROAD = {"highway": "residential"}


def test_points_between_junctions_only_add_length(tmp_path):
    graph = formats.read(write(tmp_path / "a.osm", [([1, 2, 3, 4], ROAD)]))
    assert edges_of(graph) == [(1, 4, 3.0), (4, 1, 3.0)]
    assert graph.coordinates.tolist() == [[0.001, 0], [0.004, 0]]
    assert graph.labels.dtype == np.int64
    assert graph.name == "a"


def shapes_of(graph):
    """Longitudes, in thousandths, that each edge passes between its ends, by OSM ids."""
    src, dst, _ = graph.edges()
    shapes = graph.shapes
    names = zip(graph.label_of(src).tolist(), graph.label_of(dst).tolist(), strict=True)
    return {
        edge: np.round(1000 * shapes.points[low:high, 0]).astype(int).tolist()
        for edge, low, high in zip(names, shapes.indptr[:-1], shapes.indptr[1:], strict=True)
    }


def test_points_between_junctions_are_the_shape_of_the_road(tmp_path):
    ways = [([1, 2, 3, 4, 6], ROAD), ([9, 4], ROAD), ([6, 7, 8], {**ROAD, "oneway": "yes"})]
    graph = formats.read(write(tmp_path / "a.osm", ways))
    assert shapes_of(graph) == {
        (1, 4): [2, 3],
        (4, 1): [3, 2],
        (4, 6): [],
        (6, 4): [],
        (4, 9): [],
        (9, 4): [],
        (6, 8): [7],
    }
    assert graph.shapes.crs == "EPSG:4326"
    assert formats.read(tmp_path / "a.osm", shapes=False).shapes is None


def test_a_point_without_a_place_is_no_part_of_a_shape(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2, 3, 4, 5, 6, 7], ROAD)], missing={4})
    assert shapes_of(formats.read(path)) == {(1, 3): [2], (3, 1): [2], (5, 7): [6], (7, 5): [6]}


def test_shapes_are_as_long_as_their_roads(data_folder):
    from warpath.graph.coordinates import great_circle
    from warpath.graph.edge_geometry import lines_of

    graph = formats.read(data_folder / "monaco.osm.gz")
    lines, which, _, _ = lines_of(graph, np.arange(graph.m))
    lengths = np.bincount(which, great_circle(lines[:, 0], lines[:, 1]))
    assert np.allclose(lengths, graph.weights, rtol=1e-12)


def test_ways_are_cut_where_they_meet(tmp_path):
    graph = formats.read(write(tmp_path / "a.osm", [([1, 2, 3], ROAD), ([5, 2], ROAD)]))
    assert edges_of(graph) == [(1, 2, 1), (2, 1, 1), (2, 3, 1), (2, 5, 3), (3, 2, 1), (5, 2, 3)]


def test_a_way_that_meets_itself_is_cut_there(tmp_path):
    way = ([1, 2, 3, 4, 2], ROAD | {"oneway": "yes"})
    graph = formats.read(write(tmp_path / "a.osm", [way]))
    assert edges_of(graph) == [(1, 2, 1), (2, 2, 4)]


def test_points_named_twice_in_a_row_are_one(tmp_path):
    graph = formats.read(write(tmp_path / "a.osm", [([1, 2, 2, 3], ROAD)]))
    assert edges_of(graph) == [(1, 3, 2), (3, 1, 2)]


@pytest.mark.parametrize(
    ("tags", "edges"),
    [
        ({"oneway": "yes"}, [(1, 2, 1)]),
        ({"oneway": "-1"}, [(2, 1, 1)]),
        ({"junction": "roundabout"}, [(1, 2, 1)]),
        ({"highway": "motorway"}, [(1, 2, 1)]),
        ({"highway": "motorway", "oneway": "no"}, [(1, 2, 1), (2, 1, 1)]),
    ],
)
def test_one_ways_are_honoured(tmp_path, tags, edges):
    assert edges_of(formats.read(write(tmp_path / "a.osm", [([1, 2], ROAD | tags)]))) == edges


def test_points_outside_the_extract_cut_a_way(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2, 3, 4, 5, 6], ROAD)], missing=[3, 6])
    assert edges_of(formats.read(path)) == [(1, 2, 1), (2, 1, 1), (4, 5, 1), (5, 4, 1)]


def test_ways_that_are_not_for_cars_are_left_out(tmp_path):
    ways = [([1, 2], ROAD), ([2, 3], {"highway": "footway"}), ([3, 4], {"building": "yes"})]
    ways.append(([4, 5], ROAD | {"access": "private"}))
    ways.append(([5, 6], {"highway": "service"}))
    path = write(tmp_path / "a.osm", ways)
    assert formats.read(path, restricted="closed").labels.tolist() == [1, 2]
    assert formats.read(path).labels.tolist() == [1, 2, 4, 5]
    assert formats.read(path, restricted="closed", service=True).labels.tolist() == [1, 2, 5, 6]


def test_seconds_use_the_limit_else_the_speed_of_the_class(tmp_path):
    ways = [([1, 2], ROAD | {"maxspeed": "36", "oneway": "yes"}), ([2, 3], ROAD)]
    ways.append(([3, 4], ROAD | {"maxspeed:forward": "72", "maxspeed:backward": "18"}))
    path = write(tmp_path / "a.osm", ways)
    graph = formats.read(path, weight="seconds", speeds={"residential": 18})
    assert (graph.unit, formats.read(path).unit) == ("s", "m")
    assert graph.attribution == "\N{COPYRIGHT SIGN} OpenStreetMap contributors"
    # (metres / step) / (m/s) of 36, 18, 72 and 18 km/h
    assert edges_of(graph) == [(1, 2, 0.1), (2, 3, 0.2), (3, 2, 0.2), (3, 4, 0.05), (4, 3, 0.2)]


def test_minutes_and_kilometres_are_weights(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2], ROAD | {"name": "High Street"}), ([2, 3], ROAD)])
    seconds, metres = formats.read(path, weight="seconds"), formats.read(path)
    minutes, km = formats.read(path, weight="minutes"), formats.read(path, weight="km")
    assert (minutes.unit, km.unit) == ("min", "km")
    assert np.allclose(minutes.weights * 60, seconds.weights, rtol=1e-15)
    assert np.allclose(km.weights * 1000, metres.weights, rtol=1e-15)
    assert metres.with_weights("minutes").weights.tolist() == minutes.weights.tolist()
    by_street = wp.path(minutes, 1, 3).legs, wp.path(seconds, 1, 3).legs
    assert str(by_street[0]) == str(by_street[1])


def test_negative_ids_of_unsaved_edits_are_read(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2], ROAD)])
    path.write_text(path.read_text().replace('id="2"', 'id="-2"').replace('ref="2"', 'ref="-2"'))
    assert formats.read(path).labels.tolist() == [-2, 1]


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)],
)
def test_compressed_files_are_read_whatever_their_name(tmp_path, suffix, compress):
    content = compress(write(tmp_path / "a.osm", [([1, 2], ROAD)]).read_bytes())
    for name in (f"b.osm{suffix}", "noname"):
        (tmp_path / name).write_bytes(content)
        assert formats.read(tmp_path / name).m == 2


def test_a_file_without_roads_says_so(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2], {"highway": "service"})])
    with pytest.raises(GraphFormatError, match=r"a\.osm: no road that cars may use.*service=True"):
        formats.read(path)


def test_an_extract_without_ways_says_so(tmp_path):
    with pytest.raises(GraphFormatError, match=r"a\.osm: the extract is empty: it has no ways"):
        formats.read(write(tmp_path / "a.osm", []))


@pytest.mark.parametrize(
    ("profile", "tags", "message"),
    [
        ("bike", {"highway": "motorway"}, "no road that bicycles may use was found$"),
        ("foot", {"highway": "cycleway"}, "no road that pedestrians may use"),
        ("car", {"building": "yes"}, "no road that cars may use"),
    ],
)
def test_a_profile_without_a_road_says_so(tmp_path, profile, tags, message):
    path = write(tmp_path / "a.osm", [([1, 2], tags)])
    with pytest.raises(GraphFormatError, match=message):
        formats.read(path, profile=profile)


def test_each_profile_has_its_network(tmp_path):
    ways = [([1, 2], {"highway": "motorway"}), ([2, 3], ROAD | {"oneway": "yes"})]
    ways.append(([3, 4], {"highway": "steps"}))
    ways.append(([4, 5], {"highway": "cycleway"}))
    path = write(tmp_path / "a.osm", ways)
    found = {name: edges_of(formats.read(path, profile=name)) for name in ("car", "bike", "foot")}
    assert found == {
        "car": [(1, 2, 1), (2, 3, 1)],
        "bike": [(2, 3, 1), (4, 5, 1), (5, 4, 1)],
        "foot": [(2, 3, 1), (3, 2, 1), (3, 4, 1), (4, 3, 1)],
    }


def test_a_barrier_ends_a_road_at_the_point_before_it(tmp_path):
    ways = [([1, 2, 3, 4, 5], ROAD), ([5, 6], ROAD)]
    path = write(tmp_path / "a.osm", ways, barriers={3: {"barrier": "bollard"}})
    cut = [(1, 2, 1), (2, 1, 1), (4, 5, 1), (5, 4, 1), (5, 6, 1), (6, 5, 1)]
    whole = [(1, 5, 4), (5, 1, 4), (5, 6, 1), (6, 5, 1)]
    assert edges_of(formats.read(path)) == cut
    assert edges_of(formats.read(path, barriers=False)) == whole
    assert edges_of(formats.read(path, profile="bike")) == whole


def test_a_barrier_at_a_junction_closes_it(tmp_path):
    ways = [([1, 2, 3], ROAD), ([3, 4], ROAD), ([3, 5, 6], ROAD)]
    path = write(tmp_path / "a.osm", ways, barriers={3: {"barrier": "gate", "access": "no"}})
    assert edges_of(formats.read(path)) == [(1, 2, 1), (2, 1, 1), (5, 6, 1), (6, 5, 1)]


def test_a_closed_elevator_ends_a_footway(tmp_path):
    ways = [([1, 2, 3, 4, 5], {"highway": "footway"})]
    for tags, is_open in (({}, True), ({"access": "no"}, False), ({"foot": "yes"}, True)):
        path = write(tmp_path / "a.osm", ways, barriers={3: {"highway": "elevator"} | tags})
        whole = edges_of(formats.read(path, profile="foot")) == [(1, 5, 4), (5, 1, 4)]
        assert whole == is_open


def test_a_ferry_takes_its_duration(tmp_path):
    ferry = {"route": "ferry", "motor_vehicle": "yes", "name": "Wal"}
    ways = [([1, 2, 3], ferry | {"duration": "0:03"}), ([2, 9], ROAD), ([4, 5], ferry)]
    graph = formats.read(write(tmp_path / "a.osm", ways), weight="seconds")
    table = graph.edge_table()
    columns = (table[name].tolist() for name in ("source", "target", "seconds"))
    by_ends = {(u, v): seconds for u, v, seconds in zip(*columns, strict=True)}
    assert by_ends[1, 2] == pytest.approx(90)
    assert by_ends[2, 3] == pytest.approx(90)
    assert by_ends[4, 5] == pytest.approx(STEP * 3.6 / 10)
    assert set(table["kind"].tolist()) == {"ferry", "residential"}


def test_edges_keep_street_length_and_time(tmp_path):
    ways = [
        ([1, 2], ROAD | {"name": "Am Markt", "ref": "B 1"}),
        ([2, 3, 4], ROAD | {"ref": "B 1", "oneway": "yes"}),
        ([4, 5], {"highway": "primary", "maxspeed": "36"}),
    ]
    path = write(tmp_path / "a.osm", ways)
    graph = formats.read(path)
    table = graph.edge_table()
    assert table["street"].tolist() == ["Am Markt", "B 1", "Am Markt", "", ""]
    assert table["kind"].tolist() == [*["residential"] * 3, "primary", "primary"]
    assert table["way"].tolist() == [1, 2, 1, 3, 3]
    assert table["length"].tolist() == table["weight"].tolist()
    assert np.round(table["length"] / STEP, 6).tolist() == [1, 2, 1, 1, 1]
    fast = formats.read(path, weight="seconds")
    assert table["seconds"].tolist() == fast.weights.tolist()
    by_time, by_length = graph.with_weights("seconds"), fast.with_weights("length")
    assert (by_time.weights.tolist(), by_time.unit) == (fast.weights.tolist(), "s")
    assert (by_length.weights.tolist(), by_length.unit) == (graph.weights.tolist(), "m")
    assert formats.read(path, attributes=None).given is None
    assert list(formats.read(path, attributes=["street"]).given.columns) == ["street"]


def test_roads_without_locations_say_so(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2], ROAD)], missing=[1, 2])
    with pytest.raises(GraphFormatError, match="no stretch of road whose two ends"):
        formats.read(path)


@pytest.mark.parametrize("content", [b"hello", b"<html></html>", b"\x1f\x8bnot gzip at all"])
def test_what_is_no_map_is_refused(tmp_path, content):
    (tmp_path / "a.osm").write_bytes(content)
    with pytest.raises(GraphFormatError, match=r"a\.osm"):
        formats.read(tmp_path / "a.osm", format="osm")


def test_damaged_xml_is_refused_with_its_line(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2], ROAD)])
    path.write_text(path.read_text()[:-40])
    with pytest.raises(GraphFormatError, match=r"a\.osm: XML parsing error at line 15"):
        formats.read(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": "tons"}, 'weighted by "metres", "seconds" or another unit'),
        ({"speeds": {"steps": 5}}, r"speeds\['steps'\]: the profile 'car' does not use"),
        ({"speeds": {"residential": 0}}, r"speeds\['residential'\] = 0"),
        ({"profile": "tram"}, "profile='tram' must be 'car', 'bike', 'foot'"),
        ({"attributes": ["lanes"]}, r"there is no column 'lanes'; there are 'street', 'kind', "),
        ({"barriers": "no"}, "barriers"),
        ({"service": "no"}, "service"),
        ({"walk": True}, "no option 'walk'"),
    ],
)
def test_options_that_mean_nothing_are_refused(tmp_path, options, message):
    path = write(tmp_path / "a.osm", [([1, 2], ROAD)])
    with pytest.raises(InputError, match=message):
        formats.read(path, **options)


def test_without_pyosmium_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = write(tmp_path / "a.osm", [([1, 2], ROAD)])
    monkeypatch.setitem(sys.modules, "osmium", None)
    with pytest.raises(MissingDependencyError, match=r"pip install osmium"):
        formats.read(path)


def test_only_maps_are_sniffed_as_maps():
    assert osm.sniff(b'<?xml version="1.0"?>\n<osm version="0.6">')
    assert osm.sniff(b"\0\0\0\x0d\x0a\x09OSMHeader\x18")
    assert not osm.sniff(b"<html>")
    assert not osm.sniff(b"")


@pytest.fixture(
    scope="module",
    params=[("liechtenstein-latest.osm.pbf", 2284, 5204), ("monaco.osm.gz", 472, 864)],
    ids=["liechtenstein", "monaco"],
)
def real(data_folder, request):
    """Return a real extract, its graph, and the n and m that it should have."""
    name, n, m = request.param
    return data_folder / name, formats.read(data_folder / name), n, m


def component(graph):
    """Return the vertices of the largest strongly connected component."""
    return np.flatnonzero(graph.components(strong=True).labels == 0)


def test_real_extracts_have_their_n_and_m(real):
    path, graph, n, m = real
    assert (graph.n, graph.m, graph.directed) == (n, m, True)
    assert graph.name == path.name.partition(".")[0]


def test_most_of_a_real_network_hangs_together(real):
    _, graph, n, _ = real
    assert len(component(graph)) >= 0.9 * n


def test_a_real_road_is_no_shorter_than_the_straight_line(real):
    _, graph, _, _ = real
    straight = graph.with_weights("great_circle").weights
    assert (graph.weights >= straight * (1 - 1e-9)).all()
    loops = straight == 0
    assert np.median(graph.weights[~loops] / straight[~loops]) < 1.1


def test_seconds_on_real_roads_are_between_5_and_130_kmh(real):
    path, graph, _, _ = real
    kmh = 3.6 * graph.weights / formats.read(path, weight="seconds").weights
    assert kmh.min() >= 4.9
    assert kmh.max() <= 130


def test_osmiums_own_filter_selects_the_same_points(data_folder, monkeypatch):
    path = data_folder / "monaco.osm.gz"
    graph = formats.read(path)
    monkeypatch.setattr(osm_extract, "_FILTER", 2**40)
    again = formats.read(path)
    assert again.labels.tolist() == graph.labels.tolist()
    assert again.coordinates.tobytes() == graph.coordinates.tobytes()
    assert again.weights.tobytes() == graph.weights.tobytes()
    assert again.read_report == graph.read_report


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the peak")
def test_a_small_extract_takes_little_memory(data_folder):
    # Its ids are spread over all that OpenStreetMap has assigned: osmium's filter takes 400 MB.
    path = data_folder / "liechtenstein-latest.osm.pbf"
    assert peak_of(partial(formats.read, path)) < 64 << 20


def test_the_way_across_liechtenstein_is_plausible(data_folder):
    csgraph = pytest.importorskip("scipy.sparse.csgraph")
    graph = formats.read(data_folder / "liechtenstein-latest.osm.pbf", restricted="open")
    inside = component(graph)
    latitude = graph.coordinates[inside, 1]
    south, north = inside[latitude.argmin()], inside[latitude.argmax()]
    length = csgraph.dijkstra(graph.to_scipy(), indices=south)[north]
    assert 20_000 < length < 35_000  # the country is 25 km long


def test_a_truncated_extract_is_refused(data_folder, tmp_path):
    for name in ("liechtenstein-latest.osm.pbf", "monaco.osm.gz"):
        whole = (data_folder / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(GraphFormatError, match=name):
            formats.read(tmp_path / name)


def test_the_option_private_names_what_replaces_it(tmp_path):
    path = write(tmp_path / "a.osm", [([1, 2], ROAD), ([2, 3], ROAD | {"access": "private"})])
    with pytest.raises(InputError, match=r"has no option 'private': restricted=\"open\" opens"):
        formats.read(path, private=True)
    assert formats.read(path, restricted="open").labels.tolist() == [1, 2, 3]
    with pytest.raises(InputError, match=r"restricted='shut' must be 'ends', 'open', 'closed'"):
        formats.read(path, restricted="shut")


def test_barriers_that_end_every_road_are_said_and_can_be_ignored(tmp_path):
    bollard = {"barrier": "bollard"}
    file = write(tmp_path / "a.osm", [([1, 2], ROAD)], barriers={1: bollard})
    with pytest.raises(GraphFormatError, match="a barrier ends every road: barriers=False"):
        formats.read(file)
    assert edges_of(formats.read(file, barriers=False)) == [(1, 2, 1.0), (2, 1, 1.0)]
    write(file, [([1, 2], ROAD)], barriers={1: bollard, 2: bollard})
    with pytest.raises(GraphFormatError, match="2 barriers end every road"):
        formats.read(file)
    write(file, [([1, 2], ROAD)], barriers={1: bollard}, missing=[2])
    with pytest.raises(GraphFormatError, match="two ends have a location"):
        formats.read(file)
