"""Pruning: space comes back, ids and hashes stay, no history changes."""

from __future__ import annotations

import pytest

import hythe
from hythe import Fact, State
from tests.care.shop import bundles, bytes_of, filled, opened


@pytest.fixture
def made(tmp_path):
    """A store, and what was made in it."""
    with opened(tmp_path / "team.hythe") as store:
        yield store, filled(store)


def test_retired_and_settled_payloads_go(made):
    """The lost lineage is empty, every row is there, and doctor is clean."""
    store, known = made
    before = bundles(store)
    report = store.prune()

    assert (1, 1) == (report.checkpoints, report.states)
    assert b"lost value" not in bytes_of(store)
    assert b"lost objective" not in bytes_of(store)
    assert before == bundles(store)
    assert store.doctor(head=known["lost"].seal).ok


def test_reading_what_is_gone_says_so(made):
    """get and fetch are refused with PRUNED; history shows an empty place."""
    store, known = made
    store.prune()
    scope, lost = store.scope(project="atlas"), known["lost"]
    codes = []
    for call in (
        lambda: scope.get(lost.id),
        lambda: scope.get(lost.revision),
        lambda: store.fetch(f"hythe://snapshot/{lost.id}"),
    ):
        with pytest.raises(hythe.NotFound) as caught:
            call()
        codes.append(caught.value.code)
    (shown,) = (one for one in scope.history() if one.id == lost.id)

    assert ["PRUNED"] * 3 == codes
    assert (lost.seal, lost.content_hash) == (shown.seal, shown.content_hash)
    assert "[pruned]" == shown.state.objective == shown.facts[0].object


def test_keys_stay(made):
    """A retry of a pruned write is answered and adds no row."""
    store, known = made
    store.prune()
    scope = store.scope(project="atlas")
    again = scope.checkpoint(
        State("lost objective", "red", "critic", ["never read again"]),
        parent=known["first"],
        facts=[Fact("lost", "is", "a lost value")],
        loops=[hythe.Loop("a lost loop")],
        key="lost",
    )

    assert (known["lost"].id, True) == (again.id, again.replayed)
    assert 5 == len(scope.history())


def test_what_is_live_or_unsettled_stays(tmp_path):
    """No live branch and no value that is still owed loses its payload."""
    with opened(tmp_path / "team.hythe") as store:
        scope = store.scope(project="atlas")
        state = State("a", "green", "b")
        first = scope.checkpoint(state, parent=None)
        scope.record(first, facts=[Fact("x", "is", "1")])
        scope.checkpoint(state, parent=first, facts=[Fact("y", "is", "2")])

        assert 0 == store.prune().checkpoints


def test_a_live_branch_on_a_retired_one_keeps_it(made):
    """What a live head grew from is not pruned."""
    store, known = made
    scope = store.scope(project="atlas")
    scope.checkpoint(
        State("again", "x", "y"), parent=known["lost"], acknowledge_retired=True
    )

    assert 0 == store.prune().checkpoints
    assert scope.get(known["lost"].id).facts


def test_a_branch_can_still_grow_from_what_was_pruned(made):
    """Ids of facts and loops are known, so that work on them is judged as before."""
    store, known = made
    store.prune()
    scope = store.scope(project="atlas")
    loop = known["lost"].loops[0]
    made_again = scope.checkpoint(
        State("again", "x", "y"),
        parent=known["lost"],
        loops=[hythe.Loop("taken up", id=loop.id)],
        acknowledge_retired=True,
    )

    assert "branched" == made_again.outcome
    assert () == store.doctor().problems


def test_twice_prunes_nothing_more(made):
    """A second run finds nothing."""
    store, _ = made
    store.prune()

    assert (0, 0, 0) == hythe_counts(store.prune())


def hythe_counts(report):
    return report.checkpoints, report.states, report.messages


def test_a_dry_run_counts_and_changes_nothing(made):
    """It says what a run would take."""
    store, known = made
    dry = store.prune(dry_run=True)
    scope = store.scope(project="atlas")

    assert "lost objective" == scope.get(known["lost"].id).state.objective
    done = store.prune()
    assert (dry.checkpoints, dry.states, dry.bytes) == (
        done.checkpoints, done.states, done.bytes,
    )  # fmt: skip


def test_the_space_goes_back_to_the_disk(tmp_path):
    """Eight megabytes that were pruned leave the file."""
    with opened(tmp_path / "team.hythe") as store:
        scope = store.scope(project="atlas")
        first = scope.checkpoint(State("a", "green", "b"), parent=None)
        scope.record(first)
        for at in range(8):
            big = State(f"{at}" * 1_000_000, "red", "b")
            lost = scope.checkpoint(big, parent=first)
            plan = scope.plan_reconcile()
            scope.reconcile(**plan.request, reason="no", reject_lineages=[lost])
        before = store.path.stat().st_size
        report = store.prune()
        after = store.path.stat().st_size

        assert before > 8_000_000
        assert after < 1_000_000
        assert before - after == report.freed
        assert () == store.doctor().problems


def test_archived_messages_go(made):
    """What all recipients archived before the time is gone, for them and the sender."""
    store, known = made
    critic, identity = store.as_agent("critic"), known["mail"].id
    assert 0 == store.prune(archived_before="2020-01-01T00:00:00Z").messages
    report = store.prune(archived_before="2030-01-01T00:00:00Z")
    codes = []
    for call in (lambda: critic.message(identity), lambda: store.deliveries(identity)):
        with pytest.raises(hythe.NotFound) as caught:
            call()
        codes.append(caught.value.code)

    assert 1 == report.messages
    assert ["PRUNED"] * 2 == codes
    assert b"the key is" not in bytes_of(store)
    assert [2, 3] == [message.sequence for message in critic.inbox(archived=True)]
    assert () == store.doctor().problems


def test_others_do_not_learn_of_a_pruned_message(made):
    """A foreign id is the same as an unknown one, pruned or not."""
    store, known = made
    store.prune(archived_before="2030-01-01T00:00:00Z")
    with pytest.raises(hythe.NotFound) as caught:
        store.as_agent("stranger").message(known["mail"].id)

    assert "NOT_FOUND" == caught.value.code


def test_what_one_recipient_keeps_stays(tmp_path):
    """A message goes when the last recipient has archived it."""
    with opened(tmp_path / "team.hythe") as store:
        for name in ("a", "b"):
            store.register_agent(name)
        sent = store.send(everyone=True, text="to both")
        store.as_agent("a").archive([sent.id])
        kept = store.prune(archived_before="2030-01-01T00:00:00Z")
        store.as_agent("b").archive([sent.id])
        gone = store.prune(archived_before="2030-01-01T00:00:00Z")

        assert (0, 1) == (kept.messages, gone.messages)


def test_a_send_is_replayed_after_a_prune(made):
    """The key of a pruned message still gives its first result, and sends nothing."""
    store, known = made
    store.prune(archived_before="2030-01-01T00:00:00Z")
    text = "the key is sk-abcdefghijklmnopqrstuvwx"
    again = store.send("critic", text=text, scope=store.scope(project="atlas"), key="m")

    assert (known["mail"].id, True) == (again.id, again.replayed)


def test_a_time_without_zone_is_refused(made):
    """Naive times mean nothing here."""
    store, _ = made
    with pytest.raises(hythe.InvalidInput):
        store.prune(archived_before="2026-01-01 00:00:00")


def test_a_pruned_store_travels(made, tmp_path):
    """Export and import keep what is pruned pruned, and what is not, not."""
    store, known = made
    whole = store.export(tmp_path / "whole.jsonl").path
    store.prune()
    store.prune(archived_before="2030-01-01T00:00:00Z")
    pruned = store.export(tmp_path / "pruned.jsonl").path
    told = bundles(store)
    for name, files in (("a", (pruned, whole)), ("b", (whole, pruned))):
        with opened(tmp_path / name, ids=None) as other:
            for file in files:
                other.import_(file)

            assert told == bundles(other)
            assert () == other.doctor().problems
            scope = other.scope(project="atlas")
            codes = [] if name == "b" else ["PRUNED"]
            try:
                scope.get(known["lost"].id)
                found = []
            except hythe.NotFound as error:
                found = [error.code]
            assert codes == found


def test_a_pruned_value_cannot_be_accepted_any_more(made):
    """Seen from a branch before the reconcile it is owed again: reject it, or PRUNED."""
    store, known = made
    store.prune()
    scope, lost = store.scope(project="atlas"), known["lost"]
    plan = scope.plan_reconcile(survivor=known["live"].id)
    decided = [
        owed.accept() if owed.checkpoint == lost.id else owed.reject()
        for owed in plan.owed
    ]
    with pytest.raises(hythe.NotFound) as caught:
        scope.reconcile(**plan.request, reason="back", resolutions=decided)
    done = scope.reconcile(
        **plan.request, reason="back", resolutions=[owed.reject() for owed in plan.owed]
    )

    assert "PRUNED" == caught.value.code
    assert "reconciled" == done.outcome
    assert () == store.doctor().problems


def test_no_payload_is_too_short_to_count():
    """A checkpoint without changes has nothing to give, which is no negative number."""
    store = hythe.in_memory(agent="planner")
    scope = store.scope("atlas")
    state = State("ship", "green", "planner")
    first = scope.checkpoint(state, parent=None)
    second = scope.checkpoint(state, parent=first)
    branch = scope.checkpoint(state, parent=first)
    scope.reconcile(
        heads=[second, branch],
        pointer=second,
        survivor=second,
        state=state,
        reason="one is enough",
    )

    assert (1, 0) == (store.prune(dry_run=True).checkpoints, store.prune().bytes)
