"""The process that uses gRPC."""

from __future__ import annotations

import os

from .errors import Refused

_user: int | None = None
"""The process that connected first. A process that is forked from it inherits this number."""


def check_process() -> None:
    """Records that this process uses gRPC. Throws `Refused` if its parent did so before it forked this one.

    libgrpc does not survive a fork: its calls wait for ever in the new process, or abort it.
    """
    global _user
    if _user is None:
        _user = os.getpid()
    elif _user != os.getpid():
        message = (
            'this process was forked after its parent had connected, and gRPC does not work here; start processes with '
            '"spawn" (multiprocessing.get_context("spawn")), or before the parent connects')
        raise Refused(message, reason="FORKED")
