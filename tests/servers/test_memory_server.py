"""The memory server: every tool, two agents, conflicts as results."""

from __future__ import annotations

import json
import time

import pytest
from mcp import MCPError

import hythe
from tests.servers.sessions import INITIALIZE, answer, call, client, fault, frames, run

STATE = {"objective": "ship", "status": "green", "owner": "planner"}
SCOPE = {"project": "atlas"}


@pytest.fixture
def store(tmp_path):
    """The path of a store that is not made yet."""
    return tmp_path / "team.hythe"


def served(store, agent):
    return client("hythe", "mcp", "--store", str(store), "--agent", agent)


async def done(session, tool, **arguments):
    return answer(await session.call_tool(tool, arguments))


def test_every_tool_answers(store):
    """All twenty-three tools work through the SDK's own client."""

    async def work():
        async with served(store, "planner") as session:
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            called = set()

            async def use(tool, **arguments):
                called.add(tool)
                return await done(session, tool, **arguments)

            first = await use(
                "checkpoint", **SCOPE, state=STATE, key="a", createScope=True
            )
            await use("record", **SCOPE, parent=1, key="b",
                      facts=[{"subject": "search", "predicate": "p95", "object": "40 ms"}])  # fmt: skip
            await use(
                "patch", **SCOPE, parent=2, key="c", mergePatch={"nextActions": ["t"]}
            )
            await done(session, "checkpoint", **SCOPE, parent=1, key="d", state=STATE)
            plan = await use("plan_reconcile", **SCOPE)
            heads = [head["id"] for head in plan["heads"]]
            joined = await use("reconcile", **SCOPE, key="e", heads=heads, reason="r",
                               pointer=plan["pointer"], survivor=plan["survivor"], state=STATE)  # fmt: skip
            await use("create_entities", entities=[{"name": "api"}, {"name": "api"}])
            await use("add_observations", mode="replace-current",
                      observations=[{"entity": "api", "text": "uses pg"}])  # fmt: skip
            await use(
                "create_relations",
                relations=[{"from": "api", "type": "on", "to": "pg"}],
            )
            await use("get_current_observation", entity="api")
            await use("get_entity_detail", entity="api")
            near = await use("get_entity_neighborhood", entity="api")
            await use("search_entities", query="pg")
            await use("discover_related_context", **SCOPE, intent="pg api")
            await use("register_agent", agent="critic", capabilities=["review"])
            await use("send_message", to="planner", text="note to self")
            await use("send_handoff", to="planner", text="finish", **SCOPE)
            inbox = await use("get_messages")
            ids = [message["id"] for message in inbox["messages"]]
            await use("get_message_detail", id=ids[0])
            for tool in ("mark_read", "acknowledge", "archive_messages"):
                await use(tool, ids=ids[:1])
            await use("get_agent_status", agent="planner")
            resumed = await use("resume", **SCOPE)
            uri = resumed["sections"]["evidence"][-1] if "sections" in resumed else None
            return tools, called, first, joined, near, inbox, uri

    tools, called, first, joined, near, inbox, _uri = run(work)

    assert called == set(tools)
    assert first["outcome"] == "written"
    assert first["advanced"]
    assert joined["checkpoint"]["operation"] == "reconcile"
    assert near["near"]
    assert len(inbox["messages"]) == 2
    assert all(not t.input_schema["additionalProperties"] for t in tools.values())


def test_two_agents_meet(store):
    """A hands off, B resumes and patches; A's stale patch names B's pointer."""

    async def work():
        async with served(store, "planner") as a, served(store, "critic") as b:
            first = await done(
                a, "checkpoint", **SCOPE, state=STATE, key="1", createScope=True
            )
            await done(b, "register_agent", agent="critic")
            await done(a, "send_handoff", to="critic", text="finish the tests", **SCOPE)
            waiting = await done(b, "resume", **SCOPE, sections=["handoffs"])
            again = await done(b, "resume", **SCOPE, sections=["handoffs"])
            inbox = await done(b, "get_messages")
            handoff = inbox["messages"][0]["id"]
            await done(b, "acknowledge", ids=[handoff])
            after = await done(b, "resume", **SCOPE, sections=["handoffs"])
            parent = first["checkpoint"]["id"]
            theirs = await done(
                b,
                "patch",
                **SCOPE,
                parent=parent,
                key="2",
                mergePatch={"status": "red"},
            )
            stale = await done(
                a, "patch", **SCOPE, parent=parent, key="3", mergePatch={"owner": "a"}
            )
            mine = await done(
                a,
                "patch",
                **SCOPE,
                parent=stale["pointer"],
                key="4",
                mergePatch={"owner": "a"},
            )
            return waiting, again, after, theirs, stale, mine

    waiting, again, after, theirs, stale, mine = run(work)

    assert waiting["coverage"]["handoffs"][:2] == [1, 1]
    assert waiting["coverage"] == again["coverage"]
    assert after["coverage"]["handoffs"][:2] == [0, 0]
    assert stale["outcome"] == "conflict"
    assert stale["pointer"] == theirs["checkpoint"]["id"]
    assert stale["headCount"] == len(stale["heads"]) == 1
    assert mine["checkpoint"]["state"]["status"] == "red"
    with hythe.open(store, agent="reader") as opened:
        history = opened.scope(project="atlas").history()
        assert [(c.revision, c.author) for c in history][::-1] == [
            (1, "planner"), (2, "critic"), (3, "planner"),
        ]  # fmt: skip
        assert not opened.doctor().problems


def test_outcomes_of_a_retry(store):
    """The same key replays; another request under it is a mismatch."""

    async def work():
        async with served(store, "planner") as session:
            asked = {**SCOPE, "state": STATE, "key": "k", "createScope": True}
            return [
                await done(session, "checkpoint", **asked),
                await done(session, "checkpoint", **asked),
                await done(
                    session,
                    "checkpoint",
                    **{**asked, "state": {**STATE, "status": "x"}},
                ),
            ]

    outcomes = run(work)

    assert [one["outcome"] for one in outcomes] == [
        "written", "idempotent-replay", "idempotency-mismatch",
    ]  # fmt: skip
    assert outcomes[0]["checkpoint"]["id"] == outcomes[1]["checkpoint"]["id"]
    assert "checkpoint" not in outcomes[2]


def test_aliases_are_the_documented_ones(store):
    """Older names of arguments are understood, and no others."""

    async def work():
        async with served(store, "planner") as session:
            await done(
                session,
                "checkpoint",
                **SCOPE,
                state=STATE,
                idempotencyKey="1",
                createScope=True,
            )
            patched = await done(
                session, "patch", **SCOPE, expectedRevision=1, idempotencyKey="2",
                statePatch={"status": "red"}, agentId="planner",
            )  # fmt: skip
            both = fault(await session.call_tool(
                "patch", {**SCOPE, "parent": 2, "expectedRevision": 2, "key": "3", "mergePatch": {}}
            ))  # fmt: skip
            other = fault(
                await session.call_tool(
                    "patch", {**SCOPE, "base": 2, "key": "3", "mergePatch": {}}
                )
            )
            return patched, both, other

    patched, both, other = run(work)

    assert patched["checkpoint"]["state"]["status"] == "red"
    assert both["code"] == other["code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("checkpoint", {**SCOPE, "state": STATE, "createScope": True}, "INVALID_ARGUMENT"),
        ("checkpoint", {**SCOPE, "state": STATE, "key": "k"}, "SCOPE_UNKNOWN"),
        ("checkpoint", {"state": STATE, "key": "k", "createScope": True}, "SCOPE_INVALID"),
        ("checkpoint", {**SCOPE, "state": {"objective": "x"}, "key": "k", "createScope": True}, "INVALID_ARGUMENT"),
        ("resume", {"project": "nope"}, "SCOPE_UNKNOWN"),
        ("resume", {**SCOPE, "author": "someone"}, "IDENTITY_MISMATCH"),
        ("archive_messages", {"ids": ["6ba7b810-9dad-41d1-80b4-00c04fd430c8"]}, "NOT_FOUND"),
        ("get_entity_detail", {"entity": "nobody"}, "NOT_FOUND"),
        ("add_observations", {"observations": [{"entity": "a", "text": "b", "x": 1}]}, "INVALID_ARGUMENT"),
    ],
)  # fmt: skip
def test_refusals_reach_the_model_and_write_nothing(store, tool, arguments, code):
    """Each refusal is an error result with code, message and hint."""
    replies, _ = frames(
        ["hythe", "mcp", "--store", str(store), "--agent", "planner"],
        [*INITIALIZE, call(1, tool, **arguments)],
    )
    refused = json.loads(replies[-1]["result"]["content"][0]["text"])

    assert replies[-1]["result"]["isError"]
    assert refused["code"] == code
    assert refused["hint"]
    with hythe.open(store, agent="reader") as opened:
        assert not opened.entities()
        assert not opened.scope(project="atlas").history()


def test_a_batch_is_all_or_nothing(store):
    """One unknown id in the middle, and nothing of the batch is recorded."""
    with hythe.open(store, agent="a") as opened:
        with pytest.raises(hythe.NotFound):
            opened.add_observations(
                [
                    {"entity": "api", "text": "one"},
                    {
                        "entity": "api",
                        "text": "two",
                        "supersedes": ["6ba7b810-9dad-41d1-80b4-00c04fd430c8"],
                    },
                ]
            )
        assert not opened.entities()
        opened.add_observations(
            [{"entity": "api", "text": n} for n in "ab"], mode="replace-current"
        )
        assert opened.current_observation("api").also_live_count == 0


def test_handles_are_resources(store):
    """What resume names can be read, verified, piece by piece."""
    long = "x" * 200_000

    async def work():
        async with served(store, "planner") as session:
            await done(
                session, "checkpoint", **SCOPE, state=STATE, key="1", createScope=True
            )
            await done(session, "record", **SCOPE, parent=1, key="2",
                       facts=[{"subject": "s", "predicate": "p", "object": long}])  # fmt: skip
            resumed = await done(session, "resume", **SCOPE)
            handle = next(
                part
                for part in json.dumps(resumed).split('"')
                if part.startswith("hythe://value/")
            )
            text, at = "", 0
            while at is not None:
                read = await session.read_resource(f"{handle}?offset={at}")
                piece = json.loads(read.contents[0].text)
                text, at = text + piece["text"], piece["next"]
            return text

    assert json.loads(run(work))["object"] == long


def test_a_cancelled_wait_ends_its_work(store):
    """An hour of waiting for mail is given up at once, and the server can end."""
    cancel = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 1, "reason": "enough"},
    }
    began = time.monotonic()
    replies, done = frames(
        ["hythe", "mcp", "--store", str(store), "--agent", "planner"],
        [
            *INITIALIZE,
            call(1, "get_messages", wait=3600),
            cancel,
            call(2, "get_agent_status"),
        ],
        unanswered=[1],
    )

    assert [reply["id"] for reply in replies if "result" in reply] == [0, 2]
    assert done.returncode == 0
    assert time.monotonic() - began < 50


def test_every_kind_of_resource_is_read(store):
    """Snapshots, messages and handoffs are read by their handles; others' mail is not."""

    async def work():
        async with served(store, "planner") as a, served(store, "critic") as b:
            first = await done(
                a, "checkpoint", **SCOPE, state=STATE, key="1", createScope=True
            )
            note = await done(a, "send_message", to="critic", text="a note")
            work = await done(a, "send_handoff", to="critic", text="the work", **SCOPE)
            handles = {
                "hythe/1": f"hythe://snapshot/{first['checkpoint']['id']}",
                "a note": f"hythe://message/{note['id']}",
                "the work": f"hythe://handoff/{work['id']}",
            }
            read = {
                text: json.loads((await b.read_resource(uri)).contents[0].text)
                for text, uri in handles.items()
            }
            with pytest.raises(MCPError):
                await a.read_resource(handles["a note"])
            with pytest.raises(MCPError):
                await a.read_resource("hythe://nothing/x")
            return read

    read = run(work)

    assert all(text in piece["text"] for text, piece in read.items())
    assert all(piece["untrustedContent"] for piece in read.values())
