"""What may be written: input as it comes, turned into exact values or refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, final

import attrs

from hsum._kernel.canonical import canonical
from hsum._kernel.faults import Fault
from hsum._kernel.text import check_text, nfc, shown
from hythe.model._convert import LONGEST, drawn

__all__ = [
    "KEY_LIMIT",
    "MAX_CALL_BYTES",
    "NAME_LIMIT",
    "NewEntity",
    "bounded",
    "check_aliases",
    "check_bound",
    "check_call",
    "check_ids",
    "check_key",
    "check_label",
    "check_list",
    "check_metadata",
    "check_name",
    "check_optional",
    "check_references",
    "check_wait",
    "new_entity",
]

NAME_LIMIT = 200
MAX_CALL_BYTES = 64 * 1024 * 1024
_LABEL_LIMIT = 100
KEY_LIMIT = 200
_DEEPEST = 100
_MOST_REFERENCES = 10_000
_MAX_WAIT_SECONDS = 3_600


@final
@attrs.frozen
class NewEntity:
    """An entity as it is asked for: checked, aliases distinct and not the name."""

    name: str
    kind: str | None = None
    aliases: tuple[str, ...] = ()
    definition: str | None = None

    def request(self) -> dict[str, Any]:
        """Return what an idempotency key binds; aliases are a set in it."""
        return {
            "name": nfc(self.name),
            "kind": self.kind,
            "aliases": sorted(map(nfc, self.aliases)),
            "definition": self.definition,
        }


def new_entity(item: Any, path: str = "$") -> NewEntity:
    """Check a name alone, or a mapping of `name`, `kind`, `aliases`, `definition`."""
    fields = _fields(item, path)
    name = check_name(fields.get("name"), f"{path}.name")
    return NewEntity(
        name,
        check_label(fields.get("kind"), f"{path}.kind"),
        _aliases(name, fields.get("aliases"), f"{path}.aliases"),
        check_optional(fields.get("definition"), f"{path}.definition"),
    )


def _fields(item: Any, path: str) -> Mapping[str, Any]:
    if isinstance(item, str):
        return {"name": item}
    if not isinstance(item, Mapping):
        raise _wrong(path, "a name or a mapping with a name", item)
    unknown = sorted(set(map(str, item)) - {"name", "kind", "aliases", "definition"})
    if unknown:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path} has unknown fields: {', '.join(unknown)}",
            details={"path": path, "unknown": unknown},
        )
    return item


def _aliases(name: str, value: Any, path: str) -> tuple[str, ...]:
    found = check_aliases(value, path)
    return tuple(alias for alias in found if nfc(alias) != nfc(name))


def check_aliases(value: Any, path: str) -> tuple[str, ...]:
    """Return names, each once in its first spelling."""
    distinct: dict[str, str] = {}
    for index, alias in enumerate(_listed(value, path)):
        check_name(alias, f"{path}[{index}]")
        distinct.setdefault(nfc(alias), alias)
    return tuple(distinct.values())


def check_name(value: Any, path: str = "$.name") -> str:
    """Return a name of 1 to 200 characters, counted in its NFC form."""
    text = check_text(value, path)
    length = len(nfc(text))
    if not 1 <= length <= NAME_LIMIT:
        raise Fault(
            "TOO_LARGE" if length else "INVALID_ARGUMENT",
            f"{path} has {length:,} characters; a name has 1 to {NAME_LIMIT}",
            details={"path": path, "characters": length, "limit": NAME_LIMIT},
        )
    return text


def check_label(
    value: Any, path: str, *, limit: int = _LABEL_LIMIT, required: bool = False
) -> str | None:
    """Return a short text such as a kind or a relation's type; None if optional."""
    if value is None and not required:
        return None
    text = check_text(value, path)
    if not 1 <= len(text) <= limit:
        raise Fault(
            "TOO_LARGE" if text else "INVALID_ARGUMENT",
            f"{path} has {len(text):,} characters; 1 to {limit} are taken",
            details={"path": path, "characters": len(text), "limit": limit},
        )
    return text


def check_key(value: Any, path: str = "$.key") -> str | None:
    """Return an idempotency key of 1 to 200 characters, or None."""
    return check_label(value, path, limit=KEY_LIMIT)


def check_optional(value: Any, path: str) -> str | None:
    """Return text, or None where none is given."""
    return None if value is None else check_text(value, path)


def check_call(*texts: str) -> None:
    """Refuse a call whose texts are too large together.

    Raises:
        Fault: `TOO_LARGE`.
    """
    size = sum(len(text) if text.isascii() else len(text.encode()) for text in texts)
    if size > MAX_CALL_BYTES:
        raise Fault(
            "TOO_LARGE",
            f"the call has {size:,} bytes; at most {MAX_CALL_BYTES:,} are taken",
            details={"bytes": size, "limit": MAX_CALL_BYTES},
        )


def check_references(value: Any, path: str) -> tuple[str, ...]:
    """Return evidence as texts: each item is text, or a value whose `str` is one."""
    found = check_list(value, path, most=_MOST_REFERENCES)
    return tuple(
        check_text(_reference(item), f"{path}[{index}]")
        for index, item in enumerate(found)
    )


def _reference(item: Any) -> Any:
    plain = (bool, int, float, bytes, bytearray, Mapping, list, tuple, set, type(None))
    return item if isinstance(item, (str, *plain)) else str(item)


def check_ids(value: Any, path: str) -> tuple[str, ...]:
    """Return distinct ids in order: one or many, each an id or a value that has one."""
    alone = isinstance(value, str) or hasattr(value, "id")
    found = (value,) if alone else _listed(value, path)
    checked = (_id(item, f"{path}[{index}]") for index, item in enumerate(found))
    return tuple(dict.fromkeys(checked))


def _id(item: Any, path: str) -> str:
    return check_text(getattr(item, "id", item), path, limit=_LABEL_LIMIT)


def check_metadata(value: Any, path: str = "$.metadata") -> bytes:
    """Return a mapping as its canonical bytes; None is the empty one."""
    data = {} if value is None else value
    if not isinstance(data, Mapping):
        raise _wrong(path, "a mapping", value)
    _check_depth(data, path)
    body = canonical(dict(data))
    check_text(body.decode(), path)
    return body


def _check_depth(data: Any, path: str) -> None:
    """Refuse what is nested too deeply to be read back on any stack."""
    level = [data]
    for _ in range(_DEEPEST):
        level = [
            item
            for parent in level
            if isinstance(parent, (Mapping, list, tuple))
            for item in (parent.values() if isinstance(parent, Mapping) else parent)
        ]
        if not level:
            return
    raise Fault(
        "TOO_LARGE",
        f"{path} is nested more than {_DEEPEST} levels deep",
        details={"path": path, "limit": _DEEPEST},
    )


def check_bound(value: Any, path: str, *, least: int, most: int) -> int:
    """Return an integer between two bounds, both inclusive."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(path, "an integer", value)
    if not least <= value <= most:
        raise Fault(
            "INVALID_ARGUMENT",
            f"{path} is {shown(value)}; {least:,} to {most:,} are taken",
            details={"path": path, "least": least, "most": most},
        )
    return value


def check_wait(value: Any, path: str = "$.wait") -> float:
    """Return how many seconds a call may block: from none to an hour."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= _MAX_WAIT_SECONDS:
        raise Fault(
            "INVALID_ARGUMENT",
            f"wait takes 0 to {_MAX_WAIT_SECONDS:,} seconds",
            details={"path": path},
        )
    return float(value)


def check_list(value: Any, path: str, *, most: int) -> tuple[Any, ...]:
    """Return at most so many items of a list."""
    found = _listed(value, path)
    if len(found) > most:
        raise Fault(
            "TOO_LARGE",
            f"{path} has {len(found):,} items; one call takes {most:,}",
            details={"path": path, "items": len(found), "limit": most},
        )
    return found


def _listed(value: Any, path: str) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise _wrong(path, "a list", value)
    return bounded(value, path)


def bounded(value: Iterable[Any], path: str) -> tuple[Any, ...]:
    """Return the items of what may be a generator, or one without an end.

    Raises:
        Fault: `TOO_LARGE` beyond a million.
    """
    found = drawn(value)
    if len(found) > LONGEST:
        raise Fault(
            "TOO_LARGE",
            f"{path} has more than {LONGEST:,} items",
            details={"path": path, "limit": LONGEST},
        )
    return found


def _wrong(path: str, wanted: str, value: Any) -> Fault:
    return Fault(
        "INVALID_ARGUMENT",
        f"{path} must be {wanted}, not {type(value).__name__}",
        details={"path": path},
    )
