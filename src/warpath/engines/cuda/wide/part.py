"""What one device has of a search that is divided over several: its buffers and its launches."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from warpath.engines.cuda.entry import Types, kernel
from warpath.engines.cuda.flight import Ended
from warpath.engines.cuda.wide import search as wide

if TYPE_CHECKING:
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device
    from warpath.engines.cuda.entry import Kernel
    from warpath.engines.cuda.flight import Flight
    from warpath.engines.cuda.tables.widths import Width
    from warpath.engines.cuda.wide.division import Division, PartRows, Share

#: `PartCommand` in wide_part.cuh.
_STEP, _SOURCE, _ROUND, _MOST, _SURVEYS, _TURN, _ARRIVING = range(7)
INTO, REST, FOUND, _OUTGOING = range(4)  # `PartReport`


class Step(IntEnum):
    """What a launch does first; `PartStep` in kernels/wide_part.cuh."""

    GO_ON = 0  #: take labels that were received
    BEGIN = 1  #: set all labels, and list the source
    RAISE = 2  #: relax the remainders of rows up to a new bound
    PULL = 3  #: give vertices without a label theirs from settled vertices
    MEND = 4  #: lower labels that were pulled from each other


class PartBuffers(NamedTuple):
    """The buffers of one device; those of `search` are as in `WideBuffers`.

    `command`, `bounds`, `report` and `least` are on the host, where kernels read and write them.
    `outgoing` has two rows, which launches write in turn.
    """

    search: wide.WideBuffers
    dist: Array
    sent: Array
    received: Array | None
    outgoing: Array
    counts: Array
    ordered: Array
    command: Array
    bounds: Array
    report: Array
    least: Array


class Part:
    """The part of a search on one device.

    Parameters
    ----------
    device, rows, flight : where it runs, its rows, and its buffers.
    room : the most labels that another device can send.
    most : rounds of a launch.
    """

    def __init__(
        self, device: Device, rows: PartRows, flight: Flight, room: int, most: int
    ) -> None:
        self.device, self.rows, self.flight, self.room = device, rows, flight, room
        self.most = most
        self.buffers: PartBuffers = flight.buffers
        self.entry = 1 if self.buffers.dist.itemsize == 4 else 2  # words of a label that is sent
        self.listed: list[int] = []  # where the list for each other device begins
        self.turn = 0  # the row of outgoing lists that the last launch wrote
        self.round = 0
        self.quiet = self.surveyed = False
        self.lost = False
        self.under_way = False

    @property
    def leaving(self) -> Array:
        """How many labels wait to be sent to each other device: (k - 1,) int64."""
        return self.buffers.report[_OUTGOING:]

    @property
    def arriving(self) -> Array:
        """What the next launch takes from each other device: (k - 1, 2) int64.

        The number of labels, and their address.
        """
        return self.buffers.command[_ARRIVING:].reshape(-1, 2)

    def list_for(self, index: int, count: int) -> Array:
        """Return the labels that the last launch listed for an owner.

        Parameters
        ----------
        index : the owner's number among the other devices.
        """
        first = self.listed[index] * self.entry
        return self.buffers.outgoing[self.turn, first : first + count * self.entry]

    def room_for(self, index: int, words: int) -> Array:
        """Return where labels of another device are copied to, if this one cannot read them there.

        It is made when first requested: most machines do not need it.
        """
        room = self.buffers.received
        if room is None:
            with self.device.active():
                room = self.device.xp.empty((len(self.listed), self.room * self.entry), np.uint64)
            self.buffers = self.flight.buffers = self.buffers._replace(received=room)
        return room[index, :words]

    def launch(self, step: Step, source: int, bounds: tuple[Any, Any], *, surveys: bool) -> None:
        """Launch; the numbers of labels that arrived are in the command already."""
        command = self.buffers.command
        command[_STEP], command[_SOURCE], command[_ROUND] = step, source, self.round
        self.turn = 1 - self.turn
        command[_MOST], command[_SURVEYS], command[_TURN] = self.most, surveys, self.turn
        self.buffers.bounds[:] = bounds
        with self.device.active():
            self.flight.launch(self.flight.prepared)
        self.under_way = True

    def wait(self) -> None:
        """Wait for the launch and read what it reports."""
        self.under_way = False
        with self.device.active():
            words = self.flight.wait(self.flight.prepared.name)
        self.round, self.quiet, self.surveyed = words[1], bool(words[2]), bool(words[3])
        self.lost = words[0] == Ended.LOST
        self.arriving[:, 0] = 0


def wide_part_kernel(width: Width, block: int) -> Kernel:
    """Return the kernel for a width."""
    types = Types.of(np.int32, width.weight, width.label)
    return kernel("wide_part", types, block, ("lanes", wide.lanes(width)))


def rooms(share: Share) -> tuple[int, int]:
    """Return how many entries and how many runs a device's lists can hold; see `search.rooms`."""
    return share.active, 2 * share.runs + 64


def buffers_of(
    division: Division, number: int, rows: PartRows, label: np.dtype[Any], device: Device
) -> PartBuffers:
    """Return the buffers of one device."""
    xp = device.xp
    share, others = division.shares[number], division.others(number)
    foreign = sum(division.shares[other].active for other in others)
    entry = 1 if label.itemsize == 4 else 2
    command = device.host_array(np.zeros(_ARRIVING + 2 * len(others), np.int64))
    report = device.host_array(np.zeros(_OUTGOING + len(others), np.int64))
    command[:] = report[:] = 0
    never = np.inf if label.kind == "f" else np.iinfo(label).max
    return PartBuffers(
        wide.buffers_of(share.active, *rooms(share), label, device, own=False),
        # Vertices without edges keep this label.
        xp.full(len(division.slots), never, label),
        xp.empty(foreign, label),
        None,
        xp.empty((2, max(foreign * entry, 1)), np.uint64),
        xp.zeros(len(others) + 1, np.uint64),
        xp.empty(rows.out.stop - rows.out.start, label),
        command,
        device.host_array(np.zeros(2, label)),
        report,
        device.host_array(np.zeros(1, label)),
    )


def address(array: Array) -> int:
    """Return the address of an array on a device."""
    memory: Any = array.data
    return int(memory.ptr) if hasattr(memory, "ptr") else array.ctypes.data
