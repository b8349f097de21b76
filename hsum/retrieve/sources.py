"""Say what has become of a source: one `lstat`, or its hash when asked to verify."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from hsum.index.reading import signature_of

if TYPE_CHECKING:
    from hsum.index.catalogue import Snapshot, Version
    from hsum.model import SourceState

__all__ = ["state_of"]


def state_of(snapshot: Snapshot, version: Version) -> SourceState:
    """Compare the file's metadata with what the last scan saw."""
    root = snapshot.root
    if root is None:
        return "unverifiable"
    try:
        found = os.lstat(os.path.join(root, version.path))
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except OSError:
        return "blocked"
    if not stat.S_ISREG(found.st_mode):
        return "blocked"
    known = snapshot.signature(version.path)
    if known is None:
        return "unverifiable"
    same = signature_of(found) == known
    return "metadata_unchanged" if same else "metadata_changed"
