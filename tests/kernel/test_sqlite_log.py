"""A log is broken exactly when SQLite leaves out commits that it holds."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from hsum._kernel.sqlite_log import broken_at, log_problems

WRITER = """
import os, sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("pragma journal_mode=wal")
conn.execute("pragma wal_autocheckpoint=20")
conn.execute("create table if not exists row(data)")
print("begun", flush=True)
while True:
    conn.execute("insert into row values (?)", (os.urandom(9_000),))
"""


@pytest.fixture
def conn(tmp_path):
    made = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    made.execute("pragma journal_mode=wal")
    made.execute("create table row(data)")
    yield made
    made.close()


def fill(conn, count):
    for _ in range(count):
        conn.execute("insert into row values (?)", (os.urandom(3_000),))


def log_of(folder):
    return (folder / "a.db-wal").read_bytes()


def rows_read(folder, log, target):
    """Return how many rows SQLite finds with a log; None when it finds damage."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    shutil.copy(folder / "a.db", target)
    (target / "a.db-wal").write_bytes(log)
    with (
        contextlib.closing(sqlite3.connect(target / "a.db")) as conn,
        contextlib.suppress(sqlite3.DatabaseError),
    ):
        return conn.execute("select count(*) from row").fetchone()[0]


def test_the_path_need_not_be_utf_8(tmp_path):
    """The log is found beside a database whose name is any bytes."""
    folder = tmp_path / os.fsdecode(b"nu\xff")
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(folder / "a.db")) as conn:
        conn.execute("pragma journal_mode=wal")
        conn.execute("create table row(data)")

        assert [] == list(log_problems(conn))

        log = folder / "a.db-wal"
        log.write_bytes(log.read_bytes()[:-9] + b"broken in")

        assert [] != list(log_problems(conn))


def test_a_flipped_bit_is_seen_when_it_loses_commits(conn, tmp_path):
    """At any place: what SQLite leaves out is told, what it reads is not."""
    fill(conn, 30)
    whole = log_of(tmp_path)
    draw = random.Random(4)
    wrong = []
    for _ in range(400):
        log = bytearray(whole)
        at = draw.choice([draw.randrange(60), draw.randrange(len(log))])
        log[at] ^= 1 << draw.randrange(8)
        lost = rows_read(tmp_path, bytes(log), tmp_path / "copy") != 30
        if lost != (broken_at(bytes(log)) is not None):
            wrong.append(at)

    assert broken_at(whole) is None
    assert [] == wrong


def test_a_log_that_was_begun_anew_is_sound(conn, tmp_path):
    """What is left of an older log behind the newer one is no lost commit."""
    fill(conn, 40)
    conn.execute("pragma wal_checkpoint(restart)")
    before = len(log_of(tmp_path))
    fill(conn, 3)

    assert before == len(log_of(tmp_path))
    assert broken_at(log_of(tmp_path)) is None


def test_what_was_rolled_back_is_no_lost_commit(conn, tmp_path):
    """Pages that went to the log before their time, and stay behind a shorter commit."""
    conn.execute("pragma cache_size=5")
    conn.execute("begin")
    fill(conn, 60)
    conn.execute("rollback")
    spilled = len(log_of(tmp_path))
    fill(conn, 1)

    assert spilled > 40 * 4_096
    assert broken_at(log_of(tmp_path)) is None


@pytest.mark.parametrize("cut", [0, 10, 32, 60, 5_000])
def test_a_log_that_ends_early_is_no_lost_commit(conn, tmp_path, cut):
    """So a killed writer leaves it, or a log that holds nothing yet."""
    fill(conn, 30)

    assert broken_at(log_of(tmp_path)[:cut]) is None


def test_a_killed_writer_leaves_a_sound_log(tmp_path):
    """Wherever it is killed, nothing that it leaves looks like a lost commit."""
    draw = random.Random(2)
    found = []
    for _ in range(6):
        command = [sys.executable, "-c", WRITER, str(tmp_path / "a.db")]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            time.sleep(draw.random() / 5)
            writer.send_signal(signal.SIGKILL)
        found.append(broken_at(log_of(tmp_path)))

    assert [None] * 6 == found


def test_a_log_that_grows_is_read_again(conn, tmp_path, monkeypatch):
    """What is gone at the second look was a writer at work."""
    fill(conn, 30)
    whole = log_of(tmp_path)
    torn = bytearray(whole)
    torn[5_000] ^= 1
    seen = []
    for second in (bytes(torn), whole):
        looks = iter([bytes(torn), second])
        monkeypatch.setattr(
            "hsum._kernel.sqlite_log._read", lambda _, looks=looks: next(looks)
        )
        seen.append(list(log_problems(conn)))

    assert [1, 0] == [len(found) for found in seen]
    assert "a.db-wal holds commits from frame 2 on" in seen[0][0]


def test_a_database_without_a_file_has_no_log():
    """Nothing is looked for beside one in memory."""
    with contextlib.closing(sqlite3.connect(":memory:")) as conn:
        assert [] == list(log_problems(conn))
