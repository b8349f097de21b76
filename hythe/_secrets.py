"""What looks like a secret: shapes of keys and tokens, not a boundary.

Each pattern is a published, fixed form, or a word that says so beside a long random
value. Text that none of them fits may hold a secret all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    r"|\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/:@]{3,100}@"
    r"|\b[Bb]earer\s+[A-Za-z0-9._~+/-]{16,}"
    r"|(?i:\b(?:api[_-]?key|secret|token|passw(?:or)?d|pwd)\b['\"]?\s*[:=]\s*['\"]?"
    r"[^\s'\"]{8,})"
)


def looks_secret(text: str) -> bool:
    """Tell whether a text has the form of a key, token or password."""
    return _FORMS.search(text) is not None


def secret_warnings(value: Any, path: str = "$") -> tuple[WriteWarning, ...]:
    """Return a warning for each text of plain JSON data that looks secret."""
    return tuple(
        WriteWarning(
            "secret_warning",
            "this looks like a secret; redact removes one value for good",
            where,
        )
        for where, text in _texts(value, path)
        if looks_secret(text)
    )


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _texts(item, f"{path}[{index}]")
