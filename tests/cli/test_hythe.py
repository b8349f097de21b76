"""hythe on the command line: state, memory, messages, identities."""

from __future__ import annotations

import json
import os
import re
import threading

import pytest

from adapters.cli import dash, sources
from hsum import Fault
from hsum._kernel.text import MAX_TEXT_BYTES
from hythe.care import exchange
from hythe.checkpoint.content import MAX_CALL_BYTES
from tests.cli.conftest import STATE

SCOPE = ["--project", "atlas"]
WHOLE = {
    "objective": "ship search",
    "status": "green",
    "owner": "planner",
    "nextActions": ["write tests"],
    "blockers": [],
    "guardrails": [],
}


def test_the_first_checkpoint_is_written_from_words(hythe):
    """Options say the state; the result says what the call did."""
    done = hythe.json("checkpoint", *SCOPE, *STATE, "--next-action", "write tests")

    assert ("written", True) == (done["outcome"], done["advanced"])
    assert WHOLE == done["checkpoint"]["state"]
    assert 1 == done["checkpoint"]["revision"]
    assert done["untrustedContent"] is True


@pytest.mark.parametrize("way", ["option", "at", "file", "stdin", "stdin-file"])
def test_a_state_comes_as_json_from_anywhere(hythe, tmp_path, way):
    """As an option, from a file, or through a pipe."""
    (tmp_path / "state.json").write_text(json.dumps(WHOLE), encoding="utf-8")
    words = {
        "option": ["--state", json.dumps(WHOLE)],
        "at": ["--state", "@state.json"],
        "file": ["--state-file", "state.json"],
        "stdin": ["--state", "-"],
        "stdin-file": ["--state-file", "-"],
    }[way]

    done = hythe.json("checkpoint", *SCOPE, *words, input=json.dumps(WHOLE))

    assert WHOLE == done["checkpoint"]["state"]


def test_a_write_elsewhere_is_a_branch(atlas):
    """The pointer stays, and the words say so."""
    done = atlas.ok("checkpoint", *SCOPE, "--parent", 1, *STATE, "--agent", "critic")
    heads = atlas.json("heads", *SCOPE)["heads"]

    assert "r3 branched  write on atlas by critic" == done.out.splitlines()[0]
    assert [(3, False), (2, True)] == [(h["revision"], h["current"]) for h in heads]


def test_a_conflict_is_a_result_and_exits_with_1(atlas):
    """Heads and pointer are there to try again at once, marked as others' data."""
    words = ["record", *SCOPE, "--parent", 1, "--fact", "a", "b", "c"]
    done = atlas(*words, "--json")
    shown = atlas(*words)
    pointer = atlas.json("heads", *SCOPE)["heads"][0]["id"]

    assert 1 == done.status == shown.status
    assert done.json["untrustedContent"] is True
    assert ("conflict", ["not-current"], 1, pointer) == (
        done.json["outcome"],
        done.json["reasons"],
        done.json["headCount"],
        done.json["pointer"],
    )
    assert pointer in shown.out
    assert shown.err.startswith("CONFLICT")


def test_a_key_makes_a_retry_harmless(atlas):
    """The same request gives the first result, another one a mismatch."""
    words = ["record", *SCOPE, "--parent", 2, "--key", "k", "--fact", "a", "b"]
    first = atlas.json(*words, "c")
    again = atlas.json(*words, "c")
    other = atlas(*words, "d", "--json")

    assert ("written", "idempotent-replay") == (first["outcome"], again["outcome"])
    assert first["checkpoint"]["id"] == again["checkpoint"]["id"]
    assert (2, "idempotency-mismatch") == (other.status, other.json["outcome"])


def test_patches_come_from_words_and_json(atlas):
    """Both give the next state; names are camelCase in JSON."""
    atlas.ok("patch", *SCOPE, "--parent", 2, "--status", "red", "--blocker", "disk")
    done = atlas.json(
        "patch", *SCOPE, "--parent", 3, "--patch", '{"nextActions": ["x"]}'
    )
    state = done["checkpoint"]["state"]

    assert ("red", ["disk"], ["x"]) == (
        state["status"],
        state["blockers"],
        state["nextActions"],
    )


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["patch", "--parent", "2", "--patch", '{"next_actions": []}'], "$.mergePatch.next_actions"),
        (["patch", "--parent", "2", "--patch", '{"nextActions": 5}'], "$.nextActions"),
        (["checkpoint", "--parent", "2", "--state", '{"status": "x"}'], "$.state.objective"),
        (["record", "--parent", "2", "--facts", '[{"effectiveAt": "x"}]'], "$.facts[0].subject"),
    ],
)  # fmt: skip
def test_faults_name_the_place_in_the_json_that_came(atlas, words, path):
    """Every path is spelled as the caller spelled it."""
    done = atlas(words[0], *SCOPE, *words[1:], "--json")

    assert 2 == done.status
    assert path in [fault["path"] for fault in done.json["details"]["faults"]]


@pytest.mark.parametrize("value", ["{", '{"a": 1, "a": 2}', "NaN", "@nowhere"])
def test_what_is_not_json_is_refused(atlas, value):
    """A key twice, NaN, half an object, a missing file."""
    done = atlas("patch", *SCOPE, "--parent", 2, "--patch", value, "--json")

    assert (2, "INVALID_ARGUMENT") == (done.status, done.json["code"])


def test_deep_json_is_refused_without_a_traceback(atlas):
    """Nesting cannot break the program."""
    deep = "[" * 100_000 + "]" * 100_000

    done = atlas("patch", *SCOPE, "--parent", 2, "--patch", "-", "--json", input=deep)

    assert 2 == done.status
    assert "Traceback" not in done.err


def test_history_draws_branches(atlas):
    """The pointed one, live heads, and retired heads have signs of their own."""
    atlas.ok("checkpoint", *SCOPE, "--parent", 1, *STATE)
    before = atlas.ok("history", *SCOPE).out
    heads = ["--head", 2, "--head", 3, "--pointer", 2, "--survivor", 2]
    atlas.ok("reconcile", *SCOPE, *heads, "--reason", "joined", *STATE)
    after = atlas.ok("history", *SCOPE).out

    assert ["○  r3", "│ ●  r2", "├─╯", "•  r1"] == signs(before)
    assert ["●  r4", "│ ×  r3", "• │  r2", "├─╯", "•  r1"] == signs(after)


def signs(drawn):
    return [re.sub(r"( r\d+).*", r"\1", line) for line in drawn.splitlines()]


def test_a_plan_lists_what_is_owed_and_how_to_settle_it(atlas):
    """What --plan prints can be given back as options."""
    fact = ["--fact", "search", "p95", "90 ms"]
    atlas.ok("checkpoint", *SCOPE, "--parent", 1, *STATE, *fact)
    plan = atlas.ok("reconcile", *SCOPE, "--plan").out
    words = re.findall(r"--accept (\S+) (\S+) (\S+)", plan)
    heads = ["--head", 2, "--head", 3, "--pointer", 2, "--survivor", 2]
    unresolved = atlas("reconcile", *SCOPE, *heads, "--reason", "r", *STATE, "--json")
    settled = ["--accept", *words[0], "--reason", "r", *STATE]
    atlas.ok("reconcile", *SCOPE, *heads, *settled)

    assert 1 == len(words)
    assert (1, "RECONCILE_UNRESOLVED") == (unresolved.status, unresolved.json["code"])
    facts = atlas.json("resume", *SCOPE)["current_facts"]
    assert {"40 ms", "90 ms"} == {fact["object"] for fact in facts}


def test_resume_gives_text_for_agents_and_json(atlas):
    """Both say what they hold and what they left out."""
    text = atlas.ok("resume", *SCOPE).out
    found = atlas.json("resume", *SCOPE, "--section", "working")

    assert '"ship search"' in text
    assert "current_facts 1/1" in text
    assert "not-requested" == found["coverage"]["current_facts"][3]
    assert found["untrustedContent"] is True


def test_a_budget_that_is_too_small_names_the_minimum(atlas):
    """The error says what would do."""
    done = atlas("resume", *SCOPE, "--budget", 10, "--json")

    assert (2, "BUDGET_TOO_SMALL") == (done.status, done.json["code"])


def test_an_unknown_scope_names_near_ones(atlas):
    """A misspelt project is not a new one."""
    done = atlas("resume", "--project", "atlass", "--json")

    assert (1, "SCOPE_UNKNOWN") == (done.status, done.json["code"])
    assert "atlas" in json.dumps(done.json["details"])


def test_observations_supersede_only_when_told(hythe):
    """What disagrees is shown beside what is current."""
    hythe.ok("observe", "billing-api", "uses PostgreSQL 14")
    hythe.ok("observe", "billing-api", "-", input="uses PostgreSQL 15\n")
    both = hythe.json("current", "billing-api")
    hythe.ok("observe", "billing-api", "uses 16", "--replaces", "current")
    shown = hythe.ok("current", "billing-api").out

    assert 1 == both["alsoLiveCount"]
    assert "uses PostgreSQL 15\n" == both["observation"]["text"]
    assert "uses 16" in shown
    assert "1 more is live" in shown


def test_entities_are_made_shown_and_related(hythe):
    """One command makes; its flags look."""
    hythe.ok("entity", "billing-api", "--kind", "service", "--alias", "billing")
    hythe.ok("relate", "billing-api", "needs", "postgres")
    twice = hythe("entity", "billing-api", "--json")

    shown = hythe.json("entity", "billing", "--show")
    assert "billing-api" == shown["entity"]["name"]
    assert "billing-api needs postgres" in hythe.ok("entity", "billing", "--show").out
    assert "postgres" in hythe.ok("entity", "billing-api", "--near").out
    assert (1, "ENTITY_EXISTS") == (twice.status, twice.json["code"])
    assert "billing-api" in hythe.ok("search", "service").out


def test_mail_is_listed_until_it_is_marked(hythe):
    """Listing consumes nothing; each mark names its messages."""
    sent = hythe.json("send", "--to", "critic", "please review")
    critic = hythe.within(hythe.cwd, HYTHE_AGENT="critic")
    listed = [critic.json("inbox")["messages"] for _ in range(2)]
    critic.ok("read", sent["id"])

    assert ["critic"] == sent["unregistered"]
    assert listed[0] == listed[1]
    assert "please review" == listed[0][0]["text"]
    assert [] == critic.json("inbox", "--unread")["messages"]
    assert 1 == hythe("read", sent["id"]).status


def test_evidence_is_written_as_it_was_printed(atlas):
    """A citation stands for itself, once or several times; a JSON list does too."""
    words = ["--evidence", "hsum://v1/a", "--evidence", '["b", "c"]']

    atlas.ok("record", *SCOPE, "--parent", 2, "--fact", "s", "p", "o", *words)
    observed = atlas.json("observe", "billing", "is slow", *words)

    assert ["hsum://v1/a", "b", "c"] == observed["evidence"]
    assert all(f'"{x}"' in atlas.ok("resume", *SCOPE).out for x in ("hsum://v1/a", "c"))


def test_the_urgency_of_a_message_is_one_of_four_words(hythe):
    """It is said as a word, and another word is refused with those that there are."""
    hythe.ok("agent", "register", "critic")

    sent = hythe.json("send", "--to", "critic", "--priority", "urgent", "look")
    refused = hythe("send", "--to", "critic", "--priority", "3", "look")

    assert (
        "urgent" == hythe.json("inbox", "--agent", "critic")["messages"][0]["priority"]
    )
    assert sent["id"]
    assert (2, True) == (refused.status, "'low', 'normal'" in refused.err)


def test_a_handoff_stays_until_it_is_acknowledged(atlas):
    """It is bound to its scope and shows up in resume."""
    sent = atlas.json("handoff", "--to", "critic", *SCOPE, "finish it")
    critic = atlas.within(atlas.cwd, HYTHE_AGENT="critic")
    before = critic.json("resume", *SCOPE)["handoffs"]
    critic.ok("ack", sent["id"])

    assert 1 == len(before)
    assert [] == critic.json("resume", *SCOPE)["handoffs"]


def test_agents_and_credentials(hythe):
    """A secret is shown once; lists never have it."""
    hythe.ok("agent", "register", "critic", "--capability", "review")
    issued = hythe.json("credential", "issue", "critic", "state:read")
    rotated = hythe.json("credential", "rotate", issued["credential"]["id"])
    hythe.ok("credential", "revoke", issued["credential"]["id"], "--reason", "old")
    listed = hythe.ok("credential", "list", "--json").out

    assert ["critic"] == [a["id"] for a in hythe.json("agent", "list")["agents"]]
    assert issued["secret"] != rotated["secret"]
    assert issued["secret"] not in listed
    assert 2 == len(json.loads(listed)["credentials"])


def test_reading_makes_no_store(hythe, tmp_path):
    """A verb that reads never creates the file."""
    done = hythe("current", "x", "--json")

    assert (1, "NOT_FOUND") == (done.status, done.json["code"])
    assert not (tmp_path / "team.hythe").exists()


@pytest.mark.parametrize("missing", ["HYTHE_STORE", "HYTHE_AGENT"])
def test_store_and_agent_must_be_named(hythe, missing):
    """By option or by environment; there is no default."""
    del hythe.environ[missing]

    done = hythe("heads", *SCOPE, "--json")

    assert (2, "INVALID_ARGUMENT") == (done.status, done.json["code"])
    assert missing in done.json["hint"]


def test_doctor_is_well(atlas):
    """Every seal is verified."""
    assert [] == atlas.json("doctor")["problems"]


def test_recorded_text_cannot_act_on_a_terminal(hythe):
    """Escapes and direction marks are shown, not obeyed."""
    hythe.ok("observe", "evil", "\x1b[2J\u202egone")

    _, shown = hythe.on_terminal("current", "evil")

    assert "\x1b[2J" not in shown
    assert "\\x1b[2J\\u202egone" in shown


def test_every_command_has_help_with_examples(hythe):
    """What can be copied is what a newcomer reads first."""
    names = re.findall(r"^  ([a-z][a-z-]+)  ", hythe.ok("--help").out, re.MULTILINE)

    assert {"checkpoint", "resume", "send", "quickstart"} <= set(names)
    for name in names:
        below = hythe.ok(name, "--help").out
        assert "Examples:" in below or name in ("agent", "credential"), name


def test_a_store_can_be_backed_up_and_restored(atlas, tmp_path):
    """The copy is a store of its own; an existing file is never overwritten."""
    atlas.ok("backup", tmp_path / "copy.hythe")
    atlas.ok("restore", tmp_path / "copy.hythe", tmp_path / "other.hythe")
    copy = atlas.within(tmp_path, HYTHE_STORE=str(tmp_path / "other.hythe"))

    assert atlas.json("heads", *SCOPE) == copy.json("heads", *SCOPE)
    assert 2 == atlas("backup", tmp_path / "copy.hythe").status


def test_a_redacted_value_is_gone_and_the_store_is_well(atlas):
    """A tombstone stands in its place; all hashes still verify."""
    made = atlas.json("observe", "api", "the password is hunter2")
    planned = atlas("redact", made["id"], "--reason", "a password")
    still = atlas.ok("current", "api").out
    done = atlas.json("redact", made["id"], "--reason", "a password", "--confirm")

    assert 2 == planned.status
    assert f"would redact $.text of {made['id']}" in planned.out
    assert "hunter2" in still
    assert made["id"] == done["id"]
    assert "hunter2" not in atlas.ok("current", "api").out
    assert [] == atlas.json("doctor")["problems"]
    assert 2 == atlas("redact", made["id"]).status


def test_pruning_tells_what_it_would_do_before_it_does_it(atlas):
    """The plan comes first, --confirm does it, and nothing to do needs no confirmation."""
    nothing = atlas.ok("prune")
    atlas.ok("send", "--to", "planner", "done with")
    message = atlas.json("inbox")["messages"][0]["id"]
    atlas.ok("archive", message)
    old = ["prune", "--archived-before", "2999-01-01T00:00:00Z"]
    plan = atlas.json(*old, "--dry-run")
    refused = atlas(*old, "--json")
    still = atlas.json("inbox", "--archived")["messages"]
    done = atlas.json(*old, "--confirm")

    assert "nothing" in nothing.out
    assert (True, 1) == (plan["dryRun"], plan["messages"])
    assert (2, "CONFIRMATION_REQUIRED") == (refused.status, refused.json["code"])
    assert plan == refused.json["details"]
    assert [message] == [one["id"] for one in still]
    assert (False, 1) == (done["dryRun"], done["messages"])
    assert [] == atlas.json("inbox", "--archived")["messages"]


def test_what_was_exported_can_be_imported_once(atlas, tmp_path):
    """The histories are equal; a second import adds nothing, a damaged file neither."""
    atlas.ok("export", tmp_path / "team.jsonl")
    other = atlas.within(tmp_path, HYTHE_STORE=str(tmp_path / "other.hythe"))
    other.ok("import", tmp_path / "team.jsonl")
    again = other.json("import", tmp_path / "team.jsonl")
    with (tmp_path / "team.jsonl").open("a", encoding="utf-8") as file:
        file.write("<<<<<<< HEAD\n")
    damaged = other("import", tmp_path / "team.jsonl", "--json")

    assert atlas.json("history", *SCOPE) == other.json("history", *SCOPE)
    assert 0 == sum(again["added"].values())
    assert 2 == damaged.status
    assert "line" in damaged.json["message"]


def test_an_export_goes_through_a_pipe(atlas, tmp_path):
    """`-` is stdout for an export and stdin for an import, byte for byte."""
    atlas.ok("export", tmp_path / "team.jsonl")
    piped = atlas.raw("export", "-")
    other = atlas.within(tmp_path, HYTHE_STORE=str(tmp_path / "other.hythe"))
    added = other.json("import", "-", input=piped.stdout)["added"]
    cut = other("import", "-", "--json", input=piped.stdout[:-9])

    assert (tmp_path / "team.jsonl").read_bytes() == piped.stdout
    assert 2 == added["checkpoint"]
    assert atlas.json("history", *SCOPE) == other.json("history", *SCOPE)
    assert (2, "line 8") == (cut.status, cut.json["message"][:6])
    assert 2 == atlas("export", "-", "--json").status


def test_an_export_comes_from_a_fifo(atlas, tmp_path):
    """What can be read once only is imported as a file is."""
    exported = atlas.raw("export", "-").stdout
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writing = threading.Thread(target=fifo.write_bytes, args=[exported])
    writing.start()
    other = atlas.within(tmp_path, HYTHE_STORE=str(tmp_path / "other.hythe"))
    added = other.json("import", fifo)["added"]
    writing.join()

    assert 2 == added["checkpoint"]


def test_only_a_line_that_is_too_long_is_cut(tmp_path, monkeypatch):
    """Lines have a limit, the first a lower one; a database has no lines."""
    monkeypatch.setattr(dash, "MOST_OF_FIRST_LINE", 20)
    monkeypatch.setattr(dash, "MOST_OF_LINE", 50)

    def copied(*pieces):
        monkeypatch.setattr(dash, "chunks", lambda _name: iter(pieces))
        dash._copy("-", tmp_path / "copy")
        return (tmp_path / "copy").read_bytes()

    for pieces in (
        [b"first\n", 50 * b"x"],
        [b"first\n", *3 * [25 * b"x" + b"\n" + 25 * b"x"]],
        [b"SQLite ", b"format 3\0", 1_000 * b"x"],
    ):
        assert b"".join(pieces) == copied(*pieces)
    for line, pieces in (
        (1, [15 * b"x", 6 * b"x"]),
        (2, [b"first\n" + 25 * b"x", 26 * b"x"]),
        (4, [b"first\n", b"second\nthird\nx", 50 * b"x"]),
    ):
        with pytest.raises(Fault, match=f"^line {line} of stdin has more") as caught:
            copied(*pieces)
        assert "TOO_LARGE" == caught.value.code


def test_inputs_may_be_as_large_as_what_they_are_for():
    """The limits on reading are those of the libraries themselves."""
    assert MAX_TEXT_BYTES == sources.MOST_OF_TEXT
    assert MAX_CALL_BYTES == sources.MOST_OF_CALL
    assert exchange.LONGEST_LINE == dash.MOST_OF_LINE
    assert exchange.LONGEST_FIRST_LINE == dash.MOST_OF_FIRST_LINE


def test_a_store_is_a_file_and_no_stream(atlas):
    """`-` is refused where a whole database is read or written."""
    for words in (["backup", "-"], ["restore", "-", "x"], ["heads", "--store", "-"]):
        done = atlas(*words, "--json")
        assert (2, "INVALID_ARGUMENT") == (done.status, done.json["code"]), words

    assert 2 == atlas("mcp", "--store", "-").status
    assert not (atlas.cwd / "-").exists()


def test_a_reconcile_without_its_reason_names_what_is_missing(atlas):
    """What a call needs and was not given is refused by name, before anything else."""
    done = atlas("reconcile", *SCOPE, "--head", 2, *STATE, "--json")

    assert 2 == done.status
    assert "--survivor and --reason are missing" == done.json["message"]


def test_a_store_that_is_not_there_is_refused_with_the_way_to_make_one(hythe):
    """Reading makes no file; the next step is about the path, not about an id."""
    done = hythe("heads", *SCOPE, "--json")

    assert (1, "NOT_FOUND") == (done.status, done.json["code"])
    assert "the first checkpoint" in done.json["hint"]
    assert [] == list(hythe.cwd.glob("*.hythe"))


@pytest.mark.parametrize("verb", ["heads", "history"])
def test_an_empty_list_says_that_it_is_empty(atlas, verb):
    """A mistyped scope is no silence: people are told, programs read an empty list."""
    done = atlas.ok(verb, "--project", "atals")

    assert ("", "nothing is recorded here\n") == (done.out, done.err)


def test_a_page_says_that_there_is_more(atlas):
    """A list that was cut says so, with the cursor that goes on."""
    done = atlas.ok("history", *SCOPE, "--limit", 1)
    cursor = done.err.split()[-1]
    rest = atlas.ok("history", *SCOPE, "--cursor", cursor)

    assert "more: " in done.err
    assert ("r1 write", "") == (" ".join(rest.out.split()[1:3]), rest.err)


def test_a_credential_is_listed_under_the_id_that_ends_it(hythe):
    """What people read is enough to revoke: whole ids, never the secret."""
    hythe.ok("credential", "issue", "critic", "state:read")
    name, agent, scopes = hythe.ok("credential", "list").out.split()
    ended = hythe.ok("credential", "revoke", name)

    assert ("critic", "state:read") == (agent, scopes)
    assert [name, "critic", "revoked"] == ended.out.split()
