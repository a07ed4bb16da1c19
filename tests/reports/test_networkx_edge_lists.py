"""Edge lists with dictionaries, as NetworkX writes them."""

from __future__ import annotations

import pytest

import warpath as wp


@pytest.mark.parametrize("delimiter", [" ", "\t", "  ", ",", ";", "|"])
@pytest.mark.parametrize("data", ['{"weight": 3}', "{'weight': 3}", "{}", '{"weight": 3, "k": 1}'])
@pytest.mark.parametrize("above", ["", "# by hand\n", "\n"])
def test_lines_with_dictionaries_are_refused_by_name_and_networkx_reads_them(
    tmp_path, delimiter, data, above
):
    networkx = pytest.importorskip("networkx")
    path = tmp_path / ("edges.csv" if delimiter == "," else "edges.txt")
    path.write_text(above + delimiter.join(["a", "b", data]) + "\n")
    with pytest.raises(wp.GraphFormatError, match="NetworkX edge list with dict") as caught:
        wp.read(path)
    remedy = str(caught.value).partition("In Python: ")[2].partition("; directed")[0]
    graph = eval(remedy, {"wp": wp, "networkx": networkx})  # noqa: S307 - our own text
    assert (graph.labels.tolist(), graph.m) == (["a", "b"], 2)
    assert graph.weights is None or graph.weights.tolist() == [3, 3]
