"""Dask clients by the names of devices, and the workers behind them."""

from __future__ import annotations

import re
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

import warpath
from warpath.base.errors import InputError, NoDeviceError, require

if TYPE_CHECKING:
    from distributed import Client

#: The address of a scheduler.
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx|ucxx|inproc)://\S+")
_PREFIX = "dask:"
_SECONDS = 10.0  # in which a scheduler must answer
_FRESH = 1.0  # seconds for which neither the list of workers nor an absent scheduler is read again


class Worker(NamedTuple):
    """A worker of a cluster.

    Attributes
    ----------
    address : "tcp://10.0.0.5:40331".
    threads : tasks that it runs at the same time.
    memory : its memory limit in bytes; 0 for none.
    """

    address: str
    threads: int
    memory: int


@dataclass
class _Known:
    """What was read of a cluster: its workers, when, and the addresses of checked versions."""

    workers: list[Worker] = field(default_factory=list)
    read: float = -_FRESH
    checked: set[str] = field(default_factory=set)


_GIVEN: WeakValueDictionary[str, Client] = WeakValueDictionary()  # clients that callers passed
_OPENED: dict[str, Client] = {}  # clients that were opened here, for addresses
_ABSENT: dict[str, tuple[float, str]] = {}  # addresses without a scheduler: when, and the message
_KNOWN: WeakKeyDictionary[Client, _Known] = WeakKeyDictionary()


def is_address(device: str) -> bool:
    """Return whether a device is the address of a scheduler: "tcp://10.0.0.4:8786"."""
    return _ADDRESS.fullmatch(device) is not None


def device_name(device: Any) -> Any:
    """Return the name of a cluster's device, "dask:tcp://10.0.0.4:8786"; others as they are.

    Parameters
    ----------
    device : a Client, "dask" for the current one, the address of a scheduler, or another device.

    Raises
    ------
    InputError
        If the client is closed or asynchronous, or "dask" has no client.
    """
    if isinstance(device, str):
        if device == "dask":
            return device_name(_current())
        if not is_address(device):
            return device
        given = _GIVEN.get(device)
        if given is not None and given.status != "running":
            del _GIVEN[device]  # the address asks for a new connection
        return _PREFIX + device
    distributed = sys.modules.get("distributed")
    if distributed is None or not isinstance(device, distributed.Client):
        return device
    if device.asynchronous:
        msg = f"device={device!r:.80} is asynchronous: pass a Client(asynchronous=False)."
        raise InputError(msg)
    if device.status != "running" or device.scheduler is None:
        raise _closed(repr(device))
    address = device.scheduler.address
    _GIVEN[address] = device
    return _PREFIX + address


def client_of(device: str) -> Client:
    """Return the open client of a device's name; one is opened where only the address is known.

    Raises
    ------
    InputError
        If the client was closed.
    NoDeviceError
        If there is no scheduler at the address.
    """
    if device == "dask":
        device = device_name(device)
    address = device.removeprefix(_PREFIX)
    client = _GIVEN.get(address)
    if client is not None:
        if client.status != "running":
            raise _closed(device)
        return client
    client = _OPENED.get(address)
    if client is None or client.status != "running":
        client = _OPENED[address] = _opened(address)
    return client


def workers_of(client: Client, *, anew: bool = False) -> list[Worker]:
    """Return the workers that a client's scheduler has.

    Raises
    ------
    NoDeviceError
        If there is none.
    """
    cached = _KNOWN.setdefault(client, _Known())
    if anew or not cached.workers or time.monotonic() - cached.read > _FRESH:
        with suppress(OSError):  # the scheduler is gone, which the next task shows
            # Not `scheduler_info`: the client updates it every few seconds, without the workers.
            workers = client.sync(client.scheduler.identity, n_workers=-1)["workers"]
            cached.workers = [
                Worker(address, int(worker["nthreads"]), int(worker["memory_limit"] or 0))
                for address, worker in workers.items()
            ]
        cached.read = time.monotonic()
    if not cached.workers:
        address = client.scheduler.address
        msg = (
            f"the scheduler at {address} has no workers: start some, for example by "
            f"`dask worker {address}`, and repeat the call."
        )
        raise NoDeviceError(msg)
    return cached.workers


def versions() -> tuple[str, str]:
    """Return the versions of warpath and NumPy in this process."""
    return warpath.__version__, np.__version__


def check_versions(client: Client) -> None:
    """Raise NoDeviceError if a worker has no warpath, or another version of it or of NumPy."""
    workers = workers_of(client)
    cached = _KNOWN[client]
    if all(worker.address in cached.checked for worker in workers):
        return
    replies = client.get_versions(packages=["warpath"])["workers"]
    for address, reply in replies.items():
        packages = reply["packages"]
        objection = other_versions(packages.get("warpath"), packages.get("numpy"))
        if objection:
            msg = f"worker {address} {objection}"
            raise NoDeviceError(msg)
    cached.checked = set(replies)


def other_versions(ours: str | None, numpy: str | None) -> str:
    """Return the sentence why a worker's versions do not match this process, or ""."""
    version, array_version = versions()
    if ours is None:
        return (
            f"has no warpath: install warpath {version} there, in the Python that runs the worker."
        )
    if ours != version:
        return f"has warpath {ours}, this process {version}: install the same version in both."
    if numpy is None or numpy.partition(".")[0] != array_version.partition(".")[0]:
        return (
            f"has NumPy {numpy}, this process {array_version}: install the same major version in "
            "both."
        )
    return ""


def _current() -> Client:
    distributed: Any = require("distributed", extra="dask", what="device='dask'")
    try:
        return distributed.default_client()
    except ValueError:
        msg = (
            "device='dask' is the current Dask client, and this process has none: create one, for "
            "example distributed.Client('tcp://10.0.0.4:8786'), or pass the address as device=."
        )
        raise InputError(msg) from None


def _opened(address: str) -> Client:
    distributed: Any = require("distributed", extra="dask", what=f"device={address!r}")
    when, reason = _ABSENT.get(address, (-_FRESH, ""))
    if time.monotonic() - when < _FRESH:  # the steps of a call do not wait anew
        raise NoDeviceError(reason)
    try:
        return distributed.Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        msg = (
            f"device={address!r}: no scheduler answers there ({error}): start one by "
            "`dask scheduler`, or correct the address."
        )
        _ABSENT[address] = time.monotonic(), msg
        raise NoDeviceError(msg) from error


def _closed(device: str) -> InputError:
    return InputError(
        f"device={device}: this Dask client is closed: open another one, distributed.Client("
        "address), and pass it as device=."
    )
