"""The gate that counts instructions: it reads profiles rightly, and says what became slower."""

from __future__ import annotations

import json
import shutil

import pytest

import counts
from support.tiers import CORE

# As callgrind writes it with --compress-strings=no.
PROFILE = """\
# callgrind format
positions: line
events: Ir
summary: 1115

ob=/usr/lib/libc.so.6
fn=memset
16 1000

ob=/made/dijkstra
fn=counted
0 7
calls=3 0
0 1105
cob=/usr/lib/libc.so.6
cfn=memset
calls=1 16
+2 1000
* 3
fn=relax
-4 100
+1 5

totals: 1115
"""


def test_a_profile_counts_the_program_itself_without_libraries_and_what_is_called():
    assert counts.instructions(PROFILE, "/made/dijkstra") == 7 + 3 + 100 + 5
    assert counts.instructions(PROFILE, "/usr/lib/libc.so.6") == 1000


@pytest.mark.parametrize(
    ("found", "wrong", "said"),
    [
        ({"a": 10_199, "b": 500}, False, []),
        ({"a": 10_201, "b": 500}, True, ["a: 10,000 -> 10,201 instructions, +2.0%  SLOWER"]),
        ({"a": 9_700, "b": 500}, False, ["a: 10,000 -> 9,700 instructions, -3.0%"]),
        ({"a": 20_000, "b": 100}, True, ["+100.0%  SLOWER", "b: 500 -> 100 instructions, -80.0%"]),
        ({"a": 10_000}, True, ["b: in the table, but in no program"]),
        ({"a": 10_000, "b": 500, "c": 1}, True, ["c: 1 instructions, not in the table"]),
    ],
)
def test_two_per_cent_more_fail_and_two_less_ask_for_a_new_table(found, wrong, said):
    verdict = counts.compare({"a": 10_000, "b": 500}, found)
    assert verdict.wrong == wrong
    *lines, last = verdict.lines if not said else verdict.lines[:-1]
    assert len(lines) == len(said)
    for line, text in zip(lines, said, strict=True):
        assert line.endswith(text)
    assert last == f"{len(found)} loops counted, 2% more allowed."
    assert ("COUNTS=--update" in verdict.lines[-1]) == bool(said)


class Fake:
    """A compiler that nothing is compiled with."""

    title = "machine g++ 1.2.3"


@pytest.fixture
def golden(monkeypatch, tmp_path):
    """A table of its own, and counts that come from no program."""
    path = tmp_path / "golden.json"
    monkeypatch.setattr(counts, "GOLDEN", path)
    monkeypatch.setattr(counts, "Compiler", Fake)

    def found(**of):
        def count(_, names):
            return {name: many for name, many in of.items() if not names or name in names}

        monkeypatch.setattr(counts, "count", count)

    found(a=100, b=200)
    return path, found


def test_the_table_is_written_and_compared_with(golden, capsys):
    path, found = golden
    path.write_text(json.dumps({"another compiler": {"a": 1}}))
    assert counts.main(["--update"]) == 0
    assert json.loads(path.read_text()) == {
        "another compiler": {"a": 1},
        Fake.title: {"a": 100, "b": 200},
    }
    assert counts.main([]) == 0
    found(a=100, b=205)
    assert counts.main(["a"]) == 0
    assert counts.main([]) == 1
    assert "b: 200 -> 205 instructions, +2.5%  SLOWER" in capsys.readouterr().out


def test_an_update_of_some_cases_keeps_the_others_and_one_of_all_drops_what_is_gone(golden):
    path, found = golden
    counts.main(["--update"])
    found(a=1, b=2, c=3)
    counts.main(["--update", "b"])
    assert json.loads(path.read_text())[Fake.title] == {"a": 100, "b": 2}
    counts.main(["--update"])
    found(c=3)
    counts.main(["--update"])
    assert json.loads(path.read_text())[Fake.title] == {"c": 3}


@pytest.mark.parametrize("required", [[], ["--required"]])
def test_counts_of_another_compiler_are_not_compared(golden, capsys, required):
    path, _ = golden
    path.write_text('{"machine g++ 9.9.9": {"a": 1}}')
    assert counts.main(required) == (2 if required else 0)
    assert "of machine g++ 9.9.9, not of machine g++ 1.2.3: add them" in capsys.readouterr().err


@pytest.mark.parametrize("required", [[], ["--required"], ["--update"]])
def test_without_valgrind_nothing_is_compared(monkeypatch, capsys, required):
    monkeypatch.setattr(counts.shutil, "which", lambda name: None if name == "valgrind" else "/x")
    monkeypatch.setattr(counts, "Compiler", Fake)
    assert counts.main(required) == (2 if required else 0)
    assert "valgrind is not installed (Debian" in capsys.readouterr().err


def test_every_case_is_in_the_table():
    table = json.loads(counts.GOLDEN.read_text())
    programs = {path.stem for path in counts.FOLDER.glob("*.cpp")}
    for of_compiler in table.values():
        assert {name.partition(".")[0] for name in of_compiler} == programs
        assert min(of_compiler.values()) > 100_000, "a loop so short says little"


def test_a_name_chooses_the_programs_that_it_may_mean():
    assert counts._akin("dijkstra", "dijkstra.heap")
    assert counts._akin("dijkstra", "dij")
    assert not counts._akin("dijkstra", "dijkstra_many")
    assert not counts._akin("routes", "dijkstra")


def test_a_program_that_fails_ends_the_run_with_what_it_said():
    with pytest.raises(SystemExit, match="ended with 3:\nnothing here"):
        counts._run(["sh", "-c", "echo nothing here >&2; exit 3"])


@pytest.mark.full("counts of instructions", "tests/counts/*", "tools/counts/*.py", *CORE)
def test_a_loop_takes_the_same_number_of_instructions_each_time():
    if shutil.which("valgrind") is None or shutil.which("g++") is None:
        pytest.skip("there is no valgrind, or no g++")
    once, again = (counts.count(counts.Compiler(), ["settle.push"]) for _ in range(2))
    assert once == again
    assert list(once) == ["settle.push.rmat.int32"]
