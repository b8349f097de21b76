"""What a write asks for: input as it comes, checked before anything else.

Values may be given as attrs values or as mappings; what refers to a checkpoint stays
a reference until the scope is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, final, get_args

import attrs

from hsum._kernel.canonical import canonical
from hsum._kernel.faults import Fault
from hythe.checkpoint.content import (
    Data,
    Faults,
    event_data,
    fact_data,
    loop_data,
    paths,
    state_data,
)
from hythe.checkpoint.structure import structured
from hythe.model import (
    Checkpoint,
    Decision,
    Event,
    Fact,
    Head,
    Kind,
    Loop,
    Operation,
    Resolution,
    State,
)
from hythe.model._convert import references
from hythe.observe.checks import bounded

__all__ = [
    "Asked",
    "Reconcile",
    "Reference",
    "Request",
    "as_reference",
    "patch_request",
    "reconcile_request",
    "record_request",
    "write_request",
]

Reference = str | int
"""An id, a content hash, or a revision."""

MAX_CHANGES = 10_000
_KEY_LIMIT = 200
_KINDS = frozenset(get_args(Kind))
_DECISIONS = frozenset(get_args(Decision))

V = TypeVar("V")


@final
@attrs.frozen
class Asked:
    """One resolution of a request; `checkpoint` None is a legacy value."""

    kind: Kind
    id: str
    checkpoint: Reference | None
    decision: Decision


@final
@attrs.frozen
class Reconcile:
    """What only a reconcile names."""

    heads: tuple[Reference, ...]
    pointer: Reference | None
    reason: str
    resolutions: tuple[Asked, ...] = ()
    reject_lineages: tuple[Reference, ...] = ()


@final
@attrs.frozen
class Request:
    """One checked write; `parent` of a reconcile is its survivor."""

    operation: Operation
    parent: Reference | None
    state: Data | None = None
    patch: Any = None
    facts: tuple[Data, ...] = ()
    loops: tuple[Data, ...] = ()
    events: tuple[Data, ...] = ()
    evidence: tuple[str, ...] = ()
    reconcile: Reconcile | None = None
    acknowledge_retired: bool = False
    key: str | None = None


def write_request(
    state: State | Mapping[str, Any], *, parent: Any, **changes: Any
) -> Request:
    """Check a write of a full state."""
    faults = Faults()
    data = _state(state, faults)
    return _request("write", parent, faults, changes, state=data)


def record_request(parent: Any, **changes: Any) -> Request:
    """Check a record of changes on the parent's state."""
    return _request("record", parent, Faults(), changes)


def patch_request(parent: Any, merge_patch: Any, **changes: Any) -> Request:
    """Check a merge patch on the parent's state."""
    size = len(canonical(merge_patch))
    faults = Faults()
    faults.size += size
    return _request("patch", parent, faults, changes, patch=merge_patch)


def reconcile_request(
    *,
    heads: Any,
    pointer: Any,
    survivor: Any,
    state: State | Mapping[str, Any],
    reason: Any,
    resolutions: Any = (),
    reject_lineages: Any = (),
    **changes: Any,
) -> Request:
    """Check a reconcile."""
    faults = Faults()
    data = _state(state, faults)
    named = Reconcile(
        _references(heads, "$.heads", faults),
        _reference(pointer, "$.pointer", faults),
        faults.filled(reason, "$.reason"),
        _resolutions(resolutions, faults),
        _references(reject_lineages, "$.reject_lineages", faults),
    )
    if survivor is None:
        faults.add("$.survivor", "must name one of the heads")
    return _request("reconcile", survivor, faults, changes, state=data, reconcile=named)


def _state(state: Any, faults: Faults) -> Data | None:
    whole = structured(State, state, "$.state", faults)
    return state_data(whole, faults, "$.state") if whole is not None else None


def _request(
    operation: Operation,
    parent: Any,
    faults: Faults,
    changes: Mapping[str, Any],
    **content: Any,
) -> Request:
    name = "$.survivor" if operation == "reconcile" else "$.parent"
    request = Request(
        operation,
        _reference(parent, name, faults),
        facts=_items(Fact, "facts", fact_data, changes, faults),
        loops=_items(Loop, "loops", loop_data, changes, faults),
        events=_items(Event, "events", event_data, changes, faults),
        evidence=_evidence(changes.get("evidence", ()), faults),
        acknowledge_retired=_flag(changes, faults),
        key=_key(changes.get("key"), faults),
        **content,
    )
    faults.refuse()
    _check_count(request)
    _check_distinct("fact", request.facts)
    _check_distinct("loop", request.loops)
    return request


def _items(
    kind: type[V],
    name: str,
    data: Callable[[V, Faults, str], Data],
    changes: Mapping[str, Any],
    faults: Faults,
) -> tuple[Data, ...]:
    found = []
    for path, item in paths(name, _listed(changes.get(name, ()), f"$.{name}", faults)):
        value = structured(kind, item, path, faults)
        if value is not None:
            found.append(data(value, faults, path))
    return tuple(found)


def _listed(value: Any, path: str, faults: Faults) -> tuple[Any, ...]:
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        faults.add(path, f"must be a list, not {type(value).__name__}")
        return ()
    return bounded(value, path)


def _evidence(value: Any, faults: Faults) -> tuple[str, ...]:
    return tuple(faults.texts(references(value), "$.evidence"))


def _flag(changes: Mapping[str, Any], faults: Faults) -> bool:
    flag = changes.get("acknowledge_retired", False)
    if not isinstance(flag, bool):
        faults.add("$.acknowledge_retired", "must be true or false")
    return bool(flag)


def _key(key: Any, faults: Faults) -> str | None:
    if key is None or not isinstance(faults.filled(key, "$.key"), str):
        return None
    if len(key) > _KEY_LIMIT:
        faults.add("$.key", f"has {len(key):,} characters; at most {_KEY_LIMIT}")
    return str(key)


def _check_count(request: Request) -> None:
    count = len(request.facts) + len(request.loops) + len(request.events)
    if count > MAX_CHANGES:
        raise Fault(
            "TOO_LARGE",
            f"the call has {count:,} changes; at most {MAX_CHANGES:,} are taken",
            details={"changes": count, "limit": MAX_CHANGES},
        )


def _check_distinct(kind: str, items: tuple[Data, ...]) -> None:
    seen: set[str] = set()
    for item in items:
        if item["id"] in seen:
            raise Fault(
                "DUPLICATE_ID",
                f"the call changes the {kind} {item['id']} twice",
                details={"kind": kind, "id": item["id"]},
            )
        if item["id"] is not None:
            seen.add(item["id"])


# --- references -------------------------------------------------------------------


def as_reference(value: Any, path: str) -> Reference | None:
    """Return what names a checkpoint, as id, hash or revision.

    Raises:
        Fault: `INVALID_ARGUMENT`, `TEXT_INVALID`.
    """
    faults = Faults()
    found = _reference(value, path, faults)
    faults.refuse()
    return found


def _reference(value: Any, path: str, faults: Faults) -> Reference | None:
    if isinstance(value, (Checkpoint, Head)):
        return value.id
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if not isinstance(value, str):
        name = type(value).__name__
        faults.add(path, f"must be a checkpoint, id, revision or hash, not {name}")
        return None
    return str(faults.text(value, path))


def _references(value: Any, path: str, faults: Faults) -> tuple[Reference, ...]:
    found = []
    for index, item in enumerate(_listed(value, path, faults)):
        reference = _reference(item, f"{path}[{index}]", faults)
        if reference is None:
            faults.add(f"{path}[{index}]", "must name a checkpoint, not null")
        else:
            found.append(reference)
    return tuple(found)


def _resolutions(value: Any, faults: Faults) -> tuple[Asked, ...]:
    found = []
    listed = _listed(value, "$.resolutions", faults)
    for path, item in paths("resolutions", listed):
        resolution = structured(Resolution, item, path, faults)
        if resolution is not None:
            found.append(_asked(resolution, path, faults))
    return tuple(found)


def _asked(resolution: Resolution, path: str, faults: Faults) -> Asked:
    reference = _reference(resolution.checkpoint, f"{path}.checkpoint", faults)
    if resolution.checkpoint is None and resolution.decision == "accept":
        faults.add(f"{path}.decision", "must be reject for a legacy value: restate it")
    return Asked(
        faults.choice(resolution.kind, _KINDS, f"{path}.kind"),
        faults.filled(resolution.id, f"{path}.id"),
        reference,
        faults.choice(resolution.decision, _DECISIONS, f"{path}.decision"),
    )
