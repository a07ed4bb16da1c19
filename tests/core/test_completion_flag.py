"""The flag that a device sets when it has finished, and the wait for it."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from warpath._core import CompletionFlag

PENDING = -1


def test_a_value_completes_the_flag_until_it_is_reset():
    words = np.full(8, PENDING)
    flag = CompletionFlag(words, PENDING)
    assert not flag.wait(0)
    words[1] = 5
    assert not flag.wait(0)
    words[0] = 0
    assert flag.wait(0)
    assert flag.wait(60)
    flag.reset()
    assert words.tolist() == [PENDING, 5] + 6 * [PENDING]
    assert not flag.wait(1e-3)


def test_a_waiting_thread_releases_the_gil():
    words = np.full(1, PENDING)
    flag = CompletionFlag(words, PENDING)

    def complete():
        time.sleep(0.01)
        words[0] = 7

    other = threading.Thread(target=complete)
    other.start()
    assert flag.wait(20)
    other.join()


def test_a_flag_keeps_its_array_alive():
    flag = CompletionFlag(np.full(1000, 3), 3)
    for _ in range(100):
        np.zeros(1000, np.int64)
    assert not flag.wait(0)


@pytest.mark.parametrize("words", [np.zeros(1), np.zeros(4, np.int64)[::2], [1]])
def test_an_array_of_another_type_is_rejected(words):
    with pytest.raises(TypeError):
        CompletionFlag(words, PENDING)


def test_an_empty_array_is_rejected():
    with pytest.raises(ValueError, match="must not be empty"):
        CompletionFlag(np.zeros(0, np.int64), PENDING)
