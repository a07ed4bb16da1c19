"""Apply batches of changes by dynG, for ``warpath bench dynamic --dyng PYTHON``.

python dyng_program.py GRAPH.npz SOURCE: reads lines on stdin, each the path of a batch (.npz with
sources, targets and weights), applies it, writes the distances to GRAPH.npz.npy, and answers with
the seconds of the update. It has no imports of warpath, so that any Python that has dynG runs it.
"""

import sys
import time

import dyng  # type: ignore[import-not-found]
import numpy as np


def main(path: str, source: str) -> None:
    """Answer one line after another."""
    given = np.load(path)
    edges = given["src"], given["dst"], given["weights"]
    graph = dyng.Graph.from_edges(*edges, num_vertices=int(given["n"]))
    tree = dyng.sssp.compute(graph, source=int(source))
    print("ready", flush=True)  # noqa: T201 - the protocol
    for line in sys.stdin:
        batch = np.load(line.strip())
        edges = batch["sources"], batch["targets"], batch["weights"]
        start = time.perf_counter()
        dyng.sssp.update(graph, dyng.EdgeBatch(insert=edges), tree)
        seconds = time.perf_counter() - start
        np.save(f"{path}.npy", np.asarray(tree.distances))
        print(seconds, flush=True)  # noqa: T201 - the protocol


if __name__ == "__main__":
    main(*sys.argv[1:])
