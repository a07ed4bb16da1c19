"""A Dask cluster of worker processes for tests, started at the first use."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def cluster(workers: int = 2, **options: Any) -> Iterator[Any]:
    """Yield a client of a new cluster whose workers are processes with one thread each."""
    import dask
    import distributed

    with (
        # LocalCluster looks for a worker some time after each of its deaths, and closes its nanny
        # for good if the next one has died as well by then.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            **options,
        ) as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        yield client


def pids(client: Any) -> dict[str, int]:
    """Return the process of each worker by its address; without those that just ended."""
    found: dict[str, int] = client.run(os.getpid, on_error="ignore")
    return found
