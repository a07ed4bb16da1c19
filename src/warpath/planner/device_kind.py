"""What the planner knows of a kind of device, and what its plans are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from warpath.graph.facts import Facts
    from warpath.planner.cpu_model import Size
    from warpath.recipes import Recipe, Task


class Hardware(NamedTuple):
    """What there is to run on: threads, and bytes of memory that may be used.

    Of the GPU, if the request needs one: its free bytes, or the sentence why it cannot be used.
    """

    threads: int
    memory: int
    gpu_memory: int | None = None
    no_gpu: str = ""


@dataclass(frozen=True)
class Candidate:
    """An algorithm that could run: predicted seconds, bytes as in `Plan`, and its threads.

    Only what "auto" may take has a predicted time; for the others it is None. `staged` and
    `rows_on_host` are as in `Plan`.
    """

    recipe: Recipe
    seconds: float | None
    bytes: int
    threads: int
    staged: int | None = None
    rows_on_host: bool = False


class Need(NamedTuple):
    """Memory that a plan takes somewhere.

    Attributes
    ----------
    bytes : how many it takes.
    free : how many are free there; None where that is unknown.
    where : the place, as in "would take 3 GiB on the host".
    ways : what to do where it does not fit.
    """

    bytes: int
    free: int | None
    where: str
    ways: str


class DeviceKind(Protocol):
    """A kind of device, as the planner knows it. An engine of this name runs the plans.

    Attributes
    ----------
    name : before the colon of a device's name.
    runs : the name in `Recipe.devices` of the recipes that run here.
    tasks : the tasks that such a device does.
    own_memory : whether arrays are copied into memory of its own, where the graph then stays.
    takes_threads : whether the number of threads has an effect.
    timed : whether the time of a run says how fast the kind of device is.
    """

    name: str
    runs: str
    tasks: frozenset[Task]
    own_memory: bool
    takes_threads: bool
    timed: bool

    def whole_name(self, device: str) -> str | None:
        """Return the whole name of a device ("cuda:0" for "cuda"); None if it is not valid."""
        ...

    def objection(self, recipe: Recipe, task: Task, facts: Facts) -> str | None:
        """Return the sentence why a recipe cannot do a task here; None if it can."""
        ...

    def trace_objection(self, recipe: Recipe) -> str | None:
        """Return the sentence why a recipe keeps no trace here, with a way out; None if it does."""
        ...

    def probes(self, size: Size, facts: Facts) -> bool:
        """Return whether the number of hops across the graph decides which plan is best."""
        ...

    def rows_at_once(self, threads: int) -> int:
        """Return how many rows of a table should be computed at a time."""
        ...

    def candidate(
        self, recipe: Recipe, size: Size, facts: Facts, hardware: Hardware, threads: int | None
    ) -> Candidate:
        """Return a recipe with its predicted time and memory.

        Parameters
        ----------
        threads : those that the caller fixed, or None.
        """
        ...

    def start_seconds(self, recipe: Recipe, size: Size, facts: Facts) -> float:
        """Return what the first call on such a device takes in addition to the candidate's time.

        A function of the question alone, whatever was started, copied or compiled before.
        """
        ...

    def free(self, hardware: Hardware) -> int | None:
        """Return the bytes that are free for a plan; None where that is unknown."""
        ...

    def is_lean(self, candidate: Candidate, size: Size, facts: Facts) -> bool:
        """Return whether a candidate takes no more memory than it should."""
        ...

    def needs(
        self, chosen: Candidate, size: Size, facts: Facts, hardware: Hardware, device: str
    ) -> list[Need]:
        """Return the memory that a plan takes, place by place."""
        ...

    def where(self, device: str) -> str:
        """Return where the bytes of a plan are, in words."""
        ...

    def notes(self, recipe: Recipe) -> list[str]:
        """Return what else there is to know about a recipe here."""
        ...
