"""What differs between operating systems: cores, memory, users, locks and files that are replaced.

==========  =========================  ==========================  =========================
            Linux                      macOS                       Windows
==========  =========================  ==========================  =========================
cores       CPU mask, container quota  all                         all
memory      ``/proc``, cgroup, rlimit  Mach's statistics           ``GlobalMemoryStatusEx``
owners      user ids                   user ids                    not checked
locks       ``flock``                  ``flock``                   ``msvcrt.locking``
open files  can be replaced, removed   can be replaced, removed    opened to share deletion
processor   ``/proc/cpuinfo``          ``sysctl``                  its registered name
==========  =========================  ==========================  =========================
"""

from __future__ import annotations

import functools
import os
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import io

#: Windows locks bytes, and others cannot read these: a byte that no file reaches.
_LOCKED_BYTE = 2**62


def cores() -> int:
    """Return the number of cores that this process may use."""
    mask = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(mask, _quota_of_cgroup() or mask)


def free_memory() -> int:
    """Return the bytes that this process can still use; 2^63 - 1 if the system does not say."""
    free = [_available_of_machine(), _available_of_cgroup(), _available_of_process()]
    return min((bytes_ for bytes_ in free if bytes_ is not None), default=2**63 - 1)


def user() -> int | None:
    """Return the id of the user that this process acts for; None on Windows, which has none."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def processor() -> str:
    """Return the name of the processor, or of its architecture."""
    import platform  # imported here: it takes 3 ms of `import warpath`

    if sys.platform == "darwin":
        name = _sysctl("machdep.cpu.brand_string")
    else:
        model = re.search(r"^model name\s*:\s*(.+)$", processor_facts(), re.MULTILINE)
        name = model[1].strip() if model else ""
    return name or platform.processor() or platform.machine()


def processor_facts() -> str:
    """Return what Linux says about the processors; an empty text elsewhere."""
    return text_of("/proc/cpuinfo") or ""


def lock(file: io.FileIO, *, wait: bool = False) -> bool | None:
    """Lock a file for this process until it is closed.

    Parameters
    ----------
    wait : whether to wait for the process that has locked it.

    Returns
    -------
    bool or None
        False if another open file has the lock, None if the file system has no locks.
    """
    try:
        if sys.platform == "win32":
            _lock_of_windows(file, wait=wait)
        else:
            import fcntl  # imported here: Windows does not have it

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (BlockingIOError, PermissionError):  # the second: Windows
        return False
    except (ImportError, OSError):
        return None
    return True


def open_replaceable(path: str, flags: int) -> int:
    """Open a file that can be renamed and removed while it is open: an opener for `io.FileIO`."""
    if sys.platform == "win32":
        return _open_to_share(path, flags)
    return os.open(path, flags, 0o666)


def text_of(path: str) -> str | None:
    """Return the content of a file of the system, or None if it cannot be read."""
    from pathlib import Path  # imported here: it takes 5 ms of `import warpath`

    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _available_of_machine() -> int | None:
    if sys.platform == "win32":
        return _available_of_windows()
    if sys.platform == "darwin":
        return _available_of_macos()
    match = re.search(r"^MemAvailable:\s+(\d+) kB", text_of("/proc/meminfo") or "", re.MULTILINE)
    return None if match is None else int(match[1]) * 1024


#: The files of a container's memory: its limit, what is used, and statistics with the pages of
#: files that the kernel frees when memory is short, which count as used; cgroup v2, then v1.
_MEMORY_FILES = (
    ("memory.max", "memory.current", "memory.stat", "inactive_file"),
    (
        "memory/memory.limit_in_bytes",
        "memory/memory.usage_in_bytes",
        "memory/memory.stat",
        "total_inactive_file",
    ),
)


def _available_of_cgroup() -> int | None:
    """Return the bytes left under a container's limit, or None without a limit."""
    for *files, name in _MEMORY_FILES:
        limit, used, statistics = (text_of(f"/sys/fs/cgroup/{file}") for file in files)
        if limit is None or used is None or limit.strip() == "max":
            continue
        match = re.search(rf"^{name} (\d+)$", statistics or "", re.MULTILINE)
        return max(0, int(limit) - int(used) + (int(match[1]) if match else 0))
    return None


@functools.cache
def _quota_of_cgroup() -> int | None:
    """Return the cores of a container's quota, rounded up, or None without a quota."""
    version_1 = (text_of(f"/sys/fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period"))
    words = (
        text_of("/sys/fs/cgroup/cpu.max") or " ".join(text or "" for text in version_1)
    ).split()
    if len(words) != 2 or not all(word.isdigit() for word in words):  # "max", or -1
        return None
    quota, period = map(int, words)
    return max(1, -(-quota // period)) if period else None


def _available_of_process() -> int | None:
    """Return the address space left to the process (RLIMIT_AS), or None without a limit."""
    try:
        import resource  # imported here: Windows does not have it
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = None if limit == resource.RLIM_INFINITY else text_of("/proc/self/statm")
    return None if pages is None else max(0, limit - int(pages.split()[0]) * resource.getpagesize())


def _available_of_macos() -> int | None:
    """Return the bytes of free and inactive pages, of Mach's `host_statistics64`."""
    import ctypes

    kind, length = 4, 38  # HOST_VM_INFO64 and its number of words, of which 0 and 2 are read
    words, count = (ctypes.c_uint32 * length)(), ctypes.c_uint32(length)
    try:
        library = ctypes.CDLL(None)
        failed = library.host_statistics64(
            library.mach_host_self(), kind, ctypes.byref(words), ctypes.byref(count)
        )
        return None if failed else (words[0] + words[2]) * os.sysconf("SC_PAGESIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _sysctl(name: str) -> str:
    """Return a text of macOS's `sysctlbyname`; an empty one if there is none."""
    import ctypes

    text, size = ctypes.create_string_buffer(256), ctypes.c_size_t(256)
    try:
        failed = ctypes.CDLL(None).sysctlbyname(
            name.encode(), text, ctypes.byref(size), None, ctypes.c_size_t(0)
        )
    except (AttributeError, OSError):
        return ""
    return "" if failed else text.value.decode(errors="replace")


def _available_of_windows() -> int | None:
    """Return the free physical memory; `ullAvailPhys` is the third of the numbers of 64 bits."""
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            ("numbers", ctypes.c_uint64 * 7),
        )

    status = Status(length=ctypes.sizeof(Status))
    try:
        kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
        answered = kernel.GlobalMemoryStatusEx(ctypes.byref(status))
    except (AttributeError, OSError):
        return None
    return int(status.numbers[1]) if answered else None


if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    def _lock_of_windows(file: io.FileIO, *, wait: bool) -> None:
        at = file.tell()
        file.seek(_LOCKED_BYTE)
        try:
            while True:
                try:
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                except OSError:
                    if not wait:
                        raise
                else:
                    return
        finally:
            file.seek(at)

    def _open_to_share(path: str, flags: int) -> int:
        """Open a file by `CreateFileW`, as `open` does not let others remove it."""
        writes = flags & (os.O_WRONLY | os.O_RDWR)
        reads = not flags & os.O_WRONLY
        access = (0x80000000 if reads else 0) | (0x40000000 if writes else 0)
        share_all = 7  # reading, writing, deletion
        new = {os.O_CREAT | os.O_EXCL: 1, os.O_CREAT | os.O_TRUNC: 2, os.O_CREAT: 4, os.O_TRUNC: 5}
        create = new.get(flags & (os.O_CREAT | os.O_EXCL | os.O_TRUNC), 3)
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateFileW.restype = wintypes.HANDLE
        handle = kernel.CreateFileW(path, access, share_all, None, create, 0x80, None)
        if handle == wintypes.HANDLE(-1).value:
            raise ctypes.WinError(ctypes.get_last_error())
        return msvcrt.open_osfhandle(handle, flags | os.O_BINARY | os.O_NOINHERIT)
