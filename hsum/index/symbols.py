"""Find what a text declares or heads, and what encloses what.

Regular expressions over the whole text and its indentation decide, not a parser: a cut
must cost a few milliseconds for each megabyte, of broken and half-written code too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from hsum.index.grammars import GRAMMARS
from hsum.index.headings import HEADINGS
from hsum.index.outline import Outline, after_line_feed
from hsum.index.strings import without_long_strings

if TYPE_CHECKING:
    from hsum.index.grammars import Grammar

__all__ = ["outline"]

_ATTACHED: Final = {
    "python": (b"#",),
    "ruby": (b"#",),
    "shell": (b"#",),
    "make": (b"#", b".PHONY"),
    "toml": (b"#",),
    "ini": (b"#", b";"),
    "yaml": (b"#",),
    "sql": (b"--",),
    "lua": (b"--",),
}
_CONTINUING: Final = (b"{", b" ", b"\t")
_ATTACHED_TO_BRACES: Final = (b"//", b"/*", b"@", b"#[", b"[", b"template")


def outline(data: bytes, language: str) -> Outline:
    """Outline *data*, a text in *language* (a name of `hsum.index.languages`)."""
    headings = HEADINGS.get(language)
    if headings is not None:
        return headings(data)
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return Outline()
    text = after_line_feed(data)
    if language == "python":
        text = without_long_strings(text)
    attached = _ATTACHED.get(language, _ATTACHED_TO_BRACES)
    return _declarations(text, grammar, attached)


def _declarations(
    text: bytes, grammar: Grammar, attached: tuple[bytes, ...]
) -> Outline:
    found = Outline(qualified=grammar.closing in ("braces", "end"))
    close = _CLOSINGS[grammar.closing]
    decorated = -1
    for match in grammar.pattern.finditer(text):
        name = match[match.lastindex]  # type: ignore[index]
        start = match.start()
        if name == b"@":
            decorated = start if decorated < 0 else decorated
            continue
        indent = match[1]
        lead = _lead(text, start if decorated < 0 else decorated, attached)
        decorated = -1
        end = close(text, match, indent)
        if grammar.has_owner and match["owner"]:
            name = match["owner"] + b"." + name
        found.add(lead, start, end, len(indent), name)
    return found


def _lead(text: bytes, start: int, attached: tuple[bytes, ...]) -> int:
    """Return where the comments and attributes right above a declaration begin."""
    while start and text[start - 1] != 0x0A:
        above = text.rfind(b"\n", 0, start)
        line = text[above + 1 : start].strip()
        if line.startswith(attached):
            start = above
        elif line.endswith(b"*/") and line.startswith(b"*"):
            start = text.rfind(b"\n", 0, max(text.rfind(b"/*", 0, above), 1))
        else:
            break
    return start


def _dedent(text: bytes, match: re.Match[bytes], indent: bytes) -> int:
    found = _not_deeper(len(indent)).search(text, match.end())
    return found.start() if found else len(text) - 1


@cache
def _not_deeper(width: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}+[^\s#)\]}]" % width)


def _braces(text: bytes, match: re.Match[bytes], indent: bytes) -> int:
    line_end = text.find(b"\n", match.end())
    rest = text[match.end() : line_end].rstrip()
    opened = text[match.end() - 1] == 0x7B or b"{" in rest
    below = text[line_end + 1 : line_end + len(indent) + 2].removeprefix(indent)
    if rest.endswith((b";", b",", b"}")) or not (opened or below in _CONTINUING):
        return _line_after(text, line_end)
    return _after_closing(text, match.end(), b"\n" + indent + b"}")


def _end_word(text: bytes, match: re.Match[bytes], indent: bytes) -> int:
    line_end = text.find(b"\n", match.end())
    if text[match.end() : line_end].rstrip().endswith((b" end", b";end")):
        return _line_after(text, line_end)
    return _after_closing(text, match.end(), b"\n" + indent + b"end")


def _after_closing(text: bytes, start: int, closing: bytes) -> int:
    found = text.find(closing, start)
    return _line_after(text, text.find(b"\n", found + 1) if found >= 0 else -1)


def _line_after(text: bytes, line_end: int) -> int:
    """Return where the line after a line feed begins, which may be missing."""
    return line_end if line_end >= 0 else len(text) - 1


def _next(text: bytes, _match: re.Match[bytes], _indent: bytes) -> int:
    return len(text) - 1


_CLOSINGS: Final = {
    "braces": _braces,
    "end": _end_word,
    "dedent": _dedent,
    "next": _next,
}
