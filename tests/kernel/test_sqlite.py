"""One snapshot to read, one queue to write, made whole, migrated once."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sqlite3
import threading

import pytest

from hsum._kernel import files, sqlite
from hsum._kernel.faults import Fault
from hsum._kernel.sqlite import Database, Schema


def make_notes(database):
    database["note"].create({"id": int, "text": str}, pk="id", strict=True)


def add_author(database):
    database["note"].add_column("author", str)


ONE = Schema(0x7465_7374, (make_notes,))
TWO = Schema(0x7465_7374, (make_notes, add_author))
INSERT = "INSERT INTO note(text) VALUES ('x')"


def opened(folder, schema=ONE, **options):
    return Database(
        folder / "notes.db", schema=schema, lock=folder / "notes.lock", **options
    )


def count(database):
    with database.reading() as connection:
        return connection.execute("SELECT count(*) FROM note").fetchone()[0]


@pytest.fixture(params=["disk", "memory"])
def database(request, tmp_path):
    made = opened(tmp_path) if request.param == "disk" else Database(None, schema=ONE)
    yield made
    made.close()


def test_reading_makes_nothing(tmp_path):
    """A database that is not made yet reads as an empty one, and stays unmade."""
    database = opened(tmp_path)

    assert count(database) == 0
    assert not database.exists()
    assert not list(tmp_path.iterdir())


def test_a_refused_first_write_makes_nothing(tmp_path):
    """The file comes with its first transaction, or not at all."""
    database = opened(tmp_path)
    with pytest.raises(KeyError), database.writing() as connection:
        connection.execute(INSERT)
        raise KeyError

    assert not database.exists()
    assert ["notes.lock"] == [path.name for path in tmp_path.iterdir()]
    with database.writing() as connection:
        connection.execute(INSERT)
    assert count(database) == 1


def test_a_network_file_system_is_refused_by_each_first_write_of_a_handle(
    tmp_path, monkeypatch
):
    """Neither a new file nor one that was moved there is written; both are read."""
    with opened(tmp_path).writing() as connection:
        connection.execute(INSERT)
    (tmp_path / "new").mkdir()
    monkeypatch.setattr(files, "filesystem_kind", lambda _path: "nfs4")
    for folder in (tmp_path, tmp_path / "new"):
        with pytest.raises(Fault) as caught, opened(folder).writing():
            pass

        assert "UNSUPPORTED_STORAGE" == caught.value.code
        assert "nfs4" == caught.value.details["filesystem"]
    assert 1 == count(opened(tmp_path))
    assert [] == list((tmp_path / "new").iterdir())


def test_a_reader_that_may_not_write_follows_what_is_written(tmp_path, monkeypatch):
    """Each read of it sees the newest commit, as that of any other reader."""
    with opened(tmp_path).writing() as connection:
        connection.execute(INSERT)
    reader = opened(tmp_path, read_only=True)
    with monkeypatch.context() as there:
        there.setattr(sqlite, "is_writable", lambda _path: False)
        before = count(reader)
    writer = opened(tmp_path)
    with writer.writing() as connection:
        connection.execute(INSERT)
    writer.close()
    monkeypatch.setattr(sqlite, "is_writable", lambda _path: False)

    assert (1, 2) == (before, count(reader))


def test_a_write_is_kept_or_rolled_back_whole(database):
    """An exception in the block leaves nothing."""
    with database.writing() as connection:
        connection.execute(INSERT)
    with pytest.raises(KeyError), database.writing() as connection:
        connection.execute(INSERT)
        raise KeyError

    assert database.exists()
    assert count(database) == 1


def test_a_closed_handle_says_so(database):
    """Closing twice is fine; using it afterwards is CLOSED."""
    database.close()
    database.close()

    assert database.closed
    for use in (database.reading, database.writing):
        with pytest.raises(Fault) as caught, use():
            pass
        assert caught.value.code == "CLOSED"


def test_a_reader_keeps_its_snapshot(tmp_path):
    """What is committed meanwhile is not seen until the next read."""
    database = opened(tmp_path)
    with database.writing() as connection:
        connection.execute(INSERT)
    with database.reading() as reader:
        with database.writing() as connection:
            connection.execute(INSERT)
        (seen,) = reader.execute("SELECT count(*) FROM note").fetchone()

    assert seen == 1
    assert count(database) == 2


def test_a_reader_cannot_write(tmp_path):
    """The reading connection refuses changes."""
    database = opened(tmp_path)
    with database.writing():
        pass
    with pytest.raises(Fault) as caught, database.reading() as connection:
        connection.execute(INSERT)

    assert caught.value.code == "PERMISSION_DENIED"
    with pytest.raises(Fault), opened(tmp_path, read_only=True).writing():
        pass


def test_threads_write_without_losing_or_failing(database):
    """Eight threads, a hundred and sixty rows."""

    def write():
        for _ in range(20):
            with database.writing() as connection:
                connection.execute(INSERT)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert count(database) == 160


def _first_open(folder, barrier, results):
    database = opened(folder)
    barrier.wait()
    try:
        with database.writing() as connection:
            connection.execute(INSERT)
        results.put("ok")
    except Exception as exc:  # noqa: BLE001
        results.put(repr(exc))


def test_many_first_opens_at_once_all_succeed(tmp_path):
    """The file is made once, and no opener fails."""
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(6), context.Queue()
    processes = [
        context.Process(target=_first_open, args=(tmp_path, barrier, results))
        for _ in range(6)
    ]
    for process in processes:
        process.start()
    outcomes = [results.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()

    assert ["ok"] * 6 == outcomes
    assert count(opened(tmp_path)) == 6
    assert {"notes.db", "notes.lock"} >= {
        p.name for p in tmp_path.iterdir() if not p.name.endswith(("-wal", "-shm"))
    }


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_child_reopens_by_itself(database):
    """A handle works on both sides of a fork, and neither disturbs the other."""
    with database.writing() as connection:
        connection.execute(INSERT)
    count(database)
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            with database.writing() as connection:
                connection.execute(INSERT)
            status = 0 if count(database) == 2 else 2
        os._exit(status)
    _, status = os.waitpid(child, 0)
    with database.writing() as connection:
        connection.execute(INSERT)

    assert status == 0
    assert count(database) == (3 if database.path else 2)
    with database.reading() as connection:
        assert ("ok",) == connection.execute("PRAGMA integrity_check").fetchone()


def test_the_first_write_migrates_and_keeps_a_copy(tmp_path):
    """Reading an older file changes nothing; writing brings it up to date."""
    with opened(tmp_path).writing() as connection:
        connection.execute(INSERT)
    newer = opened(tmp_path, TWO)
    with newer.reading() as connection:
        assert (1,) == connection.execute("PRAGMA user_version").fetchone()
    with newer.writing() as connection:
        connection.execute("UPDATE note SET author = 'ada'")

    copy = sqlite3.connect(tmp_path / "notes.db.before-schema-2")
    with contextlib.closing(copy):
        assert (1,) == copy.execute("PRAGMA user_version").fetchone()
        assert [(1, "x")] == copy.execute("SELECT * FROM note").fetchall()
    with pytest.raises(Fault) as caught:
        count(opened(tmp_path, ONE))
    assert caught.value.code == "SCHEMA_TOO_NEW"


def test_a_failing_migration_leaves_the_file_as_it_was(tmp_path):
    """A migration is part of the write's transaction."""
    with opened(tmp_path).writing():
        pass

    def broken(database):
        database["note"].add_column("late", str)
        raise KeyError

    with (
        pytest.raises(KeyError),
        opened(tmp_path, Schema(ONE[0], (make_notes, broken))).writing(),
    ):
        pass
    with opened(tmp_path).reading() as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(note)")]

    assert ["id", "text"] == columns


@pytest.mark.parametrize(
    "content", [b"not a database" * 500, None], ids=["junk", "other"]
)
def test_a_file_that_is_not_ours_is_refused(tmp_path, content):
    """Neither junk nor another program's database is touched."""
    path = tmp_path / "notes.db"
    if content is None:
        with contextlib.closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE theirs(x)")
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    for use in (Database.reading, Database.writing):
        with pytest.raises(Fault) as caught, use(opened(tmp_path)):
            pass
        assert caught.value.code == "STORE_DAMAGED"

    assert before == path.read_bytes()


def test_a_failing_commit_changes_nothing(tmp_path, monkeypatch):
    """The fault is typed, the rows are as before, and the next write works."""
    database = opened(tmp_path)
    with database.writing() as connection:
        connection.execute(INSERT)

    def fail(_connection):
        raise _coded(sqlite3.SQLITE_FULL)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite, "commit", fail)
        with pytest.raises(Fault) as caught, database.writing() as connection:
            connection.execute(INSERT)
    with database.writing() as connection:
        connection.execute(INSERT)

    assert caught.value.code == "DISK_FULL"
    assert count(database) == 2


def _coded(code):
    exc = sqlite3.OperationalError("x")
    exc.sqlite_errorcode = code
    return exc


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "WRITER_BUSY"),
        (sqlite3.SQLITE_IOERR_WRITE, "DISK_FULL"),
        (sqlite3.SQLITE_IOERR_READ, "STORE_DAMAGED"),
        (sqlite3.SQLITE_TOOBIG, "TOO_LARGE"),
        (sqlite3.SQLITE_INTERRUPT, "CANCELLED"),
        (sqlite3.SQLITE_CANTOPEN, "PERMISSION_DENIED"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "STORE_DAMAGED"),
    ],
)
def test_each_sqlite_error_has_its_code(number, code):
    """Extended codes are folded into ours."""
    with pytest.raises(Fault) as caught, sqlite.translating_sqlite():
        raise _coded(number)

    assert code == caught.value.code


def test_mistakes_in_our_own_sql_are_not_disguised():
    """A constraint that fails is a defect, and shows as one."""
    with pytest.raises(sqlite3.IntegrityError), sqlite.translating_sqlite():
        raise sqlite3.IntegrityError("UNIQUE constraint failed")


def test_a_waiting_writer_gives_up_in_time(tmp_path):
    """The wait is bounded, and busy is the answer."""
    database, other = opened(tmp_path), opened(tmp_path)
    with (
        database.writing(),
        pytest.raises(Fault) as caught,
        other.writing(timeout_ms=20),
    ):
        pass

    assert caught.value.code == "WRITER_BUSY"
    assert os.getpid() == caught.value.details["pid"]


def test_a_read_only_folder_is_read_without_a_trace(tmp_path):
    """An index that was shipped is opened immutable, by any user."""
    with contextlib.closing(opened(tmp_path)) as database, database.writing() as writer:
        writer.execute(INSERT)
    (tmp_path / "notes.db").chmod(0o444)
    tmp_path.chmod(0o555)
    child = os.fork() if os.geteuid() == 0 else None
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):
            for parent in tmp_path.parents[:4]:
                if "pytest-" in str(parent):
                    parent.chmod(0o755)
            os.setuid(65534)
            status = 0 if count(opened(tmp_path, read_only=True)) == 1 else 2
        os._exit(status)
    if child is not None:
        assert os.waitpid(child, 0)[1] == 0
    else:
        assert count(opened(tmp_path, read_only=True)) == 1
    tmp_path.chmod(0o755)

    assert {"notes.db", "notes.lock"} == {p.name for p in tmp_path.iterdir()}


def test_a_replaced_file_is_noticed(tmp_path):
    """A handle follows the path, not the file it once opened."""
    database = opened(tmp_path)
    with database.writing() as connection:
        connection.execute(INSERT)
    assert count(database) == 1
    other = tmp_path / "other"
    other.mkdir()
    with contextlib.closing(opened(other)) as second, second.writing():
        pass
    for name in ("notes.db-wal", "notes.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    (other / "notes.db").replace(tmp_path / "notes.db")

    assert count(database) == 0


def test_a_file_that_was_taken_away_is_no_empty_one(tmp_path):
    """A handle that has seen it neither reads nothing nor begins another."""
    database = opened(tmp_path)
    with database.writing() as connection:
        connection.execute(INSERT)
    (tmp_path / "notes.db").rename(tmp_path / "moved.db")

    for call in (database.exists, lambda: count(database), lambda: insert(database)):
        with pytest.raises(Fault, match="moved or deleted while it was open") as caught:
            call()

        assert "STORE_DAMAGED" == caught.value.code
    assert not (tmp_path / "notes.db").exists()

    (tmp_path / "moved.db").rename(tmp_path / "notes.db")

    assert count(database) == 1


def insert(database):
    with database.writing() as connection:
        connection.execute(INSERT)


@pytest.mark.parametrize("open_still", [True, False])
def test_the_log_of_a_removed_file_is_no_part_of_a_new_one(tmp_path, open_still):
    """Who removes a file and leaves its log begins anew, by writing or by a copy."""
    old = opened(tmp_path)
    for _ in range(3):
        with old.writing() as connection:
            connection.execute(INSERT)
    log = tmp_path / "notes.db-wal"
    kept = log.read_bytes()
    if not open_still:
        old.close()
    for make in ("write", "copy"):
        (tmp_path / "notes.db").unlink()
        log.write_bytes(kept)
        new = opened(tmp_path)
        if make == "write":
            with new.writing() as connection:
                connection.execute("INSERT INTO note(id, text) VALUES (9, 'new')")
        else:
            with contextlib.closing(Database(None, schema=ONE)) as other:
                with other.writing() as connection:
                    connection.execute("INSERT INTO note(id, text) VALUES (9, 'new')")
                other.copy_to(tmp_path / "notes.db")
        with new.reading() as connection:
            found = connection.execute("SELECT id, text FROM note").fetchall()
            checked = connection.execute("PRAGMA integrity_check").fetchone()
        new.close()

        assert ([(9, "new")], ("ok",)) == (found, checked), make
    old.close()
