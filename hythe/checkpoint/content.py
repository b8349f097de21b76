"""Values as the plain JSON data that is stored, and back.

Checks collect every fault with its path, so that all can be mended in one round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, final, get_args

from hsum._kernel.clock import micros, rfc3339
from hsum._kernel.faults import Fault
from hsum._kernel.text import MAX_TEXT_BYTES, check_text, shown
from hythe.model import (
    Event,
    Fact,
    FactStatus,
    Kind,
    Loop,
    LoopStatus,
    Provenance,
    State,
)
from hythe.model._convert import LONGEST
from hythe.observe.checks import bounded

__all__ = [
    "STATE_FIELDS",
    "Data",
    "Faults",
    "event_data",
    "event_of",
    "fact_data",
    "loop_data",
    "state_data",
    "state_of",
    "value_of",
]

Data = dict[str, Any]

STATE_TEXTS = ("objective", "status", "owner")
STATE_LISTS = ("next_actions", "blockers", "guardrails")
STATE_FIELDS = STATE_TEXTS + STATE_LISTS
MAX_CALL_BYTES = 64 * 1024 * 1024
_FACT_STATUS = frozenset(get_args(FactStatus))
_LOOP_STATUS = frozenset(get_args(LoopStatus))
_MAX_SHOWN = 20


@final
class Faults:
    """The faults of one call, gathered while its values are read."""

    def __init__(self, code: str = "INVALID_ARGUMENT") -> None:
        self.code = code
        self.found: list[dict[str, str]] = []
        self.size = 0

    def add(self, path: str, message: str) -> None:
        """Note that what stands at `path` is wrong."""
        self.found.append({"path": path, "message": message})

    def text(self, value: Any, path: str) -> Any:
        """Check one text.

        Raises:
            Fault: `TEXT_INVALID`, `TOO_LARGE`; these are not gathered.
        """
        if _is_plain(value):
            self.size += len(value)
        elif isinstance(value, str):
            self.size += len(check_text(value, path).encode())
        else:
            self.add(path, f"must be text, not {_name(value)}")
        return value

    def optional(self, value: Any, path: str) -> Any:
        """Check one text that may be None."""
        return value if value is None else self.text(value, path)

    def filled(self, value: Any, path: str) -> Any:
        """Check one text that may not be empty."""
        if value == "":
            self.add(path, "must not be empty")
        return self.text(value, path)

    def texts(self, value: Any, path: str) -> list[Any]:
        """Check a list of texts."""
        if not isinstance(value, (list, tuple)):
            self.add(path, f"must be a list of text, not {_name(value)}")
            return []
        if len(value) > LONGEST:
            bounded(value, path)
        if (size := _plain_size(value)) is not None:
            self.size += size
            return list(value)
        return [self.text(item, f"{path}[{i}]") for i, item in enumerate(value)]

    def choice(self, value: Any, allowed: frozenset[str], path: str) -> Any:
        """Check one of a few words."""
        if not isinstance(value, str) or value not in allowed:
            words = ", ".join(sorted(allowed))
            self.add(path, f"must be one of {words}, not {shown(value)}")
        return value

    def moment(self, value: Any, path: str) -> str | None:
        """Check an aware time that may be None; return it as RFC 3339 text."""
        if value is None:
            return None
        try:
            return rfc3339(micros(value, path))
        except Fault as fault:
            self.add(path, fault.message.removeprefix(f"{path} "))
            return None

    def refuse(self) -> None:
        """Raise what was gathered, if anything.

        Raises:
            Fault: the code of this gathering, or `TOO_LARGE` for the whole call.
        """
        if self.found:
            raise _refusal(self.code, self.found)
        if self.size > MAX_CALL_BYTES:
            raise Fault(
                "TOO_LARGE",
                f"the call has {self.size:,} bytes; at most {MAX_CALL_BYTES:,} are taken",
                details={"bytes": self.size, "limit": MAX_CALL_BYTES},
            )


def _is_plain(value: Any) -> bool:
    """Tell whether a text needs no further look: most are ASCII, and short."""
    return type(value) is str and value.isascii() and len(value) <= MAX_TEXT_BYTES


def _plain_size(values: list[Any] | tuple[Any, ...]) -> int | None:
    """Return how long plain texts are together; None where one needs a look."""
    try:
        said = "".join(values)
    except TypeError:
        return None
    return len(said) if said.isascii() and len(said) <= MAX_TEXT_BYTES else None


def _refusal(code: str, found: list[dict[str, str]]) -> Fault:
    lines = [f"{item['path']} {item['message']}" for item in found[:_MAX_SHOWN]]
    if len(found) > _MAX_SHOWN:
        lines.append(f"and {len(found) - _MAX_SHOWN} more")
    return Fault(
        code,
        "; ".join(lines),
        details={"path": found[0]["path"], "faults": found[:_MAX_SHOWN]},
    )


def _name(value: Any) -> str:
    return "null" if value is None else type(value).__name__


# --- state ------------------------------------------------------------------------


def state_data(state: State | Mapping[str, Any], faults: Faults, path: str) -> Data:
    """Check a whole state and return it as data."""
    get = _getter(state)
    data = {name: faults.text(get(name), f"{path}.{name}") for name in STATE_TEXTS}
    for name in STATE_LISTS:
        data[name] = faults.texts(get(name), f"{path}.{name}")
    return data


def _getter(state: State | Mapping[str, Any]) -> Any:
    if isinstance(state, State):
        return lambda name: getattr(state, name)
    return state.get


def patched_state(data: Any) -> Data:
    """Check what a merge patch made of a state.

    Raises:
        Fault: `PATCH_INVALID` with each path.
    """
    faults = Faults("PATCH_INVALID")
    if not isinstance(data, Mapping):
        faults.add("$", f"must be an object, not {_name(data)}")
        faults.refuse()
    for name in data:
        if name not in STATE_FIELDS:
            faults.add(f"$.{name}", "is no field of a state")
    for name in STATE_FIELDS:
        if name not in data:
            faults.add(f"$.{name}", "is missing: a state is always whole")
    whole = {name: data[name] for name in STATE_FIELDS if name in data}
    if not faults.found:
        whole = state_data(whole, faults, "$")
    faults.refuse()
    return whole


def state_of(data: Mapping[str, Any]) -> State:
    """Return the state that stored data says."""
    return State(**data)


# --- changes ----------------------------------------------------------------------


def fact_data(fact: Fact, faults: Faults, path: str) -> Data:
    """Check a fact change and return it as data; the id of a new one is None."""
    return {
        "id": _id(fact.id, faults, path),
        "subject": faults.filled(fact.subject, f"{path}.subject"),
        "predicate": faults.filled(fact.predicate, f"{path}.predicate"),
        "object": faults.text(fact.object, f"{path}.object"),
        "status": faults.choice(fact.status, _FACT_STATUS, f"{path}.status"),
        "evidence": faults.texts(fact.evidence, f"{path}.evidence"),
        "sources": faults.texts(fact.sources, f"{path}.sources"),
        "effective_at": faults.moment(fact.effective_at, f"{path}.effective_at"),
        "contradicts": faults.texts(fact.contradicts, f"{path}.contradicts"),
    }


def loop_data(loop: Loop, faults: Faults, path: str) -> Data:
    """Check a loop change and return it as data; the id of a new one is None."""
    if loop.status == "closed" and not loop.outcome:
        faults.add(f"{path}.outcome", "is required to close a loop")
    return {
        "id": _id(loop.id, faults, path),
        "next_action": faults.filled(loop.next_action, f"{path}.next_action"),
        "status": faults.choice(loop.status, _LOOP_STATUS, f"{path}.status"),
        "owner": faults.optional(loop.owner, f"{path}.owner"),
        "due_at": faults.moment(loop.due_at, f"{path}.due_at"),
        "blocked_on": faults.optional(loop.blocked_on, f"{path}.blocked_on"),
        "outcome": faults.optional(loop.outcome, f"{path}.outcome"),
    }


def _id(value: Any, faults: Faults, path: str) -> Any:
    return value if value is None else faults.filled(value, f"{path}.id")


def event_data(event: Event, faults: Faults, path: str) -> Data:
    """Check an event and return it as data."""
    return {
        "kind": faults.filled(event.kind, f"{path}.kind"),
        "summary": faults.text(event.summary, f"{path}.summary"),
        "at": faults.moment(event.at, f"{path}.at"),
    }


def value_of(
    kind: Kind | str, data: Mapping[str, Any], provenance: Provenance | None = None
) -> Fact | Loop:
    """Return the fact or loop that stored data says."""
    fields = dict(data)
    fields.pop("accepted_from", None)
    make: Any = Fact if kind == "fact" else Loop
    found: Fact | Loop = make(**fields, provenance=provenance)
    return found


def event_of(data: Mapping[str, Any]) -> Event:
    """Return the event that stored data says."""
    return Event(data["kind"], data["summary"], at=data["at"])


def paths(name: str, items: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    """Give each item with its path."""
    return ((f"$.{name}[{index}]", item) for index, item in enumerate(items))
