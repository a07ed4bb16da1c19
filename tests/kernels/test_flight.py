"""One kernel that solves alone, on the emulator: its buffers, its words, how it is stopped."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import warpath as wp
from warpath import generate
from warpath.engines.cuda.flight import FLIGHTS, Ended, flight
from warpath.engines.emulator.device import Unit

SOURCE = """#include "halt.cuh"

extern "C" __global__ void count(int* seen, int* halt, long long* status, int how) {
  atomicAdd(seen, 1);
  if (how < 0) return;
  const bool stop = warpath::halted(halt);
  warpath::conclude(halt, status, [&] {
    status[1] = warpath::load_relaxed(seen);
    return stop ? warpath::kHalted : how;
  });
}
"""
COUNT = Unit("count", SOURCE)


@pytest.fixture
def graph():
    return generate.grid(3, 3, seed=1)


def solve(graph, device, how=Ended.DONE, blocks=2):
    with flight(graph, "counts", device, lambda: device.put(np.zeros(1, np.int32))) as own:
        words = own.run(COUNT, blocks, own.buffers, own.halt, own.status, np.int32(how))
        return words.tolist()[:2], int(device.get(own.buffers)[0])


@pytest.mark.parametrize("seed", range(5))
def test_a_kernel_says_how_it_ended_when_all_its_blocks_have(graph, device, seed):
    device.seed = seed
    assert solve(graph, device, blocks=7)[0] == [Ended.DONE, 448]
    assert solve(graph, device, Ended.LOST, blocks=9)[0] == [Ended.LOST, 1024]


def test_buffers_are_kept_with_the_graph_for_the_next_solve(graph, device):
    assert [solve(graph, device)[1] for _ in range(3)] == [128, 256, 384]
    assert solve(generate.grid(3, 3, seed=1), device)[1] == 128
    assert FLIGHTS.cached(graph, device.name, "counts").nbytes == 4


def test_solves_at_the_same_time_have_buffers_of_their_own(graph, device):
    make = lambda: device.put(np.zeros(1, np.int32))  # noqa: E731
    with flight(graph, "counts", device, make) as one, flight(graph, "counts", device, make) as two:
        assert one.buffers is not two.buffers
        assert one.words is not two.words
    flights = FLIGHTS.cached(graph, device.name, "counts")
    assert (flights.made, len(flights.idle)) == (2, 2)


def test_many_threads_keep_no_more_flights_than_there_were_threads(graph, device):
    def work():
        for _ in range(20):
            solve(graph, device)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    flights = FLIGHTS.cached(graph, device.name, "counts")
    assert flights.made == len(flights.idle) <= 4
    assert sum(int(own.buffers[0]) for own in flights.idle) == 4 * 20 * 128


@pytest.mark.parametrize(
    ("how", "message"),
    [(-1, "the kernel count ended without a word on a graph of n = 9"), (1, "count gave up on")],
)
def test_a_kernel_that_fails_is_an_error_and_its_buffers_are_left(graph, device, how, message):
    with pytest.raises(wp.DeviceError, match=message):
        solve(graph, device, how)
    flights = FLIGHTS.cached(graph, device.name, "counts")
    assert (flights.made, flights.idle) == (0, [])
    assert solve(graph, device) == ([Ended.DONE, 128], 128)


def test_a_kernel_sees_that_it_must_end(graph, device):
    with flight(graph, "counts", device, lambda: device.put(np.zeros(1, np.int32))) as own:
        own.halt[0] = 1
        with pytest.raises(wp.DeviceError, match="gave up"):
            own.run(COUNT, 2, own.buffers, own.halt, own.status, np.int32(0))
        own.halt[0] = 0
