"""Errors survive pickling, as process pools need."""

from __future__ import annotations

import pickle

import pytest

import warpath as wp


@pytest.mark.parametrize(
    "error",
    [
        wp.GraphFormatError("roads.gr", 3, "expected a number"),
        wp.GraphFormatError(None, None, "no graph"),
        wp.NegativeCycleError([1, 2], -3),
        wp.VerificationError("not verified", "edge", {"edge": (0, 1, 2)}),
        wp.VertexError("vertex 5"),
    ],
)
def test_an_error_comes_back_from_a_pickle_as_it_was(error):
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_a_format_error_says_path_line_and_rule():
    assert (
        str(wp.GraphFormatError("roads.gr", 3, "expected a number"))
        == "roads.gr:3: expected a number"
    )
    assert str(wp.GraphFormatError("roads.gr", None, "is empty")) == "roads.gr: is empty"
    assert str(wp.GraphFormatError(None, None, "is empty")) == "is empty"


def test_a_long_negative_cycle_is_shortened_in_its_message():
    error = wp.NegativeCycleError(list(range(20)), -1)
    assert "6 -> 7 -> ... (20 vertices) -> 0 has length -1" in str(error)
    assert len(error.cycle) == 20
