"""Run auditwheel with libdeflate in place of zlib, which makes wheels 3 % smaller."""

import sys
import zipfile

import deflate
from auditwheel.main import main


class Compressor:
    """Compress one file of an archive at libdeflate's highest level."""

    def __init__(self) -> None:
        self._content = bytearray()

    def compress(self, data: bytes) -> bytes:
        """Collect the content: libdeflate compresses a file at once."""
        self._content += data
        return b""

    def flush(self) -> bytes:
        """Return the compressed content."""
        return bytes(deflate.deflate_compress(self._content, 12))


def compressor(method: int, _level: int | None = None) -> Compressor | None:
    """Return the compressor of a file, None of one that is stored."""
    return Compressor() if method == zipfile.ZIP_DEFLATED else None


# zipfile has no public way to choose a compressor.
assert callable(zipfile._get_compressor)  # noqa: SLF001
zipfile._get_compressor = compressor  # noqa: SLF001
sys.exit(main())
