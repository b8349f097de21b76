"""Where a server over HTTP listens: bound before anything is said or opened."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from typing import Any, NamedTuple

from hsum import Fault

__all__ = ["Address", "listening"]

_NEXT = {
    errno.EADDRINUSE: "End what listens there, or name another port; 0 takes a free one.",
    errno.EADDRNOTAVAIL: "Name an address of this machine: 127.0.0.1 for it alone,"
    " 0.0.0.0 for all of its addresses.",
    errno.EACCES: "Name a port from 1024 on, or allow this user the lower ones.",
}
_ELSE = "Name another address, for example 127.0.0.1:8765"
_WAITING = 128
# What one of a name's addresses may lack: IPv6 may be there and turned off.
_NOT_HERE = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)


class Address(NamedTuple):
    """A host as a person names it, and a port; 0 stands for any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def listening(address: Address) -> list[socket.socket]:
    """Return sockets that listen on each address of a host, at one port.

    Raises:
        Fault: `INVALID_ARGUMENT` for an address that is not there or in use,
            `PERMISSION_DENIED` for a port that this user may not have.
    """
    port, refused = address.port, OSError(errno.EADDRNOTAVAIL, "")
    with contextlib.ExitStack() as undo:
        found: list[socket.socket] = []
        for family, place in _resolved(address):
            try:
                one = _bound(family, (place[0], port, *place[2:]))
            except OSError as exc:
                if exc.errno not in _NOT_HERE:
                    raise _fault(address, exc) from exc
                refused = exc
                continue
            found.append(undo.enter_context(one))
            port = one.getsockname()[1]
        if not found:
            raise _fault(address, refused) from refused
        undo.pop_all()
    return found


def _resolved(address: Address) -> list[tuple[int, tuple[Any, ...]]]:
    try:
        rows = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError) as exc:  # no name of the network is like this
        raise Fault(
            "INVALID_ARGUMENT",
            f"cannot listen on {address}: the host has no address",
            hint=_ELSE,
            details={"address": str(address)},
        ) from exc
    return list(dict.fromkeys((row[0], row[4]) for row in rows))


def _bound(family: int, place: tuple[Any, ...]) -> socket.socket:
    """Listen at once: Linux lets two sockets bind to a port until one of them does."""
    with contextlib.ExitStack() as undo:
        made = undo.enter_context(socket.socket(family, socket.SOCK_STREAM))
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:  # 0.0.0.0 is bound beside it
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(place)
        made.listen(_WAITING)
        undo.pop_all()
    return made


def _fault(address: Address, exc: OSError) -> Fault:
    denied = exc.errno in (errno.EACCES, errno.EPERM)
    reason = os.strerror(exc.errno) if exc.errno else str(exc)
    return Fault(
        "PERMISSION_DENIED" if denied else "INVALID_ARGUMENT",
        f"cannot listen on {address}: {reason}",
        hint=_NEXT.get(exc.errno or 0, _ELSE),
        details={"address": str(address)},
    )
