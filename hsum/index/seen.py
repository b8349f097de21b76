"""What a scan remembers of one folder, packed into a few bytes a file.

A record holds, under the key of the rules that were in force, the stat signature and
the verdict of each entry.  It is read at every ingest and at every look at the state
of a source, so it is arrays, not rows.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import attrs

from hsum.index.skips import REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "INDEXED",
    "NONE",
    "NOTHING",
    "NO_KEY",
    "Folder",
    "Signature",
    "Unread",
    "Verdict",
    "pack",
    "sealed",
    "signature_in",
    "unpack",
    "unsealed",
]

Signature = tuple[int, int, int, int, int]
"""Size, mtime_ns, ctime_ns, inode, device."""

NONE: Signature = (0, 0, 0, 0, 0)
"""The signature of a folder: its time says nothing about what is below it."""

Verdict = int
"""0 for indexed, else 1 + the place in `REASONS`; and two flags."""

INDEXED: Verdict = 0
ENTERED: Verdict = 0x40
"""The flag of a folder that is entered for its tracked files alone."""
UNSETTLED: Verdict = 0x80
"""The flag of a file that must be read again: its times cannot prove it unchanged."""
UNREAD: Verdict = 0xFF
"""Stands in a record until the outcome of reading is known."""
_REASON = 0x3F

_FORMAT = 1
_HEAD = struct.Struct("<B16sII")
_CHECK = struct.Struct("<I")
_SIGNATURE = struct.Struct("<QqqQQ")


@attrs.frozen
class Folder:
    """A record, unpacked: entries by name (that of a folder ends in `/`)."""

    key: bytes
    entries: Mapping[bytes, tuple[Signature, Verdict]]
    details: Mapping[bytes, str]


NO_KEY = bytes(16)
"""The key of no rules: verdicts under it are not kept."""

NOTHING = Folder(NO_KEY, {}, {})
"""What is known of a folder that no scan has seen."""


@attrs.frozen
class Unread:
    """A record, packed, some of whose files have still to be read."""

    record: bytes


def verdict_of(reason: str) -> Verdict:
    """Return the verdict that stands for a reason."""
    return REASONS.index(reason) + 1


def reason_of(verdict: Verdict) -> str | None:
    """Return the reason of a verdict, or None for what is indexed."""
    at = verdict & _REASON
    return REASONS[at - 1] if at else None


def sealed(record: bytes) -> bytes:
    """Return a record as it is stored: with a checksum at its end."""
    return record + _CHECK.pack(zlib.crc32(record))


def unsealed(stored: bytes) -> bytes | None:
    """Return the record; None for one that is damaged, as if there were none."""
    record, check = stored[: -_CHECK.size], stored[-_CHECK.size :]
    return record if _CHECK.pack(zlib.crc32(record)) == check else None


def pack(folder: Folder) -> bytes:
    """Return the record of a folder; the same folder gives the same bytes."""
    names = sorted(folder.entries)
    joined = b"\0".join(names)
    rows = [folder.entries[name] for name in names]
    details = "\0".join(folder.details.get(name, "") for name in names).rstrip("\0")
    return b"".join(
        (
            _HEAD.pack(_FORMAT, folder.key, len(names), len(joined)),
            joined,
            bytes(verdict for _, verdict in rows),
            *(_SIGNATURE.pack(*signature) for signature, _ in rows),
            details.encode("utf-8", "surrogateescape"),
        )
    )


def unpack(record: bytes) -> Folder | None:
    """Return the folder of a record; None for one that is damaged or of another form."""
    if len(record) < _HEAD.size or record[0] != _FORMAT:
        return None
    _, key, count, width = _HEAD.unpack_from(record)
    verdicts = _HEAD.size + width
    signatures = verdicts + count
    end = signatures + count * _SIGNATURE.size
    names = record[_HEAD.size : verdicts].split(b"\0") if count else []
    if end > len(record) or len(names) != count:
        return None
    rows = zip(
        _SIGNATURE.iter_unpack(record[signatures:end]),
        record[verdicts:signatures],
        strict=True,
    )
    return Folder(
        key, dict(zip(names, rows, strict=True)), _details(record[end:], names)
    )


def _details(packed: bytes, names: list[bytes]) -> dict[bytes, str]:
    if not packed:
        return {}
    details = packed.decode("utf-8", "surrogateescape").split("\0")
    return {
        name: detail for name, detail in zip(names, details, strict=False) if detail
    }


def signature_in(record: bytes, name: bytes) -> Signature | None:
    """Return the signature a record holds for the file `name`, or None."""
    folder = unpack(record)
    entry = folder.entries.get(name) if folder is not None else None
    return entry[0] if entry is not None else None
