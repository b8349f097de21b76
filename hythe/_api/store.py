"""One store: a file, who uses it, and what is in it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, final

from hsum._kernel.escape import visible_path
from hsum._kernel.faults import Fault, boundary, guarded
from hsum._kernel.files import as_path
from hsum._kernel.text import check_flag, check_text
from hythe._api.care import Care
from hythe._api.credentials import Credentials
from hythe._api.memory import Memory
from hythe._api.post import Post
from hythe._api.scope import Scope
from hythe._storage import Storage
from hythe.checkpoint.scopes import scope_name
from hythe.errors import family

if TYPE_CHECKING:
    from hsum._kernel.sqlite import Durability
    from hythe.care.doctor import Diagnosis
    from hythe.resume.handles import Fetched


@final
@boundary(family)
class Store(Memory, Post, Care):
    """Recorded knowledge and project state in one SQLite file.

    May be shared by threads, survives a fork, and works in `with`. Open one with
    `hythe.open` or `hythe.in_memory`.
    """

    @property
    def path(self) -> Path | None:
        """The file, None for a store in memory."""
        return self._storage.database.path

    def as_agent(self, agent: str, *, proven: bool = False) -> Store:
        """Return the same store as used by another agent.

        `proven` is for servers that have checked a credential.
        """
        is_proven = check_flag(proven, "$.proven")
        return Store(self._storage, agent, proven=is_proven)

    def scope(self, project: Any = None, task: Any = None) -> Scope:
        """Return the scope of exactly this project, task, or project and task.

        Raises:
            InvalidInput: `SCOPE_INVALID` with neither.
        """
        name = scope_name(project, task)
        return Scope(self._storage, name, self.agent, proven=self._proven)

    def fetch(
        self, handle: str, *, offset: int = 0, max_bytes: int = 16_384
    ) -> Fetched:
        """Read a recorded value by a handle that `resume` gave, in pieces.

        A snapshot is `{contentHash, envelope, state}`: the RFC 8785 form of the
        envelope, which names its state by digest, has this hash.

        Args:
            handle: `hythe://snapshot|value|message|handoff/...`.
            offset: the byte to begin at; `next` of the piece before.
            max_bytes: the most bytes to return; the end is cut at a character.

        Raises:
            NotFound: nothing is recorded under it, or it is another agent's mail.
            Damaged: `INTEGRITY_FAILED`.
        """
        from hythe.resume.fetch import fetch, piece_request

        asked = piece_request(handle, offset=offset, max_bytes=max_bytes)
        return self._read(
            fetch, asked, agent=self.agent, offset=offset, max_bytes=max_bytes
        )

    @property
    def credentials(self) -> Credentials:
        """What proves agents: `issue`, `rotate`, `revoke`, `list`, `withdraw`."""
        return Credentials(self._storage, self.agent, proven=self._proven)

    def doctor(self, *, head: str | None = None) -> Diagnosis:
        """Verify every seal, digest and derived row; changes nothing.

        Args:
            head: a seal that was kept elsewhere and must still be here.
        """
        from hythe.care.doctor import examine

        if head is not None:
            check_text(head, "$.head")
        with self._storage.reading() as (conn, store):
            return examine(conn, store, head=head)

    def close(self) -> None:
        """Close the store for every handle on it; closing twice is fine."""
        self._storage.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = ", closed" if self._storage.database.closed else ""
        return f"<Store {self.path or 'in memory'} as {self.agent}{state}>"


def open_store(
    path: str | os.PathLike[str],
    *,
    agent: str,
    create: bool = True,
    read_only: bool = False,
    durability: Durability = "full",
    evidence: Callable[[str], Any] | None = None,
    clock: Callable[[], Any] | None = None,
    ids: Callable[[], Any] | None = None,
) -> Store:
    """Open the store at `path`; the first write makes the file.

    Args:
        path: the SQLite file.
        agent: who reads and writes, 1 to 100 of `A-Z a-z 0-9 _ . : -`.
        create: allow a file that is not there yet.
        read_only: refuse every write.
        durability: "full" flushes at each commit; "normal" may lose the last commits
            at a power cut.
        evidence: gives the state of an `hsum://` citation.
        clock: gives UTC microseconds or aware datetimes.
        ids: gives UUIDs.

    Raises:
        NotFound: there is no file, and none may be made.
        Damaged, Unreadable, NotAllowed: the file cannot be used.
    """
    file = as_path(path)
    check_flag(create, "$.create")
    if os.path.isdir(file):
        raise Fault(
            "INVALID_ARGUMENT",
            f"{visible_path(str(file))} is a directory; a store is one file",
            hint="Name a file in it, such as team.hythe.",
            details={"path": "$.path"},
        )
    storage = Storage(
        file,
        read_only=check_flag(read_only, "$.read_only"),
        durability=durability,
        evidence=evidence,
        clock=clock,
        ids=ids,
    )
    store = Store(storage, agent)
    if storage.database.exists():
        with storage.reading():
            return store
    if not create or read_only:
        raise Fault(
            "NOT_FOUND",
            f"there is no store at {os.fspath(path)!r}",
            hint="Check the path; the first checkpoint or observation makes a store.",
        )
    return store


def in_memory(
    *,
    agent: str,
    evidence: Callable[[str], Any] | None = None,
    clock: Callable[[], Any] | None = None,
    ids: Callable[[], Any] | None = None,
) -> Store:
    """Make a store in memory, under the same laws; it ends with its handle."""
    return Store(Storage(None, evidence=evidence, clock=clock, ids=ids), agent)


open_store = guarded(family, open_store)
in_memory = guarded(family, in_memory)
