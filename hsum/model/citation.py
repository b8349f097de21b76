"""The address of exact bytes of an exact revision.

    hsum://v1/<index_id>/<source_id>/<document_id>?rev=<sha256>#bytes=<start>-<end>

There is one spelling of each citation, so equal citations are equal strings.
"""

from __future__ import annotations

import re

import attrs

from hsum.errors import fault

MAX_BYTES = 1_024

_HEX = "[0-9a-f]"
_UUID = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
_NUMBER = "0|[1-9][0-9]*"
_WHOLE = re.compile(
    rf"hsum://v1/({_UUID})/({_UUID})/({_UUID})"
    rf"\?rev=({_HEX}{{64}})#bytes=({_NUMBER})-({_NUMBER})"
)

# `x` stands for one lowercase hexadecimal digit, `n` for an unsigned decimal;
# neither letter occurs in the fixed text.
_UUID_SHAPE = "-".join("x" * width for width in (8, 4, 4, 4, 12))
_PARTS = (
    ("scheme", "hsum://v1/"),
    ("index_id", _UUID_SHAPE + "/"),
    ("source_id", _UUID_SHAPE + "/"),
    ("document_id", _UUID_SHAPE + "?rev="),
    ("rev", "x" * 64 + "#bytes="),
    ("start", "n-"),
    ("end", "n"),
)
_PLACEHOLDERS = {
    "x": (re.compile(_HEX), "a lowercase hexadecimal digit"),
    "n": (re.compile(_NUMBER), "a decimal number without leading zeros"),
}


@attrs.frozen(order=True, repr=False)
class Citation:
    """Name the half-open span `[start, end)` of raw bytes of one revision.

    `str()` and `parse` are inverses.  A citation that could not be written in
    its one canonical spelling is refused with `CITATION_MALFORMED`.
    """

    index_id: str
    source_id: str
    document_id: str
    rev: str
    start: int
    end: int

    def __attrs_post_init__(self) -> None:
        for name in ("start", "end"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool):
                raise fault("INVALID_ARGUMENT", f"{name} must be an integer")
        _fields(str(self))

    @classmethod
    def parse(cls, text: str) -> Citation:
        """Read the canonical URI; anything else is `CITATION_MALFORMED`.

        The error's details name the 1-based column and the part it lies in.
        """
        if not isinstance(text, str):
            raise fault("INVALID_ARGUMENT", "a citation is a string")
        index_id, source_id, document_id, rev, start, end = _fields(text)
        return cls(index_id, source_id, document_id, rev, int(start), int(end))

    def span(self, start: int, end: int) -> Citation:
        """Cite other bytes of the same revision."""
        return attrs.evolve(self, start=start, end=end)

    def __str__(self) -> str:
        return (
            f"hsum://v1/{self.index_id}/{self.source_id}/{self.document_id}"
            f"?rev={self.rev}#bytes={self.start}-{self.end}"
        )

    def __repr__(self) -> str:
        return f"<Citation {self}>"


def _fields(text: str) -> tuple[str, ...]:
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _malformed(1, "length", f"at most {MAX_BYTES:,} bytes")
    match = _WHOLE.fullmatch(text)
    if match is None:
        raise _malformed(*_first_wrong(text))
    if int(match[5]) > int(match[6]):
        raise _malformed(match.start(6) + 1, "end", "not before start")
    return match.groups()


def _first_wrong(text: str) -> tuple[int, str, str]:
    at = 0
    for name, shape in _PARTS:
        for symbol in shape:
            pattern, wanted = _PLACEHOLDERS.get(symbol) or _fixed(symbol)
            found = pattern.match(text, at)
            if found is None:
                return at + 1, name, f"{wanted} expected"
            at = found.end()
    return at + 1, "end", "nothing more expected"


def _fixed(symbol: str) -> tuple[re.Pattern[str], str]:
    return re.compile(re.escape(symbol)), repr(symbol)


def _malformed(column: int, part: str, wanted: str) -> Exception:
    message = f"malformed citation at column {column} ({part}): {wanted}"
    return fault("CITATION_MALFORMED", message, column=column, part=part)
