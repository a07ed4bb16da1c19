"""`warpath bench several-gpus` on emulated devices: one line a question, all answers compared."""

from __future__ import annotations

import json

import pytest

from support.kernels import CACHE
from warpath_bench import several_gpus

GIVEN = ["uniform 60 4", "--kind", "emulated", "--sources", "5", "--questions", "memory", "sum"]


@pytest.fixture(autouse=True)
def _kept_kernels(monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE_DIR", str(CACHE))


def test_every_question_is_asked_of_each_number_of_devices(capsys):
    assert several_gpus.main(GIVEN) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["question"], line["gpus"]) for line in lines] == [
        (question, count)
        for question in ("table into memory", "sums of all pairs, prepared")
        for count in (1, 2)
    ]
    assert all(line["seconds"] > 0 and line["wrong"] == 0 for line in lines)
    assert [line["speedup"] for line in lines if line["gpus"] == 1] == [1.0, 1.0]


def test_an_answer_that_differs_from_that_of_one_device_fails_the_run(monkeypatch, capsys):
    title, ask = several_gpus._QUESTIONS["memory"]

    def wrong(graph, sources, device):
        seconds, answer, stats = ask(graph, sources, device)
        return seconds, answer + ("," in device), stats

    monkeypatch.setitem(several_gpus._QUESTIONS, "memory", (title, wrong))
    assert several_gpus.main(GIVEN[:-1]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["wrong"] for line in lines] == [0, 5 * 60]
