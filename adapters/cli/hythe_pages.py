"""hythe's answers as pages for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from adapters._wire.verbs import Verb
from adapters.cli.columns import aligned
from adapters.cli.graph import Node, draw
from adapters.cli.terminal import Line, say, styled

if TYPE_CHECKING:
    from hythe import (
        Checkpoint,
        Credential,
        Current,
        Entity,
        Head,
        History,
        Observation,
        Plan,
        Resume,
    )

__all__ = ["conflict", "page"]

BOLD, DIM, GOOD, BAD, NAME = "bold", "dim", "green", "red", "magenta"


def page(verb: Verb, result: Any) -> Iterator[Line]:
    """Give the lines that show the result of a verb, and say what a list left out."""
    name = verb.function.rpartition(".")[2]
    yield from _PAGES.get(name, _any)(result)
    if isinstance(result, Sequence):
        _tell_rest(name, result)


def _tell_rest(name: str, listed: Sequence[Any]) -> None:
    if not len(listed) and name not in _COUNTED:
        say("nothing is recorded here", DIM)
    if (cursor := getattr(listed, "next", None)) is not None:
        say(f"more: a higher --limit, or --cursor {cursor}", DIM)


def _checkpoint(made: Checkpoint) -> Iterator[Line]:
    word = "replayed" if made.replayed else made.outcome
    yield [
        (f"r{made.revision} ", BOLD),
        (f"{word}", GOOD if made.outcome != "branched" else "yellow"),
        (f"  {made.operation} on {made.scope} by {made.author}", ""),
    ]
    yield styled(f"  {made.id}", DIM)
    if made.outcome == "branched":
        say("the pointer stays: this checkpoint is a branch", "yellow")
    for kind in ("facts", "loops"):
        for name in getattr(made.changes, kind):
            yield styled(f"  new {kind[:-1]} {name}", DIM)
    _warn(made)


def _warn(written: Any) -> None:
    for warning in written.warnings:
        say(f"warning: {warning}", "yellow")


def conflict(outcome: Mapping[str, Any]) -> Iterator[Line]:
    """Show what a refused write needs to know to be tried again."""
    if outcome["outcome"] != "conflict":
        return
    yield [("reasons ", BOLD), (", ".join(outcome["reasons"] or ()), BAD)]
    yield [("pointer ", BOLD), (outcome["pointer"] or "none", "")]
    count = outcome["headCount"]
    yield [("heads   ", BOLD), (f"{count} live", "")]
    yield from aligned(
        [
            (
                (f"  r{head['revision']}", BOLD),
                (head["id"], ""),
                (head["author"], NAME),
                ("current" if head.get("current") else "", GOOD),
            )
            for head in outcome["heads"] or ()
        ]
    )


def _heads(heads: Iterable[Head]) -> list[Line]:
    return aligned(
        [
            (
                (f"r{head.revision}", BOLD),
                (head.id, ""),
                (head.author, NAME),
                (_moment(head.recorded_at), DIM),
                (_head_state(head), GOOD),
            )
            for head in heads
        ]
    )


def _head_state(head: Head) -> str:
    if head.current:
        return "current"
    return "branch of a retired one" if head.parent_retired else "branch"


def _history(history: History) -> Iterator[Line]:
    """Draw ● the pointed one, ○ live heads, × retired heads, • the others."""
    newest_first = sorted(history, key=lambda made: -made.revision)
    by_id = {made.id: made for made in newest_first}
    parents = {made.parent for made in newest_first}
    nodes = [
        Node(made.id, made.parent, _mark(made.id, history, parents))
        for made in newest_first
    ]
    for picture, node in draw(nodes):
        yield _drawn(picture, by_id[node.id] if node else None)


def _mark(name: str, history: History, parents: set[str | None]) -> str:
    if name == history.pointer:
        return "●"
    if name in parents:
        return "•"
    return "○" if name in history.heads else "×"


def _drawn(picture: str, made: Checkpoint | None) -> Line:
    if made is None:
        return styled(picture, GOOD)
    return [
        (picture, GOOD),
        (f"  r{made.revision} ", BOLD),
        (made.operation, ""),
        (f"  {made.author}", NAME),
        (f"  {_moment(made.recorded_at)}", DIM),
        (f"  {made.state.status}: {made.state.objective}"[:80], ""),
    ]


def _plan(plan: Plan) -> Iterator[Line]:
    heads = "1 live head" if len(plan.heads) == 1 else f"{len(plan.heads)} live heads"
    yield styled(f"{plan.scope}: {heads}", BOLD)
    yield from _heads(plan.heads)
    yield styled(f"survivor {plan.survivor}")
    yield styled(f"owed: {len(plan.owed) or 'nothing'}", BOLD)
    for owed in plan.owed:
        yield styled(f"  {owed.kind} {owed.id} of r{owed.revision}: {owed.value!r}")
        yield styled(f"    --accept {owed.kind} {owed.id} {owed.checkpoint}", DIM)
    for field, values in plan.differing.items():
        yield styled(f"{field} differs", BOLD)
        yield from (styled(f"  {head}: {value}") for head, value in values.items())


def _resume(resume: Resume) -> Iterator[Line]:
    say(repr(resume), DIM)
    return map(styled, str(resume).split("\n"))


def _observation(made: Observation) -> Iterator[Line]:
    _warn(made)
    yield [(made.entity, NAME), (f": {made.text}", "")]
    yield styled(f"  {made.id} by {made.author}, {_moment(made.recorded_at)}", DIM)
    for name in made.evidence:
        yield styled(f"  {name}", DIM)


def _current(current: Current) -> Iterator[Line]:
    if current.observation is None:
        yield styled(f"{current.entity}: nothing was observed", BOLD)
        return
    yield from _observation(current.observation)
    if current.also_live_count:
        yield styled(f"{current.also_live_count} more are live and disagree:", "yellow")
        for other in current.also_live:
            yield from _observation(other)


def _entity(entity: Entity) -> Iterator[Line]:
    kind = f"  {entity.kind}" if entity.kind else ""
    yield [(entity.name, NAME), (kind, "")]
    if entity.aliases:
        yield styled(f"  also {', '.join(entity.aliases)}")
    if entity.definition:
        yield styled(f"  as defined at its creation: {entity.definition}")
    yield styled(f"  {entity.id}", DIM)


def _any(value: Any) -> Iterator[Line]:
    """Show a value, or each of several, by its own summary."""
    items = value if isinstance(value, Sequence) else [value]
    return (styled(repr(item).strip("<>").partition(" ")[2]) for item in items)


def _doctor(report: Any) -> Iterator[Line]:
    for problem in report.problems:
        yield styled(str(problem), BAD)
    if not report.problems:
        yield styled(repr(report), GOOD)


def _hits(hits: Sequence[Any]) -> Iterator[Line]:
    for hit in hits:
        if hit.observation is None:
            yield from _entity(hit.entity)
        else:
            yield from _observation(hit.observation)
    say(f"{len(hits)} found", DIM)


def _detail(detail: Any) -> Iterator[Line]:
    yield from _entity(detail.entity)
    yield from _current(detail.current)
    yield from _edges(detail.relations)


def _edges(relations: Iterable[Any]) -> Iterator[Line]:
    for relation in relations:
        yield [
            (f"  {relation.source} ", NAME),
            (relation.type, ""),
            (f" {relation.target}", NAME),
        ]


def _near(around: Any) -> Iterator[Line]:
    yield from _entity(around.entity)
    yield from _edges(around.relations)
    if around.left_out:
        say(f"{around.left_out} relations left out", DIM)


def _relation(made: Any) -> Iterator[Line]:
    _warn(made)
    yield [(made.source, NAME), (f" {made.type} ", ""), (made.target, NAME)]


def _sent(sent: Any) -> Iterator[Line]:
    _warn(sent)
    yield [("sent to ", ""), (", ".join(sent.recipients), NAME)]
    yield styled(f"  {sent.id}", DIM)
    if sent.unregistered:
        say(f"not registered: {', '.join(sent.unregistered)}", "yellow")


def _inbox(page: Any) -> Iterator[Line]:
    for message in page:
        new = "" if message.read else " new"
        what = "handoff" if message.handoff else "message"
        yield [
            (f"{message.sequence} ", BOLD),
            (message.sender, NAME),
            (f"  {what}, {message.priority}", ""),
            (new, GOOD),
            (f"  {_moment(message.recorded_at)}", DIM),
        ]
        yield from (styled(f"  {line}") for line in message.text.split("\n"))
        yield styled(f"  {message.id}", DIM)
    say(f"{page.unread} unread", DIM)


def _marked(marked: Any) -> Iterator[Line]:
    yield styled(f"{marked.fact}: {len(marked.changed)} of {len(marked.matched)} new")


def _credentials(listed: Iterable[Credential]) -> list[Line]:
    """Show whole ids: they are what rotate and revoke take."""
    return aligned(
        [
            (
                (one.id, ""),
                (one.agent, NAME),
                ("revoked", BAD) if one.revoked_at else (", ".join(one.scopes), ""),
                (f"until {_moment(one.expires_at)}" if one.expires_at else "", DIM),
            )
            for one in listed
        ]
    )


def _issued(issued: Any) -> Iterator[Line]:
    yield from _credentials([issued.credential])
    say("the secret is shown here and nowhere again:", "yellow")
    yield styled(issued.secret)


_PAGES: dict[str, Callable[[Any], Iterable[Line]]] = {
    "acknowledge": _marked,
    "archive": _marked,
    "checkpoint": _checkpoint,
    "current_observation": _current,
    "detail": _detail,
    "doctor": _doctor,
    "entity": _entity,
    "hand_off": _sent,
    "heads": _heads,
    "history": _history,
    "inbox": _inbox,
    "issue": _issued,
    "list": _credentials,
    "neighborhood": _near,
    "observe": _observation,
    "patch": _checkpoint,
    "plan_reconcile": _plan,
    "read": _marked,
    "reconcile": _checkpoint,
    "record": _checkpoint,
    "relate": _relation,
    "resume": _resume,
    "revoke": lambda ended: _credentials([ended]),
    "rotate": _issued,
    "search": _hits,
    "send": _sent,
    "withdraw": _credentials,
}

_COUNTED = frozenset({"inbox", "search"})  # their pages end with a count


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}Z"
