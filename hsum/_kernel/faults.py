"""What is refused, and how it says so.

`Fault` is the one root. Each package puts its own root below it (`HsumError`,
`HytheError`) and a few classes named for what happened, gathered in a `Family`.
Kernel code raises plain faults; the objects people hold are marked with
`boundary`, so that a caller only ever meets the classes of the package in use.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from hsum._kernel.catalogue import entry_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["STRANGE", "Family", "Fault", "boundary"]

P = ParamSpec("P")
T = TypeVar("T")

# Bytes of a name that `os.fsdecode` could not decode, as they are shown elsewhere.
_BYTES = {0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)}


STRANGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What using a value raises that a damaged row gives: any value, of any type."""


class Fault(Exception):
    """A refusal or a failure, with the way out.

    Attributes:
        code: one of the catalogue's codes.
        message: what happened, in one sentence.
        hint: the next step.
        retryable: whether the same call may succeed later, unchanged.
        details: plain JSON data for programs.
    """

    code: str
    message: str
    hint: str
    retryable: bool
    details: dict[str, Any]

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        retryable: bool | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        entry = entry_of(code)
        if not message.isascii():  # it may quote text that UTF-8 cannot carry
            told = message.translate(_BYTES)
            message = told.encode(errors="backslashreplace").decode()
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = entry.fix if hint is None else hint
        self.retryable = entry.retryable if retryable is None else retryable
        self.details = dict(details or {})

    @property
    def exit_status(self) -> int:
        """The process exit status that belongs to the code."""
        return entry_of(self.code).exit_status

    def as_dict(self) -> dict[str, Any]:
        """Return the fault as plain JSON data."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.retryable,
            "details": self.details,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by value, so that faults cross process borders whole."""
        return (_rebuild, (type(self), self.as_dict()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.code}: {self.message}>"


def _rebuild(cls: type[Fault], data: dict[str, Any]) -> Fault:
    code, message = data.pop("code"), data.pop("message")
    return cls(code, message, **data)


class Family:
    """The classes of one package, by code."""

    def __init__(self, root: type[Fault], classes: Mapping[str, type[Fault]]) -> None:
        self.root = root
        self.classes = dict(classes)

    def make(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        retryable: bool | None = None,
        **details: Any,
    ) -> Fault:
        """Build the fault of the class that belongs to `code`."""
        cls = self.classes.get(code, self.root)
        return cls(code, message, hint=hint, retryable=retryable, details=details)

    def adopt(self, fault: Fault) -> Fault:
        """Return `fault` as one of this family."""
        if isinstance(fault, self.root):
            return fault
        cls = self.classes.get(fault.code, self.root)
        return cls(
            fault.code,
            fault.message,
            hint=fault.hint,
            retryable=fault.retryable,
            details=fault.details,
        )


def boundary(family: Family) -> Callable[[type[T]], type[T]]:
    """Make every public method and property of a class raise only `family`'s classes."""

    def mark(cls: type[T]) -> type[T]:
        for name, member in list(vars(cls).items()):
            if not name.startswith("_") or name in _SPOKEN:
                setattr(cls, name, _guard_member(member, family))
        return cls

    return mark


_SPOKEN = frozenset(
    {"__init__", "__getitem__", "__contains__", "__len__", "__iter__", "__enter__"}
)


def _guard_member(member: Any, family: Family) -> Any:
    if isinstance(member, property):
        getter = member.fget
        return property(guarded(family, getter)) if getter is not None else member
    if isinstance(member, (staticmethod, classmethod)):
        return type(member)(guarded(family, member.__func__))
    return guarded(family, member) if inspect.isfunction(member) else member


def guarded(family: Family, function: Callable[P, T]) -> Callable[P, T]:
    """Wrap one function, so that the faults it raises are of `family`."""
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def iterate(*args: P.args, **kwargs: P.kwargs) -> Any:
            try:
                yield from function(*args, **kwargs)
            except Fault as fault:
                raise _as_own(family, fault) from fault.__cause__

        return iterate

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except Fault as fault:
            raise _as_own(family, fault) from fault.__cause__

    return call


def _as_own(family: Family, fault: Fault) -> Fault:
    own = family.adopt(fault)
    return own if own is fault else own.with_traceback(fault.__traceback__)
