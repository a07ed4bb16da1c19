"""Workers, schedulers and clients that die, and disks that fill, during a table on a cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

import warpath as wp
from support.dask_cluster import cluster, pids
from warpath.api import cluster_calls
from warpath.engines import betweenness
from warpath.engines.cluster.blocks import Blocks, run_block
from warpath.engines.cluster.clients import device_name
from warpath.engines.cluster.tasks import Tasks
from warpath.io import streams

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

in_full = pytest.mark.full(
    "faults of clusters",
    "src/warpath/engines/cluster/*.py",
    "src/warpath/engines/betweenness.py",
    "src/warpath/api/cluster*.py",
    "src/warpath/io/zarr_rows.py",
    "src/warpath/io/streams.py",
    "src/warpath/io/journal.py",
    "tests/support/dask_cluster.py",
)

ROWS = 400


@pytest.fixture
def roads():
    return wp.Graph.of("examples/data/rome99.gr.xz")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(cluster_calls, "_BLOCK_BYTES", 2**17)
    monkeypatch.setattr(cluster_calls, "_STORED_BYTES", 2**17)
    monkeypatch.setattr(streams, "CHUNK_BYTES", 2**16)


def slow_workers(client, seconds):
    """Let each block take some time, so that faults meet blocks that run."""

    def patch():
        import time

        from warpath.api import cluster_worker

        rows = getattr(cluster_worker, "rows_at_full_speed", cluster_worker.rows)
        cluster_worker.rows_at_full_speed = rows

        def slowly(graph, job, block):
            time.sleep(seconds)
            return rows(graph, job, block)

        cluster_worker.rows = slowly

    client.run(patch)


def killer_of(client, every):
    """Return a progress function that kills a random worker after so many rows, and the killed.

    Not after some seconds: on a busy machine workers may take longer to start than to be killed.
    """
    killed, rng = [], np.random.default_rng(3)

    def kill(done, _):
        if done >= every * (len(killed) + 1):
            found = sorted(pids(client).values())
            if found:
                killed.append(int(rng.choice(found)))
                os.kill(killed[-1], signal.SIGKILL)

    return kill, killed


@pytest.mark.parametrize(
    "name", ["table.npy", *(pytest.param(name, marks=in_full) for name in ("table.zarr", None))]
)
def test_killed_workers_change_no_bit(roads, tmp_path, name):
    sources = np.arange(ROWS) * 7
    out = None if name is None else tmp_path / name
    with cluster() as client:
        slow_workers(client, 0.05)
        kill, killed = killer_of(client, 120)
        found = wp.distances(roads, sources, out=out, device=client, progress=kill)
    assert len(killed) > 1
    assert (found.dist[:] == wp.distances(roads, sources).dist).all()


@in_full
def test_an_answer_leaves_its_worker_before_those_of_earlier_blocks(roads, tmp_path, monkeypatch):
    """A worker that dies loses the answers that it still has."""
    file, take = tmp_path / "taken", Blocks._reply

    def taken(self, future):
        found = take(self, future)
        file.touch()
        return found

    def after_another(_, job, block):
        import time

        waits = 0
        while block == 0 and not job.exists() and waits < 400:
            time.sleep(0.05)
            waits += 1
        return job.exists() if block == 0 else block

    monkeypatch.setattr(Blocks, "_reply", taken)
    with cluster() as client:
        device = device_name(client)
        sent = cluster_calls.sent_graph(client, roads, prepared=False)
        blocks = Blocks(device, roads, sent, after_another, file, str)
        found = [reply.value for _, reply in blocks.replies(iter(range(4)), lambda _: 1)]
    assert found == [True, 1, 2, 3]


@in_full
def test_betweenness_survives_the_death_of_workers(monkeypatch):
    monkeypatch.setattr(betweenness, "BLOCK", 64)
    grid = wp.generate.grid(30, 40, weights=(1, 9))
    here = wp.centrality.betweenness(wp.Solver(grid))
    with cluster() as client:
        kill, killed = killer_of(client, 300)
        found = wp.centrality.betweenness(wp.Solver(grid, device=client), progress=kill)
    assert killed
    assert found.vertices.tobytes() == here.vertices.tobytes()
    assert found.edges.tobytes() == here.edges.tobytes()


def test_blocks_that_the_scheduler_loses_are_submitted_again(roads, monkeypatch):
    submit, lost = Tasks.submit, []

    def losing_the_second(self, function, *args, **options):
        if function is run_block and args[4] == 1 and not lost:
            with dask.annotate(resources={"nowhere": 1}):  # no worker has it
                lost.append(submit(self, function, *args, **options))
            return lost[0]
        return submit(self, function, *args, **options)

    dask = pytest.importorskip("dask")
    monkeypatch.setattr(Tasks, "submit", losing_the_second)
    monkeypatch.setattr("warpath.engines.cluster.blocks._LOST", 0.2)
    with cluster() as client:
        sent = cluster_calls.sent_graph(client, roads, prepared=False)
        blocks = Blocks(device_name(client), roads, sent, lambda _, job, block: job + block, 5, str)
        found = [reply.value for _, reply in blocks.replies(iter(range(4)), lambda _: 1)]
    assert lost
    assert found == [5, 6, 7, 8]


@in_full
def test_a_call_that_fails_ends_after_the_blocks_that_run(roads, tmp_path):
    """Such a block could write into the file of the next call."""

    def fail_beside_another(_, job, block):
        import time

        if block == 0:
            waits = 0
            while not (job / "begun").exists() and waits < 500:
                time.sleep(0.02)
                waits += 1
            raise ValueError
        (job / "begun").touch()
        time.sleep(1)
        (job / "ended").touch()

    with cluster() as client:
        device = device_name(client)
        sent = cluster_calls.sent_graph(client, roads, prepared=False)
        blocks = Blocks(device, roads, sent, fail_beside_another, tmp_path, str)
        with pytest.raises(wp.DeviceError, match="ValueError"):
            list(blocks.replies(iter(range(2)), lambda _: 1))
        assert (tmp_path / "ended").exists()


@in_full
def test_rows_that_end_their_workers_are_named(roads):
    import dask

    def patch():
        import os

        from warpath.api import cluster_worker

        rows = cluster_worker.rows

        def ending(graph, job, block):
            if 77 in block.sources:
                os._exit(1)
            return rows(graph, job, block)

        cluster_worker.rows = ending

    # Dask ends a task with the fourth worker that dies; here with the first one, to save time.
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), cluster() as client:
        client.register_plugin(plugin_of(patch))
        with pytest.raises(wp.DeviceError, match=r"sources 7\d.*ended 2 workers, the last of them"):
            wp.distances(roads, np.arange(70, 80), device=client)


def plugin_of(patch):
    """Return a plugin that calls a function in every worker, also in restarted ones."""
    import distributed

    class Plugin(distributed.WorkerPlugin):
        def setup(self, worker):  # noqa: ARG002 - Dask passes it by name
            patch()

    return Plugin()


@in_full
def test_a_disk_that_fills_at_the_workers(roads, tmp_path):
    def limit():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))

    out, sources = tmp_path / "table.zarr", np.arange(ROWS)
    with cluster() as client:
        client.run(limit)  # at both, for one of them may make all rows on a busy machine
        with pytest.raises(wp.OutputError, match=r"worker tcp://\S+: .*File too large.*rows "):
            wp.distances(roads, sources, out=out, device=client)
    with cluster() as client:
        found = wp.distances(roads, sources, out=out, device=client)
    assert (found.dist[:] == wp.distances(roads, sources).dist).all()


@in_full
def test_tasks_that_are_cancelled_from_outside(roads, tmp_path):
    import distributed

    out, sources = tmp_path / "table.zarr", np.arange(ROWS)
    with cluster() as client, distributed.Client(client.scheduler.address) as other:
        slow_workers(client, 0.05)

        def restart(done, _):
            if done > 50 and not restarted:
                restarted.append(done)
                other.restart()

        restarted = []
        with pytest.raises(wp.DeviceError, match=r"rows .*cancelled by another client"):
            wp.distances(roads, sources, out=out, device=client, progress=restart)
        found = wp.distances(roads, sources, out=out, device=client)
    assert found.stats["resumed"] > 0
    assert (found.dist[:] == wp.distances(roads, sources).dist).all()


@in_full
def test_a_scheduler_that_goes_away(roads, tmp_path):
    import distributed

    out, sources = tmp_path / "table.zarr", np.arange(ROWS)
    with separate_cluster(tmp_path) as (address, scheduler):
        client = distributed.Client(address, set_as_default=False)
        slow_workers(client, 0.05)

        def end(done, _):
            if done > 50:
                scheduler.kill()

        with pytest.raises(wp.DeviceError, match="went away"):
            wp.distances(roads, sources, out=out, device=client, progress=end)
        client.close(timeout=1)
    assert wp.distances(roads, sources, out=out).stats["resumed"] > 0


CLIENT = """
import sys
import warpath as wp
from warpath.api import cluster_calls
from warpath.engines.cluster.blocks import Blocks
from warpath.engines.cluster.clients import device_name
from warpath.io import streams

cluster_calls._BLOCK_BYTES = cluster_calls._STORED_BYTES = 2**17
streams.CHUNK_BYTES = 2**16
roads = wp.Graph.of("examples/data/rome99.gr.xz")
wp.distances(
    roads, range(int(sys.argv[3])), out=sys.argv[2], device=sys.argv[1],
    progress=lambda done, _: print(done, flush=True),
)
"""


@in_full
@pytest.mark.parametrize("name", ["table.zarr", "table.npy"])
def test_a_killed_client_continues(roads, tmp_path, name):
    import distributed

    out, sources = tmp_path / name, np.arange(ROWS)
    with separate_cluster(tmp_path) as (address, _):
        with distributed.Client(address, set_as_default=False) as client:
            slow_workers(client, 0.05)
        arguments = [sys.executable, "-c", CLIENT, address, str(out), str(ROWS)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                if int(line) > 50:
                    process.kill()
        found = wp.distances(roads, sources, out=out, device=address)
    assert found.stats["resumed"] > 40
    assert (found.dist[:] == wp.distances(roads, sources).dist).all()


@in_full
def test_ctrl_c_leaves_the_cluster_clean(roads):
    with cluster() as client:
        slow_workers(client, 0.05)
        presser = threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT))
        presser.start()
        with pytest.raises(KeyboardInterrupt):
            wp.distances(roads, np.arange(3000), device=client)
        deadline = time.monotonic() + 30
        while any(client.processing().values()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(client.processing().values())
        assert wp.distances(roads, [5], [9], device=client).dist == wp.path(roads, 5, 9).length


@contextmanager
def separate_cluster(folder):
    """Start a scheduler and two workers as programs; yield the address and the scheduler."""
    address_file = folder / "scheduler.json"
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0"]
    options = ["--scheduler-file", str(address_file), "--no-dashboard"]
    scheduler = subprocess.Popen([*program, *options], stderr=subprocess.DEVNULL)
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1"]
    options = ["--scheduler-file", str(address_file), "--local-directory", str(folder)]
    command = [*worker, *options, "--no-dashboard", "--death-timeout", "20"]
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    try:
        import distributed

        deadline = time.monotonic() + 60
        while not address_file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        with distributed.Client(
            scheduler_file=str(address_file), set_as_default=False, timeout=60
        ) as client:
            client.wait_for_workers(2, timeout=60)
            address = client.scheduler.address
        yield address, scheduler
    finally:
        for process in (*workers, scheduler):
            process.terminate()
        for process in (*workers, scheduler):
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
