"""What looks like a secret: shapes of keys and tokens, not a boundary.

Each pattern is a published, fixed form, or a word that says so beside a long random
value. Text that none of them fits may hold a secret all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from hythe.model import WriteWarning

__all__ = ["looks_secret", "secret_warnings"]

_FORMS = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}"
    r"|\bAIza[0-9A-Za-z_-]{35}"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|://[^\s/:@]{1,100}:[^\s/:@]{3,100}@"
    r"|\b[Bb]earer\s+[A-Za-z0-9._~+/-]{16,}"
    r"|(?i:\b(?:api[_-]?key|secret|token|passw(?:or)?d|pwd)\b['\"]?\s*[:=]\s*['\"]?"
    r"[^\s'\"]{8,})"
)

# By a character that every match of theirs has: what stands in each of them, in
# lower case. Most data has none, and is not searched text by text.
_HINTS = {
    "-": ("private key-----", "sk-", "glpat-", "xox"),
    "_": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    "@": ("://",),
    ":": ("key", "secret", "token", "passw", "pwd"),
    "=": ("key", "secret", "token", "passw", "pwd"),
    "": ("akia", "asia", "aiza", "eyj", "bearer"),
}


def looks_secret(text: str) -> bool:
    """Tell whether a text has the form of a key, token or password."""
    return _FORMS.search(text) is not None


def secret_warnings(value: Any, path: str = "$") -> tuple[WriteWarning, ...]:
    """Return a warning for each text of plain JSON data that looks secret."""
    if not _may_have_secrets(value):
        return ()
    return tuple(
        WriteWarning(
            "secret_warning",
            "this looks like a secret; redact removes one value for good",
            where,
        )
        for where, text in _texts(value, path)
        if looks_secret(text)
    )


def _may_have_secrets(value: Any) -> bool:
    found: list[str] = []
    _gather((value,), found)
    said = "\n".join(found).lower()
    return any(
        hint in said for char, hints in _HINTS.items() if char in said for hint in hints
    )


def _gather(items: Iterable[Any], found: list[str]) -> None:
    for item in items:
        if not item:
            continue
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, (list, tuple)):
            _gather(item, found)
        elif isinstance(item, dict):
            _gather(item.values(), found)


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _texts(item, f"{path}[{index}]")
