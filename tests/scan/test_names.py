"""Any name is a name, and only regular files are opened."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from hsum.index import skips
from hsum.index.scan import scan
from tests.scan.trees import ALL, candidates, reasons, write

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    b"my_file.md",
    b"my-file.md",
    b"my file.md",
    "Зоны и проекты.md".encode(),
    "日本語.md".encode(),
    "e\u0301.txt".encode(),
    "\u00e9.txt".encode(),
    "\U0001f600 emoji".encode(),
    b"a b/x.py",
    b"new\nline.txt",
    b"tab\there\r",
    b"-rf",
    b"--",
    b"\xff\xfe not text \x80",
    b" leading and trailing ",
    b"a\\b",
    b"*",
    b"!x",
    b"#y",
    b"~",
    b"a" * 255,
]


def test_hostile_names_are_kept_byte_for_byte(root: bytes) -> None:
    """Every name comes back as it is on disk; twins by normal form stay two files."""
    write(root, {name: name for name in NAMES})

    assert set(NAMES) == candidates(root)


def test_deep_paths_end_in_a_listed_skip(root: bytes) -> None:
    """A tree deeper than the walk goes is reported, and the rest is scanned."""
    current = os.open(root, os.O_RDONLY)
    for _ in range(250):
        os.mkdir(b"d", dir_fd=current)
        below = os.open(b"d", os.O_RDONLY, dir_fd=current)
        os.close(current)
        current = below
    os.close(current)
    write(root, {b"a": b"x", b"d/b": b"x"})

    found = scan(root, ALL)

    assert [b"a", b"d/b"] == [file.path for file in found.changed]
    assert [skips.UNREADABLE] == [skip.reason for skip in found.failed]


def test_links_and_loops_are_listed_and_not_followed(root: bytes) -> None:
    """Links of every kind are skips, and the walk ends."""
    write(root, {b"real/file": b"x"})
    links = {b"loop": b".", b"a": b"b", b"b": b"a", b"dangling": b"/nowhere"}
    links |= {
        b"real/up": b"..",
        b"folder": b"real",
        b"out": b"/etc",
        b"f": b"real/file",
    }
    for name, target in links.items():
        os.symlink(target, os.path.join(root, name))

    found = scan(root, ALL)

    assert [b"real/file"] == [file.path for file in found.changed]
    assert dict.fromkeys(links, skips.SYMLINK) == reasons(found)


def test_what_is_no_file_is_never_opened(root: bytes) -> None:
    """FIFOs, sockets and devices are skips; nothing waits for a writer."""
    os.mkfifo(root + b"/fifo")
    os.mkfifo(root + b"/.gitignore")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(".", os.O_RDONLY)
        os.chdir(root)
        server.bind("socket")
        os.fchdir(here)
        os.close(here)
    write(root, {b"a": b"x"})

    found = scan(root, ALL)

    assert [b"a"] == [file.path for file in found.changed]
    assert {
        b"fifo": skips.SPECIAL,
        b".gitignore": skips.SPECIAL,
        b"socket": skips.SPECIAL,
    } == reasons(found)
    assert "has no effect" in found.warnings[0]


_AS_NOBODY = """
import os, sys
from hsum.index.reading import Reader, Read
from hsum.index.scan import scan
from hsum.model import Options
os.setgid(65534), os.setuid(65534)
root = os.fsencode(sys.argv[1])
found = scan(root, Options())
print([file.path for file in found.changed])
print([(skip.path, skip.reason) for skip in found.failed])
with Reader(root) as reader:
    for file in found.changed:
        got = reader.read(file.path, 100)
        print(got.data if isinstance(got, Read) else got.reason)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs to drop the uid")
def test_what_cannot_be_read_stops_nothing(tmp_path: Path) -> None:
    """Unreadable files, folders and ignore files are reported; the rest is read."""
    import tempfile

    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o755)
        root = os.fsencode(name)
        write(root, {b"a": b"A", b"closed": b"x", b"z": b"Z", b"in/b": b"x"})
        write(root, {b"blind/c": b"x", b".gitignore": b"z\n"})
        os.chmod(root + b"/closed", 0)
        os.chmod(root + b"/in", 0)
        os.chmod(root + b"/blind", 0o744)
        os.chmod(root + b"/.gitignore", 0)
        lines = _lines_of_child(_AS_NOBODY, name)
        os.chmod(root + b"/in", 0o755)

    assert [
        "[b'a', b'closed', b'z']",
        "[(b'blind/c', 'unreadable'), (b'in/', 'unreadable')]",
        "b'A'",
        "unreadable",
        "b'Z'",
    ] == lines


def _lines_of_child(code: str, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.stdout.splitlines()


def test_a_missing_root_is_a_fault(root: bytes) -> None:
    """A root that is not there, or no folder, is refused by its code."""
    from hsum._kernel.faults import Fault

    write(root, {b"file": b"x"})
    codes = []
    for path in (root + b"/none", root + b"/file"):
        with pytest.raises(Fault) as caught:
            scan(path, ALL)
        codes.append(caught.value.code)

    assert ["ROOT_MISSING", "ROOT_MISSING"] == codes
