"""The word that a device says when it has ended, and the wait for it."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from warpath._core import Word

SILENT = -1


def test_what_was_said_is_heard_until_it_is_hushed():
    words = np.full(8, SILENT)
    word = Word(words, SILENT)
    assert not word.said(0)
    words[1] = 5
    assert not word.said(0)
    words[0] = 0
    assert word.said(0)
    assert word.said(60)
    word.hush()
    assert words.tolist() == [SILENT, 5] + 6 * [SILENT]
    assert not word.said(1e-3)


def test_who_waits_leaves_python_to_other_threads():
    words = np.full(1, SILENT)
    word = Word(words, SILENT)

    def say():
        time.sleep(0.01)
        words[0] = 7

    other = threading.Thread(target=say)
    other.start()
    assert word.said(20)
    other.join()


def test_its_array_lives_as_long_as_it_does():
    word = Word(np.full(1000, 3), 3)
    for _ in range(100):
        np.zeros(1000, np.int64)
    assert not word.said(0)


@pytest.mark.parametrize("words", [np.zeros(1), np.zeros(4, np.int64)[::2], [1]])
def test_an_array_of_another_kind_is_refused(words):
    with pytest.raises(TypeError):
        Word(words, SILENT)


def test_no_words_are_refused():
    with pytest.raises(ValueError, match="must not be empty"):
        Word(np.zeros(0, np.int64), SILENT)
