"""Files that are written whole or not at all, and the faults of the OS."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path
from typing import Any, final

from hsum._kernel.escape import visible_path
from hsum._kernel.faults import Fault
from hsum._kernel.text import shown

__all__ = [
    "as_file",
    "as_path",
    "fsync",
    "fsync_dir",
    "make_private_dir",
    "refuse_network_filesystem",
    "refuse_non_utf8",
    "replace",
    "tighten",
    "translating_os",
    "write_atomic",
]

_LONGEST_NAME = 255
_CODES = {
    errno.ENOSPC: "DISK_FULL",
    errno.EDQUOT: "QUOTA_EXCEEDED",
    errno.EFBIG: "QUOTA_EXCEEDED",
    errno.EACCES: "PERMISSION_DENIED",
    errno.EPERM: "PERMISSION_DENIED",
    errno.EROFS: "PERMISSION_DENIED",
    errno.ENOTSUP: "UNSUPPORTED_STORAGE",
    errno.EIO: "STORE_DAMAGED",
}


def as_path(value: Any, path: str = "$.path") -> Path:
    """Return an absolute path: what a handle names stays when a process changes folder.

    Raises:
        Fault: `INVALID_ARGUMENT` for what no file can be named, and for a relative
            path where the working directory was removed.
    """
    try:
        name = os.fsdecode(value)
        parts = os.fsencode(name).split(b"/")
        if name and "\0" not in name and max(map(len, parts)) <= _LONGEST_NAME:
            return Path(os.path.abspath(os.path.expanduser(name)))
    except FileNotFoundError:
        raise Fault(
            "INVALID_ARGUMENT",
            "the working directory: it was removed",
            hint="Change to a directory that exists, or give an absolute path.",
            details={"path": path},
        ) from None
    except (TypeError, UnicodeError):
        pass
    raise Fault(
        "INVALID_ARGUMENT",
        f"{path} must be the path of a file, not {shown(value)}",
        details={"path": path},
    )


def as_file(value: Any, path: str = "$.path") -> Path:
    """Return an absolute path that a file can have, with a name below some folder.

    Raises:
        Fault: `INVALID_ARGUMENT`, also for `/`.
    """
    found = as_path(value, path)
    if found.name:
        return found
    raise Fault(
        "INVALID_ARGUMENT",
        f"{path} must be the path of a file; {found} is a directory",
        details={"path": path},
    )


@final
class translating_os:  # noqa: N801 - used as a statement
    """Turn an `OSError` into a fault that names the path."""

    __slots__ = ("_path",)

    def __init__(self, path: Path | str | bytes | None = None) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, OSError):
            raise os_fault(error, self._path) from error


def os_fault(exc: OSError, path: Path | str | bytes | None = None) -> Fault:
    """Return the fault for an `OSError`; codes without one of their own are arguments."""
    code = _CODES.get(exc.errno or 0, "INVALID_ARGUMENT")
    where = path if path is not None else exc.filename
    if exc.errno in (errno.ENOENT, errno.ENOTDIR) and isinstance(where, (str, Path)):
        folder = Path(where).parent
        if not os.path.isdir(folder):
            return _no_folder(folder)
    shown = visible_path(os.fsdecode(where)) if where is not None else "a file"
    reason = os.strerror(exc.errno) if exc.errno else str(exc)
    return Fault(code, f"{shown}: {reason}", details={"path": shown})


def _no_folder(folder: Path) -> Fault:
    """Name what the caller can mend, which may stand above what could not be made."""
    found = next(
        (up for up in (folder, *folder.parents) if os.path.lexists(up)), folder
    )
    blocked = not os.path.isdir(found) and os.path.lexists(found)
    shown = visible_path(str(found if blocked else folder))
    return Fault(
        "INVALID_ARGUMENT",
        f"{shown} is no directory" if blocked else f"there is no directory {shown}",
        hint="Correct the path." if blocked else "Make it first, or correct the path.",
        details={"path": shown},
    )


def fsync(descriptor: int) -> None:
    """Flush a file to the disk."""
    os.fsync(descriptor)


def replace(source: Path | str, target: Path | str) -> None:
    """Rename within one directory, atomically."""
    os.replace(source, target)


def fsync_dir(path: Path | str) -> None:
    """Flush a directory, so that what was made or renamed in it stays."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fsync(descriptor)
    finally:
        os.close(descriptor)


def write_atomic(path: Path | str, data: bytes, *, mode: int = 0o600) -> None:
    """Write a whole file: a temporary one beside it, flushed, renamed, flushed.

    Raises:
        Fault: what `translating_os` gives; the file is then as it was.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with translating_os(path):
        try:
            _write_new(temporary, data, mode)
            replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        fsync_dir(path.parent)


def _write_new(path: Path, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, mode), "wb") as handle:
        handle.write(data)
        handle.flush()
        fsync(handle.fileno())


def make_private_dir(path: Path | str) -> Path:
    """Make a directory and its missing parents, all of mode 0700."""
    path = Path(path)
    with translating_os(path):
        missing = []
        probe = path
        while not probe.exists():
            missing.append(probe)
            probe = probe.parent
        for folder in reversed(missing):
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
    return path


def tighten(folder: Path | str) -> None:
    """Take every right of others from a directory and all that is below it."""
    with translating_os(folder):
        _set_mode(Path(folder), 0o700)
        for parent, folders, files in os.walk(folder):
            for name in folders:
                _set_mode(Path(parent, name), 0o700)
            for name in files:
                _set_mode(Path(parent, name), 0o600)


def _set_mode(path: Path, mode: int) -> None:
    # What a reader's temporary file or SQLite's `-shm` was may be gone by now.
    with contextlib.suppress(FileNotFoundError):
        path.chmod(mode)


def refuse_non_utf8(path: Path | str) -> None:
    """Refuse a directory that only bytes can name, where a library takes only text.

    Raises:
        Fault: `INVALID_ARGUMENT`.
    """
    name = os.fspath(path)
    # Under another locale a name of text may be other bytes than its UTF-8.
    if os.fsencode(name) != name.encode(errors="replace"):
        shown = visible_path(name)
        raise Fault(
            "INVALID_ARGUMENT",
            f"{shown} is not UTF-8, and the path of an index must be",
            hint="Set HSUM_HOME to a path that is UTF-8, or give the index another"
            " one; sources may lie anywhere.",
            details={"path": shown},
        )


_MOUNTS = Path("/proc/self/mountinfo")

# Where the locks of WAL's shared memory do not reach other machines. Of FUSE those
# that are known: others (`fuse.fuse-overlayfs`, `fuse.gocryptfs`) keep files here.
_NETWORK = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "gfs2", "glusterfs",
        "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs",
        "prl_fs", "pvfs2", "smb", "smb2", "smb3", "smbfs", "vboxsf", "vmhgfs", "wekafs",
    }
) | frozenset(
    f"fuse.{name}"
    for name in (
        "blobfuse", "blobfuse2", "ceph", "ceph-fuse", "curlftpfs", "davfs2", "gcsfuse",
        "glusterfs", "goofys", "google-drive-ocamlfuse", "grpcfuse", "gvfsd-fuse",
        "juicefs", "kio-fuse", "mfs", "mount-s3", "osxfs", "rclone", "s3fs",
        "seaweedfs", "smbnetfs", "sshfs", "vmhgfs-fuse",
    )
)  # fmt: skip


def refuse_network_filesystem(path: Path | str) -> None:
    """Refuse a directory on a network file system, where WAL is unsafe.

    Raises:
        Fault: `UNSUPPORTED_STORAGE`, with the kind of file system.
    """
    kind = filesystem_kind(path)
    if kind in _NETWORK:
        raise Fault(
            "UNSUPPORTED_STORAGE",
            f"{visible_path(os.fsdecode(path))} is on {kind}, a network file system",
            details={"filesystem": kind},
        )


def filesystem_kind(path: Path | str) -> str | None:
    """Return the type of the file system that holds `path`; None where unknown."""
    if sys.platform != "linux":
        return None
    try:
        device = os.stat(_existing(Path(path))).st_dev
        mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
    except OSError:
        return None
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        fields = line.split()
        if fields[2] == wanted:
            return fields[fields.index("-") + 1]
    return None


def _existing(path: Path) -> Path:
    path = path.absolute()
    while not path.exists() and path != path.parent:
        path = path.parent
    return path
