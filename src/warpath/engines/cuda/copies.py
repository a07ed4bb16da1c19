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
    stream = device.copying()
    stream.wait_event(device.event())
    array.get(stream=stream, out=out, blocking=False)
    after = device.event(stream)

    def wait() -> None:
        wait_for(after)

    return wait


def exchange(transfers: Sequence[Transfer]) -> None:
    """Copy arrays between GPUs; see `warpath.engines.base.Device`.

    Each copy runs on its receiver's stream of copies. Without peer access CUDA copies through the
    host.
    """
    devices = {id(one): one for each in transfers for one in (each.sender, each.receiver)}
    ready = {}
    for key, device in devices.items():
        with device.active():
            ready[key] = device.event()
    done = []
    for each in transfers:
        receiver: Any = each.receiver
        sender: Any = each.sender
        with receiver.active():
            _allow_peer(receiver, sender)
            stream = receiver.copying()
            stream.wait_event(ready[id(sender)])
            stream.wait_event(ready[id(receiver)])
            receiver.xp.cuda.runtime.memcpyPeerAsync(
                each.out.data.ptr,
                receiver.index,
                each.array.data.ptr,
                sender.index,
                each.out.nbytes,
                stream.ptr,
            )
            done.append((sender, receiver, receiver.event(stream)))
    for device in devices.values():
        with device.active():
            current: Any = device.current_stream()  # type: ignore[attr-defined]
            for sender, receiver, event in done:
                if device in (sender, receiver):
                    current.wait_event(event)


def _allow_peer(device: CudaDevice, peer: CudaDevice) -> None:
    """Let a GPU read the memory of another one where the machine allows it."""
    if peer.index in device.peers:
        return
    device.peers.add(peer.index)
    runtime = device.xp.cuda.runtime
    if peer.index == device.index or not runtime.deviceCanAccessPeer(device.index, peer.index):
        return
    try:
        runtime.deviceEnablePeerAccess(peer.index)
    except runtime.CUDARuntimeError as error:
        if error.status != _ALREADY_ENABLED:
            raise
