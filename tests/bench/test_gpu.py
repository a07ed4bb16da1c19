"""``warpath bench gpu`` over the CPU in a GPU's place: what is timed, compared and written."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

import warpath as wp
from warpath_bench import gpu, gpu_made, gpu_page


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

    def fire(self, launch):
        self.launched.append((launch, 0, ()))


@pytest.fixture
def bench(tmp_path, capsys):
    def run(*words):
        lines = tmp_path / "lines.jsonl"
        given = ["--scale", "0.001", "--sources", "3", "--makers", "0", "--lines", str(lines)]
        given += map(str, words)
        code = gpu.main(given, Device())
        told = capsys.readouterr()
        written = lines.read_text().splitlines() if lines.exists() else []
        return code, told.out, told.err, [json.loads(line) for line in written]

    return run


def test_kernels_are_timed_by_events_around_each_launch():
    device = Device()

    def solve():
        device.launch("first", 2, 7)
        device.fire("second")

    assert gpu.kernel_ms(device, solve) == 2
    assert device.launched == [("first", 2, (7,)), ("second", 0, ())]
    assert gpu.kernel_ms(device, lambda: None) == 0
    assert not {"launch", "fire"} & vars(device).keys()


def test_a_line_has_three_times_a_source_and_is_not_measured_twice(bench, tmp_path):
    page = tmp_path / "page.md"
    graphs = "grid 1000", "grid 2000", "grid 4000"
    scaled = ["grid 32", "grid 63", "grid 126"]
    code, out, err, lines = bench("--graphs", *graphs, "--dtypes", "int32", "--output", page)
    assert code == 0
    assert [line["graph"] for line in lines] == scaled[::-1]
    for line in lines:
        assert line["wrong"] == 0
        assert len(line["sources"]) == len(line["call_ms"]) == len(line["kernel_ms"]) == 3
        assert line["copied_ms"][0] > 0
    assert "grid 32, int32, auto: " in err
    assert page.read_text().startswith(out)
    assert "![Time over edges" in page.read_text()
    assert (tmp_path / "page-sizes.png").stat().st_size > 5000
    _, _, err, again = bench("--graphs", *graphs, "--dtypes", "int32")
    assert again == lines
    assert err == ""


def test_sources_are_the_hub_the_middle_and_seeded_ones():
    star = wp.Graph.of(([5] * 9, range(10, 19), [1] * 9), n=20)
    assert gpu_made.chosen(star, 4) == [5]
    path = wp.Graph.of((range(9), range(1, 10), [1] * 9))
    assert gpu_made.chosen(path, 3)[:2] == [0, 5]
    assert len(gpu_made.chosen(path, 3)) == 3


def test_a_wrong_distance_is_told_in_place_of_a_time(bench, wrong_sssp, monkeypatch):
    monkeypatch.setattr(gpu.calls, "sssp", wrong_sssp)
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


def test_a_page_sets_adds_and_the_fastest_published_recipe_beside_ours():
    line = {"graph": "grid 1000", "dtype": "int32", "algorithm": "auto", "n": 10, "m": 30,
            "sources": [1, 2], "kernel_ms": [4.0, 6.0], "call_ms": [6.0, 8.0], "plan": "mine",
            "copied_ms": [8.0, 9.0], "rounds": [1000, 2000], "wrong": 0, "gpu": "GPU"}  # fmt: skip
    published = {"study": "catalogue", "graph": "grid 1000", "dtype": "int32", "gpu": "GPU",
                 "source": 2, "wrong": 0}  # fmt: skip
    others = [
        published | {"algorithm": "martin2009.fh", "call_ms": [30.0, 10.0, 20.0]},
        published | {"algorithm": "martin2009.f_gpu", "limit": 0.25},
        published | {"algorithm": "broken.harish_narayanan2007", "call_ms": [1.0], "wrong": 3},
    ]
    page = gpu_page.page([line, line | {"dtype": "float32", "kernel_ms": [6.0]}, *others])
    assert "| grid 1000 | 30 | mine | 5 | 7 | 8.5 | 2.0x | 2.5x |" in page
    assert "ADDS: 2.00x in the geometric mean of 1." in page
    assert "Kernels over those with int32: 1.2 to 1.2 with float32." in page
    assert page.count("grid 1000") == 1


def test_rows_come_by_kind_and_size_whatever_was_ready_first():
    names = "uniform 8 8", "odd 1", "NY", "grid 20", "grid 3"
    lines = [{"graph": name, "m": int("0" + "".join(filter(str.isdigit, name)))} for name in names]
    shown = [line["graph"] for line in gpu_page.ours([*lines, {"study": "catalogue"}])]
    assert shown == ["NY", "grid 3", "grid 20", "uniform 8 8", "odd 1"]


def test_what_cannot_be_made_is_told_and_the_others_are_measured(bench):
    code, _, err, lines = bench("--graphs", "grid 1000", "rmat 18 16", "--budget", "0")
    assert code == 1
    assert not lines
    assert "not measured: grid 32: the time was over" in err


def test_the_floor_counts_bytes_gathers_and_rounds():
    n, m = 2**20, 32 * 2**20
    assert gpu_page.floor_ms(n, m, None) == pytest.approx(1e3 * m * (8 / 4.27e12 + 1 / 158e9))
    assert gpu_page.floor_ms(n, 0, 1000) == pytest.approx(1)
    assert gpu_page.floor_ms(2**24, m, 0) > gpu_page.floor_ms(n, m, 0)
