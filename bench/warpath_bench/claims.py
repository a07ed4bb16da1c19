"""The claims of Martín et al., of Bodra and Khairnar and of the Johnson paper on one source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from warpath.recipes import CATALOGUE
from warpath_bench.measured import (
    FAILS,
    HOLDS,
    PARTLY,
    UNDECIDABLE,
    UNKNOWN,
    Measured,
    Verdict,
    compared,
    judged,
    rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_NEAR = 0.1  # as fast as: within a tenth


class Claim(NamedTuple):
    """A qualitative statement of a paper.

    Attributes
    ----------
    paper, place : where it is made.
    says : the statement.
    figures : the paper's own numbers.
    judge : decides it from the measurements; the first line of its docstring states the rule.
    why : the reason, for the page, if it does not hold or holds in part: two sentences, with the
        number of a machine that shows it.
    """

    paper: str
    place: str
    says: str
    figures: str
    judge: Callable[[Measured], Verdict]
    why: str = ""


def _martin(*names: str) -> list[str]:
    return [f"martin2009.{name}" for name in names]


def whole_on_gpu(measured: Measured) -> Verdict:
    """Judge by u_gpu_1min, u_gpu_2min and f_gpu_1min against each hybrid."""
    recipes = _martin("u_gpu_1min", "u_gpu_2min", "f_gpu_1min", "u_h1", "u_h2", "u_h3")
    found, shown = compared(measured, measured.graphs("martin"), recipes)
    return judged([max(values[:3]) < min(values[3:]) for values in found], shown)


def two_minima(measured: Measured) -> Verdict:
    """Judge by u_gpu_2min within a tenth of u_gpu_1min."""
    recipes = _martin("u_gpu_1min", "u_gpu_2min")
    found, shown = compared(measured, measured.graphs("martin"), recipes)
    return judged([abs(two / one - 1) <= _NEAR for one, two in found], shown)


def shared_memory(measured: Measured) -> Verdict:
    """Judge by u_gpu_plus_1min below u_gpu_1min."""
    recipes = _martin("u_gpu_1min", "u_gpu_plus_1min")
    found, shown = compared(measured, measured.graphs("martin"), recipes)
    return judged([plus < plain for plain, plus in found], shown)


def frontier_on_lists(measured: Measured) -> Verdict:
    """Judge by f_gpu_1min below u_gpu_1min."""
    recipes = _martin("f_gpu_1min", "u_gpu_1min")
    found, shown = compared(measured, measured.graphs("martin"), recipes)
    return judged([f < u for f, u in found], shown)


def atomics_are_free(measured: Measured) -> Verdict:
    """Judge by f_gpu_1min within a tenth of f_gpu_no_atomic_1min."""
    recipes = _martin("f_gpu_1min", "f_gpu_no_atomic_1min")
    graphs = measured.graphs("martin")
    found, shown = compared(measured, graphs, recipes)
    wrong = [measured.line(graph, recipes[1]).get("wrong") for graph in graphs]
    counted = ", ".join(f"{n:,}" for n in wrong if n is not None)
    shown = [*shown, "", f"Labels that came out wrong without atomics: {counted or 'unknown'}."]
    return judged([abs(plain / atomic - 1) <= _NEAR for atomic, plain in found], shown)


def few_rounds(measured: Measured) -> Verdict:
    """Judge by the rounds of f_gpu_1min on the largest graph: at most 60."""
    found, shown = compared(
        measured, measured.graphs("martin"), _martin("f_gpu_1min"), "rounds", "rounds"
    )
    return judged([values[0] <= 60 for values in found[-1:]], shown)


def unsettled_on_matrices(measured: Measured) -> Verdict:
    """Judge by u_gpu_1min.dense below f_gpu_1min.dense."""
    recipes = _martin("f_gpu_1min.dense", "u_gpu_1min.dense")
    found, shown = compared(measured, measured.graphs("dense"), recipes)
    return judged([u < f for f, u in found], shown)


def atomics_cost_on_matrices(measured: Measured) -> Verdict:
    """Judge by f_gpu_no_atomic_1min.dense below f_gpu_1min.dense, usually: on most graphs."""
    recipes = _martin("f_gpu_1min.dense", "f_gpu_no_atomic_1min.dense")
    found, shown = compared(measured, measured.graphs("dense"), recipes)
    faster = sum(plain < atomic for atomic, plain in found)
    return judged([2 * faster > len(found)] if found else [], shown)


def beats_the_heap(measured: Measured) -> Verdict:
    """Judge by f_gpu_1min, u_gpu_plus_1min, f_cpu and u_gpu_1min.dense, all below fh."""
    gpu = _martin("fh", "f_gpu_1min", "u_gpu_plus_1min", "f_cpu")
    lists, shown = compared(measured, measured.graphs("martin"), gpu)
    matrices, more = compared(measured, measured.graphs("dense"), _martin("fh", "u_gpu_1min.dense"))
    answers = [fh > max(others) for fh, *others in [*lists, *matrices]]
    factors = [
        *(f"f_gpu_1min {fh / f:.1f}x, u_gpu_plus_1min {fh / u:.1f}x" for fh, f, u, _ in lists[-1:]),
        *(f"u_gpu_1min.dense {fh / u:.1f}x" for fh, u in matrices[-1:]),
    ]
    return judged(answers, [*shown, "", *more, "", f"On the largest: {', '.join(factors)}."])


def lost_minima(measured: Measured) -> Verdict:
    """Judge by the labels of vertex n - 1 in the runs of each GPU: wrong ones, and several.

    Recipes with an atomic minimum are shown beside those without one.
    """
    body, answers = [], []
    for record in measured.records:
        for recipe, labels in sorted(record.get("labels_of_the_counterexample", {}).items()):
            counts = {int(label): count for label, count in labels.items()}
            spread = ", ".join(f"{label}: {counts[label]}" for label in sorted(counts)[:6])
            body.append([record["gpu"], recipe, sum(counts.values()), len(counts), spread])
            if not CATALOGUE[recipe].exact:
                answers.append(len(counts) > 1 and max(counts) > 2)
    head = ["GPU", "recipe", "runs", "different labels", "label: how often, the lowest"]
    return judged(answers, rows(head, body))


def flag_pays(measured: Measured) -> Verdict:
    """Judge by bf_strided_flag below bf_vertex."""
    recipes = ["bodra2025.bf_vertex", "bodra2025.bf_strided_flag"]
    found, shown = compared(measured, [*measured.graphs("grid"), *_files(measured)], recipes)
    factors = ", ".join(f"{vertex / flag:.1f}x" for vertex, flag in found)
    return judged([flag < vertex for vertex, flag in found], [*shown, "", f"Factors: {factors}."])


def stride_pays_late(measured: Measured) -> Verdict:
    """Judge by nothing: bf_vertex strides too. Their times are shown."""
    recipes = ["bodra2025.bf_vertex", "bodra2025.bf_strided"]
    found, shown = compared(measured, measured.graphs("grid"), recipes)
    return Verdict(UNDECIDABLE if found else UNKNOWN, shown)


def _files(measured: Measured) -> list[str]:
    return [g for g in measured.roads() if g.split()[0] != "grid"]


_JOHNSON = [f"johnson_gpu.dijkstra_{kind}" for kind in ("flags", "queue", "prefix")]


def queue_beats_flags(measured: Measured) -> Verdict:
    """Judge by dijkstra_queue below dijkstra_flags."""
    graphs = [*measured.graphs("uniform", study="queues"), *measured.sparse()]
    found, shown = compared(measured, graphs, _JOHNSON)
    return judged([queue < flags for flags, queue, _ in found], shown)


def prefix_is_slowest(measured: Measured) -> Verdict:
    """Judge by dijkstra_prefix above the other two on graphs of the paper's sizes."""
    graphs = measured.graphs("uniform", study="queues")
    found, shown = compared(measured, graphs, _JOHNSON)
    return judged([prefix > max(flags, queue) for flags, queue, prefix in found], shown)


def difference_shrinks(measured: Measured) -> Verdict:
    """Judge by flags over queue: nearer to 1 on the largest graph than on the smallest."""
    graphs = measured.graphs("uniform", study="queues")
    found, _ = compared(measured, graphs, _JOHNSON)
    ratios = [flags / queue for flags, queue, _ in found]
    shown = rows(["flags / queue", *graphs[: len(ratios)]], [["", *ratios]])
    if len(ratios) < 2:
        return Verdict(UNKNOWN, shown)
    first, last = abs(ratios[0] - 1), abs(ratios[-1] - 1)
    return Verdict(HOLDS if last < first else PARTLY if last == first else FAILS, shown)


_MARTIN, _BODRA, _PAPER = "Martín et al. 2009", "Bodra, Khairnar 2025", "JohnsonAlgoCUDA"
_FIGURE_1 = "section Results and Analysis, figure 1"

CLAIMS = (
    Claim(_MARTIN, "section 6, figure 6", "On lists, running whole on the GPU is faster than any "
          "hybrid, for the arrays that travel.", "", whole_on_gpu),
    Claim(_MARTIN, "section 6, figure 6", "A second minimum pass makes no difference: the curves "
          "overlap.", "n = 2^20 to 11 * 2^20", two_minima,
          "The size: the second kernel is one more step in each of the 33 rounds at 262,144 "
          "vertices, where rounds are short, and on an H100 it costs 11 %, 3.66 against 3.31 ms. "
          "At 4,194,304 vertices, a size of the paper, the two differ by 3 %, 11.9 against 12.2 "
          "ms."),
    Claim(_MARTIN, "section 6, figure 6", "Shared memory for the offsets and a cache for the flags "
          "make U slightly faster.", "near 10x over FH", shared_memory,
          "An H100 likely caches offsets and flags in both variants, "
          "which a GTX 280 did not. U+ is 3 % slower than U at 262,144 vertices, 3.43 "
          "against 3.31 ms, and 4 % slower at 4,194,304, 12.6 against 12.2 ms."),
    Claim(_MARTIN, "section 6, figure 6", "On lists, F is quite faster than U.",
          "around 60x over FH for F, near 10x for U at best", frontier_on_lists,
          "The size: at 262,144 vertices most of the time are the steps that the host starts, as "
          "one kernel makes the same 33 rounds of U in 0.782 ms and those of F in 0.882 ms, and "
          "with them F takes 3.48 ms, and U 3.31. At 4,194,304 vertices F is 1.6 times as fast on "
          "an H100, 7.41 against 12.2 ms."),
    Claim(_MARTIN, "section 6, figure 6", "On lists, atomics cost nothing: simultaneous accesses "
          "to a label are rare at degree 7.", "", atomics_are_free,
          "The plain minimum: it saves 7 % at 262,144 vertices, 3.25 against 3.48 ms, and costs "
          "12 % at 4,194,304, 8.33 against 7.41 ms, so that an H100 loses nothing by atomics "
          "there either. It is likely slower as a thread waits for the label that it reads, and "
          "for an atomic minimum it need not wait."),
    Claim(_MARTIN, "section 6", "Few rounds are enough, for few distances differ.",
          "around 45 for the largest lists", few_rounds),
    Claim(_MARTIN, "section 6, figure 7", "On matrices, U is faster than F.",
          "U 32x over FH, GTX 280", unsettled_on_matrices,
          "The size: on an H100 U wins at 2,048 and 4,096 vertices, 0.85 against 1.76 ms and 2.29 "
          "against 2.37, and loses at 8,192, 5.13 against 4.1 ms, where the matrix takes 256 MiB, "
          "five times the L2 cache. It loses at 1,024 as well, 1.27 against 1 ms, likely by the "
          "steps that the host starts, for in one kernel U takes 0.52 ms there, and F 0.896."),
    Claim(_MARTIN, "section 6, figure 7", "On matrices, F without atomics is usually faster than "
          "F.", "", atomics_cost_on_matrices,
          "The lost minima: labels that come out too large make more rounds, 8 in place of 5 at "
          "1,024 vertices and 6 in place of 4 at 8,192. On an H100 F without atomics is 35 to 79 "
          "% slower, 5.75 against 4.1 ms on the largest matrix."),
    Claim(_MARTIN, "section 6, figures 6 and 7", "The GPU versions, and F on the CPU, beat "
          "Dijkstra with a Fibonacci heap.", "60x (F, lists), near 10x (U+), 32x (U, matrices); "
          "GTX 280 against a Core 2 Quad Q6600", beats_the_heap,
          "The size: on the matrix of 1,024 vertices the heap takes 0.937 ms, less than five "
          "rounds whose steps the host starts, 1.27 ms on an H100. On all other graphs the heap "
          "is slower, 3 times on the matrix of 2,048 vertices and 693 times on the largest "
          "lists."),
    Claim(_MARTIN, "section 4.3, figure 5", "Without an atomic minimum the label of n - 1 is wrong "
          "and varies from run to run.", "right is 2; n = 1024", lost_minima,
          "Chance: the label is wrong in every run without an atomic minimum, but 17 is so "
          "frequent, in 185 to 200 of 200 runs on lists, that the sweep of Harish and Narayanan "
          "has no other on an H100, and 9 different ones on an H200. Likely the same thread writes "
          "last nearly always; F without atomics varies, with 2 to 16 different labels."),
    Claim(_BODRA, _FIGURE_1, "With a flag for each vertex the strided version is "
          "faster than a thread for each vertex.", "about 2.8x; Eastern USA in 409 s on an RTX "
          "2080 Ti, by n - 1 rounds", flag_pays,
          "The size: a flag saves the edges of vertices that did not improve, which counts "
          "where edges take longer than the fixed part of a round. On an H100 it gains 1.8 "
          "times on the largest grid, 141 against 254 ms, and nothing on the smallest, 0.551 "
          "against 0.537 ms."),
    Claim(_BODRA, _FIGURE_1, "Striding is slower on small graphs and pays on "
          "large ones.", "", stride_pays_late,
          "One launch makes all rounds, with as many threads as run at once, so that the "
          "threads of bf_vertex have several vertices of a large graph as well and both "
          "versions do the same. On an H100 they differ by 1 to 6 % up to 1,000 x 1,000, and at "
          "2,000 x 2,000 striding is 14 % slower, 290 against 254 ms."),
    Claim(_PAPER, "section 6, figure 4", "A queue filled by atomics beats flags on every graph: "
          "divergence costs more than atomics.", "more than 4.5x over the CPU at best, GTX 960",
          queue_beats_flags,
          "The size: flags make every round read n flags, and a queue makes every entry an "
          "atomic operation. On an H100 the flags win while reading them takes less than the "
          "rest of a round, by 10 % at 4,096 vertices, 1.36 against 1.51 ms, and on uniform "
          "graphs the queue from a million vertices on, by 25 % at four million, 54.9 against "
          "73.7 ms."),
    Claim(_PAPER, "section 6, figure 4", "At these sizes the prefix sum is slower than both.",
          "6,301 to 265,214 vertices", prefix_is_slowest),
    Claim(_PAPER, "section 7", "The difference between queue and flags gets smaller as graphs "
          "grow.", "", difference_shrinks,
          "The graphs: the paper's end at 265,214 vertices, and up to there the ratio of flags "
          "to queue has no direction, 0.83 to 0.93 on an H100. On larger ones the queue wins, 1.34 "
          "at four million vertices, because flags make every round read all vertices."),
)  # fmt: skip
