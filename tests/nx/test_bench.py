from __future__ import annotations

from types import SimpleNamespace

import networkx as nx
import pytest

from warpath import generate
from warpath.base.errors import InputError, NotSupportedError, VerificationError
from warpath_bench import networkx_calls, run
from warpath_bench.networkx_calls import WORKLOADS, Workload


@pytest.fixture
def small(monkeypatch):
    for name, workload in WORKLOADS.items():
        made = Workload(lambda: generate.uniform(20, 4), workload.calls)
        monkeypatch.setitem(WORKLOADS, name, made)
    monkeypatch.setattr(run, "machine", lambda: {"cores": "2"})
    monkeypatch.setattr(networkx_calls, "_TURN", 1e-9)
    monkeypatch.setattr(networkx_calls, "_OTHERS", 1)


@pytest.mark.usefixtures("small")
def test_every_call_is_timed_and_compared(capsys):
    assert networkx_calls.main(["--repeats", "1"]) == 0
    told = capsys.readouterr().out
    for name, workload in WORKLOADS.items():
        assert f"{name}: 20 nodes" in told
        for call in workload.calls:
            assert f"| `{call.name}` | " in told
    assert told.endswith(f"NetworkX {nx.__version__}, cores 2.\n")


def test_short_calls_are_repeated_within_a_turn(monkeypatch):
    monkeypatch.setattr(networkx_calls, "_TURN", 1e-2)
    now = [0.0]  # a clock that only the calls move on
    monkeypatch.setattr(networkx_calls, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    made = networkx_calls.as_networkx(generate.grid(3, 3, (1, 5), seed=1))
    asked = {"networkx": 0, "warpath": 0}

    class Timed:
        @staticmethod
        def slow(_graph, *, backend):
            asked[backend] += 1
            now[0] += 4e-3 if backend == "warpath" else 11e-3
            return 1

    call = networkx_calls.Call("slow")
    theirs, ours = networkx_calls.measure(Timed, made, call, [[]], 2)
    # One before the turns and one to be compared are not timed; nor is NetworkX's first.
    assert asked == {"networkx": 2 + 1, "warpath": 1 + 2 * 3 + 1}
    assert (ours, theirs) == (pytest.approx(4), pytest.approx(11))


@pytest.mark.usefixtures("small")
def test_a_wrong_answer_has_no_time(monkeypatch):
    import warpath.nx

    monkeypatch.setattr(warpath.nx, "eccentricity", lambda *_, **__: {})
    with pytest.raises(VerificationError, match="answer differently"):
        networkx_calls.main(["--repeats", "1", "--graphs", "all pairs", "--calls", "eccentricity"])


def test_what_is_not_there_is_told(monkeypatch):
    with pytest.raises(InputError, match="no graph 'rome'"):
        networkx_calls.main(["--graphs", "rome"])
    monkeypatch.delitem(nx.utils.backends.backends, "warpath")
    with pytest.raises(NotSupportedError, match="not installed"):
        networkx_calls.main([])
