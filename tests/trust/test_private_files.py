"""Files that are the user's alone, and the file of bindings."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from hsum._kernel.faults import Fault
from hsum._kernel.files import tighten
from hsum._kernel.ids import SequentialIds
from hsum.trust import trust_file
from hsum.trust.bindings import Binding, granted
from hsum.trust.private_files import (
    check_private_file,
    check_private_folder,
    read_private,
)

context = multiprocessing.get_context("spawn")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of its own."""
    monkeypatch.setenv("HSUM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def refusal(check, path) -> Fault:
    with pytest.raises(Fault) as caught:
        check(path)
    assert "PERMISSION_DENIED" == caught.value.code
    return caught.value


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o770, 0o777])
def test_a_folder_open_to_others_is_refused_with_the_fix(tmp_path, mode):
    """The hint is the command that closes it."""
    folder = tmp_path / "it"
    folder.mkdir()
    folder.chmod(mode)

    fault = refusal(check_private_folder, folder)

    assert f"Close it: chmod 700 {folder}" == fault.hint


def test_a_file_open_to_others_is_refused_with_the_fix(tmp_path):
    """A readable file may have been read, a writable one changed."""
    path = tmp_path / "it's"
    path.write_text("x")
    path.chmod(0o644)

    fault = refusal(check_private_file, path)

    assert "chmod 600" in fault.hint
    assert "mode 0644" in fault.message


def test_a_link_is_refused(tmp_path):
    """A symbolic link could lead anywhere."""
    target = tmp_path / "target"
    target.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(target)

    assert "symbolic link" in refusal(check_private_folder, link).message
    assert "symbolic link" in refusal(check_private_file, link).message


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a file away needs root")
def test_another_users_folder_is_refused(tmp_path):
    """What another user owns, that user can change."""
    folder = tmp_path / "it"
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, -1)

    assert "belongs to user 12345" in refusal(check_private_folder, folder).message


def test_what_is_not_there_is_fine(tmp_path):
    """Nothing is made only to be checked."""
    check_private_folder(tmp_path / "none")

    assert read_private(tmp_path / "none" / "file") is None


def test_tighten_closes_a_whole_tree(tmp_path):
    """Every folder becomes 0700, every file 0600."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")

    tighten(tmp_path / "a")

    modes = {
        path.name: oct(stat.S_IMODE(path.stat().st_mode))
        for path in (tmp_path / "a", *(tmp_path / "a").rglob("*"))
    }
    assert {"a": "0o700", "b": "0o700", "file": "0o600"} == modes


def add(name: str) -> None:
    ids = SequentialIds(name)
    wanted = Binding("", f"/{name}", name, ids(), "default", ids(), f"/data/{name}")
    trust_file.update(lambda old: granted(old, wanted, ids))


def test_processes_that_grant_at_once_lose_nothing(home):
    """The bindings of all are in the file in the end."""
    names = [f"n{number}" for number in range(6)]
    processes = [context.Process(target=add, args=(name,)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert names == sorted(binding.index for binding in trust_file.load())


def test_the_file_of_bindings_is_private(home):
    """`trust.json` is 0600 in a folder of 0700."""
    add("a")
    path = home / "config" / "trust.json"

    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)


def test_a_file_of_bindings_that_others_may_write_is_not_believed(home):
    """Whoever could write it could grant."""
    add("a")
    path = home / "config" / "trust.json"
    path.chmod(0o666)

    refusal(lambda _: trust_file.load(), None)
    refusal(lambda _: add("b"), None)


def test_a_file_of_bindings_that_is_a_link_is_not_believed(home, tmp_path):
    """A link in place of the file grants nothing."""
    add("a")
    path = home / "config" / "trust.json"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    refusal(lambda _: trust_file.load(), None)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff"])
def test_damage_is_named(home, data):
    """What cannot be read is damage, with a way out."""
    folder = home / "config"
    folder.mkdir(parents=True, mode=0o700)
    path = Path(folder / "trust.json")
    path.write_bytes(data)
    path.chmod(0o600)

    with pytest.raises(Fault) as caught:
        trust_file.load()

    assert "STORE_DAMAGED" == caught.value.code
