"""A cut is stored in little space, and comes back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given

from hsum.index.packing import pack, unpack
from hsum.index.passages import cut
from tests.passages.texts import CONTENTS, ENCODINGS, PATHS


@given(CONTENTS, PATHS, ENCODINGS)
def test_unpack_is_the_inverse_of_pack(data, path, encoding):
    """Whatever was cut comes back as it was."""
    passages = cut(data, path=path, encoding=encoding)

    assert passages == unpack(pack(passages))


def test_headings_with_tabs_come_back():
    """White space in a heading is one space, so that tabs can separate names."""
    passages = cut(b"# A\tB \t C\n\nwords\n", path=b"a.md", encoding="utf-8")

    assert ("A B C",) == passages[0].declares
    assert passages == unpack(pack(passages))


def test_a_passage_takes_few_bytes():
    """A thousand passages without symbols take less than four bytes each."""
    data = b"".join(b"%d words of prose in a line\n" % n for n in range(40_000))
    passages = cut(data, path=b"a.txt", encoding="utf-8")

    assert len(pack(passages)) < 4 * len(passages)


@pytest.mark.parametrize("blob", [b"", b"\x01", b"\x02\x00", b"\xff\x80rest"])
def test_a_blob_of_another_format_is_refused(blob):
    """A later format is not misread."""
    with pytest.raises(ValueError, match="not a cut"):
        unpack(blob)
