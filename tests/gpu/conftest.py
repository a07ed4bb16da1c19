"""Tests on a real GPU: ``pytest -m gpu``. Without one they are not collected."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gpus import no_gpu

FOLDER = Path(__file__).parent

collect_ignore_glob = ["test_*.py"] if no_gpu() else []


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


def pytest_collection_modifyitems(items):
    """Mark the tests of this folder."""
    for item in items:
        if item.path.parent == FOLDER:
            item.add_marker(pytest.mark.gpu)
