"""Play against a scope and its oracle at once, and compare after every move."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hythe.errors import Conflict, HytheError
from hythe.model import Checkpoint, Event, Fact, Loop, Resolution, State
from hythe.testing._oracle import Decided, Key, Node, Oracle, Refusal, Tag

if TYPE_CHECKING:
    from hythe._api import Scope

__all__ = ["Chooser", "Player"]

T = TypeVar("T")
UNKNOWN = "11111111-1111-4111-8111-111111111111"
_OPERATIONS = ("write",) * 6 + ("record",) * 3 + ("patch",) * 2
_WHOLE = 1_000_000_000
_PAGE = 1_000


class Chooser(Protocol):
    """Where the moves come from: a seeded generator, or Hypothesis."""

    def pick(self, items: Sequence[T]) -> T:
        """Choose one."""

    def some(self, items: Sequence[T]) -> list[T]:
        """Choose any number of them, in order."""

    def chance(self, percent: int) -> bool:
        """Say yes about this often."""


class Player:
    """One scope under test, with the oracle that judges it.

    `dump` returns something that differs when anything recorded does.
    """

    def __init__(
        self, scope: Scope, chooser: Chooser, dump: Callable[[], Any] | None = None
    ) -> None:
        self.scope = scope
        self.choose = chooser
        self.oracle = Oracle()
        self.checkpoints: dict[int, Checkpoint] = {}
        self.keys: list[Key] = []
        self.decisions: dict[int, list[str]] = {}
        self.sent: list[
            tuple[Callable[..., Checkpoint], dict[str, Any], Checkpoint]
        ] = []
        self.count = 0
        self._dump = dump or self._read_all

    @property
    def moves(self) -> list[Callable[[], None]]:
        """All moves, the frequent ones several times."""
        append = [functools.partial(self.append, name) for name in _OPERATIONS]
        return [
            *append,
            self.reconcile,
            self.reconcile,
            self.retry,
            self.reuse,
            self.plan,
        ]

    # --- moves --------------------------------------------------------------------

    def append(self, operation: str) -> None:
        """Write, record or patch on any parent, known or not."""
        parent = self._parent(operation)
        options, values, said = self._changes()
        acknowledge = operation == "write" and self.choose.chance(75)
        if operation == "write":
            options["acknowledge_retired"] = acknowledge
        expected = self.oracle.append(
            operation, parent, self._named(values), acknowledge=acknowledge
        )
        call, given = self._call(operation, parent)
        made = self._make(expected, call, {**given, **options})
        if made is not None:
            self._take(made, Node(made.revision, parent, {}), values, said)

    def reconcile(self) -> None:
        """Reconcile, exactly or with something wrong."""
        if not self.oracle.nodes:
            return
        heads = sorted(self.oracle.live())
        survivor = self.choose.pick(heads)
        named, pointer = self._perturbed(heads), self.oracle.pointer
        if self.choose.chance(10):
            pointer = self.choose.pick(sorted(self.oracle.nodes))
        owed = self.oracle.owed(survivor)
        decisions, ends = self._decisions(owed, survivor)
        options, values, said = self._changes([tag[:2] for tag in owed])
        acknowledge = self.choose.chance(80)
        expected = self.oracle.reconcile(
            heads=named,
            pointer=pointer,
            survivor=survivor,
            decisions=decisions,
            rejected_ends=ends,
            changed=self._named(values),
            acknowledge=acknowledge,
        )
        made = self._make(
            expected,
            self.scope.reconcile,
            {
                "heads": [self._reference(head) for head in named[::-1]],
                "pointer": None if pointer is None else self._reference(pointer),
                "survivor": self._reference(survivor),
                "state": self._state(),
                "reason": "play",
                "resolutions": [self._resolution(*it) for it in decisions.items()],
                "reject_lineages": [self._reference(end) for end in ends],
                "acknowledge_retired": acknowledge,
                **options,
            },
        )
        if made is not None:
            settled = self.oracle.decided(owed, decisions, ends)
            taken = {
                tag[:2]: self.oracle.nodes[tag[2]].values[tag[:2]]
                for tag, choice in settled.items()
                if choice == "accept"
            }
            node = Node(
                made.revision, survivor, taken, is_reconcile=True, settled=settled
            )
            self._take(made, node, values, said)

    def retry(self) -> None:
        """Send an earlier request again: its first result, and nothing new."""
        if not self.sent:
            return
        call, given, first = self.choose.pick(self.sent)
        before = self._dump()
        again = call(**given)
        _check(again == first and again.replayed, "a retry gives the first result")
        _check(self._dump() == before, "a retry adds nothing")

    def reuse(self) -> None:
        """Send another request under an earlier key."""
        if not self.sent:
            return
        _, given, _ = self.choose.pick(self.sent)
        before = self._dump()
        code = _code(
            lambda: self.scope.checkpoint(
                State("other", "request", "x"), parent=None, key=given["key"]
            )
        )
        _check(code == "KEY_REUSED", f"a key binds its request, not {code}")
        _check(self._dump() == before, "a refused call writes nothing")

    # --- what a move is made of ---------------------------------------------------

    def _parent(self, operation: str) -> int | None:
        known = sorted(self.oracle.nodes)
        if self.choose.chance(5):
            return self.choose.pick([-1, 10_000])
        if not known or self.choose.chance(5):
            return None
        follows = operation != "write" or self.choose.chance(25)
        if follows and self.oracle.pointer is not None and self.choose.chance(85):
            return self.oracle.pointer
        return self.choose.pick(known)

    def _perturbed(self, heads: list[int]) -> list[int]:
        if not self.choose.chance(15):
            return heads
        dropped = self.choose.pick(heads)
        return [head for head in heads if head != dropped] or [1]

    def _decisions(
        self, owed: dict[Tag, set[int]], survivor: int
    ) -> tuple[dict[Tag, str], list[int]]:
        ends = sorted(self.oracle.childless() - {survivor})
        rejected = self.choose.some(ends) if self.choose.chance(40) else []
        decisions: dict[Tag, str] = {}
        taken: set[Key] = set()
        for tag in sorted(owed):
            if owed[tag] & set(rejected) and self.choose.chance(70):
                continue
            accepts = self.choose.chance(25)
            if accepts and (tag[:2] not in taken or self.choose.chance(5)):
                taken.add(tag[:2])
                decisions[tag] = "accept"
            elif not self.choose.chance(4):
                decisions[tag] = "reject"
        return decisions, rejected

    def _changes(
        self, also: Sequence[Key] = ()
    ) -> tuple[dict[str, Any], dict[Key, Any], list[str]]:
        """Return options, the values they state, and the decisions they record."""
        facts, loops = [], []
        values: dict[Key, Any] = {}
        for key in dict.fromkeys(self._changed(also)):
            self.count += 1
            text, given = f"value {self.count}", None if key[1] == "new" else key[1]
            shown = not self.choose.chance(20)
            values[key] = (text, shown)
            if key[0] == "fact":
                status = "asserted" if shown else "superseded"
                facts.append(Fact("s", "p", text, id=given, status=status))  # type: ignore[arg-type]
            else:
                loop = Loop(text, id=given)
                loops.append(loop if shown else loop.close("done"))
        said = [f"decided {self.count}"] if self.choose.chance(20) else []
        events = [Event("decision", text) for text in said]
        events += [Event("note", "not a decision")] * self.choose.chance(10)
        return {"facts": facts, "loops": loops, "events": events}, values, said

    def _changed(self, also: Sequence[Key]) -> list[Key]:
        known = [key for key in self.keys if self.choose.chance(150 // len(self.keys))]
        owed = [key for key in also if self.choose.chance(10)]
        fresh = [("fact", "new"), ("loop", "new")]
        return [*known, *owed, *(key for key in fresh if self.choose.chance(25))]

    def _named(self, values: dict[Key, Any]) -> list[Key]:
        return [key for key in values if key[1] != "new"]

    def _state(self) -> State:
        self.count += 1
        return State(f"objective {self.count % 7}", "playing", "player")

    def _call(
        self, operation: str, parent: int | None
    ) -> tuple[Callable[..., Checkpoint], dict[str, Any]]:
        given = {"parent": None if parent is None else self._reference(parent)}
        if operation == "write":
            return self.scope.checkpoint, {"state": self._state(), **given}
        if operation == "record":
            return self.scope.record, given
        self.count += 1
        return self.scope.patch, {"merge_patch": {"status": f"{self.count}"}, **given}

    def _reference(self, revision: int) -> Any:
        """Name a checkpoint in one of the ways there are."""
        found = self.checkpoints.get(revision)
        if found is None:
            return UNKNOWN if revision < 0 else revision
        return self.choose.pick([found, found.id, found.revision])

    def _resolution(self, tag: Tag, decision: str) -> Resolution:
        kind, name, revision = tag
        return Resolution(kind, name, self._reference(revision), decision)  # type: ignore[arg-type]

    # --- judging ------------------------------------------------------------------

    def _make(
        self,
        expected: Refusal | Decided,
        call: Callable[..., Checkpoint],
        given: dict[str, Any],
    ) -> Checkpoint | None:
        if self.choose.chance(30):
            given["key"] = f"key {len(self.sent)} {self.count}"
        if isinstance(expected, Refusal):
            self._refused(expected, call, given)
            return None
        made = call(**given)
        _check(made.outcome == expected.outcome, f"{made!r} is not {expected.outcome}")
        _check(made.revision == len(self.oracle.nodes) + 1, "revisions are 1, 2, 3 ...")
        if "key" in given:
            self.sent.append((call, given, made))
        return made

    def _refused(
        self, expected: Refusal, call: Callable[..., Any], given: dict[str, Any]
    ) -> None:
        before = self._dump()
        try:
            made = call(**given)
        except HytheError as error:
            _check(error.code == expected.code, f"{error!r} is not {expected.code}")
            if isinstance(error, Conflict):
                self._judge_conflict(error, expected)
        else:
            _check(False, f"{made!r} should be {expected.code}")
        _check(self._dump() == before, "a refused call writes nothing")

    def _judge_conflict(self, error: Conflict, expected: Refusal) -> None:
        _check(set(error.reasons) == expected.reasons, f"{error.reasons}, {expected}")
        heads = {head.revision for head in error.heads}
        _check(heads == self.oracle.live(), "a conflict names all live heads")
        _check(error.head_count == len(heads), "a conflict counts the live heads")
        pointed = self.checkpoints.get(self.oracle.pointer or 0)
        _check(
            error.pointer == (pointed and pointed.id), "a conflict names the pointer"
        )

    def _take(
        self, made: Checkpoint, node: Node, values: dict[Key, Any], said: list[str]
    ) -> None:
        """Take a written checkpoint into the oracle, and compare all there is."""
        fresh = {"fact": iter(made.changes.facts), "loop": iter(made.changes.loops)}
        for (kind, name), value in values.items():
            key = (kind, next(fresh[kind]) if name == "new" else name)
            node.values[key] = value
            if key not in self.keys:
                self.keys.append(key)
        self.oracle.add(node, made.outcome or "")
        self.checkpoints[made.revision] = made
        self.decisions[made.revision] = said
        self.compare()

    def compare(self) -> None:
        """Compare everything that a scope answers with the oracle."""
        self._compare_graph()
        self._compare_accepted()
        self._compare_divergent()

    def _compare_graph(self) -> None:
        oracle = self.oracle
        current = self.scope.current()
        pointed = None if oracle.pointer is None else self.checkpoints[oracle.pointer]
        _check(current == pointed, f"{current!r} is pointed, not {pointed!r}")
        found = {
            head.revision: (head.current, head.parent_retired)
            for head in self.scope.heads(limit=_PAGE)
        }
        expected = {
            r: (r == oracle.pointer, bool(oracle.retired & set(oracle.lineage(r))))
            for r in oracle.live()
        }
        _check(found == expected, f"the heads are {found}, not {expected}")
        history = self.scope.history(limit=_PAGE)
        _check(
            list(history) == [self.checkpoints[r] for r in sorted(oracle.nodes)[::-1]],
            "what was written stays as it was",
        )

    def _compare_accepted(self) -> None:
        oracle = self.oracle
        resume = self.scope.resume(budget=_WHOLE)
        found = {("fact", it.id): _placed(it, it.object) for it in resume.current_facts}
        found |= {
            ("loop", it.id): _placed(it, it.next_action) for it in resume.open_loops
        }
        expected = {}
        for key, revision in oracle.accepted().items():
            text, shown = oracle.nodes[revision].values[key]
            if shown:
                expected[key] = (revision, text)
        _check(found == expected, f"accepted is {found}, not {expected}")
        said = [made.summary for made in resume.decisions]
        lineage = oracle.lineage(oracle.pointer)[::-1]
        decided = [text for r in lineage for text in self.decisions[r]]
        _check(said == decided, f"the decisions are {said}, not {decided}")

    def _compare_divergent(self) -> None:
        found = {
            (item.kind, item.id, item.revision): item.settled is not None
            for resolved in (False, True)
            for item in self.scope.divergent(resolved=resolved, limit=_PAGE)
        }
        expected = self.oracle.divergent()
        _check(found == expected, f"divergent is {found}, not {expected}")

    def plan(self) -> None:
        """Compare the plan onto any live head with what the oracle owes there."""
        if not self.oracle.nodes:
            return
        survivor = self.choose.pick(sorted(self.oracle.live()))
        plan = self.scope.plan_reconcile(self._reference(survivor))
        found = {
            (owed.kind, owed.id, owed.revision): {
                self.scope.get(head).revision for head in owed.heads
            }
            for owed in plan.owed
        }
        expected = self.oracle.owed(survivor)
        _check(found == expected, f"{found} is owed, not {expected}")

    def _read_all(self) -> Any:
        heads = [head.id for head in self.scope.heads(limit=_PAGE)]
        return list(self.scope.history(limit=_PAGE)), heads


def _placed(value: Fact | Loop, text: str) -> tuple[int, str]:
    return value.provenance.revision if value.provenance else 0, text


def _code(call: Callable[[], Any]) -> str:
    try:
        return repr(call())
    except HytheError as error:
        return error.code


def _check(holds: object, law: str) -> None:
    if not holds:
        raise AssertionError(law)
