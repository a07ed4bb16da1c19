"""Tables of distances as matrices of OMX, read by the format's own library."""

from __future__ import annotations

import os
import signal
import sys

import numpy as np
import pytest

import warpath as wp
from warpath.results import omx

h5py = pytest.importorskip("h5py")
openmatrix = pytest.importorskip("openmatrix")

ZONES = wp.Graph.of(
    {"u": [7, 9, 9], "v": [9, 7, 12], "minutes": [4, 5, 1], "toll": [0.5, 0.25, 2.0]},
    source="u",
    target="v",
    weight="minutes",
    attributes="all",
    unit="minutes",
)
WORDS = wp.Graph.of([("Märkt", "Hill", 2.5), ("Hill", "Quay", 1.0)])


def test_matrices_and_zones_come_back(tmp_path):
    everyone = ZONES.labels
    table = wp.distances(ZONES, everyone, everyone, also=["toll"])
    table.save(file := tmp_path / "skims.omx")
    with openmatrix.open_file(file) as read:
        assert read.version() == b"0.2"
        assert read.shape() == (3, 3)
        assert read.list_matrices() == ["distance", "toll"]
        assert np.array_equal(read["distance"][:], table.to_numpy(), equal_nan=True)
        assert np.isnan(read["toll"][2, 0])
        assert read["toll"][0, 2] == 2.5
        assert read["distance"].attrs["unit"] == b"minutes"
        assert read.mapping("zone") == {7: 0, 9: 1, 12: 2}
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("chunk", [1 << 17, 4], ids=["one chunk", "several"])
def test_rows_and_columns_have_mappings_of_their_own(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(omx, "_CHUNK", chunk)
    table = wp.distances(WORDS.astype("float32"), WORDS.labels, ["Hill", "Quay"])
    table.save(file := tmp_path / "skims.omx")
    with openmatrix.open_file(file) as read:
        assert read["distance"][:].dtype == np.float32
        assert np.array_equal(read["distance"][:], table.to_numpy(), equal_nan=True)
        names = {
            name: [key.decode() for key in read.mapping(name)] for name in ("source", "target")
        }
    assert names == {"source": ["Märkt", "Hill", "Quay"], "target": ["Hill", "Quay"]}


def test_what_a_matrix_cannot_hold_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "skims.omx"
    for shape in (([], [7]), ([7], [])):
        with pytest.raises(wp.InputError, match="a table without pairs cannot be a matrix of OMX"):
            wp.distances(ZONES, *shape).save(file)
    large = wp.Graph.of([(0, 1, 2**53 + 1)])
    with pytest.raises(wp.DistanceOverflowError, match="float64 does not hold the distance"):
        wp.apsp(large).save(file)
    slash = wp.Graph.of(
        {"source": [0], "target": [1], "weight": [2], "km/h": [3]}, attributes="all"
    )
    with pytest.raises(wp.InputError, match="'km/h' cannot be the name of a matrix"):
        wp.distances(slash, [0], [1], also=["km/h"]).save(file)
    with pytest.raises(wp.OutputError, match="No such file or directory"):
        wp.apsp(ZONES).save(tmp_path / "none" / "skims.omx")
    with pytest.raises(wp.InputError, match=r"tables as \.omx"):
        wp.sssp(ZONES, 7).save(file)
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(wp.MissingDependencyError, match=r"Writing \.omx needs h5py"):
        wp.apsp(ZONES).save(file)
    assert not [*tmp_path.iterdir()]


def test_an_interrupt_leaves_no_file(tmp_path, monkeypatch):
    write = h5py.Dataset.__setitem__

    def interrupted(matrix, rows, block):
        os.kill(os.getpid(), signal.SIGINT)
        write(matrix, rows, block)

    monkeypatch.setattr(h5py.Dataset, "__setitem__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        wp.apsp(ZONES).save(tmp_path / "skims.omx")
    assert not [*tmp_path.iterdir()]
