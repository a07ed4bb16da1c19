"""The version of a release: one tag, which all files follow."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def release(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in (*module.VERSIONS, "CHANGELOG.md"):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def test_the_version_of_a_tag_is_written_everywhere(release, tmp_path, capsys):
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("# Changelog\n\n## [0.1.0] - unreleased\n\n- All is new.\n")
    assert release.main(["check", "v7.8.9"]) == 1
    said = capsys.readouterr().out
    assert all(f"{name} says" in said for name in release.VERSIONS)
    assert 'CHANGELOG.md has no "## [7.8.9] - DATE"' in said
    assert release.main(["set", "v7.8.9"]) == 0, capsys.readouterr().out
    assert re.search(r"^## \[7\.8\.9\] - \d{4}-\d\d-\d\d$", changelog.read_text(), re.MULTILINE)
    assert release.notes("7.8.9") == "- All is new."
    assert release.main(["check", "7.8.9"]) == 1  # without the v


def test_an_undated_or_empty_part_of_the_changelog_is_no_release(release, tmp_path, capsys):
    tag = f"v{release.version()}"
    changelog = tmp_path / "CHANGELOG.md"
    for heading, says in (("unreleased", "write the date"), ("2026-01-02", "says nothing about")):
        changelog.write_text(f"## [{tag[1:]}] - {heading}\n")
        assert release.main(["check", tag]) == 1
        assert says in capsys.readouterr().out
