"""`hythe quickstart`: checkpoint, record, branch, reconcile, resume; all in a temporary folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from adapters._wire.evidence import resolver
from adapters._wire.hythe_verbs import VERBS
from adapters._wire.verbs import of_command, of_tool
from adapters.cli.tour import Tour

if TYPE_CHECKING:
    from hythe import Checkpoint, Scope, Store

__all__ = ["quickstart"]

SCOPE = "--project atlas"
NOTE = "# Measurements\n\nSearch answers in 40 ms at the 95th percentile.\n"
FACT = (
    '[{"subject": "search", "predicate": "p95", "object": "40 ms", "evidence": ["%s"]}]'
)
REASON = "one report was wrong"


def quickstart(*, as_json: bool) -> int:
    """Take the tour; nothing outside the temporary folder is changed."""
    import hythe

    home = tempfile.mkdtemp(prefix="hythe-quickstart-")
    os.environ["HSUM_HOME"] = f"{home}/hsum"
    for name in ("HSUM_INDEX", "HSUM_PROJECT"):
        os.environ.pop(name, None)
    tour = Tour(_page, _encode, as_json=as_json)
    tour.tell(f"everything is made in a temporary folder: {home}")
    tour.shell("HOME_OF_TOUR=$(mktemp -d)")
    tour.shell('export HSUM_HOME="$HOME_OF_TOUR/hsum" HYTHE_AGENT=planner')
    tour.shell('export HYTHE_STORE="$HOME_OF_TOUR/team.hythe"')
    citation = _cited(tour, Path(home, "notes"))
    path = f"{home}/team.hythe"
    with hythe.open(path, agent="planner", evidence=resolver) as store:
        _worked(tour, store, citation)
    tour.end(home)
    return 0


def _cited(tour: Tour, folder: Path) -> str:
    """Make evidence with hsum, for a fact to stand on."""
    import hsum

    tour.tell("evidence first: a note, indexed by hsum, gives a citation")
    folder.mkdir()
    (folder / "measured.md").write_text(NOTE, encoding="utf-8")
    shown = quote(NOTE.replace("\n", "\\n"))
    tour.shell('mkdir "$HOME_OF_TOUR/notes"')
    tour.shell(f'printf {shown} > "$HOME_OF_TOUR/notes/measured.md"')
    hsum.initialize(folder)
    tour.shell('hsum init "$HOME_OF_TOUR/notes"')
    with hsum.open_managed("notes") as index:
        hits = index.search("percentile", limit=1)
    words = "hsum search percentile --index notes --limit 1 --citations"
    tour.shell(f"CITATION=$({words})")
    return str(hits[0].citation)


def _worked(tour: Tour, store: Store, citation: str) -> None:
    scope = store.scope(project="atlas")
    first = _first(tour, scope)
    second = _recorded(tour, scope, first, citation)
    branch = _branched(tour, store, first)
    tour.tell("two live heads: the history shows the branch")
    _history(tour, scope)
    _reconciled(tour, scope, second, branch)
    _history(tour, scope)
    tour.tell("a new session gets what is accepted, under a token budget")
    line = f"hythe resume {SCOPE} --budget 2000"
    tour.step("resume", line, scope.resume(budget=2_000))


def _state(status: str, owner: str) -> tuple[dict[str, str], str]:
    """Return a state, and the options that say it."""
    state = {"objective": "ship search", "status": status, "owner": owner}
    return state, " ".join(f"--{name} {quote(text)}" for name, text in state.items())


def _first(tour: Tour, scope: Scope) -> Checkpoint:
    tour.tell("the first checkpoint makes the scope and its current pointer")
    state, words = _state("green", "planner")
    made = scope.checkpoint(state, parent=None)
    tour.step("checkpoint", f"hythe checkpoint {SCOPE} {words}", made)
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
    made = scope.record(parent, facts=[fact])
    facts = "'" + FACT % "'\"$CITATION\"'" + "'"
    line = f"hythe record {SCOPE} --parent {parent.revision} --facts {facts}"
    tour.step("record", line, made)
    return made


def _branched(tour: Tour, store: Store, parent: Checkpoint) -> Checkpoint:
    tour.tell("another agent, still on the first checkpoint: its write is a branch")
    state, words = _state("red", "critic")
    scope = store.as_agent("critic").scope(project="atlas")
    made = scope.checkpoint(state, parent=parent)
    tail = f"--parent {parent.revision} {words} --agent critic"
    tour.step("checkpoint", f"hythe checkpoint {SCOPE} {tail}", made)
    return made


def _reconciled(
    tour: Tour, scope: Scope, survivor: Checkpoint, branch: Checkpoint
) -> None:
    tour.tell("what does it take to join them?")
    line = f"hythe reconcile {SCOPE} --plan"
    tour.step("reconcile --plan", line, scope.plan_reconcile())
    tour.tell("decide: the survivor's facts stay, the state is stated anew")
    state, words = _state("yellow", "planner")
    made = scope.reconcile(
        heads=[survivor, branch],
        pointer=survivor,
        survivor=survivor,
        state=state,
        reason=REASON,
    )
    heads = f"--head {survivor.revision} --head {branch.revision}"
    stays = f"--pointer {survivor.revision} --survivor {survivor.revision}"
    line = f"hythe reconcile {SCOPE} {heads} {stays} --reason {quote(REASON)} {words}"
    tour.step("reconcile", line, made)


def _history(tour: Tour, scope: Scope) -> None:
    tour.step("history", f"hythe history {SCOPE}", scope.history())


def _page(command: str, result: Any, _: dict[str, Any]) -> Any:
    from adapters.cli import hythe_pages

    return hythe_pages.page(_verb(command), result)


def _encode(command: str, result: Any) -> Any:
    from adapters._wire.hythe_json import document

    return document(_verb(command), result)


def _verb(command: str) -> Any:
    if command == "reconcile --plan":
        return of_tool(VERBS, "plan_reconcile")
    return of_command(VERBS, command)
