"""The record of a full run, and which slow tests it lets `make test-changed` leave out."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import full_run
from support import tiers


def case(part="", outcome=""):
    """One test of a JUnit report: its part with a digest, and what came of it."""
    noted = f'<properties><property name="full" value="{part}"/></properties>' if part else ""
    return f"<testcase>{noted}{outcome}</testcase>"


REPORT = "".join(
    [
        "<testsuites><testsuite>",
        case("mutants of a.cuh=11"),
        case("mutants of b.cuh=22", '<failure message="it survives"/>'),
        case("mutants of b.cuh=22"),
        case("races=33", "<skipped/>"),
        case(),
        case("", '<error message="no fixture"/>'),
        "</testsuite></testsuites>",
    ]
)


def test_a_part_passed_if_no_test_of_it_failed_or_was_skipped():
    counts, passed = full_run.summary(REPORT)
    assert counts == {"passed": 3, "failed": 2, "skipped": 1}
    assert passed == {"mutants of a.cuh": "11"}


def test_a_digest_changes_with_a_files_name_and_content(tmp_path, monkeypatch):
    monkeypatch.setattr(tiers, "ROOT", tmp_path)
    (tmp_path / "a.cuh").write_text("one")
    digests = {tiers.digest.__wrapped__("*.cuh")}
    (tmp_path / "a.cuh").write_text("two")
    digests.add(tiers.digest.__wrapped__("*.cuh"))
    (tmp_path / "a.cuh").rename(tmp_path / "b.cuh")
    digests.add(tiers.digest.__wrapped__("*.cuh"))
    (tmp_path / "c.txt").write_text("not of this part")
    digests.add(tiers.digest.__wrapped__("*.cuh"))
    assert len(digests) == 3


def test_a_step_that_passed_is_needed_where_its_files_changed(tmp_path, monkeypatch, capsys):
    def needed():
        capsys.readouterr()
        assert full_run.main(["--needed"]) == 0
        return capsys.readouterr().out.split()

    monkeypatch.setattr(full_run, "run_tests", lambda *_, **__: (True, {}, {}))
    monkeypatch.setattr(full_run, "_step", lambda _: (True, {}))
    recorded = tiers.recorded.__wrapped__
    monkeypatch.setattr(tiers, "recorded", lambda: recorded(tmp_path))
    assert needed() == ["sanitize", "counts"]
    full_run.main(["--output", str(tmp_path), "--commit", "a", "--steps", "counts"])
    assert needed() == ["sanitize"]
    part, _ = full_run.PARTS["counts"]
    monkeypatch.setitem(full_run.PARTS, "counts", (part, ("LICENSE",)))
    assert needed() == ["sanitize", "counts"]


def test_a_part_is_recorded_with_every_digest_it_passed_with(tmp_path):
    for name, value in (("2026-01-02-0900-b", "old"), ("2026-01-02-1000-a", "new")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"passed": {"races": value}}))
    assert tiers.recorded.__wrapped__(tmp_path) == {("races", "old"), ("races", "new")}
    assert tiers.recorded.__wrapped__(tmp_path / "none") == set()


@pytest.mark.parametrize(
    ("option", "chosen"),
    [
        (None, {"test_usual"}),
        ("--full", {"test_kept", "test_changed", "test_usual"}),
        ("--changed", {"test_changed"}),
    ],
)
def test_slow_tests_run_where_all_or_the_changed_ones_are_asked_for(
    option, chosen, tmp_path, monkeypatch
):
    """The tests of this folder's conftest decide: a test of a part, recorded in another folder."""
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text((tiers.ROOT / "tests" / "conftest.py").read_text())
    (tests / "test_parts.py").write_text(
        "import pytest\n"
        "@pytest.mark.full('kept', 'a.txt')\ndef test_kept(): pass\n"
        "@pytest.mark.full('changed', 'b.txt')\ndef test_changed(): pass\n"
        "def test_usual(): pass\n"
    )
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(tiers, "ROOT", tmp_path)
    as_recorded = tiers.digest.__wrapped__("a.txt", "tests/test_parts.py")
    program = (
        "import sys, pytest\nfrom pathlib import Path\nfrom support import tiers\n"
        f"tiers.ROOT = Path({str(tmp_path)!r})\n"
        f"tiers.recorded = lambda: {{(part, {as_recorded!r}) for part in ('kept', 'changed')}}\n"
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    options = ["-q", "--co", "-p", "no:cacheprovider", *([option] if option else []), "tests"]
    run = subprocess.run(
        [sys.executable, "-c", program, *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = {line.partition("::")[2] for line in run.stdout.splitlines() if "::" in line}
    assert found == chosen
