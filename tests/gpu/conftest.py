"""Tests on a real GPU: ``pytest -m gpu``. Without one each is skipped, with the reason."""

from __future__ import annotations

import pytest

import warpath as wp


@pytest.fixture(scope="session")
def gpu():
    """The first GPU."""
    from warpath.engines.cuda.device import open_device

    try:
        return open_device("cuda")
    except wp.NotSupportedError as error:
        pytest.skip(f"no CUDA device: {error}")


@pytest.fixture(autouse=True)
def _needs_a_gpu(gpu):
    """Skip every test of this folder where there is none."""


@pytest.fixture
def ran(record_property):
    """Note which recipe a test ran: `record` reads it from the report."""

    def note(recipe):
        record_property("recipe", recipe.name)

    return note


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent.name == "gpu":
            item.add_marker(pytest.mark.gpu)
