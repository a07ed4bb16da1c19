"""Valid arguments for every function of the core, which the program `bindings` then damages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hunt.programs import _dynamic_calls
from hunt.programs._core_arguments import Size, Threads, impatient
from warpath import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from hunt.programs._core_arguments import Arguments, Draw
    from warpath.base.dtypes import Array


def _sssp(d: Draw) -> dict[str, Callable[[], Arguments]]:
    queues = ["heap", "radix", "dial", "binary", "fibonacci", "relaxed"]
    late = {"progress": impatient()}

    def queue() -> str:
        return str(d.rng.choice(queues))

    def many(*more: Any) -> Arguments:
        return [*d.rows(), *more, *d.table(), str(d.rng.choice(queues[:3])), d.cutoff()], {
            "threads": d.threads(),
            **late,
        }

    def into(weighted: bool) -> list[Any]:
        rows = d.back() if d.rng.random() < 0.7 else [d.indptr[:0], d.indices[:0], d.lengths[:0]]
        return rows if weighted else rows[:2]

    def sizes() -> list[Any]:
        return [*d.rng.integers(0, 6, 2).tolist(), bool(d.rng.integers(2))]

    def heaviest() -> Any:
        return d.lengths.max(initial=0).item()

    return {
        "dijkstra": lambda: (
            [*d.rows(), d.vertex(), d.out(), queue(), d.vertices(), d.cutoff()], late,
        ),
        "dijkstra_search": lambda: ([*d.rows(), queue(), d.cutoff()], {}),
        "bmssp": lambda: (
            [*d.rows(), d.vertex(), d.out(), *sizes()], {"cutoff": d.cutoff(), **late},
        ),
        "bmssp_search": lambda: ([*d.rows(), *sizes()], {"cutoff": d.cutoff()}),
        "own_buckets": lambda: ([*d.rows(), float(d.rng.integers(1, 20)), d.cutoff()], {}),
        "bucket_team": lambda: (
            [*d.rows(), float(d.rng.integers(1, 20)), heaviest()],
            {
                "scattered": bool(d.rng.integers(2)), "cutoff": d.cutoff(), "threads": d.threads(),
                "leaves": None if d.rng.random() < 0.5 else d.flags(),
            },
        ),
        "breadth_first": lambda: (
            [*d.rows()[:2], *into(weighted=False), d.label.type(3).item(), np.empty(0, d.label)],
            {"cutoff": d.cutoff(), "threads": d.threads()},
        ),
        "bellman_ford_wide": lambda: (
            [
                *d.whole_rows(), d.vertex(), d.out(dtype=np.int64), d.out(dtype=np.int8),
                d.out(dtype=d.index), bool(d.rng.integers(2)),
            ],
            {},
        ),
        "bellman_ford": lambda: ([*d.rows(), d.vertices(), d.out()], late),
        "delta_stepping": lambda: (
            [*d.rows(), d.vertex(), d.out(), d.label.type(4).item(), d.threads()], late,
        ),
        "dijkstra_many": many,
        "johnson_many": lambda: many(np.zeros(d.n, d.label)),
        "many_sources": lambda: (
            [*d.rows(), *d.table(), 4.0, 8.0],
            {
                "together": bool(d.rng.integers(2)), "cutoff": d.cutoff(), "threads": d.threads(),
                "bits": int(d.rng.choice([128, 256, 512])), "large": int(d.rng.choice([1, 2**19])),
                **late,
            },
        ),
        "trees": lambda: ([*d.rows(), *into(weighted=True), False, bool(d.rng.integers(2))], {}),
        "path": lambda: (
            [*d.rows(), *d.back(), d.vertex(), d.vertex(), bool(d.rng.integers(2))], late,
        ),
        "bidirectional": lambda: ([*d.rows(), *d.back()], {}),
        "bidirectional_breadth_first": lambda: ([*d.rows()[:2], *d.back()[:2]], {}),
        "astar": lambda: (
            [*d.rows(), d.vertex(), d.vertex(), lambda _: float(d.rng.integers(9)), 1e9, True], {},
        ),
        "spur_search": lambda: ([*d.rows(), *d.back()], {}),
        "spur_search_by_levels": lambda: ([*d.rows()[:2], *d.back()[:2]], {}),
        "eliminate": lambda: ([*d.rows()[:2]], late),
        "contract": lambda: ([*d.rows(), d.threads()], late),
        "hierarchy": lambda: (_hierarchy(d), {}),
        "level_top": lambda: ([_contracted(d), 1, 64, 1000], {}),
        "level_rows": lambda: ([_contracted(d), 0], {"targets": d.vertices()}),
        "upward_lists": lambda: (
            [_contracted(d), np.arange(d.n, dtype=np.int32), 0, d.vertices(), 32],
            {"threads": d.threads()},
        ),
        "hierarchy_totals": lambda: (
            [_contracted(d), d.vertices(), d.vertices(), 9, True],
            {"threads": d.threads(), **late},
        ),
        "refuse_overflow": lambda: ([*d.rows(), d.labels()], {}),
        "verify": lambda: (
            [*d.rows(), d.vertex(), d.labels(), d.out(0 if d.rng.random() < 0.5 else d.n,
                                                      dtype=d.index)],
            {"cutoff": d.cutoff(), "threads": d.threads(), **late},
        ),
        "nearest_sources": lambda: (
            [*d.rows(), d.vertices(), d.labels(), d.out(dtype=d.index)], late
        ),
    }  # fmt: skip


def _contracted(d: Draw) -> Any:
    contract: Any = _core.contract
    return contract(d.indptr, d.indices, d.lengths)


def _hierarchy(d: Draw) -> list[Any]:
    """Return the arrays of the graph's hierarchy."""
    hierarchy = _contracted(d)
    position, up, down = hierarchy.arrays()
    return [position, *up, *(down or up), hierarchy.symmetric]


def _rows(d: Draw) -> dict[str, Callable[[], Arguments]]:
    def ends() -> list[Any]:
        src = np.repeat(np.arange(d.n, dtype=d.index), np.diff(d.indptr))
        lengths = d.lengths if d.rng.random() < 0.7 else d.lengths[:0]
        return [src, d.indices.copy(), lengths.copy()]

    def building() -> Arguments:
        src, dst, weights = ends()
        return [
            src,
            dst,
            weights,
            False,
            d.out(d.n + 1, dtype=np.int64),
            d.out(d.m, dtype=d.index),
            d.out(len(weights), dtype=d.weight),
        ], {}

    return {
        "inspect_edges": lambda: ([*ends(), d.n], {}),
        "build_csr": building,
        "validate_rows": lambda: ([*d.rows(), bool(d.rng.integers(2)), d.threads()], {}),
        "rows_are_validated": lambda: (d.rows(), {}),
        "transpose": lambda: (
            [
                *d.rows(),
                d.out(d.n + 1, dtype=np.int64),
                d.out(d.m, dtype=d.index),
                d.out(d.m, dtype=d.weight),
            ],
            {},
        ),
        "row_facts": lambda: ([*d.rows(), d.threads()], {}),
        "row_order": lambda: ([*d.rows(), d.threads()], {}),
        "components": lambda: ([*d.rows(), bool(d.rng.integers(2))], {}),
        "cut_into_patches": lambda: (
            [*d.rows(), int(d.rng.integers(1, 40)), d.threads()],
            {"progress": impatient()},
        ),
        **_partitions(d),
        "format_edges": lambda: (ends(), {"base": int(d.rng.integers(2)), "prefix": "a "}),
    }


def _partitions(d: Draw) -> dict[str, Callable[[], Arguments]]:
    """Return calls on a partition whose last vertices are ghosts."""
    own = int(d.rng.integers(d.n + 1))
    edges = int(d.indptr[own])

    def rows() -> list[Any]:
        weights = d.lengths[: edges if d.rng.random() < 0.8 else 0]
        return [d.indptr[: own + 1].copy(), d.indices[:edges].copy(), weights.copy()]

    def filled(values: Any, dtype: Any = None) -> Any:
        array = d.out(len(values), dtype=dtype)
        array[:] = values
        return array

    def state() -> list[Any]:
        return [filled(d.labels()), filled(d.flags()[:own], np.uint8)]

    def ends(count: int, most: int) -> Any:
        return d.rng.integers(0, max(most, 1), count if most else 0).astype(d.index)

    def message() -> list[Any]:
        vertices = ends(5, own)
        return [vertices, d.rng.integers(0, 30, len(vertices)).astype(d.label)]

    def appended() -> Arguments:
        src = np.repeat(np.arange(own), np.diff(d.indptr[: own + 1])).astype(d.index)
        place = filled(d.indptr[:own], np.int64)
        out = [d.out(edges, dtype=d.index), d.out(edges, dtype=d.weight)]
        return [place, src, d.indices[:edges].copy(), d.lengths[:edges].copy(), *out], {}

    return {
        "relax_part": lambda: ([*rows(), *state(), d.label.type(d.rng.integers(30)).item()], {}),
        "lower_labels": lambda: ([*state(), *message()], {}),
        "check_part": lambda: ([*rows(), d.labels(), d.out(dtype=d.index)], {}),
        "tight_edges_without_length": lambda: (
            [*rows(), d.labels(), d.flags()[:own], ends(3, own)],
            {},
        ),
        "append_edges": appended,
    }


def _frontiers(d: Draw) -> dict[str, Callable[[], Arguments]]:
    blocks = -(-d.n // _core.COMPOUND_FRONTIER_BLOCK)

    def relaxing(weights: list[Any]) -> list[Any]:
        return [*weights, d.labels(), d.flags(), d.flags()]

    def pulling() -> Arguments:
        rows = d.rows()
        edges = list(_core.compound_frontier_block_edges(*rows[:2]))
        return relaxing(rows + edges), {}

    def matrix() -> Array:
        return d.rng.integers(0, 9, (d.n, d.n)).astype(d.label)

    return {
        "compound_frontier_block_edges": lambda: (d.rows()[:2], {}),
        "compound_frontier_relax_f": lambda: (relaxing(d.rows()), {}),
        "compound_frontier_relax_u": pulling,
        "compound_frontier_relax_f_dense": lambda: (relaxing([matrix()]), {}),
        "compound_frontier_relax_u_dense": lambda: (relaxing([matrix()]), {}),
        "compound_frontier_minimum": lambda: (
            [d.labels(), d.flags(), d.out(blocks), int(d.rng.choice([16, 32, 64]))],
            {},
        ),
        "compound_frontier_update": lambda: (
            [d.labels(), d.flags(), d.flags(), d.label.type(3).item(), d.out(blocks)],
            {},
        ),
    }


def _orders(d: Draw) -> dict[str, Callable[[], Arguments]]:
    def steps() -> Array:
        return np.arange(d.n) - 1

    def lists() -> Arguments:
        listed = d.vertices(20)
        keys = np.arange(d.n)
        ends = np.sort(d.rng.integers(0, len(listed) + 1, d.n))
        return [d.names(), keys, ends, listed], {}

    return {
        "visit_order": lambda: (
            [*d.rows(), d.labels(), d.vertices(), bool(d.rng.integers(2))], {},
        ),
        "tight_rows": lambda: (
            [
                *d.rows(), d.labels(), d.rng.permutation(d.n), int(d.rng.integers(0, d.n + 1)),
                bool(d.rng.integers(2)), d.label.type(20).item(),
            ],
            {},
        ),
        "breadth_first_scan": lambda: (
            [*d.rows()[:2], d.vertex(), int(d.rng.integers(9)), d.out(dtype=np.int64)], {},
        ),
        "breadth_first_levels": lambda: (
            [
                *d.rows()[:2], *d.back()[:2], d.vertex(), int(d.rng.integers(9)),
                d.out(dtype=np.int64),
            ],
            {},
        ),
        "dict_of_distances": lambda: (
            [d.names(), d.rng.permutation(d.n), d.labels(), np.zeros(d.n, bool)], {},
        ),
        "dict_of_paths": lambda: ([d.names(), d.rng.permutation(d.n), steps()], {}),
        "dict_of_paths_by_levels": lambda: (
            [
                d.names(), *d.rows()[:2], d.vertex(), int(d.rng.integers(9)),
                bool(d.rng.integers(2)), d.threads(),
            ],
            {},
        ),
        "dict_of_lists": lists,
        "along_paths": lambda: ([steps(), d.out(dtype=bool)], {}),
    }  # fmt: skip


def _dense(d: Draw) -> dict[str, Callable[[], Arguments]]:
    side = min(d.n, 40)
    entry = d.weight

    def square(dtype: Any = entry) -> Array:
        out = d.out(side, side, dtype=dtype)
        out[:] = d.rng.integers(0, 9, (side, side))
        return out

    threads = {"threads": d.threads()}
    return {
        "floyd_warshall": lambda: ([square()], threads),
        "close_labels": lambda: ([square()], threads),
        "min_plus": lambda: ([square(), square(), square()], threads),
        "widen": lambda: ([square(np.int64)], threads),
        "dense_tree": lambda: (
            [square(np.float64), square(np.float64), square(np.int32)],
            threads,
        ),
        "add_min_peak": lambda: ([square()[0], Threads(20)], threads),
        "adjacency_rows": lambda: (
            [*d.rows(), Size(0), d.out(d.n, d.n, dtype=d.label)],
            threads,
        ),
    }


def _made(d: Draw) -> dict[str, Callable[[], Arguments]]:
    seed = int(d.rng.integers(2**63))
    real = d.weight.kind == "f"

    def places() -> Array:
        return d.rng.permutation(1000)[: d.n] - (0 if real else 3)

    def lengths() -> Arguments:
        ends = [d.rng.integers(0, d.n, d.m).astype(np.int32) for _ in range(2)]
        return [*ends, places(), places(), d.out(d.m, dtype=d.weight)], {}

    return {
        "draw_weights": lambda: (
            [d.out(dtype=d.weight), 0.0 if real else 0, 9.0 if real else 9, seed, d.threads()],
            {},
        ),
        "draw_vertices": lambda: ([d.out(dtype=d.index), Size(d.n), seed, d.threads()], {}),
        "link_lengths": lengths,
        "rmat": lambda: (
            [
                Size(d.rng.integers(7)),
                Size(50),
                2**31,
                2**31 + 9,
                2**31 + 99,
                *(bool(each) for each in d.rng.integers(0, 2, 3)),
                seed,
                d.threads(),
            ],
            {},
        ),
        "grid": lambda: (
            [
                Size(d.rng.integers(9)),
                Size(d.rng.integers(9)),
                bool(d.rng.integers(2)),
                Size(2**51),
                seed,
            ],
            {},
        ),
        "pairs": lambda: ([Size(d.rng.integers(30)), Size(2**51), seed], {}),
        "small_world": lambda: ([Size(30), Size(d.rng.integers(5)), Size(2**51), seed], {}),
        "road": lambda: ([Size(d.n), Size(d.rng.integers(1, 9)), Size(2 * d.n), seed], {}),
        "random_points": lambda: ([Size(d.n), seed], {}),
        "delaunay": lambda: ([places(), places()], {}),
    }


def _texts(d: Draw) -> dict[str, Callable[[], Arguments]]:
    lines = b"".join(b"%d %d %d\n" % (v % d.n, v % 7, v) for v in range(d.m))
    metis = b"".join(b"%d %d\n" % ((v + 1) % d.n + 1, 3) for v in range(d.n))

    return {
        "read_rows": lambda: (
            [lines, 0, 1, str(d.rng.choice(["vvn", "ttn", "vvr", "vv.", "nic"]))],
            {
                "expected": "<from> <to> <weight>",
                "low": int(d.rng.integers(2)),
                "high": int(d.rng.choice([-1, d.n])),
                "rows": int(d.rng.choice([-1, d.m])),
                "comments": "#%",
                "progress": impatient(),
            },
        ),
        "read_metis": lambda: (
            [metis, 0, 2],
            {"n": d.n, "entries": d.n, "skipped": 0, "weighted": True, "progress": impatient()},
        ),
        "CompletionFlag": lambda: ([d.out(8, dtype=np.int64), -1], {}),
    }


def calls(d: Draw) -> dict[str, Callable[[], Arguments]]:
    """Return, for each function of the core, a function that makes valid arguments for it."""
    return {
        **_sssp(d),
        **_rows(d),
        **_frontiers(d),
        **_orders(d),
        **_dense(d),
        **_made(d),
        **_texts(d),
        **_dynamic_calls.functions(d),
    }
