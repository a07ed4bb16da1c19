"""Every real graph of the data folder reads with the n and m that its publisher states."""

from __future__ import annotations

import numpy as np
import pytest

from warpath.base.errors import GraphFormatError
from warpath.io.coordinate_files import find_coordinates
from warpath.io.formats import read

# m counts stored edges: twice the file's edges where an undirected file has them once.
PUBLISHED = [
    ("rome99.gr.xz", 3_353, 8_870, {}),
    ("USA-road-d.NY.gr.gz", 264_346, 733_846, {}),
    ("p2p-Gnutella04.txt.xz", 10_876, 39_994, {}),
    ("p2p-Gnutella08.txt.xz", 6_301, 20_777, {}),
    ("p2p-Gnutella30.txt.xz", 36_682, 88_328, {}),
    ("p2p-Gnutella31.txt.xz", 62_586, 147_892, {}),
    ("brightkite_edges.csv.zip", 58_228, 428_156, {}),
    ("soc-Epinions1-lwcc.txt.xz", 75_877, 508_836, {}),
    ("soc-Slashdot0902.txt.gz", 82_168, 948_464, {}),
    ("cnr-2000.txt.xz", 325_557, 3_216_152, {}),
    ("delaunay_n13.mtx.xz", 2**13, 2 * 24_547, {}),
    ("delaunay_n15.graph.xz", 2**15, 2 * 98_274, {}),
    (
        "delaunay_n16.mtx.xz",
        2**16,
        2 * 196_575,
        {"header": "coordinate pattern symmetric", "n": 2**16},
    ),
    ("usroads.mtx.xz", 129_164, 2 * 165_435, {}),
    ("SiouxFalls_net.tntp.xz", 24, 76, {}),
    ("Anaheim_net.tntp.xz", 416, 914, {}),
    ("ChicagoSketch_net.tntp.xz", 933, 2_950, {}),
    ("berlin-center_net.tntp.xz", 12_981, 28_376, {}),
    ("soc-sign-bitcoinotc.csv.xz", 5_881, 35_592, {"weight": "feature"}),
]


@pytest.mark.parametrize(("name", "n", "m", "options"), PUBLISHED, ids=lambda x: str(x)[:24])
def test_a_published_file_reads_with_its_published_size(data_folder, name, n, m, options):
    graph = read(data_folder / name, **options)
    assert (graph.n, graph.m) == (n, m)


def test_slashdot_keeps_its_self_loops(data_folder):
    assert read(data_folder / "soc-Slashdot0902.txt.gz").facts().loops == 78_303


def test_new_york_has_degrees_for_coordinates(data_folder):
    path = data_folder / "USA-road-d.NY.gr.gz"
    graph = read(path, coordinates=find_coordinates(path))
    low, high = graph.coordinates.min(axis=0), graph.coordinates.max(axis=0)
    assert -75 < low[0] < high[0] < -73
    assert 40 < low[1] < high[1] < 42
    assert (graph.id_base, graph.weights.dtype, int(graph.weights.max())) == (1, np.int32, 36_946)


def test_us_roads_take_the_array_beside_them(data_folder):
    path = data_folder / "usroads.mtx.xz"
    graph = read(path, coordinates=find_coordinates(path))
    assert graph.coordinates[0, 0] == -156.74
    assert graph.coordinates[-1, 1] == 17.934


def test_berlin_has_zones_times_and_coordinates(data_folder):
    path = data_folder / "berlin-center_net.tntp.xz"
    graph = read(path, coordinates=find_coordinates(path))
    assert graph.first_through == 865
    assert graph.weights.min() == 0
    assert graph.coordinates[0].tolist() == [23.5506, 18.9009]
    lengths = read(path, weight="length")
    assert lengths.weights.max() != graph.weights.max()


def test_the_delaunay_file_without_header_says_which_option_it_needs(data_folder):
    with pytest.raises(GraphFormatError, match=r'header="coordinate pattern symmetric" \(and n='):
        read(data_folder / "delaunay_n16.mtx.xz")


def test_bitcoin_otc_lists_its_columns_until_one_is_chosen(data_folder):
    path = data_folder / "soc-sign-bitcoinotc.csv.xz"
    with pytest.raises(GraphFormatError, match="columns 'from', 'to', 'feature', 'time'"):
        read(path)
    graph = read(path, weight="feature")
    assert (int(graph.weights.min()), int(graph.weights.max())) == (-10, 10)
    assert read(path, weight=None).weights is None


def test_gnutella_with_gaps_keeps_its_ids_as_labels(data_folder):
    graph = read(data_folder / "p2p-Gnutella04.txt.xz")
    assert int(graph.labels.max()) == 10_878
