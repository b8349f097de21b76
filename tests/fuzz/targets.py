"""What is fuzzed: functions that take any bytes, and raise when a law is broken.

Only typed errors may leave the library; what is accepted keeps the laws that stand in
each target.
"""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import attrs

import hsum
import hythe
from hsum._kernel import cursors as kernel_cursors
from hsum._kernel.catalogue import entry_of
from hsum.check.find import find
from hsum.check.pins import read_lock, write_lock
from hsum.index.decode import encoding_of
from hsum.index.ignore import IgnoreFile
from hsum.index.passages import cut
from hsum.index.records import broken_line, records
from hsum.retrieve.query import MAX_NEEDLES, parse
from hythe.checkpoint.patch import apply_patch
from tests.checkpoint.test_patch import merged
from tests.checkpoint.worlds import dump
from tests.fuzz import seeds, sessions

__all__ = ["TARGETS"]

Target = Callable[[bytes], None]


def _text(data: bytes) -> str:
    """Return any text, lone surrogates and all."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")


def _json(data: bytes) -> Any:
    """Return a JSON value that UTF-8 can carry; None for no JSON."""
    try:
        value = json.loads(data)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return None
    return value


def _refused(call: Callable[[], Any], *codes: str) -> hsum.Fault | None:
    """Return the typed error of a call, which must have one of the codes; None if none."""
    try:
        call()
    except hsum.Fault as fault:
        entry_of(fault.code)
        assert not codes or fault.code in codes, fault
        json.dumps(fault.as_dict(), allow_nan=False)
        return fault
    return None


# --- hsum -------------------------------------------------------------------------


def citations(data: bytes) -> None:
    """Parsing and printing are inverses; finding and checking end in verdicts."""
    text = _text(data)
    fault = _refused(lambda: hsum.Citation.parse(text), "CITATION_MALFORMED")
    if fault is None:
        assert text == str(hsum.Citation.parse(text))
    else:
        assert 1 <= fault.details["column"] <= len(text) + 1
    end = 0
    for one in find(text):
        assert one.start >= end
        assert one.raw == text[one.start : one.end]
        assert one.row == text.count("\n", 0, one.start) + 1
        end = one.end
    _refused(lambda: _index().check(text), "TEXT_INVALID", "TOO_LARGE")
    with contextlib.suppress(hsum.HsumError):
        pins = read_lock(data, "x")
        assert pins == read_lock(write_lock(pins.values()), "x")


def queries(data: bytes) -> None:
    """Each text is a query or refused by name; each phrase is found where it stands."""
    text = _text(data)
    fault = _refused(lambda: parse(text))
    if fault is not None:
        assert fault.code.startswith("QUERY_")
        assert 1 <= fault.details["column"] <= len(text) + 1
        assert fault.code == getattr(
            _refused(lambda: _index().search(text)), "code", None
        )
        return
    query = parse(text)
    assert text == query.text
    assert len(query.needles) <= MAX_NEEDLES
    assert all(needle.text in text for needle in query.needles)
    hits = _index().search(text, limit=100, timeout_ms=60_000)
    assert hits.stop_reason in ("unique_exhausted", "work_budget_exhausted")
    paths = {hit.path for hit in hits}
    for needle in query.needles:
        for name, body in seeds.CORPUS.items():
            stands = re.search(rf"(?<!\w){re.escape(needle.text)}(?!\w)", body.decode())
            assert stands is None or name in paths, (needle, name)


@cache
def _index() -> hsum.Index:
    """Return a small index that stays."""
    root = Path(tempfile.mkdtemp(prefix="fuzz-"))
    for name, body in seeds.CORPUS.items():
        (root / name).write_bytes(body)
    index = hsum.in_memory()
    index.ingest(root)
    return index


def json_lines(data: bytes) -> None:
    """Records cover the file in order, under keys of their own; so do passages."""
    found = records(data, b"a.jsonl")
    ends = [record.end for record in found]
    if found:
        assert [0, *ends[:-1]] == [record.start for record in found]
        assert len(data) == ends[-1]
        assert len({record.key for record in found}) == len(found)
        assert broken_line(data) is None
        for record in found:
            # One line of UTF-16 counts, though half of its line end is left out.
            row = json.loads(data[record.start : record.end].strip())
            assert record.key in {str(row.get(k)) for k in ("id", "_id", "key", "uuid")}
    line = broken_line(data)
    assert line is None or 1 <= line <= data.count(b"\n") + 1
    for name in (b"a.jsonl", b"a.py", b"a.md"):
        passages = cut(data, path=name, encoding=encoding_of(data))
        whole = b"".join(data[one.start : one.end] for one in passages)
        assert data == whole


def ignore_rules(data: bytes) -> None:
    """What a file of rules hides is what `git check-ignore` says of it.

    The rules end at two NULs; the lines that follow are names of files.
    """
    rules, _, names = data.partition(b"\0\0")
    paths = list(dict.fromkeys(filter(None, map(_path, names.split(b"\n")[:20]))))
    file = IgnoreFile(rules, source=b".gitignore")
    hidden = {path for path in paths if _hides(file, path)}
    if paths:
        assert _hidden_by_git(rules, paths) == hidden


def _path(name: bytes) -> bytes:
    parts = [part for part in name.replace(b"\0", b"").split(b"/") if part]
    usual = (part not in (b".", b"..") for part in parts)
    other = (part.lower()[:4] != b".git" and len(part) < 200 for part in parts)
    fine = all(usual) and all(other) and len(parts) < 9
    return b"/".join(parts) if fine else b""


def _hides(file: IgnoreFile, path: bytes) -> bool:
    """Judge a file as a walk does: a folder that is hidden hides what is in it."""
    at = path.find(b"/")
    while at >= 0:
        folder = file.last(path[:at], folder=True)
        if folder is not None and not folder.negated:
            return True
        at = path.find(b"/", at + 1)
    last = file.last(path, folder=False)
    return last is not None and not last.negated


def _hidden_by_git(rules: bytes, paths: list[bytes]) -> set[bytes]:
    (_repository() / ".gitignore").write_bytes(rules)
    # A leading "./" keeps names apart from pathspecs, which begin with a colon.
    asked = b"\0".join(b"./" + path for path in paths)
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=_repository(),
        input=asked,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {path[2:] for path in done.stdout.split(b"\0") if path}


@cache
def _repository() -> Path:
    root = Path(tempfile.mkdtemp(prefix="fuzz-"))
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(
        ["git", "config", "core.excludesFile", os.devnull], cwd=root, check=True
    )
    return root


# --- hythe ------------------------------------------------------------------------


def merge_patches(data: bytes) -> None:
    """A patch does what RFC 7396 says, once as twice, and changes neither argument."""
    value = _json(data)
    if not isinstance(value, list) or len(value) != 2:
        return
    before = copy.deepcopy(value)
    result = apply_patch(*value)
    assert result == merged(*copy.deepcopy(before))
    assert value == before
    assert result == apply_patch(result, value[1]) or not isinstance(value[1], dict)
    with hythe.in_memory(agent="planner") as store:
        scope = store.scope(project="atlas")
        first = scope.checkpoint(seeds.STATE, parent=None)
        if _refused(lambda: scope.patch(first, value[1])) is None:
            expected = merged(_state(first), copy.deepcopy(value[1]))
            assert expected == _state(scope.current())
        else:
            assert first == scope.current()


def _state(checkpoint: hythe.Checkpoint) -> dict[str, Any]:
    fields = attrs.asdict(checkpoint.state).items()
    return {key: list(v) if isinstance(v, tuple) else v for key, v in fields}


def imports(data: bytes) -> None:
    """A file comes in whole, the same by a second time, or changes nothing.

    It is tried as it stands, and with a manifest that fits its other lines.
    """
    for content in (data, seeds.with_manifest(data)):
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
            path = Path(folder) / "in.jsonl"
            path.write_bytes(content)
            for store in (_empty(), _filled()):
                _imported(store, path)


def _imported(store: hythe.Store, path: Path) -> None:
    before = dump(store)
    fault = _refused(
        lambda: store.import_(path),
        "IMPORT_CONFLICT",
        "INTEGRITY_FAILED",
        "INVALID_ARGUMENT",
        "SCHEMA_TOO_NEW",
        "STORE_DAMAGED",
        "TEXT_INVALID",
        "TOO_LARGE",
    )
    if fault is not None:
        assert before == dump(store), fault
        return
    assert {} == dict(store.import_(path).added)
    assert () == store.doctor().problems
    _empty.cache_clear()
    _filled.cache_clear()


@cache
def _empty() -> hythe.Store:
    return hythe.in_memory(agent="planner")


@cache
def _filled() -> hythe.Store:
    store = hythe.in_memory(agent="planner")
    seeds.fill(store)
    return store


# --- both -------------------------------------------------------------------------


def cursors(data: bytes) -> None:
    """A cursor is a page's, or refused: as it stands, and forged with a true check."""
    token, change = _text(data), _json(data)
    for page in _pages():
        codes = ("INVALID_ARGUMENT", "STALE_CURSOR")
        _refused(lambda page=page: page(token), *codes)
        if isinstance(change, dict):
            forged = _forged(page, change)
            if forged is not None:
                _refused(lambda page=page, forged=forged: page(forged), *codes)


def _forged(page: Callable[[str | None], Any], change: dict[str, Any]) -> str | None:
    """Return a call's own cursor with other values, and a check that fits them."""
    payload = dict(kernel_cursors._opened(_token(page)) or {})
    kind = payload.pop("kind")
    try:
        return kernel_cursors.encode(kind, {**payload, **change})
    except (hsum.Fault, TypeError):
        return None


@cache
def _token(page: Callable[[str | None], Any]) -> str:
    found = page(None)
    token = found.cursor if isinstance(found, hsum.Hits) else found.next
    assert token, page
    return str(token)


@cache
def _pages() -> list[Callable[[str | None], Any]]:
    """Return every call that pages, each asked for one item."""
    store = _filled()
    scope = store.scope(project="atlas")
    credentials = store.credentials
    return [
        lambda cursor: _index().search("steer the helm", limit=1, cursor=cursor),
        lambda cursor: scope.history(limit=1, cursor=cursor),
        lambda cursor: scope.heads(limit=1, cursor=cursor),
        lambda cursor: scope.divergent(limit=1, resolved=True, cursor=cursor),
        lambda cursor: scope.resume(budget=600, cursor=cursor),
        lambda cursor: store.entities(limit=1, cursor=cursor),
        lambda cursor: store.observations("billing", limit=1, cursor=cursor),
        lambda cursor: store.relations("billing", limit=1, cursor=cursor),
        lambda cursor: store.search("billing costs", limit=1, cursor=cursor),
        lambda cursor: store.as_agent("critic").inbox(limit=1, cursor=cursor),
        lambda cursor: store.agents(limit=1, cursor=cursor),
        lambda cursor: credentials.list(limit=1, cursor=cursor),
        lambda cursor: credentials.audit(limit=1, cursor=cursor),
    ]


def frames(data: bytes) -> None:
    """Both servers answer each request once, in frames of their protocol alone."""
    for answered in sessions.served(data):
        sessions.check(answered)


TARGETS: dict[str, Target] = {
    target.__name__.replace("_", "-"): target
    for target in (
        citations,
        queries,
        cursors,
        frames,
        merge_patches,
        ignore_rules,
        imports,
        json_lines,
    )
}
