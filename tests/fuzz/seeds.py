"""Where fuzzing begins: real inputs of each target, made from what is known to be good."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import hythe
from hsum._kernel import cursors
from hythe.testing import SequentialIds, SettableClock
from tests.care.shop import filled
from tests.checkpoint.test_patch import VECTORS

__all__ = ["CORPUS", "SEEDS", "STATE", "TOKENS", "fill", "with_manifest"]

STATE = hythe.State("ship search", "green", "planner", ["write tests"], [], ["no rush"])

CORPUS = {
    "helm.py": b"class Helm:\n    def steer(self, x_1):\n        return foo::bar(x_1)\n",
    "sea.md": '# Sea\n\nSalt water. "Salt" is NaCl; см. Straße, 東京, É\n'.encode(),
    "flags.txt": b"--flag=1 .env C++ user@example.org >>> a->b [x] (y) 38.101 a\tb\n",
    "twice.txt": b"Salt water.\nsteer the helm\n",
    "lines.jsonl": b'{"id": 1, "t": "steer"}\n{"id": 2, "t": "Salt water"}\n',
}

URI = (
    "hsum://v1/6ba7b810-9dad-41d1-80b4-00c04fd430c8/6ba7b811-9dad-41d1-80b4-00c04fd430c8"
    f"/6ba7b812-9dad-41d1-80b4-00c04fd430c8?rev={'a' * 64}#bytes=0-12"
)


def _citations() -> list[bytes]:
    pin = {
        "citation": "helm.py:1-2", "path": "helm.py", "rev": "a" * 64,
        "span": [0, 12], "span_sha256": "b" * 64, "lead": 0,
    }  # fmt: skip
    lock = {"format": "hsum-citations/1", "citations": [pin]}
    texts = [
        URI,
        f"as <{URI}>, and `helm.py:1-3` says:\n\n> class Helm\n\nsee [x](sea.md#L1-L3).",
        "grep says sea.md:12:5: error, helm.py:9-3, ../sea.md:1 and http://a.org:80/b#L3",
        '"Salt water." (sea.md:3) and “steer” (`helm.py:2`)\n```\nfoo::bar\n```\n',
        json.dumps(lock),
    ]
    return [text.encode() for text in texts]


def _queries() -> list[bytes]:
    texts = [
        "steer helm", '"Salt water." Helm.steer', "foo::bar(x_1) --flag=1", '"a\tb"',
        ">>> [x] (y)", "Straße 東京 É", 'adapter"" ""', '"unclosed', "`foo bar` C++",
        "how do I steer the helm?", "\0", " ", "x " * 2_100,
    ]  # fmt: skip
    return [
        *(text.encode() for text in texts),
        "\ud800".encode("utf-8", "surrogatepass"),
    ]


def _cursors() -> list[bytes]:
    changes: list[dict[str, Any]] = [
        {"after": 1}, {"after": "a"}, {"before": [1, "x", 2]}, {"position": 5},
        {"p": [[1, 2, 3], 4]}, {"skip": 7}, {"at": 1, "step": 0}, {"before": None},
    ]  # fmt: skip
    tokens = [cursors.encode("entities", {"after": 3}), cursors.encode("r", {"b": "x"})]
    return [
        *(json.dumps(change).encode() for change in changes),
        *(token.encode() for token in tokens),
    ]


def _frames() -> list[bytes]:
    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        return request("tools/call", name=tool, arguments=arguments)

    def request(method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}

    scope = {"project": "atlas"}
    many = [
        request("tools/list"),
        request("ping"),
        request("resources/templates/list"),
        request("resources/read", uri=URI),
        request("resources/read", uri="hythe://snapshot/x?offset=1"),
        request("prompts/get", name="cite_evidence", arguments={"question": "why?"}),
        call("evidence_search", query="steer helm", limit=2, path=["*.py"]),
        call("evidence_get", citation=URI, around=1, max_bytes=9, verify=True),
        call("evidence_check", text="see helm.py:1"),
        call("evidence_project"),
        call("resume", **scope, budget=600, sections=["working"], cursor="x"),
        call("patch", **scope, parent=1, mergePatch={"nextActions": []}, key="k"),
        call("record", **scope, parent=1, key="r", facts=[{"subject": "a"}]),
        call(
            "checkpoint", **scope, state={"objective": "x"}, key="c", createScope=True
        ),
        call(
            "reconcile", **scope, heads=[1], pointer=1, survivor=1, reason="x", key="z"
        ),
        call("add_observations", observations=[{"entity": "a", "text": "b"}]),
        call("get_messages", author="critic", limit=1, wait=0),
        call("send_message", to="critic", text="hello", thread="t", key="m"),
        call("get_entity_neighborhood", entity="billing", hops=2),
    ]
    lines = [json.dumps(frame).encode() + b"\n" for frame in many]
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 7}}
    return [
        *lines,
        lines[6] + json.dumps({"jsonrpc": "2.0", **cancelled}).encode() + b"\n",
        b"[]\n{}\nnull\n" + lines[1],
    ]


def _merge_patches() -> list[bytes]:
    pairs = [[target, patch] for target, patch, _ in VECTORS]
    states = [{"status": "done"}, {"next_actions": ["a", None]}, {"owner": None}, {}]
    return [json.dumps(pair).encode() for pair in [*pairs, *([1, s] for s in states)]]


def _ignore_rules() -> list[bytes]:
    names = b"\0\0a\na/b\nb/c.o\nfoo.c\nfoo/bar\na b\n#x\n!y\nfoo/a/b/bar\nA"
    rules = [
        b"*.o\n!b/c.o\n/a\n", b"foo/**\n!foo/bar", b"**/bar\n\\#x\n\\!y\n", b"a\\ b\n",
        b"[a-c]\n[!a]*\n[[:alpha:]]/b\n", b"a/\r\n#x\n\n/foo.c ", b"\xef\xbb\xbfa\n",
        b"foo/**/bar\nfoo**/b", b"[a\n\\\n*\n!*/\n!*.c",
    ]  # fmt: skip
    return [rule + names for rule in rules]


def fill(store: hythe.Store) -> None:
    """Record several of everything, so that each listing has a second page."""
    filled(store)
    store.register_agent("planner")
    store.register_agent("builder")
    store.relate("billing", "needs", "thing")
    store.send("critic", text="one more")
    store.credentials.issue("builder", ["state:read"])
    for at in range(3):
        store.observe("billing", f"costs {at}")
    scope = store.scope(project="atlas")
    for at in range(2):
        scope.checkpoint(STATE, parent=1, facts=[hythe.Fact("cost", "is", str(at))])


def _imports() -> list[bytes]:
    def small(store: hythe.Store) -> None:
        first = store.scope(project="atlas").checkpoint(STATE, parent=None, key="a")
        store.scope(project="atlas").record(first, facts=[hythe.Fact("a", "is", "b")])
        store.send("critic", text="look")

    def memory(store: hythe.Store) -> None:
        store.observe("billing", "is fast", evidence=["doc:1"], key="o")
        store.observe("billing", "is slow", replaces=hythe.CURRENT)
        store.relate("billing", "uses", "db")

    return [_exported(fill) for fill in (small, memory, filled)]


def _exported(fill_in: Callable[[hythe.Store], object]) -> bytes:
    options = {"clock": SettableClock(1_700_000_000_000_000), "ids": SequentialIds()}
    with (
        hythe.in_memory(agent="planner", **options) as store,
        tempfile.TemporaryDirectory() as folder,
    ):
        fill_in(store)
        return store.export(Path(folder) / "x").path.read_bytes()


def with_manifest(data: bytes) -> bytes:
    """Return an export whose last line is true of the lines before it."""
    *lines, last = data.splitlines(keepends=True) or [b""]
    if not last.startswith(b'{"manifest"'):
        lines.append(last)
    kinds: Counter[str] = Counter(dict.fromkeys(hythe_kinds(), 0))
    for line in lines:
        try:
            kinds.update(key for key in json.loads(line) if key in kinds)
        except (ValueError, TypeError, RecursionError):
            continue
    body = b"".join(lines)
    said = {
        "counts": dict(kinds),
        "rows": kinds.total(),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    return body + json.dumps({"manifest": said}).encode() + b"\n"


def hythe_kinds() -> list[str]:
    from hythe.care.export import KINDS

    return list(KINDS)


def _json_lines() -> list[bytes]:
    return [
        b'{"id": "a", "text": "x"}\n{"id": "b"}\n\n{"id": 3}',
        b'\n\n{"_id": 1}\r\n{"key": "k"}\n{"uuid": "u"}\n',
        b'{"id": "a"}\n{"id": "a"}\n',
        b'{"id": true}\n[1]\nnull\n',
        b"\xef\xbb\xbf" + b'{"id": 1}\n',
        '{"id": 1, "t": "x"}\n'.encode("utf-16"),
        b"def f():\n    pass\n\n\n# Heading\n```\ncode\n```\n" + b"word " * 700,
    ]


SEEDS: dict[str, Callable[[], list[bytes]]] = {
    "citations": cache(_citations),
    "queries": cache(_queries),
    "cursors": cache(_cursors),
    "frames": cache(_frames),
    "merge-patches": cache(_merge_patches),
    "ignore-rules": cache(_ignore_rules),
    "imports": cache(_imports),
    "json-lines": cache(_json_lines),
}

# What mutations put in: the words of each grammar, and values at the edges of types.
_EDGES = (
    b"null", b"true", b"[]", b"{}", b'""', b"-1", b"0", b"9007199254740992", b"1e999",
    b"NaN", b'"\\ud800"', b"\\u0000", b"\xff", b"\0", b"\n", b"\xef\xbb\xbf", b"[[[[[[[[",
)  # fmt: skip
TOKENS: dict[str, tuple[bytes, ...]] = {
    "citations": (
        b"hsum://v1/",
        b"#bytes=",
        b"?rev=",
        b"#L",
        b":1-",
        b"`",
        b"> ",
        b'"',
    ),
    "queries": (b'"', b"::", b"`", b"()", b"--", b" ", b".", b"helm", b"Salt water"),
    "cursors": (*_EDGES, b'"after"', b'"before"', b'"position"', b'"p"', b'"skip"'),
    "frames": (*_EDGES, b'"id"', b'"params"', b'"arguments"', b'"name"', b'"key"'),
    "merge-patches": (*_EDGES, b'"status"', b'"next_actions"', b'"owner"', b": "),
    "ignore-rules": (b"*", b"**", b"/", b"!", b"\\", b"[", b"]", b"[[:alpha:]]", b"?"),
    "imports": (*_EDGES, b'"scope"', b'"id"', b'"digest"', b'"seal"', b'"revision"'),
    "json-lines": (*_EDGES, b'"id"', b'"key"', b"\r\n", b"def ", b"```", b"# "),
}
