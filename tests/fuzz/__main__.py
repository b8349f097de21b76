"""Fuzz one target, until it breaks or the time is up."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from tests.fuzz import NAMES

_EXAMPLES = """\
targets: {targets}

examples:
  python -m tests.fuzz citations                  a minute, guided by coverage
  python -m tests.fuzz frames --seconds 600       ten minutes
  python -m tests.fuzz queries --plain            mutations alone, without atheris
  python -m tests.fuzz imports --replay FILE      what one input does

`pip install atheris` for the first two (Linux); without it mutations are plain. An
input that breaks a target is written to tests/fuzz/found/TARGET/, where the tests
replay it for ever: mend the fault, and commit the file with it."""


def main(given: list[str] | None = None) -> int:
    """Run the program; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        epilog=_EXAMPLES.format(targets=", ".join(NAMES)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("target", choices=NAMES, metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="how long; 60")
    parser.add_argument("--seed", type=int, default=1, help="of all chance; 1")
    parser.add_argument("--plain", action="store_true", help="mutations alone")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try one input")
    asked = parser.parse_args(given)
    guided = not asked.plain and asked.replay is None and has_atheris()
    with _instrumented() if guided else contextlib.nullcontext():
        from tests.fuzz import engine, targets

        if guided:
            engine.guided(asked.target, asked.seconds, asked.seed)
    if asked.replay is not None:
        targets.TARGETS[asked.target](asked.replay.read_bytes())
        return 0
    done = engine.plain(asked.target, asked.seconds, asked.seed)
    sys.stdout.write(f"{asked.target}: {done:,} inputs, nothing broke\n")
    return 0


def has_atheris() -> bool:
    """Tell whether the fuzzer that is guided by coverage can be had."""
    return importlib.util.find_spec("atheris") is not None


def _instrumented() -> Any:
    """Have what is imported from now on report its coverage."""
    import atheris

    return atheris.instrument_imports(include=["hsum", "hythe", "adapters"])


if __name__ == "__main__":
    sys.exit(main())
