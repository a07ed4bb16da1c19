"""The hunting programs: what they report, and that each one runs."""

from __future__ import annotations

import contextlib
import inspect
import json
import textwrap

import numpy as np
import pytest

import warpath as wp
from hunt import __main__ as command
from hunt.program import NAMES, load
from hunt.supervisor import hunt
from hunt.worker import MOST_FINDINGS
from support.tiers import SOLVES


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Plant a program whose trial has this body; return the name to hunt by."""

    def plant(body: str, options: str = "") -> str:
        source = (
            "import os, time, warnings\n"
            "from hunt.program import Finding, Program\n"
            "def trial(rng, counts):\n"
            f"{textwrap.indent(textwrap.dedent(body), '    ')}\n"
            f"PROGRAM = Program('Planted.', trial, {options})\n"
        )
        name = f"trial_{abs(hash(body))}"
        folder = tmp_path / "planted"
        folder.mkdir()
        (folder / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return f"planted.{name}"

    return plant


def test_counts_of_all_processes_are_added_up(planted):
    name = planted("counts['solves'] += 2")
    outcome = hunt(name, 0, 0.0, 2)
    assert outcome.counts == {"solves": 4, "trials": 2}
    assert outcome.findings == []


def test_a_finding_is_reported_with_its_trial_and_the_hunt_goes_on(planted):
    name = planted("counts['solves'] += 1; raise Finding('a wrong bit')")
    outcome = hunt(name, 0, 3600.0, 1)  # ended by the number of findings
    assert outcome.findings == [(trial, "a wrong bit") for trial in range(MOST_FINDINGS)]
    assert outcome.counts == {"solves": MOST_FINDINGS, "trials": MOST_FINDINGS}


def test_an_unexpected_exception_or_warning_is_a_finding(planted):
    name = planted("warnings.warn('a leak') if rng.integers(2**40) else 1 / 0")
    [(trial, text)] = hunt(name, 0, 0.0, 1).findings
    assert trial == 0
    assert "UserWarning: a leak" in text


def test_a_crash_is_a_finding_and_the_trials_after_it_run(planted):
    name = planted(
        """
        if not os.path.exists(__file__ + 'x'):
            open(__file__ + 'x', 'w').close()
            os.abort()
        raise Finding('a wrong bit')
        """
    )
    (trial, text), *others = hunt(name, 0, 3600.0, 1).findings
    assert trial == 0
    assert "ended by signal 6" in text
    assert "Fatal Python error: Aborted" in text
    assert others == [(trial, "a wrong bit") for trial in range(1, MOST_FINDINGS + 1)]


def test_a_hang_is_a_finding_that_says_where(planted):
    name = planted("time.sleep(1000)", "hang=0.5, start=20.0")
    [(trial, text)] = hunt(name, 0, 0.0, 1).findings
    assert trial == 0
    assert "no end within 0.5 s" in text
    assert "in trial" in text


def test_memory_is_limited(planted):
    name = planted("bytearray(2**33)", "memory=2**31")
    [(_, text)] = hunt(name, 0, 0.0, 1).findings
    assert "MemoryError" in text


def test_a_program_without_its_packages_is_skipped_with_the_reason(planted):
    name = planted("pass", "packages=('no_such_package',)")
    assert hunt(name, 0, 0.0, 1).skipped == "not installed: no_such_package"


def test_a_trial_is_repeated_by_its_number(planted):
    name = planted("raise Finding(str(rng.integers(2**40)))")
    first = hunt(name, 7, 0.0, 3).findings
    assert len({text for _, text in first}) == 3
    for trial, text in first:
        assert hunt(name, 7, 0.0, 1, only=trial).findings == [(trial, text)]


def test_the_command_prints_and_records_what_was_found(monkeypatch, capsys, planted, tmp_path):
    name = planted("counts['solves'] += 1; raise Finding('a wrong bit')")
    monkeypatch.setattr(command, "NAMES", (name,))
    record = tmp_path / "hunts.jsonl"
    arguments = ["--each", "0.0001", "--jobs", "1", "--seed", "5", "--record", str(record)]
    assert command.main(arguments) == 1
    printed = capsys.readouterr().out
    assert f"repeat: python -m hunt {name} --seed 5 --trial 0" in printed
    assert "a wrong bit" in printed
    [line] = record.read_text().splitlines()
    found = json.loads(line)
    assert found["seed"] == 5
    assert (found["program"], found["does"]) == (name, "Planted.")
    assert found["counts"]["solves"] == found["counts"]["trials"] == found["found"] > 0


def test_workers_are_not_measured_by_coverage(planted, monkeypatch):
    # Its tracer takes a lock that an interrupt at the wrong moment leaves held.
    monkeypatch.setenv("COVERAGE_PROCESS_CONFIG", "planted")
    name = planted("raise Finding(' '.join(key for key in os.environ if 'COVERAGE' in key))")
    [(_, text), *_] = hunt(name, 0, 0.0, 1).findings
    assert text == ""


@pytest.mark.parametrize(
    "arguments",
    [["no_such"], ["--minutes", "0"], ["--jobs", "0"], ["--trial", "1"], ["--seed", "-1"]],
)
def test_wrong_arguments_are_usage_errors(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_every_public_call_is_tried_and_answers_for_some_graph(monkeypatch, tmp_path):
    from hunt.programs import _public_calls as public

    assert {call.name for call in public.calls()} >= {
        name for name in wp.__all__ if inspect.isfunction(getattr(wp, name))
    } | {f"Solver.{name}" for name in vars(wp.Solver) if name[0] != "_"} - {"Solver.graph"}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WARPATH_MEMORY", "64M")
    public.enter_folder.__wrapped__()
    rng = np.random.default_rng(1)
    silent = set()
    for call in public.calls():
        if call.name in {"register", "DynamicPaths.undo", "Legs.to_pandas"} or call.weight < 0.2:
            continue  # it changes the catalogue, needs a batch or streets, or takes long
        silent.add(call.name)
        for subject in public.subjects() * 5:
            if call.suits(subject) and call.name in silent:
                with contextlib.suppress(wp.WarpathError, TypeError):
                    call.on(subject, call.arguments(subject, rng, {}))
                    silent.remove(call.name)
    assert not silent


def test_a_parameter_without_a_maker_is_reported(monkeypatch):
    from hunt.programs import _public_calls as public

    monkeypatch.setattr(wp, "sssp", lambda graph, colour: (graph, colour))
    with pytest.raises(LookupError, match="no maker for the parameter 'colour' of sssp"):
        public.calls.__wrapped__()


ROADS = wp.generate.grid(3, 3, weights=(1, 5))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: wp.path(ROADS, 0, 8).stops(5), "names must be a list"),
        (lambda: ROADS.nearest_vertex(1, 1, component=[]), "must be 'largest' or"),
        (lambda: wp.sssp(ROADS, 0).to_numpy(unreachable=10**400), "does not fit"),
        (lambda: wp.sssp(ROADS.astype("float32"), 0).to_numpy(1e300), "does not fit float32"),
        (lambda: wp.within(ROADS, 0, 5).save("t.csv", escape_formulas=np.ones(2)), "must be True"),
        (lambda: wp.Graph.of([(0, 1, 2)], labels=[None, "a"]).to_networkx(), "label None"),
        (lambda: wp.read("a.txt", skip_lines=2**62).n, "no edges|empty|no vertex|none"),
    ],
)
def test_odd_values_that_were_not_refused(call, error, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("0 1 5\n")
    with pytest.raises(wp.InputError, match=error):
        call()


def test_parts_of_edges_of_the_least_length():
    graph = wp.Graph.of([(0, 1, 5e-324), (1, 2, 5e-324)])
    with np.errstate(all="raise"):
        assert len(wp.within(graph, 0, [3, 8]).parts()[0]) == 2


@pytest.mark.full("hunting programs", *SOLVES, "src/warpath/**/*.py", "tools/hunt/**/*.py")
@pytest.mark.parametrize("name", NAMES)
def test_a_program_runs_and_finds_nothing_in_its_first_trials(name):
    assert load(name).summary.endswith(".")
    outcome = hunt(name, 1, 1.0, 1)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert outcome.findings == []
    assert outcome.counts["trials"] > 0
