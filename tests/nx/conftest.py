from __future__ import annotations

import os
import tomllib
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def declared():
    """What pyproject.toml says of the entry points that NetworkX looks for."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    return {group: groups[group] for group in ("networkx.backends", "networkx.backend_info")}


def is_installed():
    return "warpath" in entry_points(group="networkx.backends").names


@pytest.fixture(scope="session", autouse=True)
def _backend(declared):
    """Make NetworkX know the backend where warpath is on the path, but not installed."""
    nx = pytest.importorskip("networkx", minversion="3.6")
    if is_installed():
        return
    from networkx.utils import Config
    from networkx.utils.backends import _dispatchable, backend_info, backends

    group = "networkx.backends"
    backends["warpath"] = EntryPoint("warpath", declared[group]["warpath"], group)
    group = "networkx.backend_info"
    info = EntryPoint("warpath", declared[group]["warpath"], group).load()()
    backend_info["warpath"] = info
    nx.config.backends = Config(warpath=Config(), **nx.config.backends)
    _dispatchable.__call__ = _dispatchable._call_if_any_backends_installed


@pytest.fixture(autouse=True)
def _silent_cache(_backend):
    """NetworkX warns whenever it takes a conversion that it kept; that it does is what we want."""
    import networkx as nx

    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore = before


@pytest.fixture
def new_process(declared, tmp_path):
    """The environment of a Python in which NetworkX finds the backend by itself."""
    env = dict(os.environ)
    paths = [str(Path(__file__).parent), *filter(None, [env.get("PYTHONPATH")])]
    if not is_installed():
        about = tmp_path / "warpath-0.1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: warpath\nVersion: 0.1.0\n")
        lines = []
        for group, names in declared.items():
            lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
        (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
        paths = [str(tmp_path), str(ROOT / "src"), *paths]
    env["PYTHONPATH"] = os.pathsep.join(paths)
    for name in list(env):
        if name.startswith(("NETWORKX_", "PYTEST_")):
            del env[name]
    return env
