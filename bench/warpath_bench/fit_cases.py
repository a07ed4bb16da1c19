"""The graphs on which the planner's model is fitted, and others on which it is judged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.graph import Graph, generate
from warpath.io.formats import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FIT, HELD_OUT = "fit", "held out"


@dataclass(frozen=True)
class Case:
    """A graph with its name and the set that it belongs to: `FIT` or `HELD_OUT`."""

    name: str
    part: str
    make: Callable[[], Graph]


def cases(data: Path | None) -> Iterator[Case]:
    """Yield the generated graphs, then those of files in a folder, which are all held out."""
    for part, table in ((FIT, _FIT), (HELD_OUT, _HELD_OUT)):
        for at, (kind, arguments, dtypes) in enumerate(table):
            for dtype in dtypes.split():
                yield _generated(part, kind, arguments, dtype, seed=at)
    for name, weights in _FILES.items():
        if data is not None and (data / name).exists():
            yield from (_of_file(data / name, each) for each in weights.split())


def _generated(part: str, kind: str, arguments: dict[str, Any], dtype: str, seed: int) -> Case:
    said = " ".join(f"{key}={value}" for key, value in arguments.items())
    weights = {"weights": None} if dtype == "none" else {"dtype": dtype}
    make = partial(getattr(generate, kind), **arguments | weights, seed=seed)
    return Case(f"{kind} {said} {dtype}", part, make)


def _of_file(path: Path, weights: str) -> Case:
    return Case(f"{path.name.split('.')[0]} {weights}", HELD_OUT, partial(_read, path, weights))


def _read(path: Path, weights: str) -> Graph:
    graph = read(path)
    if weights == "none":
        return graph.with_weights(None)
    if weights == "own":
        return graph.with_weights(np.abs(graph.solver_weights))
    low, high = map(int, weights.split(".."))
    drawn = np.random.default_rng(_SEED).integers(low, high + 1, graph.m, np.int32)
    return graph.with_weights(drawn)


_SEED = 20261121
#: Files of graphs, and their weights: "own" (absolute values), drawn from a range, or "none".
_FILES = {
    "USA-road-d.NY.gr.gz": "own 1..255",
    "rome99.gr.xz": "own",
    "usroads.mtx.xz": "1..10000 none",
    "berlin-center_net.tntp.xz": "own",
    "ChicagoSketch_net.tntp.xz": "own",
    "delaunay_n13.mtx.xz": "1..255",
    "delaunay_n15.graph.xz": "1..10000",
    "p2p-Gnutella04.txt.xz": "1..255 none",
    "p2p-Gnutella08.txt.xz": "1..100000",
    "p2p-Gnutella30.txt.xz": "1..255",
    "p2p-Gnutella31.txt.xz": "1..255 none",
    "soc-Epinions1-lwcc.txt.xz": "1..255 none",
    "soc-Slashdot0902.txt.gz": "1..255",
    "brightkite_edges.csv.zip": "1..255",
    "cnr-2000.txt.xz": "1..255 none",
    "liechtenstein-latest.osm.pbf": "own",
}
_ALL = "int32 float32 float64"

#: Kind of graph, its arguments, and the types of its weights ("none" for no weights).
_Table = list[tuple[str, dict[str, Any], str]]
_FIT: _Table = [
    ("road", {"n": 2_000}, "int32"),
    ("road", {"n": 10_000}, f"{_ALL} none"),
    ("road", {"n": 50_000, "degree": 2.2}, "int32 float32"),
    ("road", {"n": 100_000, "degree": 3.0}, "int32 float64"),
    ("road", {"n": 100_000, "weights": (1, 100)}, "int32"),
    ("road", {"n": 300_000}, "int32 none"),
    ("road", {"n": 1_000_000}, "int32 float32"),
    ("grid", {"rows": 60, "columns": 60, "weights": (1, 10)}, "int32 none"),
    ("grid", {"rows": 300, "columns": 300}, "int32 none"),
    (
        "grid",
        {"rows": 300, "columns": 300, "weights": (1, 100_000), "diagonal": True},
        "int32 float32",
    ),
    ("grid", {"rows": 700, "columns": 700, "weights": (70, 140), "drop": 0.2}, "int32"),
    ("grid", {"rows": 20, "columns": 20_000, "weights": (1, 1000)}, "int32"),
    ("delaunay", {"n": 1_000}, "int32"),
    ("delaunay", {"n": 8_000}, f"{_ALL} none"),
    ("delaunay", {"n": 60_000, "weights": (1, 255)}, "int32 none"),
    ("delaunay", {"n": 250_000}, "int32"),
    ("rmat", {"scale": 10, "edge_factor": 8}, "int32"),
    ("rmat", {"scale": 12}, f"{_ALL} none"),
    ("rmat", {"scale": 14, "edge_factor": 4}, "int32"),
    ("rmat", {"scale": 15, "edge_factor": 32, "weights": (1, 10_000)}, "int32 float32"),
    ("rmat", {"scale": 16, "edge_factor": 8, "permute": True}, "int32 none"),
    ("rmat", {"scale": 17, "edge_factor": 16}, "int32 none"),
    ("rmat", {"scale": 18, "edge_factor": 16}, "int32"),
    ("random_in_degree", {"n": 5_000}, "int32"),
    ("random_in_degree", {"n": 40_000, "degree": 3}, "int32"),
    ("random_in_degree", {"n": 130_000}, "int32 float64 none"),
    ("random_in_degree", {"n": 500_000}, "int32"),
    ("uniform", {"n": 1_000, "out_degree": 50}, "int32"),
    ("uniform", {"n": 10_000, "out_degree": 16}, "int32 float32 none"),
    ("uniform", {"n": 100_000, "out_degree": 4, "weights": (1, 100_000)}, "int32"),
    ("uniform", {"n": 200_000}, "int32 none"),
    ("small_world", {"n": 20_000}, "int32"),
    ("small_world", {"n": 100_000, "degree": 6, "rewire": 0.01}, "int32 none"),
    ("small_world", {"n": 300_000, "rewire": 0.001}, "int32"),
    ("dense", {"n": 300}, "int32 float32"),
    ("dense", {"n": 1_000, "density": 0.2}, _ALL),
    ("dense", {"n": 2_000, "density": 0.5}, "int32"),
]
_HELD_OUT: _Table = [
    ("road", {"n": 5_000, "degree": 2.8}, "int32 float32"),
    ("road", {"n": 30_000}, "int32 float64 none"),
    ("road", {"n": 170_000, "degree": 2.3}, "int32"),
    ("road", {"n": 500_000, "degree": 2.7, "weights": (1, 1000)}, "int32"),
    ("grid", {"rows": 150, "columns": 150, "weights": (1, 255)}, "int32 float32"),
    ("grid", {"rows": 200, "columns": 1_000, "diagonal": True, "drop": 0.3}, "int32"),
    ("grid", {"rows": 1_000, "columns": 1_000, "weights": (70, 140), "drop": 0.25}, "int32"),
    ("delaunay", {"n": 3_000}, "int32"),
    ("delaunay", {"n": 30_000, "weights": (1, 50)}, "int32 float32"),
    ("delaunay", {"n": 130_000}, "int32"),
    ("rmat", {"scale": 11, "edge_factor": 24}, "int32 float32"),
    ("rmat", {"scale": 13, "edge_factor": 12, "weights": (1, 50)}, "int32 none"),
    ("rmat", {"scale": 15, "edge_factor": 6, "permute": True}, "int32"),
    ("rmat", {"scale": 16, "edge_factor": 24}, "int32 float64"),
    ("rmat", {"scale": 17, "edge_factor": 6, "directed": True}, "int32"),
    ("kronecker", {"scale": 14}, "float32"),
    ("random_in_degree", {"n": 20_000, "degree": 5}, "int32"),
    ("random_in_degree", {"n": 260_000, "degree": 7}, "int32"),
    ("uniform", {"n": 3_000, "out_degree": 30, "weights": (1, 255)}, "int32"),
    ("uniform", {"n": 60_000, "out_degree": 10}, "int32 float32"),
    ("uniform", {"n": 400_000, "out_degree": 5}, "int32"),
    ("small_world", {"n": 50_000, "degree": 8, "rewire": 0.05}, "int32 none"),
    ("small_world", {"n": 150_000, "degree": 4, "rewire": 0.2}, "int32"),
    ("dense", {"n": 600, "density": 0.3}, "int32 float32"),
    ("dense", {"n": 1_500, "density": 0.1}, "int32"),
    ("complete", {"n": 500}, "int32 float64"),
]
