"""Rewrite the citations whose bytes have exactly one new place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hsum.model.check import Finding, Found
    from hsum.model.evidence import Place

__all__ = ["fixable", "rewritten", "successor"]


def fixable(finding: Finding) -> bool:
    """Tell whether a finding is a unique move of a citation that names lines.

    A URI names a revision, which does not move; it keeps resolving.
    """
    return (
        finding.verdict == "moved"
        and finding.moved_to is not None
        and finding.found.form == "lines"
    )


def rewritten(text: str, findings: Iterable[Finding]) -> tuple[str, list[Finding]]:
    """Return the text with every fixable citation replaced, and the findings marked."""
    marked = []
    parts: list[str] = []
    at = 0
    for finding in sorted(findings, key=lambda one: one.found.start):
        if fixable(finding) and finding.moved_to is not None:
            parts += text[at : finding.found.start], successor(finding)
            at = finding.found.end
            marked.append(attrs.evolve(finding, fixed=True))
        else:
            marked.append(finding)
    return "".join([*parts, text[at:]]), marked


def successor(finding: Finding) -> str:
    """Return the citation of the new place, in the form of the old."""
    if finding.moved_to is None:
        return finding.found.raw
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
