"""The values that go into hythe and come out of it.

All are frozen; converters turn lists into tuples; a repr is one line that tells the
state.
"""

from __future__ import annotations

from hythe.model.answers import Page, WriteWarning
from hythe.model.checkpoints import (
    Changes,
    Checkpoint,
    Divergent,
    Head,
    History,
    Operation,
    Outcome,
    Owed,
    Plan,
    Reconciliation,
    ScopeName,
    Settled,
)
from hythe.model.memory import CURRENT, Current, Entity, Observation, Relation
from hythe.model.work import (
    Decision,
    Event,
    Fact,
    FactStatus,
    Kind,
    Loop,
    LoopStatus,
    Provenance,
    Resolution,
    State,
)

__all__ = [
    "CURRENT",
    "Changes",
    "Checkpoint",
    "Current",
    "Decision",
    "Divergent",
    "Entity",
    "Event",
    "Fact",
    "FactStatus",
    "Head",
    "History",
    "Kind",
    "Loop",
    "LoopStatus",
    "Observation",
    "Operation",
    "Outcome",
    "Owed",
    "Page",
    "Plan",
    "Provenance",
    "Reconciliation",
    "Relation",
    "Resolution",
    "ScopeName",
    "Settled",
    "State",
    "WriteWarning",
]
