"""`warpath bench partitions`: certified, and compared with one process."""

from __future__ import annotations

import pytest

from warpath_bench import partitions

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")

SOURCES = (
    "bench/warpath_bench/partitions.py",
    "src/warpath/engines/cluster/*.py",
    "src/warpath/api/cluster.py",
)


@pytest.mark.full("benchmark of partitions", *SOURCES)
@pytest.mark.parametrize(("kind", "size"), [("rmat", "8"), ("road", "900")])
def test_both_ways_give_one_result(capsys, tmp_path, kind, size):
    arguments = ["--kind", kind, "--size", size, "--workers", "2", "--sources", "2"]
    assert partitions.main([*arguments, "--folder", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"| {kind} {size}: n = ")
    for row in ("read, s", "solve with the tree, s", "supersteps", "labels sent", "ghosts"):
        assert f"| {row} | " in shown
    assert "certified" in shown
    assert list(tmp_path.iterdir()) == []
