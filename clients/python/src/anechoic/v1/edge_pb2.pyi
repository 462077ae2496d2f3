from anechoic.v1 import audio_pb2 as _audio_pb2
from anechoic.v1 import config_pb2 as _config_pb2
from anechoic.v1 import events_pb2 as _events_pb2
from anechoic.v1 import routing_pb2 as _routing_pb2
from anechoic.v1 import stats_pb2 as _stats_pb2
from anechoic.v1 import voice_processing_pb2 as _voice_processing_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
MICROPHONE_USE_ALWAYS: MicrophoneUse
MICROPHONE_USE_CLOSED_WHILE_MUTED: MicrophoneUse
MICROPHONE_USE_CLOSED_WITHOUT_CALL: MicrophoneUse
MICROPHONE_USE_CLOSED_WITHOUT_SESSION: MicrophoneUse
MICROPHONE_USE_MUTED_TALKER: MicrophoneUse
MICROPHONE_USE_SESSION: MicrophoneUse
MICROPHONE_USE_TEST: MicrophoneUse
MICROPHONE_USE_UNSPECIFIED: MicrophoneUse
MUTE_HOLDER_HARDWARE: MuteHolder
MUTE_HOLDER_SESSION: MuteHolder
MUTE_HOLDER_UNSPECIFIED: MuteHolder

class BeginCallRequest(_message.Message):
    __slots__ = ["holder"]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    holder: str
    def __init__(self, holder: _Optional[str] = ...) -> None: ...

class BeginCallResponse(_message.Message):
    __slots__ = ["call"]
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: EdgeCall
    def __init__(self, call: _Optional[_Union[EdgeCall, _Mapping]] = ...) -> None: ...

class CallSign(_message.Message):
    __slots__ = ["kind", "program"]
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    KIND_CONFIGURATION: CallSign.Kind
    KIND_FAR_END: CallSign.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    KIND_RECORDING: CallSign.Kind
    KIND_REQUEST: CallSign.Kind
    KIND_UNSEEN: CallSign.Kind
    KIND_UNSPECIFIED: CallSign.Kind
    KIND_VOICE_READ: CallSign.Kind
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    kind: CallSign.Kind
    program: str
    def __init__(self, kind: _Optional[_Union[CallSign.Kind, str]] = ..., program: _Optional[str] = ...) -> None: ...

class ChooseRouteRequest(_message.Message):
    __slots__ = ["port_id"]
    PORT_ID_FIELD_NUMBER: _ClassVar[int]
    port_id: str
    def __init__(self, port_id: _Optional[str] = ...) -> None: ...

class ChooseRouteResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: EdgeStatus
    def __init__(self, status: _Optional[_Union[EdgeStatus, _Mapping]] = ...) -> None: ...

class DecideInjectionRequest(_message.Message):
    __slots__ = ["client", "grant"]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    client: str
    grant: bool
    def __init__(self, client: _Optional[str] = ..., grant: bool = ...) -> None: ...

class DecideInjectionResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: EdgeStatus
    def __init__(self, status: _Optional[_Union[EdgeStatus, _Mapping]] = ...) -> None: ...

class EdgeCall(_message.Message):
    __slots__ = ["active", "begin_time", "signs"]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    BEGIN_TIME_FIELD_NUMBER: _ClassVar[int]
    SIGNS_FIELD_NUMBER: _ClassVar[int]
    active: bool
    begin_time: _timestamp_pb2.Timestamp
    signs: _containers.RepeatedCompositeFieldContainer[CallSign]
    def __init__(self, active: bool = ..., begin_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., signs: _Optional[_Iterable[_Union[CallSign, _Mapping]]] = ...) -> None: ...

class EdgeDevice(_message.Message):
    __slots__ = ["detail", "device", "opened", "role", "state", "xruns"]
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    OPENED_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    STATE_ABSENT: EdgeDevice.State
    STATE_CLOSED: EdgeDevice.State
    STATE_FIELD_NUMBER: _ClassVar[int]
    STATE_IDLE: EdgeDevice.State
    STATE_RUNNING: EdgeDevice.State
    STATE_STALLED: EdgeDevice.State
    STATE_UNSPECIFIED: EdgeDevice.State
    XRUNS_FIELD_NUMBER: _ClassVar[int]
    detail: str
    device: str
    opened: int
    role: str
    state: EdgeDevice.State
    xruns: int
    def __init__(self, role: _Optional[str] = ..., device: _Optional[str] = ..., state: _Optional[_Union[EdgeDevice.State, str]] = ..., detail: _Optional[str] = ..., xruns: _Optional[int] = ..., opened: _Optional[int] = ...) -> None: ...

class EdgeFarEnd(_message.Message):
    __slots__ = ["far_end_id", "name", "place", "playing"]
    FAR_END_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    PLAYING_FIELD_NUMBER: _ClassVar[int]
    far_end_id: str
    name: str
    place: _config_pb2.SpatialAudio.Source
    playing: bool
    def __init__(self, name: _Optional[str] = ..., far_end_id: _Optional[str] = ..., playing: bool = ..., place: _Optional[_Union[_config_pb2.SpatialAudio.Source, _Mapping]] = ...) -> None: ...

class EdgePort(_message.Message):
    __slots__ = ["port", "present", "priority"]
    PORT_FIELD_NUMBER: _ClassVar[int]
    PRESENT_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    port: _events_pb2.AudioPort
    present: bool
    priority: int
    def __init__(self, port: _Optional[_Union[_events_pb2.AudioPort, _Mapping]] = ..., present: bool = ..., priority: _Optional[int] = ...) -> None: ...

class EdgeStatus(_message.Message):
    __slots__ = ["call", "connected", "devices", "far_ends", "flow", "injection_requests", "last_gap", "latency", "microphone_use", "mute_actor", "mute_holders", "muted", "muted_speech_active", "other_programs", "ports", "problem", "recording", "route", "server", "session", "stats", "switching", "voice", "voice_active"]
    class Flow(_message.Message):
        __slots__ = ["frames_concealed", "frames_dropped", "frames_unsent", "gap_samples", "playback_buffer_ms", "playback_drift_ppm", "playback_samples_skipped", "playback_underruns", "resumptions", "sessions"]
        FRAMES_CONCEALED_FIELD_NUMBER: _ClassVar[int]
        FRAMES_DROPPED_FIELD_NUMBER: _ClassVar[int]
        FRAMES_UNSENT_FIELD_NUMBER: _ClassVar[int]
        GAP_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        PLAYBACK_BUFFER_MS_FIELD_NUMBER: _ClassVar[int]
        PLAYBACK_DRIFT_PPM_FIELD_NUMBER: _ClassVar[int]
        PLAYBACK_SAMPLES_SKIPPED_FIELD_NUMBER: _ClassVar[int]
        PLAYBACK_UNDERRUNS_FIELD_NUMBER: _ClassVar[int]
        RESUMPTIONS_FIELD_NUMBER: _ClassVar[int]
        SESSIONS_FIELD_NUMBER: _ClassVar[int]
        frames_concealed: int
        frames_dropped: int
        frames_unsent: int
        gap_samples: int
        playback_buffer_ms: float
        playback_drift_ppm: float
        playback_samples_skipped: int
        playback_underruns: int
        resumptions: int
        sessions: int
        def __init__(self, sessions: _Optional[int] = ..., frames_dropped: _Optional[int] = ..., frames_concealed: _Optional[int] = ..., frames_unsent: _Optional[int] = ..., gap_samples: _Optional[int] = ..., playback_underruns: _Optional[int] = ..., playback_samples_skipped: _Optional[int] = ..., playback_drift_ppm: _Optional[float] = ..., playback_buffer_ms: _Optional[float] = ..., resumptions: _Optional[int] = ...) -> None: ...
    class Latency(_message.Message):
        __slots__ = ["capture_ms", "processing_ms", "server_ms", "total_ms"]
        CAPTURE_MS_FIELD_NUMBER: _ClassVar[int]
        PROCESSING_MS_FIELD_NUMBER: _ClassVar[int]
        SERVER_MS_FIELD_NUMBER: _ClassVar[int]
        TOTAL_MS_FIELD_NUMBER: _ClassVar[int]
        capture_ms: float
        processing_ms: float
        server_ms: float
        total_ms: float
        def __init__(self, capture_ms: _Optional[float] = ..., server_ms: _Optional[float] = ..., processing_ms: _Optional[float] = ..., total_ms: _Optional[float] = ...) -> None: ...
    class OtherPrograms(_message.Message):
        __slots__ = ["connected", "gain_db", "lowered_streams", "problem"]
        CONNECTED_FIELD_NUMBER: _ClassVar[int]
        GAIN_DB_FIELD_NUMBER: _ClassVar[int]
        LOWERED_STREAMS_FIELD_NUMBER: _ClassVar[int]
        PROBLEM_FIELD_NUMBER: _ClassVar[int]
        connected: bool
        gain_db: float
        lowered_streams: int
        problem: str
        def __init__(self, connected: bool = ..., problem: _Optional[str] = ..., lowered_streams: _Optional[int] = ..., gain_db: _Optional[float] = ...) -> None: ...
    class Switching(_message.Message):
        __slots__ = ["activity", "connected", "decisions", "group", "local_policy", "machine", "media_paused", "problem"]
        ACTIVITY_FIELD_NUMBER: _ClassVar[int]
        CONNECTED_FIELD_NUMBER: _ClassVar[int]
        DECISIONS_FIELD_NUMBER: _ClassVar[int]
        GROUP_FIELD_NUMBER: _ClassVar[int]
        LOCAL_POLICY_FIELD_NUMBER: _ClassVar[int]
        MACHINE_FIELD_NUMBER: _ClassVar[int]
        MEDIA_PAUSED_FIELD_NUMBER: _ClassVar[int]
        PROBLEM_FIELD_NUMBER: _ClassVar[int]
        activity: _routing_pb2.MachineActivity
        connected: bool
        decisions: _containers.RepeatedCompositeFieldContainer[_routing_pb2.RoutingDecision]
        group: str
        local_policy: bool
        machine: str
        media_paused: bool
        problem: str
        def __init__(self, group: _Optional[str] = ..., machine: _Optional[str] = ..., connected: bool = ..., problem: _Optional[str] = ..., local_policy: bool = ..., decisions: _Optional[_Iterable[_Union[_routing_pb2.RoutingDecision, _Mapping]]] = ..., activity: _Optional[_Union[_routing_pb2.MachineActivity, _Mapping]] = ..., media_paused: bool = ...) -> None: ...
    class Voice(_message.Message):
        __slots__ = ["enrollment", "failure", "problem"]
        ENROLLMENT_FIELD_NUMBER: _ClassVar[int]
        FAILURE_FIELD_NUMBER: _ClassVar[int]
        PROBLEM_FIELD_NUMBER: _ClassVar[int]
        enrollment: _events_pb2.VoiceEnrollment
        failure: _events_pb2.VoiceEnrollmentChanged.Failure
        problem: str
        def __init__(self, enrollment: _Optional[_Union[_events_pb2.VoiceEnrollment, str]] = ..., failure: _Optional[_Union[_events_pb2.VoiceEnrollmentChanged.Failure, str]] = ..., problem: _Optional[str] = ...) -> None: ...
    CALL_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    DEVICES_FIELD_NUMBER: _ClassVar[int]
    FAR_ENDS_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    INJECTION_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    LAST_GAP_FIELD_NUMBER: _ClassVar[int]
    LATENCY_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_USE_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    MUTED_SPEECH_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    MUTE_ACTOR_FIELD_NUMBER: _ClassVar[int]
    MUTE_HOLDERS_FIELD_NUMBER: _ClassVar[int]
    OTHER_PROGRAMS_FIELD_NUMBER: _ClassVar[int]
    PORTS_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    RECORDING_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    SWITCHING_FIELD_NUMBER: _ClassVar[int]
    VOICE_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    VOICE_FIELD_NUMBER: _ClassVar[int]
    call: EdgeCall
    connected: bool
    devices: _containers.RepeatedCompositeFieldContainer[EdgeDevice]
    far_ends: _containers.RepeatedCompositeFieldContainer[EdgeFarEnd]
    flow: EdgeStatus.Flow
    injection_requests: _containers.RepeatedCompositeFieldContainer[_events_pb2.InjectionPermissionRequested]
    last_gap: _duration_pb2.Duration
    latency: EdgeStatus.Latency
    microphone_use: MicrophoneUse
    mute_actor: str
    mute_holders: _containers.RepeatedScalarFieldContainer[MuteHolder]
    muted: bool
    muted_speech_active: bool
    other_programs: EdgeStatus.OtherPrograms
    ports: _containers.RepeatedCompositeFieldContainer[EdgePort]
    problem: str
    recording: bool
    route: str
    server: str
    session: str
    stats: _stats_pb2.SessionStats
    switching: EdgeStatus.Switching
    voice: EdgeStatus.Voice
    voice_active: bool
    def __init__(self, server: _Optional[str] = ..., connected: bool = ..., session: _Optional[str] = ..., problem: _Optional[str] = ..., muted: bool = ..., mute_holders: _Optional[_Iterable[_Union[MuteHolder, str]]] = ..., mute_actor: _Optional[str] = ..., voice_active: bool = ..., muted_speech_active: bool = ..., route: _Optional[str] = ..., ports: _Optional[_Iterable[_Union[EdgePort, _Mapping]]] = ..., devices: _Optional[_Iterable[_Union[EdgeDevice, _Mapping]]] = ..., latency: _Optional[_Union[EdgeStatus.Latency, _Mapping]] = ..., flow: _Optional[_Union[EdgeStatus.Flow, _Mapping]] = ..., stats: _Optional[_Union[_stats_pb2.SessionStats, _Mapping]] = ..., last_gap: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., microphone_use: _Optional[_Union[MicrophoneUse, str]] = ..., other_programs: _Optional[_Union[EdgeStatus.OtherPrograms, _Mapping]] = ..., switching: _Optional[_Union[EdgeStatus.Switching, _Mapping]] = ..., call: _Optional[_Union[EdgeCall, _Mapping]] = ..., recording: bool = ..., injection_requests: _Optional[_Iterable[_Union[_events_pb2.InjectionPermissionRequested, _Mapping]]] = ..., far_ends: _Optional[_Iterable[_Union[EdgeFarEnd, _Mapping]]] = ..., voice: _Optional[_Union[EdgeStatus.Voice, _Mapping]] = ...) -> None: ...

class EndCallRequest(_message.Message):
    __slots__ = ["holder"]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    holder: str
    def __init__(self, holder: _Optional[str] = ...) -> None: ...

class EndCallResponse(_message.Message):
    __slots__ = ["call"]
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: EdgeCall
    def __init__(self, call: _Optional[_Union[EdgeCall, _Mapping]] = ...) -> None: ...

class EnrollVoiceRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class EnrollVoiceResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: EdgeStatus
    def __init__(self, status: _Optional[_Union[EdgeStatus, _Mapping]] = ...) -> None: ...

class ForgetVoiceRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ForgetVoiceResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: EdgeStatus
    def __init__(self, status: _Optional[_Union[EdgeStatus, _Mapping]] = ...) -> None: ...

class GetEdgeStatusRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetEdgeStatusResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: EdgeStatus
    def __init__(self, status: _Optional[_Union[EdgeStatus, _Mapping]] = ...) -> None: ...

class HoldCallRequest(_message.Message):
    __slots__ = ["holder"]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    holder: str
    def __init__(self, holder: _Optional[str] = ...) -> None: ...

class HoldCallResponse(_message.Message):
    __slots__ = ["call"]
    CALL_FIELD_NUMBER: _ClassVar[int]
    call: EdgeCall
    def __init__(self, call: _Optional[_Union[EdgeCall, _Mapping]] = ...) -> None: ...

class PlayFarEndRequest(_message.Message):
    __slots__ = ["place", "samples", "start"]
    class Start(_message.Message):
        __slots__ = ["format", "name", "place"]
        FORMAT_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        PLACE_FIELD_NUMBER: _ClassVar[int]
        format: _audio_pb2.AudioFormat
        name: str
        place: _config_pb2.SpatialAudio.Source
        def __init__(self, name: _Optional[str] = ..., format: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., place: _Optional[_Union[_config_pb2.SpatialAudio.Source, _Mapping]] = ...) -> None: ...
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    place: _config_pb2.SpatialAudio.Source
    samples: bytes
    start: PlayFarEndRequest.Start
    def __init__(self, start: _Optional[_Union[PlayFarEndRequest.Start, _Mapping]] = ..., samples: _Optional[bytes] = ..., place: _Optional[_Union[_config_pb2.SpatialAudio.Source, _Mapping]] = ...) -> None: ...

class PlayFarEndResponse(_message.Message):
    __slots__ = ["samples"]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    samples: int
    def __init__(self, samples: _Optional[int] = ...) -> None: ...

class SetUpMicrophoneRequest(_message.Message):
    __slots__ = ["pattern", "turned"]
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    TURNED_FIELD_NUMBER: _ClassVar[int]
    pattern: _events_pb2.MicrophonePair.PolarPattern
    turned: bool
    def __init__(self, pattern: _Optional[_Union[_events_pb2.MicrophonePair.PolarPattern, str]] = ..., turned: bool = ...) -> None: ...

class SetUpMicrophoneResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: EdgeStatus
    def __init__(self, status: _Optional[_Union[EdgeStatus, _Mapping]] = ...) -> None: ...

class TestAudioRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class TestAudioResponse(_message.Message):
    __slots__ = ["echo_return_loss_db", "echo_return_loss_enhancement_db", "heard", "level_dbfs", "noise_dbfs", "round_trip_ms"]
    ECHO_RETURN_LOSS_DB_FIELD_NUMBER: _ClassVar[int]
    ECHO_RETURN_LOSS_ENHANCEMENT_DB_FIELD_NUMBER: _ClassVar[int]
    HEARD_FIELD_NUMBER: _ClassVar[int]
    LEVEL_DBFS_FIELD_NUMBER: _ClassVar[int]
    NOISE_DBFS_FIELD_NUMBER: _ClassVar[int]
    ROUND_TRIP_MS_FIELD_NUMBER: _ClassVar[int]
    echo_return_loss_db: float
    echo_return_loss_enhancement_db: float
    heard: bool
    level_dbfs: float
    noise_dbfs: float
    round_trip_ms: float
    def __init__(self, level_dbfs: _Optional[float] = ..., noise_dbfs: _Optional[float] = ..., heard: bool = ..., round_trip_ms: _Optional[float] = ..., echo_return_loss_db: _Optional[float] = ..., echo_return_loss_enhancement_db: _Optional[float] = ...) -> None: ...

class TurnHeadRequest(_message.Message):
    __slots__ = ["pose"]
    POSE_FIELD_NUMBER: _ClassVar[int]
    pose: _voice_processing_pb2.HeadPose
    def __init__(self, pose: _Optional[_Union[_voice_processing_pb2.HeadPose, _Mapping]] = ...) -> None: ...

class TurnHeadResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class WatchEdgeStatusRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class WatchEdgeStatusResponse(_message.Message):
    __slots__ = ["status"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: EdgeStatus
    def __init__(self, status: _Optional[_Union[EdgeStatus, _Mapping]] = ...) -> None: ...

class MicrophoneUse(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MuteHolder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
