"""What callers want to record about entities: checked, before anything is read."""

from __future__ import annotations

from typing import Any, final

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.text import check_text
from hythe.model import CURRENT
from hythe.observe import checks

__all__ = ["NewObservation", "NewRelation", "new_observation", "new_relation"]


@final
@attrs.frozen
class NewObservation:
    """An observation as it is asked for, checked."""

    entity: str
    text: str
    supersedes: tuple[str, ...] = ()
    replaces_current: bool = False
    kind: str | None = None
    evidence: tuple[str, ...] = ()
    metadata: bytes = b"{}"
    key: str | None = None

    def request(self, entity: str | None) -> dict[str, Any]:
        """Return what the idempotency key binds; `supersedes` is a set in it."""
        return {
            "entity": entity,
            "text": self.text,
            "supersedes": sorted(self.supersedes),
            "replaces": self.replaces_current,
            "kind": self.kind,
            "evidence": self.evidence,
            "metadata": self.metadata.decode(),
        }


def new_observation(
    entity: Any,
    text: Any,
    *,
    supersedes: Any = (),
    replaces: Any = None,
    kind: Any = None,
    evidence: Any = (),
    metadata: Any = None,
    key: Any = None,
) -> NewObservation:
    """Check what a caller wants to record."""
    if replaces not in (None, CURRENT, CURRENT.value):
        raise Fault(
            "INVALID_ARGUMENT",
            "$.replaces is CURRENT or nothing",
            hint="Name observations to correct in supersedes.",
            details={"path": "$.replaces"},
        )
    new = NewObservation(
        checks.check_name(getattr(entity, "name", entity), "$.entity"),
        check_text(text, "$.text"),
        checks.check_ids(supersedes, "$.supersedes"),
        replaces is not None,
        checks.check_label(kind, "$.kind"),
        checks.check_references(evidence, "$.evidence"),
        checks.check_metadata(metadata),
        checks.check_key(key),
    )
    checks.check_call(new.text, new.metadata.decode(), *new.evidence)
    return new


@final
@attrs.frozen
class NewRelation:
    """A relation as it is asked for, checked."""

    source: str
    type: str
    target: str
    evidence: tuple[str, ...] = ()


def new_relation(
    source: Any, type_: Any, target: Any, *, evidence: Any = (), path: str = "$"
) -> NewRelation:
    """Check a relation that a caller wants to record."""
    kind = checks.check_label(type_, f"{path}.type", required=True)
    return NewRelation(
        checks.check_name(getattr(source, "name", source), f"{path}.source"),
        str(kind),
        checks.check_name(getattr(target, "name", target), f"{path}.target"),
        checks.check_references(evidence, f"{path}.evidence"),
    )
