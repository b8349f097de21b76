"""Find citations in Markdown, source comments and answers.

Two forms: `hsum://` URIs, and lines of a file: `path:12`, `path:12-34`,
`path#L12`, `path#L12-L34`.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING

from hsum.model.check import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["find"]

_URI = re.compile(r"hsum://[^\s<>\"'`\\|^{}\[\]()«»“”]+")
_TRAILING = ".,;:!?*_~"
# What is left of `hsum://v1/...` and `hsum://v1/<index_id>/` in prose about citations.
_NAMING_NOTHING = frozenset({"hsum://", "hsum://v1", "hsum://v1/"})
_NAMING_IDS = re.compile(r"hsum://v1/[0-9a-f-]{36}/[0-9a-f-]{36}/")

_NUMBERS = r"(?P<first>[1-9][0-9]*)(?:-(?P<last>[1-9][0-9]*))?"
_HASH = r"#L(?P<hfirst>[1-9][0-9]*)(?:-L?(?P<hlast>[1-9][0-9]*))?"
_MOST_DIGITS = 15  # what JSON's readers keep exactly
_AFTER = r"(?![\w-])"
_LINES = re.compile(
    r"(?<![\w./@+~:#%\\-])"
    r"(?P<path>(?:\.{0,2}/)?[\w.@+~-]+(?:/[\w.@+~ -]*[\w.@+~-])*)"
    rf"(?::{_NUMBERS}|{_HASH}){_AFTER}"
)
# Inside a code span a path may have blanks.
_SPANNED = re.compile(
    rf"`(?P<path>[^`\n:#]+?)(?::{_NUMBERS}|{_HASH})`",
)
# Names whose last part looks like an extension but is a host, and `host:port`.
_HOST = re.compile(r"(?:[\w-]+\.)+(?:com|org|net|io|dev|edu|gov|local|lan|test)\Z")
_FILE_NAME = re.compile(r"\.[A-Za-z][\w+-]{0,14}\Z")
_BARE_NAMES = frozenset({"Makefile", "Dockerfile", "Rakefile", "Gemfile", "LICENSE"})


def find(
    text: str,
    known: Callable[[str], bool] = lambda _path: False,
    *,
    prose: bool = True,
) -> list[Found]:
    """Return the citations of a text in order; they do not overlap.

    What merely looks like one (`localhost:8080`, `12:30`, a URL's port) is left
    out, unless `known` says that a file of this name exists. In code, which is full
    of such names, that holds for every name, and a URI counts from its second UUID on.
    """
    place = _Places(text)
    found = [one for one in _uris(text, place) if prose or _NAMING_IDS.match(one.raw)]
    taken = [(one.start, one.end) for one in found]
    for one in _line_forms(text, place, known):
        if not prose and not known(one.path or ""):
            continue
        if not any(start < one.end and one.start < end for start, end in taken):
            found.append(one)
            taken.append((one.start, one.end))
    return sorted(found, key=lambda one: one.start)


class _Places:
    """Row and column of a character."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def __call__(self, offset: int) -> tuple[int, int]:
        row = bisect.bisect_right(self._starts, offset)
        return row, offset - self._starts[row - 1] + 1


def _uris(text: str, place: _Places) -> Iterator[Found]:
    for match in _URI.finditer(text):
        raw = match[0].rstrip(_TRAILING)
        if raw in _NAMING_NOTHING:
            continue
        start = match.start()
        yield Found(raw, "uri", start, start + len(raw), *place(start))


def _line_forms(
    text: str, place: _Places, known: Callable[[str], bool]
) -> Iterator[Found]:
    for pattern in (_SPANNED, _LINES):
        for match in pattern.finditer(text):
            if known(match["path"]) or _is_path(match["path"], text, match):
                yield _lines_found(match, place)


def _lines_found(match: re.Match[str], place: _Places) -> Found:
    hashed = match["hfirst"] is not None
    first = _line(match["hfirst"] if hashed else match["first"])
    ending = match["hlast"] if hashed else match["last"]
    last = first if ending is None else _line(ending)
    end = match.end("hlast") if hashed else match.end("last")
    if end < 0:
        end = match.end("hfirst") if hashed else match.end("first")
    start = match.start("path")
    return Found(
        text_of(match, start, end),
        "lines",
        start,
        end,
        *place(start),
        path=match["path"],
        lines=(first, last),
        anchor="#L" if hashed else ":",
    )


def _line(digits: str) -> int:
    """Return the number of a line; longer ones are beyond the end of every file."""
    return int(digits) if len(digits) < _MOST_DIGITS else 10**_MOST_DIGITS


def text_of(match: re.Match[str], start: int, end: int) -> str:
    """Return a part of the matched text by its place in the whole."""
    return match.string[start:end]


def _is_path(path: str, text: str, match: re.Match[str]) -> bool:
    """Tell whether an unknown name is meant as a file rather than as host or time."""
    if text[max(0, match.start() - 3) : match.start()].endswith("://"):
        return False
    name = path.rpartition("/")[2]
    if name in _BARE_NAMES:
        return True
    return bool(_FILE_NAME.search(name)) and not ("/" not in path and _HOST.match(path))
