"""The claims of Bodra and Khairnar and of the Johnson paper on all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpath_bench.all_pairs import STUDY
from warpath_bench.claims import Claim
from warpath_bench.measured import compared, judged, rows

if TYPE_CHECKING:
    from warpath_bench.measured import Measured, Verdict


def _bodra(*names: str) -> list[str]:
    return [f"bodra2025.{name}" for name in names]


_FLOYD = _bodra("fw_vertex", "fw_edge", "fw_edge_shared", "fw_tiled", "fw_tiled_shared")
_JOHNSON = [f"johnson_gpu.johnson_{kind}" for kind in ("flags", "queue", "prefix")]
_SPARSE_DEGREE = 16  # mean degree; the study's graphs have 4 or some hundreds
_MANY_EDGES = 150_000
_SHOWN = ("graph", "ms")


def _graphs(measured: Measured) -> list[str]:
    return measured.graphs(study=STUDY)


def _sparse(measured: Measured) -> list[str]:
    degrees = {line["graph"]: line["m"] / max(line["n"], 1) for line in measured.lines}
    return [graph for graph in _graphs(measured) if degrees[graph] < _SPARSE_DEGREE]


def shared_tiles_are_fastest(measured: Measured) -> Verdict:
    """Judge by fw_tiled_shared below each of the other four."""
    found, shown = compared(measured, _graphs(measured), _FLOYD)
    return judged([values[-1] < min(values[:-1]) for values in found], shown)


def tiles_beat_the_untiled(measured: Measured) -> Verdict:
    """Judge by fw_tiled below the three that are not tiled."""
    found, shown = compared(measured, _graphs(measured), _FLOYD[:4])
    return judged([values[-1] < min(values[:-1]) for values in found], shown)


def shared_tiles_are_twice_as_fast(measured: Measured) -> Verdict:
    """Judge by fw_tiled at least 1.5 times fw_tiled_shared."""
    found, shown = compared(measured, _graphs(measured), _FLOYD[3:])
    return judged([plain / shared >= 1.5 for plain, shared in found], shown)


def a_shared_label_helps(measured: Measured) -> Verdict:
    """Judge by fw_edge_shared below fw_edge."""
    found, shown = compared(measured, _graphs(measured), _FLOYD[1:3])
    return judged([shared < plain for plain, shared in found], shown)


def entries_beat_rows(measured: Measured) -> Verdict:
    """Judge by fw_edge below fw_vertex."""
    found, shown = compared(measured, _graphs(measured), _FLOYD[:2])
    return judged([entry < row for row, entry in found], shown)


def floyd_beats_a_thread_a_source(measured: Measured) -> Verdict:
    """Judge by fw_tiled_shared below apsp_dijkstra, on sparse graphs and on dense ones."""
    recipes = _bodra("apsp_dijkstra", "fw_tiled_shared")
    found, shown = compared(measured, _graphs(measured), recipes)
    return judged([floyd < dijkstra for dijkstra, floyd in found], shown)


def a_thread_a_source_beats_the_cpu(measured: Measured) -> Verdict:
    """Judge by apsp_dijkstra below classic.dijkstra, whose factor the table shows."""
    recipes = ["classic.dijkstra", *_bodra("apsp_dijkstra")]
    found, shown = compared(measured, _graphs(measured), recipes)
    factors = ", ".join(f"{cpu / gpu:.2g}x" for cpu, gpu in found)
    return judged([gpu < cpu for cpu, gpu in found], [*shown, "", f"Factors: {factors}."])


def largest_beats_smallest(measured: Measured) -> Verdict:
    """Judge by each GPU version on the largest graph, below its CPU version on the smallest."""
    answers, body = [], []
    for recipe in (*_FLOYD, *_bodra("apsp_dijkstra")):
        serial = "classic.floyd_warshall" if recipe in _FLOYD else "classic.dijkstra"
        gpu, cpu = (
            [line for graph in _graphs(measured) if "ms" in (line := measured.line(graph, name))]
            for name in (recipe, serial)
        )
        if gpu and cpu and gpu[-1]["graph"] != cpu[0]["graph"]:
            largest, smallest = gpu[-1], cpu[0]
            answers.append(largest["ms"] < smallest["ms"])
            body.append([recipe, *(one[key] for one in (largest, smallest) for key in _SHOWN)])
    head = ["recipe", "largest graph", "GPU, ms", "smallest graph", "CPU, ms"]
    return judged(answers, rows(head, body))


def queue_beats_flags(measured: Measured) -> Verdict:
    """Judge by johnson_queue below johnson_flags."""
    found, shown = compared(measured, _graphs(measured), _JOHNSON)
    return judged([queue < flags for flags, queue, _ in found], shown)


def prefix_is_slowest(measured: Measured) -> Verdict:
    """Judge by johnson_prefix above the other two."""
    found, shown = compared(measured, _graphs(measured), _JOHNSON)
    return judged([prefix > max(flags, queue) for flags, queue, prefix in found], shown)


def johnson_beats_floyd_on_sparse(measured: Measured) -> Verdict:
    """Judge by johnson_queue below fw_tiled_shared where vertices have less than 16 edges."""
    recipes = ["bodra2025.fw_tiled_shared", "johnson_gpu.johnson_queue"]
    found, shown = compared(measured, _sparse(measured), recipes)
    return judged([johnson < floyd for floyd, johnson in found], shown)


def large_graphs_pay(measured: Measured) -> Verdict:
    """Judge by johnson_queue below classic.johnson from 150,000 edges on, and not before."""
    recipes = ["classic.johnson", "johnson_gpu.johnson_queue"]
    graphs = [g for g in _graphs(measured) if measured.times(g, recipes)]
    found, shown = compared(measured, graphs, recipes)
    edges = {line["graph"]: line["m"] for line in measured.lines}
    large = [edges[graph] >= _MANY_EDGES for graph in graphs]
    return judged(
        [(gpu < cpu) == many for (cpu, gpu), many in zip(found, large, strict=True)], shown
    )


_BODRA, _PAPER = "Bodra, Khairnar 2025", "JohnsonAlgoCUDA"
_FIGURE_2 = "section Results and Analysis, figure 2"

CLAIMS = (
    Claim(_BODRA, _FIGURE_2, "Tiles in shared memory are the fastest Floyd-Warshall.",
          "about 8x over the baseline; p2p-Gnutella04 in 2.38 s on an RTX 2080 Ti",
          shared_tiles_are_fastest),
    Claim(_BODRA, _FIGURE_2, "Tiles in global memory are faster than all that is not tiled.",
          "4 to 6 times a thread for each vertex", tiles_beat_the_untiled),
    Claim(_BODRA, _FIGURE_2, "Shared memory makes the tiles about twice as fast.", "about 2x",
          shared_tiles_are_twice_as_fast),
    Claim(_BODRA, _FIGURE_2, "A shared label makes a thread for each entry somewhat faster.", "",
          a_shared_label_helps,
          "The machine: all threads of a block read the label of their row at once, which a "
          "cache serves as fast as shared memory, and without the barrier. On an H100 the "
          "shared label is 29 % slower, 4,976 against 3,852 ms."),
    Claim(_BODRA, _FIGURE_2, "A thread for each entry is faster than a thread for each row.",
          "over 30 s for a thread for each row, p2p-Gnutella04", entries_beat_rows),
    Claim(_BODRA, "section Results and Analysis, the table and figure 2",
          "Floyd-Warshall gains more from the GPU than a Dijkstra in each thread.",
          "p2p-Gnutella04: 119.9 s by Dijkstra, 2.38 s by tiles", floyd_beats_a_thread_a_source),
    Claim(_BODRA, "section Results and Analysis, the table", "A Dijkstra in each thread of a GPU "
          "is faster than a serial one.", "p2p-Gnutella04: 24 min on a CPU, 119.9 s",
          a_thread_a_source_beats_the_cpu),
    Claim(_BODRA, "section Results and Analysis", "Every GPU version on the largest graph is "
          "faster than the serial one on the smallest.", "", largest_beats_smallest),
    Claim(_PAPER, "section 6, figure 3", "The GPU pays from about 150,000 edges on.", "",
          large_graphs_pay),
    Claim(_PAPER, "section 6, figure 4", "From all sources too, the queue beats flags.",
          "more than 4.5x over the CPU at best, GTX 960", queue_beats_flags,
          "The size: on an H100 the queue is 6 to 26 % faster on three of the four graphs and "
          "10 % slower on the dense one of 1,024 vertices, 547 against 496 ms. From one source, "
          "too, flags win by 7 to 17 % on most graphs of up to 264,346 vertices, as reading so "
          "few flags takes less time than the atomic operations of a queue."),
    Claim(_PAPER, "section 6, figure 4", "From all sources too, the prefix sum is the slowest.",
          "", prefix_is_slowest,
          "The density: a round on a dense graph relaxes many edges for each vertex that it "
          "lists, so that the prefix sum is a small part of it. On an H100 it is 6 to 11 % "
          "faster than flags on the dense graphs of 512 and 2,048 vertices, 1,625 against 1,823 "
          "ms, and 26 % slower on the sparse one, 21,039 against 16,701 ms."),
    Claim(_PAPER, "section 7", "Where a graph is sparse Johnson can beat Floyd-Warshall.",
          "expected, not measured", johnson_beats_floyd_on_sparse,
          "The algorithm: sources follow one another, and the rounds of one source do not fill "
          "the GPU, while `warpath.johnson` searches from many sources at the same time. On an "
          "H100 each of the 10,876 sources takes 1.4 ms, and Floyd-Warshall 0.04 ms for each, "
          "479 ms in all."),
)  # fmt: skip
