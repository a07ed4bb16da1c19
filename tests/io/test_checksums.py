"""CRC-32 of a sequence from the CRC-32 of its parts."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from warpath.io.zarr_rows import crc32_of_both


@pytest.mark.parametrize("length", [0, 1, 2, 7, 64, 1000, 2**17 + 3])
@pytest.mark.parametrize("before", [0, 1, 4096])
def test_the_checksum_of_two_parts_is_that_of_the_whole(before, length):
    data = np.random.default_rng(length).bytes(before + length)
    first, second = data[:before], data[before:]
    assert crc32_of_both(zlib.crc32(first), zlib.crc32(second), length) == zlib.crc32(data)
