"""hythe's answers as pages for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adapters._wire.verbs import Verb
from adapters.cli import hythe_care_pages as care
from adapters.cli.columns import aligned
from adapters.cli.graph import Node, draw
from adapters.cli.terminal import Line, say, styled
from adapters.cli.words import count, moment

if TYPE_CHECKING:
    from hythe import (
        Agent,
        Checkpoint,
        Credential,
        Current,
        Entity,
        Head,
        History,
        Message,
        Observation,
        Owed,
        Plan,
        Resume,
    )

__all__ = ["conflict", "page"]

BOLD, DIM, GOOD, BAD, NAME = "bold", "dim", "green", "red", "magenta"


def page(verb: Verb, result: Any) -> Iterator[Line]:
    """Give the lines that show the result of a verb, and say what a list left out."""
    name = re.split("[.:]", verb.function)[-1]
    yield from _PAGES[name](result)
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
        say(f"warning: {warning.path}: {warning.message}", "yellow")


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
                (moment(head.recorded_at), DIM),
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
        (f"  {moment(made.recorded_at)}", DIM),
        (f"  {made.state.status}: {made.state.objective}"[:80], ""),
    ]


def _plan(plan: Plan) -> Iterator[Line]:
    yield styled(f"{plan.scope}: {count(len(plan.heads), 'live head')}", BOLD)
    yield from _heads(plan.heads)
    yield styled(f"survivor {plan.survivor}")
    yield styled(f"owed: {len(plan.owed) or 'nothing'}", BOLD)
    for owed in plan.owed:
        yield [(f"  {owed.kind} of r{owed.revision}", NAME), (f": {_said(owed)}", "")]
        yield styled(f"    --accept {owed.kind} {owed.id} {owed.checkpoint}", DIM)
    known = {head.id: f"r{head.revision}" for head in plan.heads}
    for field, values in plan.differing.items():
        yield styled(f"{field.replace('_', ' ')} differs", BOLD)
        yield from aligned(
            [
                ((f"  {known.get(head, head)}", BOLD), (_listed(value), ""))
                for head, value in values.items()
            ]
        )


def _said(owed: Owed) -> str:
    """Say what a version states, in the words that its author chose."""
    value: Any = owed.value
    if owed.kind == "fact":
        return f"{value.subject} {value.predicate} {value.object} ({value.status})"
    return f"{value.next_action} ({value.status})"


def _listed(value: Any) -> str:
    return value if isinstance(value, str) else "; ".join(value) or "none"


def _resume(resume: Resume) -> Iterator[Line]:
    say(f"{resume.tokens:,} tokens", DIM)
    return map(styled, str(resume).removesuffix("\n").split("\n"))


def _observation(made: Observation) -> Iterator[Line]:
    _warn(made)
    first, *more = made.text.removesuffix("\n").split("\n")
    yield [(made.entity, NAME), (f": {first}", "")]
    yield from (styled(f"    {line}") for line in more)
    yield styled(f"  {made.id} by {made.author}, {moment(made.recorded_at)}", DIM)
    if made.superseded_by:
        yield styled(f"  superseded by {made.superseded_by}", "yellow")
    for name in made.evidence:
        yield styled(f"  {name}", DIM)


def _current(current: Current) -> Iterator[Line]:
    if current.observation is None:
        yield styled(f"{current.entity}: nothing was observed", BOLD)
        return
    yield from _observation(current.observation)
    if current.also_live_count:
        disagree = "is live and disagrees" if current.also_live_count == 1 else ""
        disagree = disagree or "are live and disagree"
        yield styled(f"{current.also_live_count:,} more {disagree}:", "yellow")
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


def _agent(agent: Agent) -> list[Line]:
    return _agents([agent])


def _agents(listed: Iterable[Agent]) -> list[Line]:
    return aligned(
        [
            (
                (one.id, NAME),
                (", ".join(one.capabilities), ""),
                (one.description or "", DIM),
            )
            for one in listed
        ]
    )


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
        say(f"{count(around.left_out, 'relation')} left out", DIM)


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
        yield [
            (f"{message.sequence}  ", BOLD),
            (message.sender, NAME),
            (f"  {_described(message)}", ""),
            ("" if message.read else "  new", GOOD),
            (f"  {moment(message.recorded_at)}", DIM),
        ]
        yield from (styled(f"  {line}") for line in message.text.split("\n"))
        yield styled(f"  {message.id}", DIM)
    say(f"{page.unread} unread", DIM)


def _described(message: Message) -> str:
    words = ["handoff" if message.handoff else "message"]
    words += [message.priority] if message.priority != "normal" else []
    words += [f"of {message.scope}"] if message.scope else []
    words += [f"thread {message.thread}"] if message.thread != message.id else []
    words += ["superseded"] if message.superseded_by else []
    return ", ".join(words)


def _marked(marked: Any) -> Iterator[Line]:
    before = len(marked.matched) - len(marked.changed)
    known = f", {before:,} already" if before else ""
    yield styled(f"{count(len(marked.changed), 'message')} {marked.fact}{known}")


def _credentials(listed: Iterable[Credential]) -> list[Line]:
    """Show whole ids: they are what rotate and revoke take."""
    return aligned(
        [
            (
                (one.id, ""),
                (one.agent, NAME),
                ("revoked", BAD) if one.revoked_at else (", ".join(one.scopes), ""),
                (f"until {moment(one.expires_at)}" if one.expires_at else "", DIM),
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
    "agents": _agents,
    "archive": _marked,
    "backup": care.copied,
    "checkpoint": _checkpoint,
    "current_observation": _current,
    "detail": _detail,
    "doctor": care.doctor,
    "entity": _entity,
    "export": care.exported,
    "hand_off": _sent,
    "heads": _heads,
    "history": _history,
    "import_": care.imported,
    "inbox": _inbox,
    "issue": _issued,
    "list": _credentials,
    "neighborhood": _near,
    "observe": _observation,
    "patch": _checkpoint,
    "plan_reconcile": _plan,
    "prune": care.pruned,
    "read": _marked,
    "reconcile": _checkpoint,
    "record": _checkpoint,
    "redact": care.redacted,
    "register_agent": _agent,
    "relate": _relation,
    "restore": care.copied,
    "resume": _resume,
    "revoke": lambda ended: _credentials([ended]),
    "rotate": _issued,
    "search": _hits,
    "send": _sent,
    "withdraw": _credentials,
}

_COUNTED = frozenset({"inbox", "search"})  # their pages end with a count
