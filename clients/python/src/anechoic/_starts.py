"""Starts sessions, and continues them on another connection."""

from __future__ import annotations

import logging
import uuid
from typing import Sequence

from ._answers import LONGEST_WINDOW
from ._call import Call
from ._reconnection import Reconnect
from ._start import Plan, seconds
from ._state import State
from .connection import Connection
from .errors import AlreadyExists, AnechoicError, IncompatibleServer, InvalidRequest, PermissionDenied
from .v1 import voice_processing_pb2 as api

_MOST_WARNINGS = 32
_log = logging.getLogger("anechoic")
FIRST_SECONDS = 10.0
"""The time for the answer to the first start of a session."""
ECHO_PATH, VOICEPRINT, ENROLLMENT = "start.echo_path_hint", "start.voiceprint", "start.enroll_voice"
"""What a start has from earlier sessions, or for later ones. A session runs without it as well."""


def is_refused(field: str, error: AnechoicError) -> bool:
    """Whether a server has refused a start for one of its fields.

    >>> is_refused(VOICEPRINT, PermissionDenied('127.0.0.1:1: PERMISSION_DENIED: start.voiceprint needs the scope'))
    True
    >>> is_refused(ECHO_PATH, InvalidRequest("", field="start.echo_path_hint.response"))
    True
    >>> is_refused(ECHO_PATH, InvalidRequest("", field="start.config"))
    False
    """
    is_for_good = isinstance(error, (InvalidRequest, PermissionDenied, IncompatibleServer))
    return is_for_good and field in (error.field or str(error))


class Starts:
    """The servers, the request that starts a session, and the last answer to it."""

    def __init__(self, connections: Sequence[Connection], plan: Plan, policy: Reconnect, state: State) -> None:
        self.connections, self._policy, self._state = connections, policy, state
        self._request = plan.request()
        if not self._request.session_id:
            self._request.session_id = uuid.uuid4().hex
        self.server = 0
        """The index of the server that has the session."""
        self.started = api.Started()

    @property
    def window(self) -> float:
        """The seconds for which the session waits after a loss. 0 if it cannot be resumed."""
        return min(max(0.0, seconds(self.started.resume_window)), LONGEST_WINDOW) if self.started.resume_token else 0.0

    def try_next(self) -> None:
        """Makes the next server the one to start with."""
        self.server = (self.server + 1) % len(self.connections)

    async def begin(self, server: int, patience: float) -> Call:
        """Starts a new session with the state of the one before it."""
        start = api.Start()
        start.CopyFrom(self._request)
        self._state.continue_in(start)
        connection = self.connections[server]
        try:
            call = await Call.open(connection, start, patience)
        except AlreadyExists:
            if not self._state.session_id:
                raise
            start.session_id = uuid.uuid4().hex
            call = await Call.open(connection, start, patience)
        except InvalidRequest as error:
            if not any(is_refused(field, error) for field in (ECHO_PATH, VOICEPRINT, ENROLLMENT)):
                self._state.forget_settings()  # Another server may have told settings that this one does not know.
            raise
        self.server = server
        self._warn(call.started)
        self._note(call, start)
        return call

    async def resume(self, point: api.Start.ResumePoint, most_expected: int) -> Call:
        """Continues the session. `point` is where, and `most_expected` the latest sample that it can expect next."""
        start = api.Start()
        start.CopyFrom(self._request)
        start.session_id = self.started.session.removeprefix("sessions/")
        start.resume_token = self.started.resume_token
        start.resume_point.CopyFrom(point)
        call = await Call.open(self.connections[self.server], start, self._policy.attempt_timeout)
        expected = call.started.resumed.microphone_sample
        if not 0 <= expected <= most_expected:
            raise call.refuse(f"the session expects sample {expected}, and {most_expected} samples were sent")
        self._note(call, start)
        return call

    def _warn(self, started: api.Started) -> None:
        """Logs the fields without effect, unless those of the session before were the same."""
        if started.warnings != self.started.warnings:
            for warning in started.warnings[:_MOST_WARNINGS]:
                _log.warning("%s", warning)

    def _note(self, call: Call, start: api.Start) -> None:
        self.started = call.started
        self._state.began(start, call.started)
