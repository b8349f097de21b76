"""Find what a text declares or heads, and what encloses what.

Regular expressions over the whole text and its indentation decide, not a parser: a cut
must cost a few milliseconds for each megabyte, of broken and half-written code too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, Final

from hsum.index.grammars import GRAMMARS
from hsum.index.headings import HEADINGS
from hsum.index.outline import Outline
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
_ATTACHED_TO_BRACES: Final = (b"//", b"/*", b"@", b"#[", b"[", b"template")


def outline(data: bytes, language: str) -> Outline:
    """Outline *data*, a text in *language* (a name of `hsum.index.languages`)."""
    headings = HEADINGS.get(language)
    if headings is not None:
        return headings(data)
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return Outline()
    text = b"\n" + data
    if language == "python":
        text = without_long_strings(text)
    attached = _ATTACHED.get(language, _ATTACHED_TO_BRACES)
    return _declarations(text, grammar, attached)


def _declarations(
    text: bytes, grammar: Grammar, attached: tuple[bytes, ...]
) -> Outline:
    """Outline *text*, the file after a line feed.

    The index of a line feed in *text* is that of the next line in the file.
    """
    found = Outline()
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
        owner = match["owner"] if grammar.has_owner else None
        found.add(lead, start, end, len(indent), _name(name, owner))
    return found


def _name(name: bytes, owner: bytes | None) -> str:
    if owner:
        name = owner + b"." + name
    if b":" in name:
        name = name.replace(b"::", b".").replace(b":", b".")
    return name.decode("utf-8", "replace")


def _lead(text: bytes, start: int, attached: tuple[bytes, ...]) -> int:
    """Return where the comments and attributes right above a declaration begin."""
    while start:
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
    return re.compile(rb"\n[ \t]{0,%d}[^\s#)\]}]" % width)


def _braces(text: bytes, match: re.Match[bytes], indent: bytes) -> int:
    return _closed(text, match, b"\n" + indent + b"}", b";,}")


def _end_word(text: bytes, match: re.Match[bytes], indent: bytes) -> int:
    return _closed(text, match, b"\n" + indent + b"end", b"d")


def _closed(
    text: bytes, match: re.Match[bytes], closing: bytes, at_once: bytes
) -> int:
    line_end = text.find(b"\n", match.end())
    if line_end < 0:
        return len(text) - 1
    if text[match.end() : line_end].rstrip()[-1:] in at_once:
        return line_end
    found = text.find(closing, match.end())
    after = text.find(b"\n", found + 1) if found >= 0 else -1
    return after if after >= 0 else len(text) - 1


def _next(text: bytes, match: re.Match[bytes], indent: bytes) -> int:
    return len(text) - 1


_CLOSINGS: Final = {
    "braces": _braces,
    "end": _end_word,
    "dedent": _dedent,
    "next": _next,
}
