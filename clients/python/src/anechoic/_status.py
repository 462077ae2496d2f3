"""Turns the statuses of gRPC into the errors of this package."""

from __future__ import annotations

from typing import Any, Coroutine, Type

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from . import errors
from .errors import AnechoicError
from .rpc import error_details_pb2, status_pb2

_DETAILS_KEY = "grpc-status-details-bin"
_LONGEST_TEXT = 2000
_ERRORS: dict[str, Type[AnechoicError]] = {
    "INVALID_ARGUMENT": errors.InvalidRequest,
    "UNAVAILABLE": errors.ServerUnavailable,
    "DEADLINE_EXCEEDED": errors.ServerUnavailable,
    "UNIMPLEMENTED": errors.IncompatibleServer,
    "UNAUTHENTICATED": errors.Unauthenticated,
    "PERMISSION_DENIED": errors.PermissionDenied,
    "NOT_FOUND": errors.NotFound,
    "ALREADY_EXISTS": errors.AlreadyExists,
    "FAILED_PRECONDITION": errors.Refused,
    "RESOURCE_EXHAUSTED": errors.Overloaded,
    "ABORTED": errors.SessionEnded,
    "CANCELLED": errors.SessionEnded,
}
_REFUSALS = ("STALE_GENERATION", "INJECTION_CANCELLED")
"""The reasons of ABORTED that do not end a session."""
_LOST = {"UNAVAILABLE", "CANCELLED", "INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED"}


def error_of(status: str, message: str, **details: Any) -> AnechoicError:
    """Returns the error for the name of a gRPC status."""
    reason = details.get("reason", "")
    if reason == "SLOW_CONSUMER" or (not reason and message.startswith("SLOW_CONSUMER")):
        details["reason"] = "SLOW_CONSUMER"
        return errors.SessionEnded(message, status=status, **details)
    if reason in _REFUSALS:
        return errors.Refused(message, status=status, **details)
    return _ERRORS.get(status, AnechoicError)(message, status=status, **details)


def error_from(failure: grpc.RpcError, server: str) -> AnechoicError:
    """Returns the error for a failed call to a server."""
    status, details = failure.code().name, _line(failure.details() or "")
    if status == "UNIMPLEMENTED" and not has_details(failure):
        message = f"{server}: the server does not offer anechoic.v1: {details}"
        return errors.IncompatibleServer(message, status=status)
    if status == "UNAVAILABLE" and "GOAWAY" in details and not has_details(failure):
        return closed_at_once(server)
    return error_of(status, f"{server}: {status}: {details}", **_details(failure))


def closed_at_once(server: str) -> AnechoicError:
    """Returns the error for a server that accepts a connection and closes it, such as a proxy that drains."""
    return errors.ServerUnavailable(f"{server}: the server has closed the connection", status="UNAVAILABLE")


def refusal_error(code: int, reason: str, message: str) -> AnechoicError:
    """Returns the error for a refused control, which has a `google.rpc.Code`."""
    name = next((each.name for each in grpc.StatusCode if each.value[0] == code), "UNKNOWN")
    return error_of(name, _line(message), reason=_line(reason))


def was_connection_lost(failure: grpc.RpcError) -> bool:
    """Whether the connection was lost. The server's own errors have details."""
    return failure.code().name in _LOST and not has_details(failure)


def has_details(failure: grpc.RpcError) -> bool:
    """Whether the server itself sent this status."""
    return _status_of(failure) is not None


def _status_of(failure: grpc.RpcError) -> status_pb2.Status | None:
    """Returns the status with details. None if there is no status, or if the bytes are not a status."""
    for key, value in failure.trailing_metadata() or ():
        if key == _DETAILS_KEY:
            try:
                return status_pb2.Status.FromString(value)
            except (DecodeError, TypeError):
                return None
    return None


def _details(failure: grpc.RpcError) -> dict[str, Any]:
    """Returns reason, field and retry_after, as far as the status has them."""
    status = _status_of(failure)
    found: dict[str, Any] = {}
    for item in status.details if status is not None else ():
        kind = item.type_url.rpartition(".")[2]
        try:
            _read_detail(kind, item.value, found)
        except DecodeError:
            continue
    return found


def _read_detail(kind: str, data: bytes, found: dict[str, Any]) -> None:
    if kind == "ErrorInfo":
        found["reason"] = _line(error_details_pb2.ErrorInfo.FromString(data).reason)
    elif kind == "BadRequest":
        request = error_details_pb2.BadRequest.FromString(data)
        found["field"] = _line(next((each.field for each in request.field_violations), ""))
    elif kind == "RetryInfo":
        delay = error_details_pb2.RetryInfo.FromString(data).retry_delay
        found["retry_after"] = max(0.0, delay.seconds + delay.nanos / 1e9)


def _line(text: str) -> str:
    """Returns the text of a server as one line that can be shown.

    >>> _line("a\\nb\\x1b[1m")
    'a b [1m'
    """
    return "".join(each if each.isprintable() else " " for each in text[:_LONGEST_TEXT])


class FirstStatus:
    """The status with which a server ended a call.

    grpcio replaces it by INTERNAL if a message of the client fails because the call has ended.
    """

    def __init__(self, stream: Any) -> None:
        self.error: grpc.aio.AioRpcError | None = None
        """The first status. None while the call goes on."""
        stream.add_done_callback(self._note)

    def or_else(self, failure: grpc.RpcError) -> grpc.RpcError:
        """Returns the first status, or a failure that came without one."""
        return self.error or failure

    def _note(self, stream: Any) -> None:
        if self.error is None:
            self.error = grpc.aio.AioRpcError(
                _result(stream.code()), _result(stream.initial_metadata()), _result(stream.trailing_metadata()),
                _result(stream.details()))


def _result(work: Coroutine[Any, Any, Any]) -> Any:
    """Returns the result of work that has nothing to wait for."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    work.close()
    return None
