from __future__ import annotations

import pytest

from warpath.testing.emulated import EmulatedDevice


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """The folder of the compiled kernels of this process."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def device(cache):
    return EmulatedDevice(cache=cache)
