"""The hunting programs: what they report, and that each one runs."""

from __future__ import annotations

import inspect
import json
import textwrap

import pytest

import warpath as wp
from hunt import __main__ as command
from hunt.program import NAMES, load
from hunt.programs._public_calls import calls
from hunt.supervisor import hunt
from hunt.worker import MOST_FINDINGS


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


def public_calls():
    """Yield (name of a `Call`, function) for each function, and each method of `Solver`."""
    for name in wp.__all__:
        if inspect.isfunction(getattr(wp, name)):
            yield name, getattr(wp, name)
    yield "Solver", wp.Solver
    for name, method in vars(wp.Solver).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            yield f"solver.{name}", method


@pytest.mark.parametrize(
    ("name", "function"), [pytest.param(*pair, id=pair[0]) for pair in public_calls()]
)
def test_odd_values_are_tried_for_every_parameter_of_a_public_call(name, function):
    drawn = [call.params for call in calls() if call.name.partition("(")[0] == name]
    assert drawn, f"tools/hunt/programs/_public_calls.py has no Call of the name {name!r}"
    parameters = inspect.signature(function).parameters.values()
    named = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD} - {"self"}
    missing = named - set().union(*drawn)
    assert not missing, f"the Call {name!r} of _public_calls.py has no maker for these parameters"


@pytest.mark.parametrize("name", NAMES)
def test_a_program_runs_and_finds_nothing_in_its_first_trials(name):
    assert load(name).summary.endswith(".")
    outcome = hunt(name, 1, 1.0, 1)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert outcome.findings == []
    assert outcome.counts["trials"] > 0
