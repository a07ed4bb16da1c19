"""What travels between the CPU and a GPU when both work with an array."""

from __future__ import annotations

import numpy as np
import pytest

from warpath.engines.emulator.device import EmulatedDevice
from warpath.engines.papers.settle import Shared
from warpath.recipes.axes import Side

CPU, GPU = Side.CPU, Side.GPU


class Spy(EmulatedDevice):
    """Notes what is copied and waited for; what is not waited for is copied by the wait."""

    def __init__(self):
        super().__init__()
        self.seen, self._later = [], []

    def put(self, array, out=None, *, wait=True):
        self.seen.append(("put", len(array)))
        if wait:
            return super().put(array, out)
        self._later.append((array, out))
        return out

    def get(self, array, out=None):
        self.synchronize()
        self.seen[-1] = ("get", len(array))
        return super().get(array, out)

    def synchronize(self):
        self.seen.append("wait")
        for array, out in self._later:
            super().put(array, out)
        self._later.clear()


@pytest.fixture
def device():
    return Spy()


def test_without_a_gpu_there_is_one_copy_and_nothing_travels():
    array = np.arange(4)
    shared = Shared(array)
    shared.wrote(CPU, 1, 3)
    assert shared.on(CPU) is array
    assert shared.mirror is None


def test_only_what_may_have_changed_travels_and_once(device):
    there = np.arange(10)
    shared = Shared(there, device)
    here = shared.on(CPU)
    assert here is not there
    assert shared.on(CPU) is here
    here[3:5] = 33
    here[8] = 88
    shared.wrote(CPU, 3, 5)
    shared.wrote(CPU, 8, 9)
    shared.wrote(CPU, 0, 0)
    assert shared.on(GPU) is there
    assert shared.on(GPU) is there
    device.synchronize()
    assert there.tolist() == here.tolist() == [0, 1, 2, 33, 33, 5, 6, 7, 88, 9]
    assert device.seen == [("get", 10), ("put", 6), "wait"]


def test_all_of_an_array_travels_when_a_kernel_may_have_changed_any_place(device):
    there = np.arange(4)
    shared = Shared(there, device)
    shared.on(CPU)
    there[2] = 9
    shared.wrote(GPU)
    assert shared.on(CPU).tolist() == [0, 1, 9, 3]
    assert device.seen == [("get", 4), ("get", 4)]


def test_the_host_changes_an_array_only_after_its_copy_to_the_gpu_has_ended(device):
    there = np.zeros(4)
    shared = Shared(there, device)
    shared.on(CPU)[1] = 1
    shared.wrote(CPU, 1, 2)
    shared.on(GPU)
    shared.on(CPU)[1] = 2
    assert there.tolist() == [0, 1, 0, 0]
    assert device.seen == [("get", 4), ("put", 1), "wait"]


def test_what_a_kernel_writes_to_the_mirror_needs_a_wait_and_no_copy(device):
    shared = Shared(np.zeros(4), device, on_host=True)
    shared.mirror[2] = shared.on(GPU)[2] = 5
    shared.mirrored()
    assert shared.on(CPU).tolist() == [0, 0, 5, 0]
    assert shared.on(CPU).tolist() == [0, 0, 5, 0]
    assert device.seen == [("get", 4), "wait"]
