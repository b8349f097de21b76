"""`python -m adapters.cli hsum ...` and `python -m adapters.cli hythe ...`."""

from __future__ import annotations

import sys

from adapters.cli import _start

USAGE = """\
Usage: python -m adapters.cli hsum ...    evidence: index, search, cite, verify
       python -m adapters.cli hythe ...   state: checkpoints, observations, messages

`python -m adapters.cli hsum --help` lists the commands of each.
"""


def main(arguments: list[str]) -> int:
    """Run the program that the first argument names."""
    if arguments and arguments[0] in ("hsum", "hythe"):
        return _start(arguments[0], arguments[1:])
    asked = arguments[:1] in (["--help"], ["-h"])
    (sys.stdout if asked else sys.stderr).write(USAGE)
    return 0 if asked else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
