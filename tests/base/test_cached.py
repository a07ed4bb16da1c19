"""Attributes that are computed once: without a lock that others wait for."""

from __future__ import annotations

import os
import threading

import pytest

from warpath import Graph
from warpath.base.cached import cached_property


class Computed:
    """An object with an attribute that a function computes."""

    def __init__(self, compute):
        self.compute = compute

    @cached_property
    def value(self):
        """What the function returns."""
        return self.compute()


def test_an_attribute_is_computed_once_and_documented():
    times = []
    one = Computed(lambda: times.append(1) or "value")
    assert (one.value, one.value, len(times)) == ("value", "value", 1)
    assert Computed.value.__doc__ == "What the function returns."


def test_an_attribute_whose_computation_fails_is_computed_again():
    results = iter([ZeroDivisionError("first"), "second"])

    def compute():
        result = next(results)
        if isinstance(result, Exception):
            raise result
        return result

    one = Computed(compute)
    with pytest.raises(ZeroDivisionError):
        _ = one.value
    assert one.value == "second"


@pytest.fixture
def computing():
    """An object whose attribute a thread computes until the test ends."""
    begun, end = threading.Event(), threading.Event()
    one = Computed(lambda: begun.set() or end.wait(60))
    thread = threading.Thread(target=lambda: one.value)
    thread.start()
    assert begun.wait(60)
    yield one
    end.set()
    thread.join()


@pytest.mark.usefixtures("computing")
def test_a_thread_does_not_wait_for_the_attribute_of_another_object():
    found = []
    thread = threading.Thread(target=lambda: found.append(Computed(lambda: 7).value), daemon=True)
    thread.start()
    thread.join(30)
    assert found == [7]


@pytest.mark.usefixtures("computing")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_forked_while_a_thread_computes_does_not_wait_for_ever():
    child = os.fork()
    if child == 0:
        os._exit(Computed(lambda: 7).value)
    thread = threading.Thread(target=lambda: found.append(os.waitpid(child, 0)), daemon=True)
    found = []
    thread.start()
    thread.join(30)
    if not found:
        os.kill(child, 9)
        thread.join(30)
    assert [os.waitstatus_to_exitcode(status) for _, status in found] == [7]


def test_threads_that_ask_at_the_same_moment_get_the_same_object():
    both = threading.Barrier(2, timeout=30)
    one = Computed(lambda: both.wait() is None or object())
    found = []
    threads = [threading.Thread(target=lambda: found.append(one.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]


def test_what_a_graph_derives_is_computed_without_a_lock():
    derived = [name for name, each in vars(Graph).items() if isinstance(each, cached_property)]
    assert {"_facts", "_facts_of_rows", "_transpose", "_solver_weights"} <= set(derived)
