"""`Scope.resume` on real stores."""

from __future__ import annotations

import json
import random
import sqlite3
from functools import partial

import attrs
import pytest

import hythe
from hsum._kernel.clock import SettableClock
from hsum._kernel.ids import SequentialIds
from hythe import Event, Fact, Loop, Resolution, State
from hythe.checkpoint.legacy import Legacy, insert_legacy
from hythe.checkpoint.proof import rebuild
from hythe.checkpoint.scopes import At, list_scopes
from hythe.resume.sections import SECTIONS
from hythe.resume.wire import compact, wire
from tests.resume.corpora import citation, texts
from tests.resume.o200k import o200k

STATE = State("ship search", "green", "planner", ["write tests"])
RAND = random.Random(11)


def store_in_memory(**options):
    """Return a store whose clock stands still and whose ids repeat."""
    return hythe.in_memory(
        agent="planner", clock=SettableClock(), ids=SequentialIds(), **options
    )


@pytest.fixture
def store():
    """An empty store."""
    with store_in_memory() as opened:
        yield opened


@pytest.fixture
def traced(store):
    """The scope of a trace: two live heads, one divergent, one ever retired."""
    scope = store.scope(project="atlas")
    critic = store.as_agent("critic").scope(project="atlas")
    first = scope.checkpoint(STATE, parent=None, facts=[Fact("search", "p95", "40 ms")])
    (fact,) = first.changes
    second = scope.record(
        first,
        loops=[Loop("measure cold")],
        events=[Event("decision", "use tantivy"), Event("note", "lunch")],
    )
    other = critic.checkpoint(
        attrs.evolve(STATE, status="red"),
        parent=first,
        facts=[Fact("search", "p95", "90 ms", id=fact)],
    )
    merged = scope.reconcile(
        heads=[second, other],
        pointer=second,
        survivor=second,
        state=STATE,
        reason="measured again",
        resolutions=[Resolution("fact", fact, other, "accept")],
    )
    late = critic.checkpoint(STATE, parent=second, facts=[Fact("disk", "size", "2 GB")])
    return scope, first, second, other, merged, late


def follow(scope, budget, **options):
    """Return all pages, as `next` leads."""
    pages = [scope.resume(budget=budget, **options)]
    while pages[-1].next is not None:
        assert len(pages) < 1_000

        version = pages[0].result_version
        pages.append(
            scope.resume(budget=budget, cursor=pages[-1].next, result_version=version)
        )
    return pages


# --- what is there ----------------------------------------------------------------


def test_the_trace_ends_as_it_must(traced):
    """After a trace resume shows the accepted lineage, and the rest apart."""
    scope, _, second, other, merged, late = traced
    found = scope.resume()

    assert (merged.id, 4, "pointer", "reconciled") == (
        found.as_of.checkpoint,
        found.as_of.revision,
        found.as_of.selection,
        found.as_of.pointer_reason,
    )
    assert (2, 1, 1) == (
        found.as_of.live_heads,
        found.as_of.divergent_heads,
        found.as_of.retired_heads,
    )
    assert [(late.id, False), (merged.id, True)] == [
        (head.id, head.current) for head in found.heads
    ]
    assert ["90 ms"] == [fact.object for fact in found.current_facts]
    assert (merged.id, other.id) == (
        found.current_facts[0].provenance.checkpoint,
        found.current_facts[0].provenance.accepted_from,
    )
    assert [("measure cold", second.id)] == [
        (loop.next_action, loop.provenance.checkpoint) for loop in found.open_loops
    ]
    assert ["use tantivy"] == [made.summary for made in found.decisions]
    assert [("2 GB", late.id, late.id, "critic")] == [
        (value.value.object, value.checkpoint, value.head, value.author)
        for value in found.divergent_values
    ]
    assert (1, 1) == (found.as_of.divergent_values, found.as_of.resolved_values)
    assert found.complete
    assert STATE == found.working


def test_superseded_and_closed_values_are_left_out(store):
    """Superseded facts and closed loops are not shown, and are not counted."""
    scope = store.scope(project="atlas")
    first = scope.checkpoint(
        STATE, parent=None, facts=[Fact("a", "b", "c")], loops=[Loop("d")]
    )
    fact, loop = first.changes
    second = scope.record(
        first,
        facts=[Fact("a", "b", "c", id=fact, status="superseded")],
        loops=[Loop("d", id=loop, status="closed", outcome="done")],
    )
    found = scope.resume()

    assert ((), ()) == (found.current_facts, found.open_loops)
    assert (0, 0) == (
        found.coverage["current_facts"].total,
        found.coverage["open_loops"].total,
    )
    scope.record(second, loops=[Loop("d again", id=loop)])
    assert ["d again"] == [one.next_action for one in scope.resume().open_loops]


def test_the_newest_stand_first(store):
    """Facts, loops and decisions come newest first."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(STATE, parent=None)
    for number in range(100):
        last = scope.record(
            last,
            facts=[Fact("s", f"p{number}", "v")],
            loops=[Loop(f"l{number}")],
            events=[Event("decision", f"d{number}")],
        )
    found = scope.resume(budget=10**6)
    down = range(99, -1, -1)

    assert [f"p{n}" for n in down] == [fact.predicate for fact in found.current_facts]
    assert [f"l{n}" for n in down] == [loop.next_action for loop in found.open_loops]
    assert [f"d{n}" for n in down] == [made.summary for made in found.decisions]


def test_definitions_are_snapshots(store):
    """The parts of a scope show what they are, never their state."""
    store.entity("atlas", definition="the search project")
    scope = store.scope(project="atlas", task="index")
    scope.checkpoint(STATE, parent=None)
    store.observe("atlas", "is late")
    found = scope.resume()

    assert [("atlas", "the search project", True), ("index", None, True)] == [
        (one.name, one.definition, one.snapshot) for one in found.definition
    ]
    assert "is late" not in str(found)


def test_evidence_ends_with_the_snapshot(store):
    """The evidence section has the pointed checkpoint's evidence and its snapshot."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(STATE, parent=None, evidence=["a note", "a second"])
    *cited, snapshot = scope.resume().evidence

    assert ["a note", "a second"] == cited
    assert last.id in snapshot
    assert "hythe/1" == json.loads(store.fetch(snapshot).text)["format"]


def test_an_unknown_scope_is_refused(store):
    """A scope that no checkpoint made cannot be resumed."""
    store.scope(project="atlas").checkpoint(STATE, parent=None)
    with pytest.raises(hythe.NotFound) as refused:
        store.scope(project="atlsa").resume()

    assert "SCOPE_UNKNOWN" == refused.value.code


def test_mail_to_the_caller_in_this_scope(store):
    """Handoffs stay until acknowledged, messages until read; both are the caller's."""
    scope = store.scope(project="atlas")
    scope.checkpoint(STATE, parent=None)
    critic = store.as_agent("critic")
    sent = critic.send("planner", "look at p95", scope=scope)
    critic.send("planner", "elsewhere")
    handed = critic.hand_off("planner", "yours now", scope=scope)
    found = scope.resume()

    assert ["look at p95"] == [message.text for message in found.messages]
    assert ["yours now"] == [message.text for message in found.handoffs]
    assert "from critic" in str(found)
    assert () == store.as_agent("critic").scope(project="atlas").resume().messages
    store.read([sent.id])
    store.read([handed.id])
    assert ((), 1) == (scope.resume().messages, len(scope.resume().handoffs))
    store.acknowledge([handed.id])
    assert () == scope.resume().handoffs


def test_the_flat_view_knows_no_lineages(traced):
    """Version 1 has the newest of each id by revision, without provenance."""
    scope, *_ = traced
    found = scope.resume(result_version=1)

    assert {"90 ms", "2 GB"} == {fact.object for fact in found.current_facts}
    assert [None, None] == [fact.provenance for fact in found.current_facts]
    assert () == found.divergent_values
    assert 1 == found.result_version == wire(found)["resultVersion"]


@pytest.mark.parametrize("version", [0, 2, 4, "3", None, True])
def test_other_result_versions_are_refused(traced, version):
    """Only 1 and 3 are served."""
    with pytest.raises(hythe.InvalidInput):
        traced[0].resume(result_version=version)


@pytest.mark.parametrize(
    "options",
    [
        {"count_tokens": 4},
        {"evidence_timeout_ms": -1},
        {"evidence_timeout_ms": 0.5},
        {"verify": 1},
        {"sections": ["head"]},
        {"cursor": "x"},
        {"budget": 511},
    ],
)
def test_wrong_options_are_refused(traced, options):
    """Each option is checked before anything is read."""
    with pytest.raises(hythe.InvalidInput):
        traced[0].resume(**options)


# --- budget and pages -------------------------------------------------------------


@pytest.fixture(scope="module")
def filled():
    """A scope with much in every section, of every kind of text."""
    with store_in_memory() as store:
        scope = store.scope(project="atlas", task="index")
        last = root = scope.checkpoint(STATE, parent=None)
        for seed, (kind, words) in enumerate(texts(5, 400).items()):
            last = scope.record(
                last,
                facts=[Fact(kind, "says", words), Fact(kind, "cites", kind)],
                loops=[Loop(words[:90])],
                events=[Event("decision", words[:200])],
                evidence=[citation(RAND) for _ in range(seed % 4)],
            )
            store.as_agent("critic").send("planner", words, scope=scope)
            store.as_agent("critic").hand_off("planner", words[:50], scope=scope)
        last = scope.record(last, facts=[Fact("long", "text", "é" * 100_000)])
        for number in range(12):
            scope.checkpoint(
                attrs.evolve(STATE, status="red"),
                parent=root,
                facts=[Fact("branch", str(number), "v" * number)],
            )
        yield scope


@pytest.mark.parametrize("budget", [512, 513, 1_000, 4_000, 32_000])
def test_no_page_is_over_budget(filled, budget):
    """Every page fits, in both forms, by the default counter and by o200k."""
    for found in follow(filled, budget):
        forms = str(found), compact(wire(found))

        assert max(map(o200k, forms)) <= found.tokens <= budget


@pytest.mark.parametrize("budget", [1_000, 4_000, 32_000])
@pytest.mark.parametrize("kind", ["prose", "latin", "code", "json"])
def test_the_default_counter_is_close(store, kind, budget):
    """Bundles of prose and code cost at most 1.4 times what o200k counts."""
    scope = store.scope(project="atlas")
    scope.checkpoint(
        STATE,
        parent=None,
        facts=[Fact("s", f"p{n}", texts(n, 600)[kind]) for n in range(60)],
    )
    found = scope.resume(budget=budget)
    exact = max(o200k(str(found)), o200k(compact(found.as_dict())))

    assert exact <= found.tokens <= 1.4 * exact


@pytest.mark.parametrize("budget", [512, 700, 1_500, 6_000])
def test_pages_joined_equal_the_sections(filled, budget):
    """All pages joined are the unbudgeted sections, but for what became a handle."""
    whole, pages = filled.resume(budget=10**7), follow(filled, budget)

    assert whole.complete
    for name in set(SECTIONS) - {"working"}:
        joined = [one for found in pages for one in getattr(found, name)]
        held = sum(o.section == name for found in pages for o in found.oversize)
        kept = iter(getattr(whole, name))
        assert all(any(one == other for other in kept) for one in joined)
        assert len(getattr(whole, name)) == len(joined) + held


def test_a_section_asked_for_alone_is_paged_alone(filled):
    """With `sections` the cursor goes through these only."""
    pages = follow(filled, 800, sections=["current_facts"])
    whole = filled.resume(budget=10**7)

    assert len(whole.current_facts) == sum(
        len(found.current_facts) + len(found.oversize) for found in pages
    )
    assert all(not found.heads for found in pages)


def test_every_handle_reads_its_value(filled):
    """What became a handle is read whole, piece by piece, at its stated size."""
    store = store_of(filled)
    oversize = [one for found in follow(filled, 512) for one in found.oversize]

    assert any(one.section == "current_facts" for one in oversize)
    for one in oversize:
        data, offset = b"", 0
        while offset is not None:
            piece = store.fetch(one.handle, offset=offset, max_bytes=30_001)
            data, offset = data + piece.data, piece.next
        assert one.bytes == len(data)
        assert json.loads(data)


def store_of(scope):
    """Return a store on the same file as a scope, as the same agent."""
    return hythe.Store(scope._storage, scope.agent)


def test_pieces_smaller_than_a_character_still_move_on(filled):
    """A piece of one byte is given as such, so that a reader reaches the end."""
    store = store_of(filled)
    (one,) = list(filled.resume(budget=4_000).oversize)[:1] or [None]
    whole = store.fetch(one.handle, max_bytes=10**6).data
    data, offset = b"", 0
    while offset is not None and offset < 200:
        piece = store.fetch(one.handle, offset=offset, max_bytes=1)
        data, offset = data + piece.data, piece.next

    assert whole.startswith(data)
    assert b"" == store.fetch(one.handle, offset=10**6).data


def test_each_kind_of_value_has_a_handle_of_its_own(store):
    """State, fact, loop, decision, evidence and definition are read by their handles."""
    long = "x" * 5_000
    store.entity("atlas", definition=long)
    scope = store.scope(project="atlas")
    scope.checkpoint(
        State(long, "green", "planner"),
        parent=None,
        facts=[Fact("a", "b", long)],
        loops=[Loop(long, due_at="2026-02-01T00:00:00Z")],
        events=[Event("decision", long, at="2026-01-01T00:00:00Z")],
        evidence=[long],
    )
    found = scope.resume(budget=2_000)
    sections = "definition working open_loops current_facts decisions evidence"

    assert sections.split() == [one.section for one in found.oversize]
    for one in found.oversize:
        assert one.bytes == len(store.fetch(one.handle).data)
        assert long in store.fetch(one.handle).text
    assert 'due_at "2026' not in str(scope.resume(budget=10**5))
    assert "due_at 2026-02-01T00:00:00Z" in str(scope.resume(budget=10**5))


@pytest.mark.parametrize(
    "part", ["fact/9", "loop/0", "event/0", "evidence/0", "legacy/0"]
)
def test_a_place_without_a_value_is_not_found(store, part):
    """A handle of a place where nothing was recorded is refused."""
    first = store.scope(project="atlas").checkpoint(STATE, parent=None)
    for owner in (first.id, "7", "nobody"):
        with pytest.raises(hythe.NotFound) as refused:
            store.fetch(f"hythe://value/{owner}/{part}")
        assert "NOT_FOUND" == refused.value.code
    for handle in ("hythe://value/nobody/entity", "hythe://snapshot/nobody"):
        with pytest.raises(hythe.NotFound):
            store.fetch(handle)


# --- cursors ----------------------------------------------------------------------


@pytest.fixture
def paged(store):
    """A scope whose facts and messages need several pages, and its first page."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(
        STATE, parent=None, facts=[Fact("s", f"p{n}", "v" * 50) for n in range(60)]
    )
    for number in range(30):
        store.as_agent("critic").send("planner", f"m{number} " + "w " * 40, scope=scope)
    return store, scope, last


def test_only_a_change_to_the_section_makes_its_cursor_stale(paged):
    """Loops, branches and mail leave the facts' cursor; a fact does not."""
    store, scope, last = paged
    token = scope.resume(budget=900, sections=["current_facts"]).next
    last = scope.record(last, loops=[Loop("l")], events=[Event("decision", "d")])
    last = scope.patch(last, {"status": "red"})
    scope.checkpoint(STATE, parent=1, facts=[Fact("a", "b", "c")])
    store.as_agent("critic").send("planner", "new", scope=scope)

    assert scope.resume(budget=900, cursor=token).current_facts
    scope.record(last, facts=[Fact("a", "b", "c")])
    with pytest.raises(hythe.Stale) as refused:
        scope.resume(budget=900, cursor=token)
    assert "STALE_CURSOR" == refused.value.code


def test_a_cursor_goes_with_its_own_section_alone(paged):
    """`sections` may repeat the section of the cursor, and name no other alone."""
    _, scope, _ = paged
    token = scope.resume(budget=900, sections=["current_facts"]).next
    again = scope.resume(budget=900, cursor=token, sections=["heads", "current_facts"])

    assert again.current_facts
    with pytest.raises(hythe.InvalidInput):
        scope.resume(budget=900, cursor=token, sections=["heads"])


def test_messages_never_go_stale(paged):
    """Messages are paged by sequence: reading and sending between pages is fine."""
    store, scope, _ = paged
    first = scope.resume(budget=900, sections=["messages"])
    store.read([message.id for message in first.messages])
    store.as_agent("critic").send("planner", "the last", scope=scope)
    seen = [message.text for message in first.messages]
    page = first
    while page.next:
        page = scope.resume(budget=900, cursor=page.next)
        seen += [message.text for message in page.messages]

    assert [f"m{n}" for n in range(30)] + ["the"] == [text.split()[0] for text in seen]


def test_a_cursor_belongs_to_its_caller_scope_and_version(paged):
    """Another agent, scope, version or store cannot use a cursor."""
    store, scope, _ = paged
    token = scope.resume(budget=900, sections=["current_facts"]).next
    other = store.scope(project="other")
    other.checkpoint(STATE, parent=None)
    with store_in_memory() as another:
        foreign = another.scope(project="atlas")
        foreign.checkpoint(STATE, parent=None)
        wrong = [
            lambda: (
                store.as_agent("critic").scope(project="atlas").resume(cursor=token)
            ),
            lambda: other.resume(cursor=token),
            lambda: scope.resume(cursor=token, result_version=1),
        ]
        for call in wrong:
            with pytest.raises(hythe.InvalidInput):
                call()
        assert scope.resume(cursor=token).current_facts


# --- evidence ---------------------------------------------------------------------


def test_evidence_is_checked_once_each():
    """With a resolver each delivered citation carries its states."""
    one, two = citation(RAND), citation(RAND)
    asked = []

    def resolver(text):
        asked.append(text)
        gone = text == two
        return {
            "source_state": "changed" if gone else "unchanged",
            "span_state": "gone" if gone else "intact",
        }

    with store_in_memory(evidence=resolver) as store:
        scope = store.scope(project="atlas")
        facts = [Fact("a", "b", "c", evidence=[one, two])]
        scope.checkpoint(STATE, parent=None, facts=facts, evidence=[one])
        asked.clear()
        found = scope.resume()

    assert [one, two] == asked
    assert (1, 0) == (found.as_of.stale_evidence, found.as_of.unchecked_evidence)
    assert ["intact", "gone"] == [
        cited.span_state for cited in found.current_facts[0].evidence
    ]


def test_a_checked_value_can_be_recorded_again():
    """A fact whose citations carry states is written as its plain texts."""
    state = {"source_state": "unchanged", "span_state": "intact"}
    with store_in_memory(evidence=lambda _: state) as store:
        scope = store.scope(project="atlas")
        cited = Fact("a", "b", "c", evidence=[citation(RAND)])
        last = scope.checkpoint(STATE, parent=None, facts=[cited])
        (fact,) = scope.resume().current_facts
        written = scope.record(last, facts=[fact.but(status="verified")])

        assert cited.evidence == scope.get(written).facts[0].evidence
        assert [str] == [type(text) for text in scope.get(written).facts[0].evidence]


# --- damage -----------------------------------------------------------------------


@pytest.fixture
def on_disk(tmp_path):
    """A scope in a file, and the file."""
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="planner") as store:
        scope = store.scope(project="atlas")
        first = scope.checkpoint(
            STATE,
            parent=None,
            facts=[Fact("a", "b", "true"), Fact("c", "d", "e")],
            loops=[Loop("l")],
            events=[Event("decision", "use it")],
        )
        scope.record(first, facts=[Fact("f", "g", "h")])
        scope.checkpoint(STATE, parent=first, facts=[Fact("i", "j", "k")])
        yield scope, path


@pytest.mark.parametrize(
    "damage",
    [
        "update checkpoint set body = cast(replace(body, 'true', 'fake') as blob) where revision = 1",
        "update checkpoint set author = 'mallory' where revision = 1",
        "update accepted set ordinal = 1 - ordinal where kind = 'fact' and revision = 1",
        "update accepted set ordinal = 7 where kind = 'fact' and revision = 2",
        "update accepted set ordinal = 3 where kind = 'decision'",
        "update accepted set id = 'other' where kind = 'loop'",
        "update tip_value set ordinal = 4",
        "delete from checkpoint where revision = 2",
        "update state set body = cast(replace(body, 'green', 'amber') as blob)",
    ],
)
def test_a_damaged_value_is_never_delivered(on_disk, damage):
    """A delivered value is compared with the verified bytes of its checkpoint."""
    scope, path = on_disk
    with sqlite3.connect(path) as raw:
        raw.execute("pragma foreign_keys = off")
        raw.execute(damage)
    raw.close()
    with pytest.raises(hythe.Damaged) as refused:
        scope.resume()

    assert "INTEGRITY_FAILED" == refused.value.code


@pytest.mark.parametrize(
    "damage",
    [
        "delete from accepted where kind = 'fact' and revision = 1 and ordinal = 0",
        "update accepted set shown = 0 where kind = 'loop'",
        "delete from tip_value",
        "update standing set facts = 9",
    ],
)
def test_verify_proves_that_nothing_is_missing(on_disk, damage):
    """`verify=True` finds what a view has lost, which no delivered value can show."""
    scope, path = on_disk
    assert scope.resume(verify=True).complete

    with sqlite3.connect(path) as raw:
        raw.execute(damage)
    raw.close()
    with pytest.raises(hythe.Damaged):
        scope.resume(verify=True)


def test_resume_changes_nothing(on_disk):
    """Reading leaves every byte of the file, and takes no lock a writer waits for."""
    scope, path = on_disk
    before = path.read_bytes()
    with sqlite3.connect(path) as writer:
        writer.execute("begin immediate")
        found = scope.resume(verify=True)
        writer.rollback()
    writer.close()

    assert found.complete
    assert before == path.read_bytes()


def test_equal_stores_resume_alike():
    """With an injected clock and ids two runs give the same bytes."""
    answers = []
    for _ in range(2):
        with store_in_memory() as store:
            scope = store.scope(project="atlas")
            scope.checkpoint(STATE, parent=None, facts=[Fact("a", "b", "c")])
            answers.append(scope.resume())

    assert str(answers[0]) == str(answers[1])
    assert answers[0] == answers[1]


# --- imported scopes --------------------------------------------------------------


def forget_pointer(store, revisions):
    """Turn the only scope into one that was imported without a pointer."""
    with store._storage.writing("importer") as (conn, _):
        conn.execute(
            "update scope set imported = ?, imported_pointer = 0", (revisions,)
        )
        for at, _ in list_scopes(conn, 1):
            rebuild(conn, at)


def test_without_a_pointer_the_newest_state_is_shown_and_nothing_accepted(
    traced, store
):
    """An imported scope shows its newest state, and its coverage says undesignated."""
    scope, *_, late = traced
    forget_pointer(store, late.revision)
    found = scope.resume()

    assert ("max-revision", late.id, None) == (
        found.as_of.selection,
        found.as_of.checkpoint,
        found.as_of.pointer_reason,
    )
    assert STATE == found.working
    assert ((), (), ()) == (found.current_facts, found.open_loops, found.decisions)
    for name in ("working", "current_facts", "open_loops", "decisions", "evidence"):
        assert "undesignated" == found.coverage[name].reason
    assert not found.complete
    assert found.next is None
    assert found.as_of.live_heads == found.as_of.divergent_heads == len(found.heads)


def test_legacy_values_are_apart_and_end_when_restated(store):
    """An imported value is legacy until the accepted lineage states or rejects it."""
    scope = store.scope(project="atlas")
    last = scope.checkpoint(STATE, parent=None)
    fields = attrs.asdict(Fact("old", "says", "so", id="f1"))
    del fields["provenance"]
    with store._storage.writing("importer") as (conn, stamp):
        for number in range(70):
            value = {**fields, "id": f"f{number}", "object": "o" * number}
            insert_legacy(
                conn, At(1, 1), stamp, Legacy("fact", f"f{number}", number, value)
            )
    found = scope.resume(budget=10**6)

    assert [f"f{n}" for n in range(70)] == [one.id for one in found.legacy_values]
    assert () == found.current_facts
    pages = follow(scope, 900, sections=["legacy_values"])
    assert found.legacy_values == tuple(
        one for page in pages for one in page.legacy_values
    )
    scope.record(last, facts=[Fact("old", "says", "no", id="f1")])
    found = scope.resume(budget=10**6)
    assert 69 == found.coverage["legacy_values"].total
    assert ["no"] == [fact.object for fact in found.current_facts]


def test_a_large_legacy_value_is_read_by_its_handle(store):
    """A legacy value has a handle as any other."""
    scope = store.scope(project="atlas")
    scope.checkpoint(STATE, parent=None)
    value = attrs.asdict(Loop("x" * 9_000, id="l1"))
    del value["provenance"]
    with store._storage.writing("importer") as (conn, stamp):
        insert_legacy(conn, At(1, 1), stamp, Legacy("loop", "l1", 0, value))
    (one,) = scope.resume(budget=1_000).oversize

    assert "legacy_values" == one.section
    assert one.bytes == len(store.fetch(one.handle).data)
    with pytest.raises(hythe.NotFound):
        store.fetch(one.handle.replace("legacy/0", "legacy/1"))


# --- cost -------------------------------------------------------------------------


def steps_of(call, store):
    """Count the instructions that SQLite runs for a call."""
    count = 0

    def tick():
        nonlocal count
        count += 1

    with store._storage.reading() as (conn, _):
        conn.set_progress_handler(tick, 10)
        call()
        conn.set_progress_handler(None, 0)
    return count


@pytest.mark.parametrize("version", [1, 3])
def test_the_cost_does_not_grow_with_the_history(version):
    """An equal view costs the same after 40 checkpoints and after 2,000."""
    found = []
    for length in (40, 2_000):
        with store_in_memory() as store:
            scope = store.scope(project="atlas")
            facts = [Fact("s", f"p{n}", "v") for n in range(30)]
            last = scope.checkpoint(STATE, parent=None, facts=facts)
            ids = last.changes.facts
            for number in range(length):
                again = Fact("s", "p", str(number), id=ids[number % 30])
                last = scope.record(last, facts=[again])
            found.append(steps_of(partial(scope.resume, result_version=version), store))

    assert found[1] <= 1.2 * found[0]


def test_mail_is_read_by_handle(store):
    """A large message is a handle, and reads only for its recipient."""
    scope = store.scope(project="atlas")
    scope.checkpoint(STATE, parent=None)
    store.as_agent("critic").send("planner", "m" * 50_000, scope=scope)
    store.as_agent("critic").hand_off("planner", "h" * 50_000, scope=scope)
    oversize = scope.resume().oversize

    assert ["handoffs", "messages"] == [one.section for one in oversize]
    for one in oversize:
        assert one.bytes == len(store.fetch(one.handle, max_bytes=10**6).data)
        with pytest.raises(hythe.NotFound):
            store.as_agent("critic").fetch(one.handle)
