"""Ask git what it tracks, and find where it keeps its rules.

Everything that can be read without git is; git itself runs for the tracked set and
for two settings, without hooks, monitors and locks, and under a time limit.
"""

from __future__ import annotations

import os

import attrs

__all__ = ["GitFailed", "Repository", "Tracked", "enclosing", "repository_at"]

_SECONDS = 120
_LOCAL = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_LITERAL_PATHSPECS",
)
"""Variables that would point git at another repository than the one we ask for."""


_ALONE = {"LC_ALL": "C", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
"""What a partial clone lacks would be fetched by a command of its configuration."""


class GitFailed(Exception):
    """git is not there, was too slow, or refused; never seen outside the scan."""


@attrs.frozen
class Tracked:
    """The tracked files and all folders above them, relative to the scan's root."""

    files: frozenset[bytes] = frozenset()
    folders: frozenset[bytes] = frozenset()

    def holds(self, path: bytes) -> bool:
        """Tell whether the path is tracked, or something below it is."""
        return path in self.files or path in self.folders


@attrs.frozen
class Settings:
    """What git's configuration says about ignoring."""

    excludes_file: bytes | None
    ignore_case: bool


@attrs.frozen
class Repository:
    """A working tree: its top folder and where git keeps its files."""

    top: bytes
    git_dir: bytes
    common_dir: bytes

    @property
    def exclude_file(self) -> bytes:
        """The repository's own ignore file, outside the tree."""
        return self.common_dir + b"/info/exclude"

    def stamp(self) -> bytes:
        """Return what changes whenever the tracked set does."""
        try:
            stat = os.stat(self.git_dir + b"/index")
        except OSError:
            return b""
        times = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
        return repr(times).encode()

    def settings(self) -> Settings:
        """Return the settings that bear on ignoring; `GitFailed`."""
        pattern = "^core\\.(excludesfile|ignorecase)$"
        listed = _run(
            self.top,
            ("config", "-z", "--type=path", "--get-regexp", pattern),
            empty_status=1,
        )
        pairs = (item.partition(b"\n") for item in listed.split(b"\0") if item)
        values = {key: value for key, _, value in pairs}
        named = values.get(b"core.excludesfile")
        path = _default_excludes() if named is None else named
        return Settings(
            os.path.join(self.top, path) if path else None,
            values.get(b"core.ignorecase") in (b"true", b"yes", b"on", b"1", b""),
        )

    def tracked(self, folder: bytes, prefix: bytes) -> Tracked:
        """Return what git tracks below `folder`, each path after `prefix`; `GitFailed`."""
        listed = _run(folder, ("ls-files", "-z", "--cached"))
        files = frozenset(prefix + path for path in listed.split(b"\0") if path)
        return Tracked(files, _folders_above(files))

    def commit(self) -> str | None:
        """Return the commit that is checked out, read without git; None for none."""
        head = _first_line(self.git_dir + b"/HEAD")
        name = head.partition(b"ref: ")[2]
        if not name:
            return head.decode("ascii", "replace") or None
        loose = _first_line(os.path.join(self.common_dir, name))
        return (loose or self._packed(name)).decode("ascii", "replace") or None

    def _packed(self, name: bytes) -> bytes:
        try:
            with open(self.common_dir + b"/packed-refs", "rb") as lines:
                found = (line.split() for line in lines if line[:1] not in b"#^")
                return next((pair[0] for pair in found if pair[1:] == [name]), b"")
        except OSError:
            return b""

    def commits_since(self, commit: str) -> int:
        """Count the commits that the checked-out one has and `commit` lacks; `GitFailed`."""
        listed = _run(self.top, ("rev-list", "--count", f"{commit}..HEAD", "--"))
        return int(listed)

    def blobs_at(self, revision: str) -> dict[bytes, bytes]:
        """Return the files of a commit: path from the top, blob; `GitFailed`."""
        if revision.startswith("-"):
            raise GitFailed("it is no revision")
        commit = revision + "^{commit}"
        listed = _run(self.top, ("ls-tree", "-r", "-z", "--full-tree", commit))
        rows = (row.partition(b"\t") for row in listed.split(b"\0") if row)
        return {path: entry.split()[2] for entry, _, path in rows}


def _folders_above(files: frozenset[bytes]) -> frozenset[bytes]:
    folders: set[bytes] = set()
    for path in files:
        end = path.rfind(b"/")
        while end > 0 and path[:end] not in folders:
            folders.add(path[:end])
            end = path.rfind(b"/", 0, end)
    return frozenset(folders)


def enclosing(folder: bytes) -> Repository | None:
    """Return the repository whose working tree holds `folder`, as git finds it."""
    try:
        device = os.stat(folder).st_dev
        while True:
            found = repository_at(folder)
            parent = os.path.dirname(folder)
            if found is not None or parent == folder:
                return found
            if os.stat(parent).st_dev != device:
                return None
            folder = parent
    except OSError:
        return None


def repository_at(folder: bytes) -> Repository | None:
    """Return the repository whose top is `folder`, or None."""
    git_dir = os.path.join(folder, b".git")
    if not os.path.isdir(git_dir):
        pointed = _first_line(git_dir).partition(b"gitdir: ")[2]
        if not pointed:
            return None
        git_dir = os.path.normpath(os.path.join(folder, pointed))
    common = _first_line(os.path.join(git_dir, b"commondir"))
    common_dir = os.path.normpath(os.path.join(git_dir, common)) if common else git_dir
    if not _is_git_dir(git_dir, common_dir):
        return None
    return Repository(folder, git_dir, common_dir)


def _is_git_dir(git_dir: bytes, common_dir: bytes) -> bool:
    return (
        os.path.lexists(git_dir + b"/HEAD")
        and os.path.isdir(common_dir + b"/objects")
        and os.path.isdir(common_dir + b"/refs")
    )


def _first_line(path: bytes) -> bytes:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read(8_192).partition(b"\n")[0].rstrip(b"\r")
    except OSError:
        return b""


def _default_excludes() -> bytes | None:
    config = os.environb.get(b"XDG_CONFIG_HOME")
    home = os.environb.get(b"HOME")
    if not config and not home:
        return None
    return os.path.join(config or home + b"/.config", b"git/ignore")  # type: ignore[operator]


def _run(folder: bytes, command: tuple[str, ...], *, empty_status: int = 0) -> bytes:
    import subprocess

    safe = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
    environment = {
        name: value for name, value in os.environ.items() if name not in _LOCAL
    }
    try:
        done = subprocess.run(
            ("git", *safe, "--no-optional-locks", *command),  # noqa: S607 - the user's own
            cwd=folder,
            env=environment | _ALONE,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise GitFailed(str(error)) from error
    if done.returncode not in (0, empty_status):
        message = done.stderr.decode("utf-8", "replace").partition("\n")[0]
        raise GitFailed(message)
    return done.stdout
