"""`hythe quickstart`: checkpoint, record, branch, reconcile, resume; in a temporary folder."""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters._wire.hythe_verbs import VERBS
from adapters._wire.verbs import of_command
from adapters.cli.tour import Tour
from hsum import json_text

if TYPE_CHECKING:
    from hythe import Checkpoint, Scope, Store

__all__ = ["quickstart"]

PROJECT = "atlas"
SCOPE = ["--project", PROJECT]
NOTE = "# Measurements\n\nSearch answers in 40 ms at the 95th percentile.\n"


def quickstart(*, as_json: bool) -> int:
    """Take the tour; nothing outside the temporary folder is changed."""
    import hythe

    home = tempfile.mkdtemp(prefix="hythe-quickstart-")
    tour = Tour(_page, _encode, as_json=as_json)
    tour.tell("everything is made in a temporary folder")
    for name, value in _environment(home).items():
        os.environ[name] = value
        tour.shell(f"export {name}={shlex.quote(value)}")
    citation = _cited(tour, Path(home, "notes"))
    with hythe.open(os.environ["HYTHE_STORE"], agent="planner") as store:
        _worked(tour, store, citation)
    tour.tell("when you have seen enough")
    tour.shell(f"rm -r {shlex.quote(home)}")
    tour.end(home=home)
    return 0


def _environment(home: str) -> dict[str, str]:
    return {
        "HSUM_HOME": f"{home}/hsum",
        "HYTHE_STORE": f"{home}/team.hythe",
        "HYTHE_AGENT": "planner",
    }


def _cited(tour: Tour, folder: Path) -> str:
    """Make evidence with hsum, for a fact to stand on."""
    import hsum

    tour.tell("evidence first: a note, indexed by hsum, gives a citation")
    folder.mkdir()
    note = folder / "measured.md"
    note.write_text(NOTE, encoding="utf-8")
    tour.shell(f"mkdir {folder} && printf %s {shlex.quote(NOTE)} > {note}")
    hits = hsum.initialize(folder).hits
    tour.shell(f"hsum init {folder}")
    with hsum.open_managed("notes") as index:
        hits = index.search("percentile")
    tour.shell("hsum search percentile --index notes")
    return str(hits[0].citation)


def _worked(tour: Tour, store: Store, citation: str) -> None:
    scope = store.scope(project=PROJECT)
    first = _first(tour, scope)
    second = _recorded(tour, scope, first, citation)
    branch = _branched(tour, store, first)
    tour.tell("two live heads: the history shows the branch")
    tour.step("hythe history", SCOPE, scope.history())
    _reconciled(tour, scope, second, branch)
    tour.step("hythe history", SCOPE, scope.history())
    tour.tell("a new session gets what is accepted, under a token budget")
    words = [*SCOPE, "--budget", "2000"]
    tour.step("hythe resume", words, scope.resume(budget=2_000))


def _first(tour: Tour, scope: Scope) -> Checkpoint:
    tour.tell("the first checkpoint makes the scope and its current pointer")
    state = {"objective": "ship search", "status": "green", "owner": "planner"}
    words = [word for name, value in state.items() for word in (f"--{name}", value)]
    made = scope.checkpoint(state, parent=None)
    tour.step("hythe checkpoint", [*SCOPE, *words], made)
    return made


def _recorded(
    tour: Tour, scope: Scope, parent: Checkpoint, citation: str
) -> Checkpoint:
    tour.tell("a fact, with the citation it stands on; the pointer advances")
    fact = {
        "subject": "search",
        "predicate": "p95",
        "object": "40 ms",
        "evidence": [citation],
    }
    words = [*SCOPE, "--parent", str(parent.revision), "--facts", json_text([fact])]
    made = scope.record(parent, facts=[fact])
    tour.step("hythe record", words, made)
    return made


def _branched(tour: Tour, store: Store, parent: Checkpoint) -> Checkpoint:
    tour.tell("another agent, still on the first checkpoint: its write is a branch")
    state = {"objective": "ship search", "status": "red", "owner": "critic"}
    words = [word for name, value in state.items() for word in (f"--{name}", value)]
    scope = store.as_agent("critic").scope(project=PROJECT)
    made = scope.checkpoint(state, parent=parent)
    tail = ["--parent", str(parent.revision), *words, "--agent", "critic"]
    tour.step("hythe checkpoint", [*SCOPE, *tail], made)
    return made


def _reconciled(
    tour: Tour, scope: Scope, survivor: Checkpoint, branch: Checkpoint
) -> None:
    tour.tell("what does it take to join them?")
    tour.step("hythe reconcile", [*SCOPE, "--plan"], scope.plan_reconcile())
    tour.tell("decide: the survivor's facts stay, the state is stated anew")
    state = {"objective": "ship search", "status": "yellow", "owner": "planner"}
    made = scope.reconcile(
        heads=[survivor, branch],
        pointer=survivor,
        survivor=survivor,
        state=state,
        reason="one report was wrong",
    )
    words = [word for name, value in state.items() for word in (f"--{name}", value)]
    heads = [
        word
        for head in (survivor, branch)
        for word in ("--head", str(head.revision))
    ]
    named = str(survivor.revision)
    tail = ["--pointer", named, "--survivor", named, "--reason", "one report was wrong"]
    tour.step("hythe reconcile", [*SCOPE, *heads, *tail, *words], made)


def _page(command: str, result: Any, _: dict[str, Any]) -> Any:
    from adapters.cli import hythe_pages

    return hythe_pages.page(_verb(command, result), result)


def _encode(command: str, result: Any) -> Any:
    from adapters._wire.hythe_json import document

    return document(_verb(command, result), result)


def _verb(command: str, result: Any) -> Any:
    if type(result).__name__ == "Plan":
        return next(verb for verb in VERBS if verb.tool == "plan_reconcile")
    return of_command(VERBS, command)
