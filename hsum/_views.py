"""Show results in a notebook: small HTML tables, every text escaped, no scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from hsum._kernel.escape import visible, visible_path

if TYPE_CHECKING:
    from hsum.model import DoctorReport, Evidence, Hit, Hits, IngestReport, Status
    from hsum.model.check import CheckReport

_MOST_TEXT = 4_000
_MOST_ROWS = 50


def hit(value: Hit) -> str:
    """Show one hit with its passage."""
    return _titled(_place(value.path, value.lines, value.symbol), _quoted(value.text))


def hits(value: Hits) -> str:
    """Show a page of hits as a table."""
    rows = (
        (
            f"{found.score:.3g}",
            _place(found.path, found.lines, found.symbol),
            _quoted(found.text),
        )
        for found in value
    )
    head = f"{len(value)} hits of generation {value.generation}, {value.stop_reason}"
    return _titled(escape(head), _table(("score", "place", "passage"), rows))


def evidence(value: Evidence) -> str:
    """Show the cited bytes as text, with their state."""
    states = ", ".join(filter(None, (value.source_state, value.span_state)))
    head = f"{_place(value.path, value.lines, None)} &mdash; {escape(states)}"
    return _titled(head, _quoted(value.text))


def ingest_report(value: IngestReport) -> str:
    """Show what an ingest did."""
    rows = [(name, f"{getattr(value, name):,}") for name in _INGESTED]
    rows += [(f"skipped: {why}", f"{count:,}") for why, count in value.skipped.items()]
    rows += [("failed", visible_path(skip.path)) for skip in value.failed]
    rows += [("warning", warning) for warning in value.warnings]
    return _titled(escape(repr(value)), _facts(rows))


_INGESTED = ("added", "changed", "renamed", "dropped", "documents", "passages", "bytes")


def status(value: Status) -> str:
    """Show the state of an index."""
    rows = [(name, _shown(getattr(value, name))) for name in _STATED]
    rows += [(f"skipped: {why}", f"{count:,}") for why, count in value.skipped.items()]
    rows += [(item.code, f"{item.message}. {item.fix}") for item in value.problems]
    return _titled(escape(repr(value)), _facts(rows))


_STATED = (
    "index_id",
    "source_root",
    "generation",
    "documents",
    "passages",
    "bytes",
    "disk_bytes",
    "last_ingest",
)


def doctor_report(value: DoctorReport) -> str:
    """Show what the doctor found."""
    rows = [(item.code, f"{item.message}. {item.fix}") for item in value.problems]
    rows += [("repaired", name) for name in value.repaired]
    return _titled(escape(repr(value)), _facts(rows))


def check(value: CheckReport) -> str:
    """Show the verdict on each citation of a text."""
    rows = [
        (item.verdict, f"{item.found.row}: {item.found.raw} {item.message}")
        for item in value
    ]
    return _titled(escape(repr(value)), _facts(rows))


# --- pieces ---------------------------------------------------------------------------


def _titled(head: str, body: str) -> str:
    return f"<div><div><b>{head}</b></div>{body}</div>"


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    return _table(("", ""), ((escape(a), escape(visible(b))) for a, b in rows))


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    listed = list(rows)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
        for row in listed[:_MOST_ROWS]
    )
    more = len(listed) - _MOST_ROWS
    rest = f"<div>and {more:,} more</div>" if more > 0 else ""
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _place(path: str, lines: tuple[int, int], symbol: str | None) -> str:
    shown = f"{visible_path(path)}:{lines[0]}-{lines[1]}"
    return escape(f"{shown} {symbol}" if symbol else shown)


def _quoted(text: str) -> str:
    cut = (
        text
        if len(text) <= _MOST_TEXT
        else text[:_MOST_TEXT] + "\N{HORIZONTAL ELLIPSIS}"
    )
    return f"<pre>{escape(visible(cut))}</pre>"


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
