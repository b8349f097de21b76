"""Check the citations of files: gather them, find root and lock, fix, and lock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import attrs

from hsum._kernel.files import translating_os, write_atomic
from hsum.check.checker import Text, check
from hsum.check.fix import rewritten
from hsum.check.pins import key_of, pin_of, read_lock, write_lock
from hsum.check.since import affected
from hsum.check.tree import WorkingTree
from hsum.errors import fault
from hsum.index.git import enclosing
from hsum.index.reading import Read, Reader
from hsum.index.scan import scan
from hsum.model.check import CheckReport
from hsum.model.ingest import Options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hsum.check.checker import Checked, Indexed
    from hsum.check.pins import Pin
    from hsum.model.check import Finding

__all__ = ["LOCK_NAME", "Loose", "check_paths", "root_of"]

LOCK_NAME = "citations.lock"


def check_paths(
    paths: Iterable[str | os.PathLike[str]],
    *,
    root: Path | None = None,
    index: Indexed | None = None,
    lock: str | os.PathLike[str] | bool | None = None,
    fix: bool = False,
    since: str | None = None,
    loose: Loose | None = None,
) -> CheckReport:
    """Check the citations of files and of all text files below folders.

    Args:
        paths: what to check.
        root: what cited paths are relative to; `root_of` where None.
        index: what pins citations that no lock file has.
        lock: write a lock file: True for `citations.lock` in the checked folder, or
            its name. A `citations.lock` that is there is always read.
        fix: rewrite the citations whose bytes have exactly one new place.
        since: report only what citing or cited files changed since this commit.
        loose: a text that stands in no file.

    Raises:
        HsumError: `INVALID_ARGUMENT` for a missing file, a damaged lock file, a
            commit that git does not know; what writing files gives.
    """
    given = [Path(os.path.abspath(path)) for path in paths]
    root = (
        root_of([*given, *([loose.folder] if loose else [])]) if root is None else root
    )
    findings: list[Finding] = []
    files = 0
    for lock_file, members in _by_lock(given, root, lock).items():
        whole = any(lock_file.is_relative_to(path) for path in given)
        locking = _Locking(lock_file, write=bool(lock), whole=whole)
        checked = _checked(members, locking, root, index, fix=fix)
        findings += (one for each in checked for one in each.findings)
        files += len(checked)
    if loose is not None:
        findings += _checked_loose(loose, root, index).findings
        files += 1
    if since is not None:
        findings = affected(findings, root, since)
    return CheckReport(tuple(findings), files)


def _checked_loose(loose: Loose, root: Path, index: Indexed | None) -> Checked:
    within = os.path.relpath(loose.folder, root)
    text = Text(loose.text, within="" if within == "." else within)
    lock_file = _nearest_lock(loose.folder, root)
    pins = {} if lock_file is None else _read_pins(lock_file)
    with WorkingTree(os.fsencode(root)) as tree:
        return check([text], tree, lock=pins, index=index)[0]


class Loose(NamedTuple):
    """A text that stands in no file, and the folder that its paths start from."""

    text: str
    folder: Path


class _Locking(NamedTuple):
    """A lock file, whether to write it, and whether all that it covers is checked."""

    file: Path
    write: bool
    whole: bool


def _checked(
    files: list[Path],
    locking: _Locking,
    root: Path,
    index: Indexed | None,
    *,
    fix: bool,
) -> list[Checked]:
    """Check what one lock file pins; rewrite and lock where that is wanted."""
    pins = _read_pins(locking.file)
    with WorkingTree(os.fsencode(root)) as tree:
        texts = [_text(path, root) for path in files]
        checked = check(texts, tree, lock=pins, index=index)
        if fix:
            checked, pins = _fixed(checked, tree, root, pins)
        if locking.write or (fix and pins):
            _write_pins(locking, checked, pins)
    return checked


def root_of(given: list[Path]) -> Path:
    """Return what cited paths are relative to.

    That is the enclosing git root; without git, the working directory when all of
    `given` lies in it; else their common folder.
    """
    if not given:
        raise fault("INVALID_ARGUMENT", "nothing to check", hint="Name a file.")
    common = _common(given)
    repository = enclosing(os.fsencode(common))
    if repository is not None:
        return Path(os.fsdecode(repository.top))
    here = _here()
    return here if here and common.is_relative_to(here) else common


def _here() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was removed
        return None


def _by_lock(given: list[Path], root: Path, lock: object) -> dict[Path, list[Path]]:
    """Return the files to check by their lock file: the named one, or the nearest.

    What has none upwards shares the one that would be made in the checked folder.
    """
    files = [path for path in _files(given) if path.name != LOCK_NAME]
    if lock is not None and not isinstance(lock, bool):
        named = Path(os.path.abspath(os.fspath(lock)))  # type: ignore[call-overload]
        return {named: [path for path in files if path != named]}
    groups: dict[Path, list[Path]] = {}
    nearest: dict[Path, Path | None] = {}
    for path in files:
        if path.parent not in nearest:
            nearest[path.parent] = _nearest_lock(path.parent, root)
        found = nearest[path.parent] or _own_lock(given, root)
        groups.setdefault(found, []).append(path)
    return groups


def _own_lock(given: list[Path], root: Path) -> Path:
    """Return the lock file that would be made: paths in one start from its tree."""
    folder = _common(given)
    return (folder if folder.is_relative_to(root) else root) / LOCK_NAME


def _nearest_lock(folder: Path, root: Path) -> Path | None:
    if not folder.is_relative_to(root):
        return None
    for above in (folder, *folder.parents):
        if (above / LOCK_NAME).is_file():
            return above / LOCK_NAME
        if above == root:
            break
    return None


def _common(given: list[Path]) -> Path:
    return Path(os.path.commonpath([p if p.is_dir() else p.parent for p in given]))


def _read_pins(path: Path) -> Mapping[str, Pin]:
    if not path.is_file():
        return {}
    with translating_os(path):
        return read_lock(path.read_bytes(), path.name)


def _write_pins(
    locking: _Locking, checked: list[Checked], old: Mapping[str, Pin]
) -> None:
    """Write the pins of what was checked; keep the others unless all was checked."""
    pins = {} if locking.whole else dict(old)
    for one in checked:
        for key, pin in one.pins.items():
            pins[key] = old.get(key, pin)
    data = write_lock(pins.values())
    if not locking.file.is_file() or locking.file.read_bytes() != data:
        write_atomic(locking.file, data, mode=0o644)


def _files(given: list[Path]) -> list[Path]:
    files: list[Path] = []
    for path in given:
        if path.is_dir():
            found = scan(os.fsencode(path), Options()).changed
            files += (path / os.fsdecode(file.path) for file in found)
        elif path.is_file():
            files.append(path)
        else:
            raise fault("INVALID_ARGUMENT", f"there is no file {path}", path=str(path))
    return list(dict.fromkeys(files))


def _text(path: Path, root: Path) -> Text:
    with translating_os(path), Reader(os.fsencode(path.parent)) as reader:
        got = reader.read(os.fsencode(path.name), Options().max_file_bytes)
    if not isinstance(got, Read):
        raise fault("INVALID_ARGUMENT", f"{path} cannot be read: {got.detail}")
    # Surrogate escapes carry what is not UTF-8 byte for byte through a rewrite.
    text = got.data.decode("utf-8", "surrogateescape")
    return Text(text, os.path.relpath(path, root))


def _fixed(
    checked: list[Checked], tree: WorkingTree, root: Path, pins: Mapping[str, Pin]
) -> tuple[list[Checked], Mapping[str, Pin]]:
    """Rewrite the texts, and move the pins of what was rewritten."""
    done = []
    moves: dict[str, Pin] = {}
    for one in checked:
        text, findings = rewritten(one.text.text, one.findings)
        if text != one.text.text:
            _rewrite(root / (one.text.file or ""), text)
        moves |= _moves(findings, tree)
        done.append(attrs.evolve(one, findings=tuple(findings)))
    moved = [attrs.evolve(one, pins=_moved(one.pins, moves)) for one in done]
    return moved, _moved(pins, moves)


def _moves(findings: Iterable[Finding], tree: WorkingTree) -> dict[str, Pin]:
    """Return the new pin of each rewritten citation, by its old key."""
    moves = {}
    for one in findings:
        place = one.moved_to
        whole = tree.read(place.path) if place and one.fixed else None
        if place is not None and whole is not None:
            raw = attrs.evolve(one.found, raw=one.replacement or "")
            lines = place.lines if raw.lines else None
            key = key_of(attrs.evolve(raw, lines=lines), place.path)
            new = pin_of(key, place.path, whole, (place.start, place.end))
            moves[key_of(one.found, one.path)] = new
    return moves


def _moved(pins: Mapping[str, Pin], moves: Mapping[str, Pin]) -> Mapping[str, Pin]:
    """Replace pins all at once: a new key may be the old one of another."""
    kept = {key: pin for key, pin in pins.items() if key not in moves}
    return kept | {moves[key].key: moves[key] for key in pins if key in moves}


def _rewrite(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777
    write_atomic(path, text.encode("utf-8", "surrogateescape"), mode=mode)
