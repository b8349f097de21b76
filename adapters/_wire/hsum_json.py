"""hsum's values as JSON: snake_case, citations as their URI."""

from __future__ import annotations

from typing import Any

from adapters._wire.encode import Encoder, base64_text, snake
from hsum import CheckReport, Citation, DoctorReport, Evidence, Hits, IngestReport

__all__ = ["encode"]


def _evidence(evidence: Evidence, encode: Encoder) -> dict[str, Any]:
    data = encode.fields(evidence, without={"content"})
    if evidence.text.encode("utf-8", "surrogateescape") != evidence.content:
        data["bytes_base64"] = base64_text(evidence.content)
    return data


def _hits(hits: Hits, encode: Encoder) -> dict[str, Any]:
    return {**encode.fields(hits), "untrusted_content": True}


def _report(report: IngestReport, encode: Encoder) -> dict[str, Any]:
    return {**encode.fields(report), "partial": report.partial}


def _doctor(report: DoctorReport, encode: Encoder) -> dict[str, Any]:
    return {**encode.fields(report), "healthy": report.healthy}


def _check(report: CheckReport, encode: Encoder) -> dict[str, Any]:
    return {**encode.fields(report), "ok": report.ok, "counts": dict(report.counts)}


encode = Encoder(
    snake,
    {
        CheckReport: _check,
        Citation: lambda citation, _: str(citation),
        DoctorReport: _doctor,
        Evidence: _evidence,
        Hits: _hits,
        IngestReport: _report,
    },
)
