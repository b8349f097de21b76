"""Find what a text declares or heads, and what encloses what.

Regular expressions over the whole text and its indentation decide, not a parser: a cut
must cost a few milliseconds for each megabyte, of broken and half-written code too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hsum.index.bodies import Bodies
from hsum.index.grammars import grammar_of
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
_ATTACHED_TO_BRACES: Final = (b"//", b"/*", b"@", b"#[", b"[", b"template")

_LONGEST_COMMENT: Final = 8_192


def outline(data: bytes, language: str) -> Outline:
    """Outline *data*, a text in *language* (a name of `hsum.index.languages`)."""
    headings = HEADINGS.get(language)
    if headings is not None:
        return headings(data)
    grammar = grammar_of(language)
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
    end_of = Bodies(text).end_of(grammar.closing)
    decorated = -1
    for match in grammar.pattern.finditer(text):
        name = match[match.lastindex]  # type: ignore[index]
        start = match.start()
        if name == b"@":
            decorated = start if decorated < 0 else decorated
            continue
        indent = match[1]
        lead, decorated = start if decorated < 0 else decorated, -1
        if text[lead - 1] != 0x0A:
            lead = _lead(text, lead, attached)
        end = end_of(match, indent)
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
            opening = text.rfind(b"/*", max(above - _LONGEST_COMMENT, 0), above)
            if opening < 0:
                break
            start = text.rfind(b"\n", 0, opening)
        else:
            break
    return start
