"""Opens files that can be read to their end: no FIFOs, which wait for a writer, and no devices."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO, Union


def open_regular(path: Union[str, "os.PathLike[str]"]) -> BinaryIO:
    """Opens a regular file to read it. Throws `OSError` for a missing file, or one of another kind. Never waits."""
    name = os.fspath(path)
    mode = os.stat(name).st_mode
    if stat.S_ISREG(mode):
        file = open(name, "rb", opener=_open_at_once)
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # Another file may have taken the name in between.
            return file
        file.close()
    number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
    text = os.strerror(number) if stat.S_ISDIR(mode) else "this is not a regular file"
    raise OSError(number, text, name)


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
