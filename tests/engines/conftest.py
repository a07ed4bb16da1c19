"""A GPU that is none: just enough of CuPy, cuda.core and NVRTC to see what is asked of them.

Each fake raises what the real one raises and refuses what it refuses; nothing is computed.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from warpath.engines.cuda import cache, device
from warpath.engines.cuda import compile as compiling


def calls_in(call):
    """Return how many functions of Python a call enters, itself among them."""
    entered = 0

    def count(_frame, event, _argument):
        nonlocal entered
        entered += event == "call"

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered


class CUDARuntimeError(RuntimeError):  # CuPy's; the real one looks its message up
    pass


class CUDAError(Exception):  # cuda.core's
    pass


class OutOfMemoryError(MemoryError):
    pass


class Handle(str):
    """What the driver calls a kernel, which is a number as well."""

    __slots__ = ()

    def __int__(self):
        return len(self)


class Loaded(str):
    """A loaded kernel, by its name."""

    __slots__ = ()

    handle = property(lambda self: Handle(f"handle of {self}"))
    occupancy = SimpleNamespace(
        max_active_blocks_per_multiprocessor=lambda threads, shared: 2048 // threads - (shared > 0)
    )


class Machine:
    """What the driver would say, and what it was told."""

    def __init__(self):
        self.driver, self.runtime, self.nvrtc = 13000, 13020, (13, 5)
        self.architectures = [75, 80, 86, 90, 100, 103, 120]
        self.gpus = [{"name": b"NVIDIA H200", "major": 9, "minor": 0}]
        self.free, self.total = 100 * 2**30, 140 * 2**30
        self.pool_free, self.pool_used, self.pool_limit = 0, 0, 0
        self.allocator = "of the pool"
        self.current, self.used = 0, []
        self.stream = Work(self)
        self.failure = None  # raised by the next wait
        self.launches, self.loads = [], []
        self.allowed, self.events = [], []  # shared memory, what streams were told
        self.refuses = None  # raised when code is loaded
        self.turns = 0  # how often an event is asked before it is there
        self.copied = []  # beside the work
        self.peers = []  # which device may read which one's memory
        self.arguments = 0  # of a kernel that the driver launches

    def wait(self):
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure

    def properties(self, index):
        return {"multiProcessorCount": 132, "totalGlobalMem": self.total, **self.gpus[index]}

    def count(self):
        if self.driver < 13000:
            raise CUDARuntimeError("cudaErrorInsufficientDriver: CUDA driver version is too old")
        if not self.gpus:
            raise CUDARuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected")
        return len(self.gpus)

    @contextlib.contextmanager
    def device(self, index):
        before, self.current = self.current, index
        try:
            yield SimpleNamespace(use=lambda: self.used.append(index))
        finally:
            self.current = before

    def launch(self, *function_blocks_shape_stream_and_parameters):
        """Launch as the driver does a kernel whose blocks do not wait for each other."""
        *rest, extra = function_blocks_shape_stream_and_parameters
        assert extra == 0
        return self.launch_at_once(*rest)

    def launch_at_once(self, function, blocks, *shape_stream_and_parameters):
        """Launch as the driver does, which is told where the arguments lie."""
        *shape, stream, parameters = shape_stream_and_parameters
        count = self.arguments
        places = (ctypes.c_void_p * count).from_address(parameters)
        words = [ctypes.c_uint64.from_address(place).value for place in places]
        self.launches.append((stream, (blocks, *shape), function, words))
        return (SimpleNamespace(name="CUDA_ERROR_INVALID_VALUE") if blocks > 10_000 else 0,)

    def context(self):
        """Return the context of the thread, which has none before a device is used."""
        return (0, 1000 + self.current if self.used else 0)

    def load(self, image, name):
        self.loads.append((bytes(image), name))
        if self.refuses is not None:
            raise self.refuses
        return SimpleNamespace(get_kernel=lambda symbol: Loaded(f"loaded {symbol}"))

    def allow(self, attribute, size, handle, device):
        self.allowed.append((attribute, size, handle, device))
        return (SimpleNamespace(name="CUDA_ERROR_INVALID_VALUE") if size > 227 * 1024 else "yes",)

    def event(self, **options):
        """Return an event that tells what it is asked to do."""
        assert options == {"disable_timing": True}
        number = len([each for each in self.events if each[0] == "event"])
        self.events.append(("event", number))
        return Event(self, number)

    def copying(self, **options):
        """Return a stream of copies."""
        assert options == {"non_blocking": True}
        self.events.append(("stream",))
        return SimpleNamespace(
            name="copies",
            ptr=4048,
            wait_event=lambda event: self.events.append(("copies wait for", event.number)),
        )

    def allow_peer(self, peer):
        """Let the current device read a peer's memory, which is an error when repeated."""
        if (self.current, peer) in self.peers:
            error = CUDARuntimeError("cudaErrorPeerAccessAlreadyEnabled")
            error.status = 704
            raise error
        self.peers.append((self.current, peer))

    def copy_between(self, out, receiver, array, sender, nbytes, stream):
        self.events.append(("copy", sender, receiver, out, array, nbytes, stream, self.current))


class Work:
    """The stream of kernels: done when the machine has come so far."""

    name = "work"

    def __init__(self, machine):
        self.machine, self.ptr = machine, 0

    def synchronize(self):
        self.machine.wait()

    def wait_event(self, event):
        self.machine.events.append(("work waits for", event.number, self.machine.current))

    @property
    def done(self):
        self.machine.wait()
        self.machine.turns -= 1
        return self.machine.turns < 0


class Event:
    """What is asked until the machine has come so far."""

    def __init__(self, machine, number):
        self.machine, self.number = machine, number

    def record(self, stream):
        self.machine.events.append(("record", self.number, stream.name))

    @property
    def done(self):
        self.machine.wait()
        self.machine.turns -= 1
        if self.machine.turns < 0:
            self.machine.events.append(("wait for", self.number))
        return self.machine.turns < 0


class DeviceArray:
    """An array somewhere else: NumPy's functions do not take it, its address is not the host's."""

    def __init__(self, machine, shape, dtype):
        self._machine, self._values = machine, np.zeros(shape, dtype)
        self.data = SimpleNamespace(ptr=self._values.ctypes.data + 2**50)

    def set(self, array):
        assert isinstance(array, np.ndarray)
        assert (array.shape, array.dtype) == (self._values.shape, self._values.dtype)
        self._values[...] = array

    def get(self, stream, out, *, blocking):
        self._machine.events.append(("copy", stream.name, blocking))
        out[...] = self._values

    def fetched(self, out=None):
        self._machine.wait()
        if out is None:
            return self._values.copy()
        out[...] = self._values
        return out


def _cupy(machine):
    module = ModuleType("cupy")
    module.__version__ = "14.2.0"
    module.empty = lambda shape, dtype: DeviceArray(machine, shape, dtype)
    module.asnumpy = lambda array, out=None: array.fetched(out)
    module.get_default_memory_pool = lambda: SimpleNamespace(
        free_bytes=lambda: machine.pool_free,
        used_bytes=lambda: machine.pool_used,
        get_limit=lambda: machine.pool_limit,
        malloc="of the pool",
    )
    module.cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            driverGetVersion=lambda: machine.driver,
            runtimeGetVersion=lambda: machine.runtime,
            getDeviceCount=machine.count,
            getDeviceProperties=machine.properties,
            memGetInfo=lambda: (machine.free, machine.total),
            memcpyHostToDevice=1,
            memcpyAsync=lambda *args: machine.copied.append(args),
            memcpyPeerAsync=machine.copy_between,
            deviceCanAccessPeer=lambda device, peer: device != peer,
            deviceEnablePeerAccess=machine.allow_peer,
            CUDARuntimeError=CUDARuntimeError,
        ),
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        get_current_stream=lambda: machine.stream,
        get_allocator=lambda: machine.allocator,
        alloc_pinned_memory=bytearray,
        Event=machine.event,
        Stream=machine.copying,
        Device=machine.device,
    )
    return module


def _core(machine):
    module = ModuleType("cuda.core")
    module.__version__ = "1.2.2"
    module.ObjectCode = SimpleNamespace(from_cubin=machine.load)
    module.ProgramOptions = SimpleNamespace
    module.Program = lambda source, _language, options: SimpleNamespace(
        compile=lambda _target: SimpleNamespace(code=f"{options.arch} {source}".encode())
    )
    return module


@pytest.fixture
def machine(monkeypatch):
    """A machine with one H200, seen through the fakes."""
    machine = Machine()
    nvrtc = ModuleType("cuda.bindings.nvrtc")
    nvrtc.nvrtcVersion = lambda: ("success", *machine.nvrtc)
    nvrtc.nvrtcGetSupportedArchs = lambda: ("success", machine.architectures)
    monkeypatch.setitem(sys.modules, "cupy", _cupy(machine))
    monkeypatch.setitem(sys.modules, "cuda.core", _core(machine))
    monkeypatch.setitem(sys.modules, "cuda.bindings.nvrtc", nvrtc)
    driver = ModuleType("cuda.bindings.driver")
    name = "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES"
    driver.CUfunction_attribute = SimpleNamespace(**{name: "most shared memory"})
    driver.CUresult, driver.CUdevice = SimpleNamespace(CUDA_SUCCESS="yes"), int
    driver.cuKernelSetAttribute = machine.allow
    driver.cuCtxGetCurrent = machine.context
    driver.cuLaunchCooperativeKernel = machine.launch_at_once
    driver.cuLaunchKernel = machine.launch
    driver.CUfunction, driver.CUstream = (lambda handle: handle), "driver's stream {}".format
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", driver)
    monkeypatch.setattr(device, "_open", {})
    monkeypatch.setenv("WARPATH_CACHE_DIR", "off")
    compiling.compiler.cache_clear()
    cache.forget()
    yield machine
    compiling.compiler.cache_clear()
    cache.forget()
