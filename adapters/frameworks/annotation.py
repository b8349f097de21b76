"""Selectors of the W3C Web Annotation Data Model (2017) for cited bytes."""

from __future__ import annotations

from typing import Any

from hsum import Citation, Index

__all__ = ["specific_resource"]

_CONTEXT = 32


def specific_resource(
    index: Index, citation: Citation | str, *, context: int = _CONTEXT
) -> dict[str, Any]:
    """Return a `SpecificResource`: the cited revision, and selectors of its span.

    `DataPositionSelector` counts bytes of the revision, half-open as a citation does;
    `TextQuoteSelector` has the cited text between up to `context` characters.

    Raises:
        HsumError: what `Index.get` raises.
    """
    evidence = index.get(citation)
    cited = evidence.returned
    before, after = _around(index, cited, context)
    return {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "type": "SpecificResource",
        "source": str(cited).partition("#")[0],
        "selector": [
            {
                "type": "DataPositionSelector",
                "start": cited.start,
                "end": cited.end,
            },
            {
                "type": "TextQuoteSelector",
                "exact": evidence.text,
                "prefix": before,
                "suffix": after,
            },
        ],
    }


def _around(index: Index, cited: Citation, context: int) -> tuple[str, str]:
    """Return the text before and after, from as many whole passages as it takes."""
    wide = index.get(cited, around=1, max_bytes=cited.end - cited.start + 65_536)
    start = cited.start - wide.returned.start
    end = cited.end - wide.returned.start
    before = wide.content[:start].decode(wide.encoding, "ignore")
    after = wide.content[end:].decode(wide.encoding, "ignore")
    return before[len(before) - min(context, len(before)) :], after[:context]
