"""What doctor says of GPUs, over fakes."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from support.recipes import on_gpu
from warpath.engines import cpu
from warpath.engines.base import Raw
from warpath.engines.cuda import engine

pytest.importorskip("typer", reason="the command needs warpath[cli]")

from warpath.cli import doctor as doctor_command
from warpath.cli import main as entry


@pytest.fixture
def doctor(machine, monkeypatch, capfd, tmp_path):
    """Run doctor on a machine with two GPUs that solve right; the kernels are kept in a folder."""
    machine.gpus.append({"name": b"Tesla V100", "major": 7, "minor": 0})
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(engine, "run", lambda order, _: cpu._bellman_ford(order))
    monkeypatch.setattr(engine, "bound", lambda *_: None)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["warpath", "doctor", *words])
        with pytest.raises(SystemExit) as end:
            entry.main()
        return end.value.code, capfd.readouterr().out

    return run


def test_doctor_tells_versions_gpus_and_kept_kernels_and_solves_on_each(doctor, tmp_path):
    (tmp_path / "push.ab.cubin").write_bytes(bytes(3000))
    code, out = doctor()
    assert code == 0
    lines = {line.partition("  ")[0]: line.partition("  ")[2].strip() for line in out.splitlines()}
    assert lines["driver"] == "for CUDA 13.0"
    assert lines["compiler"] == "NVRTC 13.5, cuda.core 1.2.2"
    assert "NVIDIA H200, compute capability 9.0, 140.0 GiB, 100.0 GiB free" in out
    assert "cuda:1        cuda:1, Tesla V100, has compute capability 7.0; kernels need 8.0" in out
    assert lines["kernel cache"] == f"{tmp_path}: 1 kernels, 2.9 KiB"
    assert "\ncuda:0  ok, same bits as expected" in out


def test_doctor_says_the_same_in_json(doctor, tmp_path):
    code, out = doctor("--json")
    found = json.loads(out)
    assert code == 0
    assert found["cuda"]["versions"]["driver"] == "for CUDA 13.0"
    assert found["cuda"]["gpus"]["cuda:0"]["compute_capability"] == "9.0"
    assert "unusable" in found["cuda"]["gpus"]["cuda:1"]
    assert found["cuda"]["cache"] == {
        "folder": str(tmp_path),
        "kernels": 0,
        "bytes": 0,
        "refused": None,
    }
    assert found["devices"]["cuda:0"].startswith("ok")


def test_doctor_says_that_a_folder_which_others_can_write_to_is_not_used(doctor, tmp_path):
    tmp_path.chmod(0o777)
    said = f"other users can write to {tmp_path} (mode 0777): run chmod go-w {tmp_path}, or name"
    code, out = doctor()
    assert code == 0
    assert f"not used: {said}" in " ".join(out.split())
    assert json.loads(doctor("--json")[1])["cuda"]["cache"]["refused"].startswith(said)


def test_each_planned_algorithm_solves_each_type_of_weights(doctor, monkeypatch):
    seen = set()

    def run(order, _):
        seen.add((order.recipe.name, str(order.graph.weights.dtype)))
        return cpu._bellman_ford(order)

    monkeypatch.setattr(engine, "run", run)
    assert doctor()[0] == 0
    names = [recipe.name for recipe in on_gpu() if recipe.planned]
    assert len(names) >= 3
    assert seen == {(n, t) for n in names for t in ("int32", "int64", "float32", "float64")}


def test_a_gpu_that_solves_wrong_is_exit_code_4(doctor, monkeypatch):
    monkeypatch.setattr(engine, "run", lambda order, _: Raw(np.zeros(5, order.graph.dist_dtype)))
    code, out = doctor()
    assert code == 4
    assert "cuda:0  failed: " in out


def test_without_a_gpu_and_without_a_cache_there_are_two_lines(machine):
    machine.driver = 0
    assert doctor_command._cuda_lines(doctor_command._cuda()) == {
        "GPU": "none: no NVIDIA driver is installed here. Use device='cpu'.",
        "kernel cache": "off",
    }
