"""A store with something of everything in it."""

from __future__ import annotations

import hythe
from hythe import Event, Fact, Loop, State
from hythe.testing import SequentialIds, SettableClock

STATE = State("ship search", "green", "planner", ["write tests"])
SECRET = "sk-abcdefghijklmnopqrstuvwx"


def opened(path, agent="planner", *, ids=SequentialIds):
    """Open a store whose clock stands still and whose ids repeat; None: as usual."""
    clock = SettableClock(1_700_000_000_000_000)
    return hythe.open(path, agent=agent, clock=clock, ids=ids and ids())


def filled(store):
    """Fill a store; return what the tests name."""
    atlas = store.scope(project="atlas")
    first = atlas.checkpoint(
        STATE,
        parent=None,
        facts=[Fact("search", "token", SECRET)],
        events=[Event("decision", "go")],
        evidence=["doc:1"],
        key="first",
    )
    pointed = atlas.checkpoint(STATE, parent=first, facts=[Fact("b", "is", "2")])
    lost = atlas.checkpoint(
        State("lost objective", "red", "critic", ["never read again"]),
        parent=first,
        facts=[Fact("lost", "is", "a lost value")],
        loops=[Loop("a lost loop")],
        key="lost",
    )
    plan = atlas.plan_reconcile()
    atlas.reconcile(**plan.request, reason="one line", reject_lineages=[lost])
    live = atlas.checkpoint(STATE, parent=pointed, facts=[Fact("live", "is", "1")])
    store.scope(task="review").checkpoint(STATE, parent=None)
    old = store.observe("billing", f"uses {SECRET}", metadata={"token": SECRET})
    store.observe("billing", "uses PostgreSQL 16", replaces=hythe.CURRENT, key="o")
    store.observe("billing", "is slow")
    thing = store.entity("thing", aliases=["gadget"], definition=f"opens {SECRET}")
    store.relate("billing", "depends-on", "thing", evidence=["doc:2"])
    store.register_agent("critic", capabilities=["review"], description="reads")
    mail = store.send("critic", text=f"the key is {SECRET}", scope=atlas, key="m")
    store.send("critic", text="shorter", supersedes=[mail.id])
    store.hand_off("critic", text="finish it", scope=atlas)
    critic = store.as_agent("critic")
    critic.read([mail.id])
    critic.archive([mail.id])
    store.credentials.issue("critic", ["state:read"])
    return {
        "first": first, "lost": lost, "live": live, "old": old, "thing": thing,
        "mail": mail,
    }  # fmt: skip


def bundles(store):
    """Return all that agents are told when they come back."""
    return {
        (agent, *scope.values()): str(
            store.as_agent(agent).scope(**scope).resume(budget=50_000, verify=True)
        )
        for agent in ("planner", "critic")
        for scope in ({"project": "atlas"}, {"task": "review"})
    }


def bytes_of(store):
    """Return every byte that the store's files hold."""
    folder, name = store.path.parent, store.path.name
    return b"".join(path.read_bytes() for path in folder.glob(f"{name}*"))
