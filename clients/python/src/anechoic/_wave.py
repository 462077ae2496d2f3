"""The headers of WAV files."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO

from .errors import FormatError

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_SUBTYPE = bytes.fromhex("000000001000800000aa00389b71")
"""The end of the GUID of a format in an extensible header. It begins with the number of the format."""
_LARGEST_SIZE = 0x7FFF0000
"""From this size on, a header leaves the size open: a program that writes to a pipe cannot know it."""
_INTEGERS, _FLOATS = (8, 16, 24, 32), (32, 64)
"""The bits of a sample."""
_SIZE_ELSEWHERE = 0xFFFFFFFF
"""The size in a file of more than 4 GiB (RF64), whose chunk `ds64` has the size. In other files, it is open."""
_OPEN = 1 << 63
"""From this size on, `ds64` leaves the size open as well."""


@dataclass(frozen=True)
class Header:
    """The contents of a file, as its header tells them."""

    rate: int
    channels: int
    width: int
    """The bytes of a sample of one channel."""
    is_float: bool
    is_big_endian: bool
    count: int
    """The samples of each channel."""


def read_header(file: BinaryIO) -> Header:
    """Reads up to the first sample. Throws `FormatError` for another file, or one that is cut off."""
    riff = file.read(12)
    if len(riff) < 12 or riff[:4] not in (b"RIFF", b"RIFX", b"RF64") or riff[8:] != b"WAVE":
        raise FormatError("the file is not a WAV file")
    order = ">" if riff[:4] == b"RIFX" else "<"
    header: tuple[int, int, int, int] | None = None
    large: tuple[int, int] | None = None
    while True:
        chunk = file.read(8)
        if len(chunk) < 8:
            raise FormatError("the file is not a WAV file: it has no samples")
        name, size = chunk[:4], struct.unpack(order + "I", chunk[4:])[0]
        if name == b"data":
            break
        content = file.read(min(size, 64)) if name in (b"fmt ", b"ds64") else b""
        if name == b"fmt ":
            header = _format(content, order)
        elif name == b"ds64" and riff[:4] == b"RF64" and len(content) >= 16:
            large = struct.unpack("<QQ", content[:16])
        file.seek(size + size % 2 - len(content), 1)
    if header is None:
        raise FormatError("the file is not a WAV file: it does not say which format its samples have")
    kind, channels, rate, bits = header
    if kind not in (_PCM, _FLOAT):
        raise FormatError(f"samples of the type {kind} are not supported; use integers (PCM) or floats")
    if bits not in (_FLOATS if kind == _FLOAT else _INTEGERS):
        raise FormatError(f"{bits} bits are not supported; use 8, 16, 24 or 32")
    frame = bits // 8 * channels
    whole = struct.unpack(order + "I", riff[4:8])[0]
    is_open = _LARGEST_SIZE <= size <= _SIZE_ELSEWHERE
    if large is not None and size == _SIZE_ELSEWHERE:
        (whole, size), is_open = large, large[1] >= _OPEN
    present = _size(file, None if is_open else size, whole + 8)
    return Header(rate, channels, bits // 8, kind == _FLOAT, order == ">", present // frame if frame else 0)


def _format(content: bytes, order: str) -> tuple[int, int, int, int]:
    """Returns the number of the format, the channels, the rate and the bits of a sample."""
    if len(content) < 16:
        raise FormatError("the file is not a WAV file: its header is too short")
    kind, channels, rate, _, _, bits = struct.unpack(order + "HHIIHH", content[:16])
    if kind == _EXTENSIBLE and content[26:40] == _SUBTYPE:
        kind = struct.unpack("<H", content[24:26])[0]
    return kind, channels, rate, bits


def _size(file: BinaryIO, claimed: int | None, whole: int) -> int:
    """Returns the bytes of the samples, which the file must have. A header that leaves the size open claims none, or
    0. `whole` is the size of the file by its header."""
    start = file.tell()
    end = file.seek(0, 2)
    present = end - start
    file.seek(start)
    if claimed is None:
        return present
    if claimed == 0:
        # If the header was completed, what follows is a chunk of another kind.
        return 0 if start < whole <= end else present
    # A program that is stopped may leave half a sample.
    if present < claimed - 7:
        raise FormatError(f"the file is cut off: it has {present} of {claimed} bytes of samples")
    return min(claimed, present)


def header(rate: int, channels: int, width: int, size: int) -> bytes:
    """Returns the header of a file of integers with so many bytes of samples.

    >>> len(header(16000, 1, 2, 0))
    44
    """
    frame = channels * width
    whole = 36 + size
    if whole > _SIZE_ELSEWHERE:
        whole = size = _SIZE_ELSEWHERE
    return struct.pack(
        "<4sI8sIHHIIHH4sI", b"RIFF", whole, b"WAVEfmt ", 16, _PCM, channels, rate, rate * frame, frame,
        8 * width, b"data", size,
    )
