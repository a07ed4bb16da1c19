"""What saved traces and results say about how they were computed, and tables for LaTeX."""

from __future__ import annotations

import gzip
import json
import re

import numpy as np
import pytest

import warpath as wp
from warpath.base import latex, provenance

GRAPH = wp.generate.random_in_degree(60, degree=4, weights=(1, 9), seed=3)
NEAR_FAR = "davidson2014.near_far.merge_path"


@pytest.fixture(scope="module")
def emulated():
    call = {"algorithm": NEAR_FAR, "device": "emulated:7", "params": {"delta": 5}, "trace": True}
    return wp.sssp(GRAPH, 0, **call)


def test_a_trace_says_how_it_was_made_and_is_read_back(emulated, tmp_path):
    run = emulated.trace.run
    assert (run.algorithm, run.params["delta"], run.seed) == (NEAR_FAR, 5, 7)
    assert run.warpath == wp.__version__
    assert run.commit == provenance.commit()
    assert "threads" in run.machine
    emulated.trace.save(tmp_path / "run.jsonl")
    assert wp.Trace.load(tmp_path / "run.jsonl") == emulated.trace
    assert wp.sssp(GRAPH, 0, algorithm="martin2009.f_cpu", trace=True).trace.run.seed is None


def test_a_trace_of_an_older_version_is_read(emulated, tmp_path):
    file = tmp_path / "run.jsonl"
    emulated.trace.save(file)
    head, *rows = file.read_text().splitlines()
    head = json.loads(head)
    for name in ("commit", "machine", "seed"):
        del head["run"][name]
    file.write_text("\n".join([json.dumps(head), *rows]))
    assert wp.Trace.load(file).run.seed is None


@pytest.mark.parametrize("name", ["run.csv", "run.csv.gz", "run.parquet"])
def test_a_trace_is_saved_as_a_table_that_repeats_how_it_was_made(emulated, tmp_path, name):
    pandas = pytest.importorskip("pandas")
    file = tmp_path / name
    emulated.trace.save(file)
    table = pandas.read_parquet(file) if ".parquet" in name else pandas.read_csv(file)
    assert table["selected"].tolist() == [one.selected for one in emulated.trace]
    assert table["near waiting"].tolist() == [one.sizes["near"] for one in emulated.trace]
    assert set(table["algorithm"]) == {NEAR_FAR}
    assert set(table["param delta"]) == {5}
    assert set(table["seed"]) == {7}
    assert set(table["warpath"].astype(str)) == {wp.__version__}


def test_a_trace_is_saved_as_a_table_for_latex(emulated, tmp_path):
    emulated.trace.save(tmp_path / "run.tex")
    text = (tmp_path / "run.tex").read_text()
    assert f"% algorithm: {NEAR_FAR}\n" in text
    assert "% seed: 7\n" in text
    assert text.count(" \\\\\n") == 1 + len(emulated.trace)
    assert "number & phase & rounds & selected" in text


@pytest.mark.parametrize("name", ["run.json", "run", "run.txt", "run.npz", "run.xlsx"])
def test_a_trace_in_another_format_is_refused(emulated, tmp_path, name):
    with pytest.raises(wp.InputError, match=re.escape(".jsonl, .csv, .tex or .parquet.")):
        emulated.trace.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_trace_without_a_run_and_one_without_rounds_are_saved(tmp_path):
    for name in ("a.csv", "a.tex", "a.parquet", "a.jsonl"):
        wp.Trace().save(tmp_path / name)


def test_saved_paths_say_how_they_were_made(emulated, tmp_path):
    emulated.save(tmp_path / "tree.npz")
    how = json.loads(str(np.load(tmp_path / "tree.npz")["run"]))
    assert (how["algorithm"], how["params"]["delta"], how["seed"]) == (NEAR_FAR, 5, 7)
    assert how["warpath"] == wp.__version__
    assert {"commit", "machine", "graph", "n", "m"} <= set(how)
    assert wp.verify(GRAPH, wp.Paths.load(GRAPH, tmp_path / "tree.npz"))
    parquet = pytest.importorskip("pyarrow.parquet")
    emulated.save(tmp_path / "tree.parquet")
    metadata = parquet.read_table(tmp_path / "tree.parquet").schema.metadata
    assert json.loads(metadata[b"warpath"]) == how


@pytest.mark.parametrize("long", [False, True])
def test_tables_are_saved_for_latex(tmp_path, long):
    table = wp.distances(
        [("a_1", "b&c", 2), ("b&c", "d", 5)], ["a_1"], algorithm="classic.dijkstra"
    )
    table.save(tmp_path / "t.tex", long=long)
    text = (tmp_path / "t.tex").read_text()
    assert "% algorithm: classic.dijkstra" in text
    assert (r"a\_1 & b\&c & 2 \\" in text) is long
    assert (r"source & a\_1 & b\&c & d \\" in text) is not long


def test_paths_are_saved_for_latex_compressed(tmp_path):
    wp.sssp([(0, 1, 2), (2, 1, 5)], 0).save(tmp_path / "t.tex.gz")
    text = gzip.decompress((tmp_path / "t.tex.gz").read_bytes()).decode()
    assert "0 & 0 &  \\\\\n1 & 2 & 0 \\\\\n2 &  &  \\\\\n" in text


def test_text_for_latex_is_escaped_and_numbers_are_on_the_right():
    assert latex.escaped("50 % of\n$x_1^2$ \\ ~") == (
        r"50 \% of \$x\_1\textasciicircum{}2\$ \textbackslash{} \textasciitilde{}"
    )
    text = latex.table(["a", "b"], [["x", 1], ["y", None]], {})
    assert text.startswith("\\begin{tabular}{lr}\n\\hline\na & b \\\\\n\\hline\nx & 1 \\\\\n")


def test_the_same_emulated_call_counts_the_same_and_a_seed_changes_the_order():
    graph = wp.generate.random_in_degree(400, degree=6, weights=(1, 100), seed=1)
    call = {"algorithm": "johnson_gpu.bf_queue", "trace": True}

    def counts(device):
        return [*wp.sssp(graph, 0, device=device, **call).trace]

    assert counts("emulated") == counts("emulated") == counts("emulated:0")
    assert len({tuple(map(str, counts(f"emulated:{seed}"))) for seed in range(6)}) > 1
    for wrong in ("emulated:x", "emulated:", "emulated:-1"):
        with pytest.raises(wp.InputError, match="is not valid"):
            counts(wrong)
