"""Results have the bits that are committed, on every processor (`support.digests`)."""

from __future__ import annotations

import json

from support import digests


def test_results_have_the_committed_digests(capsys):
    status = digests.main(["--compare", str(digests.FILE)])
    assert status == 0, capsys.readouterr().out


def test_a_changed_digest_is_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(digests, "GRAPHS", ("parallel_edges",))
    changed = digests.all_digests()
    changed["parallel_edges-int32"]["graph"] = "0" * 64
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(changed), encoding="utf-8")
    assert digests.main(["--compare", str(file)]) == 1
    assert "parallel_edges-int32: graph\n" in capsys.readouterr().out
