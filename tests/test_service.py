"""The example of a service: real requests to two processes, whose file is replaced meanwhile."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest

import warpath as wp

EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = ("examples/service/app.py", "tests/test_service.py")


@pytest.fixture(scope="module")
def city():
    pd = pytest.importorskip("pandas")
    roads = pd.read_csv(EXAMPLES / "data" / "monaco_roads.csv")
    streets = wp.Graph.from_labelled_edges(roads["from"], roads["to"], roads["seconds"])
    ends = [roads[[end, f"{end}_lon", f"{end}_lat"]].to_numpy().tolist() for end in ("from", "to")]
    points = {int(name): point for rows in ends for name, *point in rows}
    return wp.prepare(streets.with_coordinates([points[name] for name in streets.labels.tolist()]))


def ask(connection, method, path, body=None):
    """Return the status and the JSON of a reply; the connection stays open."""
    text = None if body is None else json.dumps(body)
    connection.request(method, path, text, {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def connected(port):
    return closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60))


@pytest.fixture
def service(city, tmp_path):
    """Start the service and yield its port and the file that it reads."""
    for package in ("fastapi", "uvicorn", "shapely"):
        pytest.importorskip(package)
    file = tmp_path / "city.wph"
    city.save(file)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = ["--app-dir", str(EXAMPLES / "service"), "app:app", "--port", str(port)]
    command = [sys.executable, "-m", "uvicorn", *folder, "--workers", "2", "--log-level", "warning"]
    with subprocess.Popen(command, env=os.environ | {"CITY": str(file)}) as server:
        try:
            while server.poll() is None:
                try:
                    with connected(port) as connection:
                        ask(connection, "GET", "/openapi.json")
                    break
                except (ConnectionError, http.client.HTTPException):
                    time.sleep(0.05)
            assert server.poll() is None
            yield port, file
        finally:
            server.terminate()


def answers(city, seed):
    """Return requests of all kinds with their right answers: path, body, status and check value."""
    rng = np.random.default_rng(seed)
    labels, points = city.graph.labels, city.graph.coordinates
    starts, ends = rng.integers(0, len(labels), (2, 8))
    body = {"origins": labels[starts].tolist(), "destinations": labels[ends].tolist()}
    trips = city.pairs(**body).to_numpy(unreachable=-1).tolist()
    (lon, lat), (to_lon, to_lat) = points[starts[0]].tolist(), points[ends[0]].tolist()
    query = urlencode({"lon": lon, "lat": lat, "to_lon": to_lon, "to_lat": to_lat})
    try:
        route = 200, city.path(wp.Place(lon, lat), wp.Place(to_lon, to_lat)).length
    except wp.NoPathError:
        route = 404, "NoPathError"
    near = urlencode({"lon": lon, "lat": lat, "seconds": 60})
    count = len(city.within(wp.Place(lon, lat), 60))
    return [
        ("POST", "/trips", body, (200, trips)),
        ("GET", f"/route?{query}", None, route),
        ("GET", f"/isochrone?{near}", None, (200, count)),
        ("POST", "/trips", {"origins": [-5], "destinations": [-6]}, (422, "VertexError")),
        ("GET", "/isochrone?lon=0&lat=0&seconds=60", None, (422, "VertexError")),
    ]


def checked_value(path, status, reply):
    if status != 200:
        return reply["code"]
    if path.startswith("/route"):
        return reply["properties"]["length"]
    return reply if path == "/trips" else reply["features"][0]["properties"]["vertices"]


@pytest.mark.parametrize(
    "count", [200, pytest.param(10_000, marks=pytest.mark.full("service", *FILES))]
)
def test_mixed_requests_have_the_answers_of_one_file_while_it_is_replaced(service, city, count):
    port, file = service
    slow = city.with_weights(city.graph.weights * 2)
    pairs = ((answers(city, seed), answers(slow, seed)) for seed in range(20))
    right = [list(zip(before, after, strict=True)) for before, after in pairs]

    def work(worker):
        with connected(port) as connection:
            for number in range(count // 4):
                requests = right[(number + worker) % len(right)]
                (method, path, body, old), (*_, new) = requests[number % len(requests)]
                status, reply = ask(connection, method, path, body)
                assert (status, checked_value(path, status, reply)) in (old, new), path
        return count // 4

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(work, worker) for worker in range(4)]
        swaps = 0
        while not all(future.done() for future in asked) or swaps % 2 == 0:
            (slow if swaps % 2 == 0 else city).save(file)
            swaps += 1
            time.sleep(0.2)
        assert sum(future.result() for future in asked) == count
    method, path, body, new = answers(slow, 0)[0]
    with connected(port) as connection:
        while ask(connection, method, path, body) != new:  # the last file is loaded in the end
            time.sleep(0.05)
