"""Text that stands in a PNG image beside its picture: the chunks of type tEXt, by keyword.

Only what is asked for is looked at: no picture is decoded and nothing is decompressed, so that a
small file cannot become a large one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Around the data of a chunk: its length and type before, its check sum after it.
_HEAD, _TAIL = 8, 4
# A picture has some dozen chunks; more are there to keep us busy.
CHUNKS = 10_000


def is_png(data: bytes) -> bool:
    """Return whether these are the bytes of a PNG image, whatever its file is called."""
    return data.startswith(SIGNATURE)


def texts(data: bytes) -> dict[str, bytes]:
    """Return the text chunks by keyword; of several with one keyword, the first.

    Raises:
        ValueError: it is no PNG image, it is cut off, or a text does not fit its check sum.
    """
    if not is_png(data):
        raise ValueError("it is no PNG image.")
    found: dict[str, bytes] = {}
    for kind, body in _chunks(data):
        if kind == b"tEXt":
            keyword, separator, text = body.partition(b"\x00")
            if not separator:
                raise ValueError("a text in the image has no keyword.")
            found.setdefault(keyword.decode("latin-1"), text)
    return found


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    for _ in range(CHUNKS):
        length = int.from_bytes(data[at : at + 4], "big")
        kind, start = data[at + 4 : at + _HEAD], at + _HEAD
        end = start + length
        if end + _TAIL > len(data):
            raise ValueError("the image is cut off.")
        if kind == b"IEND":
            return
        body = data[start:end]
        check_sum = int.from_bytes(data[end : end + _TAIL], "big")
        if kind == b"tEXt" and zlib.crc32(kind + body) != check_sum:
            raise ValueError("a text in the image is damaged.")
        yield kind, body
        at = end + _TAIL
    raise ValueError(f"the image has more than {CHUNKS} chunks.")
