"""Read bytes as text without guessing, and map places between the two.

Four encodings are told apart: UTF-8, UTF-8 and UTF-16 with a byte order mark, and
`unknown-8bit`, in which every byte that is not UTF-8 stands for itself.  A byte order
mark stays in the text as U+FEFF, so that text in a known encoding is exact.
"""

from __future__ import annotations

import re

import attrs

__all__ = [
    "ENCODINGS",
    "UNKNOWN",
    "Decoded",
    "decode",
    "encoding_of",
    "exact_text",
    "text_of",
]

UTF8 = "utf-8"
UTF8_BOM = "utf-8-sig"
UTF16_LE = "utf-16-le"
UTF16_BE = "utf-16-be"
UNKNOWN = "unknown-8bit"
ENCODINGS = frozenset({UTF8, UTF8_BOM, UTF16_LE, UTF16_BE, UNKNOWN})

_SURROGATES = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def encoding_of(data: bytes) -> str:
    """Return the encoding of a whole file."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and not _is_utf32(data):
        return UTF16_LE if data[0] == 0xFF else UTF16_BE
    try:
        data.decode()
    except UnicodeDecodeError:
        return UNKNOWN
    return UTF8_BOM if data.startswith(b"\xef\xbb\xbf") else UTF8


def _is_utf32(data: bytes) -> bool:
    return data.startswith(b"\xff\xfe\0\0") and len(data) % 4 == 0


def text_of(data: bytes, encoding: str) -> str:
    """Return the text of a file or of a part of it that starts at a character.

    What is not a character becomes U+FFFD, one for each byte (each pair of bytes in
    UTF-16); the text is always valid Unicode.
    """
    if data.isascii() and not encoding.startswith("utf-16"):
        return data.decode("ascii")
    text = exact_text(data, encoding)
    return _SURROGATES.sub(_REPLACEMENT, text)


def exact_text(data: bytes, encoding: str) -> str:
    """Return text as long as that of `text_of`, from which `data` can be made again.

    What is not a character is a lone surrogate in it.  An odd last byte of UTF-16 is one
    too, which keeps its place but not its value.
    """
    if not encoding.startswith("utf-16"):
        return data.decode("utf-8", "surrogateescape")
    whole = len(data) & ~1
    text = data[:whole].decode(encoding, "surrogatepass")
    return text if whole == len(data) else text + "\udc80"


@attrs.frozen
class Decoded:
    """The text of some bytes, and where each character stands in them."""

    data: bytes
    encoding: str
    text: str

    @property
    def exact(self) -> bool:
        """Tell whether the text stands for the bytes without loss."""
        return _REPLACEMENT not in self.text or (
            exact_text(self.data, self.encoding) == self.text
        )

    def offset(self, index: int) -> int:
        """Return the byte offset of the character at `index`."""
        if len(self.data) == len(self.text):
            return index
        head = exact_text(self.data, self.encoding)[:index]
        return min(_size(head, self.encoding), len(self.data))

    def index(self, offset: int) -> int:
        """Return the index of the character that holds the byte at `offset`.

        The offset of the end gives the length of the text.
        """
        if len(self.data) == len(self.text):
            return offset
        if offset >= len(self.data):
            return len(self.text)
        return len(exact_text(self.data[: self.boundary(offset)], self.encoding))

    def boundary(self, offset: int) -> int:
        """Return the last start of a character at or before `offset`."""
        return boundary(self.data, self.encoding, offset)


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Return the text view of `data`, in `encoding` or the one it shows itself."""
    encoding = encoding_of(data) if encoding is None else encoding
    return Decoded(data, encoding, text_of(data, encoding))


def boundary(data: bytes, encoding: str, offset: int) -> int:
    """Return the last start of a character at or before `offset`."""
    if offset >= len(data):
        return len(data)
    if encoding.startswith("utf-16"):
        return _utf16_boundary(data, encoding, offset & ~1)
    for start in range(offset - 1, max(offset - 4, -1), -1):
        if data[start] & 0xC0 != 0x80:
            return start if start + _width(data, start) > offset else offset
    return offset


def _width(data: bytes, start: int) -> int:
    """Return the bytes of the character at `start`; 1 where there is none."""
    text = data[start : start + 4].decode("utf-8", "surrogateescape")
    return len(text[:1].encode("utf-8", "surrogateescape"))


def _utf16_boundary(data: bytes, encoding: str, offset: int) -> int:
    if offset < 2 or offset + 2 > len(data):
        return offset
    high, low = (
        (data[offset - 1], data[offset + 1])
        if encoding == UTF16_LE
        else (data[offset - 2], data[offset])
    )
    return offset - 2 if 0xD8 <= high <= 0xDB and 0xDC <= low <= 0xDF else offset


def _size(text: str, encoding: str) -> int:
    if encoding.startswith("utf-16"):
        return len(text.encode(encoding, "surrogatepass"))
    return len(text.encode("utf-8", "surrogateescape"))
