"""The how-to page about GPUs, on one."""

from __future__ import annotations

import re
from pathlib import Path

import warpath as wp
from support.compare import assert_same_bits

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "gpu.md"


def test_the_examples_of_the_page_about_gpus_run():
    names: dict[str, object] = {}
    blocks = re.findall(
        r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 5
    for block in blocks:
        exec(block, names)  # noqa: S102
    assert_same_bits(names["tree"].dist, wp.sssp(names["roads"], 0).dist)
    assert_same_bits(names["full"].get(), wp.apsp(names["town"]).dist)
