"""`hsum quickstart`: index, search, get, edit a copy, verify; all in a temporary home."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters._wire.hsum_verbs import VERBS
from adapters._wire.verbs import of_command
from adapters.cli.tour import Tour

if TYPE_CHECKING:
    from hsum import Citation, Hit, Initialized

__all__ = ["quickstart"]


def quickstart(path: str | None, *, as_json: bool) -> int:
    """Take the tour of a folder; nothing outside the temporary home is changed."""
    import hsum

    home = tempfile.mkdtemp(prefix="hsum-quickstart-")
    os.environ["HSUM_HOME"] = home
    for name in ("HSUM_INDEX", "HSUM_PROJECT"):
        os.environ.pop(name, None)
    tour = Tour(_page, _encode, as_json=as_json)
    tour.tell("everything is made in a temporary home")
    tour.shell(f"export HSUM_HOME={shlex.quote(home)}")
    root = path or _enclosing_root() or os.path.dirname(hsum.__file__)
    tour.tell("index a folder; it becomes generation 1, and is only read")
    made = hsum.initialize(root)
    tour.step("hsum init", [root], made)
    if made.hits:
        _verified(tour, made, Path(home, "copy"))
    tour.tell("when you have seen enough")
    tour.shell(f"rm -r {shlex.quote(home)}")
    tour.end(home=home, root=made.context.source_root)
    return 0


def _verified(tour: Tour, made: Initialized, copy: Path) -> None:
    hit = _search(tour, made.context.index, made.query)
    tour.tell("a citation names exact bytes of an exact revision; read them back")
    _get(tour, hit.citation)
    original = Path(str(made.context.source_root), hit.path)
    edited = copy / original.name
    tour.tell("now a copy of that file, which is indexed and then edited")
    copy.mkdir()
    shutil.copyfile(original, edited)
    source, target = shlex.quote(str(original)), shlex.quote(str(edited))
    tour.shell(f"mkdir -p {shlex.quote(str(copy))} && cp {source} {target}")
    _cited_then_edited(tour, made.query, edited, f"{{ echo; cat {source}; }} > {target}")


def _cited_then_edited(tour: Tour, query: str, edited: Path, command: str) -> None:
    import hsum

    second = hsum.initialize(edited.parent)
    tour.step("hsum init", [str(edited.parent)], second)
    hit = _search(tour, second.context.index, query)
    edited.write_bytes(b"\n" + edited.read_bytes())
    tour.shell(command)
    tour.tell("the citation still gives the bytes of then, and says what became of them")
    _get(tour, hit.citation)


def _search(tour: Tour, index: str, query: str) -> Hit:
    import hsum

    with hsum.open_managed(index) as opened:
        hits = opened.search(query, limit=1)
    words = [query, "--index", index, "--limit", "1"]
    tour.step("hsum search", words, hits, query=query)
    return hits[0]


def _get(tour: Tour, citation: Citation) -> None:
    import hsum

    context = hsum.context(citation=citation)
    with hsum.open_managed(context.index) as opened:
        evidence = opened.get(citation, max_bytes=400, verify=True)
    words = [str(citation), "--max-bytes", "400", "--verify"]
    tour.step("hsum get", words, evidence)


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
