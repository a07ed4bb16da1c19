"""A routing service: routes, trips and isochrones as JSON, and new weights without a stop.

    warpath prepare monaco.osm.gz --weight seconds -o city.wph
    CITY=city.wph uvicorn --app-dir examples/service app:app --workers 2

A new file, as `Solver.save` or `warpath prepare` replaces it, is loaded within a second.
"""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

import warpath as wp

FILE, SECONDS = Path(os.environ.get("CITY", "city.wph")), float(os.environ.get("TIMEOUT", "5"))
app = FastAPI()
now = {"version": FILE.stat().st_mtime_ns, "city": wp.load(FILE)}


def reload() -> None:
    while True:
        time.sleep(0.5)
        if (version := FILE.stat().st_mtime_ns) != now["version"]:
            now.update(version=version, city=wp.load(FILE))  # calls that run keep the old one


threading.Thread(target=reload, daemon=True).start()


def deadline() -> Callable[..., None]:
    end = time.monotonic() + SECONDS

    def progress(*_: int) -> None:  # an error raised here cancels the call
        if time.monotonic() > end:
            raise wp.NotSupportedError(f"this takes more than {SECONDS:g} s: ask for less.")

    return progress


@app.exception_handler(wp.WarpathError)
def as_json(_: Request, error: wp.WarpathError) -> JSONResponse:
    return JSONResponse(error.to_dict(), 404 if isinstance(error, wp.NoPathError) else 422)


@app.get("/route")  # functions without async run in threads, which share the Solver
def route(lon: float, lat: float, to_lon: float, to_lat: float) -> dict[str, Any]:
    ends = wp.Place(lon, lat), wp.Place(to_lon, to_lat)
    return now["city"].path(*ends, progress=deadline()).to_geojson()


@app.post("/trips")
def trips(origins: list[int], destinations: list[int]) -> list[float]:
    found = now["city"].pairs(origins, destinations, progress=deadline())
    return found.to_numpy(unreachable=-1).tolist()


@app.get("/isochrone")
def isochrone(lon: float, lat: float, seconds: float) -> dict[str, Any]:
    return now["city"].within(wp.Place(lon, lat), seconds, progress=deadline()).to_geojson()
