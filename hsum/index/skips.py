"""Why an entry of the tree is not indexed.

`REASONS` is the one ordered list: a skip is the answer of the first that matches.
Reasons up to `folder` are decided from names and rules, `too_large` from the size,
the rest from the bytes or from the attempt to read them.
"""

from __future__ import annotations

import attrs

SYMLINK = "symlink"
SPECIAL = "special"
REPOSITORY = "repository"
FORGOTTEN = "forgotten"
EXCLUDED = "excluded"
NOT_INCLUDED = "not_included"
SECRET = "secret"
IGNORED = "ignored"
HIDDEN = "hidden"
FOLDER = "folder"
TOO_LARGE = "too_large"
UNREADABLE = "unreadable"
UNSTABLE = "changed_while_read"
BINARY = "binary"
GENERATED = "generated"

REASONS = (
    SYMLINK,
    SPECIAL,
    REPOSITORY,
    FORGOTTEN,
    EXCLUDED,
    NOT_INCLUDED,
    SECRET,
    IGNORED,
    HIDDEN,
    FOLDER,
    TOO_LARGE,
    UNREADABLE,
    UNSTABLE,
    BINARY,
    GENERATED,
)


@attrs.frozen
class Skip:
    """One entry that is not indexed; the path of a folder ends in `/`."""

    path: bytes
    reason: str
    detail: str = ""
