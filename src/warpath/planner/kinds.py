"""The kinds of devices that plans are made for: what runs there, how long it takes, what memory."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from warpath.base.errors import InputError
from warpath.graph import checks
from warpath.planner.cpu_model import (
    Destination,
    Size,
    cpu_bytes,
    cpu_seconds,
    label_bytes,
    lean_bytes,
    unsure,
)
from warpath.planner.device_kind import Candidate, DeviceKind, Hardware, Need
from warpath.planner.gpu_model import gpu_bytes, gpu_seconds, host_bytes, start_seconds, tiles_bytes
from warpath.planner.host_rows import ON_HOST, edge_bytes, host_rows_bytes, host_rows_seconds
from warpath.recipes import Loop, Queue, Recipe, Task
from warpath.recipes.recipe import IN_ONE_LAUNCH, WHOLE_TABLES, Limits

if TYPE_CHECKING:
    from warpath.graph.facts import Facts

#: Why a table whose rows several devices share has no trace.
SEVERAL_TRACES = "several devices keep no trace: trace one of them, as device='cpu' or 'cuda'."
#: The loops and queues of the core that number 2^31 vertices and more.
_WITH_WIDE_INDICES = {Loop.DIJKSTRA, Loop.BELLMAN_FORD, Loop.BFS}
_QUEUES_WITH_WIDE_INDICES = {None, Queue.HEAP, Queue.RADIX}


class Cpu:
    """The cores of this machine."""

    name = "cpu"
    runs = "cpu"
    tasks = frozenset(Task)
    own_memory = False
    takes_threads = True
    timed = True

    def whole_name(self, device: str) -> str | None:
        return "cpu" if device == "cpu" else None

    def objection(self, recipe: Recipe, task: Task, facts: Facts) -> str | None:
        own = recipe.objection(task, facts) or _width_objection(recipe, facts)
        return own or _sums_objection(recipe, facts)

    def trace_objection(self, recipe: Recipe) -> str | None:  # noqa: ARG002 - every loop does
        return None

    def probes(self, size: Size, facts: Facts) -> bool:
        return unsure(size, facts)

    def rows_at_once(self, threads: int) -> int:
        return 4 * threads

    def candidate(
        self, recipe: Recipe, size: Size, facts: Facts, hardware: Hardware, threads: int | None
    ) -> Candidate:
        size = size._replace(staged=self._tiles(recipe, size, facts, hardware))
        used = usable_threads(recipe, size, hardware.threads if threads is None else threads)
        if not recipe.planned:
            return Candidate(recipe, None, cpu_bytes(recipe, size, facts, used), used)
        # A team's start and its barriers cost more than a small graph gives back.
        used = min({1, used}, key=lambda count: cpu_seconds(recipe, size, facts, count))
        seconds = cpu_seconds(recipe, size, facts, used)
        return Candidate(recipe, seconds, cpu_bytes(recipe, size, facts, used), used, size.staged)

    def start_seconds(self, recipe: Recipe, size: Size, facts: Facts) -> float:  # noqa: ARG002
        return 0.0

    def free(self, hardware: Hardware) -> int | None:
        return hardware.memory

    def is_lean(self, candidate: Candidate, size: Size, facts: Facts) -> bool:
        bound = lean_bytes(facts.n, candidate.threads)
        return size.task is not Task.SSSP or candidate.bytes <= bound

    def needs(
        self, chosen: Candidate, size: Size, facts: Facts, hardware: Hardware, device: str
    ) -> list[Need]:
        del facts
        ways = _ways(size, chosen.recipe)
        return [Need(chosen.bytes, hardware.memory, self.where(device), ways)]

    def where(self, device: str) -> str:  # noqa: ARG002 - there is one place
        return "in addition to the graph"

    def notes(self, recipe: Recipe) -> list[str]:
        slow = recipe.loop is Loop.SETTLE
        note = "each distinct distance takes a round over all vertices: O(n^2) at worst"
        return [note] if slow else []

    def _tiles(self, recipe: Recipe, size: Size, facts: Facts, hardware: Hardware) -> int | None:
        """Return the bytes that tiles of a matrix may take, where it does not fit the memory."""
        if recipe.loop is not Loop.FLOYD_WARSHALL:
            return None
        in_file = size.place is Destination.MAPPED and not facts.negative
        fits = facts.n**2 * label_bytes(facts) <= hardware.memory
        return None if fits or not in_file else hardware.memory // 2


#: Rows that let a GPU work in full batches: blocks of one source each, 64 sources side by side.
_FULL_BATCHES = 4096
#: Loops of tables on a GPU that keep no count of what they do.
_UNCOUNTED = {
    Loop.BLOCK_A_SOURCE,
    Loop.FLOYD_WARSHALL,
    Loop.HIERARCHY_SWEEP,
    Loop.JOHNSON,
    Loop.PAIRS,
    Loop.TREE_LABELS,
}


class Cuda:
    """A GPU of NVIDIA."""

    name = "cuda"
    runs = "cuda"
    tasks = frozenset(Task)
    own_memory = True
    takes_threads = False
    timed = True

    def whole_name(self, device: str) -> str | None:
        if not re.fullmatch(r"cuda(:\d{1,4})?", device):
            return None
        return "cuda:0" if device == "cuda" else f"cuda:{int(device[5:])}"

    def objection(self, recipe: Recipe, task: Task, facts: Facts) -> str | None:
        # A GPU passes over sums beyond 64 bits, which is right for weights >= 0 only.
        own = recipe.objection(task, facts) or recipe.limits.objection(facts)
        if own is None and recipe.axes is not None and recipe.axes.place.on_cpu:
            own = _width_objection(recipe, facts)
        return own or _sums_objection(recipe, facts, always=facts.negative > 0)

    def trace_objection(self, recipe: Recipe) -> str | None:
        if recipe.loop not in IN_ONE_LAUNCH | _UNCOUNTED:
            return None
        return (
            f"{recipe.name} counts no relaxations on a GPU, which are its kernels' own: leave "
            "trace out, or trace a published variant (warpath algorithms --device cuda)."
        )

    def probes(self, size: Size, facts: Facts) -> bool:  # noqa: ARG002 - whatever the graph is
        return size.task is Task.SSSP

    def rows_at_once(self, threads: int) -> int:  # noqa: ARG002 - the host's
        return _FULL_BATCHES

    def candidate(
        self, recipe: Recipe, size: Size, facts: Facts, hardware: Hardware, threads: int | None
    ) -> Candidate:
        del threads
        gpu, staged = hardware.gpu_memory, None
        if recipe.loop is Loop.FLOYD_WARSHALL and gpu is not None:
            staged = tiles_bytes(size, facts, gpu, hardware.memory)
        size = size._replace(staged=staged)
        taken = gpu_bytes(recipe, size, facts)
        if _is_left_on_host(recipe, taken, gpu):
            over_bus = host_rows_seconds(recipe, size, facts)
            bytes_ = host_rows_bytes(recipe, size, facts)
            return Candidate(recipe, over_bus, bytes_, 1, rows_on_host=True)
        seconds = gpu_seconds(recipe, size, facts) if recipe.planned else None
        return Candidate(recipe, seconds, taken, 1, staged)

    def start_seconds(self, recipe: Recipe, size: Size, facts: Facts) -> float:
        return start_seconds(recipe, size, facts)

    def free(self, hardware: Hardware) -> int | None:
        return hardware.gpu_memory

    def is_lean(self, candidate: Candidate, size: Size, facts: Facts) -> bool:  # noqa: ARG002
        return True

    def needs(
        self, chosen: Candidate, size: Size, facts: Facts, hardware: Hardware, device: str
    ) -> list[Need]:
        recipe = chosen.recipe
        ways = "end what else uses this GPU, take a larger one, or use device='cpu'"
        if size.place is Destination.GPU and recipe.loop is Loop.FLOYD_WARSHALL:
            ways = "leave out= out, or give a NumPy array or a .npy file: then tiles pass through"
        there = host_bytes(recipe, size, facts)
        there += edge_bytes(recipe, facts) if chosen.rows_on_host else 0
        return [
            Need(chosen.bytes, hardware.gpu_memory, self.where(device), ways),
            Need(there, hardware.memory, "on the host", _ways(size, recipe)),
        ]

    def where(self, device: str) -> str:
        return f"on {device} with the graph"

    def notes(self, recipe: Recipe) -> list[str]:  # noqa: ARG002 - none so far
        return []


class Emulated(Cuda):
    """A GPU that a thread of the CPU emulates: `warpath.engines.emulator`.

    A number after the name, as in "emulated:7", is the seed of the order of threads.
    """

    name = "emulated"
    own_memory = False
    timed = False

    def whole_name(self, device: str) -> str | None:
        return device if re.fullmatch(r"emulated(:\d{1,9})?", device) else None

    def objection(self, recipe: Recipe, task: Task, facts: Facts) -> str | None:
        if recipe.prepared:
            return "prepared graphs are not emulated"
        return super().objection(recipe, task, facts)

    def probes(self, size: Size, facts: Facts) -> bool:  # noqa: ARG002 - no time is predicted
        return False

    def candidate(
        self, recipe: Recipe, size: Size, facts: Facts, hardware: Hardware, threads: int | None
    ) -> Candidate:
        del threads
        taken = gpu_bytes(recipe, size, facts)
        if not _is_left_on_host(recipe, taken, hardware.gpu_memory):
            return Candidate(recipe, None, taken, 1)
        return Candidate(recipe, None, host_rows_bytes(recipe, size, facts), 1, rows_on_host=True)

    def free(self, hardware: Hardware) -> int | None:
        return hardware.memory

    def needs(
        self, chosen: Candidate, size: Size, facts: Facts, hardware: Hardware, device: str
    ) -> list[Need]:
        there = chosen.bytes + host_bytes(chosen.recipe, size, facts)
        there += edge_bytes(chosen.recipe, facts) if chosen.rows_on_host else 0
        return [Need(there, hardware.memory, self.where(device), _ways(size, chosen.recipe))]

    def where(self, device: str) -> str:  # noqa: ARG002 - there is one place
        return "on the host"

    def notes(self, recipe: Recipe) -> list[str]:  # noqa: ARG002 - of all of them
        return ["emulated by one thread, for small graphs: its time says nothing about a GPU"]


class Dask(Cpu):
    """The workers of a Dask cluster: `warpath.engines.cluster`. Each answers blocks of rows.

    A plan predicts one thread of one worker, as if it were this machine.
    """

    name = "dask"
    tasks = frozenset({Task.MANY, Task.APSP, Task.PAIRS})  # whose rows the workers share
    own_memory = True
    takes_threads = False

    def whole_name(self, device: str) -> str | None:
        return device if re.fullmatch(r"dask(:\w+://\S+)?", device) else None

    def objection(self, recipe: Recipe, task: Task, facts: Facts) -> str | None:
        if task not in self.tasks:
            return "a cluster shares the rows of tables"
        if recipe.loop in WHOLE_TABLES or not recipe.solves & {Task.MANY, Task.PAIRS}:
            return "it makes all rows at once, and each worker makes some of them"
        return super().objection(recipe, task, facts)

    def trace_objection(self, recipe: Recipe) -> str | None:  # noqa: ARG002 - of all of them
        return SEVERAL_TRACES

    def candidate(
        self, recipe: Recipe, size: Size, facts: Facts, hardware: Hardware, threads: int | None
    ) -> Candidate:
        del threads
        on_one = super().candidate(recipe, size, facts, hardware, 1)
        row = size._replace(sources=1, place=Destination.NEW)
        graph = 8 * facts.n + 16 * facts.m
        return replace(on_one, bytes=graph + cpu_bytes(recipe, row, facts, 1))

    def free(self, hardware: Hardware) -> int | None:
        return hardware.gpu_memory

    def needs(
        self, chosen: Candidate, size: Size, facts: Facts, hardware: Hardware, device: str
    ) -> list[Need]:
        del facts
        answer = 0 if size.written_out else size.sources * max(1, size.targets) * size.entry
        ways = (
            "start workers with more memory (dask worker --memory-limit), or select fewer targets"
        )
        return [
            Need(chosen.bytes, hardware.gpu_memory, self.where(device), ways),
            Need(answer, hardware.memory, "in this process", _ways(size, chosen.recipe)),
        ]

    def where(self, device: str) -> str:  # noqa: ARG002 - the same on all
        return "on each worker for the graph and a row"


KINDS: dict[str, DeviceKind] = {kind.name: kind for kind in (Cpu(), Cuda(), Emulated(), Dask())}


def device_names(*, auto: bool = False, quoted: bool = True) -> str:
    """Return the valid names of devices for a message: "'cpu', 'cuda' or 'emulated'".

    Parameters
    ----------
    auto : whether the list begins with "auto".
    quoted : whether the names have quotation marks.
    """
    names = ["auto"] if auto else []
    for name, kind in KINDS.items():
        whole = kind.whole_name(name)
        names += [] if whole is None else [name]
        numbered = whole == f"{name}:0" and kind.whole_name(f"{name}:1") is not None
        names += [f"{name}:1"] if numbered else []
    *others, last = map(repr if quoted else str, names)
    return f"{', '.join(others)} or {last}"


def kind_of(device: str, *, auto: bool = True) -> DeviceKind:
    """Return the kind of a device by its name.

    Parameters
    ----------
    auto : whether the caller accepts "auto", too, so that the message lists it.

    Raises
    ------
    InputError
        If there is no such kind.
    """
    kind = KINDS.get(device.partition(":")[0])
    if kind is None or kind.whole_name(device) is None:
        msg = f"device={device!r} is not valid; use {device_names(auto=auto)}."
        raise InputError(msg)
    return kind


# Loops of the CPU that are in neither set get one thread, and so do those of `Recipe.own`, unless
# it says otherwise.
_ONE_SOURCE_ON_A_TEAM = {
    Loop.BFS,
    Loop.BUCKET_TEAM,
    Loop.DELTA_STEPPING,
    Loop.FLOYD_WARSHALL,
    Loop.STEPPING,
}
_ONE_SOURCE_A_THREAD = {
    Loop.CUSTOMIZED,
    Loop.DIJKSTRA,
    Loop.HIERARCHY,
    Loop.HIERARCHY_BUCKETS,
    Loop.HIERARCHY_SWEEP,
    Loop.HUB_LABELS,
    Loop.JOHNSON,
    Loop.OWN_BUCKETS,
    Loop.RESTRICTED_SWEEP,
    Loop.SIDE_BY_SIDE,
    Loop.TREE_LABELS,
}


def usable_threads(recipe: Recipe, size: Size, threads: int) -> int:
    """Return how many of so many threads an algorithm can use."""
    used = threads if _uses_threads(recipe, size) else 1
    return max(1, min(used, size.sources)) if recipe.loop in _ONE_SOURCE_A_THREAD else used


def _is_left_on_host(recipe: Recipe, taken: int, free: int | None) -> bool:
    """Return whether edges stay on the host: a loop can read them there, and must.

    Parameters
    ----------
    taken, free : bytes that it takes on the device with all rows, and that are free.
    """
    return free is not None and taken > free and recipe.loop in ON_HOST


def _uses_threads(recipe: Recipe, size: Size) -> bool:
    if recipe.loop in _ONE_SOURCE_ON_A_TEAM or (recipe.own is not None and recipe.own.threads):
        return True
    return recipe.loop in _ONE_SOURCE_A_THREAD and size.task in {Task.MANY, Task.APSP, Task.PAIRS}


def _width_objection(recipe: Recipe, facts: Facts) -> str | None:
    """Return the sentence why a loop of the core cannot number the vertices; None if it can."""
    if recipe.loop in _WITH_WIDE_INDICES and recipe.queue in _QUEUES_WITH_WIDE_INDICES:
        return None
    return Limits(vertices=checks.NARROW_LIMIT - 1).objection(facts)


def _sums_objection(recipe: Recipe, facts: Facts, *, always: bool = False) -> str | None:
    """Return the sentence why a loop that does not check its sums cannot be used; None if it can.

    Parameters
    ----------
    always : whether no loop checks them.
    """
    unchecked = recipe.loop in WHOLE_TABLES or recipe.loop is Loop.BFS
    if not facts.integer or not (unchecked or always):
        return None
    largest = max(abs(facts.min_weight), abs(facts.max_weight))
    if largest * max(facts.n, 1) < 2**61:
        return None
    return f"{facts.n:,} weights of up to {largest:,} could leave 64 bits"


def _ways(size: Size, recipe: Recipe) -> str:
    if (
        size.place in {Destination.BLOCKS, Destination.MAPPED, Destination.TOTALS}
        and recipe.loop is Loop.FLOYD_WARSHALL
    ):
        rows = "take an algorithm that goes row by row (algorithm='auto')"
        if size.place is Destination.MAPPED:
            return f"the file cannot be its matrix here, which is held whole; {rows}"
        return f"write it out with out='full.npy', which may be its matrix, or {rows}"
    if size.written_out and recipe.loop not in WHOLE_TABLES:
        return "the answer is not counted; try threads=1, another algorithm, or free some memory"
    return {
        Task.APSP: "write it out with out='full.npy', select fewer vertices with "
        "distances(targets=), or halve it with dist_dtype='int32' or float32 weights",
        Task.MANY: "write it out with out='table.npy', or select fewer sources or targets",
    }.get(size.task, "use a machine with more memory")
