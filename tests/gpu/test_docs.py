"""The how-to page about GPUs, on one."""

from __future__ import annotations

import re
from pathlib import Path

import warpath as wp
from support.compare import assert_same_bits

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "gpu.md"
#: Parts of examples that need two GPUs, minutes to make their graph, or the repository's emulator.
_LEFT_OUT = ("cuda:0,1", "rmat(27", '"emulated"')


def test_the_examples_of_the_page_about_gpus_run():
    names: dict[str, object] = {}
    blocks = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    run = [block for block in blocks if not any(part in block for part in _LEFT_OUT)]
    assert len(run) == len(blocks) - len(_LEFT_OUT)
    for block in run:
        exec(block, names)  # noqa: S102
    assert_same_bits(names["tree"].dist, wp.sssp(names["roads"], 0).dist)
    assert_same_bits(names["full"].get(), wp.apsp(names["town"]).dist)
