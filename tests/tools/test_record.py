"""The record of a GPU's tests: what it keeps, from reports and tools that stand in for a GPU's."""

from __future__ import annotations

import json
import stat
import time
from pathlib import Path

import pytest

import kernel_list
import record
import sanitizers
import small_corpus
from support import corpus, tables
from support.kernels import device_for
from support.recipes import on_gpu
from support.tiers import SOLVES
from warpath.engines.cuda import sources
from warpath.recipes import Task

FACTS = {"gpu": "NVIDIA X100 (80 GB)", "driver": "for CUDA 13.0", "CUDA runtime": "13.2"}
TESTS = """
import json
import pytest

pytestmark = pytest.mark.gpu

def test_runs(record_property):
    record_property("recipe", "martin2009.f_gpu")
    record_property("labels", json.dumps({"recipe": "martin2009.f_gpu", "labels": {2: 7}}))

@pytest.mark.parametrize("k", range(3))
def test_skips(k):
    pytest.skip("no CUDA device: none" if k else "another reason")

def test_fails(record_property):
    record_property("recipe", "martin2009.u_gpu")
    assert 1 + 1 == 3, "a sum"

@pytest.fixture
def broken():
    raise RuntimeError("before the test")

def test_errs(broken):
    pass
"""


@pytest.fixture
def tests(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_some.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    gpu: on a GPU\n")
    return folder


def recorded(tests, tmp_path, *more):
    output = tmp_path / "runs"
    options = ["--tests", str(tests), "--output", str(output), "--commit", "abc123", *more]
    status = record.main(options, lambda: FACTS)
    return status, json.loads((output / "nvidia-x100-80-gb.json").read_text())


def test_the_record_holds_counts_reasons_failures_recipes_and_sources(tests, tmp_path, capfd):
    status, found = recorded(tests, tmp_path)
    assert status == 1
    assert found["counts"] == {"passed": 1, "failed": 2, "skipped": 3}
    assert found["skipped"] == {"no CUDA device: none": 2, "another reason": 1}
    assert [each.partition(":")[0] for each in found["failures"]] == ["test_fails", "test_errs"]
    assert "a sum" in found["failures"][0]
    assert found["recipes"] == {"martin2009.f_gpu": 1}
    assert "martin2009.u_gpu" in found["recipes_not_run"]
    assert found["labels_of_the_counterexample"] == {"martin2009.f_gpu": {"2": 7}}
    assert FACTS.items() <= found.items()
    assert found["commit"] == "abc123"
    assert found["kernel_sources"] == sources.hashes()
    assert found["kernels"] == sources.digest(sources.hashes())
    assert found["sanitizers"] == {}
    assert found["seconds"] > 0
    assert "not run: " in capfd.readouterr().out


def test_all_passed_is_success_and_nothing_run_is_none(tests, tmp_path):
    status, found = recorded(tests, tmp_path, "--", "-k", "runs")
    assert (status, found["counts"]["passed"], found["counts"]["failed"]) == (0, 1, 0)
    status, found = recorded(tests, tmp_path, "--", "-k", "skips")
    assert (status, found["counts"]["passed"]) == (1, 0)


def test_a_pytest_without_a_report_is_told(tmp_path):
    with pytest.raises(SystemExit, match="left no report"):
        record.run_tests(str(tmp_path), ["--no-such-option"])


FAKE = """#!/bin/sh
echo "$@" >> {log}
case "$2" in
memcheck) echo "62 solves"; echo "========= ERROR SUMMARY: 0 errors" ;;
racecheck)
    echo "62 solves"
    echo "========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)" ;;
synccheck) echo "Killed"; exit 137 ;;
esac
"""


def test_the_sanitizers_errors_are_counted(tests, tmp_path, monkeypatch):
    tool, log = tmp_path / "bin" / "compute-sanitizer", tmp_path / "log"
    tool.parent.mkdir()
    tool.write_text(FAKE.format(log=log))
    tool.chmod(tool.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    status, found = recorded(tests, tmp_path, "--sanitize", "--shares", "2", "--", "-k", "runs")
    assert status == 1
    assert found["sanitizers"]["memcheck"] == {"errors": 0, "solves": 124}
    race, sync = found["sanitizers"]["racecheck"], found["sanitizers"]["synccheck"]
    assert race["errors"] == 4
    assert "RACECHECK" in race["output"]
    assert sync == {"errors": 2, "solves": 0, "status": 137, "output": "Killed\n"}
    asked = log.read_text().splitlines()
    assert len(asked) == 6
    for tool in sanitizers.TOOLS:
        shares = {line.split()[-1] for line in asked if f"--tool {tool} " in line}
        assert shares == {"1/2", "2/2"}
    assert all("small_corpus" in line for line in asked)


def test_sanitizers_can_be_run_after_the_tests(tests, tmp_path, monkeypatch):
    tool, log = tmp_path / "bin" / "compute-sanitizer", tmp_path / "log"
    tool.parent.mkdir()
    tool.write_text(
        f'#!/bin/sh\necho "$@" >> {log}; echo "7 solves"; echo "ERROR SUMMARY: 0 errors"\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    with pytest.raises(SystemExit, match="is no record of these kernels: run their tests first"):
        recorded(tests, tmp_path, "--sanitize-only")
    _, before = recorded(tests, tmp_path, "--", "-k", "runs")
    status, found = recorded(tests, tmp_path, "--sanitize-only", "--shares", "1")
    assert status == 0
    assert found["sanitizers"]["synccheck"] == {"errors": 0, "solves": 7}
    assert found["counts"] == before["counts"]
    assert log.read_text().splitlines()[-1].endswith("small_corpus 1/1")
    monkeypatch.setattr(sources, "hashes", lambda: {"push.cuh": "another"})
    with pytest.raises(SystemExit, match="is no record of these kernels"):
        recorded(tests, tmp_path, "--sanitize-only")


def test_a_sanitizer_that_hangs_is_stopped_with_what_it_watches(tmp_path, monkeypatch):
    tool, child = tmp_path / "compute-sanitizer", tmp_path / "child"
    tool.write_text(
        f"#!/bin/sh\necho 'ERROR SUMMARY: 0 errors'\nsleep 600 &\necho $! >{child}\nwait\n"
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = sanitizers.sanitized(["memcheck"], 0.4)["memcheck"]
    assert found["status"] == "stopped after 0 s"
    assert found["errors"] == 1
    running = Path("/proc") / child.read_text().strip() / "stat"
    end = time.monotonic() + 10  # a killed process is gone when the system comes to it
    while (alive := running.exists() and running.read_text().split()[2] != "Z") and (
        time.monotonic() < end
    ):
        time.sleep(0.01)
    assert not alive


def test_a_sanitizer_without_a_verdict_has_found_something(tmp_path, monkeypatch):
    tool = tmp_path / "compute-sanitizer"
    tool.write_text("#!/bin/sh\necho 62 solves\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = sanitizers.sanitized(["memcheck"], 60)["memcheck"]
    assert found == {"errors": 1, "solves": 62, "status": 0, "output": "62 solves\n"}


def test_a_missing_sanitizer_is_no_error_but_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = sanitizers.sanitized(["memcheck", "racecheck"], 5)
    assert set(found) == {"memcheck", "racecheck"}
    assert all(each == {"missing": "compute-sanitizer is not installed"} for each in found.values())


def test_an_edit_of_any_source_changes_the_hash_and_is_named(tmp_path):
    headers, writer = tmp_path / "kernels", tmp_path / "entry.py"
    headers.mkdir()
    (headers / "a.cuh").write_text("one")
    (headers / "b.cuh").write_text("two")
    writer.write_text("w")
    before = sources.hashes(headers, (writer,))
    assert list(before) == ["a.cuh", "b.cuh", "entry.py"]
    assert sources.changed(before, sources.hashes(headers, (writer,))) == []
    for path, new in ((headers / "b.cuh", "two."), (writer, "x"), (headers / "c.cuh", "")):
        earlier = sources.hashes(headers, (writer,))
        path.write_text(new)
        later = sources.hashes(headers, (writer,))
        assert sources.changed(earlier, later) == [path.name]
        assert sources.digest(earlier) != sources.digest(later)
    (headers / "a.cuh").rename(headers / "d.cuh")
    assert sources.changed(later, sources.hashes(headers, (writer,))) == ["a.cuh", "d.cuh"]


def test_the_hashes_cover_every_kernel_header():
    folder = sources._HEADERS
    assert {path.name for path in folder.rglob("*.cuh")} == set(sources.hashes()) - {
        "entry.py",
        "kernel_kinds.py",
    }
    assert "push.cuh" in sources.hashes()


def test_the_comparison_says_what_changed_since_and_never_fails(tests, tmp_path, capsys):
    assert record.main(["--compare", "--output", str(tmp_path / "none")]) == 0
    assert "no recorded GPU run in" in capsys.readouterr().out
    recorded(tests, tmp_path, "--", "-k", "runs")
    file = tmp_path / "runs" / "nvidia-x100-80-gb.json"
    capsys.readouterr()
    assert record.main(["--compare", "--output", str(file.parent)]) == 0
    assert "1 passed, 0 failed, same kernels" in capsys.readouterr().out
    old = json.loads(file.read_text())
    old["kernel_sources"]["push.cuh"] = "another"
    file.write_text(json.dumps(old))
    assert record.main(["--compare", "--output", str(file.parent)]) == 0
    assert "kernel sources changed since: push.cuh" in capsys.readouterr().out


def test_the_committed_records_can_be_read():
    for run in sources.recorded():
        assert {"gpu", "date", "counts", "kernel_sources", "recipes"} <= set(run)
    assert len(sources.since_recorded()) == len(sources.recorded())


def test_every_kernel_of_every_recipe_is_compiled_beforehand():
    kernels = kernel_list.all_kernels()
    assert len({kernel.name for kernel in kernels}) == len(kernels)
    assert any("traced" in kernel.name for kernel in kernels)
    for kind in ("i32", "i64", "f32", "f64"):
        assert any(f"_{kind}_" in kernel.name for kernel in kernels)


@pytest.mark.full("small corpus on the emulator", "tools/small_corpus.py", *SOLVES)
def test_the_small_corpus_runs_every_recipe(emulated_sssp, monkeypatch):
    names = ("self_loops", "star_out", "complete", "negative_without_cycle")
    monkeypatch.setattr(small_corpus, "NAMES", names)
    ran = set()

    def solve(graph, source, **call):
        ran.add((call["algorithm"], call["trace"]))
        return emulated_sssp(graph, source, **call)

    assert small_corpus.solve_all(solve) >= 400
    assert ran == {
        (recipe.name, trace)
        for recipe in on_gpu(Task.SSSP)
        for trace in ((False, True) if recipe.axes else (False,))
    }


def test_the_small_corpus_has_all_tables_too(monkeypatch):
    monkeypatch.setattr(small_corpus, "NAMES", ("self_loops", "negative_without_cycle", "star_in"))
    device, ran = device_for(64), []
    checked = tables.check

    def check(recipe, *given, trace, paths):
        ran.append((recipe.name, trace is not None, paths))
        checked(recipe, *given, trace=trace, paths=paths)

    monkeypatch.setattr(tables, "check", check)
    shares = [slice(k, None, 3) for k in range(3)]
    assert sum(small_corpus.tables_of_all(device, share) for share in shares) == len(ran)
    assert set(ran) == {
        (recipe.name, trace, recipe.predecessors and trace)
        for recipe in on_gpu(Task.APSP)
        for trace in (False, True)
    }


def test_the_small_corpus_notices_a_wrong_label(emulated_sssp, monkeypatch):
    def wrong(graph, source, **call):
        found = emulated_sssp(graph, source, **call)
        found.dist[-1] += 1
        return found

    monkeypatch.setattr(small_corpus, "NAMES", ("complete",))
    with pytest.raises(AssertionError, match="is wrong on complete, int32"):
        small_corpus.solve_all(wrong)


def test_the_names_of_the_small_corpus_are_cases():
    for name in small_corpus.NAMES:
        for dtype in small_corpus.TYPES:
            assert corpus.case(name).astype(dtype).graph().n <= 600
