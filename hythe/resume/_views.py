"""Resume as a notebook shows it: coverage bars, everything recorded escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from hsum._kernel.escape import visible

if TYPE_CHECKING:
    from hythe.resume.bundle import Resume
    from hythe.resume.coverage import Coverage

__all__ = ["resume_html"]

_ROW = (
    "<tr><td>{name}</td><td><svg width='120' height='10' role='img'>"
    "<title>{label}</title><rect width='120' height='10' fill='#ddd'/>"
    "<rect width='{width}' height='10' fill='{colour}'/></svg></td>"
    "<td>{label}</td></tr>"
)


def resume_html(resume: Resume) -> str:
    """Return a heading, a bar for each section, and the text, folded away."""
    rows = "".join(_row(name, part) for name, part in resume.coverage.items())
    heading = f"Resume of {resume.scope}, {resume.tokens:,} tokens"
    return (
        f"<div><strong>{_safe(heading)}</strong><br>{_safe(repr(resume.as_of))}"
        f"<table>{rows}</table>"
        f"<details><summary>text</summary><pre>{_safe(str(resume))}</pre></details></div>"
    )


def _row(name: str, part: Coverage) -> str:
    share = part.included / part.total if part.total else 1.0
    return _ROW.format(
        name=name,
        label=_safe(str(part)),
        width=round(120 * share),
        colour="#4a8" if part.complete else "#d90",
    )


def _safe(text: str) -> str:
    return escape(visible(text))
