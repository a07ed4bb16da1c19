"""The design choices (axes) of the published Floyd-Warshall algorithms for GPUs."""

from __future__ import annotations

from dataclasses import dataclass

from warpath.recipes.axes import Axis, Memory


class Relax(Axis):
    """The threads that relax the entries of the matrix through an intermediate vertex."""

    ENTRY = "entry", "a thread for each entry, a launch for each vertex [one thread per edge]"
    ROW = "row", "a thread for each row, a launch for each vertex [one thread per vertex]"
    TILE = (
        "tile",
        (
            "a block for each tile, three launches for each pivot tile: the pivot, the tiles in "
            "its row and column, the others [tiled, three phases]"
        ),
    )


@dataclass(frozen=True)
class MatrixSteps:
    """A value on each axis; raises ValueError with the reason if no kernel can run them."""

    relax: Relax
    memory: Memory = Memory.GLOBAL

    def __post_init__(self) -> None:
        if self.relax is Relax.ROW and self.memory is Memory.SHARED:
            objection = (
                "ROW cannot use SHARED, each thread has a whole row, and the only label that it "
                "reuses is in a register: use GLOBAL"
            )
            raise ValueError(f"no algorithm is ({self.words()}): {objection}.")

    def words(self) -> str:
        """Return the values in one line: `relax`, then the memory if it is shared."""
        memory = [self.memory] if self.memory is Memory.SHARED else []
        return ", ".join(str(one.value) for one in (self.relax, *memory))

    def explained(self) -> list[tuple[str, str, str]]:
        """Return each axis, its value and the meaning of the value."""
        return [(axis, value.value, value.meaning) for axis, value in vars(self).items()]


MATRIX_AXES: tuple[type[Axis], ...] = (Relax,)
"""The axes of Floyd-Warshall alone; `Memory` is also an axis of rounds."""
