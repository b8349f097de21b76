"""One history from the first write to the reconcile of a reconcile."""

from __future__ import annotations

import pytest

from hythe import Fact, Loop
from tests.checkpoint.worlds import code, refusal, state, store


@pytest.fixture(params=["memory", "disk"])
def scope(request, tmp_path):
    path = tmp_path / "team.hythe" if request.param == "disk" else None
    with store(path) as made:
        yield made.scope(project="atlas")
        problems = made.doctor().problems

    assert problems == ()


def test_a_history_branches_conflicts_and_reconciles(scope):
    """Writes branch, records conflict, a reconcile settles and retires, and so again."""
    a = scope.checkpoint(
        state("a"), parent=None, facts=[Fact("search", "p95", "40 ms")]
    )
    (fact,) = a.changes

    assert (a.revision, a.parent, a.outcome) == (1, None, "advanced")
    assert scope.current() == a

    b = scope.checkpoint(state("b"), parent=1)

    assert (b.revision, b.outcome, scope.current()) == (2, "advanced", b)

    c = scope.checkpoint(state("c"), parent=1, facts=[a.facts[0].but(object="30 ms")])

    assert (c.revision, c.outcome, scope.current()) == (3, "branched", b)
    assert [f.object for f in scope.resume().current_facts] == ["40 ms"]
    assert [(d.id, d.value.object, d.head) for d in scope.divergent()] == [
        (fact, "30 ms", c.id)
    ]

    conflict = refusal(scope.record, c, loops=[Loop("measure again")])

    assert conflict.reasons == ("not-current",)
    assert [head.id for head in conflict.heads] == [c.id, b.id]
    assert (conflict.pointer, conflict.head_count) == (b.id, 2)
    assert len(scope.history()) == 3

    d = scope.record(b, loops=[Loop("measure again")])
    asked = {"pointer": d, "survivor": d, "state": state("e"), "reason": "settle"}

    assert d.revision == 4
    assert (
        code(scope.reconcile, **{**asked, "heads": [b, c], "pointer": b}) == "CONFLICT"
    )

    unresolved = refusal(scope.reconcile, **asked, heads=[c, d])

    assert unresolved.code == "RECONCILE_UNRESOLVED"
    assert [(o["id"], o["checkpoint"]) for o in unresolved.owed] == [(fact, c.id)]
    assert len(scope.history()) == 4

    rejecting = {**asked, "reject_lineages": [c], "key": "settle-1"}
    e = scope.reconcile(**rejecting, heads=[c, d])

    assert (e.revision, e.parent, e.outcome) == (5, d.id, "reconciled")
    assert [head.id for head in scope.heads()] == [e.id]
    assert scope.current() == e
    assert [f.object for f in scope.resume().current_facts] == ["40 ms"]

    again = scope.reconcile(**rejecting, heads=[d, c])

    assert (again, again.replayed, len(scope.history())) == (e, True, 5)

    assert code(scope.checkpoint, state("f"), parent=c) == "PARENT_RETIRED"

    f = scope.checkpoint(state("f"), parent=c, acknowledge_retired=True)
    patch = refusal(scope.patch, e, {"status": None})
    as_of = scope.resume().as_of

    assert (f.outcome, scope.current()) == ("branched", e)
    assert (patch.code, patch.details["path"]) == ("PATCH_INVALID", "$.status")
    assert (as_of.live_heads, as_of.divergent_heads, as_of.retired_heads) == (2, 1, 1)

    onto = {
        "heads": [e, f],
        "pointer": e,
        "survivor": f,
        "state": state("g"),
        "reason": "the branch was right",
    }

    assert code(scope.reconcile, **onto) == "PARENT_RETIRED"

    onto["acknowledge_retired"] = True
    unresolved = refusal(scope.reconcile, **onto)

    assert [(o["kind"], o["checkpoint"]) for o in unresolved.owed] == [
        ("fact", c.id),
        ("loop", d.id),
    ]

    plan = scope.plan_reconcile(f)
    g = scope.reconcile(
        **{**onto, **plan.request, "state": state("g")},
        resolutions=[owed.accept() for owed in plan.owed],
    )
    (kept,) = scope.resume().current_facts
    (loop,) = scope.resume().open_loops

    assert plan.needs_acknowledgement
    assert (g.revision, scope.current()) == (7, g)
    assert (kept.object, kept.provenance.accepted_from) == ("30 ms", c.id)
    assert (loop.next_action, loop.provenance.accepted_from) == ("measure again", d.id)
