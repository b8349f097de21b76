"""Text is read without guessing, and every character knows its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hsum.index.decode import boundary, decode, encoding_of, exact_text, text_of

KOREAN = "각본 foo".encode("euc-kr")


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (b"", "utf-8", ""),
        (b"plain", "utf-8", "plain"),
        ("é日".encode(), "utf-8", "é日"),
        (b"\xef\xbb\xbfa", "utf-8-sig", "\ufeffa"),
        (b"\xff\xfe\x16\x04", "utf-16-le", "\ufeffЖ"),
        (b"\xfe\xff\x04\x16", "utf-16-be", "\ufeffЖ"),
        (b"\xff\xfea\x00b", "utf-16-le", "\ufeffa\ufffd"),
        (b"\xff\xfe\x00\xd8a\x00", "utf-16-le", "\ufeff\ufffda"),
        (b"caf\xe9!", "unknown-8bit", "caf\ufffd!"),
        (b"a\xc3", "unknown-8bit", "a\ufffd"),
        (b"\xff\xfe\0\0a\0\0\0", "unknown-8bit", "\ufffd\ufffd\0\0a\0\0\0"),
    ],
)
def test_encodings(data: bytes, encoding: str, text: str) -> None:
    """The encoding is told by the bytes alone, and what is no character is U+FFFD."""
    decoded = decode(data)

    assert (encoding, text) == (decoded.encoding, decoded.text)


def test_offsets_are_those_of_the_file() -> None:
    """A place in UTF-16 and in an unknown encoding counts raw bytes."""
    wide = decode(b"\xff\xfe\x16\x04a\x00")
    korean = decode(KOREAN)

    assert [0, 2, 4, 6] == [wide.offset(at) for at in range(4)]
    assert KOREAN.index(b"foo") == korean.offset(korean.text.index("foo"))


_BYTES = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=20).map(lambda text: text.encode()),
    st.text(max_size=20).map(lambda text: b"\xff\xfe" + text.encode("utf-16-le")),
    st.text(max_size=20).map(lambda text: b"\xfe\xff" + text.encode("utf-16-be")),
    st.binary(max_size=20).map(lambda data: b"\xff\xfe" + data),
    st.text(max_size=9).map(lambda text: b"\xe9" + text.encode() + b"\xe9"),
)


@given(data=_BYTES)
def test_text_is_valid_and_reversible(data: bytes) -> None:
    """The view is always UTF-8, the exact text gives the bytes back, both are as long."""
    decoded = decode(data)
    exact = exact_text(data, decoded.encoding)

    assert decoded.text == decoded.text.encode().decode()
    assert len(exact) == len(decoded.text)
    assert decoded.exact == (exact == decoded.text)
    if decoded.encoding.startswith("utf-16"):
        whole = len(data) & ~1
        assert data[:whole] == exact.encode(decoded.encoding, "surrogatepass")[:whole]
    else:
        assert data == exact.encode("utf-8", "surrogateescape")


@given(data=_BYTES)
def test_places_map_both_ways(data: bytes) -> None:
    """Offsets rise with the characters and lead back to them."""
    decoded = decode(data)
    offsets = [decoded.offset(at) for at in range(len(decoded.text) + 1)]

    assert offsets == sorted(set(offsets))
    assert (0, len(data)) == (offsets[0], offsets[-1])
    assert list(range(len(offsets))) == [decoded.index(at) for at in offsets]


@given(data=_BYTES, at=st.integers(0, 60))
def test_boundaries_are_the_starts_of_characters(data: bytes, at: int) -> None:
    """The boundary is the last character start not after the offset."""
    decoded = decode(data)
    starts = {decoded.offset(index) for index in range(len(decoded.text) + 1)}
    at = min(at, len(data))

    assert max(start for start in starts if start <= at) == decoded.boundary(at)


@given(data=_BYTES, at=st.integers(0, 60))
def test_parts_read_as_the_whole(data: bytes, at: int) -> None:
    """The text of two parts cut at a boundary is the text of the whole."""
    encoding = encoding_of(data)
    cut = boundary(data, encoding, at)

    assert text_of(data, encoding) == text_of(data[:cut], encoding) + text_of(
        data[cut:], encoding
    )
