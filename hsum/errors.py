"""What hsum refuses, as exceptions that carry the way out.

    Fault
    └── HsumError
        ├── InvalidInput (ValueError)   an argument, a query, a citation, a cursor
        ├── NotFound (LookupError)      no such index, project, evidence, generation
        ├── NotAllowed                  no trust, no permission
        ├── Conflict                    the state is another than the call expects
        ├── Busy                        another writer holds the lock
        ├── Damaged                     stored bytes are not what was written
        ├── Unreadable                  this version or this filesystem cannot serve it
        ├── StorageFull                 the disk or the quota is full
        ├── Closed                      the handle was closed
        └── Cancelled                   the work was stopped from outside

Every one has `code`, `message`, `hint` (the next step), `retryable`, `details`.
None is an `OSError`: what translates those must never meet its own work again.
"""

from __future__ import annotations

from typing import final

from hsum._kernel.faults import Family, Fault


class HsumError(Fault):
    """The root of all that hsum raises on purpose."""


@final
class InvalidInput(HsumError, ValueError):
    """An argument, query, citation or cursor that cannot be used as it is."""


@final
class NotFound(HsumError, LookupError):
    """What was asked for does not exist here, or not any more."""


@final
class NotAllowed(HsumError):
    """The caller or the process may not do this."""


@final
class Conflict(HsumError):
    """The state is another than the call expects."""


@final
class Busy(HsumError):
    """Another writer holds the lock; try again."""


@final
class Damaged(HsumError):
    """Stored bytes are not the bytes that were written."""


@final
class Unreadable(HsumError):
    """This version, or this filesystem, cannot serve the store."""


@final
class StorageFull(HsumError):
    """The disk or the quota is full."""


@final
class Closed(HsumError):
    """The handle was closed."""


@final
class Cancelled(HsumError):
    """The work was stopped from outside."""


_CODES = {
    InvalidInput: (
        "INVALID_ARGUMENT",
        "TEXT_INVALID",
        "TOO_LARGE",
        "QUERY_EMPTY",
        "QUERY_TOO_LONG",
        "QUERY_NUL",
        "QUERY_UNCLOSED_QUOTE",
        "QUERY_EMPTY_QUOTE",
        "QUERY_INVALID_TEXT",
        "CITATION_MALFORMED",
        "CONFIRMATION_REQUIRED",
    ),
    NotFound: (
        "EVIDENCE_NOT_FOUND",
        "EVIDENCE_PRUNED",
        "EVIDENCE_FORGOTTEN",
        "INDEX_NOT_FOUND",
        "PROJECT_UNKNOWN",
        "ROOT_MISSING",
        "NO_GENERATION",
    ),
    NotAllowed: ("NOT_TRUSTED", "PERMISSION_DENIED"),
    Conflict: ("PROJECT_EXISTS", "ROOT_MISMATCH", "STALE_CURSOR"),
    Busy: ("WRITER_BUSY",),
    Damaged: ("INTEGRITY_FAILED", "STORE_DAMAGED", "LEXICAL_UNAVAILABLE"),
    Unreadable: ("SCHEMA_TOO_NEW", "UNSUPPORTED_STORAGE", "FILE_FAILED"),
    StorageFull: ("DISK_FULL", "QUOTA_EXCEEDED"),
    Closed: ("CLOSED",),
    Cancelled: ("CANCELLED",),
}

family = Family(
    HsumError, {code: kind for kind, codes in _CODES.items() for code in codes}
)
fault = family.make
