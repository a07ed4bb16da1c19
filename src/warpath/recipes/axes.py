"""The design choices (axes) of the published round-based algorithms, and the valid combinations."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Axis(Enum):
    """One axis: each value has a name for tables and one line of meaning."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Self:
        """Store the meaning with the value."""
        one = object.__new__(cls)
        one._value_ = value
        one.meaning = meaning
        return one

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class Select(Axis):
    """The vertices that relax their edges in a round."""

    ALL = "all", "every vertex, in every round"
    IMPROVED = "improved", "vertices whose label fell in the last round [workfront, modified set]"
    BELOW = "below", "improved vertices below a threshold that rises by delta [near set]"
    DELTA_STAR = (
        "delta star",
        "improved vertices below a threshold that rises by delta in every round [delta*-stepping]",
    )
    RHO = "rho", "the rho improved vertices of least label, about [rho-stepping]"
    BUCKET = "bucket", "vertices in the lowest of several intervals of equal width [bucketing]"
    MIN = "min", "unsettled vertices with the least label [compound frontier F]"
    OUT = (
        "out",
        "unsettled vertices up to the least sum of label and lightest out-edge [Crauser threshold]",
    )


class Direction(Axis):
    """The end of an edge that relaxes it."""

    PUSH = "push", "a selected vertex lowers the labels of its successors, atomically [relax_F]"
    PULL = "pull", "an unsettled vertex reads its predecessors and lowers its own label [relax_U]"


class Map(Axis):
    """The mapping of edges to the threads of a GPU."""

    THREAD = "thread", "a thread relaxes all edges of one vertex [one thread per vertex]"
    GRID_STRIDE = "grid stride", "as thread, but a fixed grid strides over the vertices [strided]"
    BLOCK_SEARCH = (
        "block search",
        "a block shares the edges of its vertices, found by binary search [cooperative blocks]",
    )
    CTA_WARP_SCAN = (
        "cta warp scan",
        "a block for a long edge list, a warp for a middle one, short ones pooled [CTA+Warp+Scan]",
    )
    MERGE_PATH = (
        "merge path",
        "all threads relax the same number of edges [load-balanced partitioning]",
    )
    CHILD_GRID = "child grid", "a separate grid for each vertex [dynamic parallelism]"


class Emit(Axis):
    """The representation of the set of the next round."""

    FLAG = "flag", "one bit: whether any label fell"
    FLAGS = "flags", "a flag for each vertex; a round reads all flags [f, flag array]"
    ATOMIC_QUEUE = "atomic queue", "a list that threads append to with an atomic counter [Q-based]"
    PREFIX_SUM = "prefix sum", "a list with positions computed by a prefix sum [prefix-based]"


class Reduce(Axis):
    """The computation of the minimum that the selection of a round needs."""

    NONE = "none", "no minimum"
    ONE_PASS = "one pass", "a kernel leaves a minimum a block, the CPU takes the least [minimum1]"
    TWO_PASS = (
        "two passes",
        "a second kernel reduces the minima of the first, the CPU takes the least [minimum2]",
    )
    GRID = "grid", "each block leaves a minimum, and after a barrier all take the least of them"
    GRID_TWICE = "grid twice", "as grid, then one block stores the least, and all read it"
    HOST = "host", "the CPU reads all labels [minimum on CPU]"


class Side(Axis):
    """The processor that runs a step."""

    CPU = "cpu", "one thread of the CPU"
    GPU = "gpu", "kernels"


class Layout(Axis):
    """The storage of the edges."""

    CSR = "csr", "compressed rows [adjacency lists]"
    DENSE = "dense", "a matrix with a weight for every pair [adjacency matrix]"
    ELL = "ell", "rows padded to the longest one, stored column by column [ELLPACK]"


class Memory(Axis):
    """The memory for data that neighbouring threads share."""

    GLOBAL = "global", "each thread reads global memory"
    SHARED = "shared", "a block loads the data into shared memory once"


class Edges(Axis):
    """Whether edges are classified."""

    ALL = "all", "all edges are relaxed in the same way"
    CLASSIFIED = (
        "classified",
        (
            "self-loops, in-degree 1, out-degree 0: relaxed differently; source edges start at 0 "
            "[edge classes]"
        ),
    )
    LIGHT_FIRST = (
        "light first",
        "edges up to delta in every round, heavier ones once a threshold [light and heavy edges]",
    )


class Lower(Axis):
    """The instruction by which a push lowers a label that other threads may lower concurrently."""

    ATOMIC_MIN = "atomic min", "the label becomes the least of all values [atomicMin]"
    PLAIN_MIN = "plain min", "read, compare, write: a concurrent minimum may be lost [if]"
    STORED_MIN = (
        "stored min",
        "the lesser of label and sum is always written: an older label may come back [no_Atomic]",
    )


class Labels(Axis):
    """The arrays of labels that a round reads and writes."""

    IN_PLACE = "in place", "one array: a round may read labels that it has just written"
    TWO_ARRAYS = (
        "two arrays",
        "a round reads the last round's copy [previousDistance, updating cost]",
    )


class Arrange(Axis):
    """The method that puts vertices into buckets."""

    MERGE = (
        "merge",
        "a radix sort of a round's output, merged into the buckets [Thrust's sort and merge]",
    )
    SORT = "sort", "a radix sort of all that waits in the buckets, in every round"
    MULTISPLIT = (
        "multisplit",
        "counts per bucket, then positions, of all that waits, in every round [multisplit]",
    )


@dataclass(frozen=True)
class Place:
    """The processor of each of the three steps of a settling round."""

    relax: Side = Side.GPU
    reduce: Side = Side.GPU
    update: Side = Side.GPU

    @property
    def on_cpu(self) -> tuple[str, ...]:
        """The steps that the CPU runs."""
        return tuple(step for step, side in vars(self).items() if side is Side.CPU)

    @property
    def whole_cpu(self) -> bool:
        """Whether no step needs a GPU."""
        return len(self.on_cpu) == 3

    def words(self) -> str:
        """Return the processors of the steps in words."""
        if not self.on_cpu:
            return "all on the GPU"
        steps = "all" if self.whole_cpu else " and ".join(self.on_cpu)
        return f"{steps} on the CPU"


AXES: tuple[type[Axis], ...] = (
    Select,
    Direction,
    Map,
    Emit,
    Reduce,
    Layout,
    Memory,
    Edges,
    Lower,
    Labels,
    Arrange,
)
"""All axes of one value; `Place` has a `Side` for each of three steps."""

_ENDED_BY_THE_CPU = {Reduce.ONE_PASS, Reduce.TWO_PASS}
_FEW = 5  # changes that a message names
_QUEUED = {Select.BELOW, Select.DELTA_STAR, Select.RHO, Select.BUCKET}
_LISTS = {Emit.ATOMIC_QUEUE, Emit.PREFIX_SUM}
_OF_A_LIST = {Map.BLOCK_SEARCH, Map.CTA_WARP_SCAN, Map.MERGE_PATH, Map.CHILD_GRID}


@dataclass(frozen=True)
class Axes:
    """A value on each axis; raises ValueError with the reason if no kernel can run them."""

    select: Select
    direction: Direction = Direction.PUSH
    map: Map = Map.THREAD
    emit: Emit = Emit.FLAGS
    reduce: Reduce = Reduce.NONE
    place: Place = Place()
    layout: Layout = Layout.CSR
    memory: Memory = Memory.GLOBAL
    edges: Edges = Edges.ALL
    lower: Lower = Lower.ATOMIC_MIN
    labels: Labels = Labels.IN_PLACE
    arrange: Arrange | None = None

    def __post_init__(self) -> None:
        for name, values in _VALUES.items():
            value = getattr(self, name)
            if not any(value is each for each in values) and not isinstance(value, Place):
                names = ", ".join(map(repr, values))
                raise ValueError(
                    f"{name}={value!r} is not a value of the axis {name}: use {names}."
                )
        objection = next(_objections(self), None)
        if objection is not None:
            raise IllegalAxesError(self, objection)

    @property
    def driver(self) -> str:
        """What decides which step comes next. On a GPU it is warpath's part, not the paper's."""
        if self.place.whole_cpu:
            return "a loop on the CPU"
        if self.host_driven:
            return "the host, which starts every step"
        return "one kernel on the GPU, which makes all rounds"

    @property
    def host_driven(self) -> bool:
        """Whether the CPU takes part in every round: it has a step, or ends the minimum."""
        return bool(self.place.on_cpu) or self.reduce in _ENDED_BY_THE_CPU

    @property
    def listed(self) -> bool:
        """Whether the set of a round is a list of vertices."""
        return self.emit in _LISTS

    @property
    def settles(self) -> bool:
        """Whether a vertex relaxes once, when its label is final."""
        return self.select in {Select.MIN, Select.OUT}

    def words(self) -> str:
        """Return the values in one line: select, direction, map, emit, then all but defaults."""
        usual = [self.select, self.direction, self.map, self.emit]
        if self.place.relax is Side.CPU:  # no threads to map edges to
            usual.remove(self.map)
        rest = [self.layout, self.memory, self.edges, self.lower, self.labels]
        default = [Layout.CSR, Memory.GLOBAL, Edges.ALL, Lower.ATOMIC_MIN, Labels.IN_PLACE]
        words = [value.value for value in usual]
        if self.reduce not in {Reduce.NONE, Reduce.HOST}:
            words.append(self.reduce.value)
        if self.place.on_cpu:
            words.append(self.place.words())
        words += [v.value for v, usually in zip(rest, default, strict=True) if v is not usually]
        return ", ".join(words + ([self.arrange.value] if self.arrange else []))

    def explained(self) -> list[tuple[str, str, str]]:
        """Return each axis, its value and the meaning of the value."""
        rows = []
        for axis, value in vars(self).items():
            if isinstance(value, Axis):
                rows.append((axis, value.value, value.meaning))
            elif isinstance(value, Place):
                rows.append((axis, value.words(), "the processors of relax, reduce and update"))
        return rows


class IllegalAxesError(ValueError):
    """The refusal of a combination; looks for legal ones, which takes 5 ms, when it is shown."""

    def __str__(self) -> str:
        axes, objection = self.args
        return f"no algorithm is ({axes.words()}): {objection}. {_legal_changes(axes)}"


_VALUES: dict[str, tuple[Axis | Place | None, ...]] = {
    **{axis.__name__.lower(): tuple(axis) for axis in AXES if axis is not Select},
    "arrange": (None, *Arrange),
    "place": (Place(), Place(Side.CPU, Side.CPU, Side.CPU)),
    "select": tuple(Select),
}
"""The values of each axis of `Axes`; of `place`, those that put all steps on one processor.

`select` is last: what a message proposes changes it only where there is nothing else to change.
"""


def _legal_changes(axes: Axes) -> str:
    """Return a sentence with changes of one axis, then of two, that make a combination legal."""
    changes = [(name, value) for name, values in _VALUES.items() for value in values]
    legal: list[tuple[tuple[str, object], ...]] = []
    for some in [*combinations(changes, 1), *combinations(changes, 2)]:
        needless = any(set(one) <= set(some) for one in legal)
        repeated = len(dict(some)) < len(some)
        if needless or repeated or next(_objections(_changed(axes, some)), None) is not None:
            continue
        legal.append(some)
        if len(legal) == _FEW:
            break
    words = [", ".join(f"{name}={value!r}" for name, value in some) for some in legal]
    return f"Legal would be {'; or '.join(words)}." if words else "More than two axes must change."


def _changed(axes: Axes, changes: Iterable[tuple[str, object]]) -> Axes:
    """Return a combination with other values, which need not be legal."""
    changed = copy(axes)
    vars(changed).update(changes)
    return changed


def _objections(axes: Axes) -> Iterator[str]:
    """Yield a sentence for each rule that a combination breaks."""
    yield from _against_the_set(axes)
    yield from _against_the_steps(axes)
    yield from _against_the_place(axes)
    yield from _against_the_storage(axes)


def _against_the_set(axes: Axes) -> Iterator[str]:
    """Yield the errors in the representation of the selected vertices."""
    select, emit = axes.select.name, axes.emit.name
    if axes.select is Select.ALL and axes.emit is not Emit.FLAG:
        yield (
            f"ALL cannot use {emit}, it relaxes every vertex and needs only one bit, whether a "
            "label fell: use FLAG"
        )
    if axes.emit is Emit.FLAG and axes.select is not Select.ALL:
        yield (
            f"{select} cannot use FLAG, one bit does not store which vertices are selected: "
            "use FLAGS, ATOMIC_QUEUE or PREFIX_SUM"
        )
    flagged = axes.select is Select.BELOW and axes.direction is Direction.PULL
    if axes.select in _QUEUED and not axes.listed and not flagged:
        yield (
            f"{select} cannot use {emit}, vertices for later rounds are split off a list: "
            "use ATOMIC_QUEUE or PREFIX_SUM"
        )
    if axes.map in _OF_A_LIST and not axes.listed:
        yield (
            f"{axes.map.name} cannot use {emit}, it distributes the edges of a list of vertices: "
            "use ATOMIC_QUEUE or PREFIX_SUM"
        )
    if axes.select is Select.BUCKET and axes.arrange is None:
        yield "BUCKET needs an arrange that puts vertices into buckets: MERGE, SORT or MULTISPLIT"
    if axes.arrange is not None and axes.select is not Select.BUCKET:
        yield (
            f"{select} cannot use {axes.arrange.name}, only BUCKET has buckets to arrange: "
            "leave it out"
        )


def _against_the_steps(axes: Axes) -> Iterator[str]:
    """Yield the errors in the steps that lower labels and compute minima."""
    select = axes.select.name
    if axes.settles and axes.reduce is Reduce.NONE:
        yield f"{select} needs a reduce, its threshold is a minimum: GRID, ONE_PASS or HOST"
    if not axes.settles and axes.reduce is not Reduce.NONE:
        yield f"{select} cannot use {axes.reduce.name}, its rounds need no minimum: use NONE"
    if axes.lower is Lower.STORED_MIN and not axes.settles:
        yield (
            f"{select} cannot use STORED_MIN, it writes no sum that is not below the label: use "
            "PLAIN_MIN"
        )
    if axes.direction is Direction.PUSH:
        return
    if not axes.settles and axes.select is not Select.BELOW:
        yield (
            f"{select} cannot use PULL, which visits the unsettled vertices, and only MIN, OUT and "
            "BELOW settle any: use PUSH"
        )
    if axes.emit is not Emit.FLAGS:
        yield (
            f"PULL cannot use {axes.emit.name}, it tests whether each predecessor is selected, "
            "which a list does not support: use FLAGS"
        )
    if axes.map is not Map.THREAD:
        yield (
            f"PULL cannot use {axes.map.name}, its kernel has one thread per unsettled vertex: "
            "use THREAD"
        )
    if axes.lower is not Lower.ATOMIC_MIN:
        yield (
            f"PULL cannot use {axes.lower.name}, no other thread lowers the same label, so "
            "no minimum can be lost: leave it out"
        )


def _against_the_place(axes: Axes) -> Iterator[str]:
    """Yield the errors in the placement of steps on the CPU."""
    if axes.host_driven and axes.select is not Select.MIN:
        yield (
            f"{axes.select.name} runs on the GPU alone, the CPU has only the steps of MIN: "
            "leave every step on the GPU, and take GRID for a minimum"
        )
    if axes.place.on_cpu and axes.reduce in {Reduce.GRID, Reduce.GRID_TWICE}:
        yield (
            f"{axes.reduce.name} keeps the minimum on the GPU, where the other steps do not all "
            "run: use ONE_PASS, TWO_PASS or HOST"
        )
    if (axes.reduce is Reduce.HOST) != (axes.place.reduce is Side.CPU):
        yield (
            f"{axes.reduce.name} does not run on the {axes.place.reduce.name}: "
            "use HOST on the CPU, GRID, ONE_PASS or TWO_PASS on the GPU"
        )
    if axes.host_driven and axes.listed:
        yield (
            f"{axes.emit.name} cannot be shared with the CPU, only kernels write and read lists: "
            "use FLAGS"
        )
    if axes.place.relax is Side.GPU:
        return
    if axes.map is not Map.THREAD:
        yield (
            f"{axes.map.name} maps edges to the threads of a GPU, and relax is on the CPU: "
            "use THREAD"
        )
    if axes.lower is not Lower.ATOMIC_MIN:
        yield (
            f"{axes.lower.name} is for concurrent threads, and relax is on the CPU: use ATOMIC_MIN"
        )
    if axes.memory is Memory.SHARED:
        yield "SHARED is memory of a GPU, and relax is on the CPU: use GLOBAL"


def _against_the_storage(axes: Axes) -> Iterator[str]:
    """Yield the errors in layout, memory, edges and labels."""
    select, emit, pull = axes.select.name, axes.emit.name, axes.direction is Direction.PULL
    dense, shared = axes.layout is Layout.DENSE, axes.memory is Memory.SHARED
    if shared and not dense and not pull:
        yield (
            "SHARED with CSR needs PULL, where neighbouring threads read neighbouring rows, while "
            "PUSH reads the rows of a few selected vertices: use GLOBAL"
        )
    if dense and not (axes.select is Select.MIN and axes.emit is Emit.FLAGS):
        yield (
            f"DENSE cannot use {select} with {emit}, each thread reads a row or a column and its "
            "flags: use MIN with FLAGS"
        )
    if dense and axes.map is not Map.THREAD:
        yield f"DENSE cannot use {axes.map.name}, all its rows are equally long: use THREAD"
    if dense and axes.place.relax is Side.GPU and not shared:
        yield "DENSE on the GPU needs SHARED, its blocks load labels and flags in chunks"
    swept = axes.select in {Select.ALL, Select.IMPROVED} and not axes.listed
    if axes.layout is Layout.ELL and not swept:
        yield (
            f"ELL cannot use {select} with {emit}, its columns are read by the threads of "
            "neighbouring vertices, in sweeps: use ALL with FLAG or IMPROVED with FLAGS"
        )
    if axes.edges is Edges.CLASSIFIED and (pull or not axes.listed or axes.settles):
        yield (
            "CLASSIFIED needs PUSH of a list of improved vertices, as the classes determine which "
            "need no atomic minimum and no place in the list: use ALL edges"
        )
    if axes.edges is Edges.LIGHT_FIRST and (pull or axes.select is not Select.BELOW):
        yield (
            f"{select} cannot use LIGHT_FIRST, which needs PUSH of a list and a threshold that "
            "rises by delta when its heavy edges are relaxed: use BELOW or ALL edges"
        )
    if axes.labels is Labels.TWO_ARRAYS and not swept:
        yield (
            "TWO_ARRAYS needs a sweep, which copies all labels after a round: "
            "ALL with FLAG, or IMPROVED with FLAGS"
        )
