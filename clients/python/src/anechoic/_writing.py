"""The requests of a stream."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
from google.protobuf.message import Message

try:
    from grpc._cython.cygrpc import InternalError
except ImportError:  # Another version of grpcio has it elsewhere.
    InternalError = grpc.RpcError


async def write(stream: Any, request: Message) -> bool:
    """Sends a request. Returns false if the call has ended: its status says why.

    The `write` of grpcio's streams makes INTERNAL of the status of a call that has ended while the event loop was
    busy, whatever the server said. The call below it does not.
    """
    try:
        if stream.done():
            return False
        await stream.wait_for_connection()
        below = getattr(stream, "_cython_call", None)
        if below is None:
            await stream.write(request)
        else:
            await below.send_serialized_message(request.SerializeToString())
        return True
    except (grpc.RpcError, asyncio.InvalidStateError, InternalError):
        return False
    except asyncio.CancelledError:
        stream.cancel()
        raise


async def finish(stream: Any) -> None:
    """Ends the requests, if the call has not ended."""
    try:
        await stream.done_writing()
    except (grpc.RpcError, asyncio.InvalidStateError, InternalError):
        pass
