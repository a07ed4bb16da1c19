"""Rounds that one kernel drives on the device: its buffers, its launches and its trace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.engines.cuda.flight import Ended, flights
from warpath.engines.cuda.rows import Rows, resident
from warpath.engines.papers.policies import numbered, rounds_kernel
from warpath.engines.papers.run import Counted
from warpath.engines.papers.settle import lightest_on, matrix_on
from warpath.graph.derived import Derived
from warpath.recipes import Loop
from warpath.recipes.axes import Direction, Edges, Emit, Labels, Layout, Select
from warpath.results.trace import FAR, RoundRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.cuda.flight import Flight
    from warpath.engines.papers.run import Run
    from warpath.graph import Graph

#: Rows of a trace in one launch; the host then takes them: 2^16 are some 6 MB.
_MOST = 2**16
_WORDS_OF_CONTROL, _WORDS_OF_STATE = 32, 16
_FIRST_SIZE = 9  # the numbers of a row of a trace before its sizes: `RowOfTrace` of rounds.cuh
_FIRST_TICKS = 5
_LARGEST_DELTA = 2**62
_NO_LIMIT = 2**62
_PULLED = 20  # a pull is worth it from this part of the vertices on
_RHO = 2**14  # vertices of a step; 2^12 took an H100 3 to 26 % longer on a road, a grid and R-MAT
_MOST_KEYS = 66  # `kMostKeys` of bucket_order.cuh
_KEYS_OF_SIZES = 4 * _MOST_KEYS + 1  # `OrderSpace::sizes` of bucket_order.cuh
_DIGITS = 16  # likewise
_TRACE = "trace int64"  # the buffer's key


def rounds_on_device(run: Run) -> bool:
    """Run a recipe with all its steps on the device; return whether it came to rest.

    A negative cycle prevents that. The kernel makes all rounds, except that it ends after many, so
    that the host takes the rows of the trace, and is launched again.
    """
    order, device = run.order, run.device
    loop = _LOOPS[order.recipe.loop]
    kernel = rounds_kernel(order.recipe, run.types, device.block, traced=run.traced)
    run.dist = device.xp.empty(run.n, run.label)
    classes = Classes(run) if run.axes.edges is Edges.CLASSIFIED else None
    names = loop.sizes(run)
    width = _FIRST_SIZE + len(names)
    what = f"rounds in blocks of {device.block}"
    with flights(order.graph, what, device, lambda: _no_buffers(device)).take() as own:
        # The launch of the last solve serves the next one of the same recipe and parameters.
        mark = (kernel.name, order.recipe, *order.params.items())
        if own.ready_for != mark:
            blocks = max(min(device.resident_blocks(kernel), run.blocks(run.n + order.graph.m)), 1)
            given = _arguments(run, own, blocks, width)
            if classes is not None:
                given["classes"] = classes.vertices
            own.prepared = device.prepared(kernel, blocks, *kernel.arguments(**given))
            own.ready_for = mark
        positions = {name: position for position, (name, _) in enumerate(kernel.params)}
        own.prepared.change(positions["source"], order.problem.source)
        own.prepared.change(positions["dist"], run.dist)
        own.prepared.change(positions["goes_on"], 0)
        while True:
            words = own.launch_and_wait(own.prepared)
            if order.trace is not None:
                rows = device.get(own.buffers[_TRACE][: words[3] * width])
                _take_rows(run, loop, names, rows, words)
            if words[0] != Ended.PAUSED:
                break
            own.prepared.change(positions["goes_on"], 1)
    run.rounds = words[1]
    rest = bool(words[2])
    if rest and classes is not None:
        classes.assign_leaves()
    return rest


def _arguments(run: Run, own: Flight, blocks: int, width: int) -> dict[str, Any]:
    """Return the kernel's arguments by name, except the source and the labels."""
    space = _Space(own.buffers, run.device)
    loop = _LOOPS[run.order.recipe.loop]
    return {
        **loop.arrays(run, space, blocks),
        "n": run.n,
        "most": _MOST,
        "limit": _most_turns(run, loop),
        "control": own.buffers["control"],
        "state": own.buffers["state"],
        "trace": space("trace", (_MOST + 1) * width, np.int64) if run.traced else None,
        "width": width,
        "halt": own.halt,
        "status": own.status,
    }


def _most_turns(run: Run, loop: _Loop) -> int:
    """Return how many turns a solve may take; a threshold that rises by delta may take any."""
    bounded = run.order.recipe.exact and "skip" not in run.order.params
    return loop.turns(run.n) if bounded else _NO_LIMIT


def _no_buffers(device: Device) -> dict[str, Array]:
    """Return what every kernel of rounds needs; other buffers join when a recipe needs them."""
    return {
        "control": device.xp.zeros(_WORDS_OF_CONTROL, np.uint64),
        "state": device.xp.empty(_WORDS_OF_STATE, np.int64),
    }


class _Space:
    """Buffers by name and type, kept for the next solve of any recipe on the graph."""

    def __init__(self, buffers: dict[str, Array], device: Device) -> None:
        self._buffers = buffers
        self._xp = device.xp

    def __call__(self, name: str, size: int, dtype: Any) -> Array:
        """Return a buffer of so many items at least, with any contents."""
        key = f"{name} {np.dtype(dtype).name}"
        buffer = self._buffers.get(key)
        if buffer is None or len(buffer) < size:
            buffer = self._buffers[key] = self._xp.empty(max(size, 1), dtype)
        return buffer


def _take_rows(run: Run, loop: _Loop, names: list[str], rows: Array, words: list[int]) -> None:
    """Add a launch's rows to the trace."""
    trace = run.order.trace
    assert trace is not None  # noqa: S101 - rows are made for one
    nanoseconds, ticks = words[4], words[5]
    tick = 1e-9 * nanoseconds / ticks if ticks else 0.0
    rows = rows.reshape(-1, _FIRST_SIZE + len(names))
    behind_ticks = _FIRST_TICKS + len(loop.steps)
    buckets = run.order.recipe.loop is Loop.BUCKETS
    trace.add_rows(
        RoundRows(
            run.rounds,
            loop.phases,
            loop.steps,
            tuple(names),
            rows[:, :_FIRST_TICKS],
            tick * rows[:, _FIRST_TICKS:behind_ticks],
            rows[:, _FIRST_SIZE:],
            frozenset(names) - {"far"} if buckets else frozenset(),
        )
    )
    run.rounds += len(rows)


def _sweeps(run: Run, space: _Space, _blocks: int) -> dict[str, Any]:
    two = run.axes.labels is Labels.TWO_ARRAYS
    improved = run.axes.select is Select.IMPROVED
    rows = _ellpack_rows if run.axes.layout is Layout.ELL else resident
    return {
        **rows(run.order.graph, run.device).named(),
        "at_least": int(run.order.params.get("rounds", 0)),
        "before": space("labels before", run.n, run.label) if two else None,
        "flags": space("flags", run.n, np.uint8) if two or improved else None,
        "next_flags": space("next flags", run.n, np.uint8) if improved and not two else None,
    }


def _lists(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    """Return what every loop over lists of vertices takes."""
    n = run.n
    queued = run.axes.emit is Emit.ATOMIC_QUEUE
    classified = run.axes.edges is Edges.CLASSIFIED
    return {
        **resident(run.order.graph, run.device).named(),
        "negative_loop": space("negative loop", 1, np.int32) if classified else None,
        "stamps": space("stamps", n, np.int32) if queued else None,
        "offsets": space("offsets", n + 1, np.int64) if numbered(run.axes) else None,
        "table": space("table", n, np.int64),
        "marks": space("marks", max(_items(run), 2 * n), np.uint8),
        "sums": space("sums", 3 * blocks + 6, np.int64),
    }


def _items(run: Run) -> int:
    """Return how many items a round gives at most."""
    return run.n if run.axes.emit is Emit.ATOMIC_QUEUE else run.order.graph.m


def _workfront(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    index = run.order.graph.indices.dtype
    integer = np.issubdtype(run.label, np.integer)
    return {
        **_lists(run, space, blocks),
        "lowest": np.iinfo(run.label).min if integer else -np.inf,
        "list": space("list", run.n, index),
        "items": space("items", _items(run), index),
    }


def _near_far(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    index, n = run.order.graph.indices.dtype, run.n
    return {
        **_lists(run, space, blocks),
        "delta": _width(run, "delta"),
        "skip": int(run.order.params.get("skip", 0)),
        "change": _change(run),
        "near": space("list", n, index),
        "items": space("items", _items(run), index),
        "piles_first": space("pile", 2 * n, index),
        "piles_second": space("other pile", 2 * n, index),
        "minima": space("minima", blocks, run.label),
    }


def _near_far_pull(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    graph, n = run.order.graph, run.n
    into = resident(graph, run.device, reverse=True)
    return {
        **resident(graph, run.device).named(),
        "into": into.indptr,
        "sources": into.indices,
        "into_weights": into.weights,
        "delta": _width(run, "delta"),
        "pull": int(run.order.params.get("pull", max(n // _PULLED, 1))),
        "near": space("flags", n, np.uint8),
        "waiting": space("next flags", n, np.uint8),
        "sums": space("sums", 3 * blocks + 6, np.int64),
        "minima": space("minima", blocks, run.label),
    }


def _light_heavy(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    graph, index = run.order.graph, run.order.graph.indices.dtype
    light = graph._solver_weights <= run.order.params["delta"]
    before = np.append(0, np.cumsum(light))[graph.indptr]  # light edges of the vertices before
    rows = {
        "": (before, graph.indices[light], graph._solver_weights[light]),
        "heavy_": (graph.indptr - before, graph.indices[~light], graph._solver_weights[~light]),
    }
    given = _near_far(run, space, blocks)
    for kind, arrays in rows.items():
        for name, array in zip(("indptr", "indices", "weights"), arrays, strict=True):
            given[kind + name] = space(f"{kind or 'light_'}{name}", len(array), array.dtype)
            if len(array):
                run.device.put(array, given[kind + name][: len(array)])
    return given | {
        "removed_first": space("removed", 2 * run.n, index),
        "removed_second": space("other removed", 2 * run.n, index),
    }


def _stepping(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    index, n = run.order.graph.indices.dtype, run.n
    waiting = n + _items(run)  # the vertices of the queue and the items of a round
    by_rho = run.axes.select is Select.RHO
    return {
        **_lists(run, space, blocks),
        "marks": space("marks", max(waiting, 2 * n), np.uint8),
        "delta": 0.0 if by_rho else _width(run, "delta"),
        "rho": int(run.order.params.get("rho", _RHO)) if by_rho else 0,
        "near": space("list", n, index),
        "queues_first": space("active", waiting, index),
        "queues_second": space("other active", waiting, index),
        "minima": space("minima", blocks, run.label),
    }


def _width(run: Run, name: str) -> float:
    """Return a width of buckets, a whole number for integer labels."""
    width = run.order.params[name]
    if np.issubdtype(run.label, np.integer):
        return float(min(int(width), _LARGEST_DELTA))
    return width


def _change(run: Run) -> int:
    """Return how many waiting vertices are split, by default the threads that run at once."""
    if all(param.name != "switch" for param in run.order.recipe.params):
        return 0
    default = run.resident_blocks * run.device.block
    return max(math.ceil(run.order.params.get("switch", default)), 1)


def _buckets(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    index, n = run.order.graph.indices.dtype, run.n
    buckets = int(run.order.params["buckets"])
    active = n + max(run.order.graph.m, n)  # the vertices of the buckets and the items of a round
    kinds = max(buckets + 2, _DIGITS)
    return {
        **_lists(run, space, blocks),
        "keys": space("keys", active, np.uint8),
        "others": space("other keys", active, np.uint8),
        "between": space("between", active, index),
        "counts": space("counts", kinds * run.blocks(active), np.int64),
        "sizes": space("sizes", _KEYS_OF_SIZES, np.int64),
        "bucket_width": _width(run, "width"),
        "buckets": buckets,
        "active_first": space("active", active, index),
        "active_second": space("other active", active, index),
        "piles_first": space("pile", 2 * n, index),
        "piles_second": space("other pile", 2 * n, index),
        "minima": space("minima", blocks, run.label),
    }


def _settle(run: Run, space: _Space, blocks: int) -> dict[str, Any]:
    axes, graph, device, n = run.axes, run.order.graph, run.device, run.n
    dense = axes.layout is Layout.DENSE
    pull = axes.direction is Direction.PULL
    return {
        **({} if dense else resident(graph, device, reverse=pull).named()),
        "matrix": matrix_on(graph, device, run.order) if dense else None,
        "slack": lightest_on(graph, device) if axes.select is Select.OUT else None,
        "frontier": space("flags", n, np.uint8),
        "unsettled": space("unsettled", n, np.uint8),
        "queue": space("list", n, graph.indices.dtype) if axes.listed else None,
        "minima": space("minima", blocks + 1, run.label),
        "offsets": space("offsets", n + 1, np.int64) if numbered(axes) else None,
        "sums": space("sums", 3 * blocks + 6, np.int64),
    }


_ELL: Derived[Rows] = Derived(__name__, "rows in ELLPACK's order on a device")


def _ellpack_rows(graph: Graph, device: Device) -> Rows:
    """Return the rows of a graph in ELLPACK's order on a device; made once and kept.

    The k-th edge of vertex u is at k n + u of `indices` and `weights`, which have n times the
    largest out-degree entries; `indptr` is that of the rows.
    """

    def rows() -> Rows:
        given, xp = resident(graph, device), device.xp
        edges = xp.arange(graph.m)
        tails = xp.searchsorted(given.indptr, edges, side="right") - 1
        positions = (edges - given.indptr[tails]) * graph.n + tails
        padded = []
        for array in (given.indices, given.weights):
            padded.append(xp.zeros(graph.n * graph.facts().max_degree, array.dtype))
            padded[-1][positions] = array
        return Rows(given.indptr, *padded)

    return _ELL.of(graph, rows, device.name)


_CLASSES: Derived[Array] = Derived(__name__, "classes of vertices on a device")
_LEAVES: Derived[Array] = Derived(__name__, "vertices without out-edges")


def leaves_kernel(run: Run) -> Kernel:
    """Return the kernel that gives vertices without out-edges their labels."""
    return run.kernel("pull", bounds="GlobalBounds", traced=run.traced)


class Classes:
    """The classes of vertices that a push over classified edges takes, and what it leaves undone.

    Self-loops are never relaxed, but a negative one is seen. Edges out of the source start from 0.
    A target of in-degree 1 is lowered without an atomic. Targets of out-degree 0 are left out, and
    all get their labels at the end.
    """

    def __init__(self, run: Run) -> None:
        graph = run.order.graph
        self._run = run
        self._leaf: Array = _LEAVES.of(graph, lambda: np.diff(graph.indptr) == 0)
        self.vertices = _CLASSES.of(graph, self._of_vertices, run.device.name)

    def _of_vertices(self) -> Array:
        single = np.diff(self._run.order.graph.reversed().indptr) == 1
        return self._run.device.put((1 * single + 2 * self._leaf).astype(np.uint8))

    def assign_leaves(self) -> None:
        """Give vertices without out-edges their labels, which no other label depends on."""
        run, leaf = self._run, self._leaf
        source = run.order.problem.source
        if leaf[source]:
            leaf = leaf.copy()
            leaf[source] = False
        if not leaf.any():
            return
        entering = resident(run.order.graph, run.device, reverse=True)
        flags, others = (run.device.put(which.astype(np.uint8)) for which in (leaf, ~leaf))
        with run.step("leaves"):
            run.launch(
                leaves_kernel(run),
                run.n,
                **entering.named(),
                dist=run.dist,
                frontier=others,
                unsettled=flags,
            )
        done = run.counted() if run.traced else Counted()
        run.round("leaves", int(leaf.sum()), done.relaxed, done.improved, done.read)


class _Loop(NamedTuple):
    """A loop of rounds.

    Attributes
    ----------
    arrays : the kernel's arguments by name, given the run, its buffers and how many blocks run.
    turns : of n vertices: how many turns it takes at the most.
    phases, steps : names in the rows of a trace.
    sizes : names of worklists in the rows of a trace.
    """

    arrays: Callable[[Run, _Space, int], dict[str, Any]]
    turns: Callable[[int], int]
    phases: tuple[str, ...]
    steps: tuple[str, ...]
    sizes: Callable[[Run], list[str]] = lambda _: []


_OF_LISTS = "expand", "relax", "compact", "arrange"
_LOOPS: dict[Loop, _Loop] = {
    Loop.SWEEPS: _Loop(_sweeps, lambda _: _NO_LIMIT, ("sweep",), ("relax", "update")),
    Loop.FRONTIER: _Loop(
        _workfront, lambda n: n + 2, ("workfront", "queue"), _OF_LISTS, lambda _: ["queue"]
    ),
    # A refill is followed by a round.
    Loop.NEAR_FAR: _Loop(
        _near_far,
        lambda n: 2 * n + 2,
        ("near", "sweep", FAR),
        _OF_LISTS,
        lambda _: ["near", "far"],
    ),
    Loop.NEAR_FAR_PULL: _Loop(
        _near_far_pull, lambda n: n + 2, ("push", "pull"), ("relax", "select")
    ),
    # So are heavy edges.
    Loop.LIGHT_HEAVY: _Loop(
        _light_heavy,
        lambda n: 3 * n + 3,
        ("light", "heavy", FAR),
        _OF_LISTS,
        lambda _: ["near", "far"],
    ),
    Loop.STEPPING: _Loop(
        _stepping, lambda n: n + 2, ("step",), _OF_LISTS, lambda _: ["near", "far"]
    ),
    # So are empty buckets.
    Loop.BUCKETS: _Loop(
        _buckets,
        lambda n: 3 * n + 3,
        ("bucket", FAR),
        _OF_LISTS,
        lambda run: [*(f"bucket {b}" for b in range(int(run.order.params["buckets"]))), "far"],
    ),
    Loop.SETTLE: _Loop(_settle, lambda n: n + 1, ("settle",), ("relax", "reduce", "update")),
}
