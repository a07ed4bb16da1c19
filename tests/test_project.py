"""What the project promises about itself: names, versions, imports, documents."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import lzma
import pkgutil
import re
import runpy
import shlex
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest

import warpath as wp
from support.tiers import CORE
from warpath.base.errors import install_line
from warpath.io import formats

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    path
    for folder in ("src/warpath", "bench", "tools", "tests/support")
    for path in (ROOT / folder).rglob("*.py")
)
HEADERS = sorted((ROOT / "cpp").rglob("*.hpp"))
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(wp.__path__, "warpath.")
    if not module.name.endswith(("._core", ".__main__"))
)
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = ROOT / "docs" / "reference"


def test_all_names_the_public_surface_and_is_sorted():
    assert wp.__all__ == sorted(wp.__all__)
    assert set(wp.__all__) <= set(dir(wp))
    for name in wp.__all__:
        assert getattr(wp, name) is not None
    public = {
        name
        for name, value in vars(wp).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("warpath.")
    }
    assert public <= set(wp.__all__)


def test_internal_names_are_private():
    plan = wp.plan([(0, 1, 2)])
    table = wp.distances([(0, 1, 2)], [0])
    shown = {*dir(plan), *dir(table), *dir(table.graph)}
    assert shown.isdisjoint({"again", "require_distances", "solver_weights"})


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'shortest'"):
        _ = wp.shortest


def test_the_changelog_is_at_the_version_of_the_package():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert versions[0] == wp.__version__
    assert f'version = "{wp.__version__}"' in project


def test_a_page_of_measurements_is_short():
    for path in (ROOT / "docs" / "benchmarks").rglob("*.md"):
        words = len(path.read_text(encoding="utf-8").split())
        assert words <= 600, (
            f"{path.relative_to(ROOT)} has {words} words: at most 600, the newest table, one "
            "picture and how it was measured"
        )


def test_importing_warpath_imports_nothing_optional():
    code = "import sys, warpath; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    optional = {
        "scipy", "pandas", "polars", "networkx", "igraph", "pyarrow", "matplotlib", "typer",
        "rich", "zarr", "osmium", "zstandard", "cupy", "cuda",
    }  # fmt: skip
    assert not optional & set(ran.stdout.split())


def test_a_module_stays_readable_and_imports_modules_only():
    # `from warpath import sssp` would pass under the import linter, which cannot see into _core.
    modules = {"_core", *(name.split(".")[1] for name in MODULES)}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        _assert_short(path, text)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module == "warpath":
                others = {alias.name for alias in node.names} - modules
                assert not others, (
                    f"{path.name}:{node.lineno} imports {others} from warpath: import each from "
                    "the module that defines it"
                )


def _assert_short(path, text):
    lines = len(text.splitlines())
    head = text[:1500]
    assert lines <= 600 or "one idea" in head, (
        f"{path.relative_to(ROOT)} has {lines} lines: above 600, a sentence at its head says why "
        'it is one idea ("... is one idea: ..."), or a part becomes a file of its own'
    )


def test_a_header_says_what_it_is():
    for path in HEADERS:
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        assert re.fullmatch(rf"// {re.escape(path.name)} - .+", lines[0]), (
            f"the first line of {path.name} must be `// {path.name} - what it is`"
        )
        assert "#pragma once" in lines, f"{path.name} needs the line `#pragma once`"
        _assert_short(path, text)


def _public_functions():
    for name in wp.__all__:
        value = getattr(wp, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for attribute, member in vars(value).items():
                function = getattr(member, "__func__", member)
                if inspect.isfunction(function) and not attribute.startswith("_"):
                    yield f"{name}.{attribute}", function


def test_a_public_function_explains_itself():
    for name, function in _public_functions():
        text = inspect.getdoc(function)
        assert text, name
        parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
        if len(parameters) > 2:
            assert "Parameters\n----------" in text, name
            for one in parameters:
                assert re.search(rf"\b{one}\b", text), f"{name} does not explain {one}"


def test_the_examples_in_the_docstrings_are_true():
    for name in ["warpath", *MODULES]:
        module = importlib.import_module(name)
        assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0, name


def test_the_example_of_origins_and_destinations_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "origin_destination.py"))
    assert "verified exactly: 9 labels" in capsys.readouterr().out
    assert len((tmp_path / "od.csv").read_text(encoding="utf-8").splitlines()) == 10


def test_the_example_of_a_matrix_between_places_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "od_with_names.py"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "7 places are taken as the nearest points of the network (7 along edges, 0 at vert"
    )
    assert lines[-1].split() == ["Larvotto", "2.1", "4.1", "4.6", "2.0"]
    assert len((tmp_path / "od_with_names.csv").read_text(encoding="utf-8").splitlines()) == 4


def test_the_example_of_minutes_and_kilometres_runs(tmp_path, monkeypatch, capsys, data_folder):
    pytest.importorskip("osmium")
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["trips_km_minutes.py", str(data_folder / "monaco.osm.gz")])
    runpy.run_path(str(ROOT / "examples" / "trips_km_minutes.py"))
    assert "10,000 trips" in capsys.readouterr().out
    table = pandas.read_csv(tmp_path / "trips_km_minutes.csv")
    assert table.columns.tolist() == ["trip_id", "origin", "destination", "minutes", "km"]
    assert table["km"].notna().tolist() == table["minutes"].notna().tolist()
    assert 0 < table["km"].mean() < 5


@pytest.mark.parametrize(
    ("gap", "within"),
    [
        ("1e-3", 0.03),
        pytest.param(
            *("1e-4", 0.01),
            marks=pytest.mark.full("traffic assignment", "src/warpath/**/*.py", *CORE),
        ),
    ],
)
def test_the_example_of_a_user_equilibrium_has_the_published_flows(
    gap, within, tmp_path, monkeypatch, capsys
):
    """The flows are those of the collection TransportationNetworks, for Sioux Falls."""
    pandas = pytest.importorskip("pandas")
    text = (ROOT / "examples" / "user_equilibrium.py").read_text(encoding="utf-8")
    assert text.count("gap > 1e-4") == 1
    (tmp_path / "example.py").write_text(text.replace("1e-4", gap), encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["example.py"])
    runpy.run_path("example.py")
    assert "flows.csv has 76 streets" in capsys.readouterr().out
    table = pandas.read_csv("flows.csv").set_index(["source", "target"])["flow"]
    published = {(1, 2): 4494.66, (10, 15): 23125.8, (15, 10): 23192.3, (16, 10): 11073.0}
    for street, flow in published.items():
        assert abs(table[street] - flow) <= within * flow, street


def test_the_example_of_isochrones_runs(tmp_path, monkeypatch, capsys):
    for package in ("geopandas", "matplotlib", "pandas"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "isochrones.py"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(
        "3 places are taken as the nearest points of the network (3 along edges"
    )
    assert len(json.loads((tmp_path / "clinics.geojson").read_text("utf-8"))["features"]) == 3
    assert (tmp_path / "clinics.png").stat().st_size > 20_000


def test_the_example_of_car_bike_and_foot_runs(tmp_path, monkeypatch, capsys, data_folder):
    for package in ("matplotlib", "osmium"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    extract = data_folder / "liechtenstein-latest.osm.pbf"
    monkeypatch.setattr("sys.argv", ["car_bike_foot.py", str(extract)])
    runpy.run_path(str(ROOT / "examples" / "car_bike_foot.py"))
    out = capsys.readouterr().out
    found = re.findall(r"^(\w+): (\d+) min, ([\d.]+) km over (\d+) streets$", out, re.MULTILINE)
    minutes = {profile: int(time) for profile, time, _, _ in found}
    assert list(minutes) == ["car", "bike", "foot"]
    assert minutes["car"] < minutes["bike"] < minutes["foot"]
    assert out.count("<Legs: ") == 3
    for profile in minutes:
        assert (tmp_path / f"{profile}.png").stat().st_size > 20_000
        assert f"From Schaan to Malbun: {profile}" in (tmp_path / f"{profile}.html").read_text()


def test_the_example_of_a_truck_profile_runs(monkeypatch, capsys, data_folder):
    pytest.importorskip("osmium")
    extract = data_folder / "liechtenstein-latest.osm.pbf"
    monkeypatch.setattr("sys.argv", ["truck_profile.py", str(extract)])
    runpy.run_path(str(ROOT / "examples" / "truck_profile.py"))
    found = re.findall(r"^([a-z ]+): (\d+) min, [\d.]+ km$", capsys.readouterr().out, re.MULTILINE)
    minutes = {name: int(time) for name, time in found}
    assert minutes["car"] < minutes["truck"] <= minutes["tall truck"]


def test_the_example_of_two_frames_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("geopandas")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "two_frames.py"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "35.9 s over the rows [1, 426, 2, 793, 19, 6]"
    assert lines[1].startswith("<Graph monaco: n = 470, m = 858, directed, float64 weights")
    assert lines[1].endswith("> True")


def test_the_example_of_a_round_trip_of_osmnx_runs(capsys):
    for package in ("networkx", "pandas"):
        pytest.importorskip(package)
    runpy.run_path(str(ROOT / "examples" / "osmnx_round_trip.py"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("35.9 s: [")
    assert lines[1] == "MultiDiGraph with 470 nodes and 858 edges equal"


def test_the_example_of_trips_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "examples" / "trips.py"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "10,000 trips: mean 14,418, longest 64,870"
    assert lines[1].startswith("geisberger2008.ch on cpu")
    assert lines[2] == "100 depots, 50 shops: verified exactly: 5,000 labels against 887,000 edges"
    assert lines[3].startswith("<Route of length 9,473 over 19 edges: 2852 -> 2854 -> ")
    assert len(lines) == 4
    assert wp.load("rome.wph").graph.n == 3353


def test_the_examples_in_the_readme_are_true(monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    assert test.examples
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert result.failed == 0


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 120


def test_the_reference_has_a_row_for_every_extra():
    page = (REFERENCE / "extras.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = project.split("[project.optional-dependencies]")[1]
    extras = re.findall(r"^(\w+) = \[", section, re.MULTILINE)
    for extra in set(extras[: extras.index("test")]):
        assert f"| `warpath[{extra}]` |" in page
        assert f"`{extra}`" in README


@pytest.mark.parametrize("extra", ["cli", "cuda12", "cuda13"])
def test_a_hint_installs_all_packages_of_an_extra_that_needs_them_all(extra):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command, verb, *packages = shlex.split(install_line("any", extra))
    assert (command, verb) == ("pip", "install")
    names = [re.split(r"[>=<]", each)[0] for each in project["optional-dependencies"][extra]]
    assert [re.split(r"[>=<]", each)[0] for each in packages] == names


def test_the_reference_names_every_format():
    page = (REFERENCE / "formats.md").read_text(encoding="utf-8")
    formats = importlib.import_module("warpath.io.formats").FORMATS
    for one in formats:
        for suffix in one.suffixes[:1]:
            assert f"`{suffix}`" in page


def test_the_reference_lists_the_options_of_every_format():
    page = (REFERENCE / "formats.md").read_text(encoding="utf-8")
    for each in formats.FORMATS:
        cells = [", ".join(f"`{name}`" for name in each.options(way)) for way in ("read", "write")]
        assert f"| `{each.name}` | {cells[0]} | {cells[1]} |".replace("|  |", "| |") in page


def test_what_comes_from_the_catalogue_is_up_to_date(capsys):
    script = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert script["main"](["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_the_files_that_a_page_links_to_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r'(?:\]\(|src=")([^)"#:]+)[)"]', text):
        assert (ROOT / target).exists(), target


def test_decisions_are_numbered_without_gaps():
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [page.name[:4] for page in pages] == [f"{at:04}" for at in range(1, len(pages) + 1)]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for heading in ("## Context", "## Decision", "## Alternatives", "## Consequence"):
            assert heading in text, f"{page.name} has no {heading}"


def test_distributions_hold_the_kernels_and_the_source_one_the_emulator(tmp_path, monkeypatch):
    build = pytest.importorskip("scikit_build_core.build", reason="it makes the distributions")
    monkeypatch.chdir(ROOT)
    kernels = {
        f"warpath/engines/cuda/kernels/{path.name}"
        for path in ROOT.glob("src/warpath/engines/cuda/kernels/*")
    }
    with zipfile.ZipFile(
        tmp_path / build.build_wheel(str(tmp_path), {"wheel.cmake": "false", "wheel.py-api": ""})
    ) as archive:
        held = set(archive.namelist())
    assert kernels <= held
    folders = {name.partition("/")[0] for name in held}
    assert folders <= {
        "warpath",
        "_warpath_nx",
        *(one for one in folders if one.endswith(".dist-info")),
    }
    papers = {f"warpath_bench/papers/{path.name}" for path in ROOT.glob("bench/**/papers/*.toml")}
    assert papers
    monkeypatch.chdir(ROOT / "bench")
    with zipfile.ZipFile(tmp_path / build.build_wheel(str(tmp_path))) as archive:
        assert papers <= set(archive.namelist())
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / build.build_sdist(str(tmp_path))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in kernels} <= names
    assert {path.relative_to(ROOT).as_posix() for path in HEADERS} <= names
    assert not any(name.startswith(("build/", ".ci/")) for name in names)


@pytest.mark.parametrize(
    ("name", "says", "written"),
    [
        ("accessibility", r"^0 +\d+$", ["accessibility.csv"]),
        ("close_a_street", r"^\d+ of 2,000 trips take longer", ["close_a_street.csv"]),
        ("isochrones_geopackage", r"^ +180 +426 ", ["isochrones.gpkg", "isochrones.png"]),
    ],
)
def test_the_examples_of_monaco_run(
    name, says, written, tmp_path, monkeypatch, capsys, data_folder
):
    for package in ("osmium", "pyogrio", "matplotlib"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [name, str(data_folder / "monaco.osm.gz")])
    runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
    assert re.search(says, capsys.readouterr().out, re.MULTILINE)
    assert all((tmp_path / file).stat().st_size > 1000 for file in written)


def test_a_closed_street_makes_no_trip_of_the_example_shorter(tmp_path, monkeypatch, data_folder):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("osmium")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["close_a_street", str(data_folder / "monaco.osm.gz")])
    runpy.run_path(str(ROOT / "examples" / "close_a_street.py"))
    table = pd.read_csv("close_a_street.csv")
    assert (table["longer"].dropna() > -1e-9).all()  # sums of floats in another order
    assert (table["longer"] > 0).sum() > 100


def test_trips_of_the_example_take_longest_in_the_rush_hours(
    tmp_path, monkeypatch, capsys, data_folder
):
    pytest.importorskip("osmium")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["hourly_speeds", str(data_folder / "monaco.osm.gz")])
    runpy.run_path(str(ROOT / "examples" / "hourly_speeds.py"))
    minutes = dict(re.findall(r"^(\d+:00) +([\d.]+)$", capsys.readouterr().out, re.MULTILINE))
    assert len(minutes) == 24
    assert (
        minutes["0:00"] == minutes["12:00"] < minutes["9:00"] < minutes["8:00"] < minutes["17:00"]
    )
    rows = (tmp_path / "hourly_speeds.csv").read_text().splitlines()
    assert len(rows) == 25
    assert rows[18].startswith("17:00,")


@pytest.mark.parametrize(("name", "zones"), [("Anaheim", 38), ("SiouxFalls", 24)])
def test_the_example_of_skims_has_a_row_for_each_pair_of_zones(
    name, zones, tmp_path, monkeypatch, capsys, data_folder
):
    monkeypatch.chdir(tmp_path)
    network = tmp_path / f"{name}_net.tntp"
    network.write_bytes(lzma.decompress((data_folder / f"{name}_net.tntp.xz").read_bytes()))
    monkeypatch.setattr("sys.argv", ["tntp_skims.py", str(network)])
    runpy.run_path(str(ROOT / "examples" / "tntp_skims.py"))
    assert capsys.readouterr().out.startswith(f"{zones} x {zones} zones, ")
    graph = wp.read(network, weight="free_flow_time")  # paths may pass the zones of Sioux Falls
    minutes = [wp.sssp(graph, zone).dist[:zones].tolist() for zone in range(zones)]
    assert np.load("skims.npy").tolist() == minutes
    lines = (tmp_path / "skims.csv").read_text().splitlines()
    assert len(lines) == 1 + zones * zones
    assert lines[1] == '"1","1",0.0'
    assert lines[-1] == f'"{zones}","{zones}",0.0'
