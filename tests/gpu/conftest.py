"""Tests on a real GPU: ``pytest -m gpu``. Without one they are deselected."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gpus import no_gpu

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def gpu():
    """The first GPU."""
    from warpath.engines.cuda.device import open_device

    return open_device("cuda")


@pytest.fixture
def ran(record_property):
    """Note which recipe a test ran: `record` reads it from the report."""

    def note(recipe):
        record_property("recipe", recipe.name)

    return note


def pytest_collection_modifyitems(config, items):
    """Mark the tests of this folder, and deselect them where they cannot run."""
    here = [item for item in items if item.path.parent == FOLDER]
    for item in here:
        item.add_marker(pytest.mark.gpu)
    if here and no_gpu():
        config.hook.pytest_deselected(items=here)
        items[:] = [item for item in items if item.path.parent != FOLDER]
