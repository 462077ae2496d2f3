"""Opens files without waiting: a FIFO waits for another program, and a device may be read without end."""

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


def open_output(path: str) -> BinaryIO:
    """Opens a file to write it, without a buffer, also a pipe that somebody reads. Throws `OSError`. Never waits."""
    try:
        file = open(path, "wb", buffering=0, opener=_open_at_once)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "no program reads this pipe", path) from None
        raise
    os.set_blocking(file.fileno(), True)
    return file


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
