"""Find citations in Markdown, source comments and answers.

Two forms: `hsum://` URIs, and lines of a file: `path:12`, `path:12-34`,
`path#L12`, `path#L12-L34`.
"""

from __future__ import annotations

import bisect
import re
from typing import TYPE_CHECKING, NamedTuple

from hsum.check.spans import Row
from hsum.model.check import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
# Paths stand in runs of these, and their lines follow a run: so a run is read once, as
# a whole, however many of its words a path with blanks could begin with.
_RUN = re.compile(r"(?<![\w./@+~ -])[\w./@+~ -]++(?<=[\w.@+~-])(?=:[1-9]|#L[1-9])")
_ANCHOR = re.compile(rf"(?::{_NUMBERS}|{_HASH}){_AFTER}")
# A path begins with a word that has a folder, or with the last of the run.
_BEGIN = re.compile(r"(?<![\w./@+~:#%\\-])/?[\w.@+~-]++(?:/|\Z)")
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
    for matches in (_spanned(text), _plain(text)):
        forms = _line_forms(matches, place, known)
        found = _joined(found, (one for one in forms if prose or known(one.path or "")))
    return found


def _joined(found: list[Found], more: Iterable[Found]) -> list[Found]:
    """Return both in order, without those of `more` that overlap with one of `found`."""
    taken = Row(found)
    free = (one for one in more if not taken.touching(one.start, one.end))
    return sorted([*found, *free], key=lambda one: one.start)


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


class _Lines(NamedTuple):
    """A path as written, where it begins, and the match of its lines."""

    path: str
    start: int
    anchor: re.Match[str]


def _spanned(text: str) -> Iterator[_Lines]:
    for match in _SPANNED.finditer(text):
        yield _Lines(match["path"], match.start("path"), match)


def _plain(text: str) -> Iterator[_Lines]:
    """Give, for the lines after each run, the longest path that ends there."""
    at = 0
    for run in _RUN.finditer(text):
        anchor = _ANCHOR.match(text, run.end())
        first = max(at, run.start() + _last_empty(run[0]))
        begin = _BEGIN.search(text, first, run.end()) if anchor else None
        if begin and anchor:
            at = anchor.end()
            yield _Lines(text[begin.start() : run.end()], begin.start(), anchor)


def _last_empty(run: str) -> int:
    """Return where the last slash stands that ends no part of a path; else 0."""
    return max(run.rfind("//"), run.rfind(" /")) + 1


def _line_forms(
    matches: Iterable[_Lines], place: _Places, known: Callable[[str], bool]
) -> Iterator[Found]:
    for lines in matches:
        if known(lines.path) or _is_path(lines.path):
            yield _lines_found(lines, place)


def _lines_found(lines: _Lines, place: _Places) -> Found:
    path, start, match = lines
    hashed = match["hfirst"] is not None
    first = _line(match["hfirst"] if hashed else match["first"])
    ending = match["hlast"] if hashed else match["last"]
    last = first if ending is None else _line(ending)
    end = match.end("hlast") if hashed else match.end("last")
    if end < 0:
        end = match.end("hfirst") if hashed else match.end("first")
    return Found(
        match.string[start:end],
        "lines",
        start,
        end,
        *place(start),
        path=path,
        lines=(first, last),
        anchor="#L" if hashed else ":",
    )


def _line(digits: str) -> int:
    """Return the number of a line; longer ones are beyond the end of every file."""
    return int(digits) if len(digits) < _MOST_DIGITS else 10**_MOST_DIGITS


def _is_path(path: str) -> bool:
    """Tell whether an unknown name is meant as a file rather than as host or time."""
    name = path.rpartition("/")[2]
    if name in _BARE_NAMES:
        return True
    return bool(_FILE_NAME.search(name)) and not ("/" not in path and _HOST.match(path))
