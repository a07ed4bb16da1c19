"""NetworkX's own tests of what we claim, run through the backend."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

SUITES = [
    "networkx.algorithms.shortest_paths",
    "networkx.algorithms.centrality.tests.test_betweenness_centrality",
    "networkx.algorithms.centrality.tests.test_betweenness_centrality_subset",
    "networkx.algorithms.centrality.tests.test_closeness_centrality",
    "networkx.algorithms.centrality.tests.test_harmonic_centrality",
    "networkx.algorithms.tests.test_distance_measures",
    "networkx.algorithms.tests.test_simple_paths",
]


@pytest.mark.full("tests of NetworkX", "src/warpath/nx/*.py", "src/_warpath_nx/*.py")
def test_all_tests_of_networkx_pass_with_our_answers(new_process, tmp_path):
    pytest.importorskip("scipy", reason="NetworkX's tests of backends import SciPy")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rxXsf", "-p", "no:cacheprovider",
         "-p", "no_fallback", "--pyargs", *SUITES],
        env=new_process | {"NETWORKX_TEST_BACKEND": "warpath"},
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    counts = {
        what: int(number) for number, what in re.findall(r"(\d+) ([a-z]+)", last(done.stdout))
    }
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert counts["passed"] > 700
    assert not {"failed", "xfailed", "xpassed", "error", "errors"} & counts.keys(), done.stdout[
        -4000:
    ]


def last(text):
    return text.strip().splitlines()[-1]


def test_importing_networkx_imports_nothing_of_ours_but_a_page_of_text(new_process):
    code = (
        "import sys, networkx as nx; "
        "print(nx.utils.backends.backend_info['warpath']['short_summary']); "
        "print([name for name in sys.modules if name.split('.')[0] in ('warpath', 'numpy')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=new_process, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["Exact shortest paths in C++ on all cores.", "[]"]


def test_a_call_in_a_new_process_finds_the_backend_by_its_entry_point(new_process):
    code = (
        "import networkx as nx; print(nx.shortest_path(nx.path_graph(4), 0, 3, backend='warpath'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=new_process, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[0, 1, 2, 3]\n"
