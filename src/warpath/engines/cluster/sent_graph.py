"""Graphs on workers: sent once to each, kept there in a cache of limited size.

The arrays of a graph are the value of a task without inputs, whose key has their digest. The
scheduler keeps the task, and a worker gets its value from another worker that has it; where the
last one was lost, the scheduler runs the task again. So nothing is lost with a worker, which
scattered data can be.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from warpath.base import settings
from warpath.graph.derived import Derived, bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from distributed import Client, Future

    from warpath.graph import Graph

_PART_OF_MEMORY = 4  # of which graphs may take one


class SentGraph(NamedTuple):
    """A graph on its way to workers.

    Attributes
    ----------
    digest : of the arrays, and of what else `make` is given.
    make : returns what tasks work with, a graph, from `parts`.
    parts : the arguments of `make`: arrays, numbers or the path of a file.
    """

    digest: str
    make: Callable[..., Any]
    parts: tuple[Any, ...]


#: The futures that hold a graph on clusters, by client and digest.
_HELD: Derived[dict[tuple[str, str], Future]] = Derived(__name__, "the graph on Dask clusters")


def future_of_graph(client: Client, graph: Graph, sent: SentGraph) -> Future:
    """Return the future of a graph on a client's cluster; it stays as long as the graph here."""
    futures = _HELD.of(graph, dict)
    for old, future in list(futures.items()):
        # The client was closed or restarted, or workers died with the task.
        if future.status in ("cancelled", "error") or future.client.status != "running":
            del futures[old]
    key = client.id, sent.digest
    if key not in futures:
        futures[key] = submitted(client, SentGraph, sent, f"warpath-graph-{sent.digest[:12]}")
    return futures[key]


def seen_by_all(client: Client, path: str) -> bool:
    """Return whether all workers have a file of this path, length and time of the last change."""
    here = _status(path)
    there = client.run(_status, path, on_error="return")
    return here is not None and bool(there) and all(digest == here for digest in there.values())


def _status(path: str) -> tuple[int, int] | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def submitted(
    client: Client, make: Callable[..., Any], parts: tuple[Any, ...], name: str
) -> Future:
    """Return the future of a task without inputs, whose arguments the scheduler keeps."""
    import dask

    # The warning about large graphs advises to scatter, whose data are lost with a worker.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": 2**60}):
        return client.submit(make, *parts, key=f"{name}-{uuid4().hex[:8]}", pure=False)


class _Cache:
    """Graphs of this process by their digests; the least recently used ones are dropped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._making: dict[str, threading.Lock] = {}

    def of(self, sent: SentGraph) -> Any:
        """Return what `sent.make` makes; threads that ask at the same time share it."""
        with self._lock:
            making = self._making.setdefault(sent.digest, threading.Lock())
        with making:
            with self._lock:
                graph = self._made.get(sent.digest)
                if graph is not None:
                    self._made.move_to_end(sent.digest)
                    return graph[0]
            graph = sent.make(*sent.parts)
            with self._lock:
                self._made[sent.digest] = graph, bytes_of([p for p in sent.parts if p is not None])
                self._shrink()
        return graph

    def _shrink(self) -> None:
        limit = settings.memory() // _PART_OF_MEMORY
        while len(self._made) > 1 and sum(size for _, size in self._made.values()) > limit:
            digest, _ = self._made.popitem(last=False)
            self._making.pop(digest, None)


CACHE = _Cache()
