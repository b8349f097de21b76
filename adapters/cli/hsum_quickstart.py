"""`hsum quickstart`: index, search, get, edit a copy, verify; all in a temporary home."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from adapters._wire.hsum_verbs import VERBS
from adapters._wire.verbs import of_command
from adapters.cli.tour import Tour

if TYPE_CHECKING:
    from hsum import Hit, Initialized

__all__ = ["quickstart"]

SHOWN_BYTES = 400


def quickstart(path: str | None, *, as_json: bool) -> int:
    """Take the tour of a folder; nothing outside the temporary home is changed."""
    import hsum

    home = tempfile.mkdtemp(prefix="hsum-quickstart-")
    os.environ["HSUM_HOME"] = home
    for name in ("HSUM_INDEX", "HSUM_PROJECT"):
        os.environ.pop(name, None)
    tour = Tour(_page, _encode, as_json=as_json)
    tour.tell(f"everything is made in a temporary home: {home}")
    tour.shell("export HSUM_HOME=$(mktemp -d)")
    root, ours = path or _enclosing_root(), os.path.dirname(hsum.__file__)
    root = os.path.abspath(root or ours)
    tour.tell("index a folder, which is only read: generation 1")
    # An environment with our sources is often within what git ignores.
    made = hsum.initialize(root, no_ignore=root == ours)
    tour.step("init", f"hsum init {quote(root)}{' --no-ignore' * (root == ours)}", made)
    if made.hits:
        hit = _cited(tour, made)
        _edited(tour, made, Path(root, hit.path), Path(home, "copy"))
    tour.end(home)
    return 0


def _cited(tour: Tour, made: Initialized) -> Hit:
    hit = _search(tour, made)
    tour.tell("a citation names exact bytes of an exact revision: read them back")
    _get(tour, hit)
    return hit


def _edited(tour: Tour, made: Initialized, original: Path, folder: Path) -> None:
    """Index a copy of the cited file, edit it, and look at its citation again."""
    import hsum

    folder.mkdir()
    copy = folder / original.name
    shutil.copyfile(original, copy)
    shown = f'"$HSUM_HOME"/copy/{quote(original.name)}'
    tour.tell("now a copy of that file: indexed, and then edited")
    tour.shell(f'mkdir "$HSUM_HOME/copy" && cp {quote(str(original))} {shown}')
    second = hsum.initialize(folder)
    tour.step("init", 'hsum init "$HSUM_HOME/copy"', second)
    with hsum.open_managed(second.context.index) as index:
        hits = index.search(made.query, limit=1)
    tour.shell(_cite(made.query, second.context.index))
    copy.write_bytes(b"\n" + copy.read_bytes())
    tour.shell(f"{{ echo; cat {quote(str(original))}; }} > {shown}")
    tour.tell("the bytes of then still answer; --verify says where they stand now")
    _get(tour, hits[0])


def _search(tour: Tour, made: Initialized) -> Hit:
    import hsum

    index = made.context.index
    with hsum.open_managed(index) as opened:
        hits = opened.search(made.query, limit=1)
    line = f"hsum search {quote(made.query)} --index {index} --limit 1"
    tour.tell("search it")
    tour.step("search", line, hits, query=made.query)
    tour.shell(_cite(made.query, index))
    return hits[0]


def _cite(query: str, index: str) -> str:
    words = f"hsum search {quote(query)} --index {index} --limit 1 --citations"
    return f"CITATION=$({words})"


def _get(tour: Tour, hit: Hit) -> None:
    import hsum

    context = hsum.context(citation=hit.citation)
    with hsum.open_managed(context.index) as opened:
        evidence = opened.get(hit.citation, max_bytes=SHOWN_BYTES, verify=True)
    line = f'hsum get "$CITATION" --max-bytes {SHOWN_BYTES} --verify'
    tour.step("get", line, evidence)


def _enclosing_root() -> str | None:
    here = Path.cwd()
    found = (folder for folder in (here, *here.parents) if (folder / ".git").exists())
    return next(map(str, found), None)


def _page(command: str, result: Any, options: dict[str, Any]) -> Any:
    from adapters.cli import hsum_pages

    verb = of_command(VERBS, command)
    return hsum_pages.page(verb, result, options) if verb is not None else []


def _encode(_: str, result: Any) -> Any:
    from adapters._wire.hsum_json import encode

    return encode(result)
