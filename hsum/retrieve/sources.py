"""Say what has become of a source: one `lstat`, or its hash when asked to verify."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from hsum.index.reading import signature_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from hsum.index.seen import Signature
    from hsum.model import SourceState

    Known = Callable[[], Signature | None]

__all__ = ["Sources"]


class Sources:
    """The files below a root, which is itself looked at once."""

    def __init__(self, root: bytes | None) -> None:
        self._root = root
        self._linked = root is not None and os.path.islink(root)

    def state(self, path: bytes, known: Known) -> SourceState:
        """Compare a file's metadata with what the last scan saw.

        Args:
            path: below the root.
            known: gives the stat signature that the scan saw, or None.
        """
        if self._root is None:
            return "unverifiable"
        if self._linked:
            return "blocked"
        try:
            found = os.lstat(self._root + b"/" + path)
        except (FileNotFoundError, NotADirectoryError):
            return "missing"
        except OSError:
            return "blocked"
        if not stat.S_ISREG(found.st_mode):
            return "blocked"
        then = known()
        if then is None:
            return "unverifiable"
        same = signature_of(found) == then
        return "metadata_unchanged" if same else "metadata_changed"
