"""The claims of Davidson et al. 2014, to be judged by measurements."""

from __future__ import annotations

from itertools import pairwise

from warpath_bench.claims import Claim
from warpath_bench.measured import UNKNOWN, Measured, Verdict, compared, judged, rows, text

_BF, _SWEEP, _NEAR_FAR, _BUCKETING, _SORT_ALL, _SPLIT, _HYBRID = _METHODS = [
    f"davidson2014.{name}"
    for name in (
        "bellman_ford",
        "workfront_sweep.merge_path",
        "near_far.merge_path",
        "bucketing.merge_path",
        "bucketing_sort_all.merge_path",
        "bucketing_multisplit.merge_path",
        "hybrid",
    )
]
_MAPS = [
    f"davidson2014.near_far.{name}"
    for name in ("cooperative_blocks", "cta_warp_scan", "merge_path")
]
_HEAP, _RELAXED = "davidson2014.dijkstra_binary_heap", "davidson2014.dijkstra_relaxed_heap"
_SIMILAR = 1.25
_LOW, _HIGH = 4, 64  # mean degrees


def less_work(measured: Measured) -> Verdict:
    """Judge by edges read over Dijkstra's: each method below the one before."""
    found, shown = compared(
        measured, measured.sparse(), _METHODS[:4], "work", "times Dijkstra's edges"
    )
    return judged([all(b < a for a, b in pairwise(values)) for values in found], shown)


def less_work_up_to_near_far(measured: Measured) -> Verdict:
    """Judge by edges read over Dijkstra's: sweep below Bellman-Ford, near-far below sweep."""
    found, shown = compared(
        measured, measured.sparse(), _METHODS[:3], "work", "times Dijkstra's edges"
    )
    return judged([all(b < a for a, b in pairwise(values)) for values in found], shown)


def bucketing_saves_little(measured: Measured) -> Verdict:
    """Judge by bucketing's work: below near-far's, by less than near-far saves over the sweep."""
    found, shown = compared(
        measured, measured.sparse(), [_SWEEP, _NEAR_FAR, _BUCKETING], "work", "times Dijkstra's"
    )
    return judged([b < n and n / b < sweep / n for sweep, n, b in found], shown)


def more_rounds(measured: Measured) -> Verdict:
    """Judge by rounds: each method above the one before."""
    found, shown = compared(measured, measured.sparse(), _METHODS[:4], "rounds", "rounds")
    return judged([all(b >= a for a, b in pairwise(values)) for values in found], shown)


def less_parallelism(measured: Measured) -> Verdict:
    """Judge by vertices a round: each method below the one before."""
    found, shown = compared(
        measured, measured.sparse(), _METHODS[:4], "parallelism", "vertices a round"
    )
    return judged([all(b < a for a, b in pairwise(values)) for values in found], shown)


def near_far_is_faster(measured: Measured) -> Verdict:
    """Judge by the time of near_far below workfront_sweep's."""
    found, shown = compared(measured, measured.sparse(), [_SWEEP, _NEAR_FAR])
    return judged([n < sweep for sweep, n in found], shown)


def both_beat_bellman_ford(measured: Measured) -> Verdict:
    """Judge by the times of workfront_sweep and near_far below bellman_ford's."""
    found, shown = compared(measured, measured.sparse(), [_BF, _SWEEP, _NEAR_FAR])
    factors = ", ".join(f"{bf / sweep:.1f}x and {bf / n:.1f}x" for bf, sweep, n in found)
    return judged([max(sweep, n) < bf for bf, sweep, n in found], [*shown, "", f"{factors}."])


def bucketing_is_slowest(measured: Measured) -> Verdict:
    """Judge by the time of bucketing above workfront_sweep's and near_far's."""
    found, shown = compared(measured, measured.sparse(), [_SWEEP, _NEAR_FAR, _BUCKETING])
    return judged([b > max(sweep, n) for sweep, n, b in found], shown)


def arranging_dominates(measured: Measured) -> Verdict:
    """Judge by the share of arranging and compacting in bucketing's steps: over half."""
    body, steps_of = [], ("relax", "expand", "compact", "arrange")
    for graph in measured.sparse():
        steps = measured.line(graph, _BUCKETING).get("steps")
        if steps:
            total = sum(steps.values())
            body.append([graph, *(steps.get(step, 0) / total for step in steps_of)])
    shown = rows(["graph", *steps_of], body)
    return judged([compact + arrange > 0.5 for *_, compact, arrange in body], shown)


def multisplit_helps(measured: Measured) -> Verdict:
    """Judge by the time of bucketing_multisplit below bucketing_sort_all's."""
    found, shown = compared(measured, measured.sparse(), [_SORT_ALL, _SPLIT, _NEAR_FAR])
    return judged([split < sort for sort, split, _ in found], shown)


def maps_by_degree(measured: Measured) -> Verdict:
    """Judge by the relax step: alike at low degree, cta_warp_scan last between, merge_path first.

    Three tests: up to mean degree 4, all are within a quarter of the fastest; between 4 and 64,
    cta_warp_scan is the slowest; from 64 on, and with a hub, merge_path is the fastest.
    """
    body, answers = [], []
    for graph in measured.graphs("uniform", "hub", study="degree"):
        lines = [measured.line(graph, recipe) for recipe in _MAPS]
        if not all(line.get("steps") and "ms" in line for line in lines):
            continue
        relax = [1e3 * line["steps"]["relax"] for line in lines]
        degree = lines[0]["mean_degree"]
        body.append([graph, degree, *relax, *(line["ms"] for line in lines)])
        if graph.startswith("hub") or degree >= _HIGH:
            answers.append(relax[2] == min(relax))
        elif degree <= _LOW:
            answers.append(max(relax) <= _SIMILAR * min(relax))
        else:
            answers.append(relax[1] == max(relax))
    body.sort(key=lambda row: (row[0].startswith("hub"), row[1]))
    names = [recipe.rpartition(".")[2] for recipe in _MAPS]
    head = ["graph", "degree", *(f"{n}, relax ms" for n in names), *(f"{n}, ms" for n in names)]
    return judged(answers, rows(head, body))


def _sweep_of(measured: Measured, graph: str) -> list[tuple[float, float, float | None, float]]:
    """Return (factor, ms, work, parallelism) of a graph's delta sweep, ascending."""
    found = [
        (line["factor"], line["ms"], line.get("work"), line.get("parallelism", 0))
        for line in measured.lines
        if line["study"] == "delta" and line["graph"] == graph and "ms" in line
    ]
    return sorted(found)


def valley(measured: Measured) -> Verdict:
    """Judge by the least time: not at the ends, and at the default no more than twice that."""
    answers, body = [], []
    for graph in measured.graphs(study="delta"):
        points = _sweep_of(measured, graph)
        if len(points) < 3:
            continue
        least = min(points, key=lambda point: point[1])
        default = next((p for p in points if p[0] == 1), None)
        inside = points[0][0] < least[0] < points[-1][0]
        answers.append(inside and default is not None and default[1] <= 2 * least[1])
        body.append([f"**{graph}**, ms", *(ms for _, ms, _, _ in points)])
        body.append(["work", *(work for _, _, work, _ in points)])
        body.append(["vertices a round", *(parallelism for *_, parallelism in points)])
    factors = [f"2^{power}" for power in range(-6, 7)]
    return judged(answers, rows(["delta / default", *factors], body))


def work_grows_with_delta(measured: Measured) -> Verdict:
    """Judge by work and parallelism at the largest delta, above those at the smallest."""
    answers, body = [], []
    for graph in measured.graphs(study="delta"):
        points = [(work, many) for *_, work, many in _sweep_of(measured, graph) if work]
        if len(points) < 3:
            continue
        (work, many), (most_work, most) = points[0], points[-1]
        answers.append(most_work > work and most > many)
        body.append([graph, work, most_work, many, most])
    head = ["graph", "work, least delta", "largest", "vertices a round, least", "largest"]
    return judged(answers, rows(head, body))


def serial_wins_on_roads(measured: Measured) -> Verdict:
    """Judge by near_far above the binary heap's time on roads, below it elsewhere."""
    roads = set(measured.roads())
    graphs = measured.sparse()
    found, shown = compared(measured, graphs, [_HEAP, _SWEEP, _NEAR_FAR])
    kept = [graph for graph in graphs if measured.values("ms", graph, [_HEAP, _SWEEP, _NEAR_FAR])]
    answers = [
        (heap < near) == (graph in roads)
        for graph, (heap, _, near) in zip(kept, found, strict=True)
    ]
    factors = ", ".join(
        f"{g} {text(heap / n)}x" for g, (heap, _, n) in zip(kept, found, strict=True)
    )
    return judged(answers, [*shown, "", f"Near-far over the heap: {factors}."])


def hybrid_pays(measured: Measured) -> Verdict:
    """Judge by the hybrid's time below both of its halves."""
    found, shown = compared(measured, measured.sparse(), [_SWEEP, _NEAR_FAR, _HYBRID])
    return judged([hybrid < min(sweep, n) for sweep, n, hybrid in found], shown)


def binary_beats_relaxed(measured: Measured) -> Verdict:
    """Judge by the binary heap's time below the relaxed heap's."""
    found, shown = compared(measured, measured.sparse(), [_HEAP, _RELAXED])
    return judged([binary < relaxed for binary, relaxed in found], shown)


def throughput(measured: Measured) -> Verdict:
    """Show MTEPS; no judgement, for it is a number and not a statement."""
    _, shown = compared(measured, measured.sparse(), [_HEAP, *_METHODS[:4]], "mteps", "MTEPS")
    return Verdict("a number" if len(shown) > 2 else UNKNOWN, shown)


_PAPER = "Davidson et al. 2014"

CLAIMS = (
    Claim(_PAPER, "section VI, table III", "Each method does less work than the one before: "
          "Bellman-Ford, sweep, near-far, bucketing.", "9.6x, 260x and 353x less than Bellman-Ford "
          "on average", less_work),
    Claim(_PAPER, "section VI, table III", "The sweep does less work than Bellman-Ford, and "
          "near-far less than the sweep.", "9.6x and 260x less than Bellman-Ford on average",
          less_work_up_to_near_far),
    Claim(_PAPER, "section VI", "Bucketing saves work over near-far, but not much compared with "
          "what near-far saves over the sweep.", "353x against 260x", bucketing_saves_little,
          "The graph: on rmat the sweep's work is only 3.97 times Dijkstra's, so that near-far "
          "saves a factor of 1.1 over it, and bucketing one of 1.13 over near-far. On the other "
          "three graphs near-far saves factors of 2.07 to 36.5, and bucketing of 1.19 to 1.34."),
    Claim(_PAPER, "section VI, table III", "In the same order the methods need more rounds.",
          "1.05x, 1.66x and 2.27x Bellman-Ford's", more_rounds,
          "Chance: the sweep makes 887 rounds on New York and Bellman-Ford 888, likely because "
          "both use a label in the round that lowers it if its thread comes later. In all other "
          "places the order is the paper's, with 1,726 rounds of near-far and 2,346 of bucketing "
          "on New York."),
    Claim(_PAPER, "section VI, table III", "In the same order they offer less parallelism.",
          "87,998, 17,138 and 8,135 vertices a round", less_parallelism),
    Claim(_PAPER, "section IV-C, figure 4", "Near-far is faster than the sweep.",
          "1.3x on rmat, 1.74x on msdoor", near_far_is_faster,
          "The rounds: on New York near-far relaxes 1.5 times Dijkstra's edges, and the sweep "
          "54.9 times, but it makes 1,726 rounds, and the sweep 887. The frontiers of a road do "
          "not fill an H100, so that a round with 73 times fewer vertices takes 9.6 us, and not "
          "much less than the sweep's 15.3: 16.6 against 13.5 ms."),
    Claim(_PAPER, "section V", "Sweep and near-far are faster than Bellman-Ford everywhere.",
          "1.3 to 14x on roads, 3.9 to 19.85x on meshes, 34.7 to 343x on scale-free graphs",
          both_beat_bellman_ford,
          "The machine: an H100 relaxes all edges of New York in a round of 12.8 us, and the "
          "sweep's few in one of 15.3 us, so that the work that is saved saves no time: 11.4 "
          "against 13.5 ms. It does where the edges of a hub wait for one thread of "
          "Bellman-Ford: 102 against 2.02 ms on rmat."),
    Claim(_PAPER, "sections V and VI", "Bucketing is slower than sweep and near-far.", "",
          bucketing_is_slowest,
          "The rounds: Martín's graph has only 30 of bucketing's, so that it is 1 % faster there "
          "than the sweep, 2.37 against 2.41 ms, which reads 2.65 times Dijkstra's edges where "
          "bucketing reads 1.07 times. Near-far is faster on every graph, and on New York "
          "bucketing takes 79.5 ms, by 2,346 rounds of 33.9 us, of which arranging takes 22.6."),
    Claim(_PAPER, "section VII", "Most of bucketing's time goes into arranging, not relaxing.",
          "82 % on average", arranging_dominates),
    Claim(_PAPER, "section VII", "What is missing for bucketing is a fast multisplit in place of "
          "the sort.", "", multisplit_helps),
    Claim(_PAPER, "section IV-B, figure 3", "The traversals are alike at low degree; CTA+Warp+Scan "
          "is poor at middle degrees; load-balanced partitioning is the best at high ones.", "",
          maps_by_degree,
          "The middle: on an H100 CTA+Warp+Scan is the slowest at degree 16, 1.36 against 1.24 "
          "and 1.16 ms, and cooperative blocks from degree 32 on, 1.52 against 1.4 and 0.835 "
          "ms. The other two parts hold: within 13 % of each other up to degree 8, and 0.871 ms "
          "for load-balanced partitioning at degree 256, where the others take over 5 ms."),
    Claim(_PAPER, "section VI, figure 7", "Time over delta has a valley, and the rule 32 w / d "
          "lies in it.", "", valley),
    Claim(_PAPER, "section VI, figure 7", "A larger delta means more work and more parallelism.",
          "", work_grows_with_delta),
    Claim(_PAPER, "section V, figure 5", "On roads a serial Dijkstra is faster than the GPU, "
          "elsewhere slower.", "0.24 to 0.6x on roads, 2 to 29.4x on meshes, 22 to 64x on "
          "scale-free graphs; GTX 680 against an i5-650", serial_wins_on_roads,
          "The machines: on New York an H100 is 2.9 times as fast as one core with a binary "
          "heap, 16.6 against 48 ms, where the paper's GPU reached 0.24 to 0.6 times its CPU. "
          "One kernel makes all 1,726 rounds without the host, at 9.6 us each."),
    Claim(_PAPER, "section VII", "A hybrid that sweeps while the frontier is small would be better "
          "than either.", "proposed, not measured", hybrid_pays,
          "The machine: a frontier is small as long as it has fewer vertices than threads run "
          "at once, 270,336 on an H100, so that the hybrid sweeps nearly always. On New York it "
          "takes 14.1 ms, and the sweep 13.5 ms."),
    Claim(_PAPER, "section V", "A binary heap is faster than Boost's relaxed heap in all cases.",
          "", binary_beats_relaxed),
    Claim(_PAPER, "section V, figure 5", "Throughput, counting the edges that Dijkstra relaxes.",
          "350 MTEPS on rmat with near-far", throughput),
)  # fmt: skip
