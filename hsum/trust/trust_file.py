"""The user's `trust.json`: read as it is, changed under a lock, written whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hsum._kernel.escape import json_text
from hsum._kernel.files import make_private_dir, write_atomic
from hsum._kernel.lock import exclusive
from hsum.trust.bindings import Bindings, from_json, to_json
from hsum.trust.places import config_folder
from hsum.trust.private_files import check_private_folder, read_private

__all__ = ["load", "update"]

T = TypeVar("T")


def load() -> Bindings:
    """Return the user's bindings; none when the file is not there.

    Raises:
        Fault: `PERMISSION_DENIED` when others may read or change the file,
            `STORE_DAMAGED` when it is not what was written.
    """
    return _load(config_folder() / "trust.json")


def update(change: Callable[[Bindings], tuple[Bindings, T]]) -> T:
    """Change the bindings by a function of them; processes take turns."""
    folder = make_private_dir(config_folder())
    check_private_folder(folder)
    path = folder / "trust.json"
    with exclusive(folder / "trust.lock"):
        old = _load(path)
        new, answer = change(old)
        if new != old:
            write_atomic(path, (json_text(to_json(new), indent=2) + "\n").encode())
    return answer


def _load(path: Path) -> Bindings:
    data = read_private(path)
    if data is None:
        return ()
    try:
        parsed = json.loads(data)
    except ValueError:
        parsed = None
    return from_json(parsed)
