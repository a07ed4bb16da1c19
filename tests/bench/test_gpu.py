"""``warpath bench gpu`` over the CPU in a GPU's place: what is timed, compared and written."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import warpath as wp
from warpath.bench import gpu, gpu_page


class Event:
    """An event that knows how many were recorded before it."""

    recorded = 0

    def record(self):
        Event.recorded += 1
        self.at = Event.recorded

    def synchronize(self):
        assert self.at


class Device:
    """The CPU with a launch that does nothing, and a clock that counts events."""

    name = "cpu"
    xp = SimpleNamespace(
        cuda=SimpleNamespace(Event=Event, get_elapsed_time=lambda start, end: end.at - start.at)
    )

    def __init__(self):
        self.launched = []

    def launch(self, kernel, blocks, *args):
        self.launched.append((kernel, blocks, args))


@pytest.fixture
def bench(tmp_path, capsys):
    def run(*words):
        lines = tmp_path / "lines.jsonl"
        given = ["--scale", "0.001", "--sources", "3", "--lines", str(lines), *map(str, words)]
        code = gpu.main(given, Device())
        told = capsys.readouterr()
        return (
            code,
            told.out,
            told.err,
            [json.loads(line) for line in lines.read_text().splitlines()],
        )

    return run


def test_kernels_are_timed_by_events_around_each_launch():
    device = Device()

    def solve():
        device.launch("first", 2, 7)
        device.launch("second", 3)

    assert gpu.kernel_ms(device, solve) == 2
    assert device.launched == [("first", 2, (7,)), ("second", 3, ())]
    assert gpu.kernel_ms(device, lambda: None) == 0
    assert "launch" not in vars(device)


def test_a_line_has_three_times_a_source_and_is_not_measured_twice(bench, tmp_path):
    page = tmp_path / "page.md"
    graphs = "grid 1000", "grid 2000", "grid 4000"
    scaled = ["grid 32", "grid 63", "grid 126"]
    code, out, err, lines = bench("--graphs", *graphs, "--dtypes", "int32", "--output", page)
    assert code == 0
    assert [line["graph"] for line in lines] == scaled
    for line in lines:
        assert line["wrong"] == 0
        assert len(line["sources"]) == len(line["call_ms"]) == len(line["kernel_ms"]) == 3
        assert line["copied_ms"][0] > 0
    assert "grid 32, int32, auto: " in err
    assert page.read_text().startswith(out)
    assert "![Time over the number of edges" in page.read_text()
    assert (tmp_path / "page-sizes.png").stat().st_size > 5000
    _, _, err, again = bench("--graphs", *graphs, "--dtypes", "int32")
    assert again == lines
    assert err == ""


def test_sources_are_the_hub_the_middle_and_seeded_ones():
    star = wp.Graph.of(([5] * 9, range(10, 19), [1] * 9), n=20)
    assert gpu.chosen(star, 4) == [5]
    path = wp.Graph.of((range(9), range(1, 10), [1] * 9))
    assert gpu.chosen(path, 3)[:2] == [0, 5]
    assert len(gpu.chosen(path, 3)) == 3


def test_a_wrong_distance_is_told_in_place_of_a_time(bench, monkeypatch):
    right = wp.api.sssp

    def wrong(*given, **named):
        paths = right(*given, **named)
        paths.dist.flags.writeable = True
        paths.dist[:] = 7
        return paths

    monkeypatch.setattr(gpu.api, "sssp", wrong)
    code, out, _, lines = bench("--graphs", "rmat 18 16", "--dtypes", "int32")
    assert code == 1
    assert lines[0]["wrong"] > 0
    assert "wrong distances" in out


def test_what_an_algorithm_cannot_solve_is_said_in_its_line(bench):
    words = "--graphs", "mesh 700", "--dtypes", "float32", "--algorithms", "classic.dijkstra.dial"
    code, out, _, lines = bench(*words)
    assert code == 0
    assert "dial" in lines[0]["error"]
    assert "ms" not in lines[0]
    assert "dial" in out


def test_a_page_sets_goals_and_adds_beside_whole_numbers_alone():
    line = {"graph": "grid 1000", "dtype": "int32", "algorithm": "auto", "n": 10, "m": 30,
            "sources": [1, 2], "kernel_ms": [4.0, 6.0], "call_ms": [7.0, 7.0], "plan": "mine",
            "copied_ms": [8.0, 9.0], "rounds": [1000, 2000], "wrong": 0, "gpu": "GPU"}  # fmt: skip
    page = gpu_page.page([line, line | {"dtype": "float32"}])
    assert "| `mine` | 5 | 7 | 8.5 | 4 | 10 | 2.0x | 1.5 | 3.3 | 1,500 |" in page
    assert "| `mine` | 5 | 7 | 8.5 |  |  |  | 1.5 | 3.3 | 1,500 |" in page
    assert "Over ADDS, geometric mean of 1: 2.00x." in page
    assert "Goals missed: grid 1000 (int32, auto)." in page


def test_the_floor_counts_bytes_gathers_and_rounds():
    n, m = 2**20, 32 * 2**20
    assert gpu_page.floor_ms(n, m, None) == pytest.approx(1e3 * m * (8 / 4.27e12 + 1 / 158e9))
    assert gpu_page.floor_ms(n, 0, 1000) == pytest.approx(1)
    assert gpu_page.floor_ms(2**24, m, 0) > gpu_page.floor_ms(n, m, 0)
