"""info, plan and verify: inspect a graph, a plan or a saved result."""
# Annotations are read at run time: no postponed evaluation.

import dataclasses
import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from warpath.base import units
from warpath.base.errors import InputError, VerificationError
from warpath.cli import output
from warpath.cli.options import CUTOFF, Reading, Snapping, VertexSolving, argument, flag, option
from warpath.cli.output import NamedValues, Report
from warpath.cli.reading import Loaded, load
from warpath.cli.reporting import UsageError, busy, in_words_of_the_command
from warpath.cli.vertices import one_id, trips
from warpath.graph import Graph
from warpath.graph.arguments import one_index
from warpath.graph.export import first_vertices
from warpath.graph.facts import negative_weights
from warpath.graph.labels import named_as_in_file, one_label
from warpath.graph.places import places_to_vertices
from warpath.results.certificate import Certificate
from warpath.results.certificate import verify as certify
from warpath.results.files import load_result, load_vectors


def info(options: Reading) -> None:
    """Show the contents of a graph file: sizes, degrees, weights, ids, coordinates.

    Example: [cyan]warpath info roads.gr.gz[/]
    """
    loaded = load(options, prepared=False)
    roads = loaded.graph
    with busy("inspecting the edges", options):
        facts = roads.facts()
        counts = {"weak": roads.components().counts, "strong": roads.components(strong=True).counts}
    report = Report("info", options, graph=str(options.graph), **dataclasses.asdict(facts))
    ends = [one_id(roads, at) if roads.n else None for at in (0, roads.n - 1)]
    arrays = (roads.indptr, roads.indices, roads.weights)
    report.document |= {"first_id": ends[0], "last_id": ends[1]}
    report.document |= {"first_through": roads.first_through, "read_report": roads.read_report}
    directed = "directed" if roads.directed else "undirected, stored both ways"
    report.facts |= {"graph": options.graph.name, "vertices": roads.n}
    report.add("edges", facts.edges, "edges", f"{output.count(facts.edges)} {directed}")
    most = output.count(facts.max_degree)
    report.facts["degree"] = f"{facts.min_degree} to {most}, mean {facts.mean_degree:.3g}"
    report.facts["self-loops"] = facts.loops
    report.facts["weights"] = _weights(facts)
    report.facts["symmetric"] = facts.symmetric
    report.add("ids", names := _ids(roads), "ids", f"{names}, {ends[0]} .. {ends[1]}")
    report.add("coordinates", *_extent(roads))
    sizes = {name: (len(each), int(each.max(initial=0))) for name, each in counts.items()}
    components = {name: {"count": k, "largest": most} for name, (k, most) in sizes.items()}
    weak, strong = (_largest(each, roads.n) for each in counts.values())
    report.add("components", components, "components", f"{weak}; strongly connected: {strong}")
    if facts.negative:
        report.facts["negative weights"] = negative_weights(named_as_in_file(roads))
    if facts.zero:
        report.facts["zero weights"] = facts.zero
    if roads.first_through:
        where = ", in areas" if roads.areas else ""
        report.facts["not passed through"] = first_vertices(roads.first_through) + where
    report.document["turns"] = None if roads.turns is None else str(roads.turns)
    if roads.turns is not None:
        report.facts["turns"] = str(roads.turns)
    size = sum(array.nbytes for array in arrays if array is not None)
    report.add("bytes", size, "memory", units.size(size))
    report.add_seconds(loaded.seconds)
    if roads.read_report:
        words = in_words_of_the_command
        entries = roads.read_report.items()
        lines = {words(k): words(v) if isinstance(v, str) else v for k, v in entries}
        report.parts.append(NamedValues(lines, "report of the reader"))
    report.show()


def plan(
    *,
    options: VertexSolving,
    source: str | None = option("Plan sssp from this id.", "--source", "-s"),
    sources: str | None = option("Plan distances: 1,5,9 or a file."),
    targets: str | None = option("The targets of --sources."),
    all_pairs: bool = flag("Plan apsp.", "--apsp"),
    start: str | None = option("Plan path from this id, with --to.", "--from"),
    end: str | None = option("The target of --from.", "--to"),
    pairs: Path | None = option("Plan pairs of the trips in this file, as [bold]pairs[/] has it."),
    cutoff: float | None = CUTOFF,
) -> None:
    """Show the plan for a solve: algorithm, reason, predicted time and memory.

    Nothing is solved. By default the plan is for sssp from the first vertex.

    Example: [cyan]warpath plan roads.gr.gz --from 1 --to 1000[/]
    """
    asked: dict[str, Any] = {"--source": source, "--sources": sources, "--apsp": all_pairs}
    asked |= {"--from": start, "--pairs": pairs}
    tasks = [name for name, value in asked.items() if value]
    if len(tasks) > 1:
        raise UsageError(f"{' and '.join(tasks)} cannot be combined: use one of them.")
    task = tasks[0] if tasks else None
    if (start is None) != (end is None):
        raise UsageError("--from and --to must be given together.")
    if targets is not None and sources is None:
        raise UsageError("--targets needs --sources.")
    if cutoff is not None and task not in {None, "--source", "--sources"}:
        raise UsageError(f"--cutoff has no effect on {task}: leave it out.")
    loaded = load(options, [source, start, end, sources, targets, pairs])
    question = _question(loaded, task, asked, end=end, targets=targets)
    chosen = loaded.solver().plan(**question, cutoff=cutoff)
    report = Report("plan", options, graph=str(options.graph))
    report.document |= chosen.to_dict()
    report.parts.append(str(chosen))
    report.show()


def _question(
    loaded: Loaded, task: str | None, asked: dict[str, Any], *, end: str | None, targets: str | None
) -> dict[str, Any]:
    """Return the arguments of `Solver.plan`.

    Parameters
    ----------
    task : the option that asks for a plan; None asks about sssp from the first vertex.
    asked : the values of these options.
    """
    one, several = partial(loaded.vertex, along=False), partial(loaded.listed, along=False)
    if task == "--apsp":
        return {}
    if task is None:
        if not loaded.graph.n:
            file = loaded.options.graph
            raise InputError(f"{file} has no vertices, so there is nothing to plan.")
        return {"source": loaded.graph.label_of(np.array([0]))[0]}
    given = asked[task]
    if task == "--pairs":
        origins, destinations, _ = trips(loaded.graph, given, loaded.options, along=False)
        return {"origins": origins, "destinations": destinations}
    if task == "--sources":
        columns = {} if targets is None else {"targets": several(targets)}
        return {"sources": several(given), **columns}
    return {"source": one(given)} | ({} if end is None else {"target": one(end)})


def verify(
    *,
    options: Snapping,
    result: Path = argument(
        "A file saved by sssp, distances or apsp: .npz, .parquet, .csv, .tsv, or .npy or .zarr of "
        "all pairs. Or, with --source, distances that another program computed: .npy, .npz with "
        "dist and pred, or .csv, .tsv or .parquet with a column of distances.",
        metavar="RESULT",
    ),
    source: str | None = option(
        "The id of the source. Needed for distances of another program.", "--source", "-s"
    ),
    pred: Path | None = option(
        "A .npy file with the predecessors of another program: indices from 0, -1 for none."
    ),
    tree: str = option(
        "'canonical', or 'any': also a tree of shortest paths with other ties.", default="canonical"
    ),
    unreachable: float | None = option(
        "The distance of unreached vertices in the file of another program, besides inf and the "
        "largest value of its type."
    ),
) -> None:
    """Check a saved result against its graph, without trusting the program that wrote it.

    No edge may shorten a distance, and every finite distance must be the sum of a path over tight
    edges: O(n + m) for each source. If a rule is broken, the exit code is 1 and a message names it.

    Example: [cyan]warpath verify roads.gr.gz tree.npz[/]
    """
    loaded = load(options, [source], prepared=False)
    roads = loaded.graph
    vectors = load_vectors(roads, result)
    saved = load_result(roads, result) if vectors is None else None
    if vectors is None and (pred is not None or unreachable is not None):
        raise UsageError(f"--pred and --unreachable have no effect: warpath saved {result}.")
    if vectors is not None and source is None:
        raise UsageError(f"{result} has distances from one source: give its id with --source.")
    if source is not None:
        named = places_to_vertices(roads, loaded.vertex(source), "source")
        wanted = one_index(roads, named, "source")
        starts = np.atleast_1d(getattr(saved, "source_index", getattr(saved, "source_indices", -1)))
        if vectors is None and wanted not in starts.tolist():
            first = one_id(roads, int(starts[0]))
            raise InputError(f"{result}: the result starts at vertex {first}, not at {source}.")

    def check(graph: Graph) -> Certificate:
        if vectors is None:
            own = saved if graph is roads else load_result(graph, result)
            return certify(graph, own, tree=tree)
        dist, before = vectors
        if pred is not None:
            before = _vector(graph, pred)
        start = one_label(graph, wanted)
        return certify(graph, dist, start, before, tree=tree, unreachable=unreachable)

    try:
        with busy("verifying", options), loaded.timed("verify"):
            certificate = check(roads)
    except VerificationError:
        if not roads.id_base or roads.labels is not None:
            raise
        check(named_as_in_file(roads))  # again, for a message with the ids of the file
        raise
    report = Report("verify", options, graph=str(options.graph), result=str(result), verified=True)
    report.document |= {**dataclasses.asdict(certificate), "seconds": loaded.seconds}
    report.parts.append(str(certificate))
    report.show()


def _vector(graph: Graph, path: Path) -> Any:
    """Return the array of a .npy file."""
    vectors = load_vectors(graph, path) if path.suffix == ".npy" else None
    if vectors is None:
        raise UsageError(f"--pred {path} must be a .npy file with one integer for each vertex.")
    return vectors[0]


def _ids(graph: Graph) -> str:
    if graph.labels is None:
        return f"numbered from {graph.id_base}"
    return "numbers with gaps" if graph.labels.dtype.kind in "iu" else "names"


def _weights(facts: Any) -> str:
    if not facts.weighted:
        return "none, every edge counts 1"
    range_ = facts.min_weight, facts.max_weight
    ends = " to ".join(output.text_of(v, thousands=output.on_terminal()) for v in range_)
    return f"{facts.weight_dtype}, {ends}, mean {facts.mean_weight:.6g}"


def _extent(graph: Graph) -> tuple[dict[str, float] | None, str, str]:
    """Return the extent of the coordinates, the label of its line, and the line."""
    known = graph.coordinates
    if known is None or not np.isfinite(known).all(axis=1).any():
        return None, "coordinates", "none"
    (x, y), (right, top) = np.nanmin(known, axis=0).tolist(), np.nanmax(known, axis=0).tolist()
    line = f"x {x:.7g} .. {right:.7g}, y {y:.7g} .. {top:.7g}"
    return {"min_x": x, "min_y": y, "max_x": right, "max_y": top}, "coordinates", line


def _largest(counts: Any, n: int) -> str:
    if len(counts) <= 1:
        return output.count(len(counts))
    largest = int(counts[0])
    # Rounded down: a largest component that lacks a vertex is not 100 %.
    share = math.floor(1000 * largest / n) / 10
    number, size, total = map(output.count, (len(counts), largest, n))
    return f"{number}, the largest with {size} of {total} vertices ({share} %)"
