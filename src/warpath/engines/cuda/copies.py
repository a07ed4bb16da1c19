"""Copies that overlap kernels: to the host, and between GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warpath.engines.cuda.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from warpath.engines.base import Transfer
    from warpath.engines.cuda.device import CudaDevice

_ALREADY_ENABLED = 704  # cudaErrorPeerAccessAlreadyEnabled


def fetch(device: CudaDevice, array: Any, out: NDArray[Any]) -> Callable[[], None]:
    """Copy an array into page-locked memory on the stream of copies; return a function that waits.

    The copy begins after all work launched before.
    """
    events = device.xp.cuda.Event
    before, after = events(disable_timing=True), events(disable_timing=True)
    before.record(device.current_stream())
    stream = device.copying
    stream.wait_event(before)
    array.get(stream=stream, out=out, blocking=False)
    after.record(stream)

    def wait() -> None:
        wait_for(after)

    return wait


def exchange(transfers: Sequence[Transfer]) -> None:
    """Copy arrays between GPUs; see `warpath.engines.base.Device`.

    Each copy runs on its receiver's current stream, after what was launched before on both GPUs.
    Without peer access CUDA copies through the host.
    """
    senders: dict[int, Any] = {id(each.sender): each.sender for each in transfers}
    receivers: dict[int, Any] = {id(each.receiver): each.receiver for each in transfers}
    ready, copied = {}, {}
    for key, sender in senders.items():
        with sender.active():
            ready[key] = sender.recorded("ready")
    for key, receiver in receivers.items():
        with receiver.active():
            stream = receiver.current_stream()
            for each in transfers:
                if each.receiver is receiver:
                    _copy(each, stream, ready[id(each.sender)])
            copied[key] = receiver.recorded("copied")
    for key, sender in senders.items():
        with sender.active():
            stream = sender.current_stream()
            for to in {id(each.receiver) for each in transfers if id(each.sender) == key}:
                stream.wait_event(copied[to])


def _copy(transfer: Transfer, stream: Any, ready: Any) -> None:
    """Copy an array on a stream of the receiver's, after an event of the sender's."""
    receiver: Any = transfer.receiver
    sender: Any = transfer.sender
    array: Any = transfer.array
    out: Any = transfer.out
    reads(receiver, sender)
    stream.wait_event(ready)
    receiver.xp.cuda.runtime.memcpyPeerAsync(
        out.data.ptr, receiver.index, array.data.ptr, sender.index, out.nbytes, stream.ptr
    )


def reads(device: Any, peer: Any) -> bool:
    """Return whether kernels of a GPU can read the memory of another one, and allow it.

    Access is allowed to memory of CuPy's own pool; that of other allocators may not be covered.
    """
    if device.xp.cuda.get_allocator() != device.xp.get_default_memory_pool().malloc:
        return False
    known: bool | None = device.peers.get(peer.index)
    if known is None:
        with device.active():
            known = device.peers[peer.index] = _allowed(device, peer)
    return known


def _allowed(device: CudaDevice, peer: CudaDevice) -> bool:
    runtime = device.xp.cuda.runtime
    if peer.index == device.index:
        return True
    if not runtime.deviceCanAccessPeer(device.index, peer.index):
        return False
    try:
        runtime.deviceEnablePeerAccess(peer.index)
    except runtime.CUDARuntimeError as error:
        if error.status != _ALREADY_ENABLED:
            raise
    return True
