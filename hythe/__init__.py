"""Recorded knowledge and project state for agents that come and go.

Observations with explicit supersession, checkpoints with a current pointer, branches
and reconciliation, `resume` under a token budget, handoffs and messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hsum._kernel.lazy import attach

if TYPE_CHECKING:
    from hythe._api import Scope as Scope
    from hythe._api import Store as Store
    from hythe._api import in_memory as in_memory
    from hythe._api import open_store
    from hythe._api import restore as restore
    from hythe._api.credentials import Credentials as Credentials
    from hythe.care.model import Backup as Backup
    from hythe.care.model import Exported as Exported
    from hythe.care.model import Imported as Imported
    from hythe.care.model import Pruned as Pruned
    from hythe.care.model import Redacted as Redacted
    from hythe.errors import Busy as Busy
    from hythe.errors import Cancelled as Cancelled
    from hythe.errors import Closed as Closed
    from hythe.errors import Conflict as Conflict
    from hythe.errors import Damaged as Damaged
    from hythe.errors import HytheError as HytheError
    from hythe.errors import InvalidInput as InvalidInput
    from hythe.errors import NotAllowed as NotAllowed
    from hythe.errors import NotFound as NotFound
    from hythe.errors import Stale as Stale
    from hythe.errors import StorageFull as StorageFull
    from hythe.errors import Taken as Taken
    from hythe.errors import Unreadable as Unreadable
    from hythe.errors import Unresolved as Unresolved
    from hythe.identity.model import SCOPES as SCOPES
    from hythe.identity.model import Agent as Agent
    from hythe.identity.model import AgentStatus as AgentStatus
    from hythe.identity.model import AuditEntry as AuditEntry
    from hythe.identity.model import Credential as Credential
    from hythe.identity.model import Issued as Issued
    from hythe.mail.model import Delivery as Delivery
    from hythe.mail.model import InboxPage as InboxPage
    from hythe.mail.model import Mark as Mark
    from hythe.mail.model import Marked as Marked
    from hythe.mail.model import Message as Message
    from hythe.mail.model import Sent as Sent
    from hythe.model import CURRENT as CURRENT
    from hythe.model import Changes as Changes
    from hythe.model import Checkpoint as Checkpoint
    from hythe.model import Current as Current
    from hythe.model import Divergent as Divergent
    from hythe.model import Entity as Entity
    from hythe.model import Event as Event
    from hythe.model import Fact as Fact
    from hythe.model import Head as Head
    from hythe.model import History as History
    from hythe.model import Loop as Loop
    from hythe.model import Observation as Observation
    from hythe.model import Owed as Owed
    from hythe.model import Page as Page
    from hythe.model import Plan as Plan
    from hythe.model import Provenance as Provenance
    from hythe.model import Reconciliation as Reconciliation
    from hythe.model import Relation as Relation
    from hythe.model import Resolution as Resolution
    from hythe.model import ScopeName as ScopeName
    from hythe.model import Settled as Settled
    from hythe.model import State as State
    from hythe.model import WriteWarning as WriteWarning
    from hythe.observe.model import EntityDetail as EntityDetail
    from hythe.observe.model import Hit as Hit
    from hythe.observe.model import Hits as Hits
    from hythe.observe.model import Near as Near
    from hythe.observe.model import Neighborhood as Neighborhood
    from hythe.observe.model import Related as Related
    from hythe.observe.model import RelatedItem as RelatedItem
    from hythe.resume.bundle import AsOf as AsOf
    from hythe.resume.bundle import Definition as Definition
    from hythe.resume.bundle import LegacyValue as LegacyValue
    from hythe.resume.bundle import RecordedDecision as RecordedDecision
    from hythe.resume.bundle import Resume as Resume
    from hythe.resume.coverage import Coverage as Coverage
    from hythe.resume.evidence import CitationState as CitationState
    from hythe.resume.evidence import Cited as Cited
    from hythe.resume.handles import Fetched as Fetched
    from hythe.resume.sections import Oversize as Oversize

    # An alias in an import is no export for type checkers.
    open = open_store  # noqa: A001 - as gzip.open

_ERRORS = (
    "Busy Cancelled Closed Conflict Damaged HytheError InvalidInput NotAllowed NotFound "
    "Stale StorageFull Taken Unreadable Unresolved"
)
_MODEL = (
    "CURRENT Changes Checkpoint Current Divergent Entity Event Fact Head History Loop "
    "Observation Owed Page Plan Provenance Reconciliation Relation Resolution ScopeName "
    "Settled State WriteWarning"
)
_PARTS = {
    "care.model": "Backup Exported Imported Pruned Redacted",
    "identity.model": "SCOPES Agent AgentStatus AuditEntry Credential Issued",
    "mail.model": "Delivery InboxPage Mark Marked Message Sent",
    "observe.model": "EntityDetail Hit Hits Near Neighborhood Related RelatedItem",
    "resume.bundle": "AsOf Definition LegacyValue RecordedDecision Resume",
    "resume.coverage": "Coverage",
    "resume.evidence": "CitationState Cited",
    "resume.handles": "Fetched",
    "resume.sections": "Oversize",
}
_TABLE = {
    "Credentials": "_api.credentials",
    "Scope": "_api",
    "Store": "_api",
    "in_memory": "_api",
    "open": "_api:open_store",
    "restore": "_api",
    **dict.fromkeys(_ERRORS.split(), "errors"),
    **dict.fromkeys(_MODEL.split(), "model"),
    **{name: module for module, names in _PARTS.items() for name in names.split()},
}

__getattr__, __dir__, __all__ = attach(__name__, _TABLE)
