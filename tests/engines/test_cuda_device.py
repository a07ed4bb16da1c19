"""The GPU as the host loops see it, over fakes of CuPy and cuda.core."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import warpath as wp
from warpath import _core
from warpath.engines.base import Transfer
from warpath.engines.cuda import device, launches
from warpath.engines.cuda.device import open_device
from warpath.engines.cuda.driver import device_count, versions
from warpath.engines.cuda.entry import Kernel

from .conftest import CUDAError, CUDARuntimeError, OutOfMemoryError, calls_in

pytestmark = pytest.mark.usefixtures("machine")

ADD = Kernel("add", "the source of add")


@pytest.fixture
def gpu():
    return open_device("cuda")


def test_a_device_says_what_it_is(gpu):
    assert (gpu.name, gpu.model, gpu.capability) == ("cuda:0", "NVIDIA H200", (9, 0))
    assert (gpu.arch, gpu.block, gpu.processors) == ("sm_90", 256, 132)
    assert gpu.xp is sys.modules["cupy"]
    assert versions() == {
        "driver": "for CUDA 13.0",
        "CUDA runtime": "13.2",
        "compiler": "NVRTC 13.5, cuda.core 1.2.2",
        "cupy": "14.2.0",
    }


def test_a_device_is_opened_once_whatever_it_is_called(gpu, machine):
    machine.gpus.append({"name": b"NVIDIA A100", "major": 8, "minor": 0})
    assert open_device("cuda:0") is gpu
    other = open_device("cuda:1")
    assert (other.name, other.arch) == ("cuda:1", "sm_80")
    assert open_device("cuda:1") is other
    assert device_count() == 2


def test_a_newer_gpu_of_a_known_generation_runs_the_code_of_the_older(machine):
    machine.gpus = [{"name": b"", "major": 12, "minor": 1}, {"name": b"", "major": 8, "minor": 9}]
    assert open_device("cuda:0").arch == "sm_120"
    assert open_device("cuda:1").arch == "sm_86"


def test_arrays_go_there_and_back(gpu):
    for array in (np.arange(6.0).reshape(2, 3), np.zeros(0, np.int32), np.arange(8)[::2]):
        with gpu.active():
            there = gpu.put(array)
            back = gpu.get(there)
        assert not isinstance(there, np.ndarray)
        np.testing.assert_array_equal(back, array)
        assert back.dtype == array.dtype


def test_the_device_is_current_inside_and_the_former_one_after(machine):
    machine.gpus.append(machine.gpus[0])
    second = open_device("cuda:1")
    with second.active():
        assert machine.current == 1
        assert machine.used == [1]  # a new thread has no context before
    assert machine.current == 0
    with pytest.raises(ZeroDivisionError), second.active():
        raise ZeroDivisionError
    assert machine.current == 0


def test_a_launch_passes_addresses_null_and_scalars_of_their_width(gpu, machine):
    array = gpu.put(np.zeros(4, np.int32))
    scalars = [np.int64(5), np.int32(-1), np.float32(0.5), np.float64(0.25), np.uint8(1)]
    machine.arguments = 7
    with gpu.active():
        gpu.launch(ADD, 7, array, None, *scalars)
    ((stream, shape, _, words),) = machine.launches
    assert (stream, shape) == ("driver's stream 0", (7, 1, 1, 256, 1, 1, 0))
    bits = [int(np.float32(0.5).view(np.uint32)), int(np.float64(0.25).view(np.uint64))]
    assert words == [array.data.ptr, 0, 5, 2**32 - 1, *bits, 1]
    assert machine.loads == [(b"sm_90 the source of add", "add")]


def test_kernels_of_one_name_and_other_sources_are_not_confused(gpu, machine):
    for source in ("one", "two", "one"):
        gpu.launch(Kernel("add", source), 1)
    assert [image for image, _ in machine.loads] == [b"sm_90 one", b"sm_90 two", b"sm_90 one"]


def test_a_launch_of_no_blocks_is_nothing(gpu, machine):
    gpu.launch(ADD, 0)
    assert machine.launches == []


def test_a_kernel_is_launched_in_blocks_of_its_own_size_and_memory(gpu, machine):
    gpu.launch(Kernel("wide", "", threads=512, shared=60_000, at_once=True), 9)
    ((_, shape, *_),) = machine.launches
    assert shape == (9, 1, 1, 512, 1, 1, 60_000)
    assert gpu.busy
    assert machine.allowed == [("most shared memory", 60_000, "handle of loaded wide", 0)]


def test_more_shared_memory_than_there_is_is_refused(gpu):
    with pytest.raises(wp.DeviceError, match=r"cannot take 300,000 bytes of shared memory: CUDA_E"):
        gpu.launch(Kernel("wide", "", shared=300_000), 1)


def test_a_gpu_says_how_many_blocks_of_a_kernel_run_at_once(gpu, machine):
    assert gpu.resident_blocks(ADD) == 132 * 8
    assert gpu.resident_blocks(Kernel("wide", "", threads=512, shared=60_000)) == 132 * 3
    gpu.launch(ADD, 1)
    assert [name for _, name in machine.loads] == ["add", "wide"]
    assert gpu.resident_blocks(Kernel("add", "another", threads=1024)) == 132 * 2


def test_copies_between_gpus_begin_and_end_between_the_launches_of_both(machine):
    machine.gpus *= 2
    first, second = open_device("cuda:0"), open_device("cuda:1")

    def array(place, nbytes):
        return SimpleNamespace(data=SimpleNamespace(ptr=place), nbytes=nbytes)

    there_and_back = [
        Transfer(first, array(100, 8), second, array(200, 8)),
        Transfer(second, array(300, 16), first, array(400, 16)),
    ]
    first.exchange(there_and_back)
    told = [each for each in machine.events if each[0] != "event"]
    assert told == [
        ("record", 0, "work"),
        ("record", 1, "work"),
        ("work waits for", 0, 1),
        ("copy", 0, 1, 200, 100, 8, 0, 1),
        ("record", 2, "work"),
        ("work waits for", 1, 0),
        ("copy", 1, 0, 400, 300, 16, 0, 0),
        ("record", 3, "work"),
        ("work waits for", 2, 0),
        ("work waits for", 3, 1),
    ]
    assert machine.peers == [(1, 0), (0, 1)]
    machine.events.clear()
    first.exchange(there_and_back)
    assert machine.events == told
    first.peers.clear()
    first.exchange(there_and_back)
    assert machine.peers == [(1, 0), (0, 1)]


def test_memory_of_another_allocator_is_not_read_from_another_gpu(machine):
    machine.gpus *= 2
    first, second = open_device("cuda:0"), open_device("cuda:1")
    assert first.reads(second)
    assert first.reads(first)
    machine.allocator = "asynchronous"
    assert not first.reads(second)


def test_a_copy_beside_the_work_begins_after_what_was_launched_before(gpu, machine):
    there, here = gpu.put(np.arange(5)), np.zeros(5, np.int64)
    wait = gpu.fetch(there, here)
    assert machine.events[2:] == [
        ("record", 0, "work"),
        ("stream",),
        ("copies wait for", 0),
        ("copy", "copies", False),
        ("record", 1, "copies"),
    ]
    wait()
    assert machine.events[-1] == ("wait for", 1)
    assert here.tolist() == [0, 1, 2, 3, 4]
    gpu.fetch(there, here)
    assert machine.events.count(("stream",)) == 1


@pytest.mark.parametrize("wrong", [5, 0.5, np.zeros(3), "text", [1]])
def test_an_argument_of_another_kind_is_named(gpu, wrong):
    with pytest.raises(TypeError, match="argument 1 of the kernel add is of <class"):
        gpu.launch(ADD, 1, np.int32(1), wrong)


def test_launches_reuse_what_they_need(gpu, machine):
    for _ in range(3):
        for blocks in (7, 8):
            gpu.launch(ADD, blocks)
            gpu.launch(Kernel("sub", "the source of sub"), blocks)
    assert [name for _, name in machine.loads] == ["add", "sub"]


def test_free_memory_counts_what_cupy_keeps_and_what_it_may_use(gpu, machine, monkeypatch):
    monkeypatch.delenv("WARPATH_GPU_MEMORY", raising=False)
    machine.free, machine.pool_free = 1000, 50
    assert gpu.free_memory() == 1050
    machine.pool_limit, machine.pool_used = 600, 200
    assert gpu.free_memory() == 400
    monkeypatch.setenv("WARPATH_GPU_MEMORY", "300")
    assert gpu.free_memory() == 300


def test_an_allocation_that_fails_is_not_enough_memory(gpu):
    with (
        pytest.raises(wp.NotEnoughMemoryError, match="ran out of its 140"),
        gpu.active(),
    ):
        raise OutOfMemoryError("of 9 bytes")


def launch_and_wait(gpu):
    gpu.launch(ADD, 1)
    gpu.synchronize()


def test_a_failure_names_the_kernel_that_was_launched_last(gpu, machine):
    machine.failure = CUDARuntimeError("cudaErrorIllegalAddress: an illegal memory access")
    message = "failed in the kernel add: cudaErrorIllegalAddress"
    with pytest.raises(wp.DeviceError, match=message), gpu.active():
        launch_and_wait(gpu)


def test_a_failure_seen_late_names_the_kernels_since_the_last_wait(gpu, machine):
    def many():
        launch_and_wait(gpu)
        for at in range(5):
            gpu.launch(Kernel(f"k{at}", ""), 1)
        machine.failure = CUDARuntimeError("cudaErrorLaunchFailure: unspecified")
        gpu.get(array)

    array = gpu.put(np.zeros(3))
    message = "in the kernel k4 or one launched shortly before it: k3, k2: cudaErrorLaunch"
    with pytest.raises(wp.DeviceError, match=message), gpu.active():
        many()


@pytest.mark.parametrize("wait", ["get", "synchronize"])
def test_a_wait_that_went_well_clears_what_was_launched_before(gpu, machine, wait):
    def waits():
        gpu.launch(ADD, 1)
        gpu.get(array) if wait == "get" else gpu.synchronize()
        gpu.launch(Kernel("last", ""), 1)
        machine.failure = CUDARuntimeError("cudaErrorLaunchFailure: unspecified")
        gpu.synchronize()

    array = gpu.put(np.zeros(3))
    with pytest.raises(wp.DeviceError, match="failed in the kernel last: "), gpu.active():
        waits()


def test_a_copy_into_a_given_array_has_ended_when_it_returns(gpu, machine):
    out = gpu.put(np.zeros(3))
    assert gpu.put(np.ones(3), out) is out
    np.testing.assert_array_equal(gpu.get(out), np.ones(3))
    machine.failure = CUDARuntimeError("seen by waiting")
    with pytest.raises(CUDARuntimeError):
        gpu.put(np.ones(3), out)


def test_a_copy_need_not_be_waited_for(gpu, machine):
    out = gpu.put(np.zeros(3))
    machine.failure = CUDARuntimeError("seen by waiting")
    assert gpu.put(np.ones(3), out, wait=False) is out
    with pytest.raises(CUDARuntimeError):
        gpu.synchronize()


def test_a_kernel_gets_a_mapped_array_at_its_address_on_the_host(gpu, machine):
    here, machine.arguments = np.zeros(3), 1
    gpu.launch(ADD, 1, gpu.mapped(here))
    assert machine.launches[0][-1] == [here.ctypes.data]


def test_a_failure_without_a_kernel_says_so(gpu, machine):
    machine.failure = CUDARuntimeError("cudaErrorECCUncorrectable: uncorrectable ECC error")
    message = "before a kernel was launched: cudaErrorECC"
    with pytest.raises(wp.DeviceError, match=message), gpu.active():
        gpu.synchronize()


def test_a_launch_that_is_refused_names_its_kernel(gpu):
    message = "in the kernel add: CUDA_ERROR_INVALID_VALUE"
    with pytest.raises(wp.DeviceError, match=message), gpu.active():
        gpu.launch(ADD, 20_000)


def test_other_errors_leave_as_they_are(gpu):
    with pytest.raises(wp.NegativeCycleError), gpu.active():
        raise wp.NegativeCycleError([1, 2], -1)


def test_code_that_the_driver_does_not_take_names_the_versions(gpu, machine):
    machine.refuses = CUDAError("CUDA_ERROR_NO_BINARY_FOR_GPU")
    with pytest.raises(
        wp.DeviceError,
        match=r"cuda:0 does not load the kernel add \(CUDA_ERROR_NO_BINARY_FOR_GPU\): compiled for "
        r"sm_90 by NVRTC 13\.5, cuda\.core 1\.2\.2, the driver is for CUDA 13\.0",
    ):
        gpu.launch(ADD, 1)
    machine.refuses = ValueError("no such symbol")
    with pytest.raises(ValueError, match="no such symbol"):
        gpu.launch(ADD, 1)


@pytest.mark.parametrize(
    ("module", "package"),
    [("cupy", "cupy"), ("cuda.core", "cuda-core"), ("cuda.bindings.nvrtc", "NVRTC")],
)
def test_a_missing_package_comes_with_the_line_that_installs_it(monkeypatch, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    message = rf"needs {package}, which is not installed: pip install cupy-cuda13x "
    with pytest.raises(wp.MissingDependencyError, match=message):
        open_device("cuda")


def test_a_cupy_that_does_not_start_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "cupy.py").write_text(
        'raise ImportError("==\\nOriginal error:\\n  ImportError: libcuda.so.1: cannot open\\n==")'
    )
    monkeypatch.delitem(sys.modules, "cupy")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        wp.NoDeviceError,
        match=r"does not start here: ImportError: libcuda\.so\.1: cannot open\. Use",
    ):
        open_device("cuda")


def test_without_a_driver_or_a_gpu_it_says_which(machine):
    machine.driver = 0
    assert versions()["driver"] == "none"
    with pytest.raises(wp.NoDeviceError, match=r"no NVIDIA driver is installed here\. Use device="):
        open_device("cuda")
    machine.driver, machine.gpus = 13000, []
    with pytest.raises(wp.NoDeviceError, match=r"finds no GPU here \(cudaErrorNoDevice: "):
        open_device("cuda")


def test_a_driver_older_than_the_compiler_is_refused_with_what_it_can_run(machine):
    machine.driver = 12040
    with pytest.raises(
        wp.NoDeviceError,
        match=r"for CUDA 12\.4, too old for NVRTC 13\.5: .* pip install cupy-cuda12x ",
    ):
        open_device("cuda")
    machine.nvrtc = (12, 9)  # CuPy's own runtime is still for CUDA 13
    with pytest.raises(wp.NoDeviceError, match="cudaErrorInsufficientDriver"):
        open_device("cuda")


def test_an_error_of_another_kind_is_not_hidden(monkeypatch):
    def broken():
        raise KeyError("a fault of ours")

    monkeypatch.setattr(sys.modules["cupy"].cuda.runtime, "getDeviceCount", broken)
    with pytest.raises(KeyError):
        open_device("cuda")


def test_a_gpu_that_is_not_there_is_refused_by_its_number(machine):
    with pytest.raises(wp.NoDeviceError, match=r"'cuda:1' does not exist: .* sees 'cuda:0'\."):
        open_device("cuda:1")
    machine.gpus *= 4
    with pytest.raises(wp.NoDeviceError, match="sees 'cuda:0' to 'cuda:3'"):
        open_device("cuda:7")


@pytest.mark.parametrize("name", ["cpu", "cuda:", "cuda:x", "cuda:-1", "cuda:12345", "CUDA"])
def test_a_name_of_no_gpu_is_refused(name):
    with pytest.raises(wp.InputError, match="is not a valid GPU"):
        open_device(name)


def test_an_old_gpu_and_one_too_new_are_refused(machine):
    machine.gpus[0] |= {"name": b"Tesla V100", "major": 7}
    with pytest.raises(
        wp.NoDeviceError, match=r"Tesla V100, has compute capability 7\.0; kernels n"
    ):
        open_device("cuda")
    machine.gpus[0] |= {"name": b"NVIDIA Z1", "major": 15}
    with pytest.raises(wp.NoDeviceError, match=r"15\.0 is none that NVRTC 13\.5.*7\.5 to 12\.0"):
        open_device("cuda")


def test_a_forked_child_is_told_to_spawn(monkeypatch):
    open_device("cuda")
    child = os.getpid() + 1
    monkeypatch.setattr(os, "getpid", lambda: child)
    with pytest.raises(wp.NoDeviceError, match="before this process was forked"):
        open_device("cuda")


def test_a_launch_costs_python_few_steps(gpu):
    """The budget of a launch is counted in calls, not measured: no object is made twice."""
    array = gpu.put(np.zeros(4, np.int32))
    gpu.launch(ADD, 7, array)
    # The lambda, the 5 methods of a launch, the kernel's hash and its comparison, 3 for the
    # argument, and the fakes' 3.
    assert calls_in(lambda: gpu.launch(ADD, 7, array)) <= 14


SOLVE = Kernel("solve", "the source of solve", threads=512, shared=4096, at_once=True)


def test_what_is_launched_again_and_again_is_laid_out_once(gpu, machine):
    array, other = gpu.put(np.zeros(4, np.int32)), gpu.put(np.zeros(4, np.int32))
    machine.arguments, machine.stream.ptr = 5, 96
    numbers = (np.int64(-2), np.float32(0.5), np.uint32(7))
    launch = gpu.prepared(SOLVE, 264, array, None, *numbers)
    gpu.fire(launch)
    launch.change(4, 9)
    launch.change(0, other)
    gpu.fire(launch)
    half = int(np.float32(0.5).view(np.uint32))
    function = int(machine.allowed[0][2])
    shape = (264, 1, 1, 512, 1, 1, 4096)
    assert machine.launches == [
        ("driver's stream 96", shape, function, [array.data.ptr, 0, 2**64 - 2, half, 7]),
        ("driver's stream 96", shape, function, [other.data.ptr, 0, 2**64 - 2, half, 9]),
    ]
    assert launch.name == "solve"
    assert gpu.busy


@pytest.mark.parametrize("wrong", [5, 0.5, np.zeros(3), "text"])
def test_an_argument_of_another_kind_is_not_laid_out(gpu, wrong):
    with pytest.raises(TypeError, match="argument 1 of the kernel solve is of <class"):
        gpu.prepared(SOLVE, 1, np.int32(1), wrong)


def test_what_the_driver_does_not_launch_is_a_device_error(gpu):
    launch = gpu.prepared(SOLVE, 20_000)
    with (
        pytest.raises(wp.DeviceError, match="in the kernel solve: CUDA_ERROR_INVALID_VALUE"),
        gpu.active(),
    ):
        gpu.fire(launch)


def test_streams_that_are_kept_for_launches_stay_few(gpu, machine):
    launch = gpu.prepared(SOLVE, 1)
    for at in range(1000):
        machine.stream.ptr = 96 + at
        gpu.fire(launch)
    assert [stream for stream, *_ in machine.launches][-1] == "driver's stream 1095"
    assert len(gpu._handles) <= 64


def test_a_thread_whose_device_it_is_already_takes_nothing_else(machine):
    machine.gpus *= 2
    first, second = open_device("cuda:0"), open_device("cuda:1")
    for gpu, seen in ((first, [0]), (first, [0]), (second, [0, 1]), (second, [0, 1, 1])):
        with gpu.active():
            assert machine.current == gpu.index
        assert machine.used == seen
    assert machine.current == 0
    with second.active(), second.active(), first.active():
        assert machine.current == 0
    assert machine.used == [0, 1, 1, 1, 0]


def solving(gpu):
    """Launch what looks at a word and says one; return both."""
    halt = gpu.put(np.zeros(2, np.int32))
    gpu.launch(Kernel("solve", "", at_once=True), 1, halt)
    return halt, _core.CompletionFlag(np.full(8, -1), -1)


def test_the_word_of_a_kernel_is_waited_for_and_nothing_else(gpu, machine):
    halt, word = solving(gpu)
    words = np.zeros(8, np.int64)
    gpu.finish(halt, _core.CompletionFlag(words, -1), 60)
    assert machine.turns == 0
    assert not gpu.busy
    gpu.finish(halt, word, 60)  # which ended without one
    assert machine.turns == -1


@pytest.mark.parametrize("failure", [KeyboardInterrupt, TimeoutError])
def test_ctrl_c_or_an_alarm_ends_a_kernel_and_the_wait_for_it(gpu, machine, failure):
    halt, word = solving(gpu)
    machine.failure = failure()
    with pytest.raises(failure), gpu.active():
        gpu.finish(halt, word, 60)
    ((to, _, size, _, stream),) = machine.copied
    assert (to, size, stream) == (halt.data.ptr, 4, 4048)


@pytest.mark.parametrize("wait", ["get", "synchronize"])
def test_ctrl_c_ends_a_wait_for_kernels_that_take_long(gpu, machine, wait):
    array, _ = solving(gpu)
    machine.failure = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), gpu.active():
        gpu.get(array) if wait == "get" else gpu.synchronize()
    assert ("record", 0, "work") in machine.events  # it asked, and did not wait inside a copy
    assert machine.copied == []


def test_a_kernel_that_takes_too_long_is_stopped(gpu, machine):
    halt, word = solving(gpu)
    machine.turns = 2
    message = r"the kernel solve ran for 0 s, longer than any solve takes, and was stopped\."
    with pytest.raises(wp.DeviceError, match=message):
        gpu.finish(halt, word, 0)
    assert len(machine.copied) == 1


def test_a_kernel_that_cannot_be_stopped_is_told(gpu, machine, monkeypatch):
    monkeypatch.setattr(device, "_TO_HALT", 0.0)
    halt, word = solving(gpu)
    machine.turns = 2**40
    with pytest.raises(wp.DeviceError, match="does not stop: end this process"):
        gpu.finish(halt, word, 0)


def test_the_host_sleeps_while_it_waits_for_long(gpu, machine, monkeypatch):
    naps = []
    monkeypatch.setattr(launches.time, "sleep", naps.append)
    monkeypatch.setattr(launches, "_SPIN", 0.0)
    machine.turns = 5
    gpu.finish(*solving(gpu), 60)
    assert naps == [1e-4] * 5


def test_a_forked_child_is_told_so_by_what_came_from_the_parent(gpu, monkeypatch):
    monkeypatch.setattr(gpu, "process", -1)
    with pytest.raises(wp.NoDeviceError, match="spawn"), gpu.active():
        pass
