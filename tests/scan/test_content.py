"""What the bytes and the size of a file say about indexing it."""

from __future__ import annotations

import pytest

from hsum.index.decode import encoding_of
from hsum.index.skips import Policy, of_bytes, of_size

MB = 1024 * 1024


def judged(data: bytes) -> tuple[str, str] | None:
    return of_bytes(data, encoding_of(data))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello SIGNATURE_TOKEN here\x00more\n",
        b"\x00" * 8,
        b"\x1b[31mred\x1b[0m\n" * 50,
        b"a\r\n\t\x0b\x0c" * 2_000,
        b"x" * 7_999 + "你".encode(),
        "текст".encode("utf-16"),
        b"\xff\xfe" + "plain text\n".encode("utf-16-le") * 900,
        b"caf\xe9 au lait\n",
        "각본 ".encode("euc-kr") * 500,
        b"\x00" * 9 + b"x" * 7_991 + b"\x01" * 50_000,
    ],
)
def test_text(data: bytes) -> None:
    """Text stays text: a NUL in UTF-8, escapes, cut characters, wide and old encodings."""
    assert judged(data) is None


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        b"\xe9\x00",
        b"\x00" * 9,
        b"ab\x01" * 100,
        b"\xff\xfe" + b"\x00\xd8" * 100,
        b"\xff\xfe" + b"\x01\x00" * 100,
        b"\x7fELF\x02\x01\x01" + bytes(100),
    ],
)
def test_binary(data: bytes) -> None:
    """A NUL outside any known encoding, or many control bytes, is binary."""
    answer = judged(data)

    assert answer is not None
    assert "binary" == answer[0]


def test_generated_by_long_lines() -> None:
    """Most of a big file in very long lines is generated; a small or mixed one not."""
    long, short = b"x" * 6_000 + b"\n", b"short\n"

    assert ("generated", "long lines") == judged(long * 20)
    assert judged(long * 9) is None
    assert judged(long * 20 + short * 30_000) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (b"app.min.js", True),
        (b"app.js.map", True),
        (b"package-lock.json", True),
        (b"api_pb2.py", True),
        (b"package.json", False),
        (b"min.js", False),
        (b"world.map", False),
        (b"admin.js", False),
    ],
)
def test_generated_by_name(name: bytes, *, expected: bool) -> None:
    """Names that tools write by convention are generated."""
    answer = of_size(name, 10, Policy())

    assert expected == (answer == ("generated", "name"))


def test_size_is_inclusive() -> None:
    """A file of the largest size is in, one byte more is not."""
    policy = Policy(max_file_bytes=2 * MB)

    assert None is of_size(b"a", 2 * MB, policy)
    assert ("too_large", f"{2 * MB + 1} bytes") == of_size(b"a", 2 * MB + 1, policy)
