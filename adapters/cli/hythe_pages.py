"""hythe's answers as pages for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from adapters._wire.verbs import Verb
from adapters.cli.columns import aligned
from adapters.cli.graph import Node, draw
from adapters.cli.terminal import Line, say, styled

if TYPE_CHECKING:
    from hythe import Checkpoint, Current, Entity, Head, Observation, Plan, Resume

__all__ = ["conflict", "page"]

BOLD, DIM, GOOD, BAD, NAME = "bold", "dim", "green", "red", "magenta"


def page(verb: Verb, result: Any) -> Iterable[Line]:
    """Return the lines that show the result of a verb."""
    return _PAGES[verb.function.rpartition(".")[2]](result)


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


def _history(history: Any) -> Iterator[Line]:
    """Draw ● the pointed one, ○ live heads, × retired heads, • the others."""
    by_id = {made.id: made for made in history}
    parents = {made.parent for made in history}
    nodes = [
        Node(made.id, made.parent, _mark(made, history, parents))
        for made in sorted(history, key=lambda made: -made.revision)
    ]
    for picture, node in draw(nodes):
        yield _drawn(picture, by_id[node.id] if node else None)


def _mark(made: Checkpoint, history: Any, parents: set[str | None]) -> str:
    if made.id == history.pointer:
        return "●"
    if made.id in parents:
        return "•"
    return "×" if made.id in history.retired else "○"


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
    yield styled(f"{plan.scope}: {len(plan.heads)} live heads", BOLD)
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
    return map(styled, str(resume).split("\n"))  # type: ignore[return-value]


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
    items = value if isinstance(value, (list, tuple)) else [value]
    return (styled(repr(item)) for item in items)


def _listed(values: Iterable[Any]) -> Iterator[Line]:
    return (styled(repr(value)) for value in values)


def _doctor(report: Any) -> Iterator[Line]:
    for problem in report.problems:
        yield styled(str(problem), BAD)
    if not report.problems:
        yield styled("healthy", GOOD)


_PAGES: dict[str, Callable[[Any], Iterable[Line]]] = {
    "checkpoint": _checkpoint,
    "current_observation": _current,
    "doctor": _doctor,
    "entity": _entity,
    "heads": _heads,
    "history": _history,
    "observe": _observation,
    "patch": _checkpoint,
    "plan_reconcile": _plan,
    "reconcile": _checkpoint,
    "record": _checkpoint,
    "relate": _any,
    "resume": _resume,
    "search": _listed,
}


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}Z"
