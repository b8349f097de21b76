"""What hythe refuses, as exceptions that carry the way out.

    Fault
    └── HytheError
        ├── InvalidInput (ValueError)   an argument, a text, a patch, a cursor
        ├── NotFound (LookupError)      no such scope, fact, loop, entity, message
        ├── Conflict                    the scope has moved on; names heads and pointer
        ├── Unresolved                  a reconcile leaves owed values undecided
        ├── Taken                       a name, key or history belongs to something else
        ├── Stale                       what a cursor pages through has changed
        ├── NotAllowed                  identity, credential, permission
        ├── Busy                        another writer holds the lock
        ├── Damaged                     stored bytes are not what was written
        ├── Unreadable                  this version or this filesystem cannot serve it
        ├── StorageFull                 the disk or the quota is full
        ├── Closed                      the handle was closed
        └── Cancelled                   the work was stopped from outside

Every one has `code`, `message`, `hint` (the next step), `retryable`, `details`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from hsum._kernel.faults import Family, Fault

if TYPE_CHECKING:
    from hythe.model import Head


class HytheError(Fault):
    """The root of all that hythe raises on purpose."""


@final
class InvalidInput(HytheError, ValueError):
    """An argument, text, patch or cursor that cannot be used as it is."""


@final
class NotFound(HytheError, LookupError):
    """What was asked for does not exist here, or not any more."""


@final
class Conflict(HytheError):
    """The scope is not where the call expects it; all that a retry needs is here."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """All that hold of `not-current`, `unknown-parent`, `scope-not-empty`, ..."""
        return tuple(self.details.get("reasons", ()))

    @property
    def pointer(self) -> str | None:
        """The id of the pointed checkpoint, or None where none is designated."""
        return self.details.get("pointer")

    @property
    def heads(self) -> tuple[Head, ...]:
        """The live heads, newest first, at most 100 of them."""
        from hythe.model import Head

        return tuple(Head.from_json(head) for head in self.details.get("heads", ()))

    @property
    def head_count(self) -> int:
        """How many live heads there are."""
        return int(self.details.get("head_count", 0))


@final
class Unresolved(HytheError):
    """A reconcile leaves owed values undecided."""

    @property
    def owed(self) -> tuple[dict[str, Any], ...]:
        """The undecided versions: kind, id, checkpoint, revision, heads."""
        return tuple(self.details.get("owed", ()))


@final
class Taken(HytheError):
    """A name, an idempotency key or a history belongs to something else."""


@final
class Stale(HytheError):
    """What a cursor pages through has changed since."""


@final
class NotAllowed(HytheError):
    """This identity or this process may not do it."""


@final
class Busy(HytheError):
    """Another writer holds the lock; try again."""


@final
class Damaged(HytheError):
    """Stored bytes are not the bytes that were written."""


@final
class Unreadable(HytheError):
    """This version, or this filesystem, cannot serve the store."""


@final
class StorageFull(HytheError):
    """The disk or the quota is full."""


@final
class Closed(HytheError):
    """The handle was closed."""


@final
class Cancelled(HytheError):
    """The work was stopped from outside."""


_CODES = {
    InvalidInput: (
        "INVALID_ARGUMENT",
        "TEXT_INVALID",
        "TOO_LARGE",
        "SCOPE_INVALID",
        "PARENT_AMBIGUOUS",
        "PARENT_RETIRED",
        "DUPLICATE_ID",
        "PATCH_INVALID",
        "BUDGET_TOO_SMALL",
        "CONFIRMATION_REQUIRED",
    ),
    NotFound: (
        "NOT_FOUND",
        "SCOPE_UNKNOWN",
        "SCOPE_EMPTY",
        "FACT_UNKNOWN",
        "LOOP_UNKNOWN",
        "PRUNED",
    ),
    Conflict: ("CONFLICT",),
    Unresolved: ("RECONCILE_UNRESOLVED",),
    Taken: ("ENTITY_EXISTS", "ALIAS_TAKEN", "KEY_REUSED", "IMPORT_CONFLICT"),
    Stale: ("STALE_CURSOR",),
    NotAllowed: (
        "PERMISSION_DENIED",
        "IDENTITY_MISMATCH",
        "CREDENTIAL_INVALID",
        "CREDENTIAL_REQUIRED",
        "SCOPE_DENIED",
    ),
    Busy: ("WRITER_BUSY",),
    Damaged: ("INTEGRITY_FAILED", "STORE_DAMAGED"),
    Unreadable: ("SCHEMA_TOO_NEW", "UNSUPPORTED_STORAGE"),
    StorageFull: ("DISK_FULL", "QUOTA_EXCEEDED"),
    Closed: ("CLOSED",),
    Cancelled: ("CANCELLED",),
}

family = Family(
    HytheError, {code: kind for kind, codes in _CODES.items() for code in codes}
)
fault = family.make
