"""The errors of this package. Each is an `AnechoicError`."""

from __future__ import annotations


class AnechoicError(Exception):
    """An error of the server, of the connection to it, or of the audio for it.

    `str(error)` says what is wrong, where, and what would be right.
    """

    def __init__(
        self,
        message: str,
        *,
        status: str = "",
        reason: str = "",
        field: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The name of the gRPC status, such as `NOT_FOUND`. Empty for an error of this machine."""
        self.reason = reason
        """A stable name in UPPER_SNAKE_CASE, such as `SESSION_EXISTS`. Empty if there is none."""
        self.field = field
        """The path of the field that is wrong. Empty if no single field is."""
        self.retry_after = retry_after
        """The seconds after which another attempt can succeed. None if it is not known."""


class InvalidRequest(AnechoicError, ValueError):
    """A value is wrong: `field` names it."""


class FormatError(InvalidRequest):
    """Audio that does not have the announced format, or a format that nobody supports."""


class ServerUnavailable(AnechoicError):
    """No server answers, or the server is about to stop."""


class ConnectionLost(ServerUnavailable):
    """The connection was lost, and the session could not be resumed."""


class IncompatibleServer(AnechoicError):
    """The server does not offer this method or feature: another version, or another program."""


class Unauthenticated(AnechoicError):
    """The token or the certificate is missing, or is not accepted."""


class PermissionDenied(AnechoicError):
    """The client lacks the scope for this call."""


class NotFound(AnechoicError):
    """There is no such session, or it belongs to another client."""


class AlreadyExists(AnechoicError):
    """A session or an injection with this id is running."""


class Refused(AnechoicError):
    """The state of the session does not allow this: not open yet, not supported, or changed by somebody else first."""


class Overloaded(AnechoicError):
    """The server or the client has reached a limit. `retry_after` says when to try again."""


class SessionEnded(AnechoicError):
    """The session has ended before its time: deleted, idle, taken over, or read too slowly."""
