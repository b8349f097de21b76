"""What a scope answers: names, references, keys, heads, plans, imports."""

from __future__ import annotations

import json

import pytest

import hythe
from hythe import Event, Fact, Loop, Resolution, State
from hythe.checkpoint import proof
from hythe.checkpoint.legacy import Legacy, insert_legacy
from hythe.checkpoint.scopes import At, add_scope, scope_digest
from tests.checkpoint.worlds import STATE, code, dump, refusal, state, store


@pytest.fixture
def made():
    with store() as made:
        yield made


@pytest.fixture
def scope(made):
    return made.scope(project="atlas")


def branched(scope, count=1):
    """Return the first checkpoint, the pointed one, and some branches."""
    first = scope.checkpoint(STATE, parent=None, facts=[Fact("a", "is", "b")])
    pointed = scope.record(first)
    change = first.facts[0]
    branches = [
        scope.checkpoint(
            state(str(n)), parent=first, facts=[change.but(object=f"c{n}")]
        )
        for n in range(count)
    ]
    return first, pointed, branches


# --- names ------------------------------------------------------------------------


def test_an_unknown_scope_is_empty_to_look_at(made):
    """current, heads and history of an unknown scope are empty; the rest is refused."""
    scope = made.scope(project="atlas")
    looked = (scope.current(), list(scope.heads()), list(scope.history()))
    calls = (scope.resume, scope.divergent, scope.plan_reconcile)

    assert (None, [], []) == looked
    assert {"SCOPE_UNKNOWN"} == {code(call) for call in calls}
    assert "SCOPE_UNKNOWN" == code(scope.get, 1)
    assert "SCOPE_UNKNOWN" == code(scope.record, None)
    assert "SCOPE_UNKNOWN" == code(scope.checkpoint, STATE, parent=1)


def test_an_unknown_scope_names_what_is_near(made):
    """`SCOPE_UNKNOWN` tells near names, and picks none of them."""
    made.scope(project="atlas").checkpoint(STATE, parent=None)
    error = refusal(made.scope(project="atls").resume)

    assert ["atlas"] == error.details["near"]


@pytest.mark.parametrize(
    "other", ["john-doe", "john%doe", "John_doe", "john_doe ", "*"]
)
def test_names_match_exactly(made, other):
    """No character of a name stands for another."""
    made.scope(project="john_doe").checkpoint(STATE, parent=None)

    assert made.scope(project=other).current() is None


def test_normal_forms_of_a_name_are_one(made):
    """Composed and decomposed names are one scope; the first spelling is kept."""
    first = made.scope(project="caf\u00e9").checkpoint(STATE, parent=None)

    assert made.scope(project="cafe\u0301").current() == first
    assert first.scope.project == "caf\u00e9"


def test_an_alias_names_the_scope(made):
    """A scope is found by any name of its parts."""
    made.entity("atlas", aliases=["the atlas"])
    first = made.scope(project="atlas").checkpoint(STATE, parent=None)

    assert made.scope(project="the atlas").current() == first


def test_a_scope_needs_a_part(made):
    """A scope without project and task is `SCOPE_INVALID`."""
    assert "SCOPE_INVALID" == code(made.scope)


# --- references -------------------------------------------------------------------


def test_a_checkpoint_is_named_in_any_way(scope):
    """A value, a head, an id, a revision and a content hash name the same one."""
    _, pointed, _ = branched(scope)
    (head,) = (head for head in scope.heads() if head.current)
    names = [pointed, head, pointed.id, pointed.revision, pointed.content_hash]

    assert {pointed} == {scope.get(name) for name in names}


def test_a_hash_that_several_have_is_ambiguous(scope):
    """A content hash of two checkpoints is `PARENT_AMBIGUOUS`."""
    first = scope.checkpoint(STATE, parent=None)
    second = scope.checkpoint(STATE, parent=first)

    assert first.content_hash == second.content_hash
    assert "PARENT_AMBIGUOUS" == code(scope.record, second.content_hash)
    assert "PARENT_AMBIGUOUS" == code(scope.get, second.content_hash)


@pytest.mark.parametrize("name", [0, -1, 99, 2**70, "nothing", "f" * 64, ""])
def test_what_names_no_checkpoint_is_an_unknown_parent(scope, name):
    """A parent that does not exist conflicts, and is not found."""
    scope.checkpoint(STATE, parent=None)
    error = refusal(scope.checkpoint, STATE, parent=name)

    assert ("CONFLICT", ("unknown-parent",)) == (error.code, error.reasons)
    assert "NOT_FOUND" == code(scope.get, name)


def test_a_checkpoint_of_another_scope_is_unknown(made, scope):
    """An id of one scope names nothing in another."""
    scope.checkpoint(STATE, parent=None)
    other = made.scope(task="atlas").checkpoint(STATE, parent=None)

    assert ("unknown-parent",) == refusal(scope.record, other).reasons


# --- keys -------------------------------------------------------------------------


def test_a_key_outlives_everything(scope):
    """The first result comes back after the scope has moved on and was reconciled."""
    first = scope.checkpoint(STATE, parent=None)
    second = scope.checkpoint(STATE, parent=first.content_hash, key="k")
    branch = scope.checkpoint(state("b"), parent=first)
    scope.reconcile(
        heads=[second, branch],
        pointer=second,
        survivor=branch,
        state=STATE,
        reason="r",
    )
    again = scope.checkpoint(STATE, parent=first.content_hash, key="k")

    assert (second, True, "advanced") == (again, again.replayed, again.outcome)


def test_the_fingerprint_binds_what_was_asked(made, scope):
    """Another author, parent, operation or content under one key is `KEY_REUSED`."""
    first = scope.checkpoint(STATE, parent=None)
    scope.checkpoint(state("a"), parent=first, key="k")
    other = made.as_agent("critic").scope(project="atlas")
    before = dump(made)
    others = [
        (other.checkpoint, (state("a"),), {"parent": first}),
        (scope.checkpoint, (state("a"),), {"parent": 2}),
        (scope.checkpoint, (state("a"),), {"parent": 99}),
        (scope.checkpoint, (state("b"),), {"parent": first}),
        (scope.checkpoint, (state("a"),), {"parent": first, "evidence": ["x"]}),
        (scope.record, (first,), {}),
        (scope.patch, (first, {}), {}),
    ]
    errors = [refusal(call, *given, **opts, key="k") for call, given, opts in others]

    assert {"KEY_REUSED"} == {error.code for error in errors}
    assert not any("atlas" in json.dumps(error.as_dict()) for error in errors)
    assert before == dump(made)


def test_a_refused_call_reserves_no_key(scope):
    """A key of a call that was refused is free."""
    first = scope.checkpoint(STATE, parent=None)

    assert "CONFLICT" == code(scope.record, 99, key="k")
    assert "advanced" == scope.record(first, key="k").outcome


def test_a_key_belongs_to_its_scope(made):
    """The same key in two scopes is two keys."""
    made_ = [
        made.scope(project=name).checkpoint(STATE, parent=None, key="k")
        for name in ("a", "b")
    ]

    assert 2 == len({checkpoint.id for checkpoint in made_})


# --- values -----------------------------------------------------------------------


def test_a_change_states_the_whole_value(scope):
    """What a change omits is empty, except the owner of a loop, which is kept."""
    first = scope.checkpoint(
        STATE,
        parent=None,
        facts=[Fact("a", "is", "b", evidence=["e"], sources=["s"])],
        loops=[Loop("look", owner="critic", blocked_on="rain", status="blocked")],
    )
    (fact,), (loop,) = first.facts, first.loops
    second = scope.record(
        first, facts=[Fact("a", "is", "c", id=fact.id)], loops=[Loop("go", id=loop.id)]
    )

    assert second.facts == (Fact("a", "is", "c", id=fact.id),)
    assert second.loops == (Loop("go", id=loop.id, owner="critic"),)
    assert first.loops[0].owner == "critic"


def test_a_branch_keeps_the_owner_of_its_own_lineage(made, scope):
    """The kept owner is that of the newest version on the parent's lineage."""
    first = scope.checkpoint(STATE, parent=None, loops=[Loop("look", owner="one")])
    (loop,) = first.loops
    scope.record(first, loops=[loop.but(owner="two")])
    branch = scope.checkpoint(STATE, parent=first, loops=[loop.but(owner=None)])

    assert "one" == branch.loops[0].owner


def test_an_id_of_another_lineage_is_unknown(scope):
    """A value can be changed only where its lineage has a version of it."""
    first, pointed, _ = branched(scope)
    branch = scope.checkpoint(
        STATE, parent=first, facts=[Fact("x", "is", "y")], loops=[Loop("z")]
    )
    (fact,), (loop,) = branch.facts, branch.loops

    assert "FACT_UNKNOWN" == code(scope.record, pointed, facts=[fact])
    assert "LOOP_UNKNOWN" == code(scope.record, pointed, loops=[loop])


def test_a_value_that_is_read_can_be_written_back(scope):
    """`but` and `close` make a change of an accepted value."""
    scope.checkpoint(
        STATE, parent=None, facts=[Fact("a", "is", "b")], loops=[Loop("c")]
    )
    resume = scope.resume()
    scope.record(
        1,
        facts=[resume.current_facts[0].but(status="superseded")],
        loops=[resume.open_loops[0].close("done")],
    )
    after = scope.resume()

    assert ((), ()) == (after.current_facts, after.open_loops)


# --- heads and plans --------------------------------------------------------------


def test_heads_and_history_come_in_pages(scope):
    """Pages joined are the whole, newest first."""
    branched(scope, count=7)
    heads, cursor = [], None
    while True:
        page = scope.heads(limit=3, cursor=cursor)
        heads, cursor = heads + list(page), page.next
        if cursor is None:
            break
    history = list(scope.history(limit=4))
    history += scope.history(limit=100, cursor=scope.history(limit=4).next)

    assert [9, 8, 7, 6, 5, 4, 3, 2] == [head.revision for head in heads]
    assert [*range(9, 0, -1)] == [made.revision for made in history]
    assert [3, 4] == [made.revision for made in scope.history(after=2, limit=2)]
    assert "INVALID_ARGUMENT" == code(scope.heads, cursor=scope.history(limit=1).next)


def test_a_conflict_shows_at_most_a_hundred_heads(scope):
    """A conflict counts all live heads and names the newest hundred."""
    branched(scope, count=120)
    error = refusal(scope.record, 1)

    assert (121, 100) == (error.head_count, len(error.heads))
    assert 122 == error.heads[0].revision


def test_a_conflict_is_enough_to_retry(scope):
    """Heads and pointer of a conflict go into the reconcile that follows it."""
    branched(scope, count=2)
    error = refusal(scope.record, 1)
    made = scope.reconcile(
        heads=error.heads,
        pointer=error.pointer,
        survivor=error.pointer,
        state=STATE,
        reason="settle",
        reject_lineages=[head for head in error.heads if not head.current],
    )

    assert ("reconciled", 1) == (made.outcome, len(scope.heads()))


def test_a_plan_shows_what_differs_and_what_is_owed(scope):
    """A plan names heads, pointer, owed values, differing fields, and a request."""
    first, pointed, branches = branched(scope, count=2)
    plan = scope.plan_reconcile()

    assert [o.value.object for o in plan.owed] == ["c0", "c1"]
    assert [o.heads for o in plan.owed] == [(b.id,) for b in branches]
    assert plan.differing["status"] == {
        pointed.id: "green",
        branches[0].id: "0",
        branches[1].id: "1",
    }
    assert (pointed.id, pointed.id) == (plan.pointer, plan.survivor)
    assert "RECONCILE_UNRESOLVED" == code(scope.reconcile, **plan.request, reason="r")
    assert "NOT_FOUND" == code(scope.plan_reconcile, first)


def test_an_explicit_resolution_wins_over_a_rejected_lineage(scope):
    """A value of a rejected lineage can still be accepted."""
    first, pointed, (branch,) = branched(scope)
    (fact,) = first.facts
    made = scope.reconcile(
        heads=[pointed, branch],
        pointer=pointed,
        survivor=pointed,
        state=STATE,
        reason="r",
        reject_lineages=[branch],
        resolutions=[Resolution("fact", fact.id, branch, "accept")],
    )
    (accepted,) = scope.resume().current_facts

    assert (made.id, "c0") == (accepted.provenance.checkpoint, accepted.object)
    assert branch.id == accepted.provenance.accepted_from


def test_one_version_of_an_id_is_accepted(scope):
    """Two accepted versions of an id, or one and a fresh value, are `DUPLICATE_ID`."""
    first, _, branches = branched(scope, count=2)
    (fact,) = first.facts
    accept = [Resolution("fact", fact.id, b, "accept") for b in branches]
    asked = {**scope.plan_reconcile().request, "reason": "r"}
    fresh = [fact.but(object="d")]
    reject = Resolution("fact", fact.id, branches[1], "reject")

    assert "DUPLICATE_ID" == code(scope.reconcile, **asked, resolutions=accept)
    assert "DUPLICATE_ID" == code(
        scope.reconcile, **asked, resolutions=[accept[0], reject], facts=fresh
    )
    assert "DUPLICATE_ID" == code(
        scope.reconcile,
        **asked,
        resolutions=[*accept[:1], reject, Resolution("fact", fact.id, 3, "reject")],
    )


def test_forty_thousand_resolutions_fit_into_one_call(scope):
    """A reconcile decides as many values as there are, whatever SQLite binds at once."""
    first = scope.checkpoint(STATE, parent=None)
    scope.record(first)
    parent = first
    for part in range(4):
        facts = [
            Fact("a", "is", str(n))
            for n in range(part * 10_000, part * 10_000 + 10_000)
        ]
        parent = scope.checkpoint(STATE, parent=parent, facts=facts)
    plan = scope.plan_reconcile()
    made = scope.reconcile(
        **plan.request, reason="r", resolutions=[owed.reject() for owed in plan.owed]
    )

    assert (40_000, 40_000) == (len(plan.owed), len(made.reconciliation.settled))
    assert 40_000 == scope.resume().as_of.resolved_values


# --- undesignated and legacy ------------------------------------------------------


def imported(made, *, pointer=0):
    """Turn the first scope into one that was imported, with or without a pointer."""
    with made._storage.writing("importer") as (conn, _):
        at = At(1, 1)
        row = conn.execute(
            "select scope, project, task, imported, imported_pointer, author, proven, "
            "recorded_at from scope"
        ).fetchone()
        (count,) = conn.execute("select count(*) from checkpoint").fetchone()
        row = (*row[:3], count, pointer, *row[5:])
        conn.execute(
            "update scope set imported = ?, imported_pointer = ?, digest = ?",
            (count, pointer, scope_digest(*row)),
        )
        conn.execute("update checkpoint set outcome = 'branched'")
        proof.rebuild(conn, at)


def test_a_scope_without_a_pointer_waits_for_one(made, scope):
    """Without a pointer writes branch, records conflict, and a reconcile gives one."""
    _, second, (third,) = branched(scope)
    imported(made)
    write = scope.checkpoint(STATE, parent=second)
    error = refusal(scope.record, write)

    assert scope.current() is None
    assert ("branched", ("undesignated",)) == (write.outcome, error.reasons)
    assert (None, 2) == (error.pointer, error.head_count)
    assert "NOT_FOUND" == code(scope.plan_reconcile)

    plan = scope.plan_reconcile(third)
    asked = {**plan.request, "reason": "designate"}

    assert [o.revision for o in plan.owed] == []
    assert "CONFLICT" == code(scope.reconcile, **{**asked, "pointer": third})

    made_ = scope.reconcile(**asked)

    assert (made_, ()) == (scope.current(), made.doctor().problems)
    assert ["c0"] == [fact.object for fact in scope.resume().current_facts]


def test_a_scope_may_bring_its_pointer(made, scope):
    """An imported pointer is the accepted checkpoint, and work goes on from it."""
    _, _, (third,) = branched(scope)
    imported(made, pointer=third.revision)
    after = scope.record(third)

    assert ("advanced", after) == (after.outcome, scope.current())
    assert () == made.doctor().problems


def test_a_legacy_value_ends_when_it_is_restated_or_rejected(made, scope):
    """Legacy values are apart, and end by a version of theirs or by a rejection."""
    first = scope.checkpoint(STATE, parent=None)
    with made._storage.writing("importer") as (conn, stamp):
        for number, name in enumerate(("one", "two", "three")):
            value = {"subject": name, "predicate": "is", "object": "old"}
            insert_legacy(conn, At(1, 1), stamp, Legacy("fact", name, number, value))

    assert [v.id for v in scope.resume().legacy_values] == ["one", "two", "three"]

    second = scope.record(first, facts=[Fact("one", "is", "new", id="one")])

    assert [v.id for v in scope.resume().legacy_values] == ["two", "three"]

    reject = [Resolution("fact", "two", None, "reject")]
    scope.reconcile(
        heads=[second],
        pointer=second,
        survivor=second,
        state=STATE,
        reason="r",
        resolutions=reject,
    )

    assert [v.id for v in scope.resume().legacy_values] == ["three"]
    assert () == made.doctor().problems


def test_a_legacy_loop_keeps_its_owner(made, scope):
    """A restated legacy loop has the owner it was imported with."""
    first = scope.checkpoint(STATE, parent=None)
    with made._storage.writing("importer") as (conn, stamp):
        value = {"next_action": "look", "owner": "ancient"}
        insert_legacy(conn, At(1, 1), stamp, Legacy("loop", "old", 0, value))
    second = scope.record(first, loops=[Loop("go", id="old")])

    assert "ancient" == second.loops[0].owner


def test_a_known_scope_may_be_empty(made, scope):
    """In a known scope without checkpoints only a first write goes on."""
    with made._storage.writing("importer") as (conn, stamp):
        add_scope(conn, stamp, scope.name)
    codes = [
        code(scope.record, None),
        code(scope.patch, None, {}),
        code(scope.plan_reconcile),
        code(scope.record, 1),
    ]

    assert ["SCOPE_EMPTY", "SCOPE_EMPTY", "SCOPE_EMPTY", "CONFLICT"] == codes
    assert "empty-scope" == scope.resume().as_of.selection
    assert 1 == scope.checkpoint(STATE, parent=None).revision


def test_divergent_values_come_in_pages(scope):
    """Pages of divergent values joined are the whole, newest first."""
    branched(scope, count=5)
    found, cursor = [], None
    while True:
        page = scope.divergent(limit=2, cursor=cursor)
        found, cursor = found + list(page), page.next
        if cursor is None:
            break

    assert ["c4", "c3", "c2", "c1", "c0"] == [item.value.object for item in found]


# --- warnings ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnopqrstuvwx",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "Authorization: Bearer abcdefghijklmnop.qrst",
        "postgres://user:hunter22@db/x",
        "password = correct-horse-battery",
        "xoxb-123456789012-abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk",
    ],
)
def test_what_looks_like_a_secret_is_flagged(scope, secret):
    """A write that seems to hold a secret says so, and is done all the same."""
    made = scope.checkpoint(state(f"use {secret} please"), parent=None)
    patched = scope.patch(made, {"status": secret})

    assert [("secret_warning", "$.state.status")] == [
        (warning.code, warning.path) for warning in made.warnings
    ]
    assert ["$.patch.status"] == [warning.path for warning in patched.warnings]


@pytest.mark.parametrize(
    "text",
    ["ask-about-it", "the secret of success", "a token of respect", "key points: a, b"],
)
def test_ordinary_words_are_no_secret(scope, text):
    """Words alone raise no warning."""
    assert () == scope.checkpoint(state(text), parent=None).warnings


def test_evidence_that_nothing_answers_to_is_flagged():
    """A citation the resolver does not know is a warning, and is recorded."""

    def resolver(citation):
        if citation.endswith("gone"):
            raise LookupError
        return {"source_state": "unchanged", "span_state": "intact"}

    with store(evidence=resolver) as made:
        written = made.scope(project="atlas").checkpoint(
            STATE,
            parent=None,
            evidence=["hsum://gone", "hsum://there", "a book"],
            facts=[Fact("a", "is", "b", evidence=["hsum://also/gone"])],
        )

    assert ["$.evidence[0]", "$.facts[0].evidence[0]"] == [
        warning.path for warning in written.warnings
    ]


# --- showing ----------------------------------------------------------------------


def test_values_show_themselves_escaped(scope):
    """A notebook shows checkpoints and history without letting their text act."""
    first = scope.checkpoint(
        State("<script>", "\u202e<b>", "w", ["<i>"], ["x"], ["y"]),
        parent=None,
        facts=[Fact("a", "is", "<b>")],
        events=[Event("decision", "<b>")],
        loops=[Loop("<b>")],
    )
    scope.record(first)
    branch = scope.checkpoint(state("b"), parent=first)
    plan = scope.plan_reconcile()
    scope.reconcile(**plan.request, reason="r")
    shown = "".join(one._repr_html_() for one in (first, scope.history(), plan))

    assert "<script" not in shown
    assert "<b>" not in shown
    assert "\u202e" not in shown
    assert f"r{branch.revision} write" in shown
    assert "[pointer]" in shown
    assert "[retired]" in shown
    assert "differs: objective" in shown


def test_every_value_is_one_telling_line(scope):
    """The repr of each value fits one line and says its state."""
    first, _, _ = branched(scope)
    plan = scope.plan_reconcile()
    conflict = refusal(scope.record, first)
    values = [
        first,
        first.state,
        first.changes,
        first.facts[0],
        first.facts[0].provenance,
        first.scope,
        Loop("look"),
        Event("decision", "go"),
        plan,
        plan.owed[0],
        plan.owed[0].reject(),
        scope,
        scope.heads(),
        scope.heads()[0],
        scope.history(),
        scope.divergent()[0],
        conflict,
    ]
    lines = [repr(value) for value in values]

    assert all("\n" not in line and len(line) < 160 for line in lines)
    assert "<Checkpoint r1 of atlas: write advanced>" == lines[0]


def test_names_of_the_package_are_there():
    """Every public name can be had, and none hides a submodule."""
    found = {name: getattr(hythe, name) for name in hythe.__all__}

    assert set(found) == set(dir(hythe))
    assert not {"checkpoint", "resume", "mail", "model", "testing", "care"} & set(found)
