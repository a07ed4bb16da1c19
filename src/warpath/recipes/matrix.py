"""The axes on which the published Floyd-Warshalls for GPUs differ, and which mixes can run."""

from __future__ import annotations

from dataclasses import dataclass

from warpath.recipes.axes import Axis, Memory


class Relax(Axis):
    """Who relaxes the entries of the matrix through an intermediate vertex."""

    ENTRY = "entry", "a thread for each entry, a launch for each vertex [one thread per edge]"
    ROW = "row", "a thread walks over a row, a launch for each vertex [one thread per vertex]"
    TILE = (
        "tile",
        (
            "a block for each tile, three launches for the vertices of a pivot tile: that tile, "
            "those in its row and column, the others [tiled, three phases]"
        ),
    )


@dataclass(frozen=True)
class MatrixSteps:
    """A value on each axis; a mix that no kernel can run is refused with the reason."""

    relax: Relax
    memory: Memory = Memory.GLOBAL

    def __post_init__(self) -> None:
        if self.relax is Relax.ROW and self.memory is Memory.SHARED:
            objection = (
                "ROW cannot use SHARED, a thread has a row to itself, and of it uses one label "
                "again, which it holds in a register: use GLOBAL"
            )
            raise ValueError(f"no algorithm is ({self.words()}): {objection}.")

    def words(self) -> str:
        """Return the values in one line: who relaxes, then the memory if it is shared."""
        memory = [self.memory] if self.memory is Memory.SHARED else []
        return ", ".join(str(one.value) for one in (self.relax, *memory))

    def explained(self) -> list[tuple[str, str, str]]:
        """Return each axis, its value and what that means."""
        return [(axis, value.value, value.meaning) for axis, value in vars(self).items()]


MATRIX_AXES: tuple[type[Axis], ...] = (Relax,)
"""The axes of its own; `Memory` is shared with the rounds."""
