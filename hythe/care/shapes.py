"""What each field of an exported row may say: what a call would have taken.

An import makes digests of its own, so that what it takes is vouched for ever after.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from hsum._kernel.canonical import MAX_SAFE_INTEGER, canonical
from hsum._kernel.clock import rfc3339
from hsum._kernel.faults import Fault
from hsum._kernel.text import check_text
from hythe.identity.decide import check_agent
from hythe.mail.requests import check_capabilities
from hythe.observe import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["check_row"]

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_LONGEST_ID: Final = 200


def check_row(row: Mapping[str, Any]) -> None:
    """Refuse a row with a field that nothing would have written.

    Raises:
        ValueError: with the name of the field and what is wrong with it.
    """
    for name, value in row.items():
        check = _CHECKS.get(name)
        if check is None or (value is None and name in _OPTIONAL):
            continue
        try:
            check(value, name)
        except Fault as fault:
            raise ValueError(fault.message) from None
        except (OverflowError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(f"{name}: {error}") from None


def _hash(value: Any, _: str) -> None:
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise ValueError("no SHA-256 in hexadecimal")


def _flag(value: Any, _: str) -> None:
    if value not in (0, 1):
        raise ValueError("neither 0 nor 1")


def _count(value: Any, name: str) -> None:
    checks.check_bound(value, name, least=0, most=MAX_SAFE_INTEGER)


def _time(value: Any, name: str) -> None:
    checks.check_bound(value, name, least=-(1 << 62), most=1 << 62)
    rfc3339(value)


def _id(value: Any, name: str) -> None:
    checks.check_label(value, name, limit=_LONGEST_ID, required=True)


def _name(value: Any, name: str) -> None:
    checks.check_name(value, name)


def _key(value: Any, name: str) -> None:
    checks.check_label(value, name, limit=checks.KEY_LIMIT, required=True)


def _label(value: Any, name: str) -> None:
    checks.check_label(value, name, required=True)


def _text(value: Any, name: str) -> None:
    check_text(value, name)


def _references(value: Any, name: str) -> None:
    found = checks.check_references(_listed(value, name), name)
    _canonical(value, list(found))


def _capabilities(value: Any, name: str) -> None:
    _canonical(value, list(check_capabilities(_listed(value, name), name)))


def _ids(value: Any, name: str) -> None:
    for identity in _listed(value, name):
        _id(identity, name)


def _listed(value: Any, name: str) -> list[Any]:
    check_text(value, name)
    found = json.loads(value)
    if not isinstance(found, list):
        raise TypeError("no list")
    return found


def _metadata(value: Any, name: str) -> None:
    check_text(value, name)
    found = json.loads(value)
    checks.check_metadata({} if found is None else found, name)
    _canonical(value, found)


def _canonical(value: str, found: Any) -> None:
    if value.encode() != canonical(found):
        raise ValueError("not in the form that is stored")


_OPTIONAL: Final = frozenset(
    (
        "kind", "definition", "definition_hash", "description", "parent", "project",
        "reply_to", "task", "thread",
    )
)  # fmt: skip

_CHECKS: Final[dict[str, Callable[[Any, str], object]]] = {
    "agent": check_agent,
    "author": check_agent,
    "recipient": check_agent,
    "capabilities": _capabilities,
    "evidence": _references,
    "metadata": _metadata,
    "supersedes": _ids,
    "key": _key,
    "name": _name,
    "kind": _label,
    "type": _label,
    "thread": _name,
    "recorded_at": _time,
    **dict.fromkeys(("proven", "handoff", "unregistered"), _flag),
    **dict.fromkeys(("text", "definition", "description", "reason", "path"), _text),
    **dict.fromkeys(
        ("latest", "pruned", "sequence", "revision", "imported", "imported_pointer"),
        _count,
    ),
    **dict.fromkeys(
        ("id", "entity", "source", "target", "message", "project", "task", "reply_to"),
        _id,
    ),
    **dict.fromkeys(
        (
            "definition_hash", "digest", "evidence_hash", "fingerprint", "seal",
            "text_hash",
        ),
        _hash,
    ),
}  # fmt: skip
