"""List the documents of a generation, each with a citation of all its bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hsum._kernel.faults import Fault
from hsum._kernel.text import shown
from hsum.model import Citation, Document

if TYPE_CHECKING:
    from hsum.index.catalogue import Snapshot, Version

__all__ = ["documents"]


def documents(
    snapshot: Snapshot, generation: int | None = None
) -> tuple[Document, ...]:
    """Return the documents of a generation by path; of the newest for None.

    Raises:
        Fault: `NO_GENERATION`.
    """
    newest = snapshot.require_head().generation
    wanted = newest if generation is None else generation
    found = [one for one in snapshot.generations() if one.number == wanted]
    if not found:
        raise Fault(
            "NO_GENERATION",
            f"there is no generation {shown(wanted)}",
            hint=f"The newest is {newest}; `hsum generations` lists them.",
        )
    versions = snapshot.live() if wanted == newest else snapshot.at(wanted)
    listed = tuple(_document(snapshot, version) for version in versions)
    if len(listed) != found[0].documents:
        raise Fault(
            "STORE_DAMAGED", f"generation {wanted} lacks documents, or has more"
        )
    return listed


def _document(snapshot: Snapshot, version: Version) -> Document:
    citation = Citation(
        str(snapshot.index_id),
        version.source_id,
        version.document_id,
        version.rev,
        *snapshot.span(version),
    )
    return Document(
        path=os.fsdecode(version.path),
        record=version.record or None,
        source_id=version.source_id,
        document_id=version.document_id,
        rev=version.rev,
        size=version.size,
        encoding=version.encoding,
        passages=version.passages,
        citation=citation,
    )
