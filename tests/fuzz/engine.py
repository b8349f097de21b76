"""Runs of one target: plain mutations, or guided by coverage where atheris is there."""

from __future__ import annotations

import hashlib
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.mutations import LONGEST, changed, mutated
from tests.fuzz.seeds import SEEDS, TOKENS
from tests.fuzz.targets import TARGETS

__all__ = ["corpus", "guided", "keep", "known", "plain"]

_FOUND = Path(__file__).with_name("found")


def corpus(name: str) -> list[bytes]:
    """Return the seeds of a target, and what has broken it once."""
    return [*SEEDS[name](), *(path.read_bytes() for path in known(name))]


def known(name: str) -> list[Path]:
    """Return the files of inputs that have broken a target once."""
    return sorted((_FOUND / name).glob("*"))


def keep(name: str, data: bytes, folder: Path = _FOUND) -> Path:
    """Write an input that breaks a target where the tests find it; return the file."""
    path = folder / name / hashlib.sha256(data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def plain(name: str, seconds: float, seed: int) -> int:
    """Try mutations for so long; return how many. The first that breaks is kept."""
    inputs = corpus(name)
    ends, done = time.monotonic() + seconds, 0
    for data in mutated(inputs, TOKENS[name], random.Random(seed)):
        if time.monotonic() >= ends:
            break
        try:
            TARGETS[name](data)
        except BaseException:
            sys.stderr.write(f"{keep(name, data)} breaks {name}\n")
            raise
        done += 1
    return done


def guided(name: str, seconds: int, seed: int) -> None:
    """Let atheris fuzz a target for so long; it ends the process."""
    import atheris

    inputs, tokens = corpus(name), TOKENS[name]

    def mutate(data: bytes, most: int, number: int) -> bytes:
        draw = random.Random(number)
        if draw.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        return changed(data, inputs, tokens, draw)[:most]

    work = Path(tempfile.mkdtemp(prefix="fuzz-"))
    for data in inputs:
        TARGETS[name](data)  # what is imported late is instrumented as well
        keep("corpus", data, work)
    words = ["".join(map("\\x{:02x}".format, token)) for token in tokens]
    (work / "words").write_text("".join(f'"{word}"\n' for word in words), "utf-8")
    target = _FOUND / name
    target.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-seed={seed}",
        f"-dict={work / 'words'}",
        f"-artifact_prefix={target}/",
        "-timeout=60",
        "-print_final_stats=1",
    ]
    given = [name, str(work / "corpus"), *options]
    atheris.Setup(given, TARGETS[name], custom_mutator=mutate)
    atheris.Fuzz()
