"""Texts of many kinds, as agents record them."""

from __future__ import annotations

import base64
import json
import random
import string
import sysconfig
import uuid
from pathlib import Path

PROSE = (
    "The reference implementation answers in forty milliseconds at the ninety-fifth "
    "percentile, which is well below what the planners asked for. We therefore keep "
    "the index in one process, and only revisit that decision when the corpus grows "
    "beyond what fits into memory. Nobody on the team has objected so far; the "
    "reviewers asked for measurements on a cold cache, and those will follow. "
)
LATIN = (
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor "
    "incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam, quis "
    "nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat. "
)
CHINESE = "检查点记录了项目的当前状态，任何分支都不会被悄悄覆盖；恢复上下文时必须说明遗漏了什么。"
JAPANESE = (
    "チェックポイントは変更されず、再開するときには何が省かれたかを必ず示します。"
)
KOREAN = (
    "체크포인트는 변경되지 않으며, 다시 시작할 때 무엇이 빠졌는지 반드시 보여 줍니다. "
)
THAI = "จุดตรวจสอบจะไม่ถูกเปลี่ยนแปลง และเมื่อเริ่มใหม่ต้องบอกว่ามีอะไรขาดหายไป "
EMOJI = "🚀🔥✅❤️👩🏽‍💻👨‍👩‍👧‍👦🇩🇪🎉😀🤖🧪📦"


def code(size: int) -> str:
    """Return source text of the running interpreter's own library."""
    library = Path(sysconfig.get_path("stdlib"))
    parts = (library / name for name in ("argparse.py", "ast.py", "tarfile.py"))
    return "".join(part.read_text("utf-8") for part in parts)[:size]


def one_uuid(rand: random.Random) -> str:
    """Return a UUID."""
    return str(uuid.UUID(int=rand.getrandbits(128)))


def citation(rand: random.Random) -> str:
    """Return a citation of canonical form."""
    places = "/".join(one_uuid(rand) for _ in range(3))
    start = rand.randrange(100_000)
    return (
        f"hsum://v1/{places}?rev={rand.randbytes(32).hex()}"
        f"#bytes={start}-{start + rand.randrange(5_000)}"
    )


def _record(rand: random.Random) -> dict[str, object]:
    name = "".join(rand.choices(string.ascii_lowercase, k=7))
    return {"id": one_uuid(rand), "name": name, "ok": True, "n": rand.random()}


def _spans(first: int, last: int, rand: random.Random, size: int) -> str:
    return "".join(chr(rand.randint(first, last)) for _ in range(size))


def texts(seed: int, size: int = 1_200) -> dict[str, str]:
    """Return about `size` characters of each kind, always the same of one seed."""
    rand = random.Random(seed)
    whole = {
        "prose": PROSE,
        "latin": LATIN,
        "code": code(200_000)[seed * 997 % 100_000 :],
        "json": json.dumps([_record(rand) for _ in range(size // 80 + 1)]),
        "chinese": CHINESE,
        "japanese": JAPANESE,
        "korean": KOREAN,
        "any han": _spans(0x4E00, 0x9FA5, rand, size),
        "thai": THAI,
        "any thai": _spans(0xE01, 0xE3A, rand, size),
        "emoji": EMOJI,
        "any emoji": _spans(0x1F300, 0x1FAFF, rand, size),
        "one-letter words": "a ",
        "any letters": " ".join(rand.choices(string.ascii_letters, k=size // 2)),
        "hex": rand.randbytes(size // 2).hex(),
        "base64": base64.b64encode(rand.randbytes(size * 3 // 4)).decode(),
        "uuids": " ".join(one_uuid(rand) for _ in range(size // 37 + 1)),
        "citations": "\n".join(citation(rand) for _ in range(size // 220 + 1)),
    }
    return {
        name: (text * (size // len(text) + 1))[:size] for name, text in whole.items()
    }
