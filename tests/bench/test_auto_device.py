"""``warpath bench auto``: questions of the CPU and of a GPU, each in a process of its own."""

from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest

import warpath as wp
from warpath.api.options import Options
from warpath_bench import auto_device
from warpath_bench.auto_device import QUESTIONS, Question


def small(seed=1):
    return wp.generate.road(60, seed=seed)


TINY = (
    Question("road 60", small, "one source"),
    Question("road 60", small, "table", 3, 4),
    Question("road 60", small, "totals", 20, prepared=True),
)


def asked(answer):
    """A question of the same graph whose answer is that of a function."""

    class Other(Question):
        def ask(self, solver):
            return answer(solver)

    return Other(*TINY[0])


def test_questions_are_asked_of_both_devices(tmp_path, capsys):
    lines = tmp_path / "lines.jsonl"
    assert auto_device.main(["--device", "cpu", "--lines", str(lines)], TINY) == 0
    written = [json.loads(text) for text in lines.read_text().splitlines()]
    assert [line["question"] for line in written] == [one.name for one in TINY]
    for line in written:
        assert min(line["cpu_s"], line["device_s"], line["predicted_cpu_s"]) > 0
        assert line["chosen"] == "cpu"
        assert not line["differs"]
        assert line["cores"] == str(os.cpu_count())
    page = capsys.readouterr().out
    assert "| road 60: 3 x 4 |" in page
    assert "of 3 questions.\n" in page


def test_answers_that_differ_fail_the_run(capsys):
    other = asked(lambda _: np.array([os.getpid()]))
    assert auto_device.main(["--device", "cpu"], [TINY[0], other]) == 1
    page = capsys.readouterr().out
    assert page.count("road 60: one source: THE ANSWERS DIFFER") == 1


def test_a_process_that_takes_too_long_or_fails_says_so(capsys):
    slow = asked(lambda _: time.sleep(60))
    wrong = asked(lambda solver: solver.sssp(10**6).dist)
    ends = asked(lambda _: os._exit(3))
    assert auto_device.main(["--device", "cpu", "--limit", "0.3"], [slow, wrong, ends]) == 0
    page = capsys.readouterr().out
    assert page.count("over 300 ms") == 1
    assert page.count("VertexError") == 1
    assert page.count("its process ended") == 1
    assert "better device in 0 of 3 questions" in page


def test_questions_after_the_budget_are_counted(capsys):
    auto_device.main(["--device", "cpu", "--budget", "0"], TINY)
    assert "0 of 0 questions; 3 were not asked" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("chosen", "cpu", "gpu", "ratio"),
    [
        ("cpu", 2.0, 1.0, 2.0),
        ("cuda:0", 2.0, 1.0, 1.0),
        ("cuda:0", 1.0, 3.0, 3.0),
        ("cpu", 1.0, None, 1.0),
        ("cuda:0", 1.0, None, float("inf")),
        ("cpu", None, None, None),
        (None, 1.0, 1.0, None),
    ],
)
def test_a_choice_is_judged_by_the_better_device(chosen, cpu, gpu, ratio):
    line = {"cpu_s": cpu, "device_s": gpu} | ({} if chosen is None else {"chosen": chosen})
    assert auto_device.over_best(line) == ratio


def test_there_are_forty_questions_with_names_of_their_own():
    assert len({one.name for one in QUESTIONS}) == len(QUESTIONS) == 40


@pytest.mark.parametrize(
    "question",
    [*TINY[:2], Question("", small, "totals", 20), Question("", small, "all pairs"),
     Question("", small, "nearest", 3)],
    ids=lambda question: question.form,
)  # fmt: skip
def test_a_question_has_the_size_that_is_planned_for(question, monkeypatch):
    sizes = []
    real = Options._planned
    monkeypatch.setattr(
        Options,
        "_planned",
        lambda self, size, *a, **k: (sizes.append(size), real(self, size, *a, **k))[1],
    )
    graph = small()
    question.ask(wp.Solver(graph))
    assert sizes[0] == question.size(graph)
