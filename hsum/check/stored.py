"""Check the citations of a text against an index and its root."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hsum._kernel.text import check_text as as_text
from hsum.check.checker import Text, check
from hsum.check.indexed import SnapshotCitations
from hsum.check.tree import WorkingTree
from hsum.errors import fault
from hsum.model.check import CheckReport

if TYPE_CHECKING:
    from collections.abc import Callable

    from hsum.index.store import Store

__all__ = ["check_text"]


def check_text(
    store: Store, text: str, *, allowed: Callable[[bytes], bool] = lambda _path: True
) -> CheckReport:
    """Judge every citation of a text; `allowed` tells which paths may be seen.

    Raises:
        HsumError: `NO_GENERATION`, `ROOT_MISSING`, `INVALID_ARGUMENT`,
            `TEXT_INVALID`, `TOO_LARGE`.
    """
    as_text(text, "$.text")
    with store.reading() as snapshot:
        snapshot.require_head()
        root = snapshot.root
        if root is None:
            raise fault("NO_GENERATION", "nothing has been ingested yet")
        with _tree(root, allowed) as tree:
            index = SnapshotCitations(snapshot, allowed)
            checked = check([Text(text)], tree, index=index)
    return CheckReport(checked[0].findings)


def _tree(root: bytes, allowed: Callable[[bytes], bool]) -> WorkingTree:
    try:
        return WorkingTree(root, allowed)
    except OSError as exc:
        raise fault("ROOT_MISSING", f"the root cannot be opened: {exc}") from exc
