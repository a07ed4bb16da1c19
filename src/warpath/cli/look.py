"""info, plan and verify: inspect a graph, a plan or a saved result."""
# Annotations are read at run time: no postponed evaluation.

import dataclasses
import math
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from warpath.base import units
from warpath.base.errors import InputError, VerificationError
from warpath.cli import output
from warpath.cli.options import GraphFile, Reading, Showing, Snapping, Solving
from warpath.cli.output import NamedValues, Sentence
from warpath.cli.reading import load
from warpath.cli.reporting import UsageError, busy, in_words_of_the_command
from warpath.cli.vertices import listed, one_id, vertex
from warpath.graph import Graph
from warpath.graph.arguments import one_index
from warpath.graph.export import first_vertices
from warpath.graph.facts import negative_weights
from warpath.graph.labels import named_as_in_file, one_label
from warpath.graph.places import snapped
from warpath.results.certificate import Certificate
from warpath.results.certificate import verify as certify
from warpath.results.files import load_result, load_vectors


def info(graph: GraphFile, reading: Reading, showing: Showing) -> None:
    """Show the contents of a graph file: sizes, degrees, weights, ids, coordinates.

    Example: [cyan]warpath info roads.gr.gz[/]
    """
    loaded = load(graph, reading, showing, prepared=False)
    roads = loaded.graph
    with busy("inspecting the edges", showing):
        facts = roads.facts()
        components = {
            "weak": roads.components().counts,
            "strong": roads.components(strong=True).counts,
        }
    document = {
        "command": "info",
        "graph": str(graph),
        **dataclasses.asdict(facts),
        "edges": facts.edges,
        "ids": _ids(roads),
        "first_id": one_id(roads, 0) if roads.n else None,
        "last_id": one_id(roads, roads.n - 1) if roads.n else None,
        "coordinates": _extent(roads),
        "components": {
            name: {"count": len(counts), "largest": int(counts.max(initial=0))}
            for name, counts in components.items()
        },
        "turns": None if roads.turns is None else str(roads.turns),
        "first_through": roads.first_through,
        "read_report": roads.read_report,
        "bytes": sum(
            a.nbytes for a in (roads.indptr, roads.indices, roads.weights) if a is not None
        ),
        "seconds": {"read": loaded.seconds},
    }
    shown: dict[str, Any] = {
        "graph": graph.name,
        "vertices": roads.n,
        "edges": f"{output.count(facts.edges)} "
        + ("directed" if roads.directed else "undirected, stored both ways"),
        "degree": f"{facts.min_degree} to {output.count(facts.max_degree)}, "
        f"mean {facts.mean_degree:.3g}",
        "self-loops": facts.loops,
        "weights": _weights(facts),
        "symmetric": facts.symmetric,
        "ids": f"{document['ids']}, {document['first_id']} .. {document['last_id']}",
        "coordinates": _extent_line(document["coordinates"]),
        "components": f"{_largest(components['weak'], roads.n)}; strongly connected: "
        f"{_largest(components['strong'], roads.n)}",
    }
    if facts.negative:
        shown["negative weights"] = negative_weights(named_as_in_file(roads))
    if facts.zero:
        shown["zero weights"] = facts.zero
    if roads.first_through:
        where = ", in areas" if roads.areas else ""
        shown["not passed through"] = first_vertices(roads.first_through) + where
    if roads.turns is not None:
        shown["turns"] = str(roads.turns)
    shown["memory"] = units.size(document["bytes"])
    shown["time"] = f"{units.seconds(loaded.seconds)} reading"
    parts = [NamedValues(shown)]
    if roads.read_report:
        report = {
            in_words_of_the_command(name): in_words_of_the_command(value)
            if isinstance(value, str)
            else value
            for name, value in roads.read_report.items()
        }
        parts.append(NamedValues(report, "report of the reader"))
    output.show(document, *parts, as_json=showing.as_json)


def plan(
    *,
    graph: GraphFile,
    reading: Reading,
    snapping: Snapping,
    solving: Solving,
    showing: Showing,
    source: Annotated[
        str | None,
        typer.Option("--source", "-s", help="Plan sssp from this id.", show_default=False),
    ] = None,
    sources: Annotated[
        str | None,
        typer.Option("--sources", help="Plan distances: 1,5,9 or a file.", show_default=False),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option("--targets", help="The targets of --sources.", show_default=False),
    ] = None,
    all_pairs: Annotated[bool, typer.Option("--apsp", help="Plan apsp.")] = False,
    start: Annotated[
        str | None,
        typer.Option("--from", help="Plan path from this id, with --to.", show_default=False),
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", help="The target of --from.", show_default=False)
    ] = None,
) -> None:
    """Show the plan for a solve: algorithm, reason, predicted time and memory.

    Nothing is solved. By default the plan is for sssp from the first vertex.

    Example: [cyan]warpath plan roads.gr.gz --from 1 --to 1000[/]
    """
    tasks = [
        name
        for name, on in (
            ("--source", source),
            ("--sources", sources),
            ("--apsp", all_pairs),
            ("--from", start),
        )
        if on
    ]
    if len(tasks) > 1:
        raise UsageError(f"{' and '.join(tasks)} cannot be combined: use one of them.")
    if (start is None) != (end is None):
        raise UsageError("--from and --to must be given together.")
    if targets is not None and sources is None:
        raise UsageError("--targets needs --sources.")
    named = [source, start, end, sources, targets]
    loaded = load(graph, reading, showing, vertices=named, snapping=snapping)
    roads = loaded.graph
    question: dict[str, Any] = {}
    if start is not None and end is not None:
        question = {
            "source": vertex(roads, start, snapping),
            "target": vertex(roads, end, snapping),
        }
    elif sources is not None:
        question = {"sources": listed(roads, sources, snapping)}
        if targets is not None:
            question["targets"] = listed(roads, targets, snapping)
    elif source is not None:
        question = {"source": vertex(roads, source, snapping)}
    elif not all_pairs:
        if not roads.n:
            raise InputError(f"{graph} has no vertices, so there is nothing to plan.")
        question = {"source": roads.label_of(np.array([0]))[0]}
    chosen = loaded.solver(solving).plan(**question)
    document = {
        "command": "plan",
        "graph": str(graph),
        "algorithm": chosen.algorithm,
        "device": chosen.device,
        "threads": chosen.threads,
        "params": chosen.params,
        "seconds": chosen.seconds,
        "bytes": chosen.bytes,
        "reason": chosen.reason,
        "runners_up": [
            {
                "algorithm": c.recipe.name,
                "seconds": c.seconds,
                "bytes": c.bytes,
                "threads": c.threads,
            }
            for c in chosen.runners_up
        ],
        "left_out": [{"algorithm": name, "reason": why} for name, why in chosen.left_out],
        "notes": chosen.notes,
    }
    output.show(document, Sentence(str(chosen)), as_json=showing.as_json)


def verify(
    *,
    graph: GraphFile,
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT",
            help="A file saved by sssp, distances or apsp: .npz, .parquet, .csv, .tsv, or .npy or "
            ".zarr of all pairs. Or, with --source, distances that another program computed: .npy, "
            ".npz with dist and pred, or .csv, .tsv or .parquet with a column of distances.",
            show_default=False,
        ),
    ],
    reading: Reading,
    snapping: Snapping,
    showing: Showing,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            "-s",
            help="The id of the source. Needed for distances of another program.",
            show_default=False,
        ),
    ] = None,
    pred: Annotated[
        Path | None,
        typer.Option(
            "--pred",
            help="A .npy file with the predecessors of another program: indices from 0, -1 for "
            "none.",
            show_default=False,
        ),
    ] = None,
    tree: Annotated[
        str,
        typer.Option(
            "--tree", help="'canonical', or 'any': also a tree of shortest paths with other ties."
        ),
    ] = "canonical",
    unreachable: Annotated[
        float | None,
        typer.Option(
            "--unreachable",
            help="The distance of unreached vertices in the file of another program, besides inf "
            "and the largest value of its type.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Check a saved result against its graph, without trusting the program that wrote it.

    No edge may shorten a distance, and every finite distance must be the sum of a path over tight
    edges: O(n + m) for each source. If a rule is broken, the exit code is 1 and a message names it.

    Example: [cyan]warpath verify roads.gr.gz tree.npz[/]
    """
    loaded = load(graph, reading, showing, prepared=False, vertices=[source], snapping=snapping)
    roads = loaded.graph
    vectors = load_vectors(roads, result)
    saved = load_result(roads, result) if vectors is None else None
    if vectors is None and (pred is not None or unreachable is not None):
        raise UsageError(f"--pred and --unreachable have no effect: warpath saved {result}.")
    if vectors is not None and source is None:
        raise UsageError(f"{result} has distances from one source: give its id with --source.")
    if source is not None:
        place = vertex(roads, source, snapping, along=True)
        wanted = one_index(roads, snapped(roads, place, "source"), "source")
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

    start = time.perf_counter()
    try:
        with busy("verifying", showing):
            certificate = check(roads)
    except VerificationError:
        if not roads.id_base or roads.labels is not None:
            raise
        check(named_as_in_file(roads))  # again, for a message with the ids of the file
        raise
    document = {
        "command": "verify",
        "graph": str(graph),
        "result": str(result),
        "verified": True,
        **dataclasses.asdict(certificate),
        "seconds": {"read": loaded.seconds, "verify": time.perf_counter() - start},
    }
    output.show(document, Sentence(str(certificate)), as_json=showing.as_json)


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


def _extent(graph: Graph) -> dict[str, float] | None:
    known = graph.coordinates
    if known is None or not np.isfinite(known).all(axis=1).any():
        return None
    low, high = np.nanmin(known, axis=0).tolist(), np.nanmax(known, axis=0).tolist()
    return {"min_x": low[0], "min_y": low[1], "max_x": high[0], "max_y": high[1]}


def _largest(counts: Any, n: int) -> str:
    if len(counts) <= 1:
        return output.count(len(counts))
    largest = int(counts[0])
    # Rounded down: a largest component that lacks a vertex is not 100 %.
    share = math.floor(1000 * largest / n) / 10
    return (
        f"{output.count(len(counts))}, the largest with {output.count(largest)} of "
        f"{output.count(n)} vertices ({share} %)"
    )


def _extent_line(extent: dict[str, float] | None) -> str:
    if extent is None:
        return "none"
    return (
        f"x {extent['min_x']:.7g} .. {extent['max_x']:.7g}, "
        f"y {extent['min_y']:.7g} .. {extent['max_y']:.7g}"
    )
