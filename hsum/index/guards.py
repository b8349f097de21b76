"""What an ingest must not do unless it was told that it may."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from hsum._kernel.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = [
    "ALL",
    "BROAD_ROOT",
    "LARGE",
    "MASS_DELETE",
    "Guard",
    "broad_root",
    "confirm",
    "large",
    "mass_delete",
    "would_refuse",
]

BROAD_ROOT = "broad-root"
MASS_DELETE = "mass-delete"
LARGE = "large"
ALL = (BROAD_ROOT, MASS_DELETE, LARGE)

_FEW_DOCUMENTS = 10
_SHARE = 4
_MANY_DOCUMENTS = 1_000
_MANY_FILES = 50_000
_MANY_BYTES = 8 * 1024**3


@attrs.frozen
class Guard:
    """One thing that needs the word of `allow` that is its name."""

    name: str
    why: str
    details: tuple[tuple[str, int | str], ...] = ()


def broad_root(root: bytes, home: bytes | None) -> Guard | None:
    """Guard a root that is `/`, the home directory or a folder above it.

    Both are absolute and resolved.
    """
    above = root.rstrip(b"/") + b"/"
    if root.strip(b"/") and not (home and (home.rstrip(b"/") + b"/").startswith(above)):
        return None
    shown = root.decode("utf-8", "backslashreplace")
    return Guard(
        BROAD_ROOT,
        f"The root {shown} is the whole disk, a home directory or above one.",
        (("root", shown),),
    )


def mass_delete(documents: int, dropped: int) -> Guard | None:
    """Guard the loss of many of the documents that live now."""
    everything = 0 < documents <= dropped
    share = documents >= _FEW_DOCUMENTS and dropped * _SHARE > documents
    if not (everything or share or dropped > _MANY_DOCUMENTS):
        return None
    return Guard(
        MASS_DELETE,
        f"{dropped:,} of {documents:,} documents would be dropped.",
        (("documents", documents), ("dropped", dropped)),
    )


def large(files: int, size: int) -> Guard | None:
    """Guard a tree of very many files or bytes."""
    if files <= _MANY_FILES and size <= _MANY_BYTES:
        return None
    return Guard(
        LARGE,
        f"The root holds {files:,} files, {size:,} bytes.",
        (("files", files), ("bytes", size)),
    )


def confirm(guards: Iterable[Guard | None], allow: Collection[str]) -> None:
    """Refuse with `CONFIRMATION_REQUIRED` unless `allow` names every guard that stands.

    A word in `allow` that is no guard's name is `INVALID_ARGUMENT`.
    """
    unknown = sorted(set(allow) - set(ALL))
    if unknown:
        raise Fault(
            "INVALID_ARGUMENT",
            f"allow has the unknown word {unknown[0]!r}.",
            hint=f"The words are {', '.join(ALL)}.",
            details={"allow": unknown},
        )
    standing = [each for each in guards if each is not None and each.name not in allow]
    if standing:
        raise _refusal(standing)


def would_refuse(guards: Iterable[Guard | None], allow: Collection[str]) -> list[str]:
    """Say, for a dry run, what `confirm` would refuse."""
    return [
        f"{each.why} An ingest needs --allow {each.name}."
        for each in guards
        if each is not None and each.name not in allow
    ]


def _refusal(standing: list[Guard]) -> Fault:
    names = [each.name for each in standing]
    flags = " ".join(f"--allow {name}" for name in names)
    return Fault(
        "CONFIRMATION_REQUIRED",
        " ".join(each.why for each in standing) + " Nothing was written.",
        hint=f"If that is meant, say so: allow={names!r} in Python, {flags} on the"
        " command line.",
        details={"allow": names}
        | {key: value for each in standing for key, value in each.details},
    )
