"""Errors survive pickling, as process pools need."""

from __future__ import annotations

import json
import pickle

import pytest

import warpath as wp
from warpath.base.errors import interrupts_first


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


def test_an_error_is_a_dictionary_for_json():
    road = wp.generate.road(100)
    named = wp.Graph.of([("a", "b", 1)])
    cases = [
        (lambda: wp.pairs(road, [1, 2, 3], [4, 99999999, 6]), "destinations", 99999999, 1),
        (lambda: wp.sssp(road, -1), "source", -1, None),
        (lambda: wp.distances(named, ["a", "zz"], ["b"]), "sources", "zz", 1),
        (lambda: wp.sssp(road, 0, cutoff=-2), "cutoff", "-2", None),
        (lambda: wp.within(road, 0, [-1]), "cutoff", "-1", None),
        (lambda: wp.Graph.of([(0, 1, float("nan"))]), "weights", "nan", 0),
        (lambda: wp.read("nothing.gr"), "path", "nothing.gr", None),
    ]
    for call, argument, value, position in cases:
        with pytest.raises(wp.WarpathError) as caught:
            call()
        said = json.loads(json.dumps(caught.value.to_dict()))
        assert (said["argument"], said["value"], said["position"]) == (argument, value, position)
        assert said["code"] == type(caught.value).__name__
        assert said["message"] == str(caught.value)
        assert said["remedy"] is None or said["message"].endswith(said["remedy"])
        again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
        assert again.to_dict() == caught.value.to_dict()


def close_badly_after(error):
    try:
        raise error
    finally:
        raise OSError("cannot be closed")


def fail_while_the_caller_handles(error):
    try:
        raise error
    except KeyboardInterrupt:
        with interrupts_first():
            close_badly_after(ValueError())


def test_an_interrupt_is_raised_in_place_of_an_error_in_its_handling():
    with pytest.raises(KeyboardInterrupt), interrupts_first():
        close_badly_after(KeyboardInterrupt())
    with pytest.raises(OSError, match="closed"), interrupts_first():
        close_badly_after(ValueError())
    with pytest.raises(OSError, match="closed"):
        fail_while_the_caller_handles(KeyboardInterrupt())
