from anechoic.v1 import audio_pb2 as _audio_pb2
from anechoic.v1 import config_pb2 as _config_pb2
from anechoic.v1 import events_pb2 as _events_pb2
from anechoic.v1 import options_pb2 as _options_pb2
from anechoic.v1 import recording_pb2 as _recording_pb2
from anechoic.v1 import stats_pb2 as _stats_pb2
from anechoic.v1 import voice_processing_pb2 as _voice_processing_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeleteSessionRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DeleteSessionResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetInjectionStatusRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetInjectionStatusResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: InjectionStatus
    def __init__(self, status: _Optional[_Union[InjectionStatus, _Mapping]] = ...) -> None: ...

class GetSessionRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetSessionResponse(_message.Message):
    __slots__ = ["session"]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ...) -> None: ...

class InjectSpeechRequest(_message.Message):
    __slots__ = ["audio", "start", "text"]
    AUDIO_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    audio: _audio_pb2.AudioChunk
    start: InjectionStart
    text: str
    def __init__(self, start: _Optional[_Union[InjectionStart, _Mapping]] = ..., audio: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., text: _Optional[str] = ...) -> None: ...

class InjectSpeechResponse(_message.Message):
    __slots__ = ["injected", "injection_id"]
    INJECTED_FIELD_NUMBER: _ClassVar[int]
    INJECTION_ID_FIELD_NUMBER: _ClassVar[int]
    injected: _duration_pb2.Duration
    injection_id: str
    def __init__(self, injection_id: _Optional[str] = ..., injected: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class InjectionStart(_message.Message):
    __slots__ = ["format", "injection_id", "name", "preferred_injection_mode", "voice"]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    INJECTION_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PREFERRED_INJECTION_MODE_FIELD_NUMBER: _ClassVar[int]
    VOICE_FIELD_NUMBER: _ClassVar[int]
    format: _audio_pb2.AudioFormat
    injection_id: str
    name: str
    preferred_injection_mode: _config_pb2.InjectionMode
    voice: str
    def __init__(self, name: _Optional[str] = ..., injection_id: _Optional[str] = ..., format: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., voice: _Optional[str] = ..., preferred_injection_mode: _Optional[_Union[_config_pb2.InjectionMode, str]] = ...) -> None: ...

class InjectionStatus(_message.Message):
    __slots__ = ["available", "permission", "running", "session"]
    AVAILABLE_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    available: bool
    permission: _events_pb2.InjectionPermission
    running: bool
    session: str
    def __init__(self, session: _Optional[str] = ..., running: bool = ..., available: bool = ..., permission: _Optional[_Union[_events_pb2.InjectionPermission, str]] = ...) -> None: ...

class ListSessionsRequest(_message.Message):
    __slots__ = ["page_size", "page_token"]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ["next_page_token", "server", "sessions"]
    class Server(_message.Message):
        __slots__ = ["capacity_used", "sessions_active", "sessions_max", "version"]
        CAPACITY_USED_FIELD_NUMBER: _ClassVar[int]
        SESSIONS_ACTIVE_FIELD_NUMBER: _ClassVar[int]
        SESSIONS_MAX_FIELD_NUMBER: _ClassVar[int]
        VERSION_FIELD_NUMBER: _ClassVar[int]
        capacity_used: float
        sessions_active: int
        sessions_max: int
        version: str
        def __init__(self, version: _Optional[str] = ..., sessions_active: _Optional[int] = ..., sessions_max: _Optional[int] = ..., capacity_used: _Optional[float] = ...) -> None: ...
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    server: ListSessionsResponse.Server
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    def __init__(self, sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., server: _Optional[_Union[ListSessionsResponse.Server, _Mapping]] = ...) -> None: ...

class ReportMuteGestureRequest(_message.Message):
    __slots__ = ["gesture_id", "muted", "name"]
    GESTURE_ID_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    gesture_id: str
    muted: bool
    name: str
    def __init__(self, name: _Optional[str] = ..., gesture_id: _Optional[str] = ..., muted: bool = ...) -> None: ...

class ReportMuteGestureResponse(_message.Message):
    __slots__ = ["chime_in_playback", "outcome", "state"]
    CHIME_IN_PLAYBACK_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    chime_in_playback: bool
    outcome: _events_pb2.MuteGestureOutcome
    state: _events_pb2.MuteState
    def __init__(self, outcome: _Optional[_Union[_events_pb2.MuteGestureOutcome, str]] = ..., state: _Optional[_Union[_events_pb2.MuteState, _Mapping]] = ..., chime_in_playback: bool = ...) -> None: ...

class RequestInjectionPermissionRequest(_message.Message):
    __slots__ = ["name", "usage_description"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    USAGE_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    usage_description: str
    def __init__(self, name: _Optional[str] = ..., usage_description: _Optional[str] = ...) -> None: ...

class RequestInjectionPermissionResponse(_message.Message):
    __slots__ = ["permission"]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    permission: _events_pb2.InjectionPermission
    def __init__(self, permission: _Optional[_Union[_events_pb2.InjectionPermission, str]] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ["active_mic_mode", "client_host", "config", "create_time", "echo_converged", "echo_reference", "engine", "far_end_voice_active", "injection_available", "injection_permission", "inputs", "labels", "last_event_id", "mute", "muted_speech_active", "name", "outputs", "owner", "pacing", "playback_client", "problems", "reduced", "route", "state", "stats", "turn_active", "voice_active", "voice_enrollment"]
    class EchoReference(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class LabelsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ACTIVE_MIC_MODE_FIELD_NUMBER: _ClassVar[int]
    CLIENT_HOST_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ECHO_CONVERGED_FIELD_NUMBER: _ClassVar[int]
    ECHO_REFERENCE_CLIENT: Session.EchoReference
    ECHO_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    ECHO_REFERENCE_NONE: Session.EchoReference
    ECHO_REFERENCE_PLAYBACK: Session.EchoReference
    ECHO_REFERENCE_UNSPECIFIED: Session.EchoReference
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    FAR_END_VOICE_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    INJECTION_AVAILABLE_FIELD_NUMBER: _ClassVar[int]
    INJECTION_PERMISSION_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    LAST_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    MUTED_SPEECH_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    MUTE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    PACING_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_CLIENT_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    REDUCED_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STATE_RUNNING: Session.State
    STATE_SUSPENDED: Session.State
    STATE_UNSPECIFIED: Session.State
    STATS_FIELD_NUMBER: _ClassVar[int]
    TURN_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    VOICE_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    VOICE_ENROLLMENT_FIELD_NUMBER: _ClassVar[int]
    active_mic_mode: _config_pb2.MicMode
    client_host: str
    config: _config_pb2.SessionConfig
    create_time: _timestamp_pb2.Timestamp
    echo_converged: bool
    echo_reference: Session.EchoReference
    engine: _voice_processing_pb2.Engine
    far_end_voice_active: bool
    injection_available: bool
    injection_permission: _events_pb2.InjectionPermission
    inputs: _voice_processing_pb2.Start.Inputs
    labels: _containers.ScalarMap[str, str]
    last_event_id: int
    mute: _events_pb2.MuteState
    muted_speech_active: bool
    name: str
    outputs: _voice_processing_pb2.Start.Outputs
    owner: str
    pacing: _voice_processing_pb2.Pacing
    playback_client: str
    problems: _containers.RepeatedScalarFieldContainer[_events_pb2.CaptureWarning.Problem]
    reduced: bool
    route: _events_pb2.AudioRoute
    state: Session.State
    stats: _stats_pb2.SessionStats
    turn_active: bool
    voice_active: bool
    voice_enrollment: _events_pb2.VoiceEnrollment
    def __init__(self, name: _Optional[str] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., config: _Optional[_Union[_config_pb2.SessionConfig, _Mapping]] = ..., mute: _Optional[_Union[_events_pb2.MuteState, _Mapping]] = ..., active_mic_mode: _Optional[_Union[_config_pb2.MicMode, str]] = ..., voice_active: bool = ..., muted_speech_active: bool = ..., injection_available: bool = ..., injection_permission: _Optional[_Union[_events_pb2.InjectionPermission, str]] = ..., route: _Optional[_Union[_events_pb2.AudioRoute, _Mapping]] = ..., stats: _Optional[_Union[_stats_pb2.SessionStats, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., last_event_id: _Optional[int] = ..., owner: _Optional[str] = ..., far_end_voice_active: bool = ..., echo_reference: _Optional[_Union[Session.EchoReference, str]] = ..., state: _Optional[_Union[Session.State, str]] = ..., playback_client: _Optional[str] = ..., turn_active: bool = ..., voice_enrollment: _Optional[_Union[_events_pb2.VoiceEnrollment, str]] = ..., engine: _Optional[_Union[_voice_processing_pb2.Engine, _Mapping]] = ..., inputs: _Optional[_Union[_voice_processing_pb2.Start.Inputs, _Mapping]] = ..., outputs: _Optional[_Union[_voice_processing_pb2.Start.Outputs, _Mapping]] = ..., pacing: _Optional[_Union[_voice_processing_pb2.Pacing, str]] = ..., client_host: _Optional[str] = ..., problems: _Optional[_Iterable[_Union[_events_pb2.CaptureWarning.Problem, str]]] = ..., reduced: bool = ..., echo_converged: bool = ...) -> None: ...

class SetMuteRequest(_message.Message):
    __slots__ = ["at_sample", "if_generation", "muted", "name"]
    AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    IF_GENERATION_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    at_sample: int
    if_generation: int
    muted: bool
    name: str
    def __init__(self, name: _Optional[str] = ..., muted: bool = ..., if_generation: _Optional[int] = ..., at_sample: _Optional[int] = ...) -> None: ...

class SetMuteResponse(_message.Message):
    __slots__ = ["applied_at_sample", "state"]
    APPLIED_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    applied_at_sample: int
    state: _events_pb2.MuteState
    def __init__(self, state: _Optional[_Union[_events_pb2.MuteState, _Mapping]] = ..., applied_at_sample: _Optional[int] = ...) -> None: ...

class UpdateSessionRequest(_message.Message):
    __slots__ = ["at_sample", "session", "update_mask"]
    AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    at_sample: int
    session: Session
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ..., at_sample: _Optional[int] = ...) -> None: ...

class UpdateSessionResponse(_message.Message):
    __slots__ = ["applied_at_sample", "session"]
    APPLIED_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    applied_at_sample: int
    session: Session
    def __init__(self, session: _Optional[_Union[Session, _Mapping]] = ..., applied_at_sample: _Optional[int] = ...) -> None: ...

class WatchInjectionRequest(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class WatchInjectionResponse(_message.Message):
    __slots__ = ["statuses"]
    STATUSES_FIELD_NUMBER: _ClassVar[int]
    statuses: _containers.RepeatedCompositeFieldContainer[InjectionStatus]
    def __init__(self, statuses: _Optional[_Iterable[_Union[InjectionStatus, _Mapping]]] = ...) -> None: ...

class WatchSessionRequest(_message.Message):
    __slots__ = ["from_event_id", "name", "stats_interval"]
    FROM_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATS_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    from_event_id: int
    name: str
    stats_interval: _duration_pb2.Duration
    def __init__(self, name: _Optional[str] = ..., from_event_id: _Optional[int] = ..., stats_interval: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class WatchSessionResponse(_message.Message):
    __slots__ = ["event", "gap", "snapshot", "stats"]
    class EventGap(_message.Message):
        __slots__ = ["oldest_event_id"]
        OLDEST_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
        oldest_event_id: int
        def __init__(self, oldest_event_id: _Optional[int] = ...) -> None: ...
    EVENT_FIELD_NUMBER: _ClassVar[int]
    GAP_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    event: _events_pb2.SessionEvent
    gap: WatchSessionResponse.EventGap
    snapshot: Session
    stats: _stats_pb2.SessionStats
    def __init__(self, snapshot: _Optional[_Union[Session, _Mapping]] = ..., event: _Optional[_Union[_events_pb2.SessionEvent, _Mapping]] = ..., stats: _Optional[_Union[_stats_pb2.SessionStats, _Mapping]] = ..., gap: _Optional[_Union[WatchSessionResponse.EventGap, _Mapping]] = ...) -> None: ...
