"""The laws of rows that are guarded by digests."""

from __future__ import annotations

import contextlib
import random
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hythe
from hythe.observe import fulltext
from hythe.observe.doctor import problems, rebuild


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "team.hythe"
    with hythe.open(path, agent="a") as store:
        store.entity("db", aliases=["database"], definition="keeps rows")
        first = store.observe("db", "14", evidence=["e"], metadata={"a": 1}, key="k")
        store.observe("db", "15", supersedes=[first])
        store.observe("db", "16")
        store.relate("api", "uses", "db", evidence=["e"])
    return path


def _problems(path):
    conn = sqlite3.connect(path)
    found = list(problems(conn, 1))
    conn.close()
    return found


def test_a_store_as_written_has_no_problems(path):
    """Nothing is reported where nothing was changed."""
    assert [] == _problems(path)


@pytest.mark.parametrize(
    "change",
    [
        "update observation set text = x'3135' where sequence = 1",
        "update observation set author = 'b' where sequence = 1",
        "update observation set recorded_at = recorded_at + 1 where sequence = 2",
        "update observation set metadata = x'7b7d' where sequence = 1",
        "update observation set evidence = x'5b5d' where sequence = 1",
        "update observation set sequence = 9 where sequence = 3",
        "update observation set proven = 1",
        "delete from observation where sequence = 3",
        "delete from observation where sequence = 2",
        "delete from supersession",
        "insert into supersession values (1, 1, 2, 3)",
        "update entity set name = 'dbx' where number = 1",
        "update entity set definition = x'00' where number = 1",
        "update entity set definition = null where number = 1",
        "update entity_name set name = 'x' where key = 'database'",
        "update entity_name set key = 'x' where key = 'database'",
        "update entity_name set entity = 2 where key = 'database'",
        "delete from entity_name where key = 'db'",
        "update relation set type = 'x'",
        "update relation set target = source",
        "update relation set evidence = x'5b5d'",
        "update relation set evidence_hash = 'x'",
        "update relation set number = number + 1",
        "delete from relation",
        "update author_key set result = 'x'",
        (
            "delete from observation; delete from supersession;"
            "delete from live_observation;"
            "update entity_tally set observations = 0, live = 0"
        ),
        (
            "delete from entity where name = 'api'; delete from entity_name "
            "where key = 'api'"
        ),
        "delete from entity_tally",
        "insert into entity_tally values (1, 9, 0, 0, 0)",
        "delete from live_observation",
        "update entity_tally set live = 7",
        "delete from live_observation where sequence = 3",
        "update live_observation set sequence = 1 where sequence = 2",
    ],
)
def test_every_change_behind_our_back_is_found(path, change):
    """Editing, deleting, moving or adding a row with raw SQL is reported."""
    conn = sqlite3.connect(path)
    conn.executescript(change)
    conn.commit()
    conn.close()

    assert [] != _problems(path)


def test_a_changed_row_is_not_served(path):
    """Reading verifies: what is not as it was written is refused."""
    conn = sqlite3.connect(path)
    conn.execute("update observation set text = x'39' where sequence = 3")
    conn.execute("update entity set kind = 'x'")
    conn.execute("update relation set type = 'x'")
    conn.commit()
    conn.close()
    with hythe.open(path, agent="a") as store:
        for call in (
            lambda: store.current_observation("db"),
            lambda: store.observations("db"),
            lambda: store.search("16"),
            lambda: store.get_entity("db"),
            lambda: store.relations("db"),
        ):
            with pytest.raises(hythe.Damaged) as caught:
                call()

            assert "INTEGRITY_FAILED" == caught.value.code


@pytest.mark.parametrize(
    "change",
    [
        "delete from live_observation",
        "update entity_tally set live = 0, observations = 0, relations = 9",
        "insert into live_words(live_words) values ('delete-all')",
        "insert into all_words(all_words) values ('delete-all')",
        "insert into live_words(rowid, name, body) values (999, 'x', 'y')",
    ],
)
def test_derived_tables_can_be_made_again(path, change):
    """What is derived is found wrong when it is, and rebuilt from what was recorded."""
    with hythe.open(path, agent="a") as store:
        wanted = store.current_observation("db"), store.search("16 15 14 db keeps")
        list(wanted[0].also_live)
    conn = sqlite3.connect(path)
    conn.execute(change)
    conn.commit()

    assert [] != list(problems(conn, 1))
    rebuild(conn, 1)
    conn.commit()

    assert [] == list(problems(conn, 1))
    conn.close()
    with hythe.open(path, agent="a") as store:
        assert wanted == (
            store.current_observation("db"),
            store.search("16 15 14 db keeps"),
        )


@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_the_engine_cuts_words_where_we_do(texts):
    """Whatever is written, the full-text tables say it as the doctor reckons."""
    with hythe.in_memory(agent="a") as store:
        for text in texts:
            store.observe("db", text, replaces=hythe.CURRENT)

        assert () == store.doctor().problems


def _ranked(conn, table):
    """Return what a search for each word finds, and in which order."""
    words = ["14", "15", "16", "api", "database", "db", "keeps", "rows", "absent"]
    found = f"select rowid, rank from {table} where {table} match ? order by rank"
    return [conn.execute(found, (f'"{word}"',)).fetchall() for word in words]


@pytest.mark.parametrize("table", fulltext.TABLES)
@pytest.mark.parametrize("part", ["data", "docsize"])
def test_a_flipped_bit_of_a_full_text_table_is_found_or_harmless(path, table, part):
    """Where nothing is reported, every word finds what it found, in the same order."""
    sound = path.read_bytes()
    with contextlib.closing(_loaded(sound)) as conn:
        wanted = _ranked(conn, table)
        blob = {"data": "block", "docsize": "sz"}[part]
        kept = conn.execute(f"select id, {blob} from {table}_{part}").fetchall()
    draw, silent, named = random.Random(table + part), [], 0
    for _ in range(60):
        row, data = draw.choice([one for one in kept if one[1]])
        flipped = bytearray(data)
        flipped[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        with contextlib.closing(_loaded(sound)) as conn:
            conn.execute(
                f"update {table}_{part} set {blob} = ? where id = ?",
                (bytes(flipped), row),
            )
            try:
                healthy = [] == list(problems(conn, 1))
            except sqlite3.DatabaseError:
                healthy = False
            named += not healthy
            if healthy and wanted != _ranked(conn, table):
                silent.append((row, data, bytes(flipped)))

    assert [] == silent
    assert named > 20


def _loaded(data):
    conn = sqlite3.connect(":memory:")
    # A copy in memory has no log.
    conn.deserialize(data[:18] + b"\1\1" + data[20:])
    return conn
