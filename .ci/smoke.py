"""Try what is installed: `smoke.py alone` with NumPy only, else with SciPy and the command."""

import platform
import subprocess
import sys
from pathlib import Path

import numpy as np

import warpath as wp


def alone() -> None:
    """Solve, check, and ask for what is not installed."""
    assert "site-packages" in wp.__file__, wp.__file__
    roads = wp.read("rome99.gr.xz")
    tree = wp.sssp(roads, 0)
    assert (roads.n, roads.m, int(tree.dist.sum())) == (3353, 8870, 116_006_476)
    assert "3,353 labels" in str(wp.verify(roads, tree))
    for recipe in ("classic.dijkstra", "classic.delta_stepping", "martin2009.f_cpu"):
        assert np.array_equal(wp.sssp(roads, 0, algorithm=recipe).dist, tree.dist)
    assert list(wp.path(roads, 0, 343))[-1] == 343
    table = wp.distances(roads, [0, 999], [499, 1999])
    assert table.dist.tolist() == [[30188, 33517], [4915, 9576]]
    assert wp.sssp([("a", "b", 2), ("b", "c", -1)], "a")["c"] == 1
    package = Path(wp.__file__).parent
    assert any((package / "engines" / "cuda" / "kernels").glob("*.cuh"))
    assert (package / "py.typed").is_file()
    said = ""
    try:
        tree.to_pandas()
    except wp.MissingDependencyError as error:
        said = str(error)
    assert "pip install" in said, "pandas is here: this environment was not empty"


def together() -> None:
    """Compare with SciPy, and run the command."""
    from scipy.sparse import csgraph as theirs

    from warpath import csgraph as ours

    matrix = wp.generate.road(2000, seed=1).to_scipy()
    for name in ("dijkstra", "bellman_ford"):
        mine = getattr(ours, name)(matrix, indices=[0, 7])
        assert np.array_equal(mine, getattr(theirs, name)(matrix, indices=[0, 7]))
    command = str(Path(sys.executable).with_name("warpath"))
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert said == f"warpath {wp.__version__}\n"
    call = [command, "sssp", "rome99.gr.xz", "--source", "1"]
    said = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert "116006476" in said


if __name__ == "__main__":
    what = alone if "alone" in sys.argv else together
    what()
    print(f"Python {platform.python_version()}, {what.__name__}: all right")
