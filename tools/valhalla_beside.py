"""Compare lengths of shortest routes with those of Valhalla, for cars, bicycles and pedestrians.

``python tools/valhalla_beside.py EXTRACT... [--side 20]`` with warpath and osmium installed, and
pip: Valhalla's programs come from the wheel pyvalhalla. Both sides get the same junctions as places
and minimise metres. Three rows are printed for each profile: warpath's defaults; the options that
give Valhalla's rules; and the latter on extracts without the ways and barriers on which the rules
of the two differ, which are counted by class (`explained`).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import osmium

import warpath as wp
from warpath.io.osm_access import LEVELS, Access, parts_of
from warpath.io.osm_profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = "3.9.1"
COSTINGS = {"car": "auto", "bike": "bicycle", "foot": "pedestrian"}

#: The options of `warpath.read` that give Valhalla's rules.
OPTIONS: dict[str, dict[str, Any]] = {
    "car": {"service": True, "tracks": True, "restricted": "open"},
    "bike": {"restricted": "open"},
    "foot": {"restricted": "open"},
}
#: Valhalla's penalties stay where metres are minimised (`shortest`), and so do its limits.
_NO_PENALTIES = {"shortest": True, "disable_hierarchy_pruning": True, "step_penalty": 0}
_NO_PENALTIES |= {"max_hiking_difficulty": 6}

#: The values of access tags that both give the same meaning, for all kinds of traffic.
_SHARED_VALUES = frozenset(
    {"yes", "permissive", "designated", "public", "allowed", "destination", "customers", "delivery"}
    | {"private", "permit", "residents", "no", "agricultural", "forestry"}
)
#: The kinds of barriers that both give the same meaning.
_SHARED_BARRIERS = frozenset(
    {"bollard", "block", "chain", "gate", "lift_gate", "swing_gate", "toll_booth", "border_control"}
    | {"cattle_grid", "kerb", "entrance", "wall", "fence", "debris"}
)
#: The keys of access tags of each profile.
_KEYS = {profile: PROFILES[profile].access for profile in COSTINGS}
_FOOTWAYS = frozenset({"pedestrian", "footway", "steps", "path"})

Tags = dict[str, str]


def _other_value(tags: Tags, profile: str) -> bool:
    """Return whether an access tag has a value that the two do not read alike."""
    known = {value for level in Access for value in LEVELS[level]}
    return any(
        part not in _SHARED_VALUES and (part in known or part == "none")
        for key in _KEYS[profile]
        for name in (key, f"{key}:forward", f"{key}:backward")
        if name in tags
        for part in parts_of(tags[name])
    )


def _other_direction(tags: Tags, profile: str) -> bool:
    if any(key in tags for key in {*PROFILES[profile].oneway} - {"oneway", "oneway:bicycle"}):
        return True
    if any(f"{key}:{side}" in tags for key in ("access", "motorcar") for side in _SIDES):
        return True
    if profile == "foot":
        return "oneway" in tags and tags.get("highway") in _FOOTWAYS
    if profile == "bike" and "oneway:bicycle" in tags and tags.get("oneway") == "-1":
        return True
    if profile == "bike" and any(key.startswith("cycleway:") for key in tags):
        return tags.get("oneway", "no") != "no" or "oneway:bicycle" in tags
    return tags.get("oneway") in {"reversible", "alternating"} or (
        "oneway" in tags and tags.get("junction") in {"roundabout", "circular"}
    )


_SIDES = ("forward", "backward", "both_ways")
_SIZES = ("maxheight", "maxwidth", "maxweight")

#: Keys of turn restrictions that hold at some times; Valhalla applies them at all times.
_TIMES = ("time", "day_on", "hour_on", "restriction:conditional")


def explained(tags: Tags, profile: str) -> str | None:
    """Return the class of a way on which the rules differ, or None.

    docs/reference/openstreetmap.md describes the classes.
    """
    highway, ferry = tags.get("highway"), tags.get("route") == "ferry"
    car, bike, foot = (profile == each for each in COSTINGS)
    own_access = any(key in tags for key in _KEYS[profile])
    classes = {
        "neither highway nor ferry": highway is None and not ferry,
        "area": tags.get("area") == "yes",
        "construction, via_ferrata": highway in {"construction", "via_ferrata", "residential_link"},
        "ferry": ferry and car,
        "platform on foot": highway == "platform" and foot,
        "bridleway on foot": highway == "bridleway" and foot,
        "motorway on foot": highway in {"motorway", "motorway_link"} and foot,
        "steps by bicycle": highway == "steps" and bike,
        "sac_scale by bicycle": "sac_scale" in tags and bike,
        "mtb:scale by bicycle": bike and any(key.startswith("mtb:") for key in tags),
        "cycleway on a way closed to bicycles": bike
        and "cycleway" in tags
        and (highway in _FOOTWAYS or own_access),
        "driveway": tags.get("service") == "driveway" and (highway != "service" or own_access),
        "emergency": tags.get("service") == "emergency_access" or tags.get("emergency") == "yes",
        "height, width, weight": car and not tags.keys().isdisjoint(_SIZES),
        "high-occupancy lanes": car and "hov" in tags,
        "buses": any(key.startswith(("lanes:bus", "lanes:psv")) for key in tags),
        "conditional": any(f"{key}:conditional" in tags for key in (*_KEYS[profile], "oneway")),
        "value of an access tag": _other_value(tags, profile),
        "direction": _other_direction(tags, profile),
    }
    return next((name for name, holds in classes.items() if holds), None)


def _explained_point(tags: Tags, profile: str) -> bool:
    """Return whether the rules differ on a point: without a barrier, only Valhalla looks at it."""
    if "barrier" not in tags:
        return any(key in tags for key in ("access", "motor_vehicle", "motorcar", *_KEYS[profile]))
    other = tags["barrier"] not in _SHARED_BARRIERS or tags.get("locked") == "yes"
    return other or "bollard" in tags or _other_value(tags, profile)


def without_explained(extract: Path, profile: str, target: Path) -> Counter[str]:
    """Write an extract without the ways and the tags of points on which the rules differ."""
    left_out: Counter[str] = Counter()
    gone: set[int] = set()
    points = {item.id for item in osmium.FileProcessor(str(extract), osmium.osm.NODE)}
    with osmium.SimpleWriter(str(target), overwrite=True) as writer:
        for item in osmium.FileProcessor(str(extract)):
            tags = dict(item.tags)
            name = explained(tags, profile) if item.is_way() else None
            if item.is_way() and not points.issuperset(point.ref for point in item.nodes):
                name = "points outside the extract"
            if name is not None:
                left_out[name] += name != "neither highway nor ferry" or "railway" in tags
                gone.add(item.id)
            elif item.is_relation() and any(key in tags for key in _TIMES):
                left_out["turn restrictions at times"] += 1
            elif item.is_relation() and any(m.type == "w" and m.ref in gone for m in item.members):
                left_out["relations of ways left out"] += tags.get("type") == "restriction"
            elif item.is_node() and tags and _explained_point(tags, profile):
                left_out["barriers and access of points"] += 1
                writer.add(item.replace(tags={}))
            else:
                writer.add(item)
    return +left_out


def programs(work: Path) -> Path:
    """Return the folder of Valhalla's programs, downloaded once."""
    folder = work / "wheel"
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
        command += ["--only-binary", ":all:", "--python-version", "3.12"]
        subprocess.run([*command, f"pyvalhalla=={VERSION}", "-d", work], check=True)
        zipfile.ZipFile(next(work.glob("pyvalhalla-*.whl"))).extractall(folder)
        for program in (folder / "valhalla" / "bin").iterdir():
            program.chmod(0o755)
    return folder / "valhalla"


def tiles(valhalla: Path, extract: Path, work: Path) -> Path:
    """Build Valhalla's tiles of an extract; return the configuration.

    The matrix is searched without pruning by the levels of the hierarchy, so that it is exact.
    """
    folder = work / f"tiles-{extract.name.partition('.')[0]}"
    config = folder / "valhalla.json"
    folder.mkdir(exist_ok=True)
    command = [sys.executable, valhalla / "valhalla_build_config.py", "--mjolnir-tile-dir", folder]
    command += ["--mjolnir-concurrency", "1", "--logging-type", "file"]
    command += ["--logging-file-name", folder / "log"]
    command += ["--thor-source-to-target-algorithm", "timedistancematrix"]
    command += ["--service-limits-max-distance-disable-hierarchy-culling", "2000000"]
    for costing in COSTINGS.values():
        command += [f"--service-limits-{costing}-max-matrix-location-pairs", "100000"]
        command += [f"--service-limits-{costing}-max-matrix-distance", "2000000"]
    config.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    build = [valhalla / "bin" / "valhalla_build_tiles", "-c", config, extract]
    subprocess.run(build, check=True, capture_output=True)
    return config


def answer(valhalla: Path, config: Path, action: str, query: dict[str, Any]) -> Any:
    """Return Valhalla's answer to a query."""
    request = config.with_name("query.json")
    request.write_text(json.dumps(query))
    program = [valhalla / "bin" / "valhalla_service", config, action, request]
    text = subprocess.run(program, capture_output=True, text=True, check=False).stdout
    begin = re.search(r'^[{[]["{]', text, re.MULTILINE)  # after lines of the log
    assert begin is not None, text
    return json.loads(text[begin.start() :])


def locations(places: np.ndarray) -> list[dict[str, float]]:
    """Return places as Valhalla's locations, which are not moved to a better connected street."""
    exact = {"radius": 0, "minimum_reachability": 1}
    return [{"lon": lon, "lat": lat} | exact for lon, lat in places.tolist()]


def clear_junctions(
    valhalla: Path, config: Path, profile: str, graph: wp.Graph, vertices: np.ndarray
) -> np.ndarray:
    """Return the vertices whose places are on their own streets only, for Valhalla too.

    It takes a place to a street that passes above or below, or to a junction within 5 m.
    """
    assert graph.coordinates is not None
    table = graph.edge_table()
    ways: dict[int, set[int]] = defaultdict(set)
    for end in ("source", "target"):
        for label, way in zip(table[end].tolist(), table["way"].tolist(), strict=True):
            ways[label].add(way)
    labels = graph.label_of(vertices).tolist()
    clear = []
    for begin in range(0, len(vertices), 40):
        query: dict[str, Any] = {"costing": COSTINGS[profile], "verbose": True}
        query["locations"] = locations(graph.coordinates[vertices[begin : begin + 40]])
        for at, place in enumerate(answer(valhalla, config, "locate", query), begin):
            edges = place.get("edges") or []
            near = all(edge["distance"] < 1 for edge in edges)
            if edges and near and {e["edge_info"]["way_id"] for e in edges} <= ways[labels[at]]:
                clear.append(vertices[at])
    return np.array(clear)


def theirs(valhalla: Path, config: Path, profile: str, ends: list[np.ndarray]) -> np.ndarray:
    """Return Valhalla's metres between places, NaN without a route."""
    costing = COSTINGS[profile]
    query: dict[str, Any] = {"costing": costing, "verbose": True}
    query["costing_options"] = {costing: _NO_PENALTIES | {"ignore_restrictions": profile != "car"}}
    query |= dict(zip(("sources", "targets"), map(locations, ends), strict=True))
    rows = answer(valhalla, config, "sources_to_targets", query)["sources_to_targets"]
    metres = [[cell["distance"] for cell in row] for row in rows]
    return 1000 * np.array(metres, float)  # None becomes NaN


def compared(
    valhalla: Path, config: Path, extract: Path, profile: str, side: int, **options: Any
) -> Iterator[str]:
    """Yield the cells of a row: pairs, connected by one side alone, agreement within 1 %."""
    graph = wp.read(extract, profile=profile, turns=profile == "car", **options)
    plain = wp.read(extract, profile=profile, **options)
    assert plain.coordinates is not None
    hub = plain.label_of([int(np.diff(plain.indptr).argmax())])[0]
    reached = np.flatnonzero(wp.sssp(plain, hub).reached)
    drawn = np.random.default_rng(7).permutation(reached)[: 4 * side]
    clear = clear_junctions(valhalla, config, profile, plain, drawn)
    ends = np.split(clear[: 2 * min(side, len(clear) // 2)], 2)
    names = [graph.label_of(vertices) for vertices in ends]
    ours = np.asarray(wp.distances(graph, *names).dist, float)
    ours[np.isinf(ours)] = np.nan
    other = theirs(valhalla, config, profile, [plain.coordinates[vertices] for vertices in ends])
    missing = np.isnan(ours), np.isnan(other)
    both = ~missing[0] & ~missing[1]
    off = np.where(both, np.abs(ours - other) / np.maximum(ours, 100), 0)
    yield f"{both.sum():,}"
    yield f"{(missing[1] & ~missing[0]).sum()}, {(missing[0] & ~missing[1]).sum()}"
    yield f"{100 * (off[both] < 0.01).mean():.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("extracts", type=Path, nargs="+")
    parser.add_argument("--side", type=int, default=20, help="sources, and targets, of each table")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "valhalla")
    args = parser.parse_args()
    args.work.mkdir(exist_ok=True)
    valhalla = programs(args.work)
    print(f"Valhalla {VERSION}, warpath {wp.__version__}")
    print("| extract | profile | rules | pairs | ours, theirs alone | within 1 % |")
    print("|---|---|---|---|---|---|")
    for extract in args.extracts:
        title = extract.name.partition(".")[0]
        whole = args.work / f"{title}.osm.pbf"
        with osmium.SimpleWriter(str(whole), overwrite=True) as writer:
            for item in osmium.FileProcessor(str(extract)):
                writer.add(item)
        config = tiles(valhalla, whole, args.work)
        for profile, options in OPTIONS.items():
            rest = args.work / f"{title}-{profile}.osm.pbf"
            left_out = without_explained(whole, profile, rest)
            other = tiles(valhalla, rest, args.work)
            for rules, setup, file, given in (
                ("defaults", config, whole, {}),
                ("options", config, whole, options),
                ("without explained", other, rest, options),
            ):
                cells = compared(valhalla, setup, file, profile, args.side, **given)
                print("| " + " | ".join([title, profile, rules, *cells]) + " |", flush=True)
            print("  left out:", dict(left_out.most_common()))


if __name__ == "__main__":
    main()
