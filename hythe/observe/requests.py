"""What callers want to record about entities: checked, before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import attrs

from hsum._kernel.faults import Fault
from hsum._kernel.text import check_text, nfc
from hythe.model import CURRENT
from hythe.observe import checks

__all__ = [
    "NewObservation",
    "NewRelation",
    "new_observation",
    "new_observations",
    "new_relation",
    "new_relations",
]

_MOST = 10_000
_OBSERVATION = frozenset(
    {"entity", "text", "supersedes", "kind", "evidence", "metadata", "key"}
)
# The ends of an edge in JSON, where `from` is no reserved word.
_ENDS = {"from": "source", "to": "target"}
_RELATION = frozenset({"source", "type", "target", "evidence"})


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
    path: str = "$",
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
        checks.check_name(getattr(entity, "name", entity), f"{path}.entity"),
        check_text(text, f"{path}.text"),
        checks.check_ids(supersedes, f"{path}.supersedes"),
        replaces is not None,
        checks.check_label(kind, f"{path}.kind"),
        checks.check_references(evidence, f"{path}.evidence"),
        checks.check_metadata(metadata, f"{path}.metadata"),
        checks.check_key(key, f"{path}.key"),
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

    def request(self) -> dict[str, Any]:
        """Return what an idempotency key binds."""
        return {
            "source": nfc(self.source),
            "type": self.type,
            "target": nfc(self.target),
            "evidence": self.evidence,
        }


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


def new_observations(items: Any, *, replaces: Any = None) -> list[NewObservation]:
    """Check many observations, each a mapping with the arguments of one."""
    news = [
        new_observation(**fields, replaces=replaces, path=path)
        for path, fields in _mappings(
            items, "$.observations", ("entity", "text"), _OBSERVATION
        )
    ]
    checks.check_call(*(part for new in news for part in (new.text, *new.evidence)))
    return news


def new_relations(items: Any) -> list[NewRelation]:
    """Check many relations, each a mapping of `from`, `type`, `to` and `evidence`."""
    return [
        new_relation(
            fields["source"],
            fields["type"],
            fields["target"],
            evidence=fields.get("evidence", ()),
            path=path,
        )
        for path, fields in _mappings(
            items, "$.relations", ("source", "type", "target"), _RELATION
        )
    ]


def _mappings(
    items: Any, path: str, required: tuple[str, ...], known: frozenset[str]
) -> list[tuple[str, dict[str, Any]]]:
    """Return path and fields of each item; refuse unknown and missing ones."""
    found = []
    for index, item in enumerate(checks.check_list(items, path, most=_MOST)):
        at = f"{path}[{index}]"
        if not isinstance(item, Mapping):
            raise _refused(at, "must be a mapping")
        fields = {_ENDS.get(str(key), str(key)): value for key, value in item.items()}
        if unknown := sorted(set(fields) - known):
            raise _refused(at, f"has unknown fields: {', '.join(unknown)}")
        if missing := [name for name in required if fields.get(name) is None]:
            raise _refused(at, f"lacks {', '.join(missing)}")
        found.append((at, fields))
    return found


def _refused(path: str, why: str) -> Fault:
    return Fault("INVALID_ARGUMENT", f"{path} {why}", details={"path": path})
