"""Rewrite the citations whose bytes have exactly one new place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hsum.model.check import Finding, Found
    from hsum.model.evidence import Place

__all__ = ["relined", "rewritten"]


def rewritten(text: str, findings: Iterable[Finding]) -> tuple[str, list[Finding]]:
    """Return the text with the citations of unique moves replaced, findings marked."""
    marked = []
    parts: list[str] = []
    at = 0
    for finding in sorted(findings, key=lambda one: one.found.start):
        if finding.verdict == "moved" and finding.replacement is not None:
            parts += text[at : finding.found.start], finding.replacement
            at = finding.found.end
            marked.append(attrs.evolve(finding, fixed=True))
        else:
            marked.append(finding)
    return "".join([*parts, text[at:]]), marked


def relined(finding: Finding) -> str | None:
    """Return the citation of a moved one's new lines, in the form of the old."""
    if finding.moved_to is None:
        return None
    return _path(finding) + _anchor(finding.found, finding.moved_to)


def _path(finding: Finding) -> str:
    """Keep the path as it was written unless the bytes are in another file."""
    place = finding.moved_to
    same = place is None or place.path == finding.path
    return (finding.found.path or "") if same or place is None else place.path


def _anchor(found: Found, place: Place) -> str:
    first, last = place.lines
    if found.anchor == "#L":
        return f"#L{first}" if first == last else f"#L{first}-L{last}"
    return f":{first}" if first == last else f":{first}-{last}"
