"""Read the sections of a scope, newest first, a page of rows at a time.

The view tables tell what is where; every value itself comes from the verified bytes
of the checkpoint that wrote it, and must be the one that the view names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hythe.checkpoint.content import event_of, state_of, value_of
from hythe.checkpoint.heads import live_heads
from hythe.checkpoint.legacy import count_legacy, list_legacy
from hythe.checkpoint.store import load_state, value_at
from hythe.model import Divergent, Provenance
from hythe.observe.entities import load_entity
from hythe.observe.rows import damaged
from hythe.resume.bundle import Definition, LegacyValue, RecordedDecision
from hythe.resume.handles import (
    entity_handle,
    legacy_handle,
    snapshot_handle,
    value_handle,
)
from hythe.resume.sections import Entry, Section, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hythe.checkpoint.store import Row
    from hythe.resume.snapshot import Snapshot

__all__ = ["ORDINALS", "lineage_sections", "paged", "value_entry"]

Place = tuple[Any, ...]

_PAGE = 64
# A call has at most 10,000 changes of a kind, so that places fit into one number.
ORDINALS = 1 << 14


def lineage_sections(snapshot: Snapshot) -> list[Section]:
    """Return the sections that the checkpoints of a scope make."""
    standing = snapshot.standing
    return [
        _legacy_section(snapshot),
        listed("definition", 0, _definitions(snapshot)),
        _of_pointed(snapshot, "working", _working),
        Section("heads", standing.live, standing.revisions, _reader(snapshot, _heads)),
        _accepted(snapshot, "open_loops", "loop"),
        _accepted(snapshot, "current_facts", "fact"),
        _accepted(snapshot, "decisions", "decision"),
        _of_pointed(snapshot, "evidence", _evidence),
        Section(
            "divergent_values",
            standing.unresolved,
            standing.divergent_at,
            _reader(snapshot, _divergent),
        ),
    ]


def _reader(
    snapshot: Snapshot, read: Callable[[Snapshot, int | None], Iterator[Entry]]
) -> Callable[[int | None], Iterator[Entry]]:
    return lambda position: read(snapshot, position)


def paged(
    snapshot: Snapshot, statement: str, place: Sequence[Any], fixed: Sequence[Any] = ()
) -> Iterator[Sequence[Any]]:
    """Give rows of a statement page by page, each behind the last row's place.

    The statement compares a row value with as many parameters as `place` has, and
    gives these columns first.
    """
    while True:
        rows = snapshot.conn.execute(
            statement, (*snapshot.at, *fixed, *place, _PAGE)
        ).fetchall()
        yield from rows
        if len(rows) < _PAGE:
            return
        place = rows[-1][: len(place)]


# --- the scope and its pointed checkpoint -----------------------------------------


def _definitions(snapshot: Snapshot) -> list[Entry]:
    found = snapshot.conn.execute(
        "select project, task from scope where store = ? and scope = ?", snapshot.at
    ).fetchone()
    entities = [
        load_entity(snapshot.conn, snapshot.at.store, number)
        for number in found
        if number
    ]
    return [
        Entry(
            "definition",
            index,
            Definition(entity.name, entity.definition),
            entity_handle(entity.id),
        )
        for index, entity in enumerate(entities)
    ]


def _of_pointed(
    snapshot: Snapshot, name: str, make: Callable[[Snapshot, Row], list[Entry]]
) -> Section:
    row = snapshot.shown
    entries = [] if row is None else make(snapshot, row)
    mark = 0 if row is None else row.revision
    return listed(name, mark, entries, designated=snapshot.designated)


def _working(snapshot: Snapshot, row: Row) -> list[Entry]:
    state = state_of(load_state(snapshot.conn, snapshot.at.store, row.state))
    return [Entry("working", 0, state, value_handle(row.id, "state"))]


def _evidence(_: Snapshot, row: Row) -> list[Entry]:
    cited = [
        Entry("evidence", index, text, value_handle(row.id, "evidence", index))
        for index, text in enumerate(row.content["evidence"])
    ]
    whole = snapshot_handle(row.id)
    return [*cited, Entry("evidence", len(cited), whole, whole)]


# --- heads ------------------------------------------------------------------------


def _heads(snapshot: Snapshot, position: int | None) -> Iterator[Entry]:
    before = snapshot.standing.revisions + 1 if position is None else position
    while True:
        found = live_heads(snapshot.conn, snapshot.at, limit=_PAGE, before=before)
        for head in found:
            yield Entry("heads", head.revision, head, snapshot_handle(head.id))
        if len(found) < _PAGE:
            return
        before = found[-1].revision


# --- the accepted view ------------------------------------------------------------

_SHOWN = (
    "select revision, ordinal, id from accepted where store = ? and scope = ? "
    "and kind = ? and shown = 1 and (revision, ordinal) < (?, ?) "
    "order by revision desc, ordinal desc limit ?"
)
_PLURAL = {"fact": "facts", "loop": "loops", "decision": "decisions"}


def _accepted(snapshot: Snapshot, name: str, kind: str) -> Section:
    if not snapshot.designated:
        return Section(
            name, _off_lineage(snapshot, kind), 0, _nothing, designated=False
        )
    standing, plural = snapshot.standing, _PLURAL[kind]

    total = getattr(standing, plural)

    def behind(position: int | None) -> Iterator[Entry]:
        place, given = _place_of(snapshot, position), 0
        for revision, ordinal, found in paged(snapshot, _SHOWN, place, (kind,)):
            yield value_entry(snapshot, name, kind, found, (revision, ordinal))
            given += 1
        # An index that is damaged leaves rows out, and says nothing.
        if position is None and given != total:
            raise damaged(f"the view of the {plural}", f"of scope {snapshot.at.scope}")

    return Section(name, total, getattr(standing, f"{plural}_at"), behind)


def _place_of(snapshot: Snapshot, position: int | None) -> tuple[int, int]:
    if position is None:
        return snapshot.standing.revisions + 1, 0
    return divmod(position, ORDINALS)


def _nothing(_: int | None) -> Iterator[Entry]:
    return iter(())


def _off_lineage(snapshot: Snapshot, kind: str) -> int:
    """Count the values of a kind that no pointer has accepted."""
    (count,) = snapshot.conn.execute(
        "select count(distinct id) from version where store = ? and scope = ? "
        "and kind = ? and shown = 1",
        (*snapshot.at, kind),
    ).fetchone()
    return int(count)


def value_entry(
    snapshot: Snapshot, name: str, kind: str, wanted: str, place: tuple[int, int]
) -> Entry:
    """Return the entry of a version, from the bytes of its checkpoint.

    Raises:
        Fault: `INTEGRITY_FAILED` where these say something else than the view.
    """
    revision, ordinal = place
    row = snapshot.row(revision)
    value: Any = _value(row, kind, ordinal)
    said = f"{revision}.{ordinal}" if kind == "decision" else getattr(value, "id", None)
    if said != wanted:
        raise damaged(f"the view of the {kind}", wanted)
    part: Any = "event" if kind == "decision" else kind
    handle = value_handle(row.id, part, ordinal)
    return Entry(name, revision * ORDINALS + ordinal, value, handle)


def _value(row: Row, kind: str, ordinal: int) -> Any:
    if kind != "decision":
        found = row.of_kind(kind)
        return value_at(row, kind, ordinal) if ordinal < len(found) else None
    events = row.content["events"]
    if ordinal >= len(events) or events[ordinal]["kind"] != kind:
        raise damaged("the view of the decision", f"{row.revision}.{ordinal}")
    event = event_of(events[ordinal])
    provenance = Provenance(row.id, row.revision, row.author, ordinal)
    return RecordedDecision(event.summary, event.at, provenance)


# --- legacy values ---------------------------------------------------------------


def _legacy_section(snapshot: Snapshot) -> Section:
    total = count_legacy(snapshot.conn, snapshot.at)
    return Section("legacy_values", total, total, _reader(snapshot, _legacy))


def _legacy(snapshot: Snapshot, position: int | None) -> Iterator[Entry]:
    after = -1 if position is None else position
    while True:
        found = list_legacy(snapshot.conn, snapshot.at, limit=_PAGE, after=after)
        for row in found:
            value = LegacyValue(row.kind, row.id, value_of(row.kind, row.value))
            handle = legacy_handle(str(snapshot.at.scope), row.ordinal)
            yield Entry("legacy_values", row.ordinal, value, handle)
        if len(found) < _PAGE:
            return
        after = found[-1].ordinal


# --- divergent values -------------------------------------------------------------

_UNRESOLVED = (
    "select v.revision, v.kind, v.ordinal, v.id, max(l.tip) from tip_value v "
    "join line l on l.store = v.store and l.scope = v.scope and l.line = v.line "
    "where v.store = ? and v.scope = ? and v.settled = 0 "
    "and (v.revision, v.kind, v.ordinal) < (?, ?, ?) "
    "group by v.revision, v.kind, v.ordinal, v.id "
    "order by v.revision desc, v.kind desc, v.ordinal desc limit ?"
)
_KINDS = ("fact", "loop")


def _divergent(snapshot: Snapshot, position: int | None) -> Iterator[Entry]:
    place = _divergent_place(snapshot, position)
    for revision, kind, ordinal, found, tip in paged(snapshot, _UNRESOLVED, place):
        entry = value_entry(
            snapshot, "divergent_values", kind, found, (revision, ordinal)
        )
        row, head = snapshot.row(revision), snapshot.row(tip)
        value = Divergent(
            kind, found, entry.value, row.id, revision, row.author, head.id
        )
        at = (revision * len(_KINDS) + _KINDS.index(kind)) * ORDINALS + ordinal
        yield Entry(entry.section, at, value, entry.handle)


def _divergent_place(snapshot: Snapshot, position: int | None) -> Place:
    if position is None:
        return snapshot.standing.revisions + 1, "", 0
    rest, ordinal = divmod(position, ORDINALS)
    revision, kind = divmod(rest, len(_KINDS))
    return revision, _KINDS[kind], ordinal
