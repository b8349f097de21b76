"""Screenshots of pages, read without another library."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from statistics import mean

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--force-device-scale-factor=1", "--blink-settings=preferredColorScheme=1",
)  # fmt: skip


def screenshot(page, picture, profile, *, width=480, height=640):
    """Draw a page in a browser with an empty profile."""
    subprocess.run(
        [
            str(CHROMIUM), *_QUIET, f"--user-data-dir={profile}",
            f"--window-size={width},{height}", f"--screenshot={picture}", page.as_uri(),
        ],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return pixels(picture.read_bytes())


def pixels(png):
    """Return the rows of an 8-bit RGB or RGBA picture as (r, g, b)."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (8, True) == (depth, kind in {2, 6})
    size = 4 if kind == 6 else 3
    data = zlib.decompress(b"".join(chunks(png)))
    rows, before = [], bytearray(width * size)
    for y in range(height):
        start = y * (width * size + 1)
        row = unfiltered(data[start], data[start + 1 :][: width * size], before, size)
        rows.append([tuple(row[x : x + 3]) for x in range(0, len(row), size)])
        before = row
    return rows


def chunks(png):
    at = 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        if name == b"IDAT":
            yield png[at + 8 : at + 8 + length]
        at += 12 + length


def unfiltered(kind, line, above, size):
    """Undo the filter of one line (PNG specification, chapter 9)."""
    row = bytearray(line)
    for i in range(len(row)):
        left = row[i - size] if i >= size else 0
        corner = above[i - size] if i >= size else 0
        row[i] = (row[i] + predicted(kind, left, above[i], corner)) & 255
    return row


def predicted(kind, left, up, corner):
    if kind == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda value: abs(guess - value))
    return (0, left, up, (left + up) // 2)[kind]


def coarse(rows, columns=12, lines=16):
    """Return the mean brightness of each cell of a grid: what no font changes much."""
    high, wide = len(rows) // lines, len(rows[0]) // columns
    return [
        mean(
            sum(pixel)
            for row in rows[y * high : (y + 1) * high]
            for pixel in row[x * wide : (x + 1) * wide]
        )
        / 765
        for y in range(lines)
        for x in range(columns)
    ]


def runs(rows, colour, *, least=20):
    """Return the lengths of the bars of a colour, from the top, each once."""
    found = []
    for row in rows:
        length = longest([near(pixel, colour) for pixel in row])
        if length >= least and found[-1:] != [length]:
            found.append(length)
        elif length < least and found[-1:] != [0]:
            found.append(0)
    return [length for length in found if length]


def longest(flags):
    best = now = 0
    for flag in flags:
        now = now + 1 if flag else 0
        best = max(best, now)
    return best


def near(pixel, colour):
    return all(abs(one - other) < 12 for one, other in zip(pixel, colour, strict=True))
