from anechoic.v1 import events_pb2 as _events_pb2
from anechoic.v1 import voice_processing_pb2 as _voice_processing_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OutputDigest(_message.Message):
    __slots__ = ["playback_sha256", "processed_samples", "processed_sha256", "raw_sha256", "recognizer_sha256"]
    PLAYBACK_SHA256_FIELD_NUMBER: _ClassVar[int]
    PROCESSED_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    PROCESSED_SHA256_FIELD_NUMBER: _ClassVar[int]
    RAW_SHA256_FIELD_NUMBER: _ClassVar[int]
    RECOGNIZER_SHA256_FIELD_NUMBER: _ClassVar[int]
    playback_sha256: bytes
    processed_samples: int
    processed_sha256: bytes
    raw_sha256: bytes
    recognizer_sha256: bytes
    def __init__(self, processed_samples: _Optional[int] = ..., processed_sha256: _Optional[bytes] = ..., playback_sha256: _Optional[bytes] = ..., recognizer_sha256: _Optional[bytes] = ..., raw_sha256: _Optional[bytes] = ...) -> None: ...

class RecordSessionRequest(_message.Message):
    __slots__ = ["name", "wait"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    name: str
    wait: _duration_pb2.Duration
    def __init__(self, name: _Optional[str] = ..., wait: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RecordSessionResponse(_message.Message):
    __slots__ = ["recording", "waiting"]
    class Waiting(_message.Message):
        __slots__ = []
        def __init__(self) -> None: ...
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    recording: bytes
    waiting: RecordSessionResponse.Waiting
    def __init__(self, waiting: _Optional[_Union[RecordSessionResponse.Waiting, _Mapping]] = ..., recording: _Optional[bytes] = ...) -> None: ...

class RecordedAct(_message.Message):
    __slots__ = ["control", "digest", "draining", "end", "gesture", "gesture_expired", "head_responses", "injection", "injection_allowed", "microphone_early", "microphone_late", "microphone_stopped", "output_dropped", "permission_request", "playback_client_changed", "profile_lookup", "reduced", "request", "resumed", "suspended", "time_ns", "turn", "withheld_samples"]
    class End(_message.Message):
        __slots__ = ["flushed", "frames", "reason"]
        FLUSHED_FIELD_NUMBER: _ClassVar[int]
        FRAMES_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        flushed: bool
        frames: int
        reason: _events_pb2.SessionEnded.Reason
        def __init__(self, reason: _Optional[_Union[_events_pb2.SessionEnded.Reason, str]] = ..., flushed: bool = ..., frames: _Optional[int] = ...) -> None: ...
    class Gesture(_message.Message):
        __slots__ = ["client", "gesture_id", "muted"]
        CLIENT_FIELD_NUMBER: _ClassVar[int]
        GESTURE_ID_FIELD_NUMBER: _ClassVar[int]
        MUTED_FIELD_NUMBER: _ClassVar[int]
        client: RecordedClient
        gesture_id: str
        muted: bool
        def __init__(self, client: _Optional[_Union[RecordedClient, _Mapping]] = ..., gesture_id: _Optional[str] = ..., muted: bool = ...) -> None: ...
    class HeadResponses(_message.Message):
        __slots__ = ["listener_profile", "sha256"]
        LISTENER_PROFILE_FIELD_NUMBER: _ClassVar[int]
        SHA256_FIELD_NUMBER: _ClassVar[int]
        listener_profile: str
        sha256: str
        def __init__(self, listener_profile: _Optional[str] = ..., sha256: _Optional[str] = ...) -> None: ...
    class Injection(_message.Message):
        __slots__ = ["begun_by", "begun_locally_by", "cancelled", "completed", "injection_id", "piece"]
        class Piece(_message.Message):
            __slots__ = ["playback", "processed"]
            PLAYBACK_FIELD_NUMBER: _ClassVar[int]
            PROCESSED_FIELD_NUMBER: _ClassVar[int]
            playback: bytes
            processed: bytes
            def __init__(self, processed: _Optional[bytes] = ..., playback: _Optional[bytes] = ...) -> None: ...
        BEGUN_BY_FIELD_NUMBER: _ClassVar[int]
        BEGUN_LOCALLY_BY_FIELD_NUMBER: _ClassVar[int]
        CANCELLED_FIELD_NUMBER: _ClassVar[int]
        COMPLETED_FIELD_NUMBER: _ClassVar[int]
        INJECTION_ID_FIELD_NUMBER: _ClassVar[int]
        PIECE_FIELD_NUMBER: _ClassVar[int]
        begun_by: str
        begun_locally_by: str
        cancelled: bool
        completed: bool
        injection_id: str
        piece: RecordedAct.Injection.Piece
        def __init__(self, injection_id: _Optional[str] = ..., begun_by: _Optional[str] = ..., piece: _Optional[_Union[RecordedAct.Injection.Piece, _Mapping]] = ..., completed: bool = ..., cancelled: bool = ..., begun_locally_by: _Optional[str] = ...) -> None: ...
    class MicrophoneStopped(_message.Message):
        __slots__ = ["alone"]
        ALONE_FIELD_NUMBER: _ClassVar[int]
        alone: bool
        def __init__(self, alone: bool = ...) -> None: ...
    class OtherControl(_message.Message):
        __slots__ = ["client", "control"]
        CLIENT_FIELD_NUMBER: _ClassVar[int]
        CONTROL_FIELD_NUMBER: _ClassVar[int]
        client: RecordedClient
        control: _voice_processing_pb2.Control
        def __init__(self, client: _Optional[_Union[RecordedClient, _Mapping]] = ..., control: _Optional[_Union[_voice_processing_pb2.Control, _Mapping]] = ...) -> None: ...
    class PermissionRequest(_message.Message):
        __slots__ = ["client", "stored_decision", "usage_description"]
        CLIENT_FIELD_NUMBER: _ClassVar[int]
        STORED_DECISION_FIELD_NUMBER: _ClassVar[int]
        USAGE_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
        client: RecordedClient
        stored_decision: bool
        usage_description: str
        def __init__(self, client: _Optional[_Union[RecordedClient, _Mapping]] = ..., usage_description: _Optional[str] = ..., stored_decision: bool = ...) -> None: ...
    class ProfileLookup(_message.Message):
        __slots__ = ["found", "listener_profile"]
        FOUND_FIELD_NUMBER: _ClassVar[int]
        LISTENER_PROFILE_FIELD_NUMBER: _ClassVar[int]
        found: bool
        listener_profile: str
        def __init__(self, listener_profile: _Optional[str] = ..., found: bool = ...) -> None: ...
    class Resumption(_message.Message):
        __slots__ = ["enrollment_forbidden", "microphone_sample"]
        ENROLLMENT_FORBIDDEN_FIELD_NUMBER: _ClassVar[int]
        MICROPHONE_SAMPLE_FIELD_NUMBER: _ClassVar[int]
        enrollment_forbidden: bool
        microphone_sample: int
        def __init__(self, microphone_sample: _Optional[int] = ..., enrollment_forbidden: bool = ...) -> None: ...
    class Turn(_message.Message):
        __slots__ = []
        def __init__(self) -> None: ...
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    GESTURE_EXPIRED_FIELD_NUMBER: _ClassVar[int]
    GESTURE_FIELD_NUMBER: _ClassVar[int]
    HEAD_RESPONSES_FIELD_NUMBER: _ClassVar[int]
    INJECTION_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    INJECTION_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_EARLY_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_LATE_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_STOPPED_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_DROPPED_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_REQUEST_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_CLIENT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    PROFILE_LOOKUP_FIELD_NUMBER: _ClassVar[int]
    REDUCED_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    TIME_NS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    WITHHELD_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    control: RecordedAct.OtherControl
    digest: OutputDigest
    draining: _duration_pb2.Duration
    end: RecordedAct.End
    gesture: RecordedAct.Gesture
    gesture_expired: str
    head_responses: RecordedAct.HeadResponses
    injection: RecordedAct.Injection
    injection_allowed: bool
    microphone_early: bool
    microphone_late: bool
    microphone_stopped: RecordedAct.MicrophoneStopped
    output_dropped: int
    permission_request: RecordedAct.PermissionRequest
    playback_client_changed: _events_pb2.PlaybackClientChanged
    profile_lookup: RecordedAct.ProfileLookup
    reduced: bool
    request: _voice_processing_pb2.ProcessRequest
    resumed: RecordedAct.Resumption
    suspended: _duration_pb2.Duration
    time_ns: int
    turn: RecordedAct.Turn
    withheld_samples: int
    def __init__(self, time_ns: _Optional[int] = ..., request: _Optional[_Union[_voice_processing_pb2.ProcessRequest, _Mapping]] = ..., turn: _Optional[_Union[RecordedAct.Turn, _Mapping]] = ..., control: _Optional[_Union[RecordedAct.OtherControl, _Mapping]] = ..., gesture: _Optional[_Union[RecordedAct.Gesture, _Mapping]] = ..., gesture_expired: _Optional[str] = ..., permission_request: _Optional[_Union[RecordedAct.PermissionRequest, _Mapping]] = ..., injection: _Optional[_Union[RecordedAct.Injection, _Mapping]] = ..., microphone_stopped: _Optional[_Union[RecordedAct.MicrophoneStopped, _Mapping]] = ..., draining: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., end: _Optional[_Union[RecordedAct.End, _Mapping]] = ..., digest: _Optional[_Union[OutputDigest, _Mapping]] = ..., output_dropped: _Optional[int] = ..., microphone_late: bool = ..., injection_allowed: bool = ..., reduced: bool = ..., suspended: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., resumed: _Optional[_Union[RecordedAct.Resumption, _Mapping]] = ..., playback_client_changed: _Optional[_Union[_events_pb2.PlaybackClientChanged, _Mapping]] = ..., profile_lookup: _Optional[_Union[RecordedAct.ProfileLookup, _Mapping]] = ..., head_responses: _Optional[_Union[RecordedAct.HeadResponses, _Mapping]] = ..., microphone_early: bool = ..., withheld_samples: _Optional[int] = ...) -> None: ...

class RecordedClient(_message.Message):
    __slots__ = ["is_media_client", "name"]
    IS_MEDIA_CLIENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    is_media_client: bool
    name: str
    def __init__(self, name: _Optional[str] = ..., is_media_client: bool = ...) -> None: ...

class RecordingHeader(_message.Message):
    __slots__ = ["engine", "engine_weights_sha256", "enrollment_forbidden", "frames_per_turn", "head_responses_sha256", "injection_allowed", "owner", "permissions_stored", "server_version", "start", "turn_weights_sha256"]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    ENGINE_WEIGHTS_SHA256_FIELD_NUMBER: _ClassVar[int]
    ENROLLMENT_FORBIDDEN_FIELD_NUMBER: _ClassVar[int]
    FRAMES_PER_TURN_FIELD_NUMBER: _ClassVar[int]
    HEAD_RESPONSES_SHA256_FIELD_NUMBER: _ClassVar[int]
    INJECTION_ALLOWED_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    PERMISSIONS_STORED_FIELD_NUMBER: _ClassVar[int]
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    TURN_WEIGHTS_SHA256_FIELD_NUMBER: _ClassVar[int]
    engine: str
    engine_weights_sha256: str
    enrollment_forbidden: bool
    frames_per_turn: int
    head_responses_sha256: str
    injection_allowed: bool
    owner: RecordedClient
    permissions_stored: bool
    server_version: str
    start: _voice_processing_pb2.Start
    turn_weights_sha256: str
    def __init__(self, engine: _Optional[str] = ..., server_version: _Optional[str] = ..., start: _Optional[_Union[_voice_processing_pb2.Start, _Mapping]] = ..., owner: _Optional[_Union[RecordedClient, _Mapping]] = ..., injection_allowed: bool = ..., frames_per_turn: _Optional[int] = ..., engine_weights_sha256: _Optional[str] = ..., permissions_stored: bool = ..., head_responses_sha256: _Optional[str] = ..., enrollment_forbidden: bool = ..., turn_weights_sha256: _Optional[str] = ...) -> None: ...
