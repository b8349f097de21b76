"""Text that can be stored and returned byte for byte."""

from __future__ import annotations

import reprlib
import unicodedata
from typing import Any

from hsum._kernel.faults import Fault

__all__ = ["MAX_TEXT_BYTES", "check_flag", "check_text", "nfc", "shown", "utf8_cut"]

MAX_TEXT_BYTES = 16 * 1024 * 1024
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def shown(value: Any) -> str:
    """Return the beginning of a value's repr for a message, whatever the value is."""
    try:
        return _SHORT.repr(value)
    except Exception:  # noqa: BLE001 - a repr may raise anything, a long integer does
        return f"this {type(value).__name__}"


def check_flag(value: Any, path: str) -> bool:
    """Return `value` if it is True or False.

    Raises:
        Fault: `INVALID_ARGUMENT` for anything else, 0 and 1 included.
    """
    if isinstance(value, bool):
        return value
    raise Fault(
        "INVALID_ARGUMENT",
        f"{path} must be true or false, not {type(value).__name__}",
        details={"path": path},
    )


def check_text(value: Any, path: str = "$", *, limit: int = MAX_TEXT_BYTES) -> str:
    """Return `value` if it is text that UTF-8 can carry.

    Args:
        value: what should be text.
        path: where it stands, for the message (`$.state.status`).
        limit: the most bytes it may have in UTF-8.

    Raises:
        Fault: `INVALID_ARGUMENT` (not text), `TEXT_INVALID` (a lone surrogate),
            `TOO_LARGE`.
    """
    if not isinstance(value, str):
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path} must be text, not {type(value).__name__}",
            details={"path": path},
        )
    size = len(value) if value.isascii() else len(_encoded(value, path))
    if size > limit:
        raise Fault(
            "TOO_LARGE",
            f"{path} has {size:,} bytes of UTF-8; at most {limit:,} are taken",
            details={"path": path, "bytes": size, "limit": limit},
        )
    return value


def _encoded(value: str, path: str) -> bytes:
    try:
        return value.encode()
    except UnicodeEncodeError as exc:
        raise Fault(
            "TEXT_INVALID",
            f"{path} has a lone surrogate at character {exc.start}",
            details={"path": path, "position": exc.start},
        ) from None


def nfc(text: str) -> str:
    """Return the NFC form (UAX #15)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def utf8_cut(data: bytes, size: int) -> int:
    """Return the largest end at most `size` that does not split a UTF-8 character.

    Bytes that are not UTF-8 are cut where asked: at most three bytes are given back.
    """
    if size >= len(data):
        return len(data)
    end = size
    while end > max(0, size - 3) and data[end] & 0xC0 == 0x80:
        end -= 1
    return end if data[end] & 0xC0 != 0x80 else size
