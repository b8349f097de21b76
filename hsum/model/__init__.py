"""The values that hsum hands out: frozen, with a one-line repr that tells the state."""

from __future__ import annotations

from hsum.model.citation import Citation
from hsum.model.evidence import (
    Evidence,
    Hit,
    Hits,
    Place,
    Ranks,
    Searched,
    SourceState,
    SpanState,
    StopReason,
)
from hsum.model.ingest import (
    Change,
    Generation,
    IngestReport,
    Options,
    Progress,
    Skip,
)
from hsum.model.state import (
    Context,
    DoctorReport,
    Document,
    Problem,
    Project,
    Selection,
    Status,
)

__all__ = [
    "Change",
    "Citation",
    "Context",
    "DoctorReport",
    "Document",
    "Evidence",
    "Generation",
    "Hit",
    "Hits",
    "IngestReport",
    "Options",
    "Place",
    "Problem",
    "Progress",
    "Project",
    "Ranks",
    "Searched",
    "Selection",
    "Skip",
    "SourceState",
    "SpanState",
    "Status",
    "StopReason",
]
