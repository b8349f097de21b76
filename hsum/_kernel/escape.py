"""Show text from elsewhere without letting it act."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["json_text", "visible", "visible_path"]

# C0 and C1 controls but newline and tab, DEL, line and paragraph separators,
# and the bidirectional controls of UAX #9.
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029"
    "\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ACTING_OR_BREAKING = re.compile(_ACTING.pattern[:-1] + "\t\n]")


def visible(text: str) -> str:
    """Return `text` with control and bidirectional characters escaped."""
    return _ACTING.sub(_escaped, text)


def visible_path(path: str) -> str:
    r"""Return a path on one line; bytes that are not UTF-8 become `\xNN`."""
    return _ACTING_OR_BREAKING.sub(_escaped, path)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """Return JSON that is valid UTF-8 and has no raw separator or control character."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    return _JSON_UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


# Characters that JSON allows raw but lines, terminals or UTF-8 do not.
_JSON_UNSAFE = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # os.fsdecode's escape of one byte
        return f"\\x{code - 0xDC00:02x}"
    named = {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}.get(code)
    return named or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")
