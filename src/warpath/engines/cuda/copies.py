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

    Each copy runs on its receiver's stream of copies. Without peer access CUDA copies through the
    host.
    """
    devices: dict[int, Any] = {
        id(one): one for each in transfers for one in (each.sender, each.receiver)
    }
    ready = {}
    for key, device in devices.items():
        with device.active():
            ready[key] = _event(device, device.current_stream())
    done = []
    for each in transfers:
        receiver: Any = each.receiver
        sender: Any = each.sender
        array: Any = each.array
        out: Any = each.out
        with receiver.active():
            _allow_peer(receiver, sender)
            stream = receiver.copying
            stream.wait_event(ready[id(sender)])
            stream.wait_event(ready[id(receiver)])
            receiver.xp.cuda.runtime.memcpyPeerAsync(
                out.data.ptr,
                receiver.index,
                array.data.ptr,
                sender.index,
                out.nbytes,
                stream.ptr,
            )
            done.append((sender, receiver, _event(receiver, stream)))
    for device in devices.values():
        with device.active():
            current = device.current_stream()
            for sender, receiver, event in done:
                if device in (sender, receiver):
                    current.wait_event(event)


def _event(device: Any, stream: Any) -> Any:
    """Return an event recorded after all work on a stream."""
    made = device.xp.cuda.Event(disable_timing=True)
    made.record(stream)
    return made


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
