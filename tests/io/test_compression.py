from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile

import pytest

from warpath.base.errors import (
    GraphFormatError,
    InputError,
    MissingDependencyError,
    NotEnoughMemoryError,
)
from warpath.io import compression
from warpath.io.formats import read
from warpath.io.source import Source

TEXT = b"p sp 3 2\na 1 2 3\na 2 3 4\n"


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return buffer.getvalue()


def zstd(data):
    module = pytest.importorskip("zstandard")
    return module.ZstdCompressor(write_checksum=True).compress(data)


KINDS = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstd,
    "zip": lambda data: zipped(roads_gr=data),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_recognised_by_its_bytes_whatever_the_name(file, kind):
    compressed = KINDS[kind](TEXT)
    assert read(file(f"a.gr.{kind}", compressed)).m == 2
    assert read(file("a.gr", compressed)).m == 2
    assert read(file("roads", compressed)).m == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_a_stream_that_is_cut_short_says_so(file, kind, kept):
    compressed = KINDS[kind](TEXT * 50)
    path = file(f"a.gr.{kind}", compressed[: int(len(compressed) * kept)])
    with pytest.raises(
        GraphFormatError, match=r"truncated download|damaged or cut short"
    ) as caught:
        read(path)
    assert caught.value.path == str(path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_stream_says_so(file, kind):
    compressed = bytearray(KINDS[kind](bytes(range(256)) * 9 + TEXT))
    middle = len(compressed) // 2
    compressed[middle : middle + 8] = b"\xff\x00\xff\x00\xff\x00\xff\x00"
    with pytest.raises(GraphFormatError, match=r"damaged|truncated"):
        _ = Source(file(f"a.gr.{kind}", bytes(compressed))).data


@pytest.mark.parametrize("kind", ["gz", "xz", "bz2", "zst"])
def test_streams_one_after_another_are_one_file(file, kind):
    pack = KINDS[kind]
    assert Source(file("a", pack(TEXT[:9]) + pack(TEXT[9:]))).data == TEXT


@pytest.mark.parametrize("kind", ["gz", "xz", "bz2", "zst"])
def test_bytes_after_the_stream_are_an_error(file, kind):
    path = file(f"a.gr.{kind}", KINDS[kind](TEXT) + b"these bytes belong to nobody")
    with pytest.raises(GraphFormatError, match="other bytes follow the end of the"):
        read(path)


@pytest.mark.parametrize("kind", ["gz", "xz"])
def test_zeros_after_the_stream_are_padding(file, kind):
    assert Source(file("a", KINDS[kind](TEXT) + bytes(512))).data == TEXT


def test_a_zip_with_several_files_needs_a_choice(file):
    path = file("a.zip", zipped(a_gr=TEXT, b_gr=TEXT.replace(b"3 4", b"3 5")))
    with pytest.raises(InputError, match=r'holds a.gr, b.gr; .* Choose with member="a.gr"'):
        read(path)
    with pytest.raises(InputError, match=r"not 'c.gr'"):
        read(path, member="c.gr")
    assert read(path, member="b.gr").weights.tolist() == [3, 5]


def test_a_zip_of_folders_only_has_no_graph(file):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("folder/", "")
    with pytest.raises(GraphFormatError, match="holds no file"):
        read(file("a.zip", buffer.getvalue()))


def test_what_macos_adds_to_a_zip_does_not_count(file):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.gr", TEXT)
        archive.writestr("__MACOSX/._a.gr", b"\0")
    assert read(file("a.zip", buffer.getvalue())).m == 2


def test_an_encrypted_zip_says_so(file):
    data = bytearray(zipped(a_gr=TEXT))
    data[6] |= 1  # the flag of encryption, in the local header and the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(GraphFormatError, match="unpack it first"):
        read(file("a.zip", bytes(data)))


def test_an_empty_content_is_named(file):
    with pytest.raises(GraphFormatError, match="empty once decompressed"):
        read(file("a.gr.gz", gzip.compress(b"")), format="dimacs")


def test_zstd_without_its_package_names_the_extra(file, monkeypatch):
    path = file("a.gr.zst", b"\x28\xb5\x2f\xfd")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(MissingDependencyError, match=r"pip install zstandard"):
        read(path)


def test_a_content_larger_than_memory_is_refused(file, monkeypatch):
    monkeypatch.setenv("WARPATH_MEMORY", "1M")
    with pytest.raises(NotEnoughMemoryError, match="larger than the memory"):
        read(file("a.txt.gz", gzip.compress(b"0 1\n" * 500_000)))


def test_large_files_come_in_pieces_with_progress(file):
    told = []
    text = b"0 1\n" * 400_000
    path = file("a.txt.gz", gzip.compress(text))
    assert read(path, progress=lambda done, total: told.append((done, total))).m == 400_000
    assert told[0][0] <= compression.CHUNK
    assert all(done <= total for done, total in told)


def test_suffixes_of_compression_are_taken_off():
    assert compression.without_suffix("a.gr.GZ") == "a.gr"
    assert compression.without_suffix("a.gr") == "a.gr"
    assert compression.without_suffix("gz") == "gz"
