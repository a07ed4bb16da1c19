import numpy as np
import pytest

from support.compare import assert_same_bits
from warpath.graph import Graph


def test_equal_arrays_pass():
    for array in (np.array([0, 3]), np.zeros((2, 3), np.float32), np.array([], np.int64)):
        assert_same_bits(array, array.copy())
    assert_same_bits(np.array([np.nan, np.inf]), np.array([np.nan, np.inf]))


def test_the_first_difference_is_named_with_its_tight_in_edges():
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], np.array([1, 5, 2], np.int32))
    with pytest.raises(AssertionError) as caught:
        assert_same_bits(np.array([0, 1, 5]), np.array([0, 1, 3]), graph)
    message = str(caught.value)
    assert "1 of 3 labels differ, first at 2" in message
    assert "found:    tight in-edges of 2: 0 -> 2 (0 + 5)" in message
    assert "expected: tight in-edges of 2: 1 -> 2 (1 + 2)" in message


def test_a_label_that_no_edge_explains_says_none():
    graph = Graph.from_edges([0], [1], np.array([1], np.int32))
    with pytest.raises(AssertionError, match="tight in-edges of 1: none"):
        assert_same_bits(np.array([0, 7]), np.array([0, 1]), graph)


def test_rows_of_a_table_are_told_apart():
    found = np.array([[0.0, 1.0], [2.0, 3.0]])
    expected = found.copy()
    expected[1, 0] = np.nextafter(2.0, 3.0)
    with pytest.raises(AssertionError, match=r"first at \(1, 0\)"):
        assert_same_bits(found, expected)


def test_signed_zeros_differ():
    with pytest.raises(AssertionError, match="1 of 1 labels"):
        assert_same_bits(np.array([0.0]), np.array([-0.0]))


@pytest.mark.parametrize("other", [np.zeros(2, np.int64), np.zeros(3, np.float32)])
def test_another_type_or_shape_is_a_difference(other):
    with pytest.raises(AssertionError, match="expected"):
        assert_same_bits(np.zeros(2, np.float32), other)
