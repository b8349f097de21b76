"""Whether what an `hsum://` citation names still stands, for hythe."""

from __future__ import annotations

from typing import Any

__all__ = ["resolver"]


def resolver(citation: str) -> Any:
    """Return the verified evidence of a citation, or None where none is found here.

    hythe takes its `source_state` and `span_state`.
    """
    import hsum

    try:
        context = hsum.context(citation=citation)
        with hsum.open_managed(context.index) as index:
            return index.get(citation, max_bytes=1, verify=True)
    except hsum.HsumError:
        return None
