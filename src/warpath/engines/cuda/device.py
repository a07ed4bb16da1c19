"""One GPU: arrays of CuPy, kernels loaded and launched by cuda.core on CuPy's current stream."""

from __future__ import annotations

import os
import re
import threading
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpath.base import settings, units
from warpath.base.errors import DeviceError, InputError, NoDeviceError, NotEnoughMemoryError
from warpath.base.log import logged
from warpath.engines.cuda import compile as compiling
from warpath.engines.cuda.driver import (
    as_version,
    device_count,
    dotted,
    failed_in,
    forked,
    import_cupy,
    of_cuda,
)
from warpath.engines.cuda.launches import (
    Active,
    CUDADriverError,
    Launch,
    OfThread,
    wait_for,
    wait_for_word,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from types import ModuleType

    from numpy.typing import NDArray

    from warpath._core import CompletionFlag
    from warpath.engines.base import Transfer
    from warpath.engines.cuda.entry import Kernel

    Array = Any  # of CuPy
    HostArray = NDArray[Any]


_OLDEST = (8, 0)  # the lowest compute capability that kernels support
_PACKED = (9, 0)  # from here on the minimum of a sum is one instruction, also for 16 bits
_ALREADY_ENABLED = 704  # cudaErrorPeerAccessAlreadyEnabled
_STATIC_SHARED = 48 * 1024  # default limit of a block's shared memory, in bytes
_KEPT_STREAMS = 64
_TO_HALT = 5.0  # seconds that a kernel may take to end after a halt
_TO_HALT_FOR_CTRL_C = 0.9

_open: dict[str, CudaDevice] = {}  # by full name
_opening = threading.Lock()


class CudaDevice:
    """A GPU; created by `open_device` and kept for the life of the process.

    Methods are to be called inside ``with device.active():``.

    Attributes
    ----------
    name, xp : "cuda:0"; CuPy, the module of its arrays.
    block : threads of a block.
    processors : number of multiprocessors.
    shared_memory : maximum bytes of shared memory of a block.
    packed : whether two labels of 16 bits are lowered by one instruction.
    model, capability, memory : name of the model, compute capability, bytes of memory.
    arch : the architecture that its kernels are compiled for.
    process : id of the process that opened it; forked children cannot use it.
    index, peers : its number, and of others whether it can read their memory, as far as known.
    """

    block = 256

    def __init__(self, index: int, cupy: ModuleType, core: ModuleType) -> None:
        facts = cupy.cuda.runtime.getDeviceProperties(index)
        self.name = f"cuda:{index}"
        self.xp = cupy
        self.processors = int(facts["multiProcessorCount"])
        self.model = facts["name"].decode()
        self.capability = (int(facts["major"]), int(facts["minor"]))
        self.memory = int(facts["totalGlobalMem"])
        self.shared_memory = int(facts.get("sharedMemPerBlockOptin", _STATIC_SHARED))
        if self.capability < _OLDEST:
            msg = (
                f"{self.name}, {self.model}, has compute capability {dotted(self.capability)}; "
                f"kernels need {dotted(_OLDEST)} (Ampere, 2020) or above. Use device='cpu'."
            )
            raise NoDeviceError(msg)
        self.packed = self.capability >= _PACKED
        self.arch = compiling.architecture(self.capability)
        self.process = os.getpid()
        self.index = index
        self._core = core
        self._driver = compiling.cuda_driver()
        self._context = -1  # CUDA's handle of its context, once a thread has entered
        self.current_stream = cupy.cuda.get_current_stream
        # Objects that launches need are cached, because creating them takes longer than a launch.
        self._loaded: dict[str, tuple[Kernel, Any]] = {}
        self._resident: dict[str, tuple[Kernel, int]] = {}
        self._handles: dict[int, Any] = {}
        self.peers: dict[int, bool] = {}
        self._own = OfThread()

    def active(self) -> AbstractContextManager[None]:
        """Return a context in which this is the calling thread's device.

        It converts errors of CUDA and CuPy to `DeviceError` and `NotEnoughMemoryError`.
        """
        return Active(self)

    def entered(self) -> Any:
        """Make this the calling thread's device; return the context that restores the former one.

        None if it already is, the usual case: this check takes a tenth of the time of a change.
        """
        if self.process != os.getpid():
            raise NoDeviceError(forked(self.name))
        self._own.launched.clear()
        if int(self._driver.cuCtxGetCurrent()[1]) == self._context:
            return None
        current = self.xp.cuda.Device(self.index)
        current.__enter__().use()  # creates a new thread's context, which a launch does not
        self._context = int(self._driver.cuCtxGetCurrent()[1])
        return current

    def free_memory(self) -> int:
        """Return the bytes available to new arrays: free in CUDA or in CuPy's memory pool.

        At most WARPATH_GPU_MEMORY.
        """
        free, _ = self.xp.cuda.runtime.memGetInfo()
        pool = self.xp.get_default_memory_pool()
        free += pool.free_bytes()
        limit, most = pool.get_limit(), settings.gpu_memory()
        if limit:
            free = min(free, limit - pool.used_bytes())
        return int(free if most is None else min(free, most))

    def put(self, array: HostArray, out: Array | None = None, *, wait: bool = True) -> Array:
        """Copy an array to the device, into `out` if given, and wait for the copy or not."""
        there = self.xp.empty(array.shape, array.dtype) if out is None else out
        there.set(array)
        if out is not None and wait:  # from page-locked memory the copy may still be under way
            self.synchronize()
        return there

    def get(self, array: Array, out: HostArray | None = None) -> HostArray:
        """Copy an array from the device after all earlier work, into `out` if given."""
        if self._own.lasting:  # Ctrl-C cannot interrupt the wait of a copy
            self.synchronize()
        here: HostArray = self.xp.asnumpy(array, out=out)
        self._own.launched.clear()
        return here

    def fetch(self, array: Array, out: HostArray) -> Callable[[], None]:
        """Copy an array into page-locked memory on another stream; return a function that waits."""
        events = self.xp.cuda.Event
        before, after = events(disable_timing=True), events(disable_timing=True)
        before.record(self.current_stream())
        stream = self.copying
        stream.wait_event(before)
        array.get(stream=stream, out=out, blocking=False)
        after.record(stream)

        def wait() -> None:
            wait_for(after)

        return wait

    def reads(self, other: Any) -> bool:
        """Return whether kernels of this GPU can read the memory of another one, and allow it.

        Access is allowed to memory of CuPy's own pool; that of other allocators may not be covered.
        """
        if self.xp.cuda.get_allocator() != self.xp.get_default_memory_pool().malloc:
            return False
        readable: bool | None = self.peers.get(other.index)
        if readable is None:
            with self.active():
                readable = self.peers[other.index] = self._allow(other)
        return readable

    def _allow(self, other: CudaDevice) -> bool:
        runtime = self.xp.cuda.runtime
        if other.index == self.index:
            return True
        if not runtime.deviceCanAccessPeer(self.index, other.index):
            return False
        try:
            runtime.deviceEnablePeerAccess(other.index)
        except runtime.CUDARuntimeError as error:
            if error.status != _ALREADY_ENABLED:
                raise
        return True

    def exchange(self, transfers: Sequence[Transfer]) -> None:
        """Copy arrays between GPUs; see `warpath.engines.base.Device`.

        Each copy runs on its receiver's current stream, after what was launched before on both
        GPUs. Without peer access CUDA copies through the host.
        """
        senders: dict[int, Any] = {id(transfer.sender): transfer.sender for transfer in transfers}
        receivers: dict[int, Any] = {
            id(transfer.receiver): transfer.receiver for transfer in transfers
        }
        ready, copied = {}, {}
        for key, sender in senders.items():
            with sender.active():
                ready[key] = sender.recorded("ready")
        for key, receiver in receivers.items():
            with receiver.active():
                stream = receiver.current_stream()
                for transfer in transfers:
                    if transfer.receiver is receiver:
                        _copy(transfer, stream, ready[id(transfer.sender)])
                copied[key] = receiver.recorded("copied")
        for key, sender in senders.items():
            with sender.active():
                stream = sender.current_stream()
                for to in {
                    id(transfer.receiver) for transfer in transfers if id(transfer.sender) == key
                }:
                    stream.wait_event(copied[to])

    @cached_property
    def copying(self) -> Any:
        """The stream of copies that overlap kernels."""
        return self.xp.cuda.Stream(non_blocking=True)

    def host_array(self, like: Array) -> HostArray:
        """Return a page-locked host array with the shape and type of another array."""
        size = max(like.nbytes, 1)
        memory = self.xp.cuda.alloc_pinned_memory(size)
        here: HostArray = np.frombuffer(memory, like.dtype, like.size).reshape(like.shape)
        return here

    def mapped(self, array: HostArray) -> Array:
        """Return a page-locked host array as a kernel's argument, which keeps the array alive.

        With unified addressing, which every 64-bit system has, the address is the same for both.
        """
        return SimpleNamespace(data=SimpleNamespace(ptr=array.ctypes.data), held=array)

    def synchronize(self) -> None:
        """Wait until all work on the current stream is done; Ctrl-C ends the wait."""
        wait_for(self.recorded())
        self._own.rested()

    @property
    def busy(self) -> bool:
        """Whether this thread has launched a kernel since it last waited."""
        return bool(self._own.launched)

    def finish(self, halt: Array, word: CompletionFlag, seconds: float) -> None:
        """Wait until a kernel writes its status word, or ends without one.

        A kernel ends soon after the first word of `halt` becomes 1. An exception, of Ctrl-C or of
        another signal's handler, sets it: a later status word could be taken for the next solve's.

        Raises
        ------
        DeviceError
            If it takes longer than `seconds`; the kernel is halted first.
        """
        try:
            if wait_for_word(word, self.current_stream, seconds):
                self._own.rested()
                return
        except BaseException:
            self._halted(halt, _TO_HALT_FOR_CTRL_C)
            raise
        name = next(reversed(self._own.launched), "launched last")
        what = f"{self.name}, {self.model}: the kernel {name} ran for {seconds:,.0f} s, longer than"
        if self._halted(halt, _TO_HALT):
            msg = f"{what} any solve takes, and was stopped."
        else:
            msg = f"{what} any solve takes, and does not stop: end this process."
        raise DeviceError(f"{msg} That is a fault of warpath: please report it.")

    def _halted(self, halt: Array, seconds: float) -> bool:
        """Halt a kernel by a copy on another stream; return whether it ends within `seconds`."""
        end = self.recorded()
        flag = self.host_array(np.zeros(1, np.int32))
        flag[0] = 1
        stream = self.xp.cuda.Stream(non_blocking=True)
        to_device = self.xp.cuda.runtime.memcpyHostToDevice
        self.xp.cuda.runtime.memcpyAsync(
            halt.data.ptr, flag.ctypes.data, flag.nbytes, to_device, stream.ptr
        )
        return wait_for(end, seconds)

    def recorded(self, use: str = "wait") -> Any:
        """Record an event after all work on the current stream, and return it.

        Each thread has one event for each use, as creating them takes longer than recording.
        """
        event = self._own.events.get(use)
        if event is None:
            event = self._own.events[use] = self.xp.cuda.Event(disable_timing=True)
        event.record(self.current_stream())
        return event

    def resident_blocks(self, kernel: Kernel) -> int:
        """Return how many blocks of a kernel can run at the same time on the GPU."""
        cached, blocks = self._resident.get(kernel.name, (None, 0))
        if cached is not kernel and cached != kernel:
            threads, loaded = kernel.threads or self.block, self._kernel(kernel)
            resident = loaded.occupancy.max_active_blocks_per_multiprocessor(threads, kernel.shared)
            blocks = int(resident) * self.processors
            self._resident[kernel.name] = kernel, blocks
        return blocks

    def launch(self, kernel: Kernel, blocks: int, *args: Any) -> None:
        """Launch a kernel on CuPy's current stream, without waiting for it.

        Parameters
        ----------
        kernel : compiled and loaded when first launched.
        blocks : number of blocks; 0 launches nothing.
        args : arrays on this device, None for a null pointer, NumPy scalars by value.
        """
        if blocks:  # CUDA calls an empty grid an error
            self.fire(self.prepared(kernel, blocks, *args))

    def prepared(self, kernel: Kernel, blocks: int, *args: Any) -> Launch:
        """Return a launch of a kernel, with its arguments laid out.

        Parameters
        ----------
        kernel, blocks, args : as in `launch`; at least one block.
        """
        function = self._driver.CUfunction(int(self._kernel(kernel).handle))
        return Launch(kernel, function, blocks, kernel.threads or self.block, args)

    def fire(self, launch: Launch) -> None:
        """Launch a `prepared` launch on CuPy's current stream, without waiting for it."""
        handle = self.current_stream().ptr
        stream = self._handles.get(handle)
        if stream is None:
            if len(self._handles) >= _KEPT_STREAMS:
                self._handles.clear()
            stream = self._handles[handle] = self._driver.CUstream(handle)
        own = self._own
        own.launched.append(launch.name)
        if launch.at_once:
            own.lasting = True
            launches = self._driver.cuLaunchCooperativeKernel
            error = launches(*launch.shape, stream, launch.parameters)[0]
        else:
            error = self._driver.cuLaunchKernel(*launch.shape, stream, launch.parameters, 0)[0]
        if error:
            raise CUDADriverError(error.name)

    def _kernel(self, kernel: Kernel) -> Any:
        """Return a kernel as loaded on this device."""
        cached, loaded = self._loaded.get(kernel.name, (None, None))
        return loaded if cached is kernel or cached == kernel else self._load(kernel)

    def _load(self, kernel: Kernel) -> Any:
        image = compiling.cubin(kernel, self.arch)
        try:
            code = self._core.ObjectCode.from_cubin(image, name=kernel.name)
            loaded = code.get_kernel(kernel.name)
        except Exception as error:
            if not of_cuda(error):
                raise
            driver = self.xp.cuda.runtime.driverGetVersion()
            msg = (
                f"{self.name} does not load the kernel {kernel.name} ({error}): compiled for "
                f"{self.arch} by {compiling.compiler()}, the driver is for CUDA "
                f"{dotted(as_version(driver))}. A newer driver, or an older NVRTC, may load it."
            )
            raise DeviceError(msg) from error
        if kernel.shared:
            compiling.allow_shared(loaded.handle, kernel.shared, self.index)
        self._loaded[kernel.name] = kernel, loaded
        return loaded

    def explained(self, error: Exception) -> DeviceError | NotEnoughMemoryError | None:
        """Return the error to raise for one of CuPy or cuda.core; None for any other error."""
        if isinstance(error, self.xp.cuda.memory.OutOfMemoryError):
            return NotEnoughMemoryError(
                f"{self.name}, {self.model}, ran out of its {units.size(self.memory)}: {error} "
                "End what else uses this GPU, take a larger one, or use device='cpu'."
            )
        if not of_cuda(error):
            return None
        return DeviceError(
            f"{self.name}, {self.model}, failed {failed_in(list(self._own.launched))}: {error}. "
            "A device that failed stays unusable in its process: start a new one."
        )


def open_device(name: str) -> CudaDevice:
    """Return a GPU by its name, the same object each time.

    Parameters
    ----------
    name : "cuda", the first GPU, or "cuda:1"; numbers are those within CUDA_VISIBLE_DEVICES.

    Raises
    ------
    MissingDependencyError
        Without CuPy, cuda.core or NVRTC.
    NoDeviceError
        Without a driver or a GPU of that number, or if either is too old.
    """
    opened = _open.get(name)
    if opened is not None:  # `entered` checks whether the process is still the same
        return opened
    match = re.fullmatch(r"cuda(?::(\d{1,4}))?", name)
    if match is None:
        msg = f"device={name!r} is not a valid GPU; use 'cuda' or 'cuda:1'."
        raise InputError(msg)
    index = int(match[1] or 0)
    with _opening:
        if any(device.process != os.getpid() for device in _open.values()):
            raise NoDeviceError(forked(name))
        whole = f"cuda:{index}"
        if whole not in _open:
            count = device_count()
            if index >= count:
                seen = "'cuda:0'" if count == 1 else f"'cuda:0' to 'cuda:{count - 1}'"
                msg = f"device={name!r} does not exist: this process sees {seen}."
                raise NoDeviceError(msg)
            with logged(f"started {whole}"):
                _open[whole] = CudaDevice(index, import_cupy(), compiling.cuda_core())
        return _open[whole]


def _copy(transfer: Transfer, stream: Any, ready: Any) -> None:
    """Copy an array on a stream of the receiver's, after an event of the sender's."""
    receiver: Any = transfer.receiver
    sender: Any = transfer.sender
    array: Any = transfer.array
    out: Any = transfer.out
    receiver.reads(sender)
    stream.wait_event(ready)
    receiver.xp.cuda.runtime.memcpyPeerAsync(
        out.data.ptr, receiver.index, array.data.ptr, sender.index, out.nbytes, stream.ptr
    )
