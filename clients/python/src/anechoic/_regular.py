"""Keeps programs from FIFOs, which wait for another program, and from devices that are read without end."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO, Union

_NOT_REGULAR = "this is not a regular file"


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
    text = os.strerror(number) if stat.S_ISDIR(mode) else _NOT_REGULAR
    raise OSError(number, text, name)


def check_no_fifo(path: str) -> None:
    """Throws `OSError` if a file that is to be written is a FIFO: it would wait for a reader, perhaps for ever."""
    if os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, _NOT_REGULAR, path)


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
