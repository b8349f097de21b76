"""The programs `hsum` and `hythe`."""

from __future__ import annotations

import sys

__all__ = ["hsum", "hythe"]


def hsum() -> None:
    """Run the program `hsum` on the process's arguments, and exit."""
    sys.exit(_start("hsum", sys.argv[1:]))


def hythe() -> None:
    """Run the program `hythe` on the process's arguments, and exit."""
    sys.exit(_start("hythe", sys.argv[1:]))


def _start(program: str, arguments: list[str]) -> int:
    try:
        return _loaded(program, arguments)
    except KeyboardInterrupt:  # while modules are loaded, before `run` can see it
        if sys.stderr is not None:  # `2>&-`
            sys.stderr.write("interrupted\n")
        return 130


def _loaded(program: str, arguments: list[str]) -> int:
    try:
        import click  # noqa: F401
    except ModuleNotFoundError:
        sys.stderr.write(
            f"{program}: the command line needs click and rich\n"
            "  next: pip install 'hsum-hythe[cli]'\n"
        )
        return 1
    from adapters.cli.run import run

    return run(program, arguments)
