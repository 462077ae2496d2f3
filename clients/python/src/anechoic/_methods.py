"""The methods of the service, without generated stubs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .v1 import edge_pb2, sessions_pb2, voice_processing_pb2


@dataclass(frozen=True)
class Method:
    """The path of a method, and its messages."""

    path: str
    request: Any
    response: Any

    @property
    def only_reads(self) -> bool:
        """Whether a call changes nothing, so that it may be repeated."""
        return self.path.rpartition("/")[2].startswith(("Get", "List"))

    def on(self, channel: Any, shape: str) -> Any:
        """Returns a callable for a channel. `shape` is `unary_unary`, `stream_stream` and so on."""
        return getattr(channel, shape)(
            self.path,
            request_serializer=self.request.SerializeToString,
            response_deserializer=self.response.FromString,
        )


def _method(service: str, name: str, messages: Any) -> Method:
    path = f"/anechoic.v1.{service}/{name}"
    return Method(path, getattr(messages, f"{name}Request"), getattr(messages, f"{name}Response"))


PROCESS = _method("VoiceProcessingService", "Process", voice_processing_pb2)
JOIN_SESSION = _method("VoiceProcessingService", "JoinSession", voice_processing_pb2)
LIST_SESSIONS = _method("SessionService", "ListSessions", sessions_pb2)
GET_SESSION = _method("SessionService", "GetSession", sessions_pb2)
UPDATE_SESSION = _method("SessionService", "UpdateSession", sessions_pb2)
DELETE_SESSION = _method("SessionService", "DeleteSession", sessions_pb2)
SET_MUTE = _method("SessionService", "SetMute", sessions_pb2)
REPORT_MUTE_GESTURE = _method("SessionService", "ReportMuteGesture", sessions_pb2)
WATCH_SESSION = _method("SessionService", "WatchSession", sessions_pb2)
REQUEST_INJECTION_PERMISSION = _method("SessionService", "RequestInjectionPermission", sessions_pb2)
GET_INJECTION_STATUS = _method("SessionService", "GetInjectionStatus", sessions_pb2)
WATCH_INJECTION = _method("SessionService", "WatchInjection", sessions_pb2)
INJECT_SPEECH = _method("SessionService", "InjectSpeech", sessions_pb2)
GET_EDGE_STATUS = _method("EdgeService", "GetEdgeStatus", edge_pb2)
BEGIN_CALL = _method("EdgeService", "BeginCall", edge_pb2)
END_CALL = _method("EdgeService", "EndCall", edge_pb2)
TURN_HEAD = _method("EdgeService", "TurnHead", edge_pb2)
PLAY_FAR_END = _method("EdgeService", "PlayFarEnd", edge_pb2)
SET_UP_MICROPHONE = _method("EdgeService", "SetUpMicrophone", edge_pb2)
DECIDE_INJECTION = _method("EdgeService", "DecideInjection", edge_pb2)
ENROLL_VOICE = _method("EdgeService", "EnrollVoice", edge_pb2)
FORGET_VOICE = _method("EdgeService", "ForgetVoice", edge_pb2)
HOLD_CALL = _method("EdgeService", "HoldCall", edge_pb2)
