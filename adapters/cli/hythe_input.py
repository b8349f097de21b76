"""Options of hythe that make a state, a patch or changes from words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from adapters._wire.meanings import HYTHE as MEANINGS
from adapters._wire.structure import pythonic
from adapters._wire.verbs import Verb
from adapters.cli.sources import JsonValue, Reference, read_text
from hsum import Fault

__all__ = ["OWN", "arguments"]

_STATE_TEXTS = {
    "objective": "What is to be reached.",
    "status": "How it stands.",
    "owner": "Who answers for it.",
}
_STATE_LISTS = {
    "next_actions": ("--next-action", "What to do next; may be repeated."),
    "blockers": ("--blocker", "What is in the way; may be repeated."),
    "guardrails": ("--guardrail", "What must not be done; may be repeated."),
}
_REFERENCES = ("parent", "pointer", "survivor")
_REFERENCE_LISTS = ("heads", "reject_lineages")


def _state_options() -> dict[str, click.Option]:
    texts = {
        name: click.Option([f"--{name}"], help=meaning)
        for name, meaning in _STATE_TEXTS.items()
    }
    lists = {
        name: click.Option([spelling, name], multiple=True, help=meaning)
        for name, (spelling, meaning) in _STATE_LISTS.items()
    }
    return {**texts, **lists}


def _whole_state() -> dict[str, click.Option]:
    return {
        "state": click.Option(
            ["--state"],
            type=JsonValue(),
            help=MEANINGS["state"] + " As JSON, @FILE, or - for stdin.",
        ),
        "state_file": click.Option(
            ["--state-file"], help="A file with the full state as JSON; - is stdin."
        ),
        **_state_options(),
    }


def _evidence() -> dict[str, click.Option]:
    return {
        "evidence": click.Option(
            ["--evidence"], multiple=True, type=Reference(), help=MEANINGS["evidence"]
        )
    }


def _changes() -> dict[str, click.Option]:
    return {
        **_evidence(),
        "fact": click.Option(
            ["--fact"],
            nargs=3,
            multiple=True,
            metavar="SUBJECT PREDICATE OBJECT",
            help="A new fact; may be repeated.",
        ),
        "loop": click.Option(
            ["--loop"],
            multiple=True,
            metavar="NEXT_ACTION",
            help="A new open loop; may be repeated.",
        ),
        "event": click.Option(
            ["--event"],
            nargs=2,
            multiple=True,
            metavar="KIND SUMMARY",
            help="Something that happened; may be repeated.",
        ),
    }


def _references(*names: str) -> dict[str, click.Option]:
    return {name: click.Option([f"--{name}"], help=MEANINGS[name]) for name in names}


def _reconciling() -> dict[str, click.Option]:
    triple: dict[str, Any] = {
        "nargs": 3,
        "multiple": True,
        "metavar": "KIND ID CHECKPOINT",
    }
    return {
        "heads": click.Option(
            ["--head", "heads"], multiple=True, help=MEANINGS["heads"]
        ),
        "reject_lineages": click.Option(
            ["--reject-lineage", "reject_lineages"],
            multiple=True,
            help=MEANINGS["reject_lineages"],
        ),
        "reason": click.Option(["--reason"], help=MEANINGS["reason"]),
        "accept": click.Option(
            ["--accept"], help="Take an owed version over.", **triple
        ),
        "reject": click.Option(
            ["--reject"], help="Keep the survivor's value instead.", **triple
        ),
        **_references("pointer", "survivor"),
    }


# What a command's words are, beside the parameters of its function.
OWN: dict[str, dict[str, click.Option]] = {
    "checkpoint": {**_whole_state(), **_changes(), **_references("parent")},
    "record": {**_changes(), **_references("parent")},
    "patch": {**_state_options(), **_changes(), **_references("parent")},
    "reconcile": {**_whole_state(), **_changes(), **_reconciling()},
    "observe": {
        **_evidence(),
        "replaces": click.Option(
            ["--replaces"],
            type=click.Choice(["current"]),
            help="Supersede the current observation.",
        ),
    },
    "relate": _evidence(),
    "send": _evidence(),
    "handoff": _evidence(),
}


def arguments(verb: Verb, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the library function that the options stand for."""
    left = dict(options)
    found: dict[str, Any] = {}
    if "state" in verb.parameters():
        found["state"] = _state(left)
    if "merge_patch" in verb.parameters():
        found["merge_patch"] = _patch(left)
    if "facts" in verb.parameters():
        found |= _added(left)
    if "resolutions" in verb.parameters():
        found |= _resolutions(left)
        found.setdefault("pointer", None)
        found["heads"] = left.pop("heads", ())
    if "parent" in verb.parameters():
        found["parent"] = left.pop("parent", None)
    if left.pop("replaces", None):
        from hythe import CURRENT

        found["replaces"] = CURRENT
    found |= left
    _check_whole(verb, found)
    return {name: _value(name, value) for name, value in found.items()}


def _check_whole(verb: Verb, found: Mapping[str, Any]) -> None:
    """Refuse a call without what it needs; options of words cannot be required.

    Raises:
        Fault: `INVALID_ARGUMENT`; its details name what is missing.
    """
    missing = [
        name
        for name, item in verb.parameters().items()
        if item.required and name not in found
    ]
    if missing:
        spelled = " and ".join(f"--{name.replace('_', '-')}" for name in missing)
        raise Fault(
            "INVALID_ARGUMENT",
            f"{spelled} is missing" if len(missing) == 1 else f"{spelled} are missing",
            hint=f"See `hythe {verb.command} --help`.",
            details={"missing": missing},
        )


def _value(name: str, value: Any) -> Any:
    if name in _REFERENCES:
        return _reference(value)
    if name in _REFERENCE_LISTS:
        return [_reference(item) for item in value]
    if name == "since":
        return _reference(value)
    if name == "evidence":
        return _joined(value)
    return read_text(value) if name == "text" and value == "-" else value


def _joined(values: Iterable[Any]) -> list[Any]:
    """Return what was given one by one and in lists as one list."""
    lists = (value if isinstance(value, list) else [value] for value in values)
    return [item for items in lists for item in items]


def _reference(value: str | None) -> str | int | None:
    """Take a short number for a revision; ids and hashes have letters or are long."""
    if value is not None and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    return value


def _state(left: dict[str, Any]) -> dict[str, Any]:
    given = left.pop("state", None)
    file = left.pop("state_file", None)
    if file is not None:
        source = file if file == "-" else f"@{file}"
        given = JsonValue().convert(source, None, None)
    state = pythonic(given, "$.state") if given is not None else {}
    words = _state_words(left)
    return {**state, **words} if isinstance(state, dict) else state


def _state_words(left: dict[str, Any]) -> dict[str, Any]:
    names = (*_STATE_TEXTS, *_STATE_LISTS)
    found = {name: left.pop(name) for name in names if name in left}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
    }


def _patch(left: dict[str, Any]) -> Any:
    patch = pythonic(left.pop("merge_patch", {}), "$.mergePatch")
    words = _state_words(left)
    return {**patch, **words} if isinstance(patch, dict) else patch


def _added(left: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: pythonic(left.pop(name), f"$.{name}")
        for name in ("facts", "loops", "events")
        if name in left
    }
    words = {
        "facts": [
            {"subject": subject, "predicate": predicate, "object": object_}
            for subject, predicate, object_ in left.pop("fact", ())
        ],
        "loops": [{"next_action": action} for action in left.pop("loop", ())],
        "events": [
            {"kind": kind, "summary": summary}
            for kind, summary in left.pop("event", ())
        ],
    }
    for name, items in words.items():
        if items:
            found[name] = [*found.get(name, []), *items]
    return found


def _resolutions(left: dict[str, Any]) -> dict[str, Any]:
    listed = pythonic(left.pop("resolutions", []), "$.resolutions")
    for decision in ("accept", "reject"):
        for kind, name, checkpoint in left.pop(decision, ()):
            listed.append(
                {
                    "kind": kind,
                    "id": name,
                    "checkpoint": _reference(checkpoint),
                    "decision": decision,
                }
            )
    return {"resolutions": listed} if listed else {}
