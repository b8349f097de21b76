"""One run of a program: arguments in, exit status out, no traceback."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import click

from adapters._wire.faults import fault_json
from adapters.cli.completing import asked, complete
from adapters.cli.terminal import emit_json, say
from hsum import Fault

__all__ = ["run"]

INTERRUPTED = 130
_OS_CODES = {
    errno.ENOSPC: "DISK_FULL",
    errno.EDQUOT: "QUOTA_EXCEEDED",
    errno.ENOENT: "INVALID_ARGUMENT",
}


def run(program: str, arguments: list[str]) -> int:
    """Run a program and return its exit status.

    A closed pipe is quiet: whoever closed it has what they wanted.
    """
    as_json = _wants_json(arguments)
    _open_closed_streams()
    try:
        return _guarded(program, arguments, as_json=as_json)
    except BrokenPipeError:
        _silence()
        return 0
    except KeyboardInterrupt:
        _silence()
        return INTERRUPTED
    except OSError as exc:
        return _refuse_broken(program, _os_fault(exc), as_json=as_json)


def _guarded(program: str, arguments: list[str], *, as_json: bool) -> int:
    try:
        status = _invoked(program, arguments)
        sys.stdout.flush()
    except Fault as fault:
        pointed = _pointing_to_help(fault, program, arguments)
        return _refuse(program, pointed, as_json=as_json)
    except click.exceptions.NoArgsIsHelpError as exc:
        sys.stderr.write(exc.format_message() + "\n")
        return 2
    except click.ClickException as exc:
        return _refuse(program, _usage_fault(program, exc), as_json=as_json)
    except click.exceptions.Exit as exc:
        return exc.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    except RecursionError:
        return _refuse(program, _nested_fault(), as_json=as_json)
    except OSError:
        raise
    except Exception as exc:
        if sys.flags.dev_mode:  # python -X dev shows the traceback
            raise
        say(f"{program} has a mistake of its own: {exc!r}", "bold red")
        say("  next: report it, with what `python -X dev` shows.")
        return 1
    return status if isinstance(status, int) else 0


def _invoked(program: str, arguments: list[str]) -> Any:
    """Run the group without click's own handling of pipes and interrupts."""
    group = _group(program)
    if asked(program):
        return complete(group, program)
    with group.make_context(program, arguments) as context:
        return group.invoke(context)


def _group(program: str) -> click.Group:
    if program == "hsum":
        from adapters.cli.hsum_program import group
    else:
        from adapters.cli.hythe_program import group
    return group()


def _pointing_to_help(fault: Fault, program: str, arguments: list[str]) -> Fault:
    """Add where the forms are shown, where the hint says no more than what is wrong."""
    from hsum import catalogue

    if fault.code == "INVALID_ARGUMENT" and fault.hint == catalogue()[fault.code].fix:
        fault.hint += f" `{program} {arguments[0]} --help` shows the forms."
    return fault


def _refuse(program: str, fault: Fault, *, as_json: bool) -> int:
    """Show a fault to people, or as the one JSON document, and give its exit status."""
    if as_json:
        emit_json(fault_json(fault, camelled=program == "hythe"))
    else:
        say(f"{fault.code}: {fault.message}", "bold red")
        if fault.hint:
            say(f"  next: {fault.hint}")
    return fault.exit_status


def _refuse_broken(program: str, fault: Fault, *, as_json: bool) -> int:
    """Refuse on stdout if that can be written, else on stderr alone."""
    try:
        sys.stdout.flush()
        return _refuse(program, fault, as_json=as_json)
    except OSError:
        _silence()
        return _refuse(program, fault, as_json=False)


def _os_fault(exc: OSError) -> Fault:
    """Name what the system refused to the program itself, not to a library."""
    gone = exc.errno == errno.ENOENT
    where = exc.filename or ("the working directory" if gone else "the output")
    return Fault(
        _OS_CODES.get(exc.errno or 0, "PERMISSION_DENIED"),
        f"{where}: {exc.strerror or exc}",
        hint="Check the working directory and where the output goes; what was done"
        " before stays done.",
    )


def _usage_fault(program: str, exc: click.ClickException) -> Fault:
    context: Any = getattr(exc, "ctx", None)
    command = context.command_path if context is not None else program
    return Fault(
        "INVALID_ARGUMENT",
        exc.format_message().replace("\n", " ").strip(),
        hint=f"See `{command} --help`." + _dash_hint(exc),
        details={"command": command},
    )


def _dash_hint(exc: click.ClickException) -> str:
    if isinstance(exc, click.NoSuchOption):
        return " Words that begin with a dash come after `--`."
    return ""


def _nested_fault() -> Fault:
    return Fault("TOO_LARGE", "the JSON given is nested too deeply")


def _wants_json(arguments: list[str]) -> bool:
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before


def _open_closed_streams() -> None:
    """Give a stream that the caller closed (`>&-`) a place to write to."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - to the end


def _silence() -> None:
    """Point stdout nowhere, so that the interpreter's last flush cannot fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
