"""A device without a GPU: g++ compiles the kernels, whose threads run as fibers in a seeded order.

Arrays are NumPy's, and launches are synchronous. ``cpp/emulator/cuda_on_cpu.hpp`` replaces CUDA's
headers; it is part of the repository, not of the wheel.

>>> from warpath.engines.emulator.device import EmulatedDevice, Unit
>>> device = EmulatedDevice(seed=1)
>>> add = Unit("add", 'extern "C" __global__ void add(int* x, int y) { x[threadIdx.x] += y; }')
>>> x = device.put(np.zeros(64, np.int32))
>>> device.launch(add, 1, x, np.int32(7))
>>> int(device.get(x).sum())
448
"""

from __future__ import annotations

import ctypes
import shutil
import tempfile
import threading
import weakref
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from warpath.base import settings
from warpath.base.errors import InputError
from warpath.engines.cuda.compile import HEADERS
from warpath.engines.emulator import build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from warpath._core import CompletionFlag
    from warpath.base.dtypes import Array
    from warpath.engines.base import Device, Transfer


_POINTER = 65536  # in an argument's code, before 256 * kind + size
_EMULATOR = Path(__file__).parents[4] / "cpp" / "emulator"
_KINDS = {"i": "i", "u": "i", "b": "b", "f": "f"}
_MESSAGE = 4096
_one_at_a_time = threading.Lock()  # the process has only one scheduler


class Kernel(Protocol):
    """A kernel that can be launched: a translation unit and the name of its function."""

    @property
    def name(self) -> str:
        """The name of its ``extern "C" __global__`` function."""
        ...

    @property
    def source(self) -> str:
        """The translation unit, in CUDA C++."""
        ...


@dataclass(frozen=True)
class Unit:
    """A kernel by its name and source."""

    name: str
    source: str


class EmulationError(RuntimeError):
    """A launch that would fail or hang on a GPU; the message names kernel, block and thread."""


class EmulatedDevice:
    """Runs kernels on one thread of the CPU, in an order drawn from a seed.

    Parameters
    ----------
    seed : the same seed and launches give the same order of threads, hence the same results.
    block : threads in a block.
    processors : number of processors that the device reports, for launches that stride over the
        grid.
    sanitize : "thread" (or True) or "address" compiles the kernels for that sanitizer, whose
        runtime must have been loaded before Python (see ``.ci/sanitize``); "loaded" for the
        loaded one, if any.
    headers : the folder of the kernels' headers; by default the package's.
    emulator : the folder of ``cuda_on_cpu.hpp``; by default the one in this checkout.
    cache : the folder of compiled kernels; by default a temporary one.

    Attributes
    ----------
    seed : int
        Can be set at any time, which restarts the sequence of launches.
    messages : list of str
        The compiler's warnings about all kernels built so far.
    """

    name = "emulated"
    xp: Any = np
    shared_memory = 48 * 1024
    packed = True

    def __init__(
        self,
        seed: int = 0,
        block: int = 64,
        processors: int = 2,
        sanitize: Literal["thread", "address", "loaded"] | bool = False,
        headers: Path | None = None,
        emulator: Path | None = None,
        cache: Path | None = None,
    ) -> None:
        self.block = block
        self.processors = processors
        self.seed = seed
        self.messages: list[str] = []
        self._loaded: dict[str, _Loaded] = {}
        if cache is None:
            cache = Path(tempfile.mkdtemp(prefix="warpath-"))
            weakref.finalize(self, shutil.rmtree, cache, ignore_errors=True)
        self._builder = build.Builder(
            folder=cache,
            emulator=emulator or _EMULATOR,
            headers=headers or HEADERS,
            sanitize=_sanitizer(sanitize),
        )

    @property
    def seed(self) -> int:
        """The seed of the order of threads."""
        return self._seed

    @seed.setter
    def seed(self, seed: int) -> None:
        self._seed = seed
        self._next = (seed * 0x9E3779B97F4A7C15) % 2**64

    def free_memory(self) -> int:
        """Return the configured bytes of GPU memory, or else the host's free memory."""
        most = settings.gpu_memory()
        return settings.memory() if most is None else most

    def put(self, array: Array, out: Array | None = None, *, wait: bool = True) -> Array:
        """Copy an array to the device, always synchronously."""
        del wait
        return _copy(array, out)

    def get(self, array: Array, out: Array | None = None) -> Array:
        """Copy an array from the device."""
        return _copy(array, out)

    def host_array(self, like: Array) -> Array:
        """Return an array of the shape and type of another."""
        return np.empty_like(like)

    def mapped(self, array: Array) -> Array:
        """Return the array: kernels run on the host."""
        return array

    def synchronize(self) -> None:
        """Do nothing: launches are synchronous."""

    def finish(self, halt: Array, word: CompletionFlag, seconds: float) -> None:
        """Do nothing: launches are synchronous."""

    def active(self) -> AbstractContextManager[None]:
        """Do nothing: it is the only device."""
        return nullcontext()

    def prepare(self, kernels: Iterable[Kernel]) -> None:
        """Compile kernels together, which is much faster than one by one."""
        missing = {k.name: k for k in kernels if not self._has(k)}
        for library in self._builder.build(list(missing.values())):
            if library.messages:
                self.messages.append(library.messages)
            for name in library.names:
                self._loaded[name] = _Loaded(library.handle, missing[name])

    def resident_blocks(self, _kernel: Kernel) -> int:
        """Return the number of blocks of a kernel whose blocks wait for each other."""
        return 2 * self.processors

    def fetch(self, array: Array, out: Array) -> Callable[[], None]:
        """Copy an array from the device into `out`; return a function that waits for the copy."""
        out[...] = array
        return lambda: None

    def reads(self, other: Device) -> bool:  # noqa: ARG002 - they have one memory
        """Return True."""
        return True

    def exchange(self, transfers: Sequence[Transfer]) -> None:
        """Copy arrays between emulated devices."""
        for transfer in transfers:
            transfer.out[...] = transfer.array

    def launch(self, kernel: Kernel, blocks: int, *args: Any) -> None:
        """Run `blocks` blocks of the kernel and wait.

        Parameters
        ----------
        args : arrays, None for a null pointer, or NumPy scalars, each as the kernel declares it.

        Raises
        ------
        InputError
            If the type of an argument differs from the kernel's.
        EmulationError
            For a deadlock, a warp intrinsic for lanes that have returned, and similar errors.
        """
        self._run(kernel, blocks, args)

    def _run(self, kernel: Kernel, blocks: int, args: Sequence[Any]) -> None:
        if not self._has(kernel):
            self.prepare([kernel])
        self._next = (self._next + 1) % 2**64
        with _one_at_a_time:
            threads = getattr(kernel, "threads", 0) or self.block
            self._loaded[kernel.name].run(blocks, threads, self._next, args)

    def prepared(self, kernel: Kernel, blocks: int, *args: Any) -> _Prepared:
        """Return a launch of the kernel whose arguments can be changed."""
        return _Prepared(kernel, blocks, list(args))

    def fire(self, launch: _Prepared) -> None:
        """Run a prepared launch and wait."""
        self._run(launch.kernel, launch.blocks, launch.args)

    def _has(self, kernel: Kernel) -> bool:
        loaded = self._loaded.get(kernel.name)
        return loaded is not None and loaded.source == kernel.source


class _Prepared:
    """A prepared launch; numbers that are changed keep their types."""

    def __init__(self, kernel: Kernel, blocks: int, args: list[Any]) -> None:
        self.name = kernel.name
        self.kernel, self.blocks, self.args = kernel, blocks, args

    def change(self, position: int, value: Any) -> None:
        before = self.args[position]
        self.args[position] = type(before)(value) if isinstance(before, np.generic) else value


def _copy(array: Array, out: Array | None) -> Array:
    if out is None:
        return np.array(array, order="C")
    out[...] = array
    return out


class _Loaded:
    """A compiled kernel, the type codes of its arguments, and a buffer to pass them."""

    def __init__(self, library: ctypes.CDLL, kernel: Kernel) -> None:
        self.name = kernel.name
        self.source = kernel.source
        describe = library[f"argument_{kernel.name}"]
        self._codes: list[int] = []
        while (code := describe(len(self._codes))) >= 0:
            self._codes.append(code)
        count = len(self._codes)
        self._slots = (ctypes.c_uint64 * max(count, 1))()
        first = ctypes.addressof(self._slots)
        self._pointers = (ctypes.c_void_p * max(count, 1))(*(first + 8 * i for i in range(count)))
        self._message = ctypes.create_string_buffer(_MESSAGE)
        self._call = library[f"call_{kernel.name}"]
        self._call.argtypes = [
            ctypes.c_uint,
            ctypes.c_uint,
            ctypes.c_ulonglong,
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_ulong,
        ]

    def run(self, blocks: int, threads: int, seed: int, args: Sequence[Any]) -> None:
        if len(args) != len(self._codes):
            msg = f"kernel {self.name} takes {len(self._codes)} arguments, not {len(args)}"
            raise InputError(msg)
        for i, (value, code) in enumerate(zip(args, self._codes, strict=True)):
            self._slots[i] = self._word(i, value, code)
        if self._call(blocks, threads, seed, self._pointers, self._message, _MESSAGE):
            raise EmulationError(self._message.value.decode())

    def _word(self, position: int, value: Any, code: int) -> int:
        """Return the bits of an argument; InputError if its type is not the kernel's."""
        if code >= _POINTER:
            if value is None:
                return 0
            if isinstance(value, np.ndarray) and (
                code == _POINTER or _code(value) == code - _POINTER
            ):
                if not value.flags.c_contiguous:
                    msg = f"kernel {self.name}, argument {position}: the array is not contiguous"
                    raise InputError(msg)
                return int(value.__array_interface__["data"][0])
        elif isinstance(value, np.generic) and _code(value) == code:
            return int.from_bytes(value.tobytes(), "little")
        address = (
            f"{type(value).__name__} of {value.dtype}" if hasattr(value, "dtype") else repr(value)
        )
        msg = f"kernel {self.name}, argument {position}: found {address}, expected {_said(code)}"
        raise InputError(msg)


def _sanitizer(wanted: str | bool) -> str:
    if wanted == "loaded":
        return build.loaded_sanitizer()
    return "thread" if wanted is True else wanted or ""


def _code(value: np.generic | Array) -> int:
    dtype = value.dtype
    return ord(_KINDS.get(dtype.kind, "?")) * 256 + dtype.itemsize


def _said(code: int) -> str:
    if code == _POINTER:
        return "any array, or None"
    kind = {"i": "an integer", "f": "a float", "b": "a bool"}[chr(code % _POINTER // 256)]
    what = f"{kind} of {8 * (code % 256)} bits"
    return f"an array of {what} each, or None" if code > _POINTER else what


class InterruptibleDevice(EmulatedDevice):
    """Runs each kernel in a thread, so that signals are handled while it runs.

    An interrupted kernel cannot be stopped: it runs on to its end, and no other begins before.
    """

    _ended: Event | None = None  # of the last launch; a thread interrupted in `join` seems to end

    def wait(self) -> None:
        """Wait for the kernel of an interrupted call, which still writes to its buffers."""
        while self._ended is not None and not self._ended.wait(_MOMENT):
            pass

    def _run(self, kernel: Kernel, blocks: int, args: Sequence[Any]) -> None:
        failed: list[BaseException] = []
        self._ended = ended = Event()

        def launch() -> None:
            try:
                EmulatedDevice._run(self, kernel, blocks, args)  # noqa: SLF001 - the base class's
            except BaseException as error:  # noqa: BLE001 - raised below
                failed.append(error)
            finally:
                ended.set()

        Thread(target=launch, daemon=True).start()
        self.wait()
        if failed:
            raise failed[0]


_MOMENT = 0.1  # seconds between two looks at signals
