"""Outline the headings of prose: Markdown, reStructuredText, AsciiDoc, HTML and kin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hsum.index.outline import Outline, after_line_feed

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HEADINGS"]

_SEPARATOR: Final = " > "
_FENCE: Final = re.compile(
    rb"\n[ \t>]*+(?P<fence>`{3,}+(?=[^`\n]*+\n)|~{3,}+)[^\n]*+"
    rb"(?:\n(?![ \t>]*+(?P=fence)[`~]*+[ \t\r]*+(?:\n|\Z))[^\n]*+)*+"
    rb"(?:\n[^\n]*+)?"
)
_FRONT_MATTER: Final = re.compile(
    rb"\n---[ \t\r]*\n(?:(?!---)[^\n]*\n)*---[ \t\r]*(?=\n)"
)

_MARKDOWN: Final = re.compile(
    rb"\n(?:"
    rb" {0,3}(?P<marks>#{1,6})(?=[ \t\r\n])[ \t]*+(?P<text>[^\n]*)"
    rb"|(?=[^\s#>|\x00-])(?P<title>[^\n]+)\n(?P<rule>={2,}|-{2,})[ \t\r]*(?=\n|\Z)"
    rb")"
)
_CLOSING_MARKS: Final = re.compile(rb"(?:^|[ \t])#+[ \t\r]*$")
_RST: Final = re.compile(
    rb"\n(?P<title>[^\s][^\n]*+)\n(?P<rule>([=\-~^\"'`#*+.:_!$%&<>])\3++)[ \t\r]*(?=\n|\Z)"
)
_ASCIIDOC: Final = re.compile(rb"\n(?P<marks>={1,6})[ \t]+(?P<text>[^\n]+)")
_ORG: Final = re.compile(rb"\n(?P<marks>\*+)[ \t]+(?P<text>[^\n]+)")
_TEX: Final = re.compile(
    rb"\n[ \t]*\\(?P<rank>part|chapter|section|subsection|subsubsection|paragraph)"
    rb"\*?(?:\[[^\]\n]*\])?\{(?P<text>[^{}\n]+)\}"
)
_TEX_RANKS: Final = (
    b"part",
    b"chapter",
    b"section",
    b"subsection",
    b"subsubsection",
    b"paragraph",
)
_HTML: Final = re.compile(
    rb"<h(?P<rank>[1-6])\b[^>]*>(?P<text>.{0,400}?)</h(?P=rank)",
    re.IGNORECASE | re.DOTALL,
)
_LINE_FEEDS: Final = bytes(0x0A if byte == 0x0A else 0 for byte in range(256))
_TAG: Final = re.compile(rb"<[^>]*>")


def _markdown(data: bytes) -> Outline:
    text = after_line_feed(data)
    found = Outline(joiner=_SEPARATOR)
    if b"```" in text or b"~~~" in text:
        text = _without_fences(text, found)
    text = _FRONT_MATTER.sub(_blank, text, 1) if data.startswith(b"---") else text
    for match in _MARKDOWN.finditer(text):
        marks = match["marks"]
        if marks:
            title = _CLOSING_MARKS.sub(b"", match["text"])
            _head(found, match.start(), len(data), len(marks), title)
        else:
            level = 1 if match["rule"].startswith(b"=") else 2
            _head(found, match.start(), len(data), level, match["title"])
    return found


def _without_fences(text: bytes, found: Outline) -> bytes:
    def fenced(match: re.Match[bytes]) -> bytes:
        found.fences.append((match.start(), min(match.end(), len(text) - 1)))
        return _blank(match)

    return _FENCE.sub(fenced, text)


def _blank(match: re.Match[bytes]) -> bytes:
    """Return as many bytes without text, the line feeds kept."""
    return match[0].translate(_LINE_FEEDS)


def _head(found: Outline, start: int, end: int, level: int, title: bytes) -> None:
    name = " ".join(title.decode("utf-8", "replace").replace("`", "").split())
    if name:
        found.add(start, start, end, level, name.encode())


def _rst(data: bytes) -> Outline:
    text = after_line_feed(data)
    found = Outline(joiner=_SEPARATOR)
    ranks: dict[bytes, int] = {}
    for match in _RST.finditer(text):
        title, rule, start = match["title"], match["rule"], match.start()
        if len(rule) < min(len(title.decode("utf-8", "replace").rstrip()), 4):
            continue
        above = text.rfind(b"\n", 0, start) if start else 0
        over = start > 0 and text[above + 1 : start].rstrip() == rule
        style = rule[:1] * (1 + over)
        level = ranks.setdefault(style, len(ranks) + 1)
        _head(found, above if over else start, len(data), level, title)
    return found


def _marked(pattern: re.Pattern[bytes]) -> Callable[[bytes], Outline]:
    def outline(data: bytes) -> Outline:
        found = Outline(joiner=_SEPARATOR)
        for match in pattern.finditer(after_line_feed(data)):
            level = len(match["marks"])
            _head(found, match.start(), len(data), level, match["text"])
        return found

    return outline


def _tex(data: bytes) -> Outline:
    found = Outline(joiner=_SEPARATOR)
    for match in _TEX.finditer(after_line_feed(data)):
        level = _TEX_RANKS.index(match["rank"])
        _head(found, match.start(), len(data), level, match["text"])
    return found


def _html(data: bytes) -> Outline:
    from html import unescape

    found = Outline(joiner=_SEPARATOR)
    for match in _HTML.finditer(data):
        start = data.rfind(b"\n", 0, match.start()) + 1
        title = unescape(_TAG.sub(b" ", match["text"]).decode("utf-8", "replace"))
        _head(found, start, len(data), int(match["rank"]), title.encode())
    return found


HEADINGS: Final[dict[str, Callable[[bytes], Outline]]] = {
    "markdown": _markdown,
    "rst": _rst,
    "asciidoc": _marked(_ASCIIDOC),
    "org": _marked(_ORG),
    "tex": _tex,
    "html": _html,
}
"""Outlines of prose by the names of `hsum.index.languages`."""
