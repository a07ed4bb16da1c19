"""How long work tells how far it is."""

from __future__ import annotations

import io
import re
import signal
import sys

import numpy as np
import pytest

import warpath
from warpath.base import progress, units
from warpath.base.errors import InputError
from warpath.base.progress import share, watch


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(progress, "_SILENT_SECONDS", -1.0)


@pytest.mark.parametrize("wish", [None, False])
def test_silence_costs_nothing(wish):
    with watch(wish, "solving") as report:
        assert report is None


def test_a_function_is_called_itself():
    seen = []

    def tell(done, total):
        seen.append((done, total))

    with watch(tell, "solving") as report:
        assert report is tell


def test_a_block_of_rows_reports_rows_of_the_whole_table():
    reports = []
    block = share(lambda *numbers: reports.append(numbers), slice(30, 40), 60)
    for done in (0, 3, 6):
        block(done, 6)
    assert reports == [(30, 60), (35, 60), (40, 60)]
    assert share(None, slice(30, 40), 60) is None


def test_short_work_shows_nothing(capsys):
    with watch(progress=True, what="solving") as report:
        for done in range(101):
            report(done, 100)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("at_once")
def test_without_a_terminal_each_tenth_is_a_line_on_stderr(capsys):
    with watch(progress=True, what="solving") as report:
        report(0, 0)
        for done in range(0, 101, 5):
            report(done, 100)
    out, err = capsys.readouterr()
    assert out == ""
    told = [re.fullmatch(r"solving: (\d+) %(, 1 s left)?", line) for line in err.splitlines()]
    assert [int(line[1]) for line in told] == list(range(10, 101, 10))
    assert told[1][2]
    assert not told[-1][2]


@pytest.mark.usefixtures("at_once")
def test_without_rich_there_are_lines_too(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with watch(progress=True, what="solving") as report:
        report(0, 2)
        report(1, 2)
    assert capsys.readouterr().err == "solving: 50 %, 1 s left\n"


@pytest.fixture
def screen(monkeypatch):
    console = pytest.importorskip("rich.console", reason="bars need warpath[cli]")
    shown = io.StringIO()
    real = console.Console
    monkeypatch.setattr(
        console, "Console", lambda **_: real(file=shown, force_terminal=True, width=80)
    )
    return shown


@pytest.mark.usefixtures("at_once")
def test_a_terminal_gets_a_bar_that_goes_away(screen):
    with watch(progress=True, what="solving") as report:
        report(1, 4)
        report(2, 4)
    assert "solving" in screen.getvalue()
    assert "50%" in screen.getvalue()
    assert screen.getvalue().endswith("\x1b[2K")  # the line is erased


@pytest.mark.usefixtures("at_once")
def test_the_bar_goes_away_when_the_work_is_interrupted(screen):
    def work():
        with watch(progress=True, what="solving") as report:
            report(1, 4)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert "\x1b[?25h" in screen.getvalue()  # the cursor is back


def test_a_terminal_sees_no_trace_of_short_work(screen):
    with watch(progress=True, what="solving") as report:
        report(1, 4)
    assert screen.getvalue() == ""


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_pace_knows_the_rate_and_the_time_left(clock):
    pace = progress.Pace("sources")
    assert pace(0, 1000) == ("", "")
    clock.now += 10
    assert pace(200, 1000) == ("20 sources/s", "40 s left")
    assert pace(1000, 1000) == ("100 sources/s", "")


def test_what_an_earlier_run_did_makes_no_pace(clock):
    pace = progress.Pace("sources")
    pace(900, 1000)
    clock.now += 10
    assert pace(910, 1000) == ("1 sources/s", "1:30 min left")


@pytest.mark.usefixtures("at_once")
def test_lines_tell_the_rate_and_begin_where_an_earlier_run_ended(clock, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with watch(progress=True, what="solving", unit="sources") as report:
        report(550, 1000)
        clock.now += 5
        report(600, 1000)
        clock.now += 40
        report(1000, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "solving: 60 %, 10 sources/s, 40 s left",
        "solving: 100 %, 10 sources/s",
    ]


@pytest.mark.usefixtures("at_once")
def test_a_bar_shows_the_rate_and_the_time_left(screen, clock):
    with watch(progress=True, what="solving", unit="rows") as report:
        report(0, 100)
        clock.now += 10
        report(20, 100)
    assert "2 rows/s  40 s left" in screen.getvalue()


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.2, "1 s"), (59.4, "59 s"), (65, "1:05 min"), (3599, "59:59 min"), (3660, "1:01 h")],
)
def test_a_time_to_wait_is_short_to_read(seconds, shown):
    assert units.clock(seconds) == shown


@pytest.mark.parametrize("wish", ["a", 1, 0, [print]])
def test_what_is_neither_yes_no_nor_a_function_is_refused(wish):
    with (
        pytest.raises(InputError, match=r"progress = .* must be True, which shows a bar"),
        watch(wish, "solving"),
    ):
        pass


@pytest.mark.parametrize("algorithm", ["martin2009.f_cpu", "martin2009.u_cpu.dense"])
def test_rounds_on_the_cpu_report_the_vertices_that_they_settle(algorithm):
    graph = warpath.Graph.of([(0, 1, 2), (0, 2, 2), (0, 3, 7), (3, 4, 1)], n=6)
    seen = []
    paths = warpath.sssp(
        graph, 0, algorithm=algorithm, progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(3, 6), (4, 6), (5, 6)]
    assert paths.dist.tolist()[:5] == [0, 2, 2, 7, 8]


def test_a_solve_of_one_round_a_vertex_can_be_interrupted_between_rounds():
    n = 1000
    star = warpath.Graph.of((np.zeros(n, int), np.arange(1, n + 1), np.arange(1, n + 1)))
    rounds = []

    def stop(done, _total):
        rounds.append(done)
        if done == 10:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        warpath.sssp(star, 0, algorithm="martin2009.f_cpu", progress=stop)
    assert rounds == list(range(2, 11))
    assert warpath.sssp(star, 0, algorithm="martin2009.f_cpu").dist.tolist() == list(range(n + 1))
